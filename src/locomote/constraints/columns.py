"""Columns of the packed constraints that kernels read, and the elementary kinds they are made of.

    kind       what is held                                                      parameters
    POINT      velocity of a point of the body along an axis of the other         axes of the rows
    BLADE      velocity of a point of the body along its own y axis
    TURN       relative turn about an axis: sign * (a_i x b_j) . relative spin     sign, i, j of each row
    DISTANCE   velocity along the line between two points                         length
    ROLL       velocity of the material point of contact                          shape, surface, directions of the rows
    LINEAR     a fixed linear combination of velocities, perhaps less a curve     row of `linear`, pieces of `curves`
    CUSTOM     whatever a function of the user says                               its row in the table of functions
    KEEL       a share of what holds a rod sideways: see `constraints.keel`       length, root and its motions

Frames: b is fixed to BODY, a to OTHER (the world is the body after the last).
"""

POINT, BLADE, TURN, DISTANCE, ROLL, LINEAR, CUSTOM, KEEL = range(8)
BETWEEN_BODIES = (POINT, BLADE, TURN, DISTANCE, ROLL, KEEL)

# integers
KIND, BODY, OTHER, FIRST, COUNT = range(5)
FUNCTION = 5  # row of the table of functions, or of `linear`
ROWS = 6  # three numbers: which axis each row is about
PAIRS = 9  # three numbers: 3 i + j of TURN
SHAPE, SURFACE = 12, 13
ACTIVE = 14
OWNER = 15  # which constraint of the user's list
UNILATERAL = 16  # number (from 1) among unilateral ones, negative while it is ignored, 0 otherwise
ROOT, MOTIONS = 17, 18  # for KEEL: body of the root, whose frame is in FRAME_A; which of its motions rows hold, as bits
MEETING = 19  # the body from which on the ancestors of both are the same: joints above it move both alike
CURVED, PIECES, ALONG = 20, 21, 22  # for LINEAR: first row of `curves` and how many there are, 0 of none; slot of v it is over
INTEGERS = 23

# numbers
FRAME_B, FRAME_A = 0, 12  # rotation row by row, displacement
SIGNS = 24  # three
LENGTH = 27
SHAPE_NUMBERS, SURFACE_NUMBERS = 28, 31  # three each, as `geometry.shapes` say
OFFSET = 34
NUMBERS = 35

FORWARD, LATERAL, NORMAL = range(3)

# entry of `calls` of a plan: the kernel that adds the power of a wrench on a row of a tree with flexible bodies
PULL = 12
