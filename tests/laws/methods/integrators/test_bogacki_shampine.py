"""Bogacki-Shampine 3(2): its order at ends of steps and within, its error against the tolerance, and what runs ask of it."""

import numpy as np
import pytest
from test_integrators import SYSTEMS, end_error, slope

import locomote as lo

RATE = 2.0  # rad/s


def swing():
    """A mass on a spring, whose motion has a formula."""
    model = lo.Builder("mass", base="x").body("mass", inertia=lo.Inertia.box(1.0, (1, 1, 1))).build()
    return lo.Locomotion(model, springs={"base": (RATE**2, 0.0, 0.0)})


@pytest.mark.parametrize("system", SYSTEMS)
def test_order(system):
    """With steps of a fixed length, which loose tolerances and a largest step make."""
    steps = (0.01, 0.005, 0.0025)
    pairs = [end_error(system, method="bs23", step=step, max_step=step, rtol=1e6, atol=1e6) for step in steps]
    assert slope(pairs) == pytest.approx(3.0, abs=0.25), pairs


@pytest.mark.parametrize("system", SYSTEMS)
def test_tolerance(system):
    tolerances = (1e-4, 1e-6, 1e-8)
    pairs = [end_error(system, method="bs23", rtol=tolerance, atol=tolerance) for tolerance in tolerances]
    for (error, _), tolerance in zip(pairs, tolerances, strict=True):
        assert error < 100 * tolerance
    assert slope(pairs) > 2.6


def test_order_within_steps():
    """Samples within steps are of order 3 too, as the method is."""
    errors = []
    for h in (0.05, 0.025, 0.0125):
        samples = np.arange(0.0, 2.0, 0.3 * h)
        run = swing().simulate(
            2.0, q=[1.0], samples=samples, method="bs23", step=h, max_step=h, rtol=1e6, atol=1e6, progress=False
        )
        assert run.info["steps"] == pytest.approx(2.0 / h, abs=2)
        q, v = np.cos(RATE * samples), -RATE * np.sin(RATE * samples)
        errors.append(max(abs(run.q[:, 0] - q).max(), abs(run.v[:, 0] - v).max()))
    assert np.log2(np.array(errors[:-1]) / errors[1:]) == pytest.approx(3.0, abs=0.2)


def test_four_evaluations_a_step():
    """The last stage of a step is evaluated anew as the first of the next, in a chart of its own."""
    run = swing().simulate(1.0, q=[1.0], method="bs23", progress=False)
    steps = run.info["steps"] + run.info["rejected"]
    assert steps < run.info["evaluations"] <= 4 * steps + 2


def test_events_and_constraints():
    """Where a swing passes zero; a snakeboard and a loop as Dormand-Prince has them."""
    falls = lo.When(lambda t, q, v: q[0], -1, name="middle")
    run = swing().simulate(3.0, q=[1.0], method="bs23", rtol=1e-8, atol=1e-8, events=[falls], progress=False)
    assert [event.t for event in run.events] == pytest.approx([np.pi / 4], abs=1e-6)
    for name in ("snakeboard", "four_bar"):
        system = lo.systems.load(name)
        q, v = system.initial
        both = [
            system.problem().simulate(1.0, q=q, v=v, method=method, rtol=1e-9, atol=1e-9, progress=False)
            for method in ("adaptive", "bs23")
        ]
        assert np.allclose(both[0].q[-1], both[1].q[-1], atol=1e-6) and both[1].audit.ok, both[1].audit
        assert both[1].residual.max() < 1e-9


def test_a_run_goes_on_from_its_file(tmp_path):
    options = {"method": "bs23", "progress": False, "samples": np.linspace(0.0, 2.0, 41)}
    whole = swing().simulate(2.0, q=[1.0], **options)
    stop = lo.When(lambda t, q, v: t - 1.02, terminal=True)
    swing().simulate(2.0, q=[1.0], events=[stop], checkpoint=tmp_path / "run.h5", **options)
    again = lo.resume(tmp_path / "run.h5", events=[lo.When(lambda t, q, v: 1.0)], progress=False)
    assert again.t[-1] == whole.t[-1] and np.allclose(again.q[-1], whole.q[-1], atol=1e-5)


def test_its_audit_and_its_faults():
    run = lo.systems.load("heavy_top").problem().simulate(0.5, method="bs23", progress=False)
    assert run.audit.ok, run.audit
    with pytest.raises(lo.RunFailed, match="the step became too small|not finite"):
        lo.Locomotion(swing().model, torques=lambda t, q, v: v**3).simulate(5.0, v=[2.0], method="bs23", progress=False)
    with pytest.raises(ValueError, match="contacts with friction, which method='timestep' steps over, not 'bs23'"):
        model = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, 0.1)).build()
        lo.Locomotion(model, contacts=[lo.Touch("ball", lo.Ground(), sphere=0.1)]).simulate(0.1, method="bs23")
