"""Printed reduced models: the program that is printed against reduction and evaluation, and against closed forms."""

import numpy as np
import pytest

import locomote as lo

SYSTEMS = {
    "snakeboard": {}, "roller_racer": {}, "trikke": {}, "chaplygin_sleigh": {}, "mobile_pendulum": {}, "unicycle": {},
    "bicycle": {"steering": "imposed", "amplitude": 0.2}, "whipple_bicycle": {}, "space_robot": {}, "four_bar": {},
    "rolling_disc": {}, "falling_cat": {},
}  # fmt: skip


def state(problem, t=0.35):
    rng = np.random.default_rng(3)
    q, v = problem.initial(t=t)
    kick = np.where(problem.imposed, 0.0, rng.normal(scale=0.02, size=problem.model.nv))
    return t, *problem.initial(problem.model.integrate(q, kick), v + 5 * kick, t)


def run_program(found, problem, t, q, v, a, **values):
    """The printed program on numbers: inputs by their names."""
    space = {}
    exec(found.python(), space)
    names = [f"{s.joint}.{s.name}" for s in problem.model.layout() if s.vector == "v"]
    nu = [names.index(name) for name in found.velocities]
    held = list(problem.plan.held)
    given = [t, *q, *v[nu], *v[held], *a[held], *a[nu]]
    made = space["reduced"](*given, *(values.get(str(x), number) for x, number in found.values.items()))
    return {label: np.array(x, dtype=float) for label, x in made.items()}, nu


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_printed_program_is_the_problem(name):
    """x from (nu, r_a'), nu' from M and f, torques; those of the evaluation, or of independent rows where there are more."""
    problem = lo.systems.load(name, **SYSTEMS[name]).problem()
    found = lo.equations(problem, seconds=0.0)
    t, q, v = state(problem)
    now, free, held = problem.evaluate(t, q, v), problem.plan.free, problem.plan.held
    made, nu = run_program(found, problem, t, q, v, now.a)
    size = max(1.0, abs(now.a).max())
    moving = made["drift"][:, 0] if "drift" in made else 0.0
    x = (made["H"] @ v[nu] if nu else 0.0) + (made["J"] @ v[held] if len(held) else 0.0) + moving
    assert np.allclose(x, v[free], atol=1e-9 * max(1.0, abs(v).max()))
    if nu:
        assert np.allclose(np.linalg.solve(made["M"], made["f"][:, 0]), now.a[nu], atol=1e-9 * size)
        M = problem.reduction(t, q, v, H=made["H"]).reduced_inertia
        assert np.allclose(made["M"], M, atol=1e-9 * abs(M).max())
    if len(held) and not problem.classify(t, q).self_stress:
        assert np.allclose(made["tau"][:, 0], now.tau[held], atol=1e-8 * max(1.0, abs(now.tau).max()))


def test_closed_forms_of_the_mobile_pendulum():
    """Boyer and Belkhiri (39) to (45), with the front wheel leading; numbers of the catalogue."""
    import sympy as sp

    found = lo.equations(lo.systems.load("mobile_pendulum").problem())
    q, r, w, a = sp.symbols("q_swing v_swing a_swing a_front", real=True)
    m, length, R, g = sp.Rational(4, 10), sp.Rational(6, 10), sp.Rational(1, 10), sp.Rational(981, 100)
    assert found.velocities == ("swing.rate",) and found.results["J"][0, :] == sp.Matrix([[R, 0]])
    assert sp.simplify(found.results["M"][0] - m * length**2) == 0
    assert sp.simplify(found.results["f"][0] + m * length * g * sp.sin(q) + m * length * R * sp.cos(q) * a) == 0
    total = 2 + 2 * sp.Rational(1, 2) + m
    tau = (sp.Rational(25, 10000) + total * R**2) * a + m * R * length * (sp.cos(q) * w - sp.sin(q) * r**2)
    assert sp.simplify(found.results["tau"][0] - tau) == 0


def test_snakeboard_with_parameters():
    """With masses as symbols: M = (m H_1^2 + J H_3^2) of (60), scaled to V_x; other numbers give the other board."""
    board = lo.systems.load("snakeboard")
    names = ["board.mass", "rotor.inertia"]
    found = lo.equations(board.problem(), parameters=names, seconds=0.0)
    assert {str(x) for x in found.values} >= {"m_board"}
    heavier = lo.systems.load("snakeboard", board_mass=7.0).problem()
    t, q, v = state(heavier)
    now = heavier.evaluate(t, q, v)
    made, nu = run_program(found, heavier, t, q, v, now.a, m_board=7.0)
    assert np.allclose(np.linalg.solve(made["M"], made["f"][:, 0]), now.a[nu], atol=1e-10)


def test_forms_and_sentences():
    problem = lo.systems.load("roller_racer").problem()
    text, latex = (lo.equations(problem, form=form, seconds=0.0) for form in ("text", "latex"))
    assert "H_base_wz_base_vx = " in text and latex.startswith("\\begin{aligned}") and "tau_{handle}" in latex
    assert "const double tau_handle = " in lo.equations(problem, form="c", seconds=0.0)
    bicycle = lo.equations(lo.systems.load("bicycle").problem())
    assert 100 < len(bicycle.parts) < 500 and max(x.count_ops() for _, x in bicycle.parts) < 80
    turning = lo.equations(problem, velocities=["base.wz"], seconds=0.0)
    assert turning.velocities == ("base.wz",)
    for options, words in (
        ({"form": "word"}, "no form named 'word'"),
        ({"velocities": ["base.wx"]}, "did you mean"),
        ({"velocities": []}, "has 1 reduced velocities, not 0"),
        ({"body": "seat"}, "those of its reduced model"),
        ({"parameters": ["handle.damping"]}, "are numbers here"),
    ):
        with pytest.raises(ValueError, match=words):
            lo.equations(problem, **options)
    with pytest.raises(ValueError, match="has no inertia"):
        lo.equations(lo.systems.load("purcell_swimmer").problem())
