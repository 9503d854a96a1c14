"""What must not matter: the order of bodies, frames, fixed joints, the root; and what locking, removing and turning must do."""

from dataclasses import replace

import mechanisms
import numpy as np
import pytest
from mechanisms import ONE_COORDINATE, case_of, random_description, random_pose, random_rotation, relative

import locomote as lo

TOLERANCE = 1e-11
SOLVED = 1e-11
SOME = [name for name in mechanisms.NAMES if not isinstance(name, int) or name % 2 == 0]


@pytest.fixture(params=SOME, ids=str)
def case(request):
    """Every second mechanism, and the special ones."""
    return mechanisms.case(request.param)


class Carried:
    """Takes coordinates of one model to those of another that has some of the same joints; the rest stays neutral."""

    def __init__(self, model, other):
        self.model, self.other = model, other
        self.names = [name for name in model.joint_names if name in other.joint_names and not model.joint(name).coupled]

    def q(self, x):
        y = self.other.neutral()
        for name in self.names:
            y[self.other.joint(name).q] = x[self.model.joint(name).q]
        return y

    def v(self, x):
        y = np.zeros(self.other.nv)
        for name in self.names:
            y[self.other.joint(name).v] = x[self.model.joint(name).v]
        return y


def same_dynamics(case, other):
    """Another model of the same joints has the same forces, accelerations, energies and poses."""
    to = Carried(case.model, other)
    q, v, a, tau = to.q(case.q), to.v(case.v), to.v(case.a), to.v(case.tau)
    args = (case.model, case.q, case.v)
    assert relative(lo.inverse_dynamics(other, q, v, a), to.v(lo.inverse_dynamics(*args, case.a))) < TOLERANCE
    assert relative(lo.forward_dynamics(other, q, v, tau), to.v(lo.forward_dynamics(*args, case.tau))) < SOLVED
    assert relative(lo.kinetic_energy(other, q, v), lo.kinetic_energy(*args)) < TOLERANCE
    assert relative(lo.momentum(other, q, v), lo.momentum(*args)) < TOLERANCE
    poses, theirs = lo.forward_kinematics(case.model, case.q), lo.forward_kinematics(other, q)
    for name in case.model.body_names:
        if name in other.body_names:
            assert relative(theirs[other.body(name).index], poses[case.model.body(name).index]) < TOLERANCE
    return q, v


def test_order_of_bodies(case):
    """Bodies may be told in any order, also children before parents."""
    description = case.reference.description
    order = case.rng(40).permutation(len(description.bodies))
    same_dynamics(case, lo.Model(replace(description, bodies=tuple(description.bodies[k] for k in order))))


def test_order_of_bodies_from_the_tips(case):
    description = case.reference.description
    same_dynamics(case, lo.Model(replace(description, bodies=description.bodies[::-1])))


def test_fixed_frames_change_nothing(case):
    rng, description = case.rng(41), case.reference.description
    frames = [
        lo.Body(f"frame on {body.name}", body.name, random_pose(rng), (lo.Joint(f"weld {n}", "fixed"),) if n % 2 else ())
        for n, body in enumerate(description.bodies)
    ]
    other = lo.Model(replace(description, bodies=(*description.bodies, *frames)))
    q, v = same_dynamics(case, other)
    for frame in frames[:3]:
        pose = case.truth.pose(frame.parent) @ frame.placement
        assert relative(lo.forward_kinematics(other, q)[other.body(frame.name).index], pose) < TOLERANCE
        point = frame.placement[:3, 3]
        ours, theirs = (
            lo.velocity(case.model, case.q, case.v, frame.parent, point=point, frame="aligned"),
            lo.velocity(other, q, v, frame.name, frame="aligned"),
        )
        assert relative(theirs, ours) < TOLERANCE


def split(inertia, rng):
    """Two inertias that add up to one: a share of every point mass of a body."""
    share = rng.uniform(0.2, 0.8)
    return (lo.Inertia(s * inertia.mass, inertia.com, s * np.asarray(inertia.moment)) for s in (share, 1 - share))


