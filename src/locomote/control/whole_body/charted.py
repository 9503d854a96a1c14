"""The whole-body program in coordinates of a chart, as Bouyarmane and Kheddar (2012) write it, (36) to (38).

Unknowns are second rates x'' of N coordinates, redundant ones among them, torques u of motors, forces f of contact points, and,
if it is asked for, the multiplier lam of redundant coordinates (`dynamics.charted` has M_x, h_x, T and C_x):

    min  sum w |T_i (T x'' + T' x') - b_i|^2 + e |Z a|^2 + sum e_p |f_p - wish_p|^2                                  (1)
    with   M_x x'' + h_x = T^T (S u + J^T f) + C_x^T lam ,   C_x x'' + (C_x)' x' = 0            multiplier: (32), (30)
    or     P (M_x x'' + h_x - T^T (S u + J^T f)) = 0 ,       C_x x'' + (C_x)' x' = 0            projected: (35), (30)
           contact points do not accelerate ,   |u| <= limits ,   forces within pyramids

Z a is the part of a that contacts leave free, whose small cost `WholeBody` has, too. The cost (1) says nothing about u, lam and
the redundant direction; to have a strictly convex program the squares of the equalities are added to it, which are zero
at every point that meets them, so that the answer stays what it is. It is that of `WholeBody`, which solves for motions that
contacts leave free and for forces only: this form is for comparison, with limits that are hard and tasks of one priority.
"""

from typing import Any, NamedTuple

import numpy as np

from locomote.control.whole_body.controller import WholeBody
from locomote.control.whole_body.tables import ACROSS, DAMPING, STIFFNESS
from locomote.control.whole_body.tasks import AngularMomentum, CenterOfMass, Frame, LookAt, Posture
from locomote.control.whole_body.touching import axes_of, drift_at, levers_of, points_of, rows_at
from locomote.dynamics.charted import Charted
from locomote.dynamics.kinematics import acceleration, forward_kinematics, jacobian, velocity
from locomote.dynamics.momentum import center_of_mass, momentum, momentum_matrix, momentum_rate
from locomote.errors import UnknownName
from locomote.qp.solve import Program, solve_qp
from locomote.spatial.rotations_arrays import vector_from_matrix

FORMS = ("multiplier", "projected", "oblique")


class InChart(NamedTuple):
    """a, tau : (nv,) ; forces : by contact, (points, 3) in world axes, N ; second_rates : (N,) x''
    multiplier : (c,) lam, zero up to rounding, empty where it is no unknown ; program : with its proof
    """

    a: np.ndarray
    tau: np.ndarray
    forces: dict[str, np.ndarray]
    second_rates: np.ndarray
    multiplier: np.ndarray
    program: Program


