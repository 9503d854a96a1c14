"""`runs.gradient(weights)` against `lo.gradient` of the same sum, and its refusals."""

import numpy as np
import pytest
from trotting_robot import trot, trotter

import locomote as lo

ROBOT = trotter()


def summed(name, weights, first):
    return lambda t, q, v: sum(w * x for w, x in zip(weights, {"q": q, "v": v}[name], strict=True)) + first


@pytest.mark.parametrize("kind", ["snakeboard", "contacts"])
def test_weights_are_a_goal(kind):
    rng, steps, keep = np.random.default_rng(0), 40, 20
    if kind == "contacts":
        problem, given = ROBOT, trot(ROBOT, 2e-3, 2e-3 * steps)
        given["controls"] = given["controls"] + rng.normal(size=(3, 1, 12))
    else:
        problem = lo.systems.load(kind).problem()
        given = {"controls": 0.1 * rng.normal(size=(3, steps, 3)), "step": 0.01}
    runs = lo.rollout(problem, keep=keep, **given)
    weights = {name: rng.normal(size=getattr(runs, name).shape) for name in ("q", "v")}
    by = ["controls", "v", next(name for name in problem.parameters if name.endswith(".mass"))]
    slopes = runs.gradient(weights, by)
    one = {name: x[1].copy() for name, x in given.items() if name == "controls"}
    goal = sum(
        (
            lo.at_time(summed(name, weights[name][1, k].tolist(), 0.0), float(t))
            for k, t in enumerate(runs.t)
            for name in weights
        ),
        0.0,
    )
    _, expected = lo.gradient(problem, goal, by, **(given | one))
    for name in by:
        assert slopes[name][1] == pytest.approx(expected[name], rel=1e-9, abs=1e-10 * abs(expected[name]).max())
    last = runs.gradient({"v": weights["v"][:, -1]}, "v")["v"]
    assert last.shape == weights["v"][:, -1].shape and not np.allclose(last, slopes["v"])


def test_refusals():
    problem = lo.systems.load("snakeboard").problem()
    runs = lo.rollout(problem, duration=0.02, step=0.01)
    with pytest.raises(lo.UnknownName, match="no state named 'x'"):
        runs.gradient({"x": np.zeros(3)}, "v")
    with pytest.raises(ValueError, match=r"weights of v are \(3,\), expected"):
        runs.gradient({"v": np.zeros(3)}, "v")
    own = lo.rollout(problem, duration=0.02, step=0.01, parameters={"board.mass": [1.0, 2.0]})
    with pytest.raises(ValueError, match="have numbers of their own"):
        own.gradient({"v": np.zeros((2, problem.model.nv))}, "v")
