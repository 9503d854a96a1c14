"""A function of models, declared once: what the public call, batches, flexible and coupled models, symbols, specialised code,
benchmarks and the reference page make of it follows from here.

The public function tries `one.call` (or `loaded.call`, with wrenches) on what it was given, which is the whole of an ordinary
call, and hands everything else to `checked`:

    checks of inputs -> a specialised function -> coupled joints -> flexible bodies -> one by one, rows or lanes -> checks
"""

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import float64, int64, types

from locomote.compiler.lanes import WIDTH
from locomote.compiler.records import record_type
from locomote.compiler.scratch_layout import Size
from locomote.dynamics import dispatch
from locomote.dynamics.wrenches import gathered, on_bodies
from locomote.kernels.entries import Output, Recursion, entry
from locomote.model.flexible.packing import Tree
from locomote.model.model import Model

# names of arrays that a model holds for kernels -> the slot that has them, and their types
FRAMES, NAMED_BODIES = ("carrier", "placement"), ("carrier", "placement", "parents", "inertias")
HELD = {(): dispatch.TREE, FRAMES: dispatch.FRAMED_TREE, NAMED_BODIES: dispatch.NAMED_TREE, ("springs",): dispatch.SPRUNG_TREE}
TYPES = {
    "carrier": dispatch.INT_VECTOR,
    "placement": dispatch.MATRIX,
    "parents": dispatch.INT_VECTOR,
    "inertias": dispatch.MATRIX,
    "springs": dispatch.MATRIX,
}
OF_RANK = (dispatch.VECTOR, dispatch.VECTOR, dispatch.MATRIX, dispatch.CUBE)
COUNTS = {"nv": dispatch.NV, "named": dispatch.NAMED, "rows": dispatch.MOVING}
FUNCTIONS: dict[str, "ModelFunction"] = {}  # those that were declared so far, by name: ask `all_functions`


# how a result for uncoupled velocities becomes one for those that coupled joints leave; G is the matrix between them


def same(x: np.ndarray, G: np.ndarray) -> np.ndarray:
    """What does not know velocities."""
    return x


def columns(x: np.ndarray, G: np.ndarray) -> np.ndarray:
    """(..., nv) forces, and matrices with a column for each velocity."""
    return x @ G


def square(x: np.ndarray, G: np.ndarray) -> np.ndarray:
    """(nv, nv) matrices."""
    return G.T @ x @ G


