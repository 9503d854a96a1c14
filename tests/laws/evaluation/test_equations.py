"""Accelerations, torques, reactions and powers at an instant, against a dense solution of the whole system of equations.

The other side has its mass matrix, bias and energies from `reference.py`, rows from `constraint_reference.py` and their drift
by a complex step along the motion, joint forces and springs by hand. It solves

    [M_ff  -A_f^T] [a_f]     [force_f - bias_f - M_fh a_h]
    [A_f    0    ] [lam]  =  [-(drift + A_h a_h)         ]       least norm, by singular values
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from constraint_reference import rows_of
from mechanisms import ONE_COORDINATE, WORST_CONDITION, random_description, random_q, random_rotation, relative
from reference import STEP, Reference, inverse, placed

import locomote as lo

SEEDS = range(12)
TIME = 0.37
SOFT = 0.02  # friction speed
TOLERANCE = 1e-9


@dataclass(frozen=True)
class System:
    """A problem at a state, with all that the second formulation needs."""

    problem: "lo.Locomotion"
    reference: Reference
    q: np.ndarray
    v: np.ndarray
    imposed: np.ndarray
    a_imposed: np.ndarray
    torque: np.ndarray
    passive: np.ndarray  # stiffness, rest, damping, friction of every coordinate
    springs: tuple
    wrenches: dict

    @property
    def constraints(self):
        return self.problem.constraints

    def rows(self, snapshot):
        parts = [rows_of(c, snapshot)[0] for c in self.constraints]
        return np.concatenate(parts) if parts else np.zeros((0, self.reference.nv))

    def drift(self):
        """d/dt (A v) without accelerations, by a complex step."""
        moved = self.reference.at(self.q, self.v, nudge=1j * STEP * self.v)
        return np.imag(self.rows(moved) @ self.v) / STEP

    def spring_energy(self, snapshot, q):
        away = q - self.passive[1]
        return 0.5 * self.passive[0] @ away**2 + sum(0.5 * s.stiffness * stretch(s, snapshot)[0] ** 2 for s in self.springs)

    def joint_forces(self):
        """Springs, dampers and friction of joints. Stiffness is only on coordinates of v that are plain numbers."""
        stiffness, rest, damping, friction = self.passive
        q = np.where(stiffness != 0, self.positions(), 0.0)
        return -stiffness * (q - rest) - damping * self.v - friction * self.v / np.sqrt(self.v**2 + SOFT**2)

    def positions(self):
        """q of every coordinate of v that is a plain number, zero elsewhere."""
        result = np.zeros(self.reference.nv)
        for q_part, v_part in self.reference.places.values():
            if q_part.stop - q_part.start == v_part.stop - v_part.start:
                result[v_part] = self.q[q_part]
        return result

    def point_spring_forces(self):
        total, snapshot = np.zeros(self.reference.nv), self.reference.at(self.q, self.v)
        for s in self.springs:
            away, row = stretch(s, snapshot)
            total -= (s.stiffness * away + s.damping * (row @ self.v)) * row
        return total


def stretch(s, snapshot):
    """How much longer a spring is than at rest, and the rate of that per velocity."""
    ends, rates = [], []
    for body, point in ((s.body, s.point), (s.other, s.other_point)):
        jet = snapshot.jets[body]
        ends.append((jet.g @ [*point, 1.0])[:3])
        rates.append((jet.k @ [*point, 1.0])[:, :3].T)
    gap = ends[0] - ends[1]
    length = np.sqrt(gap @ gap)
    return length - s.length, gap @ (rates[0] - rates[1]) / length


@cache
def system(seed, constrained=True, meets=False):
    """A random system: everything drawn. `meets`: the velocity meets the constraints."""
    rng = np.random.default_rng([seed, 31])
    description = random_description(seed, coupled=False, bodies=7)
    reference = Reference(description)
    for _ in range(100):
        q = random_q(reference, rng)
        if np.linalg.cond(reference.at(q).mass_matrix()) < WORST_CONDITION:
            break
    v = rng.normal(size=reference.nv)
    drives, torques, springs = {}, {}, {}
    imposed, a_imposed = np.zeros(reference.nv, dtype=bool), np.zeros(reference.nv)
    torque, passive = np.zeros(reference.nv), np.zeros((4, reference.nv))
    changed = {}
    for joint in reference.joints:
        place, draw = reference.places[joint.name], rng.random()
        k = place[1].start
        if joint.kind in ONE_COORDINATE and draw < 0.35:
            A, w, phase, offset = rng.uniform(0.3, 1.0, 4)
            drives[joint.name] = lo.Sine(A, w, phase, offset)
            imposed[k] = True
            q[place[0]] = offset + A * np.sin(w * TIME + phase)
            v[k], a_imposed[k] = A * w * np.cos(w * TIME + phase), -A * w * w * np.sin(w * TIME + phase)
        elif joint.kind in ONE_COORDINATE and draw < 0.6:
            torques[joint.name] = lo.Polynomial((0.5, 1.0, -2.0))
            torque[k] = 0.5 + TIME - 2 * TIME**2
        elif joint.kind in ONE_COORDINATE:
            own, given = rng.uniform(0.5, 3.0, 4), rng.uniform(0.5, 2.0, 3)
            changed[joint.name] = replace(joint, stiffness=own[0], rest=own[1], damping=own[2], friction=own[3])
            springs[joint.name] = tuple(given)
            total = own[0] + given[0]
            passive[:, k] = total, (own[0] * own[1] + given[0] * given[1]) / total, own[2] + given[2], own[3]
        elif joint.kind in ("spherical", "planar", "free"):
            size = place[1].stop - place[1].start
            changed[joint.name] = replace(joint, damping=0.7, friction=tuple(rng.uniform(0.1, 0.4, size)))
            passive[2, place[1]], passive[3, place[1]] = 0.7, changed[joint.name].friction
    bodies = [replace(b, joints=tuple(changed.get(j.name, j) for j in b.joints)) for b in description.bodies]
    model = lo.Model(replace(description, bodies=tuple(bodies)))
    names = [body.name for body in reference.moving]
    wrenches = {names[-1]: rng.normal(size=6), names[0]: rng.normal(size=6)}
    point_springs = (
        lo.Spring(names[-1], names[0], tuple(rng.normal(size=3)), tuple(rng.normal(size=3)), 3.0, 0.4, 0.6),
        lo.Spring(names[0], None, (0.1, 0.2, 0.3), (1.0, 2.0, 3.0), 2.0, 0.5, 0.3),
    )
    constraints = random_constraints(reference, reference.at(q), rng, names, imposed) if constrained else []
    problem = lo.Locomotion(
        model, drives=drives, torques=torques, springs=springs, constraints=constraints,
        environment=[*point_springs, lambda t, q, v: wrenches], friction_speed=SOFT,
    )  # fmt: skip
    result = System(problem, reference, q, v, imposed, a_imposed, torque, passive, point_springs, wrenches)
    if meets:
        A = result.rows(reference.at(q))
        v[~imposed] -= np.linalg.pinv(A[:, ~imposed], rcond=1e-9) @ (A @ v)
        assert abs(A @ v).max(initial=0.0) < 1e-10
    return result


def random_constraints(reference, snapshot, rng, names, imposed):
    """A few that free coordinates can meet, closed at this configuration, some of them twice, so that rows depend on others."""
    last, first, pose = names[-1], names[0], snapshot.pose(names[-1])
    frame, point = placed(random_rotation(rng), rng.uniform(-0.3, 0.3, 3)), tuple(rng.uniform(-0.3, 0.3, 3))
    letters = str(rng.choice(["x", "c", "xb"]))
    candidates = [
        lo.Blade(last, point, tuple(rng.normal(size=3))),
        lo.PointContact(last, point, tuple((pose @ [*point, 1.0])[:3]), "xz"),
        lo.LoopClosure(last, first, locked=letters, frame=frame, other_frame=inverse(snapshot.pose(first)) @ pose @ frame),
        lo.Distance(last, first, point, (0.2, 0.3, -0.4), 0.5),
    ]
    some, rows = [], np.zeros((0, reference.nv))
    for candidate in candidates:
        both = np.concatenate([rows, rows_of(candidate, snapshot)[0]])[:, ~imposed]
        if len(both) <= both.shape[1] - 1 and np.linalg.svd(both)[1][-1] > 1e-3:
            some, rows = [*some, candidate], np.concatenate([rows, rows_of(candidate, snapshot)[0]])
    again = [replace(c, directions="zx") if isinstance(c, lo.PointContact) else c for c in some if rng.random() < 0.5]
    return some + again


def dense(s):
    """a, lam and the torques of drives, by singular values."""
    truth = s.reference.at(s.q, s.v)
    M, bias = truth.mass_matrix(), truth.inverse_dynamics(s.wrenches)
    force = s.torque + s.joint_forces() + s.point_spring_forces()
    A, drift = s.rows(truth), s.drift()
    f, h = ~s.imposed, s.imposed
    count, rows = int(f.sum()), len(A)
    matrix = np.block([[M[np.ix_(f, f)], -A[:, f].T], [A[:, f], np.zeros((rows, rows))]])
    right = np.concatenate([(force - bias)[f] - M[np.ix_(f, h)] @ s.a_imposed[h], -drift - A[:, h] @ s.a_imposed[h]])
    solution, _, _, _ = np.linalg.lstsq(matrix, right, rcond=1e-10)
    assert abs(matrix @ solution - right).max(initial=0.0) < 1e-8, "the constraints contradict each other"
    a = s.a_imposed.copy()
    a[f] = solution[:count]
    lam = solution[count:]
    tau = np.where(h, M @ a + bias - force - A.T @ lam, s.torque)
    return a, lam, tau, A


@pytest.fixture(params=SEEDS)
def random_system(request):
    """A random system with constraints."""
    return system(request.param)


def test_evaluation_is_the_dense_solution(random_system):
    s = random_system
    a, lam, tau, A = dense(s)
    found = s.problem.evaluate(TIME, s.q, s.v)
    assert relative(found.a, a) < TOLERANCE
    assert relative(found.reactions, lam) < TOLERANCE
    assert relative(found.tau, tau) < TOLERANCE
    assert found.rank == np.linalg.matrix_rank(A[:, ~s.imposed], tol=1e-9)
    assert found.incompatibility < 1e-9


def test_the_systems_are_varied():
    """They have imposed, driven and passive coordinates, dependent rows, and none too little freedom."""
    systems = [system(seed) for seed in SEEDS]
    assert sum(s.imposed.any() for s in systems) >= 6 and sum(s.torque.any() for s in systems) >= 5
    ranks = [np.linalg.matrix_rank(dense(s)[3][:, ~s.imposed], tol=1e-9) for s in systems]
    assert sum(rank < len(dense(s)[3]) for rank, s in zip(ranks, systems, strict=True)) >= 6
    assert max(ranks) >= 3 and {j.kind for s in systems for j in s.reference.joints} >= {"spherical", "free", "planar", "euler"}


@pytest.mark.parametrize("seed", SEEDS)
def test_without_constraints_it_is_hybrid_dynamics(seed):
    s = system(seed, constrained=False)
    found = s.problem.evaluate(TIME, s.q, s.v)
    a, _, tau, _ = dense(s)
    assert relative(found.a, a) < TOLERANCE and relative(found.tau, tau) < TOLERANCE
    assert found.reactions.shape == (0,) and found.rank == 0 and found.incompatibility == 0.0
    force = s.torque + s.joint_forces() + s.point_spring_forces()
    hybrid, forces = lo.hybrid_dynamics(s.problem.model, s.q, s.v, force, s.a_imposed, s.imposed, wrenches=s.wrenches)
    assert relative(found.a, hybrid) < TOLERANCE
    assert relative(found.tau[s.imposed], (forces - force)[s.imposed]) < TOLERANCE


def test_self_stress_moves_nothing(random_system):
    """Its basis spans all reactions without effect on free coordinates, and the reactions have no part in it."""
    s = random_system
    found, A = s.problem.evaluate(TIME, s.q, s.v), s.rows(s.reference.at(s.q))
    N, free = found.self_stress, A[:, ~s.imposed]
    assert N.shape == (len(A), len(A) - np.linalg.matrix_rank(free, tol=1e-9))
    assert abs(free.T @ N).max(initial=0.0) < 1e-10
    assert relative(N.T @ N, np.eye(N.shape[1])) < 1e-12
    assert abs(N.T @ found.reactions).max(initial=0.0) < 1e-9 * max(1.0, abs(found.reactions).max(initial=0.0))


@pytest.mark.parametrize("seed", SEEDS)
def test_power_in_is_the_rate_of_energy(seed):
    """Energies of the second formulation along the accelerations found, by a complex step."""
    s = system(seed, meets=True)
    found, step = s.problem.evaluate(TIME, s.q, s.v), 1j * STEP
    moved = s.reference.at(s.q, s.v + step * found.a, nudge=step * s.v)
    rate = np.imag(moved.kinetic_energy() + moved.potential_energy()) / STEP
    rate += s.passive[0] @ ((s.positions() - s.passive[1]) * s.v)
    rate += sum(
        p.stiffness * stretch(p, s.reference.at(s.q))[0] * (stretch(p, s.reference.at(s.q))[1] @ s.v) for p in s.springs
    )
    truth, total = s.reference.at(s.q, s.v), sum(found.power.values())
    scale = max(1.0, *(abs(p) for p in found.power.values()))
    assert abs(total - rate) < 1e-9 * scale
    assert found.power["environment"] == pytest.approx(sum(w @ truth.twist(name) for name, w in s.wrenches.items()), abs=1e-10)
    assert found.power["drives"] == pytest.approx(found.tau[s.imposed] @ s.v[s.imposed], abs=1e-10)
    assert found.power["torques"] == pytest.approx(s.torque @ s.v, abs=1e-10)
    assert found.power["losses"] <= 0.0 and found.power["constraints"] == 0.0


# the reduction in matrices


def inverses(s):
    """Ways to choose a generalised inverse: minimum norm, weights, and rows that span all."""
    A = s.rows(s.reference.at(s.q))[:, ~s.imposed]
    rows = []
    for r in reversed(range(len(A))):
        if np.linalg.matrix_rank(A[[*rows, r]], tol=1e-9) > len(rows):
            rows.append(r)
    return ["minimum", np.linspace(0.5, 2.0, len(A)), rows]


def test_reduction_gives_the_same_motion(random_system):
    s = random_system
    found, drive = s.problem.evaluate(TIME, s.q, s.v), s.a_imposed[s.imposed]
    truth, free, held = s.reference.at(s.q, s.v), ~s.imposed, s.imposed
    M, A = truth.mass_matrix(), s.rows(truth)
    force = s.torque + s.joint_forces() + s.point_spring_forces() - truth.inverse_dynamics(s.wrenches)
    for inverse_kind in inverses(s):
        r = s.problem.reduction(TIME, s.q, s.v, inverse=inverse_kind)
        assert relative(r.acceleration(drive), found.a[free]) < TOLERANCE
        lam = r.reactions(drive)
        load = (M @ found.a - force)[free]
        assert relative(A[:, free].T @ lam, load) < TOLERANCE
        tau = r.torques(drive)
        assert relative(tau, (M @ found.a - force - A.T @ lam)[held]) < TOLERANCE
        # any other self-stress only shifts torques
        stress = np.ones(r.N.shape[1])
        shifted = (M @ found.a - force - A.T @ (lam + r.N @ stress))[held]
        assert relative(r.torques(drive, stress), shifted) < TOLERANCE
        # the blocks themselves
        assert relative(r.M, M[np.ix_(free, free)]) < TOLERANCE and relative(r.maa, M[np.ix_(held, held)]) < TOLERANCE
        assert relative(r.f, force[free]) < TOLERANCE and relative(r.Qa, force[held]) < TOLERANCE
        assert relative(r.A, A[:, free]) < TOLERANCE and relative(r.Ba, A[:, held]) < TOLERANCE
        assert relative(r.A @ r.G @ r.A, r.A) < TOLERANCE and abs(r.A @ r.H).max(initial=0.0) < 1e-10
        assert r.H.shape[1] == free.sum() - found.rank
        if isinstance(inverse_kind, str):
            assert relative(lam, found.reactions) < TOLERANCE and relative(tau, found.tau[held]) < TOLERANCE


def test_reduction_forward(random_system):
    """(6) gives back the accelerations and the self-stress that the torques were made from."""
    s = random_system
    for inverse_kind in inverses(s):
        r = s.problem.reduction(TIME, s.q, s.v, inverse=inverse_kind)
        drive = s.a_imposed[s.imposed]
        if np.linalg.matrix_rank(r.C, tol=1e-9):
            drive = drive - np.linalg.pinv(r.C) @ (r.C @ drive + r.c)
        stress = np.linspace(1.0, 2.0, r.N.shape[1])
        acceleration, mu = r.forward(r.torques(drive, stress))
        assert relative(acceleration, drive) < 1e-7
        assert relative(r.Ba.T @ (r.N @ mu), r.Ba.T @ (r.N @ stress)) < 1e-7
        assert max(abs(x).max(initial=0.0) for x in r.incompatibility(np.zeros(len(drive)), drive)) < 1e-7


def test_reconstruction_of_velocities():
    """x = J r_a' + H nu - G b meets the constraints for any nu, and every x that does is one."""
    s = system(5, meets=True)
    r = s.problem.reduction(TIME, s.q, s.v)
    nu = r.H.T @ (s.v[~s.imposed] - r.J @ s.v[s.imposed])
    assert relative(r.reconstruct(s.v[s.imposed], nu), s.v[~s.imposed]) < 1e-10


