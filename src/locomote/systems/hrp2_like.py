"""A humanoid of the size and mass of HRP-2: 30 joints, 58 kg, 1.54 m, with soles and hands that can bear it.

x forward, y to the left, z up. With all joints at zero it stands upright, arms hanging down. Six joints a leg, seven an arm,
two of the trunk, two of the neck; the waist is the base. Axes are x, y and z of that pose, so that a roll or yaw of one side
has the opposite sign of its mirror image. Knees bend with positive angles, elbows with negative ones. `left_sole` and
`left_palm` are
frames in the middle of the faces that touch.
"""

from functools import lru_cache
from types import SimpleNamespace

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint
from locomote.model.joints import BASES
from locomote.model.model import Model
from locomote.systems.parameters import choice, not_negative, positive
from locomote.systems.parts import box, ellipsoid, hanging, with_neck

SOURCE = (
    "height, mass and number of joints of HRP-2 as published; lengths, masses of links, strengths and ranges are own choices"
)
SEE = "it steps forward, foot by foot; by another `motion` it stands, leans, stands on its hands, or falls freely"
MOTIONS = {  # and how long each takes, s: a model alone must not make scenarios
    "stand": 2.5, "single_support": 5.0, "walk_in_place": 10.7, "steps": 8.5, "hand_on_wall": 4.0, "handstand": 5.5,
    "hand_lift": 7.3, "pushed_over": 2.5,
}  # fmt: skip
PARAMETERS = {
    "mass": positive(58.0, "kg", "total mass; links in proportion"),
    "hand_length": positive(0.14, "m", "of the face of a hand that touches, forwards"),
    "hand_width": positive(0.10, "m", "of that face, sideways"),
    "rotor": not_negative(0.05, "kg m^2", "inertia of a motor's rotor, seen at the joint"),
    "strength": positive(1.0, "1", "factor of all torque limits"),
    "motion": choice(
        "steps", ("fall", *MOTIONS), "what it does: a scenario of whole-body control (free base), or falls freely"
    ),
    "friction": positive(0.7, "1", "of the ground under its feet or hands"),
    "base": choice("free", tuple(BASES), "how the waist moves in the world"),
}
# kg before scaling
MASS = {
    "waist": 6.0,
    "chest": 15.0,
    "head": 3.0,
    "thigh": 4.0,
    "shank": 3.0,
    "foot": 1.5,
    "upper_arm": 2.5,
    "forearm": 2.0,
    "hand": 1.0,
}
STRENGTH = {
    "hip": 150.0, "knee": 180.0, "ankle": 120.0, "torso": 150.0, "neck": 20.0, "shoulder": 150.0, "elbow": 100.0, "wrist": 60.0,
}  # fmt: skip
RANGE = {
    "torso_yaw": (-0.8, 0.8), "torso_pitch": (-0.4, 1.0), "neck_yaw": (-0.8, 0.8), "neck_pitch": (-0.5, 0.8),
    "shoulder_pitch": (-3.3, 1.0), "shoulder_roll": (-0.7, 1.7), "shoulder_yaw": (-1.6, 1.6), "elbow": (-2.4, 0.05),
    "wrist_yaw": (-1.6, 1.6), "wrist_pitch": (-1.6, 1.6), "wrist_roll": (-1.0, 1.0),
    "hip_yaw": (-0.7, 0.7), "hip_roll": (-0.35, 0.6), "hip_pitch": (-2.1, 0.7), "knee": (-0.05, 2.6),
    "ankle_pitch": (-1.3, 0.7), "ankle_roll": (-0.6, 0.35),
}  # fmt: skip
AXES = {"yaw": "z", "roll": "x", "pitch": "y", "elbow": "y", "knee": "y"}
THIGH, SHANK, FOOT, HIP, TRUNK, ARM = 0.30, 0.30, 0.105, 0.19, 0.45, 0.25  # m; hips as far apart as soles need
SOLE = (0.24, 0.14)


