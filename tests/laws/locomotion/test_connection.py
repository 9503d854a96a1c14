"""Connections: closed forms, derivatives against differences, curvature against small loops, and what follows for gaits."""

import json
import pickle

import numpy as np
import pytest
from constraint_reference import derivative, rows_of
from mechanisms import random_description, relative
from places import DATA
from reference import Reference
from scipy.linalg import expm, logm
from scipy.spatial.transform import Rotation

import locomote as lo
from locomote.locomotion import connection as connections


def planar_arm(links=2, masses=(3.0, 1.0, 1.5), constraints=(), **joint):
    """A body in the plane with a chain of rods."""
    builder = lo.Builder("swimmer", base="planar", gravity=(0, 0, 0)).body(
        "body", inertia=lo.Inertia(masses[0], (0.05, 0.1, 0), np.eye(3) * 0.2)
    )
    for k in range(links):
        rod = lo.Inertia(masses[k + 1], (0.3, 0.02, 0), np.eye(3) * 0.03)
        builder.body(
            f"link {k}", parent="body" if k == 0 else f"link {k - 1}", joint=lo.Joint(f"joint {k}"), at=(0.4, 0, 0), inertia=rod
        )
    return lo.Locomotion(builder.build(), constraints=constraints)


def astronaut():
    """A free body with two turns and a ball joint, no gravity."""
    return lo.Locomotion(lo.Model(random_description(3, base="free", coupled=False, kinds=("revolute",), bodies=4, bare=True)))


def board():
    """A snakeboard: two steered blades and a rotor."""
    builder = lo.Builder("board", base="planar").body("board", inertia=lo.Inertia(4.0, (0, 0, 0), np.eye(3) * 0.016))
    for name, x in (("front", 0.2), ("back", -0.2)):
        builder.body(
            name, parent="board", joint=lo.Joint(name), at=(x, 0, 0), inertia=lo.Inertia(0.6, (0, 0, 0), np.eye(3) * 0.002)
        )
    builder.body("rotor", parent="board", joint=lo.Joint("rotor"), inertia=lo.Inertia(1.2, (0, 0, 0), np.eye(3) * 0.072))
    return lo.Locomotion(builder.build(), constraints=[lo.Blade("front"), lo.Blade("back")])


def snake(links=3, axles=None):
    """Links on axles: three decide the net motion, more of them bind the shape."""
    half = 0.15
    builder = lo.Builder("snake", base="planar").body("link 0", inertia=lo.Inertia.box(1.0, (0.3, 0.05, 0.05)))
    for k in range(1, links):
        builder.body(
            f"link {k}",
            parent=f"link {k - 1}",
            joint=lo.Joint(f"joint {k}", anchor=(half, 0, 0)),
            at=(-2 * half, 0, 0),
            inertia=lo.Inertia.box(1.0, (0.3, 0.05, 0.05)),
        )
    return lo.Locomotion(builder.build(), constraints=[lo.Blade(f"link {k}") for k in axles or range(links)])


def roller():
    """A ball base on a plane... of rotations only: a spinning body with two rotors (a satellite)."""
    builder = lo.Builder("satellite", base="rotation", gravity=(0, 0, 0)).body(
        "bus", inertia=lo.Inertia(5.0, (0, 0, 0), np.diag([1.0, 1.4, 0.9]))
    )
    for k, axis in enumerate(("x", (0.3, 1.0, 0.2))):
        builder.body(
            f"wheel {k}",
            parent="bus",
            joint=lo.Joint(f"spin {k}", axis=axis),
            at=(0.2, 0.1 * k, 0),
            inertia=lo.Inertia(1.0, (0.1, 0, 0.05), np.diag([0.2, 0.3, 0.1])),
        )
    return lo.Locomotion(builder.build())


PROBLEMS = {
    "mechanical plane": planar_arm,
    "mechanical space": astronaut,
    "rotation": roller,
    "mixed": board,
    "kinematic": snake,
}
KINDS = {
    "mechanical plane": "mechanical",
    "mechanical space": "hydrodynamic",  # some of its bodies carry added inertia
    "rotation": "mechanical",
    "mixed": "mixed",
    "kinematic": "kinematic",
}