def in_chart(control: WholeBody, t: float, q, v, *, chart: Any = "quaternion", form: str = "multiplier") -> InChart:
    """One tick of a controller as a program over x'', torques and forces in a chart; compare with `control.evaluate(t, q, v)`.

    t : s ; q : (nq,) ; v : (nv,) ; chart : as of lo.Charted
    form : "multiplier" has lam among the unknowns; "projected" has the equations of motion projected along C_x^T instead, and
        "oblique" does so by the projector as published, for one quaternion
    """
    if form not in FORMS:
        raise UnknownName("form", form, FORMS, "in_chart")
    if len({task.priority for task in control.tasks.values()}) > 1:
        raise ValueError("in_chart has tasks of one priority only; give those of this controller the same one")
    tick: Any = control.prepare().tick
    if len(tick.cut) or len(tick.bounded) or len(tick.pair):
        raise ValueError(
            "in_chart has pyramids and torque limits; make the controller without round cones, limits of motion and clearances"
        )
    model, charted = control.model, Charted(control.model, chart)
    q, v = model.checked_q(q), model.checked_v(v)
    control.write_references(t, q)
    x = charted.coordinates(q)
    rates = charted.rates(x, v)
    motion = charted.equations(x, rates, control.passive_force(q, v))
    T, drift = motion.rate_map, charted.acceleration(x, rates, np.zeros(charted.size))
    program = _Columns(charted.size, np.flatnonzero(control.driven), control, motion if form == "multiplier" else None)
    levers = _levers(control, q)
    balance = np.zeros((charted.size, program.count))
    balance[:, program.x] = motion.mass
    balance[:, program.u] = -T.T[:, program.driven]
    balance[:, program.f] = -T.T @ levers
    balance[:, program.lam] = -motion.constraint_jacobian.T if form == "multiplier" else 0.0
    goal = motion.force - motion.bias
    if form != "multiplier":
        P = charted.projector(x, rates, form)
        balance, goal = P @ balance, P @ goal
    held, held_goal = _held(control, t, q, v)
    kinds = ((balance, goal), (_over(program, motion.constraint_jacobian), -motion.constraint_drift))
    equal = [*kinds, (_over(program, held @ T), held_goal - held @ drift)]
    E, e = np.vstack([rows for rows, _ in equal]), np.concatenate([goals for _, goals in equal])
    H, g = _cost(control, q, v, program, T, drift, held)
    scale = np.maximum(np.linalg.norm(E, axis=1), 1e-300)
    E, e = E / scale[:, None], e / scale
    H, g = H + E.T @ E, g - E.T @ e
    rows, low, high = _limits(control, program)
    found = solve_qp(H, g, np.vstack([E, rows]), np.concatenate([e, low]), np.concatenate([e, high]))
    if found.status != "solved":
        raise ArithmeticError(f"the program of this tick is {found.status}; control.evaluate says what stands against it")
    tau, forces, first, poses = np.zeros(model.nv), {}, program.f.start, forward_kinematics(model, q)
    tau[program.driven] = found.x[program.u]
    for name, c in control.contacts.items():
        forces[name] = found.x[first : first + 3 * len(c.points)].reshape(-1, 3) @ axes_of(model, c, poses).T
        first += 3 * len(c.points)
    second = found.x[program.x]
    return InChart(T @ second + drift, tau, forces, second, found.x[program.lam], found)


class _Columns:
    """Where the unknowns stand."""

    def __init__(self, size: int, driven: np.ndarray, control: WholeBody, motion: Any):
        points = sum(len(c.points) for c in control.contacts.values())
        extra = 0 if motion is None else len(motion.constraint)
        edges = np.cumsum([0, size, len(driven), 3 * points, extra])
        self.x, self.u, self.f, self.lam = (slice(int(a), int(b)) for a, b in zip(edges, edges[1:], strict=False))
        self.driven, self.count, self.points = driven, int(edges[-1]), points


def _over(program: _Columns, rows: np.ndarray) -> np.ndarray:
    """Rows over x'' as rows over all unknowns."""
    whole = np.zeros((len(rows), program.count))
    whole[:, program.x] = rows
    return whole


def _levers(control: WholeBody, q) -> np.ndarray:
    """(nv, 3 points) forces of coordinates for unit forces along the axes of contacts."""
    return np.hstack([np.zeros((control.model.nv, 0)), *levers_of(control.model, list(control.contacts.values()), q)])


def _held(control: WholeBody, t: float, q, v) -> tuple[np.ndarray, np.ndarray]:
    """Rows over a, and what they are to be: contacts that do not accelerate, but for the damping of their speed."""
    model, k = control.model, control.prepare().tick
    rows, goals, damping = [np.zeros((0, model.nv))], [np.zeros(0)], float(k.number[2])
    poses = forward_kinematics(model, q)
    for c in control.contacts.values():
        points = points_of(model, c, poses)
        groups = [points.mean(axis=0)] if c.holds_rotation else list(points)
        take = slice(0, 6 if c.holds_rotation else 3)
        for middle in groups:
            twist, drift = drift_at(model, c, q, v, middle, poses)
            goal = -drift - damping * twist
            if c.velocity is not None:
                goal = goal + damping * np.asarray(c.velocity(t) if callable(c.velocity) else c.velocity)
            if c.acceleration is not None:
                goal = goal + np.asarray(c.acceleration(t) if callable(c.acceleration) else c.acceleration)
            rows.append(rows_at(model, c, q, middle, poses)[take])
            goals.append(goal[take])
    return np.vstack(rows), np.concatenate(goals)


