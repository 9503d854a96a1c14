"""A bird of a gull's size in forward flight: wings of arm and hand that flap and twist, a body that goes where the air takes
it.

x ahead, y to the left, z up. The attitude of the body is held, as on a balance that flies along; ahead and up it is free. Wings
flap about the shoulder; the hand follows with a smaller stroke of its own, late by a part of a period, and twists against the
stroke, as told or by itself on a spring. Blade elements with coefficients of attached flow.
"""

from typing import Any

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import choice, not_negative, number, positive
from locomote.systems.parts import at

SOURCE = (
    "strip theory of flapping flight after J.D. DeLaurier: An aerodynamic model for flapping-wing flight. Aeronautical Journal "
    "97 (1993), quasi-steady; size of a gull after C.J. Pennycuick: Modelling the Flying Bird. Academic Press (2008); numbers "
    "chosen"
)
SEE = "it flies about level, at 13 m/s, bobbing with every stroke; with flap=0 it glides, eleven metres for each it sinks"
PARAMETERS = {
    "twist": choice("imposed", ("imposed", "passive"), "of the hand: as told, or on a spring"),
    "mass": positive(0.40, "kg", "mass of the body"),
    "half_span": positive(0.50, "m", "length of a wing"),
    "chord": positive(0.13, "m", "chord at the root; half of it at the tip"),
    "wing_mass": positive(0.03, "kg", "mass of a wing"),
    "frequency": positive(4.0, "Hz", "of the strokes"),
    "flap": number(32.0, "deg", "amplitude of the stroke"),
    "lag": number(40.0, "deg", "by which the hand is late"),
    "hand": number(0.5, "1", "amplitude of the hand over that of the shoulder"),
    "incidence": number(8.0, "deg", "of the wings"),
    "twisting": number(12.0, "deg", "amplitude of the twist of the hand"),
    "stiffness": not_negative(3.0, "N m/rad", "of a passive twist"),
    "speed": positive(12.0, "m/s", "at the start"),
    "body_drag": positive(0.0025, "m^2", "drag area of the body"),
    "air": positive(1.2, "kg/m^3", "density of air"),
}
LIFT = (0.0, 1.2, 4.0, 0.0)  # 1.2 sin(4 al): a slope of 4.8, stall at 22 degrees
DRAG = (0.42, -0.4, 2.0, 0.0)  # 0.02 + 0.8 sin(al)^2: skin friction, and what lift costs a wing of this aspect ratio


def chord(p, x: float) -> float:
    """m, at x in 0..1 of the whole wing."""
    return p.chord * (1 - 0.5 * x)


def build(p) -> Model:
    """A body with two wings of two parts."""
    builder, b, c = Builder("flapping_bird", base="xyz"), p.half_span / 2, 0.75 * p.chord
    look = Visual("ellipsoid", (0.2, 0.05, 0.05))
    builder.body("body", inertia=Inertia.ellipsoid(p.mass, (0.2, 0.05, 0.05)), visuals=(look,))
    spring = {"stiffness": p.stiffness, "damping": 0.002 * p.stiffness} if p.twist == "passive" else {}
    for name, side in (("left", 1.0), ("right", -1.0)):
        tilt, s, k = at(0.05, 0.03 * side, 0.0), np.sin(np.radians(p.incidence)), np.cos(np.radians(p.incidence))
        tilt[:3, :3] = [[k, 0, -s], [0, 1, 0], [s, 0, k]]  # leading edge up
        arm = Inertia.box(0.65 * p.wing_mass, (0.8 * p.chord, b, 0.01)).moved(at(-0.2 * c, side * b / 2, 0))
        hand = Inertia.box(0.35 * p.wing_mass, (0.5 * p.chord, b, 0.005)).moved(at(-0.1 * c, side * b / 2, 0))
        flap = Joint(f"{name}_flap", axis=(side, 0, 0))
        joints = Joint(f"{name}_wrist", axis=(side, 0, 0)), Joint(f"{name}_twist", axis="y", **spring)
        inner = Visual("box", (chord(p, 0.25), b, 0.008), at(-0.25 * chord(p, 0.25), side * b / 2, 0))
        outer = Visual("box", (chord(p, 0.75), b, 0.005), at(-0.25 * chord(p, 0.75), side * b / 2, 0))
        builder.body(f"{name}_arm", parent="body", at=tilt, joint=flap, inertia=arm, visuals=(inner,))
        place = (0, side * b, 0)
        builder.body(f"{name}_hand", parent=f"{name}_arm", at=place, joint=joints, inertia=hand, visuals=(outer,))
    return builder.build()


def setting(p) -> dict:
    """Strokes imposed, and twist if so asked; attitude and way aside held; air on wings and body."""
    from locomote.drives.kinds.sine import Sine
    from locomote.forces.water.drag import Drag
    from locomote.forces.water.fluid import Fluid
    from locomote.forces.water.wing import Wing

    air, w, b = Fluid(p.air, 1.8e-5), 2 * np.pi * p.frequency, p.half_span / 2
    drives: dict[Any, Any] = {("base", 1): 0.0}
    forces: list[Any] = [Drag("body", air, p.body_drag)]
    law = {"lift": LIFT, "drag": DRAG, "axis": 0.25, "elements": 4}
    for name, side in (("left", 1.0), ("right", -1.0)):
        flap, late = np.radians(p.flap), -np.radians(p.lag)
        drives[f"{name}_flap"] = Sine(flap, w, np.pi / 2)
        drives[f"{name}_wrist"] = Sine(p.hand * flap, w, np.pi / 2 + late)
        if p.twist == "imposed":  # nose down (positive about y) while the wing goes down
            drives[f"{name}_twist"] = Sine(np.radians(p.twisting), w, late / 2)
        for part, first in (("arm", 0.0), ("hand", 0.5)):

            def width(x, first=first):
                return chord(p, first + x / 2)

            forces.append(Wing(f"{name}_{part}", air, (0, 0, 0), (0, side * b, 0), width, (1, 0, 0), **law))
    return {"drives": drives, "environment": forces}


def initial(p, model: Model):
    """In flight."""
    v = np.zeros(model.nv)
    v[0] = p.speed
    return model.neutral(), v


def duration(p) -> float:
    """s"""
    return 4.0
