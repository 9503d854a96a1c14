"""Samples within steps by collocation: their order, values against much shorter steps, the work until then, and how such a run
goes on."""

import numpy as np
import pytest

import locomote as lo
from locomote.methods import state as at
from locomote.methods.advance import advance
from locomote.methods.collocation.rules import CONTROL, FOR_SAMPLES, MEASURE, gauss, radau
from locomote.methods.options import Options
from locomote.methods.registry import METHODS
from locomote.methods.stepping import PAUSED
from locomote.runs.checkpoints import restore, saved_state, trajectory
from locomote.runs.runner import Runner
from locomote.runs.running import Running
from locomote.runs.schedule import schedule_of

RATE = 7.0  # rad/s


def swing():
    """A mass on a spring, whose motion has a formula."""
    rail = lo.Joint("rail", "prismatic", axis="x")
    model = lo.Builder("swing", gravity=(0, 0, 0)).body("mass", joint=rail, inertia=lo.Inertia(2.0)).build()
    return lo.Locomotion(model, springs={"rail": (2.0 * RATE**2, 0.0, 0.0)})


def pendulum(damping=0.0):
    """A hinge with a spring and an arm: nothing about it is linear."""
    hinge = lo.Joint("hinge", axis="z")
    model = lo.Builder("pendulum", gravity=(0, -9.81, 0)).body("arm", joint=hinge, inertia=lo.Inertia(1.0, com=(0.3, 0, 0)))
    return lo.Locomotion(model.build(), springs={"hinge": (20.0, 0.2, damping)})


STAGES = {"gauss4": 2, "gauss": 3, "gauss8": 4, "radau": 3}


def rule_of(method):
    return (radau if method == "radau" else gauss)(STAGES[method])


def one_step(problem, method, h, rate, samples, **start):
    """A step of length h by a method, whose errors, of a swing of this rate, at its end and within, are just allowed."""
    rule, stages = rule_of(method), STAGES[method]
    end, within = (rate * h) ** rule[MEASURE, 0] / rule[MEASURE, 1], (rate * h) ** (stages + 2) / rule[CONTROL, 1]
    rtol = 4.0 * max(end, within / FOR_SAMPLES)
    longest = h / METHODS[method].reach(rtol)
    run = problem.simulate(
        h, samples=samples, method=method, step=longest, max_step=longest, rtol=rtol, atol=1e-15, progress=False, **start
    )
    assert run.info["steps"] == 1 and run.info["method"] == method
    return run


@pytest.mark.parametrize(("method", "order"), [("gauss4", 4), ("gauss", 5), ("gauss8", 6), ("radau", 5)])
def test_orders_within_a_step(method, order):
    """Errors within a step fall with its length as those of a polynomial through stages and ends do."""
    problem, errors = pendulum(), []
    for h in (0.1, 0.05):
        samples = np.array([0.0, 0.13, 0.37, 0.71, 1.0]) * h
        run = one_step(problem, method, h, 20.0, samples, v=[2.0])
        exact = problem.simulate(h, v=[2.0], samples=samples, method="adaptive", rtol=1e-13, atol=1e-15, progress=False)
        errors.append([abs(run.q - exact.q)[1:-1].max(), abs(run.v - exact.v)[1:-1].max()])
    found = np.log2(np.array(errors[0]) / errors[1])
    assert found.min() > order - 0.5, found


@pytest.mark.parametrize("method", STAGES)
def test_errors_are_those_that_steps_are_chosen_by(method):
    """A swing of frequency w: the end of a step is off by (w h)^p / C, and its inside by about (w h)^(s+2) / B."""
    rule = rule_of(method)
    z = 0.6
    h = z / RATE
    samples = np.linspace(0.0, h, 21)
    run = one_step(swing(), method, h, RATE, samples, q=[1.0])
    q, v = np.cos(RATE * samples), -RATE * np.sin(RATE * samples)
    end = np.hypot(run.q[-1, 0] - q[-1], (run.v[-1, 0] - v[-1]) / RATE)
    within = abs(run.v[:, 0] - v).max() / RATE
    bound = z ** (STAGES[method] + 2) / rule[CONTROL, 1]
    assert end == pytest.approx(z ** rule[MEASURE, 0] / rule[MEASURE, 1], rel=0.15)
    assert 0.2 * bound < within < 2.0 * bound + end


def test_steps_that_pass_samples_are_not_longer_than_others():
    for method in STAGES:
        parts = [METHODS[method].reach(rtol) for rtol in (1e-2, 1e-4, 1e-6, 1e-10)]
        assert all(0.3 < part <= 1.0 for part in parts) and parts == sorted(parts, reverse=True)


def cantilever(damping=0.0):
    rod = lo.Rod(0.5, lo.Section.circle(0.01), lo.Material(1000.0, 2e7, damping=damping), strains="bending stretch", order=2)
    return lo.Locomotion(lo.Builder("arm", gravity=(0, -9.81, 0)).body("arm", flex=rod).build()), {}


