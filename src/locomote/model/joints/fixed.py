"""No motion at all; such a joint only keeps the name that a file has for it."""

from locomote.model.joints.kind import Kind

KIND = Kind(
    "fixed",
    (0, 0),
    parts=lambda joint: [],
    slots=lambda joint: ([], []),
    turns=False,
    base="fixed",
    other_bases=("static", "none", "world", "welded", "anchored"),
)
