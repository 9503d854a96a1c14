"""Which case of the reduction a system is in: what its constraints decide, what dynamics must decide, what stays in itself.

Unknown velocities x are the external ones (net motion, n) and those of the shape that is not imposed, whether passive or
driven by torques (s_p); imposed ones are given. With the rows A# over x and B_a over imposed velocities:

    m  = rank (A#, B_a)      independent constraints
    m0 = rank A#             independent constraints when imposed joints are locked

    n + s_p = m0: the constraints alone give the motion (kinematic)      n + s_p > m0: dynamics gives the rest
    m = m0: reactions are unique up to rows that are doubled              m > m0: over-constrained, imposed joints must fit
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from locomote.brief import brief
from locomote.evaluation import plan as fields
from locomote.evaluation.plan import Plan
from locomote.evaluation.subsystems import size_of_parts
from locomote.linear.rank import decomposed, rank_of
from locomote.linear.separate import separate
from locomote.locomotion.closed import plan_with_closed
from locomote.locomotion.inputs import checked_time, one_state, refuse_wild_rows
from locomote.model.base import base_joints
from locomote.tables import table

if TYPE_CHECKING:
    from locomote.locomotion.problem import Locomotion

SHOWN = 10  # names in a line
MANY = 64  # cases that are known by their rows
KNOWN: dict[tuple, "Case"] = {}


@brief
@dataclass(frozen=True)
class Case:
    """The classification at one instant; str() says it in words.

    external : n, dimension of the net motion ; passive : s_p, shape coordinates that are not imposed
    rows : constraint rows ; rank : m ; locked_rank : m0 ; free : reduced velocities, columns of H
    self_stress : dimension of the reactions that move nothing (dependent rows included)
    mobility : how many imposed coordinates may move independently
    kinematic, dynamic : names of unknown velocities that the constraints decide, and of those that they do not
    singular_values : of the scaled rows over unknown velocities
    inertia : whether dynamics decides by mass; by the balance of forces, at every instant, if not
    touching : contacts with friction, which open, stick and slide as they must and are no rows here
    parts : how many subsystems the constraints are eliminated in, and the most coordinates that one of them has; none if they
        are eliminated as a whole
    """

    external: int
    passive: int
    rows: int
    rank: int
    locked_rank: int
    free: int
    self_stress: int
    mobility: int
    kinematic: tuple[str, ...]
    dynamic: tuple[str, ...]
    singular_values: tuple[float, ...]
    inertia: bool = True
    touching: int = 0
    parts: tuple[int, int] | None = None

    @property
    def over_constrained(self) -> bool:
        """Whether imposed motions must fit each other (m > m0)."""
        return self.rank > self.locked_rank

    @property
    def name(self) -> str:
        """The cell of the table in two words."""
        if self.rows == 0:
            return "unconstrained" if self.inertia else "without inertia"
        kind = "kinematic" if self.free == 0 else ("mixed" if self.locked_rank else "dynamic")
        kind = kind if self.inertia else f"{kind}, without inertia"
        return f"{kind}, over-constrained" if self.over_constrained else kind

    @property
    def unknown(self) -> str:
        """How many velocities are not imposed, in words."""
        counts = [(n, word) for n, word in ((self.external, "base"), (self.passive, "shape")) if n]
        if not counts:
            return "no unknown velocities"
        verb = "velocity" if counts[0][0] == 1 else "velocities"
        return f"{counts[0][0]} unknown {verb} of the {counts[0][1]}" + "".join(f" and {n} of the {w}" for n, w in counts[1:])

    def lines(self) -> list[tuple[str, str]]:
        """What it says: a word and a sentence each."""
        lines = [(self.name, self.unknown)]
        if self.rows:
            locked = f" ({self.locked_rank} if imposed joints are locked)" if self.over_constrained else ""
            rows = f"{self.rows} constraint row{'s' * (self.rows != 1)} of rank {self.rank}{locked}"
            lines = [(self.name, f"{self.unknown}, {rows}")]
        source = "from dynamics" if self.inertia else "from balance of forces"
        if self.free == 0:
            lines.append(("motion", "the constraints alone decide it" if self.rows else "all of it is imposed"))
        elif self.free == len(self.dynamic):
            lines.append((source, listed(self.dynamic)))
        else:
            lines.append((source, f"{self.free} of what these have together: {listed(self.dynamic)}"))
        if self.kinematic:
            lines.append(("from constraints", listed(self.kinematic)))
        if self.over_constrained:
            count = self.rank - self.locked_rank
            conditions = "a condition" if count == 1 else f"{count} conditions"
            text = f"imposed motions must meet {conditions}; how many may be chosen freely: {self.mobility}"
            lines.append(("over-constrained", text))
        if self.parts:
            count, most = self.parts
            what = f"in {count} subsystems of at most {most} coordinates, at a cost linear in their number"
            lines.append(("elimination", what))
        if self.self_stress:
            lines.append(("reactions", f"unique up to a self-stress of dimension {self.self_stress}"))
        if self.touching:
            one = self.touching == 1
            what = "contact with friction opens, sticks and slides" if one else "contacts with friction open, stick and slide"
            lines.append(("ground", f"{self.touching} {what} in the run; {'it is' if one else 'they are'} not among the rows"))
        return lines

    def __str__(self) -> str:
        return "\n".join(f"{word}: {text}" for word, text in self.lines())

    def _repr_html_(self) -> str:
        return table(self.lines(), title="case of the reduction")


def listed(names: tuple[str, ...]) -> str:
    """Names in a row; of many, the first ones."""
    return ", ".join(names if len(names) <= SHOWN else (*names[: SHOWN - 1], f"and {len(names) - SHOWN + 1} more"))


def case_of(
    A: np.ndarray, lengths: np.ndarray, imposed: np.ndarray, external, passive, names, tolerance: float, inertia: bool = True,
    touching: int = 0, parts: tuple[int, int] | None = None,
) -> Case:  # fmt: skip
    """Classify rows A (rows, nv) of given lengths; `external` and `passive` list the unknown velocities, `names` those of v."""
    rows = A / lengths[:, None]
    unknown = np.array([*external, *passive], dtype=int)
    if not len(rows):  # all is free; said without matrices, which would be large for long chains
        free = tuple(names[k] for k in unknown)
        return Case(len(external), len(passive), 0, 0, 0, len(unknown), 0, int(imposed.sum()), (), free, (), inertia, touching)
    locked = whole = tied = 0
    moves, values = np.ones(A.shape[1], dtype=bool), np.zeros(0)
    for own, columns in separate(rows):
        at = columns[~imposed[columns]]
        left, sizes, right, rank = decomposed(A[np.ix_(own, at)], lengths[own], tolerance)
        locked, values = locked + rank, np.append(values, sizes)
        moves[at] = np.abs(right[rank:]).max(axis=0, initial=0.0) > 1e-7
        whole += rank_of(A[np.ix_(own, columns)], lengths[own], tolerance)
        left_over = left[:, rank:].T @ rows[np.ix_(own, columns[imposed[columns]])]
        tied += rank_of(left_over, np.ones(len(left_over)), tolerance)
    missing = min(len(rows), len(unknown)) - len(values)
    values, dynamic = -np.sort(-np.append(values, np.zeros(missing))), moves[unknown].tolist()
    return Case(
        len(external), len(passive), len(rows), whole, locked, len(unknown) - locked, len(rows) - locked,
        int(imposed.sum()) - tied,
        tuple(names[k] for k, free in zip(unknown, dynamic, strict=True) if not free),
        tuple(names[k] for k, free in zip(unknown, dynamic, strict=True) if free),
        tuple(float(s) for s in values), inertia, touching, parts,
    )  # fmt: skip


def classify(
    problem: "Locomotion", t: float = 0.0, q=None, *, closed: Sequence[str] | None = None, ignore: Sequence[str] = ()
) -> Case:
    """Which case of the reduction the system is in at time t and configuration q, that of the start if None.

    closed : names of the unilateral contacts that hold here; all of them if None, whatever their gap
    ignore : names of constraints of any kind that do not hold here
    """
    start = problem.initial(t=t, ignore=ignore)[0] if q is None else q
    q, v = one_state(problem.model, start, np.zeros(problem.model.nv))
    plan, present = plan_with_closed(problem, closed, ignore)
    if not problem.constraints:
        return problem.case_without_rows
    with problem.scratch(plan) as work:
        A, lengths = problem.rows_of(plan, work, checked_time(t), q, v)[0], work.lengths[present]
    refuse_wild_rows(problem, A)
    return case_with(problem, A[present], lengths, plan)


def case_without_rows(problem: "Locomotion") -> Case:
    """The case of a problem without constraints, the same everywhere."""
    return case_with(problem, np.zeros((0, problem.model.nv)), np.zeros(0), problem.plan)


def case_with(problem: "Locomotion", A: np.ndarray, lengths: np.ndarray, plan: Plan) -> Case:
    """The case of constraint rows A (rows, nv) of given lengths."""
    base = [k for k in range(problem.model.nv) if not problem.imposed[k] and k in problem.external]
    inner = [k for k in range(problem.model.nv) if not problem.imposed[k] and k not in problem.external]
    names = [f"{s.joint}.{s.name}" for s in problem.model.layout().slots if s.vector == "v"]
    touching = len(problem.contacts)
    parts = size_of_parts(plan.subsystems) if plan.options[fields.LOCAL] else None
    rest = (base, inner, names, problem.rank_tolerance, problem.inertia, touching, parts)
    key = (A.tobytes(), lengths.tobytes(), problem.imposed.tobytes(), repr(rest))
    if key not in KNOWN:
        while len(KNOWN) >= MANY:
            KNOWN.pop(next(iter(KNOWN)), None)
        KNOWN[key] = case_of(A, lengths, problem.imposed, *rest)
    return KNOWN[key]


def external(problem: "Locomotion") -> frozenset[int]:
    """Coordinates of v that are the net motion: those of the base, if the model has one."""
    parts = [problem.model.joint(joint.name).v for joint in base_joints(problem.model)]
    return frozenset(k for part in parts for k in range(part.start, part.stop))
