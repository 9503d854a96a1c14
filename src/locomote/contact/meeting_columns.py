"""Columns of the tables of shapes of bodies that may touch each other, see `contact.meeting`."""

from locomote.geometry.convex import NUMBERS

# columns of `solids`, after those of `geometry.convex`: body, pose in it, ball about it there
BODY, FRAME, CENTER, BALL = NUMBERS, NUMBERS + 1, NUMBERS + 13, NUMBERS + 16
SOLID = NUMBERS + 17
# columns of `carriers`: body, root of its tree ; of `meets`: two carriers, first pair and that after the last, one tree or two
CARRIER, ROOT = range(2)
ONE, OTHER, FIRST, AFTER, TREE = range(5)
MEETS = 5
SHAPE, SECOND, POOL = range(3)  # columns of `pairs`: two shapes, pool
FIRST_SPOT, BLOCKS = range(2)  # columns of `pools`
# columns of `travel`: last pose in the world, travel; the same as seen from the root
WORLD_TRAVEL, TREE_POSE, TREE_TRAVEL = 12, 13, 25
TRAVEL = 26
