"""The acceleration of a problem, with its forces and constraints, as a CasADi function."""

from typing import Any

from locomote.locomotion.problem import Locomotion
from locomote.symbolic.casadi_model import casadi
from locomote.symbolic.plain import boxed, zeros
from locomote.symbolic.problem import Equations


def symbolic_problem(problem: Locomotion) -> Any:
    """`a(t, q, v, tau)` as a `casadi.Function`: accelerations (nv,) of a problem with its springs, forces and constraints.

    tau : (nv,) further forces on coordinates that are not imposed, N or N m; where a drive imposes the motion, its acceleration
    Which constraint rows are independent is decided once, at the start of the problem. Functions of the user and contacts that
    open have no formula, and are refused with a sentence.
    """
    ca, equations, nv = casadi(), Equations.of(problem), problem.model.nv
    t, q, v, tau = ca.SX.sym("t"), ca.SX.sym("q", problem.model.nq), ca.SX.sym("v", nv), ca.SX.sym("tau", nv)
    each = [boxed([x[k] for k in range(x.shape[0])]) for x in (q, v, tau)]
    a, force = zeros(nv), zeros(nv)
    for k in range(nv):
        (a if problem.imposed[k] else force)[k] = each[2][k]
    result = equations.state(each[0], each[1], a, force, t).acceleration()
    return ca.Function("a", [t, q, v, tau], [ca.vertcat(*result)], ["t", "q", "v", "tau"], ["a"])
