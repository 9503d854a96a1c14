"""Are fields that were asked for what the samples give? Those of a run from a file were computed by whoever wrote it."""

from collections.abc import Iterator

import numpy as np

from locomote.errors import LocomoteError
from locomote.forces.terms import ForceTerm
from locomote.runs.asked import apart, asked, known
from locomote.runs.audit.checks import Check
from locomote.runs.trajectory import Trajectory

ALLOWED = 1e-6  # of the largest number of a field


def check_asked(run: Trajectory, deep: bool) -> Iterator[tuple[list[Check], list[str]]]:
    """Every such field computed anew; with functions of the user if it is deep."""
    for name, values in known(run).items():
        if not deep and run.problem is not None and any(not isinstance(x, ForceTerm) for x in run.problem.environment):
            yield [], [f"{name}: the environment is a Python function, which only audit.deep() calls"]
            continue
        fresh = apart(run)
        del vars(fresh)[name]
        try:
            again = asked(fresh, name)
        except LocomoteError as reason:
            yield [], [f"{name}: {reason}"]
            continue
        with np.errstate(invalid="ignore"):
            off = np.where(np.isnan(again) & np.isnan(values), 0.0, abs(again - values))
        largest = float(np.nanmax(abs(again), initial=0.0))
        worst = float(np.max(off, initial=0.0)) / largest if largest > 0 else float(np.max(off, initial=0.0))
        yield [Check(name.replace("_", " "), worst if np.isfinite(worst) else np.inf, ALLOWED, "computed anew")], []
