"""What a mechanism is made of, as the user or a file says it: bodies, joints, couplings.

A Description is plain immutable data. `Model` packs it for the kernels. Body frames are the user's frames; every body
hangs on its parent by zero or more joints:

    pose of body in parent  =  placement * J_1(q_1) * J_2(q_2) * ...       J_k turns or shifts about joint k's own anchor

At q = reference (zero if not said otherwise) every J_k is the identity.
"""

import difflib
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.errors import ModelError
from locomote.model.flexible.modes import Modes
from locomote.model.flexible.rods import Rod
from locomote.model.joints import BASES, WORDS
from locomote.spatial.inertia import Inertia

OTHER_BASES = {other: base for base, kind in BASES.items() for other in kind.other_bases}  # what others call them
PER_COORDINATE = ("stiffness", "rest", "damping", "friction", "armature", "velocity_limit", "effort_limit")


@brief
@dataclass(frozen=True)
class Joint:
    """One joint of a body.

    kind : {kinds}
    axis : axis in the body frame, "x", "y", "z" or three numbers; first axis of `universal`; normal of the plane for `planar`,
        whose x and y are then, in the body frame: x and y for "z", y and z for "x", z and x for "y", with the second one
        reversed for the opposite axes; for any other n, the unit vector along e x n and n times that, e being the axis of the
        frame along which n is shortest (the first of equals)
    axis2 : second axis of a kind that has two, in the body frame
    sequence : axes of `euler`, such as "zyx": the first turn is about the first letter, later ones about turned axes
    pitch : advance of `helical` per angle, m/rad
    anchor : point of the body frame that the axis goes through, m
    reference : coordinate value at which the body is where its placement says (one-coordinate joints), rad or m
    stiffness : of its spring, N m/rad or N/m ; rest : where that has no force, rad or m ; damping : N m s/rad or N s/m
    friction : dry, N m or N ; armature : kg m^2 or kg (not of `free` and `planar`; of `spherical` the same about all axes)
    lower, upper : limits of the coordinates of q (joints without a quaternion), rad or m
    velocity_limit : of v, rad/s or m/s ; effort_limit : of tau, N m or N

    Springs, dampers, friction, armature and limits are one value, or one for each coordinate.
    """

    name: str
    kind: str = "revolute"
    axis: Any = "z"
    axis2: Any = "y"
    sequence: str = "zyx"
    pitch: float = 0.0
    anchor: tuple[float, float, float] = (0.0, 0.0, 0.0)
    reference: float = 0.0
    stiffness: Any = 0.0
    rest: Any = 0.0
    damping: Any = 0.0
    friction: Any = 0.0
    armature: Any = 0.0
    lower: Any = -np.inf
    upper: Any = np.inf
    velocity_limit: Any = np.inf
    effort_limit: Any = np.inf

    @property
    def sizes(self) -> tuple[int, int]:
        """How many coordinates the joint has in q and in v."""
        return WORDS[self.kind].sizes


Joint.__doc__ = (Joint.__doc__ or "").format(kinds=", ".join(WORDS))


def keep_arrays(record, *names: str) -> None:
    """Make arrays of a record its own, read-only: a description never changes."""
    for name in names:
        if isinstance(given := getattr(record, name), np.ndarray):
            kept = given.copy()
            kept.flags.writeable = False
            object.__setattr__(record, name, kept)


@brief
@dataclass(frozen=True)
class Deformation(Joint):
    """The deformation of a flexible body, which has coordinates as a joint has; its name is that of the body.

    names : of the coordinates
    """

    names: tuple[str, ...] = ()

    @property
    def sizes(self) -> tuple[int, int]:
        """How many coordinates there are in q and in v."""
        return len(self.names), len(self.names)


@brief
@dataclass(frozen=True)
class Visual:
    """A shape to look at; the dynamics does not know it.

    shape : box (size x y z), sphere (radius), cylinder (radius, length along z), capsule (radius, length along z),
        ellipsoid (three semi-axes), plane (size x y), mesh (scale x y z, file)
    """

    shape: str
    size: tuple[float, ...] = ()
    placement: np.ndarray = field(default_factory=lambda: np.eye(4))
    file: str | None = None
    color: tuple[float, float, float, float] | None = None
    name: str = ""

    def __post_init__(self) -> None:
        keep_arrays(self, "placement")


@brief
@dataclass(frozen=True)
class Collision:
    """A shape with which a body may touch the ground and others (`lo.on_ground`).

    shape, size, placement, file : as those of a lo.Visual; of a mesh its convex hull touches; a "hull" has x, y, z of each
        corner as its size
    body : the body that carries it ; friction : Coulomb's coefficient, None if the file says none
    group, mask : bits; two shapes may touch if a bit of the group of one is in the mask of the other
    """

    shape: str
    size: tuple[float, ...] = ()
    placement: np.ndarray = field(default_factory=lambda: np.eye(4))
    file: str | None = None
    name: str = ""
    body: str = ""
    friction: float | None = None
    group: int = 1
    mask: int = 1

    def __post_init__(self) -> None:
        keep_arrays(self, "placement")

    @property
    def title(self) -> str:
        """The name, or that of the body and the shape."""
        return self.name or f"{self.shape} of {self.body}"


