"""Columns of the packed arrays of a Model, which kernels read.

`topology` (bodies + 1, 11) int64 and `constants` (bodies + 1, 40) float64 have one row for each moving body, parents first
and every subtree in one piece. The world counts as the body after the last: it is the parent of the roots, and its rows
hold the numbers of coordinates (in the columns Q and V), how many joints there are at most between it and a body (in the
column DEPTH), and gravity.
"""

# topology
PARENT, KIND, Q, V, V_COUNT = range(5)
LAST = 5  # the last body of the subtree
YOUNGEST = 6  # 1 if the body is the last child of its parent: the first to reach it on the way inward
DEPTH = 6  # in the row of the world
# coordinates of v of a body and its ancestors stand in runs without gaps: where the run that ends with this body starts,
# and the ancestor that the next run ends with
RUN, NEXT = 7, 8
# for rows of flexible bodies: the station and the flexible body that they belong to
STATION, ROD = 9, 10

# constants of a body
ROTATION = 0  # R0, row by row, of planar, spherical and free joints
SIN_FORK, COS_FORK, SIN_LEAN, COS_LEAN, SIN_START, COS_START = range(6)  # for all other rows, in its place; see `frames`
DISPLACEMENT = 9  # o0
GROUPED_MASS = 12  # inertia less what `grouping` handed to the parent, and with what children handed over: mass,
GROUPED_1 = 13  # first moment, that is mass times center of mass,
GROUPED_2 = 16  # second moment, of r r^T, xx, xy, xz, yy, yz, zz
PITCH = 22
ARMATURE = 23  # one for each coordinate of v
MASS = 29  # inertia of the body itself: mass,
MOMENT_1 = 30  # first moment,
MOMENT_2 = 33  # second moment; all about the origin of the packed frame
INERTIA_WIDTH = 10
CONSTANTS_WIDTH = 40
# added inertia follows, if any body of the model has one: linear (6), coupling row by row (9), angular (6)
ADDED = CONSTANTS_WIDTH
ADDED_WIDTH = 21

# constants of the world
GRAVITY = 0
