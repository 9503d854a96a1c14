"""The short way into kernels for one configuration: the same results as by the checked way, for anything that is passed."""

import sys
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from types import BuiltinFunctionType, SimpleNamespace
from unittest.mock import MagicMock

import mechanisms
import numpy as np
import pytest
from public_calls import CALLS, arguments, results

import locomote as lo
from locomote.bench.models import chain
from locomote.compiler import calls
from locomote.dynamics import derivatives, dispatch, forces, kinematics, matrices, wrenches
from locomote.dynamics.function import all_functions
from locomote.model import moves

ENTRIES = {name: function.one for name, function in all_functions().items()}
ENTRIES |= {f"{name} LOADED": function.loaded for name, function in all_functions().items() if function.loaded}
ENTRIES |= {"POINT_FRAME": kinematics.POINT_FRAME, "GATHER": wrenches.GATHER}
KNOWN = pytest.mark.skipif(not calls.layout_is_known(), reason="objects of this Python lie in memory in another way")
# entries that take wrenches which another entry has gathered
PACKED = [entry for name, entry in ENTRIES.items() if name.endswith("LOADED")]
OF_DYNAMICS = [name for name in CALLS if not name.startswith("Model.")]


@pytest.fixture(scope="module", autouse=True)
def warm():
    for entry in ENTRIES.values():
        entry.ready()


@pytest.fixture(params=[15, 8, 21], ids=["plain", "added", "coupled"])
def some_case(request):
    return mechanisms.case(request.param)


def take(monkeypatch, way):
    """Let all entries be called in a way: 'checked' or 'indirect'."""
    for entry in ENTRIES.values():
        monkeypatch.setattr(entry, "call", dispatch.unprepared if way == "checked" else entry._indirect_call)


def outcome(run, *given):
    """What a call gives, or the sentence with which it refuses."""
    try:
        return repr([np.asarray(x).tolist() for x in results(run(*given))])
    except Exception as error:
        return type(error), str(error)


@KNOWN
@pytest.mark.parametrize("name", ENTRIES)
def test_every_entry_has_a_direct_call(name):
    assert type(ENTRIES[name].call) is BuiltinFunctionType


@KNOWN
@pytest.mark.parametrize(
    "move", [moves.INTEGRATE, moves.DIFFERENCE, moves.NORMALIZE], ids=["integrate", "difference", "normalize"]
)
def test_moves_of_a_model_have_direct_calls(move):
    move.prepare(lo.Model)
    assert type(move.call) is BuiltinFunctionType
    assert move.call() is move.call(None, None) is move.call(mechanisms.case(15).model, "q", 1.0) is None


def test_moves_by_all_ways_give_the_same_numbers(case, monkeypatch):
    given, names = arguments(case), ("Model.integrate", "Model.difference")
    for name in names:
        CALLS[name][1](case.model, given)
    direct = {name: outcome(CALLS[name][1], case.model, given) for name in names}
    for move in (moves.INTEGRATE, moves.DIFFERENCE):
        monkeypatch.setattr(move, "call", moves.declined)
        monkeypatch.setattr(move, "prepare", lambda owner: None)
    for name, numbers in direct.items():
        assert outcome(CALLS[name][1], case.model, given) == numbers, name


@pytest.mark.parametrize("way", ["checked", "indirect"])
def test_all_ways_give_the_same_numbers(case, way, monkeypatch):
    given = arguments(case)
    direct = {name: outcome(CALLS[name][1], case.model, given) for name in OF_DYNAMICS}
    take(monkeypatch, way)
    for name, numbers in direct.items():
        assert outcome(CALLS[name][1], case.model, given) == numbers, name


class Labelled(np.ndarray):
    """An array of somebody else's library."""


def unaligned(x):
    """The same numbers at an odd address."""
    memory = np.zeros(x.nbytes + 1, np.uint8)[1:].view(np.float64)
    memory[...] = x
    return memory


def frozen(x):
    x = x.copy()
    x.flags.writeable = False
    return x


