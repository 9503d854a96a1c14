"""Contacts that open and close: bouncing, several at once, resting, sliding off, letting go and coming back; by hand."""

import numpy as np
import pytest
from mechanisms import relative

import locomote as lo
from locomote.methods.events.impact import jump

G = 9.81
PLANE = [lo.Joint("x", "prismatic", axis="x"), lo.Joint("z", "prismatic", axis="z"), lo.Joint("turn", axis="y")]


def ball(restitution=0.0, directions="z", base="xyz", target=(0, 0, 0)):
    """A point mass above the ground."""
    model = lo.Builder("ball", base=base).body("ball", inertia=lo.Inertia.sphere(2.0, 0.1)).build()
    ground = lo.PointContact(
        "ball", target=target, directions=directions, unilateral=True, restitution=restitution, name="ground"
    )
    return lo.Locomotion(model, constraints=[ground])


def hits(run):
    return [event for event in run.events if event.kind == "impact"]


@pytest.mark.parametrize("method", ["adaptive", "rk4", "implicit"])
@pytest.mark.parametrize("restitution", [0.8, 0.5])
def test_bouncing_ball(restitution, method):
    """Dropped from 1 m: the n-th flight is e times as long as the one before. It comes to rest after a finite time."""
    run = ball(restitution).simulate(2.0, q=[0, 0, 1.0], v=[0.3, 0, 0], method=method, every=0.05)
    first, times, flight = np.sqrt(2 / G), [], 2 * np.sqrt(2 / G)
    when = first
    while when < 2.0 and flight > 0.02:
        times.append(when)
        flight *= restitution
        when += flight
    assert len(times) >= 3
    found = [event.t for event in hits(run)]
    assert found[: len(times)] == pytest.approx(times, abs=1e-8)
    for n, event in enumerate(hits(run)[: len(times)]):
        before = np.sqrt(2 * G) * restitution**n
        assert event.data["energy"] == pytest.approx(-0.5 * 2.0 * before**2 * (1 - restitution**2), rel=1e-6)
        assert event.data["impulses"][0] == pytest.approx(2.0 * before * (1 + restitution), rel=1e-6)
    assert run.q[:, 2].min() > -1e-9
    assert run.q[:, 0] == pytest.approx(0.3 * run.t, abs=1e-8)
    assert abs(run.audit.balance) < 1e-7
    height = np.array([flying(t, restitution) for t in run.t])
    assert run.q[:, 2] == pytest.approx(height, abs=1e-5)


def flying(t, e):
    """Height of the bouncing ball at t."""
    start, speed = np.sqrt(2 / G), e * np.sqrt(2 * G)
    if t < start:
        return 1.0 - 0.5 * G * t * t
    while speed > 1e-6 and t > start + 2 * speed / G:
        start, speed = start + 2 * speed / G, speed * e
    return max(0.0, speed * (t - start) - 0.5 * G * (t - start) ** 2) if speed > 1e-6 else 0.0


def test_a_ball_without_restitution_stays():
    run = ball().simulate(1.0, q=[0, 0, 0.2], v=[0.5, 0, -1.0], every=0.05)
    assert len(hits(run)) == 1
    rest = run.t > hits(run)[0].t
    assert abs(run.q[rest, 2]).max() < 1e-9 and abs(run.v[rest, 2]).max() < 1e-9
    assert run.v[rest, 0] == pytest.approx(0.5) and run.reactions[rest, 0] == pytest.approx(2.0 * G)
    assert run.reactions[run.t < hits(run)[0].t, 0] == pytest.approx(0.0, abs=1e-12)


