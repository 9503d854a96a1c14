"""Families of gaits: the best for each of a row of turns, by continuation from one to the next, with their front.

Each member is the best gait that turns by so much a period; it starts from its neighbour, so that the family is one branch.
A member is on the Pareto front if no other turns as far, or further the same way, and gets more of the goal for its cost.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.gaits.optimisation import Best, optimize
from locomote.locomotion.problem import Locomotion
from locomote.runs.optional import package


@brief
@dataclass(frozen=True, eq=False)
class Family:
    """Gaits by the turn of a period.

    turns : (N,) rad ; values : (N,) goal over cost ; members : `Best` of each ; front : (N,) whether on the Pareto front
    """

    turns: np.ndarray
    values: np.ndarray
    members: tuple[Best, ...]
    front: np.ndarray

    def plot(self, *, path=None) -> Any:
        """Values over turns, the front marked."""
        package("matplotlib", "plotting", "'locomote[view]'")
        from locomote.runs.picture import Picture
        from locomote.runs.plots import COLORS, dress, written

        figure = Picture(figsize=(6.0, 4.0), layout="constrained")
        axes = figure.add_subplot(1, 1, 1)
        dress(axes)
        axes.plot(self.turns, self.values, "-", color=COLORS[7])
        axes.plot(self.turns[self.front], self.values[self.front], "o", color=COLORS[0])
        best = self.members[0]
        axes.set(xlabel="turn a period, rad", ylabel=best.goal if best.cost == "none" else f"{best.goal} over {best.cost}")
        return written(figure, path)


def family(
    problem: Locomotion, turns: Sequence[float], *, goal: Any = "distance", start: Best | None = None, **options: Any
) -> Family:
    """The best gaits for each of some turns a period, of a base in a plane, each started from the one before.

    turns : rad, in the order in which they are gone through ; start : a `Best` to begin with, found if None
    goal, options : as of `lo.gaits.optimize`, the same for all
    """
    wanted = np.asarray(turns, dtype=float)
    if wanted.ndim != 1 or not len(wanted) or not np.isfinite(wanted).all():
        raise ValueError(f"turns is {turns!r:.60}, expected a row of angles, rad")
    members: list[Best] = []
    for turn in wanted:
        before = members[-1] if members else start
        options = options | ({"start": before.gait} if before is not None else {})
        members.append(optimize(problem, goal, turn=float(turn), **options))
    values = np.array([member.value for member in members])
    same = np.sign(wanted)[:, None] * np.sign(wanted)[None, :] >= 0.0
    further = same & (abs(wanted)[None, :] >= abs(wanted)[:, None]) & (values[None, :] > values[:, None])
    return Family(wanted, values, tuple(members), ~further.any(axis=1))