ODD = {
    "None": lambda x: None,
    "text": lambda x: "q",
    "bytes": lambda x: x.tobytes(),
    "number": lambda x: 1.0,
    "integer": lambda x: 1,
    "huge number": lambda x: 10**400,
    "list": lambda x: x.tolist(),
    "ragged": lambda x: [[1.0], [1.0, 2.0]],
    "iterator": lambda x: iter(x),
    "memory": lambda x: memoryview(x),
    "dictionary": lambda x: {},
    "class": lambda x: np.ndarray,
    "object": lambda x: SimpleNamespace(shape=(1,), dtype=float),
    "no dimension": lambda x: np.array(1.0),
    "rows": lambda x: np.stack([x, x]),
    "row of rows": lambda x: x[None, None],
    "too long": lambda x: np.append(x, 1.0),
    "too short": lambda x: x[:-1].copy(),
    "nothing": lambda x: np.zeros(0),
    "strided": lambda x: np.repeat(x, 2)[::2],
    "reversed": lambda x: x[::-1].copy()[::-1],
    "unaligned": unaligned,
    "read-only": frozen,
    "single precision": lambda x: x.astype(np.float32),
    "big endian": lambda x: x.astype(">f8"),
    "integers": lambda x: x.astype(np.int64),
    "booleans": lambda x: x > 0,
    "complex": lambda x: x.astype(complex),
    "objects": lambda x: x.astype(object),
    "texts": lambda x: x.astype(str),
    "times": lambda x: x.astype("m8[s]"),
    "record": lambda x: np.zeros(len(x), dtype=[("a", "f8")]),
    "scalar of NumPy": lambda x: x[0],
    "subclass": lambda x: x.view(Labelled),
    "masked": lambda x: np.ma.array(x, mask=np.arange(len(x)) == 0),
    "masked nowhere": lambda x: np.ma.array(x, mask=False),
    "not a number": lambda x: x * np.nan,
    "infinite": lambda x: x + np.inf,
    "enormous": lambda x: x + 1e308,
}


@pytest.mark.parametrize("kind", ODD)
def test_odd_arguments_meet_the_same_answer_by_all_ways(some_case, kind, monkeypatch):
    given = arguments(some_case)
    trials = [(name, key) for name in OF_DYNAMICS for key in CALLS[name][0]]
    with np.errstate(all="ignore"):
        odd = {key: ODD[kind](given[key]) for _, key in trials if key != "wrenches"}
        odd["wrenches"] = {some_case.model.body_names[-1]: ODD[kind](given["wrenches"][-1])}

        def answers():
            return {(name, key): outcome(CALLS[name][1], some_case.model, given | {key: odd[key]}) for name, key in trials}

        direct = answers()
        take(monkeypatch, "checked")
        assert direct == answers()


@pytest.mark.parametrize("name", ENTRIES)
def test_a_direct_call_declines_what_is_not_plain(name):
    """Nothing is raised, and nothing falls over, whatever stands wherever."""
    entry, case = ENTRIES[name], mechanisms.case(15)
    good, vector = plain_arguments(entry, case), np.ones(3)
    held = entry._held.count - 1  # arrays that the model stands for, less itself
    kinds = [kind for kind in entry._signature if kind != dispatch.NONE][held : held + len(good)]
    assert entry.call(*good) is not None
    state = max(k for k, kind in enumerate(kinds) if kind == dispatch.VECTOR or kind == dispatch.MATRIX)
    for label, odd_of in ODD.items():
        for k, kind in enumerate(kinds):  # instead of the model, too
            with np.errstate(all="ignore"):
                odd = odd_of(good[k] if kind == dispatch.VECTOR else vector)
            if k and (label == "read-only" or dispatch.is_plain(odd, kind)):
                continue
            assert entry.call(*good[:k], odd, *good[k + 1 :]) is None, (label, k)
    for wrong in ((), good[:-1], (*good, vector), (None,) * len(good), (good[0],) * len(good)):
        assert entry.call(*wrong) is None
    for label in ("too long", "too short", "nothing", "not a number", "infinite"):
        with np.errstate(all="ignore"):
            odd = ODD[label](good[state][0] if good[state].ndim == 2 else good[state])
        odd = odd if good[state].ndim == 1 else np.tile(odd, (len(good[state]), 1))
        if label.startswith("too") and entry in PACKED or odd.size == 0 and entry in PACKED:
            continue  # made by the library itself
        assert entry.call(*good[:state], odd, *good[state + 1 :]) is None, label


