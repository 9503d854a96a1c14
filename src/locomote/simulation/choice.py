"""Which method suits a problem, and which it cannot have."""

from locomote.simulation.plan import STIFFNESS, Plan


def choose(plan: Plan) -> tuple[str, str]:
    """A method for a problem, and why."""
    free = set(plan.free.tolist())
    soft = any(int(row[4]) + k in free for row in plan.rods for k in range(int(row[5])))  # first coordinate, how many
    if soft and len(plan.holonomic) == 0:
        return "gauss", "flexible bodies are stiff and nothing is held by constraints"
    if soft:
        return "implicit", "flexible bodies are stiff, and constraints hold"
    if len(plan.free) and plan.passive[STIFFNESS].any():
        return "adaptive", "springs of joints are followed by steps of the right length"
    return "adaptive", "nothing is stiff"


def refuse(method: str, plan: Plan, name: str) -> None:
    """Raise if a problem cannot be run by a method."""
    if method == "gauss" and len(plan.holonomic):
        raise ValueError(f"method 'gauss' takes no constraints, and {name!r} has {len(plan.holonomic)} rows; use 'implicit'")
    if method == "variational" and len(plan.rods):
        raise ValueError(f"method 'variational' does not know the flexible bodies of {name!r}; use 'gauss', or 'auto'")
