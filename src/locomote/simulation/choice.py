"""Which method suits a problem, and which it cannot have."""

from locomote.kernels.flexible.columns import COMPONENTS, FIRST_V, SIZE
from locomote.simulation.plan import Plan

SLOW = 3  # strains from this one on, torsion and bending, are slow beside stretch and shear


def choose(plan: Plan) -> tuple[str, str]:
    """A method for a problem, and why if it has flexible bodies."""
    free = set(plan.free.tolist())
    own = [(int(row[FIRST_V]) + k, int(row[COMPONENTS]) + k) for row in plan.rods for k in range(int(row[SIZE]))]
    loose = [plan.components[c] for k, c in own if k in free]
    if not loose:
        return "adaptive", "all deformation is imposed, so nothing is stiff" if own else ""
    if not len(plan.holonomic):
        return "gauss", "flexible bodies are stiff and hardly damped, and no constraint holds"
    if min(loose) < SLOW:
        return "implicit", "stretch and shear of flexible bodies are stiff, and constraints hold"
    return "adaptive", "flexible bodies only bend and twist, and constraints hold"


def refuse(method: str, plan: Plan, name: str) -> None:
    """Raise if a problem cannot be run by a method."""
    if method == "gauss" and len(plan.holonomic):
        raise ValueError(f"method 'gauss' takes no constraints, and {name!r} has {len(plan.holonomic)} rows; use 'implicit'")
    if method == "variational" and len(plan.rods):
        raise ValueError(f"method 'variational' does not know the flexible bodies of {name!r}; use 'gauss', or 'auto'")
