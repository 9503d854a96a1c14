"""Inverse dynamics is linear in inertial parameters: the regressor times them, and the combinations that it depends on."""

from dataclasses import replace

import mechanisms
import numpy as np
import pytest
from mechanisms import random_description, random_inertia, relative

import locomote as lo
from locomote.dynamics.regressor import inertial_parameter_names
from locomote.model.columns import CONSTANTS_WIDTH

RIGID = [name for name in mechanisms.NAMES if mechanisms.case(name).model.constants.shape[1] == CONSTANTS_WIDTH]


@pytest.mark.parametrize("name", RIGID)
def test_times_parameters_is_inverse_dynamics(name):
    case = mechanisms.case(name)
    Y = lo.regressor(case.model, case.q, case.v, case.a, armature=True)
    tau = lo.inverse_dynamics(case.model, case.q, case.v, case.a)
    assert relative(Y @ lo.inertial_parameters(case.model, armature=True), tau) < 1e-12
    assert Y.shape[1] == len(inertial_parameter_names(case.model, armature=True))
    bodies = 10 * len(case.model.body_names)
    assert np.array_equal(lo.regressor(case.model, case.q, case.v, case.a), Y[:, :bodies])


def test_couplings_and_armature_are_among_the_cases():
    cases = [mechanisms.case(name) for name in RIGID]
    assert any(case.model.coupling for case in cases) and any(case.model.unfolded.armature.any() for case in cases)


@pytest.mark.parametrize("seed", [0, 1, 5, 12])
def test_other_bodies_on_the_same_joints(seed):
    """The regressor does not depend on inertias: it holds for a model with other ones."""
    case = mechanisms.case_of(random_description(seed, added=False, coupled=seed % 2 == 1), seed)
    rng = case.rng(31)
    bodies = tuple(replace(body, inertia=random_inertia(rng)) for body in case.model.description.bodies)
    other = case.model.edited(bodies=bodies)
    Y = lo.regressor(case.model, case.q, case.v, case.a, armature=True)
    tau = lo.inverse_dynamics(other, case.q, case.v, case.a)
    assert relative(Y @ lo.inertial_parameters(other, armature=True), tau) < 1e-12


def test_batches():
    case = mechanisms.case(21)
    rng = case.rng(32)
    q, v, a = case.model.random(rng, (3, 2)), *rng.normal(size=(2, 3, 2, case.model.nv))
    Y = lo.regressor(case.model, q, v, a)
    assert Y.shape == (3, 2, case.model.nv, 10 * len(case.model.body_names))
    assert np.allclose(Y[2, 1], lo.regressor(case.model, q[2, 1], v[2, 1], a[2, 1]), rtol=0, atol=1e-12)
    assert np.allclose(lo.regressor(case.model, q[0], v[0, 0], a[0])[1], lo.regressor(case.model, q[0, 1], v[0, 0], a[0, 1]))


@pytest.mark.parametrize("armature", [False, True])
@pytest.mark.parametrize("name", ["arm", 1, 3, 15])
def test_base_parameters_say_it_all(name, armature):
    case = mechanisms.case(name)
    base = lo.base_parameters(case.model, armature=armature)
    Y = lo.regressor(case.model, case.q, case.v, case.a, armature=armature)
    assert np.allclose(Y[:, base.columns] @ base.matrix, Y, rtol=0, atol=1e-8 * abs(Y).max())
    assert relative(Y[:, base.columns] @ base.values, Y @ lo.inertial_parameters(case.model, armature=armature)) < 1e-9
    assert np.array_equal(base.matrix[:, base.columns], np.eye(base.rank))
    assert base.rank < Y.shape[1]


def test_fewer_would_not_do():
    """Base parameters are independent: their columns, at other states, have full rank."""
    case = mechanisms.case("arm")
    base = lo.base_parameters(case.model)
    rng = case.rng(33)
    q, v, a = case.model.random(rng, 200), *rng.normal(size=(2, 200, case.model.nv))
    columns = lo.regressor(case.model, q, v, a)[:, :, base.columns].reshape(-1, base.rank)
    assert np.linalg.matrix_rank(columns / np.linalg.norm(columns, axis=0), tol=1e-6) == base.rank


def arm(gravity):
    """Two links in a plane, the second one half a metre out on the first."""
    link = lo.Inertia(1.0, (0.3, 0.1, 0.0), (0.1, 0.1, 0.1))
    builder = lo.Builder("arm", gravity=gravity).body("link1", joint=lo.Joint("shoulder"), inertia=link)
    return builder.body("link2", parent="link1", at=(0.5, 0, 0), joint=lo.Joint("elbow"), inertia=link).build()


def test_planar_arm_in_words():
    level = lo.base_parameters(arm((0.0, 0.0, -9.81)))
    assert level.combinations == ["Izz of link1 + 0.25 m of link2", "mcx of link2", "mcy of link2", "Izz of link2"]
    assert np.allclose(level.values, [0.1 + 0.1 + 0.25, 0.3, 0.1, 0.2])
    assert "m of link1" in level.without_effect and "m of link2" not in level.without_effect
    upright = lo.base_parameters(arm((0.0, -9.81, 0.0)))
    assert upright.rank == 6 and upright.combinations[0] == "mcx of link1 + 0.5 m of link2"
    assert str(upright).startswith("6 base parameters of 20 inertial ones\n")


def test_free_bodies_show_all_parameters():
    model = lo.Builder("block", base="free").body("block", inertia=lo.Inertia.box(1.0, (1, 2, 3))).build()
    assert lo.base_parameters(model).rank == 10
