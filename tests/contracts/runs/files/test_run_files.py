"""Run files: everything comes back, and nothing that was committed is lost, whatever happens to the writer."""

import errno
import io
import json
import math
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
import run_file_trials
import synthetic_runs
from hostile_runs import forge, say
from run_file_trials import SIZE, chunk, faults, problem
from synthetic_runs import Problem

import locomote as lo
from locomote.formats.record import description_to_record
from locomote.runs.files import hdf, journal
from locomote.runs.files.files import RunFileError
from locomote.runs.files.plain import from_text, to_text
from locomote.runs.files.runfile import RunWriter, open_run, save
from locomote.runs.trajectory import Event, Trajectory

ARRAYS = ("t", "q", "v", "a", "tau", "reactions", "kinetic", "potential", "elastic", "residual", "position_residual", "imposed")


def same(one, other):
    """Whether two runs are equal to the last bit."""
    assert one.model == other.model
    for name in ARRAYS:
        assert np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True), name
    assert list(one.work) == list(other.work) and all(np.array_equal(one.work[k], other.work[k]) for k in one.work)
    assert one.constraint_labels == other.constraint_labels
    assert [(e.t, e.kind, e.description) for e in one.events] == [(e.t, e.kind, e.description) for e in other.events]
    return True


def trial(*arguments, prefix=()):
    """The JSON that a program of run_file_trials prints."""
    command = [*prefix, sys.executable, run_file_trials.__file__, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(run_file_trials.__file__).parent)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.h5"


# closed files


@pytest.mark.parametrize("name", synthetic_runs.RUNS)
def test_everything_comes_back(name, path):
    run = synthetic_runs.RUNS[name]()
    run.save(path)
    back = open_run(path)
    assert same(run, back)
    assert run.info.items() <= back.info.items()
    assert back.audit.balance == run.audit.balance and back.summary().splitlines()[1:4] == run.summary().splitlines()[1:4]
    assert os.listdir(path.parent) == ["run.h5"]


def test_versions_and_date_are_kept(path):
    synthetic_runs.still().save(path)
    info = open_run(path).info
    assert {"python", "locomote", "numpy", "numba", "h5py"} <= info["versions"].keys() and info["date"].endswith("+00:00")
    save(open_run(path), path)
    assert open_run(path).info == info


def test_the_state_comes_back_exactly(path):
    run = synthetic_runs.board()
    run.save(path)
    state = open_run(path).state
    assert state.keys() == run.state.keys()
    assert state["step"] == 0.013 and state["count"] == 312 and isinstance(state["count"], int)
    assert np.array_equal(state["q"], run.q[-1]) and state["history"].dtype == run.state["history"].dtype
    assert state["history"].shape == (2, 3)


def test_what_was_tracked_comes_back(path):
    """From a closed file, and from the last record of one that was not."""
    tracked = {"path": np.array([3.25]), "q.max": np.arange(6.0), "v.min": np.array([-np.inf, np.nan, 1, 2, 3, 4])}
    run = replace(synthetic_runs.board(), tracked=tracked)
    run.save(path)
    writer = RunWriter(path.with_name("unclosed.h5"), run.problem)
    writer.append(run.between(0.0, 5.0), state=None, tracked={"path": np.zeros(1)})
    writer.append(run.between(5.001, 12.0), state=run.state, tracked=tracked)
    for name in (path, path.with_name("unclosed.h5")):
        back = open_run(name).tracked
        assert list(back) == list(tracked)
        assert all(np.array_equal(back[key], tracked[key], equal_nan=True) for key in tracked)
    assert open_run(path).state.keys() == run.state.keys()
    writer.close()
    assert list(open_run(path.with_name("unclosed.h5")).tracked) == list(tracked)


def test_a_state_must_be_numbers(path):
    with pytest.raises(ValueError, match="'method' must be numbers, not str: 'rk4'"):
        save(replace(synthetic_runs.still(), state={"method": "rk4"}), path)
    assert not path.exists()


