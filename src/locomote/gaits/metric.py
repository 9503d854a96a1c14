"""What a change of shape costs: a metric G over shape coordinates, |x'|^2 = x'^T G x'.

power     of a problem without inertia, N m/s: what drives work against the resistance
kinetic   kg m^2: twice the kinetic energy of the whole system while its shape changes
torque    G^T G of power: the sum of squared torques of a problem without inertia
angles    of coordinates themselves, rad^2
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.errors import UnknownName
from locomote.gaits.local_form import Local, LocalForm
from locomote.spatial.numbers import as_numbers

METRICS = ("power", "kinetic", "torque", "angles")


@brief
@dataclass(frozen=True, eq=False)
class Metric:
    """Metrics G (N, k, k) at shapes, and their derivatives dG (N, k, k, k), the coordinate first."""

    G: np.ndarray
    dG: np.ndarray

    def squared(self, rates: np.ndarray) -> np.ndarray:
        """(N,) x'^T G x' of rates (N, k)."""
        return np.einsum("pj,pjk,pk->p", rates, self.G, rates)


def metric_of(form: LocalForm, given: Any = None) -> Callable[[np.ndarray, Local], Metric]:
    """A function of shapes (N, k) and the local form there; given : a name of METRICS, a matrix (k, k), or None for that of the
    problem: power without inertia, else kinetic"""
    k = form.size
    if given is None:
        given = "kinetic" if form.problem.inertia else "power"
    if not isinstance(given, str):
        G = as_numbers(given, "metric", f"a name, or a matrix {(k, k)}")
        if G.shape != (k, k) or not np.isfinite(G).all() or np.linalg.eigvalsh((G + G.T) / 2).min() <= 0.0:
            what = f"has shape {G.shape}" if G.shape != (k, k) else "is not positive definite"
            raise ValueError(f"metric {what}; expected a name, or a positive definite matrix {(k, k)}")
        return lambda x, local: Metric(np.broadcast_to(G, (len(x), k, k)), np.zeros((len(x), k, k, k)))
    if given not in METRICS:
        raise UnknownName("metric", given, METRICS, "metrics of shape")
    if given == "angles":
        return lambda x, local: Metric(np.broadcast_to(np.eye(k), (len(x), k, k)), np.zeros((len(x), k, k, k)))
    if given in ("power", "torque") and form.problem.inertia:
        raise ValueError(f"{form.problem.name!r} has inertia, so that the metric {given!r} has no meaning; take 'kinetic'")
    if given == "kinetic" and not form.problem.inertia:
        raise ValueError(f"{form.problem.name!r} has no inertia, so that there is no kinetic metric; take 'power'")
    return squared if given == "torque" else lambda x, local: Metric(local.G, local.dG)


def squared(x: np.ndarray, local: Local) -> Metric:
    """G^T G, and its derivative."""
    half = local.dG @ local.G[:, None]
    return Metric(local.G @ local.G, half + half.transpose(0, 1, 3, 2))
