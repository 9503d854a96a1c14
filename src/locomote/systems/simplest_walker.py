"""The simplest walker: a mass on two legs without mass, whose feet weigh next to nothing, walks down a slope by itself.

It moves in the plane of x and z; gravity leans, the ground does not. The angle of a leg counts from the upright, against the
clock seen from -y. The left foot stands; the right one swings through the ground without touching it (`gait`) until both
legs lean alike. Then it hits, the left one leaves, and the feet exchange their names.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import number, positive

SOURCE = (
    "M. Garcia, A. Chatterjee, A. Ruina, M. Coleman: The simplest walking model: stability, complexity, and scaling. Journal "
    "of Biomechanical Engineering 120 (1998); compass walker with heavier feet after A. Goswami and others (1996)"
)
SEE = "one step of the walker; `simplest_walker.gait` has the whole limit cycle and its multipliers"
PARAMETERS = {
    "slope": positive(0.009, "rad", "slope"),
    "feet": positive(1e-10, "1", "mass of a foot over that of the hip"),
    "length": positive(1.0, "m", "length of a leg"),
    "mass": positive(1.0, "kg", "mass of the hip"),
    "angle": number(0.2, "rad", "angle of the standing leg at the start"),
    "speed": number(-0.2, "rad/s", "its rate"),
    "swing": number(-0.184, "rad/s", "rate of the other leg"),
    "gravity": positive(1.0, "m/s^2", "gravity; times are in units of sqrt(length / gravity) where it is one"),
}


def build(p) -> Model:
    """The hip on two slides, two legs."""
    gravity = (p.gravity * np.sin(p.slope), 0.0, -p.gravity * np.cos(p.slope))
    builder = Builder("simplest walker", base="fixed", gravity=gravity)
    slides = [Joint("x", kind="prismatic", axis="x"), Joint("z", kind="prismatic", axis="z")]
    builder.body("hip", joint=slides, inertia=Inertia(p.mass), visuals=[Visual("sphere", (0.08 * p.length,))])
    for side in ("left", "right"):
        foot = Inertia(p.feet * p.mass, (0, 0, -p.length))
        builder.body(side, parent="hip", joint=Joint(f"{side}_leg", axis=(0, -1, 0)), inertia=foot)
    return builder.build()


def feet(p, sides=("left", "right")) -> list:
    """Feet that stick to the ground."""
    from locomote.constraints.kinds import PointContact

    return [PointContact(s, (0, 0, -p.length), (0, 0, 0), "xz", unilateral=True, name=f"{s}_foot") for s in sides]


def setting(p) -> dict:
    """The left foot stands."""
    return {"constraints": feet(p, ("left",))}


def state(p, angle: float, speed: float, other: float, swing: float):
    """q and v of legs with these angles and rates, the left foot at the origin."""
    c, s = p.length * np.cos(angle), p.length * np.sin(angle)
    return np.array([-s, c, angle, other]), np.array([-c * speed, -s * speed, speed, swing])


def initial(p, model: Model):
    """Just after a step."""
    return state(p, p.angle, p.speed, -p.angle, p.swing)


def duration(p) -> float:
    """s"""
    return float(3.5 * np.sqrt(p.length / p.gravity))


def gait(**given):
    """The limit cycle of the walker with these parameters: a `LimitCycle`."""
    from locomote.systems.parameters import values

    p = values("simplest_walker", PARAMETERS, given)
    return cycle_of(p, build(p), 3.0)


def cycle_of(p, model: Model, after: float):
    """The limit cycle of a model with such legs; after : when feet may meet first, in units of sqrt(length / gravity)."""
    from locomote.locomotion.limit_cycle import limit_cycle
    from locomote.locomotion.problem import Locomotion
    from locomote.methods.events.when import When

    problem = Locomotion(model, constraints=feet(p))

    def step(t, q, v):
        after = problem.impact(q, v, closed=["right_foot"]).v
        return state(p, q[3], after[3], q[2], after[2])

    both = When(lambda t, q, v: q[2] + q[3], after=after * np.sqrt(p.length / p.gravity), name="both feet down")
    return limit_cycle(problem, both, *initial(p, problem.model), then=step, ignore=["right_foot"])
