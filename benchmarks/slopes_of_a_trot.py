"""Slopes of where a trot ends by its torques: `lo.gradient` at several lengths of steps, against differences of many runs.

    python benchmarks/slopes_of_a_trot.py [--steps 6000] [--runs 80]

A run of steps does not see when within a step a foot touches, and neighbouring runs differ by that: differences of two runs
say nothing, and curves through runs of one length of steps little. Runs of 6000, 6001, .. steps put every touch at other places
within steps, evenly spread; their mean has next to none of it left. Two feet touch at once here. Moved torques let one be
first, and steps see the order only where touches are more than a step apart: shifts are larger than that, and steps short.
What is odd in the shift, (f(s) - f(-s)) / 2 = a s + b s^2 + .. , has the mean of the slopes to both sides, as `lo.gradient`.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "helpers"))
from trotting_robot import averaged, slopes_by_curves, slopes_of, trotter


def main() -> None:
    """Print how far slopes are off, for several lengths of steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--runs", type=int, default=80)
    options, robot, begun = parser.parse_args(), trotter(), time.process_time()
    shifts = np.linspace(0.24, 1.2, 9)
    odd = averaged(robot, shifts, range(options.steps, options.steps + options.runs))
    true = slopes_by_curves(odd.mean(axis=0), shifts)
    parts = [slopes_by_curves(part.mean(axis=0), shifts) for part in np.array_split(odd, 4)]
    spread, largest = np.std(parts, axis=0, ddof=1) / 2.0, abs(true).max(axis=0)
    cubic = slopes_by_curves(odd.mean(axis=0), shifts, (1, 2, 3))
    off, seconds = abs(cubic - true), time.process_time() - begun
    print(f"{odd.size} runs of {options.steps} steps and more, {seconds:.0f} s; standard error of slopes")
    print(f"{100 * (spread / largest).max():.2g} % of the largest, another power changes {100 * (off / largest).max():.2g} %")
    for count in (200, 400, 800, 1600):
        error = abs(np.array([slopes_of(robot, 0.4 / n) for n in range(count, count + 8)]) - true)
        print(f"steps of {400 / count:g} ms: off by at most {100 * (error / largest).max():.2g} % of the largest,", end=" ")
        print(f"each by at most {100 * (error / abs(true)).max():.2g} % of itself")
    print("mm per N m, x and y:", np.round(1e3 * true, 3).tolist())


if __name__ == "__main__":
    main()
