"""Numbers of the elementary kinds of joints, in the column KIND of `topology`."""

REVOLUTE, PRISMATIC, HELICAL, PLANAR, SPHERICAL, FREE, FLEX, ATTACHED = range(8)
NAN = float("nan")  # what a kind gives that a choice does not name: entries report it, so nothing passes for another kind
NO_AXIS = -1
