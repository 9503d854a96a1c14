"""Every function of the table, on CasADi symbols and on our own traced numbers, against the public compiled one."""

from dataclasses import replace

import numpy as np
import pytest
from mechanisms import KINDS, SEEDED, case_of, random_description, relative

import locomote as lo
from locomote import public
from locomote.model.columns import CONSTANTS_WIDTH
from locomote.symbolic import trace as tr
from locomote.symbolic.functions import FUNCTIONS, input_shape, outputs
from locomote.symbolic.plain import boxed

TOLERANCE = {"forward_dynamics": 1e-11, "forward_dynamics_derivatives": 1e-11}  # others: 1e-12
# (random mechanism, with springs, dampers and friction): together all kinds of joint and base, added inertia, couplings
SEEDS = range(13)
PLACES = [{"point": (0.1, 0.2, -0.3), "frame": frame} for frame in ("local", "world", "aligned")]


def sprung(description, rng):
    """The same mechanism with springs, dampers and friction on all joints."""
    bodies = []
    for body in description.bodies:
        joints = []
        for joint in body.joints:
            count = joint.sizes[1]
            values = {what: rng.uniform(0.1, 1.0, count) for what in ("stiffness", "rest", "damping", "friction")}
            joints.append(replace(joint, **values) if joint.kind != "fixed" else joint)
        bodies.append(replace(body, joints=tuple(joints)))
    return replace(description, bodies=tuple(bodies))


def small_case(seed):
    """Few bodies, every third one with added inertia, every second one with couplings."""
    description = random_description(
        seed, bodies=4, kinds=SEEDED if seed < 12 else KINDS[12:], added=seed % 3 == 0, coupled=seed % 2 == 0
    )
    return case_of(sprung(description, np.random.default_rng([seed, 8])), seed)


@pytest.fixture(params=SEEDS, scope="module")
def case(request):
    return small_case(request.param)


def test_cases_have_everything():
    made = [small_case(seed) for seed in SEEDS]
    assert {joint.kind for case in made for joint in case.reference.joints} == set(KINDS)
    assert any(case.model.coupling for case in made) and any(case.model.constants.shape[1] > CONSTANTS_WIDTH for case in made)


def test_table_has_every_public_function():
    """But those that choose by more than numbers: a function that is added must go into the table, or be named here."""
    homes = public.homes() | public.homes("rods")
    functions = {name for name, home in homes.items() if home.startswith("locomote.dynamics.") and name.islower()}
    assert functions - set(FUNCTIONS) == {
        "regressor",
        "inertial_parameters",
        "base_parameters",
        "motion",
        "inverse_kinematics",
        "all_inverse_kinematics",
        "workspace",
        "gauss",
        "sections",
        "section_forces",
        "deformed",
    }
    assert set(FUNCTIONS) <= functions


def calls(case):
    """(name, options, inputs, results of the public function) of the whole table."""
    wrenches = np.zeros((len(case.model.body_names), 6))
    for name, wrench in case.wrenches.items():
        wrenches[case.model.body(name).index] = wrench
    given = {"q": case.q, "v": case.v, "a": case.a, "tau": case.tau}
    for name, function in FUNCTIONS.items():
        inputs = {label: given[label] for label in function.inputs}
        options = {}
        for options in options_of(case, function):
            yield name, options, inputs, getattr(lo, name)(case.model, *inputs.values(), **options)
        if function.loaded:
            loaded = getattr(lo, name)(case.model, *inputs.values(), wrenches=wrenches, **options)
            yield name, options, inputs | {"wrenches": wrenches}, loaded


def options_of(case, function):
    """Further arguments with which a function is tried."""
    if "body" in function.options:
        return [{"body": case.model.body_names[-1], **place} for place in PLACES]
    if "imposed" in function.options:
        own = [name for name in case.model.joint_names if not case.model.joint(name).coupled]
        return [{"imposed": own[::2]}, {"imposed": own[1::2]}]
    return [{}]


def as_tuple(result):
    return result if isinstance(result, tuple) else (result,)


def test_casadi(case):
    s = lo.symbolic(case.model)
    for name, options, inputs, expected in calls(case):
        function = s.function(name, wrenches="wrenches" in inputs, **options)
        assert function.name_in() == [*inputs] and function.name_out() == [*FUNCTIONS[name].results]
        found = function.call([*inputs.values()])
        for ours, theirs in zip(found, as_tuple(expected), strict=True):
            ours = np.array(ours).reshape(np.shape(theirs))
            assert relative(ours, theirs) < TOLERANCE.get(name, 1e-12), name


