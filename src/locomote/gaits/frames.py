"""The frame in which a connection is least: a frame that moves with the shape, h(x) seen from the base.

    A~_j = Ad(h^-1) A_j - h^-1 dh/dx_j ,   F~ = Ad(h^-1) F                                                           (1)

h is a product of exponentials of twists that are Chebyshev series in x. A factor exp(z) changes A by

    A_j -> A_j - [z, A_j] - dz/dx_j + ...                                                                            (2)

Over the region, with Gauss rules, the integral of |A~|^2 is made least: the translation first, for which (2) is exact and the
problem linear; then the rotation, which leaves that norm as it is: linear in a plane, else by Gauss and Newton.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev

from locomote.brief import brief
from locomote.errors import LocomoteError
from locomote.gaits.gait import Gait
from locomote.gaits.goals import inverse
from locomote.gaits.local_form import SINGULAR, LocalForm
from locomote.gaits.net_motion import Displacement, curvature
from locomote.gaits.path_ordered import structure
from locomote.spatial.groups_arrays import Group

FEWER = 4  # degrees, for the error
NEWTON = 12  # steps, of rotations in space
SETTLED = 1e-9  # rad, of the last of them
FIRM = 1e-15  # of the largest entry, by which normal equations are made definite


@brief
@dataclass(frozen=True, eq=False)
class Frame:
    """A frame that moves with two shape coordinates.

    group : of the net motion ; box : (2, 2) region ; factors : twists (M, n) over Chebyshev polynomials, in order
    error : m or rad, by which four degrees fewer would change the frame anywhere on the region
    norm : (2,) root mean square of the connection in it, of its linear and of its angular part
    """

    group: Group
    box: np.ndarray
    factors: tuple[np.ndarray, ...]
    error: float
    norm: tuple[float, float]

    def pose(self, x) -> np.ndarray:
        """(..., 4, 4) the frame, seen from the base, at shapes x (..., 2)."""
        x = np.asarray(x, dtype=float)
        values, _ = series(self.box, x.reshape(-1, 2), degree_of(self.factors[0]))
        found = np.broadcast_to(np.eye(4), (len(values), 4, 4))
        for factor in self.factors:
            found = found @ self.group.exp(values @ factor)
        return found.reshape(*x.shape[:-1], 4, 4)

    def seen(self, x: np.ndarray, A: np.ndarray, F: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Connections (N, n, 2) and curvatures (N, n) of the base at x (N, 2), as they are in this frame (1)."""
        values, slopes = series(self.box, x, degree_of(self.factors[0]))
        for factor in self.factors:
            A = changed(self.group, A, values @ factor, np.einsum("pjm,mn->pjn", slopes, factor))
        back = self.group.adjoint(inverse(self.pose(x)))
        return A, np.einsum("pij,pj->pi", back, F)

    def log(self, net: Displacement) -> np.ndarray:
        """(n,) log of a net motion as it is in this frame, from the shape that the gait starts at."""
        h = self.pose(net.gait.shapes(0.0)[0])
        return self.group.log(inverse(h) @ net.pose @ h)

    def area(self, form: LocalForm, gait: Gait, *, rings: int = 12) -> np.ndarray:
        """(n,) what the area rule says of a gait in this frame: minus the integral of the curvature."""
        panels = gait.panels(24)
        shares = panels.shares.ravel()
        x, rates, _ = gait.shapes(panels.nodes.ravel())
        middle, total = shares @ x / gait.period, np.zeros(self.group.size)
        s, w = np.polynomial.legendre.leggauss(rings)
        for u, weight in zip((s + 1) / 2, w / 2, strict=True):
            places = middle + u * (x - middle)
            local = form(places)
            F = self.seen(places, local.A, curvature(form, local)[:, 0, 1])[1]
            across = (x - middle)[:, 0] * rates[:, 1] - (x - middle)[:, 1] * rates[:, 0]
            total -= weight * u * ((shares * across) @ F)
        return total


