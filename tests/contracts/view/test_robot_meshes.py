"""Meshes of real robots stand where Pinocchio puts them: corners read by trimesh against those read by assimp for Pinocchio."""

import os
import warnings

import numpy as np
import pinocchio as pin
import pytest
from pinocchio_peer import ROBOTS, URDFS

import locomote as lo
from locomote.view.build import scene_of
from locomote.view.frames import still_frames

EVERYTHING = bool(os.environ.get("LOCOMOTE_ALL_ROBOTS"))  # three minutes
SOME = (
    "anymal_b_simple_description/robots/anymal.urdf", "anymal_c_simple_description", "bolt_description", "double_pendulum_desc",
    "hector_description", "hyq_description", "icub_description/robots/icub.urdf", "kinova_description", "laikago_description",
    "panda_description/urdf/panda.urdf", "pr2_description", "quadruped_description", "romeo_small", "solo12",
    "talos_full_v2.urdf", "tiago_no_hand", "ur5_robot", "xarm_description",
)  # fmt: skip
WITHOUT = {"romeo_description/urdf/romeo_laas_small.urdf"}  # its meshes are not in the package
PACKAGES = [str(ROBOTS.parent.parent), str(ROBOTS)]
TOLERANCE = 2e-4  # m: files hold single precision, and readers join corners that are close


def box(points):
    return np.concatenate([points.min(axis=0), points.max(axis=0)])


def their_boxes(path, model, q):
    """World boxes of all visual meshes, as Pinocchio has them."""
    geometry = pin.buildGeomFromUrdf(model, path, pin.GeometryType.VISUAL, package_dirs=PACKAGES)
    data, places = model.createData(), pin.GeometryData(geometry)
    pin.updateGeometryPlacements(model, data, geometry, places, q)
    boxes = []
    for one, pose in zip(geometry.geometryObjects, places.oMg, strict=True):
        if hasattr(one.geometry, "vertices"):
            corners = np.array(one.geometry.vertices())
            if corners.size:
                boxes.append(box(corners.reshape(-1, 3) @ pose.rotation.T + pose.translation))
    return np.array(boxes)


@pytest.mark.parametrize("name", [n for n in URDFS if n not in WITHOUT and (EVERYTHING or any(s in n for s in SOME))])
def test_meshes_are_where_pinocchio_has_them(name):
    path = str(ROBOTS / name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = lo.load(path, base="free", package_dirs=PACKAGES, mimic=False)
    theirs = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer())
    rng = np.random.default_rng(0)
    q = ours.neutral()
    bent = {joint: 0.3 * rng.normal() for joint in ours.joint_names if ours.joint(joint).kind in ("revolute", "prismatic")}
    for joint, value in bent.items():
        q[ours.joint(joint).q] = value
    p = pin.neutral(theirs)
    for joint, value in bent.items():
        j = theirs.getJointId(joint)
        k, count = theirs.idx_qs[j], theirs.nqs[j]
        p[k : k + count] = [np.cos(value), np.sin(value)] if count == 2 else [value]
    boxes = their_boxes(path, theirs, p)
    scene = scene_of(ours)
    meshes = [visual for body in ours.description.bodies for visual in body.visuals if visual.shape == "mesh"]
    assert not scene.missing and len(boxes) >= len(meshes)
    poses = still_frames(scene, ours, q[None]).poses[0]
    found = {}
    for piece in scene.pieces:
        if piece.layer == "shapes":
            pose = poses[piece.body] @ piece.placement
            corners = piece.mesh.vertices[np.unique(piece.mesh.faces)] @ pose[:3, :3].T + pose[:3, 3]
            found.setdefault((piece.body, piece.name, piece.placement.tobytes()), []).append(box(corners))
    own = [np.concatenate([np.min(some, axis=0)[:3], np.max(some, axis=0)[3:]]) for some in found.values()]
    # several visuals of a body may have the same name and place: then each of theirs is one of the parts
    own += [one for some in found.values() for one in some]
    for one in boxes:
        assert min(abs(np.array(own) - one).max(axis=1)) < TOLERANCE, (name, one)
