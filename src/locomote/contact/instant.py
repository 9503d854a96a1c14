"""Coulomb's law of all contacts at one instant: forces p and accelerations u = Y Y^T p + b, or impulses and velocities.

Y are rows of contacts (t1, t2, n of each) over a mass matrix of one, without what constraints take. A contact that slips has
the direction d of its slip, one at rest finds it by the law:

    0 <= p_n  orth  u_n >= 0 ;   at rest |p_t| <= mu p_n , p_t = -mu p_n u_t / |u_t| where it starts to slip         (1)
                                 slipping p_t = -mu p_n d                                                            (2)
    rolling and spinning are held by moments |p_r| <= arm p_n, or -arm p_n times the sign of the spin                (3)

by proximal semismooth Newton as in `proximal`, whose equations hold here with (2) and (3) in the law. With friction (1) to (3)
may have no answer or several (Painleve): of a few contacts all combinations of open, sticking and slipping are looked at, of
more what is found from several starts.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

FIRST_KAPPA, GROWTH, SLOW_GROWTH, STIFFEST = 100.0, 30.0, 3.0, 1e7
ROUNDS, STEPS, HALVES, FAILURES = 40, 30, 7, 6
STARTS, MANY = 6, 24  # of Newton's method, where contacts are too many to try all; of more than MANY one
MOST = 300  # combinations that are looked at one by one
ANGLES = 8  # from which directions of slip are looked for
SETTLED = 1e-10  # of w, and of one: a round is solved; rounding of stiff rounds is about a tenth of it
AIMED, MET, APART = 1e-12, 1e-9, 1e-7  # of the largest u: aimed at, accepted, between two answers
OPEN, STICK, SLIDE = "open", "stick", "slide"


@dataclass(frozen=True)
class Contacts:
    """What holds at c contacts, whose rows come first, and at rows of moments, which follow.

    friction : (c,) ; slip : (c, 2) unit vector of the slip, NaN at rest ; load : (c,) normal force of ground that gives way,
        NaN of hard ground
    owner, arms, spin : (k,) contact, m, and sign of the spin of each row of moments, NaN if it does not turn
    """

    friction: np.ndarray
    slip: np.ndarray
    load: np.ndarray
    owner: np.ndarray
    arms: np.ndarray
    spin: np.ndarray

    @property
    def count(self) -> int:
        """c"""
        return len(self.friction)

    @property
    def at_rest(self) -> np.ndarray:
        """(c,) whether each does not slip."""
        return np.isnan(self.slip[:, 0])


def law(contacts: Contacts, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Forces of (1) to (3) nearest to y (m,), and their derivative (m, m)."""
    p, slope = np.zeros(len(y)), np.zeros((len(y), len(y)))
    for c in range(contacts.count):
        t, n, mu = slice(3 * c, 3 * c + 2), 3 * c + 2, contacts.friction[c]
        if np.isnan(contacts.load[c]):
            p[n], slope[n, n] = max(0.0, y[n]), float(y[n] > 0.0)
        else:
            p[n] = contacts.load[c]
        if p[n] <= 0.0:
            continue
        if not contacts.at_rest[c]:
            p[t], slope[t, n] = -mu * p[n] * contacts.slip[c], -mu * contacts.slip[c] * slope[n, n]  # (2)
            continue
        size = float(np.hypot(*y[t]))
        if size <= mu * p[n]:
            p[t], slope[t, t] = y[t], np.eye(2)
        else:
            d = y[t] / size
            p[t], slope[t, n] = mu * p[n] * d, mu * d * slope[n, n]
            slope[t, t] = mu * p[n] / size * (np.eye(2) - np.outer(d, d))
    for k, (c, arm, spin) in enumerate(zip(contacts.owner, contacts.arms, contacts.spin, strict=True)):
        r, n = 3 * contacts.count + k, 3 * c + 2
        if np.isnan(spin) and abs(y[r]) <= arm * p[n]:
            p[r], slope[r, r] = y[r], 1.0
        else:
            sign = np.sign(y[r]) if np.isnan(spin) else -spin
            p[r], slope[r, n] = sign * arm * p[n], sign * arm * slope[n, n]
    return p, slope


