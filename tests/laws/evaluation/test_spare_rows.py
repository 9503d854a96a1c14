"""Loops that are closed more often than need be: a planar four-bar by a joint in space, on any base, in any place."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import locomote as lo

LENGTHS = (1.0, 0.4, 1.0, 0.7)


def four_bar(base, **closed):
    builder = lo.Builder("four-bar", base=base, gravity=(0, 0, 0))
    bars = [lo.Inertia(0.5, (x / 2, 0, 0), (0.01, x * x / 24 + 0.01, x * x / 24 + 0.01)) for x in LENGTHS]
    frame, crank, coupler, rocker = LENGTHS
    builder.body("frame", inertia=bars[0])
    builder.body("crank", parent="frame", joint=lo.Joint("a", axis=(0, 1, 0)), inertia=bars[1])
    builder.body("coupler", parent="crank", at=(crank, 0, 0), joint=lo.Joint("b", axis=(0, 1, 0)), inertia=bars[2])
    builder.body("rocker", parent="frame", at=(frame, 0, 0), joint=lo.Joint("c", axis=(0, 1, 0)), inertia=bars[3])

    def end(x):
        pose = np.eye(4)
        pose[:3, :3], pose[0, 3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]], x  # z along y of the bar
        return pose

    loop = lo.LoopClosure("coupler", "rocker", frame=end(coupler), other_frame=end(rocker), **closed)
    return lo.Locomotion(builder.build(), constraints=[loop])


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("closed", [{"kind": "revolute"}, {"kind": "cylindrical"}, {"kind": "spherical"}, {"locked": "xy"}])
def test_steps_over_contacts_take_spare_rows_as_others_do(base, closed):
    problem = four_bar(base, **closed)
    q, v = problem.model.neutral(), np.zeros(problem.model.nv)
    if base == "free":
        q[:3], q[3:7] = (0.3, -0.2, 0.5), Rotation.from_euler("xyz", [0.4, 1.1, -0.6]).as_quat()
        v[:6] = 0.1, 0.2, -0.3, 0.4, 0.5, 0.6
    q[-3:], v[-3] = (-1.0, 0.6, -1.8), 5.0
    q, v = problem.initial(q, v)
    exact = problem.simulate(0.5, q=q, v=v, every=0.1, progress=False)
    run = problem.simulate(0.5, q=q, v=v, method="timestep", step=5e-4, every=0.1, progress=False)
    assert np.allclose(run.v, exact.v, atol=2e-3), abs(run.v - exact.v).max()
    assert run.audit.ok, run.audit
    runs = lo.rollout(problem, None, 3, q=q, v=v, duration=0.5, step=5e-4, method="timestep")
    assert np.allclose(runs.v[:, -1], exact.v[-1], atol=2e-3)
