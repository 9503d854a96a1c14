"""Functions of the user in compiled code: what they get, what becomes of their errors, and what they cost."""

import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.runtime import rtsys
from numba.core.runtime._nrt_python import memsys_disable_stats, memsys_enable_stats

import locomote as lo
from locomote.compiler.callbacks import C_SIGNATURE, Callback, call, held_interrupts, table_of

COMPILED = not numba.config.DISABLE_JIT


@numba.njit(nogil=True)
def once(functions, t, q, v, out):
    call(functions, 0, t, q, v, out)


@numba.njit(nogil=True)
def many(functions, n, q, v, out):
    total = 0.0
    for k in range(n):
        call(functions, 0, float(k), q, v, out)
        total += out[0]
    return total


def in_python(functions, t, q, v, out):
    call(functions, 0, t, q, v, out)


@numba.cfunc(C_SIGNATURE)
def weighted(t, q, v, out):
    out[0] = t * q[0] + v[1]
    out[1] = -q[1]


def spring(t, q, v):
    return -4.0 * q - 0.5 * v + t


def refuse(t, q, v):
    raise RuntimeError("the leg is broken")


@pytest.fixture
def state():
    return np.array([0.1, 0.2, 0.3]), np.array([1.0, -1.0, 2.0]), np.zeros(3)


@pytest.mark.parametrize("caller", [once, in_python], ids=["compiled", "python"])
def test_values_go_through(caller, state):
    q, v, out = state
    callback = Callback(spring, (3, 3, 3))
    caller(table_of([callback]), 0.25, q, v, out)
    assert callback.fault is None
    assert np.array_equal(out, -4.0 * q - 0.5 * v + 0.25)


@pytest.mark.parametrize("caller", [once, in_python], ids=["compiled", "python"])
def test_a_cfunc_is_taken_as_it_is(caller, state):
    q, v, out = state
    callback = Callback(weighted, (3, 3, 2))
    assert callback.address == weighted.address
    caller(table_of([callback]), 2.0, q, v, out[:2])
    assert np.array_equal(out, [2.0 * q[0] + v[1], -q[1], 0.0])


def test_a_function_sees_the_memory_of_the_caller_and_cannot_write_to_it(state):
    q, v, out = state
    seen = []

    def look(t, q, v):
        seen.append((type(t), q.ctypes.data, v.ctypes.data, q.flags.writeable, v.flags.writeable, q.tolist(), v.tolist()))
        return q + v

    callback = Callback(look, (3, 3, 3))
    once(table_of([callback]), 1.0, q, v, out)
    q[0] = 7.0  # views are prepared once: they must show what is there now
    once(table_of([callback]), 2.0, q, v, out)
    assert [row[:5] for row in seen] == [(float, q.ctypes.data, v.ctypes.data, False, False)] * 2
    assert seen[1][5:] == (q.tolist(), v.tolist()) and out[0] == 8.0

    def write(t, q, v):
        q[0] = 1.0

    callback = Callback(write, (3, 3, 3))
    once(table_of([callback]), 1.0, q, v, out)
    assert q[0] == 7.0 and isinstance(callback.fault, ValueError) and np.isnan(out).all()


def test_many_callers_have_many_views():
    callback = Callback(lambda t, q, v: [q.sum() + v.sum()], (2, 3, 1))
    kept = [(np.full(2, k), np.full(3, 10.0 * k), np.zeros(1)) for k in np.arange(200.0)]
    for _ in range(2):
        for k, (q, v, out) in enumerate(kept):
            once(table_of([callback]), 0.0, q, v, out)
            assert out[0] == 32.0 * k


@pytest.mark.parametrize("sizes", [(0, 0, 1), (1, 0, 2), (0, 3, 0)])
def test_empty_arrays(sizes):
    q, v, out = (np.ones(n) for n in sizes)
    callback = Callback(lambda t, q, v: np.full(sizes[2], 5.0 + len(q) + len(v)), sizes)
    once(table_of([callback]), 0.0, q, v, out)
    assert callback.fault is None and np.array_equal(out, np.full(sizes[2], 5.0 + sizes[0] + sizes[1]))


@pytest.mark.parametrize("result", [[1, 2, 3], (1.0, 2.0, 3.0), np.float32([1, 2, 3]), np.arange(1, 4)], ids=repr)
def test_whatever_is_three_numbers(result, state):
    callback = Callback(lambda t, q, v: result, (3, 3, 3))
    once(table_of([callback]), 0.0, *state)
    callback.raise_fault()
    assert np.array_equal(state[2], [1.0, 2.0, 3.0])


