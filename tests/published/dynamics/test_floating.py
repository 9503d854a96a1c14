"""Bodies that float: space robots, cats, swimmers, and a base with a quaternion.

Saha, Shah, Nandihal (2013): planar space robot; data/space_robot.json.
ReDySim demo of the same robot; data/redysim_floating_3link_inverse.json, seven printed digits.
Boyer, Porez (2014): swimmer in a perfect fluid; data/potential_swimmer.json.
Boyer, Belkhiri (2013): mobile pendulum; data/mobile_pendulum.json.
Bouyarmane, Kheddar (2012): floating base with a unit quaternion; data/quaternion_base.json.
"""

import numpy as np
import pytest
from cases import close, cycloid, motion, numbers

import locomote as lo

SPACE, REDYSIM = numbers("space_robot"), numbers("redysim_floating_3link_inverse")
SWIMMER, PENDULUM, QUATERNION = numbers("potential_swimmer"), numbers("mobile_pendulum"), numbers("quaternion_base")
TOLERANCE = 1e-11


def space_robot(name):
    """A planar base with an arm: links along x, their centers at d."""
    p = SPACE["parameters"][name]
    builder = lo.Builder(name, base="planar", gravity=(0, 0, 0))
    builder.body("base", inertia=lo.Inertia(p["m"][0], moment=(p["I"][0],) * 3))
    at, parent = p["attach0"], "base"
    for k, length in enumerate(p["l"]):
        inertia = lo.Inertia(p["m"][k + 1], (p["d"][k], 0, 0), (p["I"][k + 1],) * 3)
        builder.body(f"link {k}", parent=parent, at=(at, 0, 0), joint=lo.Joint(f"joint {k}"), inertia=inertia)
        at, parent = length, f"link {k}"
    return builder.build()


def connection(model, q):
    """A with eta + A r' = 0: the motion of the base that keeps momentum zero."""
    M = lo.mass_matrix(model, q)
    return np.linalg.solve(M[:3, :3], M[:3, 3:])


@pytest.mark.parametrize("name", ["arm", "cat"])
@pytest.mark.parametrize("k", [0, 1])
def test_space_robot(name, k):
    model, case = space_robot(name), SPACE["cases"][name][k]
    given, expected = case["input"], case["expected"]
    q = np.concatenate([given["pose"], given["r"]])
    assert close(lo.mass_matrix(model, q), expected["M"], TOLERANCE)
    assert close(connection(model, q), expected["connection"], TOLERANCE)
    v = np.concatenate([expected["eta"], given["rd"]])
    assert close(lo.momentum(model, q, v), np.zeros(6), 1e-12 * SPACE["parameters"][name]["m"][0])
    a, tau = lo.hybrid_dynamics(
        model, q, v, np.zeros(model.nv), np.concatenate([np.zeros(3), given["rdd"]]), model.joint_names[1:]
    )
    assert close(a[:3], expected["eta_dot"], TOLERANCE)
    assert close(tau[3:], expected["tau"], TOLERANCE)
    locked = lo.lock(model, {n: q[model.joint(n).q] for n in model.joint_names[1:]})
    spin = lo.momentum_matrix(locked, q[:3])
    # the angular momentum about the center of mass, per angular velocity
    assert spin[5, 2] == pytest.approx(expected["locked_inertia_com"], rel=1e-12)
    assert close(lo.momentum_matrix(model, q)[5, 3:], expected["I_r_com"], TOLERANCE)


