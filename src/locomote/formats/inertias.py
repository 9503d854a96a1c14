"""What to do with an inertia that no real body can have.

Robot files in daily use contain such inertias: of the 69 files of example-robot-data, 16 do. The motion they give is usually
still defined, because the neighbours dominate, so by default they are warnings that name the link, the line and the numbers.
What cannot be computed with (numbers that are not finite, a negative mass) is always a fault.
"""

from locomote.formats.faults import Faults
from locomote.spatial.inertia import Inertia

POLICIES = ("warn", "error")


def check_policy(inertia: str) -> None:
    if inertia not in POLICIES:
        raise ValueError(f"inertia={inertia!r}; expected {' or '.join(map(repr, POLICIES))}")


def judge(inertia: Inertia, policy: str, where, label: str, faults: Faults) -> None:
    """Note a fault or a warning about the inertia of `label`, as `policy` says."""
    sentence = inertia.fault()
    if sentence and not inertia.is_usable():
        faults.add(where, f"{label} {sentence}")
    elif sentence and policy == "error":
        faults.add(where, f"{label} {sentence}; correct it, or accept it with inertia='warn'")
    elif sentence:
        faults.warn(where, f"{label} {sentence}")
