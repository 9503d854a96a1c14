"""A beam that is spun up about its root: it lags behind, then stands straight again, stiffened by the spin.

x along the beam; the hub turns about z as Kane's manoeuvre says. A modal body without second-order terms would diverge here; a
rod has them by itself.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint
from locomote.model.flexible.bases import BeamModes
from locomote.model.flexible.rods import Material, Rod, Section
from locomote.model.model import Model
from locomote.systems.parameters import CLOSING, positive, whole

SOURCE = (
    "T.R. Kane, R.R. Ryan, A.K. Banerjee: Dynamics of a cantilever beam attached to a moving base. Journal of Guidance, "
    "Control, and Dynamics 10 (1987), spin-up"
)
SEE = "the tip lags by some percent of the length while the spin grows, and comes back when it is steady"
TOLERANCES = CLOSING
PARAMETERS = {
    "length": positive(10.0, "m", "length of the beam"),
    "area": positive(4e-4, "m^2", "area of its section"),
    "second_moment": positive(2e-7, "m^4", "second moment of its section"),
    "young": positive(7e10, "Pa", "Young's modulus"),
    "density": positive(3000.0, "kg/m^3", "density"),
    "spin": positive(6.0, "rad/s", "spin in the end"),
    "rise": positive(15.0, "s", "time that the spin takes to grow"),
    "modes": whole(3, "bending modes of a cantilever that the strain follows", lowest=1, highest=10),
}


def build(p) -> Model:
    """A rod on a turning hub, with the curvatures of beam modes."""
    rod = Rod(
        p.length, Section(p.area, p.second_moment, p.second_moment, 2 * p.second_moment),
        Material(p.density, p.young, 0.3), strains="bending_z", basis=BeamModes(int(p.modes)), nodes=16,
    )  # fmt: skip
    builder = Builder("spin_up_beam", gravity=(0.0, 0.0, 0.0)).body("beam", joint=Joint("hub"), flex=rod)
    return builder.body("tip", parent="beam").build()


def setting(p) -> dict:
    """The angle of Kane's spin-up: spin / rise (t^2 / 2 + (rise / tau)^2 (cos(tau t / rise) - 1)), then steady."""
    from locomote.drives.kinds.function import Function

    def angle(t):
        s = min(max(t, 0.0), p.rise)
        w = 2 * np.pi / p.rise
        return p.spin / p.rise * (s * s / 2 + (np.cos(w * s) - 1) / w**2) + p.spin * max(t - p.rise, 0.0)

    def rate(t):
        s, w = min(max(t, 0.0), p.rise), 2 * np.pi / p.rise
        return p.spin / p.rise * (s - np.sin(w * s) / w)

    def second(t):
        s, w = min(max(t, 0.0), p.rise), 2 * np.pi / p.rise
        return p.spin / p.rise * (1 - np.cos(w * s))

    return {"drives": {"hub": Function(angle, rate, second, breaks=(0.0, p.rise))}}


def duration(p) -> float:
    """s"""
    return p.rise + 5.0
