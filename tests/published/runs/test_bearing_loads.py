"""Bearing loads of runs against closed forms: a swinging rod, an unbalanced rotor, the pins of a parallelogram, the wheels of a
snakeboard, the knees of something that stands on four legs."""

import numpy as np
import pytest

import locomote as lo

G = 9.81


def test_a_swinging_rod():
    """A uniform rod of length L, let go at angle s: along it m g (5/2 cos - 3/2 cos s), across it m g sin / 4."""
    m, L, s = 2.0, 0.8, 1.2
    inertia = lo.Inertia(m, (0, 0, -L / 2), (m * L**2 / 12, m * L**2 / 12, 1e-6))
    model = lo.Builder("rod").body("rod", joint=lo.Joint("pivot", axis="y"), inertia=inertia).build()
    run = lo.Locomotion(model).simulate(2.0, q=[s], every=0.01)
    angle = run["pivot.angle"]
    assert run["rod.joint force z"] == pytest.approx(m * G * (2.5 * np.cos(angle) - 1.5 * np.cos(s)), rel=1e-6)
    assert run["rod.joint force x"] == pytest.approx(-m * G * np.sin(angle) / 4, abs=1e-6)
    assert abs(run.joint_wrenches[:, 0, [1, 3, 4, 5]]).max() < 1e-12  # nothing about a bearing without friction


def test_an_unbalanced_rotor():
    """A rotor about x, its mass m off by e, its axes tilted: w x I w is I_xz w^2 about y, and its centre goes round with
    m e w^2, beside its weight."""
    m, e, I_xz, w = 3.0, 2e-3, 4e-4, 60.0
    moment = np.array([[0.01, 0, -I_xz], [0, 0.02, 0], [-I_xz, 0, 0.02]])
    rotor = lo.Inertia(m, (0, 0, e), moment)
    model = lo.Builder("rotor").body("rotor", joint=lo.Joint("shaft", axis="x"), inertia=rotor).build()
    run = lo.Locomotion(model, drives={"shaft": lo.Polynomial([0.3, w])}).simulate(0.2, every=0.005)
    angle = run["shaft.angle"]
    force, moment = run.joint_wrenches[:, 0, :3], run.joint_wrenches[:, 0, 3:]
    up = np.stack([0 * angle, np.sin(angle), np.cos(angle)], axis=1)  # in axes of the rotor
    assert force == pytest.approx(m * G * up - m * e * w**2 * np.array([0, 0, 1.0]), abs=1e-9)
    assert moment[:, 1] == pytest.approx(np.full(len(run), I_xz * w**2), abs=1e-9)
    assert moment[:, 0] == pytest.approx(-e * m * G * np.sin(angle), abs=1e-9)
    assert moment[:, 0] == pytest.approx(run["shaft.torque"], abs=1e-12) and abs(moment[:, 2]).max() < 1e-9


def test_pins_of_a_parallelogram():
    """Two cranks of length r, the left one driven with constant w, carry a bar of mass m between them. The right one is light:
    it carries N along itself, and the bar, which does not turn, wants the same vertical force of both pins:
    N sin(p) = m (g - r w^2 sin(p)) / 2.
    """
    m, r, l, w, light = 2.0, 0.2, 0.5, 3.0, lo.Inertia(1e-10, moment=(1e-12, 1e-12, 1e-12))
    model = (
        lo.Builder("parallelogram", gravity=(0, -G, 0))
        .body("left", joint=lo.Joint("left", axis="z"), inertia=light)
        .body(
            "bar",
            parent="left",
            joint=lo.Joint("bar", axis="z"),
            at=(r, 0, 0),
            inertia=lo.Inertia(m, (l / 2, 0, 0), (0.1, 0.1, 0.1)),
        )
        .body("right", joint=lo.Joint("right", axis="z"), at=(l, 0, 0), inertia=light)
        .build()
    )
    pin = lo.LoopClosure("right", "bar", locked="xy", frame=(r, 0, 0), other_frame=(l, 0, 0), name="pin")
    problem = lo.Locomotion(model, drives={"left": lo.Polynomial([0.5, w])}, constraints=[pin])
    run = problem.simulate(0.6, q=[0.5, -0.5, 0.5], v=[w, -w, w], every=0.02)
    p = run["left.angle"]
    along = m * (G - r * w**2 * np.sin(p)) / (2 * np.sin(p))
    assert run["right.joint force x"] == pytest.approx(along, rel=1e-6)  # the light crank is pressed by what it holds up
    assert abs(run["right.joint force y"]).max() < 1e-6 * along.max()
    turn = np.stack([np.cos(p), np.sin(p)], axis=1)
    bar = np.stack([run["bar.joint force x"], run["bar.joint force y"]], axis=1)  # its axes are those of the world
    whole = m * (-r * w**2 * turn + [0, G])
    assert bar == pytest.approx(whole - along[:, None] * turn, abs=1e-6 * m * G)
    left = np.stack([run["left.joint force x"], run["left.joint force y"]], axis=1)
    in_world = left[:, :1] * turn + left[:, 1:] * turn[:, ::-1] * [-1, 1]
    assert in_world == pytest.approx(bar, abs=1e-6 * m * G) and abs(run["right.joint force z"]).max() < 1e-8


