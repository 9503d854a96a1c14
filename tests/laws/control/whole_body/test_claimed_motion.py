"""What a tick claims is what the plant does: accelerations against `Locomotion.evaluate` with its torques and forces."""

from dataclasses import replace

import numpy as np
import pytest
from full_programs import in_full

import locomote as lo

KINDS = ("revolute", "prismatic", "universal", "cylindrical", "helical")
SPEED = 0.02  # rad/s or m/s at which friction is most of its value


def robot(seed):
    """A random tree on a random base; joints have springs, dampers, friction and armature."""
    rng = np.random.default_rng(seed)
    base = ("free", "planar", "fixed")[seed % 3]
    builder = lo.Builder(f"robot {seed}", base="fixed" if base == "fixed" else "free")
    if base == "planar":
        builder = lo.Builder(f"robot {seed}", base="fixed")
        builder.body("trunk", joint=lo.Joint("root", "planar", damping=0.3), inertia=inertia(rng))
    else:
        builder.body("trunk", inertia=inertia(rng))
    names = ["trunk"]
    for k in range(7):
        kind = str(rng.choice(KINDS))
        most = {"stiffness": 40.0, "damping": 3.0, "friction": 2.0, "armature": 0.2}
        passive = {label: float(x * rng.integers(2) * rng.random()) for label, x in most.items()}
        axes = {"axis": "x", "axis2": "y"} if kind == "universal" else {"axis": "xyz"[rng.integers(3)]}
        more = {"pitch": 0.3} if kind == "helical" else {}
        joint = lo.Joint(f"j{k}", kind, rest=0.3, **axes, **passive, **more)
        builder.body(
            f"b{k}",
            parent=names[rng.integers(len(names))],
            joint=joint,
            inertia=inertia(rng),
            at=tuple(rng.uniform(-0.3, 0.3, 3)),
        )
        names.append(f"b{k}")
    return builder.build()


def inertia(rng):
    return lo.Inertia(rng.uniform(0.5, 3.0), com=rng.uniform(-0.1, 0.1, 3), moment=rng.uniform(0.05, 0.1, 3))


def plant(model, now, control, **options):
    """The problem with torques and contact forces of a tick."""

    def push(t, q, v):
        poses, loads = lo.forward_kinematics(model, q), {}
        for name, forces in now.forces.items():
            contact = control.contacts[name]
            local = forces @ poses[model.body(contact.body).index][:3, :3]
            moment = np.cross(contact.points, local).sum(axis=0)
            loads[contact.body] = loads.get(contact.body, 0.0) + np.concatenate([local.sum(axis=0), moment])
        return loads

    return lo.Locomotion(model, torques=lambda t, q, v: now.tau, environment=[push], **options)


@pytest.mark.parametrize("seed", range(12))
def test_claimed_accelerations_are_those_of_the_problem(seed):
    model, rng = robot(seed), np.random.default_rng(seed)
    springs = {"j2": (25.0, -0.2, 1.5)} if model.joint("j2").kind in ("revolute", "prismatic", "helical") else {}
    contacts = [lo.control.Contact("b6", rng.uniform(-0.1, 0.1, (2, 3)), friction=0.8)] if seed % 2 else []
    tasks = [lo.control.Posture(weight=1.0), lo.control.Frame("b5", rotation=False, weight=0.1)]
    control = lo.control.WholeBody(
        model, tasks, contacts, springs=springs, friction_speed=SPEED, torque_limits=False, passive=["j1"]
    )  # fmt: skip
    solved = 0
    for _ in range(12):
        q, v = model.random(rng), rng.normal(size=model.nv)
        now = control.evaluate(0.0, q, v)
        if not now.solved:
            continue
        solved += 1
        does = plant(model, now, control, springs=springs, friction_speed=SPEED).evaluate(0.0, q, v).a
        assert abs(does - now.a).max() < 1e-9 * max(1.0, abs(now.a).max())
        full = in_full(control, 0.0, q, v)
        assert abs(full.a - now.a).max() < 1e-3 * max(1.0, abs(now.a).max())
    assert solved >= (3 if contacts else 12)


def test_springs_of_a_problem_that_the_controller_is_not_told_of_are_those_of_the_model():
    """A knee with a stiff spring: without it the claim would be off by all the spring does."""
    builder = lo.Builder("leg", base="fixed")
    joint = lo.Joint("knee", "revolute", axis="y", stiffness=50.0, rest=0.4, damping=2.0, friction=1.0)
    builder.body("shank", joint=joint, inertia=lo.Inertia(2.0, com=(0.0, 0.0, -0.2), moment=(0.1, 0.1, 0.1)))
    model = builder.build()
    control = lo.control.WholeBody(model, [lo.control.Posture([0.3])])
    q, v = np.array([1.0]), np.array([0.5])
    now = control.evaluate(0.0, q, v)
    assert now.a == pytest.approx([-40.0 * 0.7 - 2 * np.sqrt(40.0) * 0.5], rel=1e-3)
    assert lo.Locomotion(model, torques=control).evaluate(0.0, q, v).a == pytest.approx(now.a, rel=1e-12)


def test_models_it_does_not_know_are_refused():
    builder = lo.Builder("gear", base="fixed")
    for k, parent in enumerate((None, "b0")):
        builder.body(f"b{k}", parent=parent, joint=lo.Joint(f"j{k}", axis="y"), inertia=lo.Inertia(1.0, moment=(0.1, 0.1, 0.1)))
    geared = lo.Model(replace(builder.build().description, couplings=(lo.Coupling("j1", (("j0", 2.0),)),)))
    with pytest.raises(ValueError, match="couplings, flexible bodies or added inertia"):
        lo.control.WholeBody(geared, [lo.control.Posture()])
    with pytest.raises(ValueError, match="couplings, flexible bodies or added inertia"):
        lo.control.WholeBody(lo.systems.load("octopus_arm").model, [lo.control.Posture()])
