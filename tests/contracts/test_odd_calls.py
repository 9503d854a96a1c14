"""Every public call with odd values in every argument: an answer that is finite, or a sentence of ours."""

import linecache
import warnings

import numpy as np
import odd_calls
import odd_folder_calls
import odd_runs
import pytest

import locomote as lo

ODD = {
    "None": None,
    "True": True,
    "a word": "w",
    "no word": "",
    "bytes": b"x",
    "an integer": 3,
    "zero": 0,
    "minus one": -1,
    "an integer too large": 10**400,
    "a fraction": 0.5,
    "nan": float("nan"),
    "inf": float("inf"),
    "minus inf": float("-inf"),
    "huge": 1e308,
    "large": 1e200,
    "tiny": 1e-300,
    "a complex number": 1j,
    "no list": [],
    "a list of None": [None],
    "a list of lists": [[1.0], [2.0, 3.0]],
    "a table": {},
    "a table of None": {None: None},
    "a set": {1},
    "three nan": [float("nan")] * 3,
    "three huge": (1e308,) * 3,
    "three words": "abc",
    "zeros": np.zeros(3),
    "no array": np.zeros(0),
    "a matrix": np.ones((2, 2)),
    "objects": np.array([None, "x"], dtype=object),
    "a class": lo.Sphere,
    "a function": lambda *given: None,
    "an object": object(),
    "a range": range(3),
}
CALLS = dict(odd_calls.calls())
FOLDER_CALLS = dict(odd_folder_calls.calls())
OURS = (lo.LocomoteError, ValueError, TypeError, FloatingPointError, NotImplementedError)


def is_said(error):
    """Whether an error was raised on purpose: by a `raise` of the library, or by Python for arguments that a call has not."""
    if not isinstance(error, OURS):
        return False
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    name = trace.tb_frame.f_globals.get("__name__", "")
    line = linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno).strip()
    return name.startswith("locomote") and line.startswith("raise")


def numbers(value, depth=3):
    """All numbers in a result."""
    if isinstance(value, (float, np.ndarray, np.floating)):
        array = np.asarray(value)
        return [array] if array.dtype.kind == "f" else []
    if isinstance(value, (tuple, list)) and depth:
        return [x for part in value for x in numbers(part, depth - 1)]
    return []