def at(problem, seed=0):
    """A configuration off the identity."""
    q = problem.model.random(np.random.default_rng(seed))
    if problem.model.name == "snake":
        q[3:] = 0.7, -0.6  # well off constant curvature, where the axles do not decide its motion
    return q


def local_form(problem, q):
    """-eta for unit shape velocities: constraints of the second formulation, and no momentum along what they leave free."""
    reference = Reference(problem.model.description)
    snapshot = reference.at(q)
    base = sorted(problem.external)
    shape = [k for k in range(problem.model.nv) if k not in base]
    M = snapshot.mass_matrix()
    rows = (
        np.concatenate([rows_of(c, snapshot)[0] for c in problem.constraints])
        if problem.constraints
        else np.zeros((0, problem.model.nv))
    )
    _, values, right = np.linalg.svd(rows[:, base]) if len(rows) else (None, np.zeros(0), np.eye(len(base)))
    H = right[int((values > 1e-9).sum()) :].T
    conditions = np.concatenate([rows, H.T @ M[base]])
    return np.linalg.lstsq(conditions[:, base], conditions[:, shape], rcond=None)[0]


@pytest.fixture(params=PROBLEMS)
def problem_and_q(request):
    """A problem of each kind at a random configuration."""
    problem = PROBLEMS[request.param]()
    assert problem.connection(at(problem)).kind == KINDS[request.param]
    return problem, at(problem)


def test_local_form(problem_and_q):
    problem, q = problem_and_q
    found = problem.connection(q)
    assert relative(found.A, local_form(problem, q)) < 1e-10
    assert list(found.base) == sorted(problem.external) and len(found.shape) == problem.model.nv - len(found.base)


def test_local_form_does_not_depend_on_the_place(problem_and_q):
    problem, q = problem_and_q
    elsewhere = q.copy()
    kind = problem.model.description.bodies[0].joints[0].kind
    if kind == "planar":
        elsewhere[:3] += [1.0, -2.0, 0.8]
    elif kind == "free":
        elsewhere[:3] += [1.0, -2.0, 0.8]
        elsewhere[3:7] = (Rotation.from_rotvec([0.3, -0.2, 0.5]) * Rotation.from_quat(q[3:7])).as_quat()
    else:
        elsewhere[:4] = (Rotation.from_rotvec([0.3, -0.2, 0.5]) * Rotation.from_quat(q[:4])).as_quat()
    one, two = problem.connection(q), problem.connection(elsewhere)
    assert relative(one.A, two.A) < 1e-11 and relative(one.curvature, two.curvature) < 1e-10


def test_derivative(problem_and_q):
    problem, q = problem_and_q
    found = problem.connection(q)
    for j, k in enumerate(found.shape):
        along = np.eye(problem.model.nv)[k]
        expected = derivative(lambda h, along=along: local_form(problem, problem.model.integrate(q, h * along)), 5e-3)
        assert relative(found.derivative[j], expected) < 1e-8


def hat_of(problem, eta):
    """4x4 matrix of a base velocity."""
    kind = problem.model.description.bodies[0].joints[0].kind
    twist = np.zeros(6)
    twist[{"planar": [0, 1, 5], "free": [0, 1, 2, 3, 4, 5], "spherical": [3, 4, 5]}[kind]] = eta
    matrix = np.zeros((4, 4))
    x, y, z = twist[3:]
    matrix[:3, :3], matrix[:3, 3] = [[0, -z, y], [z, 0, -x], [-y, x, 0]], twist[:3]
    return matrix


