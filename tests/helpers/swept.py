"""What sweeps of tests make and measure: functions that other processes can import."""

import os
import signal
import time
from pathlib import Path

import locomote as lo


def board(amplitude, rotor_amplitude=0.7):
    """A snakeboard."""
    return lo.systems.load("snakeboard", amplitude=amplitude, rotor_amplitude=rotor_amplitude)


def counted(x, log):
    """A number; every computation leaves a line in a file."""
    with Path(log).open("a") as stream:
        stream.write(f"{x!r}\n")
    time.sleep(0.01)
    return {"square": x * x}


def sometimes(x):
    """Numbers that are there for some points only."""
    if x < 0:
        raise ValueError("a root of a negative number")
    return {"root": x**0.5}


def drawn(x, seed):
    """A number that depends on the seed of its point."""
    return {"drawn": (seed % 1000) / 1000 + x}


def deadly(x):
    """Ends its process at one point."""
    if x == 2.0:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"x": x}


def endless(x):
    """Does not come back at one point."""
    while x == 2.0:
        time.sleep(0.05)
    return {"x": x}


def shape(run):
    """A measure with a shape of its own."""
    return run.q[-1]


def distances(run):
    """Two numbers of a run."""
    return {"far": run.net_motion.distance, "long": run.net_motion.length}


def failing(run):
    """A measure that raises."""
    raise RuntimeError("no measure today")


def rosenbrock(a, b):
    """Least, 0, at (1, 1)."""
    return {"height": (1 - a) ** 2 + 100 * (b - a * a) ** 2}


def corner(a, b):
    """Most a + b on a disc of radius 1; not there for a < -0.5."""
    if a < -0.5:
        raise ValueError("outside")
    return {"sum": a + b, "radius": (a * a + b * b) ** 0.5}


def hills(x):
    """Two hills: 1 at 0.2, 2 at 0.9."""
    return {"height": 2.718281828 ** (-((x - 0.2) ** 2) / 0.02) + 2 * 2.718281828 ** (-((x - 0.9) ** 2) / 0.002)}