def test_weights_share_redundant_reactions():
    """Two equal contacts under one mass: shares as the weights, a third of the load on the lighter one."""
    model = lo.Builder("block", base="xyz").body("block", inertia=lo.Inertia.box(3.0, (1, 1, 1))).build()
    problem = lo.Locomotion(model, constraints=[lo.PointContact("block", directions="z", target=(0, 0, 0)) for _ in range(2)])
    q, v = problem.initial()
    weight = 3.0 * 9.81
    assert problem.evaluate(0.0, q, v).reactions == pytest.approx([weight / 2, weight / 2])
    assert problem.reduction(0.0, q, v, inverse=[1.0, 2.0]).reactions(np.zeros(0)) == pytest.approx(
        [weight / 3, 2 * weight / 3]
    )
    assert problem.reduction(0.0, q, v, inverse=[1]).reactions(np.zeros(0)) == pytest.approx([0.0, weight])


@pytest.mark.parametrize("size", [1e-11, 1.0, 1e11])
def test_ranks_do_not_depend_on_the_scale_of_rows(size):
    """A coupling multiplied by anything is the same constraint: the same motion, rank, self-stress and forces."""
    box = lo.Inertia.box(1.0, (0.1, 0.2, 0.3))
    builder = lo.Builder("arm", base="fixed").body("a", joint=lo.Joint("one", axis="y"), inertia=box)
    builder.body("b", parent="a", joint=lo.Joint("two", axis="y"), at=(0.5, 0, 0), inertia=box)
    builder.body("c", parent="b", joint=lo.Joint("three", axis="x"), at=(0.5, 0, 0), inertia=box)
    model = builder.build()
    q, v = np.array([0.3, 0.6, 0.2]), np.array([0.5, 1.0, 0.0])

    def problem(size):
        rows = [
            lo.Coupled({"one": 2.0, "two": -1.0}),
            lo.Coupled({"one": -2.0 * size, "two": size}),
            lo.Coupled({"three": size}, 0.2 * size),
        ]
        return lo.Locomotion(model, constraints=rows)

    plain, scaled = problem(1.0), problem(size)
    one, two = plain.evaluate(0.0, q, v), scaled.evaluate(0.0, q, v)
    assert one.rank == two.rank == 2
    assert relative(two.a, one.a) < 1e-12
    force = [p.rows(0.0, q, v)[0].T @ e.reactions for p, e in ((plain, one), (scaled, two))]
    assert relative(force[0], force[1]) < 1e-12
    assert one.self_stress.shape == two.self_stress.shape == (3, 1)
    assert abs(scaled.rows(0.0, q, v)[0].T @ two.self_stress).max() < 1e-12 * max(1.0, size)
    r = scaled.reduction(0.0, q, v)
    assert r.H.shape == (3, 1) and relative(r.acceleration(np.zeros(0)), one.a) < 1e-9
    assert scaled.classify(0.0, q).locked_rank == 2


