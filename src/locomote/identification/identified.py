"""What `lo.identify` found: values with intervals, what was not seen, sensors, and how well it fits."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locomote.files import whole_file
from locomote.identification.fit import Fit
from locomote.identification.inertial import linear_in
from locomote.identification.measured import Measured
from locomote.identification.seen import Seen
from locomote.locomotion.problem import Locomotion
from locomote.runs.optional import package
from locomote.tables import table

HEAD = ("name", "value", "+-", "unit", "before")
HANGING = 0.3  # correlation from row to row of residuals that is no chance


@dataclass(frozen=True, eq=False, repr=False)
class Identified:
    """Parameters that were found.

    problem : with the values that were found ; values : parameter -> value, as `with_parameters` takes them
    names, units, found, deviations : of each unknown number, its value and standard deviation, infinite if it is not seen alone
    intervals : (K, 2) at the given confidence ; before : values at which the search began
    unseen : names of what the measurements do not show ; together : (combination in words, value, deviation) of what they show
        only together; of bodies all of whose numbers are unknown these are base parameters, as of `lo.base_parameters`
    offsets, delays : channel or pattern -> (value, deviation) of sensors ; noise : channel -> standard deviation of its noise
    starts : q (runs, nq) and v (runs, nv) ; covariance : (K, K) of the numbers, NaN where one is not seen alone
    iterations, simulations : how many ; exact : whether slopes were ; settled, reason : how the search ended
    notes : what is to be looked at, in sentences
    """

    problem: Locomotion
    values: Mapping[str, Any]
    names: Sequence[str]
    units: Sequence[str]
    found: np.ndarray
    deviations: np.ndarray
    intervals: np.ndarray
    before: np.ndarray
    unseen: Sequence[str]
    together: Sequence[tuple[str, float, float]]
    offsets: Mapping[str, tuple[float, float]]
    delays: Mapping[str, tuple[float, float]]
    noise: Mapping[str, float]
    starts: tuple[np.ndarray, np.ndarray] | None
    covariance: np.ndarray
    confidence: float
    iterations: int
    simulations: int
    exact: bool
    settled: bool
    reason: str
    notes: Sequence[str]
    rows: Any = field(repr=False)
    residuals: np.ndarray = field(repr=False)

    def __getitem__(self, name: str) -> tuple[float, float]:
        """Value and standard deviation of a number by its name."""
        k = list(self.names).index(name)
        return float(self.found[k]), float(self.deviations[k])

    def _lines(self) -> list[tuple[str, ...]]:
        half = 0.5 * np.diff(self.intervals, axis=1)[:, 0]
        return [
            (
                name,
                f"{x:.6g}",
                "not seen" if name in self.unseen else "not alone" if np.isinf(h) else f"{h:.2g}",
                unit,
                f"{b:.6g}",
            )
            for name, x, h, unit, b in zip(self.names, self.found, half, self.units, self.before, strict=True)
        ]

    def sentences(self) -> list[str]:
        """What was found, beside the values, in words."""
        slopes = "exact slopes" if self.exact else "slopes by differences"
        how = f"{self.iterations} iterations, {self.simulations} simulations, {slopes}"
        said = [f"{self.problem.name!r} from {len(self.residuals)} numbers of {len(self.noise)} channels: {self.reason}, {how}"]
        said += [f"noise of {name}: {x:.3g}" for name, x in self.noise.items()]
        for word, table_, unit in (("offset", self.offsets, ""), ("delay", self.delays, " s")):
            said += [f"{word} of {name}: {x:.5g} +- {self.quantile * d:.2g}{unit}" for name, (x, d) in table_.items()]
        for text, x, d in self.together:
            word = "seen only together" if " + " in text or " - " in text else "seen"
            said.append(f"{word}: {text} = {x:.6g} +- {self.quantile * d:.2g}")
        if self.unseen:
            said.append(f"not seen at all, and left as they were: {', '.join(self.unseen)}")
        return [*said, *self.notes]

    @property
    def quantile(self) -> float:
        """Standard deviations in half an interval."""
        return quantile(self.confidence, len(self.residuals) - len(self.found))

    def __str__(self) -> str:
        rows = [(HEAD[0], HEAD[1], f"+- ({100 * self.confidence:g} %)", *HEAD[3:]), *self._lines()]
        widths = [max(len(row[c]) for row in rows) for c in range(len(HEAD))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:], "", *self.sentences()])

    def __repr__(self) -> str:
        return f"<Identified {len(self.names)} numbers of {self.problem.name!r}, {self.reason}; print it for a table>"

    def _repr_html_(self) -> str:
        return table(self._lines(), HEAD) + "<br>".join(self.sentences())

    def save(self, path) -> None:
        """Write values, intervals, sentences as JSON; `problem.with_parameters(json.load(file)["values"])` takes them back."""
        content = {
            "problem": self.problem.name,
            "values": {name: np.asarray(x).tolist() for name, x in self.values.items()},
            "numbers": [
                {"name": n, "value": x, "deviation": d if np.isfinite(d) else None, "unit": u, "before": b}
                for n, x, d, u, b in zip(
                    self.names, self.found.tolist(), self.deviations.tolist(), self.units, self.before.tolist(), strict=True
                )
            ],
            "confidence": self.confidence, "noise": dict(self.noise), "offsets": dict(self.offsets),
            "delays": dict(self.delays),
            "unseen": list(self.unseen), "together": list(self.together), "words": self.sentences(),
        }  # fmt: skip
        with whole_file(path) as stream:
            stream.write(json.dumps(content, indent=1).encode())

    def plot(self, *, path=None):
        """A figure with each channel that was measured, what the problem gives, and their difference; path : file to write"""
        package("matplotlib", "plotting", "'locomote[view]'")
        from matplotlib.figure import Figure

        names = list(self.noise)
        figure = Figure(figsize=(10, 2.2 * len(names)), layout="constrained")
        for c, (name, axes) in enumerate(zip(names, figure.subplots(len(names), 2, squeeze=False), strict=True)):
            for e in np.unique(self.rows.experiments):
                own = (self.rows.channels == c) & (self.rows.experiments == e)
                t, y, r = self.rows.times[own], self.rows.values[own], self.residuals[own]
                axes[0].plot(t, y, ".", markersize=2, color="#7f7f7f")
                axes[0].plot(t, y - r, color="#0072b2")
                axes[1].plot(t, r, ".", markersize=2, color="#d55e00")
            axes[0].set(title=name, xlabel="t, s")
            axes[1].set(title="measured - found", xlabel="t, s")
            for side in (-1, 1):
                axes[1].axhline(side * self.noise[name], linewidth=0.8, color="#333333")
        if path is not None:
            figure.savefig(path)
        return figure


def identified(means: Any, found: Fit, data: Sequence[Measured], confidence: float) -> Identified:
    """The result of a search."""
    unknowns, sensors, rows = means.unknowns, means.sensors, means.rows
    P, Z, _ = means.sizes
    values, chain = unknowns.natural(found.x[:P])
    A = found.weighted(rows.channels)
    A = np.hstack([A[:, :P] @ np.linalg.inv(chain), A[:, P:]])
    names = [*unknowns.names, *(f"start {k}" for k in range(Z)), *sensors.names]
    everything = np.concatenate([values, found.x[P:]])
    seen = Seen.of(A, everything, names)
    problem = unknowns.problem_of(values)
    linear, words, slopes, order = linear_in(problem, unknowns.numbers, names, everything)
    base = Seen.of((A @ slopes)[:, order], linear[order], [words[k] for k in order]).base
    together = [one for one in base if one[0] not in names]
    half = quantile(confidence, len(rows) - len(everything)) * seen.deviations
    own = {
        name: (float(x), float(d)) for name, x, d in zip(sensors.names, found.x[P + Z :], seen.deviations[P + Z :], strict=True)
    }
    starts = None
    if Z:
        q, v, *_ = means.starts(found.x[P : P + Z]) if means.exact else moved(means, found.x[P : P + Z])
        starts = q, v
    return Identified(
        problem=problem, values=unknowns.parameters(values), names=unknowns.names, units=unknowns.units,
        found=values, deviations=seen.deviations[:P], intervals=np.column_stack([values - half[:P], values + half[:P]]),
        before=unknowns.values, unseen=[names[k] for k in seen.unseen], together=together,
        offsets={name.removeprefix("offset of "): x for name, x in own.items() if name.startswith("offset")},
        delays={name.removeprefix("delay of "): x for name, x in own.items() if name.startswith("delay")},
        noise=dict(zip(sensors.channels, found.noise.tolist(), strict=True)), starts=starts,
        covariance=seen.covariance[:P, :P], confidence=confidence, iterations=found.iterations,
        simulations=means.passes * len(data), exact=means.exact, settled=found.settled, reason=found.reason,
        notes=notes(found, means), rows=rows, residuals=found.residuals,
    )  # fmt: skip


def moved(means: Any, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Starts that were found by differences."""
    runs = means.experiments
    u, w = runs.split(z)
    return np.array([runs.problem.model.integrate(q, d) for q, d in zip(runs.q, u, strict=True)]), runs.v + w