def moved_frame(inertia, pose):
    """An inertia seen from a frame with `pose` in its own: written out, not by the library."""
    R, p = pose[:3, :3], pose[:3, 3]
    return lo.Inertia(inertia.mass, R.T @ (np.asarray(inertia.com) - p), R.T @ np.asarray(inertia.moment) @ R)


def test_splitting_links_changes_nothing(case):
    """Each body gives a part of its mass to a new one that is fixed to it, in a frame of its own."""
    rng, bodies = case.rng(42), []
    for body in case.reference.description.bodies:
        if body.inertia is None:
            bodies.append(body)
            continue
        stays, goes = split(body.inertia, rng)
        pose = random_pose(rng)
        bodies += [replace(body, inertia=stays), lo.Body(f"part of {body.name}", body.name, pose, (), moved_frame(goes, pose))]
    same_dynamics(case, lo.Model(replace(case.reference.description, bodies=tuple(bodies))))


def test_inserted_links_change_nothing(case):
    """The placement of every body is cut in two, with a massless fixed body in between."""
    rng, bodies = case.rng(43), []
    for body in case.reference.description.bodies:
        middle = random_pose(rng)
        bodies.append(lo.Body(f"before {body.name}", body.parent, middle))
        bodies.append(replace(body, parent=f"before {body.name}", placement=np.linalg.solve(middle, body.placement)))
    same_dynamics(case, lo.Model(replace(case.reference.description, bodies=tuple(bodies))))


def test_joints_of_one_body_may_have_massless_bodies_between(case):
    """placement J1 J2 ... is the same as a chain of massless bodies, one for each joint."""
    bodies = []
    for body in case.reference.description.bodies:
        parent, placement, joints = body.parent, body.placement, body.joints
        for joint in joints[:-1]:
            bodies.append(lo.Body(f"{body.name} after {joint.name}", parent, placement, (joint,)))
            parent, placement = bodies[-1].name, np.eye(4)
        bodies.append(replace(body, parent=parent, placement=placement, joints=joints[-1:]))
    same_dynamics(case, lo.Model(replace(case.reference.description, bodies=tuple(bodies))))


def test_compound_joints_are_their_parts(case):
    """Cylindrical, universal, euler, xy and xyz joints against rows of one-coordinate joints."""
    if case.model.coupling:
        pytest.skip("joint names change")
    description = case.reference.description
    bodies = [replace(body, joints=tuple(p for j in body.joints for p in parts(j))) for body in description.bodies]
    other = lo.Model(replace(description, bodies=tuple(bodies)))
    assert (other.nq, other.nv) == (case.model.nq, case.model.nv)
    args = (case.q, case.v, case.a)
    assert relative(lo.inverse_dynamics(other, *args), lo.inverse_dynamics(case.model, *args)) < TOLERANCE
    assert relative(lo.forward_kinematics(other, case.q), lo.forward_kinematics(case.model, case.q)) < TOLERANCE


def parts(joint):
    """A joint as one-coordinate ones, where it can be."""
    one = {"cylindrical": (joint.axis,) * 2, "universal": (joint.axis, joint.axis2), "euler": joint.sequence}
    one |= {"pin_in_slot": (joint.axis2, joint.axis)}
    one |= {"xy": "xy", "xyz": "xyz", "x": "x"}
    if joint.kind not in one:
        return [joint]
    kinds = {"cylindrical": ("revolute", "prismatic"), "universal": ("revolute",) * 2, "euler": ("revolute",) * 3}
    kinds |= {"pin_in_slot": ("prismatic", "revolute")}
    armature = np.broadcast_to(np.asarray(joint.armature, dtype=float), joint.sizes[1])
    more = {"anchor": joint.anchor, "reference": joint.reference}
    return [
        lo.Joint(f"{joint.name} {n}", kind, axis=axis, armature=float(armature[n]), **more)
        for n, (kind, axis) in enumerate(zip(kinds.get(joint.kind, ("prismatic",) * 3), one[joint.kind], strict=False))
    ]


