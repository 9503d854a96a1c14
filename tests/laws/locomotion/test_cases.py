"""The cases of the reduction: a system in each cell of the table, by ranks counted here, and systems that change cell.

               m = m0                                m > m0
n + s_p = m0   wheeled snake of three links          wheeled snake of five links, train of imposed joints
n + s_p > m0   skater with a turning arm             cart on two driven wheels with a pendulum
"""

import numpy as np
import pytest
from constraint_reference import rows_of
from reference import Reference
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import locomote as lo

HALF = 0.15  # half the length of a link, m


def snake(links, drives=None, **options):
    """Rods with an axle in the middle of each."""
    rod = lo.Inertia(0.8, (0, 0, 0), np.diag([1e-3, 0.006, 0.006]))
    builder = lo.Builder("snake", base="planar", **options).body("link 0", inertia=rod)
    for k in range(1, links):
        builder.body(
            f"link {k}",
            parent=f"link {k - 1}",
            joint=lo.Joint(f"joint {k}", anchor=(HALF, 0, 0)),
            at=(-2 * HALF, 0, 0),
            inertia=rod,
        )
    model = builder.build()
    given = drives or {f"joint {k}": lo.Sine(0.3, 1.0, phase=0.7 * k) for k in range(1, links)}
    return lo.Locomotion(model, drives=given, constraints=[lo.Blade(f"link {k}", name=f"axle {k}") for k in range(links)])


def skater():
    """A body on a blade, with an arm that is swung."""
    builder = lo.Builder("skater", base="planar", gravity=(0, 0, 0)).body("body", inertia=lo.Inertia.box(5.0, (0.3, 0.2, 1.0)))
    builder.body(
        "arm", parent="body", joint=lo.Joint("swing"), at=(0.2, 0, 0), inertia=lo.Inertia(1.0, (0.4, 0, 0), np.eye(3) * 0.01)
    )
    return lo.Locomotion(builder.build(), drives={"swing": lo.Sine(1.0, 2.0)}, constraints=[lo.Blade("body", (-0.3, 0, 0))])


def cart(torques=None):
    """Two wheels that roll on a rail and carry a cart with a pendulum (mobile pendulum of Boyer and Belkhiri)."""
    disc = lo.Inertia(0.5, (0, 0, 0), np.diag([1.25e-3, 2.5e-3, 1.25e-3]))
    builder = lo.Builder("cart", base="x").body("cart", inertia=lo.Inertia.box(2.0, (0.4, 0.2, 0.1)), at=(0, 0, 0))
    for name, x in (("front", 0.2), ("rear", -0.2)):
        builder.body(name, parent="cart", joint=lo.Joint(f"{name} axle", axis="y"), at=(x, 0, 0), inertia=disc)
    builder.body(
        "bob", parent="cart", joint=lo.Joint("hinge", axis="y"), inertia=lo.Inertia(0.4, (0, 0, -0.6), np.zeros((3, 3)))
    )
    wheels = [
        lo.Rolling(name, 0.1, axle=(0, 1, 0), surface=lo.Plane((0, 0, -0.1)), directions="f", name=name)
        for name in ("front", "rear")
    ]
    given = {"torques": torques} if torques else {"drives": {f"{name} axle": lo.Sine(3.0, 4.0) for name in ("front", "rear")}}
    return lo.Locomotion(builder.build(), constraints=wheels, **given)


def counted(problem, t, q):
    """m, m0 and unknowns from the second formulation."""
    q, _ = problem.initial(q, None, t) if q is None else (q, None)
    snapshot = Reference(problem.model.description).at(q)
    A = np.concatenate([rows_of(c, snapshot)[0] for c in problem.constraints])
    free = ~problem.imposed
    return np.linalg.matrix_rank(A, tol=1e-9), np.linalg.matrix_rank(A[:, free], tol=1e-9), int(free.sum()), len(A)


CELLS = [
    ("three links", lambda: snake(3), [0.1, -0.2, 0.4, 0.3, -0.5], "kinematic", 0, 2),
    ("five links", lambda: snake(5), [0.1, -0.2, 0.4, 0.3, -0.5, 0.2, 0.6], "kinematic, over-constrained", 2, 2),
    ("skater", skater, [0.1, -0.2, 0.4, 0.3], "mixed", 0, 1),
    ("cart", cart, [0.2, 1.0, 1.0, 0.3], "mixed, over-constrained", 1, 1),
]


