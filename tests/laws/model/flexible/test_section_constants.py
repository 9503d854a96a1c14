"""Rods by the constants of their sections, without elasticity, with a damping time for each strain, and under loads that keep
their direction: against sections of a material, and closed forms."""

import json

import numpy as np
import pytest
from mechanisms import relative
from scipy.special import jn_zeros

import locomote as lo
from locomote.formats.record import description_from_record, description_to_record
from locomote.model.model import Model

EA, GA, GJ, EI, RHO_A, RHO_I = 40.0, (11.0, 13.0), 0.7, (0.5, 0.9), 0.3, (0.02, 0.03)
WHOLE = lo.rods.SectionConstants(RHO_A, EA, GA, GJ, EI, RHO_I)


def built(rod, base="fixed", gravity=(0.0, 0.0, -9.81)):
    return lo.Builder("rod", base=base, gravity=gravity).body("rod", flex=rod).body("tip", parent="rod").build()


def test_constants_are_those_of_a_section_of_a_material():
    section = lo.Section(2e-3, 3e-7, 5e-7, 4e-7, 0.8, 0.9, mass_about_y=6e-7)
    material = lo.Material(900.0, 2e6, 0.3, damping={"bending": 0.02, "torsion": 0.01})
    G = material.shear_modulus
    constants = lo.rods.SectionConstants(
        900 * 2e-3, 2e6 * 2e-3, (0.8 * G * 2e-3, 0.9 * G * 2e-3), G * 4e-7, (2e6 * 3e-7, 2e6 * 5e-7), (900 * 6e-7, 900 * 5e-7),
        (0.0, 0.0, 0.0, 0.01, 0.02, 0.02),
    )  # fmt: skip
    how = {"strains": "all", "order": 2}
    one, two = (built(lo.Rod(0.7, *given, **how), "free") for given in ((section, material), (constants,)))
    rng = np.random.default_rng(1)
    q, v, a = one.random(rng), rng.normal(size=one.nv), rng.normal(size=one.nv)
    for f in (lo.inverse_dynamics, lambda m, q, v, a: lo.passive_force(m, q, v), lambda m, q, v, a: lo.mass_matrix(m, q)):
        assert relative(f(one, q, v, a), f(two, q, v, a)) < 1e-12
    many = np.tile(q, (9, 1))
    assert relative(lo.forward_dynamics(two, many, v, a)[4], lo.forward_dynamics(one, q, v, a)) < 1e-10
    count = lo.operation_count(one, "inverse_dynamics"), lo.operation_count(two, "inverse_dynamics")
    assert count[0].total == count[1].total
    links = (
        lo.rods.segments(lo.Rod(0.7, *given, strains="bending torsion"), 3) for given in ((section, material), (constants,))
    )
    assert relative(*(lo.mass_matrix(m, np.full(m.nq, 0.1)) for m in links)) < 1e-12


@pytest.mark.parametrize("rod", [
    lambda: lo.Rod(0.7, WHOLE, strains="all", order=1),
    lambda: lo.Rod(0.7, lambda x: lo.rods.SectionConstants(0.3 - 0.1 * x, bending=(0.5, 1 - x), inertia=0.02),
    strains="bending"),
    lambda: lo.Rod(0.7, material=lo.Material(1000.0, 1e6, damping={"bending": 0.1}), order=1),
    lambda: lo.Rod(0.7, material=lo.Material(1000.0, 0.0), order=2),
])  # fmt: skip
def test_they_come_back_from_files(rod, tmp_path):
    model = built(rod())
    text = json.dumps(description_to_record(model.description))
    again = Model(description_from_record(json.loads(text)))
    assert json.dumps(description_to_record(again.description)) == text
    loads = [lo.Load("tip", (0.1, 0.2, 0.0)), lo.Load(lo.rods.Along("rod", 0.3), (0, 0, 0.1), (0.01, 0, 0), axes="body")]
    run = lo.Locomotion(model, environment=loads).simulate(0.05, every=0.01)
    run.save(tmp_path / "run.h5")
    opened = lo.open_run(tmp_path / "run.h5")
    assert opened.problem is not None, opened.problem_missing
    state = run.t[3], run.q[3], run.v[3]
    np.testing.assert_array_equal(opened.problem.evaluate(*state).a, run.problem.evaluate(*state).a)
    assert run.audit.ok and opened.audit.ok, str(run.audit)


