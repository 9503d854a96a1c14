"""States in run files that compiled code could not go on from: refused before anything runs."""

import json

import h5py
import numpy as np
import pytest
import resume_trials
from hostile_runs import both, forge, put, put_at, say

import locomote as lo
from locomote.constraints import columns as col
from locomote.methods import state as at
from locomote.runs import amounts
from locomote.runs.files.files import RunFileError
from locomote.runs.runner import Runner

LONGER = {"first": 0.0, "last": 1.0, "count": 51}
MAKE = {
    "adaptive": lambda: resume_trials.whip().simulate(0.5, every=0.02),
    "rk4": lambda: resume_trials.whip().simulate(0.5, every=0.02, method="rk4", step=2e-3),
    "contact": lambda: resume_trials.ball().simulate(0.5, every=0.02, q=[0, 0, 1.0], v=[0.1, 0, 0], max_step=1e-3),
    "targets": lambda: tied().simulate(0.5, every=0.02, q=[1.0, 2.0, 3.0, 0, 0, 0, 1.0]),
}


def tied():
    """A body whose places of contact and length are those of the start."""
    model = lo.Builder("tied", base="free").body("b", inertia=lo.Inertia(1.0, (0.4, 0, 0), np.eye(3) * 0.1)).build()
    return lo.Locomotion(
        model, constraints=[lo.PointContact("b", (0.1, 0, 0), name="pin"), lo.Distance("b", None, (1.0, 0, 0), (1, 1, 2))]
    )


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """Files of runs that stopped half-way, each made when it is first asked for."""
    folder, kept = tmp_path_factory.mktemp("good"), {}

    def of(name):
        if name not in kept:
            MAKE[name]().save(folder / name)
            forge(folder / name, say("info", status="interrupted", samples=LONGER))
            kept[name] = (folder / name).read_bytes()
        return kept[name]

    return of


@pytest.mark.parametrize("name", MAKE)
def test_without_a_change_they_go_on(good, tmp_path, name):
    path = tmp_path / "run.h5"
    path.write_bytes(good(name))
    run = lo.resume(path, progress=False)
    assert run.info["status"] == "finished" and run.audit.ok and np.isfinite(run.q).all()
    hits = sum(event.kind == "impact" for event in run.events)
    assert len(run) == 51 + 2 * hits and np.isclose(np.unique(run.t)[:, None], np.linspace(0, 1, 51)).any(axis=0).all()


def numbers(place, value):
    return put_at("state/numbers", place, value)


def as_kind(name, kind):
    return lambda file: put(f"state/{name}", file[f"state/{name}"][()].astype(kind))(file)


