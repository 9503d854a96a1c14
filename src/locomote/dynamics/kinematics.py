"""Where bodies are and how they move."""

from contextlib import suppress
from typing import NamedTuple

import numpy as np

from locomote.dynamics import flexible
from locomote.dynamics.dispatch import FRAMED_TREE, INT_VECTOR, INTS, MATRIX, VECTOR, WHOLE, Entry, Result
from locomote.dynamics.function import ModelFunction, columns
from locomote.errors import UnknownName
from locomote.kernels import kinematics as places
from locomote.kernels import motion as motions
from locomote.kernels.entries import NAMED, NV, Output, Recursion
from locomote.kernels.frames import point_frame_one
from locomote.model.model import Model, checked_model
from locomote.spatial.numbers import as_numbers

ORIGIN = (0.0, 0.0, 0.0)
FRAMES = {"local": places.LOCAL, "world": places.WORLD, "aligned": places.ALIGNED}
PLACE = {"body": WHOLE, "frame": VECTOR, "kind": WHOLE}  # moving body, frame on it (12 numbers), how it is seen
AT = ("body", "point", "frame")  # how users say that
HELD = ("carrier", "placement")
POSES = Output("poses", (NAMED, 4, 4), status="place_status")
POINT_FRAME = Entry(
    point_frame_one, (INTS, MATRIX, INT_VECTOR, MATRIX, WHOLE, VECTOR, VECTOR), [Result((12,))], held=FRAMED_TREE
)


class Motion(NamedTuple):
    """How all bodies move, in the order of `model.body_names`.

    poses : (..., bodies, 4, 4) in the world ; twists : (..., bodies, 6), m/s, rad/s
    accelerations : (..., bodies, 6), time derivatives of the components of the twists, m/s^2, rad/s^2
    """

    poses: np.ndarray
    twists: np.ndarray
    accelerations: np.ndarray


def _kind(frame) -> int:
    """The number of a frame in kernels."""
    if not isinstance(frame, str) or frame not in FRAMES:
        raise UnknownName("frame", frame, FRAMES, "the library")
    return FRAMES[frame]


def _frame(model: Model, body, point=ORIGIN, frame: str = "local"):
    """What a Jacobian kernel needs to know of a frame: moving body, pose in it, kind."""
    kind, index = _kind(frame), checked_model(model).body_index(body)
    carrier, placement = model.frames
    if point is ORIGIN:
        return int(carrier[index]), placement[index], kind
    if (type(point) is tuple or type(point) is list) and all(type(x) is float or type(x) is int for x in point):
        with suppress(OverflowError):  # an integer that no float holds is for the error below
            point = np.array(point, dtype=float)
    if (shifted := POINT_FRAME.call(model, index, point)) is None:
        shifted = np.empty(12)
        POINT_FRAME.ready()(model._topology, model._constants, carrier, placement, index, _point(point), shifted)
    return int(carrier[index]), shifted, kind


def _point(point) -> np.ndarray:
    """A point as three finite floats, or the error that says what it should be."""
    try:
        place = as_numbers(point, "point", "(3,)")
        if place.shape != (3,) or not np.isfinite(place).all():
            raise ValueError
    except ValueError:
        raise ValueError(f"point must be three finite numbers (m, in the body frame), not {point!r}") from None
    return np.array(place, dtype=float)  # a contiguous, writable copy, as compiled code takes it


def _of_frame(model: Model, arrays, loads, threads: int, place) -> list[np.ndarray]:
    """[(..., 6)] twist of a frame of a model with flexible bodies, or with accelerations its rate."""
    body, frame, kind = place
    state = arrays if len(arrays) == 3 else [*arrays, np.zeros(model.nv)]
    found = flexible.MOTION(model, state, fixed=(np.array([body]), frame.reshape(1, 12), kind))
    return [found[len(arrays) - 1][..., 0, :]]


