"""Functions of the user: what compiled code does not know by itself, it asks."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from locomote.brief import brief
from locomote.compiler.callbacks import Callback, call, shortened
from locomote.compiler.numba_private import CFunc
from locomote.drives.drive import Drive, Row, Term, put, ramp_breaks, ramps, settle
from locomote.drives.drive_inputs import row, told
from locomote.dynamics.differences import FIRST_RATE, SECOND_RATE

NUMBER = 4
SMALLEST_STEP = 1e-12  # s, of differences of a function
DIFFERENCE_STEP = 2.0**-8  # s; a power of two, so that t + k step is exact


def motion(numbers, k, last, t, functions, called, scratch):
    """A factor, which is the only number, times what the function in a row of `functions` gives."""
    call(functions, called, t, scratch, scratch, scratch)  # these functions look at t only
    factor = numbers[k]
    return factor * scratch[0], factor * scratch[1], factor * scratch[2]


@brief
@dataclass(frozen=True)
class Function(Drive):
    """Python functions of t (one number in, one number out), called back from compiled code.

    position, velocity, acceleration : u, u/s, u/s^2. What is missing is found by eighth-order central differences of what is
        given: in the first 10 s of motions of 1 to 20 rad/s, velocities to 1e-11 and accelerations to 1e-10 of the largest.
        Functions are then asked at times up to 4 steps before and after t
    step : s, of these differences; shorter for faster motions
    factor : all of it is multiplied by this
    breaks : times, s, at which it is not smooth: steps of rods, which are long, end there

    `position` may also be a `numba.cfunc` with the signature `locomote.compiler.callbacks.C_SIGNATURE`, which stores all three
    in `out` and runs without Python.
    """

    position: Callable
    velocity: Callable | None = None
    acceleration: Callable | None = None
    step: float = field(default=DIFFERENCE_STEP, kw_only=True)
    factor: float = field(default=1.0, kw_only=True)
    breaks: Row = field(default=(), kw_only=True)
    ramp: float = field(default=0.0, kw_only=True)

    def __post_init__(self):
        settle(self, "step", "factor", "ramp")
        put(self, breaks=row("breaks", self.breaks, "a Function", least=0))
        if self.step <= 0.0:
            raise ValueError(f"step of a Function must be more than 0 s, not {self.step:g}")
        if self.step < SMALLEST_STEP:
            raise ValueError(f"step of a Function must be at least {SMALLEST_STEP:g} s, not {self.step:g}")
        for name in ("position", "velocity", "acceleration"):
            given = getattr(self, name)
            if not callable(given) and (given is not None or name == "position"):
                raise TypeError(f"{name} of a Function must be a function of t, not {shortened(given)}")
        if isinstance(self.position, CFunc) and not self.velocity is self.acceleration is None:
            raise ValueError("a cfunc gives position, velocity and acceleration; leave the other two out")

    def _terms(self):
        compiled = isinstance(self.position, CFunc)
        name = str(getattr(self.position, "__qualname__", type(self.position).__qualname__))
        callback = Callback(self.position if compiled else self._motion, (1, 1, 3), name=f"drive {name}")
        return [Term(NUMBER, ramps(self), (self.factor,), callback)]

    def _motion(self, t: float, q: Any = None, v: Any = None) -> tuple[float, float, float]:
        position, velocity, acceleration, step = self.position, self.velocity, self.acceleration, self.step
        x = told(position, position(t))
        pairs = []
        if velocity is None:
            pairs = [(float(position(t + k * step)), float(position(t - k * step))) for k in range(1, 5)]
            dx = sum(c * (after - before) for c, (after, before) in zip(FIRST_RATE, pairs, strict=True)) / step
        else:
            dx = told(velocity, velocity(t))
        if acceleration is not None:
            ddx = told(acceleration, acceleration(t))
        elif velocity is not None:
            speeds = [(float(velocity(t + k * step)), float(velocity(t - k * step))) for k in range(1, 5)]
            ddx = sum(c * (after - before) for c, (after, before) in zip(FIRST_RATE, speeds, strict=True)) / step
        else:
            bends = [c * ((after - x) + (before - x)) for c, (after, before) in zip(SECOND_RATE, pairs, strict=True)]
            ddx = sum(bends) / (step * step)
        return x, dx, ddx

    def _breaks(self):
        return (*ramp_breaks(self), *self.breaks)

    def _scaled(self, factor):
        return replace(self, factor=factor * self.factor)

    def to_record(self):
        name = getattr(self.position, "__qualname__", type(self.position).__qualname__)
        raise ValueError(f"the drive {name!r} cannot be stored, since it is a Python function; store a Spline of its samples")
