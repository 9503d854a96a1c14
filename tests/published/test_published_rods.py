"""Rods against beams: closed forms and published cases.

Sources: `data/beam_*.json` (elliptic integrals, shooting, spectral elements; cases of Mattiasson 1981, Bathe and Bolourchi
1979, Simo and Vu-Quoc 1986) and `data/continuous_beam.json` (closed forms of a free planar beam whose curvature is imposed).
"""

import json
from pathlib import Path

import numpy as np
import pytest

import locomote as lo

DATA = Path(__file__).parent / "data"
SLENDER = lo.Section(1.0, 1e-14, 1e-14, 1e-14)  # with E = 1e14 Pa its bending stiffness is one


def read(name):
    return json.loads((DATA / f"{name}.json").read_text())


def beam(EI, L, *, EA=None, GA=None, GJ=None, rhoA=1.0, rhoI=1e-6, nu=0.0):
    """A section and a material with the given stiffnesses: E = EA / A with A = 1."""
    E = EA or 1.0
    I = EI / E
    G = E / (2 * (1 + nu))
    shear = (GA or G) / G
    section = lo.Section(1.0, I, I, (GJ or EI) / G, shear, shear)
    return section, lo.Material(rhoA, E, poisson=nu)


def dead_load(model, body, force, moment=(0.0, 0.0, 0.0)):
    """A force in world axes on a body."""

    def environment(t, q, v):
        R = lo.forward_kinematics(model, q)[model.body_index(body), :3, :3]
        return {body: np.concatenate([R.T @ np.asarray(force), R.T @ np.asarray(moment)])}

    return environment


def loaded(rod, force, moment=(0.0, 0.0, 0.0), **place):
    """A function of the load that gives the problem of a clamped rod with a load at its tip."""
    model = lo.Builder("beam", gravity=(0, 0, 0)).body("rod", flex=rod, **place).body("tip", parent="rod").build()
    force, moment = np.asarray(force, float), np.asarray(moment, float)
    return model, lambda s: lo.Locomotion(model, environment=[dead_load(model, "tip", s * force, s * moment)])


@pytest.mark.parametrize("case", read("beam_elastica_tip_force")["expected"]["table"], ids=lambda c: f"alpha {c['alpha']:g}")
def test_elastica(case):
    """Mattiasson's elastica: inextensible by absence of stretch and shear."""
    section, material = beam(2.0, 1.0)
    rod = lo.Rod(1.0, section, material, strains="bending_z", order=9, nodes=40)
    model, problem = loaded(rod, (0.0, 2.0 * case["alpha"], 0.0))
    found = lo.equilibrium(problem, load_steps=1 + int(case["alpha"] / 3))
    tip = lo.forward_kinematics(model, found.q)[1]
    assert tip[1, 3] == pytest.approx(case["w_over_L"], abs=1e-6)
    assert 1.0 - tip[0, 3] == pytest.approx(case["u_over_L"], abs=1e-6)
    assert np.arctan2(tip[1, 0], tip[0, 0]) == pytest.approx(case["tip_angle"], abs=2e-6)


@pytest.mark.parametrize("case", read("beam_rollup")["expected"]["cases"], ids=lambda c: f"{c['turns']:g} turns")
def test_roll_up_by_a_moment(case):
    section, material = beam(100.0, 10.0, EA=1e4, GA=5e3)
    rod = lo.Rod(10.0, section, material, strains="planar", order=1, nodes=16)
    model, problem = loaded(rod, (0, 0, 0), (0.0, 0.0, case["M"]))
    found = lo.equilibrium(problem, load_steps=max(1, int(4 * case["turns"])))
    tip = lo.forward_kinematics(model, found.q)[1]
    assert np.allclose(tip[:2, 3], case["tip"][:2], rtol=0, atol=1e-6)


