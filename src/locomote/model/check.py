"""Whether a Description can be a Model; every fault is found and said at once."""

import numpy as np

from locomote.errors import ModelError, UnknownName
from locomote.model.check_joints import joint_faults, numbers
from locomote.model.description import Body, Collision, Coupling, Description, Joint, Visual
from locomote.model.flexible.modes import Modes
from locomote.model.flexible.rods import Rod
from locomote.model.joints import WORDS
from locomote.spatial.inertia import Inertia, faults_of, general_fault

POSE_TOLERANCE = 1e-6  # tolerance of rotation matrices
LAST_ROW_TOLERANCE = 1e-8  # tolerance of the row 0, 0, 0, 1 below them


def check(description: Description) -> None:
    """Raise a ModelError that lists all faults, if there are any."""
    if not isinstance(description, Description):
        raise TypeError(f"a Model is made of a lo.Description, not {description!r:.60}; lo.load reads one from a file")
    faults = kind_faults(description)
    if not faults:  # else nothing more can be asked of the parts
        faults += [*tree_faults(description), *coupling_faults(description)]
        faults += [*placement_faults(description.bodies), *inertia_faults(description)]
        faults += rod_faults(description)
        for body in description.bodies:
            for joint in body.joints:
                faults += [f"joint {joint.name!r}: {fault}" for fault in joint_faults(joint)]
    if not numbers(description.gravity, (3,)):
        faults.append(gravity_fault(description.gravity))
    if isinstance(description.bodies, tuple) and not description.bodies:
        faults.append("there is no body")
    if faults:
        raise ModelError(description.source or f"model {description.name!r}", faults)


def gravity_fault(gravity) -> str:
    """The sentence about a gravity that is none."""
    return f"gravity must be three finite numbers, such as (0, 0, -9.81) m/s^2, not {gravity!r:.60}"


def repeated(names) -> list[str]:
    """Names that occur more than once, each once."""
    seen, twice = set(), {}
    for name in names:
        if name in seen:
            twice[name] = None
        seen.add(name)
    return list(twice)


def kind_faults(description: Description) -> list[str]:
    """Parts that are not what they should be: a text where a Joint belongs, and the like."""
    faults = []
    if not isinstance(description.name, str):
        faults.append(f"the name of a model must be a text, not {description.name!r:.60}")
    for label, kind in (("bodies", Body), ("couplings", Coupling)):
        faults += several_faults(getattr(description, label), kind, label)
    if faults:
        return faults
    for body in description.bodies:
        if not isinstance(body.name, str) or not isinstance(body.parent, str | None):
            faults.append(f"name and parent of a body must be texts, not {body.name!r:.60} and {body.parent!r:.60}")
        if not isinstance(body.inertia, Inertia | None):
            faults.append(f"body {body.name!r}: inertia must be a lo.Inertia or None, not {body.inertia!r:.60}")
        if body.flex is not None and not isinstance(body.flex, Rod | Modes):
            faults.append(f"body {body.name!r}: flex must be a lo.Rod, lo.rods.Modes or None, not {body.flex!r:.60}")
        faults += several_faults(body.visuals, Visual, f"body {body.name!r}: visuals")
        faults += several_faults(body.collisions, Collision, f"body {body.name!r}: collisions")
        unsure = several_faults(body.joints, Joint, f"body {body.name!r}: joints")
        faults += unsure or [
            f"the name of a joint must be a text, not {joint.name!r:.60}"
            for joint in body.joints
            if not isinstance(joint.name, str)
        ]
    for coupling in description.couplings:
        pairs = isinstance(coupling.ratios, tuple) and all(isinstance(x, tuple) and len(x) == 2 for x in coupling.ratios)
        if not pairs or not all(isinstance(name, str) for name in (coupling.joint, *(name for name, _ in coupling.ratios))):
            faults.append(
                f"a coupling is of a joint to ((joint, ratio), ...), not of {coupling.joint!r} to {coupling.ratios!r}"
            )
    return faults


def several_faults(parts, kind: type, label: str) -> list[str]:
    """Faults of what should be a tuple of records of one kind."""
    if not isinstance(parts, tuple):
        return [f"{label} must be a tuple of lo.{kind.__name__}, not {parts!r:.60}"]
    return [f"{label} must be a tuple of lo.{kind.__name__}, not of {x!r:.60}" for x in parts if not isinstance(x, kind)]


