"""A snake without links on bare ground: nothing holds it, only the friction of its scales, which differs by direction.

x from the head to the tail. A wave of curvature goes from head to tail; scales slide forwards more easily than backwards, and
more easily than sideways, so that the wave pushes the snake forwards while it slips.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.flexible.bases import Harmonics
from locomote.model.flexible.rods import Material, Rod, Section
from locomote.model.model import Model
from locomote.systems.parameters import not_negative, number, positive, whole

SOURCE = (
    "D.L. Hu, J. Nirody, T. Scott, M.J. Shelley: The mechanics of slithering locomotion. PNAS "
    "106 (2009): curvature and friction coefficients; without the lifting of curves"
)
SEE = "the snake slips backwards along its wave and still gets forwards; with the same friction in all directions it stays"
PARAMETERS = {
    "length": positive(0.3, "m", "length of the snake"),
    "radius": positive(0.008, "m", "radius of its section"),
    "density": positive(1000.0, "kg/m^3", "density"),
    "amplitude": number(7.0, "1/length", "curvature of the wave, times the length of the snake"),
    "waves": positive(1.0, "-", "wavelengths along the body"),
    "period": positive(2.0, "s", "time of one wave"),
    "forwards": not_negative(0.11, "-", "coefficient of friction forwards"),
    "backwards": not_negative(0.14, "-", "coefficient of friction backwards"),
    "sideways": not_negative(0.20, "-", "coefficient of friction sideways"),
    "sections": whole(12, "sections at which the ground acts", lowest=2, highest=60),
    "slow": positive(0.02, "m/s", "speed below which friction fades"),
}


def build(p) -> Model:
    """One rod on a planar base, and the sections that lie on the ground, x towards the head."""
    rod = Rod(
        p.length,
        Section.circle(p.radius),
        Material(p.density, 1e5),
        strains="bending_z",
        basis=Harmonics(p.length / p.waves),
        nodes=10,
    )
    builder = Builder("ground_snake", base="planar").body("snake", flex=rod)
    for k in range(int(p.sections)):
        builder.body(
            f"scales_{k + 1}", parent="snake", along=(k + 0.5) / p.sections * p.length, at=np.diag([-1.0, -1.0, 1.0, 1.0])
        )
    return builder.build()


def setting(p) -> dict:
    """The wave, and the ground."""
    from locomote.drives.kinds.sine import Sine
    from locomote.forces.granular import Scales

    weight = p.density * np.pi * p.radius**2 * p.length * 9.81 / p.sections
    size, w, ramp = p.amplitude / p.length, 2 * np.pi / p.period, 0.25 * p.period
    wave = [Sine(size, w, ramp=ramp), Sine(-size, w, phase=np.pi / 2, ramp=ramp)]  # sin(w t - k X)
    ground = [
        Scales(f"scales_{k + 1}", weight, p.forwards, p.backwards, p.sideways, slow=p.slow, name=f"ground {k + 1}")
        for k in range(int(p.sections))
    ]
    return {"drives": {"snake": wave}, "environment": ground}


def duration(p) -> float:
    """s"""
    return 5 * p.period
