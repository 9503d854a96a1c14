"""Robots that stand, for whole-body control: `hrp2_like` with its knees bent, and `humanoid` crouched."""

import locomote as lo

SIDES = ("left", "right")
HRP2 = lo.systems.load("hrp2_like").model
HRP2_SOLE = lo.control.rectangle(0.24, 0.14)
HUMANOID = lo.systems.load("humanoid").model
HUMANOID_SOLE = lo.control.rectangle(0.26, 0.096, at=(0.07, 0.0, 0.0))
BENT = {"hip_pitch": -0.35, "knee": 0.7, "ankle_pitch": -0.35}


def standing(bent=BENT):
    """q of HRP2 with both legs, or what else is named, bent alike."""
    q = HRP2.neutral()
    for side in SIDES:
        for name, angle in bent.items():
            q[HRP2.joint(f"{side}_{name}").q] = angle
    return q


def feet(**options):
    """Contacts of both soles of HRP2."""
    return [lo.control.Contact(f"{side}_sole", HRP2_SOLE, **{"friction": 0.6} | options) for side in SIDES]


def crouched():
    """q of HUMANOID."""
    q = HUMANOID.neutral()
    for side in SIDES:
        q[HUMANOID.joint(f"{side}_hip_pitch").q], q[HUMANOID.joint(f"{side}_knee").q] = -0.4, 0.8
        q[HUMANOID.joint(f"{side}_ankle").q.start] = -0.4
        q[HUMANOID.joint(f"{side}_elbow").q] = -0.8
    return q