def sizes_of(contacts: Contacts, Y: np.ndarray) -> np.ndarray:
    """(m,) the largest squared row of the contact, or of the row of moments, that each row belongs to."""
    squares, count = (Y**2).sum(axis=1), 3 * contacts.count
    most = np.repeat(squares[:count].reshape(-1, 3).max(axis=1, initial=0.0), 3)
    return np.maximum(np.concatenate([most, squares[count:]]), 1e-12 * max(squares.max(initial=0.0), 1e-300))


def left(contacts: Contacts, sizes: np.ndarray, p: np.ndarray, u: np.ndarray) -> float:
    """How far forces and accelerations are from the law, as an acceleration."""
    return float(abs((p - law(contacts, p - u / sizes)[0]) * sizes).max(initial=0.0))


def newton(contacts: Contacts, Y: np.ndarray, b: np.ndarray, start: np.ndarray, aim: float) -> tuple[np.ndarray, float]:
    """Forces from a start, and how far from the law they are."""
    sizes, lam, kappa, growth = sizes_of(contacts, Y), start, FIRST_KAPPA, GROWTH
    best, least, failures = start, np.inf, 0
    for _ in range(ROUNDS):
        rho, w, solved = kappa / sizes, Y.T @ lam, False

        def off(w, lam=lam, rho=rho):
            p, slope = law(contacts, lam - rho * (Y @ w + b))
            return p, slope, w - Y.T @ p

        p, slope, F = off(w)
        for _ in range(STEPS):
            G = slope * rho
            try:
                dw = np.linalg.solve(np.eye(len(w)) + Y.T @ G @ Y, -F)
            except np.linalg.LinAlgError:
                break
            after, u = p - G @ (Y @ dw), Y @ (w + dw) + b
            miss = left(contacts, sizes, after, u)
            if miss < least:
                best, least = after, miss
            if miss <= aim:
                return best, least
            for part in 0.5 ** np.arange(HALVES):
                trial = off(w + part * dw)
                if trial[2] @ trial[2] < (1.0 - 0.1 * part) * (F @ F):
                    break
            else:
                break
            w, (p, slope, F) = w + part * dw, trial
            if F @ F < SETTLED**2 * (1.0 + w @ w):
                solved = True
                break
        if solved:
            lam, kappa = p, min(kappa * growth, STIFFEST)
        else:
            failures, kappa, growth = failures + 1, 0.1 * kappa, SLOW_GROWTH
            if failures > FAILURES:
                break
    return best, least


