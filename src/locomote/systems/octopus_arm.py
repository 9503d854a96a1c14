"""An arm of an octopus that curls and unrolls: muscles along two sides, in pieces that are activated one after the other.

x from root to tip, curled in the plane x y; the arm tapers and has no weight in the water that carries it. First all muscles of
one side pull, and the arm rolls up; then they let go one after the other from the root, both sides hold against
each other behind it, and the bend runs to the tip.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.flexible.rods import Cone, Material, Rod
from locomote.model.model import Model
from locomote.systems.parameters import CLOSING, positive, whole

SOURCE = (
    "reaching after Y. Yekutieli et al.: Dynamic model of the octopus arm I. Journal of Neurophysiology 94 (2005): a wave of "
    "activation from root to tip; a rod instead of masses and springs, numbers chosen"
)
SEE = "the arm rolls up, then a bend travels from the root to the tip and leaves a straight arm behind"
TOLERANCES = CLOSING
PARAMETERS = {
    "length": positive(0.4, "m", "length of the arm"),
    "root_radius": positive(0.02, "m", "radius at the root"),
    "tip_radius": positive(0.006, "m", "radius at the tip"),
    "young": positive(4e5, "Pa", "Young's modulus of the tissue at rest"),
    "density": positive(1050.0, "kg/m^3", "density"),
    "damping": positive(0.12, "s", "Kelvin-Voigt time, which stands for the drag of water too"),
    "stress": positive(7e4, "Pa", "active stress of muscles over a quarter of the section"),
    "pieces": whole(6, "pieces of muscle along each side", lowest=1, highest=20),
    "curl": positive(1.0, "s", "time in which the arm is rolled up"),
    "hold": positive(0.5, "s", "time for which it stays"),
    "reach": positive(1.5, "s", "time that the wave takes from root to tip"),
}


def build(p) -> Model:
    """A tapered rod, clamped at its root."""
    rod = Rod(
        p.length, Cone(p.root_radius, p.tip_radius, p.length), Material(p.density, p.young, damping=p.damping),
        strains="bending_z stretch", order={"bending": 6, "stretch": 2}, nodes=20,
    )  # fmt: skip
    return Builder("octopus_arm", gravity=(0.0, 0.0, 0.0)).body("arm", flex=rod).body("tip", parent="arm").build()


def setting(p) -> dict:
    """Muscles of both sides, piece by piece."""
    from locomote.actuation.actuators import Muscle
    from locomote.drives.kinds.spline import Spline

    count, end = int(p.pieces), duration(p)
    times, muscles = np.linspace(0.0, end, 141), []

    def rise(x):
        x = np.clip(x, 0.0, 1.0)
        return x * x * (3 - 2 * x)

    for k in range(count):
        start, stop = k / count * p.length, (k + 1) / count * p.length
        radius = p.root_radius + (p.tip_radius - p.root_radius) * (k + 0.5) / count
        let_go = p.curl + p.hold + k / count * p.reach
        passed = rise((times - let_go) / (1.5 * p.reach / count))
        rolled = rise(times / p.curl) * (1.0 - 0.7 * passed)
        straight = 0.3 * passed
        for side, told in (("inner", rolled), ("outer", straight)):
            y = (0.6 if side == "inner" else -0.6) * radius
            path = ((start, y, 0.0), (stop, y, 0.0))
            force = p.stress * np.pi * radius**2 / 4
            muscles.append(Muscle("arm", path, force, Spline(times, told), speed=5.0, name=f"{side} {k + 1}"))
    return {"actuators": muscles}


def duration(p) -> float:
    """s"""
    return p.curl + p.hold + p.reach + 1.5
