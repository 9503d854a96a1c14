"""A pin in a slot against closed forms, and against a slide and a hinge with a massless body between them."""

import numpy as np
import pytest
from mechanisms import relative

import locomote as lo

M, R, I, G = 1.3, 0.4, 0.07, 9.81  # kg, m, kg m^2, m/s^2: mass, its distance from the pin, its moment, gravity
ANCHOR = np.array([0.1, -0.2, 0.3])
INERTIA = lo.Inertia(M, ANCHOR + (R, 0.0, 0.0), (0.05, 0.06, I))
TOLERANCE = 1e-12


def pendulum(**said):
    """A rod on a pin in a slot of the world along x, which turns about z; gravity along -y."""
    joint = lo.Joint("pin", "pin_in_slot", axis="z", axis2="x", anchor=tuple(ANCHOR), **said)
    return lo.Builder("rod", gravity=(0.0, -G, 0.0)).body("rod", joint=joint, inertia=INERTIA).build()


def pair(axis, slot, pose):
    """The same tree with a joint of this kind, and with two joints and a massless body between them."""
    models = []
    for whole in (True, False):
        builder = lo.Builder("tree", base="free").body("trunk", inertia=lo.Inertia.box(2.0, (0.3, 0.2, 0.1)))
        if whole:
            joint = lo.Joint("pin", "pin_in_slot", axis=axis, axis2=slot, anchor=tuple(ANCHOR), armature=(0.1, 0.2))
            builder.body("arm", parent="trunk", at=pose, joint=joint, inertia=INERTIA)
        else:
            slide = lo.Joint("pin 1", "prismatic", axis=slot, anchor=tuple(ANCHOR), armature=0.1)
            builder.body("shoe", parent="trunk", at=pose, joint=slide)
            hinge = lo.Joint("pin 2", axis=axis, anchor=tuple(ANCHOR), armature=0.2)
            builder.body("arm", parent="shoe", joint=hinge, inertia=INERTIA)
        builder.body("hand", parent="arm", at=(0.5, 0.0, 0.0), joint=lo.Joint("wrist", axis="x"), inertia=INERTIA)
        models.append(builder.build())
    return models


AXES = [("z", "x"), ("y", (0.0, 0.0, -2.0)), ((1.0, 2.0, -0.5), (2.0, -1.0, 0.0))]