def flying():
    rod = lo.Rod(1.0, lo.Section.rectangle(0.02, 0.04), lo.Material(1000.0, 1e7), strains="bending torsion", order=2)
    model = lo.Builder("flying", base="free", gravity=(0, 0, 0)).body("rod", flex=rod).build()
    v = np.zeros(model.nv)
    v[:6] = 0.3, -0.2, 0.5, 1.0, 2.0, -1.5
    return lo.Locomotion(model), {"v": v}


def shaken():
    rod = lo.Rod(0.5, lo.Section.circle(0.01), lo.Material(1000.0, 2e7, damping=1e-3), strains="bending_z", order=3)
    model = lo.Builder("shaken", gravity=(0, -9.81, 0)).body("rod", joint=lo.Joint("hand", axis="z"), flex=rod).build()
    return lo.Locomotion(model, drives={"hand": lo.Sine(0.4, 9.0)}), {}


MAKES = {"cantilever": cantilever, "damped": lambda: cantilever(2e-3), "flying": flying, "shaken": shaken}


def thrown():
    """A bent rod with a spin and a roll, whose twist moves hardly any mass, along another line from step to step."""
    rod = lo.Rod(1.0, lo.Section.circle(0.01), lo.Material(1000.0, 5e6), strains="bending torsion", order=4)
    model = lo.Builder("thrown", base="free", gravity=(0, 0, 0)).body("rod", flex=rod).build()
    q, v = model.neutral(), np.zeros(model.nv)
    q[[slot.name for slot in model.layout() if slot.vector == "q"].index("bending_z 0")] = 1.5
    v[3:5] = 3.0, 6.0
    return lo.Locomotion(model), {"q": q, "v": v}


def struck():
    """A rod let go from a stretch, whose waves steps just resolve."""
    problem, _ = cantilever()
    q = problem.model.neutral()
    q[[slot.name for slot in problem.model.layout() if slot.vector == "q"].index("stretch 0")] = 0.02
    return problem, {"q": q}


@pytest.mark.parametrize("make", [thrown, struck])
@pytest.mark.parametrize("rtol", [1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize("method", ["gauss", "gauss8"])
def test_energy_within_steps_is_that_at_their_ends(make, rtol, method):
    """Nothing takes energy from these rods: samples within long steps have what there was, to the tolerance."""
    problem, start = make()
    run = problem.simulate(0.2, samples=np.linspace(0.0, 0.2, 1001), method=method, rtol=rtol, progress=False, **start)
    assert run.info["steps"] < 0.8 * len(run.t)
    change = abs(run.total - run.total[0]).max()
    assert change < 2.0 * rtol * run.audit.scale
    assert run.audit.ok or method != "gauss", str(run.audit)


@pytest.mark.parametrize("name", MAKES)
def test_samples_against_short_steps(name):
    """States, work and energy at samples within steps: those of a run with steps a hundred times as short."""
    problem, start = MAKES[name]()
    samples = np.linspace(0.0, 0.5, 251)
    run = problem.simulate(0.5, samples=samples, rtol=1e-5, progress=False, **start)
    short = problem.simulate(0.5, samples=samples, rtol=1e-10, atol=1e-13, progress=False, **start)
    assert run.info["steps"] < 0.7 * len(samples) and run.info["steps"] < 0.5 * short.info["steps"]
    assert abs(run.q - short.q).max() < 2e-2 * abs(short.q).max()
    exchanged = short.audit.scale
    for source in short.work:
        assert abs(run.work[source] - short.work[source]).max() < 1e-3 * exchanged
    assert run.audit.ok, str(run.audit)
    assert (run.t == samples).all()


def test_a_run_that_passes_samples_goes_on_bit_for_bit():
    problem, start = cantilever()
    schedule, options = schedule_of(0.0, 0.3, None, np.linspace(0.0, 0.3, 151)), Options("gauss", rtol=1e-3)

    def runner():
        return Running(problem, schedule, options, (), problem.initial(**start), 0.0)

    whole, first, second = runner(), runner(), runner()
    Runner(whole).go()
    assert whole.state.counts[at.STEPS] < 100
    first.method.fill_calls(first.plan, first.work, first.state, problem.terms)
    first.state.choices[at.BUDGET] = 17
    assert advance(first.plan, first.work, first.state.common, first.samples) == PAUSED
    restore(second, saved_state(first), trajectory(first))
    Runner(second).go()
    one, two = trajectory(whole), trajectory(second)
    for name in ("t", "q", "v", "a", "kinetic"):
        assert (getattr(one, name) == getattr(two, name)).all(), name


def test_events_between_samples_of_a_step():
    """The instant at which a swing passes zero, and its samples around it."""
    problem = swing()
    falls = lo.When(lambda t, q, v: q[0], -1, name="middle")
    run = problem.simulate(
        1.0, q=[1.0], samples=np.linspace(0, 1, 101), method="gauss", rtol=1e-6, events=[falls], progress=False
    )
    times = [event.t for event in run.events]
    assert times == pytest.approx(np.arange(0.5 * np.pi, RATE, 2 * np.pi) / RATE, abs=1e-5)
    assert abs(run.q[:101, 0][:20] - np.cos(RATE * run.t[:20])).max() < 1e-5
