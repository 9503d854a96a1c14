"""Swimming: added masses, low Reynolds numbers, elongated bodies.

Lamb, Hydrodynamics (1932), ellipsoids; data/fluid_ellipsoid_added_mass.json.
Boyer, Porez (2014), Purcell's swimmer and the swimmer in a perfect fluid; data/purcell.json, data/potential_swimmer.json.
Gray, Hancock (1955), undulation at low Reynolds number; data/swim_low_re_wave.json.
Lighthill (1960, 1971), elongated bodies; data/lighthill.json, data/swim_lighthill_ebt.json.
"""

import numpy as np
import pytest
import sympy
from cases import close, numbers
from scipy import special

import locomote as lo
from locomote.forces.plain import acting
from locomote.forces.water.added_mass import added_of

ELLIPSOIDS, PURCELL, PERFECT = numbers("fluid_ellipsoid_added_mass"), numbers("purcell"), numbers("potential_swimmer")
WAVE, LIGHTHILL, SLENDER = numbers("swim_low_re_wave"), numbers("lighthill"), numbers("swim_lighthill_ebt")


@pytest.mark.parametrize("case", ELLIPSOIDS["expected"]["cases"], ids=lambda case: str(case["semi_axes"]))
def test_added_mass_of_ellipsoids(case):
    a, b, c = axes = case["semi_axes"]
    masses, moments, volume = added_of(lo.Ellipsoid(tuple(axes)))
    np.testing.assert_allclose(masses / volume, case["k_translation"], rtol=1e-8)
    fluid = volume / 5 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    np.testing.assert_allclose(moments / fluid, case["k_rotation"], rtol=1e-8, atol=1e-9)


def test_added_mass_of_plates_and_cylinders():
    masses, moments, volume = added_of(lo.Ellipsoid((2.0, 2.0, 0.0)))  # a disc: 8/3 a^3, 16/45 a^5
    np.testing.assert_allclose(masses, [0, 0, 8 / 3 * 8], rtol=1e-12)
    np.testing.assert_allclose(moments, [16 / 45 * 32, 16 / 45 * 32, 0], rtol=1e-12)
    assert volume == 0
    thin, plate = added_of(lo.Ellipsoid((2.0, 1.0, 1e-7))), added_of(lo.Ellipsoid((2.0, 1.0, 0.0)))
    np.testing.assert_allclose(thin[0][2], plate[0][2], rtol=1e-6)
    np.testing.assert_allclose(thin[1][:2], plate[1][:2], rtol=1e-6)
    masses, moments, volume = added_of(lo.water.EllipticCylinder(3.0, (0.2, 0.5)))
    np.testing.assert_allclose(masses, np.pi * 3.0 * np.array([0, 0.25, 0.04]))
    np.testing.assert_allclose(moments[0], np.pi * 3.0 * (0.04 - 0.25) ** 2 / 8)
    slender = added_of(lo.Ellipsoid((100.0, 0.2, 0.5)))[0][1:]  # 4/3 pi a b c (1 + ...) against slices of changing section
    np.testing.assert_allclose(slender, np.pi * np.array([0.25, 0.04]) * 200.0 * 2 / 3, rtol=1e-3)


def three_links(length, rod):
    builder = lo.Builder("three links", base="planar").body("middle", inertia=rod)
    builder.body("front", parent="middle", at=(length / 2, 0, 0), joint=lo.Joint("front"), inertia=rod)
    return builder.body("rear", parent="middle", at=(-length / 2, 0, 0), joint=lo.Joint("rear"), inertia=rod).build()


def purcell(drives):
    p, water = PURCELL["parameters"], lo.Fluid(1000.0, 1.0)
    L = p["L"]
    ends = {"middle": ((-L / 2, 0, 0), (L / 2, 0, 0)), "front": ((0, 0, 0), (L, 0, 0)), "rear": ((0, 0, 0), (-L, 0, 0))}
    drag = [lo.water.Resistive(name, water, *points, along=p["ct"], across=p["cn"]) for name, points in ends.items()]
    model = three_links(L, lo.Inertia(1.0, moment=(1, 1, 1)))
    return lo.Locomotion(model, drives=drives, environment=drag, inertia=False)


