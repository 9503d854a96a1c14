"""A parallel continuum robot: a platform on six flexible rods, whose feet are pushed along them.

z up. The rods lean against each other in pairs, as the legs of a hexapod do, and are clamped at feet that slide along them; at
their tops ball joints hold the platform. The feet follow sines, so that the platform tilts round.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.flexible.rods import Material, Rod, Section
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import CLOSING, not_negative, positive

SOURCE = (
    "C.E. Bryson, D.C. Rucker: Toward parallel continuum manipulators. IEEE ICRA "
    "(2014): six rods between a base and a platform; ball joints at the platform, numbers chosen"
)
SEE = "the platform leans towards the feet that are drawn in and goes round with them, while the rods bend"
TOLERANCES = CLOSING
PARAMETERS = {
    "height": positive(0.35, "m", "height of the platform"),
    "radius": positive(0.003, "m", "radius of the rods"),
    "ring": positive(0.14, "m", "radius of the rings on which they stand and end"),
    "young": positive(1.5e9, "Pa", "Young's modulus of the rods"),
    "density": positive(1400.0, "kg/m^3", "their density"),
    "damping": positive(0.003, "s", "their Kelvin-Voigt time"),
    "platform_mass": positive(0.3, "kg", "mass of the platform"),
    "stroke": not_negative(0.02, "m", "how far feet go along the rods"),
    "period": positive(2.0, "s", "time of one round"),
}
FEET = (50, 70, 170, 190, 290, 310)  # degrees
TOPS = (10, 110, 130, 230, 250, 350)


def places(p) -> tuple[np.ndarray, np.ndarray]:
    """(6, 3) feet and tops."""
    feet, tops = (np.radians(x) for x in (FEET, TOPS))
    low = p.ring * np.column_stack([np.cos(feet), np.sin(feet), 0 * feet])
    return low, p.ring * np.column_stack([np.cos(tops), np.sin(tops), 0 * tops]) + (0.0, 0.0, p.height)


def leaning(foot: np.ndarray, top: np.ndarray) -> np.ndarray:
    """(3, 3) axes of a rod: x from foot to top, y level."""
    x = (top - foot) / np.linalg.norm(top - foot)
    y = np.cross((0.0, 0.0, 1.0), x)
    y = y / np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def pose(turn: np.ndarray, place=(0.0, 0.0, 0.0)) -> np.ndarray:
    """(4, 4)."""
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = turn, place
    return result


def build(p) -> Model:
    """Six feet, six rods; the platform hangs on the first by a ball joint."""
    material, section = Material(p.density, p.young, 0.4, damping=p.damping), Section.circle(p.radius)
    builder = Builder("parallel_continuum").body("ground")
    look = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    foot = Visual("cylinder", (0.012, 0.03), pose(look), color=(0.25, 0.25, 0.3, 1.0))
    low, high = places(p)
    rod = Rod(float(np.linalg.norm(high[0] - low[0])), section, material, strains="bending", order=1)
    for k, (start, end) in enumerate(zip(low, high, strict=True), 1):
        axes = leaning(start, end)
        joint = Joint(f"slide_{k}", "prismatic", axis="x")
        builder.body(f"foot_{k}", parent="ground", at=pose(axes, start), joint=joint, inertia=Inertia(0.05), visuals=[foot])
        builder.body(f"rod_{k}", parent=f"foot_{k}", flex=rod)
        builder.body(f"top_{k}", parent=f"rod_{k}", at=pose(axes.T))
    J, middle = p.platform_mass * p.ring**2 / 4, np.array([0.0, 0.0, p.height]) - high[0]
    plate = Visual("cylinder", (1.1 * p.ring, 0.012), pose(np.eye(3), middle), color=(0.85, 0.55, 0.25, 1.0))
    inertia = Inertia(p.platform_mass, com=tuple(middle), moment=(J, J, 2 * J))
    ball = Joint("ball", "spherical")
    return builder.body("platform", parent="top_1", joint=ball, inertia=inertia, visuals=[plate]).build()


def setting(p) -> dict:
    """Feet in turn, and five ball joints that close the loops."""
    from locomote.constraints.kinds import LoopClosure
    from locomote.drives.kinds.sine import Sine

    drives, loops = {}, []
    _, high = places(p)
    for k, angle in enumerate(np.radians(TOPS)):
        drives[f"slide_{k + 1}"] = Sine(p.stroke, 2 * np.pi / p.period, phase=-float(angle), ramp=0.5 * p.period)
        if k > 0:
            place = tuple(float(x) for x in high[k] - high[0])
            loops.append(LoopClosure(f"top_{k + 1}", "platform", kind="spherical", other_frame=place, name=f"ball {k + 1}"))
    return {"drives": drives, "constraints": loops}


def duration(p) -> float:
    """s"""
    return 2 * p.period
