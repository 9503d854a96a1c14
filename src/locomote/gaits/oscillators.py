"""Networks of oscillators: rhythms that lock to each other, and to what is fed back to them.

    Kuramoto   phi_i' = w_i + sum_j K_ij sin(phi_j - phi_i - b_ij) - s_i sin(phi_i) ,      u_i = c_i + a_i cos(phi_i)      (1)
    Hopf       z_i' = (g (a_i^2 - |z_i|^2) + i w_i) z_i + sum_j K_ij exp(-i b_ij) z_j + s_i ,   u_i = c_i + Re z_i           (2)
    Matsuoka   T x_i' = -x_i - beta v_i - sum_j W_ij y_j + d_i + s_i ,   y = max(0, x) ,   T_a v_i' = y_i - v_i              (3)

s is what is fed back. Two phases that pull each other lock if |w_1 - w_2| <= K_12 + K_21, an oscillator of (1) and a forcing
f cos(W t) if |W - w| <= f/2 (Adler 1946, in the mean over a period). `waves` says lags of travelling waves, `legs` of gaits.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.forces.numbers import a_number
from locomote.spatial.numbers import as_numbers, integer

MOST, FARTHEST = 10_000, 1e9  # oscillators in a row, and wave lengths along it: phases beyond have too few digits
Feeding = Callable[[float], Any]  # t -> (n,) what is fed back


@brief
@dataclass(frozen=True, eq=False)
class Network(ABC):
    """What all networks have: a state, its rate, and outputs."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many oscillators."""

    @property
    @abstractmethod
    def state(self) -> np.ndarray:
        """(m,) where it starts."""

    @abstractmethod
    def flow(self, state: np.ndarray, fed: np.ndarray) -> np.ndarray:
        """(m,) rate of a state; fed : (n,) what is fed back."""

    @abstractmethod
    def outputs(self, state: np.ndarray) -> np.ndarray:
        """(..., n) outputs of states (..., m)."""

    @abstractmethod
    def speeds(self, state: np.ndarray, fed: np.ndarray) -> np.ndarray:
        """(n,) rates of outputs."""

    def stepped(self, state: np.ndarray, fed: np.ndarray, step: float) -> np.ndarray:
        """The state after a step (s) of the classical rule of order four, what is fed back held."""
        one = self.flow(state, fed)
        two = self.flow(state + 0.5 * step * one, fed)
        three = self.flow(state + 0.5 * step * two, fed)
        return state + step / 6.0 * (one + 2.0 * two + 2.0 * three + self.flow(state + step * three, fed))


@brief
@dataclass(frozen=True, eq=False)
class Kuramoto(Network):
    """Phases that pull each other (1).

    rate : (n,) rad/s, of each without the others ; coupling : (n, n) 1/s, how hard j pulls i, or one number for all
    lags : (n, n) rad, of j before i when they are locked, or (n,) phases that the whole shall have; zero if None
    amplitudes, offsets : (n,) of the outputs, rad or m ; start : (n,) phases at t = 0
    """

    rate: Any
    coupling: Any = 0.0
    lags: Any = field(default=None, kw_only=True)
    amplitudes: Any = field(default=1.0, kw_only=True)
    offsets: Any = field(default=0.0, kw_only=True)
    start: Any = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        settle(self, "rate", {"amplitudes": 1, "offsets": 1, "start": 1, "coupling": 2, "lags": 2})

    @property
    def size(self) -> int:
        return len(self.rate)

    @property
    def state(self) -> np.ndarray:
        """(m,) where it starts."""
        return self.start

    def flow(self, state, fed):
        apart = state[None, :] - state[:, None] - self.lags
        return self.rate + (self.coupling * np.sin(apart)).sum(axis=1) - fed * np.sin(state)  # (1)

    def outputs(self, state):
        return self.offsets + self.amplitudes * np.cos(state)

    def speeds(self, state, fed):
        return -self.amplitudes * np.sin(state) * self.flow(state, fed)


