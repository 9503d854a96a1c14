"""Legged robots in flight: floating trees of modules.

Shah, Saha, Dutt (2012): planar biped and quadruped; data/planar_biped.json, data/quadruped.json.
ReDySim biped: published model data with numbers of an independent formulation; data/redysim_legged_biped.json.
"""

import numpy as np
import pytest
from cases import close, modified_dh, numbers, rod, turned

import locomote as lo

BIPED, QUADRUPED, REDYSIM = numbers("planar_biped"), numbers("quadruped"), numbers("redysim_legged_biped")
TOLERANCE = 1e-11
# the feet are light: accelerations reach 5e4 and the mass matrix has a condition number of some 1e5
SOLVED = 1e-9


def planar_biped(feet):
    """In the plane of x and z; angles go from x to z, which is about -y. Rods along their own x."""
    p, out = BIPED["parameters"], (0.0, -1.0, 0.0)
    builder = lo.Builder("biped", gravity=(0, 0, -p["g"]))
    base = [lo.Joint("x", "prismatic", axis="x"), lo.Joint("z", "prismatic", axis="z"), lo.Joint("phi", axis=out)]
    builder.body("trunk", joint=base, inertia=rod(p["m0"], p["l0"], -p["l0"] / 2))
    for side in (1, 2):
        at, parent = turned("y", np.pi, (-p["l0"] / 2, 0, 0)), "trunk"  # half a turn is the same about -y
        for link in ("thigh", "shank", "foot"):
            length = p[f"l_{link}"]
            start = -length / 2 if link == "foot" and feet == "mid" else 0.0
            name = f"{link} {side}"
            joint = lo.Joint(f"{name} angle", axis=out)
            builder.body(name, parent=parent, at=at, joint=joint, inertia=rod(p[f"m_{link}"], length, start))
            at, parent = turned("y", 0.0, (length, 0, 0)), name
    return builder.build()


@pytest.mark.parametrize("feet", ["mid", "end"])
@pytest.mark.parametrize("k", [0, 1])
def test_planar_biped(feet, k):
    model, case = planar_biped(feet), BIPED["cases"][feet][k]
    given, expected = case["input"], case["expected"]
    q, v = np.array(given["q"]), np.array(given["qd"])
    gravity, zero = np.array(expected["gravity"]), np.zeros(3)
    assert close(lo.mass_matrix(model, q), expected["M"], TOLERANCE)
    assert close(lo.gravity_force(model, q), -gravity, TOLERANCE)
    assert close(lo.bias_force(model, q, v), expected["bias"] - gravity, TOLERANCE)
    assert close(lo.center_of_mass(model, q)[[0, 2]], expected["com"], TOLERANCE)
    assert close(lo.kinetic_energy(model, q, v), expected["kinetic"], TOLERANCE)
    assert close(lo.potential_energy(model, q), expected["potential"], TOLERANCE)
    joints = model.joint_names[3:]
    imposed = np.concatenate([zero, given["joint_qdd"]])
    a, tau = lo.hybrid_dynamics(model, q, v, np.zeros(9), imposed, joints)
    assert close(a[:3], expected["inverse_base_qdd"], TOLERANCE)
    assert close(tau, np.concatenate([zero, expected["inverse_tau"]]), TOLERANCE)
    force = np.concatenate([zero, given["tau_joints"]])
    assert close(lo.forward_dynamics(model, q, v, force), expected["forward_qdd"], SOLVED)


