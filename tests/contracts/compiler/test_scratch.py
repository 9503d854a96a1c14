"""Scratch is declared once: every kind of it says shape and contents, and all lives of the source get those shapes."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import locomote as lo
from locomote import kernels
from locomote.compiler.scratch import scratch_of
from locomote.compiler.scratch_layout import NQ, NV, ROWS, Sizes, declared, made, numbers_in, shape_of
from locomote.compiler.source import kernel
from locomote.compiler.trigonometry import padded
from locomote.evaluation.work import Work, work_of
from locomote.kernels.forward_dynamics import DOFS, Articulated
from locomote.kernels.forward_dynamics import WORK as FORWARD
from locomote.kernels.mass_matrix import Composite

SIZES = Sizes(nq=8, nv=7, rows=4)


TAKEN = ("Tree", "Motion")  # records of what recursions are given, which nobody has to make room for


def kinds():
    """All classes of kernels whose fields are arrays of theirs; those of `entries` say what a recursion takes and gives."""
    modules = [m for m in pkgutil.walk_packages(kernels.__path__, "locomote.kernels.") if m.name != "locomote.kernels.entries"]
    for module in modules:
        for name, value in vars(importlib.import_module(module.name)).items():
            if inspect.isclass(value) and value.__module__ == module.name and "Sizes" not in name and name not in TAKEN:
                yield value


@pytest.mark.parametrize("kind", [*kinds(), Work], ids=lambda kind: kind.__qualname__)
def test_every_array_says_its_shape_and_what_it_holds(kind):
    for field in declared(kind):
        assert 1 <= len(field.shape) <= 2 and len(field.holds) >= 4


def test_sizes_are_arithmetic():
    assert [x.at(SIZES) for x in (NQ, NV + 1, 2 * NV, ROWS - 1, (NV + 3) // 4 * 4, padded(NV))] == [8, 8, 14, 3, 8, padded(7)]
    assert repr(2 * NV + 1) == "((nv * 2) + 1)"
    shapes = {field.name: shape_of(field, SIZES) for field in declared(Articulated)}
    assert shapes == {"sine": (8,), "cosine": (8,), "bodies": (4, FORWARD), "dofs": (7, DOFS)}
    assert numbers_in(Articulated, SIZES) == 16 + 4 * FORWARD + 7 * DOFS


@kernel
def shapes_in_a_kernel(sizes, out):
    room = scratch_of(Composite, sizes)
    out[0], out[1] = room.sine.shape[0], room.cosine.shape[0]
    out[2], out[3] = room.bodies.shape
    out[4], out[5] = room.axes.shape
    for k in range(room.axes.shape[0]):
        for j in range(room.axes.shape[1]):
            room.axes[k, j] = 1.0
    return room.axes.sum()


def test_a_kernel_gets_the_declared_shapes_on_the_stack_and_on_the_heap():
    for sizes in (SIZES, Sizes(3000, 3001, 2999)):
        out, expected = np.zeros(6), made(Composite, sizes, np.zeros)
        assert shapes_in_a_kernel(sizes, out) == expected.axes.size
        assert [int(x) for x in out] == [n for array in expected for n in array.shape]


def test_work_of_a_problem_has_the_declared_shapes():
    plan = lo.systems.load("snakeboard").problem().plan
    work = work_of(plan)
    assert work.A.shape == (len(plan.holonomic), work.M.shape[1]) and (work.lengths == 1.0).all()
    assert work.bodies.shape[0] == work.rates.shape[0] == len(plan.topology)


def test_a_field_without_shape_or_sentence_is_refused():
    from typing import Annotated, NamedTuple

    class Silent(NamedTuple):
        x: Annotated[np.ndarray, 3]

    with pytest.raises(TypeError, match="Silent.x must say its shape"):
        declared(Silent)
