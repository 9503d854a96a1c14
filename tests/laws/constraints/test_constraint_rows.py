"""Rows, drift, position errors and rates of every constraint kind, on random mechanisms, against a second formulation."""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from constraint_reference import LOCKED, derivative, rows_of
from mechanisms import random_description, random_q, random_rotation, relative
from reference import Reference, about, inverse, placed, unit
from scipy.interpolate import CubicSpline

import locomote as lo

SEEDS = (0, 1, 2, 3, 7, 8)  # of mechanisms with fixed, free, planar and sliding bases
SUBSETS = ("x", "xyz", "z", "yc", "a", "b", "c", "ac", "bc", "xab", "abc", "xyzabc", "xzac")
TOLERANCE = 1e-11
DIFFERENCES = 3e-8  # what central differences of motions of these speeds leave


def waves(x, y):
    """A smooth ground with its derivatives."""
    s, c = np.sin(0.7 * x + 0.4), np.cos(0.7 * x + 0.4)
    t, d = np.sin(0.5 * y - 0.2), np.cos(0.5 * y - 0.2)
    return 0.3 * s * d, 0.21 * c * d, -0.15 * s * t, -0.147 * s * d, -0.105 * c * t, -0.075 * s * d


@dataclass(frozen=True)
class Setting:
    """A mechanism at a state, with constraints of all kinds on it, which hold there as far as they hold positions."""

    problem: "lo.Locomotion"
    reference: Reference
    q: np.ndarray
    v: np.ndarray

    def snapshot(self, h=0.0, along=None):
        """The mechanism after moving for a time h."""
        return self.reference.at(self.problem.model.integrate(self.q, h * (self.v if along is None else along)))

    def reference_rows(self, snapshot):
        parts = [rows_of(c, snapshot) for c in self.problem.constraints]
        return np.concatenate([rows for rows, _ in parts]), np.concatenate([errors for _, errors in parts])


def carriers(reference):
    """The moving part that each body belongs to: bodies without a joint are fixed to their parents."""
    found = {None: None}
    for body in reference.bodies:
        moves = any(joint.kind != "fixed" for joint in body.joints)
        found[body.name] = body.name if moves else found[body.parent]
    return found


def pairs_of(reference, rng, count):
    """Pairs (body, other) that move relative to each other, every second on the world."""
    carrier = carriers(reference)
    names = [body.name for body in reference.bodies if carrier[body.name] is not None]
    result = []
    while len(result) < count:
        body, other = (str(x) for x in rng.choice(names, 2))
        if len(result) % 2 and len({carrier[name] for name in names}) > 1:
            if carrier[body] != carrier[other]:
                result.append((body, other))
        else:
            result.append((body, None))
    return result


def allowed(kind, rng):
    """A random motion that a kind of joint leaves free."""
    angle, other_angle, shift = rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0), rng.uniform(-0.5, 0.5, 3)
    z = np.array([0.0, 0.0, 1.0])
    return {
        "weld": np.eye(4),
        "revolute": placed(about(z, angle)),
        "spherical": placed(random_rotation(rng)),
        "universal": placed(about((1.0, 0.0, 0.0), angle) @ about((0.0, 1.0, 0.0), other_angle)),
        "prismatic": placed(shift=shift * z),
        "cylindrical": placed(about(z, angle), shift * z),
        "planar": placed(about(z, angle), shift * (1 - z)),
    }[kind]


def closures(at, rng, pairs):
    """Loop closures of every kind, met at the present configuration."""
    for kind in LOCKED:
        body, other = next(pairs)
        frame = placed(random_rotation(rng), rng.uniform(-0.3, 0.3, 3))
        seen = inverse(at(other)) @ at(body) @ frame
        yield lo.LoopClosure(body, other, kind=kind, frame=frame, other_frame=seen @ inverse(allowed(kind, rng)))
    for letters in SUBSETS:
        body, other = next(pairs)
        frame = placed(random_rotation(rng), rng.uniform(-0.3, 0.3, 3))
        yield lo.LoopClosure(body, other, locked=letters, frame=frame, other_frame=inverse(at(other)) @ at(body) @ frame)


