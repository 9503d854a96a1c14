"""A problem on numbers of any kind: the accelerations of its free coordinates, and one step of an integrator.

The same rows, forces and recursions as compiled code, with one difference: which constraint rows are independent is decided
once, from numbers, since a symbol cannot choose a pivot. With those rows A over the free coordinates

    a = M^-1 (f + A^T lam) ,   (A M^-1 A^T) lam = -drift - A M^-1 f                                             (1)

At the start of a step velocities and positions are brought back onto the rows by the same matrix:

    v -= M^-1 A^T S^-1 (A v + b) ,   q moved by -M^-1 A^T S^-1 error ,   S = A M^-1 A^T                         (2)
"""

import hashlib
import types
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from locomote.actuation.actuators import LAW
from locomote.actuation.controllers import clocked
from locomote.compiler.indirect import plain_address
from locomote.constraints import columns as col
from locomote.drives.signals import FIRST, KIND, signals_one
from locomote.drives.table import ON_SYMBOLS
from locomote.evaluation import flexible_calls
from locomote.evaluation import plan as fields
from locomote.evaluation.actuator_forces import actuate_one
from locomote.evaluation.chart import chart_rate, moved
from locomote.evaluation.computed_torque import COORDINATE, computes_torques
from locomote.evaluation.evaluate import body_forces, joint_forces, needs_bodies
from locomote.evaluation.plan import Plan
from locomote.evaluation.work import work_of
from locomote.forces.terms import ADDRESS, pack_terms
from locomote.forces.water.fluid import Fluid
from locomote.geometry.shapes.plane import PLANE
from locomote.linear import rank as linear
from locomote.linear.symbols import solved
from locomote.locomotion.problem import Locomotion
from locomote.methods.entries import bias_one, hybrid_one, mass_one, rows_one
from locomote.methods.explicit import NODES
from locomote.methods.explicit import WEIGHTS as WEIGHTS_ROW
from locomote.symbolic.plain import objects, run, zeros

TRIALS = 5  # random states at which rows are tried

EQUATIONS = "equations of its own"  # where a problem keeps them


