"""The gait of a run over the curvature of its connection, as small drawings (SVG) of a report and of the viewer: heights as
colours, their zero contours, the closed path of the shape, and a dot that goes along it as time does; in the viewer arrows of
the connection too.

Drawn of runs whose drives move two shape coordinates with one period, where the shape, and a momentum at most, says how the
base moves; nothing is drawn of others.
"""

from dataclasses import dataclass

import numpy as np

from locomote.drives.drive import Drive
from locomote.errors import LocomoteError
from locomote.gaits.fields import ConnectionField, field_of
from locomote.gaits.gait import Gait, periods
from locomote.gaits.local_form import local_form
from locomote.gaits.net_motion import refuse_other_forces
from locomote.locomotion.problem import Locomotion
from locomote.runs.summary import number
from locomote.runs.trajectory import Trajectory
from locomote.view.colors import BODIES
from locomote.view.small_drawings import BOTTOM, LEFT, RIGHT, TOP, cells, frame, line

CELLS = 31  # along a side
ROOM = 0.3  # of the size of the gait, around it
MOMENTS = 60  # of a period, that the dot goes through
FLAT = 1e-9  # of all curvature: what is below is not drawn
USUAL = 98  # per cent of all heights that the colours span
EVERY, TINY = 3, 1.5  # of the cells one has an arrow, if it is that long on the drawing
BLUE, WHITE, RED = np.array([33, 102, 172]), np.array([247, 247, 247]), np.array([178, 24, 43])


@dataclass(frozen=True)
class Sight:
    """What is drawn of a run: its field, the closed path x (P, 2) over a period, s, rows of velocities that have curvature, and
    places of the two coordinates in q."""

    field: ConnectionField
    x: np.ndarray
    period: float
    rows: list[int]
    places: list[int]


def gait_drawings(run: Trajectory) -> list[str]:
    """A drawing for each velocity of the base that the gait has curvature of."""
    seen = sight_of(run)
    return [] if seen is None else [drawn(seen.field, k, seen.x, going(seen)) for k in seen.rows]


def sight_of(run: Trajectory) -> Sight | None:
    """What there is to draw of a run; None if nothing."""
    gait = gait_of(run)
    if gait is None or not isinstance(run.problem, Locomotion):
        return None
    try:
        form = local_form(run.problem, list(gait.names), at=np.array(run.q[0]))
        refuse_other_forces(form, momentum=True)
        if form.kernel is None:
            return None  # shape by shape it would take long
    except (ValueError, LocomoteError):
        return None
    x = gait.shapes(np.linspace(0.0, gait.period, MOMENTS + 1))[0]
    low, high = x.min(axis=0), x.max(axis=0)
    room = ROOM * (high - low)
    sides = np.linspace(low - room, high + room, CELLS).T
    field = field_of(run.problem.name, form, sides[0], sides[1], None)
    F = field.curvature
    most = np.nanmax(abs(F)) if np.isfinite(F).any() else 0.0
    rows = [k for k in range(F.shape[2]) if np.nanmax(abs(F[..., k]), initial=0.0) > FLAT * most]
    moved = [int(form.coordinates.places[np.argmax(D)]) for D in form.coordinates.directions.T]
    return Sight(field, x, gait.period, rows, moved)


def gait_of(run: Trajectory) -> Gait | None:
    """The two drives of one period that move the shape of a run; None if there are others."""
    if run.problem is None:
        return None
    given = run.problem.drives
    if not all(isinstance(name, str) and isinstance(drive, Drive) for name, drive in given.items()):  # strains, several at once
        return None
    moved = {name: drive for name, drive in given.items() if np.any(drive(0.3)[1:])}
    if len(moved) != 2:
        return None
    lengths = [p for drive in moved.values() for p in periods(drive)]
    if len(lengths) < 2:
        return None
    try:
        return Gait(moved, period=max(lengths))
    except ValueError:
        return None


def going(seen: Sight) -> str:
    """The dot of a report, which goes round by itself."""
    x, y = on_drawing(seen.field, seen.x)
    go = "".join(
        f'<animate attributeName="{name}" dur="{seen.period:.4g}s" repeatCount="indefinite" '
        f'values="{";".join(f"{value:.1f}" for value in values)}"/>'
        for name, values in (("cx", x), ("cy", y))
    )
    return dot(x[0], y[0], go)


def dot(x: float, y: float, more: str = "") -> str:
    """Where the shape is now."""
    return f'<circle class="now" cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{BODIES[0]}" stroke="#fff">{more}</circle>'


