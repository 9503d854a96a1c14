"""Which method suits a problem, and which it cannot have."""

from locomote.kernels.flexible.columns import FIRST_V, SIZE
from locomote.simulation.plan import Plan

TOLERANCES = {"gauss": (1e-7, 1e-10)}  # rtol and atol unless told otherwise, of methods that measure errors their own way


def choose(plan: Plan) -> tuple[str, str]:
    """A method for a problem, and why if it has flexible bodies."""
    free = set(plan.free.tolist())
    own = [int(row[FIRST_V]) + k for row in plan.rods for k in range(int(row[SIZE]))]
    if not free.intersection(own):
        return "adaptive", "all deformation is imposed, so nothing is stiff" if own else ""
    if not len(plan.holonomic):
        return "gauss", "flexible bodies are stiff and hardly damped, and no constraint holds"
    return "adaptive", "constraints hold, which steps of flexible bodies by collocation do not know"


def refuse(method: str, plan: Plan, name: str) -> None:
    """Raise if a problem cannot be run by a method."""
    if method == "gauss" and len(plan.holonomic):
        raise ValueError(f"method 'gauss' takes no constraints, and {name!r} has {len(plan.holonomic)} rows; use 'adaptive'")
    if method == "variational" and len(plan.rods):
        raise ValueError(f"method 'variational' does not know the flexible bodies of {name!r}; use 'gauss', or 'auto'")
