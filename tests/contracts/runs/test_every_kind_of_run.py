"""What holds for runs of every kind: no field is lost in parts, joined runs and files, and a run that was cut off anywhere goes
on bit for bit."""

import re
import shutil

import numpy as np
import pytest
from places import DOCS
from run_kinds import KINDS, WITH_FUNCTIONS

import locomote as lo
from locomote.methods import state as at
from locomote.methods.recorded import ARRAYS, ASKED, FIELDS, TABLES, names_in_files
from locomote.runs import runner as run_module
from locomote.runs.asked import apart
from locomote.runs.files.runfile import RunWriter
from locomote.runs.running import Running

RUNS = DOCS / "runs.md"


@pytest.fixture(scope="module")
def run_of():
    """The run of a kind, once for all tests."""
    kept = {}

    def of(name):
        if name not in kept:
            problem, options = KINDS[name]()
            kept[name] = problem.simulate(progress=False, **options)
        return kept[name]

    return of


def ask_all(run):
    """Ask for all fields that are computed when they are asked for; those of them that this run cannot have say why."""
    for field in ASKED:
        try:
            values = getattr(run, field.name)
        except lo.LocomoteError as refusal:
            assert re.search(r"cannot be computed: [a-z].{20}", str(refusal))
        else:
            shape = field.shape_for({"bodies": len(run.model.body_names)})
            assert values.shape == (len(run), *shape) and np.isfinite(values).all() and not values.flags.writeable


def assert_same(one, two):
    """All arrays of two runs, bit for bit, and what happened."""
    ours, theirs = names_in_files(one), names_in_files(two)
    assert list(ours) == list(theirs)
    for name, values in ours.items():
        assert np.array_equal(values, theirs[name]), name
    assert [(e.t, e.description) for e in one.events] == [(e.t, e.description) for e in two.events]
    assert one.info["steps"] == two.info["steps"]


@pytest.mark.parametrize("name", KINDS)
def test_parts_and_joined_runs_have_all_fields(name, run_of):
    """Every field with one row a sample, whether the table of fields knows it or not."""
    run, fields = apart(run_of(name)), {field.name: field for field in (*FIELDS, *ASKED)}
    ask_all(run)
    middle = len(run) // 2
    start, end = run.part(slice(0, middle + 1)), run.part(slice(middle, len(run)))
    whole = lo.join([start, end])
    for attribute in (x for x in vars(run) if not x.startswith("_")):
        values = getattr(run, attribute)
        tables = values if attribute in TABLES else {"": values}
        for key, array in tables.items():
            if isinstance(array, np.ndarray) and array.shape[:1] == (len(run),) and attribute != "imposed":
                assert attribute in fields, f"{attribute} has one row a sample and is not in the table of fields"
                parts = [getattr(x, attribute)[key] if key else getattr(x, attribute) for x in (start, end, whole)]
                assert np.array_equal(parts[0], array[: middle + 1]) and np.array_equal(parts[1], array[middle:])
                close = 1e-12 * abs(array).max(initial=1.0) if fields[attribute].adds else 0.0
                assert parts[2].shape == array.shape and abs(parts[2] - array).max(initial=0.0) <= close, attribute
    between = run.between(run.t[0], run.t[middle - 1])
    assert between.channels == start.channels == whole.channels == run.channels
    for channel in run.channels:
        assert between[channel.name].shape == between.t.shape
        assert whole[channel.name] == pytest.approx(run[channel.name], abs=1e-9), channel.name


@pytest.mark.parametrize("name", KINDS)
def test_a_saved_run_has_all_channels(name, run_of, tmp_path):
    """Also where the problem holds functions and is not in the file."""
    run = apart(run_of(name))
    ask_all(run)
    assert all(np.isfinite(array).all() for array in names_in_files(run).values())
    run.save(tmp_path / "run.h5")
    opened = lo.open_run(tmp_path / "run.h5")
    assert_same(opened, run)
    assert opened.channels == run.channels
    for channel in run.channels:
        assert np.array_equal(opened[channel.name], run[channel.name]), channel.name
    assert (opened.problem is None) == (name in WITH_FUNCTIONS) == ("function" in opened.problem_missing), (
        opened.problem_missing
    )
    if opened.problem is not None:
        again = opened.problem.evaluate(run.t[3], run.q[3], run.v[3])
        assert np.array_equal(again.a, run.problem.evaluate(run.t[3], run.q[3], run.v[3]).a)


