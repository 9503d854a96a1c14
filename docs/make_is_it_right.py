"""Write docs/is-it-right.md: published numbers beside those of the library, computed now, and every test of a published case.
`python docs/make_is_it_right.py`"""

import ast
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

import locomote as lo
from locomote.systems import simplest_walker

HERE = Path(__file__).parent
TESTS = HERE.parent / "tests" / "published"
CASES: dict[str, tuple[str, Callable[[], tuple[str, float, float]]]] = {}


def published(name: str) -> dict:
    """A file of published numbers."""
    return json.loads((TESTS / "data" / f"{name}.json").read_text(encoding="utf-8"))


def case(title: str, source: str):
    """A case: a function that gives what is compared, the published number, ours."""

    def keep(function):
        CASES[title] = (source, function)
        return function

    return keep


def run_of(name: str, duration: float | None = None, settings=None, **parameters) -> lo.Trajectory:
    """A run of a system of the catalogue."""
    system = lo.systems.load(name, **parameters)
    return system.problem().simulate(duration or system.duration, progress=False, **(settings or {}))


@case("simple pendulum", "closed form by an elliptic integral")
def pendulum():
    period = published("mbs_a01_simple_pendulum")["expected"]["period"]
    return "angle after one period, rad", np.pi / 2, float(run_of("simple_pendulum", period).q[-1, 0])


@case("Andrews' squeezer", "Schiehlen (1990); Hairer and Wanner")
def squeezer():
    expected = published("mbs_andrews_squeezer")["expected"]["q"]["beta"]
    return (
        "angle beta at 0.03 s, rad",
        expected,
        float(run_of("andrews_squeezer", 0.03, {"rtol": 1e-10, "atol": 1e-12}).q[-1, 0]),
    )


@case("benchmark bicycle", "Meijaard, Papadopoulos, Ruina, Schwab (2007)")
def bicycle():
    system = lo.systems.load("whipple_bicycle", speed=5.0, push=0.0)
    values = system.problem().linearize(*system.initial).eigenvalues
    return "castering eigenvalue at 5 m/s, 1/s", -14.07838969279822, float(min(values.real))


@case("benchmark bicycle, weave", "Meijaard, Papadopoulos, Ruina, Schwab (2007)")
def weave():
    system = lo.systems.load("whipple_bicycle", speed=5.0, push=0.0)
    return (
        "imaginary part of weave at 5 m/s, rad/s",
        4.46486771378823,
        float(max(system.problem().linearize(*system.initial).eigenvalues.imag)),
    )


@case("Chaplygin sleigh", "Chaplygin (1911), Caratheodory (1933)")
def sleigh():
    expected = published("nh_chaplygin_sleigh")["expected"]["V_infinity"]
    return "final speed, m/s", expected, float(run_of("chaplygin_sleigh", 40.0).v[-1, 0])


@case("ball on a turntable", "Routh (1884): circles of 2/7 of the table's rate")
def turntable():
    run = run_of("ball_on_turntable", 2 * np.pi / (2 / 7 * 3.0))
    return "way back after one circle, x, m", float(run.q[0, 0]), float(run.q[-1, 0])


@case("simplest walker", "Garcia, Chatterjee, Ruina, Coleman (1998)")
def walker():
    expected = published("leg_simplest_walker")["expected"]["published_garcia_driver_gamma_0.009"]["long"]["theta"]
    return "angle of the stance leg at slope 0.009, rad", expected, float(simplest_walker.gait(slope=0.009).q[2])


@case("clamped rod", "Euler and Bernoulli: cosh x cos x = -1")
def rod_frequency():
    beta = published("beam_natural_frequencies")["expected"]["beta_L_clamped_free"][0]
    rod = lo.Rod(1.0, lo.Section.circle(1e-3), lo.Material(7800.0, 2e11), strains="bending_z", order=6)
    problem = lo.Locomotion(lo.Builder("rod", gravity=(0, 0, 0)).body("rod", flex=rod).build())
    found = lo.modes(problem, problem.model.neutral()).rates[0]
    expected = beta**2 * np.sqrt(2e11 * 1e-6 / 4 / 7800.0)
    return "lowest frequency, rad/s", float(expected), float(found)