def test_numbers_that_are_not_finite(path):
    run = synthetic_runs.board()
    v = np.array(run.v)
    v[3, 1], v[4, 1], v[5, 1] = np.nan, np.inf, -0.0
    odd = replace(run, v=v, info={"max_step": math.inf, "rate": math.nan, "date": "then"})
    odd.save(path)
    back = open_run(path)
    assert back.v.tobytes() == v.tobytes()
    assert back.info["max_step"] == math.inf and math.isnan(back.info["rate"]) and back.info["date"] == "then"


def test_events_with_arrays_and_objects(path):
    events = [Event(1.0, "impact", "foot lands", {"impulse": np.array([1.0, 1 / 3]), "body": "foot", "case": object})]
    replace(synthetic_runs.board(), events=events).save(path)
    data = open_run(path).events[0].data
    assert data == {"impulse": [1.0, 1 / 3], "body": "foot", "case": "<class 'object'>"}


def test_any_program_can_read_it(path):
    synthetic_runs.board().save(path)
    with h5py.File(path) as file:
        assert file["q"].shape == (401, 6) and file["work/drives"].shape == (401,)
        labels = file["labels/tau"].asstr()[()]
        assert labels[3].tolist() == ["rotor.torque", "N m"]
        assert file["labels/reactions"].asstr()[()].tolist() == [["front.lateral", "N"], ["rear.lateral", "N"]]
        assert json.loads(file["header"].asstr()[()])["model"]["name"] == "board"


def test_a_file_is_replaced_only_when_the_new_one_is_whole(path, monkeypatch):
    synthetic_runs.still().save(path)
    before = path.read_bytes()
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(errno.EIO, "broken")))
    with pytest.raises(RunFileError, match="cannot be written: the disk reports an error"):
        synthetic_runs.board().save(path)
    assert path.read_bytes() == before and os.listdir(path.parent) == ["run.h5"]


def test_what_a_killed_process_left_is_removed(path):
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True)
    left = path.with_name(f".run.h5.{platform.node()}-{gone.stdout.strip()}.draft")
    others = [path.with_name(f".run.h5.{name}.draft") for name in (f"{platform.node()}-{os.getppid()}", "elsewhere-99999999")]
    for name in (left, *others):
        name.write_text("half a file")
    synthetic_runs.still().save(path)
    assert not left.exists() and all(name.exists() for name in others)


def test_links_are_followed(tmp_path):
    (tmp_path / "link.h5").symlink_to(tmp_path / "real.h5")
    synthetic_runs.still().save(tmp_path / "link.h5")
    assert (tmp_path / "link.h5").is_symlink() and open_run(tmp_path / "real.h5").model.name == "pendulum"


# problems


def with_record(record):
    """The board with a problem that says `record` of itself."""
    model = synthetic_runs.board_model()
    return replace(synthetic_runs.board(), problem=Problem(model, labels=synthetic_runs.LABELS, record=record))


def test_the_problem_is_made_again(path):
    run = synthetic_runs.board()
    run.save(path)
    assert open_run(path).problem is None and open_run(path).problem_record == run.problem.record
    back = open_run(path, rebuild=lambda record: Problem(run.model, labels=run.constraint_labels, record=record))
    assert back.problem.record == {"drives": {"rotor": ["Sine", 0.7, 1.0]}}
    assert back.imposed.tolist() == run.imposed.tolist()


def test_a_problem_that_cannot_be_stored_leaves_a_sentence(path):
    sentence = "the torque of joint 'rotor' is a Python function, which a file cannot hold"
    with_record(sentence).save(path)
    back = open_run(path, rebuild=pytest.fail)
    assert back.problem is None and back.problem_missing == sentence
    assert f"problem           not in the file: {sentence}" in back.summary()
    with h5py.File(path) as file:
        assert json.loads(file["header"].asstr()[()])["not stored"] == sentence