def test_an_error_is_kept_and_raised_later(state):
    q, v, out = state
    calls = []

    def fail(t, q, v):
        calls.append(t)
        raise RuntimeError("the leg is broken")

    callback = Callback(fail, (3, 3, 3), name="gait")
    once(table_of([callback]), 0.125, q, v, out)
    assert np.isnan(out).all()
    first = callback.fault
    once(table_of([callback]), 0.25, q, v, out)
    assert calls == [0.125] and callback.fault is first and np.isnan(out).all()
    with pytest.raises(RuntimeError, match="the leg is broken") as caught:
        callback.raise_fault()
    assert caught.value is first and caught.value.__notes__ == ["in gait, called from compiled code at t = 0.125"]
    assert caught.traceback[-1].name == "fail"
    assert callback.fault is None
    callback.raise_fault()
    once(table_of([callback]), 0.5, q, v, out)
    assert calls == [0.125, 0.5]
    callback.forget()
    assert callback.fault is None


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, MemoryError])
def test_even_an_interrupt_stays_inside(kind, state, capfd):
    def stop(t, q, v):
        raise kind

    callback = Callback(stop, (3, 3, 3))
    assert many(table_of([callback]), 5, *state) != 0.0
    assert isinstance(callback.fault, kind)
    with pytest.raises(kind):
        callback.raise_fault()
    assert capfd.readouterr().err == ""


