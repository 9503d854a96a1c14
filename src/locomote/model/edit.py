"""Changed models: joints locked, bodies removed or added. Each function returns a new Model."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from locomote.errors import ModelError, UnknownName
from locomote.model.coordinates import UNIT_TOLERANCE
from locomote.model.description import Body, Deformation, Joint
from locomote.model.joints import Q_SIZE, elementary, motion, quaternion_of
from locomote.model.joints.axes import pose
from locomote.model.model import Model, checked_model
from locomote.model.packing import inverse
from locomote.spatial.numbers import as_numbers


def joint_transform(joint: Joint, q) -> np.ndarray:
    """(4, 4) motion of a joint in axes of the body frame, from its coordinates."""
    q, result, start = np.atleast_1d(np.asarray(q, dtype=float)), np.eye(4), 0
    for kind, turn in elementary(joint):
        count = Q_SIZE[kind]
        frame = pose(turn, joint.anchor)
        value = q[start : start + count] - joint.reference
        result = result @ frame @ motion(kind, joint, value) @ inverse(frame)
        start += count
    return result


def lock(model: Model, joints: Mapping[str, object] | list[str] | tuple[str, ...] | str) -> Model:
    """A model with some joints fixed, at given values (mapping) or at their neutral ones (names).

    >>> lock(model, {"elbow": 0.3})
    """
    checked_model(model)
    if isinstance(joints, str):
        joints = [joints]
    if not isinstance(joints, Iterable):
        raise ValueError(f"joints to lock must be a name, a list of names or a table name -> value, not {joints!r:.60}")
    pairs = joints.items() if isinstance(joints, Mapping) else [(name, None) for name in joints]
    neutral = model.unfolded.neutral()
    values = {}
    for name, given in pairs:
        view, full = model.joint(name), model.unfolded.joint(name)
        if view.coupled:
            raise ModelError(model.name, f"joint {name!r} is coupled; lock the joint that it follows")
        if isinstance(view.joint, Deformation):
            raise ModelError(model.name, f"{name!r} is the deformation of a body, which cannot be locked; impose it by a drive")
        given = neutral[full.q] if given is None else given
        value = np.atleast_1d(as_numbers(given, f"value of joint {name!r}", f"({view.joint.sizes[0]},)"))
        if value.shape != (view.joint.sizes[0],) or not np.isfinite(value).all():
            raise ValueError(f"joint {name!r} needs {view.joint.sizes[0]} finite numbers to be locked at, not {given!r}")
        if quaternion_of(view.kind) is not None and abs(np.linalg.norm(value[-4:]) - 1.0) > UNIT_TOLERANCE:
            raise ValueError(
                f"joint {name!r} is to be locked at a quaternion of norm {np.linalg.norm(value[-4:]):.6g}, expected 1"
            )
        values[name] = value
    bodies = []
    for body in model.description.bodies:
        bodies.extend(locked_body(body, values))
    couplings = []
    for c in model.description.couplings:
        offset = c.offset + sum(r * values[n][0] for n, r in c.ratios if n in values)
        couplings.append(replace(c, offset=offset, ratios=tuple((n, r) for n, r in c.ratios if n not in values)))
    return Model(replace(model.description, bodies=tuple(bodies), couplings=tuple(couplings)))


def locked_body(body: Body, values: Mapping[str, np.ndarray]) -> list[Body]:
    """A body with some of its joints fixed; joints before a fixed one go to a massless body in between."""
    parts, placement, kept = [], np.asarray(body.placement, dtype=float), []
    parent = body.parent
    for joint in body.joints:
        if joint.name not in values:
            kept.append(joint)
            continue
        fixed = joint_transform(joint, values[joint.name])
        if kept:
            along = body.along if not parts else None
            parts.append(Body(f"{body.name} before {joint.name}", parent, placement, tuple(kept), along=along))
            parent, placement, kept = parts[-1].name, fixed, []
        else:
            placement = placement @ fixed
    along = None if parts else body.along
    return [*parts, replace(body, parent=parent, placement=placement, joints=tuple(kept), along=along)]


def remove(model: Model, body: str) -> Model:
    """A model without a body and all that hangs on it."""
    if body not in checked_model(model).body_names:
        raise UnknownName("body", body, model.body_names, f"model {model.name!r}")
    gone = {body}
    for name in model.body_names:
        if model.body(name).parent in gone:
            gone.add(name)
    lost = {joint for name in gone for joint in model.body(name).joints}
    for c in model.description.couplings:
        if c.joint not in lost and any(name in lost for name, _ in c.ratios):
            raise ModelError(model.name, f"joint {c.joint!r} follows a joint of removed body {body!r}; remove it too")
    return Model(
        replace(
            model.description,
            bodies=tuple(b for b in model.description.bodies if b.name not in gone),
            couplings=tuple(c for c in model.description.couplings if c.joint not in lost),
        )
    )


def add(model: Model, *bodies: Body) -> Model:
    """A model with more bodies, each on a parent that is there."""
    return Model(replace(checked_model(model).description, bodies=(*model.description.bodies, *bodies)))