@pytest.mark.parametrize("force", ["300", "450", "600"])
def test_bend_of_45_degrees(force):
    given = read("beam_bend45")
    expected = given["expected"]["tip_position_by_model"]["shear GA=5e6 (k=1), GJ=G*(I1+I2)=8.333e5"][force]["tip"]
    section, material = beam(1e7 / 12, 78.5, EA=1e7, GA=5e6, GJ=1e7 / 12)
    rod = lo.Rod(100.0 * np.pi / 4, section, material, strains="all", order=6, nodes=28, rest=(0.0, 0.0, -0.01))
    turn = np.eye(4)
    turn[:3, :3] = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # starts along y
    model, problem = loaded(rod, (0.0, 0.0, float(force)), at=turn)
    start = lo.forward_kinematics(model, model.neutral())[1, :3, 3]
    assert np.allclose(start, [29.289, 70.711, 0.0], atol=1e-3)
    found = lo.equilibrium(problem, load_steps=4)
    tip = lo.forward_kinematics(model, found.q)[1, :3, 3]
    assert np.allclose(tip, expected, rtol=0, atol=given["tolerance"]["abs_vs_computed"])
    if force == "600":
        for published in given["expected"]["published_tip_displacement_600"].values():
            assert np.allclose(tip - start, published, rtol=0, atol=given["tolerance"]["rel_vs_published"] * 53.4)


def test_natural_frequencies():
    given = read("beam_natural_frequencies")
    numbers, expected = given["inputs"]["timoshenko_case"], given["expected"]
    rho, E, A, I, L = numbers["rho"], numbers["E"], numbers["A"], numbers["I"], numbers["L"]
    section = lo.Section(A, I, I, 2 * I, numbers["k"], numbers["k"])
    material = lo.Material(rho, E, poisson=numbers["nu"])
    thick = lo.Rod(L, section, material, strains="planar", order=16, nodes=400)
    problem = lo.Locomotion(lo.Builder("thick", gravity=(0, 0, 0)).body("rod", flex=thick).build())
    found = lo.modes(problem).frequencies
    for omega in (*expected["timoshenko_cantilever_omega"], *expected["axial_cantilever_omega"]):
        assert abs(found / omega - 1).min() < given["tolerance"]["rel"]


ENDS = {
    "cantilever": "beta_L_clamped_free",
    "free": "beta_L_free_free_or_clamped_clamped",
    "clamped_pinned": "beta_L_clamped_pinned",
    "clamped": "beta_L_free_free_or_clamped_clamped",
}
HELD = {"cantilever": "", "free": "", "clamped_pinned": "y", "clamped": "yc"}


@pytest.mark.parametrize("ends", ENDS)
def test_slender_frequencies(ends):
    """Euler and Bernoulli's frequencies, from rods without shear and with hardly any inertia of their sections."""
    given = read("beam_natural_frequencies")
    rod = lo.Rod(1.0, SLENDER, lo.Material(1.0, 1e14, poisson=0.0), strains="bending_z", order=18, nodes=1000)
    builder = lo.Builder("thin", gravity=(0, 0, 0), base="planar" if ends == "free" else "fixed")
    model = builder.body("rod", flex=rod).body("tip", parent="rod").build()
    held = [lo.LoopClosure("tip", locked=HELD[ends], other_frame=(1.0, 0.0, 0.0))] if HELD[ends] else []
    found = lo.modes(lo.Locomotion(model, constraints=held))
    for b in given["expected"][ENDS[ends]][:4]:
        assert abs(found.frequencies / b**2 - 1).min() < given["tolerance"]["rel"]
    assert found.stable


def test_modal_rods_have_diagonal_matrices():
    """A rod whose strains are the curvatures of the modes of a cantilever has the frequencies of these, each its own."""
    material = lo.Material(1.0, 1e14, poisson=0.0)
    rod = lo.Rod(1.0, SLENDER, material, strains="bending_z", basis=lo.BeamModes(4), nodes=800)
    model = lo.Builder("modal", gravity=(0, 0, 0)).body("rod", flex=rod).build()
    M, K = lo.mass_matrix(model, np.zeros(4)), model.flexible.rods["rod"].elastic
    beta = read("beam_natural_frequencies")["expected"]["beta_L_clamped_free"][:4]
    assert np.allclose(np.diag(K) / np.diag(M), np.array(beta) ** 4, rtol=2e-9)
    assert abs(M - np.diag(np.diag(M))).max() < 1e-9 * M.max()
    assert abs(K - np.diag(np.diag(K))).max() < 1e-12 * K.max()