def after_loop(problem, q, j, k, size, steps=3):
    """Net motion (4, 4) of a small square loop of the shape coordinates j and k, entered and left from its middle, by the local
    form of the second formulation.

    Magnus steps of fourth order: g' = g hat(-A r').
    """
    shape = [c for c in range(problem.model.nv) if c not in problem.external]
    half = size / 2
    corners = np.array([(0, 0), (-half, -half), (half, -half), (half, half), (-half, half), (-half, -half), (0, 0)])
    g, nodes = np.eye(4), (0.5 - np.sqrt(3) / 6, 0.5 + np.sqrt(3) / 6)
    for a, b in zip(corners, corners[1:], strict=False):
        for n in range(steps):
            speeds = []
            for c in nodes:
                r, move = a + (b - a) * (n + c) / steps, np.zeros(problem.model.nv)
                move[[shape[j], shape[k]]] = r
                rate = np.zeros(len(shape))
                rate[[j, k]] = (b - a) / steps
                speeds.append(hat_of(problem, -local_form(problem, problem.model.integrate(q, move)) @ rate))
            one, two = speeds
            g = g @ expm(0.5 * (one + two) + np.sqrt(3) / 12 * (one @ two - two @ one))
    return g


def test_curvature_is_the_net_motion_of_small_loops(problem_and_q):
    problem, q = problem_and_q
    found = problem.connection(q)
    j, k = 0, len(found.shape) - 1
    assert relative(found.curvature[j, k], -found.curvature[k, j]) < 1e-12
    expected = []
    for size in (0.04, 0.02):  # centered loops have errors of second order in their size, which this removes
        net = logm(after_loop(problem, q, j, k, size)).real / size**2
        expected.append(net)
    net = (4 * expected[1] - expected[0]) / 3
    assert relative(net, hat_of(problem, -found.curvature[j, k])) < 2e-4


# closed forms


def test_two_bodies_on_an_axis():
    """eta = -I2 / (I1 + I2) r': a body and a rotor with centers on the axis."""
    builder = lo.Builder("rotor", base="planar", gravity=(0, 0, 0)).body(
        "body", inertia=lo.Inertia(2.0, (0, 0, 0), np.eye(3) * 0.3)
    )
    problem = lo.Locomotion(
        builder.body("disc", parent="body", joint=lo.Joint("spin"), inertia=lo.Inertia(1.0, (0, 0, 0), np.eye(3) * 0.1)).build()
    )
    found = problem.connection([0.3, 0.1, 0.7, 1.2])
    assert found.kind == "mechanical"
    assert found.A[:, 0] == pytest.approx([0, 0, 0.25]) and not found.curvature.any()


def test_snakeboard():
    """With steering angles r and -r at distance l: along the kernel (2 l cos^2 r, 0, sin 2 r), by the momentum of the rotor."""
    problem, r, l = board(), 0.4, 0.2
    found = problem.connection([0, 0, 0, r, -r, 0.3])
    H = np.array([2 * l * np.cos(r) ** 2, 0.0, np.sin(2 * r)])
    mass, inertia, rotor = 4.0 + 1.2 + 1.2, 0.016 + 0.072 + 2 * (0.6 * l * l + 0.002), 0.072
    assert found.kind == "mixed"
    assert found.A[:, 2] == pytest.approx(H * rotor * H[2] / (mass * H[0] ** 2 + inertia * H[2] ** 2))


def test_no_base_no_connection():
    model = lo.Builder("arm").body("arm", joint=lo.Joint("turn"), inertia=lo.Inertia.box(1.0, (1, 1, 1))).build()
    with pytest.raises(
        ValueError, match="'arm' has no base that moves, so there is no net motion; build the model with a base"
    ):
        lo.Locomotion(model).connection([0.0])


# gaits


def gait(problem, drives):
    return lo.Locomotion(problem.model, drives=drives, constraints=problem.constraints)


def net(run):
    return run.net_motion.poses[-1]