@pytest.mark.parametrize("case", PURCELL["cases"], ids=["first", "second"])
def test_purcell_connection(case):
    r, rd, expected = case["input"]["r"], case["input"]["rd"], case["expected"]
    problem = purcell({})
    q = np.array([0.3, -0.2, 0.0, *r])
    R = problem.resistance(q)
    assert close(R[:3, :3], expected["resistance"], 1e-13) and close(R[:3, 3:], expected["coupling"], 1e-13)
    connection = problem.connection(q)
    assert connection.kind == "stokes" and close(connection.A, expected["connection"], 1e-13)
    assert close(-connection.A @ rd, expected["eta"], 1e-13)


@pytest.mark.parametrize("gait", PURCELL["gaits"], ids=lambda gait: f"{gait['amplitude']}")
def test_purcell_square_stroke(gait):
    """Corners of the square: front and rear go up one after the other, then down."""
    A = gait["amplitude"]
    corners = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1], [1, 1]]) * A
    best = None
    for order in (corners, corners[::-1]):
        for turn in range(4):
            path = np.roll(order[:-1], turn, axis=0)
            path = np.vstack([path, path[:1]])
            q = np.zeros(5)
            q[3:] = path[0]
            for a, b in zip(path[:-1], path[1:], strict=True):
                moves = {name: lo.Polynomial((a[k], b[k] - a[k])) for k, name in enumerate(("front", "rear"))}
                q = purcell(moves).simulate(1.0, q=q, rtol=1e-11, atol=1e-13, samples=[1.0]).q[-1]
            error = abs(q[:3] - gait["net_pose"]).max()
            best = error if best is None else min(best, error)
            if best < 1e-9:
                return
    pytest.fail(f"no corner and no sense of the square gives the published displacement; nearest {best:.2g}")


def perfect(drives):
    p = PERFECT["parameters"]
    A, B, rho = p["A"], p["B"], p["rho"]
    mass = rho * np.pi * A * B
    builder = lo.Builder("swimmer", base="planar", gravity=(0, 0, 0))
    link = lo.Inertia(mass, moment=(mass, mass, mass * (A * A + B * B) / 4))
    ahead, behind = lo.Inertia(mass, (p["D"], 0, 0), link.moment), lo.Inertia(mass, (-p["D"], 0, 0), link.moment)
    builder.body("middle", inertia=link)
    builder.body("front", parent="middle", at=(p["D"], 0, 0), joint=lo.Joint("front"), inertia=ahead)
    builder.body("rear", parent="middle", at=(-p["D"], 0, 0), joint=lo.Joint("rear"), inertia=behind)
    section = lo.water.EllipticCylinder(1.0, (A, B))  # per length of a cylinder across the plane
    across = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    places = {"middle": 0.0, "front": p["D"], "rear": -p["D"]}
    water = [lo.AddedMass(name, lo.Fluid(rho), section, (x, 0, 0), across) for name, x in places.items()]
    return lo.Locomotion(builder.build(), drives=drives, environment=water)


@pytest.mark.parametrize("case", PERFECT["cases"], ids=["first", "second"])
def test_perfect_fluid_connection(case):
    problem, expected = perfect({}), case["expected"]
    q = np.array([0.1, 0.2, 0.0, *case["input"]["r"]])
    M = lo.mass_matrix(problem.model, q)
    assert close(M[:3, :3], expected["locked_inertia"], 1e-13) and close(M[:3, 3:], expected["coupling"], 1e-13)
    connection = problem.connection(q)
    assert connection.kind == "hydrodynamic" and close(connection.A, expected["connection"], 1e-13)
    assert close(-connection.A @ case["input"]["rd"], expected["eta"], 1e-13)


@pytest.mark.parametrize("rate", [0.5, 3.0])
def test_perfect_fluid_circles(rate):
    """The published displacement, whatever the speed; momentum of swimmer and water stays zero."""
    for gait in PERFECT["gaits"]:
        a = gait["amplitude"]
        drives = {"front": lo.Sine(a, rate, np.pi / 2), "rear": lo.Sine(a, rate, np.pi / 2 + gait["phase"])}
        problem = perfect(drives)
        q, v = problem.initial()
        A = problem.connection(q).A
        v[:3] = -A @ v[3:]
        run = problem.simulate(2 * np.pi / rate, q=q, v=v, rtol=1e-12, atol=1e-14)
        assert close(run.q[-1, :3], gait["net_pose"], 1e-9)
        momentum = np.array([(lo.mass_matrix(problem.model, q) @ v)[:3] for q, v in zip(run.q, run.v, strict=True)])
        parts = np.array([abs(lo.mass_matrix(problem.model, q)[:3]) @ abs(v) for q, v in zip(run.q, run.v, strict=True)])
        assert abs(momentum).max() < 1e-12 * max(1.0, parts.max())


