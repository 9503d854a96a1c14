"""A problem with other numbers is the problem that is built with them: every kind of number of the whole catalogue."""

from dataclasses import fields

import numpy as np
import pytest

import locomote as lo
from locomote.evaluation.plan import Plan
from locomote.locomotion.packing import pack
from locomote.locomotion.parameters.paths import Key, Part
from locomote.locomotion.statement import Statement
from locomote.model.model import Model

ADDRESSES = ("functions", "calls")
EACH = 8  # numbers of a system that are changed


def put(value, path, numbers):
    """A value with numbers at the end of a path, one step at a time: nothing of `rebuilt`."""
    if not path:
        return numbers if isinstance(value, np.ndarray) else numbers.tolist()
    step, *rest = path
    if isinstance(step, Part):
        full = np.array(value, float)
        full[step.rows, step.columns] = numbers
        if step.name == "six":
            full = np.triu(full) + np.triu(full, 1).T
        return full
    if isinstance(step, str):
        own = {f.name: getattr(value, f.name) for f in fields(value) if f.init}
        return type(value)(**own | {step: put(own[step], rest, numbers)})
    if isinstance(step, Key):
        return {key: put(x, rest, numbers) if key == step.key else x for key, x in value.items()}
    return type(value)(put(x, rest, numbers) if k == step else x for k, x in enumerate(value))


def built_anew(problem, name, numbers):
    """The plan of a problem that was said with another number from the first."""
    said = problem.statement
    given = {f.name: getattr(said, f.name) for f in fields(Statement) if f.init}
    for path in problem.parameter_places[name].paths:
        field = path[0]
        if field == "model":
            given["model"] = Model(put(given["model"].description, path[2:], numbers))
        else:
            given[field] = put(given[field], path[1:], numbers)
    return pack(Statement(**given)).plan


def moved(rng, name, value):
    """Other numbers of the same kind."""
    if name.endswith("rotation"):
        angle = rng.uniform(0.1, 0.3)
        turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
        return value @ turn
    return value * rng.uniform(0.96, 0.99)


def kinds(problem):
    """Names of parameters by what kind of number they are: the field that they stand in."""
    found = {}
    for name, place in problem.parameter_places.items():
        words = [step.name if isinstance(step, Part) else step for step in place.paths[0] if isinstance(step, (str, Part))]
        found.setdefault(tuple(words), []).append(name)
    return list(found.values())


@pytest.mark.parametrize("system", lo.systems.names())
def test_copies_equal_problems_built_anew(system):
    rng = np.random.default_rng(sum(map(ord, system)))
    problem = lo.systems.load(system).problem()
    groups = kinds(problem)
    for k in rng.permutation(len(groups))[:EACH]:
        name = str(rng.choice(groups[k]))
        numbers = np.array(moved(rng, name, np.array(problem.parameters[name])))
        try:
            plan = problem.with_parameters({name: numbers}).plan
        except ValueError as refused:
            check_refused(problem, name, numbers, str(refused))
            continue
        anew = built_anew(problem, name, numbers)
        for field in set(Plan.FIELDS).difference(ADDRESSES):
            ours, theirs = getattr(plan, field), getattr(anew, field)
            scale = np.abs(theirs).max(initial=0.0)
            assert ours.shape == theirs.shape, (name, field)
            assert np.abs(ours - theirs).max(initial=0.0) <= 1e-15 * scale, (name, field)


def check_refused(problem, name, numbers, sentence):
    """What is refused cannot be built either, or has another structure."""
    try:
        anew = built_anew(problem, name, numbers)
    except ValueError:
        return
    assert "structure" in sentence
    pairs = [(getattr(anew, name), getattr(problem.plan, name)) for name in set(Plan.FIELDS).difference(ADDRESSES)]
    assert any(a.shape != b.shape or (a.dtype == np.int64 and (a != b).any()) for a, b in pairs)


def test_values_are_read_where_they_are_put():
    problem = lo.systems.load("trotting_quadruped").problem()
    for name in ("trunk.mass", "trunk.center", "trunk.inertia", "gravity", "ground.friction", "computed_torque.stiffness"):
        wanted = np.array(problem.parameters[name]) * 1.25 + 1e-3 * (name == "trunk.center")
        other = problem.with_parameters({name: wanted})
        assert np.array_equal(other.parameters[name], wanted)
        assert not np.array_equal(problem.parameters[name], wanted)
