"""A program in a loop over time: one call takes a block of WIDTH runs through many steps, without Python in between.

    carry, y_n = program(carry, x_n, s_n)        n = 0 .. steps - 1, or from the last to the first

carry goes from step to step; x and y are numbers of each run and step; s are shared by all runs. Of y that of every so many
steps may be kept only. Arrays of runs stand as vectors, (blocks, steps, columns, WIDTH), as the code reads them: `in_lanes`
and `in_rows` turn them.
"""

import threading

import numpy as np

from locomote.compiled.emit import Body, scratch_array
from locomote.compiled.kernel import address
from locomote.compiled.library import Code, Loaded, object_code
from locomote.compiled.program import Program
from locomote.compiled.vectors import Lanes, Text
from locomote.dynamics.dispatch import in_shares

PIECE = 300  # operations between two cuts: as fast as longer ones here, and quicker to compile
LIMIT = 130_000  # operations of a step; more take minutes to compile


def scan_code(program: Program, lanes: Lanes, *, back: bool = False, limit: int = LIMIT) -> Code:
    """Code of a loop over a program with inputs (carry, x, s) and results (carry, y); without a binary if it is too long.
    back : from the last step to the first ; limit : most operations of a step"""
    count, (carried, x, shared), (after, y) = program.operations, program.inputs, program.results
    shapes = ((len(after),), (len(y),))
    if count > limit or carried != len(after):
        return Code(b"", 0, program.inputs, shapes, count)
    body = Body.of(program, lanes, PIECE)
    text = "\n".join([*body.functions, loop_function(lanes, program, body, -1 if back else 1)])
    return Code(object_code(text), body.scratch, (carried, x, shared), shapes, count)


def loop_function(lanes: Lanes, program: Program, body: Body, way: int) -> str:
    """The entry: %arguments are the number of steps, the scratch, addresses of the carry and of x, s and y at the step that
    is done first, and how many steps share a row of y, of which the last leaves its own."""
    t, v = Text(lanes), lanes
    (carried, x, shared), (after, y) = program.inputs, program.results
    kinds = ("i64", "ptr", "ptr", "ptr", "ptr", "ptr", "i64")
    steps, scratch, carry, xs, ss, ys, keep = (t.load(kind, t.at("%arguments", k, "i64"), 8) for k, kind in enumerate(kinds))

    def vector(pointer: str, k: int) -> str:
        return t.at(pointer, k, str(v))

    for place, value in body.settings:
        t.store(v.splat(value), vector(scratch, place), v.size)
    for k in range(carried):
        t.store(t.load(v, vector(carry, k), v.bytes), vector(scratch, k), v.size)
    t.do("br label %step")
    t.lines.append("step:")
    t.do("%n = phi i64 [0, %0], [%next, %step]")
    at = t.put(f"mul i64 %n, {way}")
    kept = t.put(f"sdiv i64 {at}, {keep}")
    x_row, y_row = (t.at(p, t.put(f"mul i64 {n}, {k}"), str(v)) for p, n, k in ((xs, at, x), (ys, kept, len(y))))
    s_row = t.at(ss, t.put(f"mul i64 {at}, {shared}"))
    for k in range(x):
        t.store(t.load(v, vector(x_row, k), v.bytes), vector(scratch, carried + k), v.size)
    for k in range(shared):
        one = t.put(f"insertelement {v} undef, {v.scalar} {t.load(v.scalar, t.at(s_row, k), v.bytes)}, i32 0")
        all_lanes = t.put(f"shufflevector {v} {one}, {v} undef, <{v.width} x i32> zeroinitializer")
        t.store(all_lanes, vector(scratch, carried + x + k), v.size)
    body.call(t, scratch)
    for k, place in enumerate(y):
        t.store(t.load(v, vector(scratch, body.slot[place]), v.size), vector(y_row, k), v.bytes)
    moved = [(k, body.slot[place]) for k, place in enumerate(after) if body.slot[place] != k]  # others stay as they are
    found = [t.load(v, vector(scratch, place), v.size) for _, place in moved]  # all, before any place is written
    for (k, _), one in zip(moved, found, strict=True):
        t.store(one, vector(scratch, k), v.size)
    t.do("%next = add i64 %n, 1")
    t.do(f"%more = icmp slt i64 %next, {steps}")
    t.do("br i1 %more, label %step, label %end")
    t.lines.append("end:")
    for k in range(carried):
        t.store(t.load(v, vector(scratch, k), v.size), vector(carry, k), v.bytes)
    t.do("ret void")
    return "\n".join(["define void @run(ptr noalias %arguments) {", *t.lines, "}"])


class Scan:
    """The loop in this process."""

    def __init__(self, lanes: Lanes, code: Code, *, back: bool = False):
        self.lanes, self.code, self.back = lanes, code, back
        self._loaded, self._local = Loaded(code.binary), threading.local()

    def run(self, carry: np.ndarray, x: np.ndarray, shared: np.ndarray, y: np.ndarray, threads: int = 1, keep: int = 1) -> None:
        """All steps of all blocks. carry (blocks, c, WIDTH), changed in place ; x (blocks, steps, ..., WIDTH) ;
        shared (steps, s) ; y as x, filled, with a row for every `keep` steps. Blocks may lie apart, steps within them not."""
        steps = len(shared)
        if steps == 0:
            return
        first = steps - 1 if self.back else 0
        arrays = (carry, x, y)
        starts = [address(a) + (0 if a is carry else first * a.strides[1]) for a in arrays]
        table = np.empty((len(carry), 7), np.int64)
        table[:, 0], table[:, 6] = steps, keep
        for column, start, array in zip((2, 3, 5), starts, arrays, strict=True):
            table[:, column] = start + np.arange(len(carry)) * array.strides[0]
        table[:, 4] = address(shared) + first * shared.strides[0]

        def share(start: int, stop: int) -> None:
            own = table[start:stop].copy()
            own[:, 1] = self._scratch()
            place = address(own)
            for k in range(stop - start):
                self._loaded.run(place + k * own.strides[0])

        in_shares(share, len(carry), 1, threads)

    def _scratch(self) -> int:
        """Address of memory that only this thread works in."""
        if not hasattr(self._local, "scratch"):
            self._local.scratch = scratch_array(self.lanes, self.code.scratch)
        return address(self._local.scratch)


def in_lanes(rows: np.ndarray, lanes: Lanes) -> np.ndarray:
    """(N, ..., n) as (blocks, ..., n, WIDTH); the last row fills the last block."""
    rows = np.asarray(rows, dtype=float)
    missing = -len(rows) % lanes.width
    if missing:
        rows = np.concatenate([rows, np.repeat(rows[-1:], missing, axis=0)])
    blocks = rows.reshape(len(rows) // lanes.width, lanes.width, *rows.shape[1:])
    return np.ascontiguousarray(np.moveaxis(blocks, 1, -1))


def in_rows(blocks: np.ndarray, count: int) -> np.ndarray:
    """(blocks, ..., n, WIDTH) as (count, ..., n)."""
    rows = np.moveaxis(blocks, -1, 1)
    return np.ascontiguousarray(rows.reshape(rows.shape[0] * rows.shape[1], *rows.shape[2:])[:count])
