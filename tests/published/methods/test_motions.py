"""Motions of pendulums, chains and tops from the literature; each data file names its source and its tolerance.

data/mbs_a01_simple_pendulum.json, rigid_double_pendulum.json, rigid_nlink_chain.json, rigid_spherical_pendulum.json,
rigid_heavy_top.json, rigid_torque_free.json
"""

import numpy as np
import pytest
from cases import close, motion, numbers

import locomote as lo


def chain(count, length, mass, moment, com, g):
    """Links that hang down at angle zero and swing in the plane of x and z, towards +x."""
    builder, parent = lo.Builder("chain", gravity=(0, 0, -g)), None
    for k in range(count):
        at = (0, 0, -length if k else 0)
        inertia = lo.Inertia(mass, (0, 0, -com), moment)
        builder.body(f"link {k}", parent=parent, at=at, joint=lo.Joint(f"joint {k}", axis=(0, -1, 0)), inertia=inertia)
        parent = f"link {k}"
    return builder.build()


def test_simple_pendulum():
    data = numbers("mbs_a01_simple_pendulum")
    model = chain(1, 1.0, 1.0, (0, 0, 0), 1.0, data["inputs"]["g"])
    rows = data["expected"]["trajectory"]
    q, _ = motion(model, [-np.pi / 2], [0.0], [row["t"] for row in rows])
    for angle, row in zip(q[:, 0], rows, strict=True):
        assert abs(np.sin(angle) - row["x"]) < data["tolerance"]["abs"]
        assert abs(-np.cos(angle) - row["y"]) < data["tolerance"]["abs"]


@pytest.mark.parametrize("name", ["moderate", "chaotic"])
def test_double_pendulum(name):
    data = numbers("rigid_double_pendulum")
    model, start, rows = chain(2, 1.0, 1.0, (0, 0, 0), 1.0, data["inputs"]["g"]), data["inputs"][name], data["expected"][name]
    rows = [row for row in rows if row["t"] <= 10]
    q, v = motion(model, [start["theta1"], start["theta2"] - start["theta1"]], [0.0, 0.0], [row["t"] for row in rows])
    for (q1, q2), (v1, v2), row in zip(q, v, rows, strict=True):
        tolerance = data["tolerance"]["abs_t_le_5" if row["t"] <= 5 else f"abs_t_le_10_{name}"]
        expected = [float(row[key]) for key in ("theta1", "theta2", "theta1_dot", "theta2_dot")]
        assert np.max(abs(np.array([q1, q1 + q2, v1, v1 + v2]) - expected)) < tolerance


def test_chain():
    data = numbers("rigid_nlink_chain")
    for case in data["inputs"]["cases"]:
        n, length, mass = case["N"], case["l"], case["m"]
        moment = mass * length**2 / 12
        model = chain(n, length, mass, (moment, moment, 0.0), length / 2, data["inputs"]["g"])
        expected = data["expected"][f"N{n}"]
        start = np.concatenate([[np.pi / 2], np.zeros(n - 1)])
        first = lo.forward_dynamics(model, start, np.zeros(n), np.zeros(n))
        assert close(np.cumsum(first), expected["initial_angular_accelerations"], 1e-11)
        q, v = motion(model, start, np.zeros(n), [row["t"] for row in expected["trajectory"]])
        for angles, rates, row in zip(np.cumsum(q, axis=1), v, expected["trajectory"], strict=True):
            assert np.max(abs(angles - row["angles"])) < data["tolerance"]["abs"]
            tip = length * np.array([np.sin(angles).sum(), -np.cos(angles).sum()])
            assert np.max(abs(tip - row["tip"])) < data["tolerance"]["abs"]
            relative = np.diff(angles, prepend=0.0)
            energy = lo.kinetic_energy(model, relative, rates) + lo.potential_energy(model, relative)
            assert abs(energy - row["energy"]) < 1e-9


