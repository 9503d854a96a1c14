"""Do the accelerations of a run over contacts follow from its forces?

What a sample of such a run holds are means over the step of length h that ends there. By the equations of
`methods.timestep.attempt` at the middle of that step, from the state q, v at its end,

    q_m = q (-) h/2 v ,   v_m = v - h/2 a ,      M a + bias(v_m) = forces + J^T f + A^T lam         at q_m            (1)

with f the forces of contacts in the samples; off by the square of h times the speed of turning. What samples do not hold is
left open: moments of rolling and of torsion, up to their bounds, forces of stops of joints, how much of dry friction acts, and
by how much torques, damping, forces of the surroundings and accelerations of drives change within a step (and all of a step in
which surroundings change by a fifth). Steps next to events are shorter, or have impacts in them, and are left out.
"""

from typing import Any

import numpy as np

from locomote.contact.meeting_columns import BODY as SOLID_BODY
from locomote.contact.spots import BODY, OTHER, ROLLING, TORSION
from locomote.dynamics.kinematics import forward_kinematics, jacobian
from locomote.dynamics.matrices import mass_matrix
from locomote.evaluation import plan as fields
from locomote.runs.audit.checks import Check
from locomote.runs.audit.known import solved
from locomote.runs.audit.states import States, forces
from locomote.runs.trajectory import Trajectory

ALLOWED = 1e-2  # share of the terms of (1)
USUALLY = 5.0  # times better is (1) in most steps
TURNED = 4.0  # times the square of h w, that (1) is off
EVENTFUL = 1.5  # steps, about an event
CHANGED = 0.2  # share of the largest force: where forces change by more in a step, as on soft ground in a hit, no verdict
UNCUT = 0.9  # least share that the mean step is of the one asked for, where steps are alike
NEAR_STOP = 1e-3  # rad or m, and what a coordinate moves in a step: where its stop may act


def check_steps(run: Trajectory, rows: np.ndarray, deep: bool) -> tuple[list[Check], list[str]]:
    """(1), at some samples."""
    problem, model, h = solved(run), run.model, float(run.info.get("mean_step") or 0.0)
    rows = rows[run.t[rows] > run.info.get("t0", run.t[0])]  # at the start there was no step
    times = np.array([event.t for event in run.events])
    rows = rows[(abs(run.t[rows][:, None] - times) > EVENTFUL * h).all(axis=1)]
    if model.flexible or not h or not len(rows):
        return [], ["equations of motion: steps over contacts take elasticity implicitly"] if model.flexible else []
    if h < UNCUT * float(run.info.get("step") or h):
        return [], ["equations of motion: some steps were shorter than asked for, to follow what turns fast"]
    if run.contact_forces.shape[1] != len(problem.plan.spots):
        return [], ["equations of motion: forces of contacts are not in the run"]
    s = States(run, problem, rows)
    q, v, within = s.q, s.v, []
    middle = model.integrate(q, -h / 2 * v)
    before = v - h * s.a
    for s.q, s.v in ((q, v), (middle, v), (middle, before), (model.integrate(middle, -h / 2 * before), before)):
        within.append(s.surroundings(deep)[0])
    s.q, s.v = middle, v - h / 2 * s.a
    needed, still = forces(model, s.q, s.v, s.a), forces(model, s.q, s.v, 0 * s.a)
    acting, summed = s.surroundings(deep)
    found = [of_contacts(run, int(k), q) for k, q in zip(rows, s.q, strict=True)]
    touching, moments = (np.array(x) for x in zip(*found, strict=True))
    given = [np.clip(s.tau, -problem.plan.effort, problem.plan.effort), s.passive(), acting, touching]
    off = needed - sum(given)
    size = abs(needed - still) + abs(still) + sum(abs(x) for x in given) + summed
    if s.labels:
        off, size = off - np.einsum("nrk,nr->nk", s.A, s.lam), size + np.einsum("nrk,nr->nk", abs(s.A), abs(s.lam))
    lever = np.sqrt(np.maximum(np.diag(mass_matrix(model, s.q[0])), 1e-300) / max(model.mass, 1e-300))
    felt = lever * (size / lever).max(axis=1, keepdims=True)  # the largest force at the sample, at the lever of each
    spin = abs(s.v[:, model._turns]).max(axis=1, initial=0.0)[:, None]
    changes = np.max([abs(acting - x) for x in within], axis=0)
    changing = left_open(problem, run, rows, h) + changes + of_drives(problem, s, h)
    left = np.maximum(abs(off) - moments - changing, 0.0)
    part = np.divide(left, felt, out=np.zeros_like(left), where=felt > 0) - TURNED * (h * spin) ** 2
    part[stopped(problem, run, rows, h)] = 0.0
    part[(changes > CHANGED * felt).any(axis=1)] = 0.0
    worst = np.maximum(part.max(axis=1, initial=0.0), 0.0)
    value = max(float(worst.max()), USUALLY * float(np.median(worst)))  # steps in which something hits are off by more
    note = f"a, tau and forces of contacts at {len(rows)} samples, in the middle of steps"
    if not value <= ALLOWED:
        k = int(part.max(axis=0).argmax())
        slot = next(slot for slot in model.layout() if slot.vector == "v" and slot.index == k)
        note = f"forces on {slot.joint}.{slot.name} do not give its acceleration"
    return [Check("equations of motion", value, ALLOWED, note)], []


