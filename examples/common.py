"""What the examples share: arguments, IPOPT with its progress, files of results."""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import casadi
import numpy as np
from scipy.optimize import minimize

LONGEST = 30.0  # of the time of a search with exact slopes, after which one with differences is broken off


def arguments(text: str, given: list[str] | None = None, *, searches: bool = False) -> argparse.Namespace:
    """--short for a quick look, --out for the folder of results, --quiet to hide the iterations; --differences of searches."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="a coarser problem, done in seconds")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for the picture and the numbers")
    parser.add_argument("--quiet", action="store_true", help="do not show the iterations")
    if searches:
        parser.add_argument("--differences", action="store_true", help="search once more with differences instead of slopes")
    chosen = parser.parse_args(given)
    chosen.out.mkdir(parents=True, exist_ok=True)
    return chosen


def solve(opti: casadi.Opti, *, quiet: bool = False, tolerance: float = 1e-8, iterations: int = 500) -> casadi.OptiSol:
    """Solve by IPOPT; a line every fifth iteration."""
    level = {"print_level": 0 if quiet else 5, "print_frequency_iter": 5, "sb": "yes"}
    opti.solver("ipopt", {"print_time": False}, level | {"tol": tolerance, "max_iter": iterations})
    return opti.solve()


class OutOfTime(Exception):
    """A search has taken too long."""


def search(ask: Callable, guess: np.ndarray, longest: float = np.inf, **options) -> dict:
    """L-BFGS from a guess, with functions that give value and slopes: the best point and how the search went; times are s of
    this process."""
    begin, result = time.process_time(), {"x": guess, "value": np.inf, "gradients": 0, "iterations": 0}

    def noted(x: np.ndarray) -> tuple[float, np.ndarray]:
        if time.process_time() - begin > longest:
            raise OutOfTime
        value, slopes = ask(x)
        result["gradients"] += 1
        if value < result["value"]:
            result.update(value=float(value), x=x.copy())
        return value, slopes

    def count(_: np.ndarray) -> None:
        result["iterations"] += 1

    try:
        found = minimize(noted, guess, jac=True, method="L-BFGS-B", callback=count, **options)
        result["ended"] = str(found.message)
    except OutOfTime:
        result["ended"] = f"broken off after {longest:.0f} s"
    return result | {"seconds": time.process_time() - begin}


def with_differences(values: Callable, size: float) -> Callable:
    """A function that gives value and slopes by central differences, two runs for each unknown, all side by side in lanes.
    values : points (N, unknowns) -> (N,) ; size : how far each unknown is moved"""

    def ask(x: np.ndarray) -> tuple[float, np.ndarray]:
        moves = size * np.eye(len(x))
        found = values(np.vstack([x[None], x + moves, x - moves]))
        ahead, behind = np.split(found[1:], 2)
        return float(found[0]), (ahead - behind) / (2.0 * size)

    return ask


def compare(exact: dict, rough: dict, what: str, here: str, there: str) -> None:
    """Print two searches, and what came of them."""
    for name, one, came in (("exact slopes", exact, here), ("differences", rough, there)):
        print(f"{name}: {one['iterations']} iterations, {one['gradients']} gradients, {one['seconds']:.1f} s, goal "
              f"{one['value']:.3g}, {what} {came}; {one['ended']}")  # fmt: skip


def steps(rate: casadi.Function, time: float, count: int) -> casadi.Function:
    """Steps of Runge and Kutta of fourth order for x' = rate(x, p, t): (x, p) to x after each of them."""
    x, p, t, h = casadi.SX.sym("x", rate.size1_in(0)), casadi.SX.sym("p", rate.size1_in(1)), casadi.SX.sym("t"), time / count
    k1 = rate(x, p, t)
    k2 = rate(x + h / 2 * k1, p, t + h / 2)
    k3 = rate(x + h / 2 * k2, p, t + h / 2)
    k4 = rate(x + h * k3, p, t + h)
    step = casadi.Function("step", [casadi.vertcat(x, t), p], [casadi.vertcat(x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), t + h)])
    return step.mapaccum("steps", count)


def save(folder: Path, name: str, numbers: dict) -> Path:
    """Numbers as JSON; arrays become lists."""
    path = folder / f"{name}.json"
    plain = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in numbers.items()}
    path.write_text(json.dumps(plain, indent=1), encoding="utf-8")
    return path