@pytest.mark.parametrize("make, q, name, self_stress, mobility", [cell[1:] for cell in CELLS], ids=[cell[0] for cell in CELLS])
def test_cells_of_the_table(make, q, name, self_stress, mobility):
    problem = make()
    case = problem.classify(0.0, q)
    m, m0, unknown, rows = counted(problem, 0.0, np.array(q))
    assert (case.rank, case.locked_rank, case.external + case.passive, case.rows) == (m, m0, unknown, rows)
    assert case.name == name
    assert case.free == unknown - m0 and case.self_stress == rows - m0 == self_stress
    assert case.over_constrained == (m > m0) and case.mobility == mobility
    assert set(case.kinematic).isdisjoint(case.dynamic) and len(case.kinematic) + len(case.dynamic) == unknown
    assert (not case.dynamic) == (case.free == 0)
    assert name.split(",")[0] in str(case)


def test_what_dynamics_decides_is_named():
    """On a blade ahead of the arm: the blade alone decides nothing of the skater. The wheels decide the cart, not the bob."""
    assert skater().classify(0.0, [0, 0, 0, 0.3]).dynamic == ("base.vx", "base.vy", "base.wz")
    case = cart().classify(0.0, [0.2, 1.0, 1.0, 0.3])
    assert len(case.kinematic) == 1 and case.kinematic[0].startswith("base") and case.dynamic[0].startswith("hinge")


def test_unconstrained():
    model = lo.Builder("cat", base="free").body("cat", inertia=lo.Inertia.box(1.0, (1, 1, 1))).build()
    case = lo.Locomotion(model).classify(0.0, model.neutral())
    assert case.name == "unconstrained" and case.free == 6 and case.rank == case.self_stress == 0


# what each cell means for the motion


def test_kinematic_motion_does_not_know_of_mass():
    """The snake of three links goes where its axles say, however heavy it is."""
    light = snake(3)
    heavy_links = [
        lo.Body(b.name, b.parent, b.placement, b.joints, lo.Inertia(9.0, (0.1, 0.02, 0), np.eye(3)))
        for b in light.model.description.bodies
    ]
    heavy = lo.Locomotion(
        lo.Model(lo.Description("heavy", tuple(heavy_links))), drives=light.drives, constraints=light.constraints
    )
    runs = [problem.simulate(0.4, rtol=1e-10, atol=1e-11, every=0.02) for problem in (light, heavy)]
    assert np.allclose(runs[0].q, runs[1].q, atol=1e-8)
    # and the axles as they are at the end give the velocity, by a solution of three equations
    q, v = runs[0].q[-1], runs[0].v[-1]
    snapshot = Reference(light.model.description).at(q)
    A = np.concatenate([rows_of(c, snapshot)[0] for c in light.constraints])
    assert np.allclose(v[:3], np.linalg.solve(A[:, :3], -A[:, 3:] @ v[3:]), atol=1e-8)


def test_over_constrained_drives_must_fit():
    """Five links: joint rates that do not fit the axles are refused, with the axle that is off."""
    with pytest.raises(
        lo.InconsistentStart,
        match=r"imposed velocities of 'snake' at t = 0 do not fit its constraints: row 'side' of 'axle \d'",
    ):
        snake(5).initial()


def test_drives_that_stop_fitting_end_the_run():
    """They fit at the start, to first and second order, and not later."""
    cubes = {f"joint {k}": lo.Polynomial((0.1 * k, 0.0, 0.0, 0.5 * k)) for k in range(1, 5)}
    with pytest.raises(lo.RunFailed, match=r"the imposed motion does not fit the constraints at t = .*axle") as caught:
        snake(5, cubes).simulate(1.0, every=0.01)
    run = caught.value.run
    assert run.info["status"] == "failed" and len(run) >= 1 and run.t[-1] < 0.9


def test_wheels_of_the_cart_share_what_is_not_decided():
    """Torques of both wheels: least norm gives the reaction in equal parts; any other self-stress shifts one to the other."""
    problem = cart()
    q, v = problem.initial([0.0, 0.0, 0.0, 0.3])
    found = problem.evaluate(0.2, *problem.initial(q, v, 0.2))
    assert found.self_stress.shape == (2, 1)
    assert abs(found.reactions[0]) == pytest.approx(abs(found.reactions[1]), rel=1e-9)
    shifted = found.with_self_stress([1.0])
    assert np.array_equal(shifted.a, found.a)
    change = shifted.tau - found.tau
    assert change[1] == pytest.approx(-change[2]) and abs(change[1]) > 0.01 and change[0] == change[3] == 0.0


