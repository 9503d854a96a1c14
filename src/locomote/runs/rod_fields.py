"""Strain and stress along a rod over a run: recovered from the coordinates, and drawn over X and time."""

from typing import NamedTuple

import numpy as np

from locomote.dynamics.sections import sections
from locomote.errors import UnknownName
from locomote.model.rods import STRAINS, Rod
from locomote.runs.optional import package
from locomote.runs.trajectory import Trajectory

UNITS = ("", "", "", "1/m", "1/m", "1/m")
STRESSES = ("axial force, N", "shear force y, N", "shear force z, N", "torque, N m", "moment y, N m", "moment z, N m")


class RodFields(NamedTuple):
    """What a rod does over a run, at the middles of its steps.

    body : its name ; t : (n,) s ; along : (k,) X, m ; places : (n, k, 3) of the ends of the steps in the world, m
    strains : (n, k, 6) less those without load ; stresses : (n, k, 6) forces (N) and moments (N m) of elasticity and damping in
        the axes of the section; both in the order of the six strains
    changing : which of the six may change
    """

    body: str
    t: np.ndarray
    along: np.ndarray
    places: np.ndarray
    strains: np.ndarray
    stresses: np.ndarray
    changing: tuple[str, ...]

    def plot(self, *, path=None):
        """A row for each strain that may change: strain and stress over X and time."""
        package("matplotlib", "plotting", "'locomote[view]'")
        from locomote.runs.picture import Picture
        from locomote.runs.plots import HEADING, INK, dress, written

        figure = Picture(figsize=(10.0, 2.9 * len(self.changing) + 0.5), layout="constrained")
        figure.suptitle(f"rod {self.body}: strain and stress along it", fontsize=11, color=INK, x=0.012, ha="left")
        for row, name in enumerate(self.changing):
            c = STRAINS.index(name)
            named = f"{name.replace('_', ' ')}, {UNITS[c]}".rstrip(", ")
            for column, (values, title) in enumerate(((self.strains, named), (self.stresses, STRESSES[c]))):
                axes = figure.add_subplot(len(self.changing), 2, 2 * row + column + 1)
                dress(axes)
                axes.grid(False)
                axes.set_title(title, **HEADING)
                top = float(abs(values[..., c]).max()) or 1.0
                colors = axes.pcolormesh(
                    self.t, self.along, values[..., c].T, cmap="RdBu_r", vmin=-top, vmax=top, shading="nearest"
                )
                bar = figure.colorbar(colors, ax=axes, pad=0.02)
                bar.ax.tick_params(labelsize=8, colors=INK)
                axes.set(xlabel="t, s", ylabel="X, m")
        return written(figure, path)


def rod_fields(run: Trajectory, body: str) -> RodFields:
    """Strain and stress along a rod at all samples of a run; `.plot()` draws them over X and time.

    Stress is that of the material, H (strain + damping * rate of strain); laws and actuators inside the rod are not in it. For
    the wrench that sections pass on in all, see `section_forces`.
    """
    model = run.model.unfolded
    rods = {b.name: b.flex for b in model.description.bodies if isinstance(b.flex, Rod)}
    if not isinstance(body, str) or body not in rods:
        raise UnknownName("rod", body, rods, f"model {model.name!r}")
    rod, part = rods[body], model.joint(body)
    q = np.array(run.q, dtype=float)
    ahead = q.copy()
    ahead[:, part.q] += run.v[:, part.v]  # strains are linear in the coordinates: their difference is their rate
    here, late = sections(model, q, body), sections(model, ahead, body)
    middles = here.along - 0.5 * np.diff(here.along, prepend=0.0)
    rest = np.array([rod.rest_at(x) for x in middles])
    stiff = np.array([rod.stiffness_at(x) for x in middles])
    loss = np.array([float(rod.material_at(x).damping) for x in middles])[:, None]
    changed = here.strains - rest
    stresses = stiff * (changed + loss * (late.strains - here.strains))
    return RodFields(body, np.array(run.t), middles, here.poses[..., :3, 3], changed, stresses, rod.active)
