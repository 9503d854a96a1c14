"""Choosing the self-stress: of all reactions that go with a motion, those that contacts can give and drives can bear.

Where rows depend on each other, reactions and torques of one motion are (Boyer and Belkhiri 2013, (26), (27) and remark 7)

    lam = lam_0 + N mu ,   tau = tau_0 + T mu ,   T = -B_a^T N ,   mu any                                            (1)

N a basis of the self-stress. mu is found by a least-squares problem over as many numbers as N has columns:

    min |lam| , |tau| or sum (lam_r^2 / w_r)                                                                         (2)
    with   lam_r >= 0 of rows that only push ,   |lam_tangential| <= friction lam_normal ,   low <= tau <= high

Torques leave mu free where a self-stress takes none; among those that take the same the norm of lam decides.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.constraints import columns as col
from locomote.errors import LocomoteError, UnknownName
from locomote.evaluation.plan import Plan
from locomote.locomotion.closed import plan_with_closed
from locomote.locomotion.inputs import checked_list

if TYPE_CHECKING:
    from locomote.locomotion.evaluation import Evaluation
    from locomote.qp.least_squares import Limits

CHOICES = ("least_norm", "least_torque")
ROUNDING = 1e-9  # of the largest reaction: a pull that is none
Z = 2
NORMALS, TANGENTS = ("z", "normal"), ("x", "y", "forward", "lateral")


class NoReactions(LocomoteError, ArithmeticError):
    """No reactions of the motion stay within what was asked of them. `names` : whose limits contradict each other."""

    def __init__(self, problem: str, names: Sequence[str]):
        self.problem, self.names = problem, list(names)
        shown = ", ".join(map(repr, self.names[:6])) + (", ..." if len(self.names) > 6 else "")
        super().__init__(
            f"no reactions of {problem!r} make this motion and stay within what was asked of {shown}: what pushes would have "
            f"to pull, slip or take more torque; let a contact go (closed=[...]), or ask for less"
        )

    def __reduce__(self):
        return type(self), (self.problem, self.names)


def pushing_rows(plan: Plan) -> list[int]:
    """Normal rows of the unilateral contacts that are closed in a plan."""
    found = []
    for c in np.flatnonzero((plan.integers[:, col.UNILATERAL] > 0) & (plan.integers[:, col.ACTIVE] != 0)):
        first, count = (int(n) for n in plan.integers[c, [col.FIRST, col.COUNT]])
        found.append(first + list(plan.integers[c, col.ROWS : col.ROWS + count]).index(Z))
    return found


def pushed(now: "Evaluation", rows: list[int]) -> "Evaluation":
    """The same motion with reactions of least norm among those in which the given rows do not pull; where some have to, among
    those with the least pull (sum of squares)."""
    size = abs(now.reactions).max(initial=0.0)
    if not rows or not now.self_stress.shape[1] or now.reactions[rows].min() >= 0.0:
        return now
    if now.reactions[rows].min() >= -ROUNDING * size:
        return rounded(now, rows)
    from locomote.qp.least_squares import Contradiction, Limits, least  # few problems need it

    N, lam, count = now.self_stress, now.reactions, len(rows)
    own = Limits(N[rows], -lam[rows], np.full(count, np.inf), [""] * count)
    try:
        return rounded(now.with_self_stress(least(N, lam, N, lam, own)), rows)
    except Contradiction:
        pass
    k, none = N.shape[1], np.zeros((count, N.shape[1]))
    pull, stress = np.hstack([none, np.eye(count)]), np.hstack([N, np.zeros((len(N), count))])
    A = np.vstack([np.hstack([N[rows], np.eye(count)]), pull])
    slack = Limits(A, np.append(-lam[rows], np.zeros(count)), np.full(2 * count, np.inf), [""] * (2 * count))
    both, wish = np.vstack([stress, pull]), np.append(lam, np.zeros(count))
    return rounded(now.with_self_stress(least(pull, np.zeros(count), both, wish, slack)[:k]), rows)


def rounded(now: "Evaluation", rows: list[int], signs: Sequence[float] | None = None) -> "Evaluation":
    """Pulls that are rounding, taken as none."""
    lam, size = now.reactions.copy(), abs(now.reactions).max(initial=0.0)
    for r, sign in zip(rows, signs or [1.0] * len(rows), strict=True):
        if -ROUNDING * size <= sign * lam[r] < 0.0:
            lam[r] = 0.0
    return replace(now, reactions=lam)


def reactions(
    problem,
    t: float,
    q,
    v,
    *,
    choose: str | Sequence[float] | Mapping[str, float] = "least_norm",
    unilateral: Sequence[str] | Mapping[str, float] = (),
    friction: float | Mapping[str, float] | None = None,
    torque_bounds: float | str | Mapping[str, Any] | None = None,
    closed: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    contacts: Mapping[str, str] | None = None,
) -> "Evaluation":
    """The evaluation at a state with the self-stress chosen: reactions and torques that make the same motion.

    choose : "least_norm" of reactions, "least_torque" of imposed coordinates (then of reactions), or weights, one a row or
        by names of constraints (others 1): the sum of reaction^2 / weight is least, so that a larger weight carries more
    unilateral : names of constraints that only push besides contacts that are unilateral anyway; {name: -1} only pulls, as a
        rope does. Of several rows the normal (z, normal) is meant; "name.row" names another one
    friction : coefficient of all contacts that push and have tangential rows, or {name: coefficient}; cones are round
    torque_bounds : of imposed coordinates, N or N m: a number, {joint: bound or (lower, upper)}, or "model" for its limits
    closed, ignore, contacts : as of `evaluate`; forces of lo.Touch are those that it finds, and stay

    A lo.NoReactions names what contradicts if there are none.
    """
    from locomote.qp.least_squares import Contradiction, least

    now = problem.evaluate(t, q, v, closed=closed, ignore=ignore, contacts=contacts)
    labels = problem.constraint_labels
    present = plan_with_closed(problem, closed, ignore)[0]
    signs = dict.fromkeys(pushing_rows(present), 1.0) | one_sided(labels, unilateral)
    cones = friction_of(labels, signs, friction)
    signs |= {cone[0]: 1.0 for cone in cones}
    limits = limits_of(problem, now, labels, signs, cones, torque_bounds)
    N, lam = now.self_stress, now.reactions
    F, f = wished(problem, now, labels, choose)
    try:
        amounts = least(F, f, N, lam, limits)
    except Contradiction as found:
        raise NoReactions(problem.name, found.owners) from None
    return rounded(now.with_self_stress(amounts), list(signs), list(signs.values()))


def wished(problem, now: "Evaluation", labels, choose) -> tuple[np.ndarray, np.ndarray]:
    """F and f whose least squares are (2)."""
    if isinstance(choose, str):
        if choose not in CHOICES:
            raise UnknownName("choice", choose, CHOICES, "reactions; weights of rows are another")
        if choose == "least_norm":
            return now.self_stress, now.reactions
        return now.self_stress_torques[problem.imposed], now.tau[problem.imposed]
    titles = [label[0] for label in labels]
    if isinstance(choose, Mapping):
        for name in choose:
            if name not in titles:
                raise UnknownName("constraint", name, dict.fromkeys(titles), repr(problem.name))
        choose = [choose.get(name, 1.0) for name in titles]
    try:
        weights = np.asarray(choose, dtype=float)
    except (TypeError, ValueError):
        weights = np.zeros(0)
    if weights.shape != (len(labels),) or not ((weights > 0.0) & (weights < np.inf)).all():
        raise ValueError(
            f"choose is {choose!r:.60}, expected 'least_norm', 'least_torque' or {len(labels)} positive weights, one a row"
        )
    root = np.sqrt(weights)
    return now.self_stress / root[:, None], now.reactions / root


def row_named(labels, name: str, why: str) -> int:
    """The row that a name stands for: "constraint" (its only row, or the normal), or "constraint.row"."""
    rows = [r for r, label in enumerate(labels) if label[0] == name]
    normal = rows if len(rows) == 1 else [r for r in rows if labels[r][1] in NORMALS]
    if len(normal) == 1:
        return normal[0]
    channels = [f"{label[0]}.{label[1]}" for label in labels]
    if name in channels:
        return channels.index(name)
    if rows:
        said = ", ".join(repr(channels[r]) for r in rows[:6])
        raise ValueError(f"{why} names {name!r}, which has no normal; name one of its rows: {said}")
    raise UnknownName("constraint", name, [*dict.fromkeys(label[0] for label in labels), *channels], why)


def one_sided(labels, unilateral) -> dict[int, float]:
    """Row -> sign of the reactions it may have."""
    given = (
        unilateral if isinstance(unilateral, Mapping) else dict.fromkeys(map(str, checked_list("unilateral", unilateral)), 1)
    )
    for name, sign in given.items():
        if not isinstance(sign, Real) or sign not in (1, -1):
            raise ValueError(f"unilateral[{name!r}] is {sign!r}, expected 1 (it pushes) or -1 (it pulls)")
    return {row_named(labels, name, "unilateral"): float(sign) for name, sign in given.items()}


def friction_of(labels, signs: dict[int, float], friction) -> list[tuple[int, list[int], float]]:
    """(normal row, tangential rows, coefficient) of each cone."""
    if friction is None:
        return []
    if not isinstance(friction, (Real, Mapping)) or (isinstance(friction, Real) and not 0.0 <= float(friction) < np.inf):
        raise ValueError(f"friction is {friction!r:.60}, expected a coefficient, zero or more, or one for each name")
    if isinstance(friction, Mapping):
        given = {row_named(labels, name, "friction"): (name, value) for name, value in friction.items()}
    else:
        pushing = [r for r, sign in signs.items() if sign > 0 and labels[r][1] in NORMALS]
        given = {r: (labels[r][0], friction) for r in pushing}
    cones = []
    for row, (name, value) in given.items():
        if not isinstance(value, Real) or isinstance(value, bool) or not 0.0 <= float(value) < np.inf:
            raise ValueError(f"friction of {name!r} is {value!r}, expected a coefficient, zero or more")
        sides = [r for r, label in enumerate(labels) if label[0] == labels[row][0] and label[1] in TANGENTS]
        if labels[row][1] not in NORMALS or (isinstance(friction, Mapping) and not sides):
            raise ValueError(f"friction names {name!r}, which has no row along its normal and others across it")
        if sides:
            cones.append((row, sides, float(value)))
    return cones


def limits_of(problem, now: "Evaluation", labels, signs, cones, torque_bounds) -> "Limits":
    """The limits of (2) over mu."""
    from locomote.qp.least_squares import Cone, Limits

    N, lam, owners = now.self_stress, now.reactions, [labels[r][0] for r in signs]
    rows, sign = list(signs), np.array(list(signs.values()))
    A, lower = [sign[:, None] * N[rows]], [-sign * lam[rows]]
    upper = [np.full(len(rows), np.inf)]
    for k, (low, high) in bounds_of(problem, torque_bounds).items():
        A.append(now.self_stress_torques[k : k + 1])
        lower.append(np.array([low - now.tau[k]]))
        upper.append(np.array([high - now.tau[k]]))
        owners.append(f"torque of {joint_of(problem, k)}")
    round_ones = [Cone(N[sides], lam[sides], value * N[row], float(value * lam[row])) for row, sides, value in cones]
    whose = [f"friction of {labels[row][0]}" for row, _, _ in cones]
    return Limits(np.vstack(A), np.concatenate(lower), np.concatenate(upper), owners, round_ones, whose)


def joint_of(problem, k: int) -> str:
    """The joint of a coordinate of v."""
    return next(slot.joint for slot in problem.model.layout() if slot.vector == "v" and slot.index == k)


def bounds_of(problem, given) -> dict[int, tuple[float, float]]:
    """Coordinate of v -> (lower, upper) of its torque; of those that are imposed."""
    imposed = [int(k) for k in np.flatnonzero(problem.imposed)]
    if given is None:
        return {}
    if isinstance(given, str):
        if given != "model":
            raise ValueError(f"torque_bounds is {given!r}, expected a number, a table of joints, or 'model' for its limits")
        return {k: pair(f"the limit of {joint_of(problem, k)!r}", problem.model.effort_limit[k]) for k in imposed}
    if not isinstance(given, Mapping):
        return {k: pair("torque_bounds", given) for k in imposed}
    found = {}
    for name, value in given.items():
        slots = problem.model.joint(name).v
        held = [k for k in range(slots.start, slots.stop) if problem.imposed[k]]
        if not held:
            raise ValueError(f"torque_bounds names {name!r}, which is not imposed: its torque is given, not found")
        found |= {k: pair(f"torque_bounds[{name!r}]", value) for k in held}
    return found


def pair(label: str, value) -> tuple[float, float]:
    """(lower, upper) from a bound or a pair."""
    try:
        low, high = (float(x) for x in ((-value, value) if np.ndim(value) == 0 else value))
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if not low <= high:
        raise ValueError(f"{label} is {value!r:.60}, expected a bound that is not negative, or (lower, upper)")
    return low, high