def quantile(confidence: float, free: int) -> float:
    """Standard deviations in half an interval, of Student's distribution."""
    from scipy.special import stdtrit

    return float(stdtrit(max(free, 1), 0.5 + 0.5 * confidence))


def notes(found: Fit, means: Any) -> list[str]:
    """What is to be looked at."""
    said = [] if found.settled else ["the search did not settle: begin nearer, or take more iterations"]
    rows, sensors = means.rows, means.sensors
    for name in means.unknowns.at_edge(found.x[: means.sizes[0]]):
        said.append(
            f"{name} went to the edge of what bodies have: the rows see too little of it; leave it out, or tie it to others"
        )
    for c, name in enumerate(sensors.channels):
        own = [found.residuals[(rows.channels == c) & (rows.experiments == e)] for e in np.unique(rows.experiments)]
        pairs = np.concatenate([np.zeros(0), *(r[1:] * r[:-1] for r in own)])
        squares = np.concatenate([np.zeros(0), *(r * r for r in own)])
        if len(pairs) < 10 or not squares.any():
            continue
        hang = float(pairs.mean() / squares.mean())
        if hang > max(HANGING, 4.0 / np.sqrt(len(pairs))):
            said.append(
                f"residuals of {name} hang together ({hang:.2f} from row to row): the problem misses something that moves it, "
                f"and intervals are too narrow"
            )
        if not np.isnan(sensors.noises[c]) and (ratio := float(np.sqrt(squares.mean()) / sensors.noises[c])) > 1.5:
            said.append(f"residuals of {name} are {ratio:.2g} times the noise that its sensor is said to have")
    return said
