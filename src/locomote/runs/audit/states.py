"""Do the numbers of a run follow from its model? States are taken out of the run and put into equations that it did not use.

    kinetic, potential, elastic energy are those of q and v, potential energy up to a constant                      (1)
    M a + bias = tau + joint springs, dampers, friction + surroundings + A^T lam                                    (2)
    A a + drift = 0 ,   |A v + b|, position errors no larger than the run says                                      (3)
    q, v, a of imposed coordinates and tau of the others are what drives and torques give                           (4)
    lam >= 0 on normals of unilateral contacts                                                                      (5)
    M (v+ - v-) = A^T P on coordinates that are not imposed, where impacts gave the impulses P                      (6)

(2) to (4) leave a, tau and A^T lam no choice; lam itself is known up to a self-stress. (2) and (3) are residuals, which stay
small at singular configurations too; of (3) only directions far from singular count. A contact is taken as closed where it
has a reaction. Functions of the user are called only by `Audit.deep`: a controller may count its calls.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.actuation.actuators import SAID, Chamber, Muscle, StrainLaw, command, points_of
from locomote.actuation.controllers import clocked
from locomote.constraints.custom import Custom
from locomote.constraints.kinds import LoopClosure, PointContact, Rolling, SurfaceContact, is_left_open
from locomote.drives.drive import Drive, as_drive
from locomote.drives.kinds.function import Function
from locomote.drives.kinds.sum import Sum
from locomote.dynamics import flexible
from locomote.dynamics.forces import inverse_dynamics
from locomote.dynamics.kinematics import jacobian
from locomote.dynamics.momentum import kinetic_energy, potential_energy
from locomote.evaluation import plan as fields
from locomote.forces.plain import acting, on_body
from locomote.forces.terms import ForceTerm
from locomote.geometry.shapes.height_field import HeightField
from locomote.linear.rank import NEARLY_DEPENDENT
from locomote.linear.separate import separate
from locomote.methods.events.ignored import places
from locomote.methods.registry import method_of
from locomote.model.flexible.rods import STRAINS
from locomote.runs.audit.checks import Check, largest
from locomote.runs.audit.chosen import Chosen, inertia_of_each, spread
from locomote.runs.audit.known import POTENTIAL, part_of_energy, problem_of, solved
from locomote.runs.limits import impulses_of_stops, without_pushes
from locomote.runs.trajectory import Trajectory

ENERGY_ALLOWED = 1e-8  # share of the scale of energy
FORCE_ALLOWED = 1e-6  # share of the terms of (2), of (3) and of (6)
GIVEN_ALLOWED = 1e-9  # share of the largest value that drives and torques give
RESIDUAL_ALLOWED = 1e-8  # m/s or rad/s, m or rad, more than the run says
ARGUMENTS = 1e-9  # share of a velocity, and of its motion in 1 s: forces are those of some state within
FEWEST = 1e-6  # least force of a coordinate: share of the largest force, or of the weight, at its lever
LEAST_RATE = 1e-3  # m/s^2 or rad/s^2 that a row is taken to have at least
ROUNDING = 1e-9  # share of the least length that the run gives a row
STATES, ENERGIES = 20, 500  # states that are put into equations, and samples whose energies are computed anew


@dataclass(frozen=True)
class Found:
    """What came out: checks, and sentences about what was not checked."""

    checks: list[Check]
    unchecked: list[str]


def check_states(run: Trajectory, usable: np.ndarray, scale: float, few: Chosen, *, deep: bool = False) -> Found:
    """Put states of a run into (1) to (6): a few, or all of them and with the functions of the user too.

    usable : numbers of samples whose values are finite ; scale : of energy, J ; few : samples, the first usable one in front
    """
    found = Found([], [])
    if not len(usable):
        return found
    known = problem_of(run) is not None
    check_energies(run, spread(usable, len(usable) if deep else ENERGIES), scale, known, found)
    if not known:
        why = run.problem_missing or "the run does not hold its problem"
        found.unchecked.append(f"accelerations, forces and reactions: {why}")
        return found
    rows = spread(usable, len(usable) if deep else STATES)
    check_given(run, rows, deep, found)
    problem, missing = askable(run, deep)
    if missing:
        found.unchecked.append(f"equations of motion: {missing}")
        return found
    check_terms(run, rows, found)
    if method_of(run.info).impulsive:  # whose samples are means over a step: `audit.steps`
        return found
    states = States(run, problem, rows)
    check_motion(states, few, deep, found)
    if states.labels:
        check_rows(run, states, found)
    if states.labels or any(event.data.get("stops") for event in run.events):
        check_impacts(run, problem, deep, found)
    return found


# functions of the user


def calls_python(drive: Drive) -> bool:
    """Whether a drive calls a function of the user."""
    return isinstance(drive, Function) or (isinstance(drive, Sum) and any(calls_python(term) for term in drive.terms))


def askable(run: Trajectory, deep: bool) -> tuple[Any, str]:
    """The problem of a run, and why it cannot be asked for rows and forces, if so."""
    problem = solved(run)
    ask = "a Python function, which only audit.deep() calls"
    if not deep and any(not isinstance(term, ForceTerm) for term in problem.environment):
        return problem, f"the environment is {ask}"
    for c in problem.constraints:
        if not deep and (isinstance(c, Custom) or (isinstance(c, Rolling) and isinstance(c.surface, HeightField))):
            return problem, f"constraint {c.title!r} is {ask}"
    framed = (SurfaceContact, LoopClosure)
    if any(isinstance(c, framed) and is_left_open(c) for c in problem.constraints) and run.t[0] != run.info.get("t0"):
        return problem, "contacts are where the bodies were at the start, which is not in the run"
    return problem, ""


def rows_asked(run: Trajectory, problem: Any) -> Callable:
    """What gives (A, drift, speed, error, lengths) at (t, q, v), with open targets and lengths where this run had them: at its
    start, or where a constraint closed last."""
    plan = (problem.plan_at(run.q[0]) if run.t[0] == run.info.get("t0") else problem.plan).own()
    work, first = problem.work_for(plan), plan.numbers.copy()
    closings = []
    for event in run.events:
        if event.kind == "close" and event.q is not None and (own := places(problem, plan, names_of(event))):
            closings.append((event.t, own, problem.plan_at(event.q).numbers[own]))

    def asked(t, q, v):
        plan.numbers[:] = first
        for when, own, numbers in closings:
            if when <= t:
                plan.numbers[own] = numbers
        return (*problem.rows_of(plan, work, t, q, v), work.lengths.copy())

    return asked


def names_of(event) -> list[str]:
    """Names of the constraints that an event is about."""
    named = event.data.get("constraints") or [event.data.get("constraint")]
    return [name for name in named if isinstance(name, str)]


# states and what acts on them


class States:
    """Some samples of a run, with the rows of all constraints there."""

    def __init__(self, run: Trajectory, problem: Any, rows: np.ndarray):
        self.model, self.problem, self.labels = run.model, problem, run.constraint_labels
        self.t, self.v, self.a, self.tau, self.lam = (getattr(run, name)[rows] for name in ("t", "v", "a", "tau", "reactions"))
        self.q, self.residual, self.place = run.model.normalize(run.q[rows]), run.residual[rows], run.position_residual[rows]
        self.free = ~problem.imposed
        if self.labels:
            ask = rows_asked(run, problem)
            asked = [ask(float(t), q, v) for t, q, v in zip(self.t, self.q, self.v, strict=True)]
            self.A, self.drift, self.speed, self.error, self.lengths = (np.array(part) for part in zip(*asked, strict=True))
            self.holds = np.ones(self.lam.shape, dtype=bool)
            switched = switched_in(run)
            for c, own in slices(problem.constraints):
                if is_unilateral(c) or self.labels[own.start][0] in switched:
                    self.holds[:, own] = self.lam[:, own].any(axis=1)[:, None]
        else:
            self.A = np.zeros((len(rows), 0, run.model.nv))

    def passive(self) -> np.ndarray:
        """(n, nv) forces of springs, dampers and friction of joints."""
        stiffness, rest, damping, friction = self.problem.plan.passive
        soft, own = self.problem.friction_speed, -damping * self.v
        if friction.any():
            own -= friction * self.v / np.sqrt(self.v**2 + soft**2)
        if stiffness.any():
            own -= np.where(stiffness != 0, stiffness * (self.q[:, self.problem.q_of_v] - rest), 0.0)
        if self.model.flexible:
            own += flexible.ELASTIC(self.model, [self.q, self.v])[0]
        if self.problem.actuators:
            own += actuator_forces(self.problem, self.t, self.q, self.v)
        return own

    def surroundings(self, deep: bool) -> tuple[np.ndarray, np.ndarray]:
        """(n, nv) forces of terms, by their laws as plain Python, and of functions if they may be called; and what they are
        sums of, without signs."""
        total, size = np.zeros_like(self.v), np.zeros_like(self.v)
        for term in self.problem.terms:
            for place, wrenches in zip(term.places, acting(self.model, term, self.t, self.q, self.v).wrenches, strict=True):
                if place.body is not None:
                    J = jacobian(self.model, self.q, place.body)
                    part = np.einsum("nik,ni->nk", J, on_body(place, wrenches))
                    total, size = total + part, size + abs(part)
        for f in self.problem.environment:
            if deep and not isinstance(f, ForceTerm):
                for k, (t, q, v) in enumerate(zip(self.t, self.q, self.v, strict=True)):
                    for body, wrench in (f(float(t), q.copy(), v.copy()) or {}).items():
                        part = jacobian(self.model, q, body).T @ np.asarray(wrench, dtype=float)
                        total[k], size[k] = total[k] + part, size[k] + abs(part)
        return total, size


def is_unilateral(c: Any) -> bool:
    """Whether a constraint opens and closes by itself."""
    return isinstance(c, PointContact) and c.unilateral


def switched_in(run: Trajectory) -> set[str]:
    """Names of the constraints that did not hold all the time."""
    return {*(run.info.get("ignore") or ()), *(name for e in run.events if e.kind == "open" for name in names_of(e))}


def actuator_forces(problem, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(n, nv) forces of actuators in rods: gradients of lengths and volumes, and stresses, by matrices."""
    model, total = problem.model, np.zeros((len(q), problem.model.nv))
    for actuator in problem.actuators:
        rod, own, points = model.flexible.rods[actuator.body], model.joint(actuator.body), points_of(model, actuator)
        basis = rod.basis.reshape(-1, len(rod.names))
        maps = np.zeros((len(points), 6, len(rod.names)))
        maps[:, rod.components, np.arange(len(rod.names))] = basis
        strain = rod.strain.reshape(-1, 6) + np.einsum("pcj,nj->npc", maps, q[:, own.q])
        d = np.pad(points[:, 1:3], ((0, 0), (1, 0)))
        along = np.broadcast_to([1.0, 0.0, 0.0], strain.shape[:-1] + (3,))
        drive, sign = as_drive(command(actuator)), 1.0
        rate = np.einsum("pcj,nj->npc", maps, v[:, own.v])
        if isinstance(actuator, StrainLaw):
            c = STRAINS.index(actuator.strain)
            first, h, pieces = actuator.spline()
            e = strain[..., c] - rod.strain.reshape(-1, 6)[:, c]
            from scipy.interpolate import PPoly

            spline = PPoly(pieces.T[::-1], first + h * np.arange(len(pieces) + 1))
            taken = (spline(e) + actuator.damping * rate[..., c]) * points[:, 0]
            total[:, own.v] -= np.einsum("np,pj->nj", taken, maps[:, c])
            continue
        pull = np.ones(strain.shape[:-1])
        if not isinstance(actuator, Chamber):
            along = strain[..., :3] + np.cross(strain[..., 3:], d) + np.pad(points[:, 3:5], ((0, 0), (1, 0)))
            stretch = np.linalg.norm(along, axis=-1)
            along, sign = along / stretch[..., None], -1.0
            if isinstance(actuator, Muscle):
                u = np.sum(along * (rate[..., :3] + np.cross(rate[..., 3:], d)), axis=-1) * points[:, 7]
                pull = np.exp(-(((stretch - points[:, 5]) * points[:, 6]) ** 2)) * (1 + u / np.hypot(1, u))
        stress = np.concatenate([along, np.cross(d, along)], axis=-1) * (points[:, 0] * pull)[..., None]
        force = np.array([drive(float(x))[0] for x in t])
        total[:, own.v] += sign * force[:, None] * np.einsum("npc,pcj->nj", stress, maps)
    return total


