"""C99 source of functions of a model: straight-line code, no loops, no memory, no libraries but the math library.

Three files: NAME.h and NAME.c to be used, NAME_test.c with a main that compares with numbers computed here and times a call.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from locomote import public
from locomote.compiled.program import Program, Slots, cut, traced
from locomote.errors import FileError, ModelError
from locomote.files import reason, whole_file
from locomote.model.model import Model
from locomote.symbolic import trace as tr
from locomote.symbolic.functions import function_named
from locomote.symbolic.trace import Trace

PIECE = 1000  # operations of one C function; compilers are slow on longer ones
SIGNS = {
    tr.ADD: "+", tr.SUB: "-", tr.MUL: "*", tr.DIV: "/",
    tr.LESS: "<", tr.LESS_EQUAL: "<=", tr.EQUAL: "==", tr.NOT_EQUAL: "!=",
}  # fmt: skip
CALLS = {tr.SQRT: "sqrt", tr.SIN: "sin", tr.COS: "cos", tr.FLOOR: "floor", tr.ATAN2: "atan2", tr.EXP: "exp", tr.LOG: "log"}
TOLERANCE = 1e-10  # tolerance of the test, relative to the largest result
LIMIT = 200_000  # operations
USUAL = ("inverse_dynamics", "forward_dynamics", "mass_matrix")


@dataclass(frozen=True)
class Sources:
    """Text of the three files, by name, and how many operations each function takes."""

    files: dict[str, str]
    operations: dict[str, int]


def write_c(
    model: Model, folder: str | os.PathLike, functions: str | Sequence[str] = USUAL, *, name: str | None = None
) -> list[Path]:
    """Write C99 source of functions of a model into a folder, which is made if it is not there.

    functions : names of public functions of q, v, a or tau ; name : what files and C functions begin with
    Returns the paths of NAME.h, NAME.c and NAME_test.c. The code needs the math library only; NAME_test.c has a main that
    compares it with numbers of this library:

        cc -O2 NAME.c NAME_test.c -lm && ./a.out
    """
    sources = c_sources(model, (functions,) if isinstance(functions, str) else functions, name)
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(folder, f"cannot be made: {reason(error)}") from None
    paths = [target / file for file in sources.files]
    for path, text in zip(paths, sources.files.values(), strict=True):
        with whole_file(path) as file:
            file.write(text.encode())
    return paths


def c_sources(model: Model, functions: Sequence[str], name: str | None = None) -> Sources:
    """Header, source and test of functions of a model, as text."""
    prefix = identifier(name or model.name)
    chosen = {f: function_named(f).options for f in functions}
    if faults := [f"{f} needs {options[0]}, which C code has no word for" for f, options in chosen.items() if options]:
        raise ModelError(model.name, faults)
    programs = {function: traced(model, function, {})[0] for function in functions}
    long = [f"{f} takes {p.operations} operations, more than {LIMIT}" for f, p in programs.items() if p.operations > LIMIT]
    if long:
        raise ModelError(model.name, long)
    header, source = f"{prefix}.h", [f'#include "{prefix}.h"', "", "#include <math.h>", ""]
    for function, program in programs.items():
        source += c_function(prefix, function, program)
    files = {
        header: header_text(model, prefix, programs),
        f"{prefix}.c": "\n".join(source),
        f"{prefix}_test.c": test_text(model, prefix, programs),
    }
    return Sources(files, {function: program.operations for function, program in programs.items()})


def identifier(name: str) -> str:
    """A name as C allows it."""
    word = re.sub(r"\W", "_", name, flags=re.ASCII)
    return word if re.match(r"[A-Za-z]", word) else f"model_{word}"


def signature(prefix: str, function: str) -> str:
    """Declaration of a C function, without its end."""
    table = function_named(function)
    inputs = [f"const double *{label}" for label in table.inputs]
    results = [f"double *{label}" for label in result_names(function)]
    return f"void {prefix}_{function}({', '.join([*inputs, *results])})"


def result_names(function: str) -> list[str]:
    """Names of the results of a function, other than those of its inputs."""
    table = function_named(function)
    return [label if label not in table.inputs else f"{label}_out" for label in table.results]


def header_text(model: Model, prefix: str, programs: dict[str, Program]) -> str:
    """NAME.h"""
    guard = f"{prefix.upper()}_H"
    slots = model.layout().slots
    lines = [f"/* Dynamics of {comment(model.name)}, written by locomote. SI units. Matrices are stored row by row.", " *"]
    for vector in ("q", "v"):
        own = [s for s in slots if s.vector == vector]
        lines += [f" * {vector}[{s.index}] {comment(s.joint)} {comment(s.name)}, {s.unit}" for s in own]
    lines += [" */", f"#ifndef {guard}", f"#define {guard}", "", f"#define {prefix.upper()}_NQ {model.nq}"]
    lines += [f"#define {prefix.upper()}_NV {model.nv}", "", "#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    for function, program in programs.items():
        sizes = zip((*function_named(function).inputs, *result_names(function)), sizes_of(program), strict=True)
        lines += [f"/* {', '.join(f'{label}[{n}]' for label, n in sizes)}; {program.operations} operations */"]
        lines += [f"{signature(prefix, function)};", ""]
    lines += ["#ifdef __cplusplus", "}", "#endif", "", "#endif", ""]
    return "\n".join(lines)


def comment(text: str) -> str:
    """Text that cannot end a comment."""
    return text.replace("*/", "* /").replace("\n", " ")


def sizes_of(program: Program) -> list[int]:
    """Lengths of all inputs and results."""
    return [*program.inputs, *(len(group) for group in program.results)]


class Expressions:
    """Operations as C expressions."""

    def __init__(self, trace: Trace, inputs: dict[int, str], slot: dict[int, int]):
        self.trace, self.inputs, self.slot = trace, inputs, slot
        self.local: set[int] = set()

    def value(self, k: int) -> str:
        """How a value is called in the piece at hand."""
        code, a, b, _ = self.trace.nodes[k]
        if code == tr.CONSTANT:
            return literal(self.trace.values[k])
        if code in (tr.LESS, tr.LESS_EQUAL, tr.EQUAL, tr.NOT_EQUAL):
            return f"({self.value(a)} {SIGNS[code]} {self.value(b)})"
        if k in self.inputs:
            return self.inputs[k]
        return f"t{k}" if k in self.local else f"w[{self.slot[k]}]"

    def expression(self, k: int) -> str:
        """The right-hand side of an operation."""
        code, a, b, c = self.trace.nodes[k]
        if code in SIGNS:
            return f"{self.value(a)} {SIGNS[code]} {self.value(b)}"
        if code == tr.NEG:
            return f"-{self.value(a)}"
        if code == tr.SELECT:
            return f"{self.value(a)} ? {self.value(b)} : {self.value(c)}"
        arguments = (a, b) if code == tr.ATAN2 else (a,)
        return f"{CALLS[code]}({', '.join(self.value(x) for x in arguments)})"


def literal(value: float) -> str:
    """A constant, to the last bit; negative ones in brackets."""
    if not np.isfinite(value):
        raise ValueError(f"a constant of the model is {value}")
    return repr(float(value)) if value >= 0 and not np.signbit(value) else f"({float(value)!r})"


def c_function(prefix: str, function: str, program: Program) -> list[str]:
    """One function of NAME.c, with its pieces before it."""
    trace, labels = program.trace, function_named(function).inputs
    order = trace.needed(program.all_results)
    places = [f"{label}[{k}]" for label, n in zip(labels, program.inputs, strict=True) for k in range(n)]
    inputs = {k: places[trace.nodes[k][1]] for k in order if trace.nodes[k][0] == tr.INPUT}
    slot, slots = dict.fromkeys(inputs, -1), Slots(0)
    pieces = cut(program, order, slot, slots, PIECE)
    arguments = ", ".join([*(f"const double *{label}" for label in labels), "double *w"])
    lines = []
    for n, piece in enumerate(pieces):
        text = Expressions(trace, inputs, slot)
        lines += [f"static void {function}_{n}({arguments})", "{", *(f"    (void){label};" for label in labels)]
        for k in piece:
            lines.append(f"    const double t{k} = {text.expression(k)};")
            text.local.add(k)
            if k in slot:
                lines.append(f"    w[{slot[k]}] = t{k};")
        lines += ["}", ""]
    text = Expressions(trace, inputs, slot)
    lines += [signature(prefix, function), "{", f"    double w[{max(slots.count, 1)}];"]
    lines += [f"    {function}_{n}({', '.join([*labels, 'w'])});" for n in range(len(pieces))]
    lines += [f"    (void){label};" for label in (*labels, "w")]
    for label, group in zip(result_names(function), program.results, strict=True):
        lines += [f"    {label}[{n}] = {text.value(k)};" for n, k in enumerate(group)]
    return [*lines, "}", ""]


def test_text(model: Model, prefix: str, programs: dict[str, Program]) -> str:
    """NAME_test.c: a main that calls each function at a state, compares, and says how long a call takes."""
    rng = np.random.default_rng(0)
    state = {"q": model.random(rng), "v": rng.normal(size=model.nv), "a": rng.normal(size=model.nv)}
    state["tau"] = rng.normal(size=model.nv)
    head = [f'#include "{prefix}.h"', "", "#include <math.h>", "#include <stdio.h>", "#include <time.h>", ""]
    for label in sorted({label for f in programs for label in function_named(f).inputs}):
        head.append(f"static const double {label}_given[] = {{{', '.join(map(literal, state[label]))}}};")
    body = []
    for function, program in programs.items():
        labels = function_named(function).inputs
        results = public.find(function)(model, *(state[label] for label in labels))
        expected = np.concatenate([np.ravel(x) for x in (results if isinstance(results, tuple) else (results,))])
        head += [f"static const double {function}_expected[] = {{{', '.join(map(literal, expected))}}};"]
        head += [f"static double {function}_result[{max(len(expected), 1)}];"]
        starts = np.cumsum([0, *(len(group) for group in program.results)])[:-1]
        given = [f"{label}_given" for label in labels] + [f"{function}_result + {k}" for k in starts]
        call = f"{prefix}_{function}({', '.join(given)});"
        body += [
            f"    {call}",
            f"    worst = difference({function}_result, {function}_expected, {len(expected)});",
            "    start = clock();",
            f"    for (n = 0; n < CALLS; ++n) {call}",
            "    time = 1e9 * (double)(clock() - start) / CLOCKS_PER_SEC / CALLS;",
            f'    printf("{function}: largest relative difference %.2e, %.0f ns a call\\n", worst, time);',
            f"    failed |= !(worst <= {TOLERANCE!r});",
        ]
    compare = """
#define CALLS 10000

static double difference(const double *a, const double *b, int count)
{
    double worst = 0.0, size = 0.0;
    int k;
    for (k = 0; k < count; ++k) {
        if (!(fabs(a[k] - b[k]) <= worst)) worst = fabs(a[k] - b[k]);
        if (fabs(b[k]) > size) size = fabs(b[k]);
    }
    return size > 0.0 ? worst / size : worst;
}

int main(void)
{
    double worst, time;
    clock_t start;
    int n, failed = 0;"""
    return "\n".join([*head, compare, *body, "    return failed;", "}", ""])
