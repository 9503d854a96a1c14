"""`compile`: functions of one model as straight-line vector code, for batches."""

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from locomote.compiled.kernel import LIMIT, RowKernel, code_of
from locomote.compiled.library import Code, kept, key_of
from locomote.compiled.program import traced
from locomote.compiled.vectors import Lanes
from locomote.compiler.lanes import WIDTH
from locomote.dynamics.dispatch import SPECIALISED, as_rows
from locomote.dynamics.wrenches import checked
from locomote.model.model import Model, checked_model, common_lead
from locomote.symbolic.functions import function_named

USUAL = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_dynamics_derivatives", "forward_dynamics_derivatives")


def compile(
    model: Model,
    functions: str | Sequence[str] | Mapping[str, Mapping[str, Any]] = USUAL,
    *,
    lanes: int | str = "auto",
    dtype: str = "float64",
) -> "Compiled":
    """Specialise functions of a model: no loop, no branch, zeros and ones of its geometry folded, several states at once.

    functions : names of public functions; as a mapping, name to further arguments, such as {"jacobian": {"body": "foot"}} or
        {"inverse_dynamics": {"wrenches": True}}, which then takes wrenches (..., bodies, 6) after the others
    lanes : states in one register: 2, 4, 8 (16 of float32), or "auto" for what the processor has
    dtype : "float64" or "float32"
    Code is kept on disk. From now on the public functions use it for batches of this model (float64, without wrenches).
    A function that would take too many operations is not specialised: see `str` of the result.
    """
    checked_model(model)
    width = lane_count(lanes, dtype)
    if isinstance(functions, str):
        functions = (functions,)
    for name in functions:
        function_named(name)  # says what names there are
    wanted = functions if isinstance(functions, Mapping) else {name: {} for name in functions}
    vectors = Lanes(width, "double" if dtype == "float64" else "float")
    made = {name: specialised(model, name, dict(options), vectors) for name, options in wanted.items()}
    for name, kernel in made.items():
        if dtype == "float64" and isinstance(kernel, Kernel) and not wanted[name]:
            SPECIALISED[model.digest, name] = kernel
    return Compiled(model, made, (dict(wanted), lanes, dtype))


def lane_count(lanes: int | str, dtype: str) -> int:
    """Lanes of a vector, checked."""
    if dtype not in ("float64", "float32"):
        raise ValueError(f"dtype must be 'float64' or 'float32', not {dtype!r}")
    factor = 1 if dtype == "float64" else 2
    if lanes == "auto":
        return WIDTH * factor
    allowed = [2 * factor, 4 * factor, 8 * factor]
    if isinstance(lanes, bool) or lanes not in allowed:
        raise ValueError(f"lanes must be 'auto' or one of {', '.join(map(str, allowed))} for {dtype}, not {lanes!r}")
    return int(lanes)


def specialised(model: Model, name: str, options: dict, lanes: Lanes) -> "Kernel | Refused":
    """The kernel of one function, from disk or made now."""
    function_named(name)
    start = time.perf_counter()
    key = key_of(lanes, model.digest, name, json.dumps(options, sort_keys=True, default=repr))
    code, there = kept(key, lambda: code_of(*traced(model, name, options), lanes))
    if not code.binary:
        return Refused(name, code.operations)
    return Kernel(model, name, options, lanes, code, time.perf_counter() - start, there)


class Refused:
    """A function that is better left to loops on lanes."""

    def __init__(self, name: str, operations: int):
        self.name, self.operations = name, operations

    def __str__(self) -> str:
        return (
            f"{self.name}: not specialised, {self.operations} operations are more than {LIMIT}; batches go on lanes as before"
        )


class Kernel(RowKernel):
    """A specialised function, called as the public one, always for batches (..., n)."""

    def __init__(self, model: Model, name: str, options: dict, lanes: Lanes, code: Code, seconds: float, from_disk: bool):
        super().__init__(lanes, code)
        self.model, self.name, self.seconds, self.from_disk = model, name, seconds, from_disk
        self._inputs = (*function_named(name).inputs, *(["wrenches"] if options.get("wrenches") else []))

    def __str__(self) -> str:
        how = "from disk" if self.from_disk else "compiled"
        return (
            f"{self.name}: {self.code.operations} operations on {self.lanes.width} {self.dtype}, {how} in {self.seconds:.2f} s"
        )

    def __call__(self, *inputs, threads: int = 1):
        """Results as the public function gives them, a tuple if there are several."""
        if len(inputs) != len(self._inputs):
            raise ValueError(f"{self.name} takes {', '.join(self._inputs)}: {len(self._inputs)} arrays, not {len(inputs)}")
        arrays = [self._checked(label, x) for label, x in zip(self._inputs, inputs, strict=True)]
        lead = common_lead(arrays)
        rows = self.run([as_rows(x, lead) for x in arrays], threads)
        results = [out.reshape(*lead, *shape) for out, shape in zip(rows, self.code.results, strict=True)]
        if function_named(self.name).results == ("energy",):  # one number, not a vector of one
            return results[0][..., 0]
        return tuple(results) if len(results) > 1 else results[0]

    def _checked(self, label: str, x) -> np.ndarray:
        """An input as a float array (..., n), or the error that says what is wrong with it."""
        if label == "wrenches":
            array = checked(x, (len(self.model.body_names), 6), "wrenches")
            return array.reshape(*array.shape[:-2], -1)
        return self.model.checked_q(x) if label == "q" else self.model.checked_v(x, label)


def compiled_again(model: Model, functions, lanes, dtype: str) -> "Compiled":
    """`compile` with all arguments in order, as pickle wants it; the code comes from disk."""
    return compile(model, functions, lanes=lanes, dtype=dtype)


class Compiled:
    """Specialised functions of a model, by name: `compiled.inverse_dynamics(q, v, a)`. `str` tells what was made."""

    def __init__(self, model: Model, kernels: "dict[str, Kernel | Refused]", made_with: tuple):
        self.model, self.kernels, self._made_with = model, kernels, made_with

    def __reduce__(self):
        return compiled_again, (self.model, *self._made_with)

    def __getattr__(self, name: str) -> Kernel:
        kernel = self.__dict__.get("kernels", {}).get(name)
        if not isinstance(kernel, Kernel):
            known = ", ".join(n for n, k in self.__dict__.get("kernels", {}).items() if isinstance(k, Kernel)) or "none"
            raise AttributeError(f"no specialised function {name!r} here; there are: {known}")
        return kernel

    def __dir__(self):
        return [*super().__dir__(), *self.kernels]

    def __repr__(self) -> str:
        return f"<Compiled {self.model.name!r}: {', '.join(self.kernels)}>"

    def __str__(self) -> str:
        return "\n".join([f"{self.model.name}:", *(f"  {kernel}" for kernel in self.kernels.values())])
