"""Kinds of joints are asked by name: never by order, and one that a choice does not know gives no number."""

import re
from pathlib import Path

import numpy as np
import pytest

import locomote
from locomote.bench.models import chain
from locomote.dynamics import derivatives, forces, kinematics, matrices, momentum
from locomote.model.columns import KIND
from locomote.model.description import Joint
from locomote.model.joints import AXES_OF_V, KINDS, Q_SIZE, V_SIZE
from locomote.model.packing import elementary
from locomote.model.status import OK, VALUE

PACKAGE = Path(locomote.__file__).resolve().parent
BY_ORDER = re.compile(r"(kind|KIND\])\s*(<|>|<=|>=)\s*\w|\b(REVOLUTE|PRISMATIC|HELICAL|PLANAR|SPHERICAL|FREE|FLEX)\s*(<|>)")


def test_no_file_asks_for_the_order_of_kinds():
    found = [
        f"{path.relative_to(PACKAGE)}: {line.strip()}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for line in path.read_text().splitlines()
        if BY_ORDER.search(line.split("#")[0])
    ]
    assert not found, found


def test_tables_have_an_entry_for_each_kind():
    assert len(AXES_OF_V) == len(KINDS) == len(set(KINDS))
    assert all(len(AXES_OF_V[kind]) == V_SIZE[kind] for kind in range(len(V_SIZE))) and len(Q_SIZE) == len(V_SIZE)


def calls(topology, constants, q, v):
    """Status of every entry for one configuration that moves bodies, by name."""
    nv, still, frame = len(v), np.zeros_like(v), np.array([1.0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0])
    out, square, six = np.zeros(nv), (lambda: np.zeros((nv, nv))), np.zeros(6)
    body = len(topology) - 2
    t = topology, constants
    named = np.array([body]), frame[None].copy()
    yield "inverse", forces.inverse_dynamics_one(*t, q, v, v, None, out)
    yield "forward", forces.forward_dynamics_one(*t, q, v, v, None, out)
    yield "mass", matrices.mass_matrix_one(*t, q, square())
    yield "coriolis", matrices.coriolis_matrix_one(*t, q, v, square())
    yield "inverse slopes", derivatives.inverse_dynamics_derivatives_one(*t, q, v, v, None, square(), square(), square())
    yield "forward slopes", derivatives.forward_dynamics_derivatives_one(*t, q, v, v, None, square(), square(), square())
    yield "poses", kinematics.forward_kinematics_one(*t, *named, q, np.zeros((1, 4, 4)))
    yield "jacobian", kinematics.jacobian_one(*t, body, frame, 0, q, np.zeros((6, nv)))
    yield "velocity", kinematics.velocity_one(*t, body, frame, 0, q, v, six)
    yield "momentum", momentum.momentum_matrix_one(*t, q, np.zeros((6, nv)))
    yield "momentum rate", momentum.momentum_rate_one(*t, q, v, still, None, six)
    yield "centre", momentum.center_of_mass_one(*t, q, np.zeros(3))
    yield "kinetic", momentum.kinetic_energy_one(*t, q, v, np.zeros(1))
    yield "potential", momentum.potential_energy_one(*t, q, np.zeros(1))


@pytest.mark.parametrize("place", [0, 3])
def test_a_kind_that_nobody_knows_gives_no_number(place):
    """A body of an unknown kind, on the world or further out: each entry says that its results are no numbers."""
    model, rng = chain(4), np.random.default_rng(0)
    topology, q, v = model._topology.copy(), rng.normal(size=4), rng.normal(size=4)
    for name, status in calls(topology, model._constants, q, v):
        assert status == OK, name
    topology[place, KIND] = max(KINDS) + 1
    for name, status in calls(topology, model._constants, q, v):
        assert status == VALUE, name


def test_a_joint_of_an_unknown_kind_is_not_packed():
    joint = Joint("knee")
    object.__setattr__(joint, "kind", "hinged")
    with pytest.raises(ValueError, match="'knee' is of the kind 'hinged'"):
        elementary(joint)