CLOCK = [
    (place, value)
    for place, values in {
        at.TIME: (-1.0, 0.3, 0.53, 2.0, 1e300),
        at.STEP: (0.0, -0.0, -1e-3, 1e301),
        at.ERROR: (-1.0, 1e7),
        at.LIMIT: (0.0, -1.0, 1e301),
        at.TYPICAL: (-1.0, 1e301),
    }.items()
    for value in (*values, np.nan, np.inf, -np.inf)
]
COUNTS = [
    (place, value)
    for place, values in {
        at.STEPS: (-1, 2**62),
        at.REJECTED: (-1,),
        at.EVALUATIONS: (-1,),
        at.RANK: (-2, 3, 10**9),
        at.NEXT: (-5, -(10**6), -(2**40), 0, 25, 27, 51, 52, 10**9),
        at.FILLED: (-5, -(10**6), -(2**40), 0, 25, 27, 51, 10**9),
        at.FRESH: (-1, 2),
    }.items()
    for value in values
]
ARRAYS = ("clock", "counts", "q", "v", "done", "g", "peaks", "active", "numbers", "wall")
STATES = {
    "adaptive": [
        *(put_at("state/clock", *change) for change in CLOCK),
        *(put_at("state/counts", *change) for change in COUNTS),
        *(put_at(f"state/{name}", 0, value) for name in ("q", "v", "done") for value in (np.nan, np.inf)),
        *(put(f"state/{name}", np.zeros(100)) for name in ARRAYS),
        *(put(f"state/{name}", 3) for name in ARRAYS[:-1]),
        *(lambda file, name=name: file.pop(f"state/{name}") for name in ARRAYS),
        *(as_kind(name, "f4") for name in ("counts", "active")),
        *(as_kind(name, "i8") for name in ("q", "done")),
        *(put_at("state/peaks", (row, 0), value) for row, value in ((0, -1e9), (0, np.nan), (2, 1e9), (1, 7.0), (3, -1.0))),
        put("state/wall", -1.0),
        put("state/wall", np.nan),
        put("state/more", 1.0),
        *(put_at("state/active", 0, value) for value in (0, 2, -1)),
        *(numbers((0, k), value) for k in (0, col.FRAME_A, col.FRAME_A + 9, col.LENGTH) for value in (7.0, np.nan)),
    ],
    "contact": [
        *(put_at("state/active", 0, value) for value in (2, -1, 10**12)),
        *(put_at("state/g", 0, value) for value in (np.nan, np.inf)),
        *(numbers((0, k), 7.0) for k in range(col.NUMBERS) if not col.FRAME_A + 9 <= k < col.FRAME_A + 12),
        *(numbers((0, col.FRAME_A + 9), value) for value in (np.nan, -np.inf)),
    ],
    "targets": [
        numbers((0, col.FRAME_A), 7.0), numbers((0, col.FRAME_A + 9), np.nan), numbers((1, col.LENGTH), -1.0),
        numbers((1, col.LENGTH), 0.0), numbers((1, col.FRAME_A + 9), 3.0), put_at("state/active", 1, 0),
    ],
}  # fmt: skip


@pytest.fixture
def refused(good, tmp_path, monkeypatch):
    """Refuse to run at all, and see what going on with a changed file says."""

    def check(name, edit, sentence, **options):
        path = tmp_path / "run.h5"
        monkeypatch.undo()
        path.write_bytes(good(name))
        monkeypatch.setattr(Runner, "whole", lambda *_: pytest.fail("it ran"))
        forge(path, edit)
        with pytest.raises(RunFileError, match=sentence):
            lo.resume(path, **options)

    return check


@pytest.mark.parametrize("name", STATES)
def test_wrong_states(refused, name):
    for edit in STATES[name]:
        refused(name, edit, "the run cannot go on from the state in the file: ")


def test_steps_of_fixed_methods_are_not_read(good, tmp_path):
    """They follow from the options, so that one that is zero does no harm."""
    path = tmp_path / "run.h5"
    path.write_bytes(good("rk4"))
    forge(path, put_at("state/clock", at.STEP, 0.0))
    run = lo.resume(path, progress=False)
    path.write_bytes(good("rk4"))
    assert np.array_equal(run.q, lo.resume(path, progress=False).q)


def shifted(file):
    """Samples are said to be where the run takes none."""
    put("t", np.linspace(0.0, 0.4, 26))(file)


def test_wrong_samples(refused):
    refused("adaptive", shifted, "the next sample is number 26, which does not fit the samples in the file")
    refused("adaptive", put_at("q", (0, 0), np.nan), "the run cannot go on from the samples in the file: q")
    refused("adaptive", say("info", samples={"first": 0.0, "last": 1.0, "count": 20}), "the run cannot go on from the state")
    refused("adaptive", say("info", samples={"times": [0.0, 0.5]}), "the run cannot go on from the state")


