"""What joints carry: balance of every body by itself, forces along axes, the whole, rods, and Pinocchio's."""

from dataclasses import replace

import mechanisms
import numpy as np
import pytest
from mechanisms import relative

import locomote as lo

CASES = range(24)


def loads_of(case):
    wrenches = np.zeros((len(case.model.body_names), 6))
    for name, wrench in case.wrenches.items():
        wrenches[case.model.body(name).index] = wrench
    return wrenches


def moved(pose, wrench):
    """A wrench in a frame as (force, moment about the world origin), world axes."""
    R, o = pose[:3, :3], pose[:3, 3]
    force = R @ wrench[:3]
    return np.concatenate([force, R @ wrench[3:] + np.cross(o, force)])


def free_body(model, q, v, a, wrenches):
    """Rate of momentum of each body by itself less weight and external wrenches, about the world origin: from point masses.

    Six points with the mass, center and moments of a body; their accelerations from Jacobians and differences of these.
    """
    poses, taken = lo.forward_kinematics(model, q), np.zeros((len(model.body_names), 6))
    for b, name in enumerate(model.body_names):
        inertia = model.body(name).body.inertia
        taken[b] -= moved(poses[b], wrenches[b])
        if inertia is None or inertia.mass == 0.0:
            continue
        second = 0.5 * np.trace(inertia.moment) * np.eye(3) - inertia.moment  # about the center
        values, axes = np.linalg.eigh(second / inertia.mass)
        for k in range(3):
            reach = np.sqrt(3.0 * max(values[k], 0.0)) * axes[:, k]
            for point in (inertia.com + reach, inertia.com - reach):
                acc = lo.acceleration(model, q, v, a, name, point=point, frame="aligned")[:3]
                place = poses[b, :3, 3] + poses[b, :3, :3] @ point
                force = inertia.mass / 6.0 * (acc - model.gravity)
                taken[b] += np.concatenate([force, np.cross(place, force)])
    return poses, taken


@pytest.mark.parametrize("name", CASES)
def test_every_body_is_in_balance(name):
    """w of a body less those of its children is what its own motion takes, by point masses."""
    case = mechanisms.case(name)
    model, loads = case.model, loads_of(case)
    if any(model.body(b).body.added_inertia is not None for b in model.body_names):
        pytest.skip("point masses have no added inertia")
    w = lo.joint_wrenches(model, case.q, case.v, case.a, wrenches=loads)
    poses, taken = free_body(model, case.q, case.v, case.a, loads)
    found = np.array([moved(pose, wrench) for pose, wrench in zip(poses, w, strict=True)])
    own = found.copy()
    for b, body in enumerate(model.body_names):
        if (parent := model.body(body).parent) is not None:
            own[model.body(parent).index] -= found[b]
    assert abs(own - taken).max() < 1e-10 * max(1.0, abs(found).max())


@pytest.mark.parametrize("name", CASES)
def test_along_their_axes_they_are_the_joint_forces(name):
    """S^T w = tau, but for armatures; S are the columns of the Jacobian that belong to the joints of a body."""
    case = mechanisms.case(name)
    model, loads = case.model.unfolded, loads_of(case)
    c = case.model.coupling
    q, v, a = (case.q, case.v, case.a) if c is None else (c.expand_q(case.q), c.expand_v(case.v), c.expand_v(case.a))
    w = lo.joint_wrenches(model, q, v, a, wrenches=loads)
    assert np.array_equal(w, lo.joint_wrenches(case.model, case.q, case.v, case.a, wrenches=loads))
    tau = lo.inverse_dynamics(model, q, v, a, wrenches=loads) - model.armature * a
    scale = max(1.0, abs(w).max())
    for b, body in enumerate(model.body_names):
        J = lo.jacobian(model, q, body)
        for joint in model.body(body).joints:
            own = model.joint(joint).v
            assert abs(J[:, own].T @ w[b] - tau[own]).max(initial=0.0) < 1e-11 * scale