def lockable(case):
    """Some joints that can be locked, and values for them that are not neutral."""
    coupled = {c.joint for c in case.reference.description.couplings}
    names = [name for name in case.model.joint_names if name not in coupled]
    chosen = [str(x) for x in case.rng(44).permutation(names)[: max(1, len(names) // 3)]]
    return chosen if len(chosen) < len(names) else []


def test_locking_a_joint_is_imposing_rest(case):
    chosen = lockable(case)
    if not chosen:
        pytest.skip("a single joint")
    locked = lo.lock(case.model, {name: case.q[case.model.joint(name).q] for name in chosen})
    held = np.zeros(case.model.nv, bool)
    for name in chosen:
        held[case.model.joint(name).v] = True
    v, a = np.where(held, 0.0, case.v), np.where(held, 0.0, case.a)
    assert locked.nv == case.model.nv - held.sum()
    to = Carried(case.model, locked)
    q, full = to.q(case.q), lo.inverse_dynamics(case.model, case.q, v, a)
    assert relative(lo.inverse_dynamics(locked, q, to.v(v), to.v(a)), to.v(full)) < TOLERANCE
    hybrid, _ = lo.hybrid_dynamics(case.model, case.q, v, case.tau, np.zeros(case.model.nv), chosen)
    assert relative(lo.forward_dynamics(locked, q, to.v(v), to.v(case.tau)), to.v(hybrid)) < SOLVED
    poses = lo.forward_kinematics(locked, q)
    for name in case.model.body_names:
        assert relative(poses[locked.body(name).index], case.truth.pose(name)) < TOLERANCE


def test_locking_by_name_holds_the_neutral_value(case):
    chosen = lockable(case)
    if not chosen:
        pytest.skip("a single joint")
    neutral = case.model.neutral()
    by_value = lo.lock(case.model, {name: neutral[case.model.joint(name).q] for name in chosen})
    assert lo.lock(case.model, chosen) == by_value


def test_removing_is_undone_by_adding(case):
    leaf = case.reference.bodies[-1]
    if len(case.reference.bodies) == 1 or {j.name for j in leaf.joints} & names_in_couplings(case):
        pytest.skip("nothing would be left, or a coupling would break")
    without = lo.remove(case.model, leaf.name)
    assert leaf.name not in without.body_names and not set(without.joint_names) & {j.name for j in leaf.joints}
    same_dynamics(case, lo.add(without, leaf))


def names_in_couplings(case):
    couplings = case.reference.description.couplings
    return {c.joint for c in couplings} | {name for c in couplings for name, _ in c.ratios}


def test_removing_is_making_weightless(case):
    """What remains feels no difference between a branch that is gone and one without any inertia."""
    roots = [body.name for body in case.reference.bodies if body.parent is not None]
    if not roots or case.model.coupling:
        pytest.skip("no branch to remove")
    branch = str(case.rng(45).choice(roots))
    gone = {branch}
    for body in case.reference.bodies:
        if body.parent in gone:
            gone.add(body.name)
    without = lo.remove(case.model, branch)
    assert set(without.body_names) == set(case.model.body_names) - gone
    if without.nv == 0:
        return
    bodies = [
        replace(
            body,
            inertia=None,
            added_inertia=None,
            joints=tuple(replace(joint, armature=0.0) for joint in body.joints),
        )
        if body.name in gone
        else body
        for body in case.reference.description.bodies
    ]
    light = lo.Model(replace(case.reference.description, bodies=tuple(bodies)))
    to = Carried(light, without)
    expected = to.v(lo.inverse_dynamics(light, case.q, case.v, case.a))
    assert relative(lo.inverse_dynamics(without, to.q(case.q), to.v(case.v), to.v(case.a)), expected) < TOLERANCE


def test_turning_the_world_changes_nothing_but_the_view(case):
    """Roots and gravity moved together by one pose: forces stay, poses and momentum are seen turned."""
    rng, description = case.rng(46), case.reference.description
    g = np.eye(4)
    g[:3, :3], g[:3, 3] = random_rotation(rng), rng.uniform(-3.0, 3.0, 3)
    R = g[:3, :3]
    bodies = tuple(replace(b, placement=g @ b.placement) if b.parent is None else b for b in description.bodies)
    other = lo.Model(replace(description, bodies=bodies, gravity=tuple(R @ description.gravity)))
    args = (case.q, case.v, case.a)
    assert relative(lo.inverse_dynamics(other, *args), lo.inverse_dynamics(case.model, *args)) < TOLERANCE
    ours, theirs = (lo.forward_dynamics(m, case.q, case.v, case.tau) for m in (case.model, other))
    assert relative(theirs, ours) < SOLVED
    assert relative(lo.mass_matrix(other, case.q), lo.mass_matrix(case.model, case.q)) < TOLERANCE
    assert relative(lo.forward_kinematics(other, case.q), g @ lo.forward_kinematics(case.model, case.q)) < TOLERANCE
    momentum = lo.momentum(case.model, case.q, case.v)
    assert relative(lo.momentum(other, case.q, case.v), np.concatenate([R @ momentum[:3], R @ momentum[3:]])) < TOLERANCE


@pytest.mark.parametrize("seed", range(6))
def test_turning_a_free_base_is_turning_gravity(seed):
    """The same body velocities at another pose of the base, with gravity turned along."""
    case = case_of(random_description(seed, base="free"), seed)
    rng = case.rng(47)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    half = rng.uniform(0.2, 1.5)
    p = np.append(np.sin(half) * axis, np.cos(half))
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    R = np.eye(3) + np.sin(2 * half) * K + (1 - np.cos(2 * half)) * K @ K
    # the base hangs in a placement P: world pose P g, so turn about the placement's own axes
    P = case.reference.bodies[0].placement[:3, :3]
    q = np.array(case.q)
    q[:3] = R @ q[:3] + rng.normal(size=3)
    q[3:7] = product(p, q[3:7])
    turned = case.model.edited(gravity=tuple(P @ R @ P.T @ case.model.gravity))
    ours, theirs = lo.inverse_dynamics(case.model, case.q, case.v, case.a), lo.inverse_dynamics(turned, q, case.v, case.a)
    assert relative(theirs, ours) < TOLERANCE
    ours, theirs = lo.forward_dynamics(case.model, case.q, case.v, case.tau), lo.forward_dynamics(turned, q, case.v, case.tau)
    assert relative(theirs, ours) < SOLVED


def product(p, q):
    """Of two quaternions (x, y, z, w)."""
    u, v = p[:3], q[:3]
    return np.append(p[3] * v + q[3] * u + np.cross(u, v), p[3] * q[3] - u @ v)


def rerooted(description, new):
    """The same free mechanism of one-coordinate joints with another body as its base.

    (P J1 J2)^-1 = P^-1 (P J2^-1 P^-1) (P J1^-1 P^-1): joints in reverse order, with axes and anchors seen from the old parent,
    and axes reversed so that coordinates keep their values.
    """
    by_name = {body.name: body for body in description.bodies}
    bodies, name, placement, joints = [], new, np.eye(4), (lo.Joint("base", "free"),)
    done = set()
    parent = None
    while name is not None:
        body = by_name[name]
        bodies.append(replace(body, parent=parent, placement=placement, joints=joints))
        done.add(name)
        P = body.placement
        R = P[:3, :3]
        joints = tuple(
            replace(j, axis=tuple(-R @ letters(j.axis)), anchor=tuple(R @ np.asarray(j.anchor) + P[:3, 3]))
            for j in reversed(body.joints)
            if j.kind != "free"
        )
        parent, name, placement = name, body.parent, np.linalg.inv(P)
    bodies += [body for body in description.bodies if body.name not in done]
    return replace(description, bodies=tuple(bodies))


def letters(axis):
    """An axis as three numbers."""
    return np.eye(3)["xyz".index(axis)] if isinstance(axis, str) else np.asarray(axis, dtype=float)


@pytest.mark.parametrize("seed", range(8))
def test_any_body_may_be_the_base(seed):
    case = case_of(random_description(seed, base="free", kinds=ONE_COORDINATE, bodies=7), seed)
    new = case.reference.bodies[-1].name
    other = lo.Model(rerooted(case.reference.description, new))
    assert other.body_names[0] == new
    to = Carried(case.model, other)
    q, v = to.q(case.q), to.v(case.v)
    pose = case.truth.pose(new)
    q[:3] = pose[:3, 3]
    q[3:7] = quaternion_of(pose[:3, :3])
    v[:6] = case.truth.twist(new)
    old = lo.forward_kinematics(other, q)[other.body("body 0").index]
    assert relative(old, case.truth.pose("body 0")) < TOLERANCE
    assert relative(lo.kinetic_energy(other, q, v), case.truth.kinetic_energy()) < TOLERANCE
    assert relative(lo.momentum(other, q, v), case.truth.momentum()) < TOLERANCE
    # the same joint forces, nothing at the base: the same joint accelerations, and the base moves as that body does
    tau = np.array(case.tau)
    tau[:6] = 0.0
    a = lo.forward_dynamics(case.model, case.q, case.v, tau, wrenches=case.wrenches)
    theirs = lo.forward_dynamics(other, q, v, to.v(tau), wrenches=case.wrenches)
    expected = to.v(a)
    expected[:6] = case.reference.at(case.q, case.v, a).twist_rate(new)
    assert relative(theirs, expected) < SOLVED
    force = lo.inverse_dynamics(other, q, v, expected, wrenches=case.wrenches)
    assert abs(force[:6]).max() < 1e-9


def quaternion_of(R):
    """(x, y, z, w) of a rotation: the eigenvector of its largest projection."""
    K = np.array(
        [
            [R[0, 0] - R[1, 1] - R[2, 2], R[1, 0] + R[0, 1], R[2, 0] + R[0, 2], R[2, 1] - R[1, 2]],
            [R[1, 0] + R[0, 1], R[1, 1] - R[0, 0] - R[2, 2], R[2, 1] + R[1, 2], R[0, 2] - R[2, 0]],
            [R[2, 0] + R[0, 2], R[2, 1] + R[1, 2], R[2, 2] - R[0, 0] - R[1, 1], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], R[0, 0] + R[1, 1] + R[2, 2]],
        ]
    )
    return np.linalg.eigh(K)[1][:, -1]


@pytest.mark.parametrize("seed", range(6))
def test_coupled_joints_are_free_joints_held_together(seed):
    """A coupled model against its uncoupled one with the linear map written out."""
    kinds = (*ONE_COORDINATE, "spherical")
    case = case_of(random_description(seed, kinds=kinds, coupled=True, bodies=8), seed)
    assert case.model.coupling
    full = case.model.unfolded
    G, h = np.zeros((full.nv, case.model.nv)), 1.0
    for k in range(case.model.nv):
        G[:, k] = full_velocity(case, full, np.eye(case.model.nv)[k] * h)
    q = full_configuration(case, full)
    M = lo.mass_matrix(full, q)
    assert relative(lo.mass_matrix(case.model, case.q), G.T @ M @ G) < TOLERANCE
    tau = lo.inverse_dynamics(full, q, G @ case.v, G @ case.a)
    assert relative(lo.inverse_dynamics(case.model, case.q, case.v, case.a), G.T @ tau) < TOLERANCE


def full_velocity(case, full, v):
    result = np.zeros(full.nv)
    for joint in case.reference.joints:
        result[full.joint(joint.name).v] = case.reference.coordinates(joint.name, case.q)[1] @ v
    return result


def full_configuration(case, full):
    result = full.neutral()
    for joint in case.reference.joints:
        result[full.joint(joint.name).q] = case.reference.coordinates(joint.name, case.q)[0]
    return result
