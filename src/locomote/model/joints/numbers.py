"""Numbers of the elementary kinds of joints, in the column KIND of `topology`."""

REVOLUTE, PRISMATIC, HELICAL, PLANAR, SPHERICAL, FREE, FLEX, ATTACHED = range(8)
NAN = float("nan")  # result for a kind without a branch: entries report it, so nothing passes for another kind
NO_AXIS = -1
