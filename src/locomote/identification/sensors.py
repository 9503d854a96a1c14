"""Sensors: noise, an offset and a delay between what a problem says and what was measured.

measured(t) = channel(t - delay) + offset + noise
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from numbers import Real

import numpy as np

from locomote.brief import brief
from locomote.errors import UnknownName


@brief
@dataclass(frozen=True)
class Sensor:
    """What is known of a sensor, or of all whose channels fit a pattern.

    noise : standard deviation of its noise, in the unit of the channel; found if None
    offset : in the unit of the channel; found for each channel if True
    delay : s, from 0; found if True, one for all channels of the pattern ; most_delay : s, the largest one that is looked for
    """

    noise: float | None = None
    offset: float | bool = 0.0
    delay: float | bool = 0.0
    most_delay: float = 0.1

    def __post_init__(self) -> None:
        if self.noise is not None and not (isinstance(self.noise, Real) and np.isfinite(self.noise) and self.noise > 0):
            raise ValueError(
                f"noise of a sensor is {self.noise!r:.40}, expected a number above 0, or None if it is to be found"
            )
        if self.offset is not True and not (isinstance(self.offset, Real) and np.isfinite(self.offset)):
            raise ValueError(f"offset of a sensor is {self.offset!r:.40}, expected a number, or True if it is to be found")
        if self.delay is not True and not (isinstance(self.delay, Real) and np.isfinite(self.delay) and self.delay >= 0):
            raise ValueError(f"delay of a sensor is {self.delay!r:.40}, expected s from 0, or True if it is to be found")
        if not (isinstance(self.most_delay, Real) and np.isfinite(self.most_delay) and self.most_delay > 0):
            raise ValueError(f"most_delay of a sensor is {self.most_delay!r:.40}, expected s above 0")


@dataclass(frozen=True)
class Sensors:
    """Sensors of channels (C,): what is known, and the places of what is not among unknowns of their own.

    noises : NaN where it is to be found ; offset_of, delay_of : place of the unknown, -1 for none
    """

    channels: tuple[str, ...]
    noises: np.ndarray
    offsets: np.ndarray
    delays: np.ndarray
    offset_of: np.ndarray
    delay_of: np.ndarray
    most: np.ndarray
    names: tuple[str, ...]

    @classmethod
    def of(cls, channels: Sequence[str], given: Mapping[str, Sensor] | None) -> "Sensors":
        """From sensors by name or pattern; the first that fits counts."""
        sensors, names, delays = dict(given or {}), [], {}
        for key, sensor in sensors.items():
            if not isinstance(sensor, Sensor):
                raise TypeError(f"the sensor of {key!r} is {sensor!r:.60}, expected a lo.Sensor")
            if not any(fnmatchcase(name, key) for name in channels):
                raise UnknownName("channel", key, channels, "measurements")
        found = [next(((key, x) for key, x in sensors.items() if fnmatchcase(name, key)), ("", Sensor())) for name in channels]
        offset_of, delay_of = np.full(len(channels), -1), np.full(len(channels), -1)
        for c, (name, (_, sensor)) in enumerate(zip(channels, found, strict=True)):
            if sensor.offset is True:
                offset_of[c] = len(names)
                names.append(f"offset of {name}")
        for c, (key, sensor) in enumerate(found):
            if sensor.delay is True:
                if key not in delays:
                    delays[key] = len(names)
                    names.append(f"delay of {key}")
                delay_of[c] = delays[key]
        noises = np.array([np.nan if x.noise is None else x.noise for _, x in found])
        known = [[0.0 if y is True else float(y) for y in (x.offset, x.delay)] for _, x in found]
        most = np.array([x.most_delay if x.delay is True else float(x.delay) for _, x in found])
        return cls(tuple(channels), noises, *np.array(known).reshape(-1, 2).T, offset_of, delay_of, most, tuple(names))
