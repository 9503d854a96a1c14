"""Gaits of any number of legs: when each foot stands and where.

Leg i touches down at phases[i] of the period and stands for `duty` of it. Legs are in rows from the rear to the front, left
before right in each: row r, side s has i = 2 r + s; an odd number of legs has the last one in the middle.

    walk    each side from rear to front, half a period apart: phase = s/2 + r/n ,   duty 1 - 1/n
    trot    diagonals together: phase = ((r + s) mod 2) / 2 ,   duty 1/2          tripod: the same, of six legs
    pace    sides together: phase = s/2 ,   duty 1/2
    bound   rows together: phase = (r mod 2) / 2 ,   duty 2/5

A foot that stands moves backward under the trunk at the trunk's speed; in the air it comes forward on a curve that begins
and ends at rest on the ground: a cycloid along x in the world,  z = height (1 - cos 2 pi p)/2  with p from 0 to 1.
"""

import math
from dataclasses import dataclass

import numpy as np

from locomote.brief import brief
from locomote.errors import UnknownName
from locomote.spatial.numbers import integer

MOST_LEGS, MOST_HOLDS = 10_000, 1e7
GAITS = ("walk", "trot", "pace", "bound", "tripod")


@dataclass(frozen=True)
class Hold:
    """A foot on the ground: which leg, from when to when (s), and where along the way (m, from where the hip is at t = 0)."""

    leg: int
    start: float
    end: float
    place: float


@brief
@dataclass(frozen=True)
class Gait:
    """A rhythm of steps: period (s), the part of it that each foot stands (duty), phases of touch-downs, 0 to 1, one a leg."""

    name: str
    period: float
    duty: float
    phases: tuple[float, ...]

    def __post_init__(self) -> None:
        if not (np.isfinite(self.period) and self.period > 0):
            raise ValueError(f"period of gait {self.name!r} must be a number of seconds above 0, not {self.period!r}")
        if not 0 < self.duty < 1:
            raise ValueError(f"duty of gait {self.name!r} must be above 0 and below 1, not {self.duty!r}")
        object.__setattr__(self, "phases", tuple(float(phase) for phase in self.phases))
        if not self.phases or not all(0 <= phase < 1 for phase in self.phases):
            raise ValueError(f"phases of gait {self.name!r} must be numbers from 0, below 1, one a leg, not {self.phases!r}")

    def phase(self, leg: int, t: float) -> float:
        """How far the leg is in its cycle, 0 (touch-down) to 1."""
        if not 0 <= leg < len(self.phases):
            raise ValueError(f"leg {leg} does not exist: gait {self.name!r} has {len(self.phases)} legs, from 0")
        if not math.isfinite(t):
            raise ValueError(f"t must be a finite number of seconds, not {t!r}")
        return float((t / self.period - self.phases[leg]) % 1.0)

    def stands(self, t: float) -> np.ndarray:
        """(legs,) which feet are on the ground."""
        return np.array([self.phase(leg, t) < self.duty for leg in range(len(self.phases))])

    def holds(self, start: float, end: float, speed: float) -> list[Hold]:
        """All foot-holds that overlap a time, in order; with the trunk at `speed` (m/s), each is below its hip half-way."""
        if not abs(end - start) / self.period < MOST_HOLDS:
            raise ValueError(f"from {start!r} to {end!r} s are too many steps of {self.period:g} s to be listed")
        found = []
        for leg, phase in enumerate(self.phases):
            first = int(np.floor(start / self.period - phase - self.duty))
            last = int(np.ceil(end / self.period - phase))
            for k in range(first, last + 1):
                down = (k + phase) * self.period
                up = down + self.duty * self.period
                if up > start and down < end:
                    found.append(Hold(leg, down, up, speed * (down + up) / 2))
        return sorted(found, key=lambda hold: (hold.start, hold.leg))


def gait(name: str, legs: int, *, period: float = 1.0, duty: float | None = None) -> Gait:
    """A gait of the list in the head of this file for any number of legs from 2; `duty` as there if not given."""
    if name not in GAITS:
        raise UnknownName("gait", name, GAITS, "the library")
    legs = integer(legs, "legs", 2, MOST_LEGS)
    phases = []
    for i in range(legs):
        row, side = divmod(i, 2)
        phases.append(
            {
                "walk": side / 2 + row / legs,
                "trot": (row + side) % 2 / 2,
                "tripod": (row + side) % 2 / 2,
                "pace": side / 2,
                "bound": row % 2 / 2,
            }[name]
            % 1.0
        )
    usual = {"walk": 1 - 1 / legs, "bound": 0.4}.get(name, 0.5)
    return Gait(name, float(period), usual if duty is None else float(duty), tuple(phases))


def foot_motion(rhythm: Gait, leg: int, t: float, *, speed: float, height: float) -> np.ndarray:
    """(3, 2) place (x, z) of a foot from the point below its hip, velocity and acceleration; the trunk has constant `speed`.

    The foot is below its hip half-way through its stand. height : that it is lifted to, m
    """
    p, stand = rhythm.phase(leg, t), rhythm.duty * rhythm.period
    stride = speed * stand
    if p < rhythm.duty:
        return np.array([[stride / 2 - speed * p * rhythm.period, 0.0], [-speed, 0.0], [0.0, 0.0]])
    air = rhythm.period - stand
    s, w = (p - rhythm.duty) / (1 - rhythm.duty), 1 / air
    turn = 2 * np.pi * s
    # in the world the foot goes from rest to rest along a cycloid, over what the trunk moves in a whole period
    way = speed * rhythm.period
    x = -stride / 2 + way * (s - np.sin(turn) / (2 * np.pi)) - speed * s * air
    dx = way * w * (1 - np.cos(turn)) - speed
    ddx = way * w**2 * 2 * np.pi * np.sin(turn)
    z = height / 2 * np.array([1 - np.cos(turn), 2 * np.pi * w * np.sin(turn), (2 * np.pi * w) ** 2 * np.cos(turn)])
    return np.array([[x, z[0]], [dx, z[1]], [ddx, z[2]]])
