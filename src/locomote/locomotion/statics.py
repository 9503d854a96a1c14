"""Where a system rests, whether it stays there, and how it swings about it.

With the force g(q) on free coordinates at rest (gravity, elasticity, loads), constraint rows A and position errors e:

    Newton   [dg/dq  A^T; A  0] (dq, lam) = -(g, e)          dg/dq by differences                                    (1)
    modes    K = -H^T (dg/dq + d(A^T lam)/dq) H ,  M = H^T M H ,  K x = w^2 M x ,   H a basis of ker A                (2)

In a frame that drives keep turning or moving at constant speed, g has the inertial forces of that motion too, and small motions
x(t) = Re(x e^(s t)) about it are those of the linearised problem (`linearization`), with gyroscopic forces and damping      (3)
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.constraints.kinds import is_left_open
from locomote.dynamics.forces import gravity_force
from locomote.dynamics.function import refuse_torn
from locomote.dynamics.matrices import mass_matrix
from locomote.errors import LocomoteError
from locomote.later import later
from locomote.linear.rank import kernel_of, own_lengths
from locomote.locomotion.problem import Locomotion
from locomote.methods.events.unilateral import TOUCHING, Contacts
from locomote.spatial.numbers import as_numbers, integer

ROUNDS, HALVINGS = 60, 12
DIFFERENCE = 1e-6  # step of differences, as a share of typical values of coordinates
PULLING = 1e-7  # share of the largest reaction: a smaller pull is rounding
LOCKED = 1e-9  # least mass of a motion, of unit diagonal: coordinates have lost one
GROWTH = 1e-9  # share of the fastest rate: slower growth is rounding


class NoEquilibrium(LocomoteError, ArithmeticError):
    """No place of rest was found near the start."""


@brief
@dataclass(frozen=True)
class Equilibrium:
    """A place of rest: q (nq,), the largest force left (N or N m), the reactions, and how many rounds it took.

    open : names of unilateral contacts that do not touch there, or would have to pull: they have no reaction
    contact_forces : (spots, 3) of lo.Touch, in world axes, N: where many would do, those of contacts that all give way alike
    contact_states : name of each -> "open" or "stick", or "slide" without friction
    """

    q: np.ndarray
    residual: float
    reactions: np.ndarray
    rounds: int
    open: tuple[str, ...] = ()
    contact_forces: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    contact_states: dict[str, str] = field(default_factory=dict)


@brief
@dataclass(frozen=True)
class ModeShapes:
    """Small swings about a state of rest, or about a steady motion.

    rates : (n,) rad/s, ascending; about rest negative where it is unstable: growth at that rate
    shapes : (n, nv) each of unit energy norm ; stable : whether none grows
    growth : (n,) 1/s, real parts of s in (3): negative where a swing dies out; zero about rest, where damping is left out.
        Shapes are complex then, with the largest entry one.
    """

    rates: np.ndarray
    shapes: np.ndarray
    stable: bool
    growth: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def _repr_html_(self) -> str:
        return later("view.notebook", "of_swings")(self)


def scales_of(problem: Locomotion) -> np.ndarray:
    """(nv,) typical values of coordinates."""
    model, scale = problem.model, np.ones(problem.model.nv)
    for name, rod in (model.flexible.rods if model.flexible else {}).items():
        scale[model.joint(name).v] = rod.scale
    return scale


def force_at(problem: Locomotion, t: float, q: np.ndarray, v: np.ndarray | None = None) -> np.ndarray:
    """(nv,) force on all coordinates at rest, or at a velocity, without reactions; with constraint rows let go of.

    At rest no mass is asked for, unless controllers find torques with it."""
    plan = problem.plan
    if v is None and not problem.controllers and not plan.fed.size and not plan.led.sum() > plan.held.size:
        return problem.balance(t, q)
    now = problem.evaluate(t, q, np.zeros(problem.model.nv) if v is None else v)
    rows = problem.rows(t, q)[0]
    return mass_matrix(problem.model, q) @ now.a - rows.T @ now.reactions - np.where(problem.imposed, now.tau, 0.0)


def held(problem: Locomotion, t: float) -> Locomotion:
    """The problem with its drives held where they are at time t; itself if they stand still there."""
    if not any(drive(t)[1] or drive(t)[2] for drive in problem.imposed_motions.values()):
        return problem
    still = {}
    for name in problem.model.joint_names:
        part = problem.model.joint(name).v
        for k in range(part.start, part.stop):
            if k in problem.imposed_motions:
                key = name if part.stop - part.start == 1 else (name, k - part.start)
                still[key] = float(problem.imposed_motions[k](t)[0])
    return problem.replaced(drives=still)


def with_inertia(problem: Locomotion) -> Locomotion:
    """The problem with its inertia, which does not matter at rest: a start then needs no resistance to motion."""
    return problem if problem.inertia else problem.replaced(inertia=True)


def steady_velocity(problem: Locomotion, t: float, q: np.ndarray) -> np.ndarray:
    """(nv,) velocities of drives at time t, all else at rest relative to them; an error if that is no steady motion."""
    v = np.where(problem.imposed, problem.initial(q, None, t)[1], 0.0)
    now = problem.evaluate(t, q, v)
    speeds, faster = abs(v).max(initial=0.0), abs(now.a[problem.imposed]).max(initial=0.0)
    if faster > 1e-9 * max(speeds**2, 1.0):
        raise ValueError(
            f"drives of {problem.name!r} do not move at constant speed at t = {t:g} s (they accelerate by {faster:.3g}): what "
            f"rests relative to them is known where they do, as with lo.Polynomial([start, speed])"
        )
    A, _, speed, _ = problem.rows(t, q, v)
    slip = abs(A @ v + speed).max(initial=0.0)
    if slip > 1e-9 * max(1.0, speeds):
        raise ValueError(
            f"constraints of {problem.name!r} do not move along with its drives (they would slip by {slip:.3g} m/s): nothing "
            f"rests relative to these"
        )
    return v


def tangent_at(problem: Locomotion, t: float, q: np.ndarray, function) -> np.ndarray:
    """Derivative of function(q) (n,) along the free coordinates, by central differences."""
    free, scale = problem.plan.free, scales_of(problem)
    columns = []
    for k in free:
        step = np.zeros(problem.model.nv)
        step[k] = DIFFERENCE * scale[k]
        ahead, behind = (function(problem.model.integrate(q, s * step)) for s in (1.0, -1.0))
        columns.append((ahead - behind) / (2.0 * step[k]))
    return np.stack(columns, axis=1)


def equilibrium(
    problem: Locomotion | Callable[[float], Locomotion],
    q=None,
    *,
    t: float = 0.0,
    load_steps: int = 1,
    tolerance: float = 1e-9,
    moving: bool = False,
) -> Equilibrium:
    """A configuration at which the system rests, near q, with drives held as they are at time t.

    q : (nq,) where it is looked for; the start of the problem if None
    moving : drives go on at the speeds that they have at time t, which must be constant, and all else rests relative to them

    Unilateral contacts only push: one that would have to pull opens, and one that would be passed closes. A lo.Touch too; with
    friction it stays where it touches at q, or where it comes to touch, and balls roll. Where friction does not hold what rests
    so, there is no equilibrium, and the sentence names what slides.

    problem : a problem, or a function of the load from 0 to 1 that gives one, which is followed in `load_steps` equal steps
    tolerance : of forces, relative to the largest of their parts
    """
    load_steps = integer(load_steps, "load_steps", 1)
    found = anchor = place = None
    for step in range(1, load_steps + 1):
        here = problem if isinstance(problem, Locomotion) else problem(step / load_steps)
        if not isinstance(here, Locomotion):
            raise TypeError(f"expected a lo.Locomotion, or a function of the load that gives one, not {here!r:.60}")
        here = with_inertia(here) if moving else held(with_inertia(here), t)
        if anchor is None or place is None:
            anchor = place = here.initial(q, None, t)[0]
        found = untorn(anchored(here, anchor), place, t, tolerance, moving)
        place = found.q
    assert found is not None
    return found


def anchored(problem: Locomotion, q: np.ndarray) -> Locomotion:
    """The problem with what was left open of its constraints, targets and lengths, taken at q."""
    left_open = any(map(is_left_open, problem.constraints))
    return problem.replaced(start=(q, np.zeros(problem.model.nv))) if left_open else problem


def untorn(problem: Locomotion, q: np.ndarray, t: float, tolerance: float, moving: bool) -> Equilibrium:
    """A place of rest at which no coordinate was lost on the way."""
    from locomote.locomotion.standing import resting_on_contacts

    v = steady_velocity(problem, t, q) if moving else None
    found = resting_on_contacts(problem, q, t, tolerance, v) if problem.contacts else resting(problem, q, t, tolerance, v)
    here, there = (least_mass(mass_matrix(problem.model, x)) for x in (q, found.q))
    if there < LOCKED < here:
        raise NoEquilibrium(
            f"the search for an equilibrium of {problem.name!r} ends where angles of a joint are singular (gimbal lock), and "
            f"their forces vanish without balance; start nearer to it, or take a spherical joint or another sequence of angles"
        )
    return found


def unilateral_rows(problem: Locomotion) -> dict[str, tuple[list[int], int]]:
    """Rows of every unilateral contact by its name, and which of them is the normal."""
    with problem.scratch(problem.plan) as work:
        contacts = Contacts(problem, problem.plan, work)
        return {contacts.title(c): contacts.rows(c) for c in contacts.all}


def most_pulling(found: dict[str, tuple[list[int], int]], reactions: np.ndarray) -> str:
    """The contact that pulls most, or none."""
    weakest = min(found, key=lambda name: reactions[found[name][1]], default="")
    size = max(abs(reactions).max(initial=0.0), 1e-300)
    return weakest if weakest and reactions[found[weakest][1]] < -PULLING * size else ""


def resting(problem: Locomotion, q: np.ndarray, t: float, tolerance: float, v: np.ndarray | None) -> Equilibrium:
    """A place of rest at which unilateral contacts push, or are open with a gap."""
    found, opened = unilateral_rows(problem), ()
    tried, pulled = set(), ""
    while opened not in tried:
        tried.add(opened)
        away = [row for name in opened for row in found[name][0]]
        try:
            rest = settled(problem, q, t, tolerance, v, open_rows=away)
        except NoEquilibrium as error:
            raise (
                NoEquilibrium(f"{error}; there is none with contacts that only push: {pulled}") if pulled else error
            ) from None
        gap = problem.rows(t, rest.q)[3]
        sunk, pulling = [name for name in opened if gap[found[name][1]] < -TOUCHING], most_pulling(found, rest.reactions)
        if sunk:
            opened = tuple(name for name in opened if name != sunk[0])
        elif pulling:
            pulled = f"contact {pulling!r} would have to pull by {-rest.reactions[found[pulling][1]]:.3g} N"
            opened = tuple(name for name in found if name in opened or name == pulling)
        else:
            return replace(rest, open=opened)
        q = rest.q
    raise NoEquilibrium(f"no equilibrium of {problem.name!r} has contacts that only push: {pulled}; start from elsewhere")


def settled(
    problem: Locomotion,
    q: np.ndarray,
    t: float,
    tolerance: float,
    v: np.ndarray | None = None,
    *,
    open_rows: Sequence[int] = (),
) -> Equilibrium:
    """(1) with shorter moves where a whole one makes it worse; open_rows : of constraints that do not hold."""
    free, scale = problem.plan.free, scales_of(problem)[problem.plan.free]
    lam, away = np.zeros(len(problem.plan.holonomic)), np.array(open_rows, dtype=int)
    # of the parts of a force, of which weight is one: their sum vanishes where it starts at rest
    size, lowest = float(abs(gravity_force(problem.model, q)[free] * scale).max(initial=0.0)), np.inf

    def balance(q, lam):
        A, _, _, error = problem.rows(t, q)
        A[away], error[away] = 0.0, 0.0
        g = force_at(problem, t, q, v)[free]
        return g, A[:, free], np.where(problem.plan.holonomic != 0, error, 0.0), g + A[:, free].T @ lam

    for round_ in range(ROUNDS):
        g, A, error, rest = balance(q, lam)
        size = max(size, float(abs(g * scale).max(initial=0.0)), 1e-30)
        left = float(max(abs(rest * scale).max(initial=0.0) / size, abs(error).max(initial=0.0)))
        if left < tolerance or (round_ > 5 and left < 1e3 * tolerance and left > 0.5 * lowest):
            return Equilibrium(q, float(abs(rest).max(initial=0.0)), lam, round_)
        lowest = min(lowest, left)
        K = tangent_at(problem, t, q, lambda q, lam=lam: balance(q, lam)[3])
        whole = np.block([[K, A.T], [A, np.zeros((len(A), len(A)))]])
        move = np.linalg.lstsq(whole, -np.concatenate([rest, error]), rcond=None)[0]
        longest = abs(move[: len(free)] / scale).max(initial=0.0)
        factor = min(1.0, 2.0 / longest) if longest > 0 else 1.0
        for _ in range(HALVINGS):
            step = np.zeros(problem.model.nv)
            step[free] = factor * move[: len(free)]
            trial = problem.model.integrate(q, step)
            new = lam + factor * move[len(free) :]
            try:
                _, _, missed, after = balance(trial, new)
            except ValueError:  # no rod can have that shape: it is too far
                factor *= 0.5
                continue
            change = float(max(abs(after * scale).max(initial=0.0) / size, abs(missed).max(initial=0.0)))
            if change < (1.0 - 0.1 * factor) * left or len(A):
                break
            factor *= 0.5
        else:
            refuse_torn(problem.model, trial[None])
        q, lam = trial, new
    raise NoEquilibrium(
        f"no equilibrium of {problem.name!r} was found near the start: forces of {left:.2g} of the largest are left "
        f"after {ROUNDS} rounds; start nearer to it, or follow the load in steps (load_steps=10 with a function of the load)"
    )


def modes(
    problem: Locomotion,
    q=None,
    *,
    t: float = 0.0,
    reactions=None,
    moving: bool = False,
    contacts: Mapping[str, str] | None = None,
) -> ModeShapes:
    """Frequencies and shapes of small undamped swings about a state of rest (2), or about a steady motion (3).

    q : (nq,) an equilibrium, as `lo.equilibrium` finds it; neutral if None ; reactions : there, if constraints hold it
    moving : about a motion whose drives go on at the constant speeds that they have at time t, as of a shaft that spins: with
        gyroscopic forces, damping and growth
    contacts : states of lo.Touch as of `evaluate`; if None those that the law gives. What touches stays so
    """
    import scipy.linalg

    from locomote.locomotion.standing import on_contacts

    q = problem.initial(q, None, t)[0] if q is None else problem.model.checked_q(q)
    if moving:
        return moving_modes(problem, q, t, contacts)
    problem = anchored(held(problem, t), q)
    if problem.contacts:
        problem, reactions = on_contacts(problem, q, t, reactions, contacts)
    free, (A, _, _, gap) = problem.plan.free, problem.rows(t, q)
    lam = np.zeros(len(A)) if reactions is None else as_numbers(reactions, "reactions", f"({len(A)},)")
    if lam.shape != (len(A),):
        raise ValueError(f"reactions has shape {lam.shape}, expected ({len(A)},), one for each row of the constraints")
    for rows, normal in unilateral_rows(problem).values():
        if gap[normal] > TOUCHING:  # open: it neither pushes nor holds
            A[rows], lam = 0.0, np.where(np.isin(np.arange(len(lam)), rows), 0.0, lam)

    def force(q):
        return force_at(problem, t, q)[free] + problem.rows(t, q)[0][:, free].T @ lam

    H = kernel_of(A[:, free], own_lengths(A), problem.rank_tolerance)
    K = -H.T @ tangent_at(problem, t, q, force) @ H
    M = H.T @ mass_matrix(problem.model, q)[np.ix_(free, free)] @ H
    if not problem.inertia or not least_mass(M) > 0.0:
        raise LocomoteError(
            f"{problem.name!r} does not swing: some motion of it moves no mass; modes need mass for every free motion, "
            f"lo.equilibrium does not"
        )
    square, shapes = scipy.linalg.eigh(0.5 * (K + K.T), M)
    whole = np.zeros((len(square), problem.model.nv))
    whole[:, free] = (H @ shapes).T
    rates = np.sign(square) * np.sqrt(abs(square))
    stable = bool(square.min(initial=0.0) > -1e-9 * abs(square).max(initial=1.0))
    return ModeShapes(rates, whole, stable, np.zeros(len(square)))


def least_mass(M: np.ndarray) -> float:
    """Least eigenvalue of a mass matrix of unit diagonal; 0 if a coordinate has no mass, or rounding hides it."""
    size = np.sqrt(np.maximum(np.diag(M), 0.0))
    if not len(size) or not size.min() > 0.0:
        return 1.0 if not len(size) else 0.0
    least = float(np.linalg.eigvalsh(M / np.outer(size, size))[0])
    return least if least > 1e-15 * len(size) else 0.0


def moving_modes(problem: Locomotion, q: np.ndarray, t: float, contacts: Mapping[str, str] | None) -> ModeShapes:
    """(3): one of each pair of conjugate solutions, slow ones first."""
    small = problem.linearize(q, steady_velocity(problem, t, q), t, contacts=contacts)
    found, vectors = np.linalg.eig(small.A)
    values: Any = np.asarray(found, dtype=complex)
    some = np.flatnonzero(values.imag >= 0.0)
    some = some[np.lexsort((values.real[some], values.imag[some]))]
    shapes = (small.positions @ vectors[: small.positions.shape[1], some]).T
    largest = np.take_along_axis(shapes, abs(shapes).argmax(axis=1)[:, None], axis=1)
    shapes = shapes / np.where(abs(largest) > 0.0, largest, 1.0)
    growth = values.real[some]
    stable = bool(growth.max(initial=0.0) < GROWTH * abs(values).max(initial=1.0))
    return ModeShapes(values.imag[some], shapes, stable, growth)
