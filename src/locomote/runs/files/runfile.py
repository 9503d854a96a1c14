"""Run files: everything of a run, and what is needed to repeat it or to go on with it.

A finished run is HDF5 (see hdf.py). While a run goes on, `RunWriter` appends to a journal at the same path (see journal.py),
which opens whatever happened to its writer; closing it makes it HDF5. No part of either can run code when it is read.
"""

import datetime
import importlib.metadata
import os
import platform
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from locomote.errors import LocomoteError
from locomote.evaluation.protocol import Problem
from locomote.formats.record import description_from_record, description_to_record
from locomote.methods.recorded import ARRAYS, BY_NAME, TABLES, is_in_files, names_in_files, slots_of
from locomote.model.model import Model
from locomote.runs.asked import keep, known
from locomote.runs.channels import LABELS, VECTORS, columns_of_q, columns_of_v
from locomote.runs.files import hdf
from locomote.runs.files.files import RunFileError, lock, opened, reason, refuse_busy, whole_file
from locomote.runs.files.hdf import Stored
from locomote.runs.files.journal import TITLE, Journal, packed, records
from locomote.runs.files.plain import from_text, to_text
from locomote.runs.files.schema import check_all, check_more
from locomote.runs.trajectory import Event, Trajectory

NOT_CLOSED = "the file was not closed: the run is still going on, or its process was ended"
PACKAGES = ("locomote", "numpy", "scipy", "numba", "h5py")

__all__ = ["RunFileError", "RunWriter", "open_run", "save", "versions"]


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that a run depends on."""
    found = {"python": platform.python_version(), "system": platform.platform(terse=True)}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed as a package"
    return found


def save(run: Trajectory, path) -> None:
    """Write a run to an HDF5 file. A file that is there is replaced when the new one is complete, and not before."""
    refuse_busy(path)
    stored = Stored(
        header=header_of(run, run.problem_record, run.problem_missing),
        info=with_origin(run.info),
        events=[event_values(event) for event in run.events],
        arrays=names_in_files(run) | known(run),
        state=dict(run.state) if run.state is not None else None,
        tracked=dict(run.tracked) if run.tracked is not None else None,
    )
    hdf.write(path, stored, labels_of(run))


def open_run(path, rebuild: Callable[[dict[str, Any]], Any] | None = None) -> Trajectory:
    """The run in a file, closed or not; of one that was not closed, what was committed.

    rebuild : makes the problem out of its record; without it, and where it fails, `run.problem` is None and
        `run.problem_missing` says why
    """
    if not isinstance(path, str | os.PathLike):
        raise RunFileError(repr(path), "this is not the path of a file")
    try:
        with opened(path) as stream:
            start = stream.read(len(TITLE))
            stream.seek(0)
            if start.startswith(hdf.MAGIC):
                stored = hdf.read(path, stream)
            elif start == TITLE:
                stored = unclosed(path, stream)
            else:
                raise RunFileError(path, "this is not a run file of locomote: neither HDF5 nor a run that is being written")
    except OSError as error:
        raise RunFileError(path, f"cannot be read: {reading_fault(error)}") from error
    return run_of(path, stored, rebuild)


def reading_fault(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, PermissionError):
        return "you may not read it"
    return "it is a folder" if isinstance(error, IsADirectoryError) else reason(error)


# what a file says


def header_of(run: Any, record=None, missing: str = "") -> dict[str, Any]:
    """Everything that does not change during a run. A problem that cannot be stored leaves a sentence instead."""
    if run.problem is not None:
        try:
            record, missing = from_text(to_text(run.problem.to_record())), ""
        except ValueError as fault:
            record, missing = None, str(fault)
    return {
        "format": hdf.FORMAT,
        "version": hdf.VERSION,
        "model": description_to_record(run.model.description),
        **{name: [x if isinstance(x, str) else list(x) for x in getattr(run, name)] for name, _, _ in LABELS.values()},
        "imposed": [bool(x) for x in run.imposed],
        "problem": dict(record) if record is not None else None,
        "not stored": missing,
    }


def with_origin(info: Mapping[str, Any]) -> dict[str, Any]:
    """info with versions and date, where it has none."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return {"versions": versions(), "date": now} | dict(info)


