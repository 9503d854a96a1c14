"""Programs for test_run_files: processes that are killed, run out of space or may not write. Each prints JSON.

python run_file_trials.py kills FOLDER COUNT      fork writers, kill them at random moments, read what they left
python run_file_trials.py limited FOLDER BYTES    no file may grow beyond some bytes
python run_file_trials.py full FOLDER             the folder is on a small disk
python run_file_trials.py forbidden FOLDER        as a user who may not write there
"""

import itertools
import json
import mmap
import os
import resource
import signal
import struct
import sys
import tempfile
import time
import warnings

import numpy as np
import synthetic_runs

from locomote.runs.files.files import RunFileError
from locomote.runs.files.runfile import RunWriter, open_run, save

SIZE = 20  # samples of a chunk


def chunk(n):
    """The n-th chunk of a run without end, and the state after it: everything follows from n."""
    model = synthetic_runs.board_model()
    t = np.arange(n * SIZE, (n + 1) * SIZE, dtype=float)
    q = np.sin(t[:, None] * np.arange(1, 7))
    state = {"t": float(t[-1]), "q": q[-1], "chunk": n}
    samples = {"t": t, "q": q, "v": 2 * q, "a": 3 * q, "tau": 4 * q, "kinetic": t, "potential": -t, "reactions": q[:, :2]}
    return model, samples | {"work": {"drives": 5 * t}}, state


def faults(run):
    """What is wrong with a run made of such chunks; an empty list for nothing."""
    count, rest = divmod(len(run), SIZE)
    if rest:
        return [f"{len(run)} samples are not whole chunks"]
    found = []
    for n in range(count):
        rows = slice(n * SIZE, (n + 1) * SIZE)
        _, samples, state = chunk(n)
        ours = {name: getattr(run, name)[rows] for name in samples if name != "work"} | {"drives": run.work["drives"][rows]}
        theirs = {name: samples[name] for name in samples if name != "work"} | samples["work"]
        found += [f"{name} of chunk {n}" for name in ours if not np.array_equal(ours[name], theirs[name])]
    if count:
        found += [] if run.state["chunk"] == count - 1 and np.array_equal(run.state["q"], state["q"]) else ["state"]
    return found


def problem():
    return synthetic_runs.Problem(synthetic_runs.board_model(), labels=synthetic_runs.LABELS, record={"speed": 0.1})


def write_without_end(path, said):
    """Write, close and go on with a run again and again; `said` learns how many samples of the present run are safe."""
    earlier, first = None, 0
    for turn in itertools.count():
        writer = RunWriter(path, problem(), info={"method": "none"}, earlier=earlier)
        for n in range(first, first + 5):
            _, samples, state = chunk(n)
            writer.append(samples, state=state)
            said[:8] = struct.pack("<Q", (n + 1) * SIZE)
        writer.close(info={"status": "finished", "turn": turn})
        earlier, first = open_run(path), first + 5


def wait_for(said, samples, child):
    """Until a process has so many samples safe, however long that takes."""
    while struct.unpack("<Q", said[:8])[0] < samples:
        if os.waitpid(child, os.WNOHANG)[0]:
            raise RuntimeError("the writing process ended by itself")
        time.sleep(1e-4)


def kills(folder, count):
    """Each trial: where it was killed, how much was safe by its own word, how much was read."""
    rng, kinds, trials = np.random.default_rng(7), {"HDF5": 0, "journal": 0, "none": 0}, []
    for trial in range(count):
        path = os.path.join(folder, f"run {trial}.h5")
        said = mmap.mmap(-1, 8)
        child = os.fork()
        if child == 0:
            write_without_end(path, said)
        wait_for(said, int(rng.integers(0, 16)) * SIZE, child)
        time.sleep(rng.uniform(0.0, 0.01))  # somewhere in what it does next
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        safe = struct.unpack("<Q", said[:8])[0]
        if not os.path.exists(path):
            kinds["none"] += 1
            trials.append({"safe": safe, "read": 0, "faults": []})
            continue
        with open(path, "rb") as stream:
            kinds["HDF5" if stream.read(8).startswith(b"\x89HDF") else "journal"] += 1
        run = open_run(path)
        trials.append({"safe": safe, "read": len(run), "faults": faults(run), "status": run.info["status"]})
    return {"trials": trials, "kinds": kinds}


def write_until_full(folder):
    """Write chunks until there is no more room; then whether the file still opens, and what a full save says."""
    path = os.path.join(folder, "run.h5")
    writer, sentence, n = RunWriter(path, problem()), "", 0
    try:
        for n in range(100_000):
            _, samples, state = chunk(n)
            writer.append(samples, state=state)
    except RunFileError as fault:
        sentence = str(fault)
    run = open_run(path)
    kept = {"sentence": sentence, "committed": writer.committed, "read": len(run), "faults": faults(run), "chunk": n}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            writer.close(info={"status": "finished"})
            kept["closing"] = "; ".join(str(warning.message) for warning in caught)
        except RunFileError as fault:
            kept["closing"] = str(fault)
    again = open_run(path)
    kept |= {"read after closing": len(again), "faults after closing": faults(again)}
    return kept


def save_when_full(folder):
    """A large run over a small one: the small one stays."""
    path = os.path.join(folder, "small.h5")
    save(synthetic_runs.still(), path)
    try:
        save(synthetic_runs.board(10_000), path)
        sentence = ""
    except RunFileError as fault:
        sentence = str(fault)
    return {"saving": sentence, "name": open_run(path).model.name, "left": sorted(os.listdir(folder))}


def limited(folder, size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    return save_when_full(folder) | write_until_full(folder)


def full(folder):
    return save_when_full(folder) | write_until_full(folder)


def forbidden(folder):
    """Every way to write, by a user who may not."""
    run, sentences = synthetic_runs.still(), []
    with tempfile.TemporaryDirectory() as own:  # also loads all packages, which another user may not find
        save(run, os.path.join(own, "run.h5"))
    if os.getuid() == 0:
        os.setuid(65534)
    path = os.path.join(folder, "run.h5")
    for action in (
        lambda: save(run, path),
        lambda: RunWriter(path, problem()),
        lambda: run.to_csv(path),
        lambda: open_run(path),
    ):
        try:
            action()
            sentences.append("")
        except RunFileError as fault:
            sentences.append(str(fault))
    return {"sentences": sentences}


if __name__ == "__main__":
    name, folder, *numbers = sys.argv[1:]
    print(json.dumps(globals()[name](folder, *map(int, numbers))))
