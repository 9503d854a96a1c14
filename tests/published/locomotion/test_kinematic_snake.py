"""Wheeled snakes: rows, connection, singular shapes, follower-leader, gaits.

Boyer, Porez (2014), numbers derived independently; data/kinematic_snake.json.
Shammas, Choset, Rizzi (2007), three links seen from the middle one; data/nh_kinematic_snake.json.
"""

import numpy as np
import pytest
from cases import close, numbers
from problems import run_through, through

import locomote as lo

DATA, SHAMMAS = numbers("kinematic_snake"), numbers("nh_kinematic_snake")


def snake(links, **changes):
    return lo.systems.load("acm_snake", links=links, length=1.0, **changes)


def connection(A, n=3):
    """eta + connection r' = 0."""
    return np.linalg.solve(A[:, :n], A[:, n:])


@pytest.mark.parametrize("case", DATA["cases"], ids=["first", "second"])
def test_three_links(case):
    given, expected, system = case["input"], case["expected"], snake(3, imposed="arc")
    drives = {f"joint{k + 1}": through(r, rd) for k, (r, rd) in enumerate(zip(given["r"], given["rd"], strict=True))}
    problem = lo.Locomotion(system.model, drives=drives, constraints=system.problem().constraints)
    q = np.array([0.3, -0.2, 0.7, *given["r"]])
    A = problem.rows(0.0, q)[0]
    assert close(A[:, :3], expected["A"], 1e-13) and close(A[:, 3:], expected["B"], 1e-13)
    assert close(np.linalg.det(A[:, :3]), expected["detA"], 1e-13)
    assert close(connection(A), expected["connection"], 1e-12)
    form = problem.connection(q)
    assert form.kind == "kinematic" and close(form.A, expected["connection"], 1e-12)
    _, v = problem.initial(q, np.zeros(5))
    assert close(v[:3], expected["eta"], 1e-12)
    case = problem.classify(0.0, q)
    assert (case.rank, case.locked_rank, case.free, case.self_stress) == (3, 3, 0, 0)


@pytest.mark.parametrize("row", DATA["singular"], ids=["straight", "arc"])
def test_singular_shapes(row):
    """All axles meet in one point, or are parallel: one motion is left to dynamics."""
    system = snake(row["links"], imposed="arc", angle=row["joint_angle"])
    case = system.problem().classify(0.0, system.initial[0])
    assert case.locked_rank == row["rank_A"] and case.free == 1


def test_follower_leader():
    run = DATA["follower_leader"]
    system = snake(8, speed=0.5, yaw_rate=0.4, rate=0.6)
    q, v, _ = run_through(system.problem(), run["t"], *system.initial)
    assert close(q[:, :10], run["head_pose_then_joints"], 1e-9)
    assert close(v[:, 0], np.full(len(q), 0.5), 1e-9)


def test_links_follow_the_head():
    """Middles of later links run on the track of the head, up to the corners that rigid links cut."""
    system = lo.systems.load("acm_snake")
    case = system.problem().classify(0.0, system.initial[0])
    assert case.rank == 23 and case.free == 0
    times = np.linspace(0.0, 14.0, 1401)
    q, _, _ = run_through(system.problem(), times, *system.initial, rtol=1e-9, atol=1e-11)
    middle = lo.forward_kinematics(system.model, q[-1])[10, :2, 3]
    assert np.min(np.hypot(*(q[:, :2] - middle).T)) < 0.01


def test_over_constrained_torques():
    """All joints imposed: 21 axles over three motions leave 18 self-stresses and the motion is the leader's."""
    driven = lo.systems.load("acm_snake", imposed="joints")
    problem = driven.problem()
    q, v = problem.initial(*driven.initial)
    assert close(v[:2], [0.3, 0.0], 1e-9)
    case, now = problem.classify(0.0, q), problem.evaluate(0.0, q, v)
    assert (case.rank, case.locked_rank, case.self_stress, case.free) == (21, 3, 18, 0)
    assert case.over_constrained and case.mobility == 2
    assert now.self_stress.shape == (21, 18) and now.incompatibility < 1e-9

    # joint torques do what a force and a moment on the head do that impose its speed and yaw rate
    leader = led(driven).evaluate(led_time(driven), q, v)
    assert close(leader.a, now.a, 1e-8)
    power = now.tau[3:] @ v[3:]
    assert abs(power) > 0.01 and abs(power - leader.reactions[-2:] @ v[[0, 2]]) < 1e-9
    # self-stress changes torques but gives no power
    A = problem.rows(0.0, q)[0]
    stressed = now.tau - A.T @ now.self_stress[:, 0]
    assert not close(stressed[3:], now.tau[3:], 1e-2) and abs(stressed[3:] @ v[3:] - power) < 1e-9


def led(system):
    """The same snake with passive joints and a rheonomic constraint on the body velocity of its head."""
    p, A = system.parameters, np.zeros((2, system.model.nv))
    A[0, 0] = A[1, 2] = 1.0
    w, f = p["yaw_rate"], p["rate"]
    head = lo.Custom(
        rows=lambda t, q, v: A,
        speed=lambda t, q, v: (-p["speed"], -w * np.cos(f * t)),
        drift=lambda t, q, v: (0.0, w * f * np.sin(f * t)),
        count=2,
    )
    return lo.Locomotion(system.model, constraints=[*system.problem().constraints, head])


def led_time(system):
    from types import SimpleNamespace

    from locomote.systems.acm_snake import warm_up

    return warm_up(SimpleNamespace(**system.parameters))


def three_from_the_middle():
    """Links of length 1: rear at -a1, front at +a2, seen from the middle one."""
    builder = lo.Builder("three links", base="planar")
    link = lo.Inertia.rod(1.0, 1.0)
    builder.body("middle", inertia=link)
    front, rear = lo.Joint("front", anchor=(-0.5, 0, 0)), lo.Joint("rear", axis=(0, 0, -1), anchor=(0.5, 0, 0))
    builder.body("front_link", parent="middle", at=(1, 0, 0), joint=front, inertia=link)
    builder.body("rear_link", parent="middle", at=(-1, 0, 0), joint=rear, inertia=link)
    return builder.build()


def gait_problem(one, two):
    """Drives of a1 (rear) and a2 (front)."""
    blades = [lo.Blade(name) for name in ("middle", "front_link", "rear_link")]
    return lo.Locomotion(three_from_the_middle(), drives={"rear": one, "front": two}, constraints=blades)


@pytest.mark.parametrize("sample", SHAMMAS["expected"]["samples"], ids=lambda sample: str(sample["a"]))
def test_connection_from_the_middle(sample):
    problem = gait_problem(*sample["a"])
    q = np.array([0.0, 0.0, 0.0, sample["a"][1], sample["a"][0]])
    A = problem.rows(0.0, q)[0]
    assert close(connection(A)[:, ::-1], sample["A"], 1e-12)
    assert close(problem.connection(q).A[:, ::-1], sample["A"], 1e-12)


@pytest.mark.parametrize("k, centers, radius", [(0, (1.0, -1.0), 0.4), (1, (0.9, -0.7), 0.3)])
def test_gait_displacement(k, centers, radius):
    problem = gait_problem(lo.Sine(radius, 1.0, np.pi / 2, centers[0]), lo.Sine(radius, 1.0, 0.0, centers[1]))
    q, _, _ = run_through(problem, [0.0, 2 * np.pi])
    assert close(q[-1, :3], SHAMMAS["expected"]["gaits"][k]["displacement"], SHAMMAS["tolerance"]["abs"])