def plain_arguments(entry, case):
    """Arguments of `call` of an entry."""
    m, own = case.model, entry._signature[entry._held.count : len(entry._signature) - len(entry._results)]
    kinds, last = [kind for kind in own if kind != dispatch.NONE], len(case.model.body_names) - 1
    if entry is kinematics.POINT_FRAME:
        return m, last, np.array([0.1, -0.2, 0.3])
    if entry is wrenches.GATHER:
        return m, case.rng(5).normal(size=(last + 1, 6))
    found = [m]
    if kinds[:3] == [dispatch.WHOLE, dispatch.VECTOR, dispatch.WHOLE]:  # a frame of a body
        found, kinds = [m, int(m.frames[0][last]), m.frames[1][last]], kinds[2:]
    states = iter((case.q, case.v, case.a, case.tau))
    for kind in kinds:
        if kind == dispatch.VECTOR:
            found.append(next(states))
        elif kind == dispatch.MATRIX:
            named = entry._held is dispatch.NAMED_TREE  # wrenches on named bodies, or in packed frames on moving ones
            found.append(case.rng(6).normal(size=(len(m.body_names if named else m.topology), 6)))
        else:
            found.append(1 if kind == dispatch.WHOLE else (np.arange(m.nv) % 2).astype(np.int64))
    return tuple(found)


@pytest.mark.parametrize("number", [-1, 2**40, 2**63, -(2**70), True, np.int64(1), 1.0])
def test_only_whole_numbers_are_whole_numbers(number):
    good = plain_arguments(kinematics.JACOBIAN.one, mechanisms.case(15))
    if number != 2**40:  # as whole as the others: the caller has looked it up
        assert kinematics.JACOBIAN.one.call(good[0], number, *good[2:]) is None


@pytest.mark.parametrize("size", [1e100, 1e153, 1e154, 1e155, 1e200, 1e300])
def test_a_mass_matrix_is_finite_or_refused(size):
    """Only its diagonal is looked at when a kernel is done."""
    refused, rng = 0, np.random.default_rng(5)
    for model in (case.model for case in map(mechanisms.case, range(12)) if not case.model.coupling):
        lo.mass_matrix(model, model.neutral())
        slides = [model.joint(name).q for name in model.joint_names if model.joint(name).kind in ("prismatic", "helical")]
        for slide in slides:
            q = model.random(rng)
            q[slide] = size
            try:
                with np.errstate(all="ignore"):
                    assert np.isfinite(lo.mass_matrix(model, q)).all()
            except FloatingPointError:
                refused += 1
    if not 1e152 < size < 1e156:  # between, masses decide
        assert (refused > 0) == (size > 1e154)


def test_masked_values_are_refused_when_warm():
    case = mechanisms.case(15)
    masked = np.ma.array(case.q, mask=np.arange(len(case.q)) == 0)
    lo.mass_matrix(case.model, case.q)
    with pytest.raises(ValueError, match="q has masked values; fill them first"):
        lo.mass_matrix(case.model, masked)


class Odd(lo.Model):
    """A Model that is called something else."""


def test_models_of_other_classes():
    case = mechanisms.case(15)
    expected = lo.inverse_dynamics(case.model, case.q, case.v, case.a)
    other = Odd(case.model.description)
    assert np.array_equal(lo.inverse_dynamics(other, case.q, case.v, case.a), expected)
    strangers = (None, 3, "model", MagicMock(), SimpleNamespace(plain=True, coupling=None, _topology=1, _constants=2), lo.Model)
    for stranger in strangers:
        for name in OF_DYNAMICS:
            with pytest.raises(TypeError, match=r"expected a lo\.Model"):
                if name.startswith(("hybrid_dynamics", "jacobian", "velocity", "acceleration")):
                    names = SimpleNamespace(joint_names=["joint"], body_names=["body"])
                    stranger = stranger if hasattr(stranger, "joint_names") else names
                CALLS[name][1](stranger, arguments(case))