def test_moving_constraints_do_work():
    """A lift: the ground under a mass rises with 2 sin(3 t) m/s. It pushes with weight and inertia, and gives the power."""
    model = lo.Builder("load", base="xyz").body("load", inertia=lo.Inertia.box(2.0, (1, 1, 1))).build()
    lift = lo.Custom(
        rows=lambda t, q, v: [[0.0, 0.0, 1.0]],
        speed=lambda t, q, v: [-2.0 * np.sin(3 * t)],
        drift=lambda t, q, v: [-6.0 * np.cos(3 * t)],
    )
    problem = lo.Locomotion(model, constraints=[lift])
    q, v = problem.initial(t=TIME)
    speed, acceleration = 2.0 * np.sin(3 * TIME), 6.0 * np.cos(3 * TIME)
    assert v == pytest.approx([0.0, 0.0, speed])
    found = problem.evaluate(TIME, q, v)
    assert found.a == pytest.approx([0.0, 0.0, acceleration])
    assert found.reactions == pytest.approx([2.0 * (9.81 + acceleration)])
    assert found.power["constraints"] == pytest.approx(2.0 * (9.81 + acceleration) * speed)
    r = problem.reduction(TIME, q, v)
    assert r.acceleration(np.zeros(0)) == pytest.approx([0.0, 0.0, acceleration])
    assert r.reconstruct(np.zeros(0), r.H.T @ v) == pytest.approx(v)


