"""A model with other numbers and the same structure, by packing anew only what they enter.

Inertias, gravity, springs, dampers, friction, armature and limits of joints stand in few places of the packed arrays; what
else is said of bodies and joints (places, axes, flexible bodies, couplings) is packed as a whole.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from locomote.errors import ModelError
from locomote.model import columns as col
from locomote.model.check import gravity_fault, inertia_faults
from locomote.model.check_joints import joint_faults, numbers
from locomote.model.description import PER_COORDINATE, Body, Description, Joint
from locomote.model.grouping import group
from locomote.model.model import Model, frozen
from locomote.model.packing import Packed, ten_numbers
from locomote.spatial.inertia import Inertia

LIMITS = ("lower", "upper")
SPRUNG = ("stiffness", "rest", "damping", "friction")
GEOMETRY = ("kind", "axis", "axis2", "sequence", "pitch", "anchor", "reference")
INERTIA = slice(col.MASS, col.MASS + col.INERTIA_WIDTH)
STALE = ("digest", "unfolded", "named", "_others", "_changed")  # what a model remembers of its numbers


def renumbered(model: Model, description: Description) -> Model:
    """The model of a description that differs from that of a model in numbers only; a ModelError says what cannot be."""
    old = model.description
    pairs = [(a, b) for a, b in zip(old.bodies, description.bodies, strict=True) if a is not b]
    same = description.couplings is old.couplings and model.coupling is None and model.flexible is None
    if not same or not all(is_simple(a, b) for a, b in pairs):
        return Model(description)
    heavy = [(a, b) for a, b in pairs if a.inertia is not b.inertia]
    moved = [y for a, b in pairs for x, y in zip(a.joints, b.joints, strict=True) if x is not y and any(y.sizes)]
    turned = description.gravity is not old.gravity
    refuse_faults(description, heavy, moved, turned)
    made = copied(model, description, {a.name: b for a, b in pairs})
    if not all(only_mass(a.inertia, b.inertia) for a, b in heavy):
        made.__dict__["_moments"] = {}
    constants = model._constants.copy() if heavy or moved or turned else model._constants
    if heavy:
        put_inertias(made, constants, [b for _, b in heavy])
    for joint in moved:
        put_joint(made, constants, joint)
    if turned:
        constants[-1, col.GRAVITY : col.GRAVITY + 3] = description.gravity
        made.__dict__["gravity"] = frozen(description.gravity)
    fill(made, constants, model, bool(moved))
    return made


def is_simple(old: Body, new: Body) -> bool:
    """Whether a body differs from an old one only in what stands in few places."""
    whole = all(getattr(old, name) is getattr(new, name) for name in ("parent", "flex", "along"))
    arrays = all(same_array(getattr(old, name), getattr(new, name)) for name in ("placement", "added_inertia"))
    return whole and arrays and same_zeros(old.inertia, new.inertia) and all(map(same_geometry, old.joints, new.joints))


def same_zeros(old: Inertia | None, new: Inertia | None) -> bool:
    """Whether mass and moment are zero where they were: what has none may not be able to move."""
    if old is None or new is None or old is new:
        return old is new
    if only_mass(old, new):
        return True
    return (old.mass == 0.0) == (new.mass == 0.0) and old.moment.any() == new.moment.any()


def same_array(old: np.ndarray | None, new: np.ndarray | None) -> bool:
    """Whether two arrays, or none, are equal."""
    return old is new or (old is not None and new is not None and old.tobytes() == new.tobytes())


def same_geometry(old: Joint, new: Joint) -> bool:
    """Whether a joint moves as the old one does."""
    if old is new:
        return True
    pairs = ((getattr(old, name), getattr(new, name)) for name in GEOMETRY)
    return all(a is b or np.array_equal(a, b) for a, b in pairs) and (np.any(old.armature) == np.any(new.armature)).item()


def refuse_faults(description: Description, heavy: Sequence[tuple[Body, Body]], joints: Sequence[Joint], turned: bool) -> None:
    """A ModelError that lists all faults of the bodies (as they were, as they are), joints and gravity that changed."""
    whole = tuple(b for a, b in heavy if not only_mass(a.inertia, b.inertia))
    faults = inertia_faults(replace(description, bodies=whole)) if whole else []
    faults += [f"joint {joint.name!r}: {fault}" for joint in joints for fault in joint_faults(joint)]
    if turned and not numbers(description.gravity, (3,)):
        faults.append(gravity_fault(description.gravity))
    if faults:
        raise ModelError(description.source or f"model {description.name!r}", faults)


def only_mass(old: Inertia | None, new: Inertia | None) -> bool:
    """Whether inertias differ in their mass alone, and that is one: no moment of inertia forbids it."""
    if old is None or new is None or not (old.mass > 0.0 and new.mass > 0.0):
        return False
    return same_array(old.com, new.com) and same_array(old.moment, new.moment)


def copied(model: Model, description: Description, changed: dict[str, Body]) -> Model:
    """A model that shares all with another but its description, and what that one remembers of its numbers."""
    made = object.__new__(Model)
    memory = made.__dict__
    model.__dict__.setdefault("_moments", {})
    memory.update(model.__dict__)
    for name in STALE:
        memory.pop(name, None)
    ordered = tuple(changed.get(body.name, body) for body in model._ordered)
    memory.update(description=description, _ordered=ordered)
    return made


def put_inertias(made: Model, constants: np.ndarray, heavy: Sequence[Body]) -> None:
    """Inertias of bodies into the rows of those that carry them, and into those of the named bodies."""
    own, bodies, carrier = [made._bodies[body.name] for body in heavy], made._ordered, made.carrier.tolist()
    rows = {carrier[k] for k in own} - {len(constants) - 1}  # the world has none
    for row in rows:
        constants[row, INERTIA] = 0.0
    for k, row in enumerate(carrier):
        if row in rows and bodies[k].inertia is not None:
            constants[row, INERTIA] += ten_of(made, k, True)
    group(made._topology, constants)
    made.__dict__["_changed"] = {k: ten_of(made, k, False) for k in own}
    made.__dict__["mass"] = sum(body.inertia.mass for body in bodies if body.inertia is not None)


def ten_of(made: Model, k: int, carried: bool) -> list[float]:
    """`ten_numbers` of a body in the frame of its carrier, or in its own; all but the mass is remembered."""
    memory, inertia = made.__dict__["_moments"], made._ordered[k].inertia
    assert inertia is not None
    if (k, carried) not in memory:
        pose = made.placement[k : k + 1] if carried else np.eye(4)[None]
        center = (pose[0, :3, :3] @ inertia.com + pose[0, :3, 3]).tolist()
        memory[k, carried] = center, ten_numbers([replace(inertia, mass=0.0)], pose)[0, 4:].tolist()
    m, ((x, y, z), (xx, xy, xz, yy, yz, zz)) = inertia.mass, memory[k, carried]
    a, b, c = m * x, m * y, m * z
    return [m, a, b, c, xx + a * x, xy + a * y, xz + a * z, yy + b * y, yz + b * z, zz + c * z]


def put_joint(made: Model, constants: np.ndarray, joint: Joint) -> None:
    """What a joint says of its coordinates."""
    memory = made.__dict__
    view = replace(made._joints[joint.name], joint=joint)
    memory["_joints"] = {**made._joints, joint.name: view}
    for name in (*PER_COORDINATE, *LIMITS):
        memory.pop(name, None)
    armature = np.broadcast_to(np.asarray(joint.armature, float), (joint.sizes[1],))
    for row, (start, count) in enumerate(made._topology[:-1, col.V : col.V_COUNT + 1].tolist()):
        first, end = max(start, view.v.start), min(start + count, view.v.stop)
        if first < end:
            place = col.ARMATURE + first - start
            constants[row, place : place + end - first] = armature[first - view.v.start : end - view.v.start]


def fill(made: Model, constants: np.ndarray, model: Model, sprung: bool) -> None:
    """Where kernels look."""
    put, memory = object.__setattr__, made.__dict__
    seen = constants.view()
    seen.flags.writeable = False
    packed = object.__new__(Packed)
    packed.__dict__.update(model._packed.__dict__, constants=constants)
    memory.update(_constants=constants, constants=seen, _packed=packed)
    changed = memory.pop("_changed", {})
    parents, inertias = model.named
    if changed:
        inertias = inertias.copy()
        for k, row in changed.items():
            inertias[k, INERTIA] = row
    memory["named"] = parents, inertias
    tree = made._topology, constants
    springs = model._sprung_tree[-1] if model._sprung_tree else None
    if sprung:
        springs = np.array([getattr(made, name) for name in SPRUNG])
    for name, own in (
        ("_tree", tree), ("_plain_tree", tree if made.plain else None), ("_framed_tree", (*tree, *model.frames)),
        ("_named_tree", (*tree, *model.frames, parents, inertias)), ("_sprung_tree", (*tree, springs)),
    ):  # fmt: skip
        put(made, name, own)
