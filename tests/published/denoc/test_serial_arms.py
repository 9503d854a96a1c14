"""Arms on a fixed base.

Saha, Shah, Nandihal (2013): Stanford arm and spatial biped; data/serial_arms.json.
ReDySim demo, KUKA KR5; data/redysim_kuka_kr5_inverse.json, seven printed digits.
"""

import numpy as np
import pytest
from cases import central, close, cycloid, modified_dh, numbers, standard_dh, standard_joint

import locomote as lo

ARMS, KUKA = numbers("serial_arms"), numbers("redysim_kuka_kr5_inverse")
DERIVED = 1e-11


def stanford():
    """Standard table; the third joint slides."""
    p = ARMS["parameters"]["stanford"]
    builder, parent = lo.Builder("stanford", gravity=p["g"]), None
    for k in range(6):
        pose = standard_dh(p["theta"][k], p["d"][k], p["a"][k], p["alpha"][k])
        joint = standard_joint(f"q{k + 1}", "prismatic" if p["sigma"][k] else "revolute", pose)
        inertia = central(p["m"][k], p["c"][k], p["I_origin"][k])
        builder.body(f"link {k + 1}", parent=parent, at=pose, joint=joint, inertia=inertia)
        parent = f"link {k + 1}"
    return builder.build()


def modified(name, alpha, a, d, mass, com, moment, gravity):
    """A chain of a modified table; links without mass are frames."""
    builder, parent = lo.Builder(name, gravity=gravity), None
    for k in range(len(a)):
        inertia = lo.Inertia(mass[k], com[k], moment[k]) if mass[k] else None
        builder.body(f"link {k}", parent=parent, at=modified_dh(alpha[k], a[k], d[k]), joint=lo.Joint(f"q{k}"), inertia=inertia)
        parent = f"link {k}"
    return builder.build()


def biped():
    p = ARMS["parameters"]["spatial_biped"]
    return modified("biped", p["alpha"], p["a"], p["d"], p["m"], p["c"], p["I_com"], p["g"])


@pytest.mark.parametrize("make", [stanford, biped])
@pytest.mark.parametrize("k", [0, 1])
def test_matrices_and_forces(make, k):
    case = ARMS["cases"]["stanford" if make is stanford else "spatial_biped"][k]
    model, given, expected = make(), case["input"], case["expected"]
    q, v, a = (np.array(given[key]) for key in ("q", "qd", "qdd"))
    assert close(lo.mass_matrix(model, q), expected["M"], DERIVED)
    assert close(lo.gravity_force(model, q), -np.array(expected["gravity"]), DERIVED)
    assert close(lo.coriolis_matrix(model, q, v) @ v, expected["bias"], DERIVED)
    assert close(lo.bias_force(model, q, v), np.array(expected["bias"]) - expected["gravity"], DERIVED)
    assert close(lo.inverse_dynamics(model, q, v, a), expected["inverse_tau"], DERIVED)
    # the biped's massless links make its matrix nearly singular: what is left of 16 digits
    tolerance = max(DERIVED, 1e-15 * np.linalg.cond(lo.mass_matrix(model, q)))
    assert close(lo.forward_dynamics(model, q, v, np.zeros(model.nv)), expected["free_fall_qdd"], tolerance)


def test_stanford_trajectory():
    run, model = ARMS["stanford_inverse_trajectory"], stanford()
    given = run["input"]
    for t, *tau in run["rows"]:
        assert close(lo.inverse_dynamics(model, *cycloid(given["q0"], given["qT"], given["T"], t)), tau, DERIVED)


def kuka():
    p = KUKA["inputs"]
    return modified("kuka", p["alpha"], p["a"], p["b"], p["m"], p["com"], p["I_com_diag"], p["gravity"])


def test_kuka_torques():
    model = kuka()
    for row in KUKA["expected"]["samples"]:
        q, v, a = (np.array(row[key]) for key in ("q", "qd", "qdd"))
        motion = cycloid(np.zeros(6), np.full(6, np.pi / 3), 1.0, row["t"])
        assert all(close(x, y, 1e-9) for x, y in zip((q, v, a), motion, strict=True))
        tau = lo.inverse_dynamics(model, q, v, a)
        assert close(tau, row["tau_derived"], 1e-9)
        assert np.max(abs(tau - row["tau_published"])) < KUKA["tolerance"]["abs"]


def test_all_joints_of_a_tilted_arm_move_when_it_falls():
    """From zero only the boom falls, by g t^2 / 2; tilted, all six joints move, and energy stays."""
    straight, tilted = (lo.systems.load("stanford_arm", motion="fall", tilt=x).problem().simulate(1.0) for x in (0.0, 0.4))
    assert np.allclose(np.ptp(straight.q, axis=0), [0, 0, 9.81 / 2, 0, 0, 0], atol=1e-6)
    assert (np.ptp(tilted.q, axis=0) > 0.05).all() and np.ptp(tilted.total) < 1e-5 * tilted.kinetic.max()
