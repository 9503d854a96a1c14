"""A valid call of every public name of lo.control, lo.denoc and lo.systems, and of long calls with all that they may be given.

As in `odd_calls`, a new name joins by itself, as long as its arguments have names that are known here.
"""

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from odd_calls import ARM, TWO

import locomote as lo
from locomote import public

FOLDERS = ("control", "denoc", "systems")
WALKER = lo.systems.load("quadruped").model
LEGS = ("rear_left", "rear_right", "front_left", "front_right")


def still(t):
    return np.zeros(2), np.zeros(2), np.zeros(2)


def bent():
    """The walker with bent knees."""
    q = WALKER.neutral()
    for leg in LEGS:
        q[WALKER.joint(f"{leg}_hip").q], q[WALKER.joint(f"{leg}_knee").q] = (0.0, 0.4), -0.8
    return q


@functools.cache
def links():
    return lo.denoc.at(ARM, np.array([0.3, 0.2]), np.array([0.1, -0.1]))


ARGUMENTS: dict[str, Any] = {
    "model": ARM, "reference": lambda: still, "stiffness": 10.0, "damping": 1.0, "integral": 1.0, "x": (0.1, 0.0, 0.0),
    "y": (0.05, 0.0, 0.0), "z": (-0.6, 0.0, 0.0), "pitch": (0.0, 0.0, 0.0), "thigh": 0.5, "shank": 0.5, "time": 1.0,
    "start": TWO, "end": TWO, "q": TWO, "speed": 0.1, "height": 0.05, "links": links, "tau": TWO, "a": TWO,
    "cuts": lambda: [lo.denoc.Cut("fore", held="x")], "driven": lambda: ["elbow"], "group": 0, "value": 1.0,
    "rhythm": lambda: lo.control.gait("trot", 4), "leg": 0, "t": 0.1, "body": "fore", "walk": lambda: lo.control.PendulumWalk(),
}  # fmt: skip
OWN: dict[str, dict[str, Any]] = {
    "control.Gait": {"name": "trot", "period": 1.0, "duty": 0.5, "phases": (0.0, 0.5)},
    "control.Hold": {"start": 0.0, "end": 0.5, "place": 0.0},
    "control.Gait.holds": {"start": 0.0, "end": 1.0},
    "control.gait": {"name": "trot", "legs": 4},
    "control.biped_reference": {"hip_height": 0.71},
    "control.legs_reference": {
        "motion": lambda: lo.control.gait("trot", 4), "legs": (0.2, 0.2, -0.2, -0.2), "hip_height": 0.7,
    },
    "control.stepping": {
        "model": WALKER, "feet": lambda: [f"{leg}_foot" for leg in LEGS], "q": lambda: bent(), "samples": 4,
    },
    "denoc.at": {"v": TWO},
    "denoc.Roll": {"radius": 0.1},
    "denoc.reverse_elimination": {"I": ((2.0, 0.5), (0.5, 1.0))},
    "denoc.closed_inverse_dynamics": {"cuts": lambda: [lo.denoc.Cut("fore", held="x")]},
    "systems.System.with_parameters": {"values": lambda: {"rotor.mass": 2.0}},
    "systems.Parameter": {"default": 1.0, "unit": "m", "meaning": "a length"},
    "systems.load": {"name": "simple_pendulum"},
    "systems.parameters": {"name": "simple_pendulum"},
    "systems.title": {"name": "simple_pendulum"},
}  # fmt: skip
# what calls give and nobody makes
RESULTS = {
    "denoc.Closed", "denoc.Dense", "denoc.Element", "denoc.Factor", "denoc.Links", "denoc.Loops", "denoc.Matrices",
    "denoc.Module", "denoc.ModuleReport", "denoc.Modules", "control.driven_coordinates.Driven", "systems.System",
}  # fmt: skip
# systems of all kinds of parameters: lengths, masses, angles, counts, words
SYSTEMS = ("simple_pendulum", "snakeboard", "four_bar", "chain", "falling_plate", "box_stack", "octopus_arm")
RECEIVERS = {
    "control.Gait": lo.control.gait("trot", 4), "control.PendulumWalk": lo.control.PendulumWalk(),
    "systems.Parameter": lo.systems.parameters("snakeboard")[0], "systems.System": lo.systems.load("snakeboard"),
}  # fmt: skip
LAWS = ("pd", "pid", "computed_torque", "feed_forward", "gravity_compensation")


def calls() -> Iterator[tuple[str, Callable]]:
    """All public functions and constructors of the folders, by name."""
    for folder in FOLDERS:
        home = getattr(lo, folder)
        for own in sorted(set(home.__all__) - set(public.homes(folder))):  # `odd_calls` has those
            name, value = f"{folder}.{own}", getattr(home, own)
            if callable(value) and name not in RESULTS:
                yield name, value
    for name, receiver in RECEIVERS.items():
        for own, member in inspect.getmembers_static(receiver):
            if inspect.isfunction(member) and not own.startswith("_"):
                yield f"{name}.{own}", getattr(receiver, own)


def names_of(call: Callable) -> list[str]:
    """Names of all arguments, but of tables of any."""
    return [p.name for p in inspect.signature(call).parameters.values() if p.kind != p.VAR_KEYWORD]


def arguments(name: str, call: Callable) -> dict[str, Any]:
    """What a valid call is given."""
    own, given = OWN.get(name, {}), {}
    for parameter in inspect.signature(call).parameters.values():
        if parameter.name in own:
            given[parameter.name] = own[parameter.name]
        elif parameter.default is parameter.empty and parameter.kind != parameter.VAR_KEYWORD:
            if parameter.name not in ARGUMENTS:
                raise LookupError(f"no argument {parameter.name!r} is known for lo.{name}: add one to OWN or to ARGUMENTS")
            given[parameter.name] = ARGUMENTS[parameter.name]
    return {key: x() if x is links or getattr(x, "__name__", "") == "<lambda>" else x for key, x in given.items()}


def use(name: str, value: Any) -> Any:
    """What users do with what such a call gave."""
    own = name.split(".")[1] if name.count(".") == 1 else ""
    if own in LAWS:
        return value(0.1, TWO, TWO, None)[0]
    if own.endswith("reference") or own in ("held", "ramped"):
        return value(0.3)
    if own == "Gait":
        return lo.control.foot_motion(value, 0, 0.1, speed=0.1, height=0.05)
    if own == "PendulumWalk":
        return lo.control.biped_reference(value)(0.3)
    if own == "Cut":
        return lo.denoc.closed_forward_dynamics(links(), TWO, [value]).a
    if own == "Parameter":
        return value.wanted(), value.fits(1.0)
    return value


FEW = {"box_stack": {"count": 3}}  # where forces at an instant take long for many bodies


def loaded(system: str, **given: Any) -> Any:
    """The start of a system, and what acts there."""
    found = lo.systems.load(system, **(FEW.get(system, {}) | given))
    problem = found.problem()
    q, v = problem.initial()
    return q, v, float(found.duration), problem.evaluate(0.0, q, v).a