def answers(contacts: Contacts, Y: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
    """All forces (m,) that were found to meet the law and that move differently, none if there are none.

    First those that move least; where normal forces can be shared in many ways, those of contacts that all give way alike.
    """
    scale = max(abs(b).max(initial=0.0), 1e-300)
    found: list[tuple[np.ndarray, np.ndarray]] = []

    def take(p):
        w = Y.T @ p
        size = max(scale / max(np.sqrt(sizes_of(contacts, Y).max()), 1e-300), abs(w).max(initial=0.0))
        if not any(abs(w - other).max(initial=0.0) < APART * size for _, other in found):
            found.append((p, w))

    first, miss = newton(contacts, Y, b, np.zeros(len(b)), AIMED * scale)
    if miss <= MET * scale:
        take(first)
    choices = [options(contacts, Y, c) for c in range(contacts.count)]
    few = np.prod([float(len(c)) for c in choices]) <= MOST
    if few and not len(contacts.arms) and np.isnan(contacts.load).all():
        sizes = sizes_of(contacts, Y)
        for chosen in product(*choices):
            p = in_states(contacts, Y, b, chosen)
            if p is not None and left(contacts, sizes, p, Y @ (Y.T @ p) + b) <= MET * scale:
                take(p)
    else:
        random = np.random.default_rng(0)
        starts = STARTS if contacts.count <= MANY else 1
        for _ in range(starts if found else 3 * STARTS):
            start = random.normal(size=len(b)) * scale / sizes_of(contacts, Y) * 10.0 ** random.uniform(-1.0, 2.0)
            start[2 : 3 * contacts.count : 3] = abs(start[2 : 3 * contacts.count : 3])
            p, miss = newton(contacts, Y, b, start, AIMED * scale)
            if miss <= MET * scale:
                take(p)
    if share_loads(contacts, Y) and miss <= MET * scale:
        return [p for p, _ in found]
    return [p for p, _ in sorted(found, key=lambda pair: float(pair[1] @ pair[1]))]


def share_loads(contacts: Contacts, Y: np.ndarray) -> bool:
    """Whether normal forces can be shared among contacts in many ways."""
    normals = Y[2 : 3 * contacts.count : 3]
    return int(np.linalg.matrix_rank(normals, tol=1e-9 * max(abs(normals).max(initial=0.0), 1e-300))) < contacts.count


def options(contacts: Contacts, Y: np.ndarray, c: int) -> list:
    """The ways of a contact: OPEN, STICK, and angles of slip to start from."""
    if not contacts.at_rest[c]:
        return [OPEN, SLIDE]
    if contacts.friction[c] == 0.0:
        return [OPEN, 0.0]
    along = Y[3 * c : 3 * c + 2]
    values, turn = np.linalg.svd(along, full_matrices=False)[1], np.linalg.eigh(along @ along.T)[1]
    if values[-1] <= 1e-9 * max(values[0], 1e-300):  # a plane motion slips along one line only
        angle = float(np.arctan2(turn[1, 1], turn[0, 1]))
        return [OPEN, STICK, angle, angle + np.pi]
    return [OPEN, STICK, *(2.0 * np.pi * np.arange(ANGLES) / ANGLES)]


def in_states(contacts: Contacts, Y: np.ndarray, b: np.ndarray, chosen) -> np.ndarray | None:
    """Forces (m,) of contacts in given ways; directions of slip that are not known by Newton's method. None if there are
    none."""
    angles = np.array([x if isinstance(x, float) else np.nan for x in chosen])
    free = [
        c for c in np.flatnonzero(~np.isnan(angles)).tolist() if contacts.friction[c] > 0.0 and len(options(contacts, Y, c)) > 4
    ]
    for _ in range(12 if free else 1):
        solved = forces_along(contacts, Y, b, chosen, angles)
        if solved is None or not free:
            return solved
        turned, slopes = crossing(Y, b, solved, angles, free), []
        for c in free:
            step = angles.astype(complex)
            step[c] += 1e-30j
            moved = forces_along(contacts, Y, b, chosen, step)
            if moved is None:
                return None
            slopes.append(np.imag(crossing(Y, b, moved, step, free)) / 1e-30)
        try:
            change = np.linalg.solve(np.array(slopes).T, -turned)
        except np.linalg.LinAlgError:
            return None
        angles[free] += np.clip(change, -0.5, 0.5)
        if abs(change).max() < 1e-14:
            break
    return forces_along(contacts, Y, b, chosen, angles)


def crossing(Y: np.ndarray, b: np.ndarray, p: np.ndarray, angles: np.ndarray, free: list[int]) -> np.ndarray:
    """The part of the acceleration across each direction of slip."""
    u = Y @ (Y.T @ p) + b
    return np.array([np.cos(angles[c]) * u[3 * c + 1] - np.sin(angles[c]) * u[3 * c] for c in free])


def forces_along(contacts: Contacts, Y: np.ndarray, b: np.ndarray, chosen, angles: np.ndarray) -> np.ndarray | None:
    """Forces of contacts that are open, stick, or slip along given directions; None if rows depend on each other and ask for
    what cannot be."""
    rows, pushes = [], []
    for c, way in enumerate(chosen):
        if isinstance(way, str) and way == OPEN:
            continue
        own = np.zeros((3, len(b)), dtype=angles.dtype)
        own[[0, 1, 2], [3 * c, 3 * c + 1, 3 * c + 2]] = 1.0
        if isinstance(way, str) and way == STICK:
            rows += [3 * c, 3 * c + 1, 3 * c + 2]
            pushes += list(own)
        else:
            d = contacts.slip[c] if isinstance(way, str) else np.array([np.cos(angles[c]), np.sin(angles[c])])
            rows.append(3 * c + 2)
            pushes.append(own[2] - contacts.friction[c] * (d @ own[:2]))
    if not rows:
        return np.zeros(len(b), dtype=angles.dtype)
    force = np.array(pushes).T
    W, target = Y[rows] @ (Y.T @ force), -b[rows]
    x = np.linalg.lstsq(W, target, rcond=1e-11)[0]
    if abs(W @ x - target).max() > MET * max(abs(b).max(), 1e-300):
        return None
    return force @ x
