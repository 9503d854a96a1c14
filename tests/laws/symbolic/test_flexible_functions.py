"""Models with rods and modal bodies on symbols: every function against the compiled one; problems as formulas; rollouts."""

import numpy as np
import pytest
from test_functions import PLACES, TOLERANCE, as_tuple

import locomote as lo
from locomote.symbolic.functions import FUNCTIONS

LIMB = {"inertia": lo.Inertia(0.2, com=(0.05, 0.02, 0.01), moment=(1e-3, 2e-3, 2e-3))}


def tree():
    """A free base; a rod inside the tree, precurved, with a limb on its side and a modal body at its tip; springs on joints."""
    rng = np.random.default_rng(1)
    bend = 0.1 * rng.normal(size=(2, 2, 6, 3))
    panel = lo.rods.Modes(
        rng.normal(size=(6, 3)), rng.uniform(0.1, 0.3, 6), rng.normal(size=(2, 6, 3)), [1.0, 2.0], rayleigh=(0.1, 0.02),
        rotations=rng.normal(size=(2, 6, 3)), second=bend + bend.transpose(1, 0, 2, 3),
    )  # fmt: skip
    rod = lo.Rod(0.3, strains="bending torsion stretch", order=0, rest=(0.3, 1.0, 2.0), nodes=3)
    return (
        lo.Builder("tree", base="free")
        .body("trunk", inertia=lo.Inertia(1.0, com=(0.0, 0.0, 0.1), moment=(0.1, 0.2, 0.25)))
        .body("tail", parent="trunk", joint=lo.Joint("root", axis="y", stiffness=2.0, damping=0.1), flex=rod)
        .body("fin", parent="tail", along=0.2, joint=lo.Joint("hinge", axis=(1, 2, 3), armature=0.01), **LIMB)
        .body("panel", parent="tail", flex=panel)
        .body("mark", parent="panel", along=2, at=(0.0, 0.01, 0.0), **LIMB)
        .build()
    )


MODEL = tree()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_casadi(name):
    rng, function = np.random.default_rng(4), FUNCTIONS[name]
    given = {"q": MODEL.random(rng)} | {label: rng.normal(size=MODEL.nv) for label in ("v", "a", "tau")}
    inputs = {label: given[label] for label in function.inputs}
    options = [{}]
    if "body" in function.options:
        options = [{"body": body, **place} for body, place in zip(("mark", "fin", "tail"), PLACES, strict=True)]
    if "imposed" in function.options:
        options = [{"imposed": ["tail"]}, {"imposed": ["hinge", "panel"]}]
    wrenches = rng.normal(size=(len(MODEL.body_names), 6))
    s = lo.symbolic(MODEL)
    for more in options:
        loads = [None, wrenches] if function.loaded else [None]
        for load in loads:
            extra = {} if load is None else {"wrenches": load}
            expected = getattr(lo, name)(MODEL, *inputs.values(), **more, **extra)
            found = s.function(name, wrenches=load is not None, **more).call([*inputs.values(), *extra.values()])
            for ours, theirs in zip(found, as_tuple(expected), strict=True):
                ours = np.array(ours).reshape(np.shape(theirs))
                assert abs(ours - theirs).max() < TOLERANCE.get(name, 1e-12) * max(1e-3, np.abs(theirs).max())


def test_parameters():
    """Masses of bodies that share a section with the rod itself change what they should, and nothing else."""
    s, rng = lo.symbolic(MODEL, ["mark.mass", "fin.center", "root.stiffness", "gravity"]), np.random.default_rng(2)
    q, v, a = MODEL.random(rng), rng.normal(size=MODEL.nv), rng.normal(size=MODEL.nv)
    found = np.array(s.inverse_dynamics(q, v, a, s.values)).ravel()
    assert np.allclose(found, lo.inverse_dynamics(MODEL, q, v, a), rtol=0, atol=1e-12 * abs(found).max())
    changed = np.array(s.kinetic_energy(q, v, s.vector({"mark.mass": 1.2}))).item()
    twist = lo.velocity(MODEL, q, v, "mark")
    c, w = np.array([0.05, 0.02, 0.01]), twist[3:]
    more = 0.5 * 1.0 * np.sum((twist[:3] + np.cross(w, c)) ** 2)
    assert changed == pytest.approx(lo.kinetic_energy(MODEL, q, v) + more, rel=1e-12)


