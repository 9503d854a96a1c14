"""The demonstration: a humanoid is thrown up with a random spin, tumbles freely, and the run checks itself.

Its joints have springs and no losses, so that three things must hold whatever it does: total energy stays, the angular
momentum about the centre of mass stays, the linear momentum changes by the weight alone. The integrator is the fourth-order
Runge-Kutta method on the group of configurations (Munthe-Kaas): q moves to q exp(x) with

    x' = v + [x, v] / 2 + [x, [x, v]] / 12 + O(x^4) ,     v' = forward_dynamics(q exp(x), v, springs)                      (1)
"""

import csv
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from locomote.dynamics.forces import forward_dynamics, passive_force
from locomote.dynamics.kinematics import forward_kinematics
from locomote.dynamics.momentum import center_of_mass, kinetic_energy, momentum, potential_energy, spring_energy
from locomote.model.joints import AXES_OF_V
from locomote.model.model import Model
from locomote.spatial import algebra
from locomote.systems.catalogue import load

SPIN = 6.0  # rad/s
STIFFNESS = 60.0  # N m/rad at the hips
FORWARD = 2.0  # m/s
DRIFT_ALLOWED = 1e-5  # of each audited quantity, relative to its scale
SAMPLES = 125  # a second, at most


@dataclass(frozen=True)
class Run:
    """What was computed: times (n,), configurations (n, nq), velocities (n, nv), and how long it took (s)."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    wall: float


@dataclass(frozen=True)
class Check:
    """One line of the audit: a quantity that must stay, how far it went, and what that is of its scale."""

    name: str
    unit: str
    scale: float
    drift: float

    @property
    def relative(self) -> float:
        return self.drift / self.scale

    @property
    def passed(self) -> bool:
        return self.relative <= DRIFT_ALLOWED


def thrown(seed: int, seconds: float) -> tuple[Model, np.ndarray, np.ndarray]:
    """The humanoid with its first q and v: up so fast that its centre of mass is back at its height after `seconds`."""
    model = load("humanoid", stiffness=STIFFNESS).model
    rng = np.random.default_rng(seed)
    q, v = model.neutral(), np.zeros(model.nv)
    q[2] = 1.0
    v[3:6] = SPIN * unit(rng.normal(size=3))
    v[6:] = rng.normal(size=model.nv - 6)
    wanted = np.array([FORWARD, 0.0, -model.gravity[2] * seconds / 2])
    v[:3] = wanted - momentum(model, q, v)[:3] / model.mass  # the body axes are those of the world at the start
    return model, q, v


def simulated(model: Model, q, v, times: np.ndarray, steps: int, advance: Callable[[], object] = lambda: None) -> Run:
    """The motion from q, v at the first of evenly spaced times (s), with `steps` steps from one to the next."""
    h, kept = (times[-1] - times[0]) / (len(times) - 1) / steps, [(q, v)]
    start = time.perf_counter()
    for t in times[:-1]:
        try:
            with np.errstate(all="ignore"):
                for _ in range(steps):
                    q, v = runge_kutta_step(model, q, v, h)
        except (ValueError, FloatingPointError) as error:  # the model refuses numbers that are not finite
            advice = f"after t = {t:.3g} s the motion is no longer finite; take a smaller step than {h:.3g} s"
            raise FloatingPointError(advice) from error
        kept.append((q, v))
        advance()
    return Run(times, np.array([q for q, _ in kept]), np.array([v for _, v in kept]), time.perf_counter() - start)


def sampled(seconds: float, step: float) -> tuple[np.ndarray, int]:
    """Times to keep, and the even number of steps of at most `step` (s) from one to the next."""
    count = max(1, round(seconds * min(SAMPLES, 0.5 / step)))
    return np.linspace(0.0, seconds, count + 1), 2 * max(1, math.ceil(seconds / count / step / 2 - 1e-9))


def runge_kutta_step(model: Model, q, v, h: float) -> tuple[np.ndarray, np.ndarray]:
    """One step of (1)."""
    x, u = np.zeros(model.nv), v
    dx, du = [], []
    for part in (0.5, 0.5, 1.0, None):
        here = model.integrate(q, x)
        dx.append(coordinate_rate(model, x, u))
        du.append(forward_dynamics(model, here, u, passive_force(model, here, u)))
        if part is not None:
            x, u = part * h * dx[-1], v + part * h * du[-1]
    x = h / 6 * (dx[0] + 2 * dx[1] + 2 * dx[2] + dx[3])
    return model.integrate(q, x), v + h / 6 * (du[0] + 2 * du[1] + 2 * du[2] + du[3])


def coordinate_rate(model: Model, x, v) -> np.ndarray:
    """x' of (1)."""
    once = bracket(model, x, v)
    return v + once / 2 + bracket(model, x, once) / 12


