"""Problems with rods: constraints on sections, closed loops, imposed strains, energy, momentum, files, wrong input."""

import json
import pickle

import numpy as np
import pytest
from rod_problems import SOFT, blades, ring
from rod_reference import RodReference

import locomote as lo
from locomote.formats.record import description_from_record, description_to_record


@pytest.mark.parametrize("make", [blades, ring])
def test_equations_with_constraints(make):
    """M a + bias = elastic forces + A^T lam and A a + A' v = 0, with M, bias and A from point masses along the rods."""
    problem = make()
    model = problem.model
    rng = np.random.default_rng(5)
    try:
        q, v = problem.initial(0.2 * model.random(rng) if make is blades else None, rng.normal(size=model.nv))
    except lo.InconsistentStart as fault:
        pytest.fail(str(fault))
    now = problem.evaluate(0.0, q, v)
    truth = RodReference(model.description).at(q, v, now.a)
    A, drift, _, error = problem.rows(0.0, q, v)
    force = np.real(truth.inverse_dynamics()) - lo.passive_force(model, q, v) - A.T @ now.reactions
    assert abs(force).max() < 1e-8 * abs(np.real(truth.inverse_dynamics())).max()
    assert abs(A @ v).max() < 1e-9 and abs(A @ now.a + drift).max() < 1e-7 * max(1.0, abs(now.a).max())
    for row, constraint in enumerate(problem.constraints if make is blades else []):
        side = np.real(truth.jacobian(constraint.body, frame="local"))[1]
        assert np.allclose(A[row], side, atol=1e-12)
    if make is ring:
        slide = np.real(truth.jacobian("b", frame="aligned") - truth.jacobian("a", frame="aligned"))[:3]
        assert np.linalg.matrix_rank(np.vstack([A, slide]), tol=1e-9) == np.linalg.matrix_rank(A, tol=1e-9)


@pytest.mark.parametrize("make", [blades, ring])
def test_runs_with_constraints(make):
    problem = make()
    model = problem.model
    v = np.zeros(model.nv)
    v[0] = 0.3
    q = model.neutral()
    q[-1] = 0.4
    start = {"q": q, "v": v} if make is blades else {}
    run = problem.simulate(0.1, **start, every=0.01, method="adaptive", progress=False)
    assert run.audit.ok, str(run.audit)
    total = run.kinetic + run.potential + run.elastic
    assert np.ptp(total) < 1e-7 * max(1.0, abs(run.elastic).max())


@pytest.mark.parametrize("method", ["adaptive", "gauss"])
def test_a_free_rod_keeps_energy_and_momentum(method):
    rod = lo.Rod(1.0, lo.Section.rectangle(0.02, 0.04), SOFT, strains="all", order=2)
    model = lo.Builder("flying", base="free", gravity=(0, 0, 0)).body("rod", flex=rod).build()
    rng = np.random.default_rng(1)
    q, v = model.neutral(), np.zeros(model.nv)
    v[:6] = rng.normal(size=6)
    q[10:] = 0.3 * model.random(rng)[10:]
    run = lo.Locomotion(model).simulate(0.2, q=q, v=v, every=0.05, method=method, rtol=1e-9, atol=1e-11, progress=False)
    momentum = lo.momentum(model, run.q, run.v)
    assert np.ptp(momentum, axis=0).max() < (2e-9 if method == "adaptive" else 1e-7)
    total = run.kinetic + run.elastic
    assert np.ptp(total) < 1e-7 * total[0]
    assert run.audit.ok


def test_gauss_agrees_with_explicit_steps():
    rod = lo.Rod(0.5, lo.Section.circle(0.02), lo.Material(1000.0, 1e6, damping=0.002), order=2)
    model = (
        lo.Builder("arm")
        .body("link", joint=lo.Joint("shoulder", axis="y", damping=0.1), inertia=lo.Inertia(0.5, com=(0.1, 0, 0)))
        .body("rod", parent="link", at=(0.2, 0, 0), flex=rod)
        .body("hand", parent="rod", joint=lo.Joint("wrist", axis="z"), inertia=lo.Inertia(0.05, com=(0.02, 0, 0)))
        .build()
    )
    problem = lo.Locomotion(model, drives={"wrist": lo.Sine(0.5, 7.0)})
    one = problem.simulate(0.5, every=0.1, progress=False, rtol=1e-9)
    two = problem.simulate(0.5, every=0.1, progress=False, method="gauss", rtol=1e-8)
    assert np.allclose(one.q, two.q, rtol=0, atol=1e-4 * abs(one.q).max())
    assert two.audit.ok, str(two.audit)


