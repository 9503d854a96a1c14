"""Charts of the user's own: any map from parameters x to a rotation, with exact Jacobians.

R1, R2, R3 are the columns of R(x). The body angular velocity has the components R3.R2', R1.R3', R2.R1', so

    L_i = (R3 . dR2/dx_i , R1 . dR3/dx_i , R2 . dR1/dx_i)                                   (1)
    L_i' = (R3' . dR2/dx_i + R3 . d(R2')/dx_i , ...)                                        (2)

with derivatives by `Jet` numbers. Where constraints C(x) = 0 tie the parameters, (1) holds for rates with C_x x' = 0, and

    x' = [L; C_x]^+ (omega, 0)                                                              (3)

is the rate that keeps them. The chart is singular where [L; C_x] loses rank.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from locomote.spatial.algebra import dot
from locomote.spatial.charts import Chart
from locomote.spatial.jets import Jet, jet
from locomote.spatial.numbers import as_numbers
from locomote.spatial.rotations_arrays import split, stacked

STEPS = 100  # steps of the search for coordinates


def own_chart(
    name: str,
    size: int,
    rotation: Callable,
    *,
    coordinates: Callable | None = None,
    constraint: Callable | None = None,
    start=None,
    meaning: str = "parameters of an own chart",
) -> Chart:
    """A chart from a map of parameters to a rotation, for `lo.Charted` and all that takes a chart.

    size : how many parameters there are, from 3
    rotation : function of a tuple of numbers -> the nine entries of the rotation matrix (body to outer), row by row or 3 x 3;
        it is run on floats, on arrays and on numbers with derivatives: arithmetic, powers, NumPy's sin, cos, exp, sqrt ...
    coordinates : function of the nine entries, row by row -> parameters; if None they are searched from `start` (zeros)
    constraint : function of the parameters -> what must be zero (a sequence), for more than three of them
    """
    if size < 3 or (size > 3) != (constraint is not None):
        raise ValueError(
            f"chart {name!r} has {size} parameters: three need no constraint, more need constraint= with at least "
            f"size - 3 numbers, "
            f"fewer cannot describe all rotations"
        )
    start = tuple(np.zeros(size) if start is None else split(as_numbers(start, "start", f"({size},)"), size, "start"))
    nine = partial(_nine, name, rotation)
    tie = None if constraint is None else partial(_tied, constraint)
    ties = 0 if tie is None else len(tie(start))
    if tie is not None and ties < size - 3:
        raise ValueError(f"chart {name!r} has {size} parameters and {ties} constraints, expected at least {size - 3}")
    rates = partial(_rates, nine, size)
    slopes = None if tie is None else partial(_constraint_jacobian, tie, size)
    inverse = partial(_inverse_rates, rates, slopes, size, ties)
    search = partial(_searched, name, nine, rates, tie, slopes, size, ties, start)
    return Chart(
        name, size, meaning,
        matrix_of=nine,
        coordinates_of=search if coordinates is None else coordinates,
        rates_of=rates,
        rates_derivative_of=partial(_rates_derivative, nine, size),
        inverse_rates_of=inverse,
        distance_of=partial(_distance, rates, slopes, size, ties),
        constraint_count=ties,
        constraint_of=tie,
        constraint_jacobian_of=slopes,
    )  # fmt: skip


def _nine(name, rotation, x):
    R = rotation(tuple(x))
    if len(R) == 3:
        R = [entry for row in R for entry in row]
    if len(R) != 9:
        raise ValueError(f"the rotation of chart {name!r} gave {len(R)} entries, expected 9 or 3 x 3")
    return tuple(R)


def _tied(constraint, x):
    return tuple(constraint(tuple(x)))


def seeded(x, first, second) -> tuple:
    """Parameters as jets that move along two directions."""
    zero = 0.0 * sum(x[1:], x[0])
    return tuple(Jet(xi + zero, zero + a, zero + b, zero) for xi, a, b in zip(x, first, second, strict=True))


def unit(k: int, size: int) -> tuple:
    """A direction along one parameter."""
    return tuple(1.0 if j == k else 0.0 for j in range(size))


def _columns(R, part):
    values = [getattr(jet(entry), part) for entry in R]
    return values[0::3], values[1::3], values[2::3]


def _rates(nine, size, x):
    still = (0.0,) * size
    L = []
    for k in range(size):
        R = nine(seeded(x, unit(k, size), still))
        (r1, r2, r3), (d1, d2, d3) = _columns(R, "x"), _columns(R, "a")
        L.append((dot(r3, d2), dot(r1, d3), dot(r2, d1)))  # (1)
    return tuple(L[k][row] for row in range(3) for k in range(size))


def _rates_derivative(nine, size, x, rate):
    L = []
    for k in range(size):
        R = nine(seeded(x, unit(k, size), rate))
        (r1, r2, r3), (d1, d2, d3) = _columns(R, "x"), _columns(R, "a")
        (s1, s2, s3), (e1, e2, e3) = _columns(R, "b"), _columns(R, "c")
        L.append((dot(s3, d2) + dot(r3, e2), dot(s1, d3) + dot(r1, e3), dot(s2, d1) + dot(r2, e1)))  # (2)
    return tuple(L[k][row] for row in range(3) for k in range(size))


def _constraint_jacobian(tie, size, x):
    still = (0.0,) * size
    columns = [[jet(c).a for c in tie(seeded(x, unit(k, size), still))] for k in range(size)]
    return tuple(columns[k][row] for row in range(len(columns[0])) for k in range(size))


def _stack(rates, slopes, size, ties, x):
    L = stacked(rates(x), 3, size)
    return L if slopes is None else np.concatenate([L, stacked(slopes(x), ties, size)], axis=-2)


def _inverse_rates(rates, slopes, size, ties, x):
    inverse = np.linalg.pinv(_stack(rates, slopes, size, ties, x))[..., :3]  # (3)
    return tuple(inverse[..., i, j] for i in range(size) for j in range(3))


def _distance(rates, slopes, size, ties, x):
    values = np.linalg.svd(_stack(rates, slopes, size, ties, x), compute_uv=False)
    return np.minimum(values[..., size - 1], 1.0)


def _searched(name, nine, rates, tie, slopes, size, ties, start, R):
    """Parameters of rotations by Gauss-Newton steps on the rotation that is left."""
    goal = stacked(R, 3, 3)
    x = np.broadcast_to(np.array(start), (*goal.shape[:-2], size)).copy()
    for row in np.ndindex(goal.shape[:-2]):
        own, best = x[row], np.inf
        for _ in range(STEPS):
            parts = tuple(own)
            left = np.reshape(nine(parts), (3, 3)).T @ goal[row]
            error = 0.5 * np.array([left[2, 1] - left[1, 2], left[0, 2] - left[2, 0], left[1, 0] - left[0, 1]])
            if np.trace(left) < 0.0:  # more than a right angle away: go along the axis, not along its sine
                error = error / max(np.linalg.norm(error), 1e-3)
            tied = () if tie is None else tie(parts)
            best = max(abs(left - np.eye(3)).max(), *(abs(c) for c in tied), 0.0)
            if best < 1e-14:
                break
            own = own + np.linalg.pinv(_stack(rates, slopes, size, ties, parts)) @ np.concatenate([error, -np.array(tied)])
        if not best < 1e-9:
            raise ValueError(
                f"no parameters of chart {name!r} were found for this rotation: {best:.3g} away after {STEPS} steps; "
                f"give coordinates=, or start= nearer to it"
            )
        x[row] = own
    return tuple(x[..., k] for k in range(size))
