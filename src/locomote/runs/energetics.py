"""What moving in a fluid costs: power to the fluid, and the numbers by which swimmers and fliers are compared.

Over the last whole periods of the drives (all of the run if it has none, or is shorter), with U the mean speed of the base, f
the frequency, A the width of the path of the tail across the way, L the length of the swimmer, m its mass, P the mean power of
drives, torques and actuators:

    Strouhal number f A / U ,   swimming number U / (f L) ,   cost of transport P / (m U)                             (1)
    efficiency 1 - (what passes into the wake) / P          of elongated-body theory                                 (2)
    mean lift / weight ,   power to the air / mass          of wings, whose U is horizontal                          (3)
"""

from dataclasses import dataclass

import numpy as np

from locomote.drives.kinds.sine import Sine
from locomote.drives.kinds.sum import Sum
from locomote.dynamics.kinematics import forward_kinematics
from locomote.evaluation.protocol import Problem
from locomote.forces.water.added import AddedMass
from locomote.forces.water.lighthill import Lighthill
from locomote.runs.extent import length_of
from locomote.runs.netmotion import is_way, size_of
from locomote.runs.trajectory import Trajectory

PERIODS = 4  # that are looked at
ACTIVE = ("drives", "torques", "actuators")  # whose work is that of the swimmer
FLUID = (
    "added mass", "drag", "slender drag", "stokes drag", "resistive", "lighthill", "wing", "plate", "spheres", "sand",
    "intrusion",
)  # fmt: skip


@dataclass(frozen=True)
class Energetics:
    """Numbers of a run in a fluid; None where they have no meaning.

    begin, end : s, over which means are taken ; power : of drives, torques and actuators, W ; to_fluid : W
    speed : m/s ; strouhal, swimming_number, efficiency : (1), (2) ; cost_of_transport : J/(kg m), (1)
    lift : over weight ; power_per_mass : W/kg, (3)
    """

    begin: float
    end: float
    power: float
    to_fluid: float
    speed: float | None = None
    strouhal: float | None = None
    swimming_number: float | None = None
    efficiency: float | None = None
    cost_of_transport: float | None = None
    lift: float | None = None
    power_per_mass: float | None = None

    def __str__(self) -> str:
        words = [
            f"{self.to_fluid:.4g} W to the fluid, {self.power:.4g} W from drives, from {self.begin:.4g} s to {self.end:.4g} s"
        ]
        for name, value, unit in (
            ("speed", self.speed, " m/s"), ("Strouhal number", self.strouhal, ""),
            ("swimming number", self.swimming_number, ""), ("efficiency", self.efficiency, ""),
            ("cost of transport", self.cost_of_transport, " J/(kg m)"), ("lift over weight", self.lift, ""),
            ("power to the air per mass", self.power_per_mass, " W/kg"),
        ):  # fmt: skip
            if value is not None:
                words.append(f"{name} {value:.4g}{unit}")
        return ", ".join(words)


def energetics(run: Trajectory) -> Energetics | None:
    """Energetics of a run whose problem is known and in a fluid; None otherwise."""
    problem = run.problem
    if problem is None or len(run) < 3 or not run.t[-1] > run.t[0]:
        return None
    terms = [t for t in problem.terms if any(t.kind.name.endswith(word) for word in FLUID)]
    if not (terms or any(isinstance(e, AddedMass) for e in problem.environment)):
        return None
    frequency = slowest(problem)
    end = float(run.t[-1])
    begin = float(run.t[0])
    if frequency and end - begin > 1 / frequency:
        begin = max(begin, end - min(PERIODS, int((end - begin) * frequency + 1e-9)) / frequency)
    span = end - begin

    def mean(done: np.ndarray) -> float:
        return float(done[-1] - np.interp(begin, run.t, done)) / span

    power = sum(mean(run.work[name]) for name in ACTIVE if name in run.work)
    result = {"power": power, "to_fluid": -sum(mean(run.work[term.name]) for term in terms)}
    wings = [term.name for term in terms if term.kind.name == "wing"]
    if run.net_motion is not None:
        result |= travelling(run, problem, begin, span, frequency, power, bool(wings), mean)
    weight = run.model.mass * float(np.linalg.norm(run.model.gravity))
    if wings and weight > 0:
        up = -run.model.gravity / np.linalg.norm(run.model.gravity)
        force = sum(np.asarray(run.loads[name])[:, :, :3].sum(axis=1) @ up for name in wings)
        t = np.concatenate([[begin], run.t[run.t > begin]])
        result["lift"] = float(np.trapezoid(np.interp(t, run.t, force), t)) / span / weight
        result["power_per_mass"] = -sum(mean(run.work[name]) for name in wings) / run.model.mass
    return Energetics(begin, end, **result)


def slowest(problem: Problem) -> float | None:
    """Lowest frequency of drives and muscles, Hz; None if none is a sine."""
    found = []
    told = [getattr(a, name, None) for a in problem.actuators for name in ("activation", "tension", "pressure")]
    for drive in (*problem.imposed_motions.values(), *told):
        for part in drive.terms if isinstance(drive, Sum) else (drive,):
            if isinstance(part, Sine) and part.rate:
                found.append(abs(part.rate) / (2 * np.pi))
    return min(found, default=None)


def travelling(
    run: Trajectory, problem: Problem, begin: float, span: float, frequency, power: float, flies: bool, mean
) -> dict[str, float]:
    """(1) and (2)."""
    net, bodies = run.net_motion, [e for e in problem.environment if isinstance(e, Lighthill)]
    assert net is not None
    place = np.array([np.interp(begin, run.t, net.position[:, k]) for k in range(3)])
    way = net.position[-1] - place
    if flies:
        way = way * [1.0, 1.0, 0.0]
    speed = float(np.linalg.norm(way)) / span
    if not (speed > 0 or bodies):
        return {}
    result, mass = {"speed": speed}, problem.statement.model.mass
    path = np.linalg.norm(np.diff(net.position[run.t >= begin], axis=0), axis=1).sum()
    goes = is_way(speed * span, float(path), size_of(run.model))
    if power > 0 and bodies:
        result["efficiency"] = 1.0 + mean(run.work[bodies[0].name]) / power
    if power > 0 and goes and mass > 0 and problem.inertia:
        result["cost_of_transport"] = power / (mass * speed)
    if frequency and speed > 0 and not flies:
        long = sum(segment.line.length for segment in bodies[0].segments) if bodies else length_of(problem)
        if long:
            result["swimming_number"] = speed / (frequency * long)
    if frequency and goes and bodies:
        rows, end = run.t >= begin, bodies[0].segments[-1].line.place(1.0).named
        pose = forward_kinematics(run.model, run.q[rows])[:, run.model.body_index(str(end.body))]
        tail = (pose @ end.pose)[:, :3, 3]
        along = way / np.linalg.norm(way)
        across = tail - np.outer(tail @ along, along)
        side = np.linalg.svd(across - across.mean(axis=0), full_matrices=False)[2][0]
        result["strouhal"] = frequency * float(np.ptp(across @ side)) / speed
    return result