def of_contacts(run: Trajectory, k: int, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(nv,) what contacts of sample k do to the coordinates at q, however they share a load; and the most that moments of
    rolling and torsion may add."""
    model, total, moments = run.model, np.zeros(run.model.nv), np.zeros(run.model.nv)
    rows = {int(model.carrier[n]): name for n, name in reversed(list(enumerate(model.body_names)))}
    plan, poses = solved(run).plan, forward_kinematics(model, q)
    arms = plan.spot_laws[:, [ROLLING, TORSION]].sum(axis=1)
    sides = plan.spots[:, [BODY, OTHER]].copy()
    slots = len(sides) - run.contact_pairs.shape[1]
    for c, pair in enumerate(run.contact_pairs[k].astype(int)):
        if pair > 0:
            sides[slots + c] = [int(plan.solids[plan.pairs[pair - 1, n], SOLID_BODY]) for n in (1, 0)]
    for side, arm, force, point in zip(sides, arms, run.contact_forces[k], run.contact_points[k], strict=True):
        for row, sign in ((int(side[0]), 1.0), (int(side[1]), -1.0)) if force.any() else ():
            if row in rows:
                own = np.linalg.inv(poses[model.body_index(rows[row])]) @ [*point, 1.0]
                J = jacobian(model, q, rows[row], point=own[:3], frame="aligned")
                total += sign * J[:3].T @ force
                moments += arm * float(np.linalg.norm(force)) * abs(J[3:]).sum(axis=0)
    return total, moments


def of_drives(problem: Any, s: States, h: float) -> np.ndarray:
    """(n, nv) what accelerations of drives change within a step, as forces."""
    change = np.zeros_like(s.a)
    for k, drive in problem.imposed_motions.items():
        change[:, k] = [abs(drive(float(t))[2] - drive(float(t) - h)[2]) for t in s.t]
    return np.einsum("nij,nj->ni", abs(mass_matrix(s.model, s.q)), change) if change.any() else change


def left_open(problem: Any, run: Trajectory, rows: np.ndarray, h: float) -> np.ndarray:
    """(n, nv) what dry friction, damping and torques may differ by from what they are at v_m."""
    plan, v, change = problem.plan, abs(run.v[rows]), h * abs(run.a[rows])
    damping, friction = plan.passive[[fields.DAMPING, fields.FRICTION]]
    result = friction + damping * change
    for (k, _, _), (stiffness, rate) in zip(plan.follow_rows, plan.follow_numbers, strict=True):
        result[:, k] += h * stiffness * (v[:, k] + change[:, k]) + rate * change[:, k]
    if callable(problem.torques) or len(plan.follow_rows):
        result += abs(np.gradient(run.tau, axis=0))[rows] if len(run) > 1 else 0.0
    return result


def stopped(problem: Any, run: Trajectory, rows: np.ndarray, h: float) -> np.ndarray:
    """(n, nv) where a coordinate may be at its stop."""
    plan, found = problem.plan, np.zeros((len(rows), run.model.nv), dtype=bool)
    for k, (_, place, *_) in zip(plan.stops, plan.stop_laws, strict=True):
        near = NEAR_STOP + 2 * h * abs(run.v[rows, k])
        found[:, k] |= abs(run.q[rows, problem.q_of_v[k]] - place) < near
    return found