@dataclass(frozen=True)
class Equations:
    """A problem whose equations can be written down: what the user's own functions would do is not in it."""

    problem: Locomotion
    plan: Plan
    rows: tuple[int, ...]  # independent ones

    @staticmethod
    def of(problem: Locomotion) -> "Equations":
        """The equations of a problem, or a ValueError that says what stands against it; a problem keeps its own."""
        memo = vars(problem)  # a weak table would not do: equations know their problem
        if EQUATIONS in memo:
            return memo[EQUATIONS]
        faults = obstacles(problem)
        if faults:
            raise ValueError(f"{problem.name!r} cannot be written as one formula: {'; '.join(faults)}")
        plan = problem.plan
        terms = pack_terms(problem.model, problem.terms, plain=True).table
        none = np.zeros_like(plan.functions)
        plan = plan.changed(torque_rows=plan.torque_rows[:0], terms=terms, functions=none, calls=plain_calls(plan))
        memo[EQUATIONS] = found = Equations(problem, plan, independent_rows(problem))
        return found

    def __reduce__(self):
        return Equations.of, (self.problem,)

    @cached_property
    def digest(self) -> str:
        """A name for the contents, equal in another process."""
        laws = [self.problem.inertia, *(term.kind.stamp for term in self.problem.terms)]
        digest = hashlib.sha256(repr((self.rows, laws)).encode())
        for name in sorted(Plan.FIELDS):
            array = np.array(getattr(self.plan, name))
            if name == "terms":
                array[:, ADDRESS] = 0  # is another one in every process
            elif name == "calls":
                array[:] = 0  # as are these
            digest.update(f"{name}{array.shape}".encode())
            digest.update(array.tobytes())
        return digest.hexdigest()

    def state(self, q, v, a, force, t: Any = 0.0) -> "State":
        """What (1) and (2) need at a state; a (nv) has imposed accelerations, force (nv) all but passive ones and servos."""
        plan, work = self.plan, plain_work(self.plan)
        force = with_servos(plan, work, t, q, v, force)
        if needs_bodies(plan):
            plain(rows_one)(plan, work, t, q, v, a)
            body_forces(plan, work, t, q, v)
        if not self.rows:
            return State(self, work, q, v, a, force)
        self.fill(work, q, v, a)
        return State(self, work, q, v, a, force)

    def fill(self, work, q, v, a) -> None:
        """Bias force and mass matrix into `work`."""
        flexible = len(self.plan.rods) > 0
        bias, mass = (flexible_calls.bias_one, flexible_calls.mass_one) if flexible else (bias_one, mass_one)
        plain(bias)(self.plan, work, q, v, a)
        plain(mass)(self.plan, work, q)

    def torques(self, t) -> np.ndarray:
        """(nv,) torques that are given over time; they are not in `state`, whose caller may have numbers for them."""
        plan = self.problem.plan
        if any(not has_formula(plan.torque_numbers, row) for row in plan.torque_rows):
            raise ValueError(
                f"{self.problem.name!r} cannot be written as one formula: a torque follows a function, samples or a ramp; "
                f"sines and polynomials of time have formulas, others can be given as tau"
            )
        result, rate, second = (zeros(len(self.plan.imposed)) for _ in range(3))
        plain(signals_one)(plan.torque_rows, plan.torque_numbers, plan.functions, t, result, rate, second, None)
        return result

    def settled(self, q, v, force, t=0.0) -> np.ndarray:
        """v of a problem without inertia: free velocities from the balance of forces, R v_f = f_0."""
        plan, still = self.plan, v.copy()
        still[plan.free] = 0.0

        def acting(velocity):
            work = plain_work(plan)
            given = with_servos(plan, work, t, q, velocity, force)
            plain(rows_one)(plan, work, t, q, velocity, zeros(len(v)))
            body_forces(plan, work, t, q, velocity)
            plain(flexible_calls.bias_one if len(plan.rods) else bias_one)(plan, work, q, zeros(len(v)), zeros(len(v)))
            return (given + work.passive - work.bias)[plan.free]

        at_rest, columns = acting(still), []
        for k in plan.free:
            moving = still.copy()
            moving[k] = 1.0
            columns.append(at_rest - acting(moving))
        result = still.copy()
        result[plan.free] = solved(np.array(columns, dtype=object).T.copy(), at_rest)
        return result


class State:
    """The equations at one state."""

    def __init__(self, equations: Equations, work, q, v, a, force):
        self.equations, self.work, self.q, self.v, self.a = equations, work, q, v, a
        self.force = force + work.passive

    @cached_property
    def _matrices(self):
        """A over free coordinates, M^-1 A^T and S."""
        free, rows = self.equations.plan.free, list(self.equations.rows)
        A, M = self.work.A[np.ix_(rows, free)], self.work.M[np.ix_(free, free)]
        back = solved(M, A.T.copy())
        return A, M, back, A @ back

    def acceleration(self) -> np.ndarray:
        """(1), complete."""
        plan, work, a = self.equations.plan, self.work, self.a.copy()
        if not self.equations.rows:
            tau = self.force.copy()
            if len(plan.rods):
                work.tau[:] = tau
                plain(flexible_calls.hybrid_one)(plan, work, self.q, self.v, a)
                self.tau = work.tau
                return a
            none = self.equations.problem.model.plain and not needs_bodies(plan)
            wrenches = None if none else work.wrenches[:-1]
            run(hybrid_one, plan.topology, plan.constants, self.q, self.v, plan.imposed, wrenches, tau, a)
            self.tau = tau
            return a
        A, M, back, S = self._matrices
        free, rows = plan.free, list(self.equations.rows)
        first = solved(M, (self.force - work.bias)[free])
        lam = solved(S, -work.drift[rows] - A @ first)
        a[free] = first + back @ lam
        self.tau = work.bias + work.M[:, free] @ a[free] - work.A[rows].T @ lam
        return a

    def torques(self) -> np.ndarray:
        """(nv,) what drives give on imposed coordinates, and what is given on others; after `acceleration`."""
        return np.where(self.equations.problem.imposed, self.tau - self.work.passive, self.force - self.work.passive)

    def corrections(self) -> tuple[np.ndarray, np.ndarray]:
        """(2): changes (nv) of v, and of q along the tangent."""
        plan, work, rows = self.equations.plan, self.work, list(self.equations.rows)
        dv, dq = zeros(len(self.v)), zeros(len(self.v))
        _, _, back, S = self._matrices
        dv[plan.free] = -(back @ solved(S, (work.A @ self.v + work.speed)[rows]))
        dq[plan.free] = -(back @ solved(S, work.error[rows]))
        return dv, dq