class ModelFunction:
    """One function of models.

    module : that of the public function, where kernels are put ; recursion : what it runs for rigid bodies
    what : it gives, for errors ; group : class of named tuples of several results
    folded : what becomes of each result where joints are coupled: `same`, `columns`, `square`
    coupled : (model, arrays, wrenches, threads, fixed) -> results, if that takes more; of flexible models too, without the next
    flexible : (model, arrays, loads, threads, fixed) -> results, of models with flexible bodies: a FlexibleFunction, or one
        made of such
    many : how batches go: in "lanes", or in "rows" by one kernel ; instead : (model, arrays) -> results where the kernel
        cannot be asked, None where it can ; refuse : (model, arrays, results, fixed) raises if results are not finite
    options : names of further arguments of the public function that are not numeric, the first of which must be given
    arranged : (model, **options) -> the fixed arguments of the recursion
    formula : what it computes, in TeX ; traced : whether there is a symbolic one ; seldom : not among what is compiled ahead
    """

    def __init__(
        self,
        module: str,
        recursion: Recursion,
        what: str,
        *,
        group: type | None = None,
        folded: Callable = same,
        coupled: Callable | None = None,
        flexible: Callable | None = None,
        many: str = "rows",
        instead: Callable | None = None,
        refuse: Callable | None = None,
        options: tuple[str, ...] = (),
        arranged: Callable | None = None,
        formula: str = "",
        traced: bool = True,
        seldom: bool = False,
    ):
        self.recursion, self.name, self.what, self.group, self.folded = recursion, recursion.name, what, group, folded
        self.coupled, self.flexible, self.many, self.instead = coupled, flexible, many, instead
        self.refuse = refuse or (lambda model, arrays, results, fixed: dispatch.refuse_overflow(model, results, what))
        self.options, self.arranged, self.formula, self.module = options, arranged, formula, module
        self.traced, self.seldom = traced, seldom
        self.held, kernel = HELD[recursion.held], entry(recursion, "one", module)
        results = [dispatch.Result(tuple(size_of(n) for n in x.shape), x.zeros) for x in recursion.outputs]
        plain = dispatch.PLAIN_TREE if recursion.loaded and not recursion.held else self.held
        self.one = dispatch.Entry(kernel, self._signature(dispatch.VECTOR, dispatch.NONE), results, group, plain)
        self.loaded: Any = (
            dispatch.Entry(kernel, self._signature(dispatch.VECTOR, dispatch.MATRIX), results, group, self.held)
            if recursion.loaded
            else None
        )
        kernel, ends = entry(recursion, many, module), (dispatch.WHOLE, dispatch.WHOLE) if many == "lanes" else ()
        self.batch = dispatch.Entry(kernel, (*self._signature(dispatch.MATRIX, dispatch.NONE), *ends))
        self.batch_loaded = (
            dispatch.Entry(kernel, (*self._signature(dispatch.MATRIX, dispatch.MATRIX), *ends)) if recursion.loaded else None
        )
        FUNCTIONS[self.name] = self

    def _signature(self, inputs, loads) -> tuple:
        """Argument types of a kernel; in lanes, all results are matrices."""
        r = self.recursion
        if inputs is dispatch.VECTOR:
            results = [OF_RANK[len(x.shape)] for x in r.outputs]
        else:
            ranks = [2 if self.many == "lanes" else 1 + max(len(x.shape), 1) for x in r.outputs]
            results = [types.Array(float64, rank, "C") for rank in ranks]
        own = [*(TYPES[x] for x in r.held), *r.fixed.values(), *[inputs] * len(r.inputs), *([loads] if r.loaded else [])]
        return (dispatch.INTS, dispatch.MATRIX, *own, *results)

    @property
    def entries(self) -> list[dispatch.Entry]:
        """All kernels with their argument types."""
        return [x for x in (self.one, self.loaded, self.batch, self.batch_loaded) if x is not None]

    @property
    def public(self) -> Callable:
        """The public function."""
        return getattr(sys.modules[self.module], self.name)

    @property
    def takes_wrenches(self) -> bool:
        """Whether the public function does."""
        return "wrenches" in inspect.signature(self.public).parameters

    def checked(self, model: Model, *given, wrenches=None, threads: int = 1, fixed: Sequence = ()) -> Any:
        """The way of all calls that are not plain: inputs are checked and broadcast, results looked at."""
        r = self.recursion
        arrays = dispatch.checked_state(model, given[0], **dict(zip(r.inputs[1:], given[1:], strict=True)))
        threads = dispatch.checked_threads(threads)
        if self.instead and (found := self.instead(model, arrays)) is not None:
            return found
        special = None if fixed or wrenches is not None else dispatch.run_specialised(model, self.name, arrays, threads)
        if special:
            results = [x.reshape((*x.shape[:-1], *shape_at(y, model))) for x, y in zip(special, r.outputs, strict=True)]
        elif self.coupled and (model.coupling or (model.flexible and not self.flexible)):
            return self.grouped(self.coupled(model, arrays, wrenches, threads, fixed))
        elif c := model.coupling:
            full = [c.expand_q(arrays[0]), *map(c.expand_v, arrays[1:])]
            found = self.checked(model.unfolded, *full, wrenches=wrenches, threads=threads, fixed=fixed)
            return self.grouped([self.folded(x, c.v_matrix) for x in ([found] if self.group is None else found)])
        elif model.flexible and self.flexible:
            results = self.flexible(model, arrays, self.loads(model, wrenches), threads, fixed)
        else:
            results = self._over_rows(model, arrays, wrenches, threads, fixed)
        self.refuse(model, arrays, results, fixed)
        return self.grouped(results)

    def loads(self, model: Model, wrenches) -> np.ndarray | None:
        """External wrenches as the recursion takes them: (..., moving or named bodies, 6), or None."""
        if not self.recursion.loaded:
            return None
        return (on_bodies if self.recursion.on_named else gathered)(model, wrenches)

    def grouped(self, results: Sequence[np.ndarray]) -> Any:
        """Results as the public function gives them."""
        return results[0] if self.group is None else self.group(*results)

    def _over_rows(self, model: Model, arrays: list[np.ndarray], wrenches, threads: int, fixed: Sequence) -> list[np.ndarray]:
        loads = self.loads(model, wrenches)
        if loads is not None:
            arrays = [*arrays, loads.reshape(*loads.shape[:-2], 6 * loads.shape[-2])]
        lead, rows = dispatch.broadcast(arrays)
        outputs = self.recursion.outputs
        found = [(np.zeros if x.zeros else np.empty)((len(rows[0]), *(shape_at(x, model) or (1,)))) for x in outputs]
        self.fill(model, rows, found, threads, fixed)
        return [x.reshape((*lead, *shape_at(y, model))) for x, y in zip(found, outputs, strict=True)]

    def fill(self, model: Model, rows: Sequence[np.ndarray], found: Sequence[np.ndarray], threads: int, fixed: Sequence = ()):
        """Fill results (N, ...) from rows of inputs, and of wrenches if there are any."""
        r, count, tree = self.recursion, len(rows[0]), getattr(model, self.held.slot)
        inputs, loaded = list(rows[: len(r.inputs)]), len(rows) > len(r.inputs)
        if count == 1 or (self.many == "lanes" and dispatch.few(count)):
            inputs += [rows[-1].reshape(count, rows[-1].shape[1] // 6, 6) if loaded else None] if r.loaded else []
            one = self.loaded if loaded else self.one
            dispatch.run_rows(one, (*tree, *fixed), inputs, found)
            return
        inputs += [rows[-1] if loaded else None] if r.loaded else []
        batch = self.batch_loaded if loaded else self.batch
        assert batch is not None
        if self.many == "lanes":
            dispatch.run_lanes(batch, (*tree, *fixed), [*inputs, *(x.reshape(count, -1) for x in found)], count, threads)
        else:
            dispatch.run_shares(batch, (*tree, *fixed), [*inputs, *found], count, threads)


def all_functions() -> dict[str, ModelFunction]:
    """Every function of models, by name, after all modules of this folder are imported."""
    folder = __name__.rpartition(".")[0]
    for module in pkgutil.iter_modules(sys.modules[folder].__path__):
        importlib.import_module(f"{folder}.{module.name}")
    return FUNCTIONS


class FlexibleFunction:
    """A function of models with flexible bodies, on checked inputs.

    what : it gives, for the error if that is not finite; empty where the caller looks itself
    lanes : whether batches go in lanes ; looked : refuse shapes that no rod can have
    """

    def __init__(self, module: str, recursion: Recursion, what: str = "", *, lanes: bool = False, looked: bool = True):
        self.recursion, self.what, self.looked = recursion, what, looked
        self.kernel = entry(recursion, "rows", module)
        self.batch = entry(recursion, "lanes", module) if lanes else None

    @property
    def needs(self) -> list[tuple[Callable, tuple]]:
        """Its kernels with their argument types."""
        own = self.recursion
        inputs = len(own.inputs) + own.loaded
        first = (record_type(Tree), dispatch.MATRIX, *(TYPES[x] for x in own.held), *own.fixed.values())
        arrays = [types.Array(float64, 1 + len(x.shape), "C") for x in own.outputs]
        found = [(self.kernel, (*first, *[dispatch.MATRIX] * inputs, *arrays))]
        if self.batch is not None:
            found.append((self.batch, (*first, *[dispatch.MATRIX] * (inputs + len(arrays)), int64, int64)))
        return found

    def __call__(self, model: Model, arrays: Sequence[np.ndarray], loads=None, threads: int = 1, fixed: Sequence = ()):
        """Results (..., *shape) for states (..., n)."""
        return over_rows(
            model, [*arrays, *([padded_loads(model, loads, self.recursion.on_named)] if self.recursion.loaded else [])],
            [shape_at(x, model, fixed) for x in self.recursion.outputs],
            lambda *rows: self._run(model, rows, threads, fixed), self.what, self.looked,
        )  # fmt: skip

    def _run(self, model: Model, arrays: Sequence[np.ndarray], threads: int, fixed: Sequence) -> None:
        own = dict(zip(NAMED_BODIES, (*model.frames, *model.named), strict=True))
        tree, count = (model._soft, model._strain, *(own[x] for x in self.recursion.held), *fixed), len(arrays[0])
        if self.batch is None or dispatch.few(count):
            self.kernel(*tree, *arrays)
            return
        flat = [x.reshape(count, -1) if x.ndim > 2 else x for x in arrays]
        dispatch.in_shares(lambda start, stop: self.batch(*tree, *flat, start, stop), count, WIDTH, threads)  # type: ignore[misc]


def over_rows(
    model: Model, arrays: Sequence[np.ndarray], shapes: Sequence[tuple[int, ...]], call, what: str, looked=True
) -> list[np.ndarray]:
    """Results (..., *shape) of `call(*inputs, *results)` for all states of checked inputs (..., n), as rows."""
    lead, rows = dispatch.broadcast(arrays)
    if looked:
        refuse_torn(model, rows[0])
    results = [np.zeros((len(rows[0]), *shape)) for shape in shapes]
    call(*rows, *results)
    if what:
        dispatch.refuse_overflow(model, results, what)
    return [out.reshape(*lead, *out.shape[1:]) for out in results]


def refuse_torn(model: Model, q: np.ndarray) -> None:
    """Raise if a rod is turned or pressed, in some of many configurations (N, nq), beyond what it can be."""
    limits = model.flexible.limits if model.flexible else None
    if limits is not None and (said := limits.why_not(q)):
        raise ValueError(f"model {model.name!r}: {said}")


def padded_loads(model: Model, loads: np.ndarray | None, on_named: bool = False) -> np.ndarray:
    """External wrenches (..., rows, 6) as (..., 6 rows), zero where there are none; or on named bodies."""
    count = len(model.body_names) if on_named else len(model.topology)
    if loads is None:
        return np.zeros(6 * count)
    padded = np.zeros((*loads.shape[:-2], count, 6))
    padded[..., : loads.shape[-2], :] = loads
    return padded.reshape(*loads.shape[:-2], 6 * count)


def size_of(size: int | Size) -> Any:
    """A size of a result as a call from Python finds it among the arguments of a kernel."""
    return size if isinstance(size, int) else COUNTS[size.name]


def shape_at(output: Output, model: Model, fixed: Sequence = ()) -> tuple[int, ...]:
    """The shape of a result of a model; `fixed` may begin with frames that stand for those of its named bodies."""
    return tuple(n if isinstance(n, int) else _SIZES[n.name](model, fixed) for n in output.shape)


def _named(model: Model, fixed: Sequence) -> int:
    return len(fixed[0]) if fixed and isinstance(fixed[0], np.ndarray) else len(model.body_names)


_SIZES: dict[str, Callable[[Model, Sequence], int]] = {
    "nv": lambda model, fixed: model.nv,
    "named": _named,
    "stations": lambda model, fixed: 0 if model._soft is None else len(model._soft.stations),
}
