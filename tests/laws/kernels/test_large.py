"""Mechanisms with so many coordinates that matrices are worked on in pieces: the same laws, in a few random directions."""

from dataclasses import replace

import numpy as np
import pytest
from mechanisms import armed, case_of, random_description, relative
from reference import STEP

import locomote as lo

TOLERANCE = 1e-11
SOLVED = 1e-9  # condition numbers reach 1e5 and the entries of inverses 1e3
SHAPES = {
    "tree": {"bodies": 90, "kinds": ("revolute", "prismatic"), "base": "free"},
    "chain": {"bodies": 80, "kinds": ("revolute",), "base": "fixed", "roots": 1, "chain": True},
    "mixed": {"seed": 6, "bodies": 40, "kinds": ("revolute", "spherical", "planar", "universal"), "base": "free"},
    "swimmers": {"bodies": 85, "kinds": ("revolute",), "base": "fixed", "roots": 3, "added": True},
}


@pytest.fixture(params=SHAPES, scope="module")
def case(request):
    """Armature keeps long chains regular; references and anchors are drawn as elsewhere."""
    options = {"seed": 7, "bare": True} | SHAPES[request.param]
    description = random_description(**options)
    bodies = [replace(b, joints=tuple(armed(j, 0.3) for j in b.joints)) for b in description.bodies]
    return case_of(replace(description, bodies=tuple(bodies)), options["seed"])


def states(case, count):
    """The state of the case and others beside it."""
    more = case.rng(90).normal(size=(3, count - 1, case.model.nv))
    q = case.model.integrate(case.q, np.concatenate([np.zeros((1, case.model.nv)), 0.3 * more[0]]))
    return q, np.concatenate([[case.v], more[1]]), np.concatenate([[case.a], more[2]])


def test_size(case):
    assert case.model.nv > 64


@pytest.mark.parametrize("rows", [1, 6])
def test_forces_and_mass(case, rows):
    q, v, a = states(case, rows)
    tau = lo.inverse_dynamics(case.model, q, v, a)
    assert relative(tau[0], case.truth.inverse_dynamics()) < TOLERANCE
    assert relative(lo.mass_matrix(case.model, q)[0], case.truth.mass_matrix()) < TOLERANCE
    assert relative(lo.forward_dynamics(case.model, q, v, tau), a) < SOLVED


@pytest.mark.parametrize("rows", [1, 6])
def test_derivatives(case, rows):
    q, v, a = states(case, rows)
    inverse = lo.inverse_dynamics_derivatives(case.model, q, v, a)
    rng = case.rng(91)
    for _ in range(3):
        along = rng.normal(size=case.model.nv)
        slope = case.reference.derivative(lambda s: s.inverse_dynamics(), case.q, case.v, case.a, along=along)
        assert relative(inverse.q[0] @ along, slope) < TOLERANCE
        step = 1j * STEP * along
        slope = np.imag(case.reference.at(case.q, case.v + step, case.a).inverse_dynamics()) / STEP
        assert relative(inverse.v[0] @ along, slope) < TOLERANCE
    assert relative(inverse.a[0], case.truth.mass_matrix()) < TOLERANCE
    forward = lo.forward_dynamics_derivatives(case.model, q, v, lo.inverse_dynamics(case.model, q, v, a))
    M = inverse.a
    assert relative(M @ forward.tau, np.broadcast_to(np.eye(case.model.nv), M.shape)) < SOLVED
    assert relative(M @ forward.q, -inverse.q) < SOLVED
    assert relative(M @ forward.v, -inverse.v) < SOLVED


def test_rows_of_a_batch_are_singles(case):
    q, v, a = states(case, 9)
    for function in (lo.inverse_dynamics_derivatives, lo.forward_dynamics_derivatives):
        many, one = function(case.model, q, v, a), function(case.model, q[8], v[8], a[8])
        for ours, theirs in zip(many, one, strict=True):
            assert relative(ours[8], theirs) < SOLVED


def test_coriolis_matrix(case):
    bias = lo.coriolis_matrix(case.model, case.q, case.v) @ case.v + lo.gravity_force(case.model, case.q)
    assert relative(bias, case.still.inverse_dynamics()) < TOLERANCE


@pytest.mark.parametrize("count", range(1, 41))
def test_solving_for_any_number_of_coordinates(count):
    """Matrices are multiplied in blocks of columns, whose last ones overlap: none must be lost or done twice."""
    rng = np.random.default_rng(count)
    builder, parent = lo.Builder("chain"), None
    for k in range(count):
        joint = lo.Joint(f"joint {k}", axis=rng.normal(size=3), armature=0.3)
        inertia = lo.Inertia(rng.uniform(0.5, 1.0), rng.normal(size=3), (1.0, 1.2, 1.5))
        builder.body(f"link {k}", parent=parent, joint=joint, at=rng.uniform(-0.3, 0.3, 3), inertia=inertia)
        parent = f"link {rng.integers(max(0, k - 2), k + 1)}"  # a tree of long branches
    model = builder.build()
    q, v, tau = rng.normal(size=(3, count))
    ours = lo.forward_dynamics_derivatives(model, q, v, tau)
    inverse = np.linalg.inv(lo.mass_matrix(model, q))
    slopes = lo.inverse_dynamics_derivatives(model, q, v, lo.forward_dynamics(model, q, v, tau))
    assert relative(ours.tau, inverse) < SOLVED
    assert relative(ours.q, -inverse @ slopes.q) < SOLVED
    assert relative(ours.v, -inverse @ slopes.v) < SOLVED