def served(plan: Plan) -> np.ndarray:
    """Coordinates with servos, whose motors have limits of what is given and the servo together."""
    return plan.follow_rows[:, COORDINATE]


def with_servos(plan: Plan, work, t, q, v, force) -> np.ndarray:
    """(nv,) given forces with those of servos, within the limits of motors where there is one; passive ones into `work`."""
    own = served(plan)
    work.input[own] = force[own]
    joint_forces(plan, work, t, q, v)
    if not len(own):
        return force
    total = force.copy()
    total[own] = work.active[own]
    return total


def plain(kernel):
    """The Python function of a kernel."""
    return getattr(kernel, "py_func", kernel)


def plain_calls(plan: Plan) -> np.ndarray:
    """Names of plain functions for what routines call by address: signals, and what flexible bodies need."""
    calls, own = np.zeros_like(plan.calls), {fields.SIGNALS: signals_one}
    if len(plan.rods):
        own |= {fields.PLACE: flexible_calls.place_one, col.PULL: flexible_calls.pull_one, fields.ACTUATE: actuate_one}
    for slot, kernel in own.items():
        calls[slot] = plain_address(plain(kernel))
    return calls


def plain_work(plan: Plan):
    """Scratch for numbers of any kind, all zero; none for sizes of rows, which only numbers have."""
    work = work_of(plan)
    whole = ("chosen", "order", "loads_order")
    arrays = {name: getattr(work, name) for name in type(work).FIELDS}
    made = {name: array if name in whole else zeros(array.shape) for name, array in arrays.items()}
    return types.SimpleNamespace(**made | {"possible": zeros(0)})


def obstacles(problem: Locomotion) -> list[str]:
    """What of a problem cannot be written as a formula."""
    plan, faults = problem.plan, []
    if len(plan.actuators) and (plan.actuators[:, 1] == LAW).any():
        faults.append("a strain law of its rods is a table")
    if not all(has_formula(plan.tension_numbers, row) for row in plan.tension_rows):
        faults.append("an actuator follows a function, samples or a ramp; sines and polynomials of time have formulas")
    if plan.functions[fields.TORQUES].any():
        faults.append("its torques are a function; give them as controls")
    if clocked(problem.controllers):
        faults.append("its torques come from controllers with a clock; give them as controls")
    elif computes_torques(plan):
        faults.append("its torques are computed from the equations of motion; give them as controls, or take lo.Servo")
    if not all(has_formula(plan.follow_signal_numbers, row) for row in plan.follow_signal_rows):
        faults.append("a servo follows a function, samples or a ramp; numbers, sines and polynomials of time have formulas")
    if plan.functions[fields.ENVIRONMENT].any():
        faults.append("its environment has a function")
    if any(isinstance(fluid := getattr(e, "fluid", None), Fluid) and fluid.sampled for e in problem.environment):
        faults.append("its flow is a grid of samples")
    if problem.contacts:
        faults.append("it may touch ground or other bodies (lo.Touch); problem.with_contacts({'foot': 'stick'}, q) has one")
    if not problem.inertia and len(plan.integers):
        faults.append("it has constraints and no inertia")
    elif not problem.inertia and not faults and not is_linear(problem):
        faults.append("it has no inertia and forces that are not proportional to velocities, which are found by search")
    for row in plan.integers:
        name = getattr(problem.constraints[row[col.OWNER]], "name", "") or f"number {row[col.OWNER]}"
        if row[col.KIND] == col.CUSTOM:
            faults.append(f"constraint {name} is a function")
        if row[col.UNILATERAL]:
            faults.append(f"contact {name} may open and close")
        if row[col.KIND] == col.ROLL and row[col.SURFACE] != PLANE:
            faults.append(f"constraint {name} rolls on a curved surface, where contact is found by search")
    return faults


