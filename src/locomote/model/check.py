"""Whether a Description can be a Model; every fault is found and said at once."""

import numpy as np

from locomote.errors import ModelError, UnknownName
from locomote.model.description import AXES, JOINT_SIZES, PER_COORDINATE, Body, Description, Joint
from locomote.spatial.inertia import general_fault

POSE_TOLERANCE = 1e-6
NUMBERS_OF_JOINT = ("pitch", "anchor", "reference")


def check(description: Description) -> None:
    """Raise a ModelError that lists all faults, if there are any."""
    faults = [*tree_faults(description), *coupling_faults(description)]
    for body in description.bodies:
        faults += body_faults(body, description.lenient)
        for joint in body.joints:
            faults += [f"joint {joint.name!r}: {fault}" for fault in joint_faults(joint)]
    if not numbers(description.gravity, (3,)):
        faults.append(f"gravity must be three finite numbers, not {description.gravity!r}")
    if not description.bodies:
        faults.append("there is no body")
    if faults:
        raise ModelError(description.source or f"model {description.name!r}", faults)


def numbers(value, shape) -> bool:
    """Whether a value is finite numbers of a shape."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return False
    return array.shape == shape and bool(np.isfinite(array).all())


def repeated(names) -> list[str]:
    """Names that occur more than once, each once."""
    seen, twice = set(), {}
    for name in names:
        if name in seen:
            twice[name] = None
        seen.add(name)
    return list(twice)


def tree_faults(description: Description) -> list[str]:
    """Faults of names and of who hangs on whom."""
    names = [body.name for body in description.bodies]
    joints = [joint.name for body in description.bodies for joint in body.joints]
    faults = [f"two bodies are named {name!r}; names must differ" for name in repeated(names)]
    faults += [f"two joints are named {name!r}; names must differ" for name in repeated(joints)]
    faults += [f"a {kind} has an empty name" for kind, some in (("body", names), ("joint", joints)) if "" in some]
    parent_of = {body.name: body.parent for body in description.bodies}
    for name, parent in parent_of.items():
        if parent is not None and parent not in parent_of:
            faults.append(f"parent of body {name!r}: {UnknownName('body', parent, names, description.name)}")
    on_tree: set[str | None] = {None}
    for start in names:
        path: list[str] = []
        name: str | None = start
        while name is not None and name not in on_tree and name not in path:
            path.append(name)
            name = parent_of.get(name)
        if name is not None and name in path:
            cycle = path[path.index(name) :]
            faults.append(f"bodies hang on each other in a cycle: {' -> '.join([*cycle, name])}")
        on_tree.update(path)
    return faults


def body_faults(body: Body, lenient: bool) -> list[str]:
    """Faults of one body."""
    faults = []
    pose = np.asarray(body.placement, dtype=float)
    if not numbers(pose, (4, 4)):
        faults.append(f"body {body.name!r}: placement must be a finite (4, 4) pose, not of shape {pose.shape}")
    else:
        turn = pose[:3, :3]
        right = np.allclose(turn @ turn.T, np.eye(3), rtol=0, atol=POSE_TOLERANCE) and np.linalg.det(turn) > 0
        if not right or not np.allclose(pose[3], [0, 0, 0, 1]):
            faults.append(f"body {body.name!r}: placement is not a pose (rotation and displacement)")
    if body.inertia is not None and not (lenient and body.inertia.is_usable()) and (fault := body.inertia.fault()):
        faults.append(f"body {body.name!r} {fault}")
    if body.added_inertia is not None and (fault := general_fault(body.added_inertia)):
        faults.append(f"body {body.name!r} {fault}")
    return faults


def joint_faults(joint: Joint) -> list[str]:
    """Faults of one joint."""
    if joint.kind not in JOINT_SIZES:
        return [str(UnknownName("kind of joint", joint.kind, JOINT_SIZES, "the library"))]
    faults = []
    axes = {"axis": joint.axis} | ({"axis2": joint.axis2} if joint.kind == "universal" else {})
    for label, axis in axes.items():
        if isinstance(axis, str):
            if axis not in AXES:
                faults.append(f"{label} must be 'x', 'y', 'z' or three numbers, not {axis!r}")
        elif not numbers(axis, (3,)) or not np.any(np.asarray(axis, dtype=float)):
            faults.append(f"{label} must be three finite numbers that are not all zero, not {axis!r}")
    if joint.kind == "universal" and not faults:
        first, second = (np.array(AXES[a] if isinstance(a, str) else a, dtype=float) for a in axes.values())
        if np.linalg.norm(np.cross(first, second)) < 1e-9 * np.linalg.norm(first) * np.linalg.norm(second):
            faults.append("the two axes of a universal joint are parallel")
    if joint.kind == "euler":
        letters = joint.sequence
        if len(letters) != 3 or set(letters) - set("xyz") or letters[0] == letters[1] or letters[1] == letters[2]:
            faults.append(f"sequence must be three of x, y, z without the same letter twice in a row, not {letters!r}")
    for label in NUMBERS_OF_JOINT:
        if not numbers(getattr(joint, label), (3,) if label == "anchor" else ()):
            faults.append(f"{label} must be finite, not {getattr(joint, label)!r}")
    if joint.reference and joint.sizes[0] != 1:
        faults.append(f"only a joint with one coordinate has a reference, not a {joint.kind} one")
    if joint.kind in ("free", "planar") and np.any(np.asarray(joint.anchor, dtype=float)):
        faults.append(f"a {joint.kind} joint has no anchor; use the placement of the body")
    return faults + coordinate_faults(joint)


def coordinate_faults(joint: Joint) -> list[str]:
    """Faults of what a joint says about each of its coordinates."""
    faults = []
    nq, nv = joint.sizes
    for label in (*PER_COORDINATE, "lower", "upper"):
        count = nq if label in ("lower", "upper") else nv
        try:
            value = np.asarray(getattr(joint, label), dtype=float)
        except (TypeError, ValueError):
            faults.append(f"{label} must be a number, not {getattr(joint, label)!r}")
            continue
        if value.ndim > 1 or (value.ndim == 1 and value.shape != (count,)):
            faults.append(f"{label} must be one number or {count}, not shape {value.shape}")
        elif np.isnan(value).any():
            faults.append(f"{label} is NaN")
        elif label in ("stiffness", "damping", "friction", "armature", "rest") and np.isinf(value).any():
            faults.append(f"{label} is not finite")
        elif label in ("damping", "friction", "armature", "velocity_limit", "effort_limit") and (value < 0).any():
            faults.append(f"{label} must not be negative, but is {getattr(joint, label)!r}")
    if not faults and np.any(np.asarray(joint.lower, dtype=float) > np.asarray(joint.upper, dtype=float)):
        faults.append(f"lower limit {joint.lower!r} is above upper limit {joint.upper!r}")
    return faults


def coupling_faults(description: Description) -> list[str]:
    """Faults of couplings: who is coupled to whom, and whether that ends somewhere."""
    joints = {joint.name: joint for body in description.bodies for joint in body.joints}
    faults = [f"joint {name!r} is coupled twice" for name in repeated(c.joint for c in description.couplings)]
    sources = {}
    for coupling in description.couplings:
        sources[coupling.joint] = [name for name, _ in coupling.ratios]
        for name in (coupling.joint, *sources[coupling.joint]):
            if name not in joints:
                faults.append(f"coupling of {coupling.joint!r}: {UnknownName('joint', name, joints, description.name)}")
            elif joints[name].kind not in JOINT_SIZES or joints[name].sizes != (1, 1):
                faults.append(f"coupling of {coupling.joint!r}: joint {name!r} must have one coordinate")
        if not numbers([ratio for _, ratio in coupling.ratios] + [coupling.offset], (len(coupling.ratios) + 1,)):
            faults.append(f"coupling of {coupling.joint!r}: ratios and offset must be finite numbers")
    settled: set[str] = set(joints) - set(sources)
    pending = dict(sources)
    while ready := [name for name, some in pending.items() if all(s in settled or s not in joints for s in some)]:
        settled.update(ready)
        for name in ready:
            del pending[name]
    if pending:
        faults.append(f"couplings depend on each other in a cycle: {', '.join(repr(name) for name in pending)}")
    return faults