def rollings(at, rng, pairs):
    """Every rolling shape on every surface, near to contact."""
    thin = {"radius": 0.4, "axle": (0.2, 1.0, -0.3)}
    torus = {"radius": 0.3, "tube": 0.1, "axle": (0.0, 1.0, 0.0)}
    ball = {"tube": 0.25}
    egg = {"shape": lo.Ellipsoid((0.3, 0.25, 0.4))}
    for shape in (thin, torus, ball, egg):
        for surface in ("plane", "tilted", "sphere", "bowl", "cylinder", "pipe", "waves"):
            body, other = next(pairs)
            center = tuple(rng.uniform(-0.2, 0.2, 3))
            away = unit(rng.normal(size=3))  # from the surface to the center, in the frame of the other
            middle = (inverse(at(other)) @ at(body) @ [*center, 1.0])[:3]
            if "axle" in shape:  # not along the axle
                axle = inverse(at(other))[:3, :3] @ at(body)[:3, :3] @ unit(shape["axle"])
                away = unit(away - (away @ axle) * axle * 0.8)
            on = {
                "plane": lo.Plane(),
                "tilted": lo.Plane(tuple(middle - 0.3 * away), tuple(2.0 * away)),
                "sphere": lo.Sphere(tuple(middle - 1.4 * away), 1.0),
                "bowl": lo.Sphere(tuple(middle + 1.1 * away), 1.5, inside=True),
                "cylinder": lo.Cylinder(tuple(middle - 1.4 * away), tuple(np.cross(away, rng.normal(size=3))), 1.0),
                "pipe": lo.Cylinder(tuple(middle + 1.1 * away), tuple(np.cross(away, rng.normal(size=3))), 1.5, inside=True),
                "waves": lo.HeightField(waves),
            }[surface]
            if surface == "tilted" and "axle" not in shape:  # which way is forward for a ball is not said there
                directions = "n"
            else:
                directions = str(rng.choice(["fln", "fl", "n", "lf", "nfl"]))
            yield lo.Rolling(body, center=center, surface=on, other=other, directions=directions, **shape)


@cache
def setting(seed):
    """All kinds of constraints on a random mechanism."""
    description = replace(random_description(seed, coupled=False), couplings=())
    reference, rng = Reference(description), np.random.default_rng([seed, 9])
    q, v = random_q(reference, rng), rng.normal(size=reference.nv)
    snapshot = reference.at(q)
    pairs = iter(pairs_of(reference, rng, 200))

    def at(body):
        return np.eye(4) if body is None else snapshot.pose(body)

    def vector():
        return tuple(rng.uniform(-0.4, 0.4, 3))

    constraints = []
    for _ in range(4):
        body, other = next(pairs)
        constraints.append(lo.Blade(body, vector(), tuple(rng.normal(size=3)), other))
    for directions in ("xyz", "z", "yx", "x"):
        body, other = next(pairs)
        constraints.append(lo.PointContact(body, vector(), vector(), directions, other))
    for _ in range(2):
        body, other = next(pairs)
        frame = placed(random_rotation(rng), vector())
        target = inverse(at(other)) @ at(body) @ frame
        constraints.append(lo.SurfaceContact(body, frame, target, other))
    for _ in range(2):
        body, other = next(pairs)
        constraints.append(lo.Distance(body, other, vector(), vector(), 0.7))
    constraints += [*closures(at, rng, pairs), *rollings(at, rng, pairs)]
    return Setting(lo.Locomotion(lo.Model(description), constraints=constraints), reference, q, v)


@pytest.fixture(params=SEEDS, scope="module")
def on(request):
    """A setting."""
    return setting(request.param)


def worst_row(ours, theirs, problem, tolerance, lengths=None):
    """Assert row by row, naming the row that is off."""
    scale = np.maximum(1.0, abs(theirs).reshape(len(theirs), -1).max(axis=1, initial=0.0))
    off = abs(ours - theirs).reshape(len(theirs), -1).max(axis=1, initial=0.0) / (scale if lengths is None else lengths)
    r = int(np.nanargmax(np.where(np.isnan(off), np.inf, off)))
    owner = [c for c in problem.constraints for _ in c.labels][r]
    assert off[r] < tolerance, (off[r], problem.constraint_labels[r], owner)


