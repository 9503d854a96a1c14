"""What motion and torque can tell of inertial parameters: the independent columns of a regressor, and what joins them.

Columns are taken in order, a column that depends on those before it is left out: parameters of distal bodies then go into
those of bodies nearer to the base, as in textbooks. With Y = Y_b [1 K] (columns sorted), the base parameters are

    beta = pi_b + K pi_d ,       tau = Y_b beta                                                                          (1)
"""

from dataclasses import dataclass

import numpy as np

from locomote.dynamics.regressor import inertial_parameter_names, inertial_parameters, regressor
from locomote.linear.rank import first_independent, own_lengths
from locomote.model.model import Model
from locomote.spatial.numbers import generator

INDEPENDENT = 1e-8  # what is left of a column beside others: what random samples tell is known to fewer digits (`linear.rank`)
PRESENT = 1e-9  # coefficients below are rounding


@dataclass(frozen=True)
class BaseParameters:
    """The combinations of inertial parameters that inverse dynamics depends on.

    rank : how many ; columns : (rank,) which columns of the regressor go with them
    matrix : (rank, parameters), base parameters = matrix @ inertial_parameters(model)
    values : (rank,) those of the model ; names : one for each inertial parameter
    """

    rank: int
    columns: np.ndarray
    matrix: np.ndarray
    values: np.ndarray
    names: tuple[str, ...]

    @property
    def combinations(self) -> list[str]:
        """Each base parameter as a sum of inertial ones."""
        return [combination(row, self.names, column) for row, column in zip(self.matrix, self.columns, strict=True)]

    @property
    def without_effect(self) -> list[str]:
        """Inertial parameters that no motion shows, not even together with others."""
        return [name for name, column in zip(self.names, self.matrix.T, strict=True) if not column.any()]

    def __str__(self) -> str:
        lines = [f"{value: .6g} = {text}" for value, text in zip(self.values, self.combinations, strict=True)]
        return "\n".join([f"{self.rank} base parameters of {len(self.names)} inertial ones", *lines])


def combination(row: np.ndarray, names, first: int) -> str:
    """A row of the matrix in words, the parameter that leads it first."""
    text = names[first]
    for k in np.flatnonzero(row):
        if k != first:
            size = abs(row[k])
            factor = "" if abs(size - 1.0) < PRESENT else f"{size:.6g} "
            text += f" {'-' if row[k] < 0 else '+'} {factor}{names[k]}"
    return text


def base_parameters(model: Model, *, armature: bool = False, samples: int = 0, rng=0) -> BaseParameters:
    """The independent combinations of inertial parameters that a model's inverse dynamics depends on.

    armature : with the armature of joints among the parameters
    samples : how many random states are stacked; enough, if not given ; rng : their seed or generator
    """
    rng = generator(rng, "rng")
    names = inertial_parameter_names(model, armature=armature)
    count = samples or 5 + 3 * len(names) // max(1, model.nv)
    q, (v, a) = model.random(rng, count), rng.normal(size=(2, count, model.nv))
    stacked = regressor(model, q, v, a, armature=armature).reshape(count * model.nv, len(names))
    columns, K = independent(np.asarray(np.linalg.qr(stacked, mode="r")))
    matrix = np.where(abs(K) > PRESENT, K, 0.0)
    values = matrix @ inertial_parameters(model, armature=armature)
    return BaseParameters(len(columns), columns, matrix, values, tuple(names))


def independent(R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns that do not depend on those before them, and all columns as combinations of them, (rank, columns)."""
    columns = first_independent(R.T, own_lengths(R.T), INDEPENDENT)
    combined = np.linalg.lstsq(R[:, columns], R, rcond=None)[0] if len(columns) else np.zeros((0, R.shape[1]))
    combined[:, columns] = np.eye(len(columns))
    return columns, combined