def test_a_contact_that_sticks_stops_the_point_where_it_lands():
    """It lands far from the target given: friction holds it there, and does not draw it anywhere else."""
    run = ball(directions="xyz").simulate(1.0, q=[3.0, -2.0, 0.2], v=[0.5, 0.1, -1.0], every=0.05)
    landing = hits(run)[0].t
    rest = run.t > landing
    assert run.q[rest, 0] == pytest.approx(3.0 + 0.5 * landing, abs=1e-8)
    assert run.q[rest, 1] == pytest.approx(-2.0 + 0.1 * landing, abs=1e-8)
    assert abs(run.v[rest]).max() < 1e-9
    assert run.reactions[rest] == pytest.approx(np.broadcast_to([0, 0, 2.0 * G], (rest.sum(), 3)), abs=1e-9)


def test_a_contact_at_rest_pushes_with_the_weight():
    run = ball(directions="xyz").simulate(0.5, q=[0, 0, 0.0], every=0.1)
    assert not run.events
    assert run.reactions == pytest.approx(np.broadcast_to([0, 0, 2.0 * G], (6, 3)))


def test_a_start_above_the_ground_is_left_there():
    q, v = ball().initial(q=[0.1, 0.2, 0.7], v=[0, 0, -0.5])
    assert q == pytest.approx([0.1, 0.2, 0.7]) and v == pytest.approx([0, 0, -0.5])


def test_a_start_on_the_ground_may_leave_it():
    run = ball(directions="xyz").simulate(0.1, v=[0.2, 0, 1.0], samples=[0.0, 0.1])
    assert run.v[0] == pytest.approx([0.2, 0, 1.0])
    assert run.q[-1] == pytest.approx([0.02, 0, 0.1 - 0.5 * G * 0.01])


def test_a_start_on_the_ground_may_hit_it():
    """Downwards at once: an impact at the start."""
    run = ball(0.5).simulate(0.1, v=[0, 0, -1.0], samples=[0.1])
    assert hits(run)[0].t == 0.0
    assert run.q[-1, 2] == pytest.approx(0.5 * 0.1 - 0.5 * G * 0.01)


def test_a_start_below_the_ground_is_lifted():
    q, v = ball().initial(q=[0.1, 0.2, -0.01])
    assert q == pytest.approx([0.1, 0.2, 0.0], abs=1e-12)


# several contacts


def plank(restitution=0.0, directions="z"):
    """A plank with feet at its ends, 1 m apart, in a vertical plane."""
    inertia = lo.Inertia(3.0, (0, 0, 0), np.diag([0.25, 0.25, 0.25]))
    model = lo.Builder("plank").body("plank", joint=PLANE, inertia=inertia).build()
    feet = [
        lo.PointContact("plank", (side, 0, 0), (side, 0, 0), directions, unilateral=True, restitution=restitution, name=name)
        for side, name in ((-0.5, "left"), (0.5, "right"))
    ]
    return lo.Locomotion(model, constraints=feet)


def test_two_feet_at_once():
    """A level plank falls on both feet: one impact, half the impulse each, and it stays."""
    run = plank().simulate(1.0, q=[0, 0.5, 0], every=0.1)
    assert len(hits(run)) == 1 and hits(run)[0].t == pytest.approx(np.sqrt(1.0 / G), abs=1e-9)
    assert hits(run)[0].data["impulses"] == pytest.approx([1.5 * np.sqrt(G)] * 2)
    assert run.q[-1] == pytest.approx([0, 0, 0], abs=1e-9)
    assert run.reactions[-1] == pytest.approx([1.5 * G, 1.5 * G])


def test_one_foot_after_the_other():
    """A tilted plank: the foot that hits first takes the impulse of a lever, and the other follows."""
    run = plank().simulate(2.0, q=[0, 0.5, 0.3], every=0.05)
    feet = [event.data["constraint"] for event in hits(run)]
    assert feet[0] == "right"
    speed, lever = np.sqrt(2 * G * (0.5 - 0.5 * np.sin(0.3))), 0.5 * np.cos(0.3)
    assert hits(run)[0].data["impulses"][1] == pytest.approx(speed / (1 / 3.0 + lever**2 / 0.25), rel=1e-6)
    assert "left" in feet
    assert abs(run.q[-1, 1:]).max() < 1e-6 and run.q[:, 1].min() > -1e-6
    assert run.audit.balance < 1e-6


