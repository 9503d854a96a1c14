"""Wrong problems and runs, and the sentence that each gets; a run that fails keeps what it computed."""

import re

import numpy as np
import pytest

import locomote as lo

BOX = lo.Inertia.box(1.0, (0.1, 0.2, 0.3))
NAN = float("nan")


def walker():
    """A free trunk with a ball hip, a knee, an ankle of two turns, and a sole fixed to the foot."""
    builder = lo.Builder("walker", base="free").body("trunk", inertia=BOX)
    builder.body("thigh", parent="trunk", joint=lo.Joint("hip", "spherical"), inertia=BOX)
    builder.body("shank", parent="thigh", joint=lo.Joint("knee", axis="y"), at=(0, 0, -0.4), inertia=BOX)
    ankle = lo.Joint("ankle", "universal", axis="y", axis2="x")
    return builder.body("foot", parent="shank", joint=ankle, at=(0, 0, -0.4), inertia=BOX).body("sole", parent="foot").build()


def arm():
    """Two turns in a vertical plane."""
    builder = lo.Builder("arm").body("upper", joint=lo.Joint("shoulder", axis="y"), inertia=BOX)
    return builder.body("lower", parent="upper", joint=lo.Joint("elbow", axis="y"), at=(0.5, 0, 0), inertia=BOX).build()


W, A = walker(), arm()
FREE = lo.Locomotion(A)
REST = [0.0, 0.0]


def held(*constraints, model=W):
    return lo.Locomotion(model, constraints=constraints)


def pulled(function):
    return lo.Locomotion(A, environment=[function]).evaluate(0.0, REST, REST)


def turned(function):
    return lo.Locomotion(A, torques=function).evaluate(0.0, REST, REST)


