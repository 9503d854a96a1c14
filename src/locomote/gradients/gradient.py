"""`lo.gradient`: the value of a goal of a run, and its exact slopes."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from locomote.actuation.controllers import clocked
from locomote.errors import UnknownName
from locomote.gradients.along import Along
from locomote.gradients.check import checked_along
from locomote.gradients.contact_case import WAYS as CONTACTS
from locomote.gradients.contact_case import ContactCase
from locomote.gradients.fixed import Case
from locomote.gradients.goals import Goal
from locomote.gradients.rollouts import TooLong
from locomote.gradients.slopes import Slopes
from locomote.gradients.smoothed import smoothed
from locomote.gradients.steps import Happened
from locomote.locomotion.problem import Locomotion
from locomote.methods.choice import choose
from locomote.methods.events.when import When
from locomote.runs.channels import columns_of_v
from locomote.spatial.numbers import as_numbers
from locomote.symbolic.problem import STEPS, obstacles

KNOWN = ("q", "v", "controls", "duration")
REPLAYED = ("adaptive", "bs23")  # methods whose steps are differentiated as they were taken
FOLLOWED = ("adaptive", "gauss", "gauss4", "gauss8", "radau")  # those that follow a motion to rounding
TAKEN = (*STEPS, "timestep", *dict.fromkeys((*REPLAYED, *FOLLOWED)))
WAYS = ("auto", "reverse", "forward")
MEMORY = 5e8  # bytes for states that are kept


def gradient(
    problem: Locomotion,
    goal: Goal,
    by: str | Sequence[str],
    *,
    duration: float | None = None,
    controls=None,
    joints: Sequence[Any] | None = None,
    q=None,
    v=None,
    step: float = 1e-3,
    method: str = "rk4",
    rtol: float | None = None,
    atol: float | None = None,
    way: str = "auto",
    start: str = "check",
    threads: int = 1,
    memory: float = MEMORY,
    contacts: str = "saltation",
    depth: float = 1e-3,
    check: bool = False,
    events: Sequence[When | Callable] = (),
) -> tuple[Any, Slopes]:
    """The value of a goal of a run, and its exact slopes by the named inputs.

    goal : what is differentiated: lo.at_end, lo.at_time, lo.integral, arithmetic on these, lo.goal
    by : of "q" and "v" (the start), "controls", "duration", and names of parameters, as in `problem.parameters`, or patterns
        such as "*.mass"
    duration, controls, joints, q, v, step, start, threads : as of `lo.rollout`. With a batch of N runs the value is (N,) and
        slopes have N in front
    method : "rk4" or "euler", with fixed steps as of `lo.rollout`; "timestep" over contacts, where "rk4" means it; "adaptive"
        or "bs23", with the steps that a run of `simulate` chooses for rtol and atol, which are then kept; with events, contacts
        that open and close, and other methods of `simulate` along its motion, by "q", "v" and "duration"
    way : "reverse" goes backwards over the steps once, "forward" along each input; "auto" takes the cheaper
    memory : bytes for states that are kept; if they need more, steps are taken twice from checkpoints
    contacts : slopes of steps over contacts (method="timestep"): "saltation" of the motion, with hits that come earlier or
        later; "discrete" of the steps as such, which do not converge as steps become shorter; "smooth" of another motion, over
        contacts that give way by a depth (m) under the weight, by method="rk4": `said` has what that does to the goal
    events : functions (t, q, v) -> number, or lo.When, as of `simulate`: what they do to velocities, and where they end the run
    check : compare with differences along a random direction, and print the error

    Returns the value, in units of the goal, and `Slopes` by name: "q" and "v" (nv,), "controls" (steps, columns), "duration" a
    number, parameters in their shapes. Slopes by q go along the tangent, as `model.integrate` moves, from the start as it is
    on the constraints; by parameters the start stays, but for what drives set. A later end goes on with the last controls.
    See docs/gradients.md for what is exact and what is refused.
    """
    if not isinstance(problem, Locomotion):
        raise TypeError(f"expected a lo.Locomotion, not {problem!r:.60}; a system of the catalogue has one as .problem()")
    if not isinstance(goal, Goal):
        raise TypeError(f"the goal is {goal!r:.60}, expected one of lo.at_end, lo.at_time, lo.integral, or arithmetic on these")
    names, parameters = wanted(problem, by)
    if way not in WAYS:
        raise UnknownName("way", way, WAYS, "gradient")
    if contacts not in CONTACTS:
        raise UnknownName("contacts", contacts, CONTACTS, "gradient")
    if contacts != "saltation" and not problem.contacts:
        raise ValueError(f"contacts={contacts!r} is for problems with contacts, and {problem.name!r} has none")
    if not memory > 0:
        raise ValueError(f"memory must be a number of bytes above 0, not {memory!r}")
    if problem.contacts and method in ("auto", "rk4"):
        method = "timestep"
    elif method == "auto":
        method = choose(problem.plan, problem.terms)[0]
    if method not in TAKEN:
        raise UnknownName("method", method, TAKEN, "gradient")
    if problem.contacts and method != "timestep":
        raise ValueError(f"{problem.name!r} has contacts with friction, which method='timestep' steps over, not {method!r}")
    if method not in REPLAYED and (rtol is not None or atol is not None):
        raise ValueError(
            f"rtol and atol are for methods {' and '.join(REPLAYED)}, which choose steps by them, not for {method!r}"
        )
    controls = None if controls is None else as_numbers(controls, "controls", "(batch, steps, joints) or (steps, joints)")
    if "controls" in names and controls is None:
        raise ValueError("slopes by 'controls' need controls: an array (steps, joints), zeros if there are none yet")
    rest = (problem, goal, names, parameters, q, v, duration, method, events, start, check)
    if method not in (*STEPS, "timestep"):
        refuse_batch(method, controls, q, v, duration)
        if events or method not in REPLAYED or obstacles(problem):
            return along(*rest)
    elif events:
        raise ValueError(f"method={method!r} has no events: take 'adaptive'")
    elif clocked(problem.controllers):
        raise ValueError(
            f"{problem.name!r} has controllers with a clock, which slopes of steps of a fixed length do not go through: "
            + ("give torques as controls" if method == "timestep" else "take method='adaptive', or give torques as controls")
        )
    given = (controls, joints, q, v, duration, step, method, start, threads, memory, (rtol, atol), parameters)
    try:
        case, said = Case.of(problem, goal, *given), ()
        if method == "timestep":
            case = ContactCase(**vars(case), contacts=contacts)
            if contacts == "smooth":
                case, said = given_way(case, depth)
        slopes = case.forwards(names) if way == "forward" else case.reverse(names)
        value, _ = case.found
    except (Happened, TooLong):  # such as a joint that reaches its limit, or a rod with many coordinates
        if method in (*STEPS, "timestep"):
            raise
        return along(*rest)
    broken = [name for name, array in slopes.items() if not np.isfinite(array).all()]
    if broken:
        raise FloatingPointError(f"slopes of {problem.name!r} by {broken[0]!r} are not finite: the motion has a corner there")
    error = checked_along(case, slopes) if check else None
    batch = any(x is not None and np.ndim(x) == size for x, size in ((q, 2), (v, 2), (controls, 3)))
    found = Slopes(
        {name: array if batch else array[0] for name, array in slopes.items()}, units=units(case, names),
        way="forward" if way == "forward" else "reverse", memory=case.rolled.bytes, checkpoints=case.rolled.checkpoints,
        switches=case.switches(), said=said,
    )  # fmt: skip
    found.check = error
    for switch in found.switches:
        if "passes its limit" in switch.what:
            warnings.warn(f"{problem.name!r}: {switch.what}; take method='adaptive', or give it limits=False", stacklevel=3)
    return (value if batch else float(value[0])), found


def given_way(case: ContactCase, depth: float) -> tuple[Case, tuple[str, ...]]:
    """The case over contacts that give way, and by how much its goal differs from that over hard ones."""
    hard, soft = case.found[0], smoothed(replace(case, parameters=()), depth)
    for name in case.parameters:
        if name not in soft.parameters:
            raise ValueError(f"{name!r} is a number of hard ground, which contacts that give way have not")
    own = {name: value for name, value in vars(case).items() if name in Case.__dataclass_fields__}
    smooth = Case(**own | {"problem": soft, "method": "rk4"})
    off = smooth.found[0] - hard
    worst = int(abs(off).argmax())
    return smooth, (
        f"contacts give way by about {1e3 * depth:g} mm under the weight: the goal is {smooth.found[0][worst]:.6g}, where it "
        f"is {hard[worst]:.6g} over hard ground, off by {off[worst]:.2g}",
    )


def along(problem, goal, names, parameters, q, v, duration, method, events, start, check) -> tuple[float, Slopes]:
    """The gradient along a run with events."""
    if method not in FOLLOWED:
        raise UnknownName("method", method, FOLLOWED, f"gradient of {problem.name!r}, in which something switches")
    case = Along.of(problem, goal, q, v, duration, method, events, start, parameters)
    slopes = case.slopes(names)
    said = tuple(case.ticks.said)
    found = Slopes(slopes, units=units(case, names), way="forward", switches=case.switches(), said=said)
    found.check = case.check(slopes) if check else None
    return case.value, found


def refuse_batch(method: str, controls, q, v, duration) -> None:
    """Raise unless there is one run over a time."""
    if controls is not None:
        raise ValueError(f"controls are constant within steps of a fixed length, which method={method!r} has not: take 'rk4'")
    if np.ndim(q) > 1 or np.ndim(v) > 1:
        raise ValueError(f"method={method!r} chooses the steps of each run by itself: give one start, or take 'rk4'")
    if duration is None or not (np.isfinite(duration) and duration > 0):
        raise ValueError(f"gradient needs a duration (s) above 0, not {duration!r}")


def control_units(case: Case) -> list[str]:
    """Of each column: of a torque, or of an acceleration where that is what controls give."""
    return [columns_of_v(case.problem.model, "a" if k in case.plan.held else "tau")[k].unit for k in case.plan.given]


def wanted(problem: Locomotion, by: str | Sequence[str]) -> tuple[list[str], list[str]]:
    """Names of inputs, each once, and those of them that are parameters of the problem."""
    names: list[str] = []
    for name in [by] if isinstance(by, str) else by:
        try:
            names += [name] if name in KNOWN else problem.parameters.matching(name)
        except UnknownName:
            raise UnknownName("input", name, (*KNOWN, *problem.parameters), f"gradient of {problem.name!r}") from None
    if not names or len(set(names)) < len(names):
        raise ValueError(f"by is {by!r:.80}, expected one or more inputs, each once: {', '.join(KNOWN)}, or parameters")
    return names, [name for name in names if name not in KNOWN]


def units(case: Case | Along, names: Sequence[str]) -> dict[str, Any]:
    """Units of slopes by name; of each column where there are several."""
    terms = case.goal.terms
    own = case.channels[terms[0]].unit if case.goal is terms[0] else "goal"
    own = f"{own} s" if case.goal is terms[0] and terms[0].kind == "integral" else own
    model = case.problem.model
    rates = [unit for _, unit in columns_of_v(model, "v")]
    inputs: dict[str, Any] = {
        "q": [unit.removesuffix("/s") for unit in rates],
        "v": rates,
        "duration": "s",
        **{name: case.problem.parameters.unit(name) or "1" for name in names if name not in KNOWN},
        "controls": [] if isinstance(case, Along) else control_units(case),
    }
    found = {}
    for name in names:
        given = inputs[name]
        found[name] = f"{own} per {given}" if isinstance(given, str) else tuple(f"{own} per {unit}" for unit in given)
    return found
