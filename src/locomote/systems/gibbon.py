"""A gibbon that swings from bar to bar without effort: two straight arms with a body between, held by one hand at a time.

The plane is upright, x ahead and y up; angles are from hanging straight down, that of the free arm relative to the holding arm.
The gibbon lets go with its rear hand at rest, both hands on bars, and swings through. For one distance of the bars it hangs
straight in the middle of the swing; as the second half is then the mirror image of the first, run backwards, its free hand
comes to rest on the next bar, and nothing is lost.
"""

from functools import lru_cache
from types import SimpleNamespace

import numpy as np

from locomote.errors import ModelError
from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import number, positive
from locomote.systems.parts import UPRIGHT, at

SOURCE = (
    "brachiation without energy cost after M.W. Gomes, A.L. Ruina: A five-link 2D brachiating ape model with life-like zero-"
    "energy-cost motions. Journal of Theoretical Biology 237 (2005), with two links; numbers chosen"
)
SEE = "the free hand lands at rest on the next bar, as far ahead as the last one was behind"
PARAMETERS = {
    "arm": positive(0.6, "m", "length of an arm"),
    "arm_mass": positive(1.0, "kg", "mass of an arm"),
    "mass": positive(3.0, "kg", "mass of the body, a point between the arms"),
    "spread": number(0.0, "m", "distance of the bars; if 0 that at which swings cost nothing"),
    "gravity": positive(9.81, "m/s^2", "gravity"),
}
WIDEST, NARROWEST = 1.45, 0.75  # rad, arms at the start, in searches


def build(p) -> Model:
    """The arm that holds, and the other one, with the body at its root."""
    moment = p.arm_mass * p.arm**2 / 12
    pose = np.array(UPRIGHT) @ np.array([[0.0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])  # x down, y ahead
    look = Visual("box", (p.arm, 0.08 * p.arm, 0.08 * p.arm), at(p.arm / 2, 0.0, 0.0))
    arm = Inertia(p.arm_mass, (p.arm / 2, 0, 0), (0.0, moment, moment))
    body = Inertia(p.mass) + arm
    builder = Builder("gibbon", gravity=(0.0, 0.0, -p.gravity)).body("bar", at=pose)
    builder.body("holding", parent="bar", joint=Joint("hand"), inertia=arm, visuals=(look,))
    looks = (look, Visual("sphere", (0.15 * p.arm,)))
    return builder.body(
        "free", parent="holding", at=(p.arm, 0, 0), joint=Joint("shoulder"), inertia=body, visuals=looks
    ).build()


def hung(angle: float) -> np.ndarray:
    """Both hands at one height, the free one behind: arms lean by an angle from the vertical, rad."""
    return np.array([-angle, 2 * angle - np.pi])


@lru_cache(maxsize=16)
def free_swing(arm: float, arm_mass: float, mass: float, gravity: float) -> tuple[float, float]:
    """Angle of the arms at the start, rad, and time to the middle of the swing, s, at which both hang straight down."""
    from scipy.integrate import solve_ivp
    from scipy.optimize import brentq

    from locomote.dynamics.forces import forward_dynamics

    model = build(SimpleNamespace(arm=arm, arm_mass=arm_mass, mass=mass, gravity=gravity))

    def rates(t, y):
        return np.r_[y[2:], forward_dynamics(model, y[:2], y[2:], np.zeros(2))]

    def below(t, y):
        return y[0]

    below.terminal, below.direction = True, 1

    def middle(angle):
        most = 3 * np.sqrt(arm / gravity) * 2
        return solve_ivp(rates, (0.0, most), [*hung(angle), 0.0, 0.0], "DOP853", events=below, rtol=1e-11, atol=1e-13)

    def off(angle):
        return middle(angle).y[1, -1]

    tried = np.linspace(WIDEST, NARROWEST, 8)
    values = [off(x) for x in tried]
    for k in range(len(tried) - 1):
        if values[k] * values[k + 1] < 0:
            angle = float(brentq(off, tried[k], tried[k + 1], xtol=1e-13))
            return angle, float(middle(angle).t[-1])
    raise ModelError(
        "system 'gibbon'", f"a body of {mass:g} kg on arms of {arm_mass:g} kg never hangs straight in its swing: try 3"
    )


def start_angle(p) -> float:
    """Of the arms, from the vertical, rad."""
    if not p.spread:
        return free_swing(p.arm, p.arm_mass, p.mass, p.gravity)[0]
    if not 0.0 < p.spread < 2 * p.arm:
        raise ModelError("system 'gibbon'", f"arms of {p.arm:g} m do not hang between bars that are {p.spread:g} m apart")
    return float(np.arcsin(p.spread / (2 * p.arm)))


def initial(p, model: Model):
    """Both hands on bars, at rest."""
    return hung(start_angle(p)), np.zeros(2)


def duration(p) -> float:
    """A swing, s."""
    return 2 * free_swing(p.arm, p.arm_mass, p.mass, p.gravity)[1] if not p.spread else 1.0
