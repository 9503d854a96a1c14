"""Numbers of a model as parameters: names, values, and the way from them to the packed constants that kernels read.

A body with mass m, center c and moment I about the center, whose frame has the pose (R, o) in the packed frame that carries it,
enters the constants of its carrier, with c' = R c + o, by

    m ,    m c' ,    R P R^T + m c' c'^T         with P = tr(I)/2 1 - I                                  (1)

summed over all bodies that it carries. The displacement x of a body in its parent, whose frame is turned by R_p in its own
carrier, is R_p x more in the displacement of the packed joint                                           (2)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from locomote.errors import UnknownName
from locomote.model import columns as col
from locomote.model.description import Deformation
from locomote.model.grouping import group
from locomote.model.model import Model
from locomote.model.packing import per_coordinate, ten_numbers
from locomote.spatial.inertia import Inertia
from locomote.symbolic.functions import Passive, times
from locomote.symbolic.plain import boxed

UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
OF_BODY = ("mass", "center", "inertia")
OF_JOINT = ("stiffness", "rest", "damping")


def known_parameters(model: Model) -> dict[str, np.ndarray]:
    """Every parameter that a model has, by name, with its values.

    BODY.mass (1), BODY.center (3) center of mass, BODY.inertia (6) xx xy xz yy yz zz about it, in the body frame;
    JOINT.origin (3) displacement of the joint's body in its parent; JOINT.stiffness, .rest, .damping (one for each coordinate
    of v); gravity (3)
    """
    known = {"gravity": np.array(model.gravity)}
    for name in model.body_names:
        inertia = model.body(name).body.inertia or Inertia(0.0)
        moment = np.array([inertia.moment[place] for place in UPPER])
        values = (np.array([inertia.mass]), np.array(inertia.com), moment)
        known |= {f"{name}.{what}": value for what, value in zip(OF_BODY, values, strict=True)}
    for name in model.joint_names:
        view = model.joint(name)
        if isinstance(view.joint, Deformation):
            continue
        if model.body(view.body).joints[0] == name:
            known[f"{name}.origin"] = model.body(view.body).body.placement[:3, 3].copy()
        for what in OF_JOINT if not view.coupled else ():
            known[f"{name}.{what}"] = per_coordinate(getattr(view.joint, what), view.joint.sizes[1])
    return known


@dataclass(frozen=True)
class Parameters:
    """Some numbers of a model as one vector."""

    model: Model
    names: tuple[str, ...]

    @classmethod
    def of(cls, model: Model, names: Sequence[str]) -> "Parameters":
        """By name, each once."""
        names = (names,) if isinstance(names, str) else tuple(names)
        known = known_parameters(model)
        for name in names:
            if name not in known:
                raise UnknownName("parameter", name, known, f"model {model.name!r}")
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"parameter {twice!r} is named twice")
        return cls(model, names)

    @cached_property
    def defaults(self) -> dict[str, np.ndarray]:
        """Values of the model by name."""
        known = known_parameters(self.model)
        return {name: known[name] for name in self.names}

    @cached_property
    def slots(self) -> dict[str, slice]:
        """Where in the vector each one stands."""
        ends = np.cumsum([len(value) for value in self.defaults.values()])
        return {name: slice(int(end) - len(self.defaults[name]), int(end)) for name, end in zip(self.names, ends, strict=True)}

    @property
    def values(self) -> np.ndarray:
        """The vector of the model's own values."""
        return np.concatenate([np.zeros(0), *self.defaults.values()])

    def vector(self, changes: dict) -> np.ndarray:
        """The vector with some values changed, by name."""
        values = self.values
        for name, value in changes.items():
            if name not in self.slots:
                raise UnknownName("parameter", name, self.names, "this vector of parameters")
            values[self.slots[name]] = value
        return values

    def constants(self, p: np.ndarray) -> np.ndarray:
        """Packed constants of the uncoupled model, of objects, for a vector of numbers of any kind."""
        packed = self.model.unfolded.constants.astype(object)
        given = {name: p[place] for name, place in self.slots.items()}
        for name in {name.rpartition(".")[0] for name in self.names if name.rpartition(".")[2] in OF_BODY}:
            carrier = self.model.carrier[self.model.body_index(name)]
            if carrier < len(packed) - 1:
                packed[carrier, col.MASS : col.MASS + col.INERTIA_WIDTH] = self._inertia(carrier, given)
        for name, value in given.items():
            owner, _, what = name.rpartition(".")
            if name == "gravity":
                packed[-1, col.GRAVITY : col.GRAVITY + 3] = value
            elif what == "origin":
                row = self._row(owner)
                packed[row, col.DISPLACEMENT : col.DISPLACEMENT + 3] = self._displacement(owner, value)  # (2)
        group(self.model.unfolded.topology, packed)
        return packed

    def inertias(self, p: np.ndarray) -> np.ndarray:
        """Inertias of named bodies in their own frames, as `Model.named` has them."""
        result = self.model.named[1].astype(object)
        given = {name: p[place] for name, place in self.slots.items()}
        for name in {name.rpartition(".")[0] for name in self.names if name.rpartition(".")[2] in OF_BODY}:
            own = self._own(name, given, np.eye(4))
            result[self.model.body_index(name), col.MASS : col.MASS + col.INERTIA_WIDTH] = own
        return result

    def passive(self, p: np.ndarray) -> Passive:
        """Springs and dampers of the joints for a vector of numbers of any kind."""
        result = Passive.of(self.model)
        for name, place in self.slots.items():
            owner, _, what = name.rpartition(".")
            if what in Passive._fields:
                getattr(result, what)[self.model.joint(owner).v] = p[place]
        return result

    def _row(self, joint: str) -> int:
        """The packed body of a joint, the first if it has several."""
        return int(np.flatnonzero(self.model.topology[:-1, col.V] == self.model.unfolded.joint(joint).v.start)[0])

    def _inertia(self, carrier: int, given: dict[str, np.ndarray]) -> np.ndarray:
        """(10,) mass, first and second moment of all that a packed body carries, equation (1)."""
        flexible = self.model.unfolded.flexible
        total = boxed([0.0] * 10 if flexible is None else flexible.own_inertia(carrier).tolist())
        for k in np.flatnonzero(self.model.carrier == carrier):
            total = total + self._own(self.model.body_names[k], given, self.model.placement[k])
        return total

    def _own(self, name: str, given: dict[str, np.ndarray], place: np.ndarray) -> np.ndarray:
        """(10,) those of one named body, seen from a frame in which it has the pose `place`."""
        inertia = self.model.body(name).body.inertia or Inertia(0.0)
        if not any(f"{name}.{what}" in given for what in OF_BODY):
            return boxed(ten_numbers([inertia], place[None])[0].tolist())
        mass = given.get(f"{name}.mass", boxed([inertia.mass]))[0]
        center = given.get(f"{name}.center", boxed(inertia.com.tolist()))
        moment = given.get(f"{name}.inertia", boxed([float(inertia.moment[at]) for at in UPPER]))
        return moved_inertia(mass, center, moment, place)

    def _displacement(self, joint: str, origin: np.ndarray) -> np.ndarray:
        """Displacement of a packed joint for that of its body in the parent, equation (2)."""
        body = self.model.body(self.model.joint(joint).body)
        turn = np.eye(3) if body.parent is None else self.model.placement[self.model.body_index(body.parent)][:3, :3]
        packed = self.model.unfolded.constants[self._row(joint), col.DISPLACEMENT : col.DISPLACEMENT + 3]
        rest = packed - turn @ body.body.placement[:3, 3]
        return times(turn, origin) + boxed(np.where(abs(rest) < 1e-15 * abs(packed).max(), 0.0, rest).tolist())


def moved_inertia(mass, center: np.ndarray, moment: np.ndarray, place: np.ndarray) -> np.ndarray:
    """(10,) mass, first and second moment about the origin of an outer frame, in which the body frame has the pose `place`."""
    turn = place[:3, :3]
    c = times(turn, center) + boxed(place[:3, 3].tolist())
    xx, xy, xz, yy, yz, zz = moment
    half = 0.5 * (xx + yy + zz)
    inner = boxed([half - xx, -xy, -xz, -xy, half - yy, -yz, -xz, -yz, half - zz]).reshape(3, 3)
    turned = times(turn, times(turn, inner).T)
    second = [turned[i, j] + mass * (c[i] * c[j]) for i, j in UPPER]
    return boxed([mass, *(mass * x for x in c), *second])
