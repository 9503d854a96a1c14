"""Dormand-Prince 5(4): the explicit method that runs take where nothing is stiff (`explicit` has its equations).

(J.R. Dormand, P.J. Prince: A family of embedded Runge-Kutta formulae, J. Comput. Appl. Math. 6 (1980); the extension of fourth
order is that of Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.6.)
"""

from locomote.methods.explicit import table
from locomote.methods.method import COMPUTED, CONSTRAINTS, FLEXIBLE, NO_INERTIA, SUDDEN, Method, Situation

C = (0.0, 0.2, 0.3, 0.8, 8 / 9, 1.0, 1.0)
A = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
E = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
D = (
    -12715105075 / 11282082432, 0.0, 87487479700 / 32700410799, -10690763975 / 1880347072,
    701980252875 / 199316789632, -1453857185 / 822651844, 69997945 / 29380423,
)  # fmt: skip


def suits(situation: Situation) -> str | None:
    """Whatever is not stiff, and flexible bodies whose contacts open and close."""
    s = situation
    if s.contacts or s.fed or s.stiff_rods or s.stiff_ground or (not s.inertia and s.springs):
        return None
    if s.inertia and s.soft:
        return "contacts open and close, between which steps are as short as flexible bodies ask for anyway"
    return "all deformation is imposed, so nothing is stiff" if s.inertia and s.rods else ""


ADAPTIVE = Method(
    "adaptive", "Dormand-Prince 5(4), for whatever is not stiff", order=5, chooses=True, power=0.2, dense=True, local=True,
    tableau=table(A, (*A[-1], 0.0), C, e=E, d=D, reserve=4.0), suits=suits,
    takes=frozenset((NO_INERTIA, COMPUTED, CONSTRAINTS, FLEXIBLE, SUDDEN)),
)  # fmt: skip
