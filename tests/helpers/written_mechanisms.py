"""Random mechanisms with everything that a file format can say, and what must be the same after writing and reading them."""

from dataclasses import replace

import numpy as np
from mechanisms import random_description, random_inertia, random_pose, random_q, relative
from reference import Reference

import locomote as lo

SEEDS = range(24)
EVERYWHERE = ("revolute", "prismatic", "cylindrical", "universal", "euler", "x", "xy", "xyz")
ARRAYS_OF_V = ("stiffness", "rest", "damping", "friction", "armature", "velocity_limit", "effort_limit")
SHAPES = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2, "ellipsoid": 3, "plane": 2, "mesh": 3}


def for_urdf(seed):
    """A description that URDF can say: half of them with the base as `load` makes it, half with a root placed elsewhere."""
    rng = np.random.default_rng([seed, 1])
    kinds = (*EVERYWHERE, "planar", "free")
    description = random_description(seed, kinds=kinds, added=False, coupled=seed % 3 == 0)
    shown = ("box", "sphere", "cylinder", "capsule", "mesh")
    said = {"damping": 2.0, "friction": 1.0, "velocity_limit": 5.0, "effort_limit": 50.0}
    bodies = [_changed(body, rng, said, shown, helical="revolute") for body in description.bodies]
    if seed % 2 == 0 or bodies[0].joints and bodies[0].joints[0].kind == "spherical":
        bodies[0] = replace(bodies[0], placement=np.eye(4), joints=tuple(_bare(joint) for joint in bodies[0].joints))
    return replace(_coupled_to_one(description), bodies=tuple(bodies), gravity=(0.0, 0.0, -9.81))


def for_mjcf(seed):
    """A description that MJCF can say, with springs, armature and any gravity."""
    rng = np.random.default_rng([seed, 2])
    base = ("fixed", "free", "x", "xy", "xyz", "rotation")[seed % 6]
    kinds = (*EVERYWHERE, "spherical")
    description = random_description(seed, base=base, kinds=kinds, added=False, coupled=seed % 3 == 0)
    said = {"damping": 2.0, "friction": 1.0, "armature": 0.5, "stiffness": 9.0, "rest": 1.0, "effort_limit": 50.0}
    bodies = [_changed(body, rng, said, tuple(SHAPES), helical="prismatic") for body in description.bodies]
    if base == "free":
        bodies[0] = replace(bodies[0], placement=np.eye(4))
    return replace(_coupled_to_one(description), bodies=tuple(bodies))


def _changed(body, rng, said, shapes, helical):
    joints = tuple(_joint(joint, rng, said, helical) for joint in body.joints)
    visuals = tuple(random_visual(rng, str(shape), f"{body.name}, {n}") for n, shape in enumerate(rng.choice(shapes, 2)))
    # peers do not take joints that move nothing
    return replace(body, joints=joints, visuals=visuals, inertia=body.inertia or random_inertia(rng))


def _joint(joint, rng, said, helical):
    joint = replace(joint, kind=helical if joint.kind == "helical" else joint.kind, pitch=0.0, armature=0.0)
    single = joint.kind not in ("spherical", "free", "planar", "fixed")
    count = joint.sizes[1] if single else 1
    values = {}
    for label, most in said.items():
        if joint.kind == "fixed" or not single and label in ("rest", "effort_limit", "velocity_limit"):
            continue
        if joint.kind == "free" and "stiffness" in said and label != "damping":  # MJCF has these along other axes
            continue
        if rng.random() < 0.5:
            values[label] = rng.uniform(0.1, most, count) if count > 1 else float(rng.uniform(0.1, most))
    if single and rng.random() < 0.6:
        values["lower"], values["upper"] = -rng.uniform(0.5, 3.0, count), rng.uniform(0.5, 3.0, count)
    return replace(joint, **values)


def _bare(joint):
    """The joint as a base has it: its kind and nothing else."""
    return lo.Joint(joint.name, joint.kind) if joint.name == "base" else joint


def _coupled_to_one(description):
    """The same with every follower following one joint."""
    couplings = tuple(replace(coupling, ratios=coupling.ratios[:1]) for coupling in description.couplings)
    return replace(description, couplings=couplings)


def random_visual(rng, shape, name):
    """A shape of any size, place and colour."""
    file = "/meshes/part.obj" if shape == "mesh" else None
    color = tuple(rng.random(4).tolist()) if rng.random() < 0.5 else None
    size = tuple(rng.uniform(0.1, 2.0, SHAPES[shape]).tolist())
    return lo.Visual(shape, size, random_pose(rng), file, color, name)


def assert_same(model, back, tolerance=1e-13):
    """All that the model says is in the other, which may have more bodies and joints of one coordinate in place of others."""
    assert (back.name, back.nq, back.nv) == (model.name, model.nq, model.nv)
    assert set(model.body_names) <= set(back.body_names)
    kept = [name for name in back.body_names if name in set(model.body_names)]
    assert kept == list(model.body_names)
    for name in model.joint_names:
        view = model.joint(name)
        if name in back.joint_names:
            assert (view.q, view.v, view.coupled) == (back.joint(name).q, back.joint(name).v, back.joint(name).coupled)
        else:
            assert view.joint.sizes[0] > 1
    for label in ("lower", "upper", *ARRAYS_OF_V):
        assert np.array_equal(getattr(model, label), getattr(back, label)), label
    assert np.array_equal(model.gravity, back.gravity)
    rng = np.random.default_rng(7)
    reference = Reference(model.description)
    for _ in range(3):
        q, v, a = random_q(reference, rng), *rng.normal(size=(2, model.nv))
        assert relative(lo.inverse_dynamics(back, q, v, a), lo.inverse_dynamics(model, q, v, a)) < tolerance
        assert relative(lo.mass_matrix(back, q), lo.mass_matrix(model, q)) < tolerance
        assert relative(lo.passive_force(back, q, v), lo.passive_force(model, q, v)) < tolerance
        poses, others = lo.forward_kinematics(model, q), lo.forward_kinematics(back, q)
        for name in model.body_names:
            assert relative(others[back.body(name).index], poses[model.body(name).index]) < tolerance, name


def assert_same_looks(model, back):
    """Every visual is there, and where it was."""
    for name in model.body_names:
        ours, theirs = model.body(name).body.visuals, back.body(name).body.visuals
        assert len(ours) == len(theirs)
        for mine, other in zip(ours, theirs, strict=True):
            assert (mine.shape, mine.size, mine.file, mine.color) == (other.shape, other.size, other.file, other.color)
            assert mine.name == other.name and np.allclose(mine.placement, other.placement, rtol=0, atol=1e-14)
