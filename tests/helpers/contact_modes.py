"""Coulomb's law at one instant by trying all ways of all contacts, and random mechanisms that touch, in a formulation of
their own: masses, rows and drift come from `reference`, which shares no code with the library."""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from helpers.reference import Reference
from scipy.optimize import brentq, root

import locomote as lo

GRID = 96  # directions of slip that are looked at


@dataclass
class Instant:
    """M (n, n), rows J (c, 3, n) along t1, t2, n, b (c, 3) without contacts, friction (c,), slip (c, 2), NaN at rest."""

    M: np.ndarray
    J: np.ndarray
    b: np.ndarray
    mu: np.ndarray
    slip: np.ndarray

    @property
    def scale(self):
        return 1.0 + abs(self.b).max()

    def solved(self, ways):
        """(acceleration, forces (c, 3)) for ways "open", "stick" or a direction (2,); None if there are none."""
        rows, pushes, owners = [], [], []
        for c, way in enumerate(ways):
            if isinstance(way, str) and way == "stick":
                rows += list(self.J[c])
                pushes += list(self.J[c])
                owners += [(c, e) for e in np.eye(3)]
            elif not isinstance(way, str):
                push = np.array([-self.mu[c] * way[0], -self.mu[c] * way[1], 1.0])
                rows.append(self.J[c, 2])
                pushes.append(push @ self.J[c])
                owners.append((c, push))
        forces = np.zeros(self.b.shape)
        if not rows:
            return np.zeros(len(self.M)), forces
        inverse = np.linalg.inv(self.M)
        target = -np.array([self.b[c] @ (e if isinstance(ways[c], str) else (0, 0, 1.0)) for c, e in owners])
        K = np.array(rows) @ inverse @ np.array(pushes).T
        x = np.linalg.lstsq(K, target, rcond=1e-11)[0]
        if abs(K @ x - target).max() > 1e-9 * self.scale:
            return None
        for (c, e), size in zip(owners, x, strict=True):
            forces[c] += size * e
        return inverse @ np.array(pushes).T @ x, forces

    def allowed(self, ways, a, forces, tolerance=1e-9):
        """Whether signs and cones are right."""
        small = tolerance * self.scale
        for c, way in enumerate(ways):
            u = self.J[c] @ a + self.b[c]
            if isinstance(way, str) and way == "open":
                good = u[2] >= -small
            elif isinstance(way, str):
                good = forces[c, 2] >= -small and np.hypot(*forces[c, :2]) <= self.mu[c] * forces[c, 2] + small
            else:
                along = u[:2] @ way >= -small and abs(u[0] * way[1] - u[1] * way[0]) <= 10 * small
                good = forces[c, 2] >= -small and (along or not np.isnan(self.slip[c, 0]) or self.mu[c] == 0.0)
            if not good:
                return False
        return True

    def planar(self):
        """All accelerations, of contacts whose t2 does not move."""
        choices = [
            ["open", np.array(s)] if not np.isnan(s[0]) else ["open", "stick", np.array([1.0, 0.0]), np.array([-1.0, 0.0])]
            for s in self.slip
        ]
        return self.distinct(product(*choices))

    def spatial(self):
        """All accelerations: directions in which what rests starts to slip are found on a grid, and by roots from there."""
        found = []
        base = [["open", np.array(s)] if not np.isnan(s[0]) else ["open", "stick", None] for s in self.slip]
        for ways in product(*base):
            free = [c for c, way in enumerate(ways) if way is None]
            found += [self.with_angles(ways, free, x) for x in self.directions(ways, free)] if free else [ways]
        return self.distinct(found)

    def with_angles(self, ways, free, angles):
        ways = list(ways)
        for c, angle in zip(free, angles, strict=True):
            ways[c] = np.array([np.cos(angle), np.sin(angle)])
        return ways

    def directions(self, ways, free):
        """Angles at which every contact that starts to slip accelerates along its direction."""

        def across(angles):
            chosen = self.with_angles(ways, free, angles)
            solved = self.solved(chosen)
            if solved is None:
                return np.full(len(free), 1e3)
            u = [self.J[c] @ solved[0] + self.b[c] for c in free]
            return np.array([x[1] * np.cos(s) - x[0] * np.sin(s) for x, s in zip(u, angles, strict=True)])

        if len(free) == 1:
            grid = np.linspace(0.0, 2.0 * np.pi, GRID + 1)
            values = [across([s])[0] for s in grid]
            pairs = zip(grid[:-1], grid[1:], values[:-1], values[1:], strict=True)
            return [[brentq(lambda s: across([s])[0], a, b, xtol=1e-15)] for a, b, f, g in pairs if f * g <= 0.0 and f != g]
        starts = product(2.0 * np.pi * np.arange(6) / 6, repeat=len(free))
        tries = (root(across, start, tol=1e-13) for start in starts)
        return [x.x for x in tries if abs(across(x.x)).max() < 1e-10 * self.scale]

    def distinct(self, ways_of):
        found = []
        for ways in ways_of:
            solved = self.solved(ways)
            if solved is None or not self.allowed(ways, *solved):
                continue
            if not any(abs(solved[0] - other).max() < 1e-6 * (1.0 + abs(other).max()) for other in found):
                found.append(solved[0])
        return found