def test_modes_of_timoshenko():
    """Roots of the characteristic equation, and a rod on the strains of the modes, which has these frequencies."""
    from locomote.model.timoshenko import Beam

    given = read("beam_natural_frequencies")
    n, expected = given["inputs"]["timoshenko_case"], given["expected"]["timoshenko_cantilever_omega"]
    beam = Beam(n["L"], n["rho"], n["E"], n["kG"], n["A"], n["I"], "cantilever")
    assert np.allclose(beam.frequencies(4), expected, rtol=1e-12)
    section, material = lo.Section(n["A"], n["I"], n["I"], 2 * n["I"], n["k"], n["k"]), lo.Material(n["rho"], n["E"], n["nu"])
    rod = lo.Modes.beam(n["L"], section, material, 4, strains="bending_z shear_y", nodes=600)
    found = lo.modes(lo.Locomotion(lo.Builder("thick", gravity=(0, 0, 0)).body("rod", flex=rod).build())).frequencies
    assert np.allclose(found[:4], expected, rtol=given["tolerance"]["rel"])


@pytest.mark.parametrize("ends", ["free", "pinned", "clamped_pinned", "cantilever"])
def test_thin_beams_of_timoshenko_are_eulers(ends):
    from locomote.model.bases import roots
    from locomote.model.timoshenko import Beam

    thin = Beam(1.0, 1.0, 1e10, 1e10, 1.0, 1e-10, ends)
    assert np.allclose(thin.frequencies(4), np.array(roots(ends, 4)) ** 2, rtol=1e-6)
    with pytest.raises(ValueError, match="modes below the frequency at which its sections turn by themselves"):
        Beam(1.0, 1.0, 1.0, 0.3, 1.0, 0.1, ends).frequencies(20)


STRAINS_OF_SPAGHETTI = ("bending_y", "shear_z", "stretch")


def flight(rtol, **how):
    """Free flight of a flexible rod in the plane: the model, states at the times of the reference, and what is expected."""
    given = read("beam_flying_spaghetti_2d")
    n, path = given["inputs"], given["expected"]["trajectory"]
    I = n["EI"] / n["EA"]
    section = lo.Section(1.0, I, I, 1.0, 2.0, 2.0, mass_about_y=n["rhoI"], mass_about_z=n["rhoI"])  # G = E / 2, k G A = GA
    material = lo.Material(n["rhoA"], n["EA"], poisson=0.0)
    turn = np.eye(4)
    turn[:3, :3] = np.column_stack([(0.6, 0.0, -0.8), (0.0, 1.0, 0.0), (0.8, 0.0, 0.6)])
    rod = lo.Rod(n["L"], section, material, strains="bending_y shear_z stretch", **how)
    model = (
        lo.Builder("spaghetti", gravity=(0, 0, 0), base="free").body("rod", at=turn, flex=rod).body("tip", parent="rod").build()
    )

    def load(t, q, v):
        R = lo.forward_kinematics(model, q)[1, :3, :3]
        return {"tip": np.concatenate([R.T @ (8.0, 0.0, 0.0), R.T @ (0.0, 80.0, 0.0)])}

    times, more = [x["t"] for x in path if x["t"] <= 2.5], {"method": "gauss", "rtol": rtol, "progress": False}
    loaded = lo.Locomotion(model, environment=[load]).simulate(2.5, samples=times, **more)
    late = [x["t"] - 2.5 for x in path if x["t"] > 2.5]
    free = lo.Locomotion(model).simulate(late[-1], q=loaded.q[-1], v=loaded.v[-1], samples=late, **more)
    states = list(zip([*loaded.q, *free.q], [*loaded.v, *free.v], strict=True))
    energies = np.array([lo.kinetic_energy(model, q, v) + lo.spring_energy(model, q) for q, v in states])
    return model, states, energies, given


def test_flying_spaghetti():
    """Simo and Vu-Quoc (1986): places of both ends, momentum, and energy that is kept in free flight."""
    model, states, energies, given = flight(1e-7, order=14, nodes=28)
    for (q, v), x, tolerance in zip(states, given["expected"]["trajectory"], given["tolerance"]["abs"], strict=True):
        for pose, end in zip(lo.forward_kinematics(model, q), "AB", strict=True):
            assert np.allclose(pose[:3, 3], x[end], rtol=0, atol=tolerance), x["t"]
        assert np.allclose(lo.momentum(model, q, v)[:3], [8.0 * min(x["t"], 2.5), 0.0, 0.0], rtol=0, atol=5e-4)
    kept = energies[-5:]
    assert np.ptp(kept) < 1e-5 * kept[0]