@pytest.mark.parametrize(
    "said, sentence",
    [
        ({"samples": {"first": 0.0, "last": 1.0, "count": 2**40}}, "its samples are 1.1e.12, which takes .* GB of memory"),
        ({"samples": {"first": 0.0, "last": 0.0, "count": 9}}, "the times of its samples do not increase"),
        ({"samples": {"first": -1.0, "last": 1.0, "count": 51}}, "the times of its samples do not increase from its start on"),
        ({"samples": LONGER | {"spacing": 1e-300}}, "the least distance of its samples is 1e-300 s, .* would not end"),
        ({"samples": {"times": []}}, "the times of its samples do not increase"),
        ({"method": "magic"}, "unknown method 'magic'"),
        ({"singular": "pass"}, "singular is 'pass'"),
        ({"rtol": -1.0}, "rtol is -1.0, expected a positive number"),
        ({"max_step": 1e-200}, "max_step is 1e-200 s, of which 1 s have 1e.200: that would not end"),
        ({"method": "rk4", "step": 1e-300}, "step is 1e-300 s, of which 1 s have 1e.300: that would not end"),
        ({"method": "rk4", "step": -1.0}, "step is -1.0, expected a positive number of seconds"),
    ],
)
def test_wrong_options(refused, said, sentence):
    refused("adaptive", say("info", **said), f"the run cannot go on as the file says: .*{sentence}")


@pytest.mark.parametrize("name", ["method", "rtol", "samples", "t0", "events", "projection"])
def test_what_is_needed_must_be_there(refused, name):
    def edit(file):
        said = json.loads(file["info"].asstr()[()])
        del said[name]
        put("info", json.dumps(said))(file)

    refused("adaptive", edit, f"it does not say {name!r}, without which the run cannot go on")


def test_another_problem_is_refused(refused):
    refused("adaptive", lambda file: None, "the run in it is not one of 'ball': coordinates are", problem=resume_trials.ball())
    whip = resume_trials.whip()
    free = lo.Locomotion(whip.model, drives=whip.drives, constraints=whip.constraints[:1])
    refused("adaptive", lambda file: None, "the run in it is not one of 'whip': constraints are", problem=free)
    undriven = lo.Locomotion(whip.model, constraints=whip.constraints)
    refused("adaptive", lambda file: None, "imposed coordinates are", problem=undriven)


def test_several_faults_at_once(refused):
    edit = both(put_at("state/counts", at.NEXT, -5), put_at("state/clock", at.STEP, 0.0))
    refused("adaptive", edit, "the step is 0.0, it must be positive")


def test_a_state_of_a_journal_is_checked_too(good, tmp_path, monkeypatch):
    """The same rules, whatever the file is."""
    from locomote.runs.files.runfile import RunWriter, open_run

    path = tmp_path / "run.h5"
    path.write_bytes(good("adaptive"))
    run = open_run(path)
    counts = run.state["counts"].copy()
    counts[at.NEXT] = -(10**6)
    with RunWriter(path, resume_trials.whip(), info=run.info) as writer:
        writer.append(run, state=dict(run.state) | {"counts": counts})
    assert not h5py.is_hdf5(path)
    monkeypatch.setattr(Runner, "whole", lambda *_: pytest.fail("it ran"))
    with pytest.raises(RunFileError, match="the next sample is number -1000000, which does not fit the samples in the file"):
        lo.resume(path)


# amounts


@pytest.mark.parametrize("count", [10**13, 10**18, 10**301])
def test_more_samples_than_memory(count):
    with pytest.raises(ValueError, match=r"its samples are .*, which takes .* GB of memory; .* GB are free\. Run"):
        amounts.check_fits(count, 512, "its samples", "Run it on a larger machine")


@pytest.mark.parametrize("every", [1e-12, 1e-300, 5e-324])
def test_a_run_of_more_samples_than_anyone_reads(every):
    with pytest.raises(ValueError, match="samples in 10 s, more than 1e"):
        lo.systems.load("simple_pendulum").problem().simulate(10.0, every=every, progress=False)


def test_memory_is_what_decides(monkeypatch):
    monkeypatch.setattr(amounts, "available_memory", lambda: 512 * 101)
    amounts.check_fits(101, 512, "its samples", "Run it on a larger machine")
    with pytest.raises(ValueError, match="its samples are 102, which takes 5.22e-05 GB of memory; 5.17e-05 GB"):
        amounts.check_fits(102, 512, "its samples", "Run it on a larger machine")


def test_the_system_says_how_much_memory_there_is():
    assert 2**20 < amounts.available_memory() < 2**60