@pytest.mark.parametrize("name", KINDS)
def test_a_run_goes_on_from_any_checkpoint_bit_for_bit(name, run_of, tmp_path, monkeypatch):
    """As the process leaves the file if it is killed after any of them; here after 1, 3, 7, ... steps."""
    files, begin, append = [], Running.__init__, RunWriter.append

    def begun(self, *args, **options):
        begin(self, *args, **options)
        self.state.choices[at.BUDGET] = 1

    def kept(self, *args, **options):
        append(self, *args, **options)
        files.append(shutil.copy(self.path, tmp_path / f"{len(files)}.h5"))

    problem, options = KINDS[name]()
    with monkeypatch.context() as patch:
        patch.setattr(Running, "__init__", begun)
        patch.setattr(RunWriter, "append", kept)
        problem.simulate(progress=False, checkpoint=tmp_path / "run.h5", checkpoint_interval=0.0, **options)
    assert len(files) >= 3
    for path in files:
        problem, options = KINDS[name]()
        again = lo.resume(path, problem=problem, events=options.get("events", ()), progress=False)
        assert_same(again, run_of(name))


class Broken:
    """An event that never happens, whose function is broken off when it is called for the n-th time."""

    __name__ = "broken"

    def __init__(self, n=None, fault=KeyboardInterrupt):
        self.left, self.fault = n, fault

    def __call__(self, t, q, v):
        if self.left is not None:
            self.left -= 1
            if self.left == 0:
                raise self.fault("here")
        return 1.0 + t


@pytest.mark.parametrize("fault", [KeyboardInterrupt, OSError])
@pytest.mark.parametrize("name", KINDS)
def test_a_step_that_a_function_breaks_off_is_as_if_it_had_not_begun(name, fault, tmp_path, monkeypatch):
    """The run ends with what was there before that step, and goes on from it bit for bit."""
    path, counting = tmp_path / "run.h5", Broken(10**9)
    problem, options = KINDS[name]()
    events = list(options.pop("events", ()))
    whole = problem.simulate(progress=False, events=[*events, counting], **options)
    calls = 10**9 - counting.left
    for part in (0.0, 0.3, 0.7):
        monkeypatch.setattr(run_module, "_interrupted", [-np.inf])
        problem = KINDS[name]()[0]
        broken = Broken(2 + int(part * calls), fault)
        try:
            cut = problem.simulate(progress=False, events=[*events, broken], checkpoint=path, **options)
        except lo.RunFailed as failed:
            cut = failed.run
        assert cut.info["status"] == ("interrupted" if fault is KeyboardInterrupt else "failed")
        assert all(np.isfinite(array).all() for array in names_in_files(cut).values())
        again = lo.resume(path, problem=KINDS[name]()[0], events=[*events, Broken()], progress=False)
        assert_same(again, whole)


def test_a_film_of_a_run_that_ends_without_numbers(run_of):
    """What is not finite at the end is left out, whatever forces and contacts there are."""
    from dataclasses import replace

    from locomote.view.frames import shown

    for name in ("water", "touch", "rod with a tendon"):
        run = run_of(name)
        q = run.q.copy()
        q[len(run) // 2 :] = np.nan
        part = shown(replace(run, q=q))
        assert len(part) == len(run) // 2 and part.channels == run.channels
        assert np.array_equal(part.contact_forces, run.contact_forces[: len(part)])


def test_what_is_asked_for_is_listed_from_then_on(run_of):
    """Not before, so that tables of those who do not ask have nothing more; names give it anyway."""
    fresh = apart(run_of("loop"))
    before = fresh.channels
    assert not any("joint force" in channel.name for channel in before)
    force = fresh["l2.joint force x"]
    assert fresh.unit("l2.joint force x") == "N" and fresh.unit("l2.joint moment z") == "N m"
    assert np.array_equal(force, fresh.joint_wrenches[:, 2, 0])
    assert fresh.channels[: len(before)] == before and len(fresh.channels) == len(before) + 6 * 3
    assert np.array_equal(fresh.to_dict()["l2.joint force x"], force)


def test_work_of_actuators_is_not_that_of_the_environment(run_of):
    work = run_of("rod with a tendon").work
    assert abs(work["actuators"]).max() > 0 and not work["environment"].any()
    pushed = run_of("rod with a python environment").work
    assert abs(pushed["environment"]).max() > 0 and not pushed["actuators"].any()


def test_the_docs_list_all_fields():
    """The page about runs, and the docstring of a Trajectory."""
    table = "".join(re.findall(r"^\|.*$", RUNS.read_text(), re.MULTILINE))
    for name in (*ARRAYS, *TABLES, *(field.name for field in ASKED)):
        assert f"`{name}`" in table, f"docs/runs.md does not list {name}"
    for name in (*ARRAYS, *TABLES):
        assert re.search(rf"\b{name}\b", run_module.Trajectory.__doc__), name
    assert all(getattr(lo.Trajectory, field.name).__doc__ for field in ASKED)