@pytest.mark.parametrize("name", CASES)
def test_those_of_roots_change_the_momentum(name):
    """Their sum, with weight and external wrenches, is the rate of momentum about the center of mass."""
    case = mechanisms.case(name)
    model, loads = case.model, loads_of(case)
    if not model.constants[:-1, 29].sum() > 0 or any(model.body(b).body.added_inertia is not None for b in model.body_names):
        pytest.skip("no center of mass, or one that is not of all momentum")
    if np.any(model.carrier == len(model.topology) - 1):
        pytest.skip("bodies that are fixed to the world carry others")
    w = lo.joint_wrenches(model, case.q, case.v, case.a, wrenches=loads)
    poses, center = lo.forward_kinematics(model, case.q), lo.center_of_mass(model, case.q)
    total = sum(moved(poses[b], loads[b]) for b in range(len(w)))
    total = total + sum(moved(poses[b], w[b]) for b in range(len(w)) if model.body(b).parent is None)
    weight = model.mass * model.gravity
    total = total + np.concatenate([weight, np.cross(center, weight)])
    total[3:] -= np.cross(center, total[:3])
    rate = lo.momentum_rate(model, case.q, case.v, case.a)
    assert abs(total - rate).max() < 1e-10 * max(1.0, abs(w).max())


@pytest.mark.parametrize("name", [15, 8, 21])
def test_batches_and_threads(name):
    case = mechanisms.case(name)
    rng, count = case.rng(9), 13
    q, v, a = case.model.random(rng, count), *rng.normal(size=(2, count, case.model.nv))
    loads = rng.normal(size=(count, len(case.model.body_names), 6))
    for given in (None, loads):
        one = [
            lo.joint_wrenches(case.model, q[k], v[k], a[k], wrenches=None if given is None else given[k]) for k in range(count)
        ]
        many = lo.joint_wrenches(case.model, q, v, a, wrenches=given, threads=2)
        assert relative(many, np.array(one)) < 1e-12
    body = case.model.body_names[-1]
    by_name = lo.joint_wrenches(case.model, q[0], v[0], a[0], wrenches={body: loads[0, -1]})
    only = np.zeros_like(loads[0])
    only[-1] = loads[0, -1]
    assert np.array_equal(by_name, lo.joint_wrenches(case.model, q[0], v[0], a[0], wrenches=only))


def test_wrong_wrenches_are_refused():
    model = lo.systems.load("simple_pendulum").model
    q, v = model.neutral(), np.zeros(model.nv)
    with pytest.raises(ValueError, match=r"wrenches has shape \(1, 5\), expected"):
        lo.joint_wrenches(model, q, v, v, wrenches=np.zeros((1, 5)))
    with pytest.raises(lo.UnknownName, match="no body"):
        lo.joint_wrenches(model, q, v, v, wrenches={"nobody": np.zeros(6)})


def limb():
    """A base, a rod on a hinge, a body fixed along it and one on a hinge at its tip, with a body fixed to that."""
    inertia = lo.Inertia(0.2, com=(0.05, 0.02, 0.01), moment=(1e-3, 2e-3, 2e-3))
    rod = lo.Rod(0.3, strains="bending torsion stretch", order=1, rest=(0.3, 1.0, 2.0), nodes=4)
    return (
        lo.Builder("limb", base="free")
        .body("trunk", inertia=lo.Inertia(1.0, com=(0.0, 0.0, 0.1), moment=(0.1, 0.2, 0.25)))
        .body("tail", parent="trunk", joint=lo.Joint("root", axis="y"), flex=rod)
        .body("weight", parent="tail", along=0.2, at=(0.0, 0.05, 0.0), inertia=inertia)
        .body("fin", parent="tail", joint=lo.Joint("hinge", axis=(1, 2, 3), armature=0.01), inertia=inertia)
        .body("tag", parent="fin", at=(0.1, 0.0, 0.0), inertia=inertia)
        .build()
    )


