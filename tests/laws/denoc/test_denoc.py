"""The explicit matrices of the decoupled natural orthogonal complement, a third way to the equations of motion.

Saha, Shah, Nandihal (2013), (36)-(49), O-form: every body k is a link with twist t_k = (omega_k, velocity of O_k) in world
axes, O_k a point of the joint axis, d_k from O_k to the mass center, a_kj from O_k to O_j:

    t_k = A_kj t_j + p_k th_k' ,   A_kj = [[1, 0], [a_kj x, 1]] ,   p = (e, 0) revolute, (0, e) prismatic
    t = N_l N_d v = N v ;   I = N^T M N ;   C = N^T (M N' + Omega M E N) ;   gravity: (0, -g) added to t'
"""

from dataclasses import dataclass

import numpy as np
import pytest
from mechanisms import case_of, random_description, relative
from reference import STEP, hat3, unit

import locomote as lo

TOLERANCE = 1e-11


@dataclass
class Denoc:
    """N, mass blocks and gyroscopic blocks of a tree of revolute and prismatic links, on a fixed or free base."""

    N: np.ndarray
    M: np.ndarray
    gyro: np.ndarray


def denoc(case, nudge=None):
    """The matrices at the case's q, or at a point moved by a complex nudge."""
    r, snapshot = case.reference, case.reference.at(case.q, case.v, nudge=nudge)
    links, kind = r.bodies, snapshot.pose(r.bodies[-1].name).dtype
    n = len(links)
    N_l, N_d = np.zeros((6 * n, 6 * n), kind), np.zeros((6 * n, r.nv), kind)
    M, gyro = np.zeros((6 * n, 6 * n), kind), np.zeros((6 * n, 6 * n), kind)
    O, place = {}, {link.name: k for k, link in enumerate(links)}
    for k, link in enumerate(links):
        g = snapshot.pose(link.name)
        R = g[:3, :3]
        joint = next((j for j in link.joints if j.kind != "fixed"), None)
        anchor = np.zeros(3) if joint is None else np.asarray(joint.anchor)
        O[link.name] = R @ anchor + g[:3, 3]
        rows = slice(6 * k, 6 * k + 6)
        if joint is not None:
            columns = r.places[joint.name][1]
            if joint.kind == "free":
                N_d[6 * k + 3 : 6 * k + 6, columns.start : columns.start + 3] = R
                N_d[6 * k : 6 * k + 3, columns.start + 3 : columns.stop] = R
            else:
                first = 6 * k + (0 if joint.kind == "revolute" else 3)
                N_d[first : first + 3, columns.start] = R @ unit(joint.axis)
        other = link.name
        while other is not None:
            A = np.eye(6, dtype=kind)
            A[3:, :3] = hat3(O[other] - O[link.name])
            N_l[rows, 6 * place[other] : 6 * place[other] + 6] = A
            other = links[place[other]].parent
        if link.inertia is not None:
            m, d = link.inertia.mass, R @ np.asarray(link.inertia.com) + g[:3, 3] - O[link.name]
            about_O = R @ np.asarray(link.inertia.moment) @ R.T - m * hat3(d) @ hat3(d)
            M[rows, rows] = np.block([[about_O, m * hat3(d)], [-m * hat3(d), m * np.eye(3)]])
            omega = snapshot.jets[link.name].t[:3, :3] @ R.T
            both = np.block([[omega, np.zeros((3, 3))], [np.zeros((3, 3)), omega]])
            gyro[rows, rows] = both @ M[rows, rows] @ np.diag([1.0, 1, 1, 0, 0, 0])
    return Denoc(N_l @ N_d, M, gyro)


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("seed", range(8))
def test_denoc(seed, base):
    options = {"kinds": ("revolute", "prismatic"), "bare": True, "added": False, "coupled": False, "bodies": 6 + seed}
    case = case_of(random_description(seed, base=base, **options), seed)
    now, ahead = denoc(case), denoc(case, nudge=1j * STEP * case.v)
    N, N_rate = now.N, np.imag(ahead.N) / STEP
    mass, C = N.T @ now.M @ N, N.T @ (now.M @ N_rate + now.gyro @ N)
    assert relative(lo.mass_matrix(case.model, case.q), mass) < TOLERANCE
    lift = np.tile(np.concatenate([np.zeros(3), -case.model.gravity]), len(case.reference.bodies))
    weight = N.T @ now.M @ lift
    assert relative(lo.gravity_force(case.model, case.q), weight) < TOLERANCE
    assert relative(lo.bias_force(case.model, case.q, case.v), C @ case.v + weight) < TOLERANCE
    assert relative(lo.inverse_dynamics(case.model, case.q, case.v, case.a), mass @ case.a + C @ case.v + weight) < TOLERANCE
