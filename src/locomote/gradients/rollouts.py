"""Slopes of rollouts: steps of fixed length, forwards once and backwards once, in compiled loops.

States are kept for the way back. Where they would take more memory than allowed, only those at the starts of chunks are kept,
and the steps of a chunk are taken once more before it is gone through backwards:

    memory   8 N T n  bytes  for N runs, T steps, n numbers kept a step     or   8 N (L + T/L) n  with chunks of L >= sqrt(T)
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from locomote.compiled.scan import LIMIT, Scan, in_lanes, in_rows
from locomote.gradients.programs import Step

LONGEST = 4096  # steps of one call, so that Ctrl-C is heard


class TooLong(ValueError):
    """A step with too many operations."""


@dataclass
class Rolled:
    """Runs of a step: starts (N, q and v), controls (N, steps, columns), shared (steps, columns)."""

    step: Step
    starts: np.ndarray
    controls: np.ndarray
    shared: np.ndarray
    threads: int
    memory: float

    def __post_init__(self):
        self.count, self.steps, self.beyond = len(self.starts), len(self.shared), {}
        kept = self.starts.shape[1] + self.controls.shape[2]
        self.bytes = 8.0 * self.count * self.steps * kept
        self.checkpoints = self.bytes > self.memory
        allowed = int(0.5 * self.memory / (8.0 * self.count * max(kept, 1)))  # half of it for a chunk, half for their starts
        length = min(LONGEST, max(int(np.ceil(np.sqrt(self.steps))), allowed) if self.checkpoints else self.steps)
        self.chunks = [(n, min(n + length, self.steps)) for n in range(0, self.steps, length)]
        if self.checkpoints:
            self.bytes = 8.0 * self.count * (length * kept + len(self.chunks) * self.starts.shape[1])

    @cached_property
    def forward(self) -> Scan:
        return self.scan("forwards", self.step.forwards)

    def scan(self, kind: str, program, limit: int = LIMIT) -> Scan:
        """The compiled loop over a program; TooLong if its step has too many operations."""
        scan = self.step.scan(kind, program, limit)
        if scan is None:
            raise TooLong(
                f"a step of {self.step.equations.problem.name!r} takes more operations than make sense as one formula; "
                f"slopes by 'q' and 'v' go along a run: give method='adaptive' or 'gauss'"
            )
        return scan

    def go(self, times: list[int]) -> dict[int, np.ndarray]:
        """States (N, numbers) after so many steps each; 0 is the start."""
        model, wanted, found = self.step.model, sorted({*times, self.steps}), {}
        first = np.hstack([self.starts, np.zeros((self.count, len(self.step.integrands))), self.entries])
        lanes, two = self.forward.lanes, model.nq + model.nv
        carry = in_lanes(first, lanes)
        self.kept, self.carries, self.beyond = [], [], {}
        buffer = None
        for begin, end in self.chunks:
            self.carries.append(carry.copy())
            if buffer is None or not self.checkpoints:
                longest = self.chunks[0][1] if self.checkpoints else end - begin
                buffer = np.empty((len(carry), longest, two + self.controls.shape[2], lanes.width))
            rows = buffer[:, : end - begin]
            self._forward_chunk(carry, begin, end, rows)
            self.kept.append(rows)
            self.look(rows[:, :, : model.nq])
            for n in wanted:
                if begin <= n < end:
                    found[n] = in_rows(rows[:, n - begin, :two], self.count)
        found[self.steps] = in_rows(carry, self.count)[:, : self.step.size]
        self.look(carry[:, None, : model.nq])
        return found

    def look(self, q: np.ndarray) -> None:
        """How far joints are beyond limits, which steps do not feel, at most."""
        plan = self.step.equations.plan
        for k, (sign, end, _) in zip(plan.stops, plan.stop_laws, strict=True):
            over = float((sign * (end - q[:, :, plan.q_of_v[k]])).max())
            self.beyond[int(k)] = max(over, self.beyond.get(int(k), 0.0))

    @property
    def entries(self) -> np.ndarray:
        """(N, entries) numbers of the plan that are inputs."""
        values = self.step.entries.of(self.step.equations.plan)
        return np.broadcast_to(values, (self.count, len(values)))

    def _forward_chunk(self, carry: np.ndarray, begin: int, end: int, rows: np.ndarray) -> None:
        """Steps of a chunk, whose states and controls are kept."""
        controls = in_lanes(self.controls[:, begin:end], self.forward.lanes)
        self.forward.run(carry, controls, self.shared[begin:end], rows, self.threads)

    def back(self, seeds: dict[int, np.ndarray], signals: bool) -> tuple[np.ndarray, np.ndarray]:
        """Slopes of a goal by starts with integrals and entries of the plan (N, numbers), and by controls and, if asked for,
        what is shared, (N, steps, columns).

        seeds : slopes (N, numbers) of the goal by states after so many steps, and by entries
        """
        scan = self.scan(f"backwards {signals}", lambda: self.step.backwards(signals))
        lanes = scan.lanes
        columns = self.controls.shape[2] + (self.shared.shape[1] if signals else 0)
        by_inputs = np.empty((self.count, self.steps, columns))
        bars = in_lanes(np.hstack([seeds[self.steps], self.entries]), lanes)
        for place in reversed(range(len(self.chunks))):
            begin, end = self.chunks[place]
            rows = self.kept[place]
            if self.checkpoints and place < len(self.chunks) - 1:
                self._forward_chunk(self.carries[place].copy(), begin, end, rows)
            slopes = np.empty((len(bars), end - begin, columns, lanes.width))
            stops = [n for n in sorted(seeds, reverse=True) if begin <= n < end]
            last = end
            for n in [*stops, *([begin] if begin not in stops else [])]:
                part = slice(n - begin, last - begin)
                scan.run(bars, rows[:, part], self.shared[n:last], slopes[:, part], self.threads)
                if n in seeds:
                    padded = np.zeros((self.count, bars.shape[1]))
                    padded[:, : seeds[n].shape[1]] = seeds[n]
                    bars += in_lanes(padded, lanes)
                last = n
            by_inputs[:, begin:end] = in_rows(slopes, self.count)
        return in_rows(bars, self.count)[:, : self.step.size + self.entries.shape[1]], by_inputs
