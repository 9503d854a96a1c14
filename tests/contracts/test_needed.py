"""The list of kernels: runs and functions ask for nothing else, and for no more code than they used to."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from numba import config

import locomote
from locomote import needed
from locomote.compiler.background import Need
from locomote.dynamics.dispatch import Entry
from locomote.dynamics.function import all_functions
from locomote.methods.needed import of_run

PACKAGE = Path(locomote.__file__).resolve().parent
pytestmark = pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")

# prints every kernel and signature that a process asked for, by a run of every method with its film strip
ASKED = """
import pickle, sys
from locomote.compiler import cache
asked, load = [], cache._Cache.load_overload
def noted(self, sig, context):
    asked.append((self._function.__module__, self._function.__name__, tuple(sig)))
    return load(self, sig, context)
cache._Cache.load_overload = noted
import locomote as lo
from locomote.methods.registry import METHODS
system = lo.systems.load(sys.argv[1])
problem, (q, v) = system.problem(), system.initial
for method in METHODS:
    if method == "rosenbrock" and len(problem.constraint_labels):
        continue
    run = problem.simulate(1e-3, q=q, v=v, every=1e-3, method=method, step=1e-3, progress=False)
    run.summary(), run.audit
run.film(sys.argv[2])
sys.stdout.buffer.write(pickle.dumps(asked))
"""


def output(program, *arguments, **environment):
    place = {"PYTHONPATH": str(PACKAGE.parent)} | environment
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, env=os.environ | place)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.mark.parametrize("name", ["snakeboard", "simple_pendulum"])  # with constraints, and without
def test_runs_of_all_methods_ask_for_nothing_but_the_list(name, tmp_path):
    asked = {Need(*x) for x in pickle.loads(output(ASKED, name, str(tmp_path / "strip.png")))}
    asked = {x for x in asked if "Dual" not in repr(x.signature)}  # implicit steps have dual numbers made when they want them
    assert len(asked) > 20
    assert not {x.name for x in asked - set(needed.usual())}


# the same by the method that a run chooses, with its report
CHOSEN = (
    ASKED.split("for method in METHODS")[0]
    + """
run = problem.simulate(2e-3, q=q, v=v, every=1e-3, progress=False)
run.summary(), run.audit
run.film(sys.argv[2])
run.report(sys.argv[2] + ".html")
sys.stdout.buffer.write(pickle.dumps(asked))
"""
)


@pytest.mark.parametrize("name", ["elastic_pendulum", "box_stack", "purcell_swimmer", "handling"])  # rod, contacts, creep, plan
def test_what_runs_of_the_catalogue_ask_for_is_in_the_wheel(name, tmp_path):
    asked = {Need(*x) for x in pickle.loads(output(CHOSEN, name, str(tmp_path / "strip.png")))}
    asked = {x for x in asked if "Dual" not in repr(x.signature) and x.name != "force_term"}
    assert len(asked) > 15
    assert not {x.name for x in asked - set(needed.everything())}


def test_a_run_asks_for_all_of_its_list(tmp_path):
    """So that nothing is compiled in vain."""
    import locomote as lo

    asked = {Need(*x) for x in pickle.loads(output(ASKED, "snakeboard", str(tmp_path / "strip.png")))}
    plan = lo.systems.load("snakeboard").problem().plan
    listed = [*of_run(plan, "adaptive"), *needed.of_pictures()]
    assert len(set(listed)) == len(listed)
    assert not {x.name for x in set(listed) - asked}


def test_every_entry_is_in_the_list():
    listed = set(needed.of_functions())
    own = [x for function in all_functions().values() if not function.seldom for x in function.entries]
    modules = [m for name, m in sys.modules.items() if name.startswith("locomote.dynamics.")]
    own += [x for m in modules for x in vars(m).values() if isinstance(x, Entry)]
    assert len(own) >= 30 and all(needed.need(*x.need) in listed for x in own)


def test_needs_go_to_other_processes():
    for x in needed.everything():
        again = pickle.loads(pickle.dumps(x))
        assert again == x and again.kernel is x.kernel


COUNTED = """
import sys
from numba.core.compiler import Compiler
from locomote.compiler import numba_private
counts = {"parts": 0, "kernels": 0, "Numba's own": 0}
def counting(kind, compiler):
    real = compiler.compile_extra
    def compile_extra(self, function):
        counts[kind] += 1
        return real(self, function)
    compiler.compile_extra = compile_extra
counting("parts", numba_private._PartCompiler)
counting("kernels", numba_private._KernelCompiler)
counting("Numba's own", Compiler)
import locomote as lo
system = lo.systems.load("snakeboard")
q, v = system.initial
run = system.problem().simulate(1e-3, q=q, v=v, progress=False)
run.summary()
assert run.audit.ok
print(*counts.values())
"""


def test_how_many_functions_a_first_run_compiles(tmp_path):
    """Time of a compilation is in the number of functions; the second process of it compiles none."""
    settings = {"LOCOMOTE_CACHE_DIR": str(tmp_path), "LOCOMOTE_HELPER": "0", "LOCOMOTE_READY": "0"}
    parts, kernels, others = map(int, output(COUNTED, **settings).split())
    assert kernels == 22
    assert 250 < parts <= 373
    assert others <= 20  # a vector put into another by [:] alone brings 26 with it, for a sentence about shapes
    assert output(COUNTED, **settings).split() == [b"0", b"0", b"0"]
    assert not list(tmp_path.rglob("*.claim"))