def test_a_cantilever_by_its_constants():
    """Tip deflections FL^3/(3 EI) + FL/GA, FL/EA, ML/GJ; frequencies of bending and stretch."""
    L = 0.7
    model = built(lo.Rod(L, WHOLE, strains="all", order=3), gravity=(0, 0, 0))
    F = 1e-5
    for force, moment, expected in (
        ((0, F, 0), (0, 0, 0), (0, F * L**3 / (3 * EI[1]) + F * L / GA[0], 0)),
        ((0, 0, F), (0, 0, 0), (0, 0, F * L**3 / (3 * EI[0]) + F * L / GA[1])),
        ((F, 0, 0), (0, 0, 0), (F * L / EA, 0, 0)),
    ):
        still = lo.equilibrium(lo.Locomotion(model, environment=[lo.Load("tip", force, moment)]))
        moved = lo.forward_kinematics(model, still.q)[-1, :3, 3] - (L, 0, 0)
        np.testing.assert_allclose(moved, expected, atol=1e-4 * F)
    still = lo.equilibrium(lo.Locomotion(model, environment=[lo.Load("tip", moment=(F, 0, 0))]))
    assert lo.forward_kinematics(model, still.q)[-1, 2, 1] == pytest.approx(F * L / GJ, rel=1e-9)
    bar = built(lo.Rod(L, lo.rods.SectionConstants(RHO_A, stretch=EA), strains="stretch", order=6), gravity=(0, 0, 0))
    first = lo.modes(lo.Locomotion(bar)).rates[0]
    assert first == pytest.approx(np.pi / 2 / L * np.sqrt(EA / RHO_A), rel=1e-6)
    beam = built(lo.Rod(L, lo.rods.SectionConstants(RHO_A, bending=EI), strains="bending_z", order=6), gravity=(0, 0, 0))
    first = lo.modes(lo.Locomotion(beam)).rates[0]
    assert first == pytest.approx(1.8751040687**2 / L**2 * np.sqrt(EI[1] / RHO_A), rel=1e-5)


def test_each_strain_has_its_own_damping_time():
    """A mode of frequency w and damping time c dies out as exp(-c w^2 t / 2)."""
    for times, strain, c in (({"stretch": 4e-3}, "stretch", 4e-3), ({"stretch": 4e-3}, "bending_z", 0.0), (
        {"all": 1e-3, "bending": 2e-3}, "bending_z", 2e-3)):  # fmt: skip
        section = lo.rods.SectionConstants(RHO_A, EA, GA, GJ, EI, RHO_I, times)
        problem = lo.Locomotion(built(lo.Rod(0.7, section, strains=strain, order=3), gravity=(0, 0, 0)))
        w, s = lo.modes(problem).rates[0], np.linalg.eigvals(problem.linearize().A)
        slowest = s[np.argmin(abs(abs(s) - w))]
        assert slowest.real == pytest.approx(-0.5 * c * w * w, abs=1e-6 * w)


def test_a_rod_without_elasticity_is_a_heavy_chain():
    """Small swings of a hanging chain: J_0(2 w sqrt(L / g)) = 0 (Daniel Bernoulli). Its regressor has a column for a stiffness
    that is none."""
    L, g = 0.8, 9.81
    for kind in (
        {"section": lo.rods.SectionConstants(0.4, bending=0.0)},
        {"section": lo.Section.circle(1e-3), "material": lo.Material(1e3, 0.0)},
    ):
        rod = lo.Rod(L, strains="bending_z", order=7, nodes=24, **kind)
        model = lo.Builder("chain", gravity=(g, 0, 0)).body("rod", joint=lo.Joint("hinge"), flex=rod).build()
        found = lo.modes(lo.Locomotion(model)).rates[:3]
        np.testing.assert_allclose(found, 0.5 * jn_zeros(0, 3) * np.sqrt(g / L), rtol=2e-4)
        assert not lo.passive_force(model, np.full(model.nq, 0.3), np.full(model.nv, 0.2)).any()
        run = lo.Locomotion(model).simulate(1.0, q=[0.5, *[0.0] * 8])
        assert run.audit.ok, str(run.audit)
        Y = lo.regressor(model, run.q[9], run.v[9], run.a[9], elastic=True)
        parameters = lo.inertial_parameters(model, elastic=True)
        assert (
            np.isfinite(Y).all() and relative(Y @ parameters, lo.inverse_dynamics(model, run.q[9], run.v[9], run.a[9])) < 1e-9
        )


def test_rest_needs_no_mass():
    """The elastica of a rod without mass, with and without inertia=; a bar on a massless spring."""
    rod = lo.Rod(1.0, lo.rods.SectionConstants(0.0, bending=1.0), strains="bending_z", order=8, nodes=32)
    model = built(rod)
    for force, place in (((0, 1.0, 0), (0.94356, 0.30172)), ((0, 10.0, 0), (0.44500, 0.81061))):
        for how in ({}, {"inertia": False}):
            still = lo.equilibrium(lo.Locomotion(model, environment=[lo.Load("tip", force)], **how))
            np.testing.assert_allclose(lo.forward_kinematics(model, still.q)[-1, :2, 3], place, atol=1e-5)
    path = lo.equilibrium_path(lambda x: lo.Locomotion(model, environment=[lo.Load("tip", (0, x, 0))], inertia=False), step=0.3)
    assert path.loads[-1] == pytest.approx(1.0)
    with pytest.raises(lo.LocomoteError, match="moves no mass; modes need mass"):
        lo.modes(lo.Locomotion(model))
    heavy = built(lo.Rod(1.0, lo.rods.SectionConstants(0.1, bending=1.0), strains="bending_z", order=7), gravity=(0, -9.81, 0))
    one, two = (lo.equilibrium(lo.Locomotion(heavy, inertia=x)).q for x in (True, False))
    np.testing.assert_allclose(one, two, atol=1e-8)
    light = (
        lo.Builder("lever").body("bar", joint=lo.Joint("hinge", stiffness=2.0)).body("end", parent="bar", at=(1, 0, 0)).build()
    )
    still = lo.equilibrium(lo.Locomotion(light, environment=[lo.Load("end", (0, 1.0, 0))]))
    assert 2.0 * still.q[0] == pytest.approx(np.cos(still.q[0]), abs=1e-9)


