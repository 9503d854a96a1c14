"""Where Pinocchio and MuJoCo keep the coordinates of a model: read from their own model, from names, or by how they order them.

Pinocchio's reader of URDF goes through the children of a link by the names of their joints, fixed ones included. MuJoCo keeps
the order of the file, as we do.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from locomote.errors import UnknownName
from locomote.formats.rows import row_of
from locomote.formats.urdf.joint import UNRANGED
from locomote.model.description import Body
from locomote.model.joints import WORDS
from locomote.model.model import Model

PROGRAMS = ("pinocchio", "mujoco")
UNSURE = (
    "some revolute joints of the file have no limits. Pinocchio keeps their angle, but has (cos, sin) of those that are "
    "continuous, and which is which is not known any more; give the pinocchio.Model itself as to="
)
MUJOCO_KINDS = ("free", "spherical", "revolute", "prismatic")
MUJOCO_SIZES = {0: (7, 6), 1: (4, 3), 2: (1, 1), 3: (1, 1)}  # by its number of a kind of joint


class Part(NamedTuple):
    """A joint as other programs know it, and where its coordinates stand in ours."""

    name: str
    kind: str
    q: int
    v: int
    endless: bool  # a turn without limits
    is_base: bool


class Place(NamedTuple):
    """Where a joint stands in another program, and how many numbers it has there."""

    q: int
    v: int
    nq: int
    nv: int


@dataclass(frozen=True)
class OtherLayout:
    """Slots of another program and ours.

    nq, nv : sizes there ; plain : (2, n) places of numbers of q that are the same, here and in the other program
    circles : (2, n) places of angles, and of their cosines, which the sines follow
    quaternions : (2, n) first places of quaternions that have w first there
    order : (nv,) place there of each of our slots of v
    free : (n, 2) where in our q the quaternion and in our v the twist start of free joints that move along world axes there
    """

    program: str
    nq: int
    nv: int
    plain: np.ndarray
    circles: np.ndarray
    quaternions: np.ndarray
    order: np.ndarray
    free: np.ndarray
    unsure: str = ""  # why q may look otherwise there


def other_layout(model: Model, other: Any, joints: Sequence[str] | None) -> OtherLayout:
    """The layout of another program, given by name or by its own model, for a model without couplings."""
    program = program_of(other)
    if isinstance(other, str):
        parts = of_model(model, program)
        named = None if joints is None else listed(parts, joints, model)
        places = in_a_row(parts if named is None else named, program)
        unranged = any(warning.startswith(UNRANGED) for warning in model.description.warnings)
        if program == "pinocchio" and unranged and any(part.endless for part in parts):
            return replace(assembled(model, program, places), unsure=UNSURE)
    else:
        if joints is not None:
            raise ValueError(f"joints= is for a program given by name; a model of {program} has the order of its joints itself")
        theirs = of_pinocchio(other) if program == "pinocchio" else of_mujoco(other)
        parts = of_model(model, program)
        places = matched(parts, theirs, model, program)
    return assembled(model, program, places)


def program_of(other: Any) -> str:
    """pinocchio or mujoco, of a name or of one of their models."""
    if isinstance(other, str):
        if other not in PROGRAMS:
            raise UnknownName("program", other, PROGRAMS, "those that lo.convert knows")
        return other
    package, name = type(other).__module__.split(".")[0], type(other).__name__
    if (package, name) in (("pinocchio", "Model"), ("mujoco", "MjModel")):
        return package
    raise ValueError(f"to must be 'pinocchio', 'mujoco', a pinocchio.Model or a mujoco.MjModel, not {other!r:.60}")


def of_model(model: Model, program: str) -> list[Part]:
    """Our joints as the program knows them, in its order."""
    bodies = by_joint_names(model) if program == "pinocchio" else [model.body(name).body for name in model.body_names]
    taken, parts = {joint.name for body in bodies for joint in body.joints}, []
    for body in bodies:
        for joint in body.joints:
            k = 0
            for row in row_of(joint, taken):
                if program == "mujoco" and row.kind not in MUJOCO_KINDS:
                    raise ValueError(f"MuJoCo has no {row.kind} joint; model {model.name!r} has one: {joint.name!r}")
                view, endless = model.joint(joint.name), row.kind == "revolute" and bool(np.isinf([row.lower, row.upper]).all())
                parts.append(Part(row.name, row.kind, view.q.start + k, view.v.start + k, endless, body.parent is None))
                k += 1
            if program == "mujoco" and joint.kind == "free" and not np.array_equal(body.placement, np.eye(4)):
                raise ValueError(f"a free joint of MuJoCo starts from the world; {joint.name!r} has a placement before it")
    return parts


def by_joint_names(model: Model) -> list[Body]:
    """Bodies depth first, children by the names of the joints that a URDF file has, or would have, above them."""
    children: dict[str | None, list[Body]] = {}
    taken = {joint.name for body in model.description.bodies for joint in body.joints}
    for body in model.description.bodies:
        children.setdefault(body.parent, []).append(body)

    def first(body: Body) -> str:
        rows = [row.name for joint in body.joints for row in row_of(joint, set(taken))]
        return [*rows, *(joint.name for joint in body.joints), f"{body.name} fixed"][0]

    order, pending = [], sorted(children.get(None, []), key=first, reverse=True)
    while pending:
        body = pending.pop()
        order.append(body)
        pending.extend(sorted(children.get(body.name, []), key=first, reverse=True))
    return order


def listed(parts: list[Part], joints: Sequence[str], model: Model) -> list[Part]:
    """Our joints in the order of names that the user gives; one unknown name may stand for the base."""
    names, known = list(joints), {part.name: part for part in parts}
    if not all(isinstance(name, str) for name in names):
        raise ValueError(f"joints must be names of joints in the order of the other program, not {joints!r:.60}")
    strange = [name for name in names if name not in known]
    left = [part for part in parts if part.name not in names]
    if len(strange) == 1 and len(left) == 1 and left[0].is_base:  # each program has its own name for it
        known[strange[0]], left, strange = left[0], [], []
    if strange:
        raise UnknownName("joint", strange[0], [part.name for part in parts], f"model {model.name!r}")
    if left or len(set(names)) < len(names):
        twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
        fault = f"{twice!r} is there twice" if twice else f"{', '.join(repr(part.name) for part in left[:4])} not there"
        raise ValueError(f"joints must have each joint of model {model.name!r} once: {fault}")
    return [known[name] for name in names]


def in_a_row(parts: list[Part], program: str) -> list[tuple[Part, Place]]:
    """Places one after the other."""
    q = v = 0
    result = []
    for part in parts:
        nq, nv = WORDS[part.kind].sizes
        if program == "pinocchio" and (part.endless or part.kind == "planar"):
            nq += 1
        result.append((part, Place(q, v, nq, nv)))
        q, v = q + nq, v + nv
    return result


def of_pinocchio(theirs: Any) -> dict[str, Place]:
    """Joints of a pinocchio.Model by name; the first is the world."""
    found = zip(list(theirs.names)[1:], list(theirs.joints)[1:], strict=True)
    return {str(name): Place(int(j.idx_q), int(j.idx_v), int(j.nq), int(j.nv)) for name, j in found}


def of_mujoco(theirs: Any) -> dict[str, Place]:
    """Joints of a mujoco.MjModel by name; one without a name by its number."""
    found = {}
    for k in range(int(theirs.njnt)):
        sizes = MUJOCO_SIZES[int(theirs.jnt_type[k])]
        found[theirs.joint(k).name or f"joint {k}"] = Place(int(theirs.jnt_qposadr[k]), int(theirs.jnt_dofadr[k]), *sizes)
    return found


def matched(parts: list[Part], theirs: dict[str, Place], model: Model, program: str) -> list[tuple[Part, Place]]:
    """Our joints with places in their model, by names; the base, which each program calls as it likes, by what is left."""
    result = [(part, theirs[part.name]) for part in parts if part.name in theirs]
    ours = [part for part in parts if part.name not in theirs]
    left = {name: place for name, place in theirs.items() if name not in {part.name for part in parts}}
    if len(ours) == 1 and len(left) == 1 and ours[0].is_base:
        result, ours, left = [*result, (ours[0], *left.values())], [], {}
    if ours or left:
        missing = [f"{part.name!r} is not there" for part in ours] + [f"{name!r} is not here" for name in left]
        more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""
        raise ValueError(f"model {model.name!r} and that of {program} have other joints: {', '.join(missing[:4])}{more}")
    for part, place in result:
        nq, nv = WORDS[part.kind].sizes
        circle = program == "pinocchio" and part.kind in ("revolute", "planar")
        if place.nv != nv or place.nq not in ((nq, nq + 1) if circle else (nq,)):
            sizes = f"{place.nq} and {place.nv} numbers in q and v there, {nq} and {nv} here"
            raise ValueError(f"joint {part.name!r} is of another kind in {program}: {sizes} ({part.kind})")
    return result


def assembled(model: Model, program: str, places: list[tuple[Part, Place]]) -> OtherLayout:
    """The places of all numbers."""
    plain, circles, quaternions, free = [], [], [], []
    order = np.full(model.nv, -1)
    for part, place in places:
        nq, nv = WORDS[part.kind].sizes
        order[part.v : part.v + nv] = np.arange(place.v, place.v + nv)
        same = nq
        if place.nq > nq:
            same -= 1
            circles.append((part.q + same, place.q + same))
        elif program == "mujoco" and part.kind in ("free", "spherical"):
            same -= 4
            quaternions.append((part.q + same, place.q + same))
            if part.kind == "free":
                free.append((part.q + same, part.v))
        plain += [(part.q + k, place.q + k) for k in range(same)]
    nq = sum(place.nq for _, place in places)
    tables = [np.array(rows, dtype=int).reshape(-1, 2) for rows in (plain, circles, quaternions, free)]
    plain_places, circle_places, quaternion_places, free_places = tables
    return OtherLayout(program, nq, model.nv, plain_places.T, circle_places.T, quaternion_places.T, order, free_places)
