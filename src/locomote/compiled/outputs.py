"""What rollouts give beside states: channels at the times that were kept, and integrals.

Channels are formulas of the state (`gradients.channels`), compiled, and looked at where states were kept; integrals go along
with the steps, by the weights of their stages.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from locomote.compiled.kernel import RowKernel, code_of
from locomote.compiled.library import kept, key_of
from locomote.compiled.program import Program
from locomote.compiled.step_loop import StepLoop, acting, places
from locomote.compiled.vectors import Lanes
from locomote.compiler.lanes import WIDTH
from locomote.later import later
from locomote.locomotion.problem import Locomotion
from locomote.symbolic.plain import boxed
from locomote.symbolic.trace import Trace


@dataclass(frozen=True)
class Outputs:
    """What was asked for: channels by their names, and those that are integrated."""

    channels: dict[str, Any]
    integrals: dict[str, Any]

    @staticmethod
    def of(problem: Locomotion, asked: Sequence[Any] | None, contacts: bool) -> "Outputs":
        """asked : names of channels, functions (t, q, v) -> number, lo.integral(...) of either"""
        if isinstance(asked, str) or callable(asked):
            asked = [asked]
        if asked is not None and not isinstance(asked, Sequence):
            raise TypeError(
                f"outputs are a list of names, functions (t, q, v) -> number and lo.integral(...), not {asked!r:.60}"
            )
        channel_of, channels, integrals = later("gradients.channels", "channel_of"), {}, {}
        what: Any
        for what in asked or ():
            whole = what if getattr(what, "kind", "") == "integral" else None
            if whole is None and not isinstance(what, str) and not callable(what):
                raise TypeError(
                    f"outputs are names of channels, functions (t, q, v) -> number, lo.integral(...), not {what!r:.60}"
                )
            channel = channel_of(problem, what if whole is None else whole.what)
            if contacts and (channel.forces or whole is not None):
                kind = "integrals" if whole is not None else "accelerations and torques"
                raise ValueError(
                    f"{channel.name!r}: over contacts {kind} are not outputs of rollouts, since they jump within steps; "
                    f"`contact_forces` of the result are there, and `simulate` gives the rest"
                )
            (channels if whole is None else integrals)[channel.name if whole is None else whole.text] = channel
        return Outputs(channels, integrals)

    @property
    def instant(self) -> Callable | None:
        """What channels are made of."""
        return later("gradients.channels", "Instant") if self.channels or self.integrals else None


@dataclass(frozen=True)
class Look:
    """Channels at states, as one compiled formula of q, v, t, controls, signals, and numbers of each run."""

    loop: StepLoop
    channels: dict[str, Any]

    @cached_property
    def kernel(self) -> RowKernel:
        """The formula."""
        loop, lanes = self.loop, Lanes(WIDTH)
        same = loop.equations if loop.entries is None else loop.entries.without(loop.equations)
        said = loop.controls.given, loop.controls.timed, [channel.key for channel in self.channels.values()]
        key = key_of(lanes, "look", same.digest, repr(said), "" if loop.entries is None else loop.entries.key)
        code, _ = kept(key, lambda: code_of(self.program(), ((len(self.channels),),), lanes))
        if not code.binary:
            raise ValueError(f"outputs of {loop.problem.name!r} take more operations than make sense as one formula")
        return RowKernel(lanes, code)

    def program(self) -> Program:
        """Channels on numbers that record what is done with them."""
        loop, trace, plan = self.loop, Trace(), self.loop.controls
        model, entries = loop.problem.model, loop.entries
        sizes = [model.nq, model.nv, 1, len(plan.given), len(plan.timed)]
        q, v, (t,), given, signals = (boxed(trace.input(n)) for n in sizes)
        equations = loop.equations
        if entries is not None:
            sizes.append(entries.values.shape[1])
            equations = entries.put(equations, trace.input(sizes[-1], entries.nonzero))
        a = state = None
        if any(channel.forces for channel in self.channels.values()):
            accelerations, forces = acting(equations, plan, given, signals, 1)
            state = equations.state(q, v, accelerations[0], forces[0], t)
            a = state.acceleration()
        now = loop.instant(loop.problem, equations, t, q, v, a, state)  # type: ignore[misc]
        found = places(trace, [channel.of(now) for channel in self.channels.values()])
        return Program(trace, tuple(sizes), (found,))

    def at(self, t: np.ndarray, q: np.ndarray, v: np.ndarray, given: np.ndarray, signals: np.ndarray, own: np.ndarray | None):
        """name -> (N, K), of states (N, K, ...) at times (K,); given, signals : (N, K, columns), own : (N, columns)"""
        N, K = q.shape[:2]
        rows = [x.reshape(N * K, -1) for x in (q, v, np.broadcast_to(t[:, None], (N, K, 1)), given, signals)]
        if own is not None:
            rows.append(np.repeat(own, K, axis=0))
        (found,) = self.kernel.run(rows)
        return {name: found[:, n].reshape(N, K) for n, name in enumerate(self.channels)}