def test_both_feet_let_go_together():
    """A spring throws a level plank up: both feet open at the same time, and it flies."""
    problem = plank()
    spring = lo.Spring("plank", None, (0, 0, 0), (0, 0, 2.0), stiffness=40.0, length=0.0)
    thrown = lo.Locomotion(
        problem.model, constraints=problem.constraints, environment=[spring], torques={"z": lo.Polynomial((-80.0, 60.0))}
    )
    run = thrown.simulate(1.5, every=0.02)
    # the push is 3 g + 80 - 60 t - 80, up to where it is zero
    release = 3 * G / 60
    opened = [event for event in run.events if event.kind == "release"]
    assert sorted(event.data["constraint"] for event in opened) == ["left", "right"]
    assert [event.t for event in opened] == pytest.approx([release, release], abs=1e-8)
    flying = run.t > release
    assert abs(run.reactions[flying]).max() < 1e-12 and run.q[flying, 1][-1] > 0.01
    assert abs(run.q[:, 2]).max() < 1e-9


def test_sliding_off_an_edge():
    """A block slides on a table without friction and leaves it at x = 1; it falls onto the floor, 0.8 m below."""
    model = lo.Builder("block", base="xyz").body("block", inertia=lo.Inertia.box(1.0, (0.1, 0.1, 0.1))).build()

    def edge(t, q, v):
        return q[0] - 1.0

    table = lo.PointContact("block", target=(0, 0, 0), directions="z", unilateral=True, name="table")
    on = lo.Locomotion(model, constraints=[table]).simulate(
        5.0, v=[2.0, 0, 0], events=[lo.When(edge, terminal=True)], every=0.1
    )
    assert on.events[-1].t == pytest.approx(0.5, abs=1e-10)
    floor = lo.PointContact("block", target=(0, 0, -0.8), directions="z", unilateral=True, name="floor")
    off = lo.Locomotion(model, constraints=[floor]).simulate(1.0, q=on.state["q"], v=on.state["v"], t=0.5, every=0.05)
    assert hits(off)[0].t == pytest.approx(0.5 + np.sqrt(1.6 / G), abs=1e-8)
    assert off.q[-1] == pytest.approx([3.0, 0, -0.8], abs=1e-8)


def test_release_and_contact_again():
    """A mass on a table that shakes with more than g: it flies off where the acceleration is -g, and lands again."""
    model = (
        lo.Builder("shaken")
        .body("table", joint=lo.Joint("shake", "prismatic"), inertia=lo.Inertia.box(1.0, (1, 1, 0.1)))
        .body("mass", joint=lo.Joint("up", "prismatic"), inertia=lo.Inertia.sphere(0.5, 0.05))
    )
    contact = lo.PointContact("mass", target=(0, 0, 0), directions="z", other="table", unilateral=True, name="seat")
    problem = lo.Locomotion(model.build(), drives={"shake": lo.Sine(0.05, 20.0)}, constraints=[contact])
    run = problem.simulate(0.6, v=[1.0, 1.0], rtol=1e-10, atol=1e-12, every=0.005)
    release = np.arcsin(G / (0.05 * 400)) / 20
    kinds = [(event.kind, event.t) for event in run.events]
    assert kinds[0][0] == "release" and kinds[0][1] == pytest.approx(release, abs=1e-8)
    z, v = 0.05 * np.sin(20 * release), np.cos(20 * release)
    times = np.linspace(release + 1e-3, 0.6, 200000)
    gap = z + v * (times - release) - 0.5 * G * (times - release) ** 2 - 0.05 * np.sin(20 * times)
    landing = times[np.argmax(gap < 0)]
    assert kinds[1][0] == "impact" and kinds[1][1] == pytest.approx(landing, abs=1e-5)
    assert (run.q[:, 1] - run.q[:, 0]).min() > -1e-8
    assert run.reactions[:, 0].min() >= -1e-9