FORWARD = ModelFunction(
    __name__,
    Recursion("forward_kinematics", places.forward_kinematics, places.Places, ("q",), (POSES,), held=HELD),
    "forward kinematics",
    flexible=flexible.forward_kinematics,
)
JACOBIAN = ModelFunction(
    __name__,
    Recursion("jacobian", places.frame_jacobian, places.Screws, ("q",), (Output("J", (6, NV), zeros=True),), fixed=PLACE),
    "Jacobian",
    folded=columns,
    flexible=flexible.JACOBIAN,
    options=AT,
    arranged=_frame,
    formula=r"V_b = J_b(q)\, v",
)
RATE = ModelFunction(
    __name__,
    Recursion(
        "jacobian_rate",
        places.frame_jacobian_rate,
        places.Screws,
        ("q", "v"),
        (Output("J_rate", (6, NV), zeros=True),),
        fixed=PLACE,
    ),
    "rate of the Jacobian",
    folded=columns,
    flexible=flexible.jacobian_rate,
    options=AT,
    arranged=_frame,
    formula=r"\dot J_b(q, v) = \frac{d}{dt} J_b(q(t))",
)
VELOCITY = ModelFunction(
    __name__,
    Recursion("velocity", motions.frame_velocity, places.Places, ("q", "v"), (Output("twist", (6,)),), fixed=PLACE),
    "velocity",
    flexible=_of_frame,
    options=AT,
    arranged=_frame,
    formula=r"V_b = J_b(q)\, v",
)
ACCELERATION = ModelFunction(
    __name__,
    Recursion(
        "acceleration", motions.frame_acceleration, motions.Motions, ("q", "v", "a"), (Output("rate", (6,)),), fixed=PLACE
    ),
    "acceleration",
    flexible=_of_frame,
    options=AT,
    arranged=_frame,
    formula=r"\dot V_b = J_b(q)\, a + \dot J_b(q, v)\, v",
)
MOTION = ModelFunction(
    __name__,
    Recursion(
        "motion",
        motions.body_motions,
        motions.Motions,
        ("q", "v", "a"),
        (POSES, Output("twists", (NAMED, 6)), Output("rates", (NAMED, 6))),
        held=HELD,
        fixed={"kind": WHOLE},
    ),
    "motion",
    group=Motion,
    traced=False,
    flexible=lambda model, arrays, loads, threads, fixed: flexible.MOTION(model, arrays, fixed=(*model.frames, *fixed)),
)


def forward_kinematics(model: Model, q) -> np.ndarray:
    """(..., bodies, 4, 4) poses of all bodies in the world, in the order of `model.body_names`.

    q : (..., nq) configuration
    """
    if (result := FORWARD.one.call(model, q)) is not None:
        return result
    return FORWARD.checked(model, q)


def jacobian(model: Model, q, body: str | int, *, point=ORIGIN, frame: str = "local") -> np.ndarray:
    """(..., 6, nv) matrix J with twist = J v, the twist (linear, angular) of a point of a body.

    q : (..., nq) configuration
    point : in the body frame, m
    frame : in which axes and where the linear velocity is taken
        "local"    body axes, at the point
        "aligned"  world axes, at the point
        "world"    world axes, at the point of the body that is passing the world origin
    """
    place = _frame(model, body, point, frame)
    if (result := JACOBIAN.one.call(model, *place, q)) is not None:
        return result
    return JACOBIAN.checked(model, q, fixed=place)


def jacobian_rate(model: Model, q, v, body: str | int, *, point=ORIGIN, frame: str = "local") -> np.ndarray:
    """(..., 6, nv) time derivative of `jacobian` along the velocity v.

    q : (..., nq) configuration ; v : (..., nv) velocity
    """
    place = _frame(model, body, point, frame)
    if (result := RATE.one.call(model, *place, q, v)) is not None:
        return result
    return RATE.checked(model, q, v, fixed=place)


def velocity(model: Model, q, v, body: str | int, *, point=ORIGIN, frame: str = "local") -> np.ndarray:
    """(..., 6) twist (linear m/s, angular rad/s) of a point of a body; `frame` as for `jacobian`.

    q : (..., nq) configuration ; v : (..., nv) velocity
    """
    place = _frame(model, body, point, frame)
    if (result := VELOCITY.one.call(model, *place, q, v)) is not None:
        return result
    return VELOCITY.checked(model, q, v, fixed=place)


def acceleration(model: Model, q, v, a, body: str | int, *, point=ORIGIN, frame: str = "local") -> np.ndarray:
    """(..., 6) time derivative of the components of `velocity`.

    q : (..., nq) configuration ; v : (..., nv) velocity ; a : (..., nv) acceleration
    In the frame "aligned" the linear part is the ordinary acceleration of the point. In "local" it is the rate of the body
    twist, to which w x v must be added to get that.
    """
    place = _frame(model, body, point, frame)
    if (result := ACCELERATION.one.call(model, *place, q, v, a)) is not None:
        return result
    return ACCELERATION.checked(model, q, v, a, fixed=place)


def motion(model: Model, q, v, a, *, frame: str = "local") -> Motion:
    """Poses, twists and accelerations of all bodies in one sweep, in the order of `model.body_names`.

    q : (..., nq) ; v, a : (..., nv) ; frame : as for `jacobian`, at the origins of the body frames
    Returns a named tuple of `poses` (..., bodies, 4, 4), `twists` (..., bodies, 6) and `accelerations` (..., bodies, 6): what
    `forward_kinematics`, `velocity` and `acceleration` give, body by body.
    """
    kind = _kind(frame)
    if (result := MOTION.one.call(model, kind, q, v, a)) is not None:
        return result
    return MOTION.checked(model, q, v, a, fixed=(kind,))