def test_flying_spaghetti_turns():
    """Angles of both ends, and energies. Bending jumps at the front of the moment, which runs to and fro, so that they converge
    with the size of pieces only, in the reference as well; energies differ by the moment's work on what angles differ by."""
    model, states, energies, given = flight(1e-4, basis=dict.fromkeys(STRAINS_OF_SPAGHETTI, lo.Pieces(32, 2)), nodes=128)
    for (q, _), energy, x in zip(states, energies, given["expected"]["trajectory"], strict=True):
        turned = [np.arctan2(-pose[2, 0], pose[0, 0]) for pose in lo.forward_kinematics(model, q)]
        off = [np.sin(angle - x[f"angle_{end}"]) for angle, end in zip(turned, "AB", strict=True)]
        assert np.allclose(off, 0.0, atol=0.02), x["t"]
        if x["t"] <= 2.5:
            assert abs(energy - x["energy"] - 80.0 * off[1]) < 0.05, x["t"]
        else:
            assert abs(energy - x["energy"]) < 1e-5 * x["energy"]


@pytest.mark.parametrize("case", read("continuous_beam")["cases"], ids=lambda c: f"t {c['input']['t']:g}")
@pytest.mark.parametrize("way", ["coordinate", "field"])
def test_free_beam_with_imposed_curvature(case, way):
    """Twist of the head, its rate and the internal wrench of a beam that bends in space without momentum."""
    given = read("continuous_beam")["parameters"]
    now, expected = case["input"], case["expected"]
    section = lo.Section(1.0, given["rhoI"] / given["rhoA"], given["rhoI"] / given["rhoA"], 1.0)
    basis = {"bending_z": lo.Points()} if way == "field" else None
    rod = lo.Rod(
        given["L"],
        section,
        lo.Material(given["rhoA"], 1.0),
        strains="bending_z",
        order=0,
        nodes=24,
        basis=basis,
        breaks=(0.25, 0.5, 0.75),
    )
    builder = lo.Builder("beam", base="planar", gravity=(0, 0, 0)).body("rod", flex=rod)
    for x in expected["internal_wrench"]:
        builder.body(f"at {x}", parent="rod", along=float(x))
    model = builder.build()
    k, dk, ddk = now["kappa"], now["kappa_d"], now["kappa_dd"]
    if way == "field":
        drive = lo.StrainField(lambda X, t: (k + dk * t + ddk * t * t / 2, dk + ddk * t, ddk))
    else:
        drive = lo.Polynomial([k, dk, ddk / 2])
    problem = lo.Locomotion(model, drives={"rod": drive})
    q, v = problem.initial(np.r_[expected["head_pose"], np.zeros(model.nv - 3)])
    v[:3] = expected["head_twist"]
    now = problem.evaluate(0.0, q, v)
    assert np.allclose(lo.momentum(model, q, v), 0.0, rtol=0, atol=1e-12)
    assert np.allclose(now.a[:3], expected["head_twist_rate"], rtol=0, atol=1e-11)
    along, forces = lo.section_forces(model, q, v, now.a, "rod")
    assert np.allclose(lo.mass_matrix(model, q)[:3, :3], expected["locked_inertia"], rtol=0, atol=1e-12)
    for x, wrench in expected["internal_wrench"].items():
        found = forces[np.argmin(abs(along - float(x)))]
        # the wrench of what is beyond on what is before is minus what that passes on
        ours = np.array([found[0], found[1], found[5]])
        assert np.allclose(ours, -np.array(wrench), rtol=0, atol=1e-12)


def test_segments_converge_to_the_rod():
    """The second way: rigid links with springs reach the frequencies of a cantilever with order two."""
    section, material = lo.Section(1.0, 1e-10, 1e-10, 1e-10), lo.Material(1.0, 1e10, poisson=0.0)
    rod = lo.Rod(1.0, section, material, strains="bending_z", order=3)
    beta = read("beam_natural_frequencies")["expected"]["beta_L_clamped_free"][0]
    errors = []
    for count in (8, 16, 32):
        problem = lo.Locomotion(lo.segments(rod, count, gravity=(0, 0, 0)))
        errors.append(abs(lo.modes(problem).frequencies[0] / beta**2 - 1))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.allclose(orders, 2.0, atol=0.1) and errors[-1] < 1e-3


def test_segments_refuse_stretch():
    with pytest.raises(ValueError, match="rigid links cannot stretch"):
        lo.segments(lo.Rod(1.0, strains="all"), 4)