def test_a_record_with_a_function_is_not_stored(path):
    with_record({"f": {"g": max}}).save(path)
    assert open_run(path).problem_missing.startswith("['f']['g'] is a builtin_function_or_method, which a file cannot hold")


def test_a_problem_that_cannot_be_made_again_does_not_hide_the_run(path):
    run = synthetic_runs.board()
    run.save(path)

    def rebuild(record):
        raise KeyError("unknown drive")

    back = open_run(path, rebuild)
    assert same(run, back) and back.problem is None and "KeyError: 'unknown drive'" in back.problem_missing
    save(back, path)
    assert open_run(path, lambda record: Problem(run.model, labels=run.constraint_labels, record=record)).problem is not None


# files that are no runs


def other_hdf5(path):
    with h5py.File(path, "w") as file:
        file["x"] = [1, 2, 3]


def newer_hdf5(path):
    synthetic_runs.still().save(path)
    with h5py.File(path, "r+") as file:
        file.attrs["version"] = 4


def newer_journal(path, version=9):
    header = {"header": {"version": version}, "info": {}}
    path.write_bytes(journal.TITLE + journal.packed(header, {}))


def older_journal(path):
    newer_journal(path, version=1)


def damaged_mechanism(path):
    run = synthetic_runs.still()
    run.save(path)
    model = description_to_record(run.model.description)
    model["bodies"][0]["placement"][0][0] = 5.0
    forge(path, say("header", model=model))


def missing_array(path):
    synthetic_runs.still().save(path)
    forge(path, lambda file: file.pop("q"))


@pytest.mark.parametrize(
    "make, sentence",
    [
        (lambda path: None, "cannot be read: there is no such file"),
        (lambda path: path.mkdir(), "cannot be read: it is a folder"),
        (lambda path: path.write_bytes(b""), "this is not a run file of locomote"),
        (lambda path: path.write_text("t,x\n0,1\n"), "this is not a run file of locomote"),
        (lambda path: path.write_bytes(journal.TITLE[:20]), "this is not a run file of locomote"),
        (lambda path: path.write_bytes(journal.TITLE), "not even its first record is whole"),
        (lambda path: path.write_bytes(hdf.MAGIC + bytes(100)), "the file is damaged"),
        (other_hdf5, "an HDF5 file, but not a run of locomote"),
        (newer_hdf5, "a run file of format 4, and this locomote reads format 3; update locomote"),
        (newer_journal, "a run file of format 9, and this locomote reads format 3; update locomote"),
        (older_journal, "a run file of format 1, of a locomote before 0.1; run it again"),
        (damaged_mechanism, "the file is damaged and cannot be read .*placement is not a pose"),
        (missing_array, "the file is damaged and cannot be read .*'q'"),
    ],
)
def test_what_is_no_run_is_refused_in_words(path, make, sentence):
    make(path)
    with pytest.raises(RunFileError, match=sentence) as caught:
        open_run(path)
    assert caught.value.path == str(path) and isinstance(caught.value, lo.LocomoteError)


def test_cut_files_are_refused_in_words(path):
    synthetic_runs.still().save(path)
    whole = path.read_bytes()
    for size in np.linspace(0, len(whole) - 1, 60).astype(int):
        path.write_bytes(whole[:size])
        with pytest.raises(RunFileError):
            open_run(path)


def test_nothing_in_a_file_is_run_as_code():
    """No pickle, no eval: neither the code nor what it writes."""
    folder = Path(hdf.__file__).parent
    for path in (*folder.glob("*.py"), folder.parent / "export.py", folder.parent / "checkpoints.py"):
        text = path.read_text()
        assert "pickle" not in text.lower() and "eval(" not in text and "allow_pickle" not in text


# folders and disks


