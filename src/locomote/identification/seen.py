"""What rows tell of unknowns: standard deviations, and which unknowns are seen only together, or not at all.

With columns A_b of A that do not depend on those before them, and A = A_b [1 K] (columns sorted), rows tell the combinations

    beta = p_b + K p_d ,      covariance of beta = (A_b^T A_b)^-1                                                           (1)

as base parameters of a regressor (`dynamics.base_parameters`), here of any rows, linear near the values that were found.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from locomote.dynamics.base_parameters import combination
from locomote.identification.fit import NO_EFFECT
from locomote.linear.rank import first_independent

DEPENDENT = 1e-6  # of a column, what is left of it beside others if rows cannot tell it apart
PRESENT = 1e-5  # coefficients of combinations below are rounding


@dataclass(frozen=True)
class Seen:
    """What is seen of K unknowns.

    deviations : (K,) standard deviations, infinite where an unknown is not seen by itself
    unseen : numbers of those without effect ; base : all that is seen: (combination in words, value, standard deviation)
    covariance : (K, K), NaN where it is not known
    """

    deviations: np.ndarray
    unseen: list[int]
    base: list[tuple[str, float, float]]
    covariance: np.ndarray

    @classmethod
    def of(cls, A: np.ndarray, values: np.ndarray, names: Sequence[str]) -> "Seen":
        """From slopes (R, K) of rows over their noise, and values of the unknowns."""
        K = A.shape[1]
        lengths = np.linalg.norm(A, axis=0)
        dark = lengths * np.where(values != 0.0, abs(values), 1.0) < NO_EFFECT
        light = np.flatnonzero(~dark)
        deviations, covariance, found = np.full(K, np.inf), np.full((K, K), np.nan), []
        if len(light):
            unit = np.asarray(np.linalg.qr(A[:, light] / lengths[light], mode="r"))
            base = first_independent(unit.T, np.ones(len(light)), DEPENDENT)
            inverse = np.linalg.pinv(unit[:, base])
            own = (inverse @ inverse.T) / np.outer(lengths[light[base]], lengths[light[base]])
            combined = np.zeros((len(base), K))
            combined[:, light] = (inverse @ unit) * lengths[light] / lengths[light[base]][:, None]
            sizes = abs(combined) * np.where(values != 0.0, abs(values), 1.0)
            combined[sizes < PRESENT * sizes.max(axis=1, keepdims=True)] = 0.0
            combined[:, light[base]] = np.eye(len(base))
            alone = np.count_nonzero(combined, axis=1) == 1
            for row, k, sure, variance in zip(combined, light[base], alone, np.diag(own), strict=True):
                found.append((combination(row, names, k), float(row @ values), float(np.sqrt(variance))))
                if sure:
                    deviations[k] = np.sqrt(variance)
            sure = light[base[alone]]
            covariance[np.ix_(sure, sure)] = own[np.ix_(alone, alone)]
        return cls(deviations, np.flatnonzero(dark).tolist(), found, covariance)
