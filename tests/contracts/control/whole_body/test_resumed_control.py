"""Runs under whole-body control that are cut off go on to the same end, to the last bit: contacts, tasks, working sets."""

import shutil
import subprocess
import sys

import numpy as np
import pytest

import locomote as lo
from locomote.control.whole_body.plants import LateControl

SYSTEM = lo.systems.load("hrp2_like", motion="stand")
MODEL = SYSTEM.model


def same(one, two):
    """All samples of two runs, bit for bit."""
    for name in ("t", "q", "v", "a", "tau", "contact_forces"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name


PROGRAM = """
import os, sys, time, locomote as lo
path, stop = sys.argv[1], float(sys.argv[2])
system = lo.systems.load("hrp2_like", motion="single_support")
def dies(t, q, v):
    if t > stop:
        os._exit(9)
    if stop < 100:
        time.sleep(0.003)  # the file is written by the clock: so that the lift lasts for many tenths of a second
    return -1.0
extra = {"events": [lo.When(dies, name="death")]} if stop > 0 else {}
system.problem().simulate(2.2, every=0.02, progress=False, checkpoint=path, checkpoint_interval=0.01, **extra)
"""


def whole(path, stop):
    return subprocess.run([sys.executable, "-c", PROGRAM, str(path), str(stop)], check=False).returncode


def test_a_sequence_of_contacts_that_is_killed_goes_on_to_the_last_bit(tmp_path):
    """In the middle of a lift, when one contact has left and its swing is a task: in processes of their own."""
    event = [lo.When(lambda t, q, v: -1.0, name="death")]
    assert whole(tmp_path / "whole.h5", 1e9) == 0 and whole(tmp_path / "cut.h5", 1.77) == 9
    cut = lo.open_run(tmp_path / "cut.h5")
    assert cut.info["status"] != "finished" and 1.4 < cut.t[-1] < 1.8
    again = lo.resume(tmp_path / "cut.h5", events=event, progress=False)
    same(lo.open_run(tmp_path / "whole.h5"), again)
    assert again.info["said"].startswith("in phase 'lift'")


def stepped(law, times, q, v, recall_at=(), rows=None):
    """Torques along a motion in which the robot obeys; at some ticks another controller takes over from a row."""
    taus = []
    for k, t in enumerate(times):
        if k in recall_at:
            law = recall_at[k](rows[-1])
        taus.append(law(t, q, v))
        if rows is not None:
            rows.append(law.remembered())
        a = (law.function if isinstance(law, LateControl) else law).now.a
        v = v + 2e-3 * a
        q = MODEL.integrate(q, 2e-3 * v)
    return np.array(taus)


def machine():
    robot_contacts = [
        lo.control.Contact(f"{side}_sole", lo.control.rectangle(0.24, 0.14), friction=0.6) for side in ("left", "right")
    ]
    q = SYSTEM.initial[0]
    tasks = [lo.control.CenterOfMass(), lo.control.Frame("chest", position=False), lo.control.Posture(weight=1e-3)]
    control = lo.control.WholeBody(MODEL, tasks, robot_contacts, cones="round")
    left = lo.forward_kinematics(MODEL, q)[MODEL.body("left_sole").index][:3, 3]
    right = lo.forward_kinematics(MODEL, q)[MODEL.body("right_sole").index][:3, 3]
    phases = [
        lo.control.Phase("shift", 0.3, center=left[:2] * 0.5), lo.control.Phase("lift", 0.2, lift="right_sole", up=True,
        posture=q),
        lo.control.Phase("put", 0.2, lift="right_sole", place=right), lo.control.Phase("stay", 0.1),
    ]  # fmt: skip
    return lo.control.ContactMachine(control, phases, near=(0.2, 2.0))


@pytest.mark.parametrize("late", [0, 3])
def test_another_machine_takes_over_in_any_phase(late):
    """From the row of numbers alone; a row of the start brings back the start."""
    times, (q, v) = 2e-3 * np.arange(450), SYSTEM.initial
    make = (lambda: LateControl(machine(), late)) if late else machine
    law = make()
    law.recall(law.fresh())
    expected = stepped(law, times, q, v)

    def fresh_one(row):
        other = make()
        other.fresh()
        other.recall(row.copy())
        return other

    takes = dict.fromkeys((40, 149, 152, 160, 190, 230, 300, 340, 380), fresh_one)
    first = make()
    first.recall(first.fresh())
    assert np.array_equal(stepped(first, times, q, v, takes, []), expected)
    law.recall(law.fresh())
    assert np.array_equal(stepped(law, times, q, v), expected)


def test_a_schedule_is_gone_on_with():
    times, (q, v) = 2e-3 * np.arange(300), SYSTEM.initial
    feet = [lo.control.Contact(f"{side}_sole", lo.control.rectangle(0.24, 0.14), friction=0.6) for side in ("left", "right")]
    center = lo.center_of_mass(MODEL, q)

    def make():
        tasks = [lo.control.CenterOfMass(reference=center), lo.control.Posture(weight=1e-3)]
        control = lo.control.WholeBody(MODEL, tasks, feet)
        low = [float(center[0]), lo.Sine(0.02, 6.0), float(center[2])]
        states = [
            ("both", 0.1, ("left_sole", "right_sole")), ("left", 0.05, ("left_sole",), {"com": low}),
            ("again", 0.1, ("left_sole", "right_sole")),
        ]  # fmt: skip
        control.follow(lo.control.ContactSchedule(states, ramp=0.04, repeat=True))
        return control

    def run(handover=()):
        control, x, speed, taus = make(), q, v, []
        control.recall(control.fresh())
        for k, t in enumerate(times):
            if k in handover:
                row, control = control.remembered().copy(), make()
                control.fresh()
                control.recall(row)
            now = control.evaluate(t, x, speed)
            taus.append(now.tau)
            speed = speed + 2e-3 * now.a
            x = MODEL.integrate(x, 2e-3 * speed)
        return np.array(taus)

    assert np.array_equal(run(), run((20, 35, 40, 60, 80, 130, 170, 250)))


def test_what_joined_later_is_said():
    control = machine().control
    control.recall(control.fresh())
    control.add(lo.control.Contact("left_palm", name="rail"))
    control.evaluate(0.0, *SYSTEM.initial)
    with pytest.raises(ValueError, match="had joined that the controller did not have"):
        control.recall(control.remembered())


@pytest.mark.parametrize("name", ["planar_biped", "trotting_quadruped"])
def test_feed_forward_goes_on_with_its_copy_of_the_robot(name, tmp_path, monkeypatch):
    """The copy has a motion of its own: a run that goes on from a checkpoint has it, and does the same to the last bit, if
    checkpoints come at the same steps: each has matrices of stiff forces made anew."""
    monkeypatch.setattr("locomote.runs.runner.CHUNK", float("nan"))  # always as many steps between two looks at the clock
    path, cut = tmp_path / "whole.h5", tmp_path / "cut.h5"
    problem = lo.systems.load(name, control="feed-forward").problem()
    problem.simulate(0.05, progress=False)  # compiled
    q, v = problem.initial()
    q[-1] += 0.01  # where the copy is not: its joints are where they are told to be

    def copies(t, q, v):
        if t > 0.7 and not cut.exists():
            shutil.copy(path, cut)
        return -1.0

    options = {"every": 0.02, "progress": False, "checkpoint": path, "checkpoint_interval": 0.0, "max_step": 2e-4}
    run = problem.simulate(1.2, q=q, v=v, events=[lo.When(copies)], **options)
    part = lo.open_run(cut)
    assert 0.1 < part.t[-1] < 1.0 and part.state["copy"][0] == 1.0
    robot, copy = part.state["q"], part.state["copy"][1 : 1 + problem.model.nq]
    assert 0 < abs(robot - copy).max() < 0.1  # they have come apart, a little
    again = lo.resume(cut, problem=problem, events=[lo.When(lambda t, q, v: -1.0)], progress=False, interval=0.0)
    for what in ("t", "q", "v", "a", "tau"):
        assert np.array_equal(getattr(run, what), getattr(again, what)), what