WRONG = [
    # what is imposed
    (lambda: lo.Locomotion("arm"), TypeError, "expected a lo.Model, not 'arm'; lo.load reads one from a file"),
    (
        lambda: lo.Locomotion(W, drives={"kne": 0.1}),
        lo.UnknownName,
        "no joint named 'kne' in model 'walker'; did you mean 'knee'?",
    ),
    (
        lambda: lo.Locomotion(W, drives={3: 1.0}),
        lo.UnknownName,
        "no joint named 3 in model 'walker'; known: base, hip, knee, ankle",
    ),
    (
        lambda: lo.Locomotion(W, drives={"hip": (0, 0, 0)}),
        ValueError,
        "drives['hip']: coordinates of a spherical joint move on a group and cannot be imposed one by one; use an euler",
    ),
    (
        lambda: lo.Locomotion(W, drives={"base": [0] * 6}),
        ValueError,
        "drives['base']: coordinates of a free joint move on a group",
    ),
    (
        lambda: lo.Locomotion(W, drives={"ankle": lo.Sine(1, 1)}),
        ValueError,
        "drives['ankle'] gives 1 signal(s), joint 'ankle' has 2 coordinates: give one each, or name one as ('ankle', 0)",
    ),
    (
        lambda: lo.Locomotion(W, drives={"ankle": (1.0, 2.0, 3.0)}),
        ValueError,
        "drives['ankle'] gives 3 signal(s), joint 'ankle' has 2",
    ),
    (lambda: lo.Locomotion(W, drives={("ankle", 2): 1.0}), ValueError, "joint 'ankle' has 2 coordinates, there is no number 2"),
    (
        lambda: lo.Locomotion(W, drives={("ankle", -1): 1.0}),
        ValueError,
        "joint 'ankle' has 2 coordinates, there is no number -1",
    ),
    (
        lambda: lo.Locomotion(W, drives={("ankle", "x"): 1.0}),
        ValueError,
        "must be the name of a joint, or (name, number of its coordinate)",
    ),
    (
        lambda: lo.Locomotion(W, drives={("ankle", 0, 1): 1.0}),
        ValueError,
        "must be the name of a joint, or (name, number of its coordinate)",
    ),
    (
        lambda: lo.Locomotion(W, drives={"ankle": (1.0, 2.0), ("ankle", 0): 1.0}),
        ValueError,
        "drives[('ankle', 0)]: that coordinate is there already; name each once",
    ),
    (
        lambda: lo.Locomotion(W, torques={"knee": lambda t, q, v: 0.0}),
        TypeError,
        "gets the time alone, f(t); this one asks for 3 things",
    ),
    (lambda: lo.Locomotion(W, drives={"knee": "fast"}), TypeError, "expected a drive, a number, a function of t or a pair"),
    (lambda: lo.Locomotion(W, drives={"knee": lo.Sine}), TypeError, "expected a drive, not the class Sine; give it its values"),
    (lambda: lo.Locomotion(W, drives={"knee": NAN}), ValueError, "value of a Constant must be finite, not nan"),
    (lambda: lo.Locomotion(W, drives=[("knee", 1.0)]), TypeError, "drives must be a table from joints to what acts on them"),
    # torques and springs
    (lambda: lo.Locomotion(W, torques={"kne": 1.0}), lo.UnknownName, "did you mean 'knee'?"),
    (
        lambda: lo.Locomotion(W, drives={"knee": 1.0}, torques={"knee": 1.0}),
        ValueError,
        "joint 'knee' has both a drive and a torque; what it is driven by is then not defined",
    ),
    (lambda: lo.Locomotion(W, torques=3.0), TypeError, "torques must be a table from joints to what acts on them"),
    (
        lambda: turned(lambda t, q, v: [1.0]),
        ValueError,
        "torques of 'arm' gave an array of shape (1,), expected (2,): 2 numbers",
    ),
    (lambda: turned(lambda t, q, v: "much"), TypeError, "torques of 'arm' gave array('much'"),
    (lambda: turned(lambda t, q, v: 1 / 0), ZeroDivisionError, "division by zero"),
    (
        lambda: turned(lambda t, q, v: [NAN, 0]),
        lo.LocomoteError,
        "'arm' has no acceleration at t = 0: a drive, a torque, a force or a constraint gives a value that is not finite",
    ),
    (
        lambda: lo.Locomotion(W, springs={"knee": (1.0, 2.0)}),
        ValueError,
        "springs['knee'] is (1.0, 2.0), expected (stiffness, rest, damping)",
    ),
    (
        lambda: lo.Locomotion(W, springs={"knee": "soft"}),
        ValueError,
        "springs['knee'] is 'soft', expected (stiffness, rest, damping)",
    ),
    (
        lambda: lo.Locomotion(W, springs={"knee": (1, NAN, 0)}),
        ValueError,
        "springs['knee'] is (1, nan, 0); all three must be finite",
    ),
    (
        lambda: lo.Locomotion(W, springs={"knee": (1, 0, -1)}),
        ValueError,
        "springs['knee'] has the damping -1, which must not be negative",
    ),
    (
        lambda: lo.Locomotion(W, springs={"hip": (1, 0, 0)}),
        ValueError,
        "the spring of joint 'hip' acts on a group; use an environment function",
    ),
    # constraints
    (
        lambda: lo.Locomotion(W, constraints=lo.Blade("foot")),
        TypeError,
        "constraints must be a list, such as constraints=[...]",
    ),
    (lambda: held("blade"), TypeError, "constraints[0] is 'blade', not a constraint such as lo.Blade or lo.Rolling"),
    (lambda: held(lo.Touch("cart", lo.Ground(), sphere=0.1)), TypeError, "a lo.Touch goes into contacts"),
    (lambda: held(lo.Blade("feet")), lo.UnknownName, "no body named 'feet' in model 'walker'"),
    (
        lambda: held(lo.Blade("foot", other="grund")),
        lo.UnknownName,
        "no body named 'grund' in model 'walker'; did you mean 'trunk'?",
    ),
    (
        lambda: held(lo.Blade("foot", side=(0, 0, 0))),
        ValueError,
        "constraint 'blade_foot': side must be three numbers, not all zero",
    ),
    (
        lambda: held(lo.Blade("foot", point=(0, 1))),
        ValueError,
        "constraint 'blade_foot': a frame is three numbers (m) or a (4, 4) pose",
    ),
    (
        lambda: held(lo.Blade("foot", point=(0, 1, NAN))),
        ValueError,
        "constraint 'blade_foot': all numbers of a frame must be finite",
    ),
    (lambda: held(lo.Blade("foot", other="sole")), ValueError, "body 'foot' and 'sole' do not move relative to each other"),
    (
        lambda: held(lo.PointContact("foot", directions="xw")),
        ValueError,
        "directions is 'xw', expected some of the letters 'xyz', each once",
    ),
    (
        lambda: held(lo.PointContact("foot", directions="xy", unilateral=True)),
        ValueError,
        "a unilateral contact pushes along z",
    ),
    (
        lambda: held(lo.PointContact("foot", unilateral=True, restitution=1.5)),
        ValueError,
        "restitution is 1.5, it must lie between 0 and 1",
    ),
    (
        lambda: held(lo.PointContact("foot", restitution=0.5)),
        ValueError,
        "restitution needs a contact that can open and hit: unilateral=True",
    ),
    (lambda: held(lo.LoopClosure("foot", "trunk", kind="hinge")), ValueError, "unknown kind 'hinge'; known: weld, revolute"),
    (
        lambda: held(lo.LoopClosure("foot", "trunk", locked="xq")),
        ValueError,
        "locked is 'xq', expected some of the letters 'xyzabc', each once",
    ),
    (
        lambda: held(lo.LoopClosure("foot", "trunk", locked="ax")),
        ValueError,
        "locked must name shifts before turns, such as 'xa', not 'ax'",
    ),
    (
        lambda: held(lo.LoopClosure("foot", "trunk", frame=np.eye(3))),
        ValueError,
        "a frame is three numbers (m) or a (4, 4) pose, not an array of shape (3, 3)",
    ),
    (lambda: held(lo.LoopClosure("foot", "trunk", frame=2 * np.eye(4))), ValueError, "a (4, 4) frame must be a pose"),
    (
        lambda: held(lo.Distance("foot", "trunk", length=-1.0)),
        ValueError,
        "length is -1.0, it must be positive; hold a point with lo.PointContact",
    ),
    (lambda: held(lo.Rolling("foot")), ValueError, "radius 0.0 and tube 0.0 must not be negative, nor both zero"),
    (lambda: held(lo.Rolling("foot", 1.0, axle=(0, 0, 0))), ValueError, "axle must be three numbers, not all zero"),
    (
        lambda: held(lo.Rolling("foot", 1.0, surface="ground")),
        TypeError,
        "surface of lo.Rolling must be a lo.Box, a lo.Capsule, a lo.Cylinder, a lo.HeightField, a lo.Plane",
    ),
    (
        lambda: held(lo.Rolling("foot", 1.0, surface=lo.Sphere(radius=-1))),
        ValueError,
        "radius of the surface is -1, it must be positive",
    ),
    (lambda: held(lo.Rolling("foot", shape=lo.Ellipsoid((1, 1, 0)))), ValueError, "semi-axes (1, 1, 0) must be positive"),
    (
        lambda: held(lo.Rolling("foot", 1.0, directions="xyz")),
        ValueError,
        "directions is 'xyz', expected some of the letters 'fln', each once",
    ),
    (lambda: held(lo.Coupled()), ValueError, "ratios are empty: name at least one joint"),
    (
        lambda: held(lo.Coupled({"hip": 1.0})),
        ValueError,
        "joint 'hip' is spherical, only joints with one coordinate can be coupled",
    ),
    (
        lambda: held(lo.Coupled({"knee": 1.0}, other="knee")),
        ValueError,
        "a curve needs the joint that it is over",
    ),
    (
        lambda: held(lo.Coupled({"knee": 1.0}, coefficients=(1.0,))),
        ValueError,
        "a curve needs the joint that it is over",
    ),
    (
        lambda: held(lo.Coupled({"knee": 1.0}, other="hip", coefficients=(1.0,))),
        ValueError,
        "joint 'hip' is spherical, a curve is over a joint with one coordinate",
    ),
    (
        lambda: held(lo.Coupled({"knee": 1.0}, other="knee", coefficients=(NAN,))),
        ValueError,
        "coefficients, knots and start of a curve must be finite numbers",
    ),
    (
        lambda: held(lo.Coupled({"knee": 1.0}, other="knee", knots=((0.0, 0.0), (1.0, 2.0)))),
        ValueError,
        "a spline needs at least two points, with x that rises",
    ),
    (
        lambda: held(lo.Coupled({"knee": 1.0}, other="knee", knots=((0.0, 1.0), (1.0, 2.0)), coefficients=(1.0,))),
        ValueError,
        "a curve has coefficients or knots, not both",
    ),
    (lambda: held(lo.Coupled({"kne": 1.0})), lo.UnknownName, "did you mean 'knee'?"),
    (lambda: held(lo.Coupled({"knee": NAN})), ValueError, "the ratio of joint 'knee' is nan, it must be finite"),
    (
        lambda: held(lo.Custom(rows=lambda t, q, v: [[0.0]], count=0)),
        ValueError,
        "count is 0, expected the number of rows, 1 or more",
    ),
    (lambda: held(lo.Custom(rows=np.zeros((1, 12)))), ValueError, "rows must be a function of (t, q, v), not array"),
    (
        lambda: held(lo.Custom(rows=lambda t, q, v: [1, 2, 3]), model=A).initial(),
        ValueError,
        "an array of shape (3,) came, expected (1, 2)",
    ),
    (lambda: held(lo.Custom(rows=lambda t, q, v: 1 / 0), model=A).initial(), ZeroDivisionError, "division by zero"),
    # surroundings
    (lambda: lo.Locomotion(W, environment=["wind"]), TypeError, "environment holds 'wind', expected a force such as lo.Spring"),
    (
        lambda: lo.Locomotion(W, environment=lo.Spring("foot")),
        TypeError,
        "environment must be a list, such as environment=[...]",
    ),
    (lambda: lo.Locomotion(W, environment=[lo.Spring("feet")]), lo.UnknownName, "no body named 'feet'"),
    (
        lambda: pulled(lambda t, q, v: {"hand": np.zeros(6)}),
        lo.UnknownName,
        "no body named 'hand' in model 'arm'; known: upper, lower",
    ),
    (
        lambda: pulled(lambda t, q, v: {"lower": np.zeros(3)}),
        ValueError,
        "wrench on body 'lower' has shape (3,), expected (..., 6)",
    ),
    (lambda: pulled(lambda t, q, v: {"lower": [NAN] * 6}), ValueError, "wrench on body 'lower' .*not finite"),
    # numbers
    (lambda: lo.Locomotion(A, rank_tolerance=0), ValueError, "rank_tolerance is 0, expected a positive number less than 1"),
    (
        lambda: lo.Locomotion(A, rank_tolerance="small"),
        ValueError,
        "rank_tolerance is 'small', expected a positive number less than 1",
    ),
    (lambda: lo.Locomotion(A, tolerances=1e-8), ValueError, "tolerances must be a pair (rtol, atol), such as (1e-8, 1e-10)"),
    (lambda: lo.Locomotion(A, tolerances=(0.0, 1e-8)), ValueError, "rtol of tolerances is 0.0, expected a positive number"),
    (lambda: lo.Locomotion(A, tolerances=(1e-8, -1.0)), ValueError, "atol of tolerances is -1.0, expected a positive number"),
    (lambda: lo.Locomotion(A, friction_speed=0.0), ValueError, "friction_speed is 0.0, expected a positive number"),
    # states
    (lambda: FREE.evaluate(0, [0, 0, 0], REST), ValueError, "q has shape (3,), expected (..., 2): model 'arm' has nq = 2"),
    (lambda: FREE.evaluate(0, REST, [0]), ValueError, "v has shape (1,), expected (..., 2): model 'arm' has nv = 2"),
    (lambda: FREE.evaluate(0, [0, NAN], REST), ValueError, "q[1] is nan; all values must be finite"),
    (lambda: FREE.evaluate(NAN, REST, REST), ValueError, "t is nan, expected a time in seconds"),
    (lambda: FREE.evaluate("now", REST, REST), ValueError, "t is 'now', expected a time in seconds"),
    (lambda: FREE.evaluate(0, [REST], REST), ValueError, "q has shape (1, 2); a problem takes one state at a time, shape (2,)"),
    (lambda: FREE.initial(np.zeros((3, 2))), ValueError, "q has shape (3, 2); a problem takes one state at a time, shape (2,)"),
    (lambda: FREE.classify(0, [0]), ValueError, "q has shape (1,), expected (..., 2)"),
    (
        lambda: FREE.reduction(0, REST, REST, inverse="maximum"),
        ValueError,
        "inverse is 'maximum', expected 'minimum', weights of the 0 rows",
    ),
    # runs
    (lambda: FREE.simulate(-1.0), ValueError, "duration is -1.0, expected a positive number of seconds"),
    (lambda: FREE.simulate(NAN), ValueError, "duration is nan, expected a positive number of seconds"),
    (lambda: FREE.simulate("long"), ValueError, "duration is 'long', expected a positive number of seconds"),
    (lambda: FREE.simulate(1.0, t=NAN), ValueError, "t is nan, expected a time in seconds"),
    (lambda: FREE.simulate(1.0, method="rk5"), ValueError, "unknown method 'rk5'; known: adaptive, .*rk4, .*variational"),
    (lambda: FREE.simulate(1.0, step=0), ValueError, "step is 0, expected a positive number of seconds"),
    (lambda: FREE.simulate(1.0, step="small"), ValueError, "step is 'small', expected a positive number of seconds"),
    (lambda: FREE.simulate(1.0, rtol=0), ValueError, "rtol is 0, expected a positive number"),
    (lambda: FREE.simulate(1.0, rtol=NAN), ValueError, "rtol is nan, expected a positive number"),
    (lambda: FREE.simulate(1.0, atol=-1), ValueError, "atol is -1, expected a positive number"),
    (lambda: FREE.simulate(1.0, max_step=0), ValueError, "max_step is 0, expected a positive number"),
    (lambda: FREE.simulate(1.0, every=0), ValueError, "every is 0, expected a positive number of seconds"),
    (lambda: FREE.simulate(1.0, every="ms"), ValueError, "every is 'ms', expected a positive number of seconds"),
    (lambda: FREE.simulate(1.0, samples=[0.0, 2.0]), ValueError, "samples must lie between 0 and 1 s"),
    (lambda: FREE.simulate(1.0, samples=[-0.5, 0.2]), ValueError, "samples must lie between 0 and 1 s"),
    (lambda: FREE.simulate(1.0, samples=[0.5, 0.2]), ValueError, "samples must be increasing times, s"),
    (lambda: FREE.simulate(1.0, samples=[]), ValueError, "samples must be increasing times, s"),
    (lambda: FREE.simulate(1.0, samples="often"), ValueError, "samples must be an array of numbers"),
    (lambda: FREE.simulate(1.0, samples=[0.5], every=0.1), ValueError, "give either every or samples, not both"),
    (
        lambda: FREE.simulate(1.0, events=["fall"]),
        TypeError,
        "an event is a function (t, q, v) -> number or lo.When, not 'fall'",
    ),
    (lambda: FREE.simulate(1.0, events=lambda t, q, v: 1.0), TypeError, "events must be a list, such as events=[...]"),
    (lambda: FREE.simulate(1.0, singular="ignore"), ValueError, "singular is 'ignore', expected 'continue' or 'stop'"),
    (lambda: FREE.simulate(1.0, tolerance=1e-3), TypeError, "unexpected keyword argument 'tolerance'"),
    (
        lambda: FREE.simulate(1.0, checkpoint="/nonexistent/x.run"),
        lo.LocomoteError,
        "cannot be written: its folder does not exist; make it first",
    ),
]


