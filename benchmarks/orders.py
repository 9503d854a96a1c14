"""Times of forward dynamics in O(n) and O(n^3), and what threads over branches would bring: `python benchmarks/orders.py`.

Compiled: the recursion, against the mass matrix and bias force by recursions and a Cholesky solution. Read: the same in NumPy
as DeNOC has it. Chains of turning joints on a free base; least of many calls, one core, microseconds.

Branches: a tree of equal branches on one base, one call of the whole, against both halves in two threads that stand ready: the
most that threads over branches could reach, as the halves would still have to meet at the base.
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from scipy.linalg import cho_factor, cho_solve

import locomote as lo

SIZES = (6, 12, 18, 24, 30, 48, 100, 200)
READ = (6, 12, 30, 48)
BODIES = (64, 256, 1024, 4096, 16384)


def tree(branches: int, length: int) -> lo.Model:
    """Chains on a free base."""
    rng, builder = np.random.default_rng(1), lo.Builder(f"{branches} chains of {length}", base="free")
    builder.body("base", inertia=lo.Inertia(5.0, moment=(0.5, 0.6, 0.7)))
    for b in range(branches):
        for k in range(length):
            parent, at = (f"link {b} {k - 1}", (0.1, 0.0, 0.0)) if k else ("base", tuple(0.3 * rng.normal(size=3)))
            joint = lo.Joint(f"joint {b} {k}", axis="xyz"[k % 3])
            builder.body(f"link {b} {k}", parent=parent, at=at, joint=joint, inertia=lo.Inertia(0.2, (0.05, 0, 0), (1e-4,) * 3))
    return builder.build()


def least(call, seconds: float = 0.4) -> float:
    """us, the least of many calls."""
    call()
    best, end = np.inf, time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return 1e6 * best


def by_matrix(model: lo.Model, q, v, tau) -> np.ndarray:
    """Accelerations from M a = tau - h."""
    return cho_solve(
        cho_factor(lo.mass_matrix(model, q), check_finite=False), tau - lo.bias_force(model, q, v), check_finite=False
    )


def state(model: lo.Model) -> tuple:
    rng = np.random.default_rng(0)
    return model.integrate(model.neutral(), 0.2 * rng.normal(size=model.nv)), *rng.normal(size=(2, model.nv))


def orders() -> None:
    """Compiled, and to read."""
    print("| joints | compiled O(n), us | compiled O(n^3), us | ratio | NumPy O(n), us | NumPy O(n^3), us |")
    print("|---|---|---|---|---|---|")
    for n in SIZES:
        model = tree(1, n)
        given = state(model)
        fast, cubic = least(partial(lo.forward_dynamics, model, *given)), least(partial(by_matrix, model, *given))
        read = ["", ""]
        if n in READ:
            links = lo.denoc.at(model, *given[:2])
            calls = lo.denoc.forward_dynamics, lo.denoc.dense_forward_dynamics
            read = [f"{least(partial(call, links, given[2])):.0f}" for call in calls]
        print(f"| {n} | {fast:.2f} | {cubic:.2f} | {cubic / fast:.1f} | {read[0]} | {read[1]} |", flush=True)


def branches() -> None:
    """One call, and two halves in two threads."""
    print("\n| bodies | one thread, us | two halves in two threads, us | gain at most |\n|---|---|---|---|")
    with ThreadPoolExecutor(2) as pool:
        for bodies in BODIES:
            whole, half = tree(8, bodies // 8), tree(4, bodies // 8)
            one, two = state(whole), state(half)

            def both(half=half, two=two):
                later = pool.submit(lo.forward_dynamics, half, *two)
                lo.forward_dynamics(half, *two)
                later.result()

            alone, split = least(partial(lo.forward_dynamics, whole, *one), 1.0), least(both, 1.0)
            print(f"| {bodies} | {alone:.1f} | {split:.1f} | {alone / split:.2f} |", flush=True)


if __name__ == "__main__":
    orders()
    if "branches" in sys.argv[1:] or len(sys.argv) == 1:
        branches()
