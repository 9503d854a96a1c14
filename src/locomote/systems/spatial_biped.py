"""A biped of seven links in space on its support foot, which is fixed: one step of the other foot.

Twelve revolute axes: two at the support ankle, one at the knee, three at the hip, and the same back to the swing foot. x is up,
y forward, z to the side of the support foot. The trunk moves as an inverted pendulum, forward and sideways, the swing foot
lands at rest; joint angles come from inverse kinematics. Three motions: `inverse` imposes the joints and shows what torques
that costs; `forced` applies these torques and nothing else; `controlled` adds what computed torque makes of the errors.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from locomote.control.laws import computed_torque
from locomote.control.pendulum import PendulumWalk
from locomote.dynamics.forces import inverse_dynamics
from locomote.dynamics.inverse_kinematics import Target, inverse_kinematics
from locomote.model.model import Model
from locomote.systems.arms import chain_of
from locomote.systems.parameters import choice, not_negative, number, positive

SOURCE = (
    "S.K. Saha, S.V. Shah, P.V. Nandihal: Evolution of the DeNOC-based dynamic modelling for multibody systems (2013), spatial "
    "biped; data and gait of a public copy of the input files of ReDySim"
)
SEE = "forced by its torques alone, an error of 0.001 rad becomes one of 5 degrees in 0.29 s; controlled, it goes away"
PARAMETERS = {
    "motion": choice(
        "inverse", ("inverse", "forced", "controlled"), "joints imposed, or driven by their torques, or controlled"
    ),
    "step_time": positive(0.5, "s", "time of the step"),
    "step_length": positive(0.3, "m", "length of the step"),
    "foot_height": positive(0.1, "m", "height of the swing foot"),
    "height": positive(0.92, "m", "height of the hips and of the pendulum"),
    "side": number(-0.06, "m", "trunk from the support foot, sideways, at both ends of the step"),
    "error": number(1e-3, "rad", "of the support ankle at the start, of motions that are not imposed"),
    "stiffness": not_negative(49.0, "1/s^2", "of the control"),
    "damping": not_negative(14.0, "1/s", "of the control"),
    "gravity": positive(9.81, "m/s^2", "gravity"),
}
# alpha (deg), a (m), mass (kg), center of mass (m), moments about it (kg m^2)
ROD = (1.0, (0.25, 0, 0), (0.0, 0.25 / 12, 0.25 / 12))
NONE = (0.0, (0, 0, 0), (0.0, 0.0, 0.0))
TRUNK = (5.0, (-0.05, 0, -0.05), (0.05 / 12, 0.1 / 12, 0.05 / 12))
FOOT = (0.2, (0, 0, 0), (3.75e-4, 5e-6 / 3, 3.75e-4))
LINKS = (
    (0, 0.0, NONE), (90, 0.0, ROD), (-90, 0.5, ROD), (0, 0.5, NONE), (90, 0.0, NONE), (90, 0.0, TRUNK),
    (180, -0.1, NONE), (90, 0.0, NONE), (90, 0.0, ROD), (0, 0.5, ROD), (-90, 0.5, NONE), (90, 0.0, FOOT),
)  # fmt: skip
WIDTH = 0.1  # m, between the hips
UPRIGHT = np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]])  # trunk: its x to the side, its z down
LEVEL = np.array([[-1.0, 0, 0], [0, 1, 0], [0, 0, -1]])  # foot: its x down
# both knees forward, near the start of the step
NEAR = (0.2087, -0.0115, -0.7407, -2.6097, 1.5595, -0.0024, -3.1358, 1.5807, -2.9329, -0.7407, 0.0115, 0.532)
SAMPLES = 61


def build(p) -> Model:
    """Twelve links of a modified table, half of them without mass."""
    table = [
        {"alpha": alpha, "a": a, "mass": m}
        | dict(zip(("cx", "cy", "cz"), c, strict=True))
        | dict(zip(("ixx", "iyy", "izz"), moment, strict=True))
        for alpha, a, (m, c, moment) in LINKS
    ]
    return chain_of("spatial biped", table, (-p.gravity, 0.0, 0.0), convention="modified")


@lru_cache(maxsize=16)
def step_of(step_time: float, step_length: float, foot_height: float, height: float, side: float, gravity: float):
    """The joints over the step, as a spline of order 7 through configurations found by inverse kinematics."""
    from types import SimpleNamespace

    from scipy.interpolate import make_interp_spline

    model = build(SimpleNamespace(gravity=gravity))
    walk, q, rows = PendulumWalk(step_time, step_length, foot_height, height, gravity), np.array(NEAR), []
    times, w = np.linspace(0.0, step_time, SAMPLES), np.sqrt(gravity / height)
    for t in times:
        trunk = walk.trunk(t)[0] if t < step_time else step_length / 2
        foot = walk.foot(t, 1)[0] if t < step_time else (step_length, 0.0)
        across = side * (np.cosh(w * t) - np.tanh(w * step_time / 2) * np.sinh(w * t))  # the same at both ends
        targets = [
            Target("link6", (height, trunk, across + WIDTH / 2), UPRIGHT),
            Target("link12", (foot[1], foot[0], 2 * side), LEVEL),
        ]
        q = inverse_kinematics(model, targets, start=q, starts=0, tolerance=1e-11).q
        rows.append(q)
    return make_interp_spline(times, np.array(rows), k=7)


class Step:
    """The reference t -> (q, v, a); it stays where the step ends."""

    def __init__(self, p: Any):
        self.end = p.step_time
        self.spline = step_of(p.step_time, p.step_length, p.foot_height, p.height, p.side, p.gravity)

    def __call__(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        s = min(max(t, 0.0), self.end)
        return self.spline(s), self.spline(s, 1), self.spline(s, 2)


def setting(p) -> dict:
    """Joints imposed, or their torques."""
    from locomote.drives.kinds.function import Function

    model, step = build(p), Step(p)
    if p.motion == "inverse":
        return {"drives": {f"joint{k + 1}": Function(*(Coordinate(step, k, order) for order in range(3))) for k in range(12)}}
    if p.motion == "forced":
        return {"torques": lambda t, q, v: inverse_dynamics(model, *step(t))}
    law = computed_torque(model, step, stiffness=p.stiffness, damping=p.damping)
    return {"torques": lambda t, q, v: law(t, q, v, None)[0]}


class Coordinate:
    """One coordinate of a step, or a derivative of it."""

    def __init__(self, step: Step, k: int, order: int):
        self.step, self.k, self.order = step, k, order

    def __call__(self, t: float) -> float:
        return float(self.step(t)[self.order][self.k])


def initial(p, model: Model):
    """On the way, as the step begins."""
    q, v, _ = Step(p)(0.0)
    if p.motion != "inverse":
        q[0] += p.error
    return q, v


def duration(p) -> float:
    """s"""
    return p.step_time
