"""Where bodies are and how they move."""

from contextlib import suppress
from typing import NamedTuple

import numpy as np

from locomote.dynamics import flexible
from locomote.dynamics.dispatch import (
    CUBE,
    FRAMED_TREE,
    INT_VECTOR,
    INTS,
    MATRIX,
    NAMED,
    NV,
    VECTOR,
    WHOLE,
    Entry,
    Result,
    broadcast,
    checked_state,
    refuse_overflow,
    run_rows,
)
from locomote.errors import UnknownName
from locomote.kernels import single, single_motion
from locomote.kernels.kinematics import ALIGNED, LOCAL, WORLD
from locomote.model.model import Model, checked_model
from locomote.spatial.numbers import as_numbers

ORIGIN = (0.0, 0.0, 0.0)
FRAMES = {"local": LOCAL, "world": WORLD, "aligned": ALIGNED}
_POSES = Entry(
    single.forward_kinematics_one,
    (INTS, MATRIX, INT_VECTOR, MATRIX, VECTOR, CUBE),
    [Result((NAMED, 4, 4))],
    held=FRAMED_TREE,
)
_TWISTS = [Result((6, NV), zeros=True)]
_JACOBIAN = Entry(single.jacobian_one, (INTS, MATRIX, WHOLE, VECTOR, WHOLE, VECTOR, MATRIX), _TWISTS)
_RATE = Entry(single.jacobian_rate_one, (INTS, MATRIX, WHOLE, VECTOR, WHOLE, VECTOR, VECTOR, MATRIX), _TWISTS)
_TWIST = [Result((6,))]
_VELOCITY = Entry(single_motion.velocity_one, (INTS, MATRIX, WHOLE, VECTOR, WHOLE, VECTOR, VECTOR, VECTOR), _TWIST)
_ACCELERATION = Entry(
    single_motion.acceleration_one, (INTS, MATRIX, WHOLE, VECTOR, WHOLE, VECTOR, VECTOR, VECTOR, VECTOR), _TWIST
)
_POINT_FRAME = Entry(
    single_motion.point_frame_one,
    (INTS, MATRIX, INT_VECTOR, MATRIX, WHOLE, VECTOR, VECTOR),
    [Result((12,))],
    held=FRAMED_TREE,
)


class Motion(NamedTuple):
    """How all bodies move, in the order of `model.body_names`.

    poses : (..., bodies, 4, 4) in the world ; twists : (..., bodies, 6), m/s, rad/s
    accelerations : (..., bodies, 6), time derivatives of the components of the twists, m/s^2, rad/s^2
    """

    poses: np.ndarray
    twists: np.ndarray
    accelerations: np.ndarray


_MOTION = Entry(
    single_motion.motion_one,
    (INTS, MATRIX, INT_VECTOR, MATRIX, WHOLE, VECTOR, VECTOR, VECTOR, CUBE, MATRIX, MATRIX),
    [Result((NAMED, 4, 4)), Result((NAMED, 6)), Result((NAMED, 6))],
    Motion,
    FRAMED_TREE,
)


def forward_kinematics(model: Model, q) -> np.ndarray:
    """(..., bodies, 4, 4) poses of all bodies in the world, in the order of `model.body_names`."""
    if (result := _POSES.call(model, q)) is not None:
        return result
    (q,) = checked_state(model, q)
    if model.coupling:
        return forward_kinematics(model.unfolded, model.coupling.expand_q(q))
    if model.flexible:
        return flexible.forward_kinematics(model, q)
    lead, (rows,) = broadcast([q])
    poses = np.empty((len(rows), len(model.body_names), 4, 4))
    fixed = (model._topology, model._constants, *model.frames)
    run_rows(_POSES, fixed, [rows], [poses])
    refuse_overflow(model, [poses], "forward kinematics")
    return poses.reshape(*lead, *poses.shape[1:])


def jacobian(model: Model, q, body: str | int, *, point=ORIGIN, frame: str = "local") -> np.ndarray:
    """(..., 6, nv) matrix J with twist = J v, the twist (linear, angular) of a point of a body.

    point : in the body frame, m
    frame : in which axes and where the linear velocity is taken
        "local"    body axes, at the point
        "aligned"  world axes, at the point
        "world"    world axes, at the point of the body that is passing the world origin
    """
    place = _frame(model, body, point, frame)
    if (result := _JACOBIAN.call(model, *place, q)) is not None:
        return result
    (q,) = checked_state(model, q)
    if model.coupling:
        full = jacobian(model.unfolded, model.coupling.expand_q(q), body, point=point, frame=frame)
        return full @ model.coupling.v_matrix
    if model.flexible:
        return flexible.jacobian(model, q, place)
    lead, (rows,) = broadcast([q])
    J = np.zeros((len(rows), 6, model.nv))
    run_rows(_JACOBIAN, (model._topology, model._constants, *place), [rows], [J])
    refuse_overflow(model, [J], "Jacobian")
    return J.reshape(*lead, 6, model.nv)


