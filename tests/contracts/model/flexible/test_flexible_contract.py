"""All of the library on one soft problem: a rod and a modal body in a tree, imposed, driven and passive, on a blade."""

import numpy as np
import pytest

import locomote as lo

TAIL = lo.Rod(0.3, material=lo.Material(1000, 1e6, damping=0.01), strains="bending torsion", order=1)


def model():
    panel = lo.rods.Modes.cantilever(0.2, 0.1, 0.5, 1, rayleigh=(0.0, 0.01))
    return (
        lo.Builder("fish", base="planar")
        .body("trunk", inertia=lo.Inertia(0.5, moment=(1e-3, 1e-3, 1e-3)))
        .body("tail", parent="trunk", joint=lo.Joint("root", axis="z"), at=(0.1, 0, 0), flex=TAIL)
        .body("fin", parent="tail", inertia=lo.Inertia(0.01, moment=(1e-6, 1e-6, 1e-6)))
        .body("panel", parent="trunk", at=(0.0, 0.05, 0.0), flex=panel)
        .build()
    )


@pytest.fixture(scope="module")
def problem():
    return lo.Locomotion(model(), drives={"root": lo.Sine(0.3, 6.0)}, constraints=[lo.Blade("fin")])


@pytest.fixture(scope="module")
def run(problem):
    return problem.simulate(0.3, every=0.02, progress=False)


def test_classification(problem):
    """Deformation that is neither imposed nor driven is passive."""
    case = problem.classify(0.0, problem.initial()[0])
    assert (case.external, case.passive, case.rank) == (3, 7, 1)
    assert "bending_z" in str(case) or "tail" in str(case)


def test_linearisation_is_the_slope_of_the_motion(problem):
    free = lo.Locomotion(problem.model, springs={"root": (0.2, 0.0, 0.0)})
    q, v = free.initial()
    small = free.linearize(q, v)
    h, nv = 1e-6, problem.model.nv
    for k, e in enumerate(np.eye(nv)):
        ahead, behind = (free.evaluate(0.0, free.model.integrate(q, s * h * e), v).a for s in (1.0, -1.0))
        column = small.A[nv:, :nv] @ e
        assert np.allclose(column, (ahead - behind) / (2 * h), rtol=1e-5, atol=1e-5 * abs(column).max() + 1e-6), k


def test_derivatives(problem):
    q, v = problem.initial()
    found = problem.derivatives(0.1, q, v)
    e = np.eye(problem.model.nv)[4]
    ahead, behind = (problem.evaluate(0.1, q, v + s * 1e-5 * e).a for s in (1.0, -1.0))
    assert np.allclose(found.a.v @ e, (ahead - behind) / 2e-5, rtol=1e-5, atol=1e-6 * abs(ahead).max())


def test_connection_of_imposed_shapes():
    """With all of the shape imposed and no momentum, the base follows by the mechanical connection."""
    whole = model()
    drives = {"root": lo.Sine(0.3, 6.0), "tail": [lo.Sine(0.5, 6.0)] * 6, "panel": lo.Sine(0.01, 6.0)}
    problem = lo.Locomotion(whole, drives=drives)
    q, v = problem.initial()
    found = problem.connection(q)
    momentum = lo.momentum_matrix(whole, q)[[0, 1, 5]]
    expected = np.linalg.solve(momentum[:, :3], momentum[:, 3:])
    assert np.allclose(found.A, expected, rtol=0, atol=1e-12)


def test_reduction(problem):
    q, v = problem.initial()
    found = problem.reduction(0.0, q, v)
    assert found.A.shape[0] == 1


def test_events(problem):
    line = lo.When(lambda t, q, v: q[2] - 0.02, terminal=True)
    run = problem.simulate(1.0, events=[line], every=0.1, progress=False)
    assert len(run.events) == 1 and run.t[-1] < 1.0 and abs(run.q[-1, 2] - 0.02) < 1e-8


def test_audit_and_results(run):
    assert run.audit.ok, str(run.audit)
    assert run.info["method"] == "radau" and "audit" in run.summary()
    assert any("tail" in channel.name for channel in run.channels)


def test_files_and_resume(problem, run, tmp_path):
    run.save(tmp_path / "run.h5")
    again = lo.open_run(tmp_path / "run.h5")
    assert (again.q == run.q).all() and again.model.nv == run.model.nv
    assert np.allclose(again.problem.evaluate(0.1, run.q[3], run.v[3]).a, problem.evaluate(0.1, run.q[3], run.v[3]).a)
    longer = run.extend(0.1, progress=False)
    assert longer.t[-1] == pytest.approx(0.4) and (longer.q[: len(run)] == run.q).all()

    path = tmp_path / "part.h5"
    problem.simulate(0.3, every=0.02, progress=False, checkpoint=path)
    assert (lo.resume(path).q == run.q).all()


def test_pictures(run, tmp_path):
    assert run.plot() is not None
    run.film(tmp_path / "strip.png")
    run.report(tmp_path / "run.html")
    assert (tmp_path / "strip.png").stat().st_size > 2000 and (tmp_path / "run.html").stat().st_size > 10000


def test_strain_and_stress_over_a_run(run, tmp_path):
    """Their work on each other is the elastic energy, and Hooke's law holds where nothing moves."""
    fields = lo.rods.rod_fields(run, "tail")
    assert fields.strains.shape == fields.stresses.shape == (len(run), len(fields.along), 6)
    shape = lo.rods.sections(run.model, run.q, "tail")
    H = TAIL.stiffness_at(0.1)
    rate = np.diff(fields.strains, axis=0) / 0.02
    middle = 0.5 * (fields.stresses[1:] + fields.stresses[:-1]) / H
    expected = 0.5 * (fields.strains[1:] + fields.strains[:-1]) + 0.01 * rate
    assert np.allclose(middle[..., 3:], expected[..., 3:], rtol=0, atol=0.15 * abs(expected).max())  # a difference of samples
    steps = np.diff(shape.along, prepend=0.0)
    energy = 0.5 * np.einsum("tkc,c,tkc,k->t", fields.strains, H, fields.strains, steps)
    exact = np.array([0.5 * r @ run.model.flexible.rods["tail"].elastic @ r for r in run.q[:, run.model.joint("tail").q]])
    assert np.allclose(energy, exact, rtol=0, atol=2e-2 * exact.max())
    assert fields.plot(path=tmp_path / "fields.png") is not None and (tmp_path / "fields.png").exists()
    with pytest.raises(lo.LocomoteError, match="no rod named 'trunk'"):
        lo.rods.rod_fields(run, "trunk")