@brief
@dataclass(frozen=True, eq=False)
class Hopf(Network):
    """Limit cycles that pull each other (2); as Kuramoto, with amplitudes that grow and fade.

    rate : (n,) rad/s ; coupling, lags, offsets : as of Kuramoto ; amplitudes : (n,) of each alone
    gain : 1/s over the square of an amplitude, how fast amplitudes settle ; start : (n,) complex, or real, at t = 0
    """

    rate: Any
    coupling: Any = 0.0
    lags: Any = field(default=None, kw_only=True)
    amplitudes: Any = field(default=1.0, kw_only=True)
    offsets: Any = field(default=0.0, kw_only=True)
    gain: float = field(default=1.0, kw_only=True)
    start: Any = field(default=0.1, kw_only=True)

    def __post_init__(self) -> None:
        try:
            begin = np.asarray(self.start)
        except ValueError:
            raise ValueError(f"start of a Hopf is {self.start!r:.60}, expected numbers (n,), real or complex") from None
        is_complex = begin.dtype.kind == "c"
        turned = np.imag(begin) if is_complex else 0.0
        object.__setattr__(self, "start", np.real(begin) if is_complex else self.start)
        settle(self, "rate", {"amplitudes": 1, "offsets": 1, "start": 1, "coupling": 2, "lags": 2})
        object.__setattr__(self, "start", self.start + 1j * spread("start", turned, (self.size,), self))
        object.__setattr__(self, "gain", one_above("gain", self.gain, self))

    @property
    def size(self) -> int:
        return len(self.rate)

    @property
    def state(self) -> np.ndarray:
        """(m,) where it starts."""
        return np.concatenate([self.start.real, self.start.imag])

    def _rates(self, state, fed):
        z = state[: self.size] + 1j * state[self.size :]
        pull = (self.coupling * np.exp(-1j * self.lags)) @ z
        return (self.gain * (self.amplitudes**2 - abs(z) ** 2) + 1j * self.rate) * z + pull + fed  # (2)

    def flow(self, state, fed):
        flow = self._rates(state, fed)
        return np.concatenate([flow.real, flow.imag])

    def outputs(self, state):
        return self.offsets + state[..., : self.size]

    def speeds(self, state, fed):
        return self._rates(state, fed).real


@brief
@dataclass(frozen=True, eq=False)
class Matsuoka(Network):
    """Neurons that tire and hold each other back (3); two that do so, antagonists, make a rhythm.

    inhibition : (n, n) W ; drive : (n,) d, tonic ; rise, adaptation : s, T and T_a ; fatigue : beta
    antagonists : pairs (i, j) whose difference is an output, times `amplitudes`; (0, 1), (2, 3), ... if None
    start : (n,) x at t = 0
    """

    inhibition: Any
    drive: Any = 1.0
    rise: float = field(default=0.1, kw_only=True)
    adaptation: float = field(default=0.2, kw_only=True)
    fatigue: float = field(default=2.5, kw_only=True)
    antagonists: Any = field(default=None, kw_only=True)
    amplitudes: Any = field(default=1.0, kw_only=True)
    offsets: Any = field(default=0.0, kw_only=True)
    start: Any = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        put = object.__setattr__
        W = as_numbers(self.inhibition, "inhibition of a Matsuoka", "(n, n)")
        n = len(W) if W.ndim else 0
        if W.shape != (n, n) or n < 2 or not np.isfinite(W).all():
            raise ValueError(f"inhibition of a Matsuoka has shape {W.shape}, expected (n, n), finite, with at least 2 neurons")
        put(self, "inhibition", W)
        put(self, "start", 0.1 * (np.arange(n) % 2 == 0) if self.start is None else self.start)
        for name in ("drive", "start"):
            put(self, name, spread(name, getattr(self, name), (n,), self))
        for name in ("rise", "adaptation", "fatigue"):
            put(self, name, one_above(name, getattr(self, name), self))
        pairs = np.arange(n - n % 2).reshape(-1, 2)
        if self.antagonists is not None:
            as_numbers(self.antagonists, "antagonists of a Matsuoka", "(m, 2)")
            pairs = np.asarray(self.antagonists)
        rows = pairs.size and pairs.ndim == 2 and pairs.shape[1] == 2 and pairs.dtype.kind in "iu"
        if not rows or pairs.min() < 0 or pairs.max() >= n:
            raise ValueError(f"antagonists is {self.antagonists!r:.60}, expected pairs of neurons from 0 to {n - 1}")
        put(self, "antagonists", pairs)
        for name in ("amplitudes", "offsets"):
            put(self, name, spread(name, getattr(self, name), (len(pairs),), self))

    @property
    def size(self) -> int:
        return len(self.antagonists)

    @property
    def state(self) -> np.ndarray:
        """(m,) where it starts."""
        return np.concatenate([self.start, np.zeros(len(self.start))])

    def _rates(self, state, fed):
        x, tired = np.split(state, 2)
        y, felt = np.maximum(x, 0.0), np.zeros(len(x))
        np.add.at(felt, self.antagonists[:, 0], fed)
        np.add.at(felt, self.antagonists[:, 1], -fed)
        return (-x - self.fatigue * tired - self.inhibition @ y + self.drive + felt) / self.rise, (y - tired) / self.adaptation

    def flow(self, state, fed):
        return np.concatenate(self._rates(state, fed))  # (3)

    def outputs(self, state):
        y = np.maximum(state[..., : len(self.start)], 0.0)
        return self.offsets + self.amplitudes * (y[..., self.antagonists[:, 0]] - y[..., self.antagonists[:, 1]])

    def speeds(self, state, fed):
        rate = np.where(state[: len(self.start)] > 0.0, self._rates(state, fed)[0], 0.0)
        return self.amplitudes * (rate[self.antagonists[:, 0]] - rate[self.antagonists[:, 1]])