@pytest.mark.parametrize(
    ("method", "steps", "order"),
    [("gauss4", (40, 80), 3.8), ("radau", (20, 40, 80), 4.2), ("gauss", (8, 16), 5.7), ("gauss8", (6, 12), 7.3)],
)
def test_order_of_collocation(method, steps, order):
    rod = lo.Rod(1.0, lo.Section.circle(0.02), lo.Material(1000.0, 1e6), strains="bending_z", order=1)
    model = lo.Builder("one", gravity=(0, -9.81, 0)).body("rod", flex=rod).build()
    problem = lo.Locomotion(model)

    def end(count):
        step, rtol = 0.4 / count, 1e-4 * (steps[0] / count) ** order  # which each step just meets
        run = problem.simulate(
            0.4, samples=[0.4], method=method, max_step=step, step=step, rtol=rtol, atol=1e-12, progress=False
        )
        assert run.info["steps"] <= count + 1
        return run.q[-1]

    fine = problem.simulate(0.4, samples=[0.4], method="adaptive", rtol=1e-13, atol=1e-14, progress=False).q[-1]
    errors = [abs(end(count) - fine).max() for count in steps]
    assert (np.log2(np.array(errors[:-1]) / errors[1:]) > order).all(), errors


def test_a_rod_driven_by_waves():
    """The motion of a free rod whose bending is imposed over points is that of one whose bending is imposed by a basis of the
    same field, and its forces are the internal moments."""
    material, section = lo.Material(1000.0, 1e6), lo.Section.circle(0.02)
    wave = {"strain": "bending_z", "offset": 0.5}
    one = lo.Rod(0.8, section, material, strains="bending_z", basis={"bending_z": lo.rods.Points()}, nodes=16)
    k, w = 2 * np.pi / 0.8, 3.0
    shapes = [lambda x: np.ones_like(x), lambda x: np.cos(k * x), lambda x: np.sin(k * x)]
    other = lo.Rod(0.8, section, material, strains="bending_z", basis=shapes, nodes=16)
    ends = []
    for rod, drive in (
        (one, lo.StrainWave(2.0, 0.8, w, **wave)),
        (other, [lo.Constant(0.5), lo.Sine(2.0, w), lo.Sine(-2.0, w, phase=np.pi / 2)]),
    ):
        model = lo.Builder("swimmer", base="planar", gravity=(0, 0, 0)).body("rod", flex=rod).build()
        problem = lo.Locomotion(model, drives={"rod": drive})
        run = problem.simulate(1.0, every=0.25, progress=False)
        assert run.audit.ok, str(run.audit)
        ends.append(run.q[:, :3])
    assert np.allclose(ends[0], ends[1], atol=1e-7)


def test_records_pickles_and_copies():
    problem = blades()
    model = problem.model
    again = lo.Model(description_from_record(json.loads(json.dumps(description_to_record(model.description)))))
    assert again == model
    assert pickle.loads(pickle.dumps(model)) == model
    q, v = problem.initial(0.1 * model.random(2), np.ones(model.nv))
    other = pickle.loads(pickle.dumps(problem))
    assert (problem.evaluate(0.0, q, v).a == other.evaluate(0.0, q, v).a).all()


def test_run_files_and_resume(tmp_path):
    problem = blades()
    q = problem.model.neutral()
    q[-1] = 0.3
    run = problem.simulate(0.1, q=q, every=0.02, progress=False, checkpoint=tmp_path / "a.h5")
    again = lo.open_run(tmp_path / "a.h5")
    assert (again.q == run.q).all() and again.model == problem.model
    assert again.audit.ok


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: lo.Rod(0.0), "length of a rod must be a positive number"),
        (lambda: lo.Rod(1.0, strains="bendin"), "no strain 'bendin'"),
        (lambda: lo.Rod(1.0, strains=""), "needs a strain"),
        (lambda: lo.Rod(1.0, order=-1), "integer from 0 to 60"),
        (lambda: lo.Rod(1.0, section=3.0), "takes a lo.Section"),
        (lambda: lo.Section.circle(0.0), "must be a positive number"),
        (lambda: lo.Section(0.0, 1.0, 1.0, 1.0), "positive area"),
        (lambda: lo.Section.tube(0.1, 0.2), "inner radius"),
        (lambda: lo.Material(1000.0, -1.0), "Young's modulus"),
        (lambda: lo.Rod(1.0, rest=(-1.0, 0, 0, 0, 0, 0)).rest_at(0.5), "must be positive"),
        (lambda: lo.Builder("x").body("a", flex=lo.Rod(1.0, order=4, rest=(0, 0, 60.0))).build(), "give nodes="),
        (lambda: lo.Builder("x").body("a", flex=lo.Rod(1.0)).body("b", parent="a", along=1.2).build(), "not on rod 'a'"),
        (lambda: lo.Builder("x").body("a").body("b", parent="a", along=0.2).build(), "is none"),
        (lambda: lo.Builder("x").body("a", flex=lo.Rod(1.0, basis=[3.0])).build(), "functions of X"),
        (lambda: lo.Builder("x").body("a", flex=lo.Rod(1.0, basis={"stretch": [np.cos]})).build(), "not among its strains"),
        (lambda: lo.Builder("x").body("a", flex="rod").build(), "flex must be a lo.Rod"),
    ],
)
def test_wrong_rods(make, words):
    with pytest.raises((ValueError, lo.ModelError), match=words):
        make()


