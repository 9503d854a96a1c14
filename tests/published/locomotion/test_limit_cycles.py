"""Limit cycles of walkers against published fixed points, multipliers and closed forms.

simplest walker : Garcia, Chatterjee, Ruina, Coleman (1998); fixed points agree with the authors' program, multipliers
are computed to 15 digits from the same equations (those printed there carry the error of a forward difference).
rimless wheel : McGeer (1990), closed form.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from cases import numbers

import locomote as lo
from locomote.systems import simplest_walker

WALKER, WHEEL, SLIP = (numbers(f"leg_{name}") for name in ("simplest_walker", "rimless_wheel", "slip"))
LONG = {  # some numbers are strings there, to keep all digits
    slope: {name: float(x) if isinstance(x, str) else x for name, x in WALKER["expected"][slope].items()}
    for slope in WALKER["inputs"]["slopes"]
}
STATE, FACTOR = WALKER["tolerance"]["state_abs"], WALKER["tolerance"]["eigenvalue_abs"]


def factors(entry):
    """Eigenvalues of a file, in order."""
    return np.sort_complex([x["re"] + 1j * x["im"] for x in entry["eigenvalues"]])


@pytest.mark.parametrize("slope", LONG)
def test_simplest_walker(slope):
    expected = LONG[slope]
    angle, rate = expected["theta"], expected["theta_dot"]
    cycle = simplest_walker.gait(slope=float(slope), angle=round(angle, 3), speed=round(rate, 3), swing=round(rate, 3) + 0.02)
    assert cycle.q[2] == pytest.approx(angle, abs=STATE) and cycle.v[2] == pytest.approx(rate, abs=STATE)
    assert cycle.v[2] - cycle.v[3] == pytest.approx(expected["phi_dot"], abs=STATE)
    assert cycle.period == pytest.approx(expected["step_period"], abs=10 * STATE)
    assert len(cycle.multipliers) == 2 and cycle.stable == (slope == "0.009")
    assert np.allclose(np.sort_complex(cycle.multipliers), factors(expected), atol=3e-9)  # of the file: 1e-5


def test_the_short_gait_of_the_simplest_walker():
    expected = WALKER["expected"]["short_period_gamma_0.009"]
    cycle = simplest_walker.gait(slope=0.009, angle=0.1939, speed=-0.2039, swing=-0.19)
    assert cycle.q[2] == pytest.approx(expected["theta"], abs=STATE)
    assert cycle.v[2] == pytest.approx(expected["theta_dot"], abs=STATE)
    assert np.allclose(np.sort_complex(cycle.multipliers), factors(expected), atol=1e-7) and not cycle.stable


@pytest.mark.parametrize("case", [k for k, x in enumerate(WHEEL["expected"]["cases"]) if x["rolling_exists"]])
def test_rimless_wheel(case):
    """McGeer (1990): speed after a step, and eta^2, its multiplier."""
    expected, tolerance = WHEEL["expected"]["cases"][case], WHEEL["tolerance"]["rel"]
    spokes, slope = expected["n_spokes"], expected["slope"]
    cycle = wheel_cycle(spokes, slope, 1 / expected["lambda2"] - 1)
    assert cycle.v[2] == pytest.approx(expected["omega_plus"], rel=tolerance)
    assert len(cycle.multipliers) == 1
    assert cycle.multipliers[0].real == pytest.approx(expected["floquet_multiplier_on_energy"], rel=tolerance)


def test_rimless_wheel_with_a_moment_of_inertia():
    spokes, slope, inertia = 8, 0.1, 0.1
    half, cycle = np.pi / spokes, wheel_cycle(spokes, slope, inertia)
    eta = (np.cos(2 * half) + inertia) / (1 + inertia)
    speed = np.sqrt(eta**2 * 4 * np.sin(half) * np.sin(slope) / (1 + inertia) / (1 - eta**2))
    assert cycle.v[2] == pytest.approx(speed, rel=1e-8)
    assert len(cycle.multipliers) == 1 and cycle.multipliers[0].real == pytest.approx(eta**2, rel=3e-9)


def wheel_cycle(spokes, slope, inertia):
    """The limit cycle of a wheel, from spoke to spoke."""
    system = lo.systems.load("rimless_wheel", spokes=spokes, slope=slope, inertia=inertia, speed=0.5)
    problem, half = system.problem(), np.pi / spokes
    names = [f"spoke{k}" for k in range(spokes)]

    def step(t, q, v):
        # the wheel turns about +y, so the spoke ahead is the last one; then that one is the first again
        w = problem.impact(q, v, closed=[names[-1]]).v[2]
        return [-np.sin(half), np.cos(half), -half], [w * np.cos(half), w * np.sin(half), w]

    down = lo.When(lambda t, q, v: q[2] - half)
    return lo.limit_cycle(problem, down, *system.initial, then=step, ignore=names[1:])


def test_the_derivative_goes_through_impacts_on_the_way():
    """A period of three steps of the wheel, with two impacts before its section: eta^2 three times, and as differences say."""
    spokes, slope, inertia, steps = 8, 0.08, 0.2, 3
    system = lo.systems.load("rimless_wheel", spokes=spokes, slope=slope, inertia=inertia, speed=0.4)
    problem, half = system.problem(), np.pi / spokes
    eta = (np.cos(2 * half) + inertia) / (1 + inertia)
    speed = np.sqrt(eta**2 * 4 * np.sin(half) * np.sin(slope) / (1 + inertia) / (1 - eta**2))
    last = f"spoke{spokes - steps}"

    def step(t, q, v):
        w = problem.impact(q, v, closed=[last]).v[2]
        return [-np.sin(half), np.cos(half), -half], [w * np.cos(half), w * np.sin(half), w]

    down = lo.When(lambda t, q, v: q[2] - half - 2 * half * (steps - 1))
    exact, differences = (
        lo.limit_cycle(problem, down, *system.initial, then=step, ignore=[last], exact=way) for way in (True, False)
    )
    assert exact.v[2] == pytest.approx(speed, rel=1e-8)
    assert exact.multipliers[0].real == pytest.approx(eta ** (2 * steps), rel=1e-8)
    assert differences.multipliers[0].real == pytest.approx(eta ** (2 * steps), rel=1e-4)


def test_the_derivative_of_a_spinning_section():
    """A body on a group that turns about all axes: exact derivatives of a return map as differences of runs say."""
    builder = lo.Builder("top", base="rotation", gravity=(0, 0, -1.0))
    builder.body("top", inertia=lo.Inertia(1.0, (0, 0, 0.3), (0.2, 0.23, 0.1)))
    problem = lo.Locomotion(builder.build(), springs={})
    q, v = np.array([0.1, 0.05, 0.0, 1.0]) / np.linalg.norm([0.1, 0.05, 0.0, 1.0]), np.array([0.1, -0.2, 6.0])
    section = lo.When(lambda t, q, v: q[2] * q[3] - 0.3, after=0.02)
    from locomote.locomotion.return_map import return_derivative

    model = problem.model

    def run_from(q, v, times=None):
        stop = lo.When(section.function, section.direction, True, "section", None, section.after)
        samples = [3.0] if times is None else [*times, 3.0]
        return problem.simulate(3.0, q=q, v=v, events=[stop], samples=samples, rtol=1e-13, atol=1e-14, progress=False)

    J = return_derivative(problem, lambda times: run_from(q, v, times), (q, v), section.function, None)
    end, step = run_from(q, v), 1e-4
    for k, d in enumerate(np.eye(6)):
        sides = [run_from(model.integrate(q, s * d[:3]), v + s * d[3:]) for s in (step, -step)]
        dq = [model.difference(end.q[-1], side.q[-1]) for side in sides]
        column = np.concatenate([dq[0] - dq[1], sides[0].v[-1] - sides[1].v[-1]]) / (2 * step)
        assert np.allclose(J[:, k], column, atol=1e-5), (k, J[:, k], column)


def test_impact_map_of_the_simplest_walker():
    system = lo.systems.load("simplest_walker")
    numbers = SimpleNamespace(**system.parameters)
    problem = lo.Locomotion(system.model, constraints=simplest_walker.feet(numbers))
    theta, rate, swing = -0.2, -0.23, 0.1
    q, v = simplest_walker.state(numbers, theta, rate, -theta, swing)
    done = problem.impact(q, v, closed=["right_foot"])
    assert done.v[3] == pytest.approx(np.cos(2 * theta) * rate, abs=1e-9)
    assert done.v[3] - done.v[2] == pytest.approx(np.cos(2 * theta) * (1 - np.cos(2 * theta)) * rate, abs=1e-9)
    assert done.lost < 0


def test_what_cannot_be_found_is_said():
    builder = lo.Builder("free", gravity=(0, 0, 0), base="fixed")
    builder.body("a", joint=lo.Joint("x", kind="prismatic", axis="x"), inertia=lo.Inertia(1.0, moment=(1, 1, 1)))
    problem = lo.Locomotion(builder.build())
    with pytest.raises(lo.NoLimitCycle, match="does not come back"):
        lo.limit_cycle(problem, lambda t, q, v: q[0] - 1.0, [0.0], [0.0], longest=1.0)
    with pytest.raises(lo.UnknownName):
        problem.simulate(1.0, ignore=["nothing"])


def compass_step(y, phi=np.radians(3.0), hip=10.0, m=5.0, a=0.5, b=0.5, g=9.8):
    """A step of the compass gait by the equations of Goswami and others, angles from the vertical: swing and standing leg."""
    from scipy.integrate import solve_ivp

    length = a + b

    def rates(t, y):
        n, s, dn, ds = y
        across = m * length * b
        M = [[m * b * b, -across * np.cos(s - n)], [-across * np.cos(s - n), (hip + m) * length**2 + m * a * a]]
        force = [
            -across * np.sin(s - n) * ds**2 - m * b * g * np.sin(n),
            across * np.sin(s - n) * dn**2 + (hip * length + m * a + m * length) * g * np.sin(s),
        ]
        return [dn, ds, *np.linalg.solve(M, force)]

    def meets(t, y):
        return y[0] + y[1] + 2 * phi if t > 0.2 else 1.0

    meets.terminal = True
    run = solve_ivp(rates, (0, 3), y, events=meets, rtol=1e-12, atol=1e-13, method="DOP853")
    n, s, dn, ds = run.y[:, -1]
    c = np.cos(s - n)
    before = [[-m * a * b, -m * a * b + (hip * length**2 + 2 * m * a * length) * c], [0.0, -m * a * b]]
    after = [
        [m * b * (b - length * c), m * length * (length - b * c) + m * a * a + hip * length**2],
        [m * b * b, -m * b * length * c],
    ]
    return np.array([s, n, *np.linalg.solve(after, before @ np.array([dn, ds]))]), run.t[-1]


def test_compass_walker():
    """Goswami, Thuilot, Espiau (1998), to nine digits by their equations, written down once more in `compass_step`.

    The four digits of the state are those that are quoted for this gait; of the two rates no printed copy was at hand. What
    holds them is the second formulation below, which shares nothing with the library: it has the same state, period and
    multipliers.
    """
    from locomote.systems import compass_walker

    cycle, slope = compass_walker.gait(), np.radians(3.0)
    found = np.array([cycle.q[3] - slope, cycle.q[2] - slope, cycle.v[3], cycle.v[2]])
    assert np.allclose(found, [-0.3234, 0.2187, -0.3772, -1.0918], atol=6e-5)
    again, period = compass_step(found)
    assert np.allclose(again, found, atol=1e-9) and cycle.period == pytest.approx(period, abs=1e-10)
    # its state has three directions: both angles belong together where feet meet
    directions = np.array([[-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    slopes = [(compass_step(found + 1e-5 * d)[0] - compass_step(found - 1e-5 * d)[0])[[1, 2, 3]] / 2e-5 for d in directions]
    expected = np.linalg.eigvals(np.array(slopes).T)
    assert np.allclose(np.sort_complex(cycle.multipliers), np.sort_complex(expected), atol=1e-7)
    assert cycle.stable


@pytest.mark.parametrize("feet", [1e-6, 1e-12])
def test_feet_that_weigh_next_to_nothing(feet):
    """The limit of feet without mass is met as they get lighter, without a loss of digits."""
    cycle = simplest_walker.gait(feet=feet)
    assert cycle.q[2] == pytest.approx(LONG["0.009"]["theta"], abs=10 * feet + STATE)
    assert np.allclose(abs(cycle.multipliers), LONG["0.009"]["abs_eigenvalues"], atol=100 * feet + 1e-9)


def test_slip_hopper():
    """Stance map and periodic apex of a spring-mass runner, computed to 1e-12."""
    from locomote.systems import slip_hopper

    generic, (steady,), off = SLIP["expected"]["generic"], SLIP["expected"]["periodic"], SLIP["tolerance"]["abs"]
    system = lo.systems.load("slip_hopper", hops=1, speed=5.0, height=1.05, attack=67.0)
    run = system.problem().simulate(system.duration, rtol=1e-12, atol=1e-13)
    assert run.q[-1, 1] == pytest.approx(generic["next_apex_height"], abs=off)
    assert run.v[-1, 0] == pytest.approx(generic["next_speed"], abs=off) and abs(run.v[-1, 1]) < off
    assert system.duration == pytest.approx(sum(generic[f"{part}_time"] for part in ("descent", "stance", "ascent")), abs=off)
    cycle = slip_hopper.gait()
    assert cycle.period == pytest.approx(steady["stance_time"], abs=off)
    assert np.allclose(sorted(cycle.multipliers.real), [steady["apex_map_slope"], 1.0], atol=off)
    whole = lo.systems.load("slip_hopper")
    run = whole.problem().simulate(whole.duration, rtol=1e-10, atol=1e-11)
    assert run.q[-1, 1] == pytest.approx(steady["y_apex"], abs=10 * off) and run.audit.ok
    energy = run.kinetic + run.potential
    assert energy[0] == pytest.approx(steady["energy"], abs=off)
    with pytest.raises(lo.ModelError, match="falls"):
        _ = lo.systems.load("slip_hopper", height=0.5).duration