def test_torques_as_a_function_leave_imposed_coordinates_to_their_drives():
    """What the user's function puts on an imposed joint has no effect: the drive gives all that is needed."""
    box = lo.Inertia.box(1.0, (0.1, 0.2, 0.3))
    builder = lo.Builder("arm").body("a", joint=lo.Joint("one", axis="y"), inertia=box)
    model = builder.body("b", parent="a", joint=lo.Joint("two", axis="y"), at=(0.5, 0, 0), inertia=box).build()
    drive = {"one": lo.Sine(1.0, 2.0)}
    q, v = np.array([0.0, 0.4]), np.array([0.0, 0.7])
    plain = lo.Locomotion(model, drives=drive, torques={"two": 0.25}).evaluate(TIME, q, v)
    helped = lo.Locomotion(model, drives=drive, torques=lambda t, q, v: [1.5, 0.25]).evaluate(TIME, q, v)
    assert helped.a == pytest.approx(plain.a) and helped.tau == pytest.approx(plain.tau)
    assert helped.power["drives"] + helped.power["torques"] == pytest.approx(plain.power["drives"] + plain.power["torques"])


@pytest.mark.parametrize("seed", [0, 2, 5, 9])
def test_coupled_models_are_taken_apart(seed):
    """A model whose joints follow each other: the same accelerations as its own forward dynamics, through constraints."""
    description = random_description(seed, coupled=True, bodies=6)
    if not description.couplings:
        pytest.skip("too few joints to couple")
    model, rng = lo.Model(description), np.random.default_rng([seed, 8])
    reference = Reference(description)
    q, v = random_q(reference, rng), rng.normal(size=reference.nv)
    problem = lo.Locomotion(model)
    whole_q, whole_v = problem.initial(q, v)
    found = problem.evaluate(0.0, whole_q, whole_v)
    still = reference.at(q, v)
    expected = np.linalg.solve(still.mass_matrix(), -still.inverse_dynamics())
    own = [k for name, (_, part) in reference.places.items() for k in range(*problem.model.joint(name).v.indices(10**6))]
    ours = [k for _, part in reference.places.values() for k in range(part.start, part.stop)]
    assert relative(found.a[own], expected[ours]) < 1e-8
    assert abs(problem.rows(0.0, whole_q, whole_v)[3]).max() < 1e-12


