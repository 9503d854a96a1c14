"""Runs that are cut off: killed, interrupted, without room on the disk; and gone on with, to the same end."""

import errno
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import resume_trials
from resume_trials import EVENTS, RUNS, run

import locomote as lo
from locomote.methods import state as at
from locomote.runs import runner as run_module
from locomote.runs.files import journal

SAME = 1e-12


@pytest.fixture(scope="module")
def whole():
    """The runs without any interruption, each when it is first asked for."""
    kept = {}

    def of(name):
        if name not in kept:
            kept[name] = run(name)
        return kept[name]

    return of


def assert_same(one, two):
    """All samples, work and events of two runs."""
    assert np.array_equal(one.t, two.t)
    for name in ("q", "v", "a", "tau", "reactions", "kinetic", "potential", "elastic", "residual", "position_residual"):
        ours, theirs = getattr(one, name), getattr(two, name)
        assert abs(ours - theirs).max(initial=0.0) <= SAME * max(1.0, abs(theirs).max(initial=0.0)), name
    for name in one.work:
        assert one.work[name] == pytest.approx(two.work[name], rel=SAME, abs=SAME)
    assert [(e.kind, e.description) for e in one.events] == [(e.kind, e.description) for e in two.events]
    assert [e.t for e in one.events] == pytest.approx([e.t for e in two.events], abs=SAME)
    assert one.info["steps"] == two.info["steps"]


