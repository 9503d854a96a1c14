"""Equations of small systems, to be read: SymPy expressions with symbols named after joints and bodies."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.errors import UnknownName
from locomote.locomotion.problem import Locomotion
from locomote.model.model import Model
from locomote.symbolic import trace as tr
from locomote.symbolic.parameters import UPPER, Parameters, known_parameters
from locomote.symbolic.plain import boxed
from locomote.symbolic.record import Record, recorded
from locomote.symbolic.simplify import simplified, sympy

if TYPE_CHECKING:
    from locomote.symbolic.reduced import ReducedEquations

LARGEST, LARGEST_QUOTIENT = 120, 150  # operations of a function that is still written out, without and with divisions
FORMS = ("sympy", "latex", "text")
SHORT = {"mass": "m", "center": "c", "inertia": "I", "origin": "l", "stiffness": "k", "damping": "d", "rest": "rest"}
READABLE = 12  # denominators up to this are shown as fractions, others as decimals


@dataclass(frozen=True)
class Equations:
    """Results of a function as SymPy matrices.

    results : by the names that the function's results have ; values : number of each symbol that stands for a parameter
    `str` and `latex()` show one line an entry.
    """

    function: str
    results: dict[str, Any]
    values: dict[Any, float]
    names: dict[str, list[list[str]]]

    def lines(self) -> list[tuple[str, Any]]:
        """(name, expression) of each entry; of matrices, only those that are not zero."""
        found = []
        for result, matrix in self.results.items():
            for i, row in enumerate(self.names[result]):
                for j, name in enumerate(row):
                    if matrix.cols == 1 or matrix[i, j] != 0:
                        found.append((name, decimals(matrix[i, j])))
        return found

    def __str__(self) -> str:
        return "\n".join(f"{name} = {expression}" for name, expression in self.lines())

    def latex(self) -> str:
        """For a document: lines that are aligned at their equality signs."""
        sp = sympy()
        lines = [rf"{sp.latex(sp.Symbol(name))} &= {sp.latex(expression)}" for name, expression in self.lines()]
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def _repr_latex_(self):
        return f"$$\n{self.latex()}\n$$"


def equations(
    model: "Model | Locomotion", function: str = "inverse_dynamics", *, parameters: Sequence[str] | str = (),
    form: str = "sympy", seconds: float = 20.0, velocities: Sequence[str] | None = None, **place,
) -> "Equations | ReducedEquations | str":  # fmt: skip
    """What a function of a small system is, in symbols: q_JOINT, v_JOINT, a_JOINT, tau_JOINT, and parameters such as m_BODY.

    Of a problem, a lo.Locomotion: its reduced model, H, J, M_r, f_r and tau of Boyer and Belkhiri, whatever its size; of
    larger ones, or with seconds=0, common parts are named, and form may be python or c, too.

    parameters : names of numbers that become symbols, as for `symbolic`, or "all"; entries that are zero there stay zero.
        BODY.mass m, .center c, .inertia I; JOINT.origin l, .stiffness k, .damping d; gravity g (downward, if along an axis)
    form : sympy gives Equations, latex and text a string ; seconds : how long to look for shorter forms
    body, point, frame : of functions that take them
    velocities : of problems, names of the reduced velocities ("base.vx", ...); chosen if None
    """
    if isinstance(model, Locomotion):
        from locomote.symbolic.reduced import reduced_equations

        if place or function != "inverse_dynamics":
            raise ValueError("equations of a problem are those of its reduced model; give its model for a function of that")
        return reduced_equations(model, velocities=velocities, parameters=parameters, form=form, seconds=seconds)
    if velocities is not None:
        raise ValueError("velocities are those of a problem with constraints, a lo.Locomotion; functions of models have none")
    if form not in FORMS:
        raise UnknownName("form", form, FORMS, "equations")
    sp = sympy()
    known = known_parameters(model)
    chosen = Parameters.of(model, relevant(known, function) if parameters == "all" else parameters)
    record = recorded(model, function, parameters=chosen, symbols=chosen.values != 0.0, **place)
    refuse(model, function, record)
    symbols = {label: boxed(sp.symbols(names_of(model, label), real=True)) for label in record.inputs if label != "p"}
    values = {}
    if chosen.names:
        symbols["p"], values = parameter_symbols(chosen)
    found = record.again(symbols, sp, rational)
    motion = [x for label in ("a", "v", "tau") for x in symbols.get(label, ())]
    deadline = time.monotonic() + seconds
    results, names = {}, {}
    for label, array in found.items():
        array = array.reshape(-1, 1) if array.ndim == 1 else array.reshape(-1, array.shape[-1])
        results[label] = sp.Matrix([[simplified(sp.sympify(x), motion, deadline) for x in row] for row in array])
        names[label] = entry_names(model, label, array.shape)
    present = set().union(*(matrix.free_symbols for matrix in results.values()))
    made = Equations(function, results, {x: number for x, number in values.items() if x in present}, names)
    return made if form == "sympy" else made.latex() if form == "latex" else str(made)


def relevant(known: dict[str, np.ndarray], function: str) -> list[str]:
    """Parameters that are not zero and that a function may depend on."""
    passive = function in ("passive_force", "spring_energy")
    springs = ("stiffness", "rest", "damping")
    return [name for name, value in known.items() if value.any() and (name.rpartition(".")[2] in springs) == passive]


def refuse(model: Model, function: str, record: Record) -> None:
    """Say so where equations would not be readable."""
    codes = [code for code, *_ in record.operations]
    largest = LARGEST_QUOTIENT if tr.DIV in codes else LARGEST
    if len(codes) > largest:
        raise ValueError(
            f"{function} of {model.name!r} takes {len(codes)} operations; equations are written out up to {largest}: take "
            f"fewer bodies, fewer parameters or a simpler base, or use lo.symbolic for functions of any size"
        )
    if set(codes) & {tr.SELECT, tr.LESS, tr.LESS_EQUAL, tr.EQUAL, tr.NOT_EQUAL, tr.ATAN2, tr.FLOOR, tr.EXP, tr.LOG}:
        raise ValueError(
            f"{function} of {model.name!r} goes by cases (friction, springs of planar, spherical or free joints), which "
            f"equations do not show; use lo.symbolic"
        )


def plain(name: str) -> str:
    """A name that can be part of a symbol's."""
    return re.sub(r"\W+", "_", name).strip("_")