@pytest.mark.parametrize(
    "where, sentence",
    [
        ("nowhere/run.h5", "its folder does not exist; make it first"),
        ("file/run.h5", "its folder is not a folder"),
        ("folder", "it is a folder; give the name of a file in it"),
        ("x" * 300 + ".h5", "the name is too long"),
    ],
)
def test_where_nothing_can_be_written(tmp_path, where, sentence):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    for action in (synthetic_runs.still().save, synthetic_runs.still().to_csv, lambda path: RunWriter(path, problem())):
        with pytest.raises(RunFileError, match=sentence):
            action(tmp_path / where)


def test_what_is_no_path():
    with pytest.raises(RunFileError, match="this is not the path of a file"):
        synthetic_runs.still().save(3.5)


def test_a_folder_that_may_not_be_written(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "run.h5").write_text("")
    (closed / "run.h5").chmod(0)
    closed.chmod(0o555)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_mode & 0o005 != 0o005 and os.getuid() == 0 and "pytest" in str(folder):
            folder.chmod(0o755)
    said = trial("forbidden", closed)["sentences"]
    assert all("cannot be written: you may not write there; choose another folder" in sentence for sentence in said[:3])
    assert "cannot be read: you may not read it" in said[3]
    assert os.listdir(closed) == ["run.h5"]


def check_full(found, word):
    assert word in found["saving"] and found["name"] == "pendulum" and found["left"] == ["small.h5"]
    assert word in found["sentence"] and f"the {found['committed']} samples before are safe in it" in found["sentence"]
    assert found["read"] == found["committed"] == SIZE * found["chunk"] > 0 and found["faults"] == []
    assert word in found["closing"]
    assert found["read after closing"] == found["read"] and found["faults after closing"] == []


def test_a_file_that_may_not_grow(tmp_path):
    """The limit on the size of files fails writes as a full disk does, and every system has it."""
    check_full(trial("limited", tmp_path, 40_000), "the file would be larger than the system allows")


def test_a_disk_that_is_full(tmp_path):
    inside = f"mount -t tmpfs -o size=256k none '{tmp_path}' && exec \"$@\""
    prefix = ("unshare", "--map-root-user", "--mount", "sh", "-c", inside, "sh")
    if not shutil.which("unshare") or subprocess.run([*prefix, "true"], capture_output=True).returncode:
        pytest.skip("no small disk can be made here")
    check_full(trial("full", tmp_path, prefix=prefix), "the disk is full; free some space or write elsewhere")


class Refusing(io.RawIOBase):
    """A stream that refuses to grow beyond some bytes, as a full disk does."""

    def __init__(self, room):
        self.room, self.content = room, io.BytesIO()

    def write(self, data):
        if self.content.tell() + len(data) > self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self.content.write(data)

    def truncate(self, size=None):
        return self.content.truncate(size)

    def seek(self, *place):
        return self.content.seek(*place)

    def tell(self):
        return self.content.tell()

    def readinto(self, buffer):
        return self.content.readinto(buffer)

    def flush(self):
        pass


@pytest.mark.parametrize("room", [0, 10, 500, 3000, 20_000])
def test_hdf5_closes_whatever_the_disk_does(room):
    guarded = hdf.Forgiving(Refusing(room))
    with h5py.File(guarded, "w") as file:
        for k in range(20):
            file[f"x{k}"] = np.arange(1000.0)
    assert guarded.fault.errno == errno.ENOSPC


# runs that go on


def written(path, count, *, closed=True, **options):
    writer = RunWriter(path, problem(), info={"method": "rk4", "step": 0.1, "status": "running"}, **options)
    for n in range(count):
        _, samples, state = chunk(n)
        writer.append(samples, state=state, events=[Event(float(n), "chunk", f"chunk {n}")])
        assert writer.committed == (n + 1) * SIZE
    if closed:
        writer.close(info={"status": "finished", "steps": 12})
    return writer


def test_a_run_written_in_chunks_is_the_run(path):
    written(path, 4)
    assert h5py.is_hdf5(path)
    run = open_run(path)
    assert len(run) == 4 * SIZE and faults(run) == []
    assert run.info["status"] == "finished" and run.info["method"] == "rk4" and run.info["steps"] == 12
    assert [event.description for event in run.events] == [f"chunk {n}" for n in range(4)]
    assert run.problem_record == {"speed": 0.1} and not run.problem_missing


