"""Swimmers and fliers: wings by their coefficients, elongated bodies in streams, sand and scales, energetics, momentum of the
wake. Hovering is in test_hovering.py."""

import numpy as np
import pytest
from scipy.integrate import simpson

import locomote as lo
from locomote.forces.plain import acting
from locomote.runs.extent import length_of
from locomote.systems import eel as eel_system

AIR = lo.Fluid(1.2, 1.8e-5)


def alone(base="xyz", **more):
    return lo.Builder("w", base=base, **more).body("w", inertia=lo.Inertia(1.0, moment=(1, 1, 1))).build()


def force_on(model, element, q, v, t=0.0):
    """Total wrench about the origin of the world, by the law as it is."""
    term = element.term(model)
    found = acting(model, term, np.array([t]), np.array([q], float), np.array([v], float), axes="world").wrenches[:, 0]
    pose = lo.forward_kinematics(model, np.array(q, float))
    points = [(pose[model.body_index(p.body)] @ p.pose)[:3, 3] for p in term.places]
    return found[:, :3].sum(axis=0), sum(m + np.cross(x, f) for x, f, m in zip(points, found[:, :3], found[:, 3:], strict=True))


@pytest.mark.parametrize("degrees", [10, 30, 45, 60, 80])
def test_a_wing_has_its_lift_and_drag(degrees):
    """The published coefficients, either way."""
    a, speed, model = np.radians(degrees), 2.0, alone()
    C_L = 0.225 + 1.58 * np.sin(2.13 * a - np.radians(7.2))
    C_D = 1.92 - 1.55 * np.cos(2.04 * a - np.radians(9.82))
    wing = lo.water.Wing("w", AIR, (0, 0, 0), (0, 0.5, 0), 0.1, forward=(np.cos(a), 0, np.sin(a)))
    size = 0.5 * 1.2 * speed**2 * 0.05
    force, moment = force_on(model, wing, (0, 0, 0), (speed, 0, 0))
    np.testing.assert_allclose(force / size, [-C_D, 0, C_L], rtol=1e-5, atol=1e-12)
    back, _ = force_on(model, wing, (0, 0, 0), (-speed, 0, 0))  # trailing edge first
    np.testing.assert_allclose(back / size, [C_D, 0, -C_L], rtol=1e-5, atol=1e-12)
    np.testing.assert_allclose(moment[0] / force[2], 0.25, rtol=1e-9)  # half the span
    gust = lo.Fluid(1.2, 1.8e-5, lo.water.Uniform((-speed, 0, 0)))
    same, _ = force_on(
        model, lo.water.Wing("w", gust, (0, 0, 0), (0, 0.5, 0), 0.1, forward=(np.cos(a), 0, np.sin(a))), (0,) * 3, (0,) * 3
    )
    np.testing.assert_allclose(same, force, rtol=1e-12)


def test_pitching_up_lifts_and_the_added_mass_is_that_of_a_plate():
    model = alone("free", gravity=(0, 0, 0))
    wing = lo.water.Wing("w", AIR, (0, 0, 0), (0, 0.5, 0), 0.1, axis=0.5, lift=(0, 0, 0, 0), drag=(0, 0, 0, 0))
    force, _ = force_on(model, wing, model.neutral(), (2.0, 0, 0, 0, -3.0, 0))  # nose up
    expected = 1.2 * 0.1**2 * np.pi / 4 * 3.0 * 2.0 * 0.5
    np.testing.assert_allclose(force[2], expected, rtol=1e-6)
    added = wing.added_inertia(model)["w"]
    np.testing.assert_allclose(added[2, 2], 1.2 * np.pi * 0.1**2 / 4 * 0.5, rtol=1e-12)
    np.testing.assert_allclose(added[4, 4], 1.2 * np.pi * 0.1**4 / 128 * 0.5, rtol=1e-12)