def test_net_motion_does_not_depend_on_the_rate():
    """A loop of shape leaves the same net motion, however fast it is gone through: kinematic and mechanical systems."""
    for make, first, second in ((snake, "joint 1", "joint 2"), (planar_arm, "joint 0", "joint 1")):
        problem, poses = make(), []
        for rate in (1.0, 2.5):
            drives = {first: lo.Sine(0.3, rate, np.pi / 2, 0.7), second: lo.Sine(0.3, rate, 0.0, -0.6)}
            moving = gait(problem, drives)
            connection = problem.connection([0, 0, 0, 1.0, -0.6])
            v = np.zeros(5)
            v[3:] = [0.0, 0.3 * rate]
            v[:3] = -connection.A @ v[3:]
            poses.append(net(moving.simulate(2 * np.pi / rate, v=v, q=[0, 0, 0, 1.0, -0.6], rtol=1e-10, atol=1e-11, every=0.1)))
        assert relative(poses[0], poses[1]) < 1e-7
        assert abs(poses[0] - np.eye(4)).max() > 1e-4


def test_scallop():
    """One hinge, or two that go there and back on one line: nothing is gained, whatever the rhythm."""
    problem = planar_arm()
    there_and_back = lo.Cycloid(0.0, 1.0, 0.4) + lo.Function(lambda t: -lo.Cycloid(0.0, 1.0, 1.3)(t - 0.6)[0])
    drives = {"joint 0": 0.8 * there_and_back, "joint 1": -0.5 * there_and_back}
    run = gait(problem, drives).simulate(2.0, rtol=1e-10, atol=1e-11, every=0.05)
    assert abs(run.q[:, :3]).max() > 0.01
    assert abs(run.q[-1, :3]).max() < 1e-7


def test_reconstruction_follows_the_simulation():
    """eta = -A(r) r' along a simulated gait of the snake and of the arm at rest."""
    problem = snake()
    moving = gait(problem, {"joint 1": lo.Sine(0.4, 2.0, 0.3, 0.5), "joint 2": lo.Sine(0.4, 2.0, 1.8, -0.5)})
    run = moving.simulate(1.0, rtol=1e-10, atol=1e-11, every=0.1)
    for q, v in zip(run.q, run.v, strict=True):
        assert relative(-problem.connection(q).A @ v[3:], v[:3]) < 1e-8


def test_net_displacement_of_a_published_gait():
    """Three-link kinematic snake (tests/published/data/nh_kinematic_snake.json), by the gait's own drives."""
    expected = json.loads((DATA / "nh_kinematic_snake.json").read_text())["expected"]["gaits"][0]
    assert expected["gait"].startswith("a1=1+0.4 cos t, a2=-1+0.4 sin t")
    rod = lo.Inertia.box(1.0, (1.0, 0.1, 0.1))
    model = (
        lo.Builder("snake", base="planar")
        .body("middle", inertia=rod)
        .body("rear", parent="middle", at=(-0.5, 0, 0), joint=lo.Joint("a1", axis=(0, 0, -1)), inertia=rod)
        .body("front", parent="middle", at=(0.5, 0, 0), joint=lo.Joint("a2"), inertia=rod)
        .build()
    )
    wheels = [lo.Blade("middle"), lo.Blade("rear", (-0.5, 0, 0)), lo.Blade("front", (0.5, 0, 0))]
    path = {"a1": lo.Sine(0.4, 1.0, phase=np.pi / 2, offset=1.0), "a2": lo.Sine(0.4, 1.0, offset=-1.0)}
    problem = lo.Locomotion(model, constraints=wheels)
    start = [0, 0, 0, 1.4, -1.0]
    assert problem.net_displacement(path, 2 * np.pi, start) == pytest.approx(expected["displacement"], abs=1e-8)
    with pytest.raises(ValueError, match="path must impose every coordinate that is not of the base"):
        problem.net_displacement({"a1": path["a1"]}, 2 * np.pi, start)
    drag = [lo.Drag("rear", lo.Fluid(1000.0, 1e-3), area=0.01)]
    held = problem.replaced(environment=drag)  # wheels decide how it moves, whatever drags
    assert held.net_displacement(path, 2 * np.pi, start) == pytest.approx(expected["displacement"], abs=1e-8)
    with pytest.raises(ValueError, match="does not decide its net motion alone: Drag acts on it, with inertia"):
        problem.replaced(constraints=(), environment=drag).net_displacement(path, 2 * np.pi, start)
    wake = [lo.water.Lighthill(lo.Fluid(1000.0, 1e-3), [lo.water.Segment("rear", (0, 0, 0), (-0.5, 0, 0), 0.04, 0.02)])]
    with pytest.raises(ValueError, match="Lighthill acts on it"):  # it adds inertia, and sheds a wake
        problem.replaced(constraints=(), environment=wake).net_displacement(path, 2 * np.pi, start)