def test_a_run_that_was_not_closed_opens(path):
    for count in (0, 1, 3):
        written(path, count, closed=False)
        run = open_run(path)
        assert len(run) == count * SIZE and faults(run) == []
        assert run.info["status"] == "interrupted" and run.info["method"] == "rk4"
        assert "was not closed" in run.info["message"] and run.problem_record == {"speed": 0.1}
        assert run.model == synthetic_runs.board_model()
    run.save(path)
    assert h5py.is_hdf5(path) and same(run, open_run(path))


def test_a_run_can_be_looked_at_while_it_goes_on(path):
    writer = RunWriter(path, problem())
    for n in range(3):
        assert len(open_run(path)) == n * SIZE
        _, samples, state = chunk(n)
        writer.append(samples, state=state)
    writer.close()
    assert len(open_run(path)) == 3 * SIZE


def test_a_run_goes_on(path):
    """Both from a closed file and from one that was not: the same as in one go."""
    written(path, 6)
    whole = open_run(path)
    for closed in (True, False):
        written(path, 2, closed=closed)
        earlier = open_run(path)
        writer = RunWriter(path, problem(), info={"resumed": True}, earlier=earlier)
        assert writer.committed == 2 * SIZE and same(open_run(path), earlier)
        for n in range(2, 6):
            _, samples, state = chunk(n)
            writer.append(samples, state=state, events=[Event(float(n), "chunk", f"chunk {n}")])
        writer.close()
        run = open_run(path)
        assert same(run, whole) and run.state["chunk"] == 5
        assert run.info["resumed"] and run.info["method"] == "rk4" and run.info["status"] == "finished"


def test_a_trajectory_can_be_appended(path):
    run = synthetic_runs.board()
    writer = RunWriter(path, run.problem)
    writer.append(run.between(0.0, 5.0), state=None)
    writer.append(run.between(5.001, 12.0), state=run.state, events=run.events)
    writer.close(info=run.info)
    assert same(open_run(path), run) and open_run(path).state["step"] == 0.013


def test_the_writer_lets_go_of_the_file(path):
    with RunWriter(path, problem()) as writer:
        writer.append(chunk(0)[1], state=chunk(0)[2])
    assert open_run(path).info["status"] == "interrupted" and len(open_run(path)) == SIZE
    with pytest.raises(ValueError), RunWriter(path, problem()) as writer:
        writer.append(chunk(0)[1], state=chunk(0)[2])
        raise ValueError("the run failed")
    assert len(open_run(path)) == SIZE
    with RunWriter(path, problem()) as writer:
        writer.append(chunk(0)[1], state=chunk(0)[2])
        writer.close()
    assert open_run(path).info["status"] == "finished"


def test_wrong_samples_are_refused_and_leave_the_file_as_it_was(path):
    writer = RunWriter(path, problem())
    _, samples, state = chunk(3)
    writer.append(samples, state=state)
    wrong = {
        r"q has shape \(20, 5\), expected \(20, 6\)": samples | {"q": samples["q"][:, :5]},
        "cannot follow those up to t = 79 s": chunk(0)[1],
        r"work must have the sources \['drives'\] as before, not \[\]": {k: v for k, v in chunk(4)[1].items() if k != "work"},
    }
    for sentence, given in wrong.items():
        with pytest.raises(ValueError, match=sentence):
            writer.append(given, state={})
    with pytest.raises(ValueError, match="'state/q' must be numbers"):
        writer.append(chunk(4)[1], state={"q": "no"})
    writer.append(chunk(4)[1], state=chunk(4)[2])
    writer.close()
    assert len(open_run(path)) == 2 * SIZE


