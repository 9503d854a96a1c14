"""Shape coordinates that a field or a gait goes over: joints, or amplitudes of modes that move several joints together.

    r = r_0 + D x       x : the coordinates that vary ,   r : all coordinates that are not of the base                 (1)

A joint is a mode that moves itself. r_0 is zero for joints that some mode moves, unless told otherwise; what no mode moves
stays where the problem starts, or where it is told to.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.brief import brief
from locomote.errors import UnknownName
from locomote.locomotion.inputs import unfolded_q
from locomote.spatial.numbers import as_numbers

if TYPE_CHECKING:
    from locomote.locomotion.problem import Locomotion


@brief
@dataclass(frozen=True, eq=False)
class Coordinates:
    """What varies (1).

    names : of the k coordinates x ; units : of each, "rad" or "m", "1" of a mode
    shape : (s,) coordinates of v that are shape ; places : (s,) where they stand in q
    joints : (s,) names of shape coordinates ; directions : (s, k) D ; at : (nq,) configuration at x = 0, the base neutral
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    shape: np.ndarray
    places: np.ndarray
    joints: tuple[str, ...]
    directions: np.ndarray
    at: np.ndarray

    @property
    def size(self) -> int:
        """Number of coordinates that vary, k."""
        return len(self.names)

    def shapes(self, x) -> np.ndarray:
        """(..., s) all shape coordinates at x (..., k)."""
        return self.at[self.places] + np.asarray(x, dtype=float) @ self.directions.T

    def configurations(self, x) -> np.ndarray:
        """(..., nq) configurations at x (..., k), the base neutral."""
        x = np.asarray(x, dtype=float)
        q = np.broadcast_to(self.at, (*x.shape[:-1], len(self.at))).copy()
        q[..., self.places] = self.shapes(x)
        return q


def shape_of(name: str, given: Any, coordinates: Coordinates, otherwise: np.ndarray) -> np.ndarray:
    """(k,) values of the coordinates, as the argument `name` has them."""
    if given is None:
        return otherwise
    names = coordinates.names
    if isinstance(given, Mapping):
        given = [given.get(own, otherwise[j]) for j, own in enumerate(names)]
    value = as_numbers(given, name, f"({len(names)},)")
    if value.shape != (len(names),) or not np.isfinite(value).all():
        raise ValueError(f"{name} is {given!r:.60}, expected {len(names)} numbers: {', '.join(names)}")
    return value


def coordinates_of(problem: "Locomotion", names: Any = None, at: Any = None) -> Coordinates:
    """The coordinates of a problem by name; names : of joints, (joint, k) for one coordinate of several, or a mapping whose
    values say which joints a mode moves, {"wave": {"front": 1.0, "rear": -0.5}}; all that are shape if None
    at : (nq,) configuration, or {joint: value}, where the others stay; the start if None"""
    model = problem.model
    base = problem.external
    if not base:
        raise ValueError(f"{problem.name!r} has no base that moves, so there is no net motion; build the model with a base")
    slots = [slot for slot in model.layout() if slot.vector == "v"]
    shape = np.array([k for k in range(model.nv) if k not in base], dtype=int)
    places = np.array([place_in_q(problem, int(k)) for k in shape], dtype=int)
    label = {int(k): coordinate_name(model, slots, int(k)) for k in shape}
    if not len(shape):
        raise ValueError(f"{problem.name!r} has no shape: all its coordinates are of the base; give it joints")
    modes = modes_of(names, list(label.values()))
    unit = {slot.index: slot.unit for slot in model.layout() if slot.vector == "q"}
    D, units = np.zeros((len(shape), len(modes))), []
    for j, (name, weights) in enumerate(modes.items()):
        for joint, weight in weights.items():
            D[row_of(problem, label, shape, joint), j] = number_of(name, joint, weight)
        own = np.flatnonzero(D[:, j])
        if (places[own] < 0).any():
            joint = label[int(shape[own[np.argmax(places[own] < 0)]])]
            raise ValueError(
                f"joint {joint!r} turns any way, so that it has no coordinates to vary; take universal or single joints"
            )
        units.append(unit[int(places[own[0]])] if len(own) == 1 and weights.get(name) == 1.0 else "1")
    if np.linalg.matrix_rank(D) < len(modes):
        raise ValueError(f"coordinates {', '.join(modes)} move the shape in fewer ways than there are of them; leave some out")
    start = standing(problem, label, shape, places, D, at)
    return Coordinates(tuple(modes), tuple(units), shape, np.where(places < 0, 0, places), tuple(label.values()), D, start)


