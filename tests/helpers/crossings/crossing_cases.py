"""Rows of the crossings: every mechanism, every act, and pairs of them."""

import contextlib
import functools
import io
import warnings
from typing import Any
from zlib import crc32

import numpy as np
from crossing_acts import ACTS, CannotMeet
from crossing_bodies import MECHANISMS, Mechanism

import locomote as lo

LISTS, TABLES = ("constraints", "environment", "contacts", "actuators"), ("drives", "springs")
STEP = 1e-3  # s, of fixed steps
# pairs that are told apart by what they share: two kinds of contact, contact with loops, rods, drives, clocks, water and so on
CHOSEN = (
    ("unilateral contact", "touch: plane"),
    ("unilateral contact", "sampled controller"),
    ("unilateral contact", "tendon"),
    ("free rod", "touch: plane"),
    ("free rod", "soft ground"),
    ("rod", "sampled controller"),
    ("rod", "Python environment"),
    ("rod with a keel", "tendon"),
    ("four-bar on a free base", "touch: plane"),
    ("without inertia", "drive: sine"),
    ("without inertia", "flow: shear and vortex"),
    ("mimic joint", "drive: sine"),
    ("constraints that switch", "sampled controller"),
)
PAIRS_OF_ACTS = (
    ("touch: plane", "sampled controller"),
    ("touch: plane", "whole-body control"),
    ("touch: plane", "servo"),
    ("touch: plane", "drive: sine"),
    ("touch: plane", "Python environment"),
    ("touch: plane", "soft ground"),
    ("touch: plane", "water: buoyancy, added mass, drag"),
    ("soft ground", "computed torque"),
    ("water: buoyancy, added mass, drag", "sampled controller"),
    ("Python environment", "torque over time"),
    ("force of your own", "PD"),
)


def merged(parts: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Arguments of lo.Locomotion together."""
    result = dict(parts)
    for name, value in more.items():
        if name in LISTS:
            result[name] = [*result.get(name, []), *value]
        elif name in TABLES:
            result[name] = {**result.get(name, {}), **value}
        elif name in result:
            raise CannotMeet(f"both have {name}")
        else:
            result[name] = value
    if result.get("drives") and result.get("torques") is not None:
        raise CannotMeet("one drives the joint that the other moves by torques")
    return result


class Case:
    """A problem of the table, and how it is run.

    body : title of its mechanism ; acts : titles of what acts on it
    """

    def __init__(self, body: str, acts: tuple[str, ...] = ()):
        self.body, self.acts = body, acts

    @property
    def title(self) -> str:
        own = self.acts and all(ACTS[name].host == self.body for name in self.acts)
        return " + ".join(self.acts if own else (self.body, *self.acts))

    def made(self, **limits) -> tuple[Mechanism, lo.Locomotion]:
        """The mechanism and the problem, with limits on its joint; CannotMeet if they make no sense together."""
        m = MECHANISMS[self.body](**limits)
        parts = m.parts
        for name in self.acts:
            parts = merged(parts, ACTS[name].make(m))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return m, lo.Locomotion(m.model, **parts)

    @functools.cached_property
    def _made(self):
        return self.made()

    @property
    def mechanism(self) -> Mechanism:
        return self._made[0]

    @property
    def problem(self) -> lo.Locomotion:
        return self._made[1]

    @property
    def steps(self) -> bool:
        """Whether runs go over hard contacts, with fixed steps."""
        return bool(self.problem.contacts)

    @property
    def clocked(self) -> bool:
        return any(isinstance(c, (lo.Sampled, lo.PD)) for c in self.problem.controllers)

    @functools.cached_property
    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """Where its runs begin: on its drives and constraints."""
        return self.problem.initial(self.mechanism.q, self.mechanism.v, ignore=self.mechanism.how.get("ignore", ()))

    @property
    def how(self) -> dict[str, Any]:
        """Options of a run."""
        start = {"q": self.start[0], "v": self.start[1], "progress": False, "every": 0.01}
        return start | ({"step": STEP} if self.steps else {}) | self.mechanism.how

    def simulate(self, problem: lo.Locomotion | None = None, duration: float | None = None, **more) -> lo.Trajectory:
        """A run as the table has it."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            length = self.mechanism.duration if duration is None else duration
            return (problem or self.problem).simulate(length, **self.how | more)

    @functools.cached_property
    def run(self) -> lo.Trajectory:
        return self.simulate()

    @functools.cached_property
    def exact(self) -> lo.Trajectory:
        """A run with errors far below what methods are allowed."""
        if self.steps:
            return self.simulate(step=STEP / 10)
        method = self.run.info["method"]
        if method != "rosenbrock":
            return self.simulate(method=method, rtol=1e-11, atol=1e-13)
        if self.fed:
            return self.simulate(rtol=1e-7, atol=1e-9)
        return self.simulate(method="adaptive", rtol=1e-11, atol=1e-13)

    @property
    def fed(self) -> bool:
        """Whether a copy of the robot runs beside it, which one method knows."""
        return any(isinstance(c, lo.FeedForward) for c in self.problem.controllers)

    @property
    def rough(self) -> bool:
        """Whether forces have kinks, at which methods of high order are of low order."""
        return any(isinstance(e, (lo.SoftGround, lo.water.Granular)) for e in self.problem.environment)

    def starting_at(self, q, v) -> lo.Locomotion:
        """The same problem with a start of its own."""
        return self.problem.replaced(start=(q, v))

    def with_limits(self, **limits) -> lo.Locomotion:
        """The same problem with limits on its joint."""
        return self.made(**limits)[1]

    def __repr__(self):
        return self.title


def meets(body: str, acts: tuple[str, ...]) -> bool:
    """Whether they make a problem."""
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            Case(body, acts).made()
    except (CannotMeet, ValueError, TypeError):  # what is refused when it is made has nothing to be done with
        return False
    return True


def singles() -> list[Case]:
    """A row for every mechanism, and one for every act on its host."""
    return [*(Case(name) for name in MECHANISMS), *(Case(act.host, (name,)) for name, act in ACTS.items())]


def pairs(everything: bool = False) -> list[Case]:
    """Pairs of kinds: those chosen, and one other mechanism for every act; or all that can meet."""
    bodies = list(MECHANISMS)
    if everything:
        found = [(body, (name,)) for name, act in ACTS.items() for body in bodies if body != act.host]
        names = list(ACTS)
        found += [(ACTS[a].host, (a, b)) for n, a in enumerate(names) for b in names[n + 1 :] if ACTS[a].host == ACTS[b].host]
    else:
        found = [(body, (name,)) for body, name in CHOSEN]
        found += [("free base" if "touch" in a or "soft" in a else "arm", (a, b)) for a, b in PAIRS_OF_ACTS]
        there = {name for _, acts in found for name in acts}
        for name, act in ACTS.items():
            shuffled = sorted(bodies, key=lambda body, name=name: crc32(f"{name}, {body}".encode()))  # as it is when more come
            if name not in there:
                found.append((next(b for b in shuffled if b != act.host and meets(b, (name,))), (name,)))
    return [Case(body, acts) for body, acts in found if meets(body, acts)]


@functools.cache
def rows(everything: bool = False) -> dict[str, Case]:
    """All rows by title."""
    cases = [*singles(), *pairs(everything)]
    assert len({case.title for case in cases}) == len(cases)
    return {case.title: case for case in cases}


def scaled(array: np.ndarray) -> float:
    """A size to measure errors by."""
    return max(1.0, float(abs(array).max(initial=0.0)))
