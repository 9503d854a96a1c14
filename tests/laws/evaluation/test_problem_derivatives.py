"""Derivatives of evaluations: against complex steps through closed forms, and against differences of eighth order of the dense
solution of `test_equations`, whose mass matrix, rows and forces share nothing with the library."""

import copy
import threading
from dataclasses import replace

import numpy as np
import pytest
from constraint_reference import derivative
from mechanisms import relative
from test_equations import TIME, dense, system

import locomote as lo

STEP = 1e-30
MASS, LENGTH, MOMENT, GRAVITY = 1.3, 0.7, 0.11, 9.81


def joined(d, kind):
    """Slopes of accelerations, torques and reactions, one below the other."""
    return np.concatenate([getattr(x, kind) for x in (d.a, d.tau, d.reactions)])


# closed forms


def arm(**said):
    """Two links in the plane x, z, turning about y from straight down; centers of mass in their middles."""
    link = lo.Inertia(MASS, (0, 0, -LENGTH / 2), np.diag([0.2, MOMENT, 0.2]))
    builder = lo.Builder("arm").body("upper", joint=lo.Joint("shoulder", axis="y"), inertia=link)
    builder.body("lower", parent="upper", at=(0, 0, -LENGTH), joint=lo.Joint("elbow", axis="y"), inertia=link)
    return lo.Locomotion(builder.build(), **said)


def arm_matrices(q, v):
    """M and bias of the arm, by hand; any numbers."""
    c2, s2, half = np.cos(q[1]), np.sin(q[1]), LENGTH / 2
    own, cross = MOMENT + MASS * half**2, MASS * LENGTH * half
    M = np.array([[2 * own + MASS * LENGTH**2 + 2 * cross * c2, own + cross * c2], [own + cross * c2, own]])
    weight = MASS * GRAVITY * half
    bias = np.array([
        -cross * s2 * (2 * v[0] * v[1] + v[1] ** 2) + 3 * weight * np.sin(q[0]) + weight * np.sin(q[0] + q[1]),
        cross * s2 * v[0] ** 2 + weight * np.sin(q[0] + q[1]),
    ])  # fmt: skip
    return M, bias


def tip(q):
    """Place (x, z) of the tip and its (2, 2) Jacobian."""
    one, two = q[0], q[0] + q[1]
    x = -LENGTH * np.array([np.sin(one) + np.sin(two), np.cos(one) + np.cos(two)])
    first, second = LENGTH * np.array([-np.cos(one), np.sin(one)]), LENGTH * np.array([-np.cos(two), np.sin(two)])
    return x, np.column_stack([first + second, second])


def tip_drift(q, v):
    """J' v."""
    one, two = q[0], q[0] + q[1]
    return LENGTH * (
        np.array([np.sin(one), np.cos(one)]) * v[0] ** 2 + np.array([np.sin(two), np.cos(two)]) * (v[0] + v[1]) ** 2
    )


def held_arm(q, v, tau):
    """a and the reaction of the arm whose tip stays at its distance from (0.3, -0.2)."""
    M, bias = arm_matrices(q, v)
    x, J = tip(q)
    gap = x - np.array([0.3, -0.2])
    length = np.sqrt(gap @ gap)
    d, slide = gap / length, J @ v
    row = d @ J
    drift = d @ tip_drift(q, v) + (slide - d * (d @ slide)) @ slide / length
    matrix = np.block([[M, -row[:, None]], [row[None], np.zeros((1, 1))]])
    return np.linalg.solve(matrix, np.concatenate([tau - bias, [-drift]]))


