"""A humanoid of boxes, capsules and an ellipsoid: 15 links with mass, 29 joint coordinates, left-right symmetric.

x forward, y to the left, z up. With all joints at zero it stands upright, arms hanging down, its pelvis frame 0.53 heights
above the soles. All axes are x, y and z of that pose, so that a roll or yaw of one side has the opposite sign of its mirror
image. A positive angle about y takes what hangs below the joint backwards: knees bend with positive angles, elbows with
negative ones.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint
from locomote.model.joints import BASES
from locomote.model.model import Model
from locomote.systems.parameters import choice, not_negative, number, positive
from locomote.systems.parts import box, ellipsoid, hanging, with_neck

SOURCE = "own data: proportions of an adult in round numbers, with segments of even density"
SEE = "the tumbling changes as limbs swing out; the mass center flies on a parabola, momentum and energy stay"
PARAMETERS = {
    "height": positive(1.75, "m", "standing height; all lengths are in proportion to it"),
    "mass": positive(75.0, "kg", "total mass"),
    "stiffness": not_negative(0.0, "N m/rad", "spring of the hips towards standing; other joints in proportion to strength"),
    "damping": not_negative(0.0, "N m s/rad", "damper of the hips; other joints in proportion to strength"),
    "base": choice("free", tuple(BASES), "how the pelvis moves in the world"),
    "throw": number(5.0, "m/s", "speed upwards at the start (free base)"),
    "spin": number(3.0, "rad/s", "somersault speed at the start (free base)"),
}

# strength, N m at 1.75 m and 75 kg; ranges in rad, of the left side where sides differ
STRENGTH = {
    "hip": 150.0, "knee": 150.0, "ankle": 100.0, "waist": 150.0,
    "neck": 20.0, "shoulder": 60.0, "elbow": 40.0, "wrist": 10.0,
}  # fmt: skip
RANGE = {
    "waist_yaw": (-0.8, 0.8), "waist_roll": (-0.5, 0.5), "waist_pitch": (-0.4, 1.2),
    "neck_yaw": (-1.4, 1.4), "neck_pitch": (-0.8, 0.8),
    "shoulder_pitch": (-3.0, 1.0), "shoulder_roll": (-0.3, 3.0), "shoulder_yaw": (-1.5, 1.5), "elbow": (-2.5, 0.0),
    "hip_yaw": (-0.7, 0.7), "hip_roll": (-0.4, 0.8), "hip_pitch": (-2.0, 0.5), "knee": (0.0, 2.4),
    "wrist": ((-1.2, -0.6), (1.2, 0.6)), "ankle": ((-0.8, -0.4), (0.8, 0.4)),
}  # fmt: skip
AXES = {"yaw": "z", "roll": "x", "pitch": "y"}


def build(p) -> Model:
    """The humanoid; see PARAMETERS for units."""
    h, m = p.height, p.mass
    strength = (h / 1.75) * (m / 75.0)

    def joint(name: str, kind: str = "revolute", **axes) -> Joint:
        """A joint with the strength, range, spring and damper that its name stands for."""
        side, _, rest = name.partition("_")
        own = rest if side in ("left", "right") else name
        share = STRENGTH[own.partition("_")[0]]
        lower, upper = RANGE[own]
        if side == "right" and own.endswith(("_yaw", "_roll")):
            lower, upper = -upper, -lower
        springs = {"stiffness": p.stiffness * share / STRENGTH["hip"], "damping": p.damping * share / STRENGTH["hip"]}
        return Joint(name, kind, lower=lower, upper=upper, effort_limit=share * strength, **springs, **axes)

    def turning(part: str, *ways: str) -> list[Joint]:
        """Several turns one after the other, such as yaw, roll, pitch."""
        return [joint(f"{part}_{way}", axis=AXES[way]) for way in ways]

    builder = Builder("humanoid", base=p.base)

    def link(name: str, parent: str | None, place, joints, part) -> None:
        """A body at a place given in heights."""
        builder.body(name, parent=parent, at=[h * x for x in place], joint=joints, **part)

    def cuboid(share: float, size, center):
        return box(share * m, [h * x for x in size], [h * x for x in center])

    def limb(share: float, radius: float, length: float):
        return hanging(share * m, radius * h, length * h)

    head = with_neck(
        ellipsoid(0.07 * m, (0.05 * h, 0.045 * h, 0.07 * h), (0.01 * h, 0.0, 0.09 * h)), 0.025 * h, (-0.01 * h, 0.05 * h)
    )
    link("pelvis", None, (0, 0, 0), (), cuboid(0.14, (0.10, 0.17, 0.09), (0, 0, 0.03)))
    waist, neck = turning("waist", "yaw", "roll", "pitch"), turning("neck", "yaw", "pitch")
    link("torso", "pelvis", (0, 0, 0.07), waist, cuboid(0.34, (0.11, 0.19, 0.23), (0, 0, 0.115)))
    link("head", "torso", (0, 0, 0.24), neck, head)
    for side, y in (("left", 1.0), ("right", -1.0)):
        shoulder = turning(f"{side}_shoulder", "pitch", "roll", "yaw")
        wrist = joint(f"{side}_wrist", "universal", axis="x", axis2="y")
        link(f"{side}_upper_arm", "torso", (0, 0.12 * y, 0.20), shoulder, limb(0.027, 0.024, 0.17))
        link(f"{side}_forearm", f"{side}_upper_arm", (0, 0, -0.17), joint(f"{side}_elbow", axis="y"), limb(0.017, 0.020, 0.15))
        link(f"{side}_hand", f"{side}_forearm", (0, 0, -0.15), wrist, cuboid(0.006, (0.045, 0.018, 0.10), (0, 0, -0.05)))
        hip = turning(f"{side}_hip", "yaw", "roll", "pitch")
        ankle = joint(f"{side}_ankle", "universal", axis="y", axis2="x")
        link(f"{side}_thigh", "pelvis", (0, 0.055 * y, 0), hip, limb(0.115, 0.042, 0.245))
        link(f"{side}_shank", f"{side}_thigh", (0, 0, -0.245), joint(f"{side}_knee", axis="y"), limb(0.045, 0.030, 0.245))
        link(f"{side}_foot", f"{side}_shank", (0, 0, -0.245), ankle, cuboid(0.015, (0.15, 0.055, 0.03), (0.04, 0, -0.025)))
        builder.body(f"{side}_sole", parent=f"{side}_foot", at=(0.0, 0.0, -0.04 * h))
    return builder.build()


def initial(p, model: Model):
    """Standing upright, thrown with a somersault and a little twist."""
    v = np.zeros(model.nv)
    if p.base == "free":
        v[:6] = 0.0, 0.0, p.throw, 0.02 * p.spin, p.spin, 0.05 * p.spin
    return model.neutral(), v


def duration(p) -> float:
    """s"""
    return 1.0
