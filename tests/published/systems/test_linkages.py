"""Linkages against their closed forms; all audits pass, driven and let go."""

import numpy as np
import pytest

import locomote as lo
from locomote.systems import linkages


def run_of(kind, motion="driven"):
    system = lo.systems.load("linkages", kind=kind, motion=motion)
    run = system.problem().simulate(system.duration, every=0.02, progress=False)
    assert run.audit.ok, str(run.audit)
    return system.model, run


@pytest.mark.parametrize("kind", linkages.KINDS)
def test_let_go_they_keep_their_energy(kind):
    _, run = run_of(kind, "fall")
    assert np.ptp(run.total) < 1e-6 * max(1.0, run.kinetic.max())


def test_cam_lifts_as_its_disc_says():
    _, run = run_of("cam")
    a, far = run.q[:, 0], 0.24
    assert np.allclose(run.q[:, 1], 0.1 * np.sin(a) + np.sqrt(far**2 - (0.1 * np.cos(a)) ** 2), atol=1e-7)


def test_fingers_are_mirror_images():
    _, run = run_of("gripper")
    assert np.allclose(run.q[:, 1], -run.q[:, 2], atol=1e-7) and np.ptp(run.q[:, 1]) > 0.5


def test_platform_stays_on_its_arms():
    """Its corners are where arms of two links end, by plain trigonometry."""
    model, run = run_of("three_rrr")
    poses = lo.forward_kinematics(model, run.q)
    plate = poses[:, model.body_index("platform")]
    p = lo.systems.load("linkages", kind="three_rrr").parameters
    from types import SimpleNamespace

    places = linkages.corners(SimpleNamespace(**p))
    for k, (way, end) in enumerate(zip(linkages.spokes(), ("", "_2", "_3"), strict=True)):
        a, b = (run.q[:, model.joint(f"{name}{end}").q.start] for name in ("crank", "elbow"))
        x = 0.4 * np.cos(way) + 0.25 * (np.cos(a) + np.cos(a + b))
        z = 0.4 * np.sin(way) + 0.25 * (np.sin(a) + np.sin(a + b))
        corner = plate[:, :3, :3] @ places[k] + plate[:, :3, 3]
        assert np.allclose(corner[:, [0, 2]], np.column_stack([x, z]), atol=1e-7)
    assert np.ptp(plate[:, 0, 3]) > 0.02
