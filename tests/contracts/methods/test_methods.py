"""Records of methods: complete, found by name, asked by docs and help; exactly one of them suits any problem."""

import itertools
from dataclasses import fields

import numpy as np
import pytest

import locomote as lo
from locomote.compiler.scratch_layout import declared
from locomote.evaluation.plan import ATTEMPT
from locomote.methods.explicit import ERRORS, EXTENSION, NODES, WEIGHTS
from locomote.methods.method import Situation
from locomote.methods.registry import METHODS, listed
from locomote.methods.state import STAGES, State

SITUATIONS = [Situation(*given) for given in itertools.product((False, True), repeat=len(fields(Situation)))]


def test_one_method_suits_any_problem():
    for situation in SITUATIONS:
        if situation.soft <= situation.rods and situation.damped <= situation.soft:
            found = [name for name, method in METHODS.items() if method.suits(situation) is not None]
            assert len(found) == 1, (situation, found)


@pytest.mark.parametrize("name", METHODS)
def test_a_record_is_whole(name):
    method = METHODS[name]
    assert method.name == name and method.title and method.order >= 1
    assert method.explicit != (ATTEMPT in method.kernels)
    assert method.chooses == (method.power > 0.0) and (not method.chooses or min(method.tolerances) > 0.0)
    assert list(method.state.FIELDS)[: len(State.FIELDS)] == list(State.FIELDS)  # so that kernels of all methods take it
    assert all(field.shape and field.holds for field in declared(method.state))
    assert set(method.all_kept) <= set(method.state.FIELDS)
    assert f'"{name}" : {method.title}' in lo.Locomotion.simulate.__doc__ and name in listed("{name}")


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.explicit])
def test_a_table_is_consistent(name):
    """Rows sum to their nodes, weights to one; one that chooses steps ends with its last stage."""
    method = METHODS[name]
    table, stages = method.tableau, method.tableau.shape[1]
    assert stages <= STAGES
    assert np.allclose(table[:stages].sum(axis=1), table[stages + NODES], atol=1e-14)
    assert np.isclose(table[stages + WEIGHTS].sum(), 1.0, atol=1e-14) and not np.triu(table[:stages]).any()
    if method.chooses:
        assert np.array_equal(table[stages - 1], table[stages + WEIGHTS])
        assert abs(table[stages + ERRORS].sum()) < 1e-14 and abs(table[stages + EXTENSION].sum()) < 1e-12


def test_what_a_method_keeps_is_not_in_others():
    problem = lo.systems.load("simple_pendulum").problem()
    for method in METHODS.values():
        state = method.state_for(problem.plan)
        assert type(state) is method.state and state.common.address == state.address and type(state.common) is State


def test_a_refusal_names_a_method_that_can():
    problem = lo.systems.load("snakeboard").problem()
    with pytest.raises(ValueError, match="takes no constraints, and 'snakeboard' has 2 rows; use 'adaptive', or 'auto'"):
        problem.simulate(0.1, method="rosenbrock")
