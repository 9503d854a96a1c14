"""Entries from Python into recursions, made from what a recursion takes and gives.

A recursion on one state is a routine of this form, the same for all:

    routine(topology, constants, nq, [held,] [fixed,] inputs, [wrenches,] room, results)            of rigid bodies
    routine(tree, strain, nq, [fixed,] inputs, wrenches, room, results)                             with flexible ones

A result of shape () is what the routine returns. Around it an entry for one state (`one`) checks lengths, has the scratch and
looks at the numbers; entries for many states go over rows in turn (`rows`) or in lanes (`lanes`), and one that only measures
time goes over them without a look (`loop`). Each returns a status: OK, or why the caller should look closer. Their text is
written here and compiled as if it stood in the module of the declaration, where it is found by name.
"""

import linecache
import sys
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import numpy as np

from locomote.compiler.lanes import WIDTH
from locomote.compiler.scratch import scratch_of
from locomote.compiler.scratch_lanes import hold, lane_scratch
from locomote.compiler.scratch_layout import NQ, NV, ROWS, Size, Sizes
from locomote.compiler.source import kernel, routine
from locomote.compiler.views import piece
from locomote.kernels.batch import clear, if_any, pack_rows, unpack_rows
from locomote.kernels.flexible.scratch import named_tree_sizes, tree_sizes
from locomote.model.columns import Q, V
from locomote.model.status import OK, SHAPE, VALUE, input_status, value_status

NAMED = Size("named")  # named bodies
TREES = {False: ("topology", "constants"), True: ("tree", "strain")}


class NamedSizes(NamedTuple):
    """Sizes of a model whose named bodies are asked for."""

    nq: int
    nv: int
    rows: int
    named: int


@routine
def diagonal_status(M):
    """Whether the diagonal of a mass matrix is finite; then the others, which are no larger, are so, too."""
    bad = 0
    for k in range(M.shape[0]):
        bad += not (M[k, k] - M[k, k] == 0.0)
    return VALUE if bad > 0 else OK


@routine
def place_status(poses):
    """Whether the places of poses (n, 4, 4) are finite; their rotations are, if angles are finite and quaternions unit."""
    bad = 0
    for n in range(poses.shape[0]):
        total = poses[n, 0, 3] + poses[n, 1, 3] + poses[n, 2, 3]
        bad += not (total - total == 0.0)
    return VALUE if bad > 0 else OK


NAMES = {
    x.__name__: x
    for x in (
        scratch_of, lane_scratch, hold, piece, Sizes, NamedSizes, tree_sizes, named_tree_sizes, pack_rows, unpack_rows, clear,
        if_any, input_status, value_status, diagonal_status, place_status,
    )
} | {"WIDTH": WIDTH, "Q": Q, "V": V, "OK": OK, "SHAPE": SHAPE}  # fmt: skip


class Output(NamedTuple):
    """A result of a recursion.

    zeros : whether the recursion leaves some numbers as they are, which must be zero
    status : the routine that looks at it, `value_status` of all its numbers if empty; None: nothing, since others tell
    """

    name: str
    shape: tuple[int | Size, ...]
    zeros: bool = False
    status: str | None = ""


