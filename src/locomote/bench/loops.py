"""Loops over states without Python in between: one configuration at a time, scratch reused."""

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import kernel
from locomote.dynamics import derivatives, forces, matrices
from locomote.evaluation.plan import EVALUATE
from locomote.kernels.entries import entry

# functions that are timed, by their titles
TIMED = {
    "inverse dynamics": forces.INVERSE, "forward dynamics": forces.FORWARD, "mass matrix": matrices.MASS,
    "derivatives of inverse": derivatives.INVERSE, "derivatives of forward": derivatives.FORWARD,
}  # fmt: skip
LOOPS = {title: entry(function.recursion, "loop", __name__) for title, function in TIMED.items()}


@kernel
def evaluation_loop(count, plan, work, t, q, v, a, lam):
    """Evaluate a problem `count` times; returns the sum of the ranks, so that nothing is left out."""
    total = 0
    for _ in range(count):
        total += call_compiled(plan.calls[EVALUATE], (plan, work, t, q, v, a, lam))
    return total
