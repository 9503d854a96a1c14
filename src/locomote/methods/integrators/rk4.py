"""The classical Runge-Kutta method of order 4, with steps of a fixed length (`explicit` has its equations)."""

from locomote.methods.explicit import table
from locomote.methods.method import COMPUTED, CONSTRAINTS, FLEXIBLE, NO_INERTIA, SUDDEN, Method

RK4 = Method(
    "rk4", "Runge-Kutta of order 4, fixed steps", order=4, local=True,
    tableau=table(((0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)), (1 / 6, 1 / 3, 1 / 3, 1 / 6), (0.0, 0.5, 0.5, 1.0)),
    takes=frozenset((NO_INERTIA, COMPUTED, CONSTRAINTS, FLEXIBLE, SUDDEN)),
)  # fmt: skip
