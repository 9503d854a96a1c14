"""Inertia that is handed to parents: what bodies keep, what is not lost on the way, and that nobody sees the difference."""

import numpy as np
import pytest
from mechanisms import NAMES, case, random_inertia, relative

import locomote as lo
from locomote.model import columns as col
from locomote.model.joints import PRISMATIC, REVOLUTE
from locomote.spatial.rotations_arrays import matrix_from_vector

TEN = slice(col.GROUPED_MASS, col.GROUPED_MASS + col.INERTIA_WIDTH)
OWN = slice(col.MASS, col.MASS + col.INERTIA_WIDTH)


@pytest.mark.parametrize("name", NAMES)
def test_what_bodies_keep(name):
    model = case(name).model.unfolded
    kinds, kept = model.topology[:-1, col.KIND], model.constants[:-1, TEN]
    assert not kept[kinds == REVOLUTE][:, [0, 3, 9]].any()  # m, c_z, P_zz
    assert not kept[kinds == PRISMATIC][:, 4:].any()
    others = model.constants[(model.topology[:, col.KIND] > PRISMATIC).nonzero()[0]]
    assert (others[:, col.GROUPED_MASS] >= others[:, col.MASS]).all()  # they give nothing, and are given
    assert np.isclose(model.constants[:, col.GROUPED_MASS].sum(), model.constants[:, col.MASS].sum(), rtol=1e-14)


def test_a_rod_on_the_axis_may_belong_to_either_body():
    """The reason for it all, told in bodies: a rod on a hinge, fixed to one side of it or to the other."""
    rng = np.random.default_rng(3)
    place = np.eye(4)
    place[:3, :3], place[:3, 3] = matrix_from_vector(rng.normal(size=3)), rng.normal(size=3)
    rod, inner, outer = lo.Inertia.rod(2.0, 0.7, axis="z"), random_inertia(rng), random_inertia(rng)
    models = []
    for owner in ("arm", "hand"):
        builder = lo.Builder("hinge").body("arm", joint=lo.Joint("shoulder", axis=(1.0, 2.0, 0.5)), inertia=inner)
        builder.body("hand", parent="arm", joint=lo.Joint("wrist", axis="z"), at=place, inertia=outer)
        builder.body("rod", parent=owner, at=place if owner == "arm" else np.eye(4), inertia=rod)
        models.append(builder.build())
    q, v, a = rng.normal(size=(3, 2))
    for function, given in (
        (lo.inverse_dynamics, (q, v, a)), (lo.forward_dynamics, (q, v, a)), (lo.mass_matrix, (q,)), (lo.kinetic_energy, (q, v)),
        (lo.potential_energy, (q,)), (lo.momentum_matrix, (q,)), (lo.center_of_mass, (q,)), (lo.coriolis_matrix, (q, v)),
    ):  # fmt: skip
        one, other = (function(model, *given) for model in models)
        assert relative(one, other) < 1e-13
    kept = [model.constants[:, TEN] for model in models]
    assert relative(kept[0], kept[1]) < 1e-14 and relative(models[0].constants[:, OWN], models[1].constants[:, OWN]) > 0.1


def test_the_world_carries_what_is_handed_to_it():
    """Weight and all: the rate of momentum is the force on the world, at rest just none."""
    rng = np.random.default_rng(4)
    model = lo.Builder("one").body("bob", joint=lo.Joint("pivot", axis="y"), inertia=random_inertia(rng)).build()
    force = lo.inverse_dynamics(model, [0.3], [0.0], [0.0])
    assert model.constants[-1, col.GROUPED_MASS] == model.constants[0, col.MASS] > 0.0
    assert abs(lo.momentum_rate(model, [0.3], [0.0], [0.0])).max() < 1e-13 * abs(force).max()