@KNOWN
def test_references_are_given_back(some_case):
    """Of arguments, of what results are made of, and of results that are thrown away."""
    model, given = some_case.model, arguments(some_case)
    bad = given | {key: given[key] * np.nan for key in ("q", "v", "a", "tau")}
    watched = [*given.values(), *bad.values(), model._topology, model._constants, np.ndarray]
    watched += [derivatives.InverseDerivatives, derivatives.ForwardDerivatives]

    def public():
        for name in OF_DYNAMICS:
            for _ in range(20):
                CALLS[name][1](model, given)
                outcome(CALLS[name][1], model, bad)

    assert added_references(public, watched) < 10
    plain = mechanisms.case(15)
    direct = [(entry.call, plain_arguments(entry, plain)) for entry in ENTRIES.values()]
    direct += [(call, [*taken[:-1], taken[-1] * np.nan]) for call, taken in direct]

    def calls_alone():
        for call, taken in direct:
            for _ in range(1000):
                call(*taken)

    watched += [np.dtype(np.float64), None, plain.q, plain.v, plain.a]  # np.zeros keeps references of the first
    assert added_references(calls_alone, watched) < 10


def added_references(run, watched):
    run()
    before = [sys.getrefcount(x) for x in watched]
    run()
    return max(abs(sys.getrefcount(x) - count) for x, count in zip(watched, before, strict=True))


@KNOWN
def test_memory_is_given_back():
    case = mechanisms.case(15)
    given = [(entry.call, plain_arguments(entry, case)) for entry in ENTRIES.values()]
    given += [(call, [*taken[:-1], taken[-1] * np.nan]) for call, taken in given]

    def many():
        for call, taken in given:
            for _ in range(500):
                call(*taken)

    tracemalloc.start()
    try:
        many()
        before = tracemalloc.get_traced_memory()[0]
        many()
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert after - before < 5000


def test_results_are_arrays_like_others(some_case):
    model, given = some_case.model, arguments(some_case)
    for name in OF_DYNAMICS:
        for x in results(CALLS[name][1](model, given)):
            assert type(x) is np.ndarray or np.ndim(x) == 0
            if type(x) is np.ndarray:
                assert x.flags.c_contiguous and x.flags.writeable and x.dtype is np.dtype(np.float64)
    found = lo.inverse_dynamics_derivatives(model, given["q"], given["v"], given["a"])
    assert type(found) is derivatives.InverseDerivatives and found.a is found[2]


def test_unrelated_coordinates_have_zeros_in_small_and_large_matrices():
    """Made as zeros or set to zero; what memory held before must not shine through."""
    for count in (2, 60, 80):
        builder = lo.Builder("crowd")
        for k in range(count):
            builder.body(f"body {k}", joint=lo.Joint(f"joint {k}"), inertia=lo.Inertia.box(1.0, (0.1, 0.2, 0.3)))
        model = builder.build()
        q, v = np.zeros(count), np.ones(count)
        for _ in range(5):
            np.full((count, count), np.nan)
            found = [
                lo.mass_matrix(model, q),
                lo.coriolis_matrix(model, q, v),
                *lo.inverse_dynamics_derivatives(model, q, v, v),
            ]
            found += [*lo.forward_dynamics_derivatives(model, q, v, v), lo.jacobian(model, q, "body 0")[:, 1:]]
            for x in found:
                assert not np.any(x - np.diag(np.diag(x)) if x.shape[0] == x.shape[1] else x)


@pytest.mark.parametrize("links", [5, calls.LARGE + 6], ids=["small", "large"])
def test_threads_do_not_disturb_each_other(links):
    model = chain(links)
    rng = np.random.default_rng(1)
    states = [(model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)) for _ in range(4)]
    expected = [lo.inverse_dynamics(model, *state) for state in states]
    matrices_ = [lo.forward_dynamics_derivatives(model, *state) for state in states]

    def work(k):
        for _ in range(200):
            assert np.array_equal(lo.inverse_dynamics(model, *states[k]), expected[k])
        for _ in range(10):
            found = lo.forward_dynamics_derivatives(model, *states[k])
            assert all(np.array_equal(x, y) for x, y in zip(found, matrices_[k], strict=True))
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))


