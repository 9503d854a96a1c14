"""`run.sensitivity()`: by how many percent results of a run change per percent of each parameter.

    S = (p / R) dR/dp ,     of a vector p(1 + e): (1 / R) dR/de                                                            (1)

Results are read from rows of a rollout with fixed steps from the start of the run: net motion at the end, work of drives and
torques over all of it, put in or taken out (the integral of |P|), the largest torque and force of a joint that is driven or
given a torque. All slopes come from one pass (`sampled`). The largest torque is that of the sample where it is
largest, whose time moves nothing to first order.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from locomote.errors import LocomoteError
from locomote.gradients.channels import known_channels
from locomote.gradients.parameters import Direction, slopes
from locomote.gradients.sampled import Sampled
from locomote.runs.channels import columns_of_v
from locomote.runs.optional import package
from locomote.runs.trajectory import Trajectory
from locomote.tables import table

STEP = 5e-3  # s, at most
FAR = 0.02  # of a result, by which that of a rollout may miss that of the run
SMALL = 5e-4  # percent per percent that is zero in a table
SHOWN = 12  # parameters in words and pictures
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity:
    """Percent by which results change per percent of each parameter.

    results : names of results -> their values ; units : theirs ; parameters : names, the most important first
    percent : (parameters, results) ; unknown : parameter -> why its slopes are not known
    """

    results: dict[str, float]
    units: dict[str, str]
    parameters: Sequence[str]
    percent: np.ndarray
    unknown: dict[str, str]

    def __getitem__(self, name: str) -> dict[str, float]:
        """Percent of each result per percent of a parameter."""
        row = self.percent[list(self.parameters).index(name)]
        return dict(zip(self.results, row.tolist(), strict=True))

    def words(self, most: int = SHOWN) -> list[str]:
        """Sentences, of the parameters that matter most."""
        said = []
        for name, row in zip(self.parameters[:most], self.percent, strict=False):
            parts = [f"{word} {x:+.2g} %" for word, x in zip(self.results, row, strict=True) if abs(x) >= SMALL]
            if parts:
                said.append(f"1 % more {name}: {', '.join(parts)}")
        still = int((abs(self.percent).max(axis=1, initial=0.0) < SMALL).sum())
        return [*said, f"{still} parameters change none of these"] if still else said

    def _rows(self) -> list[tuple[str, ...]]:
        return [(name, *(f"{x:+.3f}" for x in row)) for name, row in zip(self.parameters, self.percent, strict=True)
                if abs(row).max(initial=0.0) >= SMALL]  # fmt: skip

    @property
    def head(self) -> tuple[str, ...]:
        """Of the table."""
        return "% per % of", *(f"{name} ({x:.4g} {self.units[name]})" for name, x in self.results.items())

    def __str__(self) -> str:
        rows = [self.head, *self._rows()]
        widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
        return "\n".join("  ".join(x.ljust(w) for x, w in zip(row, widths, strict=True)).rstrip() for row in rows)

    def __repr__(self) -> str:
        return f"<Sensitivity of {', '.join(self.results)} to {len(self.parameters)} parameters; print it for a table>"

    def _repr_html_(self) -> str:
        return table(self._rows(), self.head)

    def plot(self, *, path=None, most: int = SHOWN):
        """A bar chart of the parameters that matter most; path : file to write"""
        package("matplotlib", "plotting", "'locomote[view]'")
        from matplotlib.figure import Figure

        names, rows = list(self.parameters[:most])[::-1], self.percent[:most][::-1]
        figure = Figure(figsize=(8, 1.2 + 0.45 * len(names)), layout="constrained")
        axes = figure.subplots()
        high = 0.8 / max(len(self.results), 1)
        for k, word in enumerate(self.results):
            axes.barh(np.arange(len(names)) - k * high, rows[:, k], high, label=word, color=COLORS[k % len(COLORS)])
        axes.set_yticks(np.arange(len(names)) - 0.5 * high * (len(self.results) - 1), names)
        axes.set_xlabel("percent per percent")
        axes.legend()
        if path is not None:
            figure.savefig(path)
        return figure


def sensitivity(run: Trajectory, by: str | Sequence[str] = "*", *, step: float | None = None) -> Sensitivity:
    """See Trajectory.sensitivity."""
    problem: Any = run.problem
    if problem is None:
        raise ValueError(f"the run of {run.model.name!r} does not know its problem, whose numbers would be changed")
    duration = float(run.t[-1] - run.t[0])
    if run.t[0] != 0.0 or duration <= 0:
        raise ValueError(f"the sensitivity of a run is that of all of it, from t = 0; this one is from {run.t[0]:g} s")
    if step is not None and not (isinstance(step, int | float) and not isinstance(step, bool) and 0.0 < step < np.inf):
        raise ValueError(f"step is {step!r:.40}, expected a positive time, s")
    count = max(4, int(np.ceil(duration / (step or STEP))))
    channels = names_of(problem)
    rows = Sampled.of(problem, channels, (), q=run.q[0], v=run.v[0], steps=count + 1, step=duration / count, start="project")
    ways, unknown = scalings(rows, problem.parameters.matching(by))
    values, rates = Sampled(replace(rows.case, known=tuple(ways.values())), rows.channels, ()).run()
    found = results_of(run, channels, values[0], rates[0], duration / count)
    refuse_far(run, found)
    share = {name: (x / value).tolist() for name, (value, x, _) in found.items()}
    percent = np.array([share[name] for name in found]).reshape(len(found), len(ways)).T
    order = np.argsort(-abs(percent).max(axis=1, initial=0.0), kind="stable")
    return Sensitivity(
        {name: value for name, (value, *_) in found.items()}, {name: unit for name, (*_, unit) in found.items()},
        [list(ways)[k] for k in order], percent[order], unknown,
    )  # fmt: skip


def names_of(problem: Any) -> list[str]:
    """Channels that results are made of."""
    known = known_channels(problem)
    acted = set(np.flatnonzero(problem.imposed).tolist()) | set(problem.given_torques)
    torques = [c.name for k, c in enumerate(columns_of_v(problem.model, "tau")) if k in acted and c.name in known]
    powers = [name for name in ("power.drives", "power.torques") if name in known and torques]
    return [*(name for name in ("net.x", "net.y", "net.z") if name in known), *powers, *torques]


def scalings(rows: Sampled, names: Sequence[str]) -> tuple[dict[str, Direction], dict[str, str]]:
    """How tables change with e in p (1 + e) of each parameter that is not zero, and why some are not known."""
    problem, found, unknown = rows.case.problem, {}, {}
    for name in names:
        value = np.array(problem.parameters[name], dtype=float)
        parts = []
        try:
            for index in np.ndindex(value.shape):
                if value[index] != 0.0:
                    part = slopes(problem, name, value, index, rows.case.tables)
                    parts.append({key: x * value[index] for key, x in part.items()})
        except (ValueError, ArithmeticError, LocomoteError) as error:
            unknown[name] = str(error)
            continue
        if parts:
            found[name] = Direction(name, (), {key: np.sum([part[key] for part in parts], axis=0) for key in parts[0]})
    return found, unknown


def results_of(run: Trajectory, names: list[str], y: np.ndarray, dy: np.ndarray, step: float) -> dict[str, tuple]:
    """Name -> value, slopes (parameters,) and unit, from channels (samples, C) and their slopes (samples, C, parameters)."""
    found: dict[str, tuple] = {}
    net = [k for k, name in enumerate(names) if name.startswith("net.")]
    if net:
        way, rates = y[-1, net] - y[0, net], dy[-1, net] - dy[0, net]
        far = float(np.linalg.norm(way))
        if far > 1e-9:
            found["net motion"] = far, way @ rates / far, "m"
    power = [k for k, name in enumerate(names) if name.startswith("power.")]
    if power:
        weights = np.full(len(y), step)
        weights[[0, -1]] *= 0.5
        total, rates = y[:, power].sum(axis=1), dy[:, power].sum(axis=1)
        if weights @ abs(total) > 0:
            found["work"] = float(weights @ abs(total)), (weights * np.sign(total)) @ rates, "J"
    units = {c.name: c.unit for c in columns_of_v(run.model, "tau")}
    for word, unit in (("peak torque", "N m"), ("peak force", "N")):
        own = [k for k, name in enumerate(names) if units.get(name) == unit]
        if own and abs(y[:, own]).max() > 0:
            n, k = np.unravel_index(int(abs(y[:, own]).argmax()), (len(y), len(own)))
            value = y[n, own[k]]
            found[word] = float(abs(value)), np.sign(value) * dy[n, own[k]], unit
    if not found:
        raise ValueError(f"the run of {run.model.name!r} has no net motion, no work and no torque that could change")
    return found


def refuse_far(run: Trajectory, found: dict[str, tuple]) -> None:
    """Raise if a rollout with fixed steps is not this run."""
    if "net motion" not in found or run.net_motion is None:
        return
    net = run.net_motion
    own = float(np.linalg.norm([x[-1] - x[0] for x in (net.x, net.y, net.z)]))
    if abs(found["net motion"][0] - own) > FAR * own:
        raise ValueError(
            f"fixed steps from the start of the run move {run.model.name!r} by {found['net motion'][0]:.4g} m, and the run by "
            f"{own:.4g} m: something switched in it, or steps are too long; give a shorter step"
        )
