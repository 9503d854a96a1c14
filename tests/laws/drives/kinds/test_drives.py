"""Drives: their rates against differentiation with 40 digits, splines against SciPy, sums, ramps, storage and wrong input.

The references know positions only; mpmath differentiates them.
"""

import json
import pickle
from dataclasses import FrozenInstanceError, replace

import mpmath as mp
import numba
import numpy as np
import pytest
from scipy.interpolate import CubicSpline, make_interp_spline

from locomote.compiler.callbacks import C_SIGNATURE
from locomote.drives.drive import as_drive
from locomote.drives.kinds.constant import Constant
from locomote.drives.kinds.cycloid import Cycloid
from locomote.drives.kinds.fourier import Fourier
from locomote.drives.kinds.function import Function
from locomote.drives.kinds.polynomial import Polynomial
from locomote.drives.kinds.sine import Sine
from locomote.drives.kinds.spline import Spline
from locomote.drives.kinds.sum import Sum
from locomote.drives.strains import StrainWave
from locomote.drives.table import FILES, KINDS, LAWS, drive_from_record
from locomote.errors import UnknownName

TIMES = np.array([0.0, 0.3, 0.5, 1.1, 2.0, 2.9, 3.7])
VALUES = np.array([0.1, 0.4, -0.2, 0.3, 0.9, 0.2, 0.1])
TURN = 2 * mp.pi


def ramp(T):
    """The ramp as an integral, which is what fixes it: its rate is a multiple of s^2 (1 - s)^2."""
    shape = lambda s: s**2 * (1 - s) ** 2  # noqa: E731
    return lambda t: mp.quad(shape, [0, t / T]) / mp.quad(shape, [0, 1]) if t < T else mp.mpf(1)


def double(t):
    return 2.0 * t


def wave(t):
    return np.sin(2.0 * t)


