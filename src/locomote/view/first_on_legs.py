"""What a person wants to see first of what goes on legs: which foot carries when, and how much."""

import numpy as np

from locomote.runs.summary import number
from locomote.runs.trajectory import Trajectory
from locomote.view.colors import BODIES, RUNS
from locomote.view.page_words import as_html
from locomote.view.small_drawings import BOTTOM, LEFT, RIGHT, TOP, frame, legend, line, placed

LOADED = 0.02  # share of the largest load above which a foot carries
LIVELY, USUAL = 1.3, 98  # loads above LIVELY times the USUAL percentile are hits
COLUMNS = 90  # of the pattern, for half of it


def foot_loads(run: Trajectory) -> dict[str, np.ndarray]:
    """Name of a foot -> (n,) how much it carries, N."""
    loads: dict[str, np.ndarray] = {}
    for k, label in enumerate(run.contact_labels):
        name = label.rpartition(".")[0] or label
        loads[name] = loads.get(name, 0.0) + np.linalg.norm(run.contact_forces[:, k], axis=1)
    for part in run.problem.environment if run.problem is not None else ():
        feet = getattr(part, "feet", None)
        given = run.loads.get(getattr(part, "name", ""))
        if isinstance(feet, dict) and given is not None:
            bodies = [str(foot) for foot, points in feet.items() for _ in points]
            for k, foot in enumerate(bodies if len(bodies) == given.shape[1] else ()):
                loads[foot] = loads.get(foot, 0.0) + np.linalg.norm(given[:, k, :3], axis=1)
    return loads


def leg_drawings(run: Trajectory) -> list[str]:
    """When each foot carries, as bars over time, full where it carries most; and how much."""
    loads = foot_loads(run)
    largest = max((float(np.nanmax(load)) for load in loads.values()), default=0.0)
    if not 2 <= len(loads) <= 12 or largest <= 0 or len(run) < 2:
        return []
    height, width, bars = (BOTTOM - TOP) / len(loads), RIGHT - LEFT, ""
    edges = np.linspace(run.t[0], run.t[-1], 2 * COLUMNS + 1)
    for n, (name, load) in enumerate(loads.items()):
        middle = np.interp((edges[1:] + edges[:-1]) / 2, run.t, load) / largest
        top = TOP + n * height
        bars += "".join(
            f'<rect x="{LEFT + k * width / len(middle):.1f}" y="{top + 2:.1f}" width="{width / len(middle) + 0.2:.1f}" '
            f'height="{height - 4:.1f}" fill="{BODIES[0]}" opacity="{0.35 + 0.65 * share:.2f}"/>'
            for k, share in enumerate(middle) if share > LOADED
        )  # fmt: skip
        bars += f'<text x="{LEFT + 3}" y="{top + 12:.1f}" class="foot">{as_html(name)}</text>'
    time = (float(run.t[0]), float(run.t[-1]))
    drawn = [frame(f"which foot carries when, up to {number(largest)} N", bars, time, None, ("t, s", ""))]
    if len(loads) > len(RUNS):
        return drawn
    t = np.linspace(*time, 4 * COLUMNS)
    values = np.array([np.interp(t, run.t, np.nan_to_num(load)) for load in loads.values()])
    usual = LIVELY * float(np.percentile(values, USUAL))  # a hit may be far higher than what is carried
    x, y, across, up = placed(np.append(t, t[0]), np.append(np.minimum(values, usual).max(axis=0), 0.0), equal=False)
    (low, high), colors = up, list(RUNS[: len(values)])
    lines = "".join(
        line(x[:-1], BOTTOM - (np.minimum(row, usual) - low) / (high - low) * (BOTTOM - TOP), color)
        for row, color in zip(values, colors, strict=True)
    )
    title = "load of each foot" + (f", hits up to {number(largest)} N cut off" if largest > usual else "")
    return [*drawn, frame(title, lines + legend(list(loads), colors), across, up, ("t, s", "load, N"))]