@pytest.mark.parametrize("call, kind, sentence", WRONG, ids=[re.sub(r"\W+", " ", row[2])[:50].strip() for row in WRONG])
def test_wrong_input_gets_a_sentence(call, kind, sentence):
    pattern = ".*".join(re.escape(part) for part in sentence.split(".*"))
    with pytest.raises(kind, match=pattern):
        call()


# starts that do not fit


def test_a_loop_that_cannot_close_says_which_and_by_how_much():
    """Two links of 0.5 m do not reach a point 2 m away: a gap of about one metre stays, whatever the start."""
    tip = lo.PointContact("lower", (0.5, 0, 0), (2.0, 0, 0), "xz", name="tip")
    for q in ([0.1, -0.2], [0.5, 0.5], [2.0, 1.0]):
        with pytest.raises(lo.InconsistentStart) as caught:
            held(tip, model=A).initial(q)
        found = re.search(
            r"'arm' cannot be assembled at t = 0: row 'x' of 'tip' is off by (-[\d.]+) m or rad", str(caught.value)
        )
        assert found and -1.5 < float(found[1]) <= -0.999
        assert "start from a configuration nearer to a closed one" in str(caught.value) and isinstance(caught.value, ValueError)


def test_a_loop_that_can_close_is_closed():
    tip = lo.PointContact("lower", (0.5, 0, 0), (0.6, 0, -0.4), "xz", name="tip")
    q, _ = held(tip, model=A).initial([0.5, 0.5])
    pose = lo.forward_kinematics(A, q)[1]
    assert (pose @ [0.5, 0, 0, 1.0])[:3] == pytest.approx([0.6, 0, -0.4], abs=1e-10)


