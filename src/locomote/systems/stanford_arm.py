"""The Stanford arm: two revolute joints, a sliding boom, and a wrist of three, from its Denavit-Hartenberg table.

Two motions: `inverse` moves all joints along a cycloid, and the run shows what forces that costs; `fall` lets it go from zero,
where gravity pulls along the boom alone, or with tilt= from a pose from which all joints move. Its data are not those of the
paper, which are in a book that was not at hand.
"""

import numpy as np

from locomote.model.model import Model
from locomote.systems.arms import arm
from locomote.systems.arms import duration as duration
from locomote.systems.parameters import choice, number, positive

SOURCE = (
    "S.K. Saha, S.V. Shah, P.V. Nandihal: Evolution of the DeNOC-based dynamic modelling for multibody systems (2013), motion; "
    "masses after R.P. Paul: Robot manipulators (1981) as circulated, with centers of mass of links 2 to 6 read in decimetres"
)
SEE = (
    "the boom's force halves and the shoulder's moment grows while the arm turns over; let go, the boom runs out of its sleeve"
)
PARAMETERS = {
    "motion": choice("inverse", ("inverse", "fall"), "all joints imposed, or let go"),
    "time": positive(10.0, "s", "of the imposed motion"),
    "turn": number(np.pi / 3, "rad", "of each revolute joint"),
    "slide": number(0.1, "m", "of the boom"),
    "tilt": number(0.0, "rad", "of shoulder and wrist at the start of a fall"),
    "gravity": number(9.81, "m/s^2", "gravity"),
}
# alpha (deg), d (m), mass (kg), center of mass (m), moments of inertia about the origin of the link frame (kg m^2)
LINKS = (
    (-90, 0.412, 9.29, (0, 0.0175, -0.1105), (0.276, 0.255, 0.071)),
    (90, 0.154, 5.01, (0, -0.1054, 0), (0.108, 0.018, 0.100)),
    (0, 0.0, 4.25, (0, 0, -0.6447), (2.51, 2.51, 0.006)),
    (-90, 0.0, 1.08, (0, 0.0092, -0.0054), (0.002, 0.001, 0.001)),
    (90, 0.0, 0.63, (0, 0, 0.0566), (0.003, 0.003, 0.0004)),
    (0, 0.263, 0.51, (0, 0, 0.1554), (0.013, 0.013, 0.0003)),
)
NAMES = [f"link{k}" for k in range(1, 7)]


def build(p) -> Model:
    """Six links of a standard table; the third slides."""
    table = [
        {"kind": "prismatic" if k == 2 else "revolute", "alpha": alpha, "d": d, "theta": -90.0 if k == 2 else 0.0, "mass": m}
        | dict(zip(("cx", "cy", "cz"), c, strict=True))
        | dict(zip(("ixx", "iyy", "izz"), moment, strict=True))
        for k, (alpha, d, m, c, moment) in enumerate(LINKS)
    ]
    return arm("Stanford arm", table, p.gravity, convention="standard", about="origin")


def initial(p, model: Model):
    """At zero, or tilted."""
    q = model.neutral()
    if p.motion == "fall":
        q[[1, 3, 4, 5]] = p.tilt
    return q, np.zeros(model.nv)


def setting(p) -> dict:
    """All joints imposed, or none."""
    from locomote.drives.kinds.cycloid import Cycloid

    if p.motion == "fall":
        return {}
    ends = [p.slide if k == 2 else p.turn for k in range(6)]
    return {"drives": {f"joint{k + 1}": Cycloid(0.0, end, p.time) for k, end in enumerate(ends)}}
