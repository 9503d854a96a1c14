"""Controllers with a clock: torques that are computed at ticks, from the state there, and held until the next.

A run steps from tick to tick, so that what a controller sees and gives is what a computer of that rate would. Its state is
part of the run: it is kept in checkpoints, and every run begins with the one that was given.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import Lock, RLock
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from locomote.actuation.following import ComputedTorque, FeedForward, Servo
from locomote.brief import brief
from locomote.compiler.callbacks import Callback, shortened
from locomote.drives.drive import as_drive
from locomote.drives.drive_inputs import number
from locomote.spatial.numbers import as_numbers

BETWEEN = ("hold", "line")


_TURNS: WeakKeyDictionary = WeakKeyDictionary()
_GIVING = Lock()


def turn_of(function: Any) -> AbstractContextManager:
    """The lock of a function, one for all who call it."""
    with _GIVING:
        return _TURNS.setdefault(function, RLock())


@brief
@dataclass(frozen=True, eq=False)
class Sampled:
    """A controller that is called at fixed intervals: `function(t, q, v, state) -> tau, state`.

    function : gives torques (nv,), N or N m, and its next state; without a state it is called as function(t, q, v) -> tau.
        What it gives on coordinates that a drive imposes has no effect. One that has `fresh`, `remembered` and `recall`, as
        lo.control.WholeBody and lo.control.ContactMachine, knows its state itself, as a row of numbers; runs that share it,
        in threads too,
        take turns, and each goes on from its own state
    every : seconds between two calls ; start : time of the first one, s
    state : numbers that it starts with, in an array of any shape; None: it has none
    between : "hold" the last torques until the next tick, or go there on a "line", which then lags by one period
    says : gives what it has to say at the end of a run, for its summary
    slopes : derivatives of torques and next state (nv + n) by q, along the tangent, v and state (2 nv + n), of the same
        arguments as the function, for `lo.gradient`; without it they come from dual numbers, or differences, as it takes them
    """

    function: Callable
    every: float = 1e-3
    state: Any = None
    start: float = 0.0
    between: str = "hold"
    name: str = ""
    says: Callable[[], str] | None = None
    slopes: Callable | None = None

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise TypeError(f"a controller is a function (t, q, v, state) -> (tau, state), not {self.function!r:.60}")
        if self.slopes is not None and not callable(self.slopes):
            raise TypeError(f"slopes of a controller are a function of the same arguments, not {self.slopes!r:.60}")
        check_clock(self)
        if self.state is not None:
            given = as_numbers(self.state, f"state of controller {self.title!r}", "any")
            if not np.isfinite(given).all():
                raise ValueError(f"the state of controller {self.title!r} is {shortened(self.state)}, expected finite numbers")
            object.__setattr__(self, "state", given)

    @property
    def title(self) -> str:
        """What it is called in sentences."""
        return self.name or getattr(self.function, "__name__", "controller")

    @property
    def remembers(self) -> bool:
        """Whether its function knows its own state."""
        return self.state is None and all(hasattr(self.function, name) for name in ("fresh", "remembered", "recall"))

    @property
    def turn(self) -> AbstractContextManager:
        """What to hold while a function that knows its own state is taken to a state, called and asked for its next one."""
        return getattr(self.function, "turn", None) or turn_of(self.function)

    def begin(self) -> np.ndarray | None:
        """(n,) state at the start of a run; None if there is none."""
        if not self.remembers:
            return self.state
        with self.turn:
            return self.function.fresh()  # type: ignore[attr-defined]

    def spoken(self, state) -> str:
        """What it has to say in a state."""
        if self.says is None or not self.remembers or state is None:
            return "" if self.says is None else self.says()
        with self.turn:
            self._recall(state)
            return self.says()

    def _recall(self, state) -> None:
        if self.function.present is not state:  # type: ignore[attr-defined]
            self.function.recall(state)  # type: ignore[attr-defined]

    def called(self, t: float, q: np.ndarray, v: np.ndarray, state) -> tuple[np.ndarray, np.ndarray | None]:
        """Torques (nv,) and the next state (n,), from q (nq,) and v (nv,)."""
        if self.remembers:
            with self.turn:  # other runs may have the same function
                self._recall(self.function.fresh() if state is None else state)  # type: ignore[attr-defined]
                tau = np.asarray(self.function(t, q, v), dtype=float)
                return tau, self.function.remembered()  # type: ignore[attr-defined]
        if self.state is None:
            return np.asarray(self.function(t, q, v), dtype=float), None
        result = self.function(t, q, v, np.array(state))
        if not isinstance(result, tuple) or len(result) != 2:
            raise TypeError(f"controller {self.title!r} gave {shortened(result)}, expected (tau, state)")
        following = np.asarray(result[1], dtype=float)
        if following.shape != self.state.shape:
            raise ValueError(
                f"controller {self.title!r} gave a state of {following.shape} and began with {self.state.shape}: keep its shape"
            )
        return np.asarray(result[0], dtype=float), following


@brief
@dataclass(frozen=True, eq=False)
class PD:
    """Torques that pull joints to their targets: tau = stiffness (target - q) + damping (target' - v), at every tick; compiled.

    targets : joint name -> drive or number; joints with several coordinates take a list
    stiffness, damping : N m/rad and N m s/rad (N/m, N s/m), one for all or joint name -> number
    gravity : whether the weight of the whole mechanism is carried, too, on these joints (gravity compensation)
    every, start, between : as of Sampled
    """

    targets: Mapping[Any, Any]
    stiffness: Any
    damping: Any
    gravity: bool = False
    every: float = 1e-3
    start: float = 0.0
    between: str = "hold"
    name: str = "PD"

    def __post_init__(self) -> None:
        if not isinstance(self.targets, Mapping) or not self.targets:
            raise TypeError(f"targets of {self.title} are {self.targets!r:.60}, expected joint name -> drive or number")
        check_clock(self)

    @property
    def title(self) -> str:
        """What it is called in sentences."""
        return self.name

    def gains(self, key: Any) -> tuple[float, float]:
        """Stiffness and damping of one joint."""
        result = []
        for label in ("stiffness", "damping"):
            given = getattr(self, label)
            if isinstance(given, Mapping):
                if key not in given:
                    raise ValueError(f"{self.title} has no {label} for joint {key!r}")
                given = given[key]
            result.append(number(label, given, self.title))
        return result[0], result[1]


Controller = Sampled | PD
AnyController = Sampled | PD | Servo | ComputedTorque | FeedForward


def check_clock(controller: Controller) -> None:
    """A ValueError unless rate, start and what is done between ticks make sense."""
    object.__setattr__(controller, "every", number("every", controller.every, controller.title))
    object.__setattr__(controller, "start", number("start", controller.start, controller.title))
    if not controller.every > 0:
        raise ValueError(f"every of controller {controller.title!r} is {controller.every:g} s, expected a positive time")
    if controller.between not in BETWEEN:
        raise ValueError(f"between of controller {controller.title!r} is {controller.between!r}, expected 'hold' or 'line'")


def said_by(controllers: Sequence["Held"]) -> str:
    """What controllers have to say at the end of a run."""
    return "; ".join(said for held in controllers if (said := held.controller.spoken(held.state)))


def controllers_of(torques: Any) -> tuple[AnyController, ...]:
    """The controllers among what was given as torques."""
    if isinstance(torques, AnyController):
        return (torques,)
    if isinstance(torques, (list, tuple)):
        wrong = [x for x in torques if not isinstance(x, AnyController)]
        if wrong:
            known = "lo.Sampled, lo.PD, lo.Servo, lo.ComputedTorque or lo.FeedForward"
            raise TypeError(f"torques hold {wrong[0]!r:.60}, expected {known}")
        return tuple(torques)
    return ()


def clocked(controllers: Sequence[AnyController]) -> list[Controller]:
    """Those of them that have a clock."""
    return [c for c in controllers if isinstance(c, (Sampled, PD))]


@dataclass(frozen=True)
class PackedControllers:
    """Controllers as arrays, see Plan."""

    clocks: np.ndarray  # (controllers, 3): PERIOD, START, LINE
    clock_kinds: np.ndarray  # (controllers, 2): row in `functions`, -1 for PD; whether it carries the weight
    pd_rows: np.ndarray  # (rows, 3): controller, coordinate of v, place in q
    pd_numbers: np.ndarray  # (rows, 2): stiffness, damping
    pd_signals: Any  # targets, packed


class Held:
    """A controller in a run: what it is called by, and the state that it has come to."""

    def __init__(self, controller: Sampled, nq: int, nv: int):
        self.controller, self.state = controller, controller.begin()
        self.callback = Callback(self._tick, (nq, nv, nv), name=f"controller {controller.title!r}")

    def _tick(self, t, q, v):
        tau, self.state = self.controller.called(t, q.copy(), v.copy(), self.state)
        return tau


def as_target(given: Any) -> list:
    """The targets of a joint, one for each of its coordinates."""
    return [as_drive(x) for x in (given if isinstance(given, list) else [given])]
