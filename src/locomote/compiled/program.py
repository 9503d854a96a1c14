"""A program: a trace with its inputs and results, cut into pieces whose values pass through a scratch array."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from locomote.model.model import Model
from locomote.symbolic.record import recorded
from locomote.symbolic.trace import CONSTANT, EQUAL, INPUT, LESS, LESS_EQUAL, NOT_EQUAL, Trace, operands

COMPARISONS = (LESS, LESS_EQUAL, EQUAL, NOT_EQUAL)


@dataclass(frozen=True)
class Program:
    """A trace with its inputs and results as matrices, by their numbers of columns."""

    trace: Trace
    inputs: tuple[int, ...]
    results: tuple[tuple[int, ...], ...]  # places, one matrix after the other

    @property
    def all_results(self) -> list[int]:
        """Places of all results."""
        return [k for group in self.results for k in group]

    @property
    def operations(self) -> int:
        """How many operations there are."""
        nodes = self.trace.nodes
        return sum(nodes[k][0] not in (INPUT, CONSTANT) for k in self.trace.needed(self.all_results))


def traced(model: Model, name: str, options: dict) -> tuple[Program, tuple[tuple[int, ...], ...]]:
    """A function of a model as a program, and the shapes of its results."""
    record = recorded(model, name, **options)
    places = tuple(tuple(int(k) for k in result.ravel()) for result in record.results.values())
    columns = tuple(math.prod(shape) for shape in record.inputs.values())
    return Program(record.trace, columns, places), tuple(result.shape for result in record.results.values())


class Slots:
    """Places in the scratch array, given back after use."""

    def __init__(self, first: int):
        self.count, self.free = first, []

    def take(self) -> int:
        if self.free:
            return self.free.pop()
        self.count += 1
        return self.count - 1


def cut(program: Program, order: Sequence[int], slot: dict[int, int], slots: Slots, size: int) -> list[list[int]]:
    """Pieces of limited size, and places (added to `slot`) for what leaves its piece: results, and what a later one
    uses. What has a place already is no operation of a piece, nor is a constant; a comparison is done where it is used."""
    trace, lasting = program.trace, set(program.all_results)
    steps = [k for k in order if k not in slot and trace.nodes[k][0] not in (CONSTANT, *COMPARISONS)]
    pieces = [steps[k : k + size] for k in range(0, len(steps), size)]
    last: dict[int, int] = {}
    for n, piece in enumerate(pieces):
        for k in piece:
            last.update(dict.fromkeys(used(trace, k), n))
    dying: dict[int, list[int]] = {}
    for n, piece in enumerate(pieces):
        for k in piece:
            if k in lasting or last.get(k, n) > n:
                slot[k] = slots.take()
                if k not in lasting:
                    dying.setdefault(last[k], []).append(slot[k])
        slots.free.extend(dying.pop(n, ()))
    return pieces


def used(trace: Trace, k: int) -> list[int]:
    """Values that a step uses, with those of its comparison."""
    places = []
    for a in operands(trace.nodes[k]):
        places += used(trace, a) if trace.nodes[a][0] in COMPARISONS else [a]
    return places
