"""First calls from several threads at once: kernels are compiled, or loaded, once, and every thread gets its results."""

import os
import subprocess
import sys
from pathlib import Path

from places import HELPERS

import locomote

PROGRAM = """
import sys, threading
import numpy as np
import locomote as lo
import mechanisms
from public_calls import CALLS, arguments, results

case = mechanisms.case(mechanisms.NAMES[{which}])
given = arguments(case)
many = {{name: np.array([x] * 48) for name, x in given.items()}}
names = [*CALLS]
barrier, told = threading.Barrier(8), []
found = [{{}} for _ in range(8)]


def work(k):
    barrier.wait()
    for name in names[k % 2 :] + names[: k % 2] if k < 6 else names[::-1]:
        needs, call = CALLS[name]
        for rows in (given, many):
            try:
                found[k][name, len(rows["q"])] = [np.array(x) for x in results(call(case.model, rows))]
            except Exception as error:
                told.append((name, repr(error)))


lo.inverse_dynamics(case.model, many["q"], many["v"], many["a"], threads=2)
threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not told, told
for other in found:
    assert other.keys() == found[0].keys()
    for key, arrays in other.items():
        assert all(np.array_equal(a, b) for a, b in zip(arrays, found[0][key], strict=True)), key
from locomote.dynamics.function import all_functions
kernels = list({{x.need[0]: None for function in all_functions().values() for x in function.entries}})
for kernel in kernels:
    tries = sum(kernel.stats.cache_hits.values()) + sum(kernel.stats.cache_misses.values())
    assert tries == len(kernel.overloads), kernel
print("as one")
"""


def test_first_calls_of_all_functions_from_eight_threads():
    """In new processes, since a function has its first call once."""
    place = {"PYTHONPATH": os.pathsep.join([str(Path(locomote.__file__).parent.parent), str(HELPERS)])}
    for which in (0, 5):
        program = PROGRAM.format(which=which)
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=os.environ | place)
        assert done.stdout.strip() == "as one", done.stdout + done.stderr