def limit(values, power, step):
    """Where values go that were found with sizes 1, 1/2, 1/4, ...: errors in powers power, power + step, ... of the size."""
    values = [np.asarray(v, dtype=float) for v in values]
    while len(values) > 1:
        values = [(2**power * fine - coarse) / (2**power - 1) for coarse, fine in zip(values[:-1], values[1:], strict=True)]
        power += step
    return values[0]


@pytest.mark.parametrize("case", WAVE["expected"]["cases"], ids=lambda case: f"bk {case['bk']}")
def test_undulation_at_low_reynolds_number(case):
    """One wavelength of an inextensible filament that slides along its wave, held against turning and moving aside; the chain
    of straight links comes to the published speed with the square of their length, and its limit has all the digits."""
    k = 2 * np.pi
    found = [wave_speed(case["bk"] / k, k, n) for n in (40, 80, 160, 320)]
    errors = abs(np.array(found) - case["U_over_V"])
    assert np.log2(errors[:-1] / errors[1:]) == pytest.approx(2.0, abs=0.1)
    assert limit(found, 2, 2) == pytest.approx(case["U_over_V"], rel=WAVE["tolerance"]["rel"])


def along_the_wave(b, k, s):
    """x where the curve y = b sin kx has the length s, by Newton steps on the elliptic integral."""
    m = (b * k) ** 2 / (1 + (b * k) ** 2)
    quarter = np.hypot(1, b * k) / k

    def length(x):
        return quarter * special.ellipeinc(k * x, m)

    whole = 4 * quarter * special.ellipe(m)
    x = s / whole * 2 * np.pi / k
    for _ in range(50):
        x = x - (length(x) - s) / np.hypot(1, b * k * np.cos(k * x))
    return x, whole


def wave_speed(b, k, n):
    """Speed of a chain over that of its wave: links of the same length along y = b sin kx, at one instant."""
    whole = along_the_wave(b, k, 0.0)[1]
    here = along_the_wave(b, k, (np.arange(n) + 0.5) / n * whole)[0]
    slope = np.arctan(b * k * np.cos(k * here))
    Q = whole * k / (2 * np.pi)  # material speed along the wave for a wave of speed 1
    curvature = -b * k * k * np.sin(k * here) / (1 + (b * k * np.cos(k * here)) ** 2) ** 1.5
    angles, rates = np.diff(slope, prepend=0.0), Q * np.diff(curvature, prepend=0.0)
    builder = lo.Builder("filament", base="xy").body("root")
    for i in range(n):
        parent, at = ("root", 0.0) if i == 0 else (f"link {i - 1}", whole / n)
        builder.body(f"link {i}", parent=parent, at=(at, 0, 0), joint=lo.Joint(f"joint {i}"))
    water = lo.Fluid(1000.0, 1.0)
    drag = [
        lo.water.Resistive(f"link {i}", water, (0, 0, 0), (whole / n, 0, 0), along=1.0, across=WAVE["inputs"]["K"])
        for i in range(n)
    ]
    start = b * k / np.hypot(1.0, b * k)
    drives = {("base", 1): lo.Polynomial((0.0, Q * start))}
    drives |= {f"joint {i}": lo.Polynomial((angles[i], rates[i])) for i in range(n)}
    problem = lo.Locomotion(builder.build(), drives=drives, environment=drag, inertia=False)
    _, v = problem.initial()
    return v[0] - Q / np.hypot(1.0, b * k) + 1.0


# elongated bodies


def chain(n, mass, *, density=1000.0, length=1.0):
    """n links along 0..length whose water has `mass` (kg/m) at X, almost without mass of their own."""
    builder, segments, h = lo.Builder("eel", base="xy").body("root"), [], length / n
    for k in range(n):
        parent, at = ("root", 0.0) if k == 0 else (f"link {k - 1}", h)
        light = lo.Inertia(1e-12, moment=(1e-12,) * 3)
        builder.body(f"link {k}", parent=parent, at=(at, 0, 0), joint=lo.Joint(f"joint {k}"), inertia=light)

        def height(s, k=k):
            return 2 * np.sqrt(mass((k + s) * h) / (np.pi * density))

        segments.append(lo.water.Segment(f"link {k}", (0, 0, 0), (h, 0, 0), height))
    return lo.Locomotion(builder.build(), environment=[lo.water.Lighthill(lo.Fluid(density), segments)])