def tree_faults(description: Description) -> list[str]:
    """Faults of names and of parents."""
    names = [body.name for body in description.bodies]
    joints = [joint.name for body in description.bodies for joint in body.joints]
    moving = [joint.name for body in description.bodies for joint in body.moving]
    faults = [f"two bodies are named {name!r}; names must differ" for name in repeated(names)]
    faults += [f"two joints are named {name!r}; names must differ" for name in repeated(moving)]
    faults += [f"a {kind} has an empty name" for kind, some in (("body", names), ("joint", joints)) if "" in some]
    parent_of = {body.name: body.parent for body in description.bodies}
    for name, parent in parent_of.items():
        if parent is not None and parent not in parent_of:
            faults.append(f"parent of body {name!r}: {UnknownName('body', parent, names, description.name)}")
    on_tree: set[str | None] = {None}
    for start in names:
        path: dict[str, None] = {}
        name: str | None = start
        while name is not None and name not in on_tree and name not in path:
            path[name] = None
            name = parent_of.get(name)
        if name is not None and name in path:
            cycle = list(path)[list(path).index(name) :]
            faults.append(f"bodies hang on each other in a cycle: {' -> '.join([*cycle, name])}")
        on_tree.update(path)
    return faults


def rod_faults(description: Description) -> list[str]:
    """Faults of what hangs on rods, and where."""
    faults, rods = [], {body.name: body.flex for body in description.bodies if body.flex is not None}
    taken = {joint.name for body in description.bodies for joint in body.moving}
    faults += [
        f"the deformation of body {name!r} has its name, which a joint has too; rename one of them"
        for name in rods
        if name in taken
    ]
    for body in description.bodies:
        rod = rods.get(body.parent or "")
        if isinstance(rod, Modes):
            last, x = len(rod.points) - 1, body.along
            if x is None or not numbers(x, ()) or float(x) != int(x) or not 0 <= x <= last:
                faults.append(
                    f"body {body.name!r} hangs on the modal body {body.parent!r}: along must be the number of a node, from 0 "
                    f"to {last}, not {x!r:.40}"
                )
        elif body.along is None:
            continue
        elif rod is None:
            faults.append(f"body {body.name!r}: along = {body.along!r:.40} is for bodies on a rod; {body.parent!r} is none")
        elif not numbers(body.along, ()) or not 0.0 <= float(body.along) <= float(rod.length) * (1 + 1e-12):
            faults.append(
                f"body {body.name!r}: along = {body.along!r:.40} m is not on rod {body.parent!r}, which is {rod.length:g} m "
                f"long; give a number from 0 to that, or None for its tip"
            )
    return faults


def placement_faults(bodies: tuple[Body, ...]) -> list[str]:
    """Faults of the places of bodies on their parents."""
    places = [body.placement for body in bodies]
    if not numbers(places, (len(bodies), 4, 4)):
        wrong = [body for body in bodies if not numbers(body.placement, (4, 4))]
        return [f"body {body.name!r}: placement must be a finite (4, 4) pose, not {body.placement!r:.60}" for body in wrong]
    poses = np.array(places, dtype=float).reshape(-1, 4, 4)
    turn = poses[:, :3, :3]
    crooked = (abs(turn @ turn.transpose(0, 2, 1) - np.eye(3)) > POSE_TOLERANCE).any(axis=(1, 2))
    crooked |= np.linalg.det(turn) < 0
    crooked |= (abs(poses[:, 3] - (0, 0, 0, 1)) > LAST_ROW_TOLERANCE).any(axis=1)
    return [f"body {bodies[k].name!r}: placement is not a pose (rotation and displacement)" for k in np.flatnonzero(crooked)]


def inertia_faults(description: Description) -> list[str]:
    """Faults of the inertias of bodies."""
    lenient = description.lenient
    massive = [body for body in description.bodies if body.inertia and not (lenient and body.inertia.is_usable())]
    faults = zip(massive, faults_of([body.inertia for body in massive if body.inertia]), strict=True)
    watery = [(body, general_fault(body.added_inertia)) for body in description.bodies if body.added_inertia is not None]
    return [f"body {body.name!r} {fault}" for body, fault in (*faults, *watery) if fault]


def coupling_faults(description: Description) -> list[str]:
    """Faults of couplings: unknown joints, and cycles."""
    if not description.couplings:
        return []
    joints = {joint.name: joint for body in description.bodies for joint in body.moving}
    faults = [f"joint {name!r} is coupled twice" for name in repeated(c.joint for c in description.couplings)]
    sources = {}
    for coupling in description.couplings:
        sources[coupling.joint] = [name for name, _ in coupling.ratios]
        for name in (coupling.joint, *sources[coupling.joint]):
            if name not in joints:
                faults.append(f"coupling of {coupling.joint!r}: {UnknownName('joint', name, joints, description.name)}")
            elif (kind := WORDS.get(str(joints[name].kind))) is None or kind.sizes != (1, 1):
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