def test_complex_steps_of_a_constrained_evaluation():
    problem = arm(constraints=[lo.Distance("lower", None, (0, 0, -LENGTH), (0.3, 0.0, -0.2), length=1.0)])
    q, v = np.array([0.4, 0.9]), np.array([1.1, -0.7])
    found = problem.derivatives(0.0, q, v)
    solution = held_arm(q, v, np.zeros(2))
    assert relative(np.concatenate([found.value[0], found.value[2]]), solution) < 1e-13
    for k, e in enumerate(1j * STEP * np.eye(2)):
        for kind, at in (("q", (q + e, v, 0 * e)), ("v", (q, v + e, 0 * e)), ("tau", (q, v, e))):
            ours = np.append(getattr(found.a, kind)[:, k], getattr(found.reactions, kind)[:, k])
            assert relative(ours, held_arm(*at).imag / STEP) < 1e-13
    assert (joined(found, "t") == 0.0).all()


def driven_arm(t, q, v):
    """Acceleration of the elbow and torque of the shoulder, which follows 0.3 + 0.5 sin(2 t + 0.1), with a spring at the elbow
    and a torque sin(3 t) on it."""
    q = np.array([0.3 + 0.5 * np.sin(2 * t + 0.1), q])
    v = np.array([np.cos(2 * t + 0.1), v])
    M, bias = arm_matrices(q, v)
    driven = -2 * np.sin(2 * t + 0.1)
    force = np.sin(3 * t) - 2.0 * (q[1] - 0.2) - 0.4 * v[1]
    free = (force - bias[1] - M[1, 0] * driven) / M[1, 1]
    return np.array([free, M[0] @ [driven, free] + bias[0]])


def test_complex_steps_in_time():
    """What is imposed moves on with time, accelerations of drives included."""
    problem = arm(
        drives={"shoulder": lo.Sine(0.5, 2.0, 0.1, 0.3)},
        torques={"elbow": lo.Sine(1.0, 3.0)},
        springs={"elbow": (2.0, 0.2, 0.4)},
    )
    t, q, v = 0.37, 0.6, -0.9
    found = problem.derivatives(t, [0.0, q], [0.0, v])
    ours = (found.a.t[1], found.tau.t[0]), (found.a.q[1, 1], found.tau.q[0, 1]), (found.a.v[1, 1], found.tau.v[0, 1])
    e = 1j * STEP
    for mine, at in zip(ours, ((t + e, q, v), (t, q + e, v), (t, q, v + e)), strict=True):
        assert relative(mine, driven_arm(*at).imag / STEP) < 1e-13
    assert found.tau.t[1] == pytest.approx(3 * np.cos(3 * t), rel=1e-14)  # what is given
    assert found.a.t[0] == pytest.approx(-4 * np.cos(2 * t + 0.1), rel=1e-13)  # what is imposed
    assert found.tau.tau[0, 0] == -1.0 and found.tau.tau[1, 1] == 1.0 and found.a.tau[0, 1] == found.a.tau[1, 0] == 0.0


# random systems


def left_over(s, q, v, torque, solution, truth=None):
    """What the equations of motion and the rows leave over of a solution (a, forces of drives, reactions) at another state;
    truth : the second formulation there, where it is at hand"""
    a, drives, lam = solution
    near = replace(s, q=q, v=v, torque=torque)
    truth = s.reference.at(q, v) if truth is None else truth
    A = near.rows(truth)
    force = near.torque + near.joint_forces() + near.point_spring_forces() + drives + A.T @ lam
    return np.concatenate([truth.mass_matrix() @ a + truth.inverse_dynamics(s.wrenches) - force, A @ a + near.drift()])