def test_wheels_of_a_snakeboard():
    """A truck gets the sideways force of its wheels from the ground, and the rest of what moves it from the board: from second
    differences of where it goes. Their weight is on the ground that the planar base stands for."""
    system = lo.systems.load("snakeboard")
    problem, h = system.problem(), 2e-3
    run = problem.simulate(1.0, q=system.initial[0], v=system.initial[1], every=h, rtol=1e-10, atol=1e-12)
    model = run.model
    poses = lo.forward_kinematics(model, run.q)
    for k, (label, _, _) in enumerate(run.constraint_labels):
        body = problem.constraints[k].body
        b, mass = model.body_index(body), model.body(body).mass
        acceleration = (poses[2:, b, :3, 3] - 2 * poses[1:-1, b, :3, 3] + poses[:-2, b, :3, 3]) / h**2
        push = run.reactions[1:-1, k, None] * poses[1:-1, b, :3, 1]
        expected = np.einsum("nji,nj->ni", poses[1:-1, b, :3, :3], mass * (acceleration + [0, 0, G]) - push)
        scale = abs(run.reactions[:, k]).max()
        assert scale > 1e-3 and run.joint_wrenches[1:-1, b, :3] == pytest.approx(expected, abs=1e-3 * scale), label


def test_knees_of_a_table_on_four_legs():
    """At rest a quarter of the weight goes through each foot, and through its knee what is above that."""
    builder = lo.Builder("table", base="free").body("top", inertia=lo.Inertia.box(8.0, (0.6, 0.4, 0.05)))
    feet, targets = [], {}
    for n, (x, y) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
        hip, knee = lo.Joint(f"hip {n}", axis="y"), lo.Joint(f"knee {n}", axis="y")
        builder.body(
            f"thigh {n}",
            parent="top",
            joint=hip,
            at=(0.25 * x, 0.15 * y, 0),
            inertia=lo.Inertia(0.6, (0, 0, -0.1), (3e-3, 3e-3, 1e-3)),
        )
        builder.body(
            f"shank {n}",
            parent=f"thigh {n}",
            joint=knee,
            at=(0, 0, -0.2),
            inertia=lo.Inertia(0.4, (0, 0, -0.1), (2e-3, 2e-3, 1e-3)),
        )
        builder.body(f"foot {n}", parent=f"shank {n}", at=(0, 0, -0.2), inertia=lo.Inertia(0.1, moment=(1e-4, 1e-4, 1e-4)))
        feet.append(lo.Touch(f"foot {n}", lo.Ground(friction=0.8), points=[(0, 0, 0)]))
        targets |= {f"hip {n}": 0.0, f"knee {n}": 0.0}
    model = builder.build()
    q = model.neutral()
    q[2] = 0.4
    run = lo.Locomotion(model, torques=lo.Servo(targets, 300.0, 10.0), contacts=feet).simulate(0.5, q=q, every=0.05)
    weight = model.mass * G
    for n in range(4):
        end = {body: run.joint_wrenches[-1, model.body_index(f"{body} {n}")] for body in ("thigh", "shank", "foot")}
        assert end["foot"][2] == pytest.approx(0.1 * G - weight / 4, rel=1e-3)
        assert end["shank"][2] == pytest.approx(0.5 * G - weight / 4, rel=1e-3)
        assert end["thigh"][2] == pytest.approx(1.1 * G - weight / 4, rel=1e-3)
        assert abs(run.joint_wrenches[-1, 0]).max() < 1e-3 * weight  # nothing holds the top


def test_root_of_a_cantilever():
    """A rod at rest with a load at its tip and a tendon inside: weight and load, and their moments about the root, which a
    tendon that ends in the rod does not change."""
    material = lo.Material(1200.0, 5e7, damping=0.05)
    rod = lo.Rod(0.6, lo.Section.circle(0.01), material, strains="bending", order=3)
    model = lo.Builder("beam").body("beam", flex=rod).body("tip", parent="beam", inertia=lo.Inertia(0.1)).build()
    tendon = lo.Tendon("beam", ((0, 0, 0.006), (0.6, 0, 0.006)), 5.0)
    problem = lo.Locomotion(model, environment=[lo.Load("tip", force=(0, 0.5, -1.0), name="load")], actuators=[tendon])
    q = lo.equilibrium(problem).q
    w = problem.joint_wrenches(0.0, q, np.zeros(model.nv))
    poses, center = lo.forward_kinematics(model, q), lo.center_of_mass(model, q)
    weight, load = model.mass * np.array([0, 0, -G]), np.array([0, 0.5, -1.0])
    tip = poses[model.body_index("tip"), :3, 3]
    assert abs(tip[2]) > 0.01  # it bends
    assert w[0, :3] == pytest.approx(-weight - load, abs=1e-9)
    assert w[0, 3:] == pytest.approx(-np.cross(center, weight) - np.cross(tip, load), abs=1e-7)
    in_world = poses[1, :3, :3] @ w[1, :3]
    assert in_world == pytest.approx([0, -0.5, 1.0 + 0.1 * G], abs=1e-9)  # what the tip of the rod carries
