"""Long calls with all that they may be given: runs, steps by hand, rollouts, searches. They are told to be short, and values
that honestly ask for much work are left out, with the reason."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import odd_calls
from odd_calls import ARM

import locomote as lo


def arm() -> lo.Locomotion:
    return lo.Locomotion(ARM)


def tied() -> lo.Locomotion:
    """An arm with a constraint, of which runs can tell which to ignore and what to do where its rank changes."""
    return lo.Locomotion(ARM, constraints=[lo.Distance("fore", None, point=(0.1, 0, 0), length=None, name="rope")])


def reset() -> Callable:
    return arm().stepper().reset


def advanced() -> Callable:
    return arm().stepper().advance


RUN = {"duration": 0.01, "progress": False}
ROLLED = {"problem": arm, "duration": 0.002, "batch": 2, "progress": False}
# by label: the call, and what it is given besides what is odd
CALLS: dict[str, tuple[Callable[[], Callable], dict[str, Any]]] = {
    "simulate": (lambda: arm().simulate, RUN),
    "simulate, tied": (lambda: tied().simulate, RUN | {"q": (0.3, 0.8)}),
    "simulate, rk4": (lambda: arm().simulate, RUN | {"method": "rk4"}),
    "simulate, timestep": (lambda: arm().simulate, RUN | {"method": "timestep", "step": 1e-3}),
    "stepper": (lambda: arm().stepper, {}),
    "stepper.reset": (reset, {}),
    "stepper.advance": (advanced, {}),
    "rollout": (lambda: lo.rollout, ROLLED),
    "rollout, timestep": (lambda: lo.rollout, ROLLED | {"method": "timestep"}),
    "equilibrium": (lambda: lo.equilibrium, {"problem": lambda: lo.Locomotion(odd_calls.SOFT)}),
    "inverse_kinematics": (
        lambda: lo.inverse_kinematics, {"model": ARM, "targets": lambda: lo.Target("fore", (0.3, 0.0, 0.0))},
    ),
    "all_inverse_kinematics": (lambda: lo.all_inverse_kinematics, {"model": ARM, "pose": lambda: np.eye(4), "starts": 2}),
    "workspace": (lambda: lo.workspace, {"model": ARM, "body": "fore"}),
    "limit_cycle": (
        lambda: lo.limit_cycle,
        {"problem": arm, "section": lambda: lo.When(lambda t, q, v: v[0]), "q": (0.1, 0.0), "longest": 0.1},
    ),
    "limit_cycle, to its end": (
        lambda: lo.limit_cycle, {"problem": arm, "section": lambda: lo.When(lambda t, q, v: v[0]), "q": (0.1, 0.0)},
    ),
    "base_parameters": (lambda: lo.base_parameters, {"model": ARM}),
    "equilibrium_path": (
        lambda: lo.equilibrium_path, {"problem": lambda: lambda load: lo.Locomotion(odd_calls.SOFT), "steps": 2},
    ),
}  # fmt: skip
MAKERS = (arm, tied)
# calls that take long whenever they are valid: of these arguments only
ONLY = {"limit_cycle, to its end": ("then",)}


def given(label: str) -> dict[str, Any]:
    """What a valid call is given."""
    return {key: x() if getattr(x, "__name__", "") == "<lambda>" or x in MAKERS else x for key, x in CALLS[label][1].items()}


def names_of(label: str) -> list[str]:
    """Names of all arguments."""
    return [name for name in inspect.signature(CALLS[label][0]()).parameters if name in ONLY.get(label, (name,))]
