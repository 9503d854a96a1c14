"""Connection and curvature over two shape coordinates, as numbers and as a picture.

eta = -A(x) x' + P mu           A the connection; P what a momentum mu of the whole adds, drift                  (1)
F_xy = dA_y/dx - dA_x/dy - [A_x, A_y]      exterior derivative and bracket; a small loop, counter-clockwise,
                                           leaves behind -F_xy times its area                                  (2)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.brief import brief
from locomote.errors import LocomoteError
from locomote.gaits.frames import Frame, best_frame_of
from locomote.gaits.local_form import SINGULAR, Local, LocalForm, local_form
from locomote.gaits.net_motion import brackets

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from locomote.locomotion.problem import Locomotion

SPAN, COUNT = 1.0, 31  # rad or m on each side of zero, and points, where nothing is said


@brief
@dataclass(frozen=True, eq=False)
class ConnectionField:
    """A connection over a grid of two shape coordinates.

    kind : kinematic, mechanical, hydrodynamic, stokes or mixed ; base : names of the n velocities of the base
    x, y : (N,) and (M,) values of the coordinates ; names, units : of the two
    A : (N, M, n, 2) ; exterior, bracket, curvature : (N, M, n), the parts of (2) and their difference
    metric : (N, M, 2, 2) of power or of kinetic energy ; momentum : (N, M, n, n) P of (1)
    missing : why numbers are NaN where they are, in a sentence; empty if none are ; frame : of `best_frame`, else None
    """

    name: str
    kind: str
    x: np.ndarray
    y: np.ndarray
    names: tuple[str, str]
    units: tuple[str, str]
    base: tuple[str, ...]
    A: np.ndarray
    exterior: np.ndarray
    bracket: np.ndarray
    metric: np.ndarray
    momentum: np.ndarray
    missing: str = ""
    frame: Frame | None = None
    form: LocalForm | None = field(default=None, repr=False)

    @property
    def curvature(self) -> np.ndarray:
        """(N, M, n) F of (2)."""
        return self.exterior - self.bracket

    @property
    def box(self) -> np.ndarray:
        """(2, 2) from where to where both coordinates go."""
        return np.array([[self.x[0], self.x[-1]], [self.y[0], self.y[-1]]])

    def best_frame(self, *, degree: int = 18) -> ConnectionField:
        """The field of a frame that moves with the shape, chosen so that the connection is least over the region.

        degree : of the polynomials that the frame is made of; `frame.error` says what four degrees fewer would change
        """
        if self.form is None:
            raise LocomoteError("this field was read without its problem; ask a field of the problem for its best frame")
        if self.missing:
            raise LocomoteError(
                f"the region of this field has shapes where the connection of {self.name!r} is not finite, so that there is no "
                f"best frame over it; take a region without them ({self.missing})"
            )
        frame = best_frame_of(self.form, self.box, degree)
        return field_of(self.name, self.form, self.x, self.y, frame)

    def plot(self, gait: Any = None, *, what: str = "curvature", path=None) -> Figure:
        """Two rows of panels, a column for each velocity of the base: arrows of the connection, and heights of its curvature
        with their zero contours; gaits are drawn over both.

        gait : a lo.gaits.Gait over the two coordinates, or several ; what : "curvature", "exterior" or "bracket"
        """
        from locomote.gaits.plots import plot_field

        return plot_field(self, gait, what, path)

    def _repr_png_(self) -> bytes:
        return self.plot()._repr_png_()  # type: ignore[attr-defined]

    def __getstate__(self):
        return self.__dict__ | {"form": None}  # numbers travel, not the problem that they are found with


def connection_field(problem: Locomotion, region: Mapping[Any, Any], *, modes: Any = None, at: Any = None) -> ConnectionField:
    """The connection and its curvature over two shape coordinates: numbers, and a picture by its `plot`.

    region : two names of joints -> (low, high), (low, high, points), or None for a usual range; rad or m
    modes : name in region -> {joint: weight}, for coordinates that move several joints together
    at : (nq,) configuration, or {joint: value}, where all others stay; the start if None
    """
    if not isinstance(region, Mapping) or len(region) != 2:
        raise ValueError(f"region is {region!r:.80}, expected two shape coordinates, {{joint: (low, high, points), ...}}")
    modes = {} if modes is None else modes
    form = local_form(problem, {name: dict(modes.get(name, {name: 1.0})) for name in region}, at)
    grids = [grid_of(problem, name, given) for name, given in region.items()]
    return field_of(problem.name, form, *grids, None)


def field_of(name: str, form: LocalForm, x: np.ndarray, y: np.ndarray, frame: Frame | None) -> ConnectionField:
    """The field over a grid."""
    places = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    local, lead = form(places), (len(x), len(y))
    A, d = local.A, local.dA
    exterior, bracket = d[:, 0, :, 1] - d[:, 1, :, 0], brackets(form.group, A)[:, 0, 1]
    if frame is not None:
        A, F = frame.seen(places, A, exterior - bracket)
        bracket = brackets(form.group, A)[:, 0, 1]
        exterior = F + bracket
    bad = ~(local.sound > SINGULAR)
    numbers = [
        np.where(bad.reshape(-1, *[1] * (array.ndim - 1)), np.nan, array) for array in (A, exterior, bracket, local.G, local.P)
    ]
    shaped = [array.reshape(*lead, *array.shape[1:]) for array in numbers]
    made, missing = form.coordinates, singular_words(form, places, local, lead)
    names, units = (made.names[0], made.names[1]), (made.units[0], made.units[1])
    return ConnectionField(name, form.kind, x, y, names, units, base_names(form), *shaped, missing, frame, form)


def singular_words(form: LocalForm, places: np.ndarray, local: Local, lead: tuple[int, int]) -> str:
    """Where constraints do not decide, in a sentence; also where the region lies on both sides of such shapes."""
    bad, side = ~(local.sound > SINGULAR), local.side.reshape(lead)
    crossed = (np.diff(side, axis=0) != 0).any() or (np.diff(side, axis=1) != 0).any()
    if not bad.any() and not crossed:
        return ""
    place = places[int(np.argmax(bad))] if bad.any() else places[int(np.argmin(local.sound))]
    words = ", ".join(f"{name} = {value:.3g}" for name, value in zip(form.coordinates.names, place, strict=True))
    return f"constraints of {form.problem.name!r} do not decide its motion at singular shapes of this region, as near {words}"


def base_names(form: LocalForm) -> tuple[str, ...]:
    """Names of the velocities of the base."""
    slots = {slot.index: slot for slot in form.problem.model.layout() if slot.vector == "v"}
    return tuple(f"{slots[int(k)].joint}.{slots[int(k)].name}" for k in form.base)


def grid_of(problem: Locomotion, name: Any, given: Any) -> np.ndarray:
    """Values of a coordinate."""
    if given is None:
        low, high = -SPAN, SPAN
        if isinstance(name, str) and name in problem.model.joint_names:
            joint = problem.model.joint(name).joint
            low, high = max(low, float(np.min(joint.lower))), min(high, float(np.max(joint.upper)))
        given = (low, high)
    try:
        low, high, *more = (float(value) for value in given)
    except (TypeError, ValueError):
        raise ValueError(f"the range of {name!r} is {given!r:.60}, expected (low, high) or (low, high, points)") from None
    count = more[0] if more else COUNT
    if not (np.isfinite([low, high]).all() and low < high):
        raise ValueError(f"the range of {name!r} must go from a number to a larger one, not from {low:g} to {high:g}")
    if len(more) > 1 or count != int(count) or count < 2:
        raise ValueError(f"the range of {name!r} is {given!r:.60}, expected (low, high, points) with two points or more")
    return np.linspace(low, high, int(count))
