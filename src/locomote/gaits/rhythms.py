"""What a network of oscillators does over time, as drives of joints, as a gait of legs, or with the body fed back to it.

Without feedback its motion is known before a run: drives are splines of order five through it, which files, resumed runs,
rollouts, gradients and symbols take as any other. With feedback it is a controller with a clock, with its state in the run:

    s = sum over joints of F_ij q_j ,   tau_j = moment_j u_j + stiffness (u_j - q_j) + damping (u_j' - v_j)       (1)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from locomote.actuation.controllers import Sampled
from locomote.brief import brief
from locomote.control.gaits import Gait as LegGait
from locomote.drives.drive import Drive
from locomote.drives.kinds.spline import Spline
from locomote.errors import LocomoteError
from locomote.forces.numbers import a_number
from locomote.gaits.oscillators import Feeding, Hopf, Kuramoto, Network, spread
from locomote.locomotion.inputs import slots_of
from locomote.model.model import Model
from locomote.spatial.numbers import as_numbers, integer

PER_TURN = 40  # samples of a spline in the shortest period of a network
MOST = 200_000  # samples of a rhythm
CALLS, OFTEN = 10**8, 2000  # of the flow, that a rhythm may take, foreseen from how far so many have led
BEYOND = 8  # samples of drives before and after a rhythm
SETTLED = 1e-3  # rad in a period, below which phases count as locked


@brief
@dataclass(frozen=True, eq=False)
class Rhythm:
    """The motion of a network.

    t : (N,) s ; states : (N, m) ; outputs : (N, n)
    """

    network: Network
    t: np.ndarray
    states: np.ndarray
    outputs: np.ndarray

    @property
    def phases(self) -> np.ndarray:
        """(N, n) rad, unwrapped; of a Matsuoka network from outputs and their rates."""
        if isinstance(self.network, Kuramoto):
            return self.states
        if isinstance(self.network, Hopf):
            n = self.network.size
            return np.unwrap(np.arctan2(self.states[:, n:], self.states[:, :n]), axis=0)
        x = self.outputs - self.outputs[len(self.t) // 2 :].mean(axis=0)
        rate = np.gradient(x, self.t, axis=0)
        sizes = abs(x).max(axis=0), abs(rate).max(axis=0)
        return np.unwrap(np.arctan2(-rate / np.maximum(sizes[1], 1e-300), x / np.maximum(sizes[0], 1e-300)), axis=0)

    @property
    def rates(self) -> np.ndarray:
        """(n,) rad/s, mean over the second half."""
        half, phases = len(self.t) // 2, self.phases
        return (phases[-1] - phases[half]) / (self.t[-1] - self.t[half])

    @property
    def locked(self) -> bool:
        """Whether all go at one rate at the end."""
        return bool(np.ptp(self.rates) * 2 * np.pi < SETTLED * max(abs(self.rates).max(), 1e-300))

    def drives(self, joints: Mapping[Any, int]) -> dict[Any, Drive]:
        """Drives of joints, as `drives` of a problem; joints : name -> which output it follows, from 0.

        They end a little after the rhythm: a run beyond it is refused with its time.
        """
        check_joints(self.network, joints)
        h, parts = self.t[1] - self.t[0], [(self.t, self.outputs)]
        for first, sign in ((0, -1.0), (-1, 1.0)):  # some more samples, so that ends of splines lie outside
            state, found = self.states[first], []
            with np.errstate(all="ignore"):
                for _ in range(BEYOND):
                    state = self.network.stepped(state, np.zeros(self.network.size), sign * h)
                    found.append(self.network.outputs(state))
            if np.isfinite(found).all() and np.ptp(found) < 10.0 * np.ptp(self.outputs):  # it may come from far away
                parts.append((self.t[first] + sign * h * np.arange(1, BEYOND + 1), np.array(found)))
        t, u = (np.concatenate(part) for part in zip(*parts, strict=True))
        order = np.argsort(t)
        return {name: Spline(t[order], u[order, k], order=5, outside="error") for name, k in joints.items()}

    def legs(self, duty: float, name: str = "rhythm") -> LegGait:
        """The gait of legs that locked oscillators keep, one a leg, touch-down at phase 0."""
        if not self.locked:
            raise LocomoteError(
                f"the oscillators are not locked after {self.t[-1]:g} s: they go at "
                f"{', '.join(f'{x:.4g}' for x in self.rates)} rad/s; couple them harder, or let them run for longer"
            )
        rate, last = float(self.rates.mean()), self.phases[-1]
        touch = (last[0] - last) / (2 * np.pi) * np.sign(rate)
        return LegGait(name, 2 * np.pi / abs(rate), duty, tuple(float(np.round(x % 1.0, 6) % 1.0) for x in touch))


def rhythm(network: Network, duration: float, *, fed: Feeding | None = None, samples: int | None = None) -> Rhythm:
    """The motion of a network from its start, to 1e-10; fed : a function of t that gives what is fed in, (n,) or one."""
    from scipy.integrate import solve_ivp

    if not isinstance(network, Network):
        raise TypeError(f"network is {network!r:.60}, expected lo.gaits.Kuramoto, Hopf or Matsuoka")
    if not (isinstance(duration, int | float | np.number) and 0.0 < duration < np.inf):
        raise ValueError(f"duration is {duration!r:.40}, expected a positive time, s")
    samples = None if samples is None else integer(samples, "samples", 2, MOST)
    n, nothing, calls = network.size, np.zeros(network.size), count()

    def flow(t, x):
        if (called := next(calls)) >= OFTEN and called % OFTEN == 0 and not called * (duration / CALLS) <= t:
            raise LocomoteError(f"the network moves too fast for {duration:g} s: after {called} steps it is at {t:.3g} s")
        return network.flow(x, nothing if fed is None else spread("what is fed in", fed(t), (n,), network))

    found = solve_ivp(flow, (0.0, duration), network.state, method="DOP853", rtol=1e-10, atol=1e-12, dense_output=True)
    if not found.success or not np.isfinite(found.y[:, -1]).all():
        raise LocomoteError(f"the motion of the network ends at {found.t[-1]:g} s: {found.message}; look at its numbers")
    wanted = samples or int(np.clip(np.ceil(PER_TURN * duration * fastest(network) / (2 * np.pi)), 200, MOST)) + 1
    t = np.linspace(0.0, duration, wanted)
    states = found.sol(t).T
    return Rhythm(network, t, states, network.outputs(states))


def fastest(network: Any) -> float:
    """rad/s, about the fastest that a network moves at."""
    if isinstance(network, Kuramoto | Hopf):
        return float((abs(network.rate) + abs(network.coupling).sum(axis=1)).max())
    return 2.0 / min(network.rise, network.adaptation)


def entrained(
    network: Network, model: Model, joints: Mapping[Any, int], *, feedback: Any = 0.0, stiffness: float = 0.0,
    damping: float = 0.0, moment: float = 0.0, every: float = 1e-3, substeps: int = 1,
) -> Sampled:  # fmt: skip
    """A controller (1) that moves joints by a network, and feeds their angles back to it: `torques` of a problem.

    joints : name -> which output it follows, from 0 ; feedback : 1/s (Kuramoto) or as of the network, of q_j to its
        oscillator, one number, or (n, joints) of each to each
    stiffness, damping : N m/rad, N m s/rad ; moment : N m for an output of 1 ; every : s, of the clock
    substeps : of order four, of the network between two ticks

    Its state is that of the network: runs keep it in checkpoints and go on from there. Rollouts cannot call it, and say so.
    """
    check_joints(network, joints)
    slots = [slots_of(model, name) for name in joints]
    if wide := [name for name, own in zip(joints, slots, strict=True) if len(own) != 1]:
        raise ValueError(f"joint {wide[0]!r} has {len(slots_of(model, wide[0]))} coordinates; oscillators move joints with one")
    v_at = np.array([own[0] for own in slots])
    q_at = np.array([model.joint(name).q.start for name in joints])
    out = np.array(list(joints.values()))
    F = as_numbers(feedback, "feedback", "(n, joints)")
    if not F.ndim:
        F = float(F) * (np.arange(network.size)[:, None] == out[None, :])
    if F.shape != (network.size, len(out)) or not np.isfinite(F).all():
        raise ValueError(f"feedback has shape {F.shape}, expected a finite number, or {(network.size, len(out))}")
    for label, value in (("stiffness", stiffness), ("damping", damping), ("moment", moment)):
        a_number(label, value)
    substeps = integer(substeps, "substeps", 1)

    def tick(t, q, v, state):
        fed = F @ q[q_at]
        u, du = network.outputs(state)[out], network.speeds(state, fed)[out]
        tau = np.zeros(model.nv)
        tau[v_at] = moment * u + stiffness * (u - q[q_at]) + damping * (du - v[v_at])  # (1)
        for _ in range(substeps):
            state = network.stepped(state, fed, every / substeps)
        return tau, state

    return Sampled(tick, every=every, state=network.state, name=f"{type(network).__name__} network")


def legs(gait: LegGait, *, coupling: float = 4.0, amplitude: float = 1.0, start: Any = 0.0) -> Kuramoto:
    """Oscillators, one a leg, that lock to a gait of legs (`lo.control.gait`) from almost any start: all to all."""
    n = len(gait.phases)
    return Kuramoto(
        np.full(n, 2 * np.pi / gait.period), coupling / n, lags=-2 * np.pi * np.array(gait.phases), amplitudes=amplitude,
        start=start,
    )  # fmt: skip


def check_joints(network: Network, joints: Mapping[Any, int]) -> None:
    """A sentence unless joints follow outputs that there are."""
    if not isinstance(joints, Mapping) or not joints:
        raise TypeError(f"joints is {joints!r:.60}, expected {{joint: which output it follows}}")
    for name, k in joints.items():
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 0 <= k < network.size:
            raise ValueError(f"joint {name!r} follows output {k!r:.40}; the network has outputs 0 to {network.size - 1}")
