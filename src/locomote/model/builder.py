"""Models in code, body by body."""

from typing import Any

import numpy as np

from locomote.errors import UnknownName
from locomote.model.description import Body, Coupling, Description, Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia


def placed(at: Any) -> np.ndarray:
    """A (4, 4) pose from a pose, or from three numbers (displacement only)."""
    at = np.asarray(at, dtype=float)
    if at.shape == (4, 4):
        return at
    if at.shape == (3,):
        pose = np.eye(4)
        pose[:3, 3] = at
        return pose
    raise ValueError(f"a place is three numbers (m) or a (4, 4) pose, not an array of shape {at.shape}")


class Builder:
    """Collects bodies and joints; `build()` makes the Model.

    base : how the first body moves in the world: fixed, free, planar, x, xy, xyz, rotation
    gravity : m/s^2

    >>> model = (
    ...     Builder("pendulum")
    ...     .body("support")
    ...     .body("rod", parent="support", joint=Joint("pivot", axis="y"), inertia=Inertia(1.0, com=(0, 0, -0.5)))
    ...     .build()
    ... )
    """

    def __init__(self, name: str, *, base: str = "fixed", gravity=(0.0, 0.0, -9.81)):
        self._name, self._base = name, base
        self._gravity: Any = tuple(float(g) for g in gravity)  # how many there are is checked by `build`
        self._bodies: list[Body] = []
        self._couplings: list[Coupling] = []

    @classmethod
    def of(cls, model: Model) -> "Builder":
        """A builder that already holds all of a model."""
        builder = cls(model.name, gravity=model.gravity)
        builder._bodies = list(model.description.bodies)
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
    ) -> "Builder":
        """Add a body.

        parent : name of a body that is there already; None hangs it on the world
        joint : how it moves on its parent; several act one after the other; none fixes it
        at : place on the parent when all joints are at zero: three numbers (m) or a (4, 4) pose
        inertia : None for a frame without mass
        """
        known = [body.name for body in self._bodies]
        if parent is not None and parent not in known:
            raise UnknownName("body", parent, known, f"builder {self._name!r}")
        joints = (joint,) if isinstance(joint, Joint) else tuple(joint)
        added = None if added_inertia is None else np.array(added_inertia, dtype=float)
        self._bodies.append(Body(name, parent, placed(at), joints, inertia, added, tuple(visuals)))
        return self

    def couple(self, joint: str, ratios: dict[str, float], *, offset: float = 0.0) -> "Builder":
        """Make a joint follow others: q_joint = offset + sum of ratio times q_other."""
        self._couplings.append(Coupling(joint, tuple((name, float(r)) for name, r in ratios.items()), float(offset)))
        return self

    def build(self) -> Model:
        """The Model; raises ModelError with all faults."""
        description = Description(self._name, tuple(self._bodies), tuple(self._couplings), self._gravity)
        return Model(description.with_base(self._base))
