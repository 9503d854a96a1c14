"""Audits are true both ways: runs that are right pass, whatever their samples, however long, also after they were saved."""

import dataclasses
import re

import numpy as np
import pytest

import locomote as lo
from locomote.law import dot, scale, subtract, unrotate
from locomote.methods.recorded import mapped


def link(mass=1.0):
    return lo.Inertia(mass, (0, 0, -0.5), 0.1 * np.eye(3))


def double():
    builder = lo.Builder("double").body("a", joint=lo.Joint("first", axis="y"), inertia=link())
    return builder.body("b", parent="a", at=(0, 0, -1), joint=lo.Joint("second", axis="y"), inertia=link()).build()


@lo.force(energy=True)
def magnet(t, R, o, u, w, strength, center):
    d = subtract(o, center)
    near = dot(d, d) + 1e-4
    return unrotate(R, scale(-strength / (near * near), d)), (0.0, 0.0, 0.0), -0.5 * strength / near, 0.0


def with_law(t, q, v):
    return -20 * q - 2 * v


SAVED = {
    "sampled": {"torques": lo.Sampled(with_law, every=0.01)},
    "two clocks": {"torques": [lo.Sampled(with_law, every=0.02), lo.PD({"second": 0.1}, 5.0, 1.0, every=0.015, start=0.1)]},
    "on a line": {"torques": lo.Sampled(with_law, every=0.01, between="line")},
    "PD": {"torques": lo.PD({"first": lo.Sine(0.3, 4.0)}, 20.0, 2.0, every=0.01)},
    "servo": {"torques": lo.Servo({"first": lo.Sine(0.3, 4.0)}, 20.0, 2.0)},
    "a function": {"torques": with_law},
    "law with energy": {"environment": [magnet("b", point=(0, 0, -1), strength=1e-2, center=(0.1, 0.2, -2.1))]},
    "law and spring": {
        "environment": [
            magnet("b", point=(0, 0, -1), strength=1e-2, center=(0.1, 0.2, -2.1)),
            lo.Spring("a", point=(0, 0, -1), other_point=(0.5, 0, -1), stiffness=20.0, length=0.3),
            lo.Buoyancy("b", lo.Fluid(1000.0), volume=1e-4),
        ],
        "torques": lo.Sampled(with_law, every=0.01),
    },
}


def same_lines(run, opened):
    """Lines that both audits have are the same, and what failed is what failed; the one of the file may have fewer lines."""
    ours, theirs = ({check.name: check for check in x.audit.checks} for x in (run, opened))
    assert theirs.keys() <= ours.keys()
    for name in theirs:
        mine, its = ours[name], theirs[name]
        assert (mine.allowed, mine.passed) == (its.allowed, its.passed), (name, mine, its)
        if name != "energies":  # which the file of a problem with functions looks at without elastic energy
            assert mine == its
    assert [check.name for check in run.audit.failed] == [check.name for check in opened.audit.failed]
    if opened.problem is not None:
        assert theirs.keys() == ours.keys() and run.audit.unchecked == opened.audit.unchecked


@pytest.mark.parametrize("every", [0.002, 0.005, 0.01, 0.02])
@pytest.mark.parametrize("what", SAVED)
def test_a_run_that_is_saved_and_opened_has_the_same_audit(what, every, tmp_path):
    run = lo.Locomotion(double(), **SAVED[what]).simulate(1.0, q=[0.5, -0.3], every=every, progress=False)
    assert run.audit.ok, run.audit
    run.save(tmp_path / "run.h5")
    same_lines(run, lo.open_run(tmp_path / "run.h5"))


def test_joined_runs_keep_all_clocks():
    one = lo.Locomotion(double(), torques=lo.Sampled(with_law, every=0.01)).simulate(0.5, q=[0.5, -0.3], progress=False)
    other = lo.Locomotion(double(), torques=lo.PD({"first": 0.0}, 20.0, 2.0, every=0.013))
    two = other.simulate(0.5, q=one.q[-1], v=one.v[-1], t=one.t[-1], progress=False)
    joined = lo.join([one, two])
    assert joined.audit.ok and len(joined.info["clocks"]) == 2, joined.audit


@pytest.mark.parametrize("joint", ["spherical", "free"])
def test_a_body_on_which_nothing_acts_passes(joint):
    inertia = lo.Inertia.sphere(0.5555, 0.1)
    model = lo.Builder("top", gravity=(0, 0, 0)).body("b", joint=lo.Joint("j", joint), inertia=inertia).build()
    for seed in range(6):
        v = 0.3 * np.random.default_rng(seed).normal(size=model.nv)
        run = lo.Locomotion(model).simulate(0.2, v=v, every=0.01, progress=False)
        assert run.audit.deep().ok, run.audit.deep()
        assert "equations of motion" in [c.name for c in dataclasses.replace(run, a=run.a + 1e-3).audit.failed]


