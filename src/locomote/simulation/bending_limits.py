"""What no rod can do, however a run comes to it: turn by more than half a turn from one station to the next, beyond which steps
along it mean nothing, or be pressed through zero length."""

from math import ceil, pi

import numpy as np

from locomote.dynamics.sections import sections
from locomote.engine.source import routine
from locomote.kernels.flexible.columns import MODAL, OMEGA, STATION, STATIONS, X1, X2
from locomote.model.model import Model

PI_SQUARED = pi * pi


@routine
def too_far(plan, work):
    """Whether some rod is beyond what it can do, in the shape just evaluated: 1 if it is turned too far, 2 if it is pressed."""
    found, steps = 0, work.soft_steps
    for n in range(plan.rods.shape[0]):
        if plan.rods[n, MODAL] == 0:
            first = plan.rods[n, STATION]
            for s in range(first, first + plan.rods[n, STATIONS]):
                x, y, z = steps[s, OMEGA + 3], steps[s, OMEGA + 4], steps[s, OMEGA + 5]
                if x * x + y * y + z * z > PI_SQUARED:
                    found = 1
                elif found == 0 and (steps[s, X1] <= 0.0 or steps[s, X2] <= 0.0):
                    found = 2
    return found


def why_too_far(model: Model, q: np.ndarray, t: float) -> str:
    """Which rod, where, how far, and what to do."""
    worst, said = 0.0, "a rod is bent or pressed beyond what it can do"
    for name, rod in model.unfolded.flexible.rods.items() if model.unfolded.flexible else ():
        if not hasattr(rod, "points"):
            continue
        shape = sections(model, q, name)
        steps = np.diff(shape.along, prepend=0.0)
        turn, stretch = np.linalg.norm(shape.strains[:, 3:], axis=1) * steps, shape.strains[:, 0]
        k, low = int(np.argmax(turn)), int(np.argmin(stretch))
        if turn[k] > worst and turn[k] > 0.9 * pi:
            worst, nodes = float(turn[k]), ceil(len(steps) * 1.2 * turn[k] / pi) + 1
            said = (
                f"rod {name!r} turns by {turn[k]:.3g} rad between X = {shape.along[k] - steps[k]:.3g} and "
                f"{shape.along[k]:.3g} m, at most pi is possible: give it nodes={nodes} or more"
            )
        elif worst == 0.0 and stretch[low] < 0.1:
            said = (
                f"rod {name!r} is pressed through zero length at X = {shape.along[low]:.3g} m (stretch {stretch[low]:.3g} "
                f"of 1): it is too soft for this load, or the order of its stretch is too high for its nodes"
            )
    return f"{said}; at t = {t:.6g} s"
