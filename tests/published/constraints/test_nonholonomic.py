"""Closed-form motions with constraints on velocities.

Chaplygin's sleigh; data/nh_chaplygin_sleigh.json. Knife edge, coin, turntable, cylinder, incline;
data/nh_exact_collection.json. A pendulum of imposed length; data/nh_variable_length_pendulum.json.
"""

import numpy as np
import pytest
from cases import close, numbers
from problems import run_through

import locomote as lo

SLEIGH, EXACT, PUMPED = numbers("nh_chaplygin_sleigh"), numbers("nh_exact_collection"), numbers("nh_variable_length_pendulum")
CLOSED = EXACT["expected"]


def test_chaplygin_sleigh():
    system, rows = lo.systems.load("chaplygin_sleigh"), SLEIGH["expected"]["trajectory"]
    q, v, run = run_through(system.problem(), [0.0, *(row["t"] for row in rows)], *system.initial)
    for k, row in enumerate(rows, 1):
        assert close(q[k], [row["x_knife"], row["y_knife"], row["theta"]], SLEIGH["tolerance"]["abs"])
        assert close(v[k], [row["v"], 0.0, row["omega"]], SLEIGH["tolerance"]["abs"])
    assert np.max(abs(run.kinetic - SLEIGH["expected"]["energy"])) < 1e-9


def test_knife_edge_on_a_slope():
    slope, spin = EXACT["inputs"]["incline_angle"], EXACT["inputs"]["knife_edge_spin"]
    system = lo.systems.load("chaplygin_sleigh", ahead=0.0, speed=0.0, spin=spin, slope=slope)
    turn = 2 * np.pi / spin
    q, _, _ = run_through(system.problem(), [0.0, 1.0, turn], *system.initial)
    assert close(q[1, :2], [CLOSED["knife_edge"]["x_at_1"], CLOSED["knife_edge"]["y_at_1"]], 1e-9)
    assert close(q[2, :2], [0.0, CLOSED["knife_edge"]["drift_per_turn"]], 1e-9)


def test_upright_coin_runs_on_a_circle():
    p = EXACT["inputs"]["coin"]
    rates = {"yaw_rate": p["yaw_rate"], "roll_rate": p["roll_rate"]}
    system = lo.systems.load("rolling_disc", upright="held", mass=p["m"], radius=p["R"], **rates)
    times = np.linspace(0.0, 2 * np.pi / p["yaw_rate"], 9)
    q, v, _ = run_through(system.problem(), times, *system.initial)
    assert close(np.hypot(q[:, 0], q[:, 1] - CLOSED["coin"]["radius"]), np.full(9, CLOSED["coin"]["radius"]), 1e-9)
    assert close(v[:, 0], np.full(9, CLOSED["coin"]["speed"]), 1e-9)


def test_disc_keeps_a_steady_circle():
    """Routh's condition for a leaning disc: (6 roll + 5 yaw sin lean) yaw R cos lean = -4 g sin lean ... as 6 w + 5 s."""
    radius, lean, yaw = 0.2, 0.25, -2.0
    g, s, c = 9.81, np.sin(lean), np.cos(lean)
    # moment about the contact: (3/2 roll + (5/4) yaw s) R yaw c + g s = 0 per m R, roll is the spin of the disc on its axle
    roll = -(g * s / (radius * yaw * c) + 1.25 * yaw * s) / 1.5
    system = lo.systems.load("rolling_disc", radius=radius, lean=lean, yaw_rate=yaw, roll_rate=roll)
    q, v, _ = run_through(system.problem(), [0.0, 1.0, 2.0], *system.initial)
    assert close(q[:, 2], np.full(3, radius * c), 1e-8)


def test_ball_on_turntable():
    system, rate = lo.systems.load("ball_on_turntable"), CLOSED["turntable"]["rate"]
    assert system.parameters["rate"] == EXACT["inputs"]["turntable"]["Omega"]
    times = np.linspace(0.0, 2 * np.pi / rate, 9)
    q, v, _ = run_through(system.problem(), times, *system.initial)
    start, speed = q[0, :2], np.array([0.0, system.parameters["speed"]])
    center = start + np.array([-speed[1], speed[0]]) / rate
    angles = rate * times
    turned = np.stack([np.cos(angles), np.sin(angles)]) * (start - center)[0]
    assert close(q[:, :2], (center[:, None] + turned).T, 1e-9)


def test_ball_in_a_cylinder():
    """A ball that rolls round inside an upright cylinder does not fall, but goes up and down."""
    p, ball = EXACT["inputs"]["cylinder"], 0.1
    radius, spin = p["R_minus_r"] + ball, p["ball_omega_about_axis"]
    model = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, ball)).build()
    wall = lo.Cylinder(radius=radius, inside=True)
    problem = lo.Locomotion(model, constraints=[lo.Rolling("ball", tube=ball, surface=wall)])
    # the center runs around the axis at the rate theta', the ball rolls: no spin along the radius, none about the axis of y
    rate = spin  # of the center around the axis
    q, v = model.neutral(), np.zeros(6)
    q[0] = p["R_minus_r"]
    v[1], v[5] = rate * p["R_minus_r"], -rate * p["R_minus_r"] / ball
    up = CLOSED["cylinder"]["rate_solid_ball"]
    times = np.linspace(0.0, 2 * np.pi / up, 9)
    q, _, _ = run_through(problem, times, q, v)
    assert close(np.hypot(q[:, 0], q[:, 1]), np.full(9, p["R_minus_r"]), 1e-9)
    # z'' = -(5/7) g - up^2 z for a ball that starts without spin along the radius
    low = -5 / 7 * 9.81 / up**2
    assert close(q[:, 2], low * (1 - np.cos(up * times)), 1e-9)


@pytest.mark.parametrize("shape", ["sphere", "hoop", "disc"])
def test_rolling_down_an_incline(shape):
    slope = EXACT["inputs"]["incline_angle"]
    expected = CLOSED["sphere_on_incline"]["acceleration" if shape == "sphere" else shape]
    moment = {"sphere": 0.4, "hoop": 1.0, "disc": 0.5}[shape]
    gravity = (9.81 * np.sin(slope), 0.0, -9.81 * np.cos(slope))
    model = lo.Builder(shape, base="free", gravity=gravity).body(
        "it", at=(0, 0, 1), inertia=lo.Inertia(1.0, moment=[moment] * 3)
    )
    contact = lo.Rolling("it", tube=1.0) if shape == "sphere" else lo.Rolling("it", 1.0, axle=(0, 1, 0))
    problem = lo.Locomotion(model.build(), constraints=[contact])
    a = problem.evaluate(0.0, *problem.initial()).a
    assert abs(a[0] - expected) < 1e-9 * expected


def test_pumped_pendulum():
    system, rows = lo.systems.load("pumped_pendulum"), PUMPED["expected"]["trajectory"]
    q, v, _ = run_through(system.problem(), [0.0, *(row["t"] for row in rows)], *system.initial)
    for k, row in enumerate(rows, 1):
        assert close([q[k, 0], v[k, 0]], [row["theta"], row["theta_dot"]], PUMPED["tolerance"]["abs"])