def test_drives_that_contradict_a_constraint():
    """The elbow is imposed, and coupled to a shoulder that is imposed too."""
    both = lo.Locomotion(
        A,
        drives={"shoulder": lo.Sine(1.0, 1.0), "elbow": lo.Sine(1.0, 2.0)},
        constraints=[lo.Coupled({"shoulder": 1.0, "elbow": -1.0}, name="belt")],
    )
    with pytest.raises(
        lo.InconsistentStart,
        match=r"the imposed velocities of 'arm' at t = 0 do not fit its constraints: row 'coupling' of 'belt'",
    ):
        both.initial()
    with pytest.raises(lo.InconsistentStart, match=r"'arm' cannot be assembled at t = 0.7: row 'coupling' of 'belt' is off by"):
        both.initial(t=0.7)


def test_motion_without_mass_is_refused():
    """A massless body on a free joint: no acceleration follows from any force."""
    model = (
        lo.Builder("ghost")
        .body("arm", joint=lo.Joint("turn", axis="y"), inertia=BOX)
        .body("tip", parent="arm", joint=lo.Joint("spin"))
        .build()
    )
    problem = lo.Locomotion(model, constraints=[lo.Coupled({"turn": 1.0})])
    with pytest.raises(
        lo.LocomoteError,
        match="'ghost' has no acceleration at t = 0: no mass moves with the motion spin.rate; give bodies mass",
    ):
        problem.evaluate(0.0, REST, REST)
    with pytest.raises(lo.RunFailed, match="no mass moves with the motion spin.rate"):
        problem.simulate(1.0)
    with pytest.raises(lo.LocomoteError, match="'ghost' has no acceleration at t = 0"):
        lo.Locomotion(model).evaluate(0.0, REST, REST)