def event_values(event: Event) -> dict[str, Any]:
    return {field.name: getattr(event, field.name) for field in fields(Event)}


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values as they come back from a file."""
    return from_text(to_text(values, strict=False))


def checked(values: Mapping[str, Any]) -> dict[str, Any]:
    """What a record of a journal says, if it can be read back."""
    known = plain(values)
    check_more(known["info"], known["events"])
    return known


def labels_of(run: Trajectory) -> dict[str, list[tuple[str, str]]]:
    """Name and unit of every column, for those who read the file without locomote."""
    labels: dict[str, list] = {"q": columns_of_q(run.model)}
    labels |= {vector: columns_of_v(run.model, vector) for vector in VECTORS}
    labels["reactions"] = [(f"{constraint}.{row}", unit) for constraint, row, unit in run.constraint_labels]
    return labels


def run_of(path, stored: Stored, rebuild: Callable | None) -> Trajectory:
    """The Trajectory of what a file says."""
    header, problem = stored.header, None
    try:
        model = Model(description_from_record(header["model"]))
        record, missing = header["problem"], header["not stored"]
        if rebuild is not None and record is not None:
            try:
                problem = rebuild(record)
            except Exception as fault:  # whatever is wrong with it, the numbers of the run can still be read
                missing = f"it could not be made again ({type(fault).__name__}: {fault})"
        for name, values in (stored.tracked or {}).items():
            if np.ndim(values) != 1:
                raise ValueError(f"{name!r:.40} of what was tracked is not a row of numbers")
        run = Trajectory(
            model=model,
            **{name: stored.arrays[name] for name in ARRAYS},
            **{table: hdf.part_of(stored.arrays, f"{table}/") or {} for table in TABLES},
            events=[Event(**event) for event in stored.events],
            info=stored.info,
            problem=problem,
            **{name: header[name] for name, _, _ in LABELS.values()},
            imposed=header["imposed"],
            state=stored.state,
            tracked=stored.tracked,
            problem_record=record,
            problem_missing=missing,
        )
        keep(run, stored.arrays)
        return run
    except (LocomoteError, KeyError, TypeError, ValueError, RecursionError, MemoryError) as fault:
        raise RunFileError(path, f"the file is damaged and cannot be read ({fault!s:.300})") from fault


def unclosed(path, stream) -> Stored:
    """The committed part of a journal."""
    try:
        found, end = records(stream)
        if not found:
            raise ValueError("not even its first record is whole")
        stored = joined(path, found)
    except (KeyError, TypeError, ValueError, RecursionError, MemoryError) as fault:
        raise RunFileError(path, f"the file is damaged and cannot be read ({fault!s:.100})") from fault
    if not any(record.values.get("closes") for record in found):
        left = stream.seek(0, 2) - end
        cut = f"; {left} bytes of a record that was never finished are left out" if left else ""
        stored.info |= {"status": "interrupted", "message": f"{NOT_CLOSED}{cut}"}
    return stored


def joined(path, found) -> Stored:
    """The records of a journal as one run; a ValueError if they do not make one."""
    first, *later = found
    header, info = first.values.get("header"), first.values.get("info")
    hdf.refuse_other_version(path, header.get("version") if isinstance(header, dict) else None)
    check_all(header, info, [])
    stored = Stored(header, dict(info))
    parts: dict[str, list[np.ndarray]] = {name: [array] for name, array in first.arrays.items()}
    for record in later:
        closes, events, more = (record.values.get(name) for name in ("closes", "events", "info"))
        if not isinstance(closes, bool):
            raise ValueError("a record does not say whether it is the last")
        check_more(more, events)
        for name, array in record.arrays.items():
            if not name.startswith((hdf.STATE, hdf.TRACKED)):
                parts.setdefault(name, []).append(array)
        if not closes:
            stored.state, stored.tracked = (hdf.part_of(record.arrays, group) for group in (hdf.STATE, hdf.TRACKED))
        stored.events += events
        stored.info |= more
    stored.arrays = {name: np.concatenate(arrays) for name, arrays in parts.items()}
    strange = [name for name in stored.arrays if not is_in_files(name)]
    if strange:
        raise ValueError(f"{strange[0]!r:.60} is no part of a run")
    return stored


def empty_run(problem: Any) -> Trajectory:
    """A run of a problem before its first sample: what does not change, and arrays of no rows."""
    counts = {size: len(of_problem(problem)) for size, (_, of_problem, _) in LABELS.items()}
    sizes = counts | {"nq": problem.model.nq, "nv": problem.model.nv, "slots": slots_of(problem.plan)}
    arrays = {name: np.zeros((0, *BY_NAME[name].shape_for(sizes))) for name in ARRAYS}  # type: ignore[arg-type]
    return Trajectory(model=problem.model, problem=problem, imposed=np.array(problem.imposed, dtype=bool), **arrays)


class RunWriter:
    """Writes a run while it goes on, so that a process that is killed loses at most what came after the last `append`.

    problem : the problem that runs (its `model`, `imposed`, `constraint_labels` and `to_record` are used)
    info : what is known at the start: method, tolerances, options
    earlier : the run that this one goes on with; its samples and events come first in the new file

    A file at `path` is replaced at once, by a new one that holds `earlier`. `committed` counts the samples that are safe.
    """

    def __init__(self, path, problem: Problem, *, info: Mapping[str, Any] | None = None, earlier: Trajectory | None = None):
        self.path, self.committed, self._last, self._sources = path, 0, -np.inf, None
        self._empty = empty_run(problem)
        before = earlier.info if earlier is not None else {}
        origin = {name: value for name, value in before.items() if name not in ("status", "message", "versions", "date")}
        known = plain({"header": header_of(self._empty), "info": with_origin(origin | dict(info or {}))})
        check_all(**known, events=[])
        refuse_busy(path)
        last = packed(known, {name: getattr(self._empty, name) for name in ARRAYS})
        with whole_file(path) as stream:
            stream.write(TITLE + last)
            if earlier is not None:
                last = self._record(earlier, earlier.events, earlier.state, earlier.tracked, after=last)
                stream.write(last)
            lock(stream.fileno())
            held = os.dup(stream.fileno())  # the lock stays with it
        self._journal = Journal(path, held, last)
        if earlier is not None:
            self._count(earlier)

    def append(
        self,
        samples: Trajectory | Mapping[str, Any],
        *,
        state: Mapping[str, Any] | None,
        events: Iterable[Event] = (),
        tracked: Mapping[str, np.ndarray] | None = None,
    ):
        """Commit some samples, what happened meanwhile, and the state from which to go on after them.

        samples : a Trajectory, or its arrays by name (t, q, v, a, tau, kinetic, potential, work, ...)
        state : arrays and numbers by name
        tracked : what was followed at every step since the start of the run, by name

        When this returns, all of it is on the disk. If it raises a RunFileError, the file holds what was committed before.
        """
        if not isinstance(samples, Trajectory):
            samples = replace(self._empty, problem=None, **(dict.fromkeys(ARRAYS) | dict(samples)))
        if len(samples) and samples.t[0] < self._last:
            raise ValueError(f"samples from t = {samples.t[0]:g} s cannot follow those up to t = {self._last:g} s")
        if self._sources is not None and self._sources != set(samples.work):
            raise ValueError(f"work must have the sources {sorted(self._sources)} as before, not {sorted(samples.work)}")
        self._commit(self._record(samples, events, state, tracked, after=self._journal.last))
        self._count(samples)

    def close(self, *, info: Mapping[str, Any] | None = None, events: Iterable[Event] = ()) -> None:
        """End the run and turn the file into HDF5.

        info : what is known at the end: status, message, steps, wall, ...

        If there is no room for a second copy, the file stays as it is, complete and readable by `open_run`; a warning says so.
        """
        final = {"status": "finished", "message": ""} | dict(info or {})
        try:
            values = {"events": [event_values(e) for e in events], "info": final, "closes": True}
            self._commit(packed(checked(values), {}, after=self._journal.last))
            stored = joined(self.path, self._journal.records())
            if os.name == "nt":  # which replaces no file that is open
                self._journal.close()
            run = run_of(self.path, stored, None)
            try:
                hdf.write(self.path, stored, labels_of(run))
            except RunFileError as fault:
                sentence = (
                    f"{fault}; all {self.committed} samples are safe in this file and open_run reads it, but it is not HDF5 yet"
                )
                warnings.warn(sentence, RuntimeWarning, stacklevel=2)
        finally:
            self._journal.close()

    def __enter__(self):
        return self

    def __exit__(self, *fault) -> None:
        """Let go of the file. Without `close`, it stays a run that was not closed."""
        self._journal.close()

    def _record(self, run: Trajectory, events: Iterable[Event], state, tracked, *, after: bytes) -> bytes:
        arrays = names_in_files(run)
        for group, values in ((hdf.STATE, state), (hdf.TRACKED, tracked)):
            arrays |= {f"{group}{name}": value for name, value in (values or {}).items()}
        values = {"events": [event_values(event) for event in events], "info": {}, "closes": False}
        return packed(checked(values), arrays, after=after)

    def _commit(self, record: bytes) -> None:
        try:
            self._journal.append(record)
        except OSError as error:
            safe = f"the {self.committed} samples before are safe in it" if self.committed else "it holds no samples yet"
            raise RunFileError(self.path, f"cannot be written: {reason(error)}; {safe}") from error

    def _count(self, run: Trajectory) -> None:
        self.committed += len(run)
        self._sources = set(run.work)
        self._last = run.t[-1] if len(run) else self._last
