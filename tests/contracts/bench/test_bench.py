"""The benchmarks of specialised functions and rollouts run and compare like with like; what is fast is no matter here."""

import numpy as np
import pytest

from locomote.bench import rollouts, specialised
from locomote.bench.models import chain
from locomote.bench.scaling import scaling


def test_peak_is_a_rate():
    rate, threads = specialised.peak()
    assert 1e8 < rate < 1e13 and 0.1 < threads < 3.0


def test_scaling():
    result = scaling(1, (2, 5))
    assert [row["links"] for row in result["rows"]] == [2, 5]
    assert all(row["inverse_us"] > 0.0 and row["forward_us"] > 0.0 for row in result["rows"])


def test_specialised_functions(monkeypatch):
    monkeypatch.setattr(specialised, "BATCH", 64)
    rows = specialised.compare_specialised(chain(3), 1)
    assert [row["function"] for row in rows] == list(specialised.FUNCTIONS)
    for row in rows:
        assert all(np.isfinite(x) and x >= 0 for x in row.values() if isinstance(x, float))
        assert row["batch_ratio"] == pytest.approx(row["pinocchio_us"] / row["batch_us"])
        assert row["again_s"] < row["compile_s"]


def test_rollouts(monkeypatch):
    for name, value in (("RUNS", 8), ("FEW", 2), ("STEP", 0.05)):
        monkeypatch.setattr(rollouts, name, value)
    rows = rollouts.measure_rollouts(1)
    assert [(row["system"], row["method"]) for row in rows] == [
        (system, method) for system in ("snakeboard", "quadruped") for method in ("rk4", "euler")
    ]
    assert all(row["mujoco_ratio"] == pytest.approx(row["ours"] / row["mujoco"]) for row in rows)


def test_mujoco_has_the_same_robot():
    """One Euler step of the same torques leads to the same state."""
    from locomote.compiled.rollout import rollout
    from locomote.formats.mjcf.writer import write_mjcf
    from locomote.locomotion.problem import Locomotion
    from locomote.systems import catalogue

    model = catalogue.load("quadruped").model
    controls = 0.2 * np.random.default_rng(0).normal(size=(1, 20, 12))
    ours = rollout(Locomotion(model), controls, step=rollouts.STEP, method="euler", q=model.neutral(), v=np.zeros(model.nv))
    states = rollouts.mujoco_rollout(write_mjcf(model, visuals=False), "Euler", controls)()[0][0]
    q = states[-1, 1 : 1 + model.nq]  # after the time
    assert np.allclose(q[7:], ours.q[0, -1, 7:], atol=1e-4) and np.allclose(q[:3], ours.q[0, -1, :3], atol=1e-6)
