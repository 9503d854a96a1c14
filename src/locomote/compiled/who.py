"""Who follows controls, and who follows functions of time."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.locomotion.inputs import slots_of
from locomote.locomotion.problem import Locomotion
from locomote.model.model import Model


@dataclass(frozen=True)
class Controls:
    """Which coordinates of v follow the controls, and which follow functions of time."""

    given: tuple[int, ...]
    timed: tuple[int, ...]
    drives: tuple[Any, ...]  # timed drives
    places: tuple[int, ...]  # places of timed drives in q
    held: frozenset[int]

    @staticmethod
    def of(problem: Locomotion, joints, wanted: bool) -> "Controls":
        signals = {**problem.imposed_motions, **problem.given_torques}
        if joints is None:
            held = [name for name in problem.model.joint_names if problem.imposed[problem.model.joint(name).v].any()]
            joints = held or [name for name in problem.model.joint_names if not is_base(problem.model, name)]
        given = [k for name in joints for k in slots_of(problem.model, name)] if wanted else []
        timed = [k for k in sorted(signals) if k not in given]
        places = tuple(int(problem.q_of_v[k]) for k in timed)
        held = frozenset(np.flatnonzero(problem.imposed).tolist())
        return Controls(tuple(given), tuple(timed), tuple(signals[k] for k in timed), places, held)

    def impose(self, t: float, q: np.ndarray, v: np.ndarray) -> None:
        """Set positions and velocities (rows) of coordinates that a drive moves."""
        for k, place, drive in zip(self.timed, self.places, self.drives, strict=True):
            if k in self.held:
                q[:, place], v[:, k], _ = drive(t)


def is_base(model: Model, name: str) -> bool:
    """Whether a joint is a free, planar or other base that moves several ways, which no motor does."""
    joint = model.joint(name)
    return model.body(joint.body).parent is None and joint.v.stop - joint.v.start > 1
