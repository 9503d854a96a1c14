"""Plans of contacts, checked by what shares no code with the planner: places, limits of joints, and statics from differences
of energy and places in a linear program."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

import locomote as lo

STEP, SIDES = 1e-5, 16


@dataclass
class Checked:
    """The worst of a plan: m, points from their places; rad, room of joints to their limits; least share of torque limits with
    which each stance is held."""

    off: float = 0.0
    room: float = np.inf
    use: float = 0.0


def moved(model, q, k, size):
    """q, moved along coordinate k."""
    step = np.zeros(model.nv)
    step[k] = size
    return model.integrate(q, step)


def places(model, q, contacts):
    """(points, 3) of all points in the world."""
    poses = lo.forward_kinematics(model, q)
    own = [poses[model.body(c.body).index] for c in contacts]
    return np.concatenate([c.points @ pose[:3, :3].T + pose[:3, 3] for c, pose in zip(contacts, own, strict=True)])


def least_use(model, q, contacts) -> float:
    """Least share of torque limits with which forces in pyramids inside cones of friction hold q; infinite if none."""
    ahead, back = ([moved(model, q, k, size) for k in range(model.nv)] for size in (STEP, -STEP))
    weight = np.array([lo.potential_energy(model, x) - lo.potential_energy(model, y) for x, y in zip(ahead, back, strict=True)])
    points = np.array([places(model, x, contacts) - places(model, y, contacts) for x, y in zip(ahead, back, strict=True)])
    weight, points = weight / (2 * STEP), points / (2 * STEP)
    columns, angles = [], 2 * np.pi * np.arange(SIDES) / SIDES
    of_points = [c for c in contacts for _ in c.points]
    for p, c in enumerate(of_points):
        t1, t2, n = c.axes.T
        for a in angles:
            columns.append(points[:, p] @ (n + c.friction * (np.cos(a) * t1 + np.sin(a) * t2)))
    G, free = np.array(columns).T, np.arange(model.nv) < 6
    limit = model.effort_limit[~free][:, None]
    rows = np.vstack([np.hstack([-G[~free], -limit]), np.hstack([G[~free], -limit])])  # |weight - G f| <= use limit
    edges = np.concatenate([-weight[~free], weight[~free]])
    slack = 1e-4 * model.mass  # N or N m, of differences
    balance = np.hstack([G[free], np.zeros((6, 1))])
    rows, edges = np.vstack([rows, balance, -balance]), np.concatenate([edges, weight[free] + slack, slack - weight[free]])
    found = linprog(np.r_[np.zeros(G.shape[1]), 1.0], A_ub=rows, b_ub=edges, bounds=(0, None))
    return float(found.x[-1]) if found.status == 0 else np.inf


def check(model, plan, supports, start, goal) -> Checked:
    """Each change is of one support, one a limb; all supports are in place, joints within limits; the smaller stance bears."""
    by_name, now, worst = {support.name: support for support in supports}, set(start), Checked()
    for change in plan.changes:
        after = now | {change.support.name} if change.taken else now - {change.support.name}
        assert after != now and set(change.supports) == after
        limbs = [by_name[name].limb for name in after]
        assert len(set(limbs)) == len(limbs)
        q, larger, smaller = change.stance.q, now | after, now & after
        for name in larger:
            contact, place = by_name[name].contact, np.asarray(by_name[name].place, dtype=float)
            wanted = contact.points @ place[:3, :3].T + place[:3, 3] if place.ndim == 2 else place[None]
            worst.off = max(worst.off, float(abs(places(model, q, [contact]) - wanted).max()))
        worst.room = min(worst.room, float((q - model.lower)[7:].min()), float((model.upper - q)[7:].min()))
        worst.use = max(worst.use, least_use(model, q, [by_name[name].contact for name in sorted(smaller)]))
        now = after
    assert now == set(goal)
    assert worst.off < 1e-6 and worst.room > -1e-6 and worst.use <= 1.0, worst
    return worst
