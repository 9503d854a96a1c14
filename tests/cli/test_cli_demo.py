"""The demonstration: its integrator, its audit, its files."""

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import locomote as lo
from locomote import demo
from locomote.cli import app


def test_demo_passes_and_writes(tmp_path):
    pytest.importorskip("matplotlib")
    arguments = ["demo", "--seconds", "0.2", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "audit passed" in result.stdout and "tumble.npz" in result.stdout
    saved = np.load(tmp_path / "out" / "tumble.npz")
    model = lo.systems.load("humanoid").model
    assert saved["q"].shape == (len(saved["t"]), model.nq) and saved["slots"][0] == "q[0] base x"
    with open(tmp_path / "out" / "tumble.csv") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(saved["t"]) and np.isclose(float(rows[-1]["total_J"]), saved["total"][-1])
    assert (tmp_path / "out" / "tumble.png").stat().st_size > 10_000


def test_demo_as_json(tmp_path):
    result = CliRunner().invoke(app, ["demo", "--seconds", "0.1", "--out", str(tmp_path), "--json"])
    found = json.loads(result.stdout)
    assert found["passed"] and len(found["audit"]) == 4


def test_a_coarse_step_fails_the_audit(tmp_path):
    result = CliRunner().invoke(app, ["demo", "--seconds", "0.5", "--step", "0.01", "--out", str(tmp_path)])
    assert result.exit_code == 1 and "audit failed" in result.stdout and "smaller --step" in result.stdout


def test_a_step_far_too_large_says_so(tmp_path):
    result = CliRunner().invoke(app, ["demo", "--seconds", "2", "--step", "0.05", "--out", str(tmp_path)])
    assert result.exit_code == 1 and "take a smaller step" in result.stderr and "Traceback" not in result.stderr


def mixed_model():
    """A free base with a spherical and a planar joint: every group at once."""
    builder = lo.Builder("mixed", base="free")
    builder.body("base", inertia=lo.Inertia.box(2.0, (0.3, 0.2, 0.1)))
    ball = lo.Joint("ball", "spherical")
    club = lo.Inertia.rod(0.5, 0.4) + lo.Inertia.sphere(0.1, 0.05)
    builder.body("arm", parent="base", at=(0.1, 0, 0), joint=ball, inertia=club)
    plane = lo.Joint("plane", "planar")
    builder.body("cart", parent="base", at=(0, 0, 0.1), joint=plane, inertia=lo.Inertia.box(0.4, (0.1, 0.1, 0.05)))
    return builder.build()


def test_order_of_the_integrator():
    """On every group: halving the step divides the distance between solutions by 16."""
    model = mixed_model()
    rng = np.random.default_rng(1)
    q, v = model.random(rng), 2 * rng.normal(size=model.nv)
    times = np.array([0.0, 0.5])
    ends = [demo.simulated(model, q, v, times, steps) for steps in (20, 40, 80)]
    gaps = [
        np.linalg.norm(np.concatenate([model.difference(a.q[-1], b.q[-1]), a.v[-1] - b.v[-1]]))
        for a, b in zip(ends, ends[1:], strict=False)
    ]
    assert 13 < gaps[0] / gaps[1] < 20


def test_audit_notices_a_wrong_motion():
    """The checks are not blind: a run with the wrong spin, energy or fall fails each of them."""
    model, q, v = demo.thrown(3, 0.2)
    run = demo.simulated(model, q, v, *demo.sampled(0.2, 0.002))
    assert all(check.passed for check in demo.audited(model, run)[0])
    spoiled = run.v.copy()
    spoiled[5:, 4] += 1e-2
    failed = [check.passed for check in demo.audited(model, demo.Run(run.t, run.q, spoiled, 0.0))[0]]
    assert failed[:3] == [False, False, False]
    raised = run.q.copy()
    raised[5:, 2] += 1e-3
    assert not demo.audited(model, demo.Run(run.t, raised, run.v, 0.0))[0][3].passed


def test_steps_halve_exactly():
    for seconds, step in ((3.0, 0.002), (0.3, 0.0013), (1.0, 0.05), (0.05, 0.1)):
        times, steps = demo.sampled(seconds, step)
        assert steps % 2 == 0 and np.isclose(times[-1], seconds)
        assert (times[1] - times[0]) / steps <= max(step, 0.025) * (1 + 1e-9)
