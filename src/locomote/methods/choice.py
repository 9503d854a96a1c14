"""Which method suits a problem, and which it cannot have."""

from collections.abc import Sequence

import numpy as np

from locomote.evaluation.computed_torque import computes_torques
from locomote.evaluation.plan import CREEPING, STIFFNESS, Plan
from locomote.forces.terms import Term
from locomote.kernels.flexible.columns import FIRST_V, MATRIX, SIZE
from locomote.methods.options import COLLOCATION

# rtol and atol unless told otherwise, of methods that measure errors their own way
TOLERANCES = dict.fromkeys(COLLOCATION, (1e-3, 1e-10)) | {"radau": (1e-5, 1e-10), "rosenbrock": (1e-3, 3e-4)}
INERTIALESS = ("adaptive", "rk4", "implicit")  # methods for motion without inertia


def choose(plan: Plan, terms: Sequence[Term] = ()) -> tuple[str, str]:
    """A method for a problem, and why if it has flexible bodies or ground that gives way."""
    free = set(plan.free.tolist())
    own = [int(row[FIRST_V]) + k for row in plan.rods for k in range(int(row[SIZE]))]
    if len(plan.fed):
        return "rosenbrock", "the copy of the robot that feed-forward looks at is integrated beside it"
    if plan.options[CREEPING] != 0.0:
        springs = np.flatnonzero(plan.passive[STIFFNESS])
        stiff = free.intersection([*own, *springs.tolist()])
        return ("implicit", "springs are stiff where nothing has inertia") if stiff else ("adaptive", "")
    gives_way = any(term.kind.name == "soft ground" for term in terms)
    if gives_way and not own and not len(plan.holonomic):
        return "rosenbrock", "ground that gives way is stiff"
    if not free.intersection(own):
        return "adaptive", "all deformation is imposed, so nothing is stiff" if own else ""
    if plan.unilateral:
        return "adaptive", "contacts open and close, between which steps are as short as flexible bodies ask for anyway"
    if any(is_damped(plan, row, free) for row in plan.rods):
        return "radau", "flexible bodies are stiff and damped"
    if gives_way:
        return "radau", "flexible bodies are stiff, and hit ground that takes energy"
    return "gauss", "flexible bodies are stiff and hardly damped"


def is_damped(plan: Plan, row: np.ndarray, free: set[int]) -> bool:
    """Whether a flexible body, a row of `rods`, has damping of its own along coordinates that are free."""
    first, size, at = int(row[FIRST_V]), int(row[SIZE]), int(row[MATRIX])
    own = plan.viscous[at : at + size * size].reshape(size, size).diagonal()
    return any(own[k] > 0.0 for k in range(size) if first + k in free)


def refuse(method: str, plan: Plan, name: str) -> None:
    """Raise if a problem cannot be run by a method."""
    if plan.options[CREEPING] != 0.0 and method not in INERTIALESS:
        said = ", ".join(map(repr, INERTIALESS))
        raise ValueError(f"method {method!r} is for motion with inertia; {name!r} has none, use one of {said}")
    if method not in ("adaptive", "rk4", "implicit", "rosenbrock") and computes_torques(plan):
        raise ValueError(f"method {method!r} does not know the computed torques of {name!r}; use 'adaptive' or 'rosenbrock'")
    if method != "rosenbrock" and len(plan.fed):
        raise ValueError(
            f"method {method!r} does not know the copy of the robot that feed-forward of {name!r} looks at; use 'rosenbrock'"
        )
    if method == "rosenbrock" and len(plan.holonomic):
        raise ValueError(f"method {method!r} takes no constraints, and {name!r} has {len(plan.holonomic)} rows; use 'adaptive'")
    if method in ("variational", "rosenbrock") and len(plan.rods):
        raise ValueError(f"method {method!r} does not know the flexible bodies of {name!r}; use 'gauss', or 'auto'")
