"""The check of a gradient: along a random direction of all inputs, the slope against differences of runs with the same steps.

    D(e) = (J(e) - J(-e)) / 2 e ,   R(e) = (4 D(e/2) - D(e)) / 3        (Richardson)

The size e is that where two neighbouring R differ least: larger ones feel curvature, smaller ones rounding.
"""

from dataclasses import replace

import numpy as np

from locomote.gradients.fixed import Case

SIZES = 0.03 * 0.25 ** np.arange(6)
LEAST = 1e-9  # of the value (or 1), below which slopes are zero


def checked_along(case: Case, slopes: dict[str, np.ndarray], seed: int = 0) -> float:
    """The largest relative error over all runs, which is printed."""
    rng = np.random.default_rng(seed)
    way = {name: rng.normal(size=array.shape) for name, array in slopes.items()}
    if "duration" in way:
        way["duration"][:] = 0.0  # its slope is that of the motion that goes on, of which this run has no more steps
    for _, k in case.step.held:
        for name in {"q", "v"} & way.keys():
            way[name][:, k] = 0.0
    for name in way:
        way[name] *= scale(case, name)
    parts = [(slopes[name] * way[name]).reshape(len(case.starts[0]), -1) for name in way]
    exact, size = sum(part.sum(axis=1) for part in parts), np.sqrt(sum((part**2).sum(axis=1) for part in parts))
    size = np.maximum(size, LEAST * np.maximum(abs(case.found[0]), 1.0))
    rough = [differences(case, way, e) for e in SIZES]
    best = min(range(len(rough) - 1), key=lambda n: float(abs(rough[n + 1] - rough[n]).max()))
    error = float((abs(rough[best + 1] - exact) / size).max())
    print(f"gradient of {case.problem.name!r}: differences along a random direction agree to {error:.1e}")
    return error


def scale(case: Case, name: str) -> float:
    """How far an input is moved."""
    return max(float(abs(case.controls).max(initial=0.0)), 1e-3) if name == "controls" else 0.1


def differences(case: Case, way: dict[str, np.ndarray], e: float) -> np.ndarray:
    """R(e) of each run."""
    values = [moved(case, way, x).found[0] for x in (e, -e, 0.5 * e, -0.5 * e)]
    wide, narrow = (values[0] - values[1]) / (2.0 * e), (values[2] - values[3]) / e
    return (4.0 * narrow - wide) / 3.0


def moved(case: Case, way: dict[str, np.ndarray], e: float) -> Case:
    """The case with its inputs moved by e along a direction."""
    q, v = case.starts
    if "q" in way:
        q = np.array([case.problem.model.integrate(x, e * d) for x, d in zip(q, way["q"], strict=True)])
    if "v" in way:
        v = v + e * way["v"]
    controls = case.controls + e * way["controls"] if "controls" in way else case.controls
    return replace(case, starts=(q, v), controls=controls)