def has_formula(numbers: np.ndarray, row: np.ndarray) -> bool:
    """Whether a signal is the same formula at all times: a sine or a polynomial, without ramps."""
    return row[KIND] in ON_SYMBOLS and not numbers[row[FIRST]]


def is_linear(problem: Locomotion) -> bool:
    """Whether forces are linear in velocities, by numbers near the start."""
    model, rng = problem.model, np.random.default_rng(0)
    q = model.integrate(problem.initial()[0], rng.normal(scale=0.1, size=model.nv))
    still, v = problem.balance(0.0, q), rng.normal(size=model.nv)
    once, more = (problem.balance(0.0, q, x * v) - still for x in (1.0, 3.0))
    return bool(abs(more - 3.0 * once).max(initial=0.0) <= 1e-7 * max(abs(more).max(initial=0.0), 1e-300))


def independent_rows(problem: Locomotion) -> tuple[int, ...]:
    """Constraint rows that all others follow from, at the start and around it."""
    if not len(problem.plan.holonomic):
        return ()
    model, rng, best, found = problem.model, np.random.default_rng(0), (), False
    q0, _ = problem.initial()
    for trial in range(TRIALS):
        q = model.integrate(q0, rng.normal(scale=0.1 if trial else 0.0, size=model.nv))
        rows = problem.scaled_rows(0.0, q)
        if not np.isfinite(rows).all():  # such as of a wheel that lies flat
            continue
        found = True
        order, rank = linear.independent_rows(rows, np.ones(len(rows)), problem.rank_tolerance)
        if rank > len(best):
            best = tuple(sorted(int(r) for r in order[:rank]))
    if not found:
        raise ValueError(
            f"constraints of {problem.name!r} cannot be told apart near its start, where they are singular; give it another, "
            f"lo.Locomotion(..., start=(q, v))"
        )
    return best


