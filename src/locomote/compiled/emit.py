"""From a trace to the text of an LLVM module: straight-line vector code, cut into pieces, in a loop over blocks of rows.

Values live in a scratch array of vectors: inputs first, then sines and cosines of inputs, then what crosses from one piece
to a later one, or is a result. Within a piece, LLVM keeps values in registers as far as they go. A value that is no longer
needed leaves its place to others, so that the scratch stays in the first-level cache.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from locomote.compiled.program import Program, Slots, cut
from locomote.compiled.vectors import (
    ABREAST,
    Lanes,
    Text,
    declarations,
    pack_function,
    sincos_function,
    sines_function,
    single_function,
    square_function,
    way_on,
)
from locomote.symbolic import trace as tr
from locomote.symbolic.trace import Trace

PIECE = 900  # operations between two cuts
ARITHMETIC = {tr.ADD: "fadd", tr.SUB: "fsub", tr.MUL: "fmul", tr.DIV: "fdiv"}
COMPARISON = {tr.LESS: "olt", tr.LESS_EQUAL: "ole", tr.EQUAL: "oeq", tr.NOT_EQUAL: "une"}


@dataclass(frozen=True)
class Module:
    """Text of a module with the entry @run, and how many vectors of scratch it needs."""

    text: str
    scratch: int


@dataclass(frozen=True)
class Body:
    """A program as functions on a scratch array, without what brings inputs and takes results."""

    functions: tuple[str, ...]
    slot: dict[int, int]  # of inputs and results, by their places
    angles: list[tuple[int, int, int]]
    pieces: int
    settings: list[tuple[int, float]]  # results that are constants: slot, value
    scratch: int

    @classmethod
    def of(cls, program: Program, lanes: Lanes, piece: int) -> "Body":
        """Cut a program into pieces."""
        trace = program.trace
        order = trace.needed(program.all_results)
        slot = {k: trace.nodes[k][1] for k in order if trace.nodes[k][0] == tr.INPUT}
        slots = Slots(sum(program.inputs))
        angles = first_sines(trace, order, slot, slots)
        constants = {k: slots.take() for k in sorted(set(program.all_results)) if k in trace.values}
        pieces = cut(program, order, slot, slots, piece)
        functions = [piece_function(trace, lanes, n, part, slot) for n, part in enumerate(pieces)]
        settings = [(constants[k], trace.values[k]) for k in constants]
        common = (declarations(lanes), sincos_function(lanes), sines_function(lanes))
        return cls((*common, *functions), slot | constants, angles, len(pieces), settings, slots.count)

    def call(self, t: Text, scratch: str) -> None:
        """Do all of it, from inputs in the scratch array to results there."""
        v = str(t.lanes)
        for start, pairs, turns in self.angles:
            t.do(f"call void @sines(ptr {t.at(scratch, start, v)}, ptr {t.at(scratch, pairs, v)}, i64 {turns})")
        for n in range(self.pieces):
            t.do(f"call void @piece{n}(ptr {scratch})")


def emitted(program: Program, lanes: Lanes, piece: int = PIECE) -> Module:
    """The module of a program."""
    body = Body.of(program, lanes, piece)
    ways = [ways_out(lanes, program.trace, group, body.slot) for group in program.results]
    text = [
        *body.functions, square_function(lanes), single_function(lanes),
        *(pack_function(lanes, f"pack{k}", columns) for k, columns in enumerate(program.inputs)),
        *(table(f"{name}{k}", rows) for k, way in enumerate(ways) for name, rows in way.items()),
        run_function(lanes, program, body, ways),
    ]  # fmt: skip
    return Module("\n".join(text), body.scratch)


def ways_out(lanes: Lanes, trace: Trace, group: Sequence[int], slot: dict[int, int]) -> dict[str, list[list[int]]]:
    """Tables for unpacking a matrix of results, of which zeros are left out where they stand together: rows of
    `square_function` and of `single_function`."""
    ways, width, k = {"square": [], "single": []}, lanes.width, 0
    while k < len(group):
        if trace.values.get(group[k]) == 0.0:
            k += 1
            continue
        name, start, stop = way_on(k, len(group), width)
        ways[name].append([start * lanes.bytes, *(slot[place] * lanes.size for place in group[start:stop])])
        k = stop
    return ways


def first_sines(trace: Trace, order: Sequence[int], slot: dict[int, int], slots: Slots) -> list[tuple[int, int, int]]:
    """Runs of inputs whose sines and cosines are needed, which are done before all else: where the angles and the pairs
    start, and how many times ABREAST there are; the last may reach over what comes next."""
    pairs: dict[int, dict[int, int]] = {}
    for k in order:
        code, a, _, _ = trace.nodes[k]
        if code in (tr.SIN, tr.COS) and trace.nodes[a][0] == tr.INPUT:
            pairs.setdefault(slot[a], {})[code] = k
    angles = sorted(pairs)
    starts = [a for a in angles if a - 1 not in pairs]
    ends = [a + 1 for a in angles if a + 1 not in pairs]
    runs = []
    for start, end in zip(starts, ends, strict=True):
        turns = -((start - end) // ABREAST)
        first = slots.count
        slots.count += 2 * ABREAST * turns
        for a in range(start, end):
            for code, k in pairs[a].items():
                slot[k] = first + 2 * (a - start) + (code == tr.COS)
        runs.append((start, first, turns))
    return runs


class Piece(Text):
    """The straight line of one piece."""

    def __init__(self, trace: Trace, lanes: Lanes, slot: dict[int, int]):
        super().__init__(lanes)
        self.trace, self.slot, self.names = trace, slot, {}

    def address(self, k: int) -> str:
        return self.at("%scratch", self.slot[k], str(self.lanes))

    def value(self, k: int) -> str:
        """The name of a value, loaded or compared if it must be."""
        if k not in self.names:
            code, a, b, _ = self.trace.nodes[k]
            if code == tr.CONSTANT:
                self.names[k] = self.lanes.splat(self.trace.values[k])
            elif code in COMPARISON:
                self.names[k] = self.put(f"fcmp {COMPARISON[code]} {self.lanes} {self.value(a)}, {self.value(b)}")
            else:
                self.names[k] = self.load(self.lanes, self.address(k), self.lanes.size)
        return self.names[k]

    def step(self, k: int) -> str:
        """One operation."""
        v, (code, a, b, c) = self.lanes, self.trace.nodes[k]
        if code in ARITHMETIC:
            return self.op(ARITHMETIC[code], self.value(a), self.value(b))
        if code == tr.NEG:
            return self.put(f"fneg {v} {self.value(a)}")
        if code == tr.SELECT:
            condition = self.value(a)
            return self.put(f"select <{v.width} x i1> {condition}, {v} {self.value(b)}, {v} {self.value(c)}")
        if code in (tr.SQRT, tr.FLOOR):
            name = "sqrt" if code == tr.SQRT else "floor"
            return self.put(f"call {v} @llvm.{name}.{v.suffix}({v} {self.value(a)})")
        if code in (tr.SIN, tr.COS):
            key = ("sincos", a)
            if key not in self.names:
                self.names[key] = self.put(f"call {{{v}, {v}}} @sincos({v} {self.value(a)})")
            return self.put(f"extractvalue {{{v}, {v}}} {self.names[key]}, {int(code == tr.COS)}")
        if code in (tr.EXP, tr.LOG):
            return self.each_lane("exp" if code == tr.EXP else "log", self.value(a))
        assert code == tr.ATAN2
        return self.each_lane("atan2", self.value(a), self.value(b))


def piece_function(trace: Trace, lanes: Lanes, n: int, part: Sequence[int], slot: dict[int, int]) -> str:
    """One piece; values that leave it are stored as soon as they are there."""
    text = Piece(trace, lanes, slot)
    for k in part:
        text.names[k] = text.step(k)
        if k in slot:
            text.store(text.names[k], text.address(k), lanes.size)
    return text.function(f"piece{n}(ptr noalias %scratch)")


def table(name: str, rows: Sequence[Sequence[int]]) -> str:
    """A constant array."""
    values = [f"i32 {x}" for row in rows for x in row]
    return f"@{name} = internal constant [{len(values)} x i32] [{', '.join(values)}]"


def run_function(
    lanes: Lanes,
    program: Program,
    body: Body,
    ways: Sequence[dict[str, list[list[int]]]],
) -> str:
    """The entry: %arguments are addresses of inputs and results, the first row, the end, and the scratch.

    Rows are done in blocks of WIDTH, of which there must be at least one; the last block may overlap the one before.
    """
    t, v = Text(lanes), lanes
    count = len(program.inputs) + len(program.results)
    values = []
    for k in range(count + 3):
        values.append(t.load("i64" if count <= k < count + 2 else "ptr", t.at("%arguments", k, "i64"), 8))
    arrays, first, stop, scratch = values[:count], *values[count:]
    for place, value in body.settings:
        t.store(v.splat(value), t.at(scratch, place, str(v)), v.size)
    last = t.put(f"sub i64 {stop}, {v.width}")
    t.do("br label %block")
    t.lines.append("block:")
    t.do(f"%begin = phi i64 [{first}, %0], [%next, %block]")
    over = t.put(f"icmp sgt i64 %begin, {last}")
    row = t.put(f"select i1 {over}, i64 {last}, i64 %begin")

    def rows(k: int, columns: int) -> str:
        return t.at(arrays[k], t.put(f"mul i64 {row}, {columns}"))

    place = 0
    for k, columns in enumerate(program.inputs):
        t.do(f"call void @pack{k}(ptr {rows(k, columns)}, ptr {t.at(scratch, place, str(v))})")
        place += columns
    body.call(t, scratch)
    for k, (group, way) in enumerate(zip(program.results, ways, strict=True)):
        target = rows(len(program.inputs) + k, len(group))
        for name, table in way.items():
            t.do(f"call void @{name}(ptr {scratch}, ptr @{name}{k}, i64 {len(table)}, ptr {target}, i64 {len(group)})")
    t.do(f"%next = add i64 %begin, {v.width}")
    t.do(f"%more = icmp slt i64 %next, {stop}")
    t.do("br i1 %more, label %block, label %end")
    t.lines.append("end:")
    t.do("ret void")
    return "\n".join(["define void @run(ptr noalias %arguments) {", *t.lines, "}"])


def scratch_array(lanes: Lanes, count: int) -> np.ndarray:
    """Memory for a number of vectors, aligned to lines of the cache."""
    raw = np.zeros(count * lanes.size + 64, dtype=np.uint8)
    shift = -raw.ctypes.data % 64
    return raw[shift : shift + count * lanes.size]
