"""What numbers of their own cost rollouts, in whole calls; a step of one run; a point of a sweep. By turns, least times.

`python benchmarks/rollout_parameters.py` takes a minute or two. One thread. What a first call finds out about the numbers of a
problem is kept with it: the last column is that of calls with a problem that was never seen.
"""

import time

import numpy as np

import locomote as lo

RUNS, SECONDS, STEP, TURNS = 512, 10.0, 1e-2, 6
KINDS = {
    "masses": ("*.mass",), "gravity": ("gravity",), "amplitudes": ("rotor.amplitude", "*_steer.amplitude"),
    "inertias": ("rotor.inertia",), "origins": ("front_axle.placement",), "rates": ("rotor.rate",),
}  # fmt: skip


def least(calls: dict, turns: int = TURNS) -> dict[str, float]:
    """Least processor time of each call, s, by turns."""
    for call in calls.values():
        call()
    found = dict.fromkeys(calls, np.inf)
    for _ in range(turns):
        for name, call in calls.items():
            began = time.process_time()
            call()
            found[name] = min(found[name], time.process_time() - began)
    return found


def around(problem: lo.Locomotion, names, count: int, alike: int = 1) -> dict[str, np.ndarray]:
    """Random values about those of a problem; the same for so many neighbours."""
    random, found = np.random.default_rng(0), {}
    for name in names:
        own = np.asarray(problem.parameters[problem.parameters.matching(name)[0]])
        found[name] = np.repeat(own * random.uniform(0.9, 1.1, (count // alike, *[1] * own.ndim)), alike, axis=0)
    return found


def firsts(kind: str) -> float:
    """Least processor time of a first call with a problem, s."""
    found = np.inf
    for _ in range(3):
        problem = lo.systems.load("snakeboard").problem()
        numbers = around(problem, KINDS[kind], RUNS)
        began = time.process_time()
        lo.rollout(problem, duration=SECONDS, step=STEP, progress=False, parameters=numbers)
        found = min(found, time.process_time() - began)
    return found


def snakeboards() -> None:
    problem = lo.systems.load("snakeboard").problem()

    def calls(**more):
        return lambda: lo.rollout(problem, duration=SECONDS, step=STEP, progress=False, **more)

    table = {"the same for all": calls(batch=RUNS)}
    table |= {kind: calls(parameters=around(problem, names, RUNS)) for kind, names in KINDS.items()}
    found, first = least(table, 40), {kind: firsts(kind) for kind in KINDS}
    base = found["the same for all"]
    print(f"{RUNS} snakeboards, {round(SECONDS / STEP)} steps: {1e3 * base:.1f} ms")
    for kind, seconds in found.items():
        new = f", new problem {1e3 * first[kind]:6.1f} ms" if kind in first else ""
        print(f"  {kind:18s} {1e3 * seconds:8.1f} ms  {100 * (seconds / base - 1):+6.1f} %{new}")
    alone = least({"one": calls(batch=1)})["one"]
    print(f"one run, {round(SECONDS / STEP)} steps: {1e6 * alone * STEP / SECONDS:.2f} us a step")


def contacts() -> None:
    task = lo.learning.task_of("quadruped")
    problem, count = task.acted(), 256

    def calls(**more):
        return lambda: lo.rollout(problem, duration=0.4, step=4e-3, progress=False, **more)

    names = ("trunk.mass", "ground.friction")
    table = {"the same for all": calls(batch=count)}
    table |= {f"lots of {n}": calls(parameters=around(problem, names, count, n)) for n in (32, 8)}
    found = least(table, 3)
    base = found["the same for all"]
    print(f"{count} quadrupeds over contacts, 100 steps: {1e3 * base:.1f} ms")
    for kind, seconds in found.items():
        print(f"  {kind:18s} {1e3 * seconds:8.1f} ms  {100 * (seconds / base - 1):+6.1f} %")


def points() -> None:
    """Of a sweep: another number, a run of 10 s, three measures."""
    from locomote.sweeps.measures import measured

    problem, count = lo.systems.load("snakeboard").problem(), iter(range(10**9))

    def changed():
        return problem.with_parameters({"rotor.amplitude": 0.5 + 1e-5 * next(count)})

    def point():
        return measured(changed().simulate(10.0, progress=False), ("net.distance", "net.x", "work.drives"))

    found = least({"change": lambda: [changed() for _ in range(100)], "point": point}, 60)
    print(f"with_parameters {1e4 * found['change']:.1f} us; a point of a sweep {1e3 * found['point']:.2f} ms")


if __name__ == "__main__":
    points()
    snakeboards()
    contacts()
