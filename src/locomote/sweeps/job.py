"""What is done at one point of a sweep: a problem is made, run, measured. The same here, in a process, on a machine far
away."""

import hashlib
import inspect
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from locomote import __version__
from locomote.brief import brief
from locomote.errors import LocomoteError, UnknownName
from locomote.locomotion.problem import Locomotion
from locomote.runs.trajectory import Trajectory
from locomote.sweeps.axes import SweepError
from locomote.sweeps.lanes import side_by_side, together
from locomote.sweeps.measures import Measure, as_numbers, code_of, measured
from locomote.systems import catalogue
from locomote.systems.catalogue import System

MAKE, RUN, MEASURE = "make", "run", "measure"  # where a point failed
LONG = 500  # characters of an error that are kept
NOT_GOOD, GOOD, UNSEEN = "not good", "good", ""


class PointFailed(Exception):
    """A point without numbers, where it failed, and whether the request is wrong: no other point would do better."""

    def __init__(self, where: str, message: str, *, wrong: bool = True):
        self.where, self.wrong = where, wrong
        super().__init__(message)


@cache
def physics() -> str:
    """The version of the library and a hash of its code: equal ones give equal numbers on equal machines."""
    digest = hashlib.sha256()
    folder = Path(__file__).resolve().parents[1]
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return f"{__version__} {digest.hexdigest()[:12]}"


@brief
@dataclass(frozen=True, eq=False)
class Row:
    """A finished point: `index` among those asked for, and its `key`; numbers by name; `error` in words where it failed, and
    whether the request is `wrong`."""

    index: int
    key: int
    seed: int
    wall: float
    numbers: Mapping[str, float] = field(default_factory=dict)
    audit: str = UNSEEN
    error: str = ""
    where: str = ""
    file: str = ""
    wrong: bool = False


@brief
@dataclass(frozen=True, eq=False)
class Job:
    """All that a worker needs besides the values of a point; can be pickled.

    make : name of a system, a problem, or a function of the values ; duration : s, None for that of a system
    options : of `simulate` ; measures : names or a function ; audit : whether runs are audited ; seed : of all draws
    keep : which runs are written to `folder`: "none", "all", "failed" ; company : points that all chunks on lanes hold
    """

    make: str | Locomotion | Callable
    duration: float | None
    options: Mapping[str, Any]
    measures: Sequence[str] | Measure | None
    audit: bool
    seed: int
    keep: str = "none"
    folder: str = ""
    physics: str = field(default_factory=physics)
    company: Sequence[Mapping[str, Any]] = ()

    # points

    def rows(self, indices: Sequence[int], keys: Sequence[int], values: Sequence[Mapping[str, Any]], said=None) -> list[Row]:
        """Finished points; said : is told the place of each point among these before it begins."""
        if self.physics != physics():
            raise SweepError(
                f"a worker has locomote {physics()}, the sweep began with {self.physics}; install the same version everywhere"
            )
        problem = self.for_lanes(values)
        if problem is not None:
            return self.rows_of_lanes(problem, indices, keys, values)
        found = []
        for place, (index, key, point) in enumerate(zip(indices, keys, values, strict=True)):
            if said is not None:
                said(place)
            found.append(self.row(int(index), int(key), point))
        return found

    def side_by_side(self, point: Mapping[str, Any]) -> bool:
        """Whether points go on lanes."""
        return self.for_lanes([point]) is not None

    def for_lanes(self, values: Sequence[Mapping[str, Any]]) -> Locomotion | None:
        """The problem that all these points are of, if they can be run side by side."""
        if self.audit or self.keep != "none" or not isinstance(self.make, str | Locomotion) or self.length is None:
            return None
        if isinstance(self.make, str) and not all("." in name for name in values[0]):
            return None
        problem = problem_of(self.make, ()) if isinstance(self.make, str) else self.make
        return problem if side_by_side(problem, self.measures, self.options) else None

    def rows_of_lanes(self, problem: Locomotion, indices, keys, values) -> list[Row]:
        """Finished points, run side by side."""
        assert isinstance(self.measures, tuple) and self.length is not None
        found = together(problem, values, self.company, self.measures, self.length, self.options)
        numbers, errors, wall = found
        return [
            Row(int(index), int(key), self.seed_of(int(key)), wall, got, error=error[:LONG], where=RUN if error else "")
            for index, key, got, error in zip(indices, keys, numbers, errors, strict=True)
        ]

    @cached_property
    def length(self) -> float | None:
        """How long each run takes, s; None if that depends on the point."""
        if self.duration is not None or not isinstance(self.make, str):
            return self.duration
        return catalogue.load(self.make).duration

    def seed_of(self, key: int) -> int:
        """The seed of a point."""
        return int(np.random.SeedSequence([self.seed, key]).generate_state(1, np.uint64)[0] >> 1)

    def row(self, index: int, key: int, values: Mapping[str, Any]) -> Row:
        """One point; whatever goes wrong is said in its row."""
        seed = self.seed_of(key)
        began = time.perf_counter()
        run, numbers, fault = None, {}, None
        try:
            run, numbers = self.result(values, seed)
        except PointFailed as error:
            fault, run = error, getattr(error.__cause__, "run", None)
        verdict = UNSEEN if run is None or fault or not self.audit else GOOD if run.audit.ok else NOT_GOOD
        file = self.kept(run, key, bool(fault) or verdict == NOT_GOOD)
        message, where = ("", "") if fault is None else (str(fault)[:LONG], fault.where)
        return Row(
            index,
            key,
            seed,
            time.perf_counter() - began,
            numbers,
            verdict,
            message,
            where,
            file,
            fault is not None and fault.wrong,
        )

    def result(self, values: Mapping[str, Any], seed: int) -> tuple[Trajectory | None, dict[str, float]]:
        """The run of a point and its numbers."""
        made = guarded(MAKE, lambda: self.made(values, seed))
        if isinstance(made, Mapping) or np.isscalar(made):
            return None, guarded(MEASURE, lambda: self.chosen(as_numbers(made, "result")))
        measures = self.measures
        if measures is None:
            raise PointFailed(MEASURE, "measure is missing: name what to measure of each run, such as 'net.distance'")
        run = made if isinstance(made, Trajectory) else guarded(RUN, lambda: self.run(made))
        return run, guarded(MEASURE, lambda: measured(run, measures))

    def chosen(self, numbers: dict[str, float]) -> dict[str, float]:
        """Those numbers of a function that were asked for."""
        if self.measures is None:
            return numbers
        if callable(self.measures):
            raise SweepError("make gave numbers, which a function cannot measure; expected a problem, a system or a run")
        for name in self.measures:
            if name not in numbers:
                raise UnknownName("measure", name, numbers, "what make gave")
        return {name: numbers[name] for name in self.measures}

    def made(self, values: Mapping[str, Any], seed: int):
        """What `make` gives for the values of a point."""
        if isinstance(self.make, str):
            return of_system(self.make, values)
        if isinstance(self.make, Locomotion):
            return self.make.with_parameters(values)
        return self.make(**values, **({"seed": seed} if self.takes_seed else {}))

    @cached_property
    def takes_seed(self) -> bool:
        """Whether the function asks for a seed of its own."""
        return callable(self.make) and "seed" in inspect.signature(self.make).parameters

    def run(self, made: System | Locomotion) -> Trajectory:
        """Run a system or a problem."""
        if not isinstance(made, System | Locomotion):
            raise SweepError(f"make gave {made!r:.60}, expected a problem, a system, a run, or numbers by name")
        duration = self.duration
        if duration is None and (isinstance(made, System) or isinstance(self.make, str)):
            duration = made.duration if isinstance(made, System) else catalogue.load(str(self.make)).duration
        if duration is None:
            raise SweepError("duration is missing: say how long each run takes, s")
        problem = made.problem() if isinstance(made, System) else made
        return problem.simulate(duration, progress=False, on_interrupt="raise", **self.options)

    def kept(self, run: Trajectory | None, key: int, failed: bool) -> str:
        """The name of the file of a run, if it is kept."""
        if run is None or not (self.keep == "all" or (self.keep == "failed" and failed)):
            return ""
        name = f"{key:016x}.h5"
        run.save(Path(self.folder) / name)
        return name

    # what it is

    def identity(self) -> dict[str, Any]:
        """What rows depend on besides the values of their point, in words."""
        measures = list(self.measures) if isinstance(self.measures, tuple) else described(self.measures)
        return {
            "make": described(self.make), "duration": self.duration, "options": {k: plain(x) for k, x in self.options.items()},
            "measure": measures, "audit": self.audit, "seed": self.seed, "physics": self.physics,
        }  # fmt: skip


