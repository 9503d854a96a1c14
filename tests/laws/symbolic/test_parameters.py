"""Parameters as symbols: a function at changed values is that of a model that was built with the changed numbers."""

from dataclasses import replace

import numpy as np
import pytest
from mechanisms import case_of, random_description, relative
from test_functions import sprung

import locomote as lo
from locomote.symbolic.parameters import known_parameters

SEEDS = range(14)


def changed_model(model, values):
    """The model built anew with other values of parameters, through its description."""
    bodies = []
    for body in model.description.bodies:
        inertia = body.inertia or lo.Inertia(0.0)
        mass = values.get(f"{body.name}.mass", [inertia.mass])[0]
        com = values.get(f"{body.name}.center", inertia.com)
        moment = values.get(f"{body.name}.inertia", inertia.moment)
        joints, placement = [], np.array(body.placement)
        for joint in body.joints:
            given = [what for what in ("stiffness", "rest", "damping") if f"{joint.name}.{what}" in values]
            fields = {what: values[f"{joint.name}.{what}"] for what in given}
            joints.append(replace(joint, **fields))
            placement[:3, 3] = values.get(f"{joint.name}.origin", placement[:3, 3])
        massive = body.inertia is not None or any(name.startswith(f"{body.name}.") for name in values)
        bodies.append(
            replace(body, inertia=lo.Inertia(mass, com, moment) if massive else None, joints=tuple(joints), placement=placement)
        )
    gravity = tuple(values.get("gravity", model.description.gravity))
    return lo.Model(replace(model.description, bodies=tuple(bodies), gravity=gravity, lenient=True))


@pytest.fixture(params=SEEDS, scope="module")
def case(request):
    seed = request.param
    description = random_description(seed, bodies=4, added=seed % 4 == 0, coupled=seed % 2 == 0)
    return case_of(sprung(description, np.random.default_rng([seed, 8])), seed)


def changed_values(model, rng):
    """Every parameter of a model, a little off."""
    values = {}
    for name, value in known_parameters(model).items():
        values[name] = value + 0.1 * rng.uniform(size=len(value))
        if name.endswith(".inertia"):
            values[name] = value + 0.1 * np.array([1.0, 0, 0, 1, 0, 1]) * rng.uniform(0.9, 1.0)
    return values


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "passive_force", "momentum", "potential_energy"])
def test_changed_numbers(case, name):
    values = changed_values(case.model, case.rng(9))
    s = lo.symbolic(case.model, list(values))
    model = changed_model(case.model, values)
    given = {"q": case.q, "v": case.v, "a": case.a, "tau": case.tau}
    function = s.function(name)
    assert function.name_in()[-1] == "p"
    inputs = [given[label] for label in function.name_in()[:-1]]
    expected = getattr(lo, name)(model, *inputs)
    found = np.array(function(*inputs, s.vector(values))).reshape(np.shape(expected))
    assert relative(found, expected) < 1e-10
    own = getattr(lo, name)(case.model, *inputs)
    assert relative(np.array(function(*inputs, s.values)).reshape(np.shape(own)), own) < 1e-10
    assert relative(found, own) > 1e-6  # the change was one


def test_only_some(case):
    """One parameter at a time, the rest staying numbers."""
    values = changed_values(case.model, case.rng(10))
    for name, value in values.items():
        s = lo.symbolic(case.model, [name])
        found = np.array(s.inverse_dynamics(case.q, case.v, case.a, value)).ravel()
        expected = lo.inverse_dynamics(changed_model(case.model, {name: value}), case.q, case.v, case.a)
        assert relative(found, expected) < 1e-11, name


def test_derivative_by_parameters_is_the_regressor_of_a_mass():
    """Inverse dynamics is linear in a mass, if center and moment stay."""
    model = lo.systems.load("satellite").model
    body = model.body_names[-1]
    s = lo.symbolic(model, [f"{body}.mass"])
    rng = np.random.default_rng(1)
    q, v, a = model.random(rng), *rng.normal(size=(2, model.nv))
    slope = np.array(s.derivative("inverse_dynamics", "p")(q, v, a, s.values)).ravel()
    ends = [np.array(s.inverse_dynamics(q, v, a, s.values + x)).ravel() for x in (0.0, 1.0)]
    assert np.allclose(ends[1] - ends[0], slope, rtol=1e-9, atol=1e-9)


def test_vector_and_names():
    model = lo.systems.load("snakeboard").model
    s = lo.symbolic(model, ["rotor.mass", "gravity", "rotor.center"])
    assert s.parameter_names == ("rotor.mass", "gravity", "rotor.center")
    assert s.values.tolist() == [1.2, 0.0, 0.0, -9.81, 0.0, 0.0, 0.0]
    assert s.slots["gravity"] == slice(1, 4)
    assert s.vector({"gravity": [1.0, 2.0, 3.0]}).tolist() == [1.2, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0]
    with pytest.raises(lo.UnknownName, match="did you mean 'rotor.mass'"):
        lo.symbolic(model, ["rotor.mas"])
    with pytest.raises(lo.UnknownName, match="no parameter named 'board.mass'"):
        s.vector({"board.mass": 1.0})
    with pytest.raises(ValueError, match="named twice"):
        lo.symbolic(model, ["gravity", "gravity"])
