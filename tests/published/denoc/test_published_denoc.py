"""The DeNOC formulation on the published mechanisms, and its closed loops on the published four-bar linkage.

Saha, Shah, Nandihal (2013); Shah, Saha, Dutt (2012); data/serial_arms.json, planar_biped.json, quadruped.json,
space_robot.json, fourbar.json, redysim_kuka_kr5_inverse.json, redysim_legged_biped.json. Numbers are of other formulations.
"""

import numpy as np
import pytest
import test_legged as legged
import test_serial_arms as arms
from cases import close, numbers
from scipy.spatial.transform import Rotation

import locomote as lo

FOUR_BAR, SPACE = numbers("fourbar"), numbers("space_robot")
WAYS = pytest.mark.parametrize("form, level", [(form, level) for form in "OC" for level in ("link", "module")])


@WAYS
@pytest.mark.parametrize("name", ["stanford", "spatial_biped"])
def test_arms(name, form, level):
    model = arms.stanford() if name == "stanford" else arms.biped()
    for case in arms.ARMS["cases"][name]:
        given, expected = case["input"], case["expected"]
        links = lo.denoc.at(model, given["q"], given["qd"], form=form)
        assert close(lo.denoc.inertia_matrix(links, level=level), expected["M"], 1e-11)
        assert close(lo.denoc.convective_matrix(links, level=level) @ given["qd"], expected["bias"], 1e-11)
        assert close(lo.denoc.inverse_dynamics(links, given["qdd"], level=level), expected["inverse_tau"], 1e-11)
        tolerance = max(1e-11, 3e-15 * np.linalg.cond(expected["M"]))
        assert close(lo.denoc.forward_dynamics(links, np.zeros(model.nv), level=level), expected["free_fall_qdd"], tolerance)


@WAYS
@pytest.mark.parametrize("k", [0, 1])
def test_planar_biped(k, form, level):
    model, case = legged.planar_biped("mid"), legged.BIPED["cases"]["mid"][k]
    given, expected = case["input"], case["expected"]
    links = lo.denoc.at(model, given["q"], given["qd"], form=form)
    assert close(lo.denoc.inertia_matrix(links, level=level), expected["M"], 1e-11)
    force = np.concatenate([np.zeros(3), given["tau_joints"]])
    assert close(lo.denoc.forward_dynamics(links, force, level=level), expected["forward_qdd"], 1e-9)


@WAYS
@pytest.mark.parametrize("k", [0, 1])
def test_quadruped_in_flight(k, form, level):
    model, case = legged.quadruped(), legged.QUADRUPED["cases"][k]
    given, expected = case["input"], case["expected"]
    q = np.concatenate([given["p"], Rotation.from_matrix(given["R_world_from_trunk"]).as_quat(), given["q"]])
    links = lo.denoc.at(model, q, given["nu"], form=form)
    assert len(links.modules) == 5
    assert close(lo.denoc.inertia_matrix(links, level=level), expected["M"], 1e-11)
    a, tau = lo.denoc.floating_inverse_dynamics(links, np.concatenate([np.zeros(6), given["joint_qdd"]]), level=level)
    assert close(a[:6], expected["inverse_base_acc"], 1e-11) and close(tau[6:], expected["inverse_tau"], 1e-11)
    force = np.concatenate([np.zeros(6), given["tau"]])
    assert close(lo.denoc.forward_dynamics(links, force, level=level), expected["forward_acc"], 1e-9)


@WAYS
def test_redysim_biped(form, level):
    model, p, expected = legged.redysim_biped(), legged.REDYSIM["inputs"], legged.REDYSIM["expected"]
    R = np.array(p["R0"])
    q = np.concatenate([p["p0"], Rotation.from_matrix(R).as_quat(), p["q"]])
    v = np.concatenate([R.T @ p["v0"], R.T @ p["w0"], p["qd"]])
    T = np.eye(12)
    T[:3, :3] = T[3:6, 3:6] = R
    links = lo.denoc.at(model, q, v, form=form)
    assert close(T @ lo.denoc.inertia_matrix(links, level=level) @ T.T, expected["M"], 1e-9)
    _, tau = lo.denoc.floating_inverse_dynamics(links, np.concatenate([np.zeros(6), p["qdd"]]), level=level)
    assert close(tau[6:], expected["joint_torques"], 1e-9)