def test_moving_ground_hits():
    """A hammer: the ground comes up with 2 m/s and restitution 0.5; the mass leaves with (1 + e) times that."""
    model = (
        lo.Builder("hammer", gravity=(0, 0, 0))
        .body("head", joint=lo.Joint("swing", "prismatic"), inertia=lo.Inertia.box(1.0, (1, 1, 0.1)))
        .body("mass", joint=lo.Joint("up", "prismatic"), inertia=lo.Inertia.sphere(0.5, 0.05))
    )
    contact = lo.PointContact("mass", target=(0, 0, 0), directions="z", other="head", unilateral=True, restitution=0.5)
    problem = lo.Locomotion(model.build(), drives={"swing": lo.Polynomial((-1.0, 2.0))}, constraints=[contact])
    run = problem.simulate(1.0, every=0.1)
    assert [event.t for event in hits(run)] == pytest.approx([0.5], abs=1e-9)
    assert run.v[-1, 1] == pytest.approx(3.0)
    assert run.q[-1, 1] == pytest.approx(1.5)


# the law of the jump itself


def rod(angle, directions, restitution):
    """A rod that falls on its end."""
    inertia = lo.Inertia(1.0, (0, 0, 0), np.diag([0.01, 1 / 12, 1 / 12]))
    model = lo.Builder("rod").body("rod", joint=PLANE, inertia=inertia).build()
    end = lo.PointContact("rod", (0.5, 0, 0), (0, 0, 0), directions, unilateral=True, restitution=restitution)
    return lo.Locomotion(model, constraints=[end]), [0, 0.5 * np.sin(angle) + 0.1, angle]


@pytest.mark.parametrize("directions", ["z", "xz"])
@pytest.mark.parametrize("restitution", [0.0, 0.7, 1.0])
@pytest.mark.parametrize("angle", [0.2, 0.8, 1.3])
def test_impacts_never_gain_energy(angle, restitution, directions):
    """Also with friction that sticks, where Newton's law of restitution alone would (Kane and Levinson 1985)."""
    problem, q = rod(angle, directions, restitution)
    for v in ([0, 0, 0], [2.0, 0, 0], [-2.0, 0, 3.0], [0.7, 0, -2.0]):
        run = problem.simulate(0.4, q=q, v=v, every=0.05)
        for event in hits(run):
            assert event.data["energy"] <= 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_jump_balances_momentum(seed):
    """Random mass matrix and rows: M (v+ - v-) = A^T P; rows that stay are met, P pushes, what is let go does not approach."""
    rng = np.random.default_rng(seed)
    n, free = 7, np.array([0, 1, 2, 4, 5, 6])
    root = rng.normal(size=(n, n))
    M = root @ root.T + np.eye(n)
    A, b, v = rng.normal(size=(6, n)), np.zeros(6), rng.normal(size=n)
    v[3] = 0.0  # held, and does no work
    v[free] -= np.linalg.pinv(A[:2, free]) @ (A[:2] @ v)  # two lasting rows, met before
    contacts = [([2, 3], 3), ([4], 4), ([5], 5)]
    for row in (3, 4, 5):
        if A[row] @ v > 0:
            A[row] *= -1
    done = jump(M, A, b, v, free, contacts, [0.4, 0.0, 0.7])
    change = M @ (done.v - v) - A.T @ done.impulses
    assert abs(change[free]).max() < 1e-10 and done.v[3] == v[3]
    assert abs(A[:2] @ done.v).max() < 1e-10
    for place, (rows, normal) in enumerate(contacts):
        if place in done.closed:
            assert done.impulses[normal] >= -1e-12
            assert A[normal] @ done.v >= -1e-10
            assert all(abs(A[r] @ done.v) < 1e-10 for r in rows if r != normal)
        else:
            assert not done.impulses[list(rows)].any()
            assert A[normal] @ done.v > -1e-10
    energy = 0.5 * (done.v @ M @ done.v - v @ M @ v)
    assert done.lost == pytest.approx(energy, abs=1e-10) and energy <= 1e-12