def test_a_dead_load_keeps_its_direction_and_a_follower_does_not():
    """As weight does; the energy of a dead force is that of a height. A follower gives the work of its force along the path."""
    body = (
        lo.Builder("body", base="free", gravity=(0, 0, 0)).body("body", inertia=lo.Inertia(2.0, moment=(0.1, 0.2, 0.3))).build()
    )
    heavy = (
        lo.Builder("body", base="free", gravity=(0.5, 0, -2.0))
        .body("body", inertia=lo.Inertia(2.0, moment=(0.1, 0.2, 0.3)))
        .build()
    )
    v = [0.3, 0.1, -0.2, 1.0, -2.0, 0.5]
    loaded = lo.Locomotion(body, environment=[lo.Load("body", (1.0, 0, -4.0))]).simulate(1.0, v=v)
    fallen = lo.Locomotion(heavy).simulate(1.0, v=v)
    np.testing.assert_allclose(loaded.q[-1], fallen.q[-1], atol=1e-7)
    assert np.ptp(loaded.total) < 1e-8 and loaded.audit.ok
    for axes in ("world", "body"):
        load = lo.Load("body", (0.1, 0.2, 0.0), (0.02, 0.0, 0.03), (0.1, 0, 0), axes=axes)
        problem = lo.Locomotion(body, environment=[load])
        run = problem.simulate(1.0, v=v)
        assert run.audit.ok and run.audit.balance < 1e-7
        batch = lo.rollout(problem, batch=3, duration=0.05, step=0.01)
        assert np.isfinite(batch.q).all()
        q, s = run.q[200], run.v[200]
        R = lo.forward_kinematics(body, q)[0, :3, :3]
        force, moment = np.array(load.force), np.array(load.moment)
        if axes == "world":
            force, moment = R.T @ force, R.T @ moment
        wrench = {"body": np.concatenate([force, moment + np.cross(load.point, force)])}
        np.testing.assert_allclose(
            problem.evaluate(0.0, q, s).a, lo.forward_dynamics(body, q, s, np.zeros(6), wrenches=wrench), atol=1e-12
        )


@pytest.mark.parametrize("call, said", [
    (lambda: lo.Section(1.0, 1.0, 1.0, 1.0, mass_about_y=-1), "mass_about_y .* must be a finite number from 0, not -1"),
    (lambda: lo.Section(1.0, 1.0, 1.0, 1.0, mass_about_z=np.nan), "mass_about_z of a section"),
    (lambda: lo.Section(1.0, 1.0, 1.0, 1.0, size=(0.1, -0.1)), "half size of a section"),
    (lambda: lo.rods.SectionConstants(-1.0), "mass of a section must be a finite number from 0"),
    (lambda: lo.rods.SectionConstants(1.0, bending=(1.0, 2.0, 3.0)), "bending of a section must be one number, or two"),
    (lambda: lo.rods.SectionConstants(1.0, damping={"bend": 1.0}), "no strain is named 'bend'"),
    (lambda: lo.Material(1.0, 1.0, damping={"bending": -1.0}), "damping of a material, s, for bending must be"),
    (lambda: lo.Rod(1.0, lo.rods.SectionConstants(1.0, bending=1.0)), "the strain torsion, but its section says no stiffness"),
    (lambda: lo.Rod(1.0, WHOLE, lo.Material(1.0, 1.0)), "says mass and stiffness of a rod already: leave material out"),
    (lambda: lo.Rod(1.0, material=lo.Material(1.0, 0.0)), "folds as finely as it may: say how finely, order="),
    (lambda: lo.Load("tip", (1, 0, 0), axes="hand").term(built(lo.Rod(1.0))), "axes of a load are 'hand'"),
    (lambda: lo.Locomotion(built(lo.Rod(1.0)), environment=[lo.Load("tip", (1, 0))]), "force of a load is"),
])  # fmt: skip
def test_what_cannot_be_is_said(call, said):
    with pytest.raises(ValueError, match=said):
        call()
