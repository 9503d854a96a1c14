"""The keyframes of an MJCF file: states with names."""

import numpy as np

from locomote.formats import forms, poses
from locomote.formats.faults import Faults
from locomote.formats.numbers import numbers
from locomote.formats.xml import Node
from locomote.model.description import Body, Keyframe

MOST = 100_000  # numbers in an attribute


def start_of(bodies: tuple[Body, ...], starts: dict[str, np.ndarray]) -> Keyframe:
    """Where a file puts its joints: at their references, free ones where their bodies stand."""
    q = []
    for joint in (joint for body in bodies for joint in body.moving):
        if joint.kind == "free":
            pose = starts.get(joint.name, np.eye(4))
            q.append((joint.name, (*map(float, pose[:3, 3]), *map(float, forms.to_quaternion(pose[:3, :3])[0]))))
        elif joint.kind == "spherical":
            q.append((joint.name, (0.0, 0.0, 0.0, 1.0)))
        else:
            q.append((joint.name, (float(joint.reference),)))
    return Keyframe("start", tuple(q))


def read_keyframes(root: Node, bodies: tuple[Body, ...], start: Keyframe, faults: Faults) -> tuple[Keyframe, ...]:
    """The keyframes of a file by name; what one does not say is as at the start, and at rest."""
    joints = [joint for body in bodies for joint in body.moving]
    nq, nv = (sum(joint.sizes[k] for joint in joints) for k in range(2))
    found: dict[str, Keyframe] = {}
    for n, node in enumerate(node for section in root.all("keyframe") for node in section.all("key")):
        name = node.get("name") or f"key {n + 1}"
        q = numbers(node, "qpos", nq, faults, ()) if node.get("qpos", "").strip() else ()
        v = numbers(node, "qvel", nv, faults, ()) if node.get("qvel", "").strip() else ()
        controls = numbers(node, "ctrl", (1, MOST), faults, ()) if node.get("ctrl", "").strip() else ()
        if name in found:
            faults.warn(node, f"the second keyframe {name!r} is left out")
            continue
        own_q = _by_joint(joints, q, 0, _quaternion_last) if q else start.q
        found[name] = Keyframe(name, own_q, _by_joint(joints, v, 1, _in_body_axes(own_q)) if v else (), controls)
    return tuple(found.values())


def _by_joint(joints, values, which: int, change) -> tuple:
    """Numbers cut into pieces, one a joint, each changed from MuJoCo's coordinates."""
    result, place = [], 0
    for joint in joints:
        size = joint.sizes[which]
        result.append((joint.name, change(joint, values[place : place + size])))
        place += size
    return tuple(result)


def _quaternion_last(joint, values: tuple[float, ...]) -> tuple[float, ...]:
    """MuJoCo writes w first."""
    if joint.kind not in ("free", "spherical"):
        return values
    *place, w, x, y, z = values
    length = float(np.linalg.norm((w, x, y, z)))
    turn = tuple(value / length for value in (x, y, z, w)) if length > 0 else (0.0, 0.0, 0.0, 1.0)
    return (*place, *turn)


def _in_body_axes(q):
    """MuJoCo gives a free body the velocity of its origin in world axes."""
    turns = {name: values[3:] for name, values in q if len(values) == 7}

    def change(joint, values):
        if joint.kind != "free":
            return values
        linear = poses.from_quaternion(*turns[joint.name]).T @ np.asarray(values[:3])
        return (*map(float, linear), *values[3:])

    return change