def test_turning_about_its_axis_a_wing_feels_the_drag_of_its_strips():
    """No air comes to the axis, so there is no lift; the moment is that of strips that move with w x, by quadrature."""
    model, w, c, x0 = alone("free", gravity=(0, 0, 0)), 7.0, 0.1, 0.3
    wing = lo.water.Wing("w", AIR, (0, 0, 0), (0, 0.5, 0), c, axis=x0, damping=3.4, added=False)
    force, moment = force_on(model, wing, model.neutral(), (0, 0, 0, 0, w, 0))
    x = np.linspace(-x0 * c, (1 - x0) * c, 20001)
    expected = -0.5 * 1.2 * 3.4 * w * w * 0.5 * np.trapezoid(abs(x) ** 3, x)
    np.testing.assert_allclose(moment, [0, expected, 0], rtol=1e-6, atol=1e-12)
    assert abs(force).max() < 1e-3 * abs(expected) / c


def test_lift_and_drag_act_where_they_should():
    """At three eighths of the chord for 45 degrees, a quarter for none, whichever edge is ahead; about the axis of pitch."""
    model = alone("free", gravity=(0, 0, 0))
    for ahead, place in ((1.0, 0.375), (-1.0, 0.625)):
        wing = lo.water.Wing("w", AIR, (0, 0, 0), (0, 0.5, 0), 0.1, axis=0.15, rotation=0.0, added=False)
        force, moment = force_on(model, wing, model.neutral(), (ahead, 0, -1.0, 0, 0, 0))
        assert moment[1] / force[2] / 0.1 == pytest.approx(place - 0.15, abs=1e-3)


def test_lift_converges_to_the_law_with_its_smoothing():
    """By the sixth power, and at the default to a hundredth from 2 to 88 degrees, a ten thousandth from 5 to 85."""
    model = alone()
    for degrees, worst in ((2, 0.01), (3, 2e-3), (5, 1e-4), (20, 1e-7), (85, 1e-4), (88, 0.01)):
        a, errors = np.radians(degrees), []
        for b in (0.02, 0.01, 0.005):
            wing = lo.water.Wing("w", AIR, (0, 0, 0), (0, 0.5, 0), 0.1, forward=(np.cos(a), 0, np.sin(a)), smoothing=b)
            lift = force_on(model, wing, (0, 0, 0), (5.0, 0, 0))[0][2]
            errors.append(abs(lift / (0.75 * (0.225 + 1.58 * np.sin(2.13 * a - np.radians(7.2)))) - 1))
        assert errors[0] < worst and errors[2] < max(errors[0] / 300, 3e-9), (degrees, errors)
    with pytest.raises(ValueError, match="smoothing is 0"):
        lo.water.Wing("w", AIR, (0, 0, 0), (0, 0.5, 0), 0.1, smoothing=0).term(model)


def test_nothing_is_gained_by_pitching_about_the_middle_in_a_stream():
    """Thin wings: lift by rotation at a quarter of the chord and the apparent mass further back make no moment together, from
    either side."""
    model = alone("free", gravity=(0, 0, 0))
    for speed in (3.0, -3.0):
        wing = lo.water.Wing("w", AIR, (0, 0, 0), (0, 0.5, 0), 0.1, axis=0.5, lift=(0, 0, 0, 0), drag=(0, 0, 0, 0), damping=0.0)
        _, moment = force_on(model, wing, model.neutral(), (speed, 0, 0, 0, 0.2, 0))
        size = 1.2 * np.pi / 16 * 0.1**3 * 3.0 * 0.2 * 0.5
        assert abs(moment[1]) < 0.1 * size  # what smoothing near zero leaves


def eel(fluid, n=5):
    """A chain in space, bent, with an elongated-body force."""
    builder = lo.Builder("eel", base="free", gravity=(0, 0, 0))
    segments = []
    for k in range(n):
        more = {} if k == 0 else {"parent": f"l{k - 1}", "at": (0.1, 0, 0), "joint": lo.Joint(f"j{k}", axis="zy"[k % 2])}
        builder.body(f"l{k}", inertia=lo.Inertia(0.2, (0.05, 0, 0), (1e-4, 3e-4, 3e-4)), **more)
        segments.append(lo.water.Segment(f"l{k}", (0, 0, 0), (0.1, 0, 0), lambda s, k=k: 0.06 * min(1.0, k + s), 0.03))
    return lo.Locomotion(builder.build(), environment=[lo.water.Lighthill(fluid, segments)])


