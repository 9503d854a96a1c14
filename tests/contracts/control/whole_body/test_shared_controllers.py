"""Controllers that know their state, shared by threads and by runs: numbers are those of one who has it alone, bit for bit."""

import copy
import pickle
import threading

import numpy as np
import pytest
from standing_robots import HRP2 as MODEL
from standing_robots import HRP2_SOLE as SOLE
from standing_robots import SIDES, feet, standing

import locomote as lo
from locomote.control.whole_body.plants import LateControl


def controller():
    tasks = [lo.control.CenterOfMass(), lo.control.Frame("chest", position=False), lo.control.Posture(standing(), weight=1e-3)]
    return lo.control.WholeBody(MODEL, tasks, feet(least=2.0))


def scheduled():
    """Contacts come and go, and a reference is replaced meanwhile."""
    control, center = controller(), lo.center_of_mass(MODEL, standing())
    both, one = ("left_sole", "right_sole"), ("left_sole",)
    lean = {"com": [float(center[0]), lo.Sine(0.01, 2.0, offset=float(center[1])), float(center[2])]}
    control.follow(
        lo.control.ContactSchedule([("double", 0.008, both), ("left", 0.006, one, lean), ("again", 0.1, both)], ramp=0.004)
    )
    return control


def machine():
    return lo.control.ContactMachine(controller(), [lo.control.Phase("lift", 0.012, lift="right_sole", up=True, ramp=0.004)])


KINDS = {
    "whole body": controller, "schedule": scheduled, "machine": machine, "late machine": lambda: LateControl(machine(), 3)
}  # fmt: skip


def all_at_once(function, count=4):
    told = []

    def work(k):
        try:
            function(k)
        except Exception as error:
            told.append(repr(error))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not told, told[0]


def problem_with(control):
    z = lo.forward_kinematics(MODEL, standing())[MODEL.body("left_sole").index][2, 3]
    ground = lo.Ground(lo.Plane(point=(0, 0, z)), friction=0.7)
    touching = [lo.Touch(f"{x}_sole", ground, points=SOLE) for x in SIDES]
    return lo.Locomotion(MODEL, torques=lo.Sampled(control, every=1e-3), contacts=touching)


def run(problem, **options):
    return problem.simulate(0.02, q=standing(), method="timestep", step=1e-3, every=2e-3, progress=False, **options)


def test_every_thread_gets_the_torques_of_its_own_state():
    rng, q, control = np.random.default_rng(0), standing(), controller()
    states = [0.05 * rng.normal(size=MODEL.nv) for _ in range(30)]
    alone = [controller().evaluate(0.0, q, v) for v in states]

    def ask(k):
        for v, one in zip(states, alone, strict=True):
            now = control.evaluate(0.0, q, v)
            assert abs(now.tau - one.tau).max() < 1e-5 and now.status == one.status
            assert abs(now.forces["left_sole"] - one.forces["left_sole"]).max() < 1e-4

    all_at_once(ask)


@pytest.mark.parametrize("kind", KINDS)
def test_runs_in_threads_are_those_of_one_thread(kind):
    problem = problem_with(KINDS[kind]())
    alone = run(problem)
    assert np.array_equal(run(problem_with(KINDS[kind]())).q, alone.q)  # and of a controller that no one had before
    found = {}
    all_at_once(lambda k: found.update({k: run(problem)}), 3)
    for other in found.values():
        assert np.array_equal(other.q, alone.q) and np.array_equal(other.tau, alone.tau)
    assert np.array_equal(run(problem).q, alone.q)


def test_who_asks_a_controller_during_a_run_does_not_disturb_the_run():
    problem = problem_with(control := controller())
    alone, other = run(problem), standing()
    other[MODEL.joint("left_knee").q] += 0.2

    def look(t, q, v):
        control.evaluate(t, other, np.ones(MODEL.nv))
        return 1.0

    assert np.array_equal(run(problem, events=[look]).q, alone.q)


def test_what_is_said_of_a_run_is_said_of_its_own_state():
    """Of two runs with one machine each says how far it came itself."""
    device = machine()
    problem = problem_with(device)
    named = lo.Locomotion(MODEL, torques=lo.Sampled(device, every=1e-3, says=device.says), contacts=problem.statement.contacts)
    short, words = run(named).info["said"], {}
    all_at_once(lambda k: words.update({k: run(named).info["said"]}), 3)
    assert set(words.values()) == {short}


def test_a_reference_that_asks_its_own_controller_is_refused():
    control = controller()
    control.tasks["com"].reference = lambda t: (control(t, standing(), np.zeros(MODEL.nv))[:3], np.zeros(3), np.zeros(3))
    with pytest.raises(RuntimeError, match="would depend on itself"):
        control.evaluate(0.0, standing(), np.zeros(MODEL.nv))
    control.tasks["com"].reference = None
    assert control.evaluate(0.0, standing(), np.zeros(MODEL.nv)).solved


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_have_their_own_state(copied):
    control, q, v = controller(), standing(), np.zeros(MODEL.nv)
    before = control.evaluate(0.0, q, v).tau
    other = copied(control)
    other.remove("right_sole")
    other.evaluate(0.0, q, v)
    other.remove("posture")
    assert list(control.contacts) == ["left_sole", "right_sole"] and len(control.tasks) == 3
    assert abs(control.evaluate(0.0, q, v).tau - before).max() < 1e-9
    assert other.turn is not control.turn


def test_functions_of_users_that_remember_take_turns_too():
    """The protocol of a function that knows its state, without a lock of its own."""

    class Counts:
        present = None

        def __init__(self):
            self.count = 0.0

        def fresh(self):
            return np.zeros(1)

        def remembered(self):
            self.present = np.array([self.count])
            return self.present

        def recall(self, row):
            self.count, self.present = float(row[0]), row

        def __call__(self, t, q, v):
            before = self.count
            for _ in range(200):
                pass
            self.count = before + 1.0
            return np.array([0.01 * self.count])

    builder = lo.Builder("disc", base="fixed")
    builder.body("disc", joint=lo.Joint("axle", axis="z"), inertia=lo.Inertia(1.0, moment=(0.1, 0.1, 0.1)))
    problem = lo.Locomotion(builder.build(), torques=lo.Sampled(Counts(), every=1e-3))
    alone, found = problem.simulate(0.1, progress=False), {}
    all_at_once(lambda k: found.update({k: problem.simulate(0.1, progress=False)}))
    assert all(np.array_equal(other.v, alone.v) for other in found.values())
