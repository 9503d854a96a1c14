"""Planar linkages of textbooks, driven at a crank or let go: slider-crank, Hoekens' leg, a gripper, a 3-RRR platform, a cam.

The plane is upright, x to the right and y up; links are slender rods. The slider-crank has its slide along x. Hoekens' linkage
has links 1 : 2 : 2.5 : 2.5, whose end draws a nearly straight line, the step of a leg, while the crank goes through half a
turn. The gripper moves two fingers by one slide between them, over two massless links. The platform hangs on three arms of two
links, all driven at their roots. The cam is a disc about a point beside its center, and lifts a roller on a slide.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import choice, number, positive
from locomote.systems.parts import UPRIGHT, at, rod, turned

SOURCE = (
    "demonstrations of S.V. Shah, P.V. Nandihal, S.K. Saha: Recursive dynamics simulator (ReDySim). Theoretical & Applied "
    "Mechanics Letters 2 (2012); K. Hoekens' linkage of 1926; numbers chosen"
)
SEE = "the crank turns steadily, and what it drives does not; the torque of the crank goes to and fro, and repeats every turn"
KINDS = ("slider_crank", "hoekens", "gripper", "three_rrr", "cam")
PARAMETERS = {
    "kind": choice("slider_crank", KINDS, "which linkage"),
    "motion": choice("driven", ("driven", "fall"), "the crank turns, or all is let go"),
    "crank": positive(0.1, "m", "length of the crank, all others go with it"),
    "rate": positive(2 * np.pi, "rad/s", "of the crank"),
    "density": positive(2.0, "kg/m", "mass of links, per length"),
    "slider_mass": positive(1.0, "kg", "of what slides, and of the platform"),
    "angle": number(0.6, "rad", "of the crank at the start"),
    "gravity": number(9.81, "m/s^2", "gravity"),
}
ROD, GROUND, ARM = 2.5, 2.0, 2.5  # in cranks: the long links, the distance of pivots of Hoekens, and links of arms
SPREAD, TRIANGLE = 4.0, 1.2  # in cranks: roots of the three arms, and corners of the platform, from the middle
DISC, ROLLER = 2.0, 0.4  # radii of the cam and of its roller, in cranks
OPEN, LEVER = 0.3, 0.8  # rad, of the fingers of the gripper at the start, and levers at their roots, in cranks
SWAY = 0.2  # rad, of the arms of the platform


def link(p, length: float) -> dict:
    """A slender rod from the origin along x, m."""
    return rod(p.density * length, length, thickness=0.15 * p.crank)


def slide(p, joint: str, axis) -> dict:
    """A body on a slide."""
    size = (0.4 * p.crank,) * 3
    block = Inertia.box(p.slider_mass, size)
    return {"joint": Joint(joint, "prismatic", axis), "inertia": block, "visuals": (Visual("box", size),)}


def build(p) -> Model:
    """The open tree of the linkage."""
    c, builder = p.crank, Builder(f"linkage {p.kind}", gravity=(0.0, 0.0, -p.gravity)).body("ground", at=UPRIGHT)
    if p.kind == "three_rrr":
        return arms(p, builder).build()
    if p.kind == "gripper":
        builder.body("slider", parent="ground", **slide(p, "crank", (1, 0, 0)))
        for name, side in (("upper", 1.0), ("lower", -1.0)):
            builder.body(f"{name}_finger", parent="ground", at=(2 * c, side * c, 0), joint=Joint(name), **link(p, 3 * c))
        return builder.build()
    if p.kind == "cam":
        look = Visual("cylinder", (DISC * c, 0.3 * c), at(c, 0.0, 0.0))
        moment = p.density * c * (DISC * c) ** 2 / 4
        disc = Inertia(p.density * c, (c, 0, 0), (moment, moment, 2 * moment))
        builder.body("crank", parent="ground", joint=Joint("crank"), inertia=disc, visuals=(look,))
        return builder.body("slider", parent="ground", **slide(p, "slider", (0, 1, 0))).build()
    builder.body("crank", parent="ground", joint=Joint("crank"), **link(p, c))
    if p.kind == "slider_crank":
        builder.body("rod", parent="crank", at=(c, 0, 0), joint=Joint("rod"), **link(p, ROD * c))
        return builder.body("slider", parent="ground", **slide(p, "slider", (1, 0, 0))).build()
    builder.body("rod", parent="crank", at=(c, 0, 0), joint=Joint("rod"), **link(p, 2 * ROD * c))
    return builder.body("rocker", parent="ground", at=(GROUND * c, 0, 0), joint=Joint("rocker"), **link(p, ROD * c)).build()


def spokes() -> np.ndarray:
    """(3,) directions of the roots of the arms, rad."""
    return np.pi / 2 + 2 * np.pi / 3 * np.arange(3)


def folded() -> float:
    """Half the bend of an arm at the start, rad."""
    return float(np.arccos((SPREAD - TRIANGLE) / (2 * ARM)))


def arms(p, builder: Builder) -> Builder:
    """Three arms, and the platform on the first."""
    c = p.crank
    for k, way in enumerate(spokes()):
        root, end = (SPREAD * c * np.cos(way), SPREAD * c * np.sin(way), 0), "" if k == 0 else f"_{k + 1}"
        builder.body(f"crank{end}", parent="ground", at=root, joint=Joint(f"crank{end}"), **link(p, ARM * c))
        elbow = Joint(f"elbow{end}")
        builder.body(f"rod{end}", parent=f"crank{end}", at=(ARM * c, 0, 0), joint=elbow, **link(p, ARM * c))
    moment = p.slider_mass * (TRIANGLE * c) ** 2 / 4
    plate = Inertia(p.slider_mass, (TRIANGLE * c, 0, 0), (moment / 2, moment / 2, moment))
    look = Visual("cylinder", (TRIANGLE * c, 0.2 * c), at(TRIANGLE * c, 0, 0))
    hinge = Joint("platform")
    return builder.body("platform", parent="rod", at=(ARM * c, 0, 0), joint=hinge, inertia=plate, visuals=(look,))


def corners(p) -> np.ndarray:
    """(3, 3) corners of the platform in its frame, x from the first one to the middle."""
    away = np.column_stack([np.cos(spokes()), np.sin(spokes()), np.zeros(3)]) * TRIANGLE * p.crank
    frame = turned(spokes()[0] + np.pi)[:3, :3]
    return (away - away[0]) @ frame


def setting(p) -> dict:
    """What closes the linkage, and the crank."""
    from locomote.constraints.kinds import Distance, PointContact
    from locomote.drives.kinds.polynomial import Polynomial
    from locomote.drives.kinds.sine import Sine

    c, origin = p.crank, (0.0, 0.0, 0.0)
    drives = {"crank": Polynomial((p.angle, p.rate))}
    if p.kind == "slider_crank":
        loops = [PointContact("rod", (ROD * c, 0, 0), origin, "xy", other="slider", name="pin")]
    elif p.kind == "hoekens":
        loops = [PointContact("rod", (ROD * c, 0, 0), (ROD * c, 0, 0), "xy", other="rocker", name="pin")]
    elif p.kind == "cam":
        loops = [Distance("crank", "slider", (c, 0, 0), origin, (DISC + ROLLER) * c, name="contact")]
    elif p.kind == "gripper":
        length = c * np.hypot(2 + LEVER * np.sin(OPEN), 1 - LEVER * np.cos(OPEN))
        ends = {"upper_finger": (0, -LEVER * c, 0), "lower_finger": (0, LEVER * c, 0)}
        loops = [Distance("slider", finger, origin, end, length, name=f"link {finger}") for finger, end in ends.items()]
        drives = {"crank": Sine(0.4 * c, p.rate)}
    else:
        places = corners(p)
        loops = [
            PointContact(f"rod_{k + 1}", (ARM * c, 0, 0), tuple(places[k]), "xy", other="platform", name=f"corner {k + 1}")
            for k in (1, 2)
        ]
        drives = {}
        for k, way in enumerate(spokes()):
            turn = 2 * np.pi * k / 3
            start = way + np.pi + folded() - SWAY * np.sin(turn)
            drives["crank" if k == 0 else f"crank_{k + 1}"] = Sine(SWAY, p.rate, turn, offset=start)
    return {"drives": drives if p.motion == "driven" else {}, "constraints": loops}


def initial(p, model: Model):
    """Closed, at rest."""
    c, a = p.crank, p.angle
    if p.kind == "slider_crank":
        b = -np.arcsin(np.sin(a) / ROD)
        q = [a, b - a, c * (np.cos(a) + ROD * np.cos(b))]
    elif p.kind == "hoekens":
        end, pivot = c * np.array([np.cos(a), np.sin(a)]), np.array([GROUND * c, 0.0])
        gap = pivot - end
        far = np.hypot(*gap)
        pin = end + gap / 2 + np.sqrt((ROD * c) ** 2 - far**2 / 4) * np.array([-gap[1], gap[0]]) / far
        rod_way, rocker = (np.arctan2(y, x) for x, y in (pin - end, pin - pivot))
        q = [a, rod_way - a, rocker]
    elif p.kind == "cam":
        q = [a, c * (np.sin(a) + np.sqrt((DISC + ROLLER) ** 2 - np.cos(a) ** 2))]
    elif p.kind == "gripper":
        q = [0.0, OPEN, -OPEN]
    else:
        bends = [(way + np.pi + folded(), -2 * folded()) for way in spokes()]
        q = [*bends[0], folded(), *bends[1], *bends[2]]
    return arranged(p, model, q), np.zeros(model.nv)


def arranged(p, model: Model, q: list[float]) -> np.ndarray:
    """Coordinates of the platform's tree in the order of the model: the platform comes last."""
    if p.kind != "three_rrr":
        return np.array(q)
    names = ("crank", "elbow", "platform", "crank_2", "elbow_2", "crank_3", "elbow_3")
    found = np.zeros(model.nq)
    for name, x in zip(names, q, strict=True):
        found[model.joint(name).q] = x
    return found


def duration(p) -> float:
    """One turn, s."""
    return 2 * np.pi / p.rate