def test_operation_count_is_linear_in_nodes():
    counts = []
    for nodes in (4, 8, 12):
        rod = lo.Rod(0.3, strains="bending", order=1, nodes=nodes)
        counts.append(lo.operation_count(lo.Builder("rod").body("rod", flex=rod).build(), "inverse_dynamics").total)
    steps = np.diff(counts)
    assert counts[0] > 1000 and abs(steps[1] / steps[0] - 1) < 0.02


def muscular():
    """Two actuators in a rod with a tip body."""
    rod = lo.Rod(0.3, material=lo.Material(1000, 1e6, damping=0.01), strains="bending_z", order=1, nodes=4)
    model = lo.Builder("arm").body("arm", flex=rod).body("tip", parent="arm", **LIMB).build()
    path = ((0, 0.008, 0), (0.3, 0.008, 0))
    flexor = lo.Muscle("arm", path, force=2.0, activation=lo.Sine(0.5, 6.0, offset=0.5), speed=3.0, name="flexor")
    return lo.Locomotion(model, actuators=[lo.Tendon("arm", path, tension=2.0), flexor])


def crawling():
    """A field of strain is imposed, a blade holds one section, a stretch of the other rod is free."""
    wave = lo.Rod(1.0, lo.Section.circle(0.02), strains="bending_z", basis={"bending_z": lo.rods.Points()}, nodes=4)
    tail = lo.Rod(0.3, strains="bending_z", order=0, nodes=3)
    model = (
        lo.Builder("snake", base="planar")
        .body("snake", flex=wave)
        .body("keel", parent="snake", along=0.5)
        .body("tail", parent="snake", flex=tail)
        .build()
    )
    drives = {"snake": lo.StrainWave(amplitude=3.0, wavelength=0.8, rate=2.0)}
    return lo.Locomotion(model, drives=drives, constraints=[lo.Blade("keel")])