def test_unequal_torques_turn_wheels_alike():
    """Forward: the wheels are tied by the rail, whatever drives them (equation (9) of the paper would let them differ)."""
    problem = cart({"front axle": 0.3, "rear axle": -0.1})
    q, v = problem.initial([0.0, 0.0, 0.0, 0.3])
    found = problem.evaluate(0.0, q, v)
    assert found.a[1] == pytest.approx(found.a[2], rel=1e-12)
    r3, R, l, m = 0.3, 0.1, 0.6, 0.4  # the bob stands r3 behind: two equations for cart and bob
    mass = 2.0 + 2 * 0.5 + 2 * 2.5e-3 / R**2 + m
    cart_and_bob = np.array([[mass, -m * l * np.cos(r3)], [-m * l * np.cos(r3), m * l * l]])
    x, hinge = np.linalg.solve(cart_and_bob, [0.2 / R, -m * 9.81 * l * np.sin(r3)])
    assert found.a[0] == pytest.approx(x) and found.a[3] == pytest.approx(hinge)
    # the same by the explicit matrices, from the problem with imposed wheels
    imposed = cart()
    v = np.zeros(4)
    reduction = imposed.reduction(0.0, q, v)
    acceleration, _ = reduction.forward(np.array([0.3, -0.1]))
    drift = imposed.initial(q, v)[1]  # the drives of that problem move: compare without their velocities
    assert np.allclose(drift[1:3], 12.0) and acceleration[0] == pytest.approx(acceleration[1])


# systems that change cell


def scissors():
    """Two blades under the same point, one of them steered: it can only turn; once they are parallel, also glide."""
    gravity = (1.5, 0.0, -9.81)
    builder = lo.Builder("scissors", base="planar", gravity=gravity).body("body", inertia=lo.Inertia.box(2.0, (0.4, 0.2, 0.1)))
    builder.body("knife", parent="body", joint=lo.Joint("steer"), inertia=lo.Inertia.box(0.1, (0.2, 0.02, 0.02)))
    blades = [lo.Blade("body", name="fixed"), lo.Blade("knife", name="steered")]
    return lo.Locomotion(builder.build(), drives={"steer": lo.Cycloid(0.5, 0.0, 1.0)}, constraints=blades)


@pytest.mark.parametrize("method", ["adaptive", "rk4"])
def test_a_system_that_changes_cell(method):
    """Held until the blades are parallel, at t = 1; then it glides down the slope: x = g (t - 1)^2 / 2."""
    run = scissors().simulate(2.0, method=method, step=0.001 if method == "rk4" else None, max_step=0.01, every=0.05)
    changes = [event for event in run.events if event.kind == "rank"]
    assert len(changes) == 1 and "rank 1" in changes[0].description
    assert 0.99 < changes[0].t < 1.0 + 0.011
    early, late = run.t < 0.99, run.t > 1.02
    assert abs(run.q[early, 0]).max() < 1e-9
    assert run.q[late, 0] == pytest.approx(0.75 * (run.t[late] - 1.0) ** 2, abs=0.03)
    assert run.a[late, 0] == pytest.approx(1.5 * np.cos(run.q[late, 2]), rel=1e-9)


def test_stopping_where_the_cell_changes():
    run = scissors().simulate(2.0, max_step=0.01, every=0.05, singular="stop")
    assert run.info["status"] == "stopped" and "rank" in run.info["message"]
    assert 0.99 < run.events[-1].t < 1.011 and run.t[-1] <= run.events[-1].t


SPEED, YAW, FREQUENCY = 0.5, 1.6, 1.3


def led(end):
    """Angles of two joints behind a head that moves with SPEED and YAW cos(FREQUENCY t): axles follow (by hand)."""

    def rates(t, r):
        u, w, result = SPEED, YAW * np.cos(FREQUENCY * t), []
        for angle in r:
            s, c = np.sin(angle), np.cos(angle)
            behind = -u * s / HALF - w * c
            u = u * c - HALF * w * s
            result.append(behind - w)
            w = behind
        return result

    return solve_ivp(rates, (0.0, end), [0.0, 0.0], "DOP853", dense_output=True, rtol=1e-12, atol=1e-13).sol


START, END = 1.0, 3.0


def follower():
    """The snake of three links with these joint motions imposed, from a time on when it is bent."""
    angles = led(END + 1.2)
    times = np.linspace(-0.5, END - START + 0.5, 800)
    values = angles(times + START)
    drives = {f"joint {k + 1}": lo.Spline(times, values[k], order=5) for k in range(2)}
    return snake(3, drives), angles


def equal_angles(angles):
    """Times when both joints have the same angle: all axles then meet in one point."""
    times = np.linspace(START, END, 400)
    gap = np.diff(angles(times), axis=0)[0]
    roots = np.flatnonzero(np.sign(gap[1:]) != np.sign(gap[:-1]))
    return [brentq(lambda t: float(np.diff(angles(t))[0]), times[k], times[k + 1], xtol=1e-13) - START for k in roots]


def test_the_snake_is_singular_at_constant_curvature():
    problem, angles = follower()
    for t in equal_angles(angles):
        q = np.array([0.3, 0.2, 0.5, *angles(t + START)])
        assert problem.classify(t, q).locked_rank == 2
        assert problem.classify(t, q).singular_values[-1] < 1e-7


