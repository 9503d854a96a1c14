"""Wrenches that sections of rods pass on: right at every X by the order of the mass nodes."""

import numpy as np
import pytest
from mechanisms import relative

import locomote as lo

L, PLACES = 0.8, (0.05, 0.31, 0.4, 0.72, 0.79)


def built(base="fixed", nodes=None, ball=None, breaks=(), gravity=(0.4, -9.81, 2.0), root=False):
    def section(x):
        thick = 0.02 - 0.01 * x + (0.01 if breaks and x > breaks[0] else 0.0)
        return lo.Section.circle(thick)

    rod = lo.Rod(L, section, lo.Material(1000.0, 1e6), strains="all", order=3, nodes=nodes, breaks=breaks)
    builder = lo.Builder("rod", base=base, gravity=gravity).body("rod", flex=rod)
    for x in PLACES:
        builder.body(f"at {x}", parent="rod", along=x)
    if root:
        builder.body("root", parent="rod", along=1e-9)
    if ball is not None:
        builder.body("ball", parent="rod", along=ball, inertia=lo.Inertia(0.4, (0.01, 0.03, -0.02), (1e-3, 2e-3, 1e-3)))
    return builder.build()


def state(model, size=0.2):
    rng = np.random.default_rng(3)
    q, v, a = model.neutral(), rng.normal(size=model.nv), rng.normal(size=model.nv)
    q[-model.joint("rod").q.stop + model.joint("rod").q.start :] = size * rng.normal(
        size=model.joint("rod").q.stop - model.joint("rod").q.start
    )
    return q, v, a


def test_a_straight_rod_bears_what_is_beyond():
    """A clamped rod of constant section under its weight, at default nodes: rho A g (L - X), and half that times L - X."""
    rod = lo.Rod(L, lo.Section.circle(0.02), lo.Material(1000.0, 1e9), strains="bending_z")
    model = lo.Builder("rod", gravity=(0, -9.81, 0)).body("rod", flex=rod).body("near", parent="rod", along=0.9 * L).build()
    still = np.zeros(model.nv)
    along, forces = lo.rods.section_forces(model, still, still, still, "rod")
    weight = 1000 * np.pi * 0.02**2 * 9.81
    np.testing.assert_allclose(forces[:, 1], weight * (L - along), atol=1e-12)
    np.testing.assert_allclose(forces[:, 5], 0.5 * weight * (L - along) ** 2, atol=1e-12)


@pytest.mark.parametrize("base, breaks", [("fixed", ()), ("free", ()), ("fixed", (0.31,))])
def test_they_converge_with_the_nodes_at_every_place(base, breaks):
    """Between nodes, at them, at a break, beside a ball that hangs in the middle: order above four, as all of a rod."""
    errors, exact = [], None
    for nodes in (60, 8, 12, 18):
        model = built(base, nodes, ball=0.55, breaks=breaks)
        along, forces = lo.rods.section_forces(model, *state(model), "rod")
        here = np.array([forces[np.argmin(abs(along - x))] for x in (*PLACES, 0.55, L)])
        if exact is None:
            exact = here
        errors.append(relative(here, exact))
    assert errors[1] < 2e-4 and errors[3] < 0.1 * errors[1] and errors[3] < 2e-5, errors


def test_the_root_bears_what_inverse_dynamics_says():
    """A rod on a free base: what the base needs is what its first section passes on."""
    for ball in (None, 0.4, 0.55):  # 0.4 is a mass node of nine
        model = built("free", 9, ball, root=True)
        q, v, a = state(model)
        forces = lo.rods.section_forces(model, q, v, a, "rod")[1]
        assert relative(forces[0], lo.inverse_dynamics(model, q, v, a)[:6]) < 1e-7
        many = lo.rods.section_forces(model, np.tile(q, (3, 1)), v, a, "rod")[1]
        np.testing.assert_allclose(many[1], forces, rtol=1e-12, atol=1e-12)


def test_a_ball_on_a_node_is_a_jump_there_and_nowhere_else():
    """At the middle of nine nodes: the same as a hair beside it."""
    found = []
    for place in (0.4, 0.4 * (1 + 1e-7)):
        model = built("fixed", 9, place)
        along, forces = lo.rods.section_forces(model, *state(model), "rod")
        found.append(np.array([forces[np.argmin(abs(along - x))] for x in PLACES if x != 0.4]))
    assert relative(*found) < 1e-5


def test_external_wrenches_are_taken_off():
    model = built(nodes=10)
    q, v, a = state(model)
    plain, loaded = (
        lo.rods.section_forces(model, q, v, a, "rod", wrenches=w)[1]
        for w in (None, {"at 0.72": np.array([1.0, 2, 3, 0.1, 0.2, 0.3])})
    )
    along = lo.rods.sections(model, q, "rod").along
    np.testing.assert_allclose(loaded[along > 0.73], plain[along > 0.73], atol=1e-10)
    at = np.argmin(abs(along - 0.72))
    np.testing.assert_allclose(plain[at] - loaded[at], [1.0, 2, 3, 0.1, 0.2, 0.3], atol=1e-10)
