"""Reduced models of problems with constraints, to be read: H, J, M_r, f_r and tau as formulas.

Reduced velocities nu are some of those that are not imposed, by name; the others follow from the independent rows, whose
columns A_k over them are inverted by elimination, with pivots that numbers at the start choose (constants before others):

    x = H nu + J r_a' + x_b ,   H = [-A_k^-1 A_nu ; 1] ,   J = [-A_k^-1 B_a ; 0]                                    (1)
    M_r nu' = f_r ,   f_r = H^T (f# - M_a#^T r_a'' - M# (J r_a'' + gamma)) ,   gamma = [-A_k^-1 (drift) ; 0]        (2)
    tau = m_aa r_a'' + M_a# x' - Q_a + J^T (M# x' + M_a#^T r_a'' - f#) ,   x' = J r_a'' + H nu' + gamma             (3)

Velocities that follow are not symbols: they are written in nu and r_a'. Coordinates of the base that nothing depends on, as
numbers at random show, are taken as zero before all else. Small models are written out and made short. Larger ones have their
common parts named, p1, p2, ..., each a line; the list of lines is a program.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from locomote.errors import UnknownName
from locomote.locomotion.inputs import checked_list
from locomote.locomotion.problem import Locomotion
from locomote.model.base import base_joints
from locomote.model.joints import quaternion_of
from locomote.symbolic import problem as at
from locomote.symbolic import trace as tr
from locomote.symbolic.elimination import Eliminated
from locomote.symbolic.equations import decimals, names_of, parameter_symbols, rational, relevant
from locomote.symbolic.parameters import Parameters, known_parameters
from locomote.symbolic.parts import folded, named_parts
from locomote.symbolic.plain import boxed, zeros
from locomote.symbolic.record import Record, places_of
from locomote.symbolic.simplify import simplified, sympy

WRITTEN_OUT = 150  # operations up to which nothing is named, and forms are made short
FORMS = ("sympy", "latex", "text", "python", "c")
BY_CASES = {tr.SELECT, tr.LESS, tr.LESS_EQUAL, tr.EQUAL, tr.NOT_EQUAL, tr.ATAN2, tr.FLOOR, tr.EXP, tr.LOG}


@dataclass(frozen=True)
class ReducedEquations:
    """The reduced model of a problem as SymPy matrices.

    results : "H", "J", "drift" (x_b, if constraints move), "M", "f", "tau" ; names : of their entries
    parts : (symbol, expression) in order, which results and later parts are written in ; velocities : names of nu
    values : numbers of the symbols that stand for parameters
    """

    problem: str
    velocities: tuple[str, ...]
    parts: list[tuple[Any, Any]]
    results: dict[str, Any]
    names: dict[str, list[list[str]]]
    values: dict[Any, float]
    inputs: tuple[str, ...]

    def lines(self) -> list[tuple[str, Any]]:
        """(name, expression) of parts, then of entries that are not zero (of f and tau, of all)."""
        found = [(str(symbol), decimals(expression)) for symbol, expression in self.parts]
        for result, matrix in self.results.items():
            for i, row in enumerate(self.names[result]):
                for j, name in enumerate(row):
                    if matrix[i, j] != 0 or result in ("f", "tau"):
                        found.append((name, decimals(matrix[i, j])))
        return found

    def __str__(self):
        return "\n".join(f"{name} = {expression}" for name, expression in self.lines())

    def latex(self) -> str:
        """For a document: lines that are aligned at their equality signs."""
        sp = sympy()
        lines = [rf"{sp.latex(sp.Symbol(name))} &= {sp.latex(expression)}" for name, expression in self.lines()]
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def _repr_latex_(self):
        return f"$$\n{self.latex()}\n$$"

    def python(self) -> str:
        """The source of a function of all inputs that returns the results by name, as nested lists."""
        sp = sympy()
        body = [f"    {symbol} = {sp.pycode(expression)}" for symbol, expression in self.parts]
        rows = {label: [", ".join(sp.pycode(x) for x in row) for row in m.tolist()] for label, m in self.results.items()}
        listed = {label: ", ".join(f"[{row}]" for row in own) for label, own in rows.items()}
        made = ["{", *(f"        {label!r}: [{own}]," for label, own in listed.items())]
        head = ["import math", "", "", f"def reduced({', '.join([*self.inputs, *map(str, self.values)])}):"]
        return "\n".join([*head, *body, "    return " + "\n".join([*made, "    }"]), ""])

    def c(self) -> str:
        """The lines as statements of C, for the body of a function; results are variables with their names."""
        sp = sympy()
        return "\n".join(f"const double {name} = {sp.ccode(expression)};" for name, expression in self._exact()) + "\n"

    def _exact(self) -> list[tuple[str, Any]]:
        parts = [(str(symbol), expression) for symbol, expression in self.parts]
        entries = [
            (name, matrix[i, j])
            for label, matrix in self.results.items()
            for i, row in enumerate(self.names[label])
            for j, name in enumerate(row)
        ]
        return parts + entries


def reduced_equations(
    problem: Locomotion, *, velocities: Sequence[str] | None = None, parameters: Sequence[str] | str = (), form: str = "sympy",
    seconds: float = 20.0,
) -> "ReducedEquations | str":  # fmt: skip
    """`equations` of a problem; seconds : how long to look for shorter forms, 0 names common parts instead."""
    if form not in FORMS:
        raise UnknownName("form", form, FORMS, "equations of a problem")
    if not problem.inertia:
        raise ValueError(f"{problem.name!r} has no inertia; its reduced model is its connection, problem.connection(q)")
    setup = Setup(problem, velocities, parameters)
    record, shapes = setup.recorded()
    record = folded(record, setup.indifferent(record))
    codes = {code for code, *_ in record.operations}
    if codes & BY_CASES:
        raise ValueError(f"{problem.name!r} goes by cases (friction, joints with limits), which equations do not show")
    symbols, values, motion = setup.symbols()
    sp, deadline = sympy(), time.monotonic() + seconds
    if len(record.operations) <= WRITTEN_OUT and tr.SQRT not in codes and seconds > 0.0:
        found = record.again(symbols, sp, rational)
        parts = []
        found = {k: boxed([simplified(sp.sympify(e), motion, deadline) for e in x]) for k, x in found.items()}
    else:
        parts, found = named_parts(record, symbols)
    results = {k: sp.Matrix(*shapes[k], [sp.sympify(x) for x in found[k]]) for k in shapes}
    present = set().union(*(x.free_symbols for _, x in parts), *(m.free_symbols for m in results.values()))
    used = {x: value for x, value in values.items() if x in present}
    inputs = tuple(str(x) for label in setup.labels for x in symbols[label])
    made = ReducedEquations(problem.name, setup.velocities, parts, results, setup.names(shapes), used, inputs)
    return {"sympy": lambda: made, "latex": made.latex, "text": lambda: str(made), "python": made.python, "c": made.c}[form]()


class Setup:
    """What is written down, and in which symbols."""

    labels = ("t", "q", "nu", "rate", "acceleration", "nu_rate")

    def __init__(self, problem: Locomotion, velocities, parameters):
        self.problem, self.equations = problem, at.Equations.of(problem)
        model, plan = problem.model, self.equations.plan
        self.free, self.held, self.rows = plan.free, plan.held, list(self.equations.rows)
        self.own = names_of(model, "v")
        layout = [f"{s.joint}.{s.name}" for s in model.layout().slots if s.vector == "v"]
        self.layout = [layout[k] for k in self.free]
        self.place, _ = problem.initial()
        known = known_parameters(model)
        chosen = relevant(known, "inverse_dynamics") if isinstance(parameters, str) and parameters == "all" else parameters
        self.parameters = Parameters.of(model, chosen)
        if any(name.rpartition(".")[2] in ("stiffness", "rest", "damping") for name in self.parameters.names):
            raise ValueError(
                "springs and dampers of a problem are numbers here; name masses, centers, inertias, origins, gravity"
            )
        self.reduced = self._chosen(velocities)
        self.rest = np.setdiff1d(np.arange(len(self.free)), self.reduced)
        self.velocities = tuple(self.layout[k] for k in self.reduced)

    def _chosen(self, velocities) -> np.ndarray:
        import scipy.linalg

        count = len(self.free) - len(self.rows)
        if velocities is None:
            if not self.rows:
                return np.arange(len(self.free))
            scaled = self.problem.scaled_rows(0.0, self.near())[self.rows]
            return np.sort(scipy.linalg.qr(scaled, mode="r", pivoting=True)[1][len(self.rows) :])
        names = list(checked_list("velocities", velocities))
        for name in names:
            if name not in self.layout:
                raise UnknownName("free velocity", name, self.layout, repr(self.problem.name))
        if len(set(names)) != count:
            raise ValueError(f"{self.problem.name!r} has {count} reduced velocities, not {len(set(names))}")
        return np.array([self.layout.index(name) for name in names], dtype=int)

    def near(self) -> np.ndarray:
        """A configuration near the start, where nothing vanishes by chance."""
        return self.problem.model.integrate(self.place, np.random.default_rng(0).normal(scale=0.05, size=self.problem.model.nv))

    def symbols(self) -> tuple[dict[str, np.ndarray], dict, list]:
        """Symbols of all inputs, the numbers of those that are parameters, and those of motion."""
        sp, model = sympy(), self.problem.model
        second = [name.replace("v_", "a_", 1) for name in self.own]
        places = [self.free[k] for k in self.reduced]
        made = {
            "t": [sp.Symbol("t", real=True)],
            "q": [sp.Symbol(x, real=True) for x in names_of(model, "q")],
            "nu": [sp.Symbol(self.own[k], real=True) for k in places],
            "rate": [sp.Symbol(self.own[k], real=True) for k in self.held],
            "acceleration": [sp.Symbol(second[k], real=True) for k in self.held],
            "nu_rate": [sp.Symbol(second[k], real=True) for k in places],
        }
        found, values = {label: boxed(x) for label, x in made.items()}, {}
        if self.parameters.names:
            found["p"], values = parameter_symbols(self.parameters)
        return found, values, [x for label in ("nu_rate", "acceleration", "nu", "rate") for x in made[label]]

    def recorded(self) -> tuple[Record, dict[str, tuple[int, int]]]:
        """The operations that give (1) to (3), and the shapes of the results."""
        trace, counts = tr.Trace(), {"t": 1, "q": self.problem.model.nq, "nu": len(self.reduced), "rate": len(self.held)}
        counts |= {"acceleration": len(self.held), "nu_rate": len(self.reduced)}
        given = {label: boxed(trace.input(count)) for label, count in counts.items()}
        equations = self.equations
        if self.parameters.names:
            counts["p"] = len(self.parameters.values)
            p = boxed(trace.input(counts["p"]))
            p[self.parameters.values == 0.0] = 0.0
            arrays = {name: getattr(equations.plan, name) for name in type(equations.plan).FIELDS}
            arrays |= {"constants": self.parameters.constants(p), "integrals": equations.plan.integrals}
            plan = SimpleNamespace(**arrays)
            equations = at.Equations(self.problem, plan, equations.rows)  # type: ignore[arg-type]
        found = self._results(equations, given)
        results = {label: places_of(trace, matrix.ravel()) for label, matrix in found.items()}
        shapes = {label: matrix.shape for label, matrix in found.items()}
        return Record(trace, {label: (count,) for label, count in counts.items()}, results), shapes

    def indifferent(self, record: Record) -> dict[int, float]:
        """Entries of q that no result depends on: those of the base, one by one, and a quaternion as a whole."""
        rng, model = np.random.default_rng(1), self.problem.model
        places = [int(k) for x in record.results.values() for k in x.ravel()]
        numbers = [np.zeros(1), self.near(), *(rng.normal(size=record.inputs[label][0]) for label in self.labels[2:])]
        numbers = np.concatenate([*numbers, self.parameters.values] if self.parameters.names else numbers)
        before = tr.evaluate(record.trace, places, numbers)
        fixed: dict[int, float] = {}
        for joint in base_joints(model):
            part, neutral = model.joint(joint.name).q, model.neutral()
            first = quaternion_of(joint.kind)
            turn = [] if first is None else list(range(part.start + first, part.stop))
            for group in [[k] for k in range(part.start, part.stop) if k not in turn] + ([turn] if turn else []):
                moved = numbers.copy()
                changed = rng.normal(size=len(group))
                moved[1 + np.array(group)] = changed / np.linalg.norm(changed) if len(group) > 1 else changed
                after = tr.evaluate(record.trace, places, moved)
                if np.allclose(after, before, rtol=1e-9, atol=1e-9 * max(1.0, abs(before).max(initial=0.0))):
                    fixed |= {1 + k: float(neutral[k]) for k in group}
        return fixed

    def _results(self, equations: at.Equations, given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        nv, free, held, rest, reduced = self.problem.model.nv, self.free, self.held, self.rest, self.reduced
        t, q, none = given["t"][0], given["q"], zeros(nv)
        torques = equations.torques(t) if len(self.problem.plan.torque_rows) else zeros(nv)
        still = equations.state(q, none, none, none, t)
        A = still.work.A[self.rows][:, free] if self.rows else zeros((0, len(free)))
        B = still.work.A[self.rows][:, held] if self.rows else zeros((0, len(held)))
        b = still.work.speed[self.rows] if self.rows else zeros(0)
        inverse = Eliminated(A[:, rest], self._numbers())
        H, J, moving = zeros((len(free), len(reduced))), zeros((len(free), len(held))), zeros(len(free))
        H[reduced, np.arange(len(reduced))] = 1.0
        H[rest], J[rest], moving[rest] = -inverse.times(A[:, reduced]), -inverse.times(B), -inverse.times(b[:, None])[:, 0]
        v = zeros(nv)
        v[held], v[free] = given["rate"], H @ given["nu"] + J @ given["rate"] + moving
        state = equations.state(q, v, none, torques, t)
        work = state.work
        if not self.rows:  # mass and bias are not asked for without rows
            equations.fill(work, q, v, none)
        gamma = zeros(len(free))
        gamma[rest] = -inverse.times(work.drift[self.rows][:, None])[:, 0] if self.rows else zeros(0)
        M, force = work.M, state.force - work.bias
        whole, across, last = M[np.ix_(free, free)], M[np.ix_(held, free)], M[np.ix_(held, held)]
        second, ahead = J @ given["acceleration"] + gamma, given["acceleration"]
        f = H.T @ (force[free] - across.T @ ahead - whole @ second)
        x = second + H @ given["nu_rate"]
        tau = last @ ahead + across @ x - force[held] + J.T @ (whole @ x + across.T @ ahead - force[free])
        made = {"H": H, "J": J, "M": H.T @ (whole @ H), "f": f[:, None], "tau": tau[:, None]}
        if any(isinstance(e, tr.Number) or e != 0.0 for e in moving):
            made["drift"] = moving[:, None]
        return {label: made[label] for label in ("H", "J", "drift", "M", "f", "tau") if label in made}

    def _numbers(self) -> np.ndarray:
        """A_k as numbers, near the start."""
        q = self.near()
        rows = self.problem.rows(0.0, q)[0] if self.rows else np.zeros((0, self.problem.model.nv))
        return rows[self.rows][:, self.free[self.rest]]

    def names(self, shapes: dict[str, tuple[int, int]]) -> dict[str, list[list[str]]]:
        """Names of the entries of the results."""
        unknown = [self.own[k].removeprefix("v_") for k in self.free]
        nu, imposed = [unknown[k] for k in self.reduced], [self.own[k].removeprefix("v_") for k in self.held]
        found = {
            "H": [[f"H_{x}_{y}" for y in nu] for x in unknown],
            "J": [[f"J_{x}_{y}" for y in imposed] for x in unknown],
            "drift": [[f"drift_{x}"] for x in unknown],
            "M": [[f"M_{x}_{y}" for y in nu] for x in nu],
            "f": [[f"f_{x}"] for x in nu],
            "tau": [[f"tau_{x}"] for x in imposed],
        }
        return {label: found[label] for label in shapes}