@pytest.fixture(params=AXES, ids=str, scope="module")
def both(request):
    rng, pose = np.random.default_rng(3), np.eye(4)
    pose[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    pose[:3, :3] *= np.linalg.det(pose[:3, :3])
    pose[:3, 3] = 0.2, -0.1, 0.4
    return pair(*request.param, pose)


def states(model, *shape):
    """Random states and accelerations."""
    rng = np.random.default_rng(8)
    return model.random(rng, shape), *rng.normal(size=(2, *shape, model.nv))


def test_equations_of_a_pendulum_on_a_cart():
    """x = s + R cos a, y = R sin a: Lagrange's equations, by hand."""
    model, (s, a), (ds, da) = pendulum(), (0.3, 0.7), (-0.4, 1.9)
    pose = lo.forward_kinematics(model, [s, a])[0]
    turn = np.array([[np.cos(a), -np.sin(a), 0.0], [np.sin(a), np.cos(a), 0.0], [0.0, 0.0, 1.0]])
    assert relative(pose[:3, :3], turn) < TOLERANCE and relative(pose[:3, 3], (s, 0, 0) + ANCHOR - turn @ ANCHOR) < TOLERANCE
    mass = [[M, -M * R * np.sin(a)], [-M * R * np.sin(a), I + M * R * R]]
    assert relative(lo.mass_matrix(model, [s, a]), mass) < TOLERANCE
    bias = [-M * R * np.cos(a) * da * da, M * G * R * np.cos(a)]
    assert relative(lo.bias_force(model, [s, a], [ds, da]), bias) < TOLERANCE


def test_the_slot_does_not_turn():
    """Whatever the angle, the point on the axis moves along the slot."""
    model = pendulum()
    for angle in np.linspace(-3.0, 3.0, 7):
        near, far = (lo.forward_kinematics(model, [s, angle])[0] @ (*ANCHOR, 1.0) for s in (0.0, 0.5))
        assert relative(far - near, (0.5, 0.0, 0.0, 0.0)) < TOLERANCE


def test_all_functions_are_those_of_slide_and_hinge(both):
    one, two = both
    q, v, a = states(one)
    assert one.nq == two.nq and one.nv == two.nv
    names = [one.body_names.index(name) for name in ("trunk", "arm", "hand")]
    others = [two.body_names.index(name) for name in ("trunk", "arm", "hand")]
    assert np.array_equal(lo.forward_kinematics(one, q)[names], lo.forward_kinematics(two, q)[others])
    for function, given in (
        (lo.inverse_dynamics, (q, v, a)), (lo.forward_dynamics, (q, v, a)), (lo.mass_matrix, (q,)), (lo.bias_force, (q, v)),
        (lo.coriolis_matrix, (q, v)), (lo.momentum_matrix, (q,)), (lo.center_of_mass, (q,)), (lo.kinetic_energy, (q, v)),
    ):  # fmt: skip
        assert np.array_equal(function(one, *given), function(two, *given)), function.__name__
    for function in (lo.inverse_dynamics_derivatives, lo.forward_dynamics_derivatives):
        for x, y in zip(function(one, q, v, a), function(two, q, v, a), strict=True):
            assert np.array_equal(x, y)
    armature = np.array([0.0] * 6 + [0.1, 0.2, 0.0])
    rigid = lo.regressor(one, q, v, a) @ lo.inertial_parameters(one)
    assert relative(rigid + armature * a, lo.inverse_dynamics(one, q, v, a)) < 1e-11


def test_batches_symbols_machine_code_and_counts(both):
    one, two = both
    q, v, a = states(one, 11)
    many = lo.inverse_dynamics(one, q, v, a)
    assert relative(many, [lo.inverse_dynamics(one, *state) for state in zip(q, v, a, strict=True)]) < TOLERANCE
    assert relative(lo.compile(one, "inverse_dynamics").inverse_dynamics(q, v, a), many) < TOLERANCE
    for name in ("inverse_dynamics", "forward_dynamics", "mass_matrix"):
        assert lo.operation_count(one, name) == lo.operation_count(two, name)
    links = lo.denoc.at(one, q[0], v[0])
    assert relative(lo.denoc.inertia_matrix(links), lo.mass_matrix(one, q[0])) < 1e-11


def test_a_run_keeps_its_energy_and_its_file(tmp_path):
    run = lo.Locomotion(pendulum()).simulate(1.0, q=[0.1, 0.4], v=[0.2, 0.0], rtol=1e-10, atol=1e-12)
    energy = run["energy.total"]
    assert np.ptp(energy) < 1e-8 * abs(energy).max() and run.audit.ok
    run.save(tmp_path / "rod.run")
    again = lo.open_run(tmp_path / "rod.run")
    joint = again.model.joint("pin").joint
    assert (joint.kind, joint.axis, joint.axis2) == ("pin_in_slot", "z", "x") and np.array_equal(again.q, run.q)
    assert [slot.name for slot in run.model.layout()] == ["shift", "angle", "shift rate", "turn rate"]


def test_a_driven_slot_and_limits():
    drive = lo.Sine(0.1, 3.0)
    run = lo.Locomotion(pendulum(), drives={("pin", 0): drive}).simulate(0.5, q=[0.0, 0.4])
    assert np.allclose(run["pin.shift"], 0.1 * np.sin(3.0 * run.t), atol=1e-9) and run.audit.ok
    stopped = lo.Locomotion(pendulum(lower=(-0.1, -np.inf), upper=(0.05, np.inf)), limits=True)
    run = stopped.simulate(0.5, q=[0.0, 0.4], v=[1.0, 0.0], method="timestep", step=1e-3)
    assert run["pin.shift"].max() < 0.0501 and run.audit.ok


def test_with_a_rod_and_over_contacts(both):
    """A rod on the arm, and a ball at the hand that falls on the ground."""
    soft, runs = [], []
    for model in both:
        rod = lo.Rod(0.4, lo.Section.circle(0.01), lo.Material(1000.0, 1e6, damping=10.0), strains="bending_y")
        arm = lo.Body("reed", "arm", joints=(), flex=rod)
        soft.append(lo.add(model, arm))
        ball = lo.Touch("hand", lo.Ground(friction=0.5), sphere=0.05)
        start = model.neutral()
        start[2] = 0.6
        runs.append(lo.Locomotion(model, contacts=[ball]).simulate(0.4, q=start, method="timestep", step=2e-3))
    q, v, a = states(soft[0])
    assert np.array_equal(lo.forward_dynamics(soft[0], q, v, a), lo.forward_dynamics(soft[1], q, v, a))
    assert np.array_equal(runs[0].q, runs[1].q) and runs[0].audit.ok


@pytest.mark.parametrize("suffix", [".urdf", ".xml"])
def test_files_of_others_have_a_slide_and_a_hinge(tmp_path, suffix):
    joint = lo.Joint("pin", "pin_in_slot", axis="z", axis2="x", anchor=tuple(ANCHOR), lower=(-1.0, -2.0), upper=(1.0, 2.0))
    builder = lo.Builder("tree", base="free").body("trunk", inertia=lo.Inertia.box(2.0, (0.3, 0.2, 0.1)))
    model = builder.body("arm", parent="trunk", at=(0.2, 0.0, 0.1), joint=joint, inertia=INERTIA).build()
    lo.save(model, tmp_path / f"tree{suffix}")
    again = lo.load(tmp_path / f"tree{suffix}", **({"base": "free"} if suffix == ".urdf" else {}))
    q, v, a = states(model)
    assert {"pin 1", "pin 2"} <= set(again.joint_names) and again.nq == model.nq
    assert relative(lo.inverse_dynamics(again, q, v, a), lo.inverse_dynamics(model, q, v, a)) < 1e-9


def test_a_slot_askew_is_refused():
    with pytest.raises(lo.ModelError, match=r"slot of a pin_in_slot joint \(axis2\) must be perpendicular .* at 45 degrees"):
        lo.Builder("rod").body("rod", joint=lo.Joint("pin", "pin_in_slot", axis2=(1, 0, 1)), inertia=INERTIA).build()
    with pytest.raises(lo.ModelError, match="axis2 must be 'x', 'y', 'z' or three numbers, not 'w'"):
        lo.Builder("rod").body("rod", joint=lo.Joint("pin", "pin_in_slot", axis2="w"), inertia=INERTIA).build()