def total_force(problem, t, q, v, a):
    """Of the water on the whole chain, in the world: inertia of the slices by the recursion, the rest by the law."""
    passing = acting(problem.model, problem.terms[0], np.array([t]), q[None], v[None], axes="world").wrenches
    return passing[:, 0, :2].sum(axis=0) - lo.inverse_dynamics(problem.model, q, v, a)[:2]


X, T = sympy.symbols("X t")
THETA = sympy.sympify(LIGHTHILL["parameters"]["theta"], locals={"X": X, "t": T})
HEAD = [sympy.sympify(text, locals={"t": T}) for text in LIGHTHILL["parameters"]["head"]]
ANGLES = [sympy.lambdify((X, T), sympy.diff(THETA, T, k)) for k in range(3)]
PLACES = [[sympy.lambdify(T, sympy.diff(h, T, k)) for h in HEAD] for k in range(3)]


def swimming(n, t):
    """q, v, a of n links that follow the published curve."""
    middle = (np.arange(n) + 0.5) / n
    for k in range(3):
        angles = np.array([ANGLES[k](x, t) for x in middle], dtype=float)
        yield np.array([*(f(t) for f in PLACES[k]), angles[0], *np.diff(angles)])


def water_mass(x):
    return 0.5 * x * x + 0.3 * x


@pytest.mark.parametrize("case", LIGHTHILL["cases"], ids=["start", "later"])
def test_total_force_of_elongated_body_theory(case):
    """Links come to the published total force of the continuous body with their length (the tail is the last link's), and the
    limit has nine digits."""
    t, expected = case["input"]["t"], np.array(case["expected"]["total_force_world"])
    found = [total_force(chain(n, water_mass), t, *swimming(n, t)) for n in (10, 20, 40, 80, 160, 320)]
    errors = [np.linalg.norm(f - expected) for f in found]
    assert 1.8 < errors[-2] / errors[-1] < 2.2
    np.testing.assert_allclose(limit(found, 1, 1), expected, atol=1e-9)


@pytest.mark.parametrize("case", LIGHTHILL["cases"], ids=["start", "later"])
@pytest.mark.parametrize("k", range(3))
def test_density_of_elongated_body_theory(case, k):
    """Force per length along and across each published section: that of a short link whose middle is there, with the square of
    its length."""
    t, section = case["input"]["t"], case["expected"]["sections"][k]
    expected, errors = np.array([section["f_t"], section["f_n"]]), []
    for n in (10, 30, 90, 270) if section["X"] == 0.25 else (15, 45, 135, 405):
        problem, (q, v, _) = chain(n, water_mass), swimming(n, t)
        link = round(section["X"] * n - 0.5)
        assert (link + 0.5) / n == pytest.approx(section["X"])
        passing = acting(problem.model, problem.terms[0], np.array([t]), q[None], v[None], axes="world").wrenches[:, 0, :2]
        places = [p.body for p in problem.terms[0].places]
        force = sum(f for f, name in zip(passing, places, strict=True) if name == f"link {link}")
        force = force - slice_momentum_rate(n, link, t)
        angle = np.cumsum(q[2:])[link]
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        errors.append(np.linalg.norm(turn @ force * n - expected))
    assert errors[-1] < 1e-4 * np.linalg.norm(expected) + 1e-7 and 6 < errors[-2] / errors[-1] < 12


def slice_momentum_rate(n, link, t, e=1e-4):
    """d/dt of the momentum of the water around one link, in the world, by differences."""

    def momentum(t):
        q, v, _ = swimming(n, t)
        angle, rate, speed = np.cumsum(q[2:]), np.cumsum(v[2:]), v[:2].copy()
        for k in range(link):
            speed = speed + rate[k] / n * np.array([-np.sin(angle[k]), np.cos(angle[k])])
        normal, total = np.array([-np.sin(angle[link]), np.cos(angle[link])]), np.zeros(2)
        for x, w in zip(*np.polynomial.legendre.leggauss(6), strict=True):
            x = (x + 1) / 2
            total += w / 2 / n * water_mass((link + x) / n) * (speed + rate[link] * x / n * normal) @ normal * normal
        return total

    return (-momentum(t + 2 * e) + 8 * momentum(t + e) - 8 * momentum(t - e) + momentum(t - 2 * e)) / (12 * e)


