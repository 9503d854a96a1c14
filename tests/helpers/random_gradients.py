"""Gradients of random problems against differences, and backwards against forwards, each from a seed.

`python random_gradients.py FIRST LAST` prints a line for each problem that is not good, and how many ended in which way.
"""

import collections
import contextlib
import io
import sys
import warnings

import numpy as np
from random_problems import random_problem

import locomote as lo
from locomote.compiled.beginning import Controls

STEPS, STEP = 15, 2e-3  # of a run; s
SAME, AGREES = 1e-10, 1e-7  # backwards and forwards; differences
STILL = 1e-12  # largest slope of a motion that its constraints leave no choice


def linear(problem, rng):
    """A random linear function of the state."""
    weights = rng.normal(size=problem.model.nq + problem.model.nv).tolist()
    return lambda t, q, v: sum(w * x for w, x in zip(weights, [*q, *v], strict=True))


def goal_of(problem, rng):
    """A random function of the last state, times one of the middle, and an integral."""
    nq, nv = problem.model.nq, problem.model.nv
    a, b = rng.normal(size=(2, nq + nv)).tolist()

    def one(t, q, v):
        return sum(w * x for w, x in zip(a, [*q, *v], strict=True)) + t

    def other(t, q, v):
        return sum(w * x * x for w, x in zip(b, [*q, *v], strict=True))

    return lo.at_end(one) * (1.0 + 0.1 * lo.at_time(one, STEP * (STEPS // 2))) + lo.integral(other)


def smooth(problem):
    """The problem without functions and without contacts that open."""
    constraints = [c for c in problem.constraints if not isinstance(c, lo.Custom) and not getattr(c, "unilateral", False)]
    environment = [e for e in problem.environment if isinstance(e, lo.Spring)]
    torques = None if callable(problem.torques) else problem.torques
    return problem.replaced(constraints=constraints, environment=environment, torques=torques)


def errors(problem, how, rng, method="rk4"):
    """Relative errors: differences, and forwards against backwards."""
    goal, by = goal_of(problem, rng), ["q", "v"]
    (q, v), _ = problem.started(how["q"], how["v"], 0.0, start="project")
    free = [name for name in problem.model.joint_names if not problem.imposed[problem.model.joint(name).v].any()]
    given = {"q": q, "v": v, "start": "project", "step": STEP, "method": method, "joints": free}
    width = len(Controls.of(problem, free, True).given)
    if width:
        given["controls"], by = rng.normal(size=(STEPS, width)), [*by, "controls"]
    else:
        given["duration"] = STEPS * STEP
    with contextlib.redirect_stdout(io.StringIO()):
        _, back = lo.gradient(problem, goal, by, check=True, **given)
    _, ahead = lo.gradient(problem, goal, by, way="forward", **given)
    largest, along = (max(abs(x[name]).max(initial=0.0) for name in by) for x in (back, ahead))
    if max(largest, along) < STILL:
        return 0.0, 0.0
    return back.check, max(abs(back[name] - ahead[name]).max(initial=0.0) for name in by) / largest


def outcome(seed):
    """good, refused, or bad, and why."""
    rng = np.random.default_rng([seed, 28])
    try:
        problem, how = random_problem(seed)
        difference, gap = errors(smooth(problem), how, rng)
    except (ValueError, RuntimeError, FloatingPointError) as fault:
        return "refused", f"{type(fault).__name__}: {fault}"
    good = difference < AGREES and gap < SAME
    return "good" if good else "bad", f"differences {difference:.1e}, forwards {gap:.1e}"


def main(given):
    warnings.simplefilter("ignore")
    counts, reasons = collections.Counter(), collections.Counter()
    for seed in range(int(given[0]), int(given[1])):
        kind, text = outcome(seed)
        counts[kind] += 1
        if kind == "bad":
            print(seed, text, flush=True)
        elif kind == "refused":
            reasons[text.split(": ", 2)[-1][:90]] += 1
    print(dict(counts))
    for reason, count in reasons.most_common(12):
        print(count, reason)


if __name__ == "__main__":
    main(sys.argv[1:])
