"""Rollouts whose runs have numbers of their own: runs with the same numbers are a lot, with a problem of its own.

All lots go through one step together: what differs between their plans (`symbolic.entries`) is input of its formula. Drives
that differ are evaluated lot by lot, all at one time in compiled code.

With many lots the plans of a few say those of all (`forms`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.compiled.forms import Form, form_of
from locomote.locomotion.problem import Locomotion
from locomote.spatial.inertia import PHYSICAL_TOLERANCE
from locomote.spatial.numbers import as_numbers
from locomote.symbolic.entries import SIGNALS, Entries, differing, gathered

MANY = 32  # lots from which on a form says their plans


@brief
@dataclass(frozen=True, eq=False)
class Lots:
    """problem : with what is the same for all ; each : key -> (lots, ...) numbers ; which : (N,) the lot of each run"""

    problem: Locomotion
    each: Mapping[Any, np.ndarray]
    which: np.ndarray
    _made: dict[int, Locomotion] = field(default_factory=dict)

    def __len__(self):
        return len(self.table)

    @cached_property
    def table(self) -> np.ndarray:
        """(lots, numbers) all that they have of their own."""
        return np.concatenate([x.reshape(len(x), -1) for x in self.each.values()], axis=1)

    @cached_property
    def rows(self) -> list[np.ndarray]:
        """Numbers of the runs of each lot."""
        order = np.argsort(self.which, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.which, minlength=len(self)))[:-1])

    def of_these(self, problems: Sequence[Locomotion]) -> "Lots":
        """The same lots with problems made otherwise, as where what was left open closes where each starts."""
        lots = Lots(self.problem, self.each, self.which, dict(enumerate(problems)))
        lots.__dict__["form"] = None
        return lots

    def rows_of(self, lot: int) -> np.ndarray:
        """Numbers of the runs of one lot."""
        return np.flatnonzero(self.which == lot)

    def with_numbers(self, row: np.ndarray) -> Locomotion:
        """The problem with a row of the table."""
        sizes = np.cumsum([0, *(x[0].size for x in self.each.values())])
        parts = [row[a:b] for a, b in zip(sizes, sizes[1:], strict=False)]
        values = {key: part.reshape(x.shape[1:]) for (key, x), part in zip(self.each.items(), parts, strict=True)}
        return self.problem.with_parameters(values)

    def problem_of(self, lot: int) -> Locomotion:
        """The problem of a lot, made when it is first asked for."""
        if lot not in self._made:
            try:
                self._made[lot] = self.with_numbers(self.table[lot])
            except ValueError as error:
                if type(error) is ValueError:
                    raise ValueError(f"run {self.rows_of(lot)[0]}: {error}") from None
                raise
        return self._made[lot]

    @cached_property
    def extreme(self) -> list[int]:
        """Lots with the lowest and highest values, and the first."""
        return sorted({0, *np.argmin(self.table, axis=0).tolist(), *np.argmax(self.table, axis=0).tolist()})

    def refuse_faults(self) -> None:
        """Raise if numbers are at fault: by the lots with extreme values, and moments that no body has anywhere."""
        for lot in [] if self.form is not None else self.extreme:
            self.problem_of(lot)
        for key, moments in self.each.items():
            if any(name.endswith(".inertia") for name in self.problem.parameters.matching(key)):
                for lot in np.flatnonzero(doubtful_moments(moments)):
                    self.problem_of(int(lot))

    @property
    def names_gravity(self) -> bool:
        """Whether gravity may differ."""
        return any("gravity" in self.problem.parameters.matching(key) for key in self.each)

    @cached_property
    def form(self) -> Form | None:
        """What says the plans of many lots."""
        if len(self) < MANY:
            return None
        return form_of(self.problem, tuple(self.each), self.table, self.extreme, self.with_numbers)

    @cached_property
    def sample(self) -> Locomotion:
        """A problem like theirs: with numbers of its own where theirs differ."""
        return self.problem_of(0) if self.form is None else self.form.sample

    @cached_property
    def differences(self) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
        """Places of plans that differ, values at them in some lots, and (lots, entries) in all."""
        if self.form is not None:
            return self.form.places, self.form.samples, self.form.values(self.table)
        plans = [self.problem_of(lot).plan for lot in range(len(self))]
        places = differing(plans)
        values = gathered(plans, places)
        return places, values, values

    @cached_property
    def entries(self) -> Entries | None:
        """What differs in the formula of a step."""
        places, samples, values = self.differences
        inside = np.concatenate([np.full(len(flat), name not in SIGNALS) for name, flat in places.items()] or [[]]).astype(bool)
        own = {name: flat for name, flat in places.items() if name not in SIGNALS}
        return Entries.of(own, samples[:, inside], values[:, inside]) if own else None

    @cached_property
    def signals(self) -> dict[str, np.ndarray]:
        """Numbers of drives or torques over time, if they differ: name of the array -> (lots, numbers)."""
        places, _, values = self.differences
        found, start = {}, 0
        for name, flat in places.items():
            if name in SIGNALS:
                found[name] = np.repeat(getattr(self.sample.plan, name)[None], len(self), axis=0)
                found[name][:, flat] = values[:, start : start + len(flat)]
            start += len(flat)
        return found


def doubtful_moments(moments: np.ndarray) -> np.ndarray:
    """(N,) whether moments (N, 6) may be such as no body has: none of trace/2 - moment may be negative, by leading minors."""
    xx, xy, xz, yy, yz, zz = moments.T
    half = (xx + yy + zz) / 2
    a, b, c = half - xx, half - yy, half - zz
    plane, whole = a * b - xy * xy, a * (b * c - yz * yz) - xy * (xy * c + yz * xz) - xz * (xy * yz + b * xz)
    found = ~((a > 0.0) & (plane > 0.0) & (whole > 0.0))
    rows = np.flatnonzero(found)
    principal = np.linalg.eigvalsh(moments[rows][:, [[0, 1, 2], [1, 3, 4], [2, 4, 5]]])
    found[rows] = principal[:, 2] > (1.0 + PHYSICAL_TOLERANCE) * (principal[:, 0] + principal[:, 1])
    return found


def lots_of(
    problem: Locomotion, parameters: Mapping[Any, Any] | None, batch: int | None
) -> tuple[Locomotion, Lots | None, int | None]:
    """The problem with parameters that all runs share, lots if some have their own, and how many runs these say there are.

    parameters : name, pattern or several in a tuple -> one value for all runs, or (N,) or (N, shape) of them
    """
    if parameters is None:
        return problem, None, batch
    parameters = getattr(parameters, "columns", parameters)  # of drawn points
    if not isinstance(parameters, Mapping):
        raise TypeError(f"parameters are given by name, as {{'board.mass': masses}}, not as {parameters!r:.60}")
    known, every, each = problem.parameters, {}, {}
    for key, given in parameters.items():
        dimensions = len(known.shape(known.matching(key)[0]))
        values = as_numbers(given, f"parameters[{key!r}]", "(batch,)")
        (each if values.ndim == dimensions + 1 else every)[key] = values
    sizes = {len(x) for x in each.values()} | ({batch} if batch is not None else set())
    if len(sizes) > 1:
        raise ValueError(f"parameters and batch are for {', '.join(map(str, sorted(sizes)))} runs, which do not fit together")
    if any(not np.isfinite(x).all() for x in each.values()):
        wrong = next(key for key, x in each.items() if not np.isfinite(x).all())
        raise ValueError(f"parameters[{wrong!r}] has a value that is not finite")
    if every:
        problem = problem.with_parameters(every)
    if not each:
        return problem, None, batch
    count = sizes.pop()
    if count < 1:
        raise ValueError("a batch must have at least one run")
    table = np.concatenate([x.reshape(count, -1) for x in each.values()], axis=1)
    first, which = alike(table)
    return problem, Lots(problem, {key: x[first] for key, x in each.items()}, which), count


def alike(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first of each kind of row, and for every row which kind it is, in their order."""
    order = np.argsort(table[:, 0])
    if (np.diff(table[order, 0]) > 0.0).all():  # no two are alike, as mostly
        which = np.empty(len(table), int)
        which[order] = np.arange(len(table))
        return order, which
    _, first, which = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return first, which.ravel()