@pytest.mark.parametrize("seed", range(12))
def test_random_systems_keep_their_equations(seed):
    """Slopes solve the equations of motion and the rows, each differentiated as a whole in the second formulation."""
    s = system(seed)
    found, model = s.problem.derivatives(TIME, s.q, s.v), s.problem.model
    a, tau, lam = found.value
    solution, free = (a, np.where(s.imposed, tau, 0.0), lam), ~s.imposed
    truth, count = s.reference.at(s.q, s.v), len(lam)
    A, M = s.rows(truth), truth.mass_matrix()
    size = max(1.0, (abs(M) @ abs(a)).max(), (abs(A).T @ abs(lam)).max())  # what differences lose digits of
    assert abs(left_over(s, s.q, s.v, s.torque, solution)).max() < 1e-9
    states = {
        "q": lambda x, e: (model.integrate(s.q, x * e), s.v, s.torque),
        "v": lambda x, e: (s.q, s.v + x * e, s.torque),
        "tau": lambda x, e: (s.q, s.v, s.torque + x * e),
    }
    for kind, state in states.items():
        da, dlam = getattr(found.a, kind), getattr(found.reactions, kind)
        drives = np.where(s.imposed[:, None], getattr(found.tau, kind), 0.0)
        for k, e in enumerate(np.eye(model.nv)):
            same = truth if kind == "tau" else None  # torques change nothing of it
            change = derivative(lambda x, e=e, state=state, same=same: left_over(s, *state(x, e), solution, same), 4e-4)
            follows = np.concatenate([M @ da[:, k] - drives[:, k] - A.T @ dlam[:, k], A @ da[:, k]])
            assert abs(follows + change).max() < 1e-10 * max(size, abs(change).max())
        assert (da[s.imposed] == 0.0).all()
        assert count == 0 or free.any()


@pytest.mark.parametrize("seed", range(12))
def test_random_systems_against_the_dense_solution(seed):
    """As above, but solved: of reactions that share a load the least, of which differences know few digits."""
    s = system(seed)
    found, model = s.problem.derivatives(TIME, s.q, s.v), s.problem.model

    def answer(q, v):
        a, lam, tau, _ = dense(replace(s, q=q, v=v))
        return np.concatenate([a, tau, lam])

    def agrees(ours, function):
        return any(relative(ours, derivative(function, step)) < 1e-5 for step in (3e-3, 3e-4))

    for k, e in enumerate(np.eye(model.nv)):
        assert agrees(joined(found, "q")[:, k], lambda x, e=e: answer(model.integrate(s.q, x * e), s.v))
        assert agrees(joined(found, "v")[:, k], lambda x, e=e: answer(s.q, s.v + x * e))
    if len(found.value[2]):
        moved = [lambda x, e=e: s.rows(s.reference.at(model.integrate(s.q, x * e))) @ s.v for e in np.eye(model.nv)]
        rows = [derivative(function, 1e-3) for function in moved]
        assert relative(found.rows.q, np.array(rows).T) < 1e-9
        assert relative(found.rows.v, s.rows(s.reference.at(s.q))) < 1e-12


def test_self_stress_follows_a_ground_that_turns():
    """A block on two equal blades: half of the load each; and what a load shared by unlike rows changes by, by hand."""
    model = lo.Builder("block", base="planar").body("block", inertia=lo.Inertia.box(3.0, (1, 1, 1))).build()
    rows = [lo.Blade("block", (0, 0, 0), (0, 1, 0)), lo.Blade("block", (0, 0, 0), (0, 2, 0))]
    problem = lo.Locomotion(model, constraints=rows)
    q, v = [0.0, 0.0, 0.3], [1.0, 0.0, 0.5]
    found = problem.derivatives(0.0, q, v)
    total = 3.0 * 1.0 * 0.5  # m V omega across
    assert found.value[2] == pytest.approx([total / 2, total / 2])
    assert found.reactions.v[:, 0] == pytest.approx([0.75, 0.75]) and found.reactions.v[:, 2] == pytest.approx([1.5, 1.5])


# what users bring


