"""What was measured: channels over time, what acted meanwhile, and where it began."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.errors import UnknownName
from locomote.spatial.numbers import as_numbers


@brief
@dataclass(frozen=True, eq=False)
class Measured:
    """Motion and torques of one run that were measured.

    t : (n,) s, increasing, from the start of the run, which is at 0
    channels : name of a channel, as in `run.channels`, -> (n,) its values in SI units, NaN where there is none
    inputs : name of a joint -> (n,) or (n, coordinates) the torque or force (N m, N) that acts from each time to the next, or
        the acceleration of a joint that is driven (rad/s^2, m/s^2); none before the first time
    q, v : (nq,) and (nv,) where the run starts; where the problem does if not given
    units : name of a channel -> its unit, where it is known, to be compared with that of the problem
    """

    t: Any
    channels: Mapping[str, Any]
    inputs: Mapping[str, Any] = field(default_factory=dict)
    q: Any = None
    v: Any = None
    units: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        t = np.array(as_numbers(self.t, "t of measurements", "(n,)"))
        if t.ndim != 1 or len(t) < 2:
            raise ValueError(f"t of measurements has shape {t.shape}, expected (n,) with two times or more")
        if not np.isfinite(t).all() or (np.diff(t) <= 0).any():
            where = int(np.flatnonzero(~(np.diff(t) > 0))[0]) + 1
            raise ValueError(
                f"t of measurements must be finite and increase, but t[{where}] is {t[where]:g} after {t[where - 1]:g} s"
            )
        if t[0] < 0:
            raise ValueError(f"t of measurements begins at {t[0]:g} s, before the start of the run, which is at 0")
        channels = {name: column(x, name, t, "channel") for name, x in dict(self.channels).items()}
        inputs = {name: column(x, name, t, "input", inner=True) for name, x in dict(self.inputs).items()}
        if not channels:
            raise ValueError("measurements have no channel: give channels={'knee.angle': values}")
        for name, x in inputs.items():
            if not np.isfinite(x).all():
                raise ValueError(
                    f"input {name!r} of measurements has values that are not finite; what acts must be known throughout"
                )
        for key, value in {"t": t, "channels": channels, "inputs": inputs, "units": dict(self.units)}.items():
            object.__setattr__(self, key, value)

    @classmethod
    def of_run(cls, run: Any, channels: Sequence[str], *, inputs: Sequence[str] = ()) -> "Measured":
        """Channels of a run, as if they had been measured; inputs : joints whose torques acted"""
        torques = {name: run.tau[:, run.model.joint(name).v] for name in inputs}
        names = {name: run[name] for name in channels}
        start = {} if run.t[0] != 0.0 else {"q": run.q[0], "v": run.v[0]}
        return cls(run.t, names, torques, units={name: run.unit(name) for name in names}, **start)

    def only(self, *names: str) -> "Measured":
        """The same with some channels, by their names or patterns such as "*.angle"."""
        kept = {key: x for key, x in self.channels.items() if any(fnmatchcase(key, name) for name in names)}
        if not kept:
            raise UnknownName("channel", names[0] if names else "", self.channels, "measurements")
        return replace(self, channels=kept)

    def with_noise(self, noise: Mapping[str, float], *, seed: int = 0) -> "Measured":
        """The same with normal noise, by name or pattern of channels -> its standard deviation, in the channel's unit."""
        rng = np.random.default_rng(seed)
        given = {key: noise_of(key, noise, 0.0) for key in self.channels}
        return replace(self, channels={key: x + rng.normal(scale=given[key], size=x.shape) for key, x in self.channels.items()})

    def __len__(self) -> int:
        return len(self.t)


def noise_of(name: str, given: Mapping[str, float], usual: float) -> float:
    """What is said of a name, by itself or by a pattern."""
    return float(next((x for key, x in given.items() if key == name or fnmatchcase(name, key)), usual))


def column(x: Any, name: str, t: np.ndarray, kind: str, inner: bool = False) -> np.ndarray:
    """Values of a channel or an input: as many as there are times."""
    values = np.array(as_numbers(x, f"{kind} {name!r} of measurements", "(n,)"))
    if values.shape[:1] != t.shape or values.ndim > 1 + inner:
        raise ValueError(
            f"{kind} {name!r} of measurements has shape {values.shape}, expected {len(t)} values, one for each time"
        )
    return values[:, None] if inner and values.ndim == 1 else values


def several(data: Any) -> tuple[Measured, ...]:
    """One or more runs that were measured."""
    runs = (data,) if isinstance(data, Measured) else tuple(data) if isinstance(data, Iterable) else ()
    if not runs or not all(isinstance(x, Measured) for x in runs):
        raise TypeError(f"data is {data!r:.60}, expected a lo.Measured, or several: lo.read_measured reads files")
    return runs
