"""What the examples share: arguments, IPOPT with its progress, files of results."""

import argparse
import json
from pathlib import Path

import casadi
import numpy as np


def arguments(text: str, given: list[str] | None = None) -> argparse.Namespace:
    """--short for a quick look, --out for the folder of results, --quiet to hide the iterations."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="a coarser problem, done in seconds")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for the picture and the numbers")
    parser.add_argument("--quiet", action="store_true", help="do not show the iterations")
    chosen = parser.parse_args(given)
    chosen.out.mkdir(parents=True, exist_ok=True)
    return chosen


def solve(opti: casadi.Opti, *, quiet: bool = False, tolerance: float = 1e-8, iterations: int = 500) -> casadi.OptiSol:
    """Solve by IPOPT; a line every fifth iteration."""
    level = {"print_level": 0 if quiet else 5, "print_frequency_iter": 5, "sb": "yes"}
    opti.solver("ipopt", {"print_time": False}, level | {"tol": tolerance, "max_iter": iterations})
    return opti.solve()


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