def test_momentum_of_a_free_system_in_a_collision():
    """Two free bodies hit each other: the contact between them changes no total momentum."""
    box = lo.Inertia.box(1.0, (0.2, 0.3, 0.4))
    model = (
        lo.Builder("pair", gravity=(0, 0, 0))
        .body("one", joint=lo.Joint("free one", "free"), inertia=box)
        .body("two", joint=lo.Joint("free two", "free"), inertia=lo.Inertia.box(3.0, (0.5, 0.3, 0.4)))
    )
    contact = lo.PointContact("one", (0, 0, -0.2), (0.1, 0.05, 0.2), "z", "two", unilateral=True, restitution=0.6)
    problem = lo.Locomotion(model.build(), constraints=[contact])
    q = problem.model.neutral()
    q[:3] = 0.15, 0.02, 1.0
    v = np.zeros(12)
    v[2], v[3], v[8] = -2.0, 0.3, 1.0
    run = problem.simulate(0.6, q=q, v=v, every=0.02)
    assert hits(run)
    momenta = lo.momentum(problem.model, run.q, run.v)
    assert relative(momenta, np.broadcast_to(momenta[0], momenta.shape)) < 1e-7
    before, after = np.flatnonzero(run.t == hits(run)[0].t)
    assert run.kinetic[after] < run.kinetic[before] and abs(run.audit.balance) < 1e-7


# samples, ties, light parts, rows that hold on, and the end of rocking


def test_impacts_are_in_the_samples():
    """Before and after at the same time, whatever times were asked for, and the audit counts no impulse as lost momentum."""
    for asked in ({"samples": [0.0, 2.0]}, {"every": 0.1}, {}):
        run = ball(0.5).simulate(2.0, q=[0, 0, 1.0], **asked)
        for event in hits(run):
            before, after = np.flatnonzero(run.t == event.t)
            assert np.array_equal(run.q[before], run.q[after]) and after == before + 1
            assert run.v[after, 2] == pytest.approx(-0.5 * run.v[before, 2]) and run.v[before, 2] < 0
            assert run.kinetic[after] - run.kinetic[before] == pytest.approx(event.data["energy"])
            assert np.array_equal(event.q, run.q[before]) and np.array_equal(event.v, run.v[before])
        assert run.audit.ok, run.audit


def test_an_impact_at_the_start_is_in_the_samples():
    run = ball(0.5).simulate(0.1, v=[0, 0, -1.0], every=0.05)
    assert run.t == pytest.approx([0, 0, 0.05, 0.1]) and run.v[:2, 2] == pytest.approx([-1.0, 0.5])
    assert run.work["losses"][:2] == pytest.approx([0.0, -0.75])


def column(heights, masses=None):
    """Point masses on slides, each above the ground."""
    builder = lo.Builder("column")
    for n, _ in enumerate(heights):
        mass = 1.0 if masses is None else masses[n]
        builder.body(f"m{n}", joint=lo.Joint(f"z{n}", "prismatic", axis="z"), inertia=lo.Inertia(mass))
    grounds = [
        lo.PointContact(f"m{n}", target=(0, 0, 0), directions="z", unilateral=True, name=f"ground {n}")
        for n, _ in enumerate(heights)
    ]
    return lo.Locomotion(builder.build(), constraints=grounds)


@pytest.mark.parametrize("method", ["adaptive", "rk4", "implicit"])
@pytest.mark.parametrize("heights", [(0.45, 0.41, 0.45), (0.41, 0.45, 0.45), (0.45, 0.45, 0.41, 0.3), (0.3, 0.3, 0.3)])
def test_the_earliest_of_several_impacts(heights, method):
    """Also where others tie with each other later in the same step."""
    run = column(heights).simulate(0.4, q=heights, method=method, step=0.05, every=0.4)
    found = [(event.t, set(event.data["constraints"])) for event in hits(run)]
    wanted = [(np.sqrt(2 * h / G), {f"ground {n}" for n, x in enumerate(heights) if x == h}) for h in sorted(set(heights))]
    assert [who for _, who in found] == [who for _, who in wanted]
    assert [t for t, _ in found] == pytest.approx([t for t, _ in wanted], abs=1e-8)