def test_the_snake_through_constant_curvature():
    """It follows the head through the instants where its axles meet in a point, and they are reported with their times."""
    problem, angles = follower()
    crossings = equal_angles(angles)
    assert len(crossings) >= 1
    start = [0, 0, 0, *angles(START)], [SPEED, 0, YAW * np.cos(FREQUENCY * START), 0, 0]
    run = problem.simulate(END - START, q=start[0], v=start[1], rtol=1e-9, atol=1e-10, every=0.02)
    assert run.info["status"] == "finished"
    head = np.array([np.full(len(run), SPEED), np.zeros(len(run)), YAW * np.cos(FREQUENCY * (run.t + START))]).T
    assert abs(run.v[:, :3] - head).max() < 1e-3
    reported = [event.t for event in run.events if event.kind == "rank"]
    assert len(reported) >= len(crossings)
    for t in crossings:
        assert min(abs(np.array(reported) - t)) < 0.02


def test_the_snake_stops_at_constant_curvature_if_asked():
    problem, angles = follower()
    first = equal_angles(angles)[0]
    start = [0, 0, 0, *angles(START)], [SPEED, 0, YAW * np.cos(FREQUENCY * START), 0, 0]
    run = problem.simulate(END - START, q=start[0], v=start[1], singular="stop", every=0.02)
    assert run.info["status"] == "stopped" and run.events[-1].t == pytest.approx(first, abs=0.02)


# contacts that may be open


def table():
    """A block that does not turn, on two feet that may lift and on a rail that always holds."""
    builder = lo.Builder("table", base="xyz").body("block", inertia=lo.Inertia.box(2.0, (0.4, 0.2, 0.3)))
    feet = [
        lo.PointContact("block", (x, 0, -0.15), (x, 0, -0.15), "z", unilateral=True, name=name)
        for name, x in (("left", -0.2), ("right", 0.2))
    ]
    return lo.Locomotion(builder.build(), constraints=[*feet, lo.PointContact("block", directions="xy", name="rail")])


def test_contacts_are_closed_unless_told():
    """At one instant contacts hold, whatever their gap, even if they pull; those not named are not there."""
    problem = table()
    q, v = np.array([0, 0, 0.5]), np.zeros(3)  # half a metre above the floor
    held, one, none = (problem.evaluate(0.0, q, v, closed=names) for names in (None, ["left"], []))
    labels = [label[0] for label in problem.constraint_labels]
    assert np.allclose(held.a, 0) and np.isclose(held.reactions.sum(), 2 * 9.81) and held.self_stress.shape == (4, 1)
    assert np.allclose(one.a, 0) and np.isclose(one.reactions[labels.index("left")], 2 * 9.81)
    assert one.reactions[labels.index("right")] == 0 and one.self_stress.shape == (4, 0)
    assert np.allclose(none.a, [0, 0, -9.81]) and not none.reactions.any() and none.rank == 2
    again = problem.evaluate(0.0, q, v, closed=["left", "right"])
    assert np.array_equal(again.a, held.a) and np.array_equal(again.reactions, held.reactions)
    cases = [problem.classify(0.0, q, closed=names) for names in (None, ["left"], [])]
    assert [(case.rows, case.rank, case.self_stress, case.free) for case in cases] == [(4, 3, 1, 0), (3, 3, 0, 0), (2, 2, 0, 1)]


@pytest.mark.parametrize(
    "closed, kind, words",
    [
        ("left", TypeError, "must be a list of the names of contacts"),
        (3, TypeError, "must be a list"),
        (["lft"], lo.UnknownName, "no unilateral contact named 'lft' in 'table'; did you mean 'left'"),
        (["rail"], ValueError, "'rail', which is always closed"),
    ],
)
def test_wrong_names_of_contacts(closed, kind, words):
    problem = table()
    for ask in (
        lambda: problem.classify(0.0, np.zeros(3), closed=closed),
        lambda: problem.evaluate(0.0, np.zeros(3), np.zeros(3), closed=closed),
    ):
        with pytest.raises(kind, match=words):
            ask()


def test_a_case_is_that_of_the_start_if_no_configuration_is_given_and_names_contacts_with_friction():
    snakeboard, stack = lo.systems.load("snakeboard").problem(), lo.systems.load("box_stack", count=2).problem()
    assert str(snakeboard.classify()) == str(snakeboard.classify(0.0, snakeboard.initial()[0]))
    assert "ground" not in str(snakeboard.classify())
    case = stack.classify()
    assert case.touching == len(stack.contacts) > 1
    assert f"ground: {case.touching} contacts with friction open, stick and slide in the run" in str(case)
