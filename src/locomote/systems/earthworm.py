"""An earthworm that crawls by peristalsis: waves of shortening run along its body, and bristles keep it from sliding back.

x from the tail to the head. The stretch of the body is imposed, a wave from head to tail, over a straight line; the body gets
thicker where it is short only to look at. Each piece of the body lies on the ground with its bristles.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Visual
from locomote.model.flexible.bases import Harmonics
from locomote.model.flexible.rods import Material, Rod, Section
from locomote.model.model import Model
from locomote.systems.parameters import not_negative, positive, whole

SOURCE = (
    "peristaltic crawling after R.McN. Alexander: Principles of Animal Locomotion (2003), and F. Boyer, S. Ali, M. Porez: "
    "Macrocontinuous dynamics for hyperredundant robots (2012); numbers chosen"
)
SEE = "rings of short body run backwards while the worm creeps forwards; bristles that grip both ways let it stay where it is"
PARAMETERS = {
    "length": positive(0.2, "m", "length of the worm"),
    "radius": positive(0.006, "m", "radius of its section"),
    "density": positive(1050.0, "kg/m^3", "density"),
    "stretch": positive(0.25, "-", "how much the body gets longer and shorter"),
    "wavelength": positive(0.1, "m", "length of the wave along the body"),
    "period": positive(1.5, "s", "time of one wave"),
    "forwards": not_negative(0.15, "-", "coefficient of friction forwards"),
    "backwards": not_negative(0.9, "-", "coefficient of friction backwards, against the bristles"),
    "sections": whole(16, "sections at which the ground acts", lowest=2, highest=60),
    "slow": positive(0.005, "m/s", "speed below which friction fades"),
}


def build(p) -> Model:
    """One rod that may only stretch, on a base that moves along x."""
    rod = Rod(
        p.length, Section.circle(p.radius), Material(p.density, 1e5), strains="stretch", basis=Harmonics(p.wavelength), nodes=10
    )
    builder = Builder("earthworm", base="x").body("worm", flex=rod)
    for k in range(int(p.sections)):
        ring = Visual("cylinder", (1.25 * p.radius, 0.35 * p.length / p.sections), along_x(), color=(0.75, 0.45, 0.4, 1.0))
        builder.body(f"ring_{k + 1}", parent="worm", along=(k + 0.5) / p.sections * p.length, visuals=[ring])
    return builder.build()


def along_x() -> np.ndarray:
    """z of a shape along x."""
    place = np.eye(4)
    place[:3, :3] = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]
    return place


def setting(p) -> dict:
    """The wave of stretch, from head to tail, and bristles."""
    from locomote.drives.kinds.sine import Sine
    from locomote.forces.granular import Scales

    weight = p.density * np.pi * p.radius**2 * p.length * 9.81 / p.sections
    w, ramp = 2 * np.pi / p.period, 0.25 * p.period
    wave = [Sine(p.stretch, w, ramp=ramp), Sine(p.stretch, w, phase=np.pi / 2, ramp=ramp)]  # sin(w t + k X)
    ground = [
        Scales(f"ring_{k + 1}", weight, p.forwards, p.backwards, 0.5, slow=p.slow, name=f"bristles {k + 1}")
        for k in range(int(p.sections))
    ]
    return {"drives": {"worm": wave}, "environment": ground}


def duration(p) -> float:
    """s"""
    return 6 * p.period
