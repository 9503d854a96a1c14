"""Best frames: the mass centre of a floating chain, better area estimates, and rotations in space."""

import numpy as np
import pytest

import locomote as lo


def floating(base="planar", axes="zz"):
    builder = lo.Builder("floating", base=base, gravity=(0, 0, 0))
    builder.body("middle", inertia=lo.Inertia(1.0, moment=(0.1, 0.1, 0.1)))
    for name, x, mass, axis in (("a", 0.5, 1.3, axes[0]), ("b", -0.5, 0.7, axes[1])):
        own = lo.Inertia(mass, (0.8 * x, 0.1, 0.0), (0.05, 0.06, 0.1))
        builder.body(name, parent="middle", at=(x, 0, 0), joint=lo.Joint(name, axis=axis), inertia=own)
    return lo.Locomotion(builder.build(), drives={})


def test_the_mass_centre_is_the_best_frame_of_a_floating_chain():
    problem = floating()
    best = problem.connection_field({"a": (-1.5, 1.5, 9), "b": (-1.5, 1.5, 9)}).best_frame()
    for x in ([0.3, -0.4], [-1.2, 0.9], [1.5, 1.5]):
        center = lo.center_of_mass(problem.model, [0.0, 0.0, 0.0, *x])
        assert abs(best.frame.pose(x)[:3, 3] - center).max() < 1e-8
    assert abs(best.A[:, :, :2]).max() < 1e-8  # it does not move


@pytest.mark.parametrize("name", ["purcell_swimmer", "perfect_fluid_swimmer"])
def test_area_estimates_are_better_in_the_best_frame(name):
    problem = lo.systems.load(name).problem()
    field = problem.connection_field({"front": (-1.5, 1.5, 5), "rear": (-1.5, 1.5, 5)})
    frame = field.best_frame(degree=12).frame
    for size, middle in ((0.3, (0.0, 0.0)), (0.6, (0.4, -0.3)), (1.0, (0.0, 0.0)), (0.8, (-0.3, -0.5))):
        paths = {
            "front": lo.Fourier(middle[0], [size], frequency=1.0),
            "rear": lo.Fourier(middle[1], [0.2 * size], [0.9 * size], frequency=1.0),
        }
        gait = lo.gaits.Gait(paths)
        net = lo.gaits.displacement(problem, gait)
        assert np.linalg.norm(frame.area(field.form, gait) - frame.log(net)) < 0.6 * net.area_error


@pytest.mark.parametrize(("base", "group"), [("rotation", "SO(3)"), ("free", "SE(3)")])
def test_frames_in_space_make_the_connection_smaller(base, group):
    problem = floating(base, "xy")
    field = problem.connection_field({"a": (-1.0, 1.0, 9), "b": (-1.0, 1.0, 9)})
    best = field.best_frame(degree=8)
    assert field.form.group.name == group
    rough = field.A[..., -3:, :]
    assert np.square(best.A[..., -3:, :]).mean() < 0.8 * np.square(rough).mean()
    # the frame is a change of frame: the curvature turns with it, and net motions are conjugate
    h = best.frame.pose(np.stack(np.meshgrid(field.x, field.y, indexing="ij"), -1))
    turned = np.linalg.inv(field.form.group.adjoint(h)) @ field.curvature[..., None]
    assert np.allclose(best.curvature, turned[..., 0], atol=1e-10)
    step = field.x[1] - field.x[0]
    d = (best.A[2:, 1:-1, :, 1] - best.A[:-2, 1:-1, :, 1] - best.A[1:-1, 2:, :, 0] + best.A[1:-1, :-2, :, 0]) / (2 * step)
    assert np.allclose(best.exterior[1:-1, 1:-1], d, atol=0.1 * abs(best.exterior).max())
