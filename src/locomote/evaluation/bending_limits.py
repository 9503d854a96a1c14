"""What no rod can do, however a run comes to it: turn by more than half a turn from one station to the next, beyond which steps
along it mean nothing, or be pressed through zero length."""

from math import pi

import numpy as np

from locomote.compiler.source import routine
from locomote.kernels.flexible.columns import MODAL, OMEGA, STATION, STATIONS, X1, X2
from locomote.model.model import Model

PI_SQUARED = pi * pi
NEAR = 0.9  # share of the possible bending: a step ends before it gets there


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


def why_too_far(model: Model, q: np.ndarray, t: float, diverged: str = "") -> str:
    """Which rod, where, how far, and what to do. diverged : why the shape means nothing, if so"""
    flexible = model.unfolded.flexible
    said = flexible.limits.why_not(q[None], NEAR, advice=not diverged) if flexible else ""
    said = said or "a rod is bent or pressed beyond what it can do"
    return f"{diverged} (at t = {t:.6g} s {said})" if diverged else f"{said}; at t = {t:.6g} s"