def test_elongated_bodies_in_a_stream_are_as_in_water_at_rest():
    stream, rng = np.array([0.4, -0.3, 0.2]), np.random.default_rng(0)
    still, moving = eel(lo.Fluid()), eel(lo.Fluid(flow=lo.water.Uniform(tuple(stream))))
    for _ in range(5):
        q, v = still.model.random(rng), rng.normal(size=still.model.nv)
        q[7:] = 0.3 * rng.normal(size=still.model.nq - 7)
        R = lo.forward_kinematics(still.model, q)[0, :3, :3]
        seen = v.copy()
        seen[:3] -= R.T @ stream
        a, b = still.evaluate(0.0, q, seen).a, moving.evaluate(0.0, q, v).a
        b[:3] -= np.cross(R.T @ stream, v[3:6])
        np.testing.assert_allclose(b, a, rtol=1e-8, atol=1e-8)


def test_elongated_bodies_lose_to_the_wake_what_they_must():
    """Power of the force is W_x T at the tail, whatever happens in between; inner sections give nothing."""
    problem = eel(lo.Fluid())
    run = problem.simulate(1.0, v=[-0.6, 0.05, 0.02, 0.3, 0.1, 0.4, 1.0, -1.0, 0.5, 0.3], rtol=1e-10, atol=1e-12)
    assert run.audit.ok and run.audit.balance < 1e-8
    model = problem.model
    tail = np.array(
        [lo.velocity(model, q, v, "l4", point=(0.1, 0, 0), frame="local")[:3] for q, v in zip(run.q, run.v, strict=True)]
    )
    T = 0.5 * 1000 * np.pi / 4 * (0.06**2 * tail[:, 1] ** 2 + 0.03**2 * tail[:, 2] ** 2)
    now = [problem.evaluate(t, q, v).power["lighthill"] for t, q, v in zip(run.t[::50], run.q[::50], run.v[::50], strict=True)]
    np.testing.assert_allclose(now, (tail[:, 0] * T)[::50], atol=1e-10)


def test_momentum_of_a_fish_and_its_wake_balances():
    """Momentum of body and slices changes by what passes the tail, written down by hand, and by drag, as it was kept."""
    system = lo.systems.load("fish")
    run = system.problem().simulate(2.0, samples=np.linspace(0, 2, 4001), rtol=1e-10, atol=1e-12)
    model, last = run.problem.model, f"link_{system.parameters['links'] - 1}"
    P = np.array([lo.momentum(model, q, v)[:3] for q, v in zip(run.q[::4000], run.v[::4000], strict=True)])
    end = (system.parameters["length"] / system.parameters["links"], 0.0, 0.0)
    speed = np.array([lo.velocity(model, q, v, last, point=end, frame="local")[:3] for q, v in zip(run.q, run.v, strict=True)])
    m = 1000 * np.pi / 4 * (2 * 0.5 * (0.09 * np.sin(np.pi) + 0.07)) ** 2  # of the caudal fin
    passing = np.column_stack([-0.5 * m * speed[:, 1] ** 2, m * speed[:, 0] * speed[:, 1], 0 * speed[:, 0]])
    R = lo.forward_kinematics(model, run.q)[:, model.body_index(last), :3, :3]
    wake = np.einsum("nij,nj->ni", R, passing)
    np.testing.assert_allclose(np.asarray(run.loads["lighthill"])[:, :, :3].sum(axis=1), wake, atol=1e-9 * abs(wake).max())
    force = wake + np.asarray(run.loads["drag"])[:, :, :3].sum(axis=1)
    np.testing.assert_allclose(P[1] - P[0], simpson(force, x=run.t, axis=0), atol=1e-6 * abs(P[1]).max())