@pytest.mark.parametrize("spin", [(0, 0, 0), (0, 0.5, 0.4)], ids=["still", "turning"])
@pytest.mark.parametrize("kind", ["drag", "stokes", "slender", "resistive", "added"])
def test_a_body_that_a_flow_carries_along_passes(kind, spin):
    water = lo.Fluid(1000.0, 0.1, lo.water.Uniform((0.3, 0.1, 0.0)))
    force = {
        "drag": lambda: lo.Drag("b", water, 0.01),
        "stokes": lambda: lo.water.StokesDrag("b", water, 0.1),
        "slender": lambda: lo.water.SlenderDrag("b", water, (0, 0, 0), (0.2, 0, 0), 0.05),
        "resistive": lambda: lo.water.Resistive("b", water, (0, 0, 0), (0.2, 0, 0), along=0.3, across=0.6),
        "added": lambda: lo.AddedMass("b", water, lo.Ellipsoid((0.1, 0.05, 0.05))),
    }[kind]()
    builder = lo.Builder("adrift", base="free", gravity=(0, 0, 0)).body("b", inertia=lo.Inertia.sphere(1.0, 0.1))
    run = lo.Locomotion(builder.build(), environment=[force]).simulate(2.0, v=[0.3, 0.1, 0, *spin], progress=False)
    assert run.audit.ok and run.audit.deep().ok, run.audit
    for name, load in run.loads.items():
        wrong = dataclasses.replace(run, loads={**run.loads, name: load + 1e-3})
        assert not wrong.audit.ok


def test_a_spring_at_its_length_passes():
    spring = lo.Spring("a", point=(0, 0, -1), other_point=(0.5, 0, -1), stiffness=2e4, length=0.5)
    builder = lo.Builder("p", gravity=(0, 0, 0)).body("a", joint=lo.Joint("first", axis="y"), inertia=link())
    run = lo.Locomotion(builder.build(), environment=[spring]).simulate(1.0, progress=False)
    assert run.audit.deep().ok, run.audit.deep()


def governor():
    builder = lo.Builder("governor").body(
        "shaft", joint=lo.Joint("spin", axis="z"), inertia=lo.Inertia(1.0, moment=(0.05,) * 3)
    )
    ball = lo.Inertia(0.5, (0, 0, -0.3), 1e-3 * np.eye(3))
    return builder.body("ball", parent="shaft", at=(0.05, 0, 0), joint=lo.Joint("arm", axis="y"), inertia=ball).build()


@pytest.mark.parametrize("count", [9, 12, 17, 30, 50, 78, 150])
@pytest.mark.parametrize("driven", [False, True])
def test_few_samples_of_what_swings_fast_are_no_false_alarm(count, driven):
    model, rng = governor(), np.random.default_rng(count)
    for spin in rng.uniform(5.0, 40.0, 4):
        problem = lo.Locomotion(model, drives={"spin": lo.Polynomial([0.0, spin])} if driven else {})
        start = {"q": 0.5 * rng.normal(size=2), "v": [spin, rng.normal()]}
        run = problem.simulate(8.0, samples=np.linspace(0.0, 8.0, count), progress=False, **start)
        assert run.audit.ok, run.audit


# soft bodies


def soft_arm():
    rod = lo.Rod(0.5, lo.Section.circle(0.01), lo.Material(1000, 1e6, damping=0.01), strains="bending", order=3)
    builder = lo.Builder("soft").body("arm", flex=rod)
    return builder.body("tip", parent="arm", inertia=lo.Inertia(0.01)).build()


@pytest.mark.parametrize("duration", [1.0, 10.0, 60.0])
def test_damped_rods_pass_by_default_however_long_they_swing(duration):
    run = lo.Locomotion(soft_arm()).simulate(duration, every=duration / 200, progress=False)
    assert run.info["method"] == "radau" and run.audit.ok and run.audit.balance < 5e-4, run.audit


@pytest.mark.parametrize("name", ["tendon_robot", "flexible_arm", "octopus_arm"])
def test_arms_of_the_catalogue_pass_by_the_default_of_the_method(name):
    problem = lo.systems.load(name).problem()
    run = problem.simulate(10.0, rtol=1e-5, atol=1e-10, progress=False)
    assert run.audit.ok, run.audit


# times


def with_times(run, t):
    return dataclasses.replace(run, t=t)


TIMED = [(name, known) for name in ("simple_pendulum", "space_robot", "snakeboard") for known in (True, False)]


