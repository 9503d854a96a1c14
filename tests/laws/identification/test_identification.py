"""Parameters found from measurements: against numbers that are known, against linear algebra, and what cannot be seen."""

import json

import numpy as np
import pytest

import locomote as lo
from locomote.runs.channels import columns_of_q, columns_of_v


def arm(**joint) -> lo.Locomotion:
    """Two links on hinges, hanging."""
    builder = lo.Builder("arm")
    for k in (1, 2):
        builder = builder.body(
            f"link{k}", parent="link1" if k == 2 else None, at=(0.0, 0.0, -0.4 * (k - 1)),
            joint=lo.Joint(f"joint{k}", axis="y", damping=0.2, **joint),
            inertia=lo.Inertia(2.0 / k, (0.02, 0, -0.2), (0.03, 0.03, 0.01)),
        )  # fmt: skip
    return lo.Locomotion(builder.build())


def torques(t):
    return {"joint1": 4 * np.sin(3 * t) + 2 * np.sin(7 * t + 1), "joint2": 1.5 * np.sin(4 * t) + np.sin(9 * t + 2)}


def measured(problem, noise=0.0, delay=0.0, offset=0.0, count=150, start=(None, None), seed=0):
    """Angles of the arm under torques by rollouts of the library, held over steps of 10 ms, sampled every 20 ms."""
    t = 0.01 * np.arange(2 * count + 1)
    acting = torques(t)
    controls = np.column_stack(list(acting.values()))[:-1]
    run = lo.rollout(problem, controls, q=start[0], v=start[1], step=1e-2, keep=1)
    late = np.clip(t - delay, 0, None)
    rng = np.random.default_rng(seed)
    channels = {
        f"joint{k + 1}.angle": np.interp(late, t, run.q[0, :, k])
        if delay == 0
        else cubic(t, run.q[0, :, k], run.v[0, :, k], late)
        for k in range(2)
    }
    channels = {
        name: x + offset + rng.normal(scale=noise, size=len(t)) if noise else x + offset for name, x in channels.items()
    }
    return lo.Measured(t, channels, acting)


def cubic(t, x, v, when):
    """Hermite's cubic between samples."""
    n = np.clip(np.searchsorted(t, when, side="right") - 1, 0, len(t) - 2)
    h, s = t[1] - t[0], (when - t[n]) / (t[1] - t[0])
    return (
        (1 + 2 * s) * (1 - s) ** 2 * x[n] + s * (1 - s) ** 2 * h * v[n]
        + s * s * (3 - 2 * s) * x[n + 1] + s * s * (s - 1) * h * v[n + 1]
    )  # fmt: skip


def test_masses_and_damping_from_angles():
    truth = arm()
    guess = truth.with_parameters({"link1.mass": 2.4, "link2.mass": 0.8, "joint*.damping": 0.1})
    found = lo.identify(guess, measured(truth), ["link*.mass", "joint*.damping"], step=1e-2)
    for name, x in zip(found.names, found.found, strict=True):
        assert x == pytest.approx(truth.parameters[name], rel=1e-7)
    assert found.settled and found.exact and found.simulations < 12
    assert found.problem.parameters["link2.mass"] == pytest.approx(1.0) == found.values["link2.mass"]


def test_start_offset_and_delay_are_found():
    truth = arm()
    data = measured(truth, delay=0.023, offset=0.05, start=([0.3, -0.2], [0.5, 0.0]))
    sensors = {"*": lo.Sensor(noise=1e-3, offset=True, delay=True, most_delay=0.05)}
    found = lo.identify(truth, data, ["joint1.damping", "q", "v"], step=1e-2, sensors=sensors)
    assert found["joint1.damping"][0] == pytest.approx(0.2, rel=1e-3)
    assert found.delays["*"][0] == pytest.approx(0.023, abs=1e-5)
    assert [x for x, _ in found.offsets.values()] == pytest.approx([0.05, 0.05], abs=2e-4)
    assert found.starts is not None and found.starts[0][0] == pytest.approx([0.3, -0.2], abs=2e-4)
    assert found.starts[1][0] == pytest.approx([0.5, 0.0], abs=2e-3)