SENTENCES = {
    "short": (lambda t, q, v: [1.0], ValueError, r"gave an array of shape \(1,\), expected \(3,\): 3 numbers"),
    "long": (lambda t, q, v: np.zeros(4), ValueError, r"shape \(4,\), expected \(3,\)"),
    "column": (lambda t, q, v: np.zeros((3, 1)), ValueError, r"shape \(3, 1\), expected \(3,\)"),
    "number": (lambda t, q, v: 2.0, ValueError, r"shape \(\), expected \(3,\)"),
    "nothing": (lambda t, q, v: None, TypeError, r"gave array\(None, dtype=object\), expected an array of 3 numbers"),
    "complex": (lambda t, q, v: 1j * q, TypeError, "expected an array of 3 numbers"),
    "words": (lambda t, q, v: ["a", "b", "c"], TypeError, "expected an array of 3 numbers"),
    "arguments": (lambda t: [1.0, 2.0, 3.0], TypeError, "positional argument"),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_wrong_results(case, state):
    function, kind, sentence = SENTENCES[case]
    callback = Callback(function, (3, 3, 3))
    once(table_of([callback]), 0.0, *state)
    assert np.isnan(state[2]).all()
    with pytest.raises(kind, match=sentence):
        callback.raise_fault()


def test_numbers_that_are_nan_are_no_fault(state):
    callback = Callback(lambda t, q, v: [1.0, np.nan, 3.0], (3, 3, 3))
    once(table_of([callback]), 0.0, *state)
    assert callback.fault is None and np.array_equal(state[2], [1.0, np.nan, 3.0], equal_nan=True)


def test_a_function_that_does_not_answer_leaves_no_old_numbers(state):
    @numba.cfunc(C_SIGNATURE)
    def lazy(t, q, v, out):
        out[1] = 1.0

    callback = Callback(lazy, (3, 3, 3))
    once(table_of([callback]), 0.0, *state)
    assert np.array_equal(state[2], [np.nan, 1.0, np.nan], equal_nan=True)


def test_wrong_functions_are_refused():
    with pytest.raises(TypeError, match=r"needs a function of \(t, q, v\) or a numba.cfunc, not 3.0"):
        Callback(3.0, (1, 1, 1))  # type: ignore[arg-type]

    @numba.cfunc("float64(float64)")
    def square(t):
        return t * t

    with pytest.raises(TypeError, match=r"square has the C signature \(float64,\) -> float64; decorate it with @numba.cfunc"):
        Callback(square, (1, 1, 1))


@pytest.mark.parametrize("sizes", [(1, 1), (1, 1, -1), (1, 1, 2.0), (1, 1, 1, 1)], ids=str)
def test_wrong_sizes_are_refused(sizes):
    with pytest.raises(ValueError, match="three integers from 0, the lengths of q, v and the result"):
        Callback(spring, sizes)


@pytest.mark.parametrize(
    "wrong", [np.zeros(6)[::2], np.zeros((3, 1)), np.zeros(3, dtype=np.float32)], ids=["steps", "2-D", "float32"]
)
def test_arrays_that_c_would_misread_are_refused(wrong, state):
    callback = Callback(spring, (3, 3, 3))
    functions = table_of([callback])
    with pytest.raises(TypeError, match="contiguous 1-D arrays of float64"):
        call(functions, 0, 0.0, wrong, *state[1:])
    with pytest.raises(numba.TypingError if COMPILED else TypeError):
        once(functions, 0.0, wrong, *state[1:])


@pytest.mark.parametrize("caller", [once, in_python], ids=["compiled", "python"])
@pytest.mark.parametrize("short", range(3), ids=["q", "v", "out"])
def test_no_function_reads_or_writes_beyond_an_array(caller, short):
    callback = Callback(lambda t, q, v: np.full(5, 7.0), (3, 4, 5))
    room = [np.zeros(16) for _ in range(3)]
    given = [x[: n - (k == short)] for k, (x, n) in enumerate(zip(room, (3, 4, 5), strict=True))]
    caller(table_of([callback]), 0.0, *given)
    assert np.isnan(given[2]).all() and not room[2][5:].any()
    caller(table_of([None]), 0.0, *room)
    assert np.isnan(room[2]).all()


def test_faults_belong_to_the_thread_that_called(state):
    callback = Callback(lambda t, q, v: 1 / 0 if t < 0 else q, (3, 3, 3))
    heard = []

    def elsewhere():
        once(table_of([callback]), -1.0, *(x.copy() for x in state))
        heard.append(callback.fault)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert isinstance(heard[0], ZeroDivisionError) and callback.fault is None
    once(table_of([callback]), 1.0, *state)
    assert np.array_equal(state[2], state[0])


def test_ctrl_c_in_compiled_code_asks_it_to_stop(state, capfd):
    """Functions are called as before until it does: nothing is cut in two."""
    calls, asked = [], []
    callback = Callback(lambda t, q, v: calls.append(t) or q, (3, 3, 3))
    shell = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background starts without it
    before = signal.getsignal(signal.SIGINT)
    with held_interrupts(lambda: asked.append(True)) as pressed:
        once(table_of([callback]), 0.0, *state)
        assert not pressed and not asked and calls == [0.0]
        signal.raise_signal(signal.SIGINT)
        assert pressed and asked == [True]
        once(table_of([callback]), 1.0, *state)
        assert calls == [0.0, 1.0] and callback.fault is None and np.isfinite(state[2]).all()
        with pytest.raises(KeyboardInterrupt):  # the second one is not held back
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before and asked == [True]
    signal.signal(signal.SIGINT, shell)
    assert capfd.readouterr().err == ""


def test_ctrl_c_is_left_alone_where_it_is_not_ours():
    heard = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        with held_interrupts(heard.clear) as pressed:
            signal.raise_signal(signal.SIGINT)
            assert heard and not pressed
    finally:
        signal.signal(signal.SIGINT, before)

    def elsewhere():
        with held_interrupts(heard.clear) as pressed:
            heard.append(list(pressed))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert heard[-1] == []


def test_threads_do_not_mix_their_numbers():
    callback = Callback(lambda t, q, v: [sum(float(q[k]) for k in range(20))], (20, 1, 1))
    results = {}

    def work(k):
        results[k] = many(table_of([callback]), 2000, np.full(20, float(k)), np.zeros(1), np.zeros(1))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {k: 2000 * 20.0 * k for k in range(4)} and callback.fault is None


def test_a_callback_may_call_another(state):
    q, v, out = state
    inner = Callback(spring, (3, 3, 3))

    def outer(t, q, v):
        result = np.zeros(3)
        once(table_of([inner]), t, q.copy(), v.copy(), result)
        return 2.0 * result

    callback = Callback(outer, (3, 3, 3))
    once(table_of([callback]), 1.0, q, v, out)
    assert np.array_equal(out, 2.0 * spring(1.0, q, v))


def test_pickled_callbacks_get_an_address_of_their_own(state):
    q, v, out = state
    callback = Callback(spring, (3, 3, 3), name="leg spring")
    copy = pickle.loads(pickle.dumps(callback))
    assert copy.name == "leg spring" and copy.sizes == (3, 3, 3) and copy.address != callback.address
    assert repr(copy) == "<Callback leg spring: nq=3, nv=3, 3 results>"
    once(table_of([copy]), 0.5, q, v, out)
    assert np.array_equal(out, spring(0.5, q, v))


def test_callbacks_are_given_back():
    gone = weakref.ref(Callback(refuse, (1, 1, 1)))
    gc.collect()
    assert gone() is None


@pytest.mark.skipif(not COMPILED, reason="counts allocations of compiled code")
def test_calls_allocate_nothing(state):
    q, v, out = state
    callback = Callback(spring, (3, 3, 3))
    tables = [table_of([Callback(weighted, (3, 3, 2))]), table_of([callback])]

    def taken(functions, n):
        before = rtsys.get_allocation_stats().alloc
        many(functions, n, q, v, out)
        return rtsys.get_allocation_stats().alloc - before

    memsys_enable_stats()
    counts = [(taken(functions, 3), taken(functions, 1000)) for functions in tables]
    memsys_disable_stats()
    assert [few == lots for few, lots in counts] == [True, True]  # the arguments of one entry from Python, nothing a call
    assert callback.fault is None


def test_without_a_compiler(tmp_path):
    program = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy as np
from test_callbacks import Callback, many, refuse, spring, table_of, weighted
q, v, out = np.array([0.1, 0.2]), np.array([1.0, -1.0]), np.zeros(2)
for function in (spring, weighted):
    callback = Callback(function, (2, 2, 2))
    print(many(table_of([callback]), 4, q, v, out), *out)
callback = Callback(refuse, (2, 2, 2))
many(table_of([callback]), 4, q, v, out)
print(repr(callback.fault), *out)
"""
    place = str(Path(lo.__file__).parents[1])
    texts = []
    for value in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            env=os.environ | {"NUMBA_DISABLE_JIT": value, "PYTHONPATH": place},
        )
        assert done.returncode == 0, done.stderr
        texts.append(done.stdout)
    assert texts[0] == texts[1] and "RuntimeError('the leg is broken') nan nan" in texts[0]