def test_other_threads_go_on_while_a_large_model_is_computed():
    """Nobody takes the lock from the caller here: threads change only where one lets go."""
    model, ticks, tries, stop = chain(700), [], [], threading.Event()
    q = model.random(0)
    lo.forward_dynamics_derivatives(model, q, np.zeros(model.nv), np.zeros(model.nv))

    def tick():
        while not stop.is_set():
            ticks.append(1)
            time.sleep(1e-4)

    other, interval = threading.Thread(target=tick), sys.getswitchinterval()
    sys.setswitchinterval(100.0)
    try:
        other.start()
        during = 0
        while during <= 3:  # a machine that is busy with other things gives it less to do at a time
            before = len(ticks)
            lo.forward_dynamics_derivatives(model, q, np.zeros(model.nv), np.zeros(model.nv))
            during += len(ticks) - before
            tries.append(during)
            assert during or len(tries) < 100
    finally:
        stop.set()
        sys.setswitchinterval(interval)
        other.join()
    assert during > 3


def test_without_a_known_layout_numba_is_used(monkeypatch):
    """As on builds of Python where objects lie in memory in another way."""
    monkeypatch.setattr(calls, "layout_is_known", lambda: False)
    old, case = matrices.MASS.one, mechanisms.case(15)
    entry = dispatch.Entry(old._kernel, old._signature, old._results, old._group)
    given = (case.model, case.q.copy())
    assert entry.call(*given) is None
    entry.ready()
    assert entry.call == entry._indirect_call
    assert np.array_equal(entry.call(*given), lo.mass_matrix(case.model, case.q))
    assert entry.call(given[0], np.ma.array(case.q)) is None
    assert entry.call() is entry.call(*given, case.q) is entry.call(np.ma, case.q) is None


@pytest.mark.parametrize("place", ["TYPE", "DATA", "DIMENSIONS_COUNT", "DIMENSIONS", "DESCRIPTION", "FLAGS"])
def test_another_layout_is_noticed(place, monkeypatch):
    x = np.zeros((3, 5, 7))
    assert calls.lies_as_expected(x)
    if place == "DIMENSIONS":  # what stands elsewhere is no address, and must not be read
        monkeypatch.setattr(calls, "DIMENSIONS", calls.DIMENSIONS + 8)
    else:
        monkeypatch.setattr(calls, place, getattr(calls, place) + 8 * (place != "FLAGS") + 4 * (place == "FLAGS"))
    assert not calls.lies_as_expected(x)


def test_a_group_of_results_is_a_tuple_like_others():
    case = mechanisms.case(15)
    found = lo.inverse_dynamics_derivatives(case.model, case.q, case.v, case.a)
    assert len(found) == 3 and found == tuple(found) and found._replace(q=1).q == 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(found)


@KNOWN
def test_a_batch_is_filled_or_left_alone():
    """Into arrays that may be written to; into others not, and None says so."""
    model = chain(3)
    q, v, a = np.random.default_rng(0).normal(size=(3, 5, 3))
    entry, fixed, tau = forces.INVERSE.batch, (model._topology, model._constants), np.zeros((5, 3))
    assert entry.filled(*fixed, q, v, a, tau, 0, 5) is True
    other = np.zeros((5, 3))
    entry.ready()(*fixed, q, v, a, None, other, 0, 5)  # by Numba's own way into the kernel
    assert np.array_equal(tau, other) and mechanisms.relative(tau[4], lo.inverse_dynamics(model, q[4], v[4], a[4])) < 1e-13
    closed = np.zeros((5, 3))
    closed.flags.writeable = False
    for wrong in (closed, np.zeros((5, 6))[:, ::2], np.zeros((5, 3), dtype=np.float32), [[0.0] * 3] * 5, None):
        assert entry.filled(*fixed, q, v, a, wrong, 0, 5) is None
    assert entry.filled(*fixed, q, v, a, tau, 0) is None and entry.filled(*fixed, q, v, a, tau, 0, 5.0) is None
    assert not closed.any()