def build(p) -> Model:
    """The humanoid; see PARAMETERS for units."""
    sides = {"waist": 1, "chest": 1, "head": 1}
    scale = p.mass / sum(kg * sides.get(name, 2) for name, kg in MASS.items())
    m = {name: kg * scale for name, kg in MASS.items()}

    def turning(*names: str) -> list[Joint]:
        joints = []
        for name in names:
            side, _, own = name.partition("_")
            own = own if side in ("left", "right") else name
            lower, upper = RANGE[own]
            if side == "right" and own.endswith(("_yaw", "_roll")):
                lower, upper = -upper, -lower
            strength = p.strength * STRENGTH[own.partition("_")[0]]
            axis = AXES[own.rpartition("_")[2]]
            limits = {"lower": lower, "upper": upper, "effort_limit": strength, "velocity_limit": 12.0}
            joints.append(Joint(name, axis=axis, armature=p.rotor, **limits))
        return joints

    b = Builder("hrp2_like", base=p.base)
    b.body("waist", **box(m["waist"], (0.16, 0.22, 0.12), (0.0, 0.0, 0.03)))
    chest = box(m["chest"], (0.18, 0.28, 0.36), (0.0, 0.0, 0.20))
    b.body("chest", parent="waist", at=(0, 0, 0.085), joint=turning("torso_yaw", "torso_pitch"), **chest)
    head = with_neck(ellipsoid(m["head"], (0.09, 0.08, 0.14), (0.0, 0.0, 0.16)), 0.045, (-0.07, 0.06))
    b.body("head", parent="chest", at=(0, 0, TRUNK), joint=turning("neck_yaw", "neck_pitch"), **head)
    for side, y in (("left", 1.0), ("right", -1.0)):
        hip = turning(*(f"{side}_hip_{way}" for way in ("yaw", "roll", "pitch")))
        b.body(f"{side}_thigh", parent="waist", at=(0, 0.5 * HIP * y, 0), joint=hip, **hanging(m["thigh"], 0.06, THIGH))
        b.body(f"{side}_shank", parent=f"{side}_thigh", at=(0, 0, -THIGH), joint=turning(f"{side}_knee"),
               **hanging(m["shank"], 0.05, SHANK))  # fmt: skip
        foot = box(m["foot"], (*SOLE, 0.05), (0.03, 0.0, -FOOT + 0.025))
        ankle = turning(f"{side}_ankle_pitch", f"{side}_ankle_roll")
        b.body(f"{side}_foot", parent=f"{side}_shank", at=(0, 0, -SHANK), joint=ankle, **foot)
        b.body(f"{side}_sole", parent=f"{side}_foot", at=(0.03, 0.0, -FOOT))
        shoulder = turning(*(f"{side}_shoulder_{way}" for way in ("pitch", "roll", "yaw")))
        b.body(
            f"{side}_upper_arm", parent="chest", at=(0, 0.21 * y, 0.36), joint=shoulder, **hanging(m["upper_arm"], 0.045, ARM)
        )
        b.body(f"{side}_forearm", parent=f"{side}_upper_arm", at=(0, 0, -ARM), joint=turning(f"{side}_elbow"),
               **hanging(m["forearm"], 0.04, ARM))  # fmt: skip
        wrist = turning(*(f"{side}_wrist_{way}" for way in ("yaw", "pitch", "roll")))
        hand = with_neck(box(m["hand"], (p.hand_length, p.hand_width, 0.05), (0.0, 0.0, -0.055)), 0.03, (-0.05, 0.0))
        b.body(f"{side}_hand", parent=f"{side}_forearm", at=(0, 0, -ARM), joint=wrist, **hand)
        b.body(f"{side}_palm", parent=f"{side}_hand", at=(0.0, 0.0, -0.08))
    return b.build()


def humanoid(model: Model, p):
    """Knees bent, with the names that scenarios need."""
    from locomote.control.whole_body.contacts import rectangle
    from locomote.control.whole_body.humanoids import Humanoid

    bent = {"hip_pitch": -0.35, "knee": 0.7, "ankle_pitch": -0.35, "elbow": -0.5}
    up = {"shoulder_pitch": -np.pi + 0.2, "elbow": -0.4, "wrist_pitch": 0.2}  # straight ones would lock when it leans
    sides = ("left", "right")
    return Humanoid.standing(
        model, {f"{side}_{name}": angle for side in sides for name, angle in bent.items()}, torso="chest", waist="waist",
        feet=("left_sole", "right_sole"), sole=rectangle(*SOLE), hands=("left_palm", "right_palm"),
        palm=rectangle(p.hand_length, p.hand_width),
        raised={f"{side}_{name}": angle for side in sides for name, angle in up.items()},
    )  # fmt: skip


def scenario(p):
    """What it does, or None if it falls."""
    return None if p.motion == "fall" or p.base != "free" else _scenario(tuple(sorted(vars(p).items())))


@lru_cache(maxsize=4)
def _scenario(items):
    p = SimpleNamespace(**dict(items))
    return humanoid(build(p), p).scenario(p.motion)


def setting(p) -> dict:
    """Nothing is imposed and nothing holds it; or torques of whole-body control, and ground."""
    what = scenario(p)
    return {} if what is None else what.setting(friction=p.friction)


def initial(p, model: Model):
    """Upright, soles on the plane z = 0; or where its scenario starts."""
    what = scenario(p)
    if what is not None:
        return what.q.copy(), np.zeros(model.nv)
    q = model.neutral()
    if p.base == "free":
        q[2] = THIGH + SHANK + FOOT
    return q, np.zeros(model.nv)


def duration(p) -> float:
    """s"""
    return 0.5 if p.motion == "fall" or p.base != "free" else MOTIONS[p.motion]
