"""What moving in a fluid costs: power to the fluid, and the numbers by which swimmers and fliers are compared.

Over the last whole periods of the drives (all of the run if it has none, or is shorter), with U the mean speed of the base, f
the frequency, A the width of the path of the tail across the way, L the length of the swimmer, P the mean power of drives and
torques:

    Strouhal number f A / U ,   swimming number U / (f L)                                                            (1)
    efficiency 1 - (what passes into the wake) / P          of elongated-body theory                                 (2)
    mean lift / weight ,   power to the air / mass          of wings                                                 (3)
"""

from dataclasses import dataclass

import numpy as np

from locomote.drives.drives import Sine, Sum
from locomote.dynamics.kinematics import forward_kinematics
from locomote.environment.lighthill import Lighthill
from locomote.environment.wing import Wing
from locomote.runs.trajectory import Trajectory

PERIODS = 4  # that are looked at
FLUID = ("added mass", "drag", "slender drag", "stokes drag", "resistive", "lighthill", "wing", "sand", "spheres")


@dataclass(frozen=True)
class Energetics:
    """Numbers of a run in a fluid; None where they have no meaning.

    begin, end : s, over which means are taken ; power : of drives and torques, W ; to_fluid : W
    speed : m/s ; strouhal, swimming_number, efficiency : (1), (2) ; lift : over weight ; power_per_mass : W/kg, (3)
    """

    begin: float
    end: float
    power: float
    to_fluid: float
    speed: float | None = None
    strouhal: float | None = None
    swimming_number: float | None = None
    efficiency: float | None = None
    lift: float | None = None
    power_per_mass: float | None = None

    def __str__(self):
        words = [
            f"{self.to_fluid:.4g} W to the fluid, {self.power:.4g} W from drives, from {self.begin:.4g} s to {self.end:.4g} s"
        ]
        for name, value in (
            ("speed", self.speed), ("Strouhal number", self.strouhal), ("swimming number", self.swimming_number),
            ("efficiency", self.efficiency), ("lift over weight", self.lift), ("power to the air per mass, W/kg",
            self.power_per_mass),
        ):  # fmt: skip
            if value is not None:
                words.append(f"{name} {value:.4g}" + (" m/s" if name == "speed" else ""))
        return ", ".join(words)


def energetics(run: Trajectory) -> Energetics | None:
    """Energetics of a run whose problem is known and in a fluid; None otherwise."""
    terms = [t for t in getattr(run.problem, "terms", ()) if any(t.kind.name.endswith(word) for word in FLUID)]
    if not terms or len(run) < 3 or not run.t[-1] > run.t[0]:
        return None
    frequency = slowest(run.problem)
    end = float(run.t[-1])
    begin = float(run.t[0])
    if frequency and end - begin > 1 / frequency:
        begin = max(begin, end - min(PERIODS, int((end - begin) * frequency)) / frequency)
    span = end - begin

    def mean(done: np.ndarray) -> float:
        return float(done[-1] - np.interp(begin, run.t, done)) / span

    power = sum(mean(run.work[name]) for name in ("drives", "torques") if name in run.work)
    result = {"power": power, "to_fluid": -sum(mean(run.work[term.name]) for term in terms)}
    elements = run.problem.environment
    bodies = [e for e in elements if isinstance(e, Lighthill)]
    if bodies and run.net_motion is not None:
        result |= swimming(run, bodies[0], begin, span, frequency, power, mean)
    wings = [e for e in elements if isinstance(e, Wing)]
    weight = run.model.mass * float(np.linalg.norm(run.model.gravity))
    if wings and weight > 0:
        names = [term.name for term in terms if term.kind.name == "wing"]
        up = -run.model.gravity / np.linalg.norm(run.model.gravity)
        force = sum(np.asarray(run.loads[name])[:, :, :3].sum(axis=1) @ up for name in names)
        t = np.concatenate([[begin], run.t[run.t > begin]])
        result["lift"] = float(np.trapezoid(np.interp(t, run.t, force), t)) / span / weight
        result["power_per_mass"] = -sum(mean(run.work[name]) for name in names) / run.model.mass
    return Energetics(begin, end, **result)


def slowest(problem) -> float | None:
    """Lowest frequency of the drives, Hz; None if none is a sine."""
    found = []
    for drive in problem._drives.values():
        for part in drive.terms if isinstance(drive, Sum) else (drive,):
            if isinstance(part, Sine) and part.frequency:
                found.append(abs(part.frequency) / (2 * np.pi))
    return min(found, default=None)


def swimming(run: Trajectory, body: Lighthill, begin: float, span: float, frequency, power: float, mean) -> dict[str, float]:
    """(1) and (2)."""
    net = run.net_motion
    assert net is not None
    place = np.array([np.interp(begin, run.t, net.position[:, k]) for k in range(3)])
    way = net.position[-1] - place
    result = {"speed": float(np.linalg.norm(way)) / span}
    if power > 0:
        result["efficiency"] = 1.0 + mean(run.work[body.name]) / power
    if frequency and result["speed"] > 0:
        rows, end = run.t >= begin, body.segments[-1].line.place(1.0).named
        pose = forward_kinematics(run.model, run.q[rows])[:, run.model.body_index(str(end.body))]
        tail = (pose @ end.pose)[:, :3, 3]
        along = way / np.linalg.norm(way)
        across = tail - np.outer(tail @ along, along)
        side = np.linalg.svd(across - across.mean(axis=0), full_matrices=False)[2][0]
        length = sum(segment.line.length for segment in body.segments)
        result["strouhal"] = frequency * float(np.ptp(across @ side)) / result["speed"]
        result["swimming_number"] = result["speed"] / (frequency * length)
    return result
