"""What the derivatives of a problem cost, in units of one evaluation; the figures of docs/derivatives.md.

    python benchmarks/derivatives.py [--rounds 20]

An evaluation is timed in compiled code, derivatives as one call of their kernel from Python, and as `problem.derivatives`,
which checks its arguments and sorts its answer. Slopes are of accelerations, drive forces and reactions, by q, v, tau and t.
Minima of short slices that take turns.
"""

import argparse

import numpy as np

import locomote as lo
from locomote.bench.loops import evaluation_loop
from locomote.bench.timing import side_by_side
from locomote.compiler.indirect import compiled_for
from locomote.evaluation.derivatives import slopes_one
from locomote.evaluation.work import work_of
from locomote.methods.dual_plans import differential_of

SYSTEMS, LOOPS, AT = ("snakeboard", "acm_snake", "andrews_squeezer"), 200, 0.1


def measure(name: str, rounds: int) -> tuple:
    """Coordinates, rows, us of an evaluation, and what derivatives take in units of it: their kernel, the whole call."""
    problem = lo.systems.load(name).problem()
    (q, v), nv, rows = problem.initial(), problem.model.nv, len(problem.constraint_labels)
    a, lam, count = np.zeros(nv), np.zeros(rows), 2 * nv + 2 * rows
    plan = problem.plan
    work = work_of(plan)
    problem.prepare(plan)
    slopes = differential_of(plan, work, problem.terms)
    room = np.zeros((count, 2 * nv + 1)), np.zeros((count, nv))
    loop = (LOOPS, plan, work, AT, q, v, a, lam)
    compiled_for(evaluation_loop, loop)

    def kernel():
        for _ in range(LOOPS):
            slopes_one(plan, work, *slopes, AT, q, v, a, lam, *room)

    def called():
        for _ in range(LOOPS):
            problem.derivatives(AT, q, v)

    ways = {"evaluation": lambda: evaluation_loop(*loop), "kernel": kernel, "called": called}
    seconds = side_by_side(ways, rounds)
    one = seconds["evaluation"]
    return nv, rows, 1e6 * one / LOOPS, seconds["kernel"] / one, seconds["called"] / one


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    print("| system | velocities | rows | evaluation, us | derivatives, evaluations | with the call from Python |")
    print("|---|---|---|---|---|---|")
    for name in SYSTEMS:
        nv, rows, one, kernel, called = measure(name, rounds)
        print(f"| {name} | {nv} | {rows} | {one:.3g} | {kernel:.3g} | {called:.3g} |")


if __name__ == "__main__":
    main()
