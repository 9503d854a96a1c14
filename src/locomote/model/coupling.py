"""Coupled coordinates: a model with mimic joints is a model without them, behind a linear map."""

from dataclasses import dataclass

import numpy as np

from locomote.model.description import Description


@dataclass(frozen=True)
class CouplingMap:
    """q_full = q_matrix q + offset and v_full = v_matrix v; forces go back by the transposes."""

    q_matrix: np.ndarray
    offset: np.ndarray
    v_matrix: np.ndarray
    own_q: np.ndarray  # places of the own coordinates in those of the uncoupled model
    own_v: np.ndarray

    def expand_q(self, q: np.ndarray) -> np.ndarray:
        """Configuration of the uncoupled model."""
        return q @ self.q_matrix.T + self.offset

    def expand_v(self, v: np.ndarray) -> np.ndarray:
        """Velocity, or acceleration, of the uncoupled model."""
        return v @ self.v_matrix.T


def coupling_map(description: Description, nq: int, nv: int, joint_q: dict, joint_v: dict) -> CouplingMap:
    """The map of the couplings of a checked description."""
    dependent = {coupling.joint: coupling for coupling in description.couplings}
    own_q = [k for name, s in joint_q.items() if name not in dependent for k in range(s.start, s.stop)]
    own_v = [k for name, s in joint_v.items() if name not in dependent for k in range(s.start, s.stop)]
    q_matrix, offset, v_matrix = np.zeros((nq, len(own_q))), np.zeros(nq), np.zeros((nv, len(own_v)))
    q_matrix[own_q, range(len(own_q))] = 1.0
    v_matrix[own_v, range(len(own_v))] = 1.0
    pending = dict(dependent)
    while pending:
        for name, coupling in list(pending.items()):
            if any(source in pending for source, _ in coupling.ratios):
                continue
            row = joint_q[name].start
            offset[row] = coupling.offset
            for source, ratio in coupling.ratios:
                q_matrix[row] += ratio * q_matrix[joint_q[source].start]
                offset[row] += ratio * offset[joint_q[source].start]
                v_matrix[joint_v[name].start] += ratio * v_matrix[joint_v[source].start]
            del pending[name]
    return CouplingMap(q_matrix, offset, v_matrix, np.array(own_q, dtype=int), np.array(own_v, dtype=int))
