"""Whether what a kernel was given makes sense: looked at in the kernel, so that a call from Python need not."""

from locomote.compiler.source import routine
from locomote.model.columns import KIND
from locomote.model.joints import has_quaternion, quaternion_start

UNIT_TOLERANCE = 1e-6  # allowed error of the norm of a quaternion
# what a kernel returns: all is well; an input of the wrong length, a quaternion that is not unit, a number that is not finite
OK, SHAPE, QUATERNION, VALUE = 0, 1, 2, 3


@routine
def quaternion_status(topology, q):
    """Whether all quaternions in q are unit within tolerance."""
    status = OK
    for i in range(topology.shape[0] - 1):
        if has_quaternion(topology[i, KIND]):
            k = quaternion_start(topology, i)
            square = q[k] * q[k] + q[k + 1] * q[k + 1] + q[k + 2] * q[k + 2] + q[k + 3] * q[k + 3]
            if not abs(square - 1.0) <= 2.0 * UNIT_TOLERANCE:
                status = QUATERNION
    return status


@routine
def input_status(topology, q):
    """Whether q is finite and its quaternions unit."""
    return max(value_status(q, q.shape[0]), quaternion_status(topology, q))


@routine
def value_status(x, count):
    """Whether the first numbers of x are finite."""
    bad = 0
    for k in range(count):
        bad += not (x[k] - x[k] == 0.0)
    return VALUE if bad > 0 else OK
