"""Connection and curvature over two shape coordinates, as numbers and as a picture.

eta = -A(r) r'      arrows: the change of shape that moves the base fastest along one of its velocities, -A_x and -A_y
F_xy                colours: a small loop in shape, counter-clockwise, leaves behind -F_xy times its area
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.brief import brief
from locomote.errors import LocomoteError
from locomote.runs.optional import package

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from locomote.locomotion.problem import Locomotion

SPAN = 1.0  # rad or m, on each side of zero, where nothing is said


@brief
@dataclass(frozen=True, eq=False)
class ConnectionField:
    """A connection over a grid of two shape coordinates.

    x, y : (n,) and (m,) values of the coordinates, named and with units in `labels`
    A : (n, m, k, 2) of the k velocities of the base, over the two coordinates ; curvature : (n, m, k)
    kind : of most places: kinematic, mechanical or mixed
    base : names of the velocities of the base ; missing : why curvature is missing where it is NaN
    """

    name: str
    kind: str
    x: np.ndarray
    y: np.ndarray
    labels: tuple[str, str]
    base: tuple[str, ...]
    A: np.ndarray
    curvature: np.ndarray
    missing: str = ""

    def plot(self, *, path=None) -> Figure:
        """A panel for each velocity of the base: arrows of the connection over the heights of its curvature."""
        package("matplotlib", "plotting", "'locomote[view]'")
        from locomote.runs.picture import Picture
        from locomote.runs.plots import HEADING, INK, dress, written

        count = len(self.base)
        figure = Picture(figsize=(4.6 * count + 0.4, 4.4), layout="constrained")
        words = f"{self.name}: {self.kind} connection, and its curvature as colour"
        figure.suptitle(f"{words}; {self.missing}" if self.missing else words, fontsize=11, color=INK, x=0.012, ha="left")
        step = max(1, len(self.x) // 15), max(1, len(self.y) // 15)
        for k, name in enumerate(self.base):
            axes = figure.add_subplot(1, count, k + 1)
            dress(axes)
            axes.grid(False)
            axes.set_title(name, **HEADING)
            finite = self.curvature[..., k][np.isfinite(self.curvature[..., k])]
            if len(finite):
                top = float(np.percentile(abs(finite), 98)) or 1.0
                colors = axes.pcolormesh(
                    self.x, self.y, self.curvature[..., k].T, cmap="RdBu_r", vmin=-top, vmax=top, shading="nearest"
                )
                bar = figure.colorbar(colors, ax=axes, pad=0.02)
                bar.set_label("curvature", fontsize=9, color=INK)
                bar.ax.tick_params(labelsize=8, colors=INK)
            arrows = -self.A[:: step[0], :: step[1], k]
            axes.quiver(self.x[:: step[0]], self.y[:: step[1]], arrows[..., 0].T, arrows[..., 1].T, color=INK, width=0.004)
            axes.set(xlabel=self.labels[0], ylabel=self.labels[1])
        return written(figure, path)

    def _repr_png_(self) -> bytes:
        return self.plot()._repr_png_()  # type: ignore[attr-defined]


def connection_field(
    problem: Locomotion, x: str, y: str, *, ranges=None, count: int = 31, q=None, t: float = 0.0
) -> ConnectionField:
    """The connection and its curvature over two shape coordinates: numbers, and a picture by its `plot`.

    x, y : names of joints with one coordinate ; ranges : from where to where of each, rad or m; within 1 of zero if None
    count : points of each ; q : (nq,) where all others stay; the start if None
    """
    model = problem.model
    if x == y:
        raise ValueError(f"a field needs two joints, not {x!r} twice")
    joints = [model.joint(name) for name in (x, y)]
    for joint in joints:
        if joint.v.stop - joint.v.start != 1:
            raise ValueError(
                f"joint {joint.name!r} has {joint.v.stop - joint.v.start} coordinates; a field needs joints with one"
            )
    if not isinstance(count, int) or count < 2:
        raise ValueError(f"count is {count!r}, expected an integer from 2")
    if ranges is not None and (not isinstance(ranges, (list, tuple, np.ndarray)) or len(ranges) != 2):
        raise ValueError(f"ranges is {ranges!r:.60}, expected a pair (low, high) for each of the two joints")
    limits = [range_of(joint, given) for joint, given in zip(joints, (None, None) if ranges is None else ranges, strict=True)]
    grids = [np.linspace(low, high, count) for low, high in limits]
    start = problem.initial()[0] if q is None else model.checked_q(q)
    first = problem.connection(start, t)
    shape = list(first.shape)
    if any(joint.v.start not in shape for joint in joints):
        raise ValueError(f"{x!r} and {y!r} must be joints of the shape, not of the base")
    columns = [shape.index(joint.v.start) for joint in joints]
    A = np.full((count, count, len(first.base), 2), np.nan)
    F, missing = np.full((count, count, len(first.base)), np.nan), ""
    kinds: Counter[str] = Counter()
    for i, a in enumerate(grids[0]):
        for j, b in enumerate(grids[1]):
            place = np.array(start, dtype=float)
            place[joints[0].q], place[joints[1].q] = a, b
            try:
                found = problem.connection(place, t)
            except (LocomoteError, ArithmeticError) as error:
                missing = str(error)
                continue
            if len(found.base) == len(first.base):
                A[i, j] = found.A[:, columns]
                kinds[found.kind] += 1
                missing = missing or found.missing
                if not found.missing:
                    F[i, j] = found.curvature[columns[0], columns[1]]
    slots = {slot.index: slot for slot in model.layout() if slot.vector == "v"}
    units = {slot.index: slot.unit for slot in model.layout() if slot.vector == "q"}
    labels: Any = tuple(f"{joint.name}, {units[joint.q.start]}" for joint in joints)
    base = tuple(f"{slots[int(k)].joint}.{slots[int(k)].name}" for k in first.base)
    return ConnectionField(
        problem.name, kinds.most_common(1)[0][0] if kinds else first.kind, grids[0], grids[1], labels, base, A, F, missing
    )


def range_of(joint, given) -> tuple[float, float]:
    """From where to where a coordinate is drawn: as given, else within its limits, at most a little on each side of zero."""
    if given is None:
        low, high = float(np.min(joint.joint.lower)), float(np.max(joint.joint.upper))
        return (max(low, -SPAN), min(high, SPAN)) if max(low, -SPAN) < min(high, SPAN) else (low, high)
    try:
        low, high = (float(value) for value in given)
    except (TypeError, ValueError):
        raise ValueError(f"the range of {joint.name!r} must be two numbers, not {given!r:.60}") from None
    if not (np.isfinite([low, high]).all() and low < high):
        raise ValueError(f"the range of {joint.name!r} must go from a number to a larger one, not from {low:g} to {high:g}")
    return low, high
