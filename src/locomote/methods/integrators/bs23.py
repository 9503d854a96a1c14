"""Bogacki-Shampine 3(2): few stages, for loose tolerances and forces that are not smooth (`explicit` has its equations).

Its continuous extension is the cubic through both ends and their rates, of order 3, as the method is.

(P. Bogacki, L.F. Shampine: A 3(2) pair of Runge-Kutta formulas, Appl. Math. Lett. 2 (1989).)
"""

from locomote.methods.explicit import table
from locomote.methods.method import BALANCE_ALLOWED, COMPUTED, CONSTRAINTS, FLEXIBLE, NO_INERTIA, SUDDEN, Method

C = (0.0, 1 / 2, 3 / 4, 1.0)
A = ((1 / 2,), (0.0, 3 / 4), (2 / 9, 1 / 3, 4 / 9))
E = (2 / 9 - 7 / 24, 1 / 3 - 1 / 4, 4 / 9 - 1 / 3, -1 / 8)  # difference to the rule of order 2
BALANCE = 10.0  # times rtol, of the energy that a run moves about: errors of many short steps add up

BS23 = Method(
    "bs23", "Bogacki-Shampine 3(2), for loose tolerances and forces that are not smooth", order=3, chooses=True, power=1 / 3,
    dense=True, local=True, tableau=table(A, (*A[-1], 0.0), C, e=E, reserve=4.0), tolerances=(1e-6, 1e-8),
    takes=frozenset((NO_INERTIA, COMPUTED, CONSTRAINTS, FLEXIBLE, SUDDEN)),
    balance=lambda info: max(BALANCE_ALLOWED, BALANCE * float(info.get("rtol", 0.0))),
)  # fmt: skip
