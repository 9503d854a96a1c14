"""Warm calls give back all memory that compiled code takes, and compile nothing more."""

import mechanisms
import numpy as np
import pytest
from numba.core.runtime import rtsys
from numba.core.runtime._nrt_python import memsys_disable_stats, memsys_enable_stats
from public_calls import CALLS, arguments

from locomote.dynamics.function import all_functions


@pytest.mark.parametrize("name", [15, 8, 21], ids=["plain", "added", "coupled"])
def test_no_leak(name):
    case = mechanisms.case(name)
    given = arguments(case)
    many = {key: np.stack([array] * 9) for key, array in given.items()}

    def all_calls():
        for _, run in CALLS.values():
            run(case.model, given)
            run(case.model, many)

    memsys_enable_stats()
    all_calls()
    before = rtsys.get_allocation_stats()
    all_calls()
    all_calls()
    after = rtsys.get_allocation_stats()
    memsys_disable_stats()
    assert after.alloc > before.alloc
    assert after.alloc - before.alloc == after.free - before.free
    assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free


def test_nothing_is_compiled_twice():
    """Whatever arrays come in, every kernel keeps to the argument types it was made for."""
    case = mechanisms.case(15)
    given = arguments(case)
    for _, run in CALLS.values():
        run(case.model, given)
    kernels = list({x.need[0]: None for function in all_functions().values() for x in function.entries})
    before = [len(kernel.signatures) for kernel in kernels]
    assert kernels and max(before) <= 2
    for change in (lambda x: x.astype(np.float32), lambda x: x.tolist(), lambda x: np.asfortranarray(np.stack([x] * 3))):
        changed = {key: change(array) for key, array in given.items()}
        for _, run in CALLS.values():
            run(case.model, changed)
    assert [len(kernel.signatures) for kernel in kernels] == before
