"""The slow second formulation of `rod_reference`, for trees with modal bodies too: every node is a point mass of its own.

A node goes where its point, its shapes and its shapes of second order say; what hangs on it is turned by a power series.
"""

import numpy as np
from reference import Jet, hat
from rod_reference import Chain, RodReference, exponential

import locomote as lo


class Cloud:
    """Stands where a chain of sections would: its coordinates, and the nodes where something hangs."""

    def __init__(self, modes, nodes):
        self.modes, self.nodes = modes, nodes
        self.shapes = list(range(len(modes.shapes)))
        self.places = sorted(nodes)


class ModalReference(RodReference):
    """A Description with rods and modal bodies."""

    def __init__(self, description):
        self.clouds = {}
        super().__init__(description)

    def chain_of(self, body):
        on = [b.along for b in self.bodies if b.parent == body.name and b.along is not None]
        if isinstance(body.flex, lo.rods.Modes):
            self.clouds[body.name] = Cloud(body.flex, [int(x) for x in on])
            return self.clouds[body.name]
        return Chain(body.flex, [x for x in on if x])

    def rod_points(self, body, jet, q, v, a, nudge):
        if body.name not in self.clouds:
            return super().rod_points(body, jet, q, v, a, nudge)
        modes, nv = body.flex, self.nv
        q_slice, v_slice = self.places["rod " + body.name]
        r, v, a, rows = np.asarray(q)[q_slice].astype(complex), v[v_slice], a[v_slice], np.eye(nv)[v_slice]
        if nudge is not None:
            r = r + np.asarray(nudge)[v_slice]
        self.sections[body.name] = {}
        n, zero, found = len(modes.shapes), np.zeros(3), []
        for node, point in enumerate(modes.points):
            S = np.zeros((n, n, 3)) if modes.second is None else modes.second[:, :, node]
            slope = modes.shapes[:, node] + np.einsum("jkc,k->jc", S, r)
            place = point + r @ modes.shapes[:, node] + 0.5 * np.einsum("jkc,j,k->c", S, r, r)
            late = np.einsum("jkc,k->jc", S, v)
            here = Jet(
                np.eye(4) + hat(np.r_[place, zero]), hat(np.r_[v @ slope, zero]), hat(np.r_[a @ slope + v @ late, zero]),
                np.array([hat(np.r_[x, zero]) for x in rows.T @ slope]), np.array([hat(np.r_[x, zero]) for x in rows.T @ late]),
            )  # fmt: skip
            moved = jet @ here
            if node in self.clouds[body.name].nodes:
                turn = modes.rotation_at(node)
                spin = [hat(np.r_[zero, x @ turn]) for x in (r, v, a)]
                along = np.array([hat(np.r_[zero, x]) for x in rows.T @ turn])
                self.sections[body.name][node] = moved @ exponential(Jet(*spin, along, 0 * along), nv)
            found.append((modes.masses[node] / 6, np.outer([0.0, 0.0, 0.0, 1.0], np.ones(6)), moved))
        return found
