"""Where the bodies of a Description are, from its definition alone: pose = placement * J_1(q_1) * J_2(q_2) * ..."""

import numpy as np
from scipy.spatial.transform import Rotation


def shift(vector):
    pose = np.eye(4)
    pose[:3, 3] = vector
    return pose


def turn(rotation: Rotation):
    pose = np.eye(4)
    pose[:3, :3] = rotation.as_matrix()
    return pose


def motion(joint, q):
    """The motion of a joint by its coordinates."""
    axis, anchor = np.asarray(joint.axis, dtype=float) if not isinstance(joint.axis, str) else None, np.array(joint.anchor)
    if joint.kind == "revolute":
        return shift(anchor) @ turn(Rotation.from_rotvec(axis * (q - joint.reference))) @ shift(-anchor)
    if joint.kind == "prismatic":
        return shift(axis * (q - joint.reference))
    if joint.kind == "spherical":
        return shift(anchor) @ turn(Rotation.from_quat(q)) @ shift(-anchor)
    assert joint.kind == "free"
    return shift(q[:3]) @ turn(Rotation.from_quat(q[3:]))


def body_poses(description, q):
    """{body: pose in the world} for q = {joint: coordinates}."""
    poses = {None: np.eye(4)}
    for body in description.bodies:
        pose = poses[body.parent] @ body.placement
        for joint in body.moving:
            pose = pose @ motion(joint, q[joint.name])
        poses[body.name] = pose
    return {name: pose for name, pose in poses.items() if name is not None}


def random_coordinates(description, rng):
    """Random coordinates for every joint."""
    q = {}
    for joint in (joint for body in description.bodies for joint in body.moving):
        quaternion = rng.normal(size=4)
        quaternion /= np.linalg.norm(quaternion)
        if joint.kind in ("revolute", "prismatic"):
            q[joint.name] = rng.uniform(-2, 2)
        else:
            q[joint.name] = quaternion if joint.kind == "spherical" else np.concatenate([rng.uniform(-2, 2, 3), quaternion])
    return q
