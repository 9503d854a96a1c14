"""Shifts along x, along x and y, and along x, y and z: one, two and three elementary joints."""

import numpy as np

from locomote.model.joints.axes import turn_to
from locomote.model.joints.kind import Kind
from locomote.model.joints.numbers import PRISMATIC


def along(letters: str, *others: str) -> Kind:
    """The kind that is named by its axes."""
    return Kind(
        letters,
        (len(letters), len(letters)),
        parts=lambda joint: [(PRISMATIC, turn_to(letter)) for letter in letters],
        slots=lambda joint: ([(x, "m") for x in letters], [(f"{x} rate", "m/s") for x in letters]),
        turns=False,
        slides=lambda joint: list(np.eye(3)[: len(letters)]),
        base=letters,
        other_bases=others,
        goes=True,
        roams=True,
    )


X, XY, XYZ = along("x"), along("xy"), along("xyz", "translation", "linear")
