"""Robots that walk: joints that follow a gait over soft ground, imposed or under control.

imposed           joints move as the gait says, and the run shows what torques that costs
computed torque   joints are given the accelerations of the gait, plus what corrects errors
feed-forward      the torques of the imposed motion on the same ground, over time, plus PD
forced            those torques alone
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, wraps
from types import SimpleNamespace
from typing import Any

import numpy as np

from locomote.control.references import Reference
from locomote.forces.soft_ground import SoftGround
from locomote.model.model import Model
from locomote.systems.parameters import Parameter, choice, not_negative, positive

CONTROLS = ("computed torque", "feed-forward", "imposed", "forced")
SAMPLES = 200  # samples of a step
SPACING = 2e-4  # s, of torques that are kept, and from when to when about a landing, and how near
NEAR = (-0.06, 0.04, 1e-5)


def control_parameters(control: str = "computed torque") -> dict[str, Parameter]:
    """How the joints are made to follow."""
    return {
        "control": choice(control, CONTROLS, "how the joints are made to follow the gait"),
        "gain": not_negative(49.0, "", "stiffness of the control: N m/rad, of computed torque 1/s^2"),
        "damping": not_negative(14.0, "N m s/rad", "damping of the control, of computed torque 1/s"),
        "duration": positive(4.0, "s", "how long it walks; feed-forward is prepared for so long"),
    }


def ground_parameters(stiffness: float, ratio: float, viscosity: float) -> dict[str, Parameter]:
    """Springs, dampers and friction below the feet."""
    return {
        "stiffness": positive(stiffness, "N/m", "stiffness of the ground at each point of a foot"),
        "ratio": positive(ratio, "1", "damping of the ground over 2 sqrt(stiffness times mass of the robot)"),
        "viscosity": positive(viscosity, "N s/m", "viscous friction of the ground, up to that of Coulomb"),
        "friction": positive(0.7, "1", "Coulomb's coefficient"),
    }


def ground_of(p, model: Model, feet: Mapping[str, Any]) -> SoftGround:
    """The ground of these parameters below points of the feet."""
    damping = p.ratio * 2 * np.sqrt(p.stiffness * model.mass)
    return SoftGround(feet, p.stiffness, damping, p.friction, sliding="viscous", viscosity=p.viscosity)


def once(made: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What is made of the parameters of a system, once for the same ones: its start and its setting both ask for the gait."""
    kept = lru_cache(maxsize=4)(lambda items: made(SimpleNamespace(**dict(items))))

    @wraps(made)
    def of(p):
        return kept(tuple(sorted(vars(p).items())))

    return of


def periodic(reference: Reference, period: float, steps: int = 2) -> list:
    """A drive for each coordinate of a reference that repeats itself after a period (s)."""
    from locomote.drives.kinds.spline import Spline

    times = np.linspace(0.0, period, steps * SAMPLES + 1)
    values = np.array([reference(t)[0] for t in times[:-1]])
    return [Spline(times, [*column, column[0]], end="periodic") for column in values.T]


def by_joint(model: Model, joints: Sequence[str], drives: Sequence) -> dict[str, Any]:
    """Drives in a row as a table of joints, those with several coordinates as lists."""
    table, k = {}, 0
    for name in joints:
        count = model.joint(name).v.stop - model.joint(name).v.start
        table[name] = list(drives[k : k + count]) if count > 1 else drives[k]
        k += count
    return table


def controlled(p, model: Model, targets: Mapping[str, Any], ground: SoftGround, start, landing: float) -> dict[str, Any]:
    """Arguments of Locomotion for the chosen control.

    start : (q, v) of the run that feed-forward is prepared by ; landing : s, feet land at every multiple of this
    """
    from locomote.actuation.following import ComputedTorque, FeedForward

    if p.control == "imposed":
        return {"drives": targets, "environment": [ground]}
    if p.control == "computed torque":
        return {"torques": ComputedTorque(targets, p.gain, p.damping), "environment": [ground]}
    if p.control == "feed-forward":
        return {"torques": FeedForward(targets, p.gain, p.damping), "environment": [ground]}
    return {"torques": torques_of(model, targets, ground, start, p.duration, landing), "environment": [ground]}


def torques_of(model: Model, targets: Mapping[str, Any], ground: SoftGround, start, duration: float, landing: float):
    """What the imposed motion costs on this ground, over time, by joint; sampled densely where feet land."""
    from locomote.drives.kinds.spline import Spline
    from locomote.locomotion.problem import Locomotion

    lands = [k * landing + np.arange(*NEAR) for k in range(int(duration / landing) + 2)]
    times = np.unique(np.concatenate([np.arange(0.0, duration, SPACING), *lands, [duration]]).round(9))
    problem = Locomotion(model, drives=targets, environment=[ground])
    run = problem.simulate(
        duration, q=start[0], v=start[1], samples=times[(times >= 0) & (times <= duration)], method="adaptive", rtol=1e-8,
        atol=1e-9, progress=False,
    )  # fmt: skip
    kept = np.concatenate([[True], np.diff(run.t) > 1e-9])
    tables = [Spline(run.t[kept], column) for column in run.tau[kept].T]
    return {name: tables[own.start] if own.stop - own.start == 1 else tables[own] for name, own in slices(model, targets)}


def slices(model: Model, joints) -> list[tuple[str, slice]]:
    """Where the velocities of joints stand."""
    return [(name, model.joint(name).v) for name in joints]


def standing(model: Model, targets: Mapping[str, Any]):
    """q and v with all targets met at t = 0, the base at its origin."""
    q, v = model.neutral(), np.zeros(model.nv)
    for name, drives in targets.items():
        many = drives if isinstance(drives, list) else [drives]
        q[model.joint(name).q], v[model.joint(name).v] = [d(0.0)[0] for d in many], [d(0.0)[1] for d in many]
    return q, v
