"""Turns about three letters of `sequence`, each as turned by those before: three elementary joints."""

from locomote.model.joints.axes import turn_to
from locomote.model.joints.kind import Kind, Slots
from locomote.model.joints.numbers import REVOLUTE


def faults(joint) -> list[str]:
    """Whether the letters are three axes."""
    letters = joint.sequence
    three = isinstance(letters, str) and len(letters) == 3 and not set(letters) - set("xyz")
    if not three or letters[0] == letters[1] or letters[1] == letters[2]:
        return [f"sequence must be three of x, y, z without the same letter twice in a row, not {letters!r:.60}"]
    return []


def slots(joint) -> tuple[Slots, Slots]:
    """Angles by number and letter."""
    names = [f"angle {n} about {letter}" for n, letter in enumerate(joint.sequence, 1)]
    return [(name, "rad") for name in names], [(name.replace("angle", "rate"), "rad/s") for name in names]


KIND = Kind(
    "euler",
    (3, 3),
    parts=lambda joint: [(REVOLUTE, turn_to(letter)) for letter in joint.sequence],
    slots=slots,
    axes=("sequence",),
    faults=faults,
)