def test_rows_are_the_relative_velocities(on):
    """Of poses along every coordinate, and of material points at contacts found by minimisation."""
    A, _, speed, _ = on.problem.rows(0.0, on.q, on.v)
    expected, _ = on.reference_rows(on.snapshot())
    worst_row(A, expected, on.problem, TOLERANCE)
    assert not speed.any()


def test_position_errors(on):
    error = on.problem.rows(0.0, on.q, on.v)[3]
    _, expected = on.reference_rows(on.snapshot())
    worst_row(error, expected, on.problem, TOLERANCE)


def test_drift_is_the_rate_of_the_velocity_along_the_motion(on):
    drift = on.problem.rows(0.0, on.q, on.v)[1]
    expected = derivative(lambda h: on.reference_rows(on.snapshot(h))[0] @ on.v)
    worst_row(drift, expected, on.problem, DIFFERENCES)


def test_position_error_grows_as_the_row_says(on):
    """On rows that hold a position. A height field measures to first order in the gap, so its rate is right at contact only."""
    A = on.problem.rows(0.0, on.q, on.v)[0]
    grows = derivative(lambda h: on.problem.rows(0.0, on.problem.model.integrate(on.q, h * on.v))[3])
    exact = np.array(
        [
            flag and not isinstance(getattr(c, "surface", None), lo.HeightField)
            for c in on.problem.constraints
            for flag in c.holonomic
        ]
    )
    assert exact.sum() > 60
    worst_row(np.where(exact, grows, 0.0), np.where(exact, A @ on.v, 0.0), on.problem, DIFFERENCES)


def test_rates_of_rows(on):
    """Along another direction than the motion."""
    along = np.random.default_rng(3).normal(size=on.reference.nv)
    rate = on.problem.rows_rate(0.0, on.q, along)
    expected = derivative(lambda h: on.reference_rows(on.snapshot(h, along))[0])
    worst_row(rate, expected, on.problem, DIFFERENCES)


def test_rows_do_not_depend_on_the_motion(on):
    still = on.problem.rows(0.0, on.q)[0]
    assert relative(on.problem.rows(0.0, on.q, on.v)[0], still) < 1e-14


def test_action_is_reaction(on):
    """A free mechanism that moves as one rigid body: constraints between its bodies do not feel it."""
    if on.reference.joints[0].kind != "free":
        pytest.skip("the base is not free")
    A = on.problem.rows(0.0, on.q, on.v)[0]
    inner = [c.other is not None for c in on.problem.constraints for _ in c.labels]
    assert abs(A[inner][:, :6]).max() < 1e-12
    assert abs(A[np.logical_not(inner)][:, :6]).max() > 0.1


def test_reactions_push_the_body_along_the_row(on):
    """A unit reaction is a unit force at the contact, or a unit moment; force and moment from generalised forces by hand."""
    A = on.problem.rows(0.0, on.q, on.v)[0]
    labels, owners = on.problem.constraint_labels, [c for c in on.problem.constraints for _ in c.labels]
    snapshot, checked = on.snapshot(), 0
    for r, (_, label, unit_of_row) in enumerate(labels):
        c = owners[r]
        if c.other is None and isinstance(c, lo.PointContact):
            J = snapshot.jacobian(c.body, c.point, "aligned")
            assert unit_of_row == "N"
            assert relative(A[r], J["xyz".index(label)]) < TOLERANCE
            checked += 1
        if c.other is None and isinstance(c, lo.SurfaceContact) and label in "abc":
            pose = snapshot.pose(c.body) @ c.frame
            assert unit_of_row == "N m"
            assert relative(A[r], pose[:3, "abc".index(label)] @ snapshot.jacobian(c.body, frame="aligned")[3:]) < 1e-10
            checked += 1
    assert checked > 4