def quaternion(R):
    """(x, y, z, w) of a rotation."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(R).as_quat()


def quadruped():
    """Trunk axes: x lateral, y up, z along. Each hip is a turn about z and one about the turned x of a modified table."""
    builder = lo.Builder("quadruped", base="free", gravity=(0, -9.81, 0))
    builder.body("trunk", inertia=lo.Inertia(4.0, moment=4.0 / 12 * np.array([1.0, 1.25, 0.25])))
    for leg, (x, z) in enumerate([(-1, -1), (1, -1), (-1, 1), (1, 1)], 1):
        roll, thigh, shank = (f"{part} {leg}" for part in ("roll", "thigh", "shank"))
        builder.body(roll, parent="trunk", at=modified_dh(0.0, 0.25 * x, 0.5 * z), joint=lo.Joint(f"{roll} angle"))
        builder.body(
            thigh, parent=roll, at=modified_dh(np.pi / 2, 0.0), joint=lo.Joint(f"{thigh} angle"), inertia=rod(1.0, 0.3)
        )
        builder.body(shank, parent=thigh, at=modified_dh(0.0, 0.3), joint=lo.Joint(f"{shank} angle"), inertia=rod(1.0, 0.3))
    return builder.build()


@pytest.mark.parametrize("k", [0, 1])
def test_quadruped(k):
    model, case = quadruped(), QUADRUPED["cases"][k]
    given, expected = case["input"], case["expected"]
    q = np.concatenate([given["p"], quaternion(given["R_world_from_trunk"]), given["q"]])
    v, gravity = np.array(given["nu"]), np.array(expected["gravity"])
    assert close(lo.mass_matrix(model, q), expected["M"], TOLERANCE)
    assert close(lo.gravity_force(model, q), -gravity, TOLERANCE)
    assert close(lo.bias_force(model, q, v), expected["bias"] - gravity, TOLERANCE)
    a, tau = lo.hybrid_dynamics(
        model, q, v, np.zeros(18), np.concatenate([np.zeros(6), given["joint_qdd"]]), model.joint_names[1:]
    )
    assert close(a[:6], expected["inverse_base_acc"], TOLERANCE)
    assert close(tau[6:], expected["inverse_tau"], TOLERANCE) and not tau[:6].any()
    force = np.concatenate([np.zeros(6), given["tau"]])
    assert close(lo.forward_dynamics(model, q, v, force), expected["forward_acc"], SOLVED)


def redysim_biped():
    """The trunk of the published file has principal moments that no body can have, hence lenient."""
    p, bodies = REDYSIM["inputs"], []
    for k, parent in enumerate(p["bt"]):
        inertia = lo.Inertia(p["m"][k], p["com"][k], p["I_com_diag"][k])
        if parent == 0:
            bodies.append(lo.Body("link 1", inertia=inertia))
        else:
            at, joint = modified_dh(p["alpha"][k], p["a"][k], p["b"][k]), lo.Joint(f"joint {k}")
            bodies.append(lo.Body(f"link {k + 1}", f"link {parent}", at, (joint,), inertia))
    return lo.Model(lo.Description("biped", tuple(bodies), gravity=tuple(p["gravity"]), lenient=True).with_base("free"))


def test_redysim_biped():
    """Their base moves by world velocities (v, w): v = T nu with T = diag(R, R), and its rate needs w x v."""
    model, p, expected = redysim_biped(), REDYSIM["inputs"], REDYSIM["expected"]
    R = np.array(p["R0"])
    q = np.concatenate([p["p0"], quaternion(R), p["q"]])
    v = np.concatenate([R.T @ p["v0"], R.T @ p["w0"], p["qd"]])
    T = np.eye(12)
    T[:3, :3] = T[3:6, 3:6] = R
    M = lo.mass_matrix(model, q)
    assert close(T @ M @ T.T, expected["M"], 1e-9)
    assert np.trace(M) == pytest.approx(expected["M_trace"], rel=1e-9)
    # with world accelerations zero, body ones are -(w x V, 0)
    still = np.zeros(12)
    still[:3] = -np.cross(v[3:6], v[:3])
    assert close(T @ lo.inverse_dynamics(model, q, v, still), expected["h"], 1e-9)
    a, tau = lo.hybrid_dynamics(model, q, v, np.zeros(12), np.concatenate([np.zeros(6), p["qdd"]]), model.joint_names[1:])
    assert close(tau[6:], expected["joint_torques"], 1e-9)
    world = expected["base_acceleration_world"]
    assert close(R @ (a[:3] + np.cross(v[3:6], v[:3])), world["linear_of_base_origin"], 1e-9)
    assert close(R @ a[3:6], world["angular"], 1e-9)
