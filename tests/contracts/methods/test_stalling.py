"""Runs whose steps become shorter without end stop and say so; runs that are merely slow do not."""

import numpy as np
import pytest

import locomote as lo
from locomote.methods.stalling import WINDOW, Progress


def stall(steps, count, chunk=700):
    """After how many steps a run with these lengths of steps counts as stalled, looked at as `Runner.go` does; or None."""
    t, progress, done = np.cumsum(steps), Progress(0.0), 0
    while done < count:
        done += min(chunk, progress.left(done), count - done)
        if progress.stalls(done, float(t[done - 1])):
            return done
    return None


def test_steps_that_never_reach_an_end_are_found():
    n = np.arange(1.0, 60_001)
    assert stall(1e-3 / n**2, 60_000) == stall(1e-3 / n**2, 60_000, chunk=10**9) <= 6 * WINDOW


@pytest.mark.parametrize(
    "steps",
    [
        np.full(100_000, 1e-9),
        np.r_[np.full(30_000, 1.0), np.full(60_000, 1e-7)],  # from free flight into something stiff
        1e-2 / np.sqrt(np.arange(1.0, 100_001)),  # a rotor that turns faster and faster
        1e-2 / np.arange(1.0, 100_001),  # even so: this goes to infinity, if slowly
        np.abs(np.sin(np.arange(100_000) / 3e4)) ** 4 * 1e-3 + 1e-9,
    ],
)
def test_steps_that_get_somewhere_are_not(steps):
    assert stall(steps, len(steps)) is None


@pytest.mark.parametrize("method", ["adaptive", "implicit"])
def test_a_damped_joint_of_angles_in_its_gimbal_lock_ends_with_a_sentence(method):
    joint = lo.Joint("ball", "euler", sequence="xyz", damping=0.5)
    body = lo.Inertia(1.0, (0, 0, 0.1), np.diag([0.1, 0.2, 0.15]))
    problem = lo.Locomotion(lo.Builder("top").body("b", joint=joint, inertia=body).build())
    with pytest.raises(lo.RunFailed, match=r"without end at t = 0\.148.*ball\.rate 1 about x - ball\.rate 3 about z") as e:
        problem.simulate(2.0, q=[0, 1.4, 0], v=[2.0, 1.0, -3.0], method=method, progress=False)
    assert e.value.run.info["steps"] <= 10 * WINDOW and abs(e.value.run.q[-1, 1] - np.pi / 2) < 1e-3  # the lock
    assert np.isfinite(e.value.run.v).all()


def test_a_step_that_time_does_not_feel_ends_the_run():
    model = lo.Builder("free", base="free").body("b", inertia=lo.Inertia(1.0, (0, 0, 0), np.eye(3))).build()
    with pytest.raises(lo.RunFailed, match="step became too small"):
        lo.Locomotion(model).simulate(1.0, t=1e12, method="rk4", step=1e-5, progress=False)
