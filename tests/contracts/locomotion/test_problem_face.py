"""A problem is said once and packed once, and `Locomotion` is a thin face: nobody else reads its private names, modules that
are named by strings exist, and files of runs stay small."""

import ast
import importlib
import inspect
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path

import numpy as np
import pytest

import locomote as lo
from locomote.locomotion.packing import pack
from locomote.locomotion.pieces import PIECES
from locomote.locomotion.statement import Statement

PACKAGE = Path(lo.__file__).resolve().parent
FILES = sorted(PACKAGE.rglob("*.py"))
FACE = PACKAGE / "locomotion" / "problem.py"


def names_of(node):
    """The last name of an expression such as self.problem or problem."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def test_no_private_name_of_a_problem_is_used_outside():
    tests = Path(__file__).resolve().parents[2].rglob("*.py")
    found = [
        f"{path}:{node.lineno} {ast.unparse(node)}"
        for path in (*FILES, *tests)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and names_of(node.value) in ("problem", "moved")
        if path != FACE
    ]
    assert not found


def test_no_one_asks_whether_a_problem_has_a_name():
    found = [
        f"{path}:{node.lineno}"
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and names_of(node.func) in ("getattr", "hasattr") and names_of(node.args[0]) == "problem"
    ]
    assert not found


def test_modules_that_are_named_by_strings_exist():
    """And all of them come after the problems and runs that they are asked of: for the eyes, and what stands on slopes."""
    named = set()
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and names_of(node.func) == "later":
                module, function = (ast.literal_eval(x) for x in node.args)
                assert callable(getattr(importlib.import_module(f"locomote.{module}"), function))
                named.add(module)
    eyes = {"view.viewer", "view.film", "view.report", "view.notebook", "view.exports.registry"}
    assert named == eyes | {"gaits.fields", "gradients.channels", "gradients.of_rollouts", "gradients.sensitivity"}


@pytest.mark.parametrize(
    ("file", "most"),
    [
        ("locomotion/problem.py", 250), ("runs/runner.py", 300), ("runs/running.py", 300), ("runs/endings.py", 300),
        ("runs/events.py", 300), ("runs/checkpoints.py", 300),
    ],
)  # fmt: skip
def test_the_face_and_the_runner_stay_small(file, most):
    assert len((PACKAGE / file).read_text().splitlines()) <= most


# what was said


def said_of_locomotion():
    return inspect.signature(inspect.unwrap(lo.Locomotion.__init__)).parameters


def test_a_statement_has_all_that_can_be_said():
    assert {x.name for x in fields(Statement) if x.init} == {*said_of_locomotion()} - {"self"}
    assert set(PIECES) <= {x.name for x in fields(Statement)}


def board():
    return lo.systems.load("snakeboard").problem()


def test_what_was_said_does_not_change():
    said = board().statement
    with pytest.raises(FrozenInstanceError):
        said.name = "other"


def test_saying_something_otherwise_leaves_the_rest():
    problem = board()
    other = problem.replaced(name="other", rank_tolerance=1e-7)
    assert (other.name, other.rank_tolerance, problem.name) == ("other", 1e-7, "snakeboard")
    same = {x.name for x in fields(Statement) if getattr(other.statement, x.name) is getattr(problem.statement, x.name)}
    assert {"model", "limits", "tolerances", "inertia"} <= same
    assert problem.statement.origin is not None and other.statement.origin is None  # no longer that system of the catalogue
    assert other.drives == problem.drives and other.statement.constraints == problem.statement.constraints
    with pytest.raises(ValueError, match="rank_tolerance is -1, expected a positive number less than 1"):
        problem.replaced(rank_tolerance=-1)
    with pytest.raises(TypeError, match="nonsense"):
        problem.replaced(nonsense=3)


def test_controllers_are_said_as_torques():
    arm = lo.systems.load("simple_pendulum").model
    first = arm.joint_names[0]
    problem = lo.Locomotion(arm, torques=lo.PD({first: 0.3}, stiffness=5.0, damping=1.0, every=1e-2))
    again = problem.replaced(name="again")
    assert again.controllers == problem.controllers == again.statement.torques and again.torques == {}
    assert problem.replaced(torques={first: 1.0}).controllers == ()


# packing


def arrays_of(plan):
    """Arrays of a plan but for those that hold addresses."""
    names = {name for kind in type(plan).__mro__ for name in getattr(kind, "__annotations__", {})}
    arrays = {name: getattr(plan, name) for name in names if isinstance(getattr(plan, name, None), np.ndarray)}
    return {name: x for name, x in arrays.items() if name not in ("calls", "functions", "terms")}


def test_packing_reads_what_was_said_and_nothing_else():
    problem = board()
    one, two = pack(problem.statement), pack(problem.statement)
    assert one.plan is not two.plan and one.plan is not problem.plan
    for name, x in arrays_of(one.plan).items():
        assert np.array_equal(x, arrays_of(two.plan)[name]) and np.array_equal(x, arrays_of(problem.plan)[name]), name


def test_a_number_lands_in_the_arrays_of_its_own_piece():
    """What is said otherwise without changing sizes changes what the function of its field packs, and nothing else."""
    problem = board()
    said = problem.statement
    joint = next(iter(problem.drives))
    drives = dict(problem.drives) | {joint: lo.Sine(0.123, rate=2.0)}
    turned = [replace(said.constraints[0], point=(0.0, 0.1, 0.0), side=(0.6, 0.8, 0.0)), *said.constraints[1:]]
    changes = {
        "drives": drives, "springs": {joint: (3.0, 0.1, 0.2)}, "constraints": turned,
        "model": lo.Model(replace(said.model.description, gravity=(0.0, 1.0, -2.0))),
    }  # fmt: skip
    for field, given in changes.items():
        other = pack(replace(said, **{field: given}))
        old, new = arrays_of(problem.plan), arrays_of(other.plan)
        differ = {name for name in old if not np.array_equal(old[name], new[name])}
        own = {*PIECES[field](other.parts, problem.initial()[0], 3).arrays}
        assert differ and differ <= own, (field, differ - own)
