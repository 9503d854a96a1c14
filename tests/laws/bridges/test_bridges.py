"""Bridges to CasADi, PyTorch and JAX: values and slopes of the other package against differences of this one."""

import numpy as np
import pytest

import locomote as lo


def arm() -> lo.Locomotion:
    builder = lo.Builder("arm")
    for k in (1, 2):
        builder = builder.body(
            f"link{k}", parent="link1" if k == 2 else None, at=(0.0, 0.0, -0.4 * (k - 1)),
            joint=lo.Joint(f"joint{k}", axis="y", damping=0.2),
            inertia=lo.Inertia(2.0 / k, (0.02, 0, -0.2), (0.03, 0.03, 0.01)),
        )  # fmt: skip
    return lo.Locomotion(builder.build())


def functions():
    problem, rng = arm(), np.random.default_rng(0)
    goals = [lo.at_end("joint1.angle"), lo.at_end("joint2.velocity") + lo.integral("energy.kinetic")]
    controls = rng.normal(size=(10, 2))
    by = ["link2.mass", "v", "controls"]
    return {
        "rollout": lo.bridges.rollout_function(problem, goals, by, controls=controls, q=[0.3, 0.1], v=[0.2, 0.0], step=0.02),
        "evaluation": lo.bridges.evaluation_function(problem),
        "forward": lo.bridges.model_function(problem.model, "forward_dynamics"),
        "inverse": lo.bridges.model_function(problem.model, "inverse_dynamics"),
    }


def differences(function, x, h=1e-5):
    return np.column_stack([(function(x + h * unit) - function(x - h * unit)) / (2 * h) for unit in np.eye(len(x))])


KINDS = ("rollout", "evaluation", "forward", "inverse")


@pytest.fixture(scope="module")
def made():
    return functions()


def moved(function):
    return function.start + 0.1 * np.random.default_rng(1).uniform(size=function.inputs)


@pytest.mark.parametrize("kind", KINDS)
def test_functions_have_exact_slopes(made, kind):
    function = made[kind]
    x, g = moved(function), np.arange(1.0, function.outputs + 1.0)
    rough = differences(function, x)
    assert function.jacobian(x) == pytest.approx(rough, abs=1e-7 * max(1.0, abs(rough).max()))
    assert function.pull(x, g) == pytest.approx(g @ function.jacobian(x), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_casadi(made, kind):
    casadi = pytest.importorskip("casadi")
    function = made[kind]
    x, call = moved(function), lo.bridges.to_casadi(function)
    s = casadi.MX.sym("x", function.inputs)
    y = 2.0 * call(s)
    slopes = casadi.Function("slopes", [s], [y, casadi.jacobian(y, s)])
    value, found = slopes(x)
    assert np.array(value).ravel() == pytest.approx(2 * function(x))
    assert np.array(found) == pytest.approx(2 * function.jacobian(x), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_torch(made, kind):
    torch = pytest.importorskip("torch")
    function = made[kind]
    call, x = lo.bridges.to_torch(function), torch.tensor(np.stack([moved(function), function.start]), requires_grad=True)
    y = call(x)
    (y**2).sum().backward()
    for row, slopes in zip(x.detach().numpy(), x.grad.numpy(), strict=True):
        assert slopes == pytest.approx(2 * function(row) @ function.jacobian(row), rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_jax(made, kind):
    jax = pytest.importorskip("jax")
    function = made[kind]
    call, x = lo.bridges.to_jax(function), moved(function)
    with jax.enable_x64(True):
        found = jax.jit(jax.grad(lambda x: (call(x) ** 2).sum()))(x)
        assert np.asarray(found) == pytest.approx(2 * function(x) @ function.jacobian(x), rel=1e-8, abs=1e-12)


def test_what_is_refused():
    quadruped = lo.systems.load("quadruped").problem()
    with pytest.raises(ValueError, match="more numbers in q than in v"):
        lo.bridges.evaluation_function(quadruped)
    with pytest.raises(lo.UnknownName, match="no function named 'magic'"):
        lo.bridges.model_function(arm().model, "magic")
    with pytest.raises(ValueError, match="a fixed duration"):
        lo.bridges.rollout_function(arm(), lo.at_end("joint1.angle"), "duration", duration=1.0)
    with pytest.raises(ValueError, match=r"has shape \(2,\), expected \(4,\)"):
        lo.bridges.evaluation_function(arm())([0.0, 1.0])
