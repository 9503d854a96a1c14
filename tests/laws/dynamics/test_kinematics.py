"""Poses, Jacobians, velocities and accelerations of bodies and points, against the second formulation and as derivatives."""

import numpy as np
import pytest
from mechanisms import relative

import locomote as lo

FRAMES = ("local", "world", "aligned")
POINT = (0.17, -0.31, 0.23)
TOLERANCE = 1e-12


def some_bodies(case):
    """The first, the last, and some in between."""
    names = case.model.body_names
    return sorted({names[0], names[-1], names[len(names) // 2], names[len(names) // 3]})


def test_poses(case):
    poses = lo.forward_kinematics(case.model, case.q)
    assert relative(poses, np.array([case.truth.pose(name) for name in case.model.body_names])) < TOLERANCE


@pytest.mark.parametrize("frame", FRAMES)
def test_jacobian(case, frame):
    for body in some_bodies(case):
        ours = lo.jacobian(case.model, case.q, body, point=POINT, frame=frame)
        assert relative(ours, case.truth.jacobian(body, POINT, frame)) < TOLERANCE
        origin = lo.jacobian(case.model, case.q, body, frame=frame)
        assert relative(origin, case.truth.jacobian(body, frame=frame)) < TOLERANCE


@pytest.mark.parametrize("frame", FRAMES)
def test_jacobian_rate(case, frame):
    for body in some_bodies(case):
        ours = lo.jacobian_rate(case.model, case.q, case.v, body, point=POINT, frame=frame)
        assert relative(ours, case.truth.jacobian_rate(body, POINT, frame)) < TOLERANCE


@pytest.mark.parametrize("frame", FRAMES)
def test_velocity_and_acceleration(case, frame):
    J, rate = (getattr(case.truth, name) for name in ("jacobian", "jacobian_rate"))
    for body in some_bodies(case):
        velocity = lo.velocity(case.model, case.q, case.v, body, point=POINT, frame=frame)
        assert relative(velocity, J(body, POINT, frame) @ case.v) < TOLERANCE
        acceleration = lo.acceleration(case.model, case.q, case.v, case.a, body, point=POINT, frame=frame)
        assert relative(acceleration, J(body, POINT, frame) @ case.a + rate(body, POINT, frame) @ case.v) < TOLERANCE


def test_acceleration_of_a_point_is_its_second_derivative(case):
    for body in some_bodies(case):
        jet = case.truth.jets[body]
        ours = lo.acceleration(case.model, case.q, case.v, case.a, body, point=POINT, frame="aligned")
        assert relative(ours[:3], (jet.tt @ [*POINT, 1.0])[:3]) < TOLERANCE
        local = lo.acceleration(case.model, case.q, case.v, case.a, body)
        assert relative(local, case.truth.twist_rate(body)) < TOLERANCE


def test_jacobian_is_the_derivative_of_poses(case):
    """By central differences of the library's own poses along its own `integrate`."""
    model, h = case.model, 1e-5
    for body in some_bodies(case)[:2]:
        n = model.body(body).index
        J = lo.jacobian(model, case.q, body, point=POINT, frame="aligned")
        steps = h * np.eye(model.nv)
        ahead, behind = (lo.forward_kinematics(model, model.integrate(case.q, s * steps))[:, n] for s in (1, -1))
        moved = ((ahead - behind) @ [*POINT, 1.0])[:, :3].T / (2 * h)
        assert relative(J[:3], moved) < 1e-8
        R = lo.forward_kinematics(model, case.q)[n, :3, :3]
        spin = (ahead - behind)[:, :3, :3] @ R.T / (2 * h)
        assert relative(J[3:], np.array([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]])) < 1e-8


def test_frames_belong_together(case):
    body = case.model.body_names[-1]
    R, p = case.truth.pose(body)[:3, :3], (case.truth.pose(body) @ [*POINT, 1.0])[:3]
    local, world, aligned = (lo.jacobian(case.model, case.q, body, point=POINT, frame=f) for f in FRAMES)
    assert relative(R @ local[:3], aligned[:3]) < TOLERANCE
    assert relative(R @ local[3:], aligned[3:]) < TOLERANCE
    assert relative(world[:3] + np.cross(world[3:], p[:, None], axis=0), aligned[:3]) < TOLERANCE


def test_body_by_number(case):
    n = len(case.model.body_names) - 1
    by_name = lo.jacobian(case.model, case.q, case.model.body_names[n])
    assert np.array_equal(lo.jacobian(case.model, case.q, n), by_name)
