"""A point mass on a springy leg without mass that runs.

It falls from an apex, touches down with its leg at a given angle, is thrown up again, and flies to the next apex.

It moves in the plane of x and z. The foot stays where it touches down until the spring has its length again, so that each
foothold is a spring that only pushes; where they are follows from hop to hop, and then the whole motion is one run.
`gait` has the motion that repeats itself, as a map from one touchdown to the next.
"""

from functools import lru_cache

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import positive, whole

SOURCE = (
    "R. Blickhan: The spring-mass model for running and hopping. Journal of Biomechanics 22 (1989); A. Seyfarth, H. Geyer, M. "
    "Günther, R. Blickhan: A movement criterion for running. Journal of Biomechanics 35 (2002); the start repeats itself"
)
SEE = "every hop is like the one before; from another height the apexes come to the same one"
PARAMETERS = {
    "hops": whole(3, "how many hops", lowest=1, highest=20),
    "speed": positive(5.0, "m/s", "at the apex"),
    "height": positive(0.9433464397244199, "m", "of the apex"),
    "attack": positive(68.0, "deg", "angle of the leg from the ground at touchdown"),
    "stiffness": positive(20000.0, "N/m", "of the leg"),
    "length": positive(1.0, "m", "of the leg without load"),
    "mass": positive(80.0, "kg", "mass"),
    "gravity": positive(9.81, "m/s^2", "gravity"),
}


def build(p) -> Model:
    """A mass on two slides."""
    slides = [Joint("x", kind="prismatic", axis="x"), Joint("z", kind="prismatic", axis="z")]
    builder = Builder("slip hopper", base="fixed", gravity=(0.0, 0.0, -p.gravity))
    return builder.body("mass", joint=slides, inertia=Inertia(p.mass), visuals=[Visual("sphere", (0.1 * p.length,))]).build()


def leg(p, x: float):
    """The spring on a foothold at x."""
    from locomote.forces.pogo import pogo

    return pogo("mass", foot=(float(x), 0.0, 0.0), stiffness=p.stiffness, length=p.length, name=f"foot at {x:.3f} m")


def flight(p, z: float, speed: float) -> float:
    """Time from a height with a speed upwards until touchdown, s."""
    low = p.length * np.sin(np.radians(p.attack))
    return (speed + np.sqrt(speed**2 + 2 * p.gravity * (z - low))) / p.gravity


def footholds(p) -> tuple[list[float], float]:
    """Where feet touch down, hop by hop, and how long all hops take."""
    return _footholds(p.hops, p.speed, p.height, p.attack, p.stiffness, p.length, p.mass, p.gravity)


@lru_cache(maxsize=16)
def _footholds(*given):
    from types import SimpleNamespace

    from locomote.errors import ModelError

    p = SimpleNamespace(**dict(zip(PARAMETERS, given, strict=True)))
    angle = np.radians(p.attack)
    found, time, x, z, speed = [], 0.0, 0.0, p.height, p.speed
    for _ in range(p.hops):
        if not z > p.length * np.sin(angle) or not speed > 0:
            raise ModelError("system 'slip_hopper'", f"it falls after {len(found)} hops: give another height, speed or angle")
        down = flight(p, z, 0.0)
        found.append(x + speed * down + p.length * np.cos(angle))
        lasted, (along, z, speed, rise) = stance(p, speed, -p.gravity * down)
        up = rise / p.gravity
        x, z = found[-1] + along + speed * up, z + 0.5 * rise * up if up > 0 else 0.0
        time += down + lasted + up
    return found, time


def stance(p, speed: float, sinking: float) -> tuple[float, np.ndarray]:
    """How long the leg pushes after touchdown with these velocities, s, and place from the foot and velocity at its end."""
    from scipy.integrate import solve_ivp

    def rates(t, y):
        push = p.stiffness / p.mass * (p.length / np.hypot(y[0], y[1]) - 1.0)
        return [y[2], y[3], push * y[0], push * y[1] - p.gravity]

    def long(t, y):
        return np.hypot(y[0], y[1]) - p.length if t > 0 else -1.0

    long.terminal, long.direction = True, 1
    angle = np.radians(p.attack)
    start = [-p.length * np.cos(angle), p.length * np.sin(angle), speed, sinking]
    longest = 20.0 * max(1.0, np.sqrt(p.mass / p.stiffness))
    found = solve_ivp(rates, (0.0, longest), start, "DOP853", events=long, rtol=1e-12, atol=1e-13 * min(1.0, p.length))
    return float(found.t[-1]), found.y[:, -1]


def setting(p) -> dict:
    """All footholds."""
    return {"environment": [leg(p, x) for x in footholds(p)[0]]}


def initial(p, model: Model):
    """At an apex."""
    return np.array([0.0, p.height]), np.array([p.speed, 0.0])


def duration(p) -> float:
    """s"""
    return footholds(p)[1]


def gait(**given):
    """The motion that repeats itself, from touchdown to touchdown: a `LimitCycle`, whose period is the time of stance.

    Energy stays, so that one multiplier is one; the other says what becomes of an apex that is too high.
    """
    from locomote.locomotion.limit_cycle import limit_cycle
    from locomote.locomotion.problem import Locomotion
    from locomote.methods.events.when import When
    from locomote.systems.parameters import values

    p = values("slip_hopper", PARAMETERS, given)
    angle = np.radians(p.attack)
    place = np.array([-p.length * np.cos(angle), p.length * np.sin(angle)])

    def fly(t, q, v):
        return place, np.array([v[0], v[1] - p.gravity * flight(p, q[1], v[1])])

    long = When(lambda t, q, v: np.hypot(*q) - p.length, direction=1, after=1e-2 * np.sqrt(p.mass / p.stiffness))
    problem = Locomotion(build(p), environment=[leg(p, 0.0)], name="slip hopper")
    fall = flight(p, p.height, 0.0)
    return limit_cycle(problem, long, place, [p.speed, -p.gravity * fall], then=fly)
