"""An energy balance of the crossings' own: from states, forces at their places, torques and reactions; not from `run.work`.

    T + V at the end  -  at the start  =  integral of  tau.v + passive.v + sum of wrench.twist + reaction.(A v)

T is half v'Mv, V the potential of weight. Integrals are by Gauss points between edges at which controllers tick; panels in
which velocities jump count as what must not gain energy. Over hard contacts, with every step sampled, the force of a step acts
along the way of its point.
"""

import numpy as np
from crossing_cases import STEP, Case

import locomote as lo

NODES = np.polynomial.legendre.leggauss(4)


def own_balance(case: Case) -> tuple[float, float]:
    """What is missing over all that was exchanged, and what is allowed."""
    return stepped(case) if case.steps else smooth(case)


def energies(problem: lo.Locomotion, run: lo.Trajectory) -> np.ndarray:
    """(n,) of motion and height, J."""
    T = [0.5 * v @ lo.mass_matrix(problem.model, q) @ v for q, v in zip(run.q, run.v, strict=True)]
    return np.array(T) + lo.potential_energy(problem.model, run.q)


def power(case: Case, run: lo.Trajectory, k: int) -> float:
    """Of everything but weight at a sample, W."""
    problem, model, q, v, t = case.problem, case.problem.model, run.q[k], run.v[k], float(run.t[k])
    total = run.tau[k] @ v + friction_and_springs(problem, q, v) @ v
    poses, twists, _ = lo.motion(model, q, v, 0 * v)
    for term in problem.terms:
        own = len(term.places) // term.kind.bodies
        for place, load in zip(term.places[:: term.kind.bodies][:own], run.loads[term.name][k], strict=True):
            total += world_power(model, poses, twists, place.body, place.pose, load)
    for element in problem.environment:
        if callable(element) and not hasattr(element, "term"):
            for body, wrench in element(t, q, v).items():
                total += np.dot(wrench, twists[model.body_index(body)])
    if len(run.constraint_labels):
        A = problem.rows(t, q, v)[0]
        total += run.reactions[k] @ (A @ v)
    return float(total)


def world_power(model, poses, twists, body, pose, load) -> float:
    """Of a force and moment in world axes at a place of a body."""
    if body is None:
        return 0.0
    index = model.body_index(str(body))
    R, (u, w) = poses[index][:3, :3], np.split(twists[index], 2)
    u = u + np.cross(w, pose[:3, 3])
    return float(load[:3] @ (R @ u) + load[3:] @ (R @ w))


def friction_and_springs(problem, q, v) -> np.ndarray:
    """(nv,) of joints, rods and `springs`."""
    model, smooth = problem.model, np.tanh(v / problem.friction_speed)
    force = lo.passive_force(model, q, v) + model.friction * (np.sign(v) - smooth)
    for name, (stiffness, rest, damping) in problem.springs.items():
        joint = model.joint(name)
        force[joint.v] += -stiffness * (q[joint.q] - rest) - damping * v[joint.v]
    return force


def smooth(case: Case) -> tuple[float, float]:
    """Of runs whose forces are smooth between ticks."""
    ticks = [c.every for c in case.problem.controllers if isinstance(c, (lo.Sampled, lo.PD))]  # edges must be among them
    shortest = min([1.25e-3 if case.problem.model.flexible else 5e-3, *ticks])  # s; flexible bodies swing fast
    panels = round(case.mechanism.duration / shortest)
    edges = np.linspace(0.0, case.mechanism.duration, panels + 1)
    half = 0.5 * np.diff(edges)
    inside = (edges[:-1] + half)[:, None] + half[:, None] * NODES[0]
    loose = case.run.info["method"] == "rosenbrock"
    tight = {"rtol": 1e-6, "atol": 1e-8} if loose else {"rtol": 1e-10, "atol": 1e-12}
    run = case.simulate(samples=np.unique(np.concatenate([edges, inside.ravel()])), every=None, **tight)
    E, inner = energies(case.problem, run), inside_rods(case, run)
    missing, exchanged = 0.0, abs(np.diff(lo.potential_energy(case.problem.model, run.q))).sum() + np.ptp(E) + 1e-6
    for k in range(panels):
        first, last = (int(np.searchsorted(run.t, edges[k + n], side="right")) - 1 for n in (0, 1))
        if any(edges[k] - 1e-12 <= event.t <= edges[k + 1] + 1e-12 for event in run.events):
            continue  # velocities jump within
        rows = np.searchsorted(run.t, inside[k])
        P = np.array([power(case, run, row) for row in rows])
        work = half[k] * NODES[1] @ P + inner[last] - inner[first]
        exchanged += abs(work)
        missing += abs(E[last] - E[first] - work)
    return missing / exchanged, 1e-2 if loose or case.rough else 3e-5