def test_two_runs_share_parameters_and_have_starts_of_their_own():
    truth = arm()
    places = [([0.3, 0.0], [0.0, 0.0]), ([-0.4, 0.2], [0.0, 0.0])]
    data = [measured(truth, start=start, count=50) for start in places]
    found = lo.identify(truth.with_parameters({"link2.mass": 1.2}), data, ["link2.mass", "q"], step=1e-2)
    assert found["link2.mass"][0] == pytest.approx(1.0, rel=1e-6)
    assert found.starts is not None and found.starts[0] == pytest.approx(np.array([q for q, _ in places]), abs=1e-6)


def test_intervals_hold_as_often_as_they_say():
    """60 repeats of four numbers: 95 % of 240, within four standard deviations; half as wide ones do not."""
    truth, held, narrow = arm(), 0, 0
    by = ["link*.mass", "joint*.damping"]
    true = [truth.parameters[name] for name in ("link1.mass", "link2.mass", "joint1.damping", "joint2.damping")]
    for seed in range(60):
        found = lo.identify(truth, measured(truth, noise=2e-3, count=40, seed=seed), by, step=1e-2)
        off = abs(found.found - true)
        held += int((off <= 0.5 * np.diff(found.intervals)[:, 0]).sum())
        narrow += int((off <= 0.25 * np.diff(found.intervals)[:, 0]).sum())
        assert all(0.7 < noise / 2e-3 < 1.4 for noise in found.noise.values())
    assert abs(held - 228) < 4 * np.sqrt(240 * 0.95 * 0.05) and narrow < 190


def motion(problem, count=60, noise=0.0, seed=0):
    """A random motion of all coordinates, with the torques that it takes."""
    model, rng = problem.model, np.random.default_rng(seed)
    q, (v, a) = model.random(rng, count), rng.normal(size=(2, count, model.nv))
    tau = lo.inverse_dynamics(model, q, v, a) - lo.passive_force(model, q, v)
    tau = tau + rng.normal(scale=noise, size=tau.shape) if noise else tau
    names = (columns_of_q(model), *(columns_of_v(model, which) for which in ("v", "a", "tau")))
    channels = {c.name: x[:, k] for columns, x in zip(names, (q, v, a, tau), strict=True) for k, c in enumerate(columns)}
    return lo.Measured(np.arange(count) * 1e-2, channels), tau


def test_regressor_is_least_squares_of_linear_algebra():
    """One noise, numbers that torques are linear in: values and deviations are those of the normal equations."""
    truth = arm()
    data, tau = motion(truth, noise=0.05)
    by = ["joint1.damping", "joint2.damping", "link2.inertia[3]"]
    found = lo.identify(truth, data, by, way="regressor", sensors={"*": lo.Sensor(noise=0.05)})
    columns = []
    for name in ("joint1.damping", "joint2.damping", "link2.inertia"):
        value = np.array(truth.parameters[name], dtype=float)
        step = np.eye(6)[3] * 1e-3 if value.ndim else 1e-3
        columns.append((motion(truth.with_parameters({name: value + step}))[1] - motion(truth)[1]).ravel() / 1e-3)
    X = np.column_stack(columns)
    expected = np.linalg.lstsq(X, (tau - motion(truth)[1]).ravel(), rcond=None)[0]
    assert found.found - found.before == pytest.approx(expected, rel=1e-6)
    assert found.deviations == pytest.approx(0.05 * np.sqrt(np.diag(np.linalg.inv(X.T @ X))), rel=1e-6)
    assert found.simulations == 0


def test_base_parameters_are_said():
    """All ten numbers of both links: torques see as many combinations as `lo.base_parameters` has."""
    problem = arm()
    found = lo.identify(problem, motion(problem, noise=0.01)[0], ["*.mass", "*.center", "*.inertia"], way="regressor")
    known = lo.base_parameters(problem.model)
    assert len(found.together) == known.rank and "seen only together" in str(found)
    for (text, value, deviation), expected, exact in zip(found.together, known.combinations, known.values, strict=True):
        assert text == expected and abs(value - exact) < 5 * deviation
    assert set(found.unseen) >= {"link1.center[1]", "link1.inertia[1]", "link2.inertia[4]"}
    for name in ("link1", "link2"):  # whatever was tried, bodies are bodies
        xx, xy, xz, yy, yz, zz = found.problem.parameters[f"{name}.inertia"]
        assert np.linalg.eigvalsh(0.5 * (xx + yy + zz) * np.eye(3) - [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])[0] > 0