PROBLEMS = {
    "muscular": muscular,
    "crawling": crawling,
    "soft_snakeboard": lambda: lo.systems.load("soft_snakeboard").problem(),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_problems(name):
    problem, rng = PROBLEMS[name](), np.random.default_rng(0)
    model = problem.model
    q, v = problem.initial()
    q = model.integrate(q, 0.05 * rng.normal(size=model.nv) * ~problem.imposed)
    q, v = problem.initial(q, v + 0.3 * rng.normal(size=model.nv), 0.3)
    now = problem.evaluate(0.3, q, v)
    a = np.array(lo.symbolic_problem(problem)(0.3, q, v, np.where(problem.imposed, now.a, 0.0))).ravel()
    assert np.allclose(a, now.a, rtol=0, atol=1e-12 * abs(now.a).max())


@pytest.mark.parametrize("name", PROBLEMS)
def test_rollouts(name, tmp_path, monkeypatch):
    import locomote.compiled.library as library

    monkeypatch.setattr(library, "cache_folder", lambda: tmp_path)
    problem = PROBLEMS[name]()
    got = lo.rollout(problem, batch=5, duration=0.01, step=1e-4, method="rk4")
    run = problem.simulate(0.01, method="rk4", step=1e-4, progress=False)
    assert np.allclose(got.q[:, -1], run.q[-1], rtol=0, atol=1e-11)
    assert np.allclose(got.v[:, -1], run.v[-1], rtol=0, atol=1e-9)


def test_what_has_no_formula_is_said():
    problem = muscular()
    law = lo.rods.StrainLaw("arm", "bending_z", lambda k: 1e-5 * k**3, reach=(-20.0, 20.0))
    with pytest.raises(ValueError, match="a strain law of its rods is a table"):
        lo.symbolic_problem(lo.Locomotion(problem.model, actuators=[law]))
    pulled = lo.Tendon("arm", ((0, 0.008, 0), (0.3, 0.008, 0)), tension=lambda t: t * t)
    with pytest.raises(ValueError, match="sines and polynomials of time have formulas"):
        lo.symbolic_problem(lo.Locomotion(problem.model, actuators=[pulled]))


def pendulum(**more):
    arm = lo.Inertia(1.0, (0, 0, -1), (1, 1, 1))
    builder = lo.Builder("arm").body("a", joint=lo.Joint("j", axis="y"), inertia=arm)
    return lo.Locomotion(
        builder.body("b", parent="a", at=(0, 0, -2), joint=lo.Joint("k", axis="x"), inertia=arm).build(), **more
    )


def test_torques_over_time_are_in_the_formula():
    """Sines, polynomials and sums of them, beside further forces and beside what a drive imposes."""
    for torques in ({"j": lo.Sine(3.0, 2.0, offset=0.5)}, {"k": lo.Polynomial([1.0, 2.0, -3.0]) + lo.Sine(1.0, 4.0), "j": 0.7}):
        for drives in ({}, {"k": lo.Sine(0.4, 1.0)}):
            problem = pendulum(torques={k: x for k, x in torques.items() if k not in drives}, drives=drives)
            formula = lo.symbolic_problem(problem)
            for t in (0.0, 0.31, 1.7):
                q, v = problem.initial([0.3, 0.2], [0.1, -0.4], t)
                now = problem.evaluate(t, q, v)
                a = np.array(formula(t, q, v, np.where(problem.imposed, now.a, 0.0))).ravel()
                np.testing.assert_allclose(a, now.a, atol=1e-12)
    for torque in (lo.Spline([0.0, 1.0, 2.0], [0.0, 1.0, 0.0]), lo.Sine(1.0, 1.0, ramp=1.0), lambda t: t):
        with pytest.raises(ValueError, match="a torque follows a function, samples or a ramp; sines and polynomials of time"):
            lo.symbolic_problem(pendulum(torques={"j": torque}))


@pytest.mark.parametrize("name", ["purcell_swimmer", "three_sphere_swimmer", "scallop"])
def test_without_inertia_the_formula_has_rates_of_velocities(name):
    problem = lo.systems.load(name).problem()
    formula, run = lo.symbolic_problem(problem), problem.simulate(0.3, every=0.1, progress=False)
    for t, q, v in zip(run.t, run.q, run.v, strict=True):
        now = problem.evaluate(t, q, v)
        a = np.array(formula(t, q, v, np.where(problem.imposed, now.a, 0.0))).ravel()
        np.testing.assert_allclose(a, now.a, atol=1e-8 * abs(now.a).max())


def test_without_inertia_torques_over_time_drive():
    honey = lo.Fluid(1000.0, 1.0)
    drag = [lo.water.Resistive(x, honey, (0, 0, 0), (0, 0, -2), along=1.0, across=2.0) for x in "ab"]
    problem = pendulum(environment=drag, inertia=False, torques={"j": lo.Sine(3.0, 2.0)})
    q, v = problem.initial([0.3, 0.2], t=0.4)
    now = problem.evaluate(0.4, q, v)
    a = np.array(lo.symbolic_problem(problem)(0.4, q, v, np.zeros(2))).ravel()
    np.testing.assert_allclose(a, now.a, atol=1e-7 * abs(now.a).max())


def test_ground_and_forces_that_need_a_search_are_refused():
    touch = [lo.Touch("b", lo.Ground(), points=[(0, 0, -1)])]
    with pytest.raises(ValueError, match="it may touch ground or other bodies.*problem.with_contacts"):
        lo.symbolic_problem(pendulum(contacts=touch))
    with pytest.raises(ValueError, match="no inertia and forces that are not proportional to velocities"):
        lo.symbolic_problem(lo.systems.load("sandfish").problem())