def random_mechanism(rng, planar):
    """A base with links, in the plane x-z or in space."""
    builder = lo.Builder("robot", base="fixed" if planar else "free")
    names = ["trunk"]
    if planar:
        light = lo.Inertia(1e-3, moment=1e-3 * np.eye(3))
        builder.body("along", joint=lo.Joint("x", "prismatic", axis="x"), inertia=light)
        builder.body("up", parent="along", joint=lo.Joint("z", "prismatic", axis="z"), inertia=light)
        builder.body("trunk", parent="up", joint=lo.Joint("turn", axis="y"), inertia=inertia(rng))
    else:
        builder.body("trunk", inertia=inertia(rng))
    for k in range(rng.integers(0, 3)):
        axis = "y" if planar else tuple(rng.normal(size=3))
        at = rng.normal(size=3) * (0.3, 0.0 if planar else 0.3, 0.3)
        builder.body(f"link{k}", parent=names[-1], at=tuple(at), joint=lo.Joint(f"joint{k}", axis=axis), inertia=inertia(rng))
        names.append(f"link{k}")
    return builder.build(), names


def inertia(rng):
    """Of a plate, so that friction can jam it."""
    m = rng.uniform(0.2, 2.0)
    return lo.Inertia(
        m, tuple(0.1 * rng.normal(size=3) * (1, 0, 1)), moment=m * rng.uniform(0.003, 0.1) * np.diag([1.0, 1.2, 1.0])
    )


def touching_problem(seed, planar, restitution=None):
    """A problem that touches grounds of its own at random points: (problem, q, v, acceleration without contacts, Instant).

    The state has no hits, unless there is a restitution; the Instant is then of velocities, with a gap between bodies and
    grounds that v shuts.
    """
    rng = np.random.default_rng([seed, planar])
    model, names = random_mechanism(rng, planar)
    reference = Reference(model.description)
    q = model.neutral() if not planar else rng.normal(size=model.nq)
    if not planar:
        q = model.integrate(q, rng.normal(size=model.nv))
    count = int(rng.integers(1, 4 if planar else 3))
    still = reference.at(q)
    bodies = [names[int(rng.integers(len(names)))] for _ in range(count)]
    points = [0.3 * rng.normal(size=3) * (1.0, 0.0 if planar else 1.0, 1.0) for _ in range(count)]
    normals = [unit(rng.normal(size=3) * (0.7, 0.0 if planar else 0.7, 0.3) + (0, 0, 1.0)) for _ in range(count)]
    axes = []
    for n in normals:
        t = unit(np.cross((0.0, 1.0, 0.0), n))
        axes.append(np.array([t, np.cross(n, t), n]))
    J = np.array([E @ still.jacobian(b, p, "world_aligned")[:3] for b, p, E in zip(bodies, points, axes, strict=True)])
    resting = rng.random(count) < 0.5
    held = np.concatenate([J[:, 2], *[J[c, :2] for c in np.flatnonzero(resting)]])
    _, values, right = np.linalg.svd(held)
    v = right[int((values > 1e-9 * values[0]).sum()) :].T
    v = v @ rng.normal(size=v.shape[1]) if restitution is None else rng.normal(size=len(right))
    mu = rng.uniform(0.0, 1.2, count)
    touches = []
    for c in range(count):
        place = (still.pose(bodies[c]) @ [*points[c], 1.0])[:3]
        ground = lo.Ground(lo.Plane(tuple(place), tuple(normals[c])), friction=float(mu[c]), restitution=restitution or 0.0)
        touches.append(lo.Touch(bodies[c], ground, points=[tuple(points[c])], name=f"touch{c}"))
    tau = 3.0 * rng.normal(size=model.nv)
    problem = lo.Locomotion(model, contacts=touches, torques=lambda t, q, v: tau)
    moving = reference.at(q, v)
    if restitution is not None:
        return problem, q, v, None, Instant(moving.mass_matrix(), J, J @ v, mu, np.full((count, 2), np.nan))
    a = np.linalg.solve(moving.mass_matrix(), tau - moving.inverse_dynamics())
    drift = [E @ moving.jacobian_rate(b, p, "world_aligned")[:3] @ v for b, p, E in zip(bodies, points, axes, strict=True)]
    u = J @ v
    speed = np.hypot(u[:, 0], u[:, 1])
    slip = np.where(speed[:, None] > 1e-6, u[:, :2] / np.maximum(speed, 1e-6)[:, None], np.nan)
    return problem, q, v, a, Instant(moving.mass_matrix(), J, J @ a + np.array(drift), mu, slip)


def hit(instant, v, planar, restitution, rebound=0.05):
    """The change of velocity by hits that make no energy, None where the law has none or several, and whether they bounce
    less for that."""
    before = instant.b
    bounce = np.where(before[:, 2] < -rebound, restitution * before[:, 2], 0.0)

    def change(s):
        own = replace(instant, b=before + s * np.stack([0 * bounce, 0 * bounce, bounce], axis=1))
        found = own.planar() if planar else own.spatial()
        return found[0] if len(found) == 1 else np.full(len(v), np.nan)

    def made(s):
        dv = change(s)
        return dv @ instant.M @ (v + 0.5 * dv)

    if not made(1.0) > 1e-12 * (1.0 + v @ instant.M @ v):
        return (change(1.0) if np.isfinite(made(1.0)) else None), False
    parts = [made(s) for s in np.linspace(0.0, 1.0, 9)]
    if not np.isfinite(parts).all():
        return None, True
    return change(brentq(made, 0.0, 1.0, xtol=1e-15)), True


def unit(x):
    return np.asarray(x) / np.linalg.norm(x)
