"""Everything that this library uses of Numba beyond what Numba documents; the only file that imports from inside it.

Two things are done here that Numba has no option for.

Parts (helpers, routines, overloads) exist to be taken into kernels. Numba optimises each of them, makes machine code of
it, wraps it for C, and compiles it once more for every set of options among its callers: most of the time of a compilation, for
code that never runs. A part here is lowered once for its argument types, with options of its own (never those of the
caller, so that a kernel does not depend on who was compiled before), and its code waits as it is until a kernel takes it in.

A kernel keeps its copies of parts to itself. LLVM would unite the functions of one name in all kernels of a process, and so a
kernel would run the copy that was loaded first, optimised in other surroundings, with other roundings.
"""

import gc
import pickle
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm
import numba
from numba.core import caching
from numba.core import cgutils as cgutils
from numba.core.ccallback import CFunc as CFunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder
from numba.core.environment import lookup_environment
from numba.core.errors import NumbaError as NumbaError
from numba.core.imputils import impl_ret_borrowed as impl_ret_borrowed
from numba.core.imputils import impl_ret_new_ref as impl_ret_new_ref
from numba.core.registry import CPUDispatcher
from numba.core.runtime.nrt import rtsys as rtsys
from numba.core.serialize import dumps
from numba.core.typeconv.castgraph import Conversion as Conversion
from numba.core.typing.templates import AttributeTemplate as AttributeTemplate
from numba.core.typing.templates import ConcreteTemplate as ConcreteTemplate
from numba.core.typing.templates import infer as infer
from numba.core.typing.templates import infer_global as infer_global
from numba.core.typing.templates import make_overload_template
from numba.core.typing.templates import signature as signature
from numba.np.arrayobj import make_array as make_array
from numba.np.arrayobj import populate_array as populate_array

from locomote.compiler.fingerprint import STANDING_FOR, Kernel
from locomote.compiler.locks import give_back
from locomote.compiler.notice import while_compiling

KernelCache = caching.NullCache
TRIED = ("0.68",)  # versions of Numba with which all tests passed; pyproject.toml has the same bounds
# contract fuses a*b+c; nothing that lets a NaN vanish or reorders a sum (measured: no gain)
FASTMATH = {"contract", "nsz", "arcp"}
_ENVIRONMENT = "_ZN08NumbaEnv"  # how the names of variables begin that hold what a function's exceptions need


class _NoMachineCode:
    """What stands for the code generator where Numba asks a part's library for it: there is no variable to set."""

    def set_env(self, name: str, environment: object) -> None:
        pass


class _PartLibrary(JITCodeLibrary):
    """Code that waits to be taken into a kernel: neither optimised nor made machine code of."""

    codegen = _NoMachineCode()  # type: ignore[assignment]

    def _optimize_final_module(self):
        pass

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0


class _KernelLibrary(JITCodeLibrary):
    """Machine code of a kernel, with its own copies of all parts."""

    def _optimize_final_module(self):
        own = {f.name for f in self._final_module.functions if f.linkage == llvm.Linkage.external}
        for function in self._final_module.functions:
            if not function.is_declaration and function.name not in own:
                function.linkage = "internal"
        super()._optimize_final_module()

    def _finalize_final_module(self):
        super()._finalize_final_module()
        for variable in self._final_module.global_variables:
            if variable.name.startswith(_ENVIRONMENT):
                environment = lookup_environment(variable.name)
                if environment is not None:
                    self._codegen.set_env(variable.name, environment)


class _Compiler(CompilerBase):
    library_class: type[JITCodeLibrary]

    def define_pipelines(self):
        name = self.state.func_id.func_qualname
        self.state.library = self.library_class(self.state.targetctx.codegen(), name)
        self.state.library.enable_object_caching()
        return [DefaultPassBuilder.define_nopython_pipeline(self.state)]


class _PartCompiler(_Compiler):
    library_class = _PartLibrary

    def compile_extra(self, func):
        result = super().compile_extra(func)
        gives = result.signature.return_type
        if not self.state.flags.nrt and self.state.targetctx.data_model_manager[gives].contains_nrt_meminfo():
            raise TypeError(f"{func.__qualname__} gives {gives} but is not declared to allocate: references would go uncounted")
        return result


class _KernelCompiler(_Compiler):
    library_class = _KernelLibrary

    def compile_extra(self, func):
        with collector_at_rest(), while_compiling(func.__name__):
            return super().compile_extra(func)


@contextmanager
def collector_at_rest():
    """No garbage collection in this block, unless someone else says so: it takes a tenth of a compilation and finds nothing.

    Numba lets one thread compile at a time, so there is only one such block at a time, or one inside the other.
    """
    at_work = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if at_work:
            gc.enable()


