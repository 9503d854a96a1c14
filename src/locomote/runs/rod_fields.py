"""Strain, stress, and what holds and pushes a rod, along it over a run: recovered from coordinates, reactions and contacts,
drawn over X and time."""

from typing import NamedTuple

import numpy as np

from locomote.constraints.keel import KeelRows
from locomote.dynamics.kinematics import forward_kinematics
from locomote.dynamics.sections import sections
from locomote.errors import UnknownName
from locomote.model.flexible.rods import STRAINS, Rod
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
        rows = []
        for name in self.changing:
            c = STRAINS.index(name)
            named = f"{name.replace('_', ' ')}, {UNITS[c]}".rstrip(", ")
            rows.append([(named, self.strains[..., c]), (STRESSES[c], self.stresses[..., c])])
        return drawn(f"rod {self.body}: strain and stress along it", self.t, self.along, rows, path)


class ReactionField(NamedTuple):
    """The force per length by which a keel holds a rod, over a run.

    constraint, body : names of the keel and of the rod ; t : (n,) s ; along : (k,) X, m ; shares : (k,) lengths that they stand
        for, m ; force : (n, k) along the held direction, N/m
    """

    constraint: str
    body: str
    t: np.ndarray
    along: np.ndarray
    shares: np.ndarray
    force: np.ndarray

    def plot(self, *, path=None):
        """The force over X and time."""
        rows = [[("force, N/m", self.force)]]
        return drawn(f"{self.constraint}: what holds rod {self.body}", self.t, self.along, rows, path)


class ContactField(NamedTuple):
    """The force per length by which the ground pushes a rod, over a run.

    touch, body : names of the touch and of the rod ; t : (n,) s ; along : (k,) X, m ; shares : (k,) lengths that they stand
        for, m ; force : (n, k, 3) in the world, N/m: means over the step that ends with a sample
    """

    touch: str
    body: str
    t: np.ndarray
    along: np.ndarray
    shares: np.ndarray
    force: np.ndarray

    def plot(self, *, path=None):
        """Its components over X and time."""
        rows = [[(f"force {axis}, N/m", self.force[..., k])] for k, axis in enumerate("xyz")]
        return drawn(f"{self.touch}: what pushes rod {self.body}", self.t, self.along, rows, path)


def drawn(title: str, t: np.ndarray, along: np.ndarray, rows, path):
    """Rows of fields (name, (n, k) values) over X and time."""
    package("matplotlib", "plotting", "'locomote[view]'")
    from locomote.runs.picture import Picture
    from locomote.runs.plots import HEADING, INK, dress, written

    figure = Picture(figsize=(10.0, 2.9 * len(rows) + 0.5), layout="constrained")
    figure.suptitle(title, fontsize=11, color=INK, x=0.012, ha="left")
    for row, fields in enumerate(rows):
        for column, (name, values) in enumerate(fields):
            axes = figure.add_subplot(len(rows), len(fields), len(fields) * row + column + 1)
            dress(axes)
            axes.grid(False)
            axes.set_title(name, **HEADING)
            top = float(abs(values).max()) or 1.0
            colors = axes.pcolormesh(t, along, values.T, cmap="RdBu_r", vmin=-top, vmax=top, shading="nearest")
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
    loss = np.array([rod.damping_at(x) for x in middles])
    changed = here.strains - rest
    stresses = stiff * (changed + loss * (late.strains - here.strains))
    return RodFields(body, np.array(run.t), middles, here.poses[..., :3, 3], changed, stresses, rod.active)


def reaction_field(run: Trajectory, name: str) -> ReactionField:
    """The force per length by which the keel `name` holds its rod, at all samples of a run; `.plot()` draws it.

    Where the bending of the rod is imposed, many forces would do: this is the one of the reactions of the run, the least in the
    mean square.
    """
    if run.problem is None:
        raise ValueError("the run does not know its problem, and so not its keels")
    first, keels = 0, {}
    for c in run.problem.constraints:
        if isinstance(c, KeelRows):
            keels[c.title] = c, slice(first, first + len(c.labels))
        first += len(c.labels)
    if not isinstance(name, str) or name not in keels:
        raise UnknownName("keel", name, keels, f"problem {run.problem.name!r}")
    (keel, rows), model = keels[name], run.problem.model
    poses = forward_kinematics(model, run.q)
    own = poses[:, [model.body_index(str(section)) for section in keel.bodies]]
    force = keel.densities(own[..., :3, :3], own[..., :3, 3], poses[:, model.body_index(keel.body)], run.reactions[:, rows])
    return ReactionField(name, keel.body, np.array(run.t), np.array(keel.sections), np.array(keel.shares), force)


def contact_field(run: Trajectory, name: str) -> ContactField:
    """The force per length by which the ground pushes a rod along the touch `name`, at all samples; `.plot()` draws it.

    With friction, or with more sections than the rod can lift one by one, loads are shared in many ways: these are those of the
    run.
    """
    if run.problem is None:
        raise ValueError("the run does not know its problem, and so not what may touch")
    stretches = {stretch.title: stretch for stretch in run.problem.stretches}
    if not isinstance(name, str) or name not in stretches:
        raise UnknownName("touch along a rod", name, stretches, f"problem {run.problem.name!r}")
    stretch, names = stretches[name], run.contact_labels
    places = [f"{name}.{k}" for k in range(len(stretch.sections))]
    own = np.array([[n == place or n.startswith(f"{place}.") for n in names] for place in places], dtype=float)
    along, shares = np.array(stretch.sections), np.array(stretch.shares)
    force = np.einsum("kc,nci->nki", own, run.contact_forces) / shares[:, None]
    return ContactField(name, stretch.rod, np.array(run.t), along, shares, force)