def test_spherical_pendulum():
    """On a ball joint: the bob at (0, 0, -1) of a body that turns."""
    data = numbers("rigid_spherical_pendulum")
    p, rows = data["inputs"], data["expected"]["trajectory"]
    # a point mass alone leaves the spin about the string without inertia: a ball that has some, and else the same moments
    moment = 1e-3 * p["l"] ** 2 / 1.001
    inertia = lo.Inertia(1.001, (0, 0, -p["l"] / 1.001), (moment, moment, moment))
    joint = lo.Joint("ball", "spherical")
    model = lo.Builder("pendulum", gravity=(0, 0, -p["g"])).body("bob", joint=joint, inertia=inertia).build()
    # theta from the downward vertical, in the plane phi = 0: a turn about -y
    half = -p["theta0"] / 2
    q = np.array([0.0, np.sin(half), 0.0, np.cos(half)])
    R = lo.forward_kinematics(model, q)[0, :3, :3]
    assert close(R @ (0, 0, -1), [np.sin(p["theta0"]), 0.0, -np.cos(p["theta0"])], 1e-14)
    omega = np.array([0.0, -p["thetad0"], p["phid0"]])  # world axes
    spin = R.T @ omega
    spin[2] = 0.0  # about the string
    q, v = motion(model, q, spin, [row["t"] for row in rows])
    for p_, w, row in zip(q, v, rows, strict=True):
        p_ = model.normalize(p_)
        place = lo.forward_kinematics(model, p_)[0, :3, :3] @ (0, 0, -1)
        assert np.max(abs(place - [row["x"], row["y"], row["z"]])) < data["tolerance"]["abs"]
        energy = lo.kinetic_energy(model, p_, w) + lo.potential_energy(model, p_)
        assert energy == pytest.approx(data["expected"]["energy"], abs=1e-9)


def test_heavy_top():
    data = numbers("rigid_heavy_top")
    p, rows = data["inputs"]["benchmark"], data["expected"]["benchmark"]
    inertia = lo.Inertia(p["m"], p["com"], p["J_com"])
    model = lo.Builder("top", gravity=(0, 0, -p["g"])).body("top", joint=lo.Joint("ball", "spherical"), inertia=inertia).build()
    q, v = motion(model, model.neutral(), np.array(p["omega0"], dtype=float), [row["t"] for row in rows])
    for place, w, row in zip(q, v, rows, strict=True):
        place = model.normalize(place)
        a, b, c, d = row["quaternion"]
        gap = min(np.max(abs(place - s * np.array([b, c, d, a]))) for s in (1, -1))
        assert gap < data["tolerance"]["quaternion_abs"]
        assert np.max(abs(lo.center_of_mass(model, place) - row["com"])) < data["tolerance"]["com_abs"]
        assert np.max(abs(w - row["omega"])) < 2e-4  # 150 rad/s for a while


def test_steady_precession():
    """The two rates at which a symmetric top precesses without nodding: no nodding acceleration there, and some elsewhere."""
    data = numbers("rigid_heavy_top")
    p = data["inputs"]["symmetric"]
    across = p["I_fixed_point_transverse"] - p["m"] * p["l"] ** 2
    inertia = lo.Inertia(p["m"], (0, 0, p["l"]), (across, across, p["I3"]))
    joint = lo.Joint("angles", "euler", sequence="zxz")  # precession, nutation, spin
    model = lo.Builder("top", gravity=(0, 0, -p["g"])).body("top", joint=joint, inertia=inertia).build()
    theta = np.radians(p["theta0_deg"])

    def nodding(rate):
        spin = p["omega3"] - rate * np.cos(theta)
        return lo.forward_dynamics(model, [0.3, theta, 0.1], [rate, 0.0, spin], np.zeros(3))[1]

    for rate in data["expected"]["steady_precession_slow_fast"]:
        assert abs(nodding(rate)) < 1e-9 * 60**2
        assert abs(nodding(1.01 * rate)) > 1e-3


@pytest.mark.parametrize("case", numbers("rigid_torque_free")["expected"]["cases"], ids=lambda case: case["label"])
def test_torque_free_body(case):
    data = numbers("rigid_torque_free")
    body = lo.Inertia(1.0, moment=case["I"])
    model = lo.Builder("body", base="rotation", gravity=(0, 0, 0)).body("body", inertia=body).build()
    rows = case["trajectory"]
    q, v = motion(model, model.neutral(), np.array(case["omega0"]), [row["t"] for row in rows])
    for place, w, row in zip(q, v, rows, strict=True):
        assert np.max(abs(w - np.array(row["omega"], dtype=float))) < 10 * data["tolerance"]["omega_abs"]
        a, b, c, d = row["quaternion"]
        gap = min(np.max(abs(model.normalize(place) - s * np.array([b, c, d, a]))) for s in (1, -1))
        assert gap < 10 * data["tolerance"]["quaternion_abs"]
