"""Models in code, body by body."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from locomote.errors import ModelError, UnknownName
from locomote.model.check import gravity_fault
from locomote.model.check_joints import numbers
from locomote.model.description import Body, Collision, Coupling, Description, Joint, Visual
from locomote.model.flexible.modes import Modes
from locomote.model.flexible.rods import Rod
from locomote.model.model import Model, checked_model
from locomote.spatial.inertia import Inertia
from locomote.spatial.numbers import as_numbers, several


def placed(at: Any) -> np.ndarray:
    """A (4, 4) pose from a pose, or from three numbers (displacement only)."""
    at = as_numbers(at, "a place", "(3,) or (4, 4)")
    if at.shape == (4, 4):
        return at
    if at.shape == (3,):
        pose = np.eye(4)
        pose[:3, 3] = at
        return pose
    raise ValueError(f"a place is three numbers (m) or a (4, 4) pose, not an array of shape {at.shape}")


def listed(parts: Any, kind: type, label: str) -> tuple:
    """One part or several of a kind, as a tuple."""
    parts = (parts,) if isinstance(parts, kind) else parts
    if not isinstance(parts, (list, tuple)) or not all(isinstance(part, kind) for part in parts):
        raise ValueError(f"{label} must be a lo.{kind.__name__}, a list of them, or () for none, not {parts!r:.60}")
    return tuple(parts)


class Builder:
    """Collects bodies and joints; `build()` makes the Model.

    base : how the first body moves in the world: fixed, free, planar (x, y and the turn about z), x, xy, xyz, rotation
    gravity : m/s^2

    >>> model = (
    ...     Builder("pendulum")
    ...     .body("support")
    ...     .body("rod", parent="support", joint=Joint("pivot", axis="y"), inertia=Inertia(1.0, com=(0, 0, -0.5)))
    ...     .build()
    ... )
    """

    def __init__(self, name: str, *, base: str = "fixed", gravity=(0.0, 0.0, -9.81)):
        if not numbers(gravity, (3,)):
            raise ModelError(f"builder {name!r}", gravity_fault(gravity))
        x, y, z = gravity
        self._name, self._base, self._gravity = name, base, (float(x), float(y), float(z))
        self._bodies: list[Body] = []
        self._names: dict[str, None] = {}  # a set in order, to find parents in
        self._couplings: list[Coupling] = []

    def __repr__(self) -> str:
        return f"<Builder {self._name!r}: {len(self._bodies)} bodies>"

    @classmethod
    def of(cls, model: Model) -> "Builder":
        """A builder that already holds all of a model."""
        builder = cls(checked_model(model).name, gravity=model.gravity)
        builder._bodies = list(model.description.bodies)
        builder._names = dict.fromkeys(model.body_names)
        builder._couplings = list(model.description.couplings)
        return builder

    def body(
        self,
        name: str,
        *,
        parent: str | None = None,
        joint: Joint | list[Joint] | tuple[Joint, ...] = (),
        at: Any = (0.0, 0.0, 0.0),
        inertia: Inertia | None = None,
        added_inertia: Any = None,
        visuals: list[Visual] | tuple[Visual, ...] = (),
        flex: Rod | Modes | None = None,
        along: float | None = None,
        collisions: list[Collision] | tuple[Collision, ...] = (),
    ) -> "Builder":
        """Add a body.

        parent : name of a body that is there already; None hangs it on the world
        joint : how it moves on its parent; several act one after the other; none fixes it
        at : place on the parent when all joints are at zero: three numbers (m) or a (4, 4) pose
        inertia : None for a frame without mass
        flex : a lo.Rod that the body is, from its frame along x, or lo.rods.Modes; its coordinates have the name of the body
        along : where on a parent that is a rod, X in m; its tip if None. `at` is then a place on that section. The number of a
            node if the parent is a modal body
        collisions : lo.Collision of the shapes with which it touches the ground and others
        """
        if not isinstance(name, str):
            raise ValueError(f"the name of a body must be a text, not {name!r:.60}")
        if parent is not None and (not isinstance(parent, str) or parent not in self._names):
            raise UnknownName("body", parent, self._names, f"builder {self._name!r}")
        joints, shapes = listed(joint, Joint, f"joint of body {name!r}"), listed(visuals, Visual, f"visuals of body {name!r}")
        added = None if added_inertia is None else np.array(as_numbers(added_inertia, "added_inertia", "(6, 6)"))
        section = None if along is None else several(along, 1, f"along of body {name!r}")[0]
        touching = listed(collisions, Collision, f"collisions of body {name!r}")
        self._bodies.append(Body(name, parent, placed(at), joints, inertia, added, shapes, flex, section, touching))
        self._names[name] = None
        return self

    def couple(self, joint: str, ratios: dict[str, float], *, offset: float = 0.0) -> "Builder":
        """Make a joint follow others: q_joint = offset + sum of ratio times q_other."""
        if not isinstance(ratios, Mapping):
            raise ValueError(f"ratios of joint {joint!r} must be a table such as {{'knee': -1.0}}, not {ratios!r:.60}")
        pairs = tuple((name, several(ratio, 1, f"ratio to joint {name!r}")[0]) for name, ratio in ratios.items())
        self._couplings.append(Coupling(joint, pairs, several(offset, 1, f"offset of joint {joint!r}")[0]))
        return self

    def build(self) -> Model:
        """The Model; raises ModelError with all faults."""
        description = Description(self._name, tuple(self._bodies), tuple(self._couplings), self._gravity)
        return Model(description.with_base(self._base))
