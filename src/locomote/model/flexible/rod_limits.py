"""What no rod can do: turn by more than half a turn from one station to the next, or be pressed through zero length.

Omega = h/2 (x1 + x2) + kappa [x1, x2] of a step (`kernels.flexible.shape`) must turn by less than pi, and the stretch of x1 and
x2 be positive. A bound of both that is linear in the sizes of the coordinates is looked at first.
"""

from math import ceil, pi

import numpy as np

from locomote.model.flexible.rod_packing import PackedRod

BEYOND = 1e4  # rad: what turns by more is no rod with too few nodes
SURELY = 2.2  # rad: what turns by less than that from the first term of Omega turns by less than pi, 2.2 + sqrt(3)/12 2.2^2
ABSURD = 10.0  # times what is possible: more is hardly meant


class RodLimits:
    """Limits of the rods of a model, by name of the body, with the place of their coordinates in q."""

    def __init__(self, rods: dict[str, tuple[PackedRod, int]], nq: int):
        self.rods = rods
        bounds, self.room = [], []
        for rod, start in rods.values():
            size = abs(rod.basis).max(axis=1)  # (stations, coordinates)
            turn, press = np.zeros((2, nq))
            part, bends = slice(start, start + len(rod.names)), rod.components >= 3
            turn[part] = np.where(bends, (rod.steps[:, None] * size).max(axis=0), 0.0)
            press[part] = np.where(rod.components == 0, size.max(axis=0), 0.0)
            own = np.linalg.norm(rod.strain[:, :, 3:], axis=2).max(axis=1) * rod.steps
            bounds += [turn, press]
            self.room += [SURELY - own.max(initial=0.0), 0.99 * rod.strain[:, :, 0].min(initial=1.0)]
        self.bounds, self.room = np.array(bounds).T, np.array(self.room)

    def why_not(self, q: np.ndarray, near: float = 1.0, advice: bool = True) -> str:
        """A sentence about the worst of all states (N, nq) if it is not possible, or nearly so; empty if all are.

        advice : say what would help a rod that is meant to get there
        """
        if not self.rods:
            return ""
        far = (abs(q[:, : len(self.bounds)]) @ self.bounds > self.room).any(axis=1)
        if not far.any():
            return ""
        for name, (rod, start) in self.rods.items():
            fact, help_ = why_not(rod, name, q[far, start : start + len(rod.names)], near)
            if fact:
                return f"{fact}: {help_}" if advice else fact
        return ""


def why_not(rod: PackedRod, name: str, r: np.ndarray, near: float) -> tuple[str, str]:
    """Where and how far a rod, with coordinates (N, n), is beyond a share of what it can do, and what to do; empty if not."""
    x = np.repeat(rod.strain[None], len(r), axis=0)  # (N, stations, 2, 6)
    for c in np.unique(rod.components):
        own = rod.components == c
        x[..., c] += (r[:, own] @ rod.basis[:, :, own].reshape(-1, own.sum()).T).reshape(x.shape[:3])
    w, h, places = x[..., 3:], rod.steps[:, None], rod.places
    omega = 0.5 * h * (w[..., 0, :] + w[..., 1, :]) + np.sqrt(3.0) / 12.0 * h**2 * np.cross(w[..., 0, :], w[..., 1, :])
    turn, stretch = np.linalg.norm(omega, axis=-1), x[..., 0].min(axis=-1)
    (n, k), (low_n, low) = (np.unravel_index(at, turn.shape) for at in (np.argmax(turn), np.argmin(stretch)))
    turn, stretch = turn[n], stretch[low_n]
    turns = f"rod {name!r} turns by {turn[k]:.3g} rad between X = {places[k] - rod.steps[k]:.3g} and {places[k]:.3g} m"
    if not turn[k] <= BEYOND:
        return f"{turns}, more than any number of nodes is good for", "if a motion brought it there, it grew without bound"
    if turn[k] > near * pi:
        doubt = "is it meant to bend that far? If so, " if turn[k] > ABSURD * pi else ""
        enough = ceil(len(places) * 1.2 * turn[k] / pi) + 1
        return f"{turns}, at most pi is possible", f"{doubt}give it nodes={enough} or more"
    if stretch[low] <= 1.0 - near:
        fact = f"rod {name!r} is pressed through zero length at X = {places[low]:.3g} m (stretch {stretch[low]:.3g} of 1)"
        return fact, "it is too soft for this load, or the order of its stretch is too high for its nodes"
    return "", ""
