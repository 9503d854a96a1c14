"""Timing side by side: short windows, interleaved, minima. The machine is noisy; means would measure the neighbours."""

import time
from collections.abc import Callable, Mapping

WINDOW = 3e-3  # s


def seconds(run: Callable[[], object], repeats: int) -> float:
    """Seconds of one call, from a window of several."""
    start = time.perf_counter()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - start) / repeats


def repeats_for(run: Callable[[], object]) -> int:
    """How many calls fill a window."""
    run()
    return max(1, round(WINDOW / max(seconds(run, 3), 1e-7)))


def side_by_side(runs: Mapping[str, Callable[[], object]], rounds: int = 30) -> dict[str, float]:
    """Best seconds a call of each, measured in turn in one run."""
    repeats = {name: repeats_for(run) for name, run in runs.items()}
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            best[name] = min(best[name], seconds(run, repeats[name]))
    return best
