"""A three-wheeler seen from above: two rear wheels, a steered front wheel, a rider who sways sideways.

x forward. Both rear wheels hold the same motion, so that one of them is redundant. Steering and swaying are imposed; one
speed is left to the dynamics.
"""

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.gaits import gait_choice
from locomote.systems.parameters import number, positive
from locomote.systems.parts import along_y, at

SOURCE = (
    "S. Chitta, P. Cheng, E. Frazzoli, V. Kumar: RoboTrikke: a novel undulatory locomotion system (2005); planar, after "
    "F. Boyer, M. Porez (2015); numbers chosen"
)
SEE = "steering and swaying in the right phase set it in motion from rest"
PARAMETERS = {
    "sway": number(0.15, "m", "amplitude of the rider"),
    "steer": number(0.4, "rad", "amplitude of the steering"),
    "rate": positive(3.0, "rad/s", "angular frequency of both"),
    "phase": number(1.2, "rad", "how far the steering is ahead of the rider"),
    "front": positive(0.6, "m", "front wheel ahead of the frame's mass center"),
    "rear": positive(0.4, "m", "rear wheels behind it"),
    "half_track": positive(0.35, "m", "rear wheels to the sides"),
    "frame_mass": positive(10.0, "kg", "mass of the frame"),
    "frame_inertia": positive(1.0, "kg m^2", "its moment of inertia"),
    "fork_mass": positive(1.0, "kg", "mass of the steered fork"),
    "fork_inertia": positive(0.01, "kg m^2", "its moment of inertia"),
    "rider_mass": positive(70.0, "kg", "mass of the rider, a point"),
    "gait": gait_choice("fast", "turn"),
}


def build(p) -> Model:
    """The frame, the steered fork, the rider on a slide across the frame."""
    wheel = Visual("cylinder", (0.1, 0.03), along_y())
    frame = [Visual("box", (p.front + p.rear, 0.06, 0.04), at((p.front - p.rear) / 2, 0, 0))]
    frame += [Visual("cylinder", (0.1, 0.03), at(-p.rear, side * p.half_track, 0) @ along_y()) for side in (1, -1)]
    frame += [Visual("box", (0.03, 2 * p.half_track, 0.03), at(-p.rear, 0, 0))]
    builder = Builder("trikke", base="planar")
    builder.body("frame", inertia=Inertia(p.frame_mass, moment=[p.frame_inertia] * 3), visuals=frame)
    column = Visual("box", (0.03, 0.03, 0.5), at(0, 0, 0.25)), Visual("box", (0.03, 0.4, 0.03), at(0, 0, 0.5))
    fork = Inertia(p.fork_mass, moment=[p.fork_inertia] * 3)
    builder.body("fork", parent="frame", at=(p.front, 0, 0), joint=Joint("steer"), inertia=fork, visuals=(wheel, *column))
    rider = (Visual("sphere", (0.12,), at(0, 0, 0.6)), Visual("capsule", (0.06, 0.4), at(0, 0, 0.25)))
    builder.body(
        "rider", parent="frame", joint=Joint("sway", "prismatic", axis="y"), inertia=Inertia(p.rider_mass), visuals=rider
    )
    return builder.build()


def setting(p) -> dict:
    """Rider and steering swing; no wheel slides sideways."""
    from locomote.constraints.kinds import Blade
    from locomote.drives.kinds.sine import Sine

    drives = {"sway": Sine(p.sway, p.rate), "steer": Sine(p.steer, p.rate, phase=p.phase)}
    rear = [Blade("frame", (-p.rear, y, 0.0), name=side) for side, y in (("left", p.half_track), ("right", -p.half_track))]
    return {"drives": drives, "constraints": [Blade("fork", name="front"), *rear]}


def duration(p) -> float:
    """s"""
    return 20.0