def test_all_motions_imposed():
    """Nothing is free: torques are those of inverse dynamics; constraints that fit hold no load that would be known."""
    s = system(3)
    joints = [joint for joint in s.reference.joints if joint.kind in ONE_COORDINATE]
    box = lo.Inertia.box(1.0, (0.1, 0.2, 0.3))
    builder = lo.Builder("arm").body("a", joint=lo.Joint("one", axis="y"), inertia=box)
    model = builder.body("b", parent="a", joint=lo.Joint("two", axis="x"), at=(0.5, 0, 0), inertia=box).build()
    drives = {"one": lo.Sine(1.0, 2.0), "two": lo.Sine(0.5, 2.0)}
    tied = lo.Locomotion(model, drives=drives, constraints=[lo.Coupled({"one": 1.0, "two": -2.0})])
    for problem in (lo.Locomotion(model, drives=drives), tied):
        q, v = problem.initial(t=TIME)
        found = problem.evaluate(TIME, q, v)
        a = -4.0 * q
        assert relative(found.a, a) < 1e-14
        assert relative(found.tau, Reference(model.description).at(q, v, a).inverse_dynamics()) < 1e-12
        assert not found.reactions.any() and found.incompatibility < 1e-12
    assert found.self_stress.shape == (1, 1) and joints


