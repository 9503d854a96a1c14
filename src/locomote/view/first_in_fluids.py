"""What a person wants to see first of what swims and flies: speed with Strouhal number and efficiency, stroke and lift."""

import numpy as np

from locomote.forces.water.wing import Wing
from locomote.model.joints import WORDS
from locomote.model.model import Model
from locomote.runs.energetics import Energetics
from locomote.runs.summary import number
from locomote.runs.trajectory import Trajectory
from locomote.view.colors import BODIES, PATH
from locomote.view.small_drawings import frame, line, placed

POINTS = 360  # of a curve of a drawing


def fluid_drawings(run: Trajectory) -> list[str]:
    """Those of a swimmer, or of a flier; none where there is no fluid."""
    found = run.energetics
    if found is None:
        return []
    lift = stroke_and_lift(run, found)
    return lift or speed(run, found)


def speed(run: Trajectory, found: Energetics) -> list[str]:
    """How fast the base moves over time, its mean, and the numbers of swimmers."""
    net = run.net_motion
    if net is None or not found.speed:
        return []
    t = np.linspace(run.t[0], run.t[-1], POINTS)
    place = np.column_stack([np.interp(t, run.t, net.position[:, k]) for k in range(3)])
    values = np.linalg.norm(np.gradient(place, t, axis=0), axis=1)
    x, y, across, up = placed(np.append(t, t[0]), np.append(values, 0.0), equal=False)
    mean = y[-1] + (y[:-1].min() - y[-1]) * found.speed / max(float(values.max()), 1e-12)
    curves = line(x[:-1], y[:-1], BODIES[0]) + line(x[[0, -2]], np.array([mean, mean]), PATH, 1.2)
    words = [f"speed, {number(found.speed)} m/s in the end"]
    words += [f"Strouhal number {number(found.strouhal)}"] if found.strouhal is not None else []
    words += [f"efficiency {number(found.efficiency)}"] if found.efficiency is not None else []
    return [frame(", ".join(words), curves, across, up, ("t, s", "speed, m/s"))]


def stroke_and_lift(run: Trajectory, found: Energetics) -> list[str]:
    """Angle of the stroke, and lift over weight, over the last strokes."""
    problem, weight = run.problem, run.model.mass * float(np.linalg.norm(run.model.gravity))
    wings = [part for part in problem.environment if isinstance(part, Wing)] if problem is not None else []
    if problem is None or not wings or not weight > 0:
        return []
    up = -run.model.gravity / np.linalg.norm(run.model.gravity)
    names = [term.name for term in problem.terms if term.kind.name == "wing"]
    lift = sum(np.asarray(run.loads[name])[:, :, :3].sum(axis=1) @ up for name in names) / weight
    t = np.linspace(found.begin, found.end, POINTS)
    drawings = []
    stroke = stroke_joint(run.model, body_of(wings[0]))
    if stroke is not None:
        angle = np.degrees(np.interp(t, run.t, run.q[:, run.model.joint(stroke).q][:, 0]))
        x, y, across, over = placed(t, angle, equal=False)
        title = f"stroke, {number(np.ptp(angle))} deg from end to end"
        drawings.append(frame(title, line(x, y, BODIES[0]), across, over, ("t, s", f"{stroke}, deg")))
    values = np.interp(t, run.t, lift)
    x, y, across, over = placed(np.append(t, t[0]), np.append(values, 1.0), equal=False)
    even = line(x[[0, -2]], y[[-1, -1]], PATH, 1.2)  # where it carries the weight
    title = f"lift over weight, {number(found.lift or 0.0)} on average"
    drawings.append(frame(title, line(x[:-1], y[:-1], BODIES[0]) + even, across, over, ("t, s", "lift")))
    return drawings


def body_of(wing: Wing) -> str:
    """The body that carries a wing."""
    return str(getattr(wing.body, "body", wing.body))


def stroke_joint(model: Model, body: str) -> str | None:
    """The joint with one angle that is nearest to the base, on the way from the base to a wing."""
    found, at = None, model.body(body)
    while at.parent is not None:
        for joint in reversed(at.body.moving):
            kind = WORDS[joint.kind]
            found = joint.name if kind.sizes == (1, 1) and kind.turns else found
        at = model.body(at.parent)
    return found
