"""Where packed frames stand: any angle between axes, exact zeros where geometry has them, nothing lost where it is sloppy."""

import numpy as np
import pytest
from mechanisms import case_of, random_inertia, relative

import locomote as lo
from locomote.model import columns as col
from locomote.model.frames import turns
from locomote.model.joints import in_line, screw_turn
from locomote.spatial.rotations_arrays import matrix_from_vector

ANGLES = (0.0, 1e-16, 3e-15, 1e-13, 1e-9, 3.7e-6, 0.1, 0.29, 0.31, np.pi / 2, 1.5708, 3.0, 3.1415927, np.pi)


def about(axis, angle):
    return matrix_from_vector(angle * np.eye(3)[axis])


def chain(lean, rng, joints=5):
    """Axes that lean on each other by one angle, otherwise placed at random; a second child on every body."""
    bodies = []
    for k in range(joints):
        for name, inner in ((f"link {k}", 0.0), (f"side {k}", 0.2)):
            place = np.eye(4)
            place[:3, :3] = about(2, rng.normal()) @ about(0, lean + inner) @ about(2, rng.normal())
            place[:3, 3] = rng.uniform(-0.5, 0.5, 3)
            kind = "prismatic" if name == "side 2" else "helical" if name == "side 3" else "revolute"
            joint = lo.Joint(f"joint of {name}", kind=kind, axis="z", pitch=0.1 if kind == "helical" else 0.0)
            bodies.append(lo.Body(name, f"link {k - 1}" if k else None, place, (joint,), random_inertia(rng)))
    return lo.Description("leaning", tuple(bodies))


@pytest.mark.parametrize("lean", ANGLES)
def test_any_angle_between_axes(lean):
    case = case_of(chain(lean, np.random.default_rng(0)))
    assert relative(lo.inverse_dynamics(case.model, case.q, case.v, case.a), case.truth.inverse_dynamics()) < 1e-13
    assert relative(lo.mass_matrix(case.model, case.q), case.truth.mass_matrix()) < 1e-13
    force = lo.inverse_dynamics(case.model, case.q, case.v, case.a)
    assert relative(lo.forward_dynamics(case.model, case.q, case.v, force), case.a) < 1e-10
    poses = lo.forward_kinematics(case.model, case.q)
    for name, pose in zip(case.model.body_names, poses, strict=True):
        assert abs(pose - case.truth.pose(name)).max() < 2e-14


@pytest.mark.parametrize("lean", [0.0, 0.31, np.pi / 2, 2.5, np.pi])
def test_first_children_are_in_line(lean):
    model = lo.Model(chain(lean, np.random.default_rng(1)))
    rows = [int(model.carrier[model.body_index(f"link {k}")]) for k in range(1, 5)]
    assert all(in_line(model.topology, model.constants, i) for i in rows)


@pytest.mark.parametrize("lean", [1e-9, 3.7e-6, 0.1])
def test_frames_of_nearly_parallel_axes_stay_at_their_joints(lean):
    """Their common normal may be far away."""
    model = lo.Model(chain(lean, np.random.default_rng(2)))
    assert abs(model.placement[:, :3, 3]).max() < 1.0
    assert abs(model.constants[:-1, col.DISPLACEMENT : col.DISPLACEMENT + 3]).max() < 1.0


def test_turns_make_up_the_rotation():
    rng = np.random.default_rng(3)
    R = np.array([about(2, rng.normal()) @ about(0, lean) @ about(2, rng.normal()) for lean in ANGLES for _ in range(20)])
    found = turns(R)
    for given, (a, b, c, d, s, e) in zip(R, found, strict=True):
        row = np.array([[a, b, c, d, s, e]])
        assert abs(np.array(screw_turn(row, 0, s, e)).reshape(3, 3) - given).max() < 2e-14
    assert (found[:, 1] >= 0.0).all()


def test_right_angles_are_exact():
    """What rounding left of zeros and ones is taken away, so that traces fold it."""
    R = np.array([about(2, m * np.pi / 2) @ about(0, n * np.pi / 2) for m in range(4) for n in range(4)])
    assert np.isin(turns(R), (-1.0, 0.0, 1.0)).all()
