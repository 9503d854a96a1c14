"""What gradients cost, in units of the forward rollout: prints the table of docs/gradients.md."""

import time
import warnings

import numpy as np

import locomote as lo
from locomote.compiled.rollout import Controls
from locomote.gradients.fixed import Case

# system, method, runs, steps
CASES = (
    ("quadruped", "rk4", 512, 200), ("snakeboard", "rk4", 512, 700), ("eel", "rk4", 64, 100),
    ("andrews_squeezer", "rk4", 64, 200),
    ("elastic_pendulum", "euler", 16, 200), ("quadruped", "rk4", 1, 2000),
    ("quadruped", "euler", 1, 2000),
    ("snakeboard", "rk4", 1, 2000),
)  # fmt: skip
REPEATS = 7


def least(do) -> float:
    """The shortest of some times, s of this process."""
    times = []
    for _ in range(REPEATS):
        begin = time.process_time()
        do()
        times.append(time.process_time() - begin)
    return min(times)


def measured(name: str, method: str, runs: int, steps: int) -> str:
    """A row."""
    problem, rng = lo.systems.load(name).problem(), np.random.default_rng(0)
    columns, step = len(Controls.of(problem, None, True).given), 1e-5 if problem.model.flexible else 1e-3
    controls = 0.1 * rng.normal(size=(runs, steps, columns))
    goal = lo.at_end(lambda t, q, v: q[0] + v[0])

    def case(memory: float) -> Case:
        given = (controls, None, None, None, None, step, method, "check", 1, memory, (None, None), ())
        return Case.of(problem, goal, *given)

    found = {}
    for share in (1.0, 0.25):
        one = case(share * 8.0 * runs * steps * (problem.model.nq + problem.model.nv + columns) * 1.001)
        one.reverse(["controls"])
        found[share] = (
            least(lambda one=one: one.rolled.go(one.places)),
            least(lambda one=one: one.rolled.back(one.found[1], False)),
        )
    forward, back = found[1.0]
    twice = sum(found[0.25])
    return (
        f"| {name}, {method} | {runs}, {steps}, {columns * steps} | {1e6 * forward / runs / steps:.3g} | "
        f"{(forward + back) / forward:.2f} | {twice / forward:.2f} |"
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for row in CASES:
        print(measured(*row), flush=True)
