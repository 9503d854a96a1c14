"""Humanoids of URDF files, knees bent, by the names that scenarios need."""

from pathlib import Path

import locomote as lo

ROBOTS = {  # file, joints of a bent stand, sides, torso, feet, sole
    "talos": (
        "talos_data/robots/talos_reduced.urdf", {"leg_{}_3_joint": -0.4, "leg_{}_4_joint": 0.8, "leg_{}_5_joint": -0.4},
        ("left", "right"), "torso_2_link", "{}_sole_link", lo.control.rectangle(0.2, 0.12),
    ),
    "g1": (
        "g1_description/urdf/g1_29dof_rev_1_0.urdf",
        {"{}_hip_pitch_joint": -0.35, "{}_knee_joint": 0.7, "{}_ankle_pitch_joint": -0.35},
        ("left", "right"), "torso_link", "{}_ankle_roll_link", lo.control.rectangle(0.17, 0.06, at=(0.035, 0.0, -0.037)),
    ),
}  # fmt: skip


def from_file(name: str, folder: Path) -> lo.control.Humanoid:
    """A humanoid of a file below a folder."""
    path, angles, sides, torso, foot, sole = ROBOTS[name]
    bent = {joint.format(side): angle for side in sides for joint, angle in angles.items()}
    feet = (foot.format(sides[0]), foot.format(sides[1]))
    return lo.control.Humanoid.standing(lo.load(folder / path, base="free"), bent, torso=torso, feet=feet, sole=sole)