def test_links_converge_with_the_square_of_their_length():
    places = [lo.systems.load("fish", links=n).problem().simulate(2.0, rtol=1e-9).q[-1, 0] for n in (6, 12, 24, 48)]
    steps = np.diff(places)
    assert (np.log2(steps[:-1] / steps[1:]) > 1.8).all()


def test_an_eel_of_links_and_one_without_swim_alike(monkeypatch):
    """A chain and a rod, which share neither bodies nor recursions, come nearer to each other with the square of the length of
    links, if sections have no kink; and the eel of the catalogue, whose have one, is the same to a thousandth."""

    def place(body, links=20):
        run = lo.systems.load("eel", body=body, links=links).problem().simulate(2.0, rtol=1e-8, atol=1e-10)
        assert run.audit.ok, str(run.audit)
        return run.q[-1, 0]

    assert place("links", 32) == pytest.approx(place("rod"), rel=1e-3)
    monkeypatch.setattr(
        eel_system, "section", lambda p: lambda X: tuple(size * np.sin(0.06 + 2.76 * X) for size in (0.1, 0.06))
    )
    rod, links = place("rod"), np.array([place("links", n) for n in (8, 16, 32)])
    apart = abs(rod - links)
    assert (np.log2(apart[:-1] / apart[1:]) > 1.8).all() and apart[2] < 0.0025 * abs(rod)


def test_sand_and_scales_do_not_feel_speed():
    model = alone("planar")
    sand = lo.water.Granular("w", (-0.5, 0, 0), (0.5, 0, 0), 0.01, 3e4, 5e3, slow=1e-9, elements=1)
    for psi in (0.2, 0.9, 1.5):
        forces = [force_on(model, sand, (0, 0, 0), (s * np.cos(psi), s * np.sin(psi), 0))[0] for s in (0.1, 3.0)]
        np.testing.assert_allclose(*forces, rtol=1e-6)
        b = np.arctan(np.sin(psi) / np.tan(np.radians(13.84)))
        expected = -2 * 0.01 * np.array([5e3 * np.cos(psi), 3e4 * np.sin(b) + 5e3 * np.sin(psi), 0])
        np.testing.assert_allclose(forces[0], expected, rtol=1e-6)
    snake = lo.water.Scales("w", 10.0, 0.1, 0.3, 0.5, slow=1e-9)
    for v, f in (((2.0, 0, 0), (-1, 0, 0)), ((-2.0, 0, 0), (3, 0, 0)), ((0, 0.5, 0), (0, -5, 0))):
        np.testing.assert_allclose(force_on(model, snake, (0, 0, 0), v)[0], f, rtol=1e-6, atol=1e-6)


def test_energetics_are_in_the_summary():
    run = lo.systems.load("fish").problem().simulate(24.0)
    found = run.energetics
    assert found is not None and 0.2 < found.strouhal < 0.4 and 0.3 < found.efficiency < 1.0
    assert found.speed == pytest.approx(0.343, rel=0.02) and "Strouhal number" in run.summary()
    assert found.to_fluid == pytest.approx(found.power, rel=0.01)  # nothing else takes power once it is steady
    moth = lo.systems.load("hovering_moth", guide="held", wings="imposed").problem().simulate(0.3).energetics
    assert moth is not None and 0.9 < moth.lift < 1.2 and 40 < moth.power_per_mass < 70
    assert lo.systems.load("simple_pendulum").problem().simulate(0.1).energetics is None
    assert found.cost_of_transport == pytest.approx(found.power / (run.problem.statement.model.mass * found.speed))


