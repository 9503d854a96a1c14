"""Columns of the packed arrays of flexible bodies.

A flexible body is a row of kind FLEX, which is fixed to its parent and has the deformation coordinates, followed by one row of
kind ATTACHED for each of its stations, from root to tip: places with mass, places where something hangs, and the tip.
Each station hangs on the one before by a step, whose motion the coordinates of the body decide. Those of a modal body all hang
on its root.

A tree of flexible bodies, `tree` in kernels, is a record with the arrays

    topology, constants   as of all models
    rods (bodies, RODS)   integers, below
    stations (stations, 2)  length of the step to a station, and sqrt(3)/12 times its square
    basis                 B at the two Gauss points of each step, coordinate by coordinate, first those of one point
    components            which of the six strains each coordinate belongs to
    elastic, viscous      stiffness and damping of the coordinates of a body, row by row; not zero up to BAND off the diagonal
    hung (.., 3)          what hangs on stations: station, first coordinate of v, first after it
"""

# columns of `rods`
ROW, STATION, STATIONS, FIRST_Q, FIRST_V, SIZE, BASIS, COMPONENTS, MATRIX, HUNG, HUNGS, ACTIVE, MODAL, BAND = range(14)
RODS = 14
# MODAL is 0 for a rod, 1 for a modal body (`modal`) whose points move on straight lines; for one with shapes of second order
SECOND = 2
# columns of `stations`
LENGTH, KAPPA = range(2)
# columns of `strain`: what is imposed at the two Gauss points of a step, and its first and second time derivative
STRAIN, STRAIN_RATE, STRAIN_ACCELERATION = 0, 12, 24
STRAINS = 36
# columns of `steps`: pose of a station in the one before, its motion relative to that and the rate of it
ROTATION, ORIGIN, TWIST, RATE = 0, 9, 12, 18
X1, X2 = 24, 30  # strains at the Gauss points, their rates and accelerations
Y1, Y2, Z1, Z2 = 36, 42, 48, 54
OMEGA, FACTORS = 60, 66  # the step itself; f2, f3 and their derivatives
AXES = 70  # motion per unit of each strain at the first point, six columns of six; then at the second
STEPS = AXES + 72
# columns of `work`: pose in the parent, twist and its rate, wrench, gravity, motion of the joint; inertia
POSE_R, POSE_O, VELOCITY, ACCELERATION, WRENCH, UP, LINEAR, COUPLING, ANGULAR = 0, 9, 12, 18, 24, 30, 33, 39, 48
PLACE_R, PLACE_O = 54, 63  # in the flexible body, of stations
WORK = 66