@pytest.mark.parametrize("ratio", [1e-6, 1e-10, 1e-12, 0.0])
def test_impacts_of_light_and_massless_parts(ratio):
    """A leg of a walker: foot of hardly any mass, or none, that lands and sticks; the other leg swings freely behind.

    In the limit the hip keeps the part of its velocity across the leg, and the massless free foot keeps its own way.
    """
    builder = lo.Builder("walker")
    planar = [lo.Joint("x", "prismatic", axis="x"), lo.Joint("z", "prismatic", axis="z"), lo.Joint("lean", axis="y")]
    tiny = lo.Inertia(ratio) if ratio else lo.Inertia(0.0)
    builder.body("hip", joint=planar, inertia=lo.Inertia(1.0, (0, 0, 0), np.diag([1e-3] * 3)))
    builder.body("leg", parent="hip", joint=lo.Joint("hip leg", axis="y"))
    builder.body("foot", parent="leg", at=(0, 0, -1.0), inertia=tiny)
    model = builder.build()
    q = np.array([0.0, np.cos(0.3), 0.0, 0.3])
    v = np.array([0.4, -0.7, 0.0, 0.2])
    M = lo.mass_matrix(model, q)
    A = lo.jacobian(model, q, "foot", frame="aligned")[[0, 2]]
    jumped = jump(M, A, np.zeros(2), v, np.arange(4), [([0, 1], 1)], [0.0])
    along = np.array([-np.sin(0.3), -np.cos(0.3)])  # hip to foot
    across = np.array([along[1], -along[0]])
    wanted = across * (across @ v[:2])
    assert jumped.v[:2] == pytest.approx(wanted, abs=1e-14 + 2 * ratio)
    assert abs(A @ jumped.v).max() < 1e-15
    assert jumped.impulses == pytest.approx(wanted - v[:2], abs=1e-14 + 2 * ratio)


def test_rebound_gives_way_to_rows_that_hold():
    """A skate that hits: the blade lets nothing slip sideways, however elastic the hit is."""
    side = np.array([0.41, 0.25, -0.87])
    model = lo.Builder("block", base="xyz").body("block", inertia=lo.Inertia(1.0)).build()
    contact = lo.PointContact("block", target=(0, 0, 0), unilateral=True, restitution=1.0)
    problem = lo.Locomotion(model, constraints=[lo.Blade("block", side=tuple(side)), contact])
    v = np.array([-2.0, 0.3, -1.0])
    run = problem.simulate(0.2, v=v - side * (side @ v) / (side @ side), every=0.002)
    assert abs(run.v @ side).max() < 1e-12 and run.residual.max() < 1e-12 and run.audit.ok
    assert (np.diff(run.total) < 1e-9).all()


@pytest.mark.parametrize("seed", range(8))
def test_impacts_against_the_inverse_of_the_mass_matrix(seed):
    """Independent rows of a random system with mass: the textbook formula, and rows at rest are at rest."""
    rng = np.random.default_rng(seed)
    n, rows = 7, 4
    L = rng.normal(size=(n, n))
    M, A, b, v = L @ L.T + np.eye(n), rng.normal(size=(rows, n)), rng.normal(size=rows), rng.normal(size=n)
    v -= np.linalg.lstsq(A, A @ v + b + np.abs(rng.normal(size=rows)), rcond=None)[0]  # all rows approach
    contacts, e = [([1], 1), ([2, 3], 3)], [0.5, 0.0]
    jumped = jump(M, A, b, v, np.arange(n), contacts, e)
    closed = sorted([0, *(r for c in jumped.closed for r in contacts[c][0])])
    before, after = A @ v + b, A @ jumped.v + b
    W = np.linalg.inv(A[closed] @ np.linalg.solve(M, A[closed].T))
    target = np.where(np.isin(closed, [1]), -0.5 * before[closed], 0.0)
    scale = min(1.0, np.sqrt((before[closed] @ W @ before[closed]) / max(target @ W @ target, 1e-300)))
    assert after[closed] == pytest.approx(scale * target, abs=1e-12)
    assert jumped.impulses[closed] == pytest.approx(W @ (scale * target - before[closed]), rel=1e-9, abs=1e-11)
    energy = 0.5 * jumped.v @ M @ jumped.v - 0.5 * v @ M @ v
    assert energy == pytest.approx(jumped.impulses @ (before + after) / 2 - jumped.impulses @ b, abs=1e-10)


