"""Net motions of mixed systems: constraints leave the base a momentum, which shape motions build up and carry away.

Along a shape motion x(t), with W the mass matrix, P as of `local_form` (what a momentum adds) and E some axes of the base,

    eta = -A x' + H s ,   H = P E                      body velocity; s : how fast the base goes as constraints let it       (1)
    l = W_gg eta + W_gx x'                             momentum of the whole, body axes                                      (2)
    p = H^T l = E^T P E s                              its part along what constraints leave                                 (3)
    p' = (H')^T l + H^T ad_eta^T l                     reactions have no part in it (Bloch, Krishnaprasad, Marsden, Murray)  (4)

All matrices of all motions and times are evaluated at once; (4) is then stepped by the classical rule of order four, and g' = g
eta by a Magnus expansion of order four, for many motions side by side.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from locomote.gaits.local_form import SINGULAR, Local, LocalForm
from locomote.gaits.path_ordered import structure

AXES_FROM = 24  # random shapes at which axes of the base are chosen
THIN = 1e-3  # of the largest: E^T P E below that no longer says how fast the base goes


@dataclass(frozen=True)
class Drift:
    """Motions of N shape paths.

    poses : (N, S + 1, 4, 4) of the base, from the identity on ; speed : (N, S + 1, m) s of (1)
    local : of all N (2 S + 1) shapes ; sound : (N,) whether constraints decide the motion everywhere
    """

    poses: np.ndarray
    speed: np.ndarray
    local: Local
    sound: np.ndarray


@dataclass(frozen=True)
class Drifting:
    """Net motions with momentum, of a local form."""

    form: LocalForm

    @cached_property
    def axes(self) -> list[int]:
        """Axes E of the base that say how it moves where constraints let it."""
        n, k = self.form.group.size, self.form.size
        found = self.form(0.3 * np.random.default_rng(0).normal(size=(AXES_FROM, k)))
        P = found.P[found.sound > SINGULAR]
        size = P / np.maximum(abs(P).max(axis=(1, 2), keepdims=True), 1e-300)
        chosen: list[int] = []
        for _ in range(n - len(self.form.rows)):
            rest = [j for j in range(n) if j not in chosen]
            chosen.append(
                max(rest, key=lambda j: float(abs(np.linalg.det(size[:, [*chosen, j]][:, :, [*chosen, j]])).min(initial=1.0)))
            )
        return sorted(chosen)

    def along(self, x: np.ndarray, rates: np.ndarray, step: float) -> Drift:
        """Motions from rest along shapes x and rates (N, 2 S + 1, k), every half `step`, s."""
        count, points, k = x.shape
        n, E = self.form.group.size, self.axes
        local = self.form(x.reshape(-1, k))
        flat = rates.reshape(-1, k)
        ad = structure(self.form.group)  # [x, y]_c = S_cab x_a y_b
        carried = -np.einsum("pnk,pk->pn", local.A, flat)
        M, mixed = local.W[:, :n, :n], local.W[:, :n, n:]
        H, dH = local.P[:, :, E], np.einsum("pjab,pj->pab", local.dP, flat)[:, :, E]
        S = H[:, E]  # E^T P E of (3)
        own = np.einsum("pab,pb->pa", M, carried) + np.einsum("pak,pk->pa", mixed, flat)

        def shaped(a: np.ndarray) -> np.ndarray:
            return a.reshape(count, points, *a.shape[1:])

        size = abs(local.P).max(axis=(1, 2))
        good = (local.sound > SINGULAR) & (abs(np.linalg.det(S / size[:, None, None])) > THIN ** len(E))
        inverse = np.linalg.inv(np.where(good[:, None, None], S, np.eye(len(E))))
        H, dH, MH, inverse, carried, own = map(shaped, (H, dH, M @ H, inverse, carried, own))

        def pushed(p: np.ndarray, j: int) -> np.ndarray:
            """(4) at time j."""
            s = np.einsum("tab,tb->ta", inverse[:, j], p)
            eta = carried[:, j] + np.einsum("tab,tb->ta", H[:, j], s)
            momentum = own[:, j] + np.einsum("tab,tb->ta", MH[:, j], s)
            turned = np.einsum("cab,ta,tc->tb", ad, eta, momentum)  # ad^T l
            return np.einsum("tba,tb->ta", dH[:, j], momentum) + np.einsum("tba,tb->ta", H[:, j], turned)

        steps = (points - 1) // 2
        p = np.zeros((count, points, len(E)))
        for j in range(steps):
            a, now = 2 * j, p[:, 2 * j]
            one = pushed(now, a)
            two = pushed(now + 0.5 * step * one, a + 1)
            three = pushed(now + 0.5 * step * two, a + 1)
            four = pushed(now + step * three, a + 2)
            p[:, a + 2] = now + step / 6.0 * (one + 2 * two + 2 * three + four)
            p[:, a + 1] = now + step / 24.0 * (5 * one + 4 * two + 4 * three - four)  # order three, as (g) needs it
        s = np.einsum("tjab,tjb->tja", inverse, p)
        eta = carried + np.einsum("tjab,tjb->tja", H, s)
        first, middle, last = eta[:, 0:-1:2], eta[:, 1::2], eta[:, 2::2]
        cross = np.einsum("cab,tja,tjb->tjc", ad, first, last)
        factors = self.form.group.exp(step / 6.0 * (first + 4 * middle + last) + step**2 / 12.0 * cross)
        poses = np.empty((count, steps + 1, 4, 4))
        poses[:, 0] = now = np.broadcast_to(np.eye(4), (count, 4, 4))
        for j in range(steps):
            poses[:, j + 1] = now = now @ factors[:, j]
        return Drift(
            poses, s[:, ::2], local, good.reshape(count, points).all(axis=1) & np.isfinite(poses[:, -1]).all(axis=(1, 2))
        )
