"""A trunk that moves as an inverted pendulum over its stance foot, and a swing foot that meets the ground at rest.

With T the time of a step, L its length, h the height of the foot, H that of the trunk, w = sqrt(g / H), s the time in the step:

    trunk   x = x_0 cosh ws + (v_0 / w) sinh ws ,   v_0 = -w x_0 coth(wT/2) ,   x_0 = -L/2     from the stance foot          (1)
    foot    x = -L cos(pi s/T) ,   z = h/2 (1 - cos(2 pi s/T))                                                              (2)

v_0 makes speed repeat and place change its sign, so steps follow each other without a jump but in acceleration, from w^2 L/2
to -w^2 L/2. (2) has its height law corrected: printed with pi s/T, it would leave the foot at height h when it should land.
After S.V. Shah, S.K. Saha, J.K. Dutt: Modular framework for dynamic modeling and analyses of legged robots (2012).
"""

from dataclasses import dataclass

import numpy as np

MOST_STEPS = 2**53  # that floats can count


@dataclass(frozen=True)
class PendulumWalk:
    """Steps of two groups of feet, of which one stands while the other swings.

    step_time, s ; step_length, foot_height, height (of the mass that makes the pendulum), m ; gravity, m/s^2
    """

    step_time: float = 1.0
    step_length: float = 0.3
    foot_height: float = 0.1
    height: float = 0.96
    gravity: float = 9.81

    def __post_init__(self) -> None:
        for name in ("step_time", "height", "gravity"):
            if not (np.isfinite(getattr(self, name)) and getattr(self, name) > 0):
                raise ValueError(f"{name} of a PendulumWalk must be a number above 0, not {getattr(self, name)!r}")
        if not np.isfinite([self.step_length, self.foot_height]).all():
            raise ValueError("step_length and foot_height of a PendulumWalk must be finite numbers")

    @property
    def rate(self) -> float:
        """w of (1), 1/s."""
        return float(np.sqrt(self.gravity / self.height))

    def step(self, t: float) -> tuple[int, float]:
        """Which step it is, from 0, and the time in it."""
        if not abs(t / self.step_time) < MOST_STEPS:
            raise ValueError(f"t = {t!r} s is no time of which steps of {self.step_time:g} s can be counted")
        k = int(np.floor(t / self.step_time))
        return k, t - k * self.step_time

    def trunk(self, t: float) -> np.ndarray:
        """(3,) place along x in the world, speed and acceleration; the stance foot of step k stands at k step_length."""
        k, s = self.step(t)
        w, x_0 = self.rate, -self.step_length / 2
        v_0 = -w * x_0 / np.tanh(w * self.step_time / 2)
        c, h = np.cosh(w * s), np.sinh(w * s)
        x = x_0 * c + v_0 / w * h  # (1)
        return np.array([k * self.step_length + x, x_0 * w * h + v_0 * c, w**2 * x])

    def foot(self, t: float, group: int) -> np.ndarray:
        """(3, 2) place (x, z) in the world, velocity and acceleration of a foot; group 0 stands in steps 0, 2, 4, ..."""
        k, s = self.step(t)
        place = k * self.step_length
        if (k + group) % 2 == 0:
            return np.array([[place, 0.0], [0.0, 0.0], [0.0, 0.0]])
        L, h, p = self.step_length, self.foot_height / 2, np.pi / self.step_time
        c, d = np.cos(p * s), np.sin(p * s)
        c2, d2 = np.cos(2 * p * s), np.sin(2 * p * s)
        return np.array([[place - L * c, h * (1 - c2)], [L * p * d, 2 * h * p * d2], [L * p**2 * c, 4 * h * p**2 * c2]])  # (2)