def modes_of(names: Any, known: list[str]) -> dict[str, dict[Any, float]]:
    """name -> weights of joints."""
    if names is None:
        return {name: {name: 1.0} for name in known}
    if isinstance(names, str):
        names = [names]
    if isinstance(names, Mapping) and names:
        return {str(k): dict(v) if isinstance(v, Mapping) else {k: 1.0} for k, v in names.items()}
    if not isinstance(names, Iterable):
        raise TypeError(f"coordinates is {names!r:.60}, expected names of joints")
    listed = list(names)
    if not listed:
        raise ValueError(f"no coordinate was named; there are {', '.join(known)}")
    if len({repr(name) for name in listed}) < len(listed):
        raise ValueError(f"coordinates {', '.join(map(str, listed))} name one twice")
    return {joined(name): {name: 1.0} if isinstance(name, str) else {joined(name): 1.0} for name in listed}


def joined(name: Any) -> str:
    """A coordinate as text: a joint, or "joint.k" of (joint, k)."""
    return f"{name[0]}.{name[1]}" if isinstance(name, tuple) and len(name) == 2 else str(name)


def row_of(problem, label: dict[int, str], shape: np.ndarray, joint: Any) -> int:
    """Which shape coordinate a name means."""
    name = joined(joint)
    for row, k in enumerate(shape):
        if label[int(k)] == name:
            return row
    if name in problem.model.joint_names:
        part = problem.model.joint(name).v
        if part.start in problem.external:
            raise ValueError(f"{name!r} is the base of {problem.name!r}, which is no shape; take {', '.join(label.values())}")
        raise ValueError(f"joint {name!r} has {part.stop - part.start} coordinates; name one, as ({name!r}, 0)")
    raise UnknownName("shape coordinate", name, label.values(), problem.name)


def place_in_q(problem, k: int) -> int:
    """Where coordinate k of v stands in q; -1 if a joint keeps a quaternion."""
    joint = next(j for j in map(problem.model.joint, problem.model.joint_names) if j.v.start <= k < j.v.stop)
    return joint.q.start + k - joint.v.start if joint.q.stop - joint.q.start == joint.v.stop - joint.v.start else -1


def coordinate_name(model, slots, k: int) -> str:
    """A joint with one coordinate by its name, others as "joint.k"."""
    slot = next(slot for slot in slots if slot.index == k)
    part = model.joint(slot.joint).v
    return slot.joint if part.stop - part.start == 1 else f"{slot.joint}.{k - part.start}"


def number_of(name: str, joint: Any, weight: Any) -> float:
    """A weight of a mode, checked."""
    try:
        value = float(weight)
    except (TypeError, ValueError):
        value = np.nan
    if not np.isfinite(value):
        raise ValueError(f"the weight of {joined(joint)!r} in {name!r} is {weight!r:.60}, expected a number")
    return value


def standing(problem, label: dict[int, str], shape, places, D, at: Any) -> np.ndarray:
    """(nq,) configuration at x = 0: the base neutral, others as told, zero if moved, or as the problem starts."""
    model = problem.model
    start = np.array(problem.initial()[0], dtype=float)
    told = at if isinstance(at, Mapping) else {}
    if at is not None and not isinstance(at, Mapping):
        start = np.array(model.checked_q(unfolded_q(problem.statement.model, at)), dtype=float)
    neutral = np.array(model.neutral(), dtype=float)
    for k, row in zip(places, D, strict=True):
        if k >= 0:
            neutral[k] = 0.0 if row.any() else start[k]
    for name, value in told.items():
        neutral[places[row_of(problem, label, shape, name)]] = number_of("at", name, value)
    return neutral