def _implementation(self, args, kws):
    """A template's function compiled for argument types. Numba's own method has the options of the caller in its key."""
    key = self.context, tuple(args), tuple(kws.items())
    if key in self._impl_cache:
        return self._impl_cache[key]
    return self._build_impl(key, args, kws)


def overload(
    function: Callable,
    *,
    inlined: bool = False,
    allocates: bool = False,
    strict: bool = True,
    stamped: bool = True,
    reorders: bool = False,
) -> Callable:
    """Numba's `overload`, for parts: what the decorated function gives for argument types stands for `function` in kernels.

    inlined : whether it becomes part of its caller, always
    allocates : whether it makes arrays, or gives some of its arguments back; references are counted then, which costs time
    strict : whether the decorated function must have the arguments of what it gives
    stamped : whether it is part of what kernels are found by; not if it is about types that have a stamp in their names:
        kernels without them are then found whether it is there or not
    reorders : whether sums in it may be taken in another order
    """
    fastmath = FASTMATH | {"reassoc"} if reorders else FASTMATH
    options = {
        "nopython": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "fastmath": fastmath, "error_model": "numpy",
        "nogil": False, "forceinline": inlined, "_nrt": allocates, "pipeline_class": _PartCompiler,
    }  # fmt: skip

    def decorate(choose: Callable) -> Callable:
        if stamped:
            STANDING_FOR.setdefault(function, []).append(choose)
        template: Any = make_overload_template(function, choose, options, strict, "never")
        template._get_impl = _implementation
        infer(template)
        infer_global(function, numba.types.Function(template))
        return choose

    return decorate


def part(function: Callable, *, inlined: bool = False, allocates: bool = False, reorders: bool = False) -> Callable:
    """Let kernels call a plain function; see `overload`."""
    overload(function, inlined=inlined, allocates=allocates, strict=False, reorders=reorders)(lambda *args, **kws: function)
    return function


def as_bytes(result: CompileResult) -> bytes | None:
    """A compiled kernel for the disk; None if it holds addresses of this process.

    Numba would add the code before its last optimisation, for callers that take it in, and the types of all variables as text.
    Kernels are called, not taken in: machine code is enough, a third of the bytes and a seventh of the time to load. It would
    also add what the exceptions of parts need, which raise none, and import the modules of all of them with it.
    """
    if result.library.has_dynamic_globals or any(not x.can_cache for x in result.lifted):
        return None
    (name, form, (code, _)), description, environment, signature, objectmode, lifted, _, again, _ = result._reduce()
    nothing = llvm.parse_assembly("").as_bitcode()
    bare = (name, form, (code, nothing)), description, environment, signature, objectmode, lifted, "", again, ()
    try:
        return dumps(bare)
    except pickle.PickleError:
        return None


def from_bytes(context: Any, piece: bytes) -> CompileResult:
    """What `as_bytes` kept, loaded into this process. It runs what is in there: hand it trusted bytes only."""
    rtsys.initialize(context)
    parts = pickle.loads(piece)
    description = parts[1]
    # Numba would look for them in the code that was left out
    context.codegen()._engine._defined_symbols |= {
        description.llvm_func_name, description.llvm_cpython_wrapper_name, description.llvm_cfunc_wrapper_name,
    }  # fmt: skip
    return CompileResult._rebuild(context, *parts)


KINDS: dict[type, Any] = {}  # classes whose objects are all of one type of Numba's, which lives as long as they do


class _KernelDispatcher(CPUDispatcher, Kernel):
    """An entry from Python into compiled code.

    `compile` always works, from any thread. `disable_compile` is only about calls with arguments of new types, for ever: to
    Numba it means both, so that one would have to switch it to and fro, under the eyes of other threads.
    """

    def compile(self, sig):
        try:
            return super().compile(sig)
        finally:
            give_back()

    def typeof_pyval(self, val):
        kind = KINDS.get(type(val))
        return super().typeof_pyval(val) if kind is None else kind

    @property
    def _can_compile(self) -> bool:
        return True

    @_can_compile.setter
    def _can_compile(self, value: bool) -> None:
        CPUDispatcher._can_compile.__set__(self, value)  # type: ignore[attr-defined]  # what calls look at


def dispatcher(function: Callable) -> Any:
    """An entry from Python that is compiled at its first call, or by `compile`; without a compiler, the function itself."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    options = {"nopython": True, "boundscheck": None, "nogil": True, "fastmath": FASTMATH, "error_model": "numpy"}
    return _KernelDispatcher(function, targetoptions=options, pipeline_class=_KernelCompiler)
