"""What a person wants to see of a run before anything else, as words and small drawings (SVG) of a report: a verdict, the path
from above for what travels, shapes and curvature over time for rods, the gait over the curvature of a connection; of legs
`first_on_legs`, of what swims and flies `first_in_fluids`."""

import numpy as np

from locomote.dynamics.kinematics import forward_kinematics
from locomote.dynamics.sections import sections
from locomote.model.flexible.rods import Rod
from locomote.model.model import Model
from locomote.runs.summary import number
from locomote.runs.trajectory import Trajectory
from locomote.view.colors import BODIES, PATH, scaled
from locomote.view.first_in_fluids import fluid_drawings
from locomote.view.first_on_legs import leg_drawings
from locomote.view.frames import net_path
from locomote.view.gait_drawings import gait_drawings
from locomote.view.small_drawings import GAP, cells, color_scale, frame, line, placed

STILL = 0.02  # share of its own size below which a base does not travel
SHAPES, COLUMNS, ROWS = 12, 90, 30  # shapes of a rod; of the map of curvature


def verdict(run: Trajectory) -> str:
    """Two sentences: what it did, and whether to believe it."""
    length, net = float(run.t[-1] - run.t[0]), run.net_motion
    what = f"In {number(length)} s it moved in place"
    if net is not None and net.distance > GAP:
        what = f"In {number(length)} s it got {number(net.distance)} m far, on a path of {number(net.length)} m"
        if length > 0:
            what += f", {number(net.length / length)} m/s on average"
    work = run.work.get("drives")
    if work is not None and abs(work[-1]) > 0:
        what += f"; its drives gave {number(work[-1])} J"
    fluid = run.energetics
    if fluid is not None and fluid.strouhal is not None and np.isfinite(fluid.strouhal):
        what += f", at a Strouhal number of {number(fluid.strouhal)}"
    if fluid is not None and fluid.efficiency is not None and np.isfinite(fluid.efficiency):
        what += f" and an efficiency of {number(fluid.efficiency)}"
    if fluid is not None and fluid.lift is not None and np.isfinite(fluid.lift):
        what += f"; its wings carried {number(fluid.lift)} of its weight"
    checks = run.audit.checks
    failed = [check.name for check in checks if not check.passed]
    if failed:
        return f"{what}. The audit failed ({', '.join(failed[:3])}): do not believe it before that is mended."
    return f"{what}. All {len(checks)} checks of the audit passed."


def drawings(run: Trajectory, ways: str | None = None) -> str:
    """The drawings that suit this run, as one block of a page; ways : instead of its own path from above."""
    way = path_from_above(run) if ways is None else ways
    found = [way, way_of_the_hand(run), *fluid_drawings(run), *rod_drawings(run), *leg_drawings(run), *gait_drawings(run)]
    kept = "".join(one for one in found if one)
    return f'<div class="sight">{kept}</div>' if kept else ""


def path_from_above(run: Trajectory) -> str:
    """The way of the base in the plane, a dot where it starts and a ring where it ends."""
    points, _ = net_path(run)
    if points is None or np.ptp(points[:, :2], axis=0).max() < STILL * np.ptp(points, axis=0).max():
        return ""
    x, y, across, up = placed(points[:, 0], points[:, 1], equal=True)
    return frame("path from above", line(x, y, PATH) + ends_of(x, y), across, up, ("x, m", "y, m"))


def way_of_the_hand(run: Trajectory) -> str:
    """Of an arm without rods on a fixed base: the way of the mass center of its last body, seen where it is widest."""
    model = run.model
    if any(isinstance(model.body(name).body.flex, Rod) for name in model.body_names):
        return ""
    if run.net_motion is not None or len(model.body_names) < 2 or len(run) < 2:
        return ""
    hand = max(range(len(model.body_names)), key=lambda k: (depth(model, model.body_names[k]), k))
    rows = np.searchsorted(run.t, np.linspace(run.t[0], run.t[-1], 4 * COLUMNS)).clip(0, len(run) - 1)
    poses = forward_kinematics(model, model.normalize(run.q[rows]))[:, hand]
    inertia = model.body(hand).body.inertia
    points = poses[:, :3, :3] @ (np.zeros(3) if inertia is None else np.asarray(inertia.com)) + poses[:, :3, 3]
    if np.ptp(points, axis=0).max() < GAP:
        return ""
    first, second = np.sort(np.argsort(-np.ptp(points, axis=0))[:2])
    x, y, across, up = placed(points[:, first], points[:, second], equal=True)
    axes = f"{'xyz'[first]}, m", f"{'xyz'[second]}, m"
    return frame(f"way of {model.body_names[hand]}", line(x, y, PATH) + ends_of(x, y), across, up, axes)


def depth(model: Model, body: str) -> int:
    """How many bodies there are between a body and the base."""
    parent = model.body(body).parent
    return 0 if parent is None else 1 + depth(model, parent)


def ends_of(x: np.ndarray, y: np.ndarray) -> str:
    """A dot where a way starts and a ring where it ends."""
    dot = f'<circle cx="{x[0]:.1f}" cy="{y[0]:.1f}" r="4" fill="{PATH}"/>'
    return dot + f'<circle cx="{x[-1]:.1f}" cy="{y[-1]:.1f}" r="5" fill="none" stroke="{PATH}" stroke-width="2"/>'


def rod_drawings(run: Trajectory) -> list[str]:
    """Shapes of the longest rod at some instants, in the plane in which it moves most, and its curvature along it over time."""
    bodies = [run.model.body(k).body for k in range(len(run.model.body_names))]
    rods = {body.name: body.flex for body in bodies if isinstance(body.flex, Rod)}
    if not rods or len(run) < 2:
        return []
    name = max(rods, key=lambda rod: float(rods[rod].length))
    rows = np.searchsorted(run.t, np.linspace(run.t[0], run.t[-1], COLUMNS)).clip(0, len(run) - 1)
    found = sections(run.model, run.model.normalize(run.q[rows]), name)
    points = found.poses[..., :3, 3]
    first, second = np.sort(np.argsort(-np.ptp(points.reshape(-1, 3), axis=0))[:2])
    chosen = points[np.linspace(0, COLUMNS - 1, SHAPES).astype(int)]
    x, y, across, up = placed(chosen[..., first], chosen[..., second], equal=True)
    shapes = "".join(
        line(x[k], y[k], BODIES[0], 2.0, 0.25 + 0.75 * k / (SHAPES - 1)) for k in range(SHAPES)
    )  # later ones are darker
    axes = f"{'xyz'[first]}, m", f"{'xyz'[second]}, m"
    bend = np.linalg.norm(found.strains[..., 4:], axis=-1)  # (times, stations)
    at = np.linspace(found.along[0], found.along[-1], ROWS)
    values = np.array([np.interp(at, found.along, row) for row in bend])
    largest = float(values.max())
    bends = cells(255 * scaled(values, 0.0, max(largest, GAP)))
    time, places = (float(run.t[0]), float(run.t[-1])), (float(at[0]), float(at[-1]))
    title, bar = f"curvature of {name}, up to {number(largest)} 1/m", color_scale(0.0, largest, "1/m")
    return [
        frame(f"shapes of {name}, later ones darker", shapes, across, up, axes),
        frame(title, bends, time, places, ("t, s", "X, m"), bar),
    ]
