"""The answer of a problem at one instant."""

from dataclasses import dataclass, replace

import numpy as np

from locomote.brief import brief


@brief
@dataclass(frozen=True)
class Evaluation:
    """The answer at one instant.

    a : (nv,) accelerations
    tau : (nv,) torques of drives on imposed coordinates, given torques elsewhere, N or N m
    reactions : (rows,) of all constraint rows, N or N m: of all possible ones those of least norm
    self_stress : (rows, k) basis of the reactions that move nothing; adding any of them to `reactions` changes only tau
    self_stress_torques : (nv, k) what each of them adds to tau
    rank : of the constraints over coordinates that are not imposed
    power : by source, W
    incompatibility : largest acceleration that the imposed motion asks for and the constraints refuse, per unit row
    """

    a: np.ndarray
    tau: np.ndarray
    reactions: np.ndarray
    self_stress: np.ndarray
    self_stress_torques: np.ndarray
    rank: int
    power: dict[str, float]
    incompatibility: float

    def with_self_stress(self, amounts) -> "Evaluation":
        """The same motion with the self-stress of the given amounts, one for each column of `self_stress`, added."""
        amounts = np.asarray(amounts, dtype=float)
        if amounts.shape != (self.self_stress.shape[1],):
            raise ValueError(f"there are {self.self_stress.shape[1]} self-stresses, give as many amounts, not {amounts.shape}")
        return replace(
            self,
            reactions=self.reactions + self.self_stress @ amounts,
            tau=self.tau + self.self_stress_torques @ amounts,
        )

    def least_torque(self) -> "Evaluation":
        """The same motion with the self-stress that makes the torques least (sum of squares)."""
        return self.with_self_stress(-np.linalg.pinv(self.self_stress_torques) @ self.tau)

    def equal_sharing(self, rows=None) -> "Evaluation":
        """The same motion with the self-stress that makes the reactions of the given rows (all) as equal as possible."""
        rows = np.arange(len(self.reactions)) if rows is None else np.asarray(rows)
        spread = np.eye(len(rows)) - 1.0 / len(rows)
        return self.with_self_stress(-np.linalg.pinv(spread @ self.self_stress[rows]) @ spread @ self.reactions[rows])
