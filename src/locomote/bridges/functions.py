"""Functions of plain numbers with exact slopes: goals of rollouts, accelerations of a problem, dynamics of a model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locomote.dynamics.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from locomote.dynamics.forces import forward_dynamics, inverse_dynamics
from locomote.errors import UnknownName
from locomote.gradients.goals import Goal, goal
from locomote.gradients.gradient import gradient, wanted
from locomote.locomotion.problem import Locomotion
from locomote.model.model import Model
from locomote.spatial.numbers import as_numbers

DYNAMICS = {
    "forward_dynamics": (forward_dynamics, forward_dynamics_derivatives),
    "inverse_dynamics": (inverse_dynamics, inverse_dynamics_derivatives),
}


@dataclass(frozen=True, eq=False, repr=False)
class Function:
    """y (outputs,) of x (inputs,), with slopes.

    name ; inputs, outputs : how many numbers ; start : x of the problem as it is
    call : x -> y ; slopes : x -> (outputs, inputs) ; pull : x, weights (outputs,) -> weights @ slopes
    """

    name: str
    inputs: int
    outputs: int
    start: np.ndarray
    call: Callable[[np.ndarray], np.ndarray]
    slopes: Callable[[np.ndarray], np.ndarray]
    pull: Callable[[np.ndarray, np.ndarray], np.ndarray]
    parts: dict[str, slice] = field(default_factory=dict)  # where inputs stand in x, by name

    def __call__(self, x) -> np.ndarray:
        return self.call(self.checked(x))

    def jacobian(self, x) -> np.ndarray:
        """(outputs, inputs) slopes."""
        return self.slopes(self.checked(x))

    def checked(self, x) -> np.ndarray:
        """x as an array, or an error that says what was expected."""
        x = as_numbers(x, f"x of {self.name!r}", f"({self.inputs},)")
        if x.shape != (self.inputs,):
            raise ValueError(f"x of {self.name!r} has shape {x.shape}, expected ({self.inputs},)")
        return x

    def __repr__(self) -> str:
        return f"<Function {self.name!r}: {self.inputs} numbers to {self.outputs}>"


def plain(model: Model, name: str) -> None:
    """Refuse models whose q has more numbers than v: their slopes go along a tangent that other packages do not know."""
    if model.nq != model.nv:
        raise ValueError(
            f"{name!r} has joints with more numbers in q than in v (such as a free base), whose slopes are not by q"
        )


def rollout_function(problem: Locomotion, goals: Goal | Sequence[Goal], by: str | Sequence[str], **options: Any) -> Function:
    """Goals of a rollout as a function of its inputs.

    goals : as of `lo.gradient` ; by : inputs, one after the other in x: "q", "v", "controls" (steps * columns), parameters
    options : of `lo.gradient`: duration, controls, step, ... ; these and the problem say where x starts
    """
    goals = [goals] if isinstance(goals, Goal) else list(goals)
    names, parameters = wanted(problem, by)
    if "duration" in names:
        raise ValueError("a rollout as a function has a fixed duration: leave 'duration' out")
    if "q" in names:
        plain(problem.model, problem.name)
    first = problem.initial()
    given = {"q": options.get("q"), "v": options.get("v"), "controls": options.get("controls")}
    given = {key: z if x is None else x for (key, x), z in zip(given.items(), (*first, None), strict=True)}
    if "controls" in names and given["controls"] is None:
        raise ValueError("slopes by 'controls' need controls: an array (steps, joints), zeros if there are none yet")
    values = {name: np.asarray(problem.parameters[name] if name in parameters else given[name], dtype=float) for name in names}
    ends = np.cumsum([x.size for x in values.values()])
    parts = {name: slice(end - x.size, end) for (name, x), end in zip(values.items(), ends.tolist(), strict=True)}

    def run(x: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        own = {name: x[parts[name]].reshape(value.shape) for name, value in values.items()}
        changed = {name: value if value.ndim else float(value) for name, value in own.items() if name in parameters}
        now, seen = problem.with_parameters(changed) if changed else problem, []

        def weighed(y: np.ndarray) -> tuple[float, np.ndarray]:
            seen[:] = [y.copy()]
            return float(weights @ y), weights

        inputs = options | {name: value for name, value in own.items() if name not in parameters}
        _, slopes = gradient(now, goal(weighed, goals), names, **inputs)
        return seen[0], np.concatenate([np.ravel(slopes[name]) for name in names])

    start = np.concatenate([x.ravel() for x in values.values()])
    units = np.eye(len(goals))
    return Function(
        f"rollout of {problem.name}", len(start), len(goals), start, lambda x: run(x, units[0])[0],
        lambda x: np.array([run(x, unit)[1] for unit in units]), lambda x, g: run(x, g)[1], parts,
    )  # fmt: skip


def evaluation_function(problem: Locomotion, t: float = 0.0) -> Function:
    """Accelerations (nv,) of a problem at a time as a function of x = (q, v)."""
    plain(problem.model, problem.name)
    nv = problem.model.nv

    def slopes(x: np.ndarray) -> np.ndarray:
        found = problem.derivatives(t, x[:nv], x[nv:])
        return np.hstack([found.a.q, found.a.v])

    return Function(
        f"accelerations of {problem.name}", 2 * nv, nv, np.concatenate(problem.initial()),
        lambda x: np.array(problem.derivatives(t, x[:nv], x[nv:]).value[0]), slopes, lambda x, g: g @ slopes(x),
        {"q": slice(0, nv), "v": slice(nv, 2 * nv)},
    )  # fmt: skip


def model_function(model: Model, which: str) -> Function:
    """ "forward_dynamics" as a function of x = (q, v, tau), or "inverse_dynamics" of x = (q, v, a)."""
    if which not in DYNAMICS:
        raise UnknownName("function", which, DYNAMICS, "bridges of models")
    plain(model, model.name)
    value, derivative = DYNAMICS[which]
    nv, last = model.nv, "tau" if which == "forward_dynamics" else "a"

    def split(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return x[:nv], x[nv : 2 * nv], x[2 * nv :]

    def slopes(x: np.ndarray) -> np.ndarray:
        return np.hstack(list(derivative(model, *split(x))))

    start = np.concatenate([model.neutral(), np.zeros(2 * nv)])
    parts = {"q": slice(0, nv), "v": slice(nv, 2 * nv), last: slice(2 * nv, 3 * nv)}
    return Function(
        f"{which} of {model.name}", 3 * nv, nv, start, lambda x: value(model, *split(x)), slopes,
        lambda x, g: g @ slopes(x), parts,
    )  # fmt: skip