SWIM = {"speed", "swimming_number"}
COST = SWIM | {"cost_of_transport"}
LIGHTHILL = COST | {"efficiency", "strouhal"}
SUMMARIES = {
    "perfect_fluid_swimmer": SWIM, "purcell_swimmer": SWIM, "three_sphere_swimmer": SWIM, "sandfish": SWIM, "jellyfish": COST,
    "swimming_octopus": COST, "fish": LIGHTHILL, "eel": LIGHTHILL, "tuna_robot": LIGHTHILL, "dead_fish": {"speed"},
    "flapping_bird": {"speed", "cost_of_transport", "lift", "power_per_mass"}, "hovering_moth": {"lift", "power_per_mass"},
    "falling_plate": {"speed"}, "flagellum": set(), "scallop": SWIM,
}  # fmt: skip


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_swimmer_and_flier_says_what_it_costs(name):
    system = lo.systems.load(name)
    q, v = system.initial
    run = system.problem().simulate(system.duration, q=q, v=v)
    words = run.summary()
    assert "W to the fluid" in words and run.audit.ok and run.audit.balance < 1e-8, words
    given = {key for key in (*LIGHTHILL, "lift", "power_per_mass") if getattr(run.energetics, key) is not None}
    assert given == SUMMARIES[name]
    # what drives give goes to the fluid, to losses, to motion and to height
    spent = -sum(w[-1] for key, w in run.work.items() if key not in ("drives", "torques"))
    stored = run.total[-1] - run.total[0]
    exchanged = sum(abs(w[-1]) for w in run.work.values()) + abs(stored)
    assert run.work["drives"][-1] == pytest.approx(spent + stored, abs=1e-8 * max(exchanged, 1e-9) + 1e-10)


def test_a_fish_swims_by_its_muscles_and_bends_its_tail_by_the_water():
    """Muscles of the trunk give what water and damping take; the tail, which has none, trails behind the trunk."""
    system = lo.systems.load("fish", body="muscles")
    run = system.problem().simulate(system.duration, rtol=1e-8, atol=1e-10)
    found = run.energetics
    assert run.audit.ok and run.audit.balance < 1e-8, str(run.audit)
    assert found.speed == pytest.approx(0.496, abs=0.02) and 0.2 < found.strouhal < 0.4
    assert found.power > found.to_fluid > 0.7 * found.power and 0.5 < found.efficiency < 0.9
    half, model = run.t > 0.5 * run.t[-1], run.model
    shape = [lo.rods.sections(model, q, "fish").strains[:, 5] for q in run.q[half]]
    assert np.ptp(shape, axis=0)[-1] > 0.5  # 1/m: where no muscle pulls
    turned = lo.systems.load("fish", body="muscles", turn=0.5).problem().simulate(6.0)
    assert turned.audit.ok and turned.q[-1, 2] < -2.0


def test_a_swimmer_is_as_long_as_its_tips_are_apart():
    """Ends of rods that drag acts along, of shapes to look at, of sections of a flexible body; a point has no length."""
    assert length_of(lo.systems.load("purcell_swimmer", length=1.0).problem()) == pytest.approx(3.0, rel=1e-12)
    assert length_of(lo.systems.load("flagellum").problem()) > 0.0
    water = lo.Fluid(1000.0, 1.0)

    def swimmer(**look):
        builder = lo.Builder("capsule", base="free", gravity=(0, 0, 0))
        builder.body("capsule", inertia=lo.Inertia.sphere(1.0, 0.1), **look)
        builder.body(
            "weight", parent="capsule", joint=lo.Joint("slide", "prismatic", "z"), inertia=lo.Inertia.sphere(0.5, 0.05)
        )
        stream = lo.Fluid(1000.0, 1.0, lo.water.Uniform((0.01, 0, 0)))
        return lo.Locomotion(
            builder.build(), drives={"slide": lo.Sine(0.05, 9.0)}, environment=[lo.water.StokesDrag("capsule", stream, 0.1)]
        )

    run = swimmer().simulate(1.0)
    assert run.energetics.speed > 0 and run.energetics.swimming_number is None and "W to the fluid" in run.summary()
    seen = swimmer(visuals=(lo.Visual("capsule", (0.1, 0.4)),))
    assert length_of(seen) == pytest.approx(0.6) and seen.simulate(1.0).energetics.swimming_number > 0
    ball = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, 0.1)).build()
    around = lo.AddedMass("ball", water, lo.Ellipsoid((0.7, 0.2, 0.1)), point=(0.3, 0, 0))
    assert length_of(lo.Locomotion(ball, environment=[around])) == pytest.approx(1.4)
