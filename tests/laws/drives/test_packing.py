"""Packed drives: their layout, all signals at once, what they allocate, gaps and faults."""

import pickle

import numba
import numpy as np
import pytest
from numba.core.runtime import rtsys
from numba.core.runtime._nrt_python import memsys_disable_stats, memsys_enable_stats

from locomote.drives import signals as packed
from locomote.drives.kinds import cycloid, function, polynomial, sine, spline
from locomote.drives.kinds.constant import Constant
from locomote.drives.kinds.cycloid import Cycloid
from locomote.drives.kinds.sine import Sine
from locomote.drives.kinds.spline import Spline
from locomote.drives.packing import Signals, pack_signals

COMPILED = not numba.config.DISABLE_JIT
TIMES = np.array([0.0, 0.3, 0.5, 1.1, 2.0, 2.9, 3.7])
VALUES = np.array([0.1, 0.4, -0.2, 0.3, 0.9, 0.2, 0.1])


def wave(t):
    return np.sin(2.0 * t)


@numba.njit(nogil=True)
def fill(rows, numbers, functions, t, x, dx, ddx, scratch, times):
    for _ in range(times):
        packed.signals(rows, numbers, functions, t, x, dx, ddx, scratch)


def all_kinds():
    return {4: Sine(0.5, 2.0, ramp=1.0) + Constant(1.0), 1: Spline(TIMES, VALUES), np.int64(2): wave, 0: 3, 6: Cycloid(0, 1, 2)}


def test_packed_layout():
    signals = pack_signals(all_kinds())
    assert signals.rows.dtype == np.int64 and signals.rows.shape == (6, packed.COLUMNS) and signals.numbers.dtype == np.float64
    rows = signals.rows
    assert rows[:, packed.TARGET].tolist() == [4, 4, 1, 2, 0, 6]
    kinds = [sine, polynomial, spline, function, polynomial, cycloid]
    assert rows[:, packed.KIND].tolist() == [kind.NUMBER for kind in kinds]
    assert rows[0, packed.FIRST] == 0 and np.array_equal(np.cumsum(rows[:, packed.COUNT])[:-1], rows[1:, packed.FIRST])
    assert rows[:, packed.COUNT].sum() == len(signals.numbers)
    assert signals.numbers[:6].tolist() == [1.0, 1.0, 0.5, 2.0, 0.0, 0.0]
    assert not rows[:, packed.SPARE].any() and signals.table.tolist() == [list(signals.functions[0].row)]
    assert pack_signals(all_kinds(), 4).rows[:, packed.SPARE].tolist() == [0, 0, 0, 4, 0, 0]
    assert signals.rows.flags.writeable and signals.rows.flags.c_contiguous


def test_all_signals_at_once():
    signals = pack_signals(all_kinds())
    for t in (0.3, 1.7):
        arrays = np.full((3, 8), 9.0)
        scratch = np.zeros(packed.SCRATCH)
        fill(signals.rows, signals.numbers, signals.table, t, *arrays, scratch, 3)  # thrice: targets start from zero
        wanted = np.full((3, 8), 9.0)
        for index, drive in signals.drives.items():
            wanted[:, index] = drive(t)
        assert np.allclose(arrays, wanted, rtol=1e-14, atol=1e-14)
    nothing = pack_signals({})
    assert nothing.rows.shape == (0, 5) and nothing.numbers.shape == (0,)
    fill(nothing.rows, nothing.numbers, nothing.table, 1.0, *arrays, np.zeros(packed.SCRATCH), 1)


@pytest.mark.skipif(not COMPILED, reason="counts allocations of compiled code")
def test_signals_allocate_nothing():
    signals = pack_signals(all_kinds())
    arrays, scratch = np.zeros((3, 8)), np.zeros(packed.SCRATCH)

    def taken(times):
        before = rtsys.get_allocation_stats().alloc
        fill(signals.rows, signals.numbers, signals.table, 0.4, *arrays, scratch, times)
        return rtsys.get_allocation_stats().alloc - before

    memsys_enable_stats()
    counts = taken(1), taken(100)
    memsys_disable_stats()
    assert counts[0] == counts[1]


def test_packed_signals_find_new_addresses_elsewhere():
    signals = pack_signals(all_kinds())
    copy = pickle.loads(pickle.dumps(signals))
    assert isinstance(copy, Signals) and copy.drives == signals.drives
    assert copy.table[0, 0] == copy.functions[0].address != signals.functions[0].address
    assert np.array_equal(copy.numbers, signals.numbers)


def test_gaps_are_named():
    strict = Spline(TIMES, VALUES, outside="error")
    signals = pack_signals({3: 1.0, 5: strict + Sine(1.0, 1.0)})
    assert signals.gap(1.0) is None
    assert signals.gap(4.0) == (
        5,
        "its drive has no value at t = 4 s: its samples go from 0 to 3.7 s; give more, or outside='hold'",
    )
    index, sentence = pack_signals({2: lambda t: np.nan}).gap(0.5)  # type: ignore[misc]
    assert index == 2 and "no value at t = 0.5 s: it gives (nan, nan, nan)" in sentence


def test_faults_of_packed_functions():
    def fail(t):
        raise RuntimeError("no wind")

    signals = pack_signals({0: 1.0, 1: fail})
    arrays = np.zeros((3, 2))
    fill(signals.rows, signals.numbers, signals.table, 0.4, *arrays, np.zeros(packed.SCRATCH), 2)
    assert np.isnan(arrays[:, 1]).all() and arrays[0, 0] == 1.0
    with pytest.raises(RuntimeError, match="no wind"):
        signals.raise_fault()
    signals.raise_fault()


@pytest.mark.parametrize("index", ["knee", -1])
def test_signals_go_by_index(index):
    with pytest.raises(ValueError, match=f"indices from 0, not by {index!r}"):
        pack_signals({index: 1.0})