# runs that fail keep what they computed


def failing(what, method="adaptive", **options):
    """A run that fails in the middle; its RunFailed."""
    with pytest.raises(lo.RunFailed) as caught:
        what.simulate(2.0, method=method, every=0.1, **options)
    assert caught.value.run.info["status"] == "failed"
    assert caught.value.run.info["message"] in str(caught.value)
    return caught.value


def after(limit, good, bad):
    """A function that is well until a time."""

    def function(t, q, v):
        return good if t < limit else bad()

    return function


def fail():
    raise RuntimeError("out of coffee")


METHODS = ("adaptive", "rk4", "implicit", "variational")


@pytest.mark.parametrize("method", METHODS)
def test_a_function_that_raises(method):
    error = failing(lo.Locomotion(A, torques=after(1.05, [0.1, 0.0], fail)), method)
    assert re.search(r"'arm': a function of the problem raised RuntimeError at t = 1(\.0\d*)? s: out of coffee", str(error))
    assert isinstance(error.__cause__, RuntimeError) and "torques of 'arm'" in "".join(error.__cause__.__notes__)
    assert error.run.t[-1] == pytest.approx(1.0) and np.isfinite(error.run.q).all()


@pytest.mark.parametrize("method", METHODS)
def test_a_function_that_gives_nan(method):
    error = failing(lo.Locomotion(A, torques=after(1.05, [0.1, 0.0], lambda: [NAN, 0.0])), method)
    assert re.search(r"not finite after t = 1\.0\d* s: a drive, a torque or a function gave NaN|did not converge", str(error))
    assert error.run.t[-1] == pytest.approx(1.0) and np.isfinite(error.run.q).all() and np.isfinite(error.run.tau).all()


