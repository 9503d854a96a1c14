"""A legged robot that walks on a ball, and rolls it along.

The equation (1) of `on_ball` is flat: with k / (m h) = c, any way p(t) of four derivatives gives a motion that obeys it,

    b = p - (h/g) p'' ,   x = p + c (h/g) p''                                                                            (1)

so that the ball first rolls against p. Feet are carried along by the top of the ball, faster than the robot goes, and step
back one after the other. Before a foot is lifted, p goes to where the mass center is well inside the triangle of the others;
while it swings, p rests.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.polynomial import Polynomial

from locomote.control.whole_body.contacts import Contact
from locomote.control.whole_body.machine import ContactMachine, Phase
from locomote.control.whole_body.on_ball import Mounted, mounted
from locomote.control.whole_body.scenarios import Scenario
from locomote.model.model import Model
from locomote.spatial.rotations_arrays import matrix_from_vector

STEP = [Polynomial([0, 0, 0, 0, 0, 126, -420, 540, -315, 70])]  # from 0 to 1, four derivatives at rest at both ends
STEP += [STEP[0].deriv(k) for k in range(1, 5)]
CYCLE = 0.1  # m, longest way while each foot steps once
STAND, ROLL, SWING, SETTLE = 0.3, 1.6, 0.3, 0.8  # s, before all; of a shift; up, and down; after all
INSIDE = 0.02  # m, of the mass center in the triangle of feet
HIGH = 0.03  # m, of a foot over the ball
ROUNDS = 20


@dataclass(frozen=True)
class Leg:
    """p goes from a place to another, (2,) m, from a time on, s."""

    begin: float
    start: np.ndarray
    goal: np.ndarray


class Rolled:
    """The motion of (1) along legs; lead : h/g, s^2 ; share : c"""

    def __init__(self, legs: Sequence[Leg], lead: float, share: float):
        self._legs, self._lead, self._share = tuple(legs), lead, share

    def __call__(self, t: float) -> tuple[np.ndarray, ...]:
        """x, x', b, b', b''"""
        leg = next((leg for leg in reversed(self._legs) if leg.begin <= t), self._legs[0])
        s = min(max((t - leg.begin) / ROLL, 0.0), 1.0)
        p = [leg.start * (k == 0) + (leg.goal - leg.start) * float(STEP[k](s)) / ROLL**k for k in range(5)]
        x = [p[k] + self._share * self._lead * p[k + 2] for k in range(2)]
        return (*x, *(p[k] - self._lead * p[k + 2] for k in range(3)))


def cycles(way: float) -> int:
    """How often each foot steps."""
    return math.ceil(way / CYCLE - 1e-9)


def duration(way: float, feet: int = 4) -> float:
    """s"""
    return STAND + feet * cycles(way) * (ROLL + 2 * SWING) + ROLL + SETTLE


def walk_on_ball(model: Model, feet: Sequence[str], posture, *, way: float, **options) -> Scenario:
    """A robot with four point feet on a ball walks backwards on it, so that it rolls along x by a way (m).

    feet : in the order in which they step ; posture, options : as of `on_ball.mounted`
    """
    robot = mounted(model, feet, posture, **options)
    phases, legs, contacts = _steps(robot, way)
    motion = Rolled(legs, robot.height / abs(float(model.gravity[2])), robot.share)
    return robot.scenario(
        "walk_on_ball", lambda: ContactMachine(robot.control(motion), phases, contacts=contacts, near=(0.2, 0.2))
    )


def _steps(robot: Mounted, way: float) -> tuple[list[Phase], list[Leg], list[Contact]]:
    """Phases, legs of p, and contacts of feet where they step to."""
    names = list(robot.feet)
    rest = {foot: np.array(contact.normal) for foot, contact in robot.feet.items()}  # in the ball, and in the world at first
    normal, held, R = dict(rest), {foot: foot for foot in names}, np.eye(3)
    count = cycles(way) * len(names)
    ahead, home, t = np.array([way / cycles(way), 0.0]), robot.middle[:2], STAND
    phases, legs, contacts, first = [Phase("stand", STAND)], [Leg(0.0, home, home)], [], home
    for k in range(count):
        foot = names[k % len(names)]
        along = first + (k + 0.5) / len(names) * ahead
        goal = _inside(robot, normal, foot, R, home, along)
        legs.append(Leg(t, home, goal))
        R, home = _turn(goal - home, robot.radius) @ R, goal
        out = _turn(goal - along - ahead / 2, robot.radius) @ rest[foot]
        normal[foot], name = R.T @ out, f"{foot} {k + 1}"
        contacts.append(replace(robot.feet[foot], normal=normal[foot], name=name))
        place = np.array([*home, robot.middle[2]]) + robot.radius * out
        phases += [
            Phase(f"roll {k + 1}", ROLL, center=home),
            Phase(f"lift {k + 1}", SWING, lift=held[foot], up=True, clearance=HIGH),
            Phase(f"put {k + 1}", SWING, lift=name, place=place),
        ]
        held[foot] = name
        t += ROLL + 2 * SWING
    goal = first + np.array([way, 0.0])
    return [*phases, Phase("rest", ROLL + SETTLE, center=goal)], [*legs, Leg(t, home, goal)], contacts


def _turn(way: np.ndarray, radius: float) -> np.ndarray:
    """(3, 3) of a ball that rolls a way (2,) on the ground."""
    return matrix_from_vector(np.array([-way[1], way[0], 0.0]) / radius)


def _inside(robot: Mounted, normal: dict[str, np.ndarray], foot: str, R: np.ndarray, home, goal: np.ndarray) -> np.ndarray:
    """(2,) near `goal` where the mass center is INSIDE the triangle of all feet but one, which stands across from the third."""
    away = normal[foot] @ R.T
    out = away[:2] / np.linalg.norm(away[:2])
    others = sorted((name for name in normal if name != foot), key=lambda name: float((R @ normal[name])[:2] @ out))[1:]
    for _ in range(ROUNDS):
        turned = _turn(goal - home, robot.radius) @ R
        one, two = (robot.radius * (turned @ normal[name])[:2] for name in others)
        edge = two - one
        across = np.array([-edge[1], edge[0]]) / np.linalg.norm(edge)
        across *= np.sign(across @ out)
        goal = goal + (INSIDE - float(one @ across)) * out
    return goal
