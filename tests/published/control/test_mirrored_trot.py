"""A trot that starts crooked, and its image in the plane y = 0 with left and right legs exchanged, stay mirror images.

The published quadruped under computed torque on soft ground, and with PD on hard ground with Coulomb friction: which legs land
first, which foot slips and how the trunk rolls must be the image, so a sign or an order of left and right anywhere shows.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import locomote as lo

FLIP = np.diag([1.0, -1.0, 1.0])
SIGNS = {"hip": [-1.0, 1.0], "knee": [1.0]}  # a hip turns about x, then about y
SYSTEM = lo.systems.load("trotting_quadruped", control="imposed")
TARGETS = SYSTEM.problem().drives


def twin(joint):
    """The joint on the other side."""
    return joint.replace("left", "?").replace("right", "left").replace("?", "right")


def signs(joint):
    return SIGNS[joint.split("_")[-1]]


def mirrored_targets():
    """What the legs of the image do."""
    result = {}
    for joint, drives in TARGETS.items():
        many = drives if isinstance(drives, list) else [drives]
        own = [sign * drive for sign, drive in zip(signs(joint), many, strict=True)]
        result[twin(joint)] = own if len(own) > 1 else own[0]
    return result


def image(model, q, v):
    """Of states over time."""
    q, v, flipped_q, flipped_v = np.atleast_2d(q), np.atleast_2d(v), np.atleast_2d(q).copy(), np.atleast_2d(v).copy()
    flipped_q[:, :3] = q[:, :3] @ FLIP
    flipped_q[:, 3:7] = q[:, 3:7] * [-1, 1, -1, 1]
    flipped_v[:, :3], flipped_v[:, 3:6] = v[:, :3] @ FLIP, -v[:, 3:6] @ FLIP
    for joint in TARGETS:
        one, two = model.joint(joint), model.joint(twin(joint))
        flipped_q[:, two.q], flipped_v[:, two.v] = signs(joint) * q[:, one.q], signs(joint) * v[:, one.v]
    return flipped_q, flipped_v


def problem(model, targets, ground):
    feet = [name for name in model.body_names if name.endswith("foot")]
    if ground == "soft":
        torques = lo.ComputedTorque(targets, 49.0, 14.0)
        below = lo.SoftGround({foot: [(0, 0, 0)] for foot in feet}, 2500.0, 3400.0, 0.7, sliding="viscous", viscosity=1500.0)
        return lo.Locomotion(model, torques=torques, environment=[below])
    torques = lo.PD(targets, 200.0, 4.0, every=1e-3)
    return lo.Locomotion(model, torques=torques, contacts=[lo.Touch(f, lo.Ground(friction=0.5), sphere=0.01) for f in feet])


@pytest.mark.parametrize("ground", ["soft", "hard"])
def test_mirrored_trots_stay_mirrored(ground):
    model = SYSTEM.model
    q, v = (np.array(x) for x in SYSTEM.initial)
    q[1], q[2], q[3:7] = 0.05, q[2] + 0.02, Rotation.from_euler("xyz", [0.05, 0.02, 0.03]).as_quat()
    v[1], v[3], v[5] = 0.1, 0.2, -0.3
    options = {"step": 1e-3} if ground == "hard" else {}
    run = problem(model, TARGETS, ground).simulate(1.5, q=q, v=v, every=0.05, progress=False, **options)
    start = image(model, q, v)
    other = problem(model, mirrored_targets(), ground).simulate(
        1.5, q=start[0][0], v=start[1][0], every=0.05, progress=False, **options
    )
    expected = image(model, run.q, run.v)
    same = np.sign(np.sum(other.q[:, 3:7] * expected[0][:, 3:7], axis=1, keepdims=True))
    other_q = np.column_stack([other.q[:, :3], same * other.q[:, 3:7], other.q[:, 7:]])
    assert other_q == pytest.approx(expected[0], abs=1e-5)
    assert other.v == pytest.approx(expected[1], abs=1e-3)
    assert abs(run.q[-1, 0] - run.q[0, 0]) > 0.2 and abs(run.q[:, 1]).max() > 0.055  # it trots, crookedly
    if ground == "hard":
        assert run.tracked["contact_law"][1] < 1e-8 and run.info["rejected"] > 10
