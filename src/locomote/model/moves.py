"""Moves along the manifold of configurations: where a velocity leads in unit time, and which velocity leads somewhere.

Coordinates of most joints are plain numbers and are added; those of planar, spherical and free joints move along their
group, in the body frame. The routines run on numbers of any kind; the kernels, on one state or on rows of states, are behind
`Model.integrate`, `Model.difference` and `Model.normalize`.
"""

import math
from collections.abc import Callable

import numpy as np
from numba import config, float64, int64

from locomote.compiler.calls import Count, Held, Result, direct_call
from locomote.compiler.source import kernel, routine
from locomote.model.columns import KIND, Q, V
from locomote.model.joints import has_quaternion, quaternion_start
from locomote.model.joints.paste import each
from locomote.model.joints.table import for_all_kinds
from locomote.model.status import OK, QUATERNION, SHAPE, input_status, value_status
from locomote.spatial.rotations import quaternion_normalized as normalized
from locomote.spatial.rows import four

INTS, VECTOR, MATRIX = int64[:, ::1], float64[::1], float64[:, ::1]
ZERO, LONG = 1e-12, 1e300  # length of a quaternion without direction; square of one that is too long to tell


@routine
@for_all_kinds
def integrated(topology, q, dv, out):
    """Fill `out` with the configuration reached from q in unit time with the velocity dv, kept constant in body frames."""
    for i in range(topology.shape[0] - 1):
        kind, k, j = topology[i, KIND], topology[i, Q], topology[i, V]
        each(kind).integrate(topology, i, k, j, q, dv, out)


@routine
@for_all_kinds
def differed(topology, q0, q1, out):
    """Fill `out` with the velocity that leads from q0 to q1 in unit time."""
    for i in range(topology.shape[0] - 1):
        kind, k, j = topology[i, KIND], topology[i, Q], topology[i, V]
        each(kind).difference(topology, i, k, j, q0, q1, out)


@routine
@for_all_kinds
def pulled_back(topology, away, force):
    """Turn `force`, which acts on the components of `away`, a difference from a fixed point, into the force on velocities.

    Along a group the components of a difference do not change at the rate v but at T^-1 v, T its tangent.
    """
    for i in range(topology.shape[0] - 1):
        kind, j = topology[i, KIND], topology[i, V]
        each(kind).pull_back(j, away, force)


@kernel
def integrate_one(topology, constants, q, dv, result):
    world = topology.shape[0] - 1
    if q.shape[0] != topology[world, Q] or dv.shape[0] != topology[world, V]:
        return SHAPE
    integrated(topology, q, dv, result)
    return max(input_status(topology, q), max(value_status(dv, dv.shape[0]), value_status(result, result.shape[0])))


@kernel
def difference_one(topology, constants, q0, q1, result):
    world = topology.shape[0] - 1
    if q0.shape[0] != topology[world, Q] or q1.shape[0] != topology[world, Q]:
        return SHAPE
    differed(topology, q0, q1, result)
    status = max(input_status(topology, q0), input_status(topology, q1))
    return max(status, value_status(result, result.shape[0]))


@kernel
def normalize_one(topology, constants, q, result):
    world, status = topology.shape[0] - 1, OK
    if q.shape[0] != topology[world, Q]:
        return SHAPE
    for k in range(q.shape[0]):  # not result[:] = q: Numba would compile a sentence about shapes with it, for 1.5 s
        result[k] = q[k]
    for i in range(world):
        if has_quaternion(topology[i, KIND]):
            k = quaternion_start(topology, i)
            x, y, z, w = four(q, k)
            if not ZERO * ZERO < x * x + y * y + z * z + w * w < LONG:
                status = QUATERNION
            else:
                result[k], result[k + 1], result[k + 2], result[k + 3] = normalized((x, y, z, w))
    return max(status, max(value_status(q, q.shape[0]), value_status(result, q.shape[0])))


@kernel
def integrate_rows(topology, q, dv, result):
    for n in range(result.shape[0]):
        integrated(topology, q[n], dv[n], result[n])
    return OK


@kernel
def difference_rows(topology, q0, q1, result):
    for n in range(result.shape[0]):
        differed(topology, q0[n], q1[n], result[n])
    return OK


class Move:
    """A kernel for one state behind a method of the model, called straight when the arguments are plain arrays.

    `call` gives None until `prepare` has been called, and for all that must be looked at closer.
    """

    def __init__(self, one: Callable, arrays: int, size: int):
        self._one, self._signature = one, (INTS, MATRIX, *[VECTOR] * (arrays + 1))
        self._results = [Result((Count(0, size),))]
        self.call: Callable = declined

    @property
    def need(self) -> tuple:
        """The kernel and its argument types."""
        return self._one, self._signature

    def prepare(self, owner: type) -> None:
        """Compile the kernel, or load it from disk; the owner is the class of models."""
        if self.call is declined and not config.DISABLE_JIT:  # type: ignore[attr-defined]
            self.call = direct_call(self._one, self._signature, self._results, None, Held(owner, "_tree", 2)) or declined


def declined(*arguments) -> None:
    """What `call` is until the kernel is compiled."""


INTEGRATE, DIFFERENCE, NORMALIZE = Move(integrate_one, 2, Q), Move(difference_one, 2, V), Move(normalize_one, 1, Q)


def over_rows(kernel: Callable, topology: np.ndarray, x: np.ndarray, y: np.ndarray, size: int) -> np.ndarray:
    """Results (..., size) of a kernel for rows, on checked arrays (..., n) that broadcast."""
    lead = np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    count = math.prod(lead)
    rows = [np.empty((*lead, a.shape[-1])) for a in (x, y)]
    for own, a in zip(rows, (x, y), strict=True):
        own[...] = a
    result = np.empty((count, size))
    kernel(topology, *(own.reshape(count, own.shape[-1]) for own in rows), result)
    return result.reshape(*lead, size)