def test_chosen_self_stress():
    """Least torques and equal sharing: no other self-stress does better, and the motion is the same."""
    box = lo.Inertia.box(2.0, (0.4, 0.2, 0.1))
    builder = lo.Builder("cart", base="x").body("cart", inertia=box)
    for name, x in (("a", 0.2), ("b", 0.0), ("c", -0.2)):
        builder.body(
            name,
            parent="cart",
            joint=lo.Joint(f"axle {name}", axis="y"),
            at=(x, 0, 0),
            inertia=lo.Inertia.cylinder(0.5, 0.1, 0.02),
        )
    wheels = [lo.Rolling(name, 0.1, axle=(0, 1, 0), surface=lo.Plane((0, 0, -0.1)), directions="f") for name in "abc"]
    problem = lo.Locomotion(builder.build(), drives={f"axle {name}": lo.Sine(1.0, 2.0) for name in "abc"}, constraints=wheels)
    found = problem.evaluate(TIME, *problem.initial(t=TIME))
    assert found.self_stress.shape == (3, 2)
    shifted = found.with_self_stress([3.0, -1.0])
    least, equal = shifted.least_torque(), shifted.equal_sharing()
    assert np.ptp(equal.reactions) < 1e-10 * abs(equal.reactions).max()
    rng = np.random.default_rng(1)
    for _ in range(10):
        other = found.with_self_stress(rng.normal(size=2))
        assert least.tau @ least.tau <= other.tau @ other.tau + 1e-12
        M, A = lo.mass_matrix(problem.model, problem.initial(t=TIME)[0]), problem.rows(TIME, problem.initial(t=TIME)[0])[0]
        assert relative(M @ other.a, other.tau + A.T @ other.reactions) < 1e-10  # no gravity along x, no bias
    with pytest.raises(ValueError, match="there are 2 self-stresses, give as many amounts"):
        found.with_self_stress([1.0])


