"""A planar biped of seven links whose contacts with the ground change its kind of problem.

It moves in the plane of x and z. The trunk's frame is at its middle, x along it from hip to head; its angle counts from the
world's x (upright: pi/2). Thigh, shank and foot follow with relative angles; thighs point down at angle zero. Joints follow a
step of the inverted-pendulum gait, or stand still:

    phase     held                          rank of the locked constraints, of 3       what the base does
    flight    nothing                       0                                          flies (dynamics)
    point     the toe of the left foot      2                                          falls over it (mixed)
    single    the left foot, flat           3                                          is known from the joints (kinematic)
    double    both feet, flat               3 of 6 rows                                the same, over-constrained
"""

import numpy as np

from locomote.errors import ModelError
from locomote.model.builder import Builder
from locomote.model.description import Joint
from locomote.model.model import Model
from locomote.systems.parameters import choice, positive
from locomote.systems.parts import UPRIGHT, rod, turned

SOURCE = (
    "S.V. Shah, S.K. Saha, J.K. Dutt: Modular framework for dynamic modeling and analyses of legged robots. Mechanism and "
    "Machine Theory 49 (2012), biped and gait; cases after F. Boyer, M. Porez (2015)"
)
SEE = "the same robot is a dynamic, a mixed, a kinematic and an over-constrained problem, depending on its feet"
PARAMETERS = {
    "phase": choice("single", ("flight", "point", "single", "double"), "which feet are on the ground, and how"),
    "foot": choice("mid", ("mid", "end"), "where the ankle is on the foot: in the middle, or at its rear end"),
    "trunk": positive(0.5, "m", "length of the trunk"),
    "thigh": positive(0.5, "m", "length of a thigh"),
    "shank": positive(0.5, "m", "length of a shank"),
    "sole": positive(0.15, "m", "length of a foot"),
    "trunk_mass": positive(5.0, "kg", "mass of the trunk; all links are slender rods"),
    "thigh_mass": positive(1.0, "kg", "mass of a thigh"),
    "shank_mass": positive(1.0, "kg", "mass of a shank"),
    "foot_mass": positive(0.2, "kg", "mass of a foot"),
    "time": positive(1.0, "s", "time of a step"),
    "step": positive(0.3, "m", "length of a step"),
    "lift": positive(0.1, "m", "height of the swinging foot"),
    "height": positive(0.96, "m", "height of the pendulum: the middle of the trunk"),
    "gravity": positive(9.81, "m/s^2", "gravity"),
}
SAMPLES = 241  # samples of the gait, for the drives; they begin before and end after the step
JOINTS = [f"{side}_{name}" for side in ("left", "right") for name in ("hip", "knee", "ankle")]


def build(p) -> Model:
    """The trunk, the left leg, the right leg."""
    return biped(p, p.sole / 2 if p.foot == "mid" else 0.0)


def biped(p, heel: float) -> Model:
    """The same with the ankles so far (m) from the rear ends of the feet."""
    builder = Builder("biped", base="planar", gravity=(0.0, 0.0, -p.gravity))
    builder.body("trunk", at=UPRIGHT, **rod(p.trunk_mass, p.trunk, start=-p.trunk / 2))
    start = -heel
    for side in ("left", "right"):
        hip, knee, ankle = (Joint(f"{side}_{name}") for name in ("hip", "knee", "ankle"))
        place = turned(np.pi, -p.trunk / 2)
        builder.body(f"{side}_thigh", parent="trunk", at=place, joint=hip, **rod(p.thigh_mass, p.thigh))
        builder.body(f"{side}_shank", parent=f"{side}_thigh", at=(p.thigh, 0, 0), joint=knee, **rod(p.shank_mass, p.shank))
        foot = rod(p.foot_mass, p.sole, start=start)
        builder.body(f"{side}_foot", parent=f"{side}_shank", at=(p.shank, 0, 0), joint=ankle, **foot)
    return builder.build()


def hip(p, t):
    """Place and speed of the hip along x: an inverted pendulum that begins half a step behind its foot."""
    rate, start = np.sqrt(p.gravity / p.height), -p.step / 2
    speed = -rate * start / np.tanh(rate * p.time / 2)
    return (
        start * np.cosh(rate * t) + speed / rate * np.sinh(rate * t),
        start * rate * np.sinh(rate * t) + speed * np.cosh(rate * t),
    )


def leg(p, x, z):
    """Angles of hip, knee and ankle of a leg from the hip to an ankle at (x, z) below it, trunk upright, foot flat."""
    cosine = (x * x + z * z - p.thigh**2 - p.shank**2) / (2 * p.thigh * p.shank)
    if np.max(abs(cosine)) > 1:
        far = np.max(np.hypot(x, z))
        raise ModelError(
            "system 'walker_cases'", f"legs of {p.thigh + p.shank:g} m cannot make this step: hip to ankle is {far:.3g} m"
        )
    knee = -np.arccos(cosine)
    lower = np.arctan2(p.shank * np.sin(knee), p.thigh + p.shank * np.cos(knee))
    first = np.arctan2(z, x) - lower + np.pi / 2  # absolute angle is pi/2 + pi + hip
    return first, knee, np.pi / 2 - first - knee


def gait(p, t):
    """(6, ...) joint angles at times t of a step: the left foot stands at the origin, the right one swings."""
    t = np.asarray(t, dtype=float)
    x, down, swing = hip(p, t)[0], -(p.height - p.trunk / 2), np.pi * t / p.time
    left = leg(p, -x, down * np.ones_like(t))
    right = leg(p, -p.step * np.cos(swing) - x, down + p.lift / 2 * (1 - np.cos(2 * swing)))
    return np.array([*left, *right])


def setting(p) -> dict:
    """Joints follow the gait, but stand still on two feet; feet are held as the phase says."""
    from locomote.constraints.kinds import PointContact
    from locomote.drives.kinds.constant import Constant
    from locomote.drives.kinds.spline import Spline

    times = np.linspace(-0.1 * p.time, 1.1 * p.time, SAMPLES)
    drives = {joint: Spline(times, angles, order=5) for joint, angles in zip(JOINTS, gait(p, times), strict=True)}
    if p.phase == "double":
        drives = {joint: Constant(angle) for joint, angle in zip(JOINTS, gait(p, 0.0), strict=True)}
    behind = p.sole / 2 if p.foot == "mid" else 0.0
    heel, toe = (-behind, 0.0, 0.0), (p.sole - behind, 0.0, 0.0)
    feet = []
    for side in {"flight": (), "double": ("left", "right")}.get(p.phase, ("left",)):
        if p.phase != "point":
            feet.append(PointContact(f"{side}_foot", heel, directions="xz", name=f"{side}_heel"))
        feet.append(PointContact(f"{side}_foot", toe, directions="xz" if p.phase == "point" else "z", name=f"{side}_toe"))
    return {"drives": drives, "constraints": feet}


def initial(p, model: Model):
    """The beginning of a step; standing still on two feet."""
    q, v = model.neutral(), np.zeros(model.nv)
    x, speed = hip(p, 0.0)
    q[:3], q[3:] = (x, p.height, np.pi / 2), gait(p, 0.0)
    if p.phase != "double":
        v[1] = -speed  # y of the upright trunk points back
        v[3:] = (gait(p, 1e-6) - gait(p, -1e-6)) / 2e-6
    return q, v


def duration(p) -> float:
    """s"""
    return 0.3 if p.phase in ("flight", "point") else p.time