def test_space_robot_trajectory():
    """The base drifts as the arm moves: classical steps on the group against the derived numbers and the printed ones."""
    model, run = space_robot("arm"), SPACE["arm_trajectory"]
    given = run["input"]

    def shape(t):
        return cycloid(given["theta0"], given["thetaf"], given["T"], t)

    def eta(g, t):
        r, rd, _ = shape(t)
        return np.concatenate([-connection(model, np.concatenate([g, r])) @ rd, rd])

    poses, h, g = {0.0: np.zeros(3)}, 0.02, np.zeros(3)
    for n in range(1000):
        # momentum zero does not depend on where the base is, so midpoint slopes suffice for the fourth order in the body frame
        t = n * h
        k1, k2, k3 = (eta(g, s)[:3] for s in (t, t + h / 2, t + h))
        mean = (k1 + 4 * k2 + k3) * h / 6
        # second term of Magnus' series
        bracket = np.array([k1[1] * k3[2] - k3[1] * k1[2], k3[0] * k1[2] - k1[0] * k3[2], 0.0])
        step = np.concatenate([mean + bracket * h * h / 12, np.zeros(3)])
        g = model.integrate(np.concatenate([g, np.zeros(3)]), step)[:3]
        poses[round(t + h, 9)] = g
    for t, pose in zip(run["t"], run["base_pose"], strict=True):
        assert close(poses[round(t, 9)], pose, 1e-8)
    assert np.max(abs(g - run["published_simulator"]["base_20s"])) < 1e-6
    for t, *tau in run["torques_t_tau1_tau2_tau3"]:
        assert close(torques(model, poses[round(t, 9)], eta, shape, t), tau, 1e-8)
    for row in REDYSIM["expected"]["samples"]:
        pose = poses[round(row["t"], 9)]
        assert close(pose, row["base_xy_phi_derived"], 1e-7)
        assert np.max(abs(pose - row["base_published"])) < REDYSIM["tolerance"]["base_abs_vs_published"]
        tau = torques(model, pose, eta, shape, row["t"])
        assert close(tau, row["tau_derived"], 1e-7)
        assert np.max(abs(tau - row["tau_published"])) < REDYSIM["tolerance"]["torque_abs_vs_published"]


def torques(model, pose, eta, shape, t):
    r, _, rdd = shape(t)
    v, a = eta(pose, t), np.concatenate([np.zeros(3), rdd])
    return lo.hybrid_dynamics(model, np.concatenate([pose, r]), v, np.zeros(6), a, model.joint_names[1:])[1][3:]


def test_redysim_data_are_those_of_the_paper():
    given, p = REDYSIM["inputs"], SPACE["parameters"]["arm"]
    assert given["m"] == p["m"] and given["Izz"] == p["I"] and given["com_x"][1:] == p["d"]
    assert given["a"] == [0.0, p["attach0"], *p["l"][:-1]]


def swimmer():
    """Three elliptic links in a perfect fluid, neutrally buoyant; the added inertia of each is that of an ellipse."""
    p = SWIMMER["parameters"]
    A, B, D, rho = p["A"], p["B"], p["D"], p["rho"]
    mass = rho * np.pi * A * B
    inertia_z = mass * (A * A + B * B) / 4
    added = np.zeros((6, 6))
    added[0, 0], added[1, 1], added[5, 5] = rho * np.pi * B * B, rho * np.pi * A * A, rho * np.pi * (A * A - B * B) ** 2 / 8

    def at(x):
        """Both inertias of a link whose center is at x of its frame."""
        shift = np.eye(6)  # the twist of the center from that of the frame
        shift[1, 5] = x
        return {
            "inertia": lo.Inertia(mass, (x, 0, 0), (inertia_z / 2, inertia_z / 2, inertia_z)),
            "added_inertia": shift.T @ added @ shift,
        }

    return (
        lo.Builder("swimmer", base="planar", gravity=(0, 0, 0))
        .body("middle", **at(0.0))
        .body("front", parent="middle", at=(D, 0, 0), joint=lo.Joint("r1"), **at(D))
        .body("rear", parent="middle", at=(-D, 0, 0), joint=lo.Joint("r2"), **at(-D))
        .build()
    )


@pytest.mark.parametrize("k", [0, 1])
def test_swimmer_in_a_perfect_fluid(k):
    model, case = swimmer(), SWIMMER["cases"][k]
    q, expected = np.concatenate([[0.3, -0.2, 0.7], case["input"]["r"]]), case["expected"]
    M = lo.mass_matrix(model, q)
    assert close(M[:3, :3], expected["locked_inertia"], TOLERANCE)
    assert close(M[:3, 3:], expected["coupling"], TOLERANCE)
    assert close(connection(model, q), expected["connection"], TOLERANCE)
    assert close(-connection(model, q) @ case["input"]["rd"], expected["eta"], TOLERANCE)


