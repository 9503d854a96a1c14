"""A warning about modal bodies that spin fast without shapes of second order: they get softer where real ones get stiffer."""

import warnings

import numpy as np

from locomote.dynamics.kinematics import velocity
from locomote.model.flexible.modes import Modes
from locomote.runs.trajectory import Trajectory

SHARE = 0.5  # share of the first rate: up to this spin nothing is said
MOST = 200  # samples that are looked at


def warn_of_spin(run: Trajectory) -> None:
    """A RuntimeWarning for each modal body whose spin leaves out too much."""
    model, bodies = run.model, run.model.description.bodies
    for body in bodies:
        if not isinstance(body.flex, Modes) or body.flex.second is not None or not len(run.t):
            continue
        good = np.flatnonzero(np.isfinite(run.q).all(axis=1) & np.isfinite(run.v).all(axis=1))
        some = good[:: max(1, len(good) // MOST)]
        spin = np.linalg.norm(velocity(model, run.q[some], run.v[some], body.name)[..., 3:], axis=-1).max(initial=0.0)
        first = float(body.flex.rates[0])
        if spin > SHARE * first:
            warnings.warn(
                f"modal body {body.name!r} turned with {spin:.3g} rad/s, more than half its first rate ({first:.3g}), and "
                f"has no shapes of second order, which would make it stiffer: it is too soft here; give second=, use "
                f"Modes.stiffened(lines), or a rod",
                RuntimeWarning,
                stacklevel=4,
            )
