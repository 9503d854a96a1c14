"""What becomes of damaged run files: `python damaged_runs.py FOLDER COUNT SEED` prints how many open as what."""

import json
import sys
from pathlib import Path

import numpy as np
import synthetic_runs
from run_file_trials import chunk, problem

from locomote.runs.files.files import RunFileError
from locomote.runs.files.hdf_contents import ARRAYS
from locomote.runs.files.runfile import RunWriter, open_run
from locomote.runs.trajectory import Event


def damaged(whole: bytes, rng) -> bytes:
    """A copy with one to three bytes changed (7 of 10), cut off (1 of 10), or with two blocks exchanged (2 of 10)."""
    content, kind = bytearray(whole), rng.integers(10)
    if kind < 7:
        for place in rng.integers(len(content), size=rng.integers(1, 4)):
            content[place] = rng.integers(256)
    elif kind < 8:
        del content[rng.integers(len(content)) :]
    else:
        size = int(rng.choice([16, 64, 512]))
        one, two = sorted(int(x) for x in rng.integers(len(content) - size, size=2))
        if two - one >= size:
            content[one : one + size], content[two : two + size] = content[two : two + size], content[one : one + size]
    return bytes(content)


def write(path, kind: str) -> None:
    """A run of 400 samples with events and a state, as HDF5 or as a journal of three records and one that closes it."""
    if kind == "HDF5":
        synthetic_runs.board().save(path)
        return
    with RunWriter(path, problem(), info={"method": "none"}) as writer:
        for n in range(20):
            writer.append(chunk(n)[1], state=chunk(n)[2], events=[Event(20.0 * n, "chunk", f"chunk {n}", {"n": n})])


def outcomes(folder, kind: str, *, count: int, seed: int) -> dict[str, int]:
    """How many damaged files are refused, or open as the same run, its beginning (and say so), or another run."""
    path = Path(folder) / "run.h5"
    write(path, kind)
    original, whole, rng = open_run(path), path.read_bytes(), np.random.default_rng(seed)
    found = {"refused": 0, "same": 0, "beginning": 0, "another": 0}
    while sum(found.values()) < count:
        content = damaged(whole, rng)
        if content == whole:
            continue
        path.write_bytes(content)
        try:
            found[likeness(open_run(path), original)] += 1
        except RunFileError:
            found["refused"] += 1
    return found


def likeness(run, original) -> str:
    """Whether a run is another one, the beginning of the original, or the same in all that a file says."""
    count, events = len(run), len(run.events)
    sources = list(original.work) if count else []
    for ours, theirs in [
        *((getattr(run, name), getattr(original, name)) for name in ARRAYS),
        *((run.work.get(name), original.work[name]) for name in sources),
    ]:
        if ours is None or ours.tobytes() != theirs[:count].tobytes():
            return "another"
    same = (
        run.model == original.model
        and all(
            one.t == two.t and str(one) == str(two) and one.data == two.data
            for one, two in zip(run.events, original.events, strict=False)
        )
        and events <= len(original.events)
        and run.constraint_labels == original.constraint_labels
        and run.imposed.tolist() == original.imposed.tolist()
        and run.problem_record == original.problem_record
        and all(run.info[name] == value for name, value in original.info.items() if name != "message")
    )
    if not same:
        return "another"
    if count < len(original) or events < len(original.events):
        return "beginning" if "left out" in run.info["message"] or "not closed" in run.info["message"] else "another"
    state = {name: np.asarray(value).tobytes() for name, value in run.state.items()}
    return "same" if state == {name: np.asarray(value).tobytes() for name, value in original.state.items()} else "another"


if __name__ == "__main__":
    where, number, start = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    print(json.dumps({kind: outcomes(where, kind, count=number, seed=start) for kind in ("HDF5", "journal")}))