def test_a_shape_that_is_bound_has_no_curvature():
    """Five axles leave two conditions on four joints: A is right on what they allow, and nothing can be said off it."""
    problem = snake(5)
    q = np.array([0.3, -0.1, 0.4, 0.7, -0.6, 0.5, 0.2])
    connection, rows = problem.connection(q), problem.rows(0.0, q)[0]
    allowed = np.linalg.svd(rows)[2][5:]  # all velocities that the axles allow
    assert np.allclose(allowed[:, connection.base], -allowed[:, connection.shape] @ connection.A.T, atol=1e-12)
    for wanted in ("derivative", "curvature"):
        with pytest.raises(
            lo.LocomoteError, match=r"3 velocities of the base and put 2 more conditions on the shape.*leave out"
        ):
            getattr(connection, wanted)


def test_a_condition_that_appears_close_by_counts():
    """Straight, the rows of four axles are three that depend on each other, but not when the snake bends."""
    problem = snake(4)
    connection = problem.connection(np.zeros(6))
    assert "condition" in connection.missing


def test_doubled_constraints_do_not_bind_the_shape():
    once, twice = snake().connection(at(snake())), snake(axles=(0, 1, 2, 1)).connection(at(snake()))
    assert twice.missing == "" and np.allclose(twice.curvature, once.curvature, atol=1e-9)


def test_slopes_are_found_when_asked_for_and_once(monkeypatch):
    """A alone differentiates nothing; derivative and curvature take one pass over the coordinates, whatever their number."""
    problem = lo.Locomotion(lo.systems.load("quadruped").model)
    calls = []
    own = connections.inverse_dynamics_derivatives
    monkeypatch.setattr(connections, "inverse_dynamics_derivatives", lambda *given: calls.append(1) or own(*given))
    q = problem.initial()[0] + 0.0
    found = problem.connection(q)
    again = problem.connection(q.copy())
    assert not calls and found.A.shape == (6, 12)
    q[7:] += 0.3  # is no longer its own
    np.testing.assert_array_equal(found.curvature, again.curvature)
    _ = found.derivative, found.curvature, found.missing
    assert len(calls) == 2 * (problem.model.nv + 1)
    stored = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(stored.curvature, found.curvature)
    assert stored.kind == found.kind and stored.missing == ""


def test_light_ones_move_as_heavy_ones_do():
    """Masses of picograms do not vanish beside the rows of a blade."""
    found = []
    for mass in (1.0, 1e-15):
        builder = lo.Builder("skater", base="planar", gravity=(0, 0, 0))
        builder.body("body", inertia=lo.Inertia.box(5.0 * mass, (0.3, 0.2, 1.0)))
        arm = lo.Inertia(mass, (0.4, 0, 0), 0.01 * mass * np.eye(3))
        builder.body("arm", parent="body", joint=lo.Joint("swing"), at=(0.2, 0, 0), inertia=arm)
        problem = lo.Locomotion(
            builder.build(), drives={"swing": lo.Sine(1.0, 2.0)}, constraints=[lo.Blade("body", (-0.3, 0, 0))]
        )
        found.append(problem.connection(np.array([0.1, -0.2, 0.2, 0.4])))
    assert found[0].kind == found[1].kind == "mixed"
    assert np.allclose(found[0].A, found[1].A, rtol=1e-12, atol=0) and abs(found[0].A).max() > 0.1