def test_a_chain_has_the_force_of_lighthills_integral():
    """What passes the tail less the rate of all momentum, by hand and by differences, for the chain as it is."""
    n, t, e = 8, 0.4, 1e-4
    problem = chain(n, water_mass)
    q, v, a = swimming(n, t)

    def momentum(t):
        q, v, _ = swimming(n, t)
        angle = np.cumsum(q[2:])
        rate, total, speed = np.cumsum(v[2:]), np.zeros(2), v[:2].copy()
        s, share = np.polynomial.legendre.leggauss(8)
        for k in range(n):
            tangent, normal = np.array([np.cos(angle[k]), np.sin(angle[k])]), np.array([-np.sin(angle[k]), np.cos(angle[k])])
            for x, w in zip((s + 1) / 2, share / 2, strict=True):
                total += w / n * water_mass((k + x) / n) * (speed + rate[k] * x / n * normal) @ normal * normal
            speed = speed + rate[k] / n * normal
        return total, speed, tangent, normal

    _, speed, tangent, normal = momentum(t)
    along, across = speed @ tangent, speed @ normal
    tail = water_mass(1.0) * (along * across * normal - 0.5 * across**2 * tangent)
    rate = (-momentum(t + 2 * e)[0] + 8 * momentum(t + e)[0] - 8 * momentum(t - e)[0] + momentum(t - 2 * e)[0]) / (12 * e)
    np.testing.assert_allclose(total_force(problem, t, q, v, a), tail - rate, atol=1e-9)


SCALES, LINKS, LENGTH = (0.04, 0.02, 0.01), (10, 20, 40, 80, 160, 320), 0.05  # m; means know of the tail only


def small_waves(mass, h, slope, U, w, k):
    """Mean thrust and power to the wake over the square of the amplitude: limits of many links and of small amplitudes."""
    rows = []
    for n in LINKS:
        problem = chain(n, lambda x: mass * min(1.0, 4 * x / LENGTH), length=LENGTH)
        rows.append([small_wave(problem, n, s * h, s * slope, U, w, k) / s**2 for s in SCALES])
    return limit(limit(rows, 1, 1), 2, 2)


def small_wave(problem, n, h, slope, U, w, k):
    """Mean thrust and mean power of all coordinates of a chain that is towed while it waves."""
    x, t = np.linspace(-LENGTH, 0, n + 1), np.arange(24) / 24 * 2 * np.pi / w
    state = []
    for d in range(3):
        y = (h + slope * x) * w**d * np.sin(w * t[:, None] - k * x + d * np.pi / 2)
        angle = np.diff(y) * n / LENGTH
        head = (-U * t, np.full(24, -U), np.zeros(24))[d]
        state.append(np.column_stack([head, y[:, 0], angle[:, 0], np.diff(angle)]))
    q, v, a = state
    found = acting(problem.model, problem.terms[0], t, q, v, axes="world")
    efforts = lo.inverse_dynamics(problem.model, q, v, a)
    thrust = efforts[:, 0] - found.wrenches[:, :, 0].sum(axis=0)
    return np.array([thrust.mean(), np.mean((v * efforts).sum(axis=1) + found.loss)])


@pytest.mark.parametrize("case", SLENDER["expected"]["cases"], ids=["even", "growing"])
def test_thrust_and_power_of_small_waves(case):
    """Small amplitudes, where the closed form of 1960 holds: a towed wave. What all coordinates are given goes into the wake;
    with what the tow gives back it is the power of the swimmer."""
    U, w, k = case["U"], 2 * np.pi * case["frequency"], 2 * np.pi / case["wavelength"]
    mass, rel = case["added_mass_per_length"], SLENDER["tolerance"]["rel"]
    thrust, wake = small_waves(mass, case["tail_amplitude"], case["tail_amplitude_slope"], U, w, k)
    power = thrust * U + wake
    assert thrust == pytest.approx(case["mean_thrust"], rel=rel)
    assert wake == pytest.approx(case["wake_kinetic_energy_rate"], rel=rel)
    assert power == pytest.approx(case["mean_power"], rel=rel)
    assert thrust * U / power == pytest.approx(case["efficiency"], rel=rel)


def test_speed_at_which_small_waves_swim():
    """At the closed form's speed, which is `slip` of that of the wave, thrust meets the drag of the given area."""
    case, rel = SLENDER["expected"]["self_propelled"], SLENDER["tolerance"]["rel"]
    w, k, U = 2 * np.pi * case["frequency"], 2 * np.pi / case["wavelength"], case["speed"]
    thrust, _ = small_waves(1000.0 * np.pi * case["half_depth"] ** 2, case["amplitude"], 0.0, U, w, k)
    assert thrust == pytest.approx(0.5 * 1000.0 * case["Cd_times_area"] * U**2, rel=rel)
    assert U / (w / k) == pytest.approx(case["slip"], rel=rel)
