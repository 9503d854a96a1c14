"""The slow second formulation of `reference`, for trees with rods: products of matrix exponentials and point masses.

A rod is a chain of steps between Gauss-Legendre nodes (and wherever something hangs). A step is the exponential of the 4x4
matrix of Magnus' method of order 4, summed as a power series of jets, so that all derivatives follow from Leibniz' rule; a
section is six point masses. Legendre polynomials by their recursion. Nothing of the library's rods is used.
"""

from dataclasses import dataclass, field
from math import pi, sqrt

import numpy as np
from reference import Jet, Reference, Snapshot, hat

NAMES = ("stretch", "shear_y", "shear_z", "torsion", "bending_y", "bending_z")
TERMS = 30  # of the power series


def legendre(degree, x):
    """P_degree(x) by Bonnet's recursion."""
    before, now = 1.0, x
    if degree == 0:
        return before
    for n in range(1, degree):
        before, now = now, ((2 * n + 1) * x * now - n * before) / (n + 1)
    return now


def nodes_of(count, length):
    """Gauss-Legendre nodes and weights on (0, length), by Newton's method."""
    x = np.cos(pi * (np.arange(count, 0, -1) - 0.25) / (count + 0.5))
    for _ in range(100):
        p, p1 = legendre(count, x), legendre(count - 1, x)
        slope = count * (p1 - x * p) / (1 - x * x)
        x = x - p / slope
    slope = count * (legendre(count - 1, x) - x * legendre(count, x)) / (1 - x * x)
    return 0.5 * length * (x + 1), length / ((1 - x * x) * slope**2)


@dataclass
class Chain:
    """Places of a rod, and the mass of each."""

    rod: object
    attached: list
    shapes: list = field(default_factory=list)

    def __post_init__(self):
        rod, L = self.rod, self.rod.length
        self.shapes = [(NAMES.index(name), k) for name in rod.active for k in range(rod.order_of(name) + 1)]
        highest = max(k for _, k in self.shapes)
        nodes, weights = nodes_of(rod.nodes or max(8, highest + 4), L)
        spots = dict.fromkeys(nodes)
        for x in (*self.attached, L):
            if min(abs(s - x) for s in spots) > 1e-12 * L:
                spots[x] = None
        self.places = sorted(spots)
        self.masses = {x: w * rod.material_at(x).density * rod.section_at(x).area for x, w in zip(nodes, weights, strict=True)}

    def strain(self, x, r, v, a, rows, nv):
        """Jet of the 4x4 matrix of the strain at x."""
        s = 2 * x / self.rod.length - 1
        g, t, tt, k = hat(self.rod.rest_at(x)).astype(complex), 0j * np.eye(4), 0j * np.eye(4), np.zeros((nv, 4, 4), complex)
        for n, (c, degree) in enumerate(self.shapes):
            E = legendre(degree, s) * hat(np.eye(6)[c])
            g, t, tt = g + E * r[n], t + E * v[n], tt + E * a[n]
            k = k + rows[n][:, None, None] * E
        return Jet(g, t, tt, k, np.zeros((nv, 4, 4)))


def plus(a, b, s=1.0):
    """a + s b."""
    return Jet(a.g + s * b.g, a.t + s * b.t, a.tt + s * b.tt, a.k + s * b.k, a.kt + s * b.kt)


def scaled(s, a):
    """s a."""
    return Jet(s * a.g, s * a.t, s * a.tt, s * a.k, s * a.kt)


def exponential(omega, nv):
    """The jet of the exponential of a jet."""
    term = result = Jet.constant(np.eye(4), nv)
    for n in range(1, TERMS):
        term = scaled(1.0 / n, term @ omega)
        result = plus(result, term)
    return result