def slices(constraints: Iterable) -> list[tuple[Any, slice]]:
    """Constraints with the places of their rows."""
    result, first = [], 0
    for c in constraints:
        result.append((c, slice(first, first := first + len(c.labels))))
    return result


def elastic_energy(run: Trajectory, q: np.ndarray) -> np.ndarray:
    """(n,) energy of springs of joints, J."""
    problem = solved(run)
    stiffness, rest = problem.plan.passive[[fields.STIFFNESS, fields.REST]]
    energy = np.zeros(len(q))
    if stiffness.any():
        energy += 0.5 * np.where(stiffness != 0, stiffness * (q[:, problem.q_of_v] - rest) ** 2, 0.0).sum(axis=1)
    if run.model.flexible:
        energy += flexible.ELASTIC(run.model, [q, np.zeros_like(run.v[: len(q)])])[1][:, 0]
    return energy


def forces(model, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """(n, nv) inverse dynamics, state by state: for few states that is not worth compiling lanes, which rods do not use."""
    if model.flexible and not model.coupling:
        return flexible.INVERSE(model, [q, v, a])[0]
    return np.array([inverse_dynamics(model, *state) for state in zip(q, v, a, strict=True)]).reshape(len(q), model.nv)


# the checks


def check_energies(run: Trajectory, rows: np.ndarray, scale: float, known: bool, found: Found) -> None:
    """(1)."""
    q, v = run.model.normalize(run.q[rows]), run.v[rows]
    if run.model.flexible and not run.model.coupling:
        kinetic, potential = flexible.ENERGIES(run.model, [q, v])[0][:, :2].T
    else:
        kinetic, potential = kinetic_energy(run.model, q, v), potential_energy(run.model, q)
    off = {"kinetic": run.kinetic[rows] - kinetic, "potential": run.potential[rows] - potential}
    if known:
        off["elastic"] = run.elastic[rows] - elastic_energy(run, q)
        for term in (term for term in solved(run).terms if term.kind.energy):
            energy = acting(run.model, term, run.t[rows], q, v).energy
            off["elastic" if term.elastic else "potential"] -= energy
            off[f"{term.name!r}"] = run.energies[term.name][rows] - energy
    elif of_terms := {name: part_of_energy(run, name) for name in run.energies}:
        for name in (name for name, part in of_terms.items() if part == POTENTIAL):
            off["potential"] = off["potential"] - run.energies[name][rows]
        if not all(of_terms.values()):
            del off["potential"]
            found.unchecked.append("potential energy: the run does not say which force terms have a part in it")
    if "potential" in off:
        off["potential"] = off["potential"] - off["potential"][0]
    worst = max(off, key=lambda name: largest(off[name]))
    value = largest(off[worst])
    note = f"of q and v at {len(rows)} samples" if value <= ENERGY_ALLOWED * scale else f"{worst} energy is not that of q and v"
    found.checks.append(Check("energies", value / scale if scale > 0 else value, ENERGY_ALLOWED, note))


def check_given(run: Trajectory, rows: np.ndarray, deep: bool, found: Found) -> None:
    """(4)."""
    problem, t, worst, note = solved(run), run.t[rows], 0.0, "as given"
    q, v, a, tau = (getattr(run, name)[rows] for name in ("q", "v", "a", "tau"))
    expected, most = [], problem.plan.effort

    def clipped(given: np.ndarray, k: int) -> np.ndarray:
        """What a motor gives of it."""
        return np.clip(given, -most[k], most[k])

    for k, drive in problem.imposed_motions.items():
        if deep or not calls_python(drive):
            x, dx, ddx = drive(t)
            expected += [(q[:, problem.q_of_v[k]], x, "q"), (v[:, k], dx, "v"), (a[:, k], ddx, "a")]
        else:
            found.unchecked.append("imposed motion: a drive is a Python function, which only audit.deep() calls")
    if ticking := clocked(problem.controllers):
        found.unchecked.append(f"torques as given: {ticking[0].title!r} gives them at its ticks, and holds them")
    elif problem.controllers:
        found.unchecked.append(f"torques as given: {problem.controllers[0].name!r} gives them, which follows the state")
    signals = problem.given_torques
    if callable(problem.torques) and deep:
        given = np.array([problem.torques(float(s), y.copy(), u.copy()) for s, y, u in zip(t, q, v, strict=True)])
        expected += [(tau[:, k], clipped(given[:, k], k), "tau") for k in np.flatnonzero(~problem.imposed).tolist()]
    elif callable(problem.torques):
        found.unchecked.append("torques as given: they are a Python function, which only audit.deep() calls")
    elif not problem.controllers:
        nothing = ~problem.imposed
        for k in (k for k in signals if not problem.imposed[k]):
            nothing[k] = False
            if deep or not calls_python(signals[k]):
                expected.append((tau[:, k], clipped(signals[k](t)[0], k), "tau"))
        expected.append((tau[:, nothing], np.zeros(1), "tau"))
    said = [as_drive(command(actuator)) for actuator in problem.actuators if SAID[type(actuator)][0]]
    for k, drive in enumerate(said if run.commands.shape[1] == len(said) else ()):
        if deep or not calls_python(drive):
            expected.append((run.commands[rows, k], np.array([drive(float(x))[0] for x in t]), "a command"))
    for stored, given, name in expected:
        off = largest(stored - given) / max(1.0, largest(given))
        if not off <= worst:
            worst, note = off, note if off <= GIVEN_ALLOWED else f"{name} is not as given"
    found.checks.append(Check("drives and torques", worst, GIVEN_ALLOWED, note))


def check_terms(run: Trajectory, rows: np.ndarray, found: Found) -> None:
    """Forces of every force term are those of its law, called as it is."""
    terms = solved(run).terms
    if not terms:
        return
    model, t, q, v = run.model, run.t[rows], run.model.normalize(run.q[rows]), run.v[rows]
    # the force on what a flow carries along is a difference of two velocities: it is as right as these are
    beside = model.integrate(q, ARGUMENTS * v), v * (1 + ARGUMENTS)
    for term in terms:
        stored, sides = run.loads[term.name][rows], len(term.places)
        here, there = (acting(model, term, t, *state, axes="world").wrenches for state in ((q, v), beside))
        expected, felt = (x[:: sides // stored.shape[1]].swapaxes(0, 1) for x in (here, there - here))
        size = max(largest(expected), largest(felt) / FORCE_ALLOWED)
        off = largest(stored - expected) / size if size > 0 else largest(stored)
        found.checks.append(Check(f"force {term.name}", off, FORCE_ALLOWED, f"at {len(rows)} samples"))


def check_motion(s: States, few: Chosen, deep: bool, found: Found) -> None:
    """(2)."""
    acting_on, summed = s.surroundings(deep)
    given = [s.tau, s.passive(), acting_on]
    twice = np.concatenate([s.q, s.q]), np.concatenate([s.v, s.v]), np.concatenate([s.a, 0 * s.a])
    both = forces(s.model, *twice)
    needed, still = both[: len(s.t)], both[len(s.t) :]
    off = needed - sum(given)
    # what every coordinate's equation is a sum of, so that a sum of zero has a size too
    size = abs(needed - still) + abs(still) + sum(abs(x) for x in given[:2]) + summed
    if s.labels:
        off -= np.einsum("nrk,nr->nk", s.A, s.lam)
        size += np.einsum("nrk,nr->nk", abs(s.A), abs(s.lam))
    off = without_pushes(s.problem, s.q, s.v, s.a, off)
    size = size.max(axis=0)
    mass = max(s.model.mass, 1e-300)
    inertia = inertia_of_each(s.model, s.q[0]) if s.model.coupling else few.inertia
    # a body that turns evenly has an equation of zeros, each a difference of products of inertia and velocities
    size = size + inertia * (abs(s.v) * turning_speed(s)[:, None]).max(axis=0)
    lever = np.sqrt(inertia / mass) if s.model.mass > 0 else np.ones(s.model.nv)  # m, or 1
    felt = np.divide(size, lever, out=np.zeros_like(size), where=lever > 0)
    force = max(float(felt.max(initial=0.0)), mass * float(np.linalg.norm(s.model.gravity)))
    size = np.maximum(size, FEWEST * lever * force)
    part = np.divide(abs(off).max(axis=0), size, out=np.zeros(len(size)), where=size > 0)
    value, k = (float(part.max()), int(part.argmax())) if part.size else (0.0, 0)
    note = f"a, tau and reactions at {len(s.t)} samples"
    if part.size and not value <= FORCE_ALLOWED:
        slot = next(slot for slot in s.model.layout() if slot.vector == "v" and slot.index == k)
        note = f"forces on {slot.joint}.{slot.name} do not give its acceleration"
    found.checks.append(Check("equations of motion", value, FORCE_ALLOWED, note))


def turning_speed(s: States) -> np.ndarray:
    """(n,) the largest velocity of a coordinate that turns, rad/s."""
    return abs(s.v[:, s.model._turns]).max(axis=1, initial=0.0)


def check_rows(run: Trajectory, s: States, found: Found) -> None:
    """(3) and (5)."""
    lengths = np.linalg.norm(s.A, axis=2)
    lengths = np.where(lengths > ROUNDING * s.lengths, lengths, s.lengths)  # rows that are all rounding say nothing
    rate = np.where(s.holds, (np.einsum("nrk,nk->nr", s.A, s.a) + s.drift) / lengths, 0.0)
    terms = np.where(s.holds, (np.einsum("nrk,nk->nr", abs(s.A), abs(s.a)) + abs(s.drift)) / lengths, 0.0)
    scaled = np.where(s.holds[..., None], s.A[:, :, s.free] / lengths[..., None], 0.0)
    value = 0.0
    for own, columns in separate(scaled):
        if len(columns):
            left, values, _ = np.linalg.svd(scaled[:, own][:, :, columns], full_matrices=False)
            decided = np.where(values > NEARLY_DEPENDENT, np.einsum("nrk,nr->nk", left, rate[:, own]), 0.0)
            value = max(value, largest(decided) / max(largest(terms), LEAST_RATE))
    found.checks.append(Check("constraint accelerations", value, FORCE_ALLOWED, f"at {len(s.t)} samples"))

    speed = abs(np.where(s.holds, np.einsum("nrk,nk->nr", s.A, s.v) + s.speed, 0.0)).max(axis=1)
    more = [("velocity", speed - s.residual)]
    fixed = np.zeros(len(s.labels), dtype=bool)
    for c, own in slices(s.problem.constraints):
        framed = isinstance(c, (SurfaceContact, LoopClosure))
        if not is_unilateral(c) and (framed or not is_left_open(c)):
            fixed[own] = c.holonomic
    more.append(("position", abs(np.where(s.holds, s.error, 0.0)[:, fixed]).max(axis=1, initial=0.0) - s.place))
    name, worst = max(((name, float(np.max(x))) for name, x in more), key=lambda pair: pair[1])
    note = "not larger than the run says" if worst <= RESIDUAL_ALLOWED else f"a {name} error is larger than the run says"
    found.checks.append(Check("constraint errors", max(worst, 0.0), RESIDUAL_ALLOWED, note))

    pull, most = 0.0, largest(s.lam)
    for c, own in slices(s.problem.constraints):
        if is_unilateral(c) and most > 0:
            pull = max(pull, float(np.max(-s.lam[:, own.start + c.labels.index("z")])) / most)
    if any(is_unilateral(c) for c in s.problem.constraints):
        found.checks.append(Check("contacts that pull", pull, FORCE_ALLOWED, "of the largest reaction"))


def check_impacts(run: Trajectory, problem: Any, deep: bool, found: Found) -> None:
    """(6), at pairs of samples of the same time at which impacts and nothing else happened."""
    pairs = np.flatnonzero(np.diff(run.t) == 0)
    if not len(pairs):
        return
    worst, free, count, ask = 0.0, ~problem.imposed, 0, rows_asked(run, problem)
    for k in pairs if deep or len(pairs) <= STATES else spread(pairs, STATES):
        here = [event for event in run.events if event.t == run.t[k] and event.data.get("velocity", True)]
        impulses = [event.data.get("impulses") for event in here]
        if not here or any(x is None or len(x) != len(run.constraint_labels) for x in impulses):
            continue
        q = run.model.normalize(run.q[k])
        A, P, zero = (
            ask(float(run.t[k]), q, run.v[k])[0],
            np.sum(np.array(impulses, dtype=float), axis=0),
            np.zeros(run.model.nv),
        )
        before, after, weight = (inverse_dynamics(run.model, q, zero, x) for x in (run.v[k], run.v[k + 1], zero))
        stopped = np.sum([impulses_of_stops(run, problem.plan, event) for event in here], axis=0)
        off = (after - before - A.T @ P - stopped)[free]  # M v is what acceleration v takes, less weight
        size = largest(before - weight) + largest(after - weight) + largest(abs(A).T @ abs(P)) + largest(stopped)
        worst, count = max(worst, largest(off) / size if size > 0 else 0.0), count + 1
    if count:
        found.checks.append(Check("impulses of impacts", worst, FORCE_ALLOWED, f"at {count} impacts"))