def test_own_tracer(case):
    for name, options, inputs, expected in calls(case):
        record = tr.Trace()
        numbers = {label: boxed(record.input(x.size)).reshape(input_shape(case.model, label)) for label, x in inputs.items()}
        results = outputs(case.model, name, numbers, **options)
        places = [record.place(x) for result in results for x in result.ravel()]
        found = tr.evaluate(record, places, np.concatenate([x.ravel() for x in inputs.values()]))
        for theirs in as_tuple(expected):
            ours, found = found[: np.size(theirs)], found[np.size(theirs) :]
            assert relative(ours.reshape(np.shape(theirs)), theirs) < TOLERANCE.get(name, 1e-12), name
        assert found.size == 0


def test_manifold(case):
    s, rng = lo.symbolic(case.model), case.rng(3)
    for scale in (0.0, 1e-9, 0.3, 2.0):
        step = scale * rng.normal(size=case.model.nv)
        moved = case.model.integrate(case.q, step)
        assert relative(np.array(s.integrate(case.q, step)).ravel(), moved) < 1e-12
        back = np.array(s.difference(case.q, moved)).ravel()
        assert relative(back, case.model.difference(case.q, moved)) < 1e-12


def test_derivatives_are_along_the_tangent(case):
    """CasADi's derivatives of inverse dynamics against the analytic recursion, quaternions and couplings included."""
    s = lo.symbolic(case.model)
    parts = lo.inverse_dynamics_derivatives(case.model, case.q, case.v, case.a)
    for by, expected in zip("qva", parts, strict=True):
        found = s.derivative("inverse_dynamics", by)(case.q, case.v, case.a)
        assert relative(np.array(found), expected) < 1e-11


def test_derivative_of_forward_dynamics(case):
    s = lo.symbolic(case.model)
    parts = lo.forward_dynamics_derivatives(case.model, case.q, case.v, case.tau)
    for by, expected in zip(("q", "v", "tau"), parts, strict=True):
        found = s.derivative("forward_dynamics", by)(case.q, case.v, case.tau)
        assert relative(np.array(found), expected) < 1e-9


def test_derivatives_are_sparse():
    """Two arms on one trunk know nothing of each other."""
    builder = lo.Builder("two arms").body("trunk")
    for side in ("left", "right"):
        builder.body(
            f"{side}_arm", parent="trunk", joint=lo.Joint(f"{side}_shoulder", axis="y"), inertia=lo.Inertia.rod(1.0, 1.0)
        )
        builder.body(
            f"{side}_hand", parent=f"{side}_arm", joint=lo.Joint(f"{side}_elbow", axis="y"), inertia=lo.Inertia.rod(1.0, 1.0)
        )
    s = lo.symbolic(builder.build())
    derivative = s.derivative("inverse_dynamics", "q")
    assert derivative.nnz_out(0) == 2 * 4
    assert s.mass_matrix.nnz_out(0) == 2 * 4


def test_wrong_names_and_options():
    model = lo.systems.load("simple_pendulum").model
    s = lo.symbolic(model)
    with pytest.raises(lo.UnknownName, match="did you mean 'inverse_dynamics'"):
        s.function("inverse_dynamic")
    with pytest.raises(AttributeError, match="known: .*inverse_dynamics, "):
        s.inverse_dynamic
    with pytest.raises(ValueError, match="takes no wrenches"):
        s.function("mass_matrix", wrenches=True)
    with pytest.raises(ValueError, match="jacobian needs to know body=..."):
        s.jacobian
    with pytest.raises(ValueError, match="no option named .body."):
        s.function("mass_matrix", body=model.body_names[-1])
    with pytest.raises(lo.UnknownName, match="no option named 'bodi'"):
        s.function("jacobian", bodi="x")
    with pytest.raises(lo.UnknownName, match="no input named 'a'"):
        s.derivative("forward_dynamics", "a")


def test_nothing_that_moves():
    model = lo.Builder("stone").body("stone", inertia=lo.Inertia(1.0)).build()
    s = lo.symbolic(model)
    assert s.inverse_dynamics.size_out(0) == (0, 1) and s.mass_matrix.size_out(0) == (0, 0)
    assert np.array_equal(np.array(s.forward_kinematics([])), np.eye(4))


def test_made_once():
    s = lo.symbolic(lo.systems.load("simple_pendulum").model)
    assert s.inverse_dynamics is s.inverse_dynamics and s.inverse_dynamics is not s.forward_dynamics
    assert s.derivative("mass_matrix", "q") is s.derivative("mass_matrix", "q")


def test_without_casadi(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(ImportError, match=r"pip install locomote\[symbolic\]"):
        lo.symbolic(lo.systems.load("simple_pendulum").model)