def arrows(field: ConnectionField, k: int) -> str:
    """The connection of velocity k as arrows: the way in which the shape has to go for the base to go along that axis."""
    A = -field.A[::EVERY, ::EVERY, k]
    most = float(np.nanpercentile(np.linalg.norm(A, axis=2), USUAL)) if np.isfinite(A).any() else 0.0
    if not most > 0.0:
        return ""
    size = EVERY * (BOTTOM - TOP) / CELLS
    xs, ys = np.meshgrid(field.x[::EVERY], field.y[::EVERY], indexing="ij")
    x, y = on_drawing(field, np.stack([xs.ravel(), ys.ravel()], axis=1))
    lengths = np.linalg.norm(A, axis=2, keepdims=True)
    ways = (A * size / np.maximum(lengths, most)).reshape(-1, 2) * [1.0, -1.0]  # the largest have one length
    found = []
    for a, b, (u, v) in zip(x, y, ways, strict=True):
        if not np.isfinite([u, v]).all() or np.hypot(u, v) < TINY:
            continue
        tip = f"M{a - u / 2:.1f} {b - v / 2:.1f}l{u:.1f} {v:.1f}"
        barbs = f"m{-0.3 * u + 0.2 * v:.1f} {-0.3 * v - 0.2 * u:.1f}L{a + u / 2:.1f} {b + v / 2:.1f}"
        found.append(f"{tip}{barbs}l{-0.3 * u - 0.2 * v:.1f} {-0.3 * v + 0.2 * u:.1f}")
    return f'<path class="arrows" d="{"".join(found)}" fill="none" stroke="#222" stroke-width="0.8"/>'


def drawn(field: ConnectionField, k: int, gait: np.ndarray, above: str, under: str = "") -> str:
    """The curvature of velocity k, and the gait (P, 2) over it; above, under : the gait, what else is drawn."""
    heights = field.curvature[..., k]
    top = float(np.nanpercentile(abs(heights), USUAL)) or 1.0
    share = np.nan_to_num(np.clip(heights / top, -1.0, 1.0))[..., None]
    colors = np.where(share > 0, WHITE + share * (RED - WHITE), WHITE - share * (BLUE - WHITE))
    contours = "".join(line(*on_drawing(field, ends), "#333", 0.9) for ends in zero_contours(field, heights))
    x, y = on_drawing(field, gait)
    title = f"gait over the curvature of {field.base[k]}, up to {number(top)}"
    words = tuple(f"{name}, {unit}" for name, unit in zip(field.names, field.units, strict=True))
    path = line(x, y, "#fff", 3.6) + line(x, y, BODIES[0], 2.0)
    across, up = (ends_of(side) for side in (field.x, field.y))
    return frame(title, cells(colors) + contours + under + path + above, across, up, (words[0], words[1]))


def ends_of(side: np.ndarray) -> tuple[float, float]:
    """Where the field of a drawing ends, whose cells have the shapes of a side in their middles."""
    half = 0.5 * float(side[1] - side[0])
    return float(side[0]) - half, float(side[-1]) + half


def on_drawing(field: ConnectionField, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places of shapes (P, 2) on the drawing, whose cells have the shapes of the field in their middles."""
    half = 0.5 * (field.x[1] - field.x[0]), 0.5 * (field.y[1] - field.y[0])
    x = (points[:, 0] - field.x[0] + half[0]) / (field.x[-1] - field.x[0] + 2 * half[0])
    y = (points[:, 1] - field.y[0] + half[1]) / (field.y[-1] - field.y[0] + 2 * half[1])
    return LEFT + x * (RIGHT - LEFT), BOTTOM - y * (BOTTOM - TOP)


def zero_contours(field: ConnectionField, heights: np.ndarray) -> list[np.ndarray]:
    """Pieces (2, 2) of the zero contours: where heights change sign along the sides of triangles, joined."""
    xs, ys = np.meshgrid(field.x, field.y, indexing="ij")
    found = []
    for i in range(len(field.x) - 1):
        for j in range(len(field.y) - 1):
            for corners in (((i, j), (i + 1, j), (i + 1, j + 1)), ((i, j), (i, j + 1), (i + 1, j + 1))):
                h = np.array([heights[c] for c in corners])
                if not np.isfinite(h).all() or (h > 0).all() or (h <= 0).all():
                    continue
                p = np.array([(xs[c], ys[c]) for c in corners])
                cut = [(a, b) for a, b in ((0, 1), (1, 2), (2, 0)) if (h[a] > 0) != (h[b] > 0)]
                found.append(np.array([p[a] + h[a] / (h[a] - h[b]) * (p[b] - p[a]) for a, b in cut]))
    return found