def test_a_drive_that_ends():
    """A spline with outside="error": the sentence says how far its samples go."""
    short = lo.Spline([0.0, 0.5, 1.25], [0.0, 0.3, 0.1], outside="error")
    error = failing(lo.Locomotion(A, drives={"elbow": short}))
    assert "its samples go from 0 to 1.25 s; give more, or outside='hold'" in str(error)
    assert error.run.t[-1] == pytest.approx(1.2)


def test_a_drive_that_raises():
    def position(t):
        if t > 1.0:
            raise KeyError("angle")
        return 0.1 * t

    error = failing(lo.Locomotion(A, drives={"elbow": lo.Function(position)}))
    assert "a function of the problem raised KeyError" in str(error) and error.run.t[-1] <= 1.0


def test_an_environment_and_a_constraint_that_raise():
    for problem in (
        lo.Locomotion(A, environment=[after(1.05, {}, fail)]),
        lo.Locomotion(A, constraints=[lo.Custom(rows=after(1.05, [[1.0, -1.0]], fail))]),
    ):
        error = failing(problem)
        assert "raised RuntimeError" in str(error) and error.run.t[-1] == pytest.approx(1.0)


def test_events_that_raise_or_give_nan():
    error = failing(FREE, events=[after(1.05, 1.0, fail)])
    assert re.search(r"raised RuntimeError at t = (0\.9|1\.0)\d* s: out of coffee", str(error)) and 0.8 < error.run.t[-1] < 1.15
    error = failing(FREE, events=[lo.When(after(1.05, 1.0, lambda: NAN), name="hour")])
    assert "event 'hour' gave nan" in str(error) and 0.8 < error.run.t[-1] < 1.15
    for answer, sentence in (
        (fail, "RuntimeError: out of coffee"),
        (lambda: [1.0], "has shape (1,), expected"),
        (lambda: [NAN, 0], "is nan; all values must be finite"),
    ):
        kick = lo.When(lambda t, q, v: t - 1.05, name="kick", then=lambda t, q, v, answer=answer: answer())
        error = failing(FREE, events=[kick])
        assert "event 'kick' at t = 1.05 s" in str(error) and sentence in str(error)
        assert error.run.t[-1] == pytest.approx(1.05)