def start(*words):
    """One of the programs of resume_trials."""
    command = [sys.executable, resume_trials.__file__, *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def ended(process):
    """Its end, without an error."""
    _, errors = process.communicate()
    assert process.returncode == 0, errors.decode()[-2000:]


def wait_for_samples(path, process):
    """Until the file has grown a few times."""
    sizes = set()
    while process.poll() is None:
        if path.exists():
            sizes.add(path.stat().st_size)
        if len(sizes) > 3:
            return
        time.sleep(0.002)
    raise AssertionError(f"the run ended too early: {process.stderr.read().decode()[-2000:]}")


@pytest.mark.parametrize("name", ["adaptive", "contact"])
def test_a_killed_run_goes_on_to_the_same_end(name, tmp_path):
    """kill -9 at some moment after the first checkpoints.

    All parts run in processes of their own that find the kernels on disk: the process that compiles them may differ from
    later ones in the last digit, and these runs are chaotic.
    """
    ended(start("warm", name))
    path, undisturbed = tmp_path / "run.h5", tmp_path / "undisturbed.h5"
    ended(start("run", name, undisturbed))
    process = start("run", name, path)
    wait_for_samples(path, process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    cut, expected = lo.open_run(path), lo.open_run(undisturbed)
    assert 1 <= len(cut) < len(expected) and cut.info["status"] == "interrupted" and expected.info["status"] == "finished"
    assert np.array_equal(cut.q, expected.q[: len(cut)])
    ended(start("resume", path))
    done = lo.open_run(path)
    assert done.info["status"] == "finished"
    assert_same(done, expected)
    assert len(lo.resume(path)) == len(expected)  # a finished run is just opened


@pytest.fixture
def ctrl_c(monkeypatch):
    """A function that presses Ctrl-C when the next run is beyond a time of its own: how fast the machine is does not matter."""
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    run_module._interrupted[0] = -np.inf
    due, advance = [], run_module.advance

    def few_steps(plan, work, state, samples):
        state.choices[at.BUDGET] = min(int(state.choices[at.BUDGET]), 20)
        if due and float(state.clock[at.TIME]) > due[0]:
            due.clear()
            os.kill(os.getpid(), signal.SIGINT)
        return advance(plan, work, state, samples)

    monkeypatch.setattr(run_module, "advance", few_steps)
    yield due.append
    signal.signal(signal.SIGINT, old)


@pytest.mark.parametrize("name", ["rk4", "implicit", "variational", "events"])
def test_ctrl_c_keeps_what_was_computed(name, tmp_path, whole, ctrl_c):
    """And the run can go on from there, to the same end."""
    expected, path = whole(name), tmp_path / "run.h5"
    ctrl_c(0.3 * expected.t[-1])
    cut = run(name, checkpoint=path, checkpoint_interval=60.0)
    assert cut.info["status"] == "interrupted" and "interrupted at t = " in cut.info["message"]
    assert 0 < len(cut) < len(expected) and np.array_equal(cut.q, expected.q[: len(cut)])
    stored = lo.open_run(path)
    assert len(stored) == len(cut) and stored.info["status"] == "interrupted"
    events = RUNS[name][1].get("events", ())
    if events:
        with pytest.raises(ValueError, match=r"watched for 2 events, give them as resume\(path, events=\[\.\.\.\]\)"):
            lo.resume(path)
    assert_same(lo.resume(path, events=events), expected)


def test_ctrl_c_in_a_function_of_the_user(ctrl_c):
    """While Python code of the problem runs, called from compiled code: few calls come after it."""
    model = lo.Builder("slow", base="x").body("b", inertia=lo.Inertia.sphere(1.0, 0.1)).build()
    calls = []

    def torques(t, q, v):
        calls.append(t)
        if len(calls) == 200:
            os.kill(os.getpid(), signal.SIGINT)
        return [1.0]

    cut = lo.Locomotion(model, torques=torques).simulate(100.0, method="rk4", step=0.01, every=0.01)
    assert len(calls) < 500
    assert cut.info["status"] == "interrupted" and len(cut) > 3 and np.isfinite(cut.q).all()


def test_without_a_file_ctrl_c_keeps_it_too(ctrl_c, whole):
    expected = whole("rk4")
    ctrl_c(0.3 * expected.t[-1])
    cut = run("rk4")
    assert cut.info["status"] == "interrupted" and 0 < len(cut) < len(expected)


def test_a_second_ctrl_c_ends_a_loop_of_runs(ctrl_c, monkeypatch):
    """The first one ends the run under way, and the loop goes on; one soon after is meant for the loop."""
    monkeypatch.setattr(run_module, "AGAIN", 1e6)
    ctrl_c(2.0)
    done = run("rk4")
    assert done.info["status"] == "interrupted"
    ctrl_c(1.0)
    with pytest.raises(KeyboardInterrupt, match="interrupted at t = "):
        for _ in range(20):
            run("rk4")


def test_ctrl_c_can_be_asked_to_raise(ctrl_c):
    ctrl_c(2.0)
    with pytest.raises(KeyboardInterrupt, match="interrupted at t = "):
        run("rk4", on_interrupt="raise")
    with pytest.raises(ValueError, match="on_interrupt is 'stop', expected 'return' or 'raise'"):
        run("rk4", on_interrupt="stop")


def test_a_problem_with_functions_must_be_given_again(tmp_path, ctrl_c):
    """Its file says what is missing; with the problem given, the run goes on."""
    model = lo.Builder("pushed", base="x").body("b", inertia=lo.Inertia.sphere(1.0, 0.1)).build()
    path = tmp_path / "run.h5"

    def problem():
        return lo.Locomotion(model, torques=lambda t, q, v: [np.cos(3 * t) - q[0]])

    problem().simulate(0.1, every=0.1, rtol=1e-11, atol=1e-12)  # kernels are loaded
    expected = problem().simulate(20.0, every=0.1, rtol=1e-11, atol=1e-12)
    ctrl_c(0.3 * expected.t[-1])
    cut = problem().simulate(20.0, every=0.1, rtol=1e-11, atol=1e-12, checkpoint=path)
    assert cut.info["status"] == "interrupted"
    with pytest.raises(
        ValueError,
        match=r"does not hold its problem \(the torques cannot be stored, since they are a Python function\); give it",
    ):
        lo.resume(path)
    assert_same(lo.resume(path, problem=problem()), expected)


def test_a_run_cut_off_before_its_first_checkpoint(tmp_path):
    """There is nothing to go on from: the sentence says so."""
    path = tmp_path / "run.h5"
    from locomote.runs.files.runfile import RunWriter

    writer = RunWriter(path, resume_trials.whip(), info={"method": "adaptive"})
    writer.__exit__()
    with pytest.raises(
        ValueError, match="holds no state to go on from: the run was cut off before its first checkpoint; start it anew"
    ):
        lo.resume(path)


def test_targets_taken_from_the_start_are_those_of_the_first_part(tmp_path, ctrl_c):
    """A contact whose target is where it started, off the neutral place: it stays there when the run goes on."""
    model = lo.Builder("tied", base="free").body("b", inertia=lo.Inertia(1.0, (0.4, 0, 0), np.eye(3) * 0.1)).build()
    problem = lo.Locomotion(
        model, constraints=[lo.PointContact("b", (0.1, 0, 0), name="pin"), lo.Distance("b", None, (1.0, 0, 0), (1, 1, 2))]
    )
    path, options = tmp_path / "run.h5", {"q": [1.0, 2.0, 3.0, 0, 0, 0, 1.0], "every": 0.02, "rtol": 1e-11, "atol": 1e-12}
    problem.simulate(0.1, **options)  # kernels are loaded
    expected = problem.simulate(30.0, **options)
    ctrl_c(0.3 * expected.t[-1])
    cut = problem.simulate(30.0, checkpoint=path, **options)
    assert cut.info["status"] == "interrupted" and len(cut) < len(expected)
    done = lo.resume(path)
    assert_same(done, expected)
    pin = (lo.forward_kinematics(model, model.normalize(done.q))[:, 0] @ [0.1, 0, 0, 1.0])[:, :3]
    assert abs(pin - [1.1, 2.0, 3.0]).max() < 1e-7


# disks


class Full:
    """A disk that is full after some records."""

    def __init__(self, monkeypatch, records, number=errno.ENOSPC):
        self.left, self.append, self.number = records, journal.Journal.append, number
        monkeypatch.setattr(journal.Journal, "append", lambda writer, record: self.write(writer, record))

    def write(self, writer, record):
        self.left -= 1
        if self.left < 0:
            raise OSError(self.number, os.strerror(self.number))
        self.append(writer, record)


def test_a_full_disk_ends_the_run_and_loses_nothing(tmp_path, monkeypatch):
    path = tmp_path / "run.h5"
    Full(monkeypatch, records=3)
    with pytest.raises(
        lo.RunFailed,
        match=r"run\.h5: cannot be written: the disk is full; free some space or write elsewhere; the \d+ samples before are",
    ) as caught:
        run("adaptive", checkpoint=path, checkpoint_interval=0.0)
    monkeypatch.undo()
    stored, kept = lo.open_run(path), caught.value.run
    assert 0 < len(stored) < len(kept) and np.array_equal(kept.q[: len(stored)], stored.q)
    assert kept.info["status"] == "failed"
    kept.save(tmp_path / "elsewhere.h5")
    assert len(lo.open_run(tmp_path / "elsewhere.h5")) == len(kept)


def test_a_run_on_a_full_disk_goes_on_when_there_is_room(tmp_path, monkeypatch, whole):
    path = tmp_path / "run.h5"
    Full(monkeypatch, records=3)
    with pytest.raises(lo.RunFailed):
        run("adaptive", checkpoint=path, checkpoint_interval=0.0)
    monkeypatch.undo()
    assert_same(lo.resume(path), whole("adaptive"))


def test_a_folder_that_may_not_be_written(tmp_path, monkeypatch):
    """Refused at once, before anything is computed."""
    if os.getuid() == 0:
        where = "/proc/run.h5"
    else:
        tmp_path.chmod(0o500)
        where = tmp_path / "run.h5"
    monkeypatch.setattr(run_module, "advance", None)
    with pytest.raises(lo.LocomoteError, match="cannot be written: "):
        run("adaptive", checkpoint=where)
    tmp_path.chmod(0o700)


def test_no_file_to_go_on_with(tmp_path):
    with pytest.raises(lo.LocomoteError, match="cannot be read: there is no such file"):
        lo.resume(tmp_path / "nothing.h5")


def test_events_of_the_user_are_counted_once(whole):
    """The run with events: every crossing and turning, and kicks change the energy by what they say."""
    found = whole("events")
    assert {e.description for e in found.events} == {"crossing is zero", "turning is zero"} and len(EVENTS) == 2
    assert abs(found.audit.balance) < 1e-7


def test_ctrl_c_in_an_event_just_after_an_event(tmp_path):
    """The functions are asked anew where one of them was met; one that is interrupted there leaves no NaN in the file."""
    problem, armed = lo.systems.load("simple_pendulum").problem(), []

    def lowest(t, q, v):
        if armed == ["met"]:
            armed.append("pressed")
            raise KeyboardInterrupt
        return float(q[0])

    def meet(t, q, v):
        armed.extend(["met"] * (not armed))
        return v

    event = lo.When(lowest, then=meet)
    run = problem.simulate(3.0, q=[0.5], events=[event], checkpoint=tmp_path / "run.h5", progress=False)
    assert run.info["status"] == "interrupted" and armed == ["met", "pressed"]
    whole = lo.resume(tmp_path / "run.h5", events=[event])
    assert whole.info["status"] == "finished" and whole.t[-1] == 3.0


def test_the_file_of_a_run_that_begins_with_an_impact_has_all_samples(tmp_path):
    """Also those before and after the impact, at the very start."""
    ball = lo.Builder("ball").body("ball", joint=lo.Joint("base", kind="xyz"), inertia=lo.Inertia.sphere(1.0, 0.1)).build()
    floor = lo.PointContact("ball", point=(0, 0, 0), target=(0, 0, 0), unilateral=True, name="floor")
    path = tmp_path / "run.h5"
    problem = lo.Locomotion(ball, constraints=[floor])
    whole = problem.simulate(0.1, q=[0, 0, 0], v=[0, 0, -1.0], start="project", progress=False, checkpoint=path)
    assert whole.t[0] == whole.t[1] == 0.0 and [event.kind for event in whole.events] == ["impact"]
    stored = lo.open_run(path)
    assert np.array_equal(stored.t, whole.t) and np.array_equal(stored.v, whole.v)