def names_of(model: Model, label: str) -> list[str]:
    """Names of the entries of an input, or of anything that has an entry for each coordinate of v."""
    vector = "q" if label == "q" else "v"
    slots = [slot for slot in model.layout() if slot.vector == vector]
    several = {slot.joint for slot in slots if sum(other.joint == slot.joint for other in slots) > 1}
    return [f"{label}_{plain(s.joint)}" + (f"_{plain(s.name)}" if s.joint in several else "") for s in slots]


def entry_names(model: Model, label: str, shape: tuple[int, ...]) -> list[list[str]]:
    """Names of the entries of a result."""
    if label == "energy":
        return [[label]]
    own = names_of(model, "v")
    if shape[0] == model.nv and label in ("tau", "a"):
        return [[name] for name in names_of(model, label)]
    if shape == (model.nv, model.nv):
        short = [name[2:] for name in own]
        return [[f"{label}_{a}_{b}" for b in short] for a in short]
    rows = list("xyz") if shape[0] == 3 else [str(k) for k in range(shape[0])]
    columns = [""] if shape[1] == 1 else [f"_{k}" for k in range(shape[1])]
    return [[f"{label}_{row}{column}" for column in columns] for row in rows]


def parameter_symbols(chosen: Parameters) -> tuple[np.ndarray, dict]:
    """A symbol for each entry of the vector of parameters (zero for those that are zero), and the numbers they stand for."""
    sp, entries, numbers = sympy(), [], {}
    for name, value in chosen.defaults.items():
        owner, _, what = name.rpartition(".")
        alone = np.count_nonzero(value) == 1
        for k, number in enumerate(value):
            if name == "gravity":
                label, sign = ("g", -1.0 if number < 0 else 1.0) if alone else (f"g_{'xyz'[k]}", 1.0)
            else:
                part = "" if alone else "_" + ("xyz"[UPPER[k][0]] + "xyz"[UPPER[k][1]] if what == "inertia" else index(what, k))
                label, sign = f"{SHORT[what]}_{plain(owner)}{part}", 1.0
            # a mass is known to be positive, so that it may be cancelled and taken out of roots
            symbol = sp.Symbol(label, positive=True) if what == "mass" else sp.Symbol(label, real=True)
            entries.append(symbol * int(sign) if number else sp.Integer(0))
            if number:
                numbers[symbol] = float(number * sign)
    return boxed(entries), numbers


def index(what: str, k: int) -> str:
    """The name of an entry: a letter of a place, a number of a coordinate."""
    return "xyz"[k] if what in ("center", "origin") else str(k)


def rational(value: float):
    """A float as an exact number, a short one if it is meant to be one."""
    short = Fraction(value).limit_denominator(10**6)
    exact = short if abs(float(short) - value) <= 1e-14 * abs(value) else Fraction(repr(value))
    return sympy().Rational(exact.numerator, exact.denominator)


def decimals(expression):
    """Unwieldy fractions as decimals."""
    sp = sympy()
    odd = [r for r in expression.atoms(sp.Rational) if r.q > READABLE]
    return expression.xreplace({r: sp.Float(sp.N(r, 6), 6) for r in odd})
