"""Channels at instants of a run: their values, and slopes along departures of the state and by torques on top.

Channels of the state are formulas; of forces, those that are linear in accelerations a and torques tau:

    a_k ,  tau_k ,  sum over own coordinates of tau_k v_k                                                          (1)

and functions of channels of both kinds, by their own slopes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from locomote.evaluation.plan import SOURCES
from locomote.gradients.channels import Channel, Instant
from locomote.locomotion.carried import tangents
from locomote.locomotion.problem import Locomotion
from locomote.runs.channels import columns_of_v
from locomote.symbolic.adjoint import adjoint
from locomote.symbolic.plain import boxed
from locomote.symbolic.trace import Trace, evaluate

State = tuple[float, np.ndarray, np.ndarray]  # t, q, v


class Read(NamedTuple):
    """Of n instants and m channels: values (n, m), slopes by departures (n, m, 2 nv), torques (n, m, nv) and time (n, m)."""

    values: np.ndarray
    by_state: np.ndarray
    by_push: np.ndarray
    by_time: np.ndarray


@dataclass(frozen=True)
class Readings:
    """Channels of a problem."""

    problem: Locomotion
    channels: tuple[Channel, ...]

    @property
    def needed(self) -> bool:
        """Whether any of them asks for forces."""
        return any(channel.forces for channel in self.channels)

    def weights(self, channel: Channel) -> tuple[str, np.ndarray, bool]:
        """(1): of "a" or "tau", with which weights (nv,), times v or not."""
        model = self.problem.model
        for what in ("a", "tau"):
            names = [name for name, _ in columns_of_v(model, what)]
            if channel.name in names:
                return what, np.eye(model.nv)[names.index(channel.name)], False
        own = self.problem.imposed if channel.name == f"power.{SOURCES[0]}" else ~self.problem.imposed
        return "tau", own.astype(float), True

    def values(self, states: Sequence[State], forces: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        """(n, m); forces : (a, tau) of each instant, which channels without forces do not need"""
        found = np.zeros((len(states), len(self.channels)))
        for m, channel in enumerate(self.channels):
            if channel.mix is not None:
                parts = Readings(self.problem, channel.parts).values(states, forces)
                found[:, m] = self.mixed(channel, parts)[:, 0]
                continue
            if not channel.forces:
                found[:, m] = self.formula(channel, states, slopes=False)[:, 0]
                continue
            what, weights, moving = self.weights(channel)
            for n, ((_, _, v), (a, tau)) in enumerate(zip(states, forces, strict=True)):
                found[n, m] = (weights * v if moving else weights) @ (a if what == "a" else tau)
        return found

    def read(self, states: Sequence[State], changes: Sequence[Any]) -> Read:
        """Values and slopes; changes : `problem.derivatives` of each instant, if any channel asks for forces. What a drive
        moves changes forces by its drive only, not by a departure"""
        free = np.tile(~self.problem.imposed, 2)
        nv, shape = self.problem.model.nv, (len(states), len(self.channels))
        result = Read(np.zeros(shape), np.zeros((*shape, 2 * nv)), np.zeros((*shape, nv)), np.zeros(shape))
        for m, channel in enumerate(self.channels):
            if channel.mix is not None:
                parts = Readings(self.problem, channel.parts).read(states, changes)
                value, *rates = self.mixed(channel, parts.values).T
                result.values[:, m] = value
                for k, rate in enumerate(rates):
                    for target, own in zip(result[1:], parts[1:], strict=True):
                        target[:, m] += rate.reshape(-1, *[1] * (own.ndim - 2)) * own[:, k]
                continue
            if not channel.forces:
                found, nq = self.formula(channel, states, slopes=True), self.problem.model.nq
                result.values[:, m], result.by_time[:, m] = found[:, 0], found[:, 1]
                result.by_state[:, m, nv:] = found[:, 2 + nq :]
                for n, (_, q, _) in enumerate(states):
                    if found[n, 2 : 2 + nq].any():
                        result.by_state[n, m, :nv] = tangents(self.problem.model, q).T @ found[n, 2 : 2 + nq]
                continue
            what, own, moving = self.weights(channel)
            for n, ((_, _, v), change) in enumerate(zip(states, changes, strict=True)):
                slopes, value = (change.a, change.value[0]) if what == "a" else (change.tau, change.value[1])
                weights = own * v if moving else own
                result.values[n, m], result.by_time[n, m] = weights @ value, weights @ slopes.t
                result.by_state[n, m] = np.concatenate([weights @ slopes.q, weights @ slopes.v]) * free
                result.by_state[n, m, nv:] += own * value if moving else 0.0
                result.by_push[n, m] = weights @ slopes.tau
        return result

    def mixed(self, channel: Channel, parts: np.ndarray) -> np.ndarray:
        """(n, 1 + parts) a function of channels, and its slopes by these, from their values (n, parts)."""
        trace = Trace()
        x = trace.input(parts.shape[1])
        value = channel.mix(*x)  # type: ignore[misc]
        rates = adjoint(trace, {trace.place(value): 1.0}, [k.place for k in x])
        return evaluate(trace, [trace.place(k) for k in (value, *rates)], parts.T)

    def formula(self, channel: Channel, states: Sequence[State], slopes: bool) -> np.ndarray:
        """(n, 1), or (n, 2 + nq + nv) with slopes by t, q and v: a channel without forces."""
        trace, model = Trace(), self.problem.model
        (t,), q, v = trace.input(1), boxed(trace.input(model.nq)), boxed(trace.input(model.nv))
        value = channel.of(Instant(self.problem, None, t, q, v))
        rates = adjoint(trace, {trace.place(value): 1.0}, [x.place for x in (t, *q, *v)]) if slopes else []
        inputs = np.array([np.concatenate([[time], x, u]) for time, x, u in states]).reshape(len(states), -1).T
        return evaluate(trace, [trace.place(x) for x in (value, *rates)], inputs)
