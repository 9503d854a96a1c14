"""External wrenches as users give them, gathered on the moving bodies that kernels know."""

from collections.abc import Mapping

import numpy as np

from locomote.dynamics.dispatch import FRAMED_TREE, INT_VECTOR, INTS, MATRIX, MOVING, Entry, Result
from locomote.kernels.frames import gather_one
from locomote.model import columns as col
from locomote.model.model import Model, common_lead
from locomote.spatial.numbers import as_numbers

GATHER = Entry(
    gather_one,
    (INTS, MATRIX, INT_VECTOR, MATRIX, MATRIX, MATRIX),
    [Result((MOVING, 6))],
    held=FRAMED_TREE,
)
SIX = (6,)
FLOAT = np.dtype(np.float64)


def packed(model: Model, wrenches) -> np.ndarray | None:
    """(moving bodies + 1, 6) in packed frames, straight from a plain array (bodies, 6) or a dict of plain arrays (6,) by names
    of bodies; None for all else, and where something is wrong: then `gathered` is the way."""
    if type(wrenches) is dict:
        wrenches = spread(model, wrenches)
    return GATHER.call(model, wrenches)


def spread(model: Model, wrenches: dict) -> np.ndarray | None:
    """Plain arrays (6,) by names of bodies as one array (bodies, 6); None if they are anything else."""
    if type(model) is not Model:
        return None
    place, result = model._bodies, np.zeros((len(model.body_names), 6))
    for name, wrench in wrenches.items():
        if type(wrench) is not np.ndarray or wrench.shape != SIX or wrench.dtype is not FLOAT or type(name) is not str:
            return None
        k = place.get(name)
        if k is None:
            return None
        result[k] = wrench
    return result


def gathered(model: Model, wrenches) -> np.ndarray | None:
    """(..., moving bodies, 6) in packed frames, from a mapping of body names to (..., 6) or an array (..., bodies, 6).

    None if there are none and the model does not need any to be passed.
    """
    count = len(model.topology) - 1
    if wrenches is None:
        return None if model.constants.shape[1] == col.CONSTANTS_WIDTH else np.zeros((count, 6))
    if isinstance(wrenches, Mapping):
        pieces = [
            (model.body_index(name), checked(value, (6,), f"wrench on body {name!r}")) for name, value in wrenches.items()
        ]
    else:
        array = checked(wrenches, (len(model.body_names), 6), "wrenches")
        pieces = [(k, array[..., k, :]) for k in range(len(model.body_names)) if array[..., k, :].any()]
        if array.ndim > 2 and not pieces:
            pieces = [(0, array[..., 0, :])]
    lead = common_lead([value for _, value in pieces]) if pieces else ()
    if lead == ():
        return of_one_state(model, pieces)
    result = np.zeros((*lead, count + 1, 6))
    for k, wrench in pieces:
        turn, shift = model.placement[k, :3, :3], model.placement[k, :3, 3]
        force = wrench[..., :3] @ turn.T
        result[..., model.carrier[k], :3] += force
        result[..., model.carrier[k], 3:] += wrench[..., 3:] @ turn.T + np.cross(shift, force)
    return result[..., :count, :]  # the world, last, needs no help


def on_bodies(model: Model, wrenches) -> np.ndarray | None:
    """(..., bodies, 6) each in the frame of its body, checked; None if there are none."""
    if wrenches is None:
        return None
    if not isinstance(wrenches, Mapping):
        return checked(wrenches, (len(model.body_names), 6), "wrenches")
    pieces = {model.body_index(name): checked(value, (6,), f"wrench on body {name!r}") for name, value in wrenches.items()}
    result = np.zeros((*common_lead(list(pieces.values()) or [np.zeros(6)]), len(model.body_names), 6))
    for k, wrench in pieces.items():
        result[..., k, :] = wrench
    return result


def of_one_state(model: Model, pieces) -> np.ndarray:
    """(moving bodies, 6) from checked wrenches (6,) on bodies given by place; by the kernel of the short way, so that both
    ways have the same digits."""
    named, loads = np.zeros((len(model.body_names), 6)), np.empty((len(model.topology), 6))
    for k, wrench in pieces:
        named[k] += wrench
    GATHER.ready()(model._topology, model._constants, *model.frames, named, loads)
    return loads[:-1]


def checked(value, tail: tuple[int, ...], label: str) -> np.ndarray:
    """A finite float array (..., *tail)."""
    array = as_numbers(value, label, f"(..., {', '.join(map(str, tail))})")
    if array.shape[-len(tail) :] != tail:
        raise ValueError(
            f"{label} has shape {array.shape}, expected (..., {', '.join(map(str, tail))}): (force, moment) in the body frame"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{label} has a value that is not finite")
    return array
