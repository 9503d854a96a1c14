"""A kernel is the same code whatever was compiled before it, and whether this process compiled it or loaded it from disk."""

import os
import subprocess
import sys
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
import pytest
from numba import config, types
from numba.extending import intrinsic

import locomote
from locomote.compiler.numba_private import dispatcher
from locomote.compiler.source import routine

PROGRAM = """
import hashlib, sys
import llvmlite.binding as llvm
import numpy as np
import locomote as lo
from locomote.dynamics import momentum

model = lo.systems.load("quadruped").model
state = np.random.default_rng(1).normal(size=(40, model.nv))
for name in sys.argv[1:]:
    getattr(momentum, name).one.ready()
entry = momentum.CENTER.one
result = np.array([lo.center_of_mass(model, model.integrate(model.neutral(), v)) for v in state])
stats = entry._kernel.stats
print(sum(stats.cache_hits.values()), hashlib.sha256(result.tobytes()).hexdigest())
if sum(stats.cache_misses.values()):
    object_code = entry._kernel.overloads[entry._signature].library._get_compiled_object()
    found = [(s.name() or b"", s.data()) for s in llvm.ObjectFileRef.from_data(object_code).sections()]
    code = b"".join(data for name, data in found if name.lstrip(b"._") in (b"text", b"ltext"))
    assert len(code) > 1000
    print(hashlib.sha256(code).hexdigest())
"""


@intrinsic
def own_address(typingctx):
    """Where the function that calls this stands in memory."""

    def emit(context, builder, sig, args):
        return builder.ptrtoint(builder.function, context.get_value_type(types.int64))

    return types.int64(), emit


@routine
def whereabouts():
    return own_address()


@pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")
def test_kernels_do_not_run_each_others_copies_of_a_routine():
    """LLVM unites functions of one name, so the first kernel's copy would serve all: in another process another one's."""

    @dispatcher
    def first(x):
        x[0] = whereabouts()
        return 0

    @dispatcher
    def second(x):
        x[0] = whereabouts() + 0 * x[0]
        return 0

    places = np.zeros(2, dtype=np.int64)
    first(places[:1])
    second(places[1:])
    assert places[0] != 0 and places[1] != 0 and places[0] != places[1]
    for kernel in (first, second):
        (compiled,) = kernel.overloads.values()
        defined = [f for f in compiled.library._final_module.functions if not f.is_declaration]
        shared = {f.name for f in defined if f.linkage not in (llvm.Linkage.internal, llvm.Linkage.private)}
        names = compiled.fndesc
        assert shared == {names.llvm_func_name, names.llvm_cpython_wrapper_name, names.llvm_cfunc_wrapper_name}


@pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")
def test_a_kernel_is_the_same_compiled_alone_after_others_and_loaded(tmp_path):
    def run(cache, *before):
        place = {"PYTHONPATH": str(Path(locomote.__file__).parent.parent), "LOCOMOTE_CACHE_DIR": str(cache)}
        done = subprocess.run([sys.executable, "-c", PROGRAM, *before], capture_output=True, text=True, env=os.environ | place)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    hits, result, code = run(tmp_path / "alone")
    assert hits == "0"
    assert run(tmp_path / "after others", "POTENTIAL", "KINETIC") == [hits, result, code]
    assert run(tmp_path / "alone") == ["1", result]