@pytest.mark.parametrize(("name", "known"), [*TIMED, ("heavy_top", True)])
def test_times_that_were_shifted_or_cut_out_are_seen(name, known):
    run = lo.systems.load(name).problem().simulate(1.0, every=0.01, progress=False)
    info = {key: value for key, value in run.info.items() if known or key != "samples"}
    run, half = dataclasses.replace(run, info=info), len(run) // 2
    assert run.audit.ok
    shifted = run.t.copy()
    shifted[half:] += 0.05
    assert not with_times(run, shifted).audit.ok
    rows = np.r_[: half - 5, half:101]
    assert not cut(run, rows, run.t[rows]).audit.ok or not known
    assert not cut(run, rows, run.t[: len(rows)]).audit.ok  # cut out, and what follows moved up


def cut(run, rows, t):
    return dataclasses.replace(run, **mapped(lambda field, x: x[rows], run) | {"t": t})


def test_parts_of_runs_and_runs_that_end_early_have_the_times_that_they_should():
    problem = lo.systems.load("simple_pendulum").problem()
    run = problem.simulate(2.0, progress=False)
    for part in (run, run.between(0.3, 1.7), run.extend(0.5, progress=False), run.extend(0.5, every=0.03, progress=False)):
        assert part.audit.ok, part.audit
    stop = lo.When(lambda t, q, v: t - 1.2345, terminal=True)
    ended = problem.simulate(2.0, every=0.1, events=[stop], progress=False)
    assert ended.audit.ok and ended.t[-1] == ended.events[-1].t
    late = problem.simulate(2.0, samples=[0.5, 0.77, 1.9], t=0.25, progress=False)
    assert late.audit.ok and "times of samples" in [c.name for c in late.audit.checks]


# remedies


def told(run, name):
    """What the remedy of a line says: options of a run."""
    (line,) = (check.remedy for check in run.audit.failed if check.name == name)
    return {key: float(value) for key, value in re.findall(r"(rtol|atol|step|every)=([0-9.e+-]+)", line)}


@pytest.mark.parametrize("method", ["rk4", "adaptive", "implicit", "variational"])
def test_the_remedy_of_a_power_balance_is_what_it_takes(method):
    problem = lo.systems.load("snakeboard" if method != "variational" else "simple_pendulum").problem()
    fixed = {"step": 0.1} if method in ("rk4", "variational") else {"rtol": 1e-3, "atol": 1e-5}
    run = problem.simulate(5.0, method=method, every=0.1, progress=False, **fixed)
    for _ in range(3):
        if run.audit.ok:
            break
        options = told(run, run.audit.failed[0].name)
        run = problem.simulate(5.0, method=method, progress=False, **{"every": 0.1} | options)
    assert run.audit.ok, run.audit


def test_the_remedy_of_a_rod_is_what_it_takes():
    problem = lo.Locomotion(soft_arm())
    run = problem.simulate(5.0, rtol=0.3, progress=False)
    assert not run.audit.ok
    assert problem.simulate(5.0, progress=False, **told(run, "power balance")).audit.ok


def test_every_line_that_fails_says_what_to_do():
    run = lo.systems.load("snakeboard").problem().simulate(1.0, every=0.01, progress=False)
    for name in ("t", "q", "v", "a", "tau", "reactions", "kinetic", "potential"):
        wrong = np.array(getattr(run, name))
        wrong[len(wrong) // 2 :] += 0.3
        audit = dataclasses.replace(run, **{name: wrong}).audit
        assert not audit.ok and all(check.remedy for check in audit.failed), audit
        assert all(check.remedy in str(audit) for check in audit.failed)
    assert not any(check.remedy for check in run.audit.checks)


# accelerations of runs over contacts


def tumbling():
    builder = lo.Builder("box", base="free").body("b", inertia=lo.Inertia.box(1.0, (0.2, 0.1, 0.06)))
    problem = lo.Locomotion(builder.build(), contacts=[lo.Touch("b", lo.Ground(friction=0.5), box=(0.1, 0.05, 0.03))])
    q = problem.model.neutral()
    q[2] = 0.3
    return problem.simulate(1.0, q=q, v=[0.5, 0.2, 0, 3.0, 1.0, 2.0], step=1e-3, every=0.01, progress=False)


@pytest.mark.parametrize("factor", [0.0, 0.5, 1.1, -1.0])
def test_accelerations_of_runs_over_contacts_are_seen(factor):
    run = tumbling()
    assert run.audit.ok and run.audit.deep().ok, run.audit.deep()
    wrong = dataclasses.replace(run, a=factor * run.a)
    for audit in (wrong.audit, wrong.audit.deep()):
        assert "equations of motion" in [c.name for c in audit.failed]
