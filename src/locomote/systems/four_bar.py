"""A four-bar linkage in the vertical plane: a crank, an output link, and a coupler on the output link that closes the loop.

The crank turns about the origin, the output link about a point of the x axis; angles grow from x towards up, that
of the coupler is relative to the output link. The loop is closed where the coupler meets the crank. Links are slender rods.
"""

import numpy as np

from locomote.errors import ModelError
from locomote.model.builder import Builder
from locomote.model.description import Joint
from locomote.model.model import Model
from locomote.systems.parameters import choice, number, positive
from locomote.systems.parts import UPRIGHT, rod

SOURCE = (
    "S.V. Shah, P.V. Nandihal, S.K. Saha: Recursive dynamics simulator (ReDySim). Theoretical & Applied Mechanics Letters 2 "
    "(2012), four-bar mechanism"
)
SEE = "let go, it swings and comes back; driven, the torque of the crank repeats every turn"
PARAMETERS = {
    "motion": choice("fall", ("fall", "driven"), "let go under gravity, or the crank turns at a constant rate"),
    "rate": number(1.5 * np.pi, "rad/s", "rate of the crank: when driven, or at the start of a fall (try 0)"),
    "angle": number(0.0, "rad", "crank angle at the start"),
    "base": number(-0.0895, "m", "where the output link is hinged, along x"),
    "crank": positive(0.038, "m", "length of the crank"),
    "output": positive(0.1152, "m", "length of the output link"),
    "coupler": positive(0.1152, "m", "length of the coupler"),
    "crank_mass": positive(1.5, "kg", "mass of the crank"),
    "output_mass": positive(3.0, "kg", "mass of the output link"),
    "coupler_mass": positive(5.0, "kg", "mass of the coupler"),
    "gravity": number(9.81, "m/s^2", "gravity"),
}


def build(p) -> Model:
    """Crank, output link, and the coupler on it."""
    builder = Builder("four-bar", gravity=(0.0, 0.0, -p.gravity)).body("ground", at=UPRIGHT)
    builder.body("crank", parent="ground", joint=Joint("crank"), **rod(p.crank_mass, p.crank))
    builder.body("output", parent="ground", at=(p.base, 0, 0), joint=Joint("output"), **rod(p.output_mass, p.output))
    builder.body("coupler", parent="output", at=(p.output, 0, 0), joint=Joint("coupler"), **rod(p.coupler_mass, p.coupler))
    return builder.build()


def setting(p) -> dict:
    """The end of the crank is the end of the coupler."""
    from locomote.constraints.kinds import PointContact
    from locomote.drives.kinds.polynomial import Polynomial

    end, meets = (p.crank, 0.0, 0.0), (p.coupler, 0.0, 0.0)
    loop = PointContact("crank", end, meets, "xy", other="coupler", name="loop")
    drives = {"crank": Polynomial((p.angle, p.rate))} if p.motion == "driven" else {}
    return {"drives": drives, "constraints": [loop]}


def closed(p, angle: float) -> np.ndarray:
    """Angles of crank, output link and coupler for a crank angle, with the output link's end on the upper side."""
    gap = np.array([p.crank * np.cos(angle) - p.base, p.crank * np.sin(angle)])
    distance, direction = np.hypot(*gap), np.arctan2(gap[1], gap[0])
    if not abs(p.output - p.coupler) <= distance <= p.output + p.coupler:
        raise ModelError(
            "system 'four_bar'",
            f"the links cannot close the loop at crank angle {angle:g} rad: the ends are {distance:.4g} m apart, "
            f"output link and coupler reach from {abs(p.output - p.coupler):.4g} to {p.output + p.coupler:.4g} m",
        )
    inside = np.arccos((p.output**2 + distance**2 - p.coupler**2) / (2 * p.output * distance))
    bend = np.pi - np.arccos((p.output**2 + p.coupler**2 - distance**2) / (2 * p.output * p.coupler))
    side = 1.0 if gap[0] >= 0 else -1.0
    return np.array([angle, direction + side * inside, -side * bend])


def initial(p, model: Model):
    """Closed at the crank angle; the other rates follow from the crank's."""
    q = closed(p, p.angle)
    a, b, c = q[0], q[1], q[1] + q[2]
    # the ends move alike: crank rate * n_a = output rate * (n_b + n_c) + coupler rate * n_c
    n_a, n_b, n_c = (length * np.array([-np.sin(x), np.cos(x)]) for length, x in ((p.crank, a), (p.output, b), (p.coupler, c)))
    others = np.linalg.solve(np.column_stack([n_b + n_c, n_c]), p.rate * n_a)
    return q, np.array([p.rate, *others])


def duration(p) -> float:
    """s"""
    return 1.3333333333333333
