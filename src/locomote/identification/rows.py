"""Rows of the least squares: one for each number that was measured, and where in a run it is read.

Between steps a channel is the cubic through four of its values, whose weights also give its slope by a delay.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from locomote.identification.measured import Measured
from locomote.identification.sensors import Sensors

STENCIL = 4


@dataclass(frozen=True)
class Rows:
    """Everything that was measured: values (R,), times (R,), numbers of channels (R,) and of experiments (R,)."""

    values: np.ndarray
    times: np.ndarray
    channels: np.ndarray
    experiments: np.ndarray

    @classmethod
    def of(cls, data: Sequence[Measured], sensors: Sensors) -> "Rows":
        """What there is: NaN is nothing, and where a delay is looked for, the first moments are not used."""
        parts: list[tuple] = []
        for e, one in enumerate(data):
            for c, name in enumerate(sensors.channels):
                if name not in one.channels:
                    continue
                keep = np.isfinite(one.channels[name]) & (one.t >= sensors.most[c])
                count = int(keep.sum())
                parts.append((one.channels[name][keep], one.t[keep], np.full(count, c), np.full(count, e)))
        columns = [np.concatenate(x) for x in zip(*parts, strict=True)]
        return cls(columns[0], columns[1], columns[2].astype(int), columns[3].astype(int))

    def __len__(self) -> int:
        return len(self.values)


def weights(times: np.ndarray, step: float, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First of four steps (R,), weights (R, 4) of their values, and slopes (R, 4) of these by time; count : steps there are"""
    place = times / step
    nearest = np.round(place)
    place = np.where(abs(place - nearest) < 1e-9 * np.maximum(1.0, nearest), nearest, place)
    first = np.clip(np.floor(place).astype(int) - 1, 0, count - STENCIL)
    s = (place - first)[:, None]
    own, slopes = np.ones((len(times), STENCIL)), np.zeros((len(times), STENCIL))
    for k in range(STENCIL):
        others = [j for j in range(STENCIL) if j != k]
        scale = float(np.prod([k - j for j in others]))
        own[:, k] = np.prod([s[:, 0] - j for j in others], axis=0) / scale
        for left in others:
            rest = [s[:, 0] - j for j in others if j != left]
            slopes[:, k] += np.prod(rest, axis=0) / scale / step
    return first, own, slopes