def test_unknown_targets_are_taken_from_the_start():
    """Where points and frames are at the start, and how far apart."""
    on = setting(1)
    snapshot, names = on.snapshot(), [body.name for body in on.reference.bodies]
    a, b = names[-1], names[0]
    open_ended = [
        lo.PointContact(a, (0.1, 0.2, 0.3)),
        lo.SurfaceContact(a, (0.1, 0.0, 0.0), other=b),
        lo.Distance(a, None, (0.1, 0, 0)),
    ]
    start = (on.q, np.zeros(on.reference.nv))
    problem = lo.Locomotion(on.problem.model, constraints=open_ended, start=start)
    elsewhere = problem.model.neutral()
    for q in (on.q, elsewhere):  # where a start is sought changes nothing
        assert relative(problem.initial(q, start[1])[0], q) < 1e-12
    assert abs(problem.rows(0.0, on.q)[3]).max() < 1e-12
    targets = [
        (snapshot.pose(a) @ [0.1, 0.2, 0.3, 1.0])[:3],
        inverse(snapshot.pose(b)) @ snapshot.pose(a) @ placed(shift=(0.1, 0.0, 0.0)),
        np.linalg.norm((snapshot.pose(a) @ [0.1, 0.0, 0.0, 1.0])[:3]),
    ]
    moved = on.snapshot(0.1)
    errors = np.concatenate([rows_of(c, moved, target)[1] for c, target in zip(open_ended, targets, strict=True)])
    assert relative(problem.rows(0.0, on.problem.model.integrate(on.q, 0.1 * on.v))[3], errors) < TOLERANCE


def chain(**options):
    """A free body with a spherical joint and three turns in a row."""
    box = lo.Inertia.box(1.0, (0.1, 0.2, 0.3))
    builder = lo.Builder("chain", base=options.get("base", "free")).body("trunk", inertia=box)
    builder.body("head", parent="trunk", joint=lo.Joint("neck", "spherical"), at=(0, 0, 0.3), inertia=box)
    for n, parent in ((1, "trunk"), (2, "link 1"), (3, "link 2")):
        builder.body(f"link {n}", parent=parent, joint=lo.Joint(f"turn {n}", axis="y"), at=(0.3, 0, 0), inertia=box)
    return builder.build()


def test_coupled_rows():
    model = chain()
    problem = lo.Locomotion(model, constraints=[lo.Coupled({"turn 1": 2.0, "turn 3": -0.5}, 0.3)])
    rng = np.random.default_rng(1)
    q, v = model.random(rng), rng.normal(size=model.nv)
    A, drift, speed, error = problem.rows(0.0, q, v)
    expected = np.zeros((1, model.nv))
    expected[0, model.joint("turn 1").v], expected[0, model.joint("turn 3").v] = 2.0, -0.5
    assert np.array_equal(A, expected) and drift[0] == speed[0] == 0.0
    assert error[0] == pytest.approx(2.0 * q[model.joint("turn 1").q][0] - 0.5 * q[model.joint("turn 3").q][0] - 0.3)
    assert not problem.rows_rate(0.0, q, v).any()


def powers(x):
    """A polynomial of x - 0.2 with its first two derivatives."""
    s = x - 0.2
    return 0.5 * s - 0.3 * s**2 + 0.2 * s**3, 0.5 - 0.6 * s + 0.6 * s**2, -0.6 + 1.2 * s


PLACES, HEIGHTS = (-1.0, -0.4, 0.3, 1.2, 1.5), (0.0, 0.5, 0.2, 0.4, 0.1)


def through_knots(x):
    """The spline of SciPy with the same ends as ours, straight beyond them."""
    h, y = np.diff(PLACES), np.array(HEIGHTS)
    outer = [CubicSpline(part, values, bc_type="not-a-knot") for part, values in ((PLACES[:4], y[:4]), (PLACES[1:], y[1:]))]
    ends = [float(curve(place, 3)) / 6 for curve, place in zip(outer, (PLACES[0], PLACES[-1]), strict=True)]
    # second derivatives m: those of SIMM have the third derivative of the outermost four points in the outermost pieces
    A, right = np.zeros((5, 5)), np.zeros(5)
    for i in range(1, 4):
        A[i, i - 1 : i + 2] = h[i - 1] / 6, (h[i - 1] + h[i]) / 3, h[i] / 6
        right[i] = (y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1]
    A[0, :2], A[4, 3:] = (-1 / h[0], 1 / h[0]), (-1 / h[3], 1 / h[3])
    right[0], right[4] = 6 * ends[0], 6 * ends[1]
    m = np.linalg.solve(A, right)
    inside = np.clip(x, PLACES[0], PLACES[-1])
    i = min(max(int(np.searchsorted(PLACES, inside, side="right")) - 1, 0), 3)
    a, b = PLACES[i + 1] - inside, inside - PLACES[i]
    value = (m[i] * a**3 + m[i + 1] * b**3) / (6 * h[i])
    value += (y[i] / h[i] - m[i] * h[i] / 6) * a + (y[i + 1] / h[i] - m[i + 1] * h[i] / 6) * b
    slope = (m[i + 1] * b**2 - m[i] * a**2) / (2 * h[i]) + (y[i + 1] - y[i]) / h[i] - (m[i + 1] - m[i]) * h[i] / 6
    bend = (m[i] * a + m[i + 1] * b) / h[i]
    return (value, slope, bend) if x == inside else (value + (x - inside) * slope, slope, 0.0)


