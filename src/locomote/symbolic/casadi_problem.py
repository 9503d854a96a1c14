"""The acceleration of a problem, with its forces and constraints, as a CasADi function."""

from typing import Any

from locomote.locomotion.problem import Locomotion
from locomote.symbolic.casadi_model import casadi
from locomote.symbolic.plain import boxed, zeros
from locomote.symbolic.problem import Equations, moved_by


def symbolic_problem(problem: Locomotion) -> Any:
    """`a(t, q, v, tau)` as a `casadi.Function`: accelerations (nv,) of a problem with its springs, forces and constraints.

    tau : (nv,) further forces on coordinates that are not imposed, N or N m; where a drive imposes the motion, its acceleration
    Torques over time that are sines and polynomials are in it. Without inertia velocities follow from (t, q), and a is their
    rate; those of v are used where a drive imposes them. Which constraint rows are independent is decided once, at the start of
    the problem. Functions of the user, contacts that open and hard ground have no formula, and are refused with a sentence.
    """
    ca, equations, nv = casadi(), Equations.of(problem), problem.model.nv
    t, q, v, tau = ca.SX.sym("t"), ca.SX.sym("q", problem.model.nq), ca.SX.sym("v", nv), ca.SX.sym("tau", nv)
    each = [boxed([x[k] for k in range(x.shape[0])]) for x in (q, v, tau)]
    a, force = zeros(nv), zeros(nv)
    for k in range(nv):
        (a if problem.imposed[k] else force)[k] = each[2][k]

    def forces(t):
        return force + equations.torques(t) * ~problem.imposed

    if problem.inertia:
        result = equations.state(each[0], each[1], a, forces(t), t).acceleration()
    else:
        late = ca.SX.sym("late")  # the state that much later, to first order
        now = equations.settled(each[0], each[1], forces(t), t)
        place = moved_by(equations, each[0], boxed([x * late for x in now]))
        moving = boxed([x + rate * late for x, rate in zip(each[1], a, strict=True)])
        there = equations.settled(place, moving, forces(t + late), t + late)
        rate = ca.substitute(ca.jacobian(ca.vertcat(*there), late), late, 0.0)
        result = [a[k] if problem.imposed[k] else rate[k] for k in range(nv)]
    return ca.Function("a", [t, q, v, tau], [ca.vertcat(*result)], ["t", "q", "v", "tau"], ["a"])