def test_what_only_its_sum_is_seen():
    """A cart with a load fixed to it by a spring that does not move: on a rail only the sum of masses counts."""
    model = (
        lo.Builder("train")
        .body("engine", joint=lo.Joint("rail", "prismatic", axis="x", damping=0.3), inertia=lo.Inertia(2.0))
        .body("wagon", parent="engine", joint=lo.Joint("lift", "prismatic", axis="z"), inertia=lo.Inertia(1.0))
        .build()
    )
    truth = lo.Locomotion(model, drives={"lift": lo.Constant(0.1)})
    t = 0.02 * np.arange(100)
    force = 3.0 * np.sin(2 * t)
    run = lo.rollout(truth, force[:-1, None], joints=["rail"], step=0.02, keep=1)
    data = lo.Measured(t, {"rail.shift": run.q[0, :, 0]}, {"rail": force})
    guess = truth.with_parameters({"engine.mass": 2.5})
    found = lo.identify(guess, data, ["engine.mass", "wagon.mass", "lift.damping"], step=0.02)
    ((text, value, _),) = found.together
    assert text == "engine.mass + wagon.mass" and value == pytest.approx(3.0, rel=1e-8)
    assert found.unseen == ["lift.damping"] and np.isinf(found.deviations).all()
    assert "not seen at all" in str(found) and "not alone" in str(found)


def test_ties_and_single_numbers():
    truth = arm()
    guess = truth.with_parameters({"joint*.damping": 0.15})
    found = lo.identify(guess, measured(truth, count=40), [("joint1.damping", "joint2.damping"), "link2.center[2]"], step=1e-2)
    assert found.names == ["joint1.damping = joint2.damping", "link2.center[2]"]
    assert found.found == pytest.approx([0.2, -0.2], rel=1e-6)
    assert found.problem.parameters["joint2.damping"] == pytest.approx(0.2)


def test_friction_over_contacts_by_differences():
    corners = [(x, y, -0.05) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    model = (
        lo.Builder("block").body("block", joint=lo.Joint("base", "free"), inertia=lo.Inertia.box(1.0, (0.2, 0.2, 0.1))).build()
    )
    problem = lo.Locomotion(model, contacts=[lo.Touch("block", lo.Ground(friction=0.4), points=corners)])
    q, v = [0, 0, 0.05, 0, 0, 0, 1], [2.5, 0, 0, 0, 0, 0]
    run = lo.rollout(problem, q=q, v=v, duration=0.2, step=5e-3, keep=1)
    data = lo.Measured(run.t, {"base.x": run.q[0, :, 0]}, q=q, v=v)
    found = lo.identify(problem.with_parameters({"ground.friction": 0.3}), data, "ground.friction", step=5e-3)
    assert found["ground.friction"][0] == pytest.approx(0.4, rel=1e-4) and not found.exact
    with pytest.raises(ValueError, match=r"'base.force x' jumps over contacts"):
        lo.identify(problem, lo.Measured(run.t, {"base.force x": run.t}), "ground.friction")


def test_residuals_that_hang_together_are_said_and_results_are_kept(tmp_path):
    truth = arm(stiffness=0.5)
    data = measured(truth, noise=1e-3, count=60)
    found = lo.identify(truth.with_parameters({"joint1.stiffness": 0.1}), data, "link2.mass", step=1e-2)
    assert any("hang together" in note for note in found.notes)
    found.save(tmp_path / "found.json")
    kept = json.loads((tmp_path / "found.json").read_text())
    assert truth.with_parameters(kept["values"]).parameters["link2.mass"] == found.values["link2.mass"]
    figure = found.plot(path=tmp_path / "found.png")
    assert len(figure.axes) == 4 and (tmp_path / "found.png").stat().st_size > 1000
    assert "<table>" in found._repr_html_() and "2 channels" in str(found)
