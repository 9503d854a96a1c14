"""What the audit says of contacts: was their law met, did they make energy, do loads of neighbouring steps fit each other?

Loads that go forth and back from step to step, while no contact opens or closes, are made by the steps and not by the motion.
Every step compares the force of all contacts together with those of the three steps before it (`methods.stepping`): samples,
which may be many steps apart, cannot see it.
"""

import numpy as np

from locomote.methods.state import MET
from locomote.runs.audit.checks import Check
from locomote.runs.audit.known import BY_NEWTON, DISCS, is_hard
from locomote.runs.trajectory import Trajectory

SWING_ALLOWED = 0.05  # share of all loads


def check_contacts(run: Trajectory, exchanged: float, stepped: float) -> list[Check]:
    """Checks of a run that stepped over contacts; exchanged : energy, J ; stepped : part of it that steps may be off"""
    tracked = run.tracked or {}
    left, worst = tracked["contact_law"]
    checks = [
        Check(
            "contact law", float(worst), MET, f"m/s, the worst step; {int(left)} of {run.info.get('steps')} steps above {MET:g}"
        )
    ]
    if is_hard(run) and len(run):  # such contacts, friction and dampers only take energy; what they give was made by steps
        lost = run.work["losses"]
        given = float(np.max(lost - np.minimum.accumulate(lost)))
        note = f"{given:.2g} J" + ("; Newton's law of impact, as asked for, may make it" if run.info.get(BY_NEWTON) else "")
        checks.append(Check("energy that contacts give", given / exchanged if exchanged > 0 else given, stepped, note))
    swung, loaded = tracked.get("contact_loads", (0.0, 0.0))
    if loaded > 0 and not run.info.get(DISCS):  # the lowest point of one that lies flat goes round it from step to step
        checks.append(Check("loads of neighbouring steps", float(swung / loaded), SWING_ALLOWED, "that go forth and back"))
    return checks
