"""Speed of whole problems: what one evaluation costs, and how many seconds are simulated in a second."""

from collections.abc import Sequence

import numpy as np

from locomote.bench.loops import evaluation_loop
from locomote.bench.timing import side_by_side
from locomote.compiler.indirect import compiled_for
from locomote.systems import catalogue

STEP, LONGEST = 1e-3, 5.0  # s: step of the fixed method, and of simulated time for each system
LOOPS = 200


def measure_systems(names: Sequence[str] | None, rounds: int) -> list[dict]:
    """One row a system: microseconds of an evaluation, simulated seconds a second with both explicit methods."""
    return [measure(name, rounds) for name in names or catalogue.names()]


def measure(name: str, rounds: int) -> dict:
    """The row of one system; the best of several runs."""
    system = catalogue.load(name)
    problem, duration = system.problem(), min(system.duration, LONGEST)
    q, v = problem.initial()
    plan, a, lam = problem.run_plan(q), np.zeros(problem.model.nv), np.zeros(len(problem.constraint_labels))
    work = problem.work_for(plan)
    arguments = (LOOPS, plan, work, 0.0, q, v, a, lam)
    compiled_for(evaluation_loop, arguments)
    seconds = side_by_side({"evaluate": lambda: evaluation_loop(*arguments)}, rounds)["evaluate"] / LOOPS
    rates = {}
    for method in ("rk4", "adaptive"):
        best = 0.0
        for _ in range(max(2, rounds // 6)):
            run = problem.simulate(duration, method=method, step=STEP if method == "rk4" else None, progress=False)
            best = max(best, (run.t[-1] - run.t[0]) / run.info["wall"])
        rates[method] = best
    return {
        "system": name, "velocities": str(problem.model.nv), "rows": str(len(lam)), "evaluation_us": 1e6 * seconds,
        "rk4_1ms": rates["rk4"], "adaptive": rates["adaptive"],
    }  # fmt: skip