def test_functions_of_the_user_enter_by_differences():
    def torque(t, q, v):
        return np.array([np.sin(q[0]) * v[1], np.exp(t) * q[1] ** 2])

    plain, given = arm(), arm(torques=torque)
    t, q, v = 0.2, np.array([0.4, 0.9]), np.array([1.1, -0.7])
    found = given.derivatives(t, q, v)
    inverse = np.linalg.inv(arm_matrices(q, v)[0])
    by_q = np.array([[np.cos(q[0]) * v[1], 0.0], [0.0, 2 * np.exp(t) * q[1]]])
    bare = arm(torques={"shoulder": float(torque(t, q, v)[0]), "elbow": float(torque(t, q, v)[1])}).derivatives(t, q, v)
    assert relative(found.a.q - bare.a.q, inverse @ by_q) < 1e-10
    assert relative(found.a.v - bare.a.v, inverse @ [[0.0, np.sin(q[0])], [0.0, 0.0]]) < 1e-10
    assert relative(found.a.t, inverse @ [0.0, np.exp(t) * q[1] ** 2]) < 1e-10
    assert relative(found.tau.q, by_q) < 1e-10
    assert relative(plain.derivatives(t, q, v).a.tau, inverse) < 1e-13


def test_controllers_enter_as_if_called_at_that_state():
    problem = arm(torques=lo.PD({"elbow": 0.3}, stiffness=20.0, damping=3.0, every=1e-3))
    q, v = np.array([0.4, 0.9]), np.array([1.1, -0.7])
    found, bare = problem.derivatives(0.0, q, v), arm(torques={"elbow": 20.0 * (0.3 - 0.9) + 3.0 * 0.7}).derivatives(0.0, q, v)
    push = np.linalg.inv(arm_matrices(q, v)[0])[:, 1]
    assert relative(found.a.q[:, 1] - bare.a.q[:, 1], -20.0 * push) < 1e-9
    assert relative(found.a.v[:, 1] - bare.a.v[:, 1], -3.0 * push) < 1e-9
    assert relative(found.a.q[:, 0], bare.a.q[:, 0]) < 1e-9


def test_a_fault_of_a_function_is_raised():
    def torque(t, q, v):
        raise RuntimeError("no torque today")

    with pytest.raises(RuntimeError, match="no torque today"):
        arm(torques=torque).derivatives(0.0, [0.1, 0.2], [0.0, 0.0])


def test_where_there_is_no_derivative():
    spring = lo.Spring("lower", None, (0, 0, -LENGTH), (0.0, 0.0, -2 * LENGTH), stiffness=3.0, length=0.5)
    with pytest.raises(lo.LocomoteError, match="no finite derivative|no acceleration"):
        arm(environment=[spring]).derivatives(0.0, [0.0, 0.0], [0.0, 0.0])


def test_without_inertia_it_says_so():
    problem = lo.systems.load("purcell_swimmer").problem()
    q, v = problem.initial()
    with pytest.raises(ValueError, match="has no inertia"):
        problem.derivatives(0.0, q, v)


def test_wrong_states_are_refused():
    with pytest.raises(ValueError, match="q"):
        arm().derivatives(0.0, [0.0], [0.0, 0.0])
    with pytest.raises(ValueError):
        arm().derivatives(np.nan, [0.0, 0.0], [0.0, 0.0])