def block(width, height, directions="xz"):
    """A block in a vertical plane on its two lower corners."""
    mass = 2.0
    moment = mass * (width**2 + height**2) / 12
    inertia = lo.Inertia(mass, (0, 0, 0), np.diag([moment] * 3))
    model = lo.Builder("block").body("block", joint=PLANE, inertia=inertia).build()
    corners = [
        lo.PointContact("block", (x, 0, -height / 2), (0, 0, 0), directions, unilateral=True, name=name)
        for x, name in ((-width / 2, "left"), (width / 2, "right"))
    ]
    return lo.Locomotion(model, constraints=corners)


def leaning(width, height, angle):
    """Coordinates of a block that stands on its right corner, leaned by an angle."""
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    x, z = -turn @ np.array([width / 2, -height / 2])
    return [x, z, angle]


@pytest.mark.parametrize(("width", "height", "angle"), [(0.3, 1.0, 0.1), (0.2, 1.0, 0.05), (0.5, 0.6, 0.3)])
def test_a_rocking_block_comes_to_rest(width, height, angle):
    """Housner's block: every hit leaves the same part of the speed, so that infinitely many hits take a finite time."""
    run = block(width, height).simulate(30.0, q=leaning(width, height, angle), every=0.1)
    found = [event for event in run.events if event.kind in ("impact", "rest")]
    assert found[-1].kind == "rest" and len(found) < 200 and run.audit.ok
    rest = run.t > found[-1].t
    assert rest.any() and abs(run.v[rest]).max() < 1e-9 and abs(run.q[rest, 2]).max() < 1e-6
    part = 1 - 1.5 * width**2 / (width**2 + height**2)  # Housner 1963, of the angular velocity
    speeds = [abs(event.v[2]) for event in found[:6]]
    assert np.array(speeds[1:]) / speeds[:-1] == pytest.approx(part, rel=1e-4)
    radius, slope = np.hypot(width, height) / 2, np.arctan2(width, height)
    assert abs(found[0].v[2]) == pytest.approx(
        np.sqrt(2 * G * (np.cos(slope - angle) - np.cos(slope)) / (4 / 3 * radius)), rel=1e-6
    )


def test_a_box_dropped_tilted_does_not_snap_flat():
    """It falls on one corner and turns about it: no sample turns farther than its speed allows."""
    run = block(0.4, 0.3).simulate(3.0, q=[0, 1.0, 0.3])
    steps = abs(np.diff(run.q[:, 2])) - np.maximum(abs(run.v[1:, 2]), abs(run.v[:-1, 2])) * np.diff(run.t)
    assert steps.max() < 1e-6 and run.audit.ok
    assert abs(run.q[-1, 2]) < 1e-9 and run.q[-1, 1] == pytest.approx(0.15)


def test_a_rebound_that_nothing_allows_is_none():
    """A mass that another row holds altogether cannot bounce: it stays, and no number is NaN."""
    rows = np.array([[1.0, 0.0], [1.0, 0.0]])
    done = jump(np.eye(2), rows, np.zeros(2), np.array([0.0, 1.0]), np.arange(2), [([1], 1)], [1.0])
    assert np.array_equal(done.v, [0.0, 1.0]) and np.isfinite(done.impulses).all() and done.lost == 0.0
