"""SDF out and in again: the same mechanism; and what SDF cannot say is refused in words."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from example_robots import ROBOTS, URDFS
from mechanisms import random_description, random_inertia
from written_mechanisms import assert_same, assert_same_looks, random_visual

import locomote as lo

KINDS = ("revolute", "prismatic", "helical", "universal", "spherical", "x")
SEEDS = range(24)
SHAPES = ("box", "sphere", "cylinder", "capsule", "ellipsoid", "plane", "mesh")
SAID = {"damping": 2.0, "friction": 1.0, "stiffness": 9.0, "rest": 1.0, "velocity_limit": 5.0, "effort_limit": 50.0}
BOX = lo.Inertia(1.0, moment=(0.3, 0.4, 0.5))


def for_sdf(seed):
    """A description that SDF can say: one joint a body, with springs, references, anchors, added inertia and any gravity."""
    rng = np.random.default_rng([seed, 3])
    description = random_description(seed, base=("fixed", "free")[seed % 2], kinds=KINDS, coupled=seed % 3 == 0)
    bodies = []
    for body in description.bodies:
        joints = tuple(_joint(joint, rng) for joint in body.joints[:1])
        visuals = tuple(random_visual(rng, str(shape), f"{body.name}, {n}") for n, shape in enumerate(rng.choice(SHAPES, 2)))
        placement = np.eye(4) if joints and joints[0].kind == "free" else body.placement
        massive = {"inertia": body.inertia or random_inertia(rng)}
        bodies.append(replace(body, joints=joints, visuals=visuals, placement=placement, **massive))
    joints = {joint.name for body in bodies for joint in body.joints}
    couplings = [replace(coupling, ratios=coupling.ratios[:1]) for coupling in description.couplings]
    kept = tuple(c for c in couplings if c.joint in joints and all(leader in joints for leader, _ in c.ratios))
    gravity = (0.0, 0.0, -9.81) if seed % 4 else description.gravity
    return replace(description, bodies=tuple(bodies), couplings=kept, gravity=gravity)


def _joint(joint, rng):
    joint, count, values = replace(joint, armature=0.0), joint.sizes[1], {}
    if joint.kind in ("free", "spherical"):
        return replace(joint, damping=0.0, friction=0.0, stiffness=0.0)
    for label, most in SAID.items():
        if rng.random() < 0.5:
            values[label] = rng.uniform(0.1, most, count) if count > 1 else float(rng.uniform(0.1, most))
    if rng.random() < 0.6:
        values["lower"], values["upper"] = -rng.uniform(0.5, 3.0, count), rng.uniform(0.5, 3.0, count)
    return replace(joint, **values)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_mechanisms_return(seed):
    model = lo.Model(for_sdf(seed))
    back = lo.Model(lo.read_sdf(lo.write_sdf(model)))
    assert_same(model, back)
    assert_same_looks(model, back)
    for body in model.description.bodies:
        mine, other = body.added_inertia, back.body(body.name).body.added_inertia
        assert (mine is None) == (other is None) and (mine is None or np.allclose(mine, other, rtol=0, atol=1e-15))


def test_random_mechanisms_have_all_that_sdf_has():
    descriptions = [for_sdf(seed) for seed in SEEDS]
    joints = [joint for description in descriptions for body in description.bodies for joint in body.joints]
    assert {joint.kind for joint in joints} >= {*KINDS, "free"}
    assert any(np.any(joint.anchor) for joint in joints) and any(joint.reference for joint in joints)
    assert any(description.couplings for description in descriptions)
    assert any(body.added_inertia is not None for description in descriptions for body in description.bodies)


def test_robots_return():
    """Robots of URDF files, with links without mass, which are zeros in SDF."""
    count = 0
    for name in URDFS[::3]:
        try:
            model = lo.Model(lo.read_urdf(ROBOTS / name))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                text = lo.write_sdf(model, unsupported="warn")
        except lo.ModelError:  # a link "world", or names that links and joints share
            continue
        back = lo.Model(lo.read_sdf(text))
        count += 1
        assert back.body_names == model.body_names and (back.nq, back.nv) == (model.nq, model.nv), name
        assert np.array_equal(model.topology, back.topology), name
        assert np.max(abs(model.constants - back.constants), initial=0.0) < 1e-14, name
        assert_same_looks(model, back)
    assert count > 10


def test_files_and_how_the_root_moves(tmp_path):
    builder = lo.Builder("leg", base="free").body("trunk", inertia=BOX)
    joint = lo.Joint("knee", axis="y", stiffness=3.0, lower=-1.5, upper=0.0, anchor=(0, 0, 0.1))
    leg = builder.body("shank", parent="trunk", at=(0, 0, -0.3), joint=joint, inertia=BOX).build()
    lo.save(leg, tmp_path / "leg.sdf")
    assert lo.load(tmp_path / "leg.sdf") == leg
    lo.save(lo.load(tmp_path / "leg.sdf"), tmp_path / "leg.xml")
    assert lo.load(tmp_path / "leg.xml") == leg


def test_bodies_without_mass_are_told(tmp_path):
    model = lo.lock(pair(lo.Joint("j")), "j")
    light = lo.Model(replace(model.description, bodies=(model.description.bodies[0], lo.Body("tip", "ground"))))
    with pytest.warns(UserWarning, match="bodies without mass are links with mass 0, which Gazebo does not take"):
        lo.save(light, tmp_path / "a.sdf")
    assert lo.load(tmp_path / "a.sdf").body_names == ("ground", "tip")


def pair(*joints, inertia=BOX, name="arm"):
    return lo.Model(
        lo.Description("pair", (lo.Body("ground", inertia=BOX), lo.Body(name, "ground", np.eye(4), joints, inertia)))
    )


UNSAID = {
    "armature": (pair(lo.Joint("j", armature=1.0)), "joint 'j': armature 1 of a revolute joint is not supported"),
    "ball": (pair(lo.Joint("j", "spherical", damping=1.0)), "damping 1 of a spherical joint is not supported"),
}
NEVER = {
    "planar": (pair(lo.Joint("j", "planar")), "SDF has no planar joint there"),
    "cylindrical": (pair(lo.Joint("j", "cylindrical")), "SDF has no cylindrical joint there"),
    "several": (pair(lo.Joint("j"), lo.Joint("k", axis="x")), "one joint between two links, this body has 2"),
    "world": (pair(lo.Joint("j"), name="world"), "are not 'world'"),
    "scope": (pair(lo.Joint("a::b")), "names in SDF have no '::'"),
    "same name": (pair(lo.Joint("arm")), "a body is called so, too"),
}


@pytest.mark.parametrize("name", UNSAID)
def test_what_sdf_cannot_say(name):
    model, sentence = UNSAID[name]
    with pytest.raises(lo.ModelError, match=sentence):
        lo.write_sdf(model)
    with pytest.warns(UserWarning, match="left out"):
        lo.write_sdf(model, unsupported="warn")


@pytest.mark.parametrize("name", NEVER)
def test_what_no_option_allows(name):
    model, sentence = NEVER[name]
    for unsupported in ("error", "warn"):
        with pytest.raises(lo.ModelError, match=sentence):
            lo.write_sdf(model, unsupported=unsupported)
