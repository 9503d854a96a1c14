"""Which net motions closed paths of shapes can give at all: the holonomy of a connection.

By the theorem of Ambrose and Singer the motions of closed paths from a shape x_0 are a subgroup. Its Lie algebra is spanned by

    Ad(h) F_jk(x)      h : motion along any path from x_0 to x ,   F : curvature                                     (1)

which is computed at many shapes, joined to x_0 by straight lines. A motion that is not in the subgroup is out of reach, however
the shape goes.
"""

from dataclasses import dataclass

import numpy as np

from locomote.brief import brief
from locomote.gaits.local_form import SINGULAR, LocalForm
from locomote.gaits.net_motion import AXES, curvature
from locomote.gaits.path_ordered import Ordered, Panels
from locomote.spatial.groups_arrays import Group

SHAPES = 40  # at which the curvature is taken
STRAIGHT = 6  # panels of a straight line
SMALL = 1e-7  # singular values below this part of the largest count as zero


@brief
@dataclass(frozen=True, eq=False)
class Holonomy:
    """What closed paths can give.

    basis : (rank, n) orthonormal twists that span the Lie algebra (1), at the shape `at` ; sizes : (n,) singular values of (1)
    """

    group: Group
    basis: np.ndarray
    sizes: np.ndarray

    @property
    def rank(self) -> int:
        """How many directions can be reached."""
        return len(self.basis)

    @property
    def all(self) -> bool:
        """Whether every net motion can be reached."""
        return self.rank == self.group.size

    def lacking(self, pose: np.ndarray) -> float:
        """m or rad, how far the logarithm of a motion is from what can be reached."""
        log = self.group.log(pose)
        return float(np.linalg.norm(log - self.basis.T @ (self.basis @ log)))

    def lacking_turn(self, pose: np.ndarray) -> float:
        """rad, how far the turn of a motion is from what can be reached, wherever the base then is."""
        turning = [j for j, a in enumerate(self.group.axes) if a > 2]
        spread = self.basis[:, turning]
        if np.linalg.matrix_rank(spread, 1e-6) == len(turning):
            return 0.0
        log = self.group.log(np.block([[pose[:3, :3], np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]]))[turning]
        return float(np.linalg.norm(log - np.linalg.lstsq(spread.T, log, rcond=1e-9)[0] @ spread)) if len(log) else 0.0

    def __str__(self) -> str:
        if self.all:
            return f"closed paths of shapes reach every motion in {self.group.name}"
        names = [AXES[a] for a in self.group.axes]
        lost = [name for j, name in enumerate(names) if np.linalg.norm(self.basis[:, j]) < 1e-6]
        what = f": none of {', '.join(lost)}" if lost else ""
        return f"closed paths of shapes reach {self.rank} of the {self.group.size} directions of {self.group.name}{what}"


def holonomy(form: LocalForm, at: np.ndarray, spread: float = 0.7, seed: int = 0) -> Holonomy:
    """The holonomy of a connection at the shape `at` (k,); spread : rad or m, of the shapes around it that are looked at."""
    rng, k, n = np.random.default_rng(seed), form.size, form.group.size
    panels = Panels(np.linspace(0.0, 1.0, STRAIGHT + 1))
    found = [np.zeros((0, n))]
    for away in [np.zeros(k), *(spread * rng.normal(size=(SHAPES, k)))]:
        x = at + panels.nodes.reshape(-1, 1) * away
        local, last = form(x), form(at + away)
        if (local.sound < SINGULAR).any() or (last.sound < SINGULAR).any() or len(set(local.side)) > 1:
            continue  # a line through a singular shape carries nothing
        xi = -np.einsum("pnk,k->pn", local.A, away).reshape(*panels.nodes.shape, n)
        carried = form.group.adjoint(Ordered(form.group, panels, xi).pose)
        found.append(curvature(form, last)[0][np.triu_indices(k, 1)] @ carried.T)
    rows = np.concatenate(found)
    _, sizes, axes = np.linalg.svd(rows, full_matrices=False) if len(rows) else (None, np.zeros(n), np.zeros((0, n)))
    return Holonomy(form.group, axes[sizes > SMALL * max(sizes.max(initial=0.0), 1e-300)], sizes)