REFERENCES = {  # drive and its position, for 0 < t < 2
    "sine": (Sine(0.7, 3.0, phase=0.4, offset=-0.2), lambda t: mp.mpf(-0.2) + mp.mpf(0.7) * mp.sin(3 * t + mp.mpf(0.4))),
    "fourier": (
        Fourier(-0.2, [0.7, 0.25], [0.5], rate=3.0),
        lambda t: mp.mpf(-0.2) + mp.mpf(0.7) * mp.cos(3 * t) + mp.cos(6 * t) / 4 + mp.sin(3 * t) / 2,
    ),
    "constant": (Constant(1.5), lambda t: mp.mpf(1.5)),
    "polynomial": (
        Polynomial([1.0, -2.0, 0.5, 0.25, -0.125]),
        lambda t: 1 - 2 * t + t**2 / 2 + t**3 / 4 - t**4 / 8,
    ),
    "cycloid": (
        Cycloid(0.25, -1.0, 2.5),
        lambda t: mp.mpf(0.25) - mp.mpf(1.25) * (t / mp.mpf(2.5) - mp.sin(TURN * t / mp.mpf(2.5)) / TURN),
    ),
    "ramped sine": (Sine(0.5, 4.0, ramp=1.5), lambda t: ramp(mp.mpf(1.5))(t) * mp.sin(4 * t) / 2),
    "ramped constant": (Constant(3.0, ramp=2.5), lambda t: 3 * ramp(mp.mpf(2.5))(t)),
    "ramped polynomial": (Polynomial((0, 1, 1), ramp=2.0), lambda t: ramp(mp.mpf(2))(t) * (t + t**2)),
    "sum": (
        Sine(0.5, 1.0) + Constant(2.0, ramp=4.0) - Polynomial((0.0, 3.0)),
        lambda t: mp.sin(t) / 2 + 2 * ramp(mp.mpf(4))(t) - 3 * t,
    ),
    "ramps in ramps": (
        Sum((Sum((Sine(1.0, 2.0, ramp=3.0), Constant(0.5)), ramp=2.5), Polynomial((0.0, 0.0, 1.0))), ramp=4.0),
        lambda t: ramp(mp.mpf(4))(t) * (ramp(mp.mpf(2.5))(t) * (ramp(mp.mpf(3))(t) * mp.sin(2 * t) + mp.mpf(0.5)) + t**2),
    ),
    "scaled": (-(2.0 * Sine(0.5, 2.0, offset=1.0) / 4.0), lambda t: -(mp.mpf(0.5) + mp.sin(2 * t) / 4)),
    "ramped function": (
        3.0 * Function(wave, lambda t: 2.0 * np.cos(2.0 * t), lambda t: -4.0 * np.sin(2.0 * t), ramp=2.5),
        lambda t: 3 * ramp(mp.mpf(2.5))(t) * mp.sin(2 * t),
    ),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_position_and_rates(name):
    drive, position = REFERENCES[name]
    with mp.workdps(40):
        for t in (0.1, 0.55, 1.0, 1.97):
            wanted = [float(mp.diff(position, mp.mpf(t), n)) for n in range(3)]
            assert np.allclose(drive(t), wanted, rtol=1e-13, atol=1e-13), t


@pytest.mark.parametrize("name", REFERENCES)
def test_python_and_compiled_code_agree(name):
    drive, _ = REFERENCES[name]
    times = np.linspace(-1.0, 5.0, 301)
    fast = np.array(drive(times))
    slow = np.array([drive(t) for t in times]).T
    assert np.allclose(fast, slow, rtol=1e-14, atol=1e-14 * max(1.0, abs(fast).max()))


def test_shapes_follow_the_time():
    drive = Sine(1.0, 1.0) + 0.5
    assert all(type(x) is float for x in drive(1)) and drive(np.float64(1.0)) == drive(1) == drive(np.array(1.0))
    assert [x.shape for x in drive([0.0, 1.0])] == [(2,)] * 3
    grid = np.arange(6.0).reshape(2, 3)[:, ::-1]
    grid.flags.writeable = False
    position, velocity, acceleration = drive(grid)
    assert position.shape == (2, 3) and np.allclose(position, 0.5 + np.sin(grid))
    assert np.allclose(velocity, np.cos(grid)) and np.allclose(acceleration, -np.sin(grid))
    assert [x.shape for x in drive(np.zeros((0, 2)))] == [(0, 2)] * 3
    many = np.broadcast_to(np.linspace(0.0, 1.0, 300), (2, 300))
    assert np.allclose(drive(many)[0], 0.5 + np.sin(many))
    assert np.isnan(drive(np.nan)).all()


@pytest.mark.parametrize("drive", [Constant(2.0, ramp=1.5), Cycloid(0.5, 2.0, 1.5)], ids=["ramp", "cycloid"])
def test_both_ends_are_smooth_and_at_rest(drive):
    before, start, after = drive(-1.0), drive(0.0), drive(1e-7)
    assert before[1:] == start[1:] == (0.0, 0.0) and before == start
    assert np.allclose(start, after, atol=1e-5)
    near, end, held = drive(1.5 - 1e-7), drive(1.5), drive(7.0)
    assert end == held == (2.0, 0.0, 0.0) and np.allclose(near, end, atol=1e-5)


# splines


@pytest.mark.parametrize("end", ["natural", "clamped"])
@pytest.mark.parametrize("order", [3, 5])
def test_splines_are_those_of_scipy(order, end):
    drive = Spline(TIMES, VALUES, end=end, order=order)
    if order == 3:
        peer = CubicSpline(TIMES, VALUES, bc_type=end)
    else:
        condition = [(3, 0.0), (4, 0.0)] if end == "natural" else [(1, 0.0), (2, 0.0)]
        peer = make_interp_spline(TIMES, VALUES, k=5, bc_type=(condition, condition))
    times = np.linspace(TIMES[0], TIMES[-1], 333)
    for n, ours in enumerate(drive(times)):
        theirs = peer(times, n)
        assert np.allclose(ours, theirs, rtol=1e-12, atol=1e-12 * abs(theirs).max())


@pytest.mark.parametrize("end", ["natural", "clamped", "periodic"])
@pytest.mark.parametrize("order", [3, 5])
@pytest.mark.parametrize("count", [3, 4, 5, 7])
def test_splines_pass_through_their_samples_smoothly(order, end, count):
    times, values = TIMES[:count], np.append(VALUES[: count - 1], VALUES[0])
    drive = Spline(times, values, end=end, order=order)
    assert np.allclose(drive(times)[0], values, rtol=0.0, atol=1e-13)
    inner = times[1:-1] if end != "periodic" else np.append(times, times + times[-1] - times[0])
    step = 1e-9
    left, right = np.array(drive(inner - step)), np.array(drive(inner + step))
    scale = abs(np.array(drive(np.linspace(times[0], times[-1], 400)))).max(axis=1)
    third = 2 * step * scale[2] / np.diff(times).min() * 20
    assert np.allclose(left[0], right[0], rtol=0.0, atol=3 * step * scale[1] + 1e-12)
    assert np.allclose(left[1], right[1], rtol=0.0, atol=3 * step * scale[2] + 1e-12)
    assert np.allclose(left[2], right[2], rtol=0.0, atol=third + 1e-11)
    first, last = drive(times[0]), drive(times[-1] if end != "periodic" else times[-1] - 1e-12)
    if end == "clamped":
        assert abs(first[1]) < 1e-12 * scale[1] and abs(last[1]) < 1e-12 * scale[1]
    if end == "natural" and order == 3:
        assert abs(first[2]) < 1e-12 * scale[2] and abs(last[2]) < 1e-12 * scale[2]


def test_a_spline_of_order_5_from_rest_to_rest_is_the_ramp():
    assert np.allclose(Spline((0.0, 2.0), (0.0, 3.0), end="clamped", order=5)(1.2), Constant(3.0, ramp=2.0)(1.2), rtol=1e-13)


@pytest.mark.parametrize("order", [3, 5])
def test_outside_hold_and_error(order):
    held = Spline(TIMES, VALUES, order=order)
    assert held.outside == "hold"
    assert np.allclose(held(-0.5), (VALUES[0], 0.0, 0.0)) and np.allclose(held(9.0), (VALUES[-1], 0.0, 0.0))
    assert held(9.0)[1:] == (0.0, 0.0) and held(TIMES[-1])[1] != 0.0
    strict = replace(held, outside="error")
    assert np.isnan(strict(-1e-9)).all() and np.isnan(strict(np.nextafter(TIMES[-1], 9.0))).all()
    assert strict(TIMES[0]) == held(TIMES[0]) and strict(TIMES[-1]) == held(TIMES[-1])
    assert np.isnan((strict + 1.0)(9.0)).all()


@pytest.mark.parametrize("order", [3, 5])
def test_periodic_splines_repeat(order):
    times = np.linspace(0.5, 0.5 + 2.0, 25)
    drive = Spline(times, np.sin(np.pi * times), end="periodic", order=order)
    assert drive.outside == "repeat"
    inside = np.linspace(0.5, 2.49, 40)
    for shift in (-4.0, 2.0, 20.0):
        assert np.allclose(drive(inside + shift), drive(inside), rtol=0.0, atol=1e-11)
    assert np.allclose(drive(inside)[0], np.sin(np.pi * inside), atol=1e-4)
    once = Spline(times, np.sin(np.pi * times), end="periodic", outside="hold", order=order)
    assert once(9.0)[1:] == (0.0, 0.0)


# functions


@pytest.mark.parametrize("frequency", [1.0, 3.3, 10.0, 20.0])
def test_missing_rates_of_a_function(frequency):
    """As its docstring promises."""
    w, times = frequency, np.linspace(0.0, 10.0, 150)
    exact = np.array([np.sin(w * times), w * np.cos(w * times), -w * w * np.sin(w * times)])
    position, velocity = lambda t: np.sin(w * t), lambda t: w * np.cos(w * t)
    for drive, tolerance in ((Function(position), 1e-10), (Function(position, velocity), 1e-11)):
        x, dx, ddx = drive(times)
        assert np.array_equal(x, exact[0])
        assert abs(dx - exact[1]).max() < 1e-11 * w and abs(ddx - exact[2]).max() < tolerance * w * w
    _, dx, ddx = Function(position, acceleration=lambda t: 5.0)(times)
    assert abs(dx - exact[1]).max() < 1e-11 * w and np.array_equal(ddx, np.full(150, 5.0))
    x, dx, ddx = Function(lambda t: t**8, step=0.25)(1.0)
    assert np.allclose((x, dx, ddx), (1.0, 8.0, 56.0), rtol=1e-12)


def test_given_rates_are_taken_as_they_are():
    drive = Function(lambda t: t, lambda t: 10.0 * t, lambda t: 100.0 * t)
    assert drive(2.0) == (2.0, 20.0, 200.0) and (-0.5 * drive)(2.0) == (-1.0, -10.0, -100.0)


@pytest.mark.parametrize("many", [1, 300], ids=["python", "compiled"])
def test_what_a_function_raises_comes_out(many):
    def late(t):
        if t > 0.5:
            raise RuntimeError("no samples after 0.5 s")
        return t

    drive = Function(late) + 1.0
    assert np.isclose(drive(0.1)[0], 1.1)
    with pytest.raises(RuntimeError, match="no samples after") as caught:
        drive(np.linspace(0.2, 0.9, many) if many > 1 else 0.9)
    assert any("drive" in note and "late" in note for note in caught.value.__notes__)
    assert np.isclose(drive(0.1)[0], 1.1)
    with pytest.raises(TypeError, match="gave None, expected a number"):
        Function(lambda t: None)(0.0)


def test_a_compiled_function():
    @numba.cfunc(C_SIGNATURE)
    def parabola(t, q, v, out):
        out[0], out[1], out[2] = t * t, 2.0 * t, 2.0

    for drive in (Function(parabola), as_drive(parabola)):
        assert drive(3.0) == (9.0, 6.0, 2.0)
    assert (2.0 * Function(parabola) + 1.0)(3.0) == (19.0, 12.0, 4.0)
    with pytest.raises(ValueError, match="a cfunc gives position, velocity and acceleration"):
        Function(parabola, double)


# sums and scales


DRIVES = [drive for drive, _ in REFERENCES.values()] + [Spline(TIMES, VALUES), Function(wave)]


@pytest.mark.parametrize("drive", DRIVES, ids=lambda drive: type(drive).__name__)
def test_sums_and_scales_are_linear(drive):
    times, other = np.linspace(-0.5, 3.0, 11), Sine(0.3, 5.0, ramp=1.0)
    x, y = np.array(drive(times)), np.array(other(times))
    one = np.array(Constant(1.0)(times))
    close = lambda result, wanted: np.allclose(result(times), wanted, rtol=1e-8, atol=1e-8)  # noqa: E731
    assert close(drive + other, x + y) and close(drive - other, x - y) and close(-drive, -x)
    assert close(2.5 * drive, 2.5 * x) and close(drive * np.float64(2.5), 2.5 * x) and close(drive / 4, x / 4)
    assert close(np.float64(2.0) * drive, 2.0 * x)
    assert close(drive + 2, x + 2 * one) and close(1.5 + drive, x + 1.5 * one) and close(1.5 - drive, 1.5 * one - x)
    assert close(drive - 1, x - one) and close(sum([drive, other]), x + y)
    assert close(drive + double, x + np.array([2 * times, 0 * times + 2.0, 0 * times]))


def test_sums_are_flat_unless_a_ramp_holds_them_together():
    a, b, c = Sine(1.0, 1.0), Constant(2.0), Sine(1.0, 2.0)
    assert (a + b + c).terms == (a, b, c) == (a + (b + c)).terms == Sum([a, b, c]).terms
    tied = Sum((a, b), ramp=1.0)
    assert (tied + c).terms == (tied, c)
    assert (2.0 * tied).ramp == 1.0


# what is taken for a drive


def test_plain_things_as_drives():
    sine = Sine(1.0, 2.0)
    assert as_drive(sine) is sine
    assert as_drive(3) == as_drive(np.float32(3.0)) == as_drive(np.array(3.0)) == Constant(3.0)
    assert as_drive(double) == Function(double)
    pair = Spline(TIMES, VALUES)
    assert as_drive((TIMES, VALUES)) == as_drive([list(TIMES), tuple(VALUES)]) == as_drive(np.array([TIMES, VALUES])) == pair
    assert pair.times == tuple(TIMES) and type(pair.times[1]) is float


@pytest.mark.parametrize(
    "given",
    ["0.3", None, (1.0, 2.0), (sine := Sine(1.0, 1.0), sine), [TIMES], {"times": TIMES}, 1j],
    ids=["text", "None", "numbers", "drives", "one", "dict", "complex"],
)
def test_what_is_no_drive(given):
    with pytest.raises(TypeError, match=r"expected a drive, a number, a function of t or a pair \(times, values\), not"):
        as_drive(given)


def test_a_class_is_no_drive():
    with pytest.raises(TypeError, match=r"not the class Sine; give it its values, as in Sine\(...\)"):
        as_drive(Sine)


WRONG = {
    "text": (lambda: Sine("0.7", 1.0), TypeError, "amplitude of a Sine must be a number, not '0.7'"),
    "truth": (lambda: Constant(True), TypeError, "value of a Constant must be a number, not True"),
    "array": (lambda: Sine(1.0, np.ones(2)), TypeError, "rate of a Sine must be a number, not array"),
    "nan": (lambda: Sine(1.0, 1.0, phase=np.nan), ValueError, "phase of a Sine must be finite, not nan"),
    "huge": (lambda: Constant(10**400), ValueError, "value of a Constant must be finite"),
    "overflow": (lambda: 1e300 * Constant(1e300), ValueError, "value of a Constant must be finite, not inf"),
    "ramp": (lambda: Sine(1.0, 1.0, ramp=-1), ValueError, "ramp of a Sine must be 0 s or more, not -1"),
    "duration": (lambda: Cycloid(0.0, 1.0, 0.0), ValueError, "duration of a Cycloid must be more than 0 s, not 0"),
    "no coefficients": (lambda: Polynomial(()), ValueError, "coefficients of a Polynomial must be at least 1 number, not 0"),
    "one number": (lambda: Polynomial(3.0), TypeError, "coefficients of a Polynomial must be a row of numbers, not 3.0"),
    "ragged": (lambda: Polynomial([[1.0], [1.0, 2.0]]), TypeError, "must be a row of numbers"),
    "lengths": (lambda: Spline(TIMES, VALUES[:-1]), ValueError, "as many values as times, not 6 values at 7 times"),
    "one sample": (lambda: Spline([0.0], [1.0]), ValueError, "times of a Spline must be at least 2 numbers, not 1"),
    "order of times": (lambda: Spline([0, 1, 1], [0, 1, 2]), ValueError, r"must increase: times\[2\] = 1.0 follows 1.0"),
    "hole": (lambda: Spline([0, 1], [0, np.inf]), ValueError, r"values of a Spline must be finite, but values\[1\] is inf"),
    "order": (lambda: Spline(TIMES, VALUES, order=4), ValueError, "order of a Spline must be 3 or 5, not 4"),
    "end": (lambda: Spline(TIMES, VALUES, end="clampd"), UnknownName, "no end named 'clampd' in a Spline; did you mean"),
    "outside": (lambda: Spline(TIMES, VALUES, outside="stop"), UnknownName, "no outside named 'stop'"),
    "list": (lambda: Spline(TIMES, VALUES, outside=["hold"]), UnknownName, "no outside named"),
    "repeat": (lambda: Spline(TIMES, VALUES, outside="repeat"), ValueError, "needs end='periodic'"),
    "open": (lambda: Spline([0, 1, 2], [0, 1, 0.5], end="periodic"), ValueError, "ends where it starts, but goes from 0.0"),
    "two of order 5": (lambda: Spline([0, 1], [0, 1], order=5), ValueError, "natural Spline of order 5 needs three samples"),
    "too near": (lambda: Spline([0, 1e-200, 1], [0, 1e200, 0]), ValueError, "too near or too large"),
    "no function": (lambda: Function(3.0), TypeError, "position of a Function must be a function of t, not 3.0"),
    "no velocity": (lambda: Function(double, 2.0), TypeError, "velocity of a Function must be a function of t, not 2.0"),
    "step": (lambda: Function(double, step=0), ValueError, "step of a Function must be more than 0 s"),
    "empty sum": (lambda: Sum([]), ValueError, "a Sum needs at least one drive"),
    "sum of text": (lambda: Sum("ab"), TypeError, "terms of a Sum must be a sequence of drives, not 'ab'"),
    "product": (lambda: Sine(1, 1) * Sine(1, 1), TypeError, "unsupported operand"),
    "text added": (lambda: Sine(1, 1) + "a", TypeError, "unsupported operand"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input(case):
    make, kind, sentence = WRONG[case]
    with pytest.raises(kind, match=sentence):
        make()


def test_drives_do_not_change():
    drive = Sine(1.0, 2.0)
    with pytest.raises(FrozenInstanceError):
        drive.amplitude = 2.0  # type: ignore[misc]
    values = VALUES.copy()
    spline = Spline(TIMES, values)
    values[:] = 0.0
    assert np.isclose(spline(TIMES[1])[0], VALUES[1])


# storage


STORED = [
    Sine(np.float64(0.7), 1), Fourier(0.3, [0.1, 1 / 3], [0.2], 2.0), Constant(2, ramp=1.0),
    Polynomial(np.array([1.0, 1 / 3])), Cycloid(0.0, 1.0, 0.1),
    Spline(TIMES, VALUES, end="clamped", order=5, outside="error"), Spline([0, 1, 2], [0, 1, 0], end="periodic"),
    Sum((Sine(1.0, 1.0) + Constant(0.1, ramp=0.3), Polynomial([1])), ramp=2.0),
]  # fmt: skip


@pytest.mark.parametrize("drive", STORED, ids=lambda drive: type(drive).__name__)
def test_round_trips(drive):
    before = drive(0.7)
    for copy in (
        eval(repr(drive)),
        pickle.loads(pickle.dumps(drive)),
        drive_from_record(json.loads(json.dumps(drive.to_record()))),
        type(drive).from_record(drive.to_record()),
        replace(drive),
    ):
        assert type(copy) is type(drive) and copy == drive and hash(copy) == hash(drive) and copy(0.7) == before
    assert drive != Constant(-5.0)


def test_functions_are_pickled_but_not_stored():
    drive = 2.0 * Function(wave, ramp=0.5) + 1.0
    copy = pickle.loads(pickle.dumps((drive(0.2), drive)))[1]
    assert copy == drive and copy(0.2) == drive(0.2)
    with pytest.raises(ValueError, match="the drive 'wave' cannot be stored, since it is a Python function; store a Spline"):
        drive.to_record()


def test_every_file_of_drives_is_in_the_table():
    """Each holds one kind, which records know unless it is a function, and its law is found by its number."""
    assert {kind.__module__ for kind in KINDS.values()} == {file.__name__ for file in FILES}
    assert [law.NUMBER for law in LAWS] == [*range(len(LAWS))]
    assert "Function" in KINDS and set(KINDS) - {"Function"} == {type(x).__name__ for x in STORED}


RECORDS = {
    "nothing": (None, ValueError, "a table with a 'kind', not None"),
    "no kind": ({"amplitude": 1.0}, ValueError, "a table with a 'kind'"),
    "kind": ({"kind": "Sin"}, UnknownName, "no drive named 'Sin' in records of drives; did you mean 'Sine'"),
    "list": ({"kind": ["Sine"]}, UnknownName, "no drive named"),
    "function": ({"kind": "Function", "position": "os.system"}, UnknownName, "no drive named 'Function'"),
    "name": ({"kind": "Sine", "amplitud": 1.0}, UnknownName, "no value named 'amplitud' in a Sine; did you mean 'amplitude'"),
    "missing": ({"kind": "Sine", "amplitude": 1.0}, ValueError, "record of a Sine is not complete.*rate"),
    "text": ({"kind": "Constant", "value": "1"}, ValueError, "wrong value: value of a Constant must be a number"),
    "term": ({"kind": "Sum", "terms": [3]}, ValueError, "a table with a 'kind', not 3"),
    "terms": ({"kind": "Sum", "terms": 3}, ValueError, "terms of a Sum must be a sequence"),
}


@pytest.mark.parametrize("case", RECORDS)
def test_wrong_records(case):
    record, kind, sentence = RECORDS[case]
    with pytest.raises(kind, match=sentence):
        drive_from_record(record)


def test_a_record_of_another_kind():
    with pytest.raises(ValueError, match="the record is of a Constant, not of a Sine"):
        Sine.from_record(Constant(1.0).to_record())


@pytest.mark.parametrize("made", [lambda **how: Sine(0.5, **how), lambda **how: StrainWave(2.0, 0.8, **how)])
def test_rate_in_radians_or_frequency_in_hertz(made):
    assert made(frequency=2.0) == made(rate=4.0 * np.pi)
    assert made(rate=4.0 * np.pi).frequency == 2.0
    for wrong in ({}, {"rate": 1.0, "frequency": 1.0}):
        with pytest.raises(TypeError, match="either rate, rad/s, or frequency, Hz"):
            made(**wrong)
