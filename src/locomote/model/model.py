"""The Model: an immutable mechanism, packed for the kernels, with names for everything."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial

import numpy as np

from locomote.brief import brief
from locomote.errors import ModelError, UnknownName
from locomote.later import later
from locomote.model import columns as col
from locomote.model import moves
from locomote.model.check import check
from locomote.model.coordinates import UNIT_TOLERANCE, Coordinates
from locomote.model.coupling import CouplingMap, coupling_map
from locomote.model.description import Body, Collision, Deformation, Description, Joint
from locomote.model.flexible.packing import Flexible, Tree
from locomote.model.layout import Layout, Slot, slots_of
from locomote.model.packing import Packed, depth_first, own_inertias, pack
from locomote.spatial.numbers import all_finite, as_numbers, generator

MOST = 2**40  # random configurations along one axis


@brief
@dataclass(frozen=True)
class JointView:
    """A joint of a model: where its coordinates stand in q and v (empty for a coupled joint)."""

    name: str
    kind: str
    body: str
    index: int
    q: slice
    v: slice
    coupled: bool
    joint: Joint


@brief
@dataclass(frozen=True)
class BodyView:
    """A named body of a model: its place in arrays over bodies, and its part of the description."""

    name: str
    index: int
    parent: str | None
    mass: float
    joints: tuple[str, ...]
    body: Body


class Model:
    """A mechanism ready for the kernels. It never changes; a changed model is a new model.

    nq, nv : how many numbers q and v have
    body_names, joint_names : in tree order; arrays over bodies follow body_names
    mass : total moving and fixed mass, kg
    gravity : (3,) m/s^2
    lower, upper : (nq,) limits; velocity_limit, effort_limit, stiffness, rest, damping, friction, armature : (nv,)
    warnings : what a reader or the check wants you to know
    """

    # the last ones are where kernels look
    __slots__ = ("__dict__", "__weakref__", "_framed_tree", "_named_tree", "_plain_tree", "_sprung_tree", "_tree")

    name: str
    description: Description
    nq: int
    nv: int
    mass: float
    gravity: np.ndarray
    body_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    warnings: tuple[str, ...]
    coupling: CouplingMap | None
    plain: bool
    _topology: np.ndarray
    _constants: np.ndarray
    # what kernels take: of a model without couplings, of a plain one, with frames of named bodies, with all about these, with
    # springs of joints
    _tree: tuple[np.ndarray, ...] | None
    _plain_tree: tuple[np.ndarray, ...] | None
    _framed_tree: tuple[np.ndarray, ...] | None
    _named_tree: tuple[np.ndarray, ...] | None
    _sprung_tree: tuple[np.ndarray, ...] | None
    topology: np.ndarray
    constants: np.ndarray
    carrier: np.ndarray
    placement: np.ndarray
    _packed: Packed
    flexible: Flexible | None  # None: all bodies are rigid
    _soft: Tree | None
    _strain: np.ndarray | None
    _bodies: dict[str, int]
    _joints: dict[str, JointView]
    _ordered: tuple[Body, ...]

    def __init__(self, description: Description):
        check(description)
        bodies = depth_first(description.bodies)
        packed = pack(description, bodies)
        joints = [(joint, body) for body in bodies for joint in coordinates_of(body, packed)]
        coupling, own_q, own_v = None, packed.joint_q, packed.joint_v
        if description.couplings:
            coupling = coupling_map(description, packed.nq, packed.nv, packed.joint_q, packed.joint_v)
            own_q = renumbered(packed.joint_q, coupling.own_q)
            own_v = renumbered(packed.joint_v, coupling.own_v)
        put = self.__dict__.update
        put(description=description, name=description.name, coupling=coupling, _packed=packed)
        put(_topology=packed.topology, _constants=packed.constants)  # writable, since compiled code takes no other
        put(topology=packed.topology.view(), constants=packed.constants.view())
        put(carrier=packed.carrier, placement=packed.placement)
        put(nq=len(coupling.own_q) if coupling else packed.nq, nv=len(coupling.own_v) if coupling else packed.nv)
        put(body_names=tuple(body.name for body in bodies), joint_names=tuple(joint.name for joint, _ in joints))
        put(_bodies={body.name: k for k, body in enumerate(bodies)}, _ordered=tuple(bodies))
        coupled = {c.joint for c in description.couplings}
        put(
            _joints={
                joint.name: JointView(
                    joint.name, joint.kind, body.name, k, own_q[joint.name], own_v[joint.name], joint.name in coupled, joint
                )
                for k, (joint, body) in enumerate(joints)
            }
        )
        put(plain=coupling is None and packed.constants.shape[1] == col.CONSTANTS_WIDTH)
        put(flexible=packed.flexible, _soft=None, _strain=None)
        if packed.flexible:
            put(_soft=packed.flexible.tree(packed.topology, packed.constants), _strain=packed.flexible.strain())
        rigid = coupling is None and packed.flexible is None
        tree, fill = (packed.topology, packed.constants) if rigid else None, partial(object.__setattr__, self)
        fill("_tree", tree)
        fill("_plain_tree", tree if self.plain else None)
        fill("_framed_tree", (*tree, *self.frames) if tree else None)
        fill("_named_tree", (*tree, *self.frames, *self.named) if tree else None)
        fill("_sprung_tree", (*tree, np.array([self.stiffness, self.rest, self.damping, self.friction])) if tree else None)
        put(gravity=frozen(description.gravity), mass=sum(b.inertia.mass for b in bodies if b.inertia is not None))
        if packed.flexible:
            put(mass=self.mass + float(sum(rod.inertias[:, 0].sum() for rod in packed.flexible.rods.values())))
        put(warnings=(*description.warnings, *massless_warnings(self)))
        for array in (self.topology, self.constants, self.carrier, self.placement):
            array.flags.writeable = False

    def __setattr__(self, name, value):
        raise AttributeError(f"a Model does not change: make a new one instead of setting {name!r} (see Model.edited)")

    def __delattr__(self, name) -> None:
        self.__setattr__(name, None)

    def __reduce__(self):
        return Model, (self.description,)

    def __repr__(self) -> str:
        return f"<Model {self.name!r}: {len(self.body_names)} bodies, nq={self.nq}, nv={self.nv}, {self.mass:.6g} kg>"

    def _repr_html_(self) -> str:
        return later("view.notebook", "of_model")(self)

    def __eq__(self, other) -> bool:
        return isinstance(other, Model) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    @cached_property
    def digest(self) -> str:
        """A name for the contents: equal for equal mechanisms, also in another process."""
        digest = hashlib.sha256()
        arrays = [self.topology, self.constants, self.carrier, self.placement, *self.named, self.lower, self.upper]
        labels = ("stiffness", "rest", "damping", "friction", "velocity_limit", "effort_limit")
        arrays += [getattr(self, label) for label in labels]
        if self.coupling:
            arrays += [self.coupling.q_matrix, self.coupling.offset]
        if self._soft is not None and self._strain is not None:
            arrays += [self._soft.stations, self._soft.basis, self._soft.elastic, self._soft.viscous, self._strain]
        for array in arrays:
            digest.update(str(array.shape).encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        digest.update("\0".join((self.name, *self.body_names, "", *self.joint_names)).encode())
        return digest.hexdigest()

    @cached_property
    def unfolded(self) -> "Model":
        """The same mechanism with all couplings let loose; itself if there are none."""
        return Model(replace(self.description, couplings=())) if self.coupling else self

    @cached_property
    def frames(self) -> tuple[np.ndarray, np.ndarray]:
        """Carrier and placement (12 numbers) of each named body, as kernels read them."""
        return self.carrier.copy(), twelve(self.placement)

    @cached_property
    def named(self) -> tuple[np.ndarray, np.ndarray]:
        """Parent of each named body (-1: the world), and its own inertia in its frame in the columns of `constants`."""
        parents = [-1 if body.parent is None else self._bodies[body.parent] for body in self._ordered]
        return np.array(parents, dtype=np.int64), own_inertias(self._ordered, self.constants.shape[1])

    @cached_property
    def _masks(self) -> dict[tuple[str, ...], np.ndarray]:
        """What functions remember of names of joints: (nv,) ones where a coordinate is of one of them."""
        return {}

    @cached_property
    def _others(self) -> dict:
        """What others remember of this model: layouts of other programs, its base alone."""
        return {}

    @cached_property
    def coordinates(self) -> Coordinates:
        """The manifold of the uncoupled coordinates."""
        return Coordinates.of(self._topology)

    # names

    @property
    def collisions(self) -> tuple[Collision, ...]:
        """Shapes with which bodies touch the ground and others, in tree order."""
        return tuple(shape for body in self._ordered for shape in body.collisions)

    def joint(self, name: str) -> JointView:
        """A joint by name."""
        if not isinstance(name, str) or name not in self._joints:
            raise UnknownName("joint", name, self.joint_names, f"model {self.name!r}")
        return self._joints[name]

    def body(self, name: str | int) -> BodyView:
        """A body by name or place."""
        index = self.body_index(name)
        body = self._ordered[index]
        mass = body.inertia.mass if body.inertia is not None else 0.0
        return BodyView(body.name, index, body.parent, mass, tuple(j.name for j in body.moving), body)

    def body_index(self, body: str | int) -> int:
        """The place of a body, given by name or place, in arrays over bodies."""
        if isinstance(body, str) and body in self._bodies:
            return self._bodies[body]
        if isinstance(body, bool) or not isinstance(body, (int, np.integer)):
            raise UnknownName("body", body, self.body_names, f"model {self.name!r}")
        if not 0 <= body < len(self.body_names):
            raise ValueError(f"body {body} does not exist: model {self.name!r} has {len(self.body_names)} bodies, from 0")
        return int(body)

    def layout(self) -> Layout:
        """Every slot of q and v with its joint, name and unit; print it."""
        return self._layout

    @cached_property
    def _layout(self) -> Layout:
        slots = []
        for vector, which in (("q", 0), ("v", 1)):
            for view in self._joints.values():
                start = (view.q, view.v)[which].start
                if not view.coupled:
                    for k, (name, unit) in enumerate(slots_of(view.joint)[which]):
                        slots.append(Slot(vector, start + k, view.name, view.kind, name, unit))
        notes = []
        for c in self.description.couplings:
            terms = " + ".join([f"{ratio:g} {name}" for name, ratio in c.ratios] + ([f"{c.offset:g}"] if c.offset else []))
            notes.append(f"{c.joint} = {terms} (coupled, no slot)")
        return Layout(tuple(slots), tuple(notes))

    @cached_property
    def _turns(self) -> np.ndarray:
        """(nv,) booleans, the velocities that are rad/s."""
        return np.array([slot.unit.startswith("rad") for slot in self.layout() if slot.vector == "v"], dtype=bool)

    def view(self, q=None, **options):
        """Show the model in the browser at configuration q (nq,), with a slider for each joint; see `lo.view` for options."""
        return later("view.viewer", "view_model")(self, q, **options)

    # limits and passive elements, one number a slot

    def _spread(self, label: str, of_q: bool) -> np.ndarray:
        values = np.zeros(self.nq if of_q else self.nv)
        for view in self._joints.values():
            if not view.coupled:
                values[view.q if of_q else view.v] = getattr(view.joint, label)
        values.flags.writeable = False
        return values

    lower = cached_property(lambda self: self._spread("lower", True))
    upper = cached_property(lambda self: self._spread("upper", True))
    stiffness = cached_property(lambda self: self._spread("stiffness", False))
    rest = cached_property(lambda self: self._spread("rest", False))
    damping = cached_property(lambda self: self._spread("damping", False))
    friction = cached_property(lambda self: self._spread("friction", False))
    armature = cached_property(lambda self: self._spread("armature", False))
    velocity_limit = cached_property(lambda self: self._spread("velocity_limit", False))
    effort_limit = cached_property(lambda self: self._spread("effort_limit", False))

    # configurations

    @cached_property
    def keyframes(self) -> dict[str, np.ndarray]:
        """Name -> q of the postures that the file keeps; joints that one does not name are neutral."""
        return {keyframe.name: at_joints(self, keyframe.q) for keyframe in self.description.keyframes}

    def neutral(self) -> np.ndarray:
        """(nq,) all coordinates zero, rotations the identity."""
        return self._own_q(self.coordinates.neutral())

    def random(self, rng: np.random.Generator | int | None = None, shape: int | tuple[int, ...] = ()) -> np.ndarray:
        """(..., nq) random configurations: within limits, at most pi where there are none, rotations over all rotations."""
        rng = generator(rng, "rng")
        lower, upper = (spread_to(self, x) for x in (self.lower, self.upper))
        if self.flexible:
            lower, upper = lower.copy(), upper.copy()
            for name, rod in self.flexible.rods.items():
                part = self._packed.joint_q[name]
                lower[part], upper[part] = -rod.scale, rod.scale
        shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
        if not all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) and 0 <= n < MOST for n in shape):
            raise ValueError(f"shape must be an integer from 0 or a tuple of such, not {shape!r:.60}")
        return self._own_q(self.coordinates.random(rng, lower, upper, shape))

    def integrate(self, q, dv) -> np.ndarray:
        """(..., nq) where the velocity dv (..., nv), constant in body frames, leads from q in unit time."""
        if (result := moves.INTEGRATE.call(self, q, dv)) is not None:
            return result
        q, dv = self.checked_q(q), self.checked_v(dv, "dv")
        common_lead([q, dv])
        moves.INTEGRATE.prepare(Model)
        result = self.coordinates.integrate(self._full_q(q), self._full_v(dv))
        return self._finite(self._own_q(result), "the configuration that dv leads to")

    def difference(self, q0, q1) -> np.ndarray:
        """(..., nv) the velocity that leads from q0 to q1 in unit time."""
        if (result := moves.DIFFERENCE.call(self, q0, q1)) is not None:
            return result
        q0, q1 = self.checked_q(q0, "q0"), self.checked_q(q1, "q1")
        common_lead([q0, q1])
        moves.DIFFERENCE.prepare(Model)
        result = self.coordinates.difference(self._full_q(q0), self._full_q(q1))
        return self._finite(result[..., self.coupling.own_v] if self.coupling else result, "the difference of q0 and q1")

    def pulled_back(self, away: np.ndarray, force: np.ndarray) -> np.ndarray:
        """(..., nv) force on v of what acts as `force` (..., nv) on a difference `away`; see Coordinates.pulled_back."""
        if self.coupling is None:
            return self.coordinates.pulled_back(away, force)
        full = [np.zeros((*x.shape[:-1], self.coordinates.nv)) for x in (away, force)]
        for target, x in zip(full, (away, force), strict=True):
            target[..., self.coupling.own_v] = x
        return self.coordinates.pulled_back(*full)[..., self.coupling.own_v]

    def normalize(self, q) -> np.ndarray:
        """(..., nq) the same configuration with quaternions of exactly unit length."""
        if (result := moves.NORMALIZE.call(self, q)) is not None:
            return result
        q = self._checked(q, self.nq, "q", "nq")
        moves.NORMALIZE.prepare(Model)
        return self._own_q(self.coordinates.normalized(self._full_q(q), self._quaternion_owner))

    def _finite(self, result, what):
        if not all_finite(result):
            raise FloatingPointError(f"{what} is not finite in model {self.name!r}: values are too large for float64")
        return result

    def _own_q(self, q):
        return q[..., self.coupling.own_q] if self.coupling else q

    def _full_q(self, q):
        return self.coupling.expand_q(q) if self.coupling else q

    def _full_v(self, v):
        return self.coupling.expand_v(v) if self.coupling else v

    # input checks, shared by all functions of the library

    def checked_q(self, q, label: str = "q") -> np.ndarray:
        """q as a float array (..., nq) on the manifold, or an error that says what is wrong with it."""
        q = self._checked(q, self.nq, label, "nq")
        full = self._full_q(q)
        for start in self.coordinates.quaternions:
            norm = np.sqrt((full[..., start : start + 4] ** 2).sum(axis=-1))
            if (abs(norm - 1.0) > UNIT_TOLERANCE).any():
                worst = norm.flat[np.argmax(abs(norm - 1.0))]
                joint = self._quaternion_owner(start)
                own = self.joint(joint).q
                raise ValueError(
                    f"quaternion of joint {joint!r} in {label}[{own.stop - 4}:{own.stop}] has norm {worst:.6g}, "
                    f"expected 1 within {UNIT_TOLERANCE:g}; model.normalize(q) makes it unit"
                )
        return q

    def _quaternion_owner(self, start: int) -> str:
        return next(name for name, s in self._packed.joint_q.items() if s.start <= start < s.stop)

    def checked_v(self, v, label: str = "v") -> np.ndarray:
        """v, an acceleration or a force as a float array (..., nv), or an error that says what is wrong with it."""
        return self._checked(v, self.nv, label, "nv")

    def _checked(self, x, count, label, symbol):
        x = as_numbers(x, label, f"(..., {count})")
        if x.ndim == 0 or x.shape[-1] != count:
            raise ValueError(
                f"{label} has shape {x.shape}, expected (..., {count}): model {self.name!r} has {symbol} = {count}; "
                f"model.layout() lists the slots"
            )
        if not all_finite(x):
            place = tuple(int(k) for k in np.argwhere(~np.isfinite(x))[0])
            raise ValueError(f"{label}[{', '.join(map(str, place))}] is {x[place]}; all values must be finite")
        return x

    # changed copies

    def edited(self, **changes) -> "Model":
        """A new model with fields of the description replaced, such as name or gravity."""
        known = [field.name for field in fields(Description)]
        for name in changes:
            if name not in known:
                raise UnknownName("field", name, known, "lo.Description")
        return Model(replace(self.description, **changes))


def checked_model(model) -> Model:
    """A Model, or an error that says where to get one."""
    if not isinstance(model, Model):
        advice = "lo.load reads one from a file, lo.Builder builds one, a system has one as .model"
        raise TypeError(f"expected a lo.Model, not {model!r:.60}; {advice}")
    return model


def at_joints(model: Model, given: Iterable[tuple[str, Sequence[float]]]) -> np.ndarray:
    """(nq,) of coordinates by joint, neutral elsewhere; joints that are not there, or follow others, are left out."""
    q = model.neutral()
    for name, values in given:
        if name in model.joint_names:
            q[model.joint(name).q] = values
    return model.normalize(q)


def common_lead(arrays) -> tuple[int, ...]:
    """The leading batch shape that arrays (..., n) have in common; a ValueError if they do not fit."""
    shapes = [array.shape[:-1] for array in arrays]
    if all(shape == shapes[0] for shape in shapes):
        return shapes[0]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(f"leading batch dimensions {', '.join(map(str, shapes))} do not fit together") from None


def rigid_model(model: Model, what: str, why: str = "") -> Model:
    """The model, or the error that says that something is for rigid bodies only, and why."""
    if (flexible := checked_model(model).unfolded.flexible) is not None:
        names = ", ".join(repr(name) for name in flexible.rods)
        why = why and f": {why}"
        raise ModelError(model.name, f"{what} does not know flexible bodies, and this model has some ({names}){why}")
    return model


def twelve(poses: np.ndarray) -> np.ndarray:
    """Poses (..., 4, 4) as rotation (row by row) and displacement, (..., 12)."""
    return np.concatenate([poses[..., :3, :3].reshape(*poses.shape[:-2], 9), poses[..., :3, 3]], axis=-1)


def frozen(values) -> np.ndarray:
    """A read-only float array."""
    array = np.array(values, dtype=float)
    array.flags.writeable = False
    return array


def spread_to(model: Model, limits: np.ndarray) -> np.ndarray:
    """Limits of own coordinates as limits of uncoupled ones (dependent ones get none)."""
    if not model.coupling:
        return limits
    full = np.zeros(model.topology[-1, col.Q])
    full[model.coupling.own_q] = limits
    return full


def renumbered(slices: dict[str, slice], own: np.ndarray) -> dict[str, slice]:
    """Slices of the uncoupled coordinates as slices of the own ones; empty for dependent joints."""
    place = {int(k): n for n, k in enumerate(own)}
    result = {}
    for name, s in slices.items():
        inside = [place[k] for k in range(s.start, s.stop) if k in place]
        result[name] = slice(inside[0], inside[-1] + 1) if inside else slice(0, 0)
    return result


def coordinates_of(body: Body, packed: Packed) -> tuple[Joint, ...]:
    """What has coordinates of a body: its joints, then its deformation."""
    if body.flex is None or packed.flexible is None:
        return body.moving
    return (*body.moving, Deformation(body.name, "flex", names=packed.flexible.rods[body.name].names))


def massless_warnings(model: Model) -> list[str]:
    """Joints that move no mass at all: the mass matrix is singular there."""
    body = model.constants[:-1]
    carries = np.asarray(body[:, col.MASS : col.MASS + col.INERTIA_WIDTH].any(axis=1) | body[:, col.ADDED :].any(axis=1))
    moves = np.asarray(carries | body[:, col.ARMATURE : col.ARMATURE + 6].any(axis=1))
    for i in range(len(body) - 1, -1, -1):
        parent = model.topology[i, col.PARENT]
        if parent < len(body) and carries[i]:
            carries[parent] = moves[parent] = True
    idle = {int(model.topology[i, col.V]) for i in np.flatnonzero(~moves) if model.topology[i, col.V_COUNT] > 0}
    names = [name for name, s in model._packed.joint_v.items() if any(k in idle for k in range(s.start, s.stop))]
    if not names:
        return []
    which, they = ("joint", "it") if len(names) == 1 else ("joints", "them")
    shown = ", ".join(repr(name) for name in names)
    return [f"no mass hangs on {which} {shown}: forward dynamics is singular; give {they} mass or armature, or lock {they}"]


__all__ = ["BodyView", "CouplingMap", "JointView", "Model", "ModelError"]