def test_motion_without_bound():
    """A torque that grows with the fourth power of speed: the solution ends in finite time."""
    model = lo.Builder("runaway", base="x").body("b", inertia=lo.Inertia.sphere(1.0, 0.1)).build()
    error = failing(lo.Locomotion(model, torques=lambda t, q, v: [1e3 * v[0] ** 4 + 1.0]))
    assert "the step became too small" in str(error) or "not finite" in str(error)
    assert 0 < len(error.run) < 21


def test_a_failed_run_is_in_its_file(tmp_path):
    path = tmp_path / "failed.run"
    error = failing(lo.Locomotion(A, torques=after(1.05, [0.1, 0.0], fail)), checkpoint=path)
    stored = lo.open_run(path)
    assert len(stored) == len(error.run) and stored.info["status"] == "failed" and "out of coffee" in stored.info["message"]


def test_a_refused_run_costs_no_time(monkeypatch):
    """Wrong options are refused before anything is assembled or written."""
    monkeypatch.setattr(lo.Locomotion, "initial", None)
    with pytest.raises(ValueError):
        FREE.simulate(1.0, method="rk5")


def test_faults_do_not_stay():
    """After a run that failed, the same problem runs again."""
    calls = []

    def torque(t, q, v):
        calls.append(t)
        if len(calls) == 30:
            raise RuntimeError("once")
        return [0.0, 0.0]

    problem = lo.Locomotion(A, torques=torque)
    with pytest.raises(lo.RunFailed, match="once"):
        problem.simulate(1.0)
    assert problem.simulate(0.1).info["status"] == "finished"