def inside_rods(case: Case, run: lo.Trajectory) -> np.ndarray:
    """(n,) work of what acts inside rods, J, which has no place outside of them: as the run counts it."""
    if not case.problem.actuators:
        return np.zeros(len(run))
    counted = {"drives", "losses", "constraints", "torques", *(term.name for term in case.problem.terms)}
    if any(callable(e) and not hasattr(e, "term") for e in case.problem.environment):
        counted.add("environment")
    return sum((work for name, work in run.work.items() if name not in counted), np.zeros(len(run)))


def stepped(case: Case) -> tuple[float, float]:
    """Of runs over hard contacts, whose steps are all sampled."""
    run = case.simulate(every=STEP)
    problem, model, h = case.problem, case.problem.model, np.diff(run.t)
    E, work = energies(problem, run), np.zeros(len(run))
    P = np.array([power(case, run, k) for k in range(len(run))])
    work[1:] = np.cumsum(h * 0.5 * (P[1:] + P[:-1]))
    pushed = np.zeros(len(run))
    for k in range(1, len(run)):
        for spot, force in enumerate(run.contact_forces[k]):
            if force.any():
                pushed[k] += h[k - 1] * contact_power(case, run, k, spot, force)
    gain = E - E[0] - work
    height = abs(np.diff(lo.potential_energy(model, run.q))).sum()
    exchanged = np.ptp(E) + height + abs(np.diff(work)).sum() + abs(pushed).sum() + 1e-6
    missing = abs(np.diff(gain) - pushed[1:])
    for event in run.events:  # velocities jump within
        missing[(run.t[:-1] <= event.t + 1e-12) & (run.t[1:] >= event.t - 1e-12)] = 0.0
    return float(missing.sum() / exchanged), 0.15 if model.flexible else 0.05  # hits are of first order


def contact_power(case: Case, run: lo.Trajectory, k: int, spot: int, force: np.ndarray) -> float:
    """Of a contact on its body, and of the opposite force on the one that carries the ground, over a step, W."""
    model, point = case.problem.model, run.contact_points[k][spot]
    total = 0.0
    for body, sign in zip(bodies_of(case, run, k, spot), (1.0, -1.0), strict=True):
        if body is None:
            continue
        index = model.body_index(str(body))
        for row in (k - 1, k):
            poses, twists, _ = lo.motion(model, run.q[row], run.v[row], 0 * run.v[row])
            pose, R, (u, w) = poses[index], poses[index][:3, :3], np.split(twists[index], 2)
            arm = point - pose[:3, 3]
            total += 0.5 * sign * force @ (R @ u + np.cross(R @ w, arm))
    return total


def bodies_of(case: Case, run: lo.Trajectory, k: int, spot: int) -> tuple:
    """The body that a contact pushes, and the one that carries what it pushes from; None for the world."""
    touch = case.problem.contacts[0]
    if not isinstance(touch, lo.BodyContacts):
        return touch.body, touch.ground.body
    pair = touch.pairs[int(run.contact_pairs[k][spot]) - 1]
    return tuple(touch.solids[place].body for place in pair)