def test_threads_and_copies_do_not_meet():
    problem = arm(constraints=[lo.Distance("lower", None, (0, 0, -LENGTH), (0.3, 0.0, -0.2), length=1.0)])
    rng = np.random.default_rng(3)
    states = rng.uniform(0.2, 1.0, (40, 2, 2))
    alone = [joined(problem.derivatives(0.0, *state), "q") for state in states]
    twin, results = copy.deepcopy(problem), {}

    def work(own, n):
        results[n] = [joined(own.derivatives(0.0, *state), "q") for state in states]

    threads = [threading.Thread(target=work, args=(own, n)) for n, own in enumerate((problem, problem, twin))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 3 and all(np.array_equal(found, alone) for found in results.values())


# what they are for


@pytest.mark.parametrize("constrained", [False, True])
def test_implicit_steps_take_fewer_evaluations(monkeypatch, constrained):
    """Dual numbers against differences: the same motion."""
    from locomote.methods import dual_plans

    rows = [lo.Distance("lower", None, (0, 0, -LENGTH), (0.3, 0.0, -0.2))] if constrained else []
    problem = arm(springs={"elbow": (1e4, 0.5, 300.0)}, constraints=rows)
    how = {"q": [0.5, 0.4], "method": "implicit", "rtol": 1e-6, "atol": 1e-8, "every": 0.1, "progress": False}
    exact = problem.simulate(0.5, **how)
    monkeypatch.setattr(dual_plans, "fill_slopes", lambda *given: None)
    differences = problem.simulate(0.5, **how)
    assert relative(exact.q, differences.q) < 1e-7
    assert exact.info["evaluations"] < differences.info["evaluations"]


# kinds of surroundings


def differences(problem, t, q, v):
    """Slopes of `evaluate` by q and t, by differences of eighth order."""
    model = problem.model

    def answer(t, q):
        now = problem.evaluate(t, q, v)
        return np.concatenate([now.a, now.tau, now.reactions])

    by_q = [derivative(lambda x, e=e: answer(t, model.integrate(q, x * e)), 1e-3) for e in np.eye(model.nv)]
    return np.array(by_q).T, derivative(lambda x: answer(t + x, q), 1e-3)


def rolling(surface):
    """A disc with a thick rim that rolls on a curved surface: the contact is found by iteration."""
    model = lo.Builder("disc", base="free").body("disc", inertia=lo.Inertia(1.0, (0, 0, 0), np.diag([0.1, 0.1, 0.2]))).build()
    return lo.Locomotion(model, constraints=[lo.Rolling("disc", radius=0.3, tube=0.05, surface=surface)])


def hill(x, y):
    """0.1 y sin x with its slopes and curvatures."""
    s, c = 0.1 * np.sin(x), 0.1 * np.cos(x)
    return y * s, y * c, s, -y * s, c, 0.0


@pytest.mark.parametrize("surface", [lo.Sphere(2.0), lo.Cylinder(1.5), lo.HeightField(hill)])
def test_contacts_that_are_iterated_have_exact_slopes(surface):
    problem = rolling(surface)
    q, v = problem.initial(q=[0.1, 0.2, 2.4, 0.5, 0.4, 0.3, np.sqrt(0.5)], v=np.linspace(-0.4, 0.6, 6))
    found = problem.derivatives(0.0, q, v)
    by_q, _ = differences(problem, 0.0, q, v)
    assert relative(joined(found, "q"), by_q) < 1e-8


def test_a_flow_on_a_grid_has_slopes():
    T, X, Y, Z = np.meshgrid(np.linspace(0, 1, 5), *[np.linspace(-2, 2, 9)] * 3, indexing="ij")
    U = np.stack([np.sin(Y) + T, 0.3 * X * Z, np.cos(X + T)], axis=-1)
    water = lo.Fluid(1000.0, 1e-3, lo.water.Grid(U, (-2, -2, -2), (0.5, 0.5, 0.5), 0.0, 0.25))
    model = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(2.0, 0.1)).build()
    problem = lo.Locomotion(model, environment=[lo.Drag("ball", water, area=0.03)])
    q, v = np.array([0.13, -0.27, 0.41, 0, 0, 0, 1.0]), np.linspace(-0.2, 0.3, 6)
    found = problem.derivatives(0.31, q, v)
    by_q, by_t = differences(problem, 0.31, q, v)
    assert relative(joined(found, "q"), by_q) < 1e-8 and relative(joined(found, "t"), by_t) < 1e-8
    assert abs(found.a.q[:3, :3]).max() > 1e-3


@pytest.mark.parametrize("name", ["tendon_robot", "spin_up_beam", "falling_plate"])
def test_flexible_bodies_and_fluids(name):
    problem = lo.systems.load(name).problem()
    q, v = problem.initial(t=0.2)
    found = problem.derivatives(0.2, q, v)
    by_q, by_t = differences(problem, 0.2, q, v)
    free = ~problem.imposed
    assert relative(joined(found, "q")[:, free], by_q[:, free]) < 1e-7 and relative(joined(found, "t"), by_t) < 1e-7