def best_frame_of(form: LocalForm, box: np.ndarray, degree: int) -> Frame:
    """The frame in which the connection of a local form over two coordinates is least on a box."""
    if isinstance(degree, bool) or not isinstance(degree, (int, np.integer)) or not 2 <= degree <= 40:
        raise ValueError(f"degree is {degree!r:.60}, expected an integer from 2 to 40")
    x, weights = gauss_grid(box, int(degree) + 6)
    local = form(x)
    if not (local.sound > SINGULAR).all() or (local.side != local.side[0]).any():
        raise LocomoteError(
            f"the region has singular shapes of {form.problem.name!r}, at which the connection is not finite, so that it "
            f"has no best frame over it; take one to one side of them"
        )
    factors, A = fitted(form.group, local.A, box, x, weights, int(degree))
    fewer, _ = fitted(form.group, local.A, box, x, weights, max(int(degree) - FEWER, 1))
    total = weights.sum()
    angular = np.array([a > 2 for a in form.group.axes])
    norm = tuple(float(np.sqrt(np.einsum("p,pnj->", weights, A[:, part] ** 2) / total)) for part in (~angular, angular))
    made = Frame(form.group, box, factors, 0.0, (norm[0], norm[1]))
    error = float(abs(made.pose(x) - Frame(form.group, box, fewer, 0.0, (0.0, 0.0)).pose(x)).max())
    return Frame(form.group, box, factors, error, (norm[0], norm[1]))


def fitted(group: Group, A: np.ndarray, box, x, weights, degree: int) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Factors of the best frame, and the connection in it at the nodes."""
    values, slopes = series(box, x, degree)
    linear = [j for j, a in enumerate(group.axes) if a < 3]
    angular = [j for j, a in enumerate(group.axes) if a > 2]
    factors = []
    for axes, most in ((linear, 1), (angular, 1 if len(angular) == 1 else NEWTON)):
        for _ in range(most if axes else 0):
            factor = least(group, A, values, slopes, weights, axes)
            factors.append(factor)
            A = changed(group, A, values @ factor, np.einsum("pjm,mn->pjn", slopes, factor))
            if abs(values @ factor).max() < SETTLED:
                break
    return tuple(factors), A


def least(group: Group, A, values, slopes, weights, axes: Sequence[int]) -> np.ndarray:
    """(M, n) the factor that makes (2) least over the nodes, along some axes; of least size where it is not unique."""
    from scipy.linalg import cho_factor, cho_solve

    S, count, size = structure(group)[np.ix_(axes, axes, range(group.size))], len(values), values.shape[1]
    root = np.sqrt(weights)
    rows = np.einsum("cab,pbj,pm->pjcma", S, A, values, optimize=True)
    for c in range(len(axes)):
        rows[:, :, c, :, c] += slopes
    rows = (root[:, None, None, None, None] * rows).reshape(count * 2 * len(axes), size * len(axes))
    wanted = (root[:, None, None] * A[:, axes].transpose(0, 2, 1)).ravel()
    found = np.zeros((size, group.size))
    normal = rows.T @ rows
    normal[np.diag_indices(len(normal))] += FIRM * normal.diagonal().max()  # a turn that is everywhere the same changes nothing
    factor = cho_factor(normal, check_finite=False)
    best = cho_solve(factor, rows.T @ wanted)
    best += cho_solve(factor, rows.T @ (wanted - rows @ best))  # once more, for the digits that squares have lost
    found[:, axes] = best.reshape(size, len(axes))
    return found


def changed(group: Group, A: np.ndarray, z: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """(1) for h = exp(z): A (N, n, 2), z (N, n), slopes (N, 2, n) of z."""
    back = group.adjoint(inverse(group.exp(z)))
    return back @ A - group.tangent(z) @ slopes.transpose(0, 2, 1)


def gauss_grid(box: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes (N, 2) and weights of a Gauss rule over a box."""
    s, w = np.polynomial.legendre.leggauss(count)
    parts = [low + (s + 1) / 2 * (high - low) for low, high in box]
    x = np.stack(np.meshgrid(*parts, indexing="ij"), axis=-1).reshape(-1, 2)
    return x, np.outer(w, w).ravel()


def series(box: np.ndarray, x: np.ndarray, degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Products of Chebyshev polynomials, up to a degree in all, (N, M) at x (N, 2), and their slopes (N, 2, M)."""
    low, high = box[:, 0], box[:, 1]
    u, scale = (2 * x - low - high) / (high - low), 2 / (high - low)
    T = [chebyshev.chebvander(u[:, j], degree) for j in range(2)]
    D = [T[j][:, :degree] @ chebyshev.chebder(np.eye(degree + 1)).reshape(degree, -1) * scale[j] for j in range(2)]

    first, second = np.array([(a, b) for a in range(degree + 1) for b in range(degree + 1 - a)]).T

    def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return a[:, first] * b[:, second]

    return product(T[0], T[1]), np.stack([product(D[0], T[1]), product(T[0], D[1])], axis=1)


def degree_of(factor: np.ndarray) -> int:
    """Of the polynomials of a factor."""
    return round((np.sqrt(8 * len(factor) + 1) - 3) / 2)
