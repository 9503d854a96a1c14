"""An arm of two flexible links in the plane, moved by its two joints.

x along the links. Both links bend in the plane of motion only; the joints follow smooth turns from rest to rest, and the
links go on swinging.
"""

from locomote.model.builder import Builder
from locomote.model.description import Joint
from locomote.model.flexible.rods import Material, Rod, Section
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import CLOSING, number, positive

SOURCE = (
    "two flexible links after W.J. Book: Recursive Lagrangian dynamics of flexible manipulator arms (1984); "
    "rods by strain instead of modes; numbers chosen"
)
SEE = "the links bend back while the joints speed up, ahead while they slow down, and swing on when the joints rest"
TOLERANCES = CLOSING
PARAMETERS = {
    "length": positive(1.0, "m", "length of each link"),
    "width": positive(0.01, "m", "thickness of the links in the plane of motion"),
    "height": positive(0.05, "m", "height of the links"),
    "young": positive(70e9, "Pa", "Young's modulus of the links"),
    "density": positive(2700.0, "kg/m^3", "their density"),
    "damping": positive(1e-4, "s", "Kelvin-Voigt time of the links"),
    "elbow_mass": positive(0.5, "kg", "mass of the motor at the elbow"),
    "load": positive(0.2, "kg", "mass at the hand"),
    "shoulder_turn": number(1.2, "rad", "turn of the shoulder"),
    "elbow_turn": number(-0.9, "rad", "turn of the elbow"),
    "rise": positive(1.0, "s", "time that the turns take"),
}


def build(p) -> Model:
    """Two links on revolute joints, a motor between them, a load at the end."""
    material, section = Material(p.density, p.young, 0.33, damping=p.damping), Section.rectangle(p.width, p.height)
    rod = Rod(p.length, section, material, strains="bending_z", order=3)
    builder = Builder("flexible_arm", gravity=(0.0, 0.0, 0.0))
    builder.body("upper", joint=Joint("shoulder"), flex=rod)
    moment = 1e-4 * p.elbow_mass
    builder.body("motor", parent="upper", inertia=Inertia(p.elbow_mass, moment=(moment, moment, moment)))
    builder.body("lower", parent="motor", joint=Joint("elbow"), flex=rod)
    builder.body("hand", parent="lower", inertia=Inertia(p.load))
    return builder.build()


def setting(p) -> dict:
    """Both joints turn from rest to rest."""
    from locomote.drives.kinds.cycloid import Cycloid

    return {
        "drives": {
            "shoulder": Cycloid(0.0, p.shoulder_turn, p.rise),
            "elbow": Cycloid(0.0, p.elbow_turn, p.rise),
        }
    }


def duration(p) -> float:
    """s"""
    return 3 * p.rise
