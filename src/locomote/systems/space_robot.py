"""A planar base that floats, with an arm of links: nothing pushes it, so momentum stays zero and the base answers the arm.

The frame of the base is at its mass center, x along the arm; joint angles are relative. Two motions: `reach` moves all joints
from one posture to another, cycloidal from rest to rest; `loop` lets the first two joints run around a circle in the plane of
their angles, and the base has turned when they are back (the planar falling cat).
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.gaits import gait_choice
from locomote.systems.parameters import choice, number, positive, whole
from locomote.systems.parts import box, rod

SOURCE = (
    "S.V. Shah, P.V. Nandihal, S.K. Saha: Recursive dynamics simulator (ReDySim). Theoretical & Applied Mechanics Letters 2 "
    "(2012), free-floating three-link robot of its demonstration"
)
SEE = "the base drifts and turns while the arm moves, and stands still when the arm does; its mass center never moves"
PARAMETERS = {
    "motion": choice("reach", ("reach", "loop"), "from posture to posture, or around a circle"),
    "links": whole(3, "number of links", lowest=1),
    "base_mass": positive(500.0, "kg", "mass of the base"),
    "base_inertia": positive(83.61, "kg m^2", "its moment of inertia"),
    "attachment": number(0.5, "m", "first joint from the mass center of the base"),
    "link_mass": positive(10.0, "kg", "mass of each link"),
    "link_inertia": positive(1.05, "kg m^2", "its moment of inertia"),
    "link_length": positive(1.0, "m", "its length; the mass center is in the middle"),
    "time": positive(20.0, "s", "time of the motion"),
    "amplitude": number(0.4, "rad", "radius of the loop"),
    "center_1": number(1.0, "rad", "center of the loop, first joint"),
    "center_2": number(0.6, "rad", "second joint"),
    "gait": gait_choice("turn", "efficient"),
}
FROM, TO = (0.3803, -0.6198, 1.2867), -np.pi / 2  # rad, first three joints; all others start at zero


def build(p) -> Model:
    """The base and the links."""
    base, link = box(p.base_mass, (2 * abs(p.attachment), 0.6, 0.6)), rod(p.link_mass, p.link_length)
    base["inertia"] = Inertia(p.base_mass, moment=[p.base_inertia] * 3)
    link["inertia"] = Inertia(p.link_mass, (p.link_length / 2, 0, 0), [p.link_inertia] * 3)
    builder = Builder("space robot", base="planar", gravity=(0.0, 0.0, 0.0))
    builder.body("base", **base)
    for k in range(1, p.links + 1):
        parent, place = ("base", p.attachment) if k == 1 else (f"link{k - 1}", p.link_length)
        builder.body(f"link{k}", parent=parent, at=(place, 0, 0), joint=Joint(f"joint{k}"), **link)
    return builder.build()


def setting(p) -> dict:
    """All joints imposed."""
    from locomote.drives.kinds.constant import Constant
    from locomote.drives.kinds.cycloid import Cycloid
    from locomote.drives.kinds.sine import Sine

    names = [f"joint{k}" for k in range(1, p.links + 1)]
    if p.motion == "reach":
        return {"drives": {name: Cycloid(start, TO, p.time) for name, start in zip(names, _start(p), strict=True)}}
    rate, drives = 2 * np.pi / p.time, [Constant(0.0) for _ in names]
    circle = [Sine(p.amplitude, rate, np.pi / 2, p.center_1), Sine(p.amplitude, rate, 0.0, p.center_2)]
    return {"drives": dict(zip(names, [*circle, *drives], strict=False))}


def _start(p) -> list[float]:
    return [*FROM, *[0.0] * p.links][: p.links]


def initial(p, model: Model):
    """At rest: momentum is zero, also where the joints move at once."""
    from locomote.dynamics.matrices import mass_matrix

    q, v = model.neutral(), np.zeros(model.nv)
    q[3:] = _start(p)
    if p.motion == "loop":
        q[3:], q[3] = 0.0, p.center_1 + p.amplitude
        q[4:5], v[4:5] = p.center_2, p.amplitude * 2 * np.pi / p.time
        M = mass_matrix(model, q)
        v[:3] = -np.linalg.solve(M[:3, :3], M[:3, 3:] @ v[3:])
    return q, v


def duration(p) -> float:
    """s"""
    return p.time