def test_an_interrupted_append_leaves_what_was_committed(path, monkeypatch):
    """Ctrl-C or an error of the disk in the middle of a write, and then on as if nothing had been."""
    writer = written(path, 2, closed=False)
    for error in (KeyboardInterrupt(), OSError(errno.ENOSPC, "full")):

        def half(descriptor, error=error):
            raise error

        monkeypatch.setattr(journal, "sync", half)
        with pytest.raises((KeyboardInterrupt, RunFileError)):
            writer.append(chunk(2)[1], state=chunk(2)[2])
        assert len(open_run(path)) == 2 * SIZE and faults(open_run(path)) == []
        monkeypatch.undo()
    for n in (2, 3):
        writer.append(chunk(n)[1], state=chunk(n)[2])
    writer.close()
    assert len(open_run(path)) == 4 * SIZE and faults(open_run(path)) == []


def test_without_room_for_hdf5_the_journal_stays(path, monkeypatch):
    writer = written(path, 3, closed=False)
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")))
    with pytest.warns(RuntimeWarning, match="the disk is full.*all 60 samples are safe in this file and open_run reads it"):
        writer.close(info={"status": "finished"})
    monkeypatch.undo()
    run = open_run(path)
    assert not h5py.is_hdf5(path) and faults(run) == [] and run.info["status"] == "finished"


def test_a_journal_cut_anywhere_opens(path):
    """As after a failure of power: whatever part of the last records reached the disk."""
    written(path, 3, closed=False)
    whole = path.read_bytes()
    with open(path, "rb") as stream:
        first = journal.records(stream)[0][0]
    head = len(journal.TITLE) + len(journal.packed(first.values, first.arrays))
    seen = set()
    for size in np.unique(np.linspace(head, len(whole), 150).astype(int)):
        path.write_bytes(whole[:size])
        run = open_run(path)
        assert faults(run) == []
        seen.add(len(run))
    assert seen == {0, SIZE, 2 * SIZE, 3 * SIZE}


def test_a_journal_with_a_wrong_byte_opens_up_to_there(path):
    written(path, 3, closed=False)
    whole = bytearray(path.read_bytes())
    rng = np.random.default_rng(2)
    for place in rng.integers(len(whole) // 2, len(whole), 60):
        changed = whole.copy()
        changed[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(changed)
        run = open_run(path)
        assert faults(run) == [] and len(run) < 3 * SIZE and "left out" in run.info["message"]
    path.write_bytes(whole + bytes(1000))  # as some file systems leave it after a failure of power
    assert len(open_run(path)) == 3 * SIZE


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
def test_killed_at_any_moment(tmp_path):
    """Really killed, many times: while it makes the file, appends, closes, or starts again from a closed file."""
    found = trial("kills", tmp_path, 120)
    for one in found["trials"]:
        assert one["faults"] == [] and one["read"] >= one["safe"], one
    assert found["kinds"]["HDF5"] + found["kinds"]["journal"] > 5, found["kinds"]  # how many of each, the machine decides
    assert max(one["read"] for one in found["trials"]) > 0


# plain text


@pytest.mark.parametrize(
    "value", [None, True, 3, 0.1, -0.0, 1e-320, math.inf, "text", [1, [2.5, "x"]], {"a": {"b": [1]}}, {"float": 3}]
)
def test_plain_values_come_back(value):
    assert repr(from_text(to_text(value))) == repr(value)


def test_arrays_and_tuples_come_back_as_lists():
    value = {"a": np.array([[1.0, math.inf], [3.0, 4.0]]), "t": (1, np.float64(0.1), np.int64(3), np.bool_(True))}
    assert from_text(to_text(value)) == {"a": [[1.0, math.inf], [3.0, 4.0]], "t": [1, 0.1, 3, True]}


def test_a_run_without_samples_is_kept(path):
    still = synthetic_runs.still()
    empty = Trajectory(
        model=still.model, **{name: getattr(still, name)[:0] for name in "t q v a tau kinetic potential".split()}
    )
    empty.save(path)
    assert len(open_run(path)) == 0 and open_run(path).q.shape == (0, 1)
