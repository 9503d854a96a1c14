"""Forces of models with flexible bodies are linear in masses, stiffness and damping: one matrix serves models of all values."""

import numpy as np
import pytest

import locomote as lo
from locomote.dynamics.regressor import inertial_parameter_names


def tree(k=1.0, base="free", **more):
    """A rod inside the tree, which tapers, with a limb on its side and a modal body at its tip; k changes its numbers."""
    rng = np.random.default_rng(1)
    masses, shapes = rng.uniform(0.1, 0.3, 6), rng.normal(size=(2, 6, 3))
    panel = lo.rods.Modes(
        rng.normal(size=(6, 3)),
        masses * k,
        shapes,
        [1.0 * k, 2.0 * k],
        rayleigh=(0.0, 0.02),
        rotations=rng.normal(size=(2, 6, 3)),
    )

    def section(X):
        area, I = 1e-3 * (1.0 - X), 1e-5 * (1.0 - X) ** 2
        return lo.Section(area, I, I, 2e-5, mass_about_y=2 * I * k, mass_about_z=3 * I)

    material = lo.Material(1000.0 * k, 1e5 * (1 + k), poisson=0.3 * k, damping=0.01 * k)
    rod = lo.Rod(0.3, section, material, strains="all", order=1, rest=(0.3, 1.0, 2.0), nodes=6)
    limb = {"inertia": lo.Inertia(0.2 * k, com=(0.05 / k, 0.02, 0.01), moment=(1e-3, 2e-3 * k, 2e-3))}
    return (
        lo.Builder("tree", base=base)
        .body("trunk", inertia=lo.Inertia(1.0, com=(0.0, 0.0, 0.1 * k), moment=(0.1, 0.2, 0.22 * k)))
        .body("tail", parent="trunk", joint=lo.Joint("root", axis="y"), at=(0.1, 0.0, 0.2), flex=rod, **more)
        .body("fin", parent="tail", along=0.2, joint=lo.Joint("hinge", axis=(1, 2, 3), armature=0.01 * k), **limb)
        .body("panel", parent="tail", flex=panel)
        .body("mark", parent="panel", along=2, at=(0.0, 0.01, 0.0), **limb)
        .build()
    )


def elastic_force(model, q, v):
    """What springs and dampers of bodies take: all of the passive force here, since joints have none."""
    return -np.array([lo.passive_force(model, *state) for state in zip(q, v, strict=True)])


@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
def test_regressor_is_right_for_models_of_other_values(base):
    model, rng = tree(base=base), np.random.default_rng(3)
    q, (v, a) = model.random(rng, 4), rng.normal(size=(2, 4, model.nv))
    Y = lo.regressor(model, q, v, a, armature=True, elastic=True)
    assert Y.shape == (4, model.nv, len(inertial_parameter_names(model, armature=True, elastic=True)))
    for k in (1.0, 1.3):
        other = tree(k, base=base)
        expected = lo.inverse_dynamics(other, q, v, a) + elastic_force(other, q, v)
        found = Y @ lo.inertial_parameters(other, armature=True, elastic=True)
        assert np.allclose(found, expected, rtol=0, atol=1e-12 * abs(expected).max())
    still = lo.regressor(model, q[0], v[0], a[0])
    count = still.shape[1]
    assert np.allclose(still, Y[0, :, :count], rtol=0, atol=1e-14 * abs(Y).max())
    inertial = lo.inverse_dynamics(model, q[0], v[0], a[0]) - model.armature * a[0]
    assert np.allclose(still @ lo.inertial_parameters(model), inertial, rtol=0, atol=1e-12 * abs(inertial).max())


def test_parameters_are_those_of_the_rod():
    rod = lo.Rod(0.5, lo.Section.rectangle(0.02, 0.01), lo.Material(1200, 1e6, poisson=0.25, damping=0.03), strains="bending")
    model = lo.Builder("rod").body("rod", flex=rod).build()
    values = dict(zip(inertial_parameter_names(model, elastic=True), lo.inertial_parameters(model, elastic=True), strict=True))
    section = rod.section_at(0.0)
    assert values["mass of rod rod"] == pytest.approx(1200 * 0.02 * 0.01 * 0.5)
    assert values["Jy of rod rod"] == pytest.approx(1200 * section.about_y * 0.5)
    assert values["Jz of rod rod"] == pytest.approx(1200 * section.about_z * 0.5)
    assert values["bending_y stiffness of rod rod"] == pytest.approx(1e6 * section.about_y)
    assert values["bending_z damping of rod rod"] == pytest.approx(0.03 * 1e6 * section.about_z)
    base = lo.base_parameters(model)
    assert np.allclose(base.values, base.matrix @ lo.inertial_parameters(model))
    assert all(name.endswith("of rod") for name in base.without_effect) and "mass of rod rod" not in base.without_effect


def test_a_rod_is_identified():
    """Mass, stiffness and damping of a rod from its motion and the forces that this took."""
    rod = lo.Rod(0.5, lo.Section.circle(0.01), lo.Material(1200, 1e6, damping=0.03), strains="bending", order=2)
    model, rng = lo.Builder("rod").body("rod", joint=lo.Joint("turn"), flex=rod).build(), np.random.default_rng(0)
    q, (v, a) = 0.5 * model.random(rng, 30), rng.normal(size=(2, 30, model.nv))
    names = inertial_parameter_names(model, elastic=True)
    own = [k for k, name in enumerate(names) if name.endswith("of rod rod")]
    Y = lo.regressor(model, q, v, a, elastic=True)[..., own].reshape(-1, len(own))
    measured = (lo.inverse_dynamics(model, q, v, a) + elastic_force(model, q, v)).ravel()
    scale = np.linalg.norm(Y, axis=0)
    found = np.linalg.lstsq(Y / scale, measured, rcond=None)[0] / scale
    assert np.allclose(found, lo.inertial_parameters(model, elastic=True)[own], rtol=1e-6)


def test_coupled_coordinates():
    rod = lo.Rod(0.5, strains="bending_z", order=1)
    builder = lo.Builder("pair").body("left", joint=lo.Joint("one"), inertia=lo.Inertia(1.0, com=(0.1, 0, 0)))
    builder.body("right", joint=lo.Joint("two"), flex=rod).couple("two", {"one": 2.0})
    model, rng = builder.build(), np.random.default_rng(0)
    q, (v, a) = model.random(rng), rng.normal(size=(2, model.nv))
    Y, tau = lo.regressor(model, q, v, a), lo.inverse_dynamics(model, q, v, a)
    assert np.allclose(Y @ lo.inertial_parameters(model), tau, rtol=0, atol=1e-12 * abs(tau).max())