class RodReference(Reference):
    """A Description with rods."""

    def __init__(self, description):
        super().__init__(description)
        self.chains = {}
        for body in self.bodies:
            if body.flex is not None:
                self.chains[body.name] = self.chain_of(body)
        self.places, self.nq, self.nv = {}, 0, 0
        for body in self.bodies:
            for joint in body.joints:
                if joint.kind != "fixed":
                    self._place(joint.name, *{"spherical": (4, 3), "free": (7, 6), "planar": (3, 3)}.get(joint.kind, (1, 1)))
            if body.name in self.chains:
                size = len(self.chains[body.name].shapes)
                self._place("rod " + body.name, size, size)
        moving = set()
        for body in self.bodies:
            if body.parent in moving or body.flex is not None or any(joint.kind != "fixed" for joint in body.joints):
                moving.add(body.name)
        self.moving = [body for body in self.bodies if body.name in moving]

    def chain_of(self, body):
        return Chain(body.flex, [b.along for b in self.bodies if b.parent == body.name and b.along])

    def _place(self, name, nq, nv):
        self.places[name] = (slice(self.nq, self.nq + nq), slice(self.nv, self.nv + nv))
        self.nq, self.nv = self.nq + nq, self.nv + nv

    def at(self, q, v=None, a=None, nudge=None):
        v = np.zeros(self.nv) if v is None else np.asarray(v)
        a = np.zeros(self.nv) if a is None else np.asarray(a)
        jets, points = {None: Jet.constant(np.eye(4), self.nv)}, []
        self.sections = {}
        for body in self.bodies:
            start = jets[body.parent]
            if body.parent in self.chains:
                along = self.chains[body.parent].places[-1] if body.along is None else body.along
                spots = self.sections[body.parent]
                start = spots[min(spots, key=lambda x: abs(x - along))]
            jet = start @ Jet.constant(body.placement, self.nv)
            for joint in body.joints:
                if joint.kind != "fixed":
                    jet = jet @ self.joint_jet(joint, q, v, a, nudge)
            jets[body.name] = jet
            if body.name in self.chains:
                points += self.rod_points(body, jet, q, v, a, nudge)
        armature = np.zeros((self.nv, self.nv))
        for joint in self.joints:
            rows = self.coordinates(joint.name, np.asarray(q))[1]
            armature += rows.T @ np.diag(np.broadcast_to(np.asarray(joint.armature, dtype=float), len(rows))) @ rows
        return RodSnapshot(self, jets, armature, v, a, points)

    def rod_points(self, body, jet, q, v, a, nudge):
        """Sections of a rod (self.sections), and point masses (mass of a point, points (4, 6), jet)."""
        chain, nv = self.chains[body.name], self.nv
        q_slice, v_slice = self.places["rod " + body.name]
        r, rows = np.asarray(q)[q_slice], np.eye(nv)[v_slice]
        if nudge is not None:
            r = r + np.asarray(nudge)[v_slice]
        spots, found, before = {0.0: jet}, [], 0.0
        for x in chain.places:
            h = x - before
            x1, x2 = before + h * (0.5 - sqrt(3) / 6), before + h * (0.5 + sqrt(3) / 6)
            s1, s2 = (chain.strain(s, r, v[v_slice], a[v_slice], rows, nv) for s in (x1, x2))
            omega = plus(scaled(h / 2, plus(s1, s2)), plus(s1 @ s2, s2 @ s1, -1.0), sqrt(3) * h * h / 12)
            jet = jet @ exponential(omega, nv)
            spots[x], before = jet, x
            if x in chain.masses:
                section = chain.rod.section_at(x)
                y, z = sqrt(3 * section.about_z / section.area), sqrt(3 * section.about_y / section.area)
                spread = np.array([[0] * 6, [y, -y, 0, 0, 0, 0], [0, 0, z, -z, 0, 0], [1] * 6])
                found.append((chain.masses[x] / 6, spread, jet))
        self.sections[body.name] = spots
        return found


@dataclass
class RodSnapshot(Snapshot):
    """A mechanism with rods at one configuration and motion."""

    points: list = field(default_factory=list)

    def _points(self):
        yield from super()._points()
        for m, x, jet in self.points:
            yield m, (jet.g @ x)[:3], (jet.t @ x)[:3], (jet.tt @ x)[:3], (jet.k @ x)[:, :3]
