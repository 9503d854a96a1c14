"""Points of an optimisation as trials of an Optuna study, for its dashboard: optuna-dashboard sqlite:///best.db

The study is a copy to look at: what an optimisation goes on from are the rows of its folder.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from locomote.runs.optional import package
from locomote.sweeps.axes import SweepError, SweepPoints

KEY = "key"  # attribute of a trial: the key of its point, so that each is there once


class Study:
    """A study in a storage of Optuna: an address such as "sqlite:///best.db"."""

    def __init__(self, storage: str, name: str, ranges: Mapping[str, tuple[float, float]], least: bool):
        self.optuna = package("optuna", "a study of trials", "optuna")
        direction = "minimize" if least else "maximize"
        try:
            self.study = self.optuna.create_study(storage=storage, study_name=name, direction=direction, load_if_exists=True)
        except Exception as error:  # of whichever database it is
            raise SweepError(f"storage {storage!r:.80} cannot be used by Optuna: {' '.join(str(error).split()):.200}") from None
        if self.study.direction.name.lower() != direction:
            raise SweepError(f"storage {storage!r:.80} has a study {name!r} that looks for the opposite; choose another one")
        self.ranges = {key: self.optuna.distributions.FloatDistribution(low, high) for key, (low, high) in ranges.items()}
        self.known = {trial.user_attrs.get(KEY) for trial in self.study.get_trials(deepcopy=False)}

    def add(self, points: SweepPoints, keys: np.ndarray, rows: Sequence[Mapping[str, float]], judged: Sequence) -> None:
        """Points that are not there yet; judged : (by how much limits are missed, signed goal) of each"""
        states = self.optuna.trial.TrialState
        for k, (key, row, (missed, goal)) in enumerate(zip(keys.tolist(), rows, judged, strict=True)):
            word = f"{key:016x}"
            if word in self.known:
                continue
            self.known.add(word)
            good = math.isfinite(goal)
            sign = 1.0 if self.study.direction.name == "MINIMIZE" else -1.0
            trial = self.optuna.create_trial(
                params=points.at(k), distributions=self.ranges, state=states.COMPLETE if good else states.FAIL,
                value=sign * goal if good else None, user_attrs={KEY: word, **row},
                system_attrs={"constraints": [missed if math.isfinite(missed) else 1e300]},
            )  # fmt: skip
            self.study.add_trial(trial)