CURVES = {
    "powers": ({"coefficients": (0.5, -0.3, 0.2), "start": 0.2}, powers),
    "knots": ({"knots": (PLACES, HEIGHTS)}, through_knots),
}


@pytest.mark.parametrize("kind", CURVES)
@pytest.mark.parametrize("x", [-1.7, -0.8, -0.1, 0.5, 1.3, 2.4])
def test_coupled_along_a_curve(kind, x):
    """2 q_1 = 0.3 + p(q_3), with its rate."""
    said, curve = CURVES[kind]
    model = chain()
    problem = lo.Locomotion(model, constraints=[lo.Coupled({"turn 1": 2.0}, 0.3, other="turn 3", **said)])
    rng = np.random.default_rng(1)
    q, v = model.random(rng), rng.normal(size=model.nv)
    q[model.joint("turn 3").q] = x
    value, slope, bend = curve(x)
    A, drift, speed, error = problem.rows(0.0, q, v)
    rate = v[model.joint("turn 3").v][0]
    expected, turned = np.zeros((2, 1, model.nv))
    expected[0, model.joint("turn 1").v], expected[0, model.joint("turn 3").v] = 2.0, -slope
    turned[0, model.joint("turn 3").v] = -bend * rate
    assert np.allclose(A, expected, atol=1e-13) and speed[0] == 0.0
    assert drift[0] == pytest.approx(-bend * rate**2, abs=1e-13)
    assert error[0] == pytest.approx(2.0 * q[model.joint("turn 1").q][0] - 0.3 - value, abs=1e-13)
    assert np.allclose(problem.rows_rate(0.0, q, v), turned, atol=1e-13)


@pytest.mark.parametrize("kind", CURVES)
def test_a_curve_is_the_same_in_formulas_rollouts_and_files(kind, tmp_path):
    said, _ = CURVES[kind]
    model = chain(base="fixed")
    problem = lo.Locomotion(model, constraints=[lo.Coupled({"turn 1": 2.0}, None, other="turn 3", **said)], name="cam")
    rng = np.random.default_rng(2)
    start = model.random(rng)
    start[model.joint("turn 3").q] = 0.0  # and it stays between the ends, where bends of splines jump
    q, v = problem.initial(start, rng.normal(size=model.nv))
    now = problem.evaluate(0.0, q, v)
    formula = np.array(lo.symbolic_problem(problem)(0.0, q, v, np.zeros(model.nv))).ravel()
    assert relative(formula, now.a) < 1e-10
    run = problem.simulate(0.5, q=q, v=v, rtol=1e-10, atol=1e-12, progress=False)
    assert run.audit.ok
    copies = lo.rollout(problem, q=np.tile(q, (3, 1)), v=np.tile(v, (3, 1)), duration=0.5, step=1e-3, progress=False)
    assert kind == "powers" or abs(run["turn 3.angle"]).max() < 1.0
    assert abs(copies.q[1, -1] - run.q[-1]).max() < 1e-6
    run.save(tmp_path / "cam.h5")
    stored = lo.open_run(tmp_path / "cam.h5").problem
    assert np.array_equal(stored.simulate(0.5, q=q, v=v, rtol=1e-10, atol=1e-12, progress=False).q, run.q)


