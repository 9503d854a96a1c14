"""Places of rest along a load that may turn back: snap-through and buckling, by arc length.

With x = (dq / scale, reactions) and the load p as one more unknown, R(x, p) the forces and position errors left:

    tangent    R_x x' + R_p p' = 0 ,   |(dq', p')| = 1 , turned as the one before                                          (1)
    step       Newton's method on  R = 0 ,  tangent . (dq, p - guess) = 0  from the guess  (dq, p) = length * tangent      (2)

Steps become shorter where (2) does not converge, and longer where it does at once. R_x and R_p are differences.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from locomote.brief import brief
from locomote.linear.rank import kernel_of, own_lengths
from locomote.locomotion.problem import Locomotion
from locomote.locomotion.statics import (
    DIFFERENCE,
    NoEquilibrium,
    force_at,
    most_pulling,
    scales_of,
    settled,
    tangent_at,
    unilateral_rows,
    with_inertia,
)

ROUNDS, FEW = 12, 4
SHORTEST = 1e-4  # shortest step, as a share of the first
STABLE = 1e-9  # share of the largest stiffness below which the smallest counts as zero


@brief
@dataclass(frozen=True)
class EquilibriumPath:
    """Places of rest in the order in which they follow each other.

    loads : (n,) ; q : (n, nq) ; reactions : (n, rows) ; stable : (n,) whether the system would stay there
    """

    loads: np.ndarray
    q: np.ndarray
    reactions: np.ndarray
    stable: np.ndarray

    @property
    def turns(self) -> np.ndarray:
        """Numbers of the places next to which the load turns back: there it snaps through."""
        change = np.diff(self.loads)
        return np.flatnonzero(change[:-1] * change[1:] < 0) + 1


class _Forces:
    """R of (2) for a function of the load."""

    def __init__(self, problem: Callable[[float], Locomotion], t: float):
        self.problem, self.t = problem, t
        first = self.at(0.0)
        self.model, self.free = first.model, first.plan.free
        self.scale = scales_of(first)[self.free]

    def at(self, load: float) -> Locomotion:
        here = self.problem(load)
        if not isinstance(here, Locomotion):
            raise TypeError(f"expected a function of the load that gives a lo.Locomotion, not {here!r:.60}")
        if here.contacts:
            raise ValueError(
                f"a path of equilibria of {here.name!r} does not know forces of contacts with friction: take lo.SoftGround, or "
                f"lo.PointContact for what sticks"
            )
        return with_inertia(here)

    def left(self, load: float, q: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """Forces times scales, then position errors."""
        here = self.at(load)
        A, _, _, error = here.rows(self.t, q)
        force = force_at(here, self.t, q)[self.free] + A[:, self.free].T @ lam
        return np.concatenate([force * self.scale, np.where(here.plan.holonomic != 0, error, 0.0)])

    def matrices(self, load: float, q: np.ndarray, lam: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """R_x (n + rows, n + rows) and R_p (n + rows,)."""
        here, n = self.at(load), len(self.free)
        rows = here.rows(self.t, q)[0][:, self.free] * self.scale

        def forces(q):
            A = here.rows(self.t, q)[0]
            return (force_at(here, self.t, q)[self.free] + A[:, self.free].T @ lam) * self.scale

        K = tangent_at(here, self.t, q, forces) * self.scale
        whole = np.block([[K, rows.T], [rows, np.zeros((len(rows), len(rows)))]])
        step = DIFFERENCE * max(1.0, abs(load))
        slope = (self.left(load + step, q, lam) - self.left(load - step, q, lam)) / (2.0 * step)
        assert whole.shape == (n + len(rows), n + len(rows))
        return whole, slope

    def moved(self, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        """q, moved by scaled free coordinates."""
        step = np.zeros(self.model.nv)
        step[self.free] = dq * self.scale
        return self.model.integrate(q, step)

    def is_stable(self, whole: np.ndarray) -> bool:
        """Whether all that constraints leave free is pulled back."""
        n = len(self.free)
        K, A = -whole[:n, :n], whole[n:, :n]
        H = kernel_of(A, own_lengths(A))
        values = np.linalg.eigvalsh(H.T @ (0.5 * (K + K.T)) @ H)
        return bool(values.min(initial=np.inf) > STABLE * abs(values).max(initial=0.0))


def equilibrium_path(
    problem: Callable[[float], Locomotion],
    q=None,
    *,
    until: float = 1.0,
    step: float = 0.05,
    steps: int = 200,
    t: float = 0.0,
    tolerance: float = 1e-9,
) -> EquilibriumPath:
    """Follow places of rest from the load 0, near q, to the load `until`, through loads that turn back on the way.

    q : (nq,) where rest is looked for at the load 0
    problem : function of the load that gives a problem ; step : length of a step, in units of the load and of typical values of
    coordinates together ; steps : at the most ; tolerance : of forces, relative to the largest of them
    """
    if not step > 0 or not isinstance(steps, int) or steps < 1:
        raise ValueError(f"step must be positive and steps an integer from 1, not {step!r:.40} and {steps!r:.40}")
    forces = _Forces(problem, t)
    start = forces.at(0.0)
    found = settled(start, start.initial(q, None, t)[0], t, tolerance)
    load, q, lam, n = 0.0, found.q, found.reactions, len(forces.free)
    unilateral = unilateral_rows(start)
    whole, slope = forces.matrices(load, q, lam)
    before = np.concatenate([np.zeros(n), [np.sign(until)]])
    loads, places, reactions, stable = [load], [q], [lam], [forces.is_stable(whole)]
    length = step
    for _ in range(steps):
        x = np.linalg.lstsq(whole, -slope, rcond=None)[0]
        tangent = np.concatenate([x[:n], [1.0]])
        size = np.linalg.norm(tangent)
        sign = 1.0 if tangent @ before >= 0 else -1.0
        tangent, turned = sign * tangent / size, sign * x[n:] / size  # (1)
        while True:
            guess = load + length * tangent[-1], forces.moved(q, length * tangent[:n]), lam + length * turned
            answer = corrected(forces, *guess, tangent, tolerance)
            if answer is not None:
                break
            length *= 0.5
            if length < SHORTEST * step:
                raise NoEquilibrium(f"no place of rest follows after the load {load:.6g}; the path may end or branch there")
        over = (answer[0] - until) * np.sign(until) >= 0
        if over:
            last = settled(forces.at(until), answer[1], t, tolerance)
            answer = until, last.q, last.reactions, 0
        load, q, lam, rounds = answer
        if pulling := most_pulling(unilateral, lam):
            raise NoEquilibrium(
                f"at the load {load:.6g} contact {pulling!r} would have to pull by {-lam[unilateral[pulling][1]]:.3g} N: paths "
                f"do not go on through contacts that open; follow the load by lo.equilibrium, or ask until a smaller load"
            )
        whole, slope = forces.matrices(load, q, lam)
        loads.append(load)
        places.append(q)
        reactions.append(lam)
        stable.append(forces.is_stable(whole))
        if over:
            break
        before = tangent
        length = min(step, 1.5 * length) if rounds <= FEW else length
    return EquilibriumPath(np.array(loads), np.array(places), np.array(reactions), np.array(stable))


def corrected(forces: _Forces, load: float, q: np.ndarray, lam: np.ndarray, tangent: np.ndarray, tolerance: float):
    """(2) from a guess: (load, q, reactions, rounds), or None."""
    n, before = len(forces.free), np.inf
    for rounds in range(1, ROUNDS + 1):
        left = forces.left(load, q, lam)
        whole, slope = forces.matrices(load, q, lam)
        size = max(abs(slope[:n]).max(initial=0.0), abs(whole[:n, :n]).max(initial=0.0), 1e-300)
        worst = max(abs(left[:n]).max(initial=0.0) / size, abs(left[n:]).max(initial=0.0))
        if worst < tolerance or (worst < 1e3 * tolerance and worst > 0.5 * before):
            return load, q, lam, rounds
        if not worst < 2.0 * before:
            return None
        before = worst
        last = np.concatenate([tangent[:n], np.zeros(len(lam)), [tangent[-1]]])
        move = np.linalg.lstsq(np.vstack([np.column_stack([whole, slope]), last]), -np.append(left, 0.0), rcond=None)[0]
        q, lam, load = forces.moved(q, move[:n]), lam + move[n:-1], load + float(move[-1])
    return None