def fault(call):
    """What is wrong with a call, or nothing."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = call()
        except Exception as error:
            return "" if is_said(error) else f"{type(error).__name__}: {error}"[:200]
    return "" if all(np.isfinite(x).all() for x in numbers(result)) else "a result that is not finite"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", CALLS)
def test_odd_values_get_a_sentence(name):
    call, found = CALLS[name], []
    for argument in odd_calls.names_of(name, call):
        for label, value in ODD.items():
            given = odd_calls.arguments(name, call) | {argument: value}
            if said := fault(lambda given=given: odd_calls.use(name, odd_calls.call_with(call, given))):
                found.append(f"{argument} = {label}: {said}")
    assert not found, "\n".join([f"{len(found)} of lo.{name}", *found])


@pytest.mark.parametrize("owner, name", list(odd_calls.methods()))
def test_odd_values_of_methods_get_a_sentence(owner, name):
    receiver, found = odd_calls.RECEIVERS[owner](), []
    call = getattr(receiver, name)
    for argument in odd_calls.names_of(f"{owner}.{name}", call):
        for label, value in ODD.items():
            given = odd_calls.arguments(f"{owner}.{name}", call, receiver) | {argument: value}
            if said := fault(lambda given=given: odd_calls.call_with(call, given)):
                found.append(f"{argument} = {label}: {said}")
    assert not found, "\n".join([f"{len(found)} of lo.{owner}.{name}", *found])


@pytest.mark.parametrize("name", CALLS)
def test_valid_calls_are_valid(name):
    """Or odd values would be refused for other reasons than they are odd."""
    if name not in odd_calls.NO_FILE:
        odd_calls.use(name, odd_calls.call_with(CALLS[name], odd_calls.arguments(name, CALLS[name])))


@pytest.mark.parametrize("words", odd_calls.USES)
def test_every_use_is_of_some_call(words):
    """Or files have moved, and what calls make is not used any more."""
    assert any(odd_calls.home_of(name).startswith(words) for name in CALLS)


@pytest.mark.parametrize("name", FOLDER_CALLS)
def test_odd_values_in_folders_get_a_sentence(name):
    call, found = FOLDER_CALLS[name], []
    odd_folder_calls.use(name, call(**odd_folder_calls.arguments(name, call)))
    for argument in odd_folder_calls.names_of(call):
        for label, value in ODD.items():
            given = odd_folder_calls.arguments(name, call) | {argument: value}
            if said := fault(lambda given=given: odd_folder_calls.use(name, call(**given))):
                found.append(f"{argument} = {label}: {said}")
    assert not found, "\n".join([f"{len(found)} of lo.{name}", *found])


@pytest.mark.parametrize("system", odd_folder_calls.SYSTEMS)
def test_odd_parameters_of_systems_get_a_sentence(system):
    found = []
    for parameter in lo.systems.parameters(system):
        for label, value in ODD.items():
            if said := fault(lambda name=parameter.name, value=value: odd_folder_calls.loaded(system, **{name: value})):
                found.append(f"{parameter.name} = {label}: {said}")
    assert not found, "\n".join([f"{len(found)} of {system}", *found])


@pytest.mark.parametrize("label", odd_runs.CALLS)
def test_odd_values_of_runs_and_searches_get_a_sentence(label):
    make, found = odd_runs.CALLS[label][0], []
    for argument in odd_runs.names_of(label):
        for odd, value in ODD.items():
            given, call = odd_runs.given(label) | {argument: value}, make()
            if said := fault(lambda call=call, given=given: call(**given)):
                found.append(f"{argument} = {odd}: {said}")
    assert not found, "\n".join([f"{len(found)} of {label}", *found])


MIRROR = np.diag([1.0, 1.0, -1.0])
POSE = np.diag([1.0, 1.0, -1.0, 1.0])
BALL, WATER, FEET = odd_calls.BALL, odd_calls.WATER, [lo.control.Contact("ball")]
MIRRORS = {
    "added mass": lambda: odd_calls.acting(lo.AddedMass("ball", WATER, lo.Ellipsoid((0.1, 0.1, 0.2)), rotation=MIRROR)),
    "a frame": lambda: lo.control.WholeBody(BALL, [lo.control.Frame("ball", rotation=MIRROR)]).evaluate(
        0.0, *odd_calls.still(BALL)
    ),
    "a moving frame": lambda: lo.control.WholeBody(
        BALL, [lo.control.Frame("ball", rotation=lambda t: (MIRROR, 0.0, 0.0))]
    ).evaluate(0.0, *odd_calls.still(BALL)),
    "a target": lambda: lo.inverse_kinematics(odd_calls.ARM, lo.Target("fore", orientation=MIRROR)),
    "a loop": lambda: odd_calls.tied(lo.LoopClosure("fore", frame=POSE)),
    "a moved inertia": lambda: lo.Inertia(1.0).moved(POSE),
    "a body": lambda: odd_calls.described(lo.Body("b", placement=POSE, inertia=odd_calls.BOX)),
    "coordinates": lambda: lo.chart("zyx").coordinates(MIRROR),
    "a pose": lambda: lo.all_inverse_kinematics(odd_calls.ARM, POSE),
    "a stance": lambda: lo.control.find_stance(BALL, FEET, {"ball": POSE}, posture=BALL.neutral()),
    "a touch": lambda: odd_calls.touched(lo.Touch("ball", box=(0.1, 0.1, 0.1), at=POSE)),
}


@pytest.mark.parametrize("name", MIRRORS)
def test_a_mirror_is_no_rotation(name):
    with pytest.raises(ValueError, match=r"reflection|rotation|pose"):
        MIRRORS[name]()


@pytest.mark.parametrize(
    "task", [lo.control.CenterOfMass, lo.control.AngularMomentum, lambda axes: lo.control.Frame("ball", axes=axes)]
)
@pytest.mark.parametrize("axes", ["w", "", "xw", 3])
def test_letters_of_axes(task, axes):
    with pytest.raises((ValueError, TypeError), match=r"axes .*letters x, y and z"):
        lo.control.WholeBody(BALL, [task(axes=axes)], FEET).evaluate(0.0, *odd_calls.still(BALL))


def swimmer():
    builder = lo.Builder("swimmer", base="free").body("head", inertia=odd_calls.BOX)
    return builder.body("tail", parent="head", joint=lo.Joint("bend"), at=(-0.3, 0, 0), inertia=odd_calls.BOX).build()


@pytest.mark.parametrize(
    "ends",
    [
        [("tail", 0.0, -0.3), ("head", 0.0, -0.3)],  # from tail to head
        [("head", -0.3, 0.0), ("tail", -0.3, 0.0)],  # each turned round
        [("head", 0.0, -0.3), ("tail", -0.3, 0.0)],
    ],
)
def test_segments_of_a_swimmer_go_from_head_to_tail(ends):
    segments = [lo.water.Segment(body, (start, 0, 0), (end, 0, 0), 0.1) for body, start, end in ends]
    with pytest.raises(ValueError, match="segments of 'lighthill' go from head to tail.*number 1"):
        lo.Locomotion(swimmer(), environment=[lo.water.Lighthill(WATER, segments)])
    good = [lo.water.Segment("head", (0, 0, 0), (-0.3, 0, 0), 0.1), lo.water.Segment("tail", (0, 0, 0), (-0.3, 0, 0), 0.1)]
    assert lo.Locomotion(swimmer(), environment=[lo.water.Lighthill(WATER, good)])
