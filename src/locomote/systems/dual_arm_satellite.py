"""A planar base that floats, with two arms: the first reaches out, the second one stands still, or answers it.

The frame of the base is at its mass center; the first arm starts at x > 0, the second one opposite to it, turned by half a
turn. Joint angles are relative. With `mirrored` the second arm is the mirror image of the first, and the base does not turn at
all; with `alike` both turn the same way, and the base does not shift.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.gaits import gait_choice
from locomote.systems.parameters import choice, number, positive, whole
from locomote.systems.parts import box, rod, turned

SOURCE = (
    "S.K. Saha, S.V. Shah, P.V. Nandihal: Evolution of the DeNOC-based dynamic modelling for multibody systems (2013), space "
    "robot with two arms; data of the free-floating three-link robot of ReDySim, for each arm"
)
SEE = "one arm turns and shifts the base; a second one that mirrors it takes the turn away, one that moves alike the shift"
PARAMETERS = {
    "second": choice("still", ("still", "mirrored", "alike"), "what the second arm does"),
    "links": whole(3, "number of links of each arm", lowest=1, highest=100),
    "base_mass": positive(500.0, "kg", "mass of the base"),
    "base_inertia": positive(83.61, "kg m^2", "its moment of inertia"),
    "attachment": positive(0.5, "m", "first joints from the mass center of the base"),
    "link_mass": positive(10.0, "kg", "mass of each link"),
    "link_inertia": positive(1.05, "kg m^2", "its moment of inertia"),
    "link_length": positive(1.0, "m", "its length; the mass center is in the middle"),
    "turn": number(-np.pi / 2, "rad", "where all joints of the first arm go"),
    "time": positive(20.0, "s", "time of the motion"),
    "gait": gait_choice("turn", "efficient"),
}
FROM = (0.3803, -0.6198, 1.2867)  # rad, first three joints; all others start at zero


def build(p) -> Model:
    """The base, the links of the first arm, those of the second."""
    base, link = box(p.base_mass, (2 * p.attachment, 0.6, 0.6)), rod(p.link_mass, p.link_length)
    base["inertia"] = Inertia(p.base_mass, moment=[p.base_inertia] * 3)
    link["inertia"] = Inertia(p.link_mass, (p.link_length / 2, 0, 0), [p.link_inertia] * 3)
    builder = Builder("dual-arm satellite", base="planar", gravity=(0.0, 0.0, 0.0)).body("base", **base)
    for arm, first in (("first", turned(0.0, p.attachment)), ("second", turned(np.pi, -p.attachment))):
        for k in range(1, p.links + 1):
            parent, place = ("base", first) if k == 1 else (f"{arm}{k - 1}", turned(0.0, p.link_length))
            builder.body(f"{arm}{k}", parent=parent, at=place, joint=Joint(f"{arm}_joint{k}"), **link)
    return builder.build()


def setting(p) -> dict:
    """All joints imposed."""
    from locomote.drives.kinds.constant import Constant
    from locomote.drives.kinds.cycloid import Cycloid

    drives, sign = {}, {"still": 0.0, "mirrored": -1.0, "alike": 1.0}[p.second]
    for k, start in enumerate(_start(p), 1):
        drives[f"first_joint{k}"] = Cycloid(start, p.turn, p.time)
        second = _second(p, start)
        drives[f"second_joint{k}"] = Cycloid(second, sign * p.turn, p.time) if sign else Constant(second)
    return {"drives": drives}


def _start(p) -> list[float]:
    return [*FROM, *[0.0] * p.links][: p.links]


def _second(p, start: float) -> float:
    return -start if p.second == "mirrored" else start


def initial(p, model: Model):
    """At rest."""
    q = model.neutral()
    q[3 : 3 + p.links] = _start(p)
    q[3 + p.links :] = [_second(p, start) for start in _start(p)]
    return q, np.zeros(model.nv)


def duration(p) -> float:
    """s"""
    return p.time