def of_system(name: str, values: Mapping[str, Any]) -> System | Locomotion:
    """A system with parameters of its own; where some are numbers of its problem (`rotor.mass`), that problem with these."""
    own = {parameter.name for parameter in catalogue.parameters(name)}
    paths = {key: value for key, value in values.items() if key not in own and "." in key}
    rest = tuple((key, value) for key, value in values.items() if key not in paths)
    return problem_of(name, rest).with_parameters(paths) if paths else catalogue.load(name, **dict(rest))


@lru_cache(maxsize=8)
def problem_of(name: str, values: tuple[tuple[str, Any], ...]) -> Locomotion:
    """The problem of a system; the same one for points that differ in numbers of the problem only."""
    return catalogue.load(name, **dict(values)).problem()


def guarded(where: str, call: Callable[[], Any]) -> Any:
    """What a call gives; PointFailed with a sentence for all that goes wrong in it."""
    try:
        return call()
    except (KeyboardInterrupt, SystemExit, PointFailed):
        raise
    except Exception as error:
        said = isinstance(error, ValueError) and not isinstance(error, LocomoteError)  # an argument of simulate
        wrong = where == MEASURE or isinstance(error, UnknownName | TypeError | SweepError) or (where == RUN and said)
        kind = "" if isinstance(error, LocomoteError) else f"{type(error).__name__}: "
        raise PointFailed(where, kind + " ".join(str(error).split()), wrong=wrong) from error


def described(value: Any) -> Any:
    """A system, a problem or a function, as far as it decides results: a name, and a hash of what it holds."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Locomotion):
        text = json.dumps(value.to_record(), sort_keys=True, default=plain)
        return {"problem": value.name, "digest": hashlib.sha256(text.encode()).hexdigest()[:16]}
    name = f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', repr(value))}"
    return {"function": name, "digest": hashlib.sha256(code_of(value).encode()).hexdigest()[:16]}


def plain(value: Any) -> Any:
    """Numbers and words as JSON has them."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, str | int | float | bool | type(None)) else repr(value)