def jacobian_rate(model: Model, q, v, body: str | int, *, point=ORIGIN, frame: str = "local") -> np.ndarray:
    """(..., 6, nv) time derivative of `jacobian` along the velocity v."""
    place = _frame(model, body, point, frame)
    if (result := _RATE.call(model, *place, q, v)) is not None:
        return result
    q, v = checked_state(model, q, v=v)
    if model.coupling:
        c = model.coupling
        full = jacobian_rate(model.unfolded, c.expand_q(q), c.expand_v(v), body, point=point, frame=frame)
        return full @ c.v_matrix
    if model.flexible:
        return flexible.jacobian_rate(model, q, v, place)
    lead, rows = broadcast([q, v])
    J = np.zeros((len(rows[0]), 6, model.nv))
    run_rows(_RATE, (model._topology, model._constants, *place), rows, [J])
    refuse_overflow(model, [J], "rate of the Jacobian")
    return J.reshape(*lead, 6, model.nv)


def velocity(model: Model, q, v, body: str | int, *, point=ORIGIN, frame: str = "local") -> np.ndarray:
    """(..., 6) twist (linear m/s, angular rad/s) of a point of a body; `frame` as for `jacobian`."""
    place = _frame(model, body, point, frame)
    if (result := _VELOCITY.call(model, *place, q, v)) is not None:
        return result
    return _of_frame(model, _VELOCITY, checked_state(model, q, v=v), place, "velocity")


def acceleration(model: Model, q, v, a, body: str | int, *, point=ORIGIN, frame: str = "local") -> np.ndarray:
    """(..., 6) time derivative of the components of `velocity`.

    In the frame "aligned" the linear part is the ordinary acceleration of the point. In "local" it is the rate of the body
    twist, to which w x v must be added to get that.
    """
    place = _frame(model, body, point, frame)
    if (result := _ACCELERATION.call(model, *place, q, v, a)) is not None:
        return result
    return _of_frame(model, _ACCELERATION, checked_state(model, q, v=v, a=a), place, "acceleration")


def motion(model: Model, q, v, a, *, frame: str = "local") -> Motion:
    """Poses, twists and accelerations of all bodies in one sweep, in the order of `model.body_names`.

    q : (..., nq) ; v, a : (..., nv) ; frame : as for `jacobian`, at the origins of the body frames
    Returns a named tuple of `poses` (..., bodies, 4, 4), `twists` (..., bodies, 6) and `accelerations` (..., bodies, 6): what
    `forward_kinematics`, `velocity` and `acceleration` give, body by body.
    """
    kind = _kind(frame)
    if (result := _MOTION.call(model, kind, q, v, a)) is not None:
        return result
    arrays = checked_state(model, q, v=v, a=a)
    model, arrays = _unfolded(model, arrays)
    if model.flexible:
        q, v, a = arrays
        return Motion(*flexible.motion(model, q, v, a, kind))
    lead, rows = broadcast(arrays)
    count, bodies = len(rows[0]), len(model.body_names)
    found = [np.empty((count, bodies, *shape)) for shape in ((4, 4), (6,), (6,))]
    run_rows(_MOTION, (model._topology, model._constants, *model.frames, kind), rows, found)
    refuse_overflow(model, found, "motion")
    return Motion(*(x.reshape(*lead, *x.shape[1:]) for x in found))


def _of_frame(model: Model, entry: Entry, arrays, place, what: str) -> np.ndarray:
    """(..., 6) twist of a frame, or its rate, on checked inputs."""
    model, arrays = _unfolded(model, arrays)
    if model.flexible:
        body, frame, kind = place
        q, v, a = arrays if len(arrays) == 3 else (*arrays, np.zeros(model.nv))
        which = 1 if len(arrays) == 2 else 2
        return flexible.motion(model, q, v, a, kind, (np.array([body]), frame.reshape(1, 12)))[which][..., 0, :]
    lead, rows = broadcast(arrays)
    found = np.empty((len(rows[0]), 6))
    run_rows(entry, (model._topology, model._constants, *place), rows, [found])
    refuse_overflow(model, [found], what)
    return found.reshape(*lead, 6)


def _unfolded(model: Model, arrays) -> tuple[Model, list[np.ndarray]]:
    """The model with its couplings let loose, and q, v, ... of it."""
    if (c := model.coupling) is None:
        return model, arrays
    return model.unfolded, [c.expand_q(arrays[0]), *map(c.expand_v, arrays[1:])]


def _kind(frame) -> int:
    """The number of a frame in kernels."""
    if not isinstance(frame, str) or frame not in FRAMES:
        raise UnknownName("frame", frame, FRAMES, "the library")
    return FRAMES[frame]


def _frame(model: Model, body, point, frame):
    """What a Jacobian kernel needs to know of a frame: moving body, pose in it, kind."""
    kind, index = _kind(frame), checked_model(model).body_index(body)
    carrier, placement = model.frames
    if point is ORIGIN:
        return int(carrier[index]), placement[index], kind
    if (type(point) is tuple or type(point) is list) and all(type(x) is float or type(x) is int for x in point):
        with suppress(OverflowError):  # a whole number that no float holds is for the error below
            point = np.array(point, dtype=float)
    if (shifted := _POINT_FRAME.call(model, index, point)) is None:
        shifted = np.empty(12)
        _POINT_FRAME.ready()(model._topology, model._constants, carrier, placement, index, _point(point), shifted)
    return int(carrier[index]), shifted, kind


def _point(point) -> np.ndarray:
    """A point as three finite floats, or the error that says what it should be."""
    try:
        place = as_numbers(point, "point", "(3,)")
        if place.shape != (3,) or not np.isfinite(place).all():
            raise ValueError
    except ValueError:
        raise ValueError(f"point must be three finite numbers (m, in the body frame), not {point!r}") from None
    return np.array(place, dtype=float)  # of its own, in one piece and writable, as compiled code takes it