@case("elastica", "Bisshopp and Drucker (1945), elliptic integrals")
def elastica():
    row = next(row for row in published("beam_elastica_tip_force")["expected"]["table"] if row["alpha"] == 2.0)
    EI = 1e5 * np.pi * 0.01**4 / 4
    rod = lo.Rod(1.0, lo.Section.circle(0.01), lo.Material(1000.0, 1e5), strains="bending_z", order=8)
    model = lo.Builder("rod", gravity=(0, 0, 0)).body("rod", flex=rod).body("tip", parent="rod").build()
    problem = lo.Locomotion(model, environment=[lo.Load("tip", force=(0.0, 2.0 * EI, 0.0))])
    tip = lo.forward_kinematics(model, lo.equilibrium(problem).q)[-1, 1, 3]
    return "deflection over length at F L^2 / EI = 2", row["w_over_L"], float(tip)


@case("added mass of an ellipsoid", "Lamb (1932), article 114")
def added_mass():
    cases = published("fluid_ellipsoid_added_mass")["expected"]["cases"]
    row = next(row for row in cases if len(set(row["semi_axes"])) == 3)
    axes = tuple(float(x) for x in row["semi_axes"])
    model = lo.Builder("body", base="free").body("body", inertia=lo.Inertia.ellipsoid(1.0, axes)).build()
    fluid = lo.Fluid(1000.0)
    mass = lo.mass_matrix(
        lo.Locomotion(model, environment=[lo.AddedMass("body", fluid, lo.Ellipsoid(axes))]).model, model.neutral()
    )
    volume = 4 / 3 * np.pi * np.prod(axes)
    return f"k along x of {axes}", row["k_translation"][0], float((mass[0, 0] - 1.0) / (1000.0 * volume))


@case("four-bar linkage", "ReDySim, and a second formulation")
def four_bar():
    return "torque of the crank at the start, N m", 2.00999926, float(run_of("four_bar", 0.01, motion="driven").tau[0, 0])


@case("KUKA KR5", "ReDySim (2013), printed to four digits")
def kuka():
    sample = published("redysim_kuka_kr5_inverse")["expected"]["samples"][0]
    model = lo.systems.load("kuka_kr5").model
    tau = lo.inverse_dynamics(model, np.array(sample["q"]), np.array(sample["qd"]), np.array(sample["qdd"]))
    k = int(np.argmax(np.abs(sample["tau_published"])))
    return f"torque of joint {k + 1} at the start, N m", float(sample["tau_published"][k]), float(tau[k])


@case("snakeboard", "Boyer and Belkhiri (2014), integrated independently")
def snakeboard():
    return "x at the end, m", -3.9285, float(run_of("snakeboard").q[-1, 0])


def computed() -> list[tuple[str, str, str, float, float]]:
    """All cases: title, source, what is compared, published, ours."""
    return [(title, source, *function()) for title, (source, function) in CASES.items()]


def tests() -> list[tuple[str, str, int]]:
    """Every file of tests of published cases: its path, its first sentence, how many tests it has."""
    found = []
    for path in sorted(TESTS.rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        words = (ast.get_docstring(tree) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
        count = sum(isinstance(node, ast.FunctionDef) and node.name.startswith("test") for node in tree.body)
        found.append((path.relative_to(TESTS).as_posix(), words, count))
    return found


def page() -> str:
    """The text of the page."""
    lines = ["# Is it right?", ""]
    lines += [
        "Published numbers beside those that the library gives, computed by `python docs/make_is_it_right.py`. Beyond these,",
        "laws that must hold for any mechanism are tested on random ones, every run carries an [audit](damage.md), and",
        "[papers](papers/index.md) are followed equation by equation.",
        "",
    ]
    lines += ["| case | compared | published | here | difference | source |", "|---|---|---|---|---|---|"]
    for title, source, what, theirs, ours in computed():
        lines.append(f"| {title} | {what} | {theirs:.8g} | {ours:.8g} | {abs(ours - theirs):.0e} | {source} |")
    lines += ["", "## Every test of a published case", "", "In `tests/published`; tolerances are the digits printed.", ""]
    lines += ["| file | is about | tests |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| `{file}` | {words} | {count} |" for file, words, count in tests()), ""])


if __name__ == "__main__":
    (HERE / "is-it-right.md").write_text(page(), encoding="utf-8")