def test_rods():
    """At the root a rod carries what its first section does; axes and the whole as of rigid bodies; in batches, too."""
    model, rng = limb(), np.random.default_rng(3)
    q, v, a = model.random(rng), *0.3 * rng.normal(size=(2, model.nv))
    loads = rng.normal(size=(len(model.body_names), 6))
    w = lo.joint_wrenches(model, q, v, a, wrenches=loads)
    tau = lo.inverse_dynamics(model, q, v, a, wrenches=loads) - model.armature * a
    for body, joint in (("trunk", model.joint_names[0]), ("tail", "root"), ("fin", "hinge")):
        own = model.joint(joint).v
        S = lo.jacobian(model, q, body)[:, own]
        assert abs(S.T @ w[model.body_index(body)] - tau[own]).max() < 1e-11 * abs(w).max()
    # beyond the rod: what a rigid model of fin and tag takes for the same motion
    poses = lo.forward_kinematics(model, q)
    _, taken = free_body(model, q, v, a, loads)
    found = np.array([moved(pose, x) for pose, x in zip(poses, w, strict=True)])
    fin, tag, weight = (model.body_index(x) for x in ("fin", "tag", "weight"))
    for b, expected in ((tag, taken[tag]), (fin, taken[fin] + taken[tag]), (weight, taken[weight])):
        assert abs(found[b] - expected).max() < 1e-10 * abs(found).max()
    # at the root of the rod: what its first station passes on, a short slice of the rod, and the load on the root itself
    along, forces = lo.rods.section_forces(model, q, v, a, "tail", wrenches=loads)
    tail = model.body_index("tail")
    first = moved(lo.rods.sections(model, q, "tail").poses[0], forces[0]) - moved(poses[tail], loads[tail])
    mass = model.mass - sum(model.body(x).mass for x in model.body_names)
    away = first - found[tail]
    away[3:] -= np.cross(poses[tail, :3, 3], away[:3])  # about the root
    weight = 2.0 * 9.81 * mass * along[0] / 0.3
    assert abs(away[:3]).max() < weight and abs(away[3:]).max() < weight * along[0]
    many = lo.joint_wrenches(model, np.tile(q, (9, 1)), v, a, wrenches=loads)
    assert relative(many, np.broadcast_to(w, many.shape)) < 1e-12


def test_symbols_and_specialised_code():
    for model in (mechanisms.case(15).model, limb()):
        rng = np.random.default_rng(1)
        q, v, a = model.random(rng), *0.3 * rng.normal(size=(2, model.nv))
        loads = rng.normal(size=(len(model.body_names), 6))
        s = lo.symbolic(model)
        expected = lo.joint_wrenches(model, q, v, a, wrenches=loads)
        assert relative(np.array(s.function("joint_wrenches", wrenches=True)(q, v, a, loads)), expected) < 1e-11
        assert relative(np.array(s.joint_wrenches(q, v, a)), lo.joint_wrenches(model, q, v, a)) < 1e-11
    model = mechanisms.case(15).model
    q, v, a = model.random(rng, 16), *rng.normal(size=(2, 16, model.nv))
    before = lo.joint_wrenches(model, q, v, a)
    compiled = lo.compile(model, "joint_wrenches")
    assert relative(compiled.joint_wrenches(q, v, a), before) < 1e-12
    assert relative(lo.joint_wrenches(model, q, v, a), before) < 1e-12


def test_masses_of_fixed_bodies_are_parameters():
    """Of two bodies in one piece, what holds one to the other follows its own mass."""
    description = (
        lo.Builder("pair")
        .body("arm", joint=lo.Joint("pivot", axis="y"), inertia=lo.Inertia.rod(2.0, 1.0))
        .body("hand", parent="arm", at=(0.5, 0.0, 0.2), inertia=lo.Inertia(1.0, com=(0.1, 0.0, 0.0), moment=(0.01, 0.02, 0.02)))
        .build()
        .description
    )
    model, x = lo.Model(description), np.array([0.4])
    s = lo.symbolic(model, ["hand.mass"])
    arm, hand = description.bodies
    heavy = lo.Model(replace(description, bodies=(arm, replace(hand, inertia=replace(hand.inertia, mass=3.0)))))
    assert model.digest != heavy.digest
    found = np.array(s.joint_wrenches(x, x, x, [3.0]))
    assert relative(found, lo.joint_wrenches(heavy, x, x, x)) < 1e-12