def settle(network: Any, first: str, sizes: dict[str, int]) -> None:
    """Numbers of a network as arrays: (n,), or (n, n) where 2."""
    put = object.__setattr__
    own = np.atleast_1d(as_numbers(getattr(network, first), f"{first} of a {type(network).__name__}", "(n,)"))
    if own.ndim != 1 or not len(own) or not np.isfinite(own).all():
        raise ValueError(
            f"{first} of a {type(network).__name__} is {getattr(network, first)!r:.60}, expected finite numbers (n,)"
        )
    put(network, first, own)
    n = len(own)
    for name, order in sizes.items():
        given = getattr(network, name)
        if name == "lags":
            lags = as_numbers(0.0 if given is None else given, f"lags of a {type(network).__name__}", "(n, n) or (n,)")
            given = lags[None, :] - lags[:, None] if lags.shape == (n,) else lags
        value = spread(name, given, (n,) * order, network)
        if name == "coupling":
            value = value * (1.0 - np.eye(n))  # none pulls itself
        put(network, name, value)


def spread(name: str, given: Any, shape: tuple[int, ...], network: Any) -> np.ndarray:
    """Numbers of that shape, or one for all."""
    value = as_numbers(given, f"{name} of a {type(network).__name__}", f"{shape}")
    if value.shape not in ((), shape) or not np.isfinite(value).all():
        raise ValueError(
            f"{name} of a {type(network).__name__} has shape {value.shape}, expected finite numbers {shape}, or one for all"
        )
    return np.array(np.broadcast_to(value, shape))


def one_above(name: str, given: Any, network: Any) -> float:
    """A number above zero."""
    if isinstance(given, bool) or not isinstance(given, int | float | np.number) or not 0.0 < given < np.inf:
        raise ValueError(f"{name} of a {type(network).__name__} is {given!r:.40}, expected a number above 0")
    return float(given)


def waves(count: int, along: float = 1.0) -> np.ndarray:
    """(n,) phases, rad, of a wave that travels over a row of oscillators, `along` of its lengths from the first to the last."""
    row = np.arange(integer(count, "count", 1, MOST))
    if abs(a_number("along", along)) > FARTHEST:
        raise ValueError(f"along is {along!r:.40}, expected a number of wave lengths, {FARTHEST:.0e} at most")
    return -2.0 * np.pi * along * row / max(len(row) - 1, 1)


def neighbours(count: int, strength: float, *, ring: bool = False) -> np.ndarray:
    """(n, n) coupling of a row, or of a ring, in which each pulls the next."""
    near = np.eye(integer(count, "count", 1, MOST), k=1) + np.eye(count, k=-1)
    if ring and count > 2:
        near[0, -1] = near[-1, 0] = 1.0
    return a_number("strength", strength) * near
