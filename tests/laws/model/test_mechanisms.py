"""The random mechanisms have what they should have: all kinds, all bases, all features. And the reference is itself lawful."""

import mechanisms
import numpy as np
import pytest
from mechanisms import relative
from reference import STEP, Reference, points_of

CASES = [mechanisms.case(name) for name in mechanisms.NAMES]
BODIES = [body for case in CASES for body in case.reference.bodies]


def test_every_kind_of_joint_is_there():
    kinds = {joint.kind for case in CASES for joint in case.reference.joints}
    assert kinds == set(mechanisms.KINDS)


def test_every_base_is_there():
    moving = {joint.kind for case in CASES for joint in case.reference.joints if joint.name == "base"}
    assert moving == {"free", "planar", "x", "xy", "xyz", "spherical"}
    assert any(len([b for b in case.reference.bodies if b.parent is None]) > 1 for case in CASES)


def test_every_feature_is_there():
    joints = [joint for body in BODIES for joint in body.joints]
    assert any(body.inertia is None and body.joints for body in BODIES)
    assert any(not body.joints and body.parent is not None for body in BODIES)
    assert any(len(body.joints) > 1 for body in BODIES)
    assert any(joint.kind == "fixed" for joint in joints)
    assert any(joint.kind == "free" and joint.name != "base" for joint in joints)
    assert any(np.any(joint.anchor) for joint in joints)
    assert any(joint.reference for joint in joints)
    assert any(np.any(joint.armature) for joint in joints)
    assert any(np.ndim(joint.armature) for joint in joints)
    assert any(case.model.coupling for case in CASES)
    assert any(len(case.reference.description.couplings) > 1 for case in CASES)
    assert any(not case.model.plain and not case.model.coupling for case in CASES)
    assert sum(case.model.plain for case in CASES) > len(CASES) // 3
    assert max(case.model.nv for case in CASES) > 32  # more than four vectors of columns


def test_sizes_and_order(case):
    model, reference = case.model, case.reference
    assert (model.nq, model.nv) == (reference.nq, reference.nv)
    assert model.body_names == tuple(body.name for body in reference.bodies)
    assert model.joint_names == tuple(joint.name for joint in reference.joints)
    for name, (q, v) in reference.places.items():
        assert (model.joint(name).q, model.joint(name).v) == (q, v)


def test_points_have_the_inertia_of_the_body():
    for body in BODIES:
        if body.inertia is not None:
            x, m = points_of(body.inertia)
            p = x[:3] - np.asarray(body.inertia.com)[:, None]
            moment = m * ((p * p).sum() * np.eye(3) - p @ p.T)
            assert 6 * m == pytest.approx(body.inertia.mass, rel=1e-14)
            assert abs(p.sum(axis=1)).max() < 1e-14
            assert relative(moment, body.inertia.moment) < 1e-14


def test_reference_obeys_lagrange(case):
    """Its forces follow from its energies alone: Hamel's equations with the velocities of the model as quasi-velocities.

    tau_k = d/dt dT/dv_k - dT/dq_k + sum over l of dT/dv_l times the commutator of motions k and v, component l, + dV/dq_k
    """
    r, q, v, a, nv = case.reference, case.q, case.v, case.a, case.model.nv
    p = r.at(q).mass_matrix() @ v
    p_rate = r.at(q).mass_matrix() @ a + r.derivative(lambda s: s.mass_matrix(), q, along=v) @ v
    gradient = r.derivative(lambda s: s.potential_energy() - s.kinetic_energy(), q, v)
    assert relative(p_rate + gradient + commutators(r, v, nv) @ p, r.at(q, v, a).inverse_dynamics()) < 1e-11


def commutators(reference, v, nv):
    """Row k: the velocity [e_k, v] of the group joints; it vanishes for coordinates that are plain numbers."""
    result = np.zeros((nv, nv))
    for joint in reference.joints:
        if joint.name in reference.places and joint.kind in ("free", "spherical", "planar"):
            place = reference.places[joint.name][1]
            w = np.zeros((3, nv))
            u = np.zeros((3, nv))
            n = place.start
            if joint.kind == "free":
                u[:, n : n + 3], w[:, n + 3 : n + 6] = np.eye(3), np.eye(3)
            elif joint.kind == "spherical":
                w[:, n : n + 3] = np.eye(3)
            else:
                u[:2, n : n + 2], w[2, n + 2] = np.eye(2), 1.0
            for k in range(n, place.stop):
                # e_k varied against v: delta v = d/dt e_k + v x e_k
                turn = np.cross(w @ v, w[:, k])
                shift = np.cross(w @ v, u[:, k]) + np.cross(u @ v, w[:, k])
                result[k] -= turn @ w + shift @ u
    return result


def test_complex_step_is_the_derivative():
    case = mechanisms.case(8)
    r, h, e = case.reference, 1e-5, np.eye(case.model.nv)[2]
    sides = [r.at(case.q, nudge=s * h * e).potential_energy() for s in (1, -1)]
    assert r.derivative(lambda s: s.potential_energy(), case.q)[2] == pytest.approx((sides[0] - sides[1]) / (2 * h), rel=1e-6)
    assert STEP < 1e-20 and isinstance(r, Reference)
