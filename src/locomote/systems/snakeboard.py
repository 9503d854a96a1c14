"""A board on two axles that can be steered, with a rotor in its middle.

x from the rear axle to the front axle. Axles hold the board sideways only; wheels have no mass of their own. All three
angles are imposed: the axles turn opposite to each other, the rotor swings in time with them.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.gaits import gait_choice
from locomote.systems.parameters import number, positive
from locomote.systems.parts import along_y

SOURCE = (
    "F. Boyer, A. Belkhiri: Reduced locomotion dynamics with passive internal DoFs. IEEE Transactions on Robotics 30 (2014), "
    "third example, after J.P. Ostrowski, A. Lewis, R. Murray, J. Burdick: Nonholonomic mechanics and locomotion: "
    "the snakeboard example (1994); numbers chosen"
)
SEE = "swinging the rotor while the axles are steered sets the board in motion from rest, faster with every period"
PARAMETERS = {
    "amplitude": number(0.7, "rad", "amplitude of the steering"),
    "rotor_amplitude": number(0.7, "rad", "amplitude of the rotor"),
    "rate": positive(1.0, "rad/s", "angular frequency of steering and rotor"),
    "phase": number(0.0, "rad", "how far the rotor is ahead of the steering"),
    "length": positive(0.2, "m", "half the distance of the axles"),
    "board_mass": positive(4.0, "kg", "mass of the board"),
    "board_inertia": positive(0.016, "kg m^2", "its moment of inertia"),
    "axle_mass": positive(0.6, "kg", "mass of each axle with its wheels"),
    "axle_inertia": positive(0.002, "kg m^2", "its moment of inertia"),
    "rotor_mass": positive(1.2, "kg", "mass of the rotor"),
    "rotor_inertia": positive(0.072, "kg m^2", "its moment of inertia"),
    "gait": gait_choice("fast", "turn", "park"),
}


def build(p) -> Model:
    """The board, its rear axle, its front axle, its rotor."""

    def part(mass: float, moment: float, *visuals: Visual) -> dict:
        return {"inertia": Inertia(mass, moment=(moment, moment, moment)), "visuals": visuals}

    axle = Visual("cylinder", (0.25 * p.length, 0.6 * p.length), along_y())
    builder = Builder("snakeboard", base="planar")
    builder.body("board", **part(p.board_mass, p.board_inertia, Visual("box", (2 * p.length, 0.3 * p.length, 0.02))))
    for name, x in (("rear", -p.length), ("front", p.length)):
        joint = Joint(f"{name}_steer")
        builder.body(f"{name}_axle", parent="board", at=(x, 0, 0), joint=joint, **part(p.axle_mass, p.axle_inertia, axle))
    bar = Visual("box", (0.2 * p.length, 3 * p.length, 0.04))
    builder.body("rotor", parent="board", joint=Joint("rotor"), **part(p.rotor_mass, p.rotor_inertia, bar))
    return builder.build()


def setting(p) -> dict:
    """Axles against each other, rotor in time with them; no axle slides sideways."""
    from locomote.constraints.kinds import Blade
    from locomote.drives.kinds.sine import Sine

    drives = {
        "rear_steer": Sine(p.amplitude, p.rate),
        "front_steer": Sine(-p.amplitude, p.rate),
        "rotor": Sine(p.rotor_amplitude, p.rate, phase=p.phase),
    }
    return {"drives": drives, "constraints": [Blade("rear_axle", name="rear"), Blade("front_axle", name="front")]}


def duration(p) -> float:
    """s"""
    return 10 * 2 * np.pi / p.rate