@brief
@dataclass(frozen=True)
class Body:
    """A rigid body, its place on its parent, and the joints between the two (none, or one of the kind "fixed": fixed).

    parent : name of the parent body, None for a root (which then hangs on the world)
    placement : (4, 4) pose of the body in the parent frame when all joints are at their reference
    inertia : mass, center of mass and moment, in the body frame; None for a massless frame
    added_inertia : symmetric (6, 6) matrix over twists (linear, angular) of the body frame, without weight (added mass of
        a fluid), or None
    collisions : shapes with which it touches the ground and others
    flex : a lo.Rod or lo.rods.Modes that the body is, besides its inertia at its frame; None for a rigid body
    along : X of the section that the body hangs on, m, if its parent is a rod, the tip if None; a node of lo.rods.Modes
    """

    name: str
    parent: str | None = None
    placement: np.ndarray = field(default_factory=lambda: np.eye(4))
    joints: tuple[Joint, ...] = ()
    inertia: Inertia | None = None
    added_inertia: np.ndarray | None = None
    visuals: tuple[Visual, ...] = ()
    flex: Rod | Modes | None = None
    along: float | None = None
    collisions: tuple[Collision, ...] = ()

    def __post_init__(self) -> None:
        keep_arrays(self, "placement", "added_inertia")
        if isinstance(self.collisions, tuple) and all(isinstance(x, Collision) for x in self.collisions):
            own = tuple(x if x.body == self.name else replace(x, body=self.name) for x in self.collisions)
            object.__setattr__(self, "collisions", own)

    @property
    def moving(self) -> tuple[Joint, ...]:
        """The joints that have coordinates. A fixed one only keeps the name that a file has for it."""
        return tuple(joint for joint in self.joints if joint.kind != "fixed")


@brief
@dataclass(frozen=True)
class Coupling:
    """The coordinate of a one-coordinate joint as a linear function of others: q_joint = offset + sum(ratio * q_other)."""

    joint: str
    ratios: tuple[tuple[str, float], ...]
    offset: float = 0.0


@brief
@dataclass(frozen=True)
class Keyframe:
    """A state with a name that a file keeps: coordinates of q and of v by joint, and what its motors are told there.

    q, v : ((joint, numbers), ...) ; controls : one for each motor, empty if not said
    """

    name: str
    q: tuple[tuple[str, tuple[float, ...]], ...]
    v: tuple[tuple[str, tuple[float, ...]], ...] = ()
    controls: tuple[float, ...] = ()


@brief
@dataclass(frozen=True)
class Description:
    """A whole mechanism: bodies parents first, couplings, gravity (m/s^2), and where it came from.

    lenient : take inertias that no real body can have, as long as they can be computed with; readers of files, which often
        contain such, warn about them instead
    keyframes : states with names that a file keeps
    apart : pairs of bodies that never touch each other, as a file says
    """

    name: str
    bodies: tuple[Body, ...]
    couplings: tuple[Coupling, ...] = ()
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    source: str = ""
    warnings: tuple[str, ...] = ()
    lenient: bool = False
    keyframes: tuple[Keyframe, ...] = ()
    apart: tuple[tuple[str, str], ...] = ()

    def with_base(self, base: str) -> "Description":
        """The same mechanism with its only root body moving as `base` says (one of `joints.BASES`)."""
        roots = [body for body in self.bodies if body.parent is None]
        if base not in BASES:
            plain = str(base).lower().translate(dict.fromkeys(map(ord, "-_ ")))
            meant = OTHER_BASES.get(plain) or next(iter(difflib.get_close_matches(plain, BASES, n=1)), None)
            advice = f"did you mean {meant!r}? known" if meant else "known"
            raise ModelError(self.name, f"unknown base {base!r}; {advice}: {', '.join(BASES)}")
        if base == "fixed":
            return self
        if len(roots) != 1:
            names = ", ".join(repr(body.name) for body in roots[:4])
            raise ModelError(self.name, f"base={base!r} needs one root body, this has {len(roots)}: {names}")
        if roots[0].moving:
            raise ModelError(
                self.name,
                f"root body {roots[0].name!r} already moves by joint {roots[0].moving[0].name!r}; "
                f"load it with base='fixed' to keep that joint as the base",
            )
        taken = {joint.name for body in self.bodies for joint in body.moving}
        name = next(name for name in ("base", "base_joint", "base joint of locomote") if name not in taken)
        moving = replace(roots[0], joints=(Joint(name, BASES[base].name),))
        return replace(self, bodies=tuple(moving if body is roots[0] else body for body in self.bodies))
