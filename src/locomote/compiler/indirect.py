"""Kernels that call kernels without taking them in.

Numba copies the code of a called function into its caller and optimises it again, so that a kernel that uses large ones costs
the compile time of all of them, once in every caller. A call through the address of a compiled kernel costs a few
nanoseconds an argument, and the large one is compiled, and kept on disk, once.
"""

from numba import config, typeof, types
from numba.extending import intrinsic

from locomote.compiler.numba_private import overload


def compiled_for(dispatcher, arguments) -> None:
    """Compile a kernel for arguments like these, or load it from disk, so that its first call takes no longer than others."""
    if not config.DISABLE_JIT:  # type: ignore[attr-defined]
        signature = tuple(typeof(x) for x in arguments)
        if signature not in dispatcher.overloads:
            dispatcher.compile(signature)


def compiled(dispatcher, signature) -> None:
    """The same for argument types."""
    if not config.DISABLE_JIT and signature not in dispatcher.overloads:  # type: ignore[attr-defined]
        dispatcher.compile(signature)


def address_of(dispatcher, signature) -> int:
    """Address of a kernel compiled for the given argument types, for `call_compiled`; without a compiler, a name for it."""
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        _plain[id(dispatcher)] = dispatcher
        return id(dispatcher)
    if (dispatcher, signature) in _addresses:
        return _addresses[dispatcher, signature]
    dispatcher.compile(signature)  # unless it has been: one thread at a time
    compiled = dispatcher.overloads[signature]
    gives = types.unliteral(compiled.signature.return_type)
    assert gives == types.int64, f"{dispatcher} returns {gives}"
    place = int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))
    _addresses[dispatcher, signature] = place
    return place


def plain_address(function) -> int:
    """A name of a plain function for `call_compiled` where it runs as plain Python."""
    _plain[id(function)] = function
    return id(function)


_plain: dict[int, object] = {}
_addresses: dict[tuple[object, tuple], int] = {}  # kernels stay where they are


def call_compiled(address, arguments):
    """Call a kernel, whose result is an integer, by the address that `address_of` gave; arguments is a tuple."""
    return _plain[int(address)](*arguments)  # type: ignore[operator]


@intrinsic
def _call(typingctx, address, arguments):
    kinds = tuple(arguments.types)

    def emit(context, builder, sig, args):
        kind = context.call_conv.get_function_type(types.int64, kinds)
        values = [builder.extract_value(args[1], k) for k in range(len(kinds))]
        place = builder.inttoptr(args[0], kind.as_pointer())
        status, result = context.call_conv.call_function(builder, place, types.int64, kinds, values)
        with builder.if_then(status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return result

    return types.int64(types.int64, arguments), emit


@overload(call_compiled, inlined=True)
def _compiled_call(address, arguments):
    if isinstance(address, types.Integer) and isinstance(arguments, types.BaseTuple):

        def implementation(address, arguments):
            return _call(address, arguments)

        return implementation