def test_more_than_half_a_turn_in_a_step():
    model = lo.Builder("x").body("a", flex=lo.Rod(1.0, strains="bending_z", order=0)).build()
    with pytest.raises(ValueError, match="at most pi is possible: give it nodes="):
        lo.forward_kinematics(model, [60.0])


def test_strains_over_points_must_be_imposed():
    rod = lo.Rod(1.0, strains="bending_z", basis=lo.rods.Points())
    model = lo.Builder("x").body("a", flex=rod).build()
    with pytest.raises(ValueError, match="must be imposed"):
        lo.Locomotion(model)
    plain = lo.Builder("x").body("a", flex=lo.Rod(1.0)).build()
    with pytest.raises(ValueError, match="not over points"):
        lo.Locomotion(plain, drives={"a": lo.StrainWave(1.0, 1.0, 1.0)})


def test_tendons_and_chambers_against_lengths_and_volumes():
    """The force of a tendon is minus its tension times the gradient of its length, that of a chamber its pressure times the
    gradient of its volume, found from strains along the rod by differences."""
    rod = lo.Rod(0.3, lo.Section.circle(0.01), lo.Material(1000.0, 1e5), strains="all", order=2, nodes=20)
    model = lo.Builder("arm", gravity=(0, 0, 0)).body("arm", flex=rod).build()
    path, offset, area = ((0.0, 0.008, 0.0), (0.3, 0.004, 0.002)), (0.001, -0.005), 1e-4
    q = 0.3 * model.random(4)

    def length_and_volume(q):
        """By sums over many places, from polynomials and the strain alone."""
        x = (np.arange(4000) + 0.5) * 0.3 / 4000
        shapes = np.array([np.ones_like(x), 2 * x / 0.3 - 1, 1.5 * (2 * x / 0.3 - 1) ** 2 - 0.5])
        strain = np.einsum("ck,kx->xc", q.reshape(6, 3), shapes) + (1, 0, 0, 0, 0, 0)
        s = x / 0.3
        d = np.stack([0 * s, 0.008 - 0.004 * s, 0.002 * s], axis=1)
        along = strain[:, :3] + np.cross(strain[:, 3:], d) + (0.0, -0.004 / 0.3, 0.002 / 0.3)
        stretch = strain[:, 0] + np.cross(strain[:, 3:], (0.0, *offset))[:, 0]
        return np.array([np.linalg.norm(along, axis=1).mean() * 0.3, area * stretch.mean() * 0.3])

    gradients = np.array([(length_and_volume(q + e) - length_and_volume(q - e)) / 2e-5 for e in 1e-5 * np.eye(18)])
    still = np.zeros(model.nv)
    M, rest = lo.mass_matrix(model, q), lo.passive_force(model, q, still)
    for actuator, expected in (
        (lo.Tendon("arm", path, tension=2.0), -2.0 * gradients[:, 0]),
        (lo.Chamber("arm", area, 3e3, offset=offset), 3e3 * gradients[:, 1]),
    ):
        a = lo.Locomotion(model, actuators=[actuator]).evaluate(0.0, q, still).a
        assert np.allclose(M @ a - rest, expected, rtol=0, atol=1e-5 * abs(expected).max())


def test_methods_are_chosen_and_refused():
    free = lo.Locomotion(lo.Builder("x").body("a", flex=lo.Rod(0.2, order=0)).build())
    run = free.simulate(0.01, every=0.005, progress=False)
    assert run.info["method"] == "gauss" and "flexible bodies are stiff" in run.info["reason"]
    with pytest.raises(ValueError, match="does not know the flexible bodies"):
        free.simulate(0.01, method="variational")
    assert blades().simulate(0.01, every=0.005, progress=False).info["method"] == "gauss"
    with pytest.raises(ValueError, match="there is no such rod"):
        lo.Locomotion(free.model, actuators=[lo.Tendon("b", ((0, 0, 0), (0.1, 0, 0)), 1.0)])
    with pytest.raises(ValueError, match="must go along X"):
        lo.Locomotion(free.model, actuators=[lo.Tendon("a", ((0, 0, 0), (0.5, 0, 0)), 1.0)])


def test_what_rods_cannot_do_is_said():
    model = lo.Builder("x").body("a", flex=lo.Rod(0.2, order=0)).build()
    for call in (
        lambda: lo.write_urdf(model),
        lambda: lo.write_mjcf(model),
    ):
        with pytest.raises(lo.ModelError, match="flexible bodies"):
            call()
    with pytest.raises(lo.ModelError, match="cannot be locked"):
        lo.lock(model, "a")