@WAYS
def test_kuka(form, level):
    model = arms.kuka()
    for row in arms.KUKA["expected"]["samples"]:
        links = lo.denoc.at(model, row["q"], row["qd"], form=form)
        tau = lo.denoc.inverse_dynamics(links, row["qdd"], level=level)
        assert close(tau, row["tau_derived"], 1e-9)
        assert np.max(abs(tau - row["tau_published"])) < arms.KUKA["tolerance"]["abs"]


@WAYS
def test_space_robot(form, level):
    model = lo.systems.load("space_robot").model
    for case in SPACE["cases"]["arm"]:
        given, expected = case["input"], case["expected"]
        q = np.concatenate([given["pose"], given["r"]])
        links = lo.denoc.at(model, q, np.concatenate([expected["eta"], given["rd"]]), form=form)
        assert close(lo.denoc.inertia_matrix(links, level=level), expected["M"], 1e-11)
        a, tau = lo.denoc.floating_inverse_dynamics(links, np.concatenate([np.zeros(3), given["rdd"]]), level=level)
        assert close(a[:3], expected["eta_dot"], 1e-11) and close(tau[3:], expected["tau"], 1e-11)


@pytest.mark.parametrize("form", ["O", "C"])
@pytest.mark.parametrize("case", FOUR_BAR["cases"], ids=["first", "second"])
def test_four_bar(case, form):
    """Cut where the crank meets the coupler; forces of the cut act on the crank's side of the published closure."""
    system = lo.systems.load("four_bar")
    given, expected, p = case["input"], case["expected"], system.parameters
    links = lo.denoc.at(system.model, expected["q"], expected["qd"], form=form)
    cut = lo.denoc.Cut("crank", "coupler", (p["crank"], 0, 0), (p["coupler"], 0, 0), "xy")
    loops = lo.denoc.closed_loops(links, [cut])
    assert len(loops.elements) == 1 and close(loops.velocity_error, np.zeros(2), 1e-12)
    angle = expected["q"][1] + expected["q"][2]
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    assert close(turn @ loops.J, expected["J"], 1e-12)
    assert close(turn @ loops.drift, expected["Jdot_qd"], 1e-11)
    now = lo.denoc.closed_forward_dynamics(links, [given["tau1"], 0.0, 0.0], [cut])
    assert close(now.a, expected["forward_qdd"], 1e-11)
    assert close(turn @ now.reactions, expected["forward_lambda"], 1e-11)
    now = lo.denoc.closed_inverse_dynamics(links, [given["theta1dd"], 0.0, 0.0], [cut], ["crank"])
    assert close(now.a, expected["inverse_qdd"], 1e-11) and close(now.tau[0], expected["inverse_tau1"], 1e-11)
    assert close(turn @ now.reactions, expected["inverse_lambda"], 1e-11)


def test_gait_of_the_planar_biped():
    """The motion that the paper asks for, its height law corrected, and legs by inverse kinematics of another program."""
    given = legged.BIPED["gait"]
    walk = lo.control.PendulumWalk(given["T"], given["l_s"], given["h_f"], given["z_c"])
    joints = lo.control.biped_reference(walk, hip_height=given["z_h"])
    assert walk.rate == pytest.approx(given["omega"], rel=1e-12)
    for k, t in enumerate(given["t"]):
        assert np.allclose(walk.trunk(t)[:2], [given["x_h"][k], given["xd_h"][k]], atol=1e-12)
        assert np.allclose(walk.foot(t, 1)[0], [given["x_ankle"][k], given["z_ankle_corrected"][k]], atol=1e-12)
        q, _, _ = joints(t)
        assert np.allclose(q[:3], given["stance_leg_th1_th2_th3"][k], atol=1e-10)
        assert np.allclose(q[3:], given["swing_leg_th1_th2_th3"][k], atol=1e-10)