@pytest.mark.parametrize("given", ["everything", "rows only"])
def test_custom_rows(given):
    """The speed of a point along a turning direction of time, as a user would write it, with and without its derivatives."""
    model = chain()
    point = (0.1, -0.2, 0.05)

    def direction(t, q, v):
        return np.array([np.cos(2 * t), np.sin(2 * t), 0.2 * t])

    def rows(t, q, v):
        return direction(t, q, v)[None] @ lo.jacobian(model, q, "link 3", point=point, frame="aligned")[:3]

    def speed(t, q, v):
        return np.array([np.sin(3 * t) + 0.1 * q[0]])

    def drift(t, q, v):
        turning = np.array([-2 * np.sin(2 * t), 2 * np.cos(2 * t), 0.2])
        J = lo.jacobian(model, q, "link 3", point=point, frame="aligned")[:3]
        rate = lo.jacobian_rate(model, q, v, "link 3", point=point, frame="aligned")[:3]
        forward = lo.velocity(model, q, v, "trunk", frame="aligned")[0]
        return np.array([turning @ J @ v + direction(t, q, v) @ rate @ v + 3 * np.cos(3 * t) + 0.1 * forward])

    more = {"drift": drift} if given == "everything" else {}
    problem = lo.Locomotion(model, constraints=[lo.Custom(rows=rows, speed=speed, **more)])
    rng = np.random.default_rng(2)
    q, v, t = model.random(rng), rng.normal(size=model.nv), 0.7
    A, found, b, error = problem.rows(t, q, v)
    assert relative(A, rows(t, q, v)) < 1e-14 and relative(b, speed(t, q, v)) < 1e-14 and error[0] == 0.0
    assert relative(found, drift(t, q, v)) < 1e-9
    reference = Reference(model.description)

    def value(h):
        moved = reference.at(model.integrate(q, h * v))
        return direction(t + h, q, v) @ moved.jacobian("link 3", point, "aligned")[:3] @ v + speed(
            t + h, model.integrate(q, h * v), v
        )

    assert relative(found, derivative(value)) < DIFFERENCES
    along = rng.normal(size=model.nv)
    rate = derivative(
        lambda h: (
            direction(t, q, v)[None] @ reference.at(model.integrate(q, h * along)).jacobian("link 3", point, "aligned")[:3]
        )
    )
    assert relative(problem.rows_rate(t, q, along), rate) < DIFFERENCES


WIDE = 0.4
NARROW = [
    (lo.Sphere((0, 0, 0), WIDE / 0.5, inside=True), WIDE / 0.5 - WIDE),
    (lo.Sphere((0, 0, 0), WIDE / 0.9, inside=True), WIDE / 0.9 - WIDE),
    (lo.Cylinder((0, 0, 0), (0.1, -0.9, 0.2), WIDE / 0.9, inside=True), WIDE / 0.9 - WIDE),
    (lo.Sphere((0, 0, 0), 0.2 * WIDE), 1.2 * WIDE),
    (lo.Cylinder((0, 0, 0), (0.1, -0.9, 0.2), 0.5 * WIDE), 1.5 * WIDE),
]


@pytest.mark.parametrize("surface, distance", NARROW, ids=["wide bowl", "bowl", "pipe", "knob", "log"])
@pytest.mark.parametrize(
    "shape", [{"radius": WIDE}, {"radius": 0.7 * WIDE, "tube": 0.3 * WIDE}, {"shape": lo.Ellipsoid((0.4, 0.38, 0.41))}]
)
def test_surfaces_nearly_as_curved_as_the_wheel(surface, distance, shape):
    """A wheel in a bowl hardly larger than itself, or on a knob much smaller: the contact is as accurate as on flat ground."""
    model = lo.Builder("coin", base="free").body("coin", inertia=lo.Inertia.cylinder(1.0, 0.4, 0.02)).build()
    wheel = lo.Rolling("coin", axle=(0.1, 1.0, -0.2), surface=surface, **shape)
    problem = lo.Locomotion(model, constraints=[wheel])
    q, v = np.array([0.15, 0.01, -0.98, 0.0, 0.0, 0.0, 1.0]), np.array([0.3, -0.2, 0.1, 0.4, 0.5, -0.6])
    q[:3] *= distance / np.linalg.norm(q[:3])
    A, drift, _, error = problem.rows(0.0, q, v)
    reference = Reference(model.description)
    expected, gap = rows_of(wheel, reference.at(q))
    assert relative(A, expected) < 1e-10 and relative(error, gap) < 1e-10
    rate = derivative(lambda h: rows_of(wheel, reference.at(model.integrate(q, h * v)))[0] @ v, 5e-4)
    assert relative(drift, rate) < 1e-7
