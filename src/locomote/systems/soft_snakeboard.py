"""A snakeboard whose rotor is two flexible beams, clamped on its shaft.

x from the rear axle to the front axle; one beam lies along x of the shaft, the other one against it. Steering and shaft are
imposed, the beams bend as they like. `modes` gives the beams of the paper: displacements linear in the modes of a cantilever;
`rods` gives strains of the same modes, which are exact at large bending.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.flexible.bases import BeamModes
from locomote.model.flexible.modes import Modes
from locomote.model.flexible.rods import Material, Rod, Section
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import CLOSING, choice, number, positive, whole
from locomote.systems.parts import along_y
from locomote.systems.snakeboard import duration as duration
from locomote.systems.snakeboard import setting as setting  # axles and shaft move as there

SOURCE = (
    "F. Boyer, A. Belkhiri: Reduced locomotion dynamics with passive internal DoFs. IEEE Transactions on Robotics 30 (2014), "
    "third example with a soft rotor; numbers chosen"
)
SEE = "the beams lag behind the shaft and store energy; the board sets off as the rigid one does, and answers to their swinging"
TOLERANCES = CLOSING
PARAMETERS = {
    "beams": choice("modes", ("modes", "rods"), "how the beams deform: the paper's modes, or rods with the strains of these"),
    "modes": whole(1, "bending modes of each beam", lowest=1, highest=8),
    "amplitude": number(0.7, "rad", "amplitude of the steering"),
    "rotor_amplitude": number(0.7, "rad", "amplitude of the shaft"),
    "rate": positive(1.0, "rad/s", "angular frequency of steering and shaft"),
    "phase": number(0.0, "rad", "how far the shaft is ahead of the steering"),
    "length": positive(0.2, "m", "half the distance of the axles"),
    "board_mass": positive(4.0, "kg", "mass of the board"),
    "board_inertia": positive(0.016, "kg m^2", "its moment of inertia"),
    "axle_mass": positive(0.6, "kg", "mass of each axle with its wheels"),
    "axle_inertia": positive(0.002, "kg m^2", "its moment of inertia"),
    "beam_length": positive(0.3, "m", "length of a beam"),
    "beam_mass": positive(0.6, "kg", "mass of a beam"),
    "bending": positive(0.12, "N m^2", "bending stiffness EI of a beam"),
    "damping": positive(0.004, "N s/m", "damping of the first mode, whose tip moves by two per unit"),
}
YOUNG, DENSITY = 2e9, 1100.0  # Pa and kg/m^3, for rods with the given stiffness and mass
FIRST = 1.8751040687119611  # beta L of a cantilever


def flex(p) -> Modes | Rod:
    """One beam."""
    first = p.bending * FIRST**4 / p.beam_length**3
    if p.beams == "modes":
        return Modes.cantilever(
            p.beam_length, p.beam_mass, p.bending, int(p.modes), stiffening=False, rayleigh=(0.0, p.damping / first)
        )
    second = p.bending / YOUNG
    section = Section(p.beam_mass / p.beam_length / DENSITY, second, second, 2 * second, size=(0.004, 0.02))
    material = Material(DENSITY, YOUNG, 0.3, damping=p.damping / first)
    return Rod(p.beam_length, section, material, strains="bending_z", basis=BeamModes(int(p.modes)))


def build(p) -> Model:
    """The board, its axles, the shaft and its beams."""

    def part(mass: float, moment: float, *visuals: Visual) -> dict:
        return {"inertia": Inertia(mass, moment=(moment, moment, moment)), "visuals": visuals}

    axle = Visual("cylinder", (0.25 * p.length, 0.6 * p.length), along_y())
    builder = Builder("soft_snakeboard", base="planar")
    builder.body("board", **part(p.board_mass, p.board_inertia, Visual("box", (2 * p.length, 0.3 * p.length, 0.02))))
    for name, x in (("rear", -p.length), ("front", p.length)):
        joint = Joint(f"{name}_steer")
        builder.body(f"{name}_axle", parent="board", at=(x, 0, 0), joint=joint, **part(p.axle_mass, p.axle_inertia, axle))
    shaft = Visual("cylinder", (0.12 * p.length, 0.2), color=(0.3, 0.3, 0.35, 1.0))
    builder.body("shaft", parent="board", at=(0.0, 0.0, 0.08), joint=Joint("rotor"), visuals=[shaft])
    builder.body("beam", parent="shaft", flex=flex(p))
    return builder.body("other_beam", parent="shaft", at=np.diag([-1.0, -1.0, 1.0, 1.0]), flex=flex(p)).build()
