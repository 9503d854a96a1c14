"""Least squares under rows and cones: the point nearest to a wish, and of several such the one nearest to a second wish.

    min |F x + f|   with   lower <= A x <= upper ,   |T_c x + t_c| <= n_c.x + m_c                                    (1)
    then, of all x that reach it,   min |S x + s| ,   columns of (F; S) independent                                  (2)

With F = Q R, y = R x, a program is that of the point nearest to -Q^T f (H is the identity). A cone is met by tangent planes: a
point outside of it, along the unit vector d, adds the row n_c.x + m_c - d.(T_c x + t_c) >= 0, which holds in all of the cone.
Such programs have more points than (1), so that what has no solution with the planes has none with the cones. Planes leave an
angle of the root of what sticks out; Newton steps on the optimality conditions of the cones that are touched, w_c their
multipliers, take the rest:

    y + Q^T f = sum u_i a_i + sum w_c grad g_c ,   a_i.y = b_i ,   g_c = n_c.y + m_c - |T_c y + t_c| = 0             (4)

Where F has a kernel, x = V_1 y_1 + V_2 y_2, F V_2 = 0, (1) is solved by proximal steps

    y <- argmin |F V_1 y_1 + f|^2 + e |y_2 - y_2 of before|^2                                                        (3)

which end at a solution of (1) itself, not of a nearby one; its y_1 is unique, and (2) is over y_2 alone.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from locomote.qp.solve import solve_qp

KERNEL = 1e-11  # singular values of F, of the largest, that count as none
ROUNDS = 200  # of tangent planes; each narrows an angle to a part of itself
PROXIMAL, STEPS = 1e-3, 60  # e of (3)
ROUNDING, ROUNDOFF = 1e-11, 1e-14  # of the size of the numbers: by which a limit may be missed; of a row: what is none
CONE, STILL = 1e-11, 1e-13  # of the size of the numbers: what may stick out of a cone; change that ends (3)
NEWTON, NEARBY, APEX = 4, 1e-3, 1e-6  # steps of (4); how far they may lead; lengths at which a cone has no tangent plane


@dataclass(frozen=True)
class Cone:
    """|T x + t| <= n.x + m ; T : (1, k) or (2, k)"""

    T: np.ndarray
    t: np.ndarray
    n: np.ndarray
    m: float


@dataclass
class Limits:
    """Rows lower <= A x <= upper and cones; `owners` say whose each row is, then each cone, for the reasons of a refusal."""

    A: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    owners: list[str]
    cones: list[Cone] = field(default_factory=list)
    cone_owners: list[str] = field(default_factory=list)

    def moved(self, x: np.ndarray, V: np.ndarray) -> "Limits":
        """The same limits of x + V y, over y; what y moves by rounding alone it does not move."""
        shift, A = self.A @ x, self.A @ V
        A[abs(A) <= ROUNDOFF * np.linalg.norm(self.A, axis=1, keepdims=True)] = 0.0
        cones = [Cone(c.T @ V, c.t + c.T @ x, c.n @ V, float(c.m + c.n @ x)) for c in self.cones]
        return Limits(A, self.lower - shift, self.upper - shift, self.owners, cones, self.cone_owners)

    def widened(self, room: float) -> "Limits":
        """The same limits with some room beyond each."""
        cones = [replace(c, m=c.m + room) for c in self.cones]
        return replace(self, lower=self.lower - room, upper=self.upper + room, cones=cones)


class Contradiction(ArithmeticError):
    """No x meets all limits; `owners` are those whose limits contradict each other."""

    def __init__(self, owners: list[str]):
        self.owners = owners
        super().__init__(f"limits contradict each other: {', '.join(owners)}")


def planes(cone: Cone) -> list[tuple[np.ndarray, float]]:
    """Rows (a, b), a.x >= b, to begin with: the axis of a cone, and tangents along the axes of its base."""
    rows = [(cone.n, -cone.m)]
    for T, t in zip(cone.T, cone.t, strict=True):
        rows += [(cone.n - T, t - cone.m), (cone.n + T, -t - cone.m)]
    return rows


def size_of(f: np.ndarray, limits: Limits) -> float:
    """The largest of the numbers, one if all are zero: tolerances of programs are those of numbers near one."""
    bounds = np.concatenate([limits.lower, limits.upper, *(np.append(c.t, c.m) for c in limits.cones)])
    return float(max(abs(f).max(initial=0.0), abs(bounds[np.isfinite(bounds)]).max(initial=0.0))) or 1.0


def nearest(F: np.ndarray, f: np.ndarray, limits: Limits) -> np.ndarray:
    """x of (1), columns of F independent; Contradiction if there is none."""
    Q, R = np.linalg.qr(F)
    back, size, wish = np.linalg.inv(R), size_of(f, limits), Q.T @ f
    own = limits.moved(np.zeros(len(R)), back)
    A, lower, upper, whose = own.A, own.lower, own.upper, np.full(len(own.A), -1)  # whose : number of the cone of a plane
    added, active = [(c, a, b) for c, cone in enumerate(own.cones) for a, b in planes(cone)], np.zeros(len(A), dtype=np.int64)
    for _ in range(ROUNDS):
        A = np.vstack([A, *(a for _, a, _ in added)])
        lower = np.concatenate([lower, [b for *_, b in added]])
        upper = np.concatenate([upper, np.full(len(added), np.inf)])
        whose = np.concatenate([whose, np.array([c for c, *_ in added], dtype=int)])
        active = np.concatenate([active, np.zeros(len(added), dtype=np.int64)])
        found = solve_qp(np.eye(len(R)), wish / size, A, lower / size, upper / size, active=active)
        if found.status == "infeasible":
            names = [own.owners[i] if whose[i] < 0 else own.cone_owners[whose[i]] for i in np.flatnonzero(found.multipliers)]
            raise Contradiction(list(dict.fromkeys(names)))
        if found.status != "solved":
            raise ArithmeticError(f"a quadratic program of {len(R)} unknowns and {len(A)} rows ended with: {found.status}")
        y, active, added = found.x * size, found.active, []
        for c, cone in enumerate(own.cones):
            across = cone.T @ y + cone.t
            length = float(np.linalg.norm(across))
            if len(across) > 1 and length - (cone.n @ y + cone.m) > CONE * (length + size):
                d = across / length
                added.append((c, cone.n - d @ cone.T, float(d @ cone.t - cone.m)))
        if not added:
            break
    u = found.multipliers * size
    return back @ polished(y, wish, u, A, np.where(u > 0, lower, upper), whose, own, size)


def polished(y, wish, u, A, bounds, whose, limits: Limits, size: float) -> np.ndarray:
    """y of (4), from one that planes gave with multipliers u; that one itself where the steps do not settle nearby."""
    lengths = [float(np.linalg.norm(c.T @ y + c.t)) for c in limits.cones]
    round_ones = [c for c, cone in enumerate(limits.cones) if len(cone.t) > 1 and lengths[c] > APEX * size]
    touched = [c for c in round_ones if u[whose == c].any()]  # at an apex planes are exact
    if not touched:
        return y
    rows = np.flatnonzero((u != 0.0) & ~np.isin(whose, touched))
    cones, k = [limits.cones[c] for c in touched], len(y)
    x, w = y.copy(), np.concatenate([u[rows], [u[whose == c].sum() for c in touched]])
    for _ in range(NEWTON):
        hessian, gradients, gaps = np.eye(k), [*A[rows]], [*(A[rows] @ x - bounds[rows])]
        for cone, weight in zip(cones, w[len(rows) :], strict=True):
            across = cone.T @ x + cone.t
            length = np.linalg.norm(across)
            d = across / length
            gradients.append(cone.n - d @ cone.T)
            gaps.append(cone.n @ x + cone.m - length)
            hessian += weight / length * cone.T.T @ (np.eye(len(d)) - np.outer(d, d)) @ cone.T
        G, gap = np.array(gradients), np.array(gaps)
        left = np.concatenate([x + wish - G.T @ w, gap])
        matrix = np.block([[hessian, -G.T], [G, np.zeros((len(G), len(G)))]])
        step = np.linalg.lstsq(matrix, -left, rcond=1e-13)[0]
        x, w = x + step[:k], w + step[k:]
    inside = all(np.linalg.norm(c.T @ x + c.t) - (c.n @ x + c.m) <= CONE * size for c in limits.cones)
    held = (limits.A @ x >= limits.lower - CONE * size).all() and (limits.A @ x <= limits.upper + CONE * size).all()
    near = np.linalg.norm(x - y) <= NEARBY * size and abs(left).max() <= CONE * size
    return x if inside and held and near else y


def judged(limits: Limits, size: float) -> np.ndarray:
    """No unknowns, if limits allow that."""
    off = (limits.lower > CONE * size) | (limits.upper < -CONE * size)
    names = [owner for owner, bad in zip(limits.owners, off, strict=True) if bad]
    outside = [np.linalg.norm(c.t) - c.m > CONE * size for c in limits.cones]
    names += [owner for owner, bad in zip(limits.cone_owners, outside, strict=True) if bad]
    if names:
        raise Contradiction(list(dict.fromkeys(names)))
    return np.zeros(0)


def least(F: np.ndarray, f: np.ndarray, S: np.ndarray, s: np.ndarray, limits: Limits) -> np.ndarray:
    """x (n,) of (1), and among several of (2); Contradiction if the limits leave none."""
    if not F.shape[1]:
        return judged(limits, size_of(f, limits))
    _, values, right = np.linalg.svd(F) if len(F) else (None, np.zeros(0), np.eye(F.shape[1]))
    rank = int((values > KERNEL * values.max(initial=0.0)).sum())
    V, none = right.T, np.zeros(F.shape[1])
    if rank == F.shape[1]:
        return nearest(F, f, limits)
    within, tied = limits.moved(none, V), V[:, rank:]
    prox = np.sqrt(PROXIMAL) * max(values.max(initial=0.0), 1e-300) if rank else 1.0
    whole = np.vstack([F @ V, prox * np.eye(len(V))[rank:]])
    y = np.zeros(len(V))
    for _ in range(STEPS if rank else 0):
        before, y = y, nearest(whole, np.concatenate([f, -prox * y[rank:]]), within)
        if abs(y - before).max() <= STILL * abs(y).max(initial=1e-300):
            break
    x = V[:, :rank] @ y[:rank]
    left = limits.moved(x, tied)
    for room in (0.0, ROUNDING * size_of(f, limits)):  # limits that the first wish meets just so may be missed by rounding
        try:
            return x + tied @ nearest(S @ tied, S @ x + s, left.widened(room))
        except Contradiction:  # then the first wish leaves one point; without it, of the limits
            if not rank:
                raise
    return V @ y