def bracket(model: Model, x, y) -> np.ndarray:
    """[x, y] of two velocities of the model: zero but for joints that move on a group."""
    result = np.zeros(model.nv)
    for kind, _, k in model.coordinates.groups:
        axes = AXES_OF_V[kind]
        a, b = [0.0] * 6, [0.0] * 6
        for j, axis in enumerate(axes):
            a[axis], b[axis] = float(x[k + j]), float(y[k + j])
        product = algebra.bracket(a, b)
        result[k : k + len(axes)] = [product[axis] for axis in axes]
    return result


def audited(model: Model, run: Run) -> tuple[list[Check], dict[str, np.ndarray]]:
    """The checks of a run, and the series that they were made from.

    The scale of energy is that of the tumbling alone (kinetic, about the centre of mass), far less than that of the fall.
    """
    series = {
        "kinetic": kinetic_energy(model, run.q, run.v),
        "potential": potential_energy(model, run.q),
        "springs": spring_energy(model, run.q),
        "momentum": momentum(model, run.q, run.v),
        "center": center_of_mass(model, run.q),
    }
    series["total"] = series["kinetic"] + series["potential"] + series["springs"]
    linear, angular = series["momentum"][:, :3], series["momentum"][:, 3:]
    series["tumbling"] = series["kinetic"] - (linear**2).sum(axis=-1) / (2 * model.mass)
    weighed = linear - run.t[:, None] * model.mass * model.gravity
    first = series["center"][0]
    parabola = first + run.t[:, None] * linear[0] / model.mass + run.t[:, None] ** 2 / 2 * model.gravity
    checks = [
        Check("total energy", "J", float(series["tumbling"].max()), farthest(series["total"][:, None])),
        Check("linear momentum less impulse of weight", "kg m/s", largest(linear), farthest(weighed)),
        Check("angular momentum about centre of mass", "kg m^2/s", largest(angular), farthest(angular)),
        Check("centre of mass off its parabola", "m", largest(series["center"] - first), largest(series["center"] - parabola)),
    ]
    return checks, series


def unit(x) -> np.ndarray:
    """x at length one."""
    return x / np.linalg.norm(x)


def largest(rows) -> float:
    """The length of the longest row."""
    return float(np.linalg.norm(rows, axis=-1).max())


def farthest(rows) -> float:
    """How far a row is from the first one, at most."""
    return largest(rows - rows[0])


def write(folder: Path, model: Model, run: Run, series: dict[str, np.ndarray]) -> list[Path]:
    """The run as arrays (.npz), as a table (.csv), and as a picture where matplotlib is installed."""
    folder.mkdir(parents=True, exist_ok=True)
    arrays, table = folder / "tumble.npz", folder / "tumble.csv"
    slots = [f"{slot.vector}[{slot.index}] {slot.joint} {slot.name}" for slot in model.layout()]
    np.savez(arrays, t=run.t, q=run.q, v=run.v, slots=slots, **series)  # pyright: ignore[reportArgumentType]
    scalars = ["kinetic", "potential", "springs", "total"]
    with table.open("w", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(
            ["t_s", "x_m", "y_m", "z_m", *(f"{name}_J" for name in scalars)]
            + [f"{kind}_momentum_{axis}" for kind in ("linear", "angular") for axis in "xyz"]
        )
        columns = [run.t[:, None], series["center"], *(series[name][:, None] for name in scalars), series["momentum"]]
        rows.writerows([f"{value:.12g}" for value in row] for row in np.hstack(columns))
    picture = draw(folder / "tumble.png", model, run, series)
    return [arrays, table, *([picture] if picture else [])]


def draw(path: Path, model: Model, run: Run, series: dict[str, np.ndarray]) -> Path | None:
    """Stick figures along the way, and the exchange of energies; None without matplotlib."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return None
    figure = Figure(figsize=(12, 6), layout="constrained")
    FigureCanvasAgg(figure)
    way, energy, inner = figure.subplot_mosaic("AAB;AAC").values()
    parent = [model.body(name).parent for name in model.body_names]
    links = [(k, model.body_index(name)) for k, name in enumerate(parent) if name is not None]
    for row in range(0, len(run.t), max(1, len(run.t) // 20)):
        origins = forward_kinematics(model, run.q[row])[:, :3, 3]
        for ends in links:
            way.plot(*origins[list(ends)][:, [0, 2]].T, color="0.25", linewidth=1.2)
    way.plot(series["center"][:, 0], series["center"][:, 2], color="tab:red", linewidth=0.8, label="centre of mass")
    way.set(xlabel="x, m", ylabel="z, m", aspect="equal", title=f"{model.name}, thrown with a spin")
    way.legend()
    for name in ("kinetic", "potential", "total"):
        energy.plot(run.t, series[name], label=name)
    for name, label in (("tumbling", "kinetic, about the centre of mass"), ("springs", "springs")):
        inner.plot(run.t, series[name], label=label)
    for axes in (energy, inner):
        axes.set(xlabel="t, s", ylabel="energy, J")
        axes.legend()
    figure.savefig(path, dpi=150)
    return path
