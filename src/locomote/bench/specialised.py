"""Speed of specialised functions: against Pinocchio, against the peak of the core, on two threads; and what compiling costs."""

import os
import tempfile
from functools import partial

import numpy as np

from locomote.bench.compare import FUNCTIONS, pinocchio_calls
from locomote.bench.models import states
from locomote.bench.timing import side_by_side
from locomote.compiled.compile import USUAL, Kernel, Refused, specialised
from locomote.compiled.library import Loaded, object_code
from locomote.compiled.program import traced
from locomote.compiled.vectors import Lanes, Text, declarations, near_sincos
from locomote.compiler.lanes import WIDTH
from locomote.dynamics.dispatch import in_shares
from locomote.model.model import Model
from locomote.symbolic.trace import COS, SIN

BATCH, BLOCK = 4096, 64  # rows; results of a block stay in the cache
CHAINS, TURNS = 12, 200_000  # measurement of the peak: sums side by side, and how often


def peak() -> tuple[float, float]:
    """Multiply-adds a second of one core, times two: sums that do not wait for each other, all in registers; and how many times
    as many two threads do."""
    lanes = Lanes(WIDTH)
    t = Text(lanes)
    sums = [f"%a{k}" for k in range(CHAINS)]
    ends = [t.fma(a, lanes.splat(0.5), lanes.splat(1.0)) for a in sums]
    phis = [f"  {a} = phi {lanes} [zeroinitializer, %0], [{b}, %loop]" for a, b in zip(sums, ends, strict=True)]
    loop, t.lines = t.lines, []
    total = ends[0]
    for end in ends[1:]:
        total = t.op("fadd", total, end)
    t.do(f"store {lanes} {total}, ptr %memory, align 8")
    text = [
        declarations(lanes), "define void @run(ptr %memory) {", "  br label %loop", "loop:",
        "  %i = phi i64 [0, %0], [%j, %loop]", *phis, *loop, "  %j = add i64 %i, 1",
        f"  %more = icmp slt i64 %j, {TURNS}", "  br i1 %more, label %loop, label %end", "end:", *t.lines, "  ret void", "}",
    ]  # fmt: skip
    loaded, memory = Loaded(object_code("\n".join(text))), np.zeros((2, 2 * WIDTH))

    def turns(first: int, last: int) -> None:
        for k in range(first, last):
            loaded.run(memory[k].ctypes.data)

    runs = {"one": lambda: in_shares(turns, 2, 1, 1), "two": lambda: in_shares(turns, 2, 1, 2)}
    best = side_by_side(runs, 60)
    return 2.0 * WIDTH * CHAINS * TURNS * 2 / best["one"], best["one"] / best["two"]


def compare_specialised(model: Model, rounds: int, cpp=None) -> list[dict]:
    """One row for each function: microseconds a state in a batch and in blocks, ratios, what writing the results takes by
    itself, share of the peak, threads."""
    (most, scaling), rows = peak(), []
    data = {n: [np.ascontiguousarray(x) for x in states(model, n)] for n in (BATCH, BLOCK)}
    theirs = {n: pinocchio_calls(model, *data[n], cpp=cpp, written=n == BATCH) for n in (BATCH, BLOCK)}
    for title, name in zip(FUNCTIONS, USUAL, strict=True):
        kernel, cold, warm = compiled_twice(model, name)
        if isinstance(kernel, Refused):
            continue
        best = {}
        for n in (BATCH, BLOCK):
            given, out = data[n][: len(kernel.code.inputs)], kernel.empty(n)
            runs = {"ours": partial(kernel.run, given, 1, out), "pinocchio": theirs[n][title]}
            if n == BATCH:
                runs["threads"], runs["writing"] = partial(kernel.run, given, 2, out), partial(write, out)
            best[n] = {key: seconds / n for key, seconds in side_by_side(runs, rounds).items()}
        batch, block = best[BATCH], best[BLOCK]
        rows.append(
            {
                "model": model.name, "function": title, "operations": str(kernel.code.operations),
                "pinocchio_us": 1e6 * batch["pinocchio"], "batch_us": 1e6 * batch["ours"],
                "batch_ratio": batch["pinocchio"] / batch["ours"], "writing_us": 1e6 * batch["writing"],
                "block_us": 1e6 * block["ours"],
                "block_ratio": block["pinocchio"] / block["ours"],
                "of_peak_%": 100.0 * arithmetic(model, name) / min(batch["ours"], block["ours"]) / most,
                "two_threads_ratio": batch["ours"] / batch["threads"], "peak_two_threads_ratio": scaling,
                "compile_s": cold, "again_s": warm,
            }
        )  # fmt: skip
    return rows


def arithmetic(model: Model, name: str) -> int:
    """Operations of a function, where a sine with its cosine counts as those of the polynomials that it takes."""
    program, _ = traced(model, name, {})
    nodes = [program.trace.nodes[k] for k in program.trace.needed(program.all_results)]
    angles = [a for code, a, _, _ in nodes if code in (SIN, COS)]
    t = Text(Lanes(WIDTH))
    near_sincos(t, "%x")
    pair = sum(2 if "@llvm.fma" in line else any(f"= {code} " in line for code in ("fadd", "fsub", "fmul")) for line in t.lines)
    return program.operations - len(angles) + pair * len(set(angles))


def write(out: list[np.ndarray]) -> None:
    """Zeros to where results go, one array after the other: what memory takes without any arithmetic."""
    for x in out:
        x.fill(0.0)


def compiled_twice(model: Model, name: str) -> tuple[Kernel | Refused, float, float]:
    """A kernel, and the seconds it took to make it and to load it again."""
    before = os.environ.get("LOCOMOTE_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LOCOMOTE_CACHE_DIR"] = folder
        try:
            first, second = (specialised(model, name, {}, Lanes(WIDTH)) for _ in range(2))
        finally:
            if before is None:
                del os.environ["LOCOMOTE_CACHE_DIR"]
            else:
                os.environ["LOCOMOTE_CACHE_DIR"] = before
    if isinstance(first, Refused) or isinstance(second, Refused):
        return first, 0.0, 0.0
    return second, first.seconds, second.seconds