def moved_by(equations: Equations, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
    """q moved along the tangent."""
    topology, rate, result = equations.plan.topology, objects(len(dq)), objects(len(q))
    chart_rate(topology, q, zeros(len(dq)), dq, rate)
    moved(topology, q, rate, result)
    return result


def rk4_step(equations: Equations, q, v, h: float, accelerations, forces, t=0.0, watch=None):
    """One step of Runge-Kutta 4 in exponential coordinates; accelerations and forces (3, nv) at its start, middle and end.

    watch : called at each stage with t, q, v, a and the State there (None without inertia)
    """
    start, middle, end = range(3)
    q, v = corrected(equations, q, v, accelerations[start], forces[start], t)
    topology, ku, kv = equations.plan.topology, [], []
    for share, when in ((0.0, start), (0.5, middle), (0.5, middle), (1.0, end)):
        u = ku[-1] * (share * h) if ku else zeros(len(v))
        now = v + kv[-1] * (share * h) if kv else v
        place, rate = q, objects(len(v))
        if ku:
            place = objects(len(q))
            moved(topology, q, u, place)
        state = None
        if equations.problem.inertia:
            state = equations.state(place, now, accelerations[when], forces[when], t + share * h)
            kv.append(state.acceleration())
        else:
            now = equations.settled(place, now, forces[when], t + share * h)
            kv.append(imposed_only(equations, accelerations[when]))
        if watch is not None:
            watch(t + share * h, place, now, kv[-1], state)
        chart_rate(topology, place, u, now, rate)
        ku.append(rate)
    u, dv = ((k[0] + 2.0 * k[1] + 2.0 * k[2] + k[3]) * (h / 6) for k in (ku, kv))
    result = objects(len(q))
    moved(topology, q, u, result)
    if not equations.problem.inertia:
        return result, equations.settled(result, v + dv, forces[end], t + h)
    return result, v + dv


def explicit_step(equations: Equations, q, v, h, tableau, accelerations, forces, held, t=0.0, watch=None):
    """One step by the table of an explicit method (`methods.explicit`), of a length that may be traced.

    accelerations, forces : (stages, nv) ; held : for each stage (place in q, in v, position, velocity) of coordinates that
        drives hold ; watch : as of `rk4_step`
    """
    stages, topology, ku, kv = tableau.shape[1], equations.plan.topology, [], []
    nodes, weights = tableau[stages + NODES], tableau[stages + WEIGHTS_ROW]
    q, v = corrected(equations, q, v, accelerations[0], forces[0], t)
    for i in range(stages):
        if not weights[i] and not tableau[:stages, i].any():
            continue  # a last stage that only tells of errors
        u, now, place, rate = summed(tableau[i], ku, h), v + summed(tableau[i], kv, h), objects(len(q)), objects(len(v))
        moved(topology, q, u if i else zeros(len(v)), place)
        for at_q, at_v, position, velocity in held[i]:
            place[at_q], now[at_v] = position, velocity
        when, state = t + float(nodes[i]) * h, None
        if equations.problem.inertia:
            state = equations.state(place, now, accelerations[i], forces[i], when)
            kv.append(state.acceleration())
        else:
            now = equations.settled(place, now, forces[i], when)
            kv.append(imposed_only(equations, accelerations[i]))
        if watch is not None:
            watch(when, place, now, kv[-1], state)
        chart_rate(topology, place, u if i else zeros(len(v)), now, rate)
        ku.append(rate)
    result, after = objects(len(q)), v + summed(weights, kv, h)
    moved(topology, q, summed(weights, ku, h), result)
    return result, after


def summed(weights, k: list, h):
    """h sum of weights times rates; zeros are left out."""
    parts = [rate * float(weight) for weight, rate in zip(weights, k, strict=False) if weight]
    return sum(parts[1:], parts[0]) * h if parts else 0.0


def imposed_only(equations: Equations, a: np.ndarray) -> np.ndarray:
    """Accelerations of imposed coordinates, zero elsewhere."""
    result = a.copy()
    result[equations.plan.free] = 0.0
    return result


def euler_step(equations: Equations, q, v, h: float, accelerations, forces, t=0.0, watch=None):
    """One step of the semi-implicit Euler method: velocities first, positions with the new ones. watch : as of `rk4_step`"""
    q, v = corrected(equations, q, v, accelerations[0], forces[0], t)
    if not equations.problem.inertia:
        a = imposed_only(equations, accelerations[0])
        v = equations.settled(q, v + a * h, forces[0], t)
        if watch is not None:
            watch(t, q, v, a, None)
        return moved_by(equations, q, v * h), v
    state = equations.state(q, v, accelerations[0], forces[0], t)
    a = state.acceleration()
    if watch is not None:
        watch(t, q, v, a, state)
    v = v + a * h
    return moved_by(equations, q, v * h), v


def corrected(equations: Equations, q, v, a, force, t):
    """The state brought back onto its constraints; positions have no error where no row holds one."""
    if not equations.rows:
        return q, v
    dv, dq = equations.state(q, v, a, force, t).corrections()
    return moved_by(equations, q, dq), v + dv


STEPS = {"rk4": rk4_step, "euler": euler_step}
WEIGHTS = {"rk4": (1 / 6, 1 / 3, 1 / 3, 1 / 6), "euler": (1.0,)}  # of their stages, in integrals