@pytest.mark.parametrize("k", [0, 1])
def test_mobile_pendulum(k):
    """Two wheels, a cart and a pendulum before any constraint: q = (x, r3, r1, r2)."""
    p, case = PENDULUM["parameters"], PENDULUM["cases"][k]
    wheel = lo.Inertia(p["m_w"], moment=(p["J_w"],) * 3)
    model = (
        lo.Builder("mobile pendulum", gravity=(0, 0, -p["gamma"]))
        .body("cart", joint=lo.Joint("x", "prismatic", axis="x"), inertia=lo.Inertia(p["m_cart"]))
        # angles from the downward vertical: positive ones carry the mass towards +x, which is about -y
        .body("bob", parent="cart", joint=lo.Joint("r3", axis=(0, -1, 0)), inertia=lo.Inertia(p["m"], (0, 0, -p["l"])))
        .body("wheel 1", parent="cart", joint=lo.Joint("r1", axis="y"), inertia=wheel)
        .body("wheel 2", parent="cart", joint=lo.Joint("r2", axis="y"), inertia=wheel)
        .build()
    )
    given, expected = case["input"], case["expected"]
    q = np.array([given["x"], given["r3"], 0.4, -0.3])
    v = np.array([p["R"] * given["rd"], given["r3d"], given["rd"], given["rd"]])
    assert close(lo.mass_matrix(model, q), expected["M"], TOLERANCE)
    assert close(lo.bias_force(model, q, v), expected["bias_minus_gravity"], TOLERANCE)


def quaternion_robot(joints):
    p = QUATERNION["parameters"]
    builder = lo.Builder("floating", base="free", gravity=(0, 0, -p["g"]))
    builder.body("0", inertia=lo.Inertia(p["m0"], p["c0"], p["I0"]))
    for k, joint in enumerate(p["joints"][:joints], 1):
        builder.body(
            str(k),
            parent=str(k - 1),
            at=joint["origin"],
            joint=lo.Joint(f"joint {k}", axis=tuple(joint["axis"])),
            inertia=lo.Inertia(joint["m"], joint["c"], joint["I"]),
        )
    return builder.build()


@pytest.mark.parametrize("case", QUATERNION["cases"])
def test_quaternion_base(case):
    """Point forces in world axes; the quaternion there has its scalar first."""
    given, expected = case["input"], case["expected"]
    model = quaternion_robot(given["joints_used"])
    w, x, y, z = given["theta"]
    q = np.concatenate([given["x0"], [x, y, z, w], given["qhat"]])
    R = lo.forward_kinematics(model, q)[0, :3, :3]
    v = np.concatenate([R.T @ given["xd0"], given["w_body"], given["qhatd"]])
    poses, wrenches = lo.forward_kinematics(model, q), {}
    for force in given["forces"]:
        f = poses[force["body"], :3, :3].T @ force["force_world"]
        wrench = np.concatenate([f, np.cross(force["point_body"], f)])
        wrenches[str(force["body"])] = wrenches.get(str(force["body"]), 0.0) + wrench
    tau = np.concatenate([np.zeros(6), given["u"]])
    a = lo.forward_dynamics(model, q, v, tau, wrenches=wrenches)
    acceleration = lo.acceleration(model, q, v, a, "0", frame="aligned")
    assert close(acceleration[:3], expected["xdd0"], TOLERANCE)
    assert close(a[3:6], expected["wd_body"], TOLERANCE)
    assert close(a[6:], expected["qhatdd"], TOLERANCE)


def test_torque_free_top():
    top = QUATERNION["torque_free_top"]
    model = lo.Builder("top", base="rotation", gravity=(0, 0, 0)).body("top", inertia=lo.Inertia(0.0, moment=top["I"])).build()
    q, v = motion(model, model.neutral(), np.array(top["w0"]), top["t"])
    assert close(v, top["w_body"], 1e-9)
    for p, w in zip(q, v, strict=True):
        p = model.normalize(p)
        assert lo.kinetic_energy(model, p, w) == pytest.approx(top["energy"], rel=1e-9)
        assert np.linalg.norm(np.array(top["I"]) * w) == pytest.approx(top["momentum_norm"], rel=1e-9)