@pytest.mark.parametrize("far", [0.0, 10.0, 1e4])
@pytest.mark.parametrize("seed", range(3))
def test_rows_of_mere_rounding_hold_nothing(seed, far):
    """A blade at the pivot of a ball joint: its row is what rounding leaves of zero, alone and beside real rows."""
    builder = lo.Builder("top", base="rotation")
    builder.body("top", at=(0.1 + far, 0.2, 0.3), inertia=lo.Inertia(1.0, (0, 0, 0.3), np.eye(3) * 0.01))
    model = builder.build()
    free, rng = lo.Locomotion(model), np.random.default_rng(seed)
    q, v = model.random(rng), rng.normal(size=3)
    held = lo.Locomotion(model, constraints=[lo.Blade("top")])
    assert held.evaluate(0.0, q, v).rank == 0 and held.classify(0.0, q).rank == 0
    assert held.evaluate(0.0, q, v).a == pytest.approx(free.evaluate(0.0, q, v).a, rel=1e-12)
    real = lo.Blade("top", point=(0.0, 0.0, 0.2), name="real")
    both, one = (lo.Locomotion(model, constraints=rows) for rows in ([lo.Blade("top"), real], [real]))
    q, v = one.initial(q, v)
    assert both.evaluate(0.0, q, v).rank == 1
    assert both.evaluate(0.0, q, v).a == pytest.approx(one.evaluate(0.0, q, v).a, rel=1e-9)
    run = held.simulate(0.2, q=q, v=v, every=0.1)
    assert run.q[-1] == pytest.approx(free.simulate(0.2, q=q, v=v, every=0.1).q[-1], abs=1e-7)