def _cost(control: WholeBody, q, v, program: _Columns, T, drift, held) -> tuple[np.ndarray, np.ndarray]:
    """H and g of (1)."""
    k: Any = control.prepare().tick
    rows, b, w = task_rows(control, q, v)
    own = rows.T @ (w[:, None] * rows) + k.number[0] * (np.eye(len(v)) - np.linalg.pinv(held) @ held)
    wanted = rows.T @ (w * b)
    H, g = np.zeros((program.count, program.count)), np.zeros(program.count)
    H[program.x, program.x], g[program.x] = T.T @ own @ T, T.T @ (own @ drift - wanted)
    weights = np.outer(k.grip[:, 3], (ACROSS, ACROSS, 1.0)).ravel()
    H[program.f, program.f], g[program.f] = np.diag(weights), -weights * k.wish.ravel()
    return H, g


def _limits(control: WholeBody, program: _Columns) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of torque limits and pyramids with their bounds."""
    k: Any = control.prepare().tick
    limits = control.torque_limits[program.driven]
    motors = np.zeros((len(limits), program.count))
    motors[:, program.u] = np.eye(len(limits))
    rows, low, high = [motors], [-limits], [limits]
    for p in range(program.points):
        first, grip = program.f.start + 3 * p, np.zeros((1 + len(k.side), program.count))
        grip[0, first + 2] = 1.0
        grip[1:, first : first + 2], grip[1:, first + 2] = -k.side, k.grip[p, 0]
        rows.append(grip)
        low.append(np.array([k.grip[p, 1], *np.zeros(len(k.side))]))
        high.append(np.array([k.grip[p, 2], *np.full(len(k.side), np.inf)]))
    return np.vstack(rows), np.concatenate(low), np.concatenate(high)


def task_rows(control: WholeBody, q, v) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """T, b and weights of all rows of tasks, by public functions; references must have been written."""
    model, packed = control.model, control.prepare()
    k: Any = packed.tick
    poses, still = forward_kinematics(model, q), np.zeros(model.nv)
    rows, goals, weights = [], [], []
    for n, (name, task) in enumerate(control.tasks.items()):
        kp, kd = k.gain[n, STIFFNESS], k.gain[n, DAMPING]
        rate, second = k.goal_rate[n], k.goal_acceleration[n]
        components = k.row[packed.tasks[name], 1]
        if isinstance(task, Posture):
            T = np.eye(model.nv)
            b = kp * model.difference(q, k.posture[n]) + kd * (k.posture_rate[n] - v) + k.posture_acceleration[n]
        elif isinstance(task, (CenterOfMass, AngularMomentum)):
            share = np.array([1 / model.mass] * 3 + [1.0] * 3)
            T = share[:, None] * momentum_matrix(model, q)
            now, drift = share * momentum(model, q, v), share * momentum_rate(model, q, v, still)
            b = second - drift
            b[:3] += kp * (k.goal[n, :3] - center_of_mass(model, q)) + kd * (rate[:3] - now[:3])
            b[3:] += kd * (k.goal[n, 3:6] - now[3:])
        else:
            assert isinstance(task, (Frame, LookAt))
            place = {"point": tuple(float(x) for x in task.point), "frame": "aligned"}
            pose = poses[model.body(task.body).index]
            R, o = pose[:3, :3], pose[:3, 3] + pose[:3, :3] @ np.array(place["point"])
            T = jacobian(model, q, task.body, **place)
            twist, drift = velocity(model, q, v, task.body, **place), acceleration(model, q, v, still, task.body, **place)
            b = second + kd * (rate - twist) - drift
            if isinstance(task, Frame):
                turn = vector_from_matrix(k.goal[n, 3:12].reshape(3, 3) @ R.T)
                b = b + kp * np.concatenate([k.goal[n, :3] - o, turn])
            elif isinstance(task, LookAt):
                d, e = R @ k.goal[n, 3:6], k.goal[n, :3] - o
                P = np.eye(3) - np.outer(d, d)
                T[3:] = P @ T[3:]
                b[3:] = P @ b[3:] + kp * np.cross(d, e / np.linalg.norm(e))
        rows.append(T[components])
        goals.append(b[components])
        weights += [task.weight] * len(components)
    return np.concatenate(rows), np.concatenate(goals), np.array(weights)
