"""Where bodies are and how they move."""

import numpy as np

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
from locomote.kernels import single
from locomote.kernels.kinematics import ALIGNED, LOCAL, WORLD
from locomote.model.model import Model, checked_model, twelve
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


def forward_kinematics(model: Model, q) -> np.ndarray:
    """(..., bodies, 4, 4) poses of all bodies in the world, in the order of `model.body_names`."""
    if (result := _POSES.call(model, q)) is not None:
        return result
    (q,) = checked_state(model, q)
    if model.coupling:
        return forward_kinematics(model.unfolded, model.coupling.expand_q(q))
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
    lead, rows = broadcast([q, v])
    J = np.zeros((len(rows[0]), 6, model.nv))
    run_rows(_RATE, (model._topology, model._constants, *place), rows, [J])
    refuse_overflow(model, [J], "rate of the Jacobian")
    return J.reshape(*lead, 6, model.nv)


def velocity(model: Model, q, v, body: str | int, *, point=ORIGIN, frame: str = "local") -> np.ndarray:
    """(..., 6) twist (linear m/s, angular rad/s) of a point of a body; `frame` as for `jacobian`."""
    q, v = checked_state(model, q, v=v)
    return (jacobian(model, q, body, point=point, frame=frame) @ v[..., None])[..., 0]


def acceleration(model: Model, q, v, a, body: str | int, *, point=ORIGIN, frame: str = "local") -> np.ndarray:
    """(..., 6) time derivative of the components of `velocity`.

    In the frame "aligned" the linear part is the ordinary acceleration of the point. In "local" it is the rate of the body
    twist, to which w x v must be added to get that.
    """
    q, v, a = checked_state(model, q, v=v, a=a)
    along = jacobian(model, q, body, point=point, frame=frame) @ a[..., None]
    drift = jacobian_rate(model, q, v, body, point=point, frame=frame) @ v[..., None]
    return (along + drift)[..., 0]


def _frame(model: Model, body, point, frame):
    """What a Jacobian kernel needs to know of a frame: moving body, pose in it, kind."""
    if not isinstance(frame, str) or frame not in FRAMES:
        raise UnknownName("frame", frame, FRAMES, "the library")
    index = checked_model(model).body_index(body)
    if point is ORIGIN:
        carrier, placement = model.frames
        return int(carrier[index]), placement[index], FRAMES[frame]
    try:
        place = as_numbers(point, "point", "(3,)")
        if place.shape != (3,) or not np.isfinite(place).all():
            raise ValueError
    except ValueError:
        raise ValueError(f"point must be three finite numbers (m, in the body frame), not {point!r}") from None
    pose = model.placement[index].copy()
    pose[:3, 3] += pose[:3, :3] @ place
    return int(model.carrier[index]), twelve(pose), FRAMES[frame]
