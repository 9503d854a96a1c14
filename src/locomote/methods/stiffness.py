"""How fast the fastest small motion about a state is: what the longest step of an explicit method follows from.

    d' = J d        of departures d = (dq along the tangent, dv)                                                     (1)

The growth of d under J again and again is that of the largest |lambda|, whatever d began with; J d comes of two evaluations.
"""

from math import exp, log

import numpy as np

from locomote.evaluation.plan import Plan
from locomote.evaluation.protocol import Problem
from locomote.evaluation.work import Work

ROUNDS, SETTLED = 40, 20  # products with J, and from which on growth is counted: an even number of times, for oscillations
SMALL = 1e-6  # departures, of the sizes of q and v
LONG, MANY = 50_000, 1e5  # steps after which a run is looked at, and rate times duration that is stiff
BEARS = {"rk4": 2.78, "euler": 2.0}  # largest |lambda| times the step under which departures do not grow


def fastest_rate(problem: Problem, plan: Plan, work: Work, t: float, q: np.ndarray, v: np.ndarray) -> float:
    """Largest |lambda| of (1) at a state, 1/s, as far as some products show it; zero where there is none."""
    model, nv, free = problem.model, len(v), plan.free
    d, growth, counted = np.random.default_rng(0).normal(size=2 * nv), 0.0, 0
    held = np.setdiff1d(np.arange(nv), free)
    for n in range(ROUNDS):
        d[held] = d[nv + held] = 0.0
        length = float(np.linalg.norm(d))
        if not (np.isfinite(length) and length > 0.0):
            return 0.0
        d /= length
        if n >= SETTLED:
            growth, counted = growth + log(length), counted + 1
        step, ends = SMALL * (1.0 + float(abs(v).max(initial=0.0))), []
        for s in (step, -step):
            near = v + s * d[nv:]
            a = problem.evaluate_with(plan, work, t, model.integrate(q, s * d[:nv]), near)[0]
            ends.append(np.concatenate([near, a]))
        d = (ends[0] - ends[1]) / (2.0 * step)
    return exp(growth / counted)


def has_stiffness(problem: Problem, plan: Plan) -> bool:
    """Whether anything but weight and inertia acts, which may be too fast for a step."""
    return bool(plan.passive[[0, 2, 3]].any() or len(problem.terms) or len(plan.rods) or len(plan.actuators))


def why_so_many(problem: Problem, plan: Plan, work: Work, t: float, q: np.ndarray, v: np.ndarray, duration: float) -> str:
    """A sentence about a run of many explicit steps, if that is because something is stiff."""
    rate = fastest_rate(problem, plan, work, t, q, v)
    if not rate * duration > MANY:
        return ""
    return (
        f"{problem.name!r} is stiff: its fastest motion has a rate of {rate:.3g} 1/s, which explicit steps follow over "
        f"{duration:.4g} s; method='radau' (damped) or 'gauss' takes longer ones"
    )