@dataclass(frozen=True)
class Recursion:
    """What a routine takes and gives.

    name : of the function that it is for ; room : its scratch, one kind or several
    inputs : names of vectors of one state: q of length nq, others of length nv ; outputs : what it fills
    held : arrays of a model after topology and constants, by name ; fixed : further arguments, the same for all states: name ->
        type of Numba's
    loaded : whether it takes wrenches, on moving bodies or `on_named` ones ; looks : what else to look at, such as "room.tau"
    flexible : whether it is for trees with flexible bodies
    """

    name: str
    routine: Callable
    room: type | tuple[type, ...]
    inputs: tuple[str, ...]
    outputs: tuple[Output, ...]
    held: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    loaded: bool = False
    on_named: bool = False
    looks: tuple[str, ...] = ()
    flexible: bool = False

    @property
    def kinds(self) -> tuple[type, ...]:
        """Kinds of its scratch."""
        return self.room if isinstance(self.room, tuple) else (self.room,)

    @property
    def arguments(self) -> list[str]:
        """Argument types of an entry, without wrenches and results."""
        return [*TREES[self.flexible], *self.held, *self.fixed, *self.inputs]

    def sizes(self) -> str:
        """How an entry learns the sizes of a model."""
        if self.flexible:
            return "n = named_tree_sizes(tree, carrier)" if "carrier" in self.held else "n = tree_sizes(tree)"
        last = "topology.shape[0] - 1"
        own = f"topology[{last}, Q], topology[{last}, V], topology.shape[0]"
        return f"n = NamedSizes({own}, carrier.shape[0])" if "carrier" in self.held else f"n = Sizes({own})"

    def lengths(self, name: Callable[[str], str], axis: int) -> list[str]:
        """The check of lengths."""
        wrong = [f"{name(x)}.shape[{axis}] != n.{'nq' if x == 'q' else 'nv'}" for x in self.inputs]
        wrong += ["imposed.shape[0] != n.nv"] if "imposed" in self.fixed else []
        lines = [f"if {' or '.join(wrong)}:", "    return SHAPE"]
        if self.on_named and axis == 0:
            fits = "wrenches.shape[0] == n.named and wrenches.shape[1] == 6"
            lines += ["if wrenches is not None:", f"    if not ({fits}):", "        return SHAPE"]
        return lines

    def rooms(self) -> list[str]:
        """Scratch on the stack."""
        made = [f"{name} = scratch_of({kind.__name__}, n)" for name, kind in zip(self.room_parts, self.kinds, strict=True)]
        return [*made, *self.joined_room]

    def call(self, given: Callable[[str], str], loads: str, filled: Callable[[str], str]) -> str:
        """The routine on one state."""
        inputs = [*TREES[self.flexible], "n.nq", *self.held, *self.fixed, *map(given, self.inputs)]
        inputs += [*([loads] if self.loaded else []), "room"]
        if self.outputs[0].shape == ():
            return f"{filled(self.outputs[0].name)}[0] = {self.routine.__name__}({', '.join(inputs)})"
        return f"{self.routine.__name__}({', '.join([*inputs, *(filled(x.name) for x in self.outputs)])})"

    def status(self) -> str:
        """What an entry says of inputs and results."""
        terms = [f"input_status({'tree.' if self.flexible else ''}topology, q)"]
        terms += [f"value_status({x}, n.nv)" for x in (*self.inputs[1:], *self.looks)]
        for x in self.outputs:
            if x.status == "" and len(x.shape) < 2:
                terms.append(f"value_status({x.name}, {x.name}.shape[0])")
            elif x.status is not None:
                terms.append(f"{x.status}({x.name})" if x.status else f"value_status({x.name}.reshape(-1), {x.name}.size)")
        text = terms[-1]
        for term in reversed(terms[:-1]):
            text = f"max({term}, {text})"
        return text

    def one(self) -> list[str]:
        """Text of the entry for one state."""
        head = [*self.arguments, *(["wrenches"] if self.loaded else []), *(x.name for x in self.outputs)]
        call = self.call(str, "wrenches", str)
        return [
            f"def {self.name}_one({', '.join(head)}):",
            *indented(self.sizes(), *self.lengths(str, 0), *self.rooms(), call, f"return {self.status()}"),
        ]

    def rows(self) -> list[str]:
        """Text of the entry that goes over rows of states in turn; it returns the worst status."""
        many = [*self.inputs, *(["wrenches"] if self.loaded else []), *(x.name for x in self.outputs)]
        head = [*TREES[self.flexible], *self.held, *self.fixed, *(f"many_{x}" for x in many)]
        views = [f"{x} = many_{x}[s]" for x in many if x != "wrenches"]
        if self.loaded:
            views += ["wrenches = None", "if many_wrenches is not None:", "    wrenches = many_wrenches[s].reshape(-1, 6)"]
        body = [*views, self.call(str, "wrenches", str), f"status = max(status, {self.status()})"]
        over = ["status = OK", "for s in range(many_q.shape[0]):", *indented(*body), "return status"]
        checks = self.lengths(lambda x: f"many_{x}", 1)
        return [f"def {self.name}_rows({', '.join(head)}):", *indented(self.sizes(), *checks, *self.rooms(), *over)]

    def lanes(self) -> list[str]:
        """Text of the entry for many states in lanes, block by block: rows from `first` up to `stop`.

        Results are (N, numbers). A block beyond the last row repeats it.
        """
        results = [x.name for x in self.outputs]
        head = [*self.arguments, *(["wrenches"] if self.loaded else []), *results, "first", "stop"]
        kinds = ", ".join(kind.__name__ for kind in (self.states, *self.kinds))
        lines = [self.sizes(), f"memory, s, {', '.join(self.room_parts)} = lane_scratch(({kinds}), n)", *self.joined_room]
        lines += ["loads = if_any(wrenches, s.wrenches)"] if self.loaded else []
        lines += [f"clear(s.{x.name}, {' * '.join(size_text(y) for y in x.shape)})" for x in self.outputs if x.zeros]
        body = [f"pack_rows({x}, row, s.{x})" for x in self.inputs]
        body += ["if wrenches is not None:", "    pack_rows(wrenches, row, s.wrenches)"] if self.loaded else []
        body += [self.call(lambda x: f"s.{x}", "loads", lambda x: f"s.{x}")]
        body += [f"unpack_rows(s.{x}, {x}, row, stop)" for x in results]
        over = ["for row in range(first, stop, WIDTH):", *indented(*body), "hold(memory)", "return OK"]
        return [f"def {self.name}_batch({', '.join(head)}):", *indented(*lines, *over)]

    def loop(self) -> list[str]:
        """Text of a loop over states, to be timed. Vectors are filled row by row; matrices are all put into the same place."""
        flat = {x.name for x in self.outputs if len(x.shape) == 1}
        row = "piece({0}, i * {0}.shape[1], {0}.shape[1])".format
        call = self.call(row, "None", lambda x: row(x) if x in flat else x)
        head = [*self.arguments, *(x.name for x in self.outputs)]
        over = ["for i in range(q.shape[0]):", *indented(call)]
        return [f"def {self.name}_loop({', '.join(head)}):", *indented(self.sizes(), *self.rooms(), *over)]

    @property
    def room_parts(self) -> list[str]:
        return ["room"] if len(self.kinds) == 1 else [f"room_{k}" for k in range(len(self.kinds))]

    @property
    def joined_room(self) -> list[str]:
        return [] if len(self.kinds) == 1 else [f"room = {', '.join(self.room_parts)}"]

    @property
    def states(self) -> type:
        """The states of a block, as lanes: what is packed and what is filled."""
        inputs = [(x, (NQ,) if x == "q" else (NV,)) for x in self.inputs]
        loads = [("wrenches", (NAMED if self.on_named else ROWS, 6))] if self.loaded else []
        fields = [*inputs, *loads, *((x.name, x.shape or (1,)) for x in self.outputs)]
        hints = [(name, Annotated[np.ndarray, *shape, "of each state of a block"]) for name, shape in fields]
        return typing.NamedTuple(f"{self.name}_states", hints)  # type: ignore[misc]


def indented(*lines: str) -> list[str]:
    return [f"    {line}" for line in lines]


def size_text(size: int | Size) -> str:
    """A size in the text of an entry."""
    return str(size) if isinstance(size, int) else f"n.{size.name}"


def entry(recursion: Recursion, form: str, module: str) -> Any:
    """An entry of a recursion in one of its forms ("one", "rows", "lanes", "loop"), compiled at its first call.

    module : where it belongs, and is put: another process finds it there by its name
    """
    lines = getattr(recursion, form)()
    names = NAMES | {kind.__name__: kind for kind in recursion.kinds} | {recursion.routine.__name__: recursion.routine}
    home = vars(sys.modules[module])
    if form == "lanes":
        states = recursion.states
        states.__module__ = module
        names[states.__name__] = home[states.__name__] = states
    name, text, space = lines[0].partition("(")[0][4:], "\n".join(lines) + "\n", names | {"__name__": module}
    place = f"<{module}.{name}>"
    linecache.cache[place] = (len(text), None, text.splitlines(True), place)  # for debuggers and tracebacks
    exec(compile(text, place, "exec"), space)
    home[name] = made = kernel(space.pop(name))
    return made
