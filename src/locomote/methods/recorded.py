"""What a run records: one table of all fields that have one row a sample.

Everything that goes over the fields of a run reads this table: room for samples (`state.samples_of`), what a runner gives and
takes back, checks of a Trajectory, parts of runs and joined runs, files, names of channels, and a test that compares it with
the docs. A new field is a line here, and whatever fills it. What follows from the others is a line of ASKED, and is computed
when it is asked for (`runs.asked`).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from locomote.contact.spots import RIM
from locomote.evaluation.plan import SOURCES, Plan
from locomote.forces.terms import COUNT, FIRST, OWN
from locomote.geometry.shape import PAIRED

WRENCH = 6  # force and moment of a load; force and point of a contact


@dataclass(frozen=True)
class Field:
    """One field of a run.

    name : attribute of a Trajectory and dataset of a file ; unit : of its numbers ; text : what it is
    shape : of one sample: numbers, or names of sizes; None is any size
    by : what there is an array each of, by name ("source", "force term"); empty for one array
    kept : array of Samples that has it, and the column there (None: the whole array); empty if it follows from the others
    adds : whether it is counted from the start of a run, so that of a joined run the second part goes on from the first
    axes : of six numbers for everything that has a name, what the first and the last three are, each with its unit
    """

    name: str
    shape: tuple[str | int | None, ...]
    unit: str
    text: str
    kept: tuple[str, int | None] | None = None
    by: str = ""
    adds: bool = False
    axes: tuple[tuple[str, str], ...] = ()

    def shape_for(self, sizes: Mapping[str, int]) -> tuple[int | None, ...]:
        """The shape of one sample; None is any size."""
        return tuple(sizes[n] if isinstance(n, str) else n for n in self.shape)


FIELDS = (
    Field("t", (), "s", "time, never decreasing", ("t", None)),
    Field("q", ("nq",), "model.layout()", "configuration", ("q", None)),
    Field("v", ("nv",), "model.layout()", "velocity", ("v", None)),
    Field("a", ("nv",), "model.layout()", "acceleration", ("a", None)),
    Field("tau", ("nv",), "N or N m", "of the drives on imposed coordinates, as given on others", ("tau", None)),
    Field("reactions", ("rows",), "N or N m", "of the constraints", ("reactions", None)),
    Field(
        "contacts", ("contacts", WRENCH), "N and m", "force of each contact, and the point it acts at", ("contacts", None),
        axes=(("force", "N"), ("point", "m")),
    ),
    Field(
        "contact_pairs", ("slots",), "-", "pair of shapes that has each of the last contacts, from 1; 0: none",
        ("pairs", None),
    ),
    Field("commands", ("commands",), "N, Pa or -", "what actuators inside rods are told"),
    Field("kinetic", (), "J", "kinetic energy", ("energy", 0)),
    Field("potential", (), "J", "potential energy", ("energy", 1)),
    Field("elastic", (), "J", "elastic energy", ("energy", 2)),
    Field("residual", (), "m/s or rad/s", "largest velocity that a constraint forbids", ("residual", 0)),
    Field("position_residual", (), "m or rad", "largest position error of a constraint", ("residual", 1)),
    Field("work", (), "J", "given since the start", by="source", adds=True),
    Field("energies", (), "J", "energy of a force term", by="force term"),
    Field("loads", (None, WRENCH), "N and N m", "force and moment of a term at its places, world axes", by="force term"),
)  # fmt: skip
ASKED: tuple[Field, ...] = (
    Field(
        "joint_wrenches", ("bodies", WRENCH), "N and N m", "force and moment that each body gets from its parent, body frame",
        axes=(("joint force", "N"), ("joint moment", "N m")),
    ),
)  # fmt: skip
BY_NAME = {field.name: field for field in FIELDS}
ARRAYS = tuple(field.name for field in FIELDS if not field.by)
TABLES = tuple(field.name for field in FIELDS if field.by)


class Place(NamedTuple):
    """Where the numbers of a field are among samples: an array, its columns, and their shape in one sample."""

    array: str
    columns: Any
    shape: tuple[int, ...]

    def _of(self, rows: slice) -> Any:
        return rows if self.columns is None else (rows, self.columns)

    def read(self, samples, rows: slice) -> np.ndarray:
        """The numbers of some samples."""
        found = getattr(samples, self.array)[self._of(rows)]
        return found.reshape(len(found), *self.shape)  # all sizes are said: there may be no sample, or no column

    def write(self, samples, rows: slice, values: np.ndarray) -> None:
        """Put them back."""
        array = getattr(samples, self.array)
        array[self._of(rows)] = np.reshape(values, array[self._of(rows)].shape)


def slots_of(plan: Plan | None) -> int:
    """How many of the last contacts are slots for shapes of bodies; none without a plan."""
    return 0 if plan is None else int((plan.spot_laws[:, RIM] == PAIRED).sum())


def sizes_of_fields(plan: Plan) -> dict[str, int]:
    """Sizes that shapes of fields are made of."""
    nq, nv = (int(n) for n in plan.topology[-1, 2:4])
    return {
        "nq": nq,
        "nv": nv,
        "rows": len(plan.holonomic),
        "contacts": len(plan.spots),
        "slots": slots_of(plan),
        "commands": 0,
    }


def widths(plan: Plan) -> tuple[tuple[str, int], ...]:
    """Columns of each matrix of Samples."""
    sizes, found = sizes_of_fields(plan), {}
    for field in (field for field in FIELDS if field.kept and field.name != "t"):
        array, column = field.kept  # type: ignore[misc]
        own = math.prod(n or 0 for n in field.shape_for(sizes)) if column is None else column + 1
        found[array] = max(own, found.get(array, 0))
    terms = len(plan.terms)
    found |= {"work": len(SOURCES), "term_work": terms, "term_energy": terms, "loads": WRENCH * len(plan.place_bodies)}
    return tuple(found.items())


def places_of(plan: Plan, terms: Sequence[Any]) -> dict[str, dict[str, Place]]:
    """Where samples keep each field: by name of a source or a force term, or "" if it is one array."""
    sizes = sizes_of_fields(plan)
    found: dict[str, dict[str, Place]] = {}
    for field in (field for field in FIELDS if field.kept):
        array, column = field.kept  # type: ignore[misc]
        found[field.name] = {"": Place(array, column, tuple(n or 0 for n in field.shape_for(sizes)))}
    found["work"] = {name: Place("work", k, ()) for k, name in enumerate(SOURCES)}
    found["work"] |= {term.name: Place("term_work", k, ()) for k, term in enumerate(terms)}
    found["energies"] = {term.name: Place("term_energy", k, ()) for k, term in enumerate(terms) if term.kind.energy}
    found["loads"] = {term.name: load_place(plan, k) for k, term in enumerate(terms)}
    return found


def read_fields(samples, places: Mapping[str, Mapping[str, Place]], rows: slice) -> dict[str, Any]:
    """Some samples as fields of a run."""
    found: dict[str, Any] = {}
    for name, own in places.items():
        read = {key: place.read(samples, rows) for key, place in own.items()}
        found[name] = read if BY_NAME[name].by else read[""]
    return found


def write_fields(samples, places: Mapping[str, Mapping[str, Place]], rows: slice, run: Any) -> None:
    """Put fields of a run back among samples."""
    samples.term_energy[rows] = 0.0  # for terms without an energy
    for name, own in places.items():
        table = getattr(run, name)
        for key, place in own.items():
            place.write(samples, rows, table[key] if BY_NAME[name].by else table)


def load_place(plan: Plan, k: int) -> Place:
    """Loads of the k-th force term on its own side: on the first of two bodies, of a law between two."""
    first, count, own = (int(n) for n in plan.terms[k, [FIRST, COUNT, OWN]])
    rows = np.arange(first, first + count, count // own)
    return Place("loads", (WRENCH * rows[:, None] + np.arange(WRENCH)).ravel(), (len(rows), WRENCH))


def mapped(change: Callable[..., Any], *runs: Any) -> dict[str, Any]:
    """change(field, array of each run) for all arrays of runs with the same fields."""
    result: dict[str, Any] = {}
    for field in FIELDS:
        values = [getattr(run, field.name) for run in runs]
        result[field.name] = (
            {name: change(field, *(table[name] for table in values)) for name in values[0]}
            if field.by
            else change(field, *values)
        )
    return result


def names_in_files(run: Any) -> dict[str, np.ndarray]:
    """All arrays of a run by their names in files: those of tables have the name of the table before their own."""
    arrays = {name: getattr(run, name) for name in ARRAYS}
    return arrays | {f"{table}/{name}": values for table in TABLES for name, values in getattr(run, table).items()}


def is_in_files(name: str) -> bool:
    """Whether a file may have an array of that name."""
    return name in ARRAYS or name.partition("/")[0] in TABLES
