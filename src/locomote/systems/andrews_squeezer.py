"""Andrews' squeezing mechanism: seven bodies in the plane, three loops that meet in one point, a spring, a constant torque.

Bodies and letters are those of the benchmark. The tree: K1 on the ground with K2 on it (beta, Theta), K3 (gamma), K5 with K4
(delta, Phi), K7 with K6 (epsilon, Omega). K3, K4 and K6 end at the end of K2.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import number, positive
from locomote.systems.parts import at

SOURCE = (
    "G.C. Andrews, M.K. Ormrod: Advent: a simulation program for constrained planar kinematic and dynamic systems (1986); "
    "W. Schiehlen (ed.): Multibody Systems Handbook (1990); E. Hairer, G. Wanner: Solving Ordinary Differential Equations II, "
    "VII.7; test set for IVP solvers; IFToMM library of benchmarks A03"
)
SEE = "the crank speeds up to more than 1000 rad/s within 0.03 s while the other links are shaken"
PARAMETERS = {
    "torque": number(0.033, "N m", "constant torque on the crank"),
    "stiffness": positive(4530.0, "N/m", "stiffness of the spring"),
    "rest": positive(0.07785, "m", "its length without force"),
}
A, B, C = (-0.06934, -0.00227, 0.0), (-0.03635, 0.03273, 0.0), (0.014, 0.072, 0.0)  # m: hinges and end of the spring
RR, D, SS, E, ZT, ZF, U = 0.007, 0.028, 0.035, 0.02, 0.04, 0.02, 0.04  # m: lengths of K1, K2, K3, K4, K5, K6, K7
SPRING = (0.02, -0.018, 0.0)  # m: on K3
# name: parent, place on it, joint, mass (kg), mass center (m), moment (kg m^2), end (m)
BODIES = {
    "K1": ("ground", (0, 0, 0), "beta", 0.04325, (0.00092, 0), 2.194e-6, (RR, 0)),
    "K2": ("K1", (RR, 0, 0), "Theta", 0.00365, (-0.0115, 0), 4.41e-7, (-D, 0)),
    "K3": ("ground", B, "gamma", 0.02373, (0.01043, -0.01874), 5.255e-6, (0, -SS)),
    "K5": ("ground", A, "delta", 0.0705, (0.02308, 0.00916), 1.169e-5, (ZT, 0)),
    "K4": ("K5", (ZT, 0, 0), "Phi", 0.00706, (0, -(E - 0.01421)), 5.667e-7, (0, -E)),
    "K7": ("ground", A, "epsilon", 0.05498, (0.00449, -0.01228), 1.912e-5, (0, -U)),
    "K6": ("K7", (0, -U, 0), "Omega", 0.00706, (ZF - 0.01421, 0), 5.667e-7, (ZF, 0)),
}
START = {
    "beta": -0.06171389001427645, "Theta": 0.0, "gamma": 0.45527981916307037, "Phi": 0.22266839016588588,
    "delta": 0.48736497954384256, "Omega": -0.22266839016588588, "epsilon": 1.2305474445498212,
}  # fmt: skip


def build(p) -> Model:
    """The seven bodies."""
    builder = Builder("andrews squeezer", gravity=(0.0, 0.0, 0.0)).body("ground")
    for name, (parent, place, joint, mass, com, moment, end) in BODIES.items():
        length = np.hypot(*end)
        middle = at(end[0] / 2, end[1] / 2, 0.0)
        looks = Visual("box", (length, 0.002, 0.002) if end[0] else (0.002, length, 0.002), middle)
        inertia = Inertia(mass, (*com, 0.0), (moment, moment, moment))
        builder.body(name, parent=parent, at=place, joint=Joint(joint), inertia=inertia, visuals=[looks])
    return builder.build()


def setting(p) -> dict:
    """Three ends meet the end of K2; a spring pulls at K3, a torque turns the crank."""
    from locomote.constraints.kinds import PointContact
    from locomote.forces.springs import Spring

    meet = {"other": "K2", "target": (-D, 0.0, 0.0), "directions": "xy"}
    loops = [PointContact(name, (*BODIES[name][6], 0.0), name=f"loop_{name}", **meet) for name in ("K3", "K4", "K6")]
    spring = Spring("K3", None, SPRING, C, stiffness=p.stiffness, length=p.rest)
    return {"torques": {"beta": p.torque}, "constraints": loops, "environment": [spring]}


def initial(p, model: Model):
    """The benchmark's start, at rest."""
    q = model.neutral()
    for joint, value in START.items():
        q[model.joint(joint).q] = value
    return q, np.zeros(model.nv)


def duration(p) -> float:
    """s"""
    return 0.05
