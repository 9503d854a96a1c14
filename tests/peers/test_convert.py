"""Coordinates of Pinocchio and MuJoCo from ours and back, on every robot of example-robot-data that both can load.

Their inverse dynamics of a converted motion is our force, converted; likewise mass matrices and Jacobians. The order of joints
is derived from our model alone, and read from theirs.
"""

import xml.etree.ElementTree as ElementTree
from functools import cache

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from mujoco_peer import full_mass
from pinocchio_peer import ROBOTS, URDFS
from pinocchio_peer import pair as pinocchio_pair

import locomote as lo

TOLERANCE = 1e-9
# revolute joints without limits, which are taken as continuous ones: then only Pinocchio's own model says which is which
UNSURE = {"centauro_description/urdf/centauro.urdf", "quadruped_description/urdf/quadruped.urdf"}


def close(x, y, scale=0.0):
    x, y = np.asarray(x), np.asarray(y)
    return x.shape == y.shape and np.max(abs(x - y), initial=0.0) <= TOLERANCE * max(np.max(abs(y), initial=0.0), scale)


def states(model, count=2):
    """q, v, a, as batches."""
    rng = np.random.default_rng(11)
    return model.random(rng, count), *rng.normal(size=(2, count, model.nv))


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("name", URDFS)
def test_pinocchio(name, base):
    robot = pinocchio_pair(name, base)
    model, theirs, data = robot.ours, robot.theirs, robot.data
    q, v, a = states(model)
    tau, M = lo.inverse_dynamics(model, q, v, a), lo.mass_matrix(model, q)
    body = model.body_names[-1]
    J, frame = lo.jacobian(model, q, body), theirs.getFrameId(body, pin.FrameType.BODY)
    given = {"q": q, "v": v, "a": a, "tau": tau, "matrix": M, "jacobian": J}
    found = {kind: lo.convert(model, x, kind, to=theirs) for kind, x in given.items()}
    for kind, x in given.items():
        if kind == "q" and name in UNSURE:
            with pytest.raises(ValueError, match="some revolute joints of the file have no limits.*give the pinocchio.Model"):
                lo.convert(model, x, kind, to="pinocchio")
        else:
            assert np.array_equal(lo.convert(model, x, kind, to="pinocchio"), found[kind]), kind
        back = lo.convert(model, found[kind], kind, to=theirs, back=True)
        assert close(back, x, scale=1.0), kind
    assert np.array_equal(lo.convert(model, v, "v", to="pinocchio", joints=list(theirs.names)[1:]), found["v"])
    for k in range(len(q)):
        assert close(found["tau"][k], pin.rnea(theirs, data, found["q"][k], found["v"][k], found["a"][k]))
        mass = pin.crba(theirs, data, found["q"][k])
        assert close(found["matrix"][k], np.triu(mass) + np.triu(mass, 1).T)
        jacobian = pin.computeFrameJacobian(theirs, data, found["q"][k], frame, pin.LOCAL)
        assert close(found["jacobian"][k], jacobian, scale=1.0)


@cache
def mujoco_text(name, base):
    """A robot as both programs read it: without shapes, whose files are elsewhere, with inertias that MuJoCo takes, and with a
    joint to the world where it floats."""
    root = ElementTree.parse(ROBOTS / name).getroot()
    for part in root.findall("mujoco"):
        root.remove(part)
    for joint in root.findall("joint"):
        for part in joint.findall("mimic"):
            joint.remove(part)
    for place in (*root.findall("link"), *root.findall("joint/parent"), *root.findall("joint/child")):
        for label in ("name", "link"):
            if place.get(label) == "world":  # MuJoCo's own word
                place.set(label, "a world of its own")
    for k, link in enumerate(root.findall("link")):
        for part in list(link):
            link.remove(part)
        inertial = ElementTree.SubElement(link, "inertial")
        ElementTree.SubElement(inertial, "origin", xyz=f"0.01 {0.01 * (k % 5)} -0.02")
        ElementTree.SubElement(inertial, "mass", value=str(0.5 + 0.3 * (k % 7)))
        turns = {"ixx": "0.02", "iyy": "0.025", "izz": "0.03", "ixy": "0.001", "ixz": "-0.002", "iyz": "0.003"}
        ElementTree.SubElement(inertial, "inertia", **turns)
    if base == "free":
        children = {joint.find("child").get("link") for joint in root.findall("joint")}
        top = next(link.get("name") for link in root.findall("link") if link.get("name") not in children)
        ElementTree.SubElement(root, "link", name="the world of mujoco")
        joint = ElementTree.SubElement(root, "joint", name="float", type="floating")
        ElementTree.SubElement(joint, "parent", link="the world of mujoco")
        ElementTree.SubElement(joint, "child", link=top)
    return ElementTree.tostring(root, encoding="unicode")


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("name", URDFS)
def test_mujoco(name, base):
    theirs = mujoco.MjModel.from_xml_string(mujoco_text(name, base))
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model, data = lo.Model(lo.read_urdf(mujoco_text(name, "fixed")).with_base(base)), mujoco.MjData(theirs)
    assert (theirs.nq, theirs.nv) == (model.nq, model.nv)
    q, v, a = states(model)
    given = {"q": q, "v": v, "a": a, "tau": lo.inverse_dynamics(model, q, v, a), "matrix": lo.mass_matrix(model, q)}
    given["jacobian"] = lo.jacobian(model, q, model.body_names[-1], frame="aligned")
    found = {kind: lo.convert(model, x, kind, to="mujoco", q=q, v=v) for kind, x in given.items()}
    for kind, x in given.items():
        assert np.array_equal(lo.convert(model, x, kind, to=theirs, q=q, v=v), found[kind]), kind
        back = lo.convert(model, found[kind], kind, to=theirs, back=True, q=found["q"], v=found["v"])
        assert close(back, x, scale=1.0), kind
    for k in range(len(q)):
        data.qpos[:], data.qvel[:], data.qacc[:] = found["q"][k], found["v"][k], found["a"][k]
        mujoco.mj_inverse(theirs, data)
        assert close(found["tau"][k], data.qfrc_inverse + data.qfrc_passive, scale=1.0)
        assert close(found["jacobian"][k] @ found["v"][k], given["jacobian"][k] @ v[k], scale=1.0)
        M = np.zeros((model.nv, model.nv))
        full_mass(theirs, data, M)
        assert close(found["matrix"][k], M)
