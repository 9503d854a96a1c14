"""Best waves by runs: amplitude of a ground snake over its transverse friction (a power law), and the best wave of an eel.

A snake whose scales resist sideways N times as much as forwards slips by ~ 1 / (N a^2) of its wave, its way is longer by ~ a^2,
so that the least work for its way is at a ~ N^(-1/4) (Alben 2013). Runs are without inertia, as slow snakes are.

python benchmarks/slithering.py [snake] [eel]
"""

import sys
import time

import numpy as np

import locomote as lo

PERIOD, FORWARDS, SAMPLES = 8.0, 0.1, 100


def snake_cost(amplitude: float, ratio: float) -> float:
    """Work over weight, friction forwards and way of the second period; 1 if it slid straight ahead.

    amplitude : curvature times length ; ratio : sideways over forwards
    """
    options = {"waves": 2.0, "period": PERIOD, "forwards": FORWARDS, "backwards": FORWARDS, "slow": 5e-4, "sections": 24}
    system = lo.systems.load("ground_snake", amplitude=amplitude, sideways=FORWARDS * ratio, **options)
    run = system.problem().replaced(inertia=False).simulate(2 * PERIOD, every=PERIOD / SAMPLES, rtol=1e-5, atol=1e-7)
    weight = system.model.mass * 9.81
    return work(run) / (FORWARDS * weight * way(run))


def work(run) -> float:
    """J, of the second half of a run."""
    half = len(run.t) // 2
    return float(np.trapezoid((run.tau * run.v).sum(axis=1)[half:], run.t[half:]))


def way(run) -> float:
    """m, of the base in the second half of a run."""
    return float(np.linalg.norm(run.q[-1, :2] - run.q[len(run.t) // 2, :2]))


def least(cost, first: float, step: float = 1.25) -> tuple[float, float]:
    """Where a cost is least over the logarithm of a number, and the cost: a bracket, then parabolas."""
    x = [np.log(first) + k * np.log(step) for k in (-1, 0, 1)]
    y = [cost(float(np.exp(p))) for p in x]
    while np.argmin(y) != 1:
        side = 0 if np.argmin(y) == 0 else -1
        new = x[side] + (np.log(step) if side else -np.log(step))
        x, y = (
            ([new, *x[:2]], [cost(float(np.exp(new))), *y[:2]])
            if not side
            else ([*x[1:], new], [*y[1:], cost(float(np.exp(new)))])
        )
    c = np.polyfit(x, y, 2)
    top = float(np.exp(-c[1] / (2 * c[0])))
    return top, cost(top)


def snakes() -> None:
    """The power law."""
    ratios, tops, first = [10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4], [], 11.0
    for ratio in ratios:
        begin = time.perf_counter()
        first, cost = least(lambda a, ratio=ratio: snake_cost(a, ratio), first)
        tops.append(first)
        print(
            f"sideways/forwards {ratio:6g}: amplitude {first:.3f}, cost {cost:.4f}; {time.perf_counter() - begin:.0f} s",
            flush=True,
        )
    for k in range(len(ratios) - 1):
        slope = np.log(tops[k + 1] / tops[k]) / np.log(ratios[k + 1] / ratios[k])
        print(f"  power from {ratios[k]:g} to {ratios[k + 1]:g}: {slope:.3f}")
    print(f"  power over all: {np.polyfit(np.log(ratios), np.log(tops), 1)[0]:.3f}; -1/4 expected")


def eel_cost(bend: float, wavelength: float) -> float:
    """Power over density, the cube of the speed and the square of the length: the same at all frequencies, since forces of
    water go with the square of velocities and bending gives back what it takes."""
    system = lo.systems.load("eel", body="rod", nodes=16, bend=bend, wavelength=wavelength)
    run = system.problem().simulate(10.0, every=0.02)
    last = slice(-101, None)
    speed = float(np.linalg.norm(run.q[-1, :2] - run.q[-101, :2])) / 2.0
    power = float(np.trapezoid((run.tau * run.v).sum(axis=1)[last], run.t[last])) / 2.0
    return power / (1000.0 * speed**3)


def eels() -> None:
    """The wave of an eel with the least power for its speed."""
    from scipy.optimize import minimize

    for first in ([4.0, 0.7], [2.0, 1.2]):
        begin, near = time.perf_counter(), np.array([[0, 0], [0.2, 0], [0, 0.2]])
        found = minimize(
            lambda x: eel_cost(*np.exp(x)), np.log(first), method="Nelder-Mead",
            options={"maxfev": 40, "xatol": 5e-3, "fatol": 1e-6, "initial_simplex": np.log(first) + near},
        )  # fmt: skip
        bend, wave = np.exp(found.x)
        print(
            f"eel from {first}: bend {bend:.3f} rad, wavelength {wave:.3f} lengths, power coefficient {found.fun:.6f} (its own "
            f"wave {eel_cost(4.0, 0.7):.6f}); {found.nfev} runs, {time.perf_counter() - begin:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    asked = sys.argv[1:] or ["snake", "eel"]
    if "snake" in asked:
        snakes()
    if "eel" in asked:
        eels()
