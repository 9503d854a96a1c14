"""Rods against beams: closed forms and published cases, every number of the files to the file's tolerance.

Sources: `data/beam_*.json` (elliptic integrals, shooting; cases of Mattiasson 1981, Bathe and Bolourchi 1979, Simo and Vu-Quoc
1986, whose flying rod is in test_flying_spaghetti.py) and `data/continuous_beam.json` (closed forms of a free planar beam whose
curvature is imposed).
"""

import json

import numpy as np
import pytest
from places import DATA

import locomote as lo

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
    tolerance = read("beam_elastica_tip_force")["tolerance"]["abs"]
    assert tip[1, 3] == pytest.approx(case["w_over_L"], abs=tolerance)
    assert 1.0 - tip[0, 3] == pytest.approx(case["u_over_L"], abs=tolerance)
    assert np.arctan2(tip[1, 0], tip[0, 0]) == pytest.approx(case["tip_angle"], abs=tolerance)


@pytest.mark.parametrize("case", read("beam_rollup")["expected"]["cases"], ids=lambda c: f"{c['turns']:g} turns")
def test_roll_up_by_a_moment(case):
    section, material = beam(100.0, 10.0, EA=1e4, GA=5e3)
    rod = lo.Rod(10.0, section, material, strains="planar", order=1, nodes=16)
    model, problem = loaded(rod, (0, 0, 0), (0.0, 0.0, case["M"]))
    found = lo.equilibrium(problem, load_steps=max(1, int(4 * case["turns"])))
    tip, tolerance = lo.forward_kinematics(model, found.q)[1], read("beam_rollup")["tolerance"]["abs"]
    assert np.allclose(tip[:2, 3], case["tip"][:2], rtol=0, atol=tolerance)
    poses = lo.rods.sections(model, found.q, "rod").poses
    assert np.unwrap(np.arctan2(poses[:, 1, 0], poses[:, 0, 0]))[-1] == pytest.approx(case["tip"][2], abs=tolerance)


BENDS = {  # shear and torsion stiffness of each row of the file
    "shear GA=5e6 (k=1), GJ=G*(I1+I2)=8.333e5": (5e6, 1e7 / 12),
    "shear kGA=5e6*5/6, GJ=8.333e5 (BeamDyn)": (5e6 * 5 / 6, 1e7 / 12),
    "GA=5e6, Saint-Venant square torsion J=0.1405770 a^4": (5e6, 5e6 * 0.1405770),
}


@pytest.mark.parametrize("force", ["300", "450", "600"])
@pytest.mark.parametrize("kind", read("beam_bend45")["expected"]["tip_position_by_model"])
def test_bend_of_45_degrees(force, kind):
    given = read("beam_bend45")
    expected = given["expected"]["tip_position_by_model"][kind][force]["tip"]
    GA, GJ = BENDS[kind]
    section, material = beam(1e7 / 12, 78.5, EA=1e7, GA=GA, GJ=GJ)
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
            off = np.linalg.norm(tip - start - published)
            assert off < given["tolerance"]["rel_vs_published"] * np.linalg.norm(published)


def test_natural_frequencies():
    given = read("beam_natural_frequencies")
    numbers, expected = given["inputs"]["timoshenko_case"], given["expected"]
    rho, E, A, I, L = numbers["rho"], numbers["E"], numbers["A"], numbers["I"], numbers["L"]
    section = lo.Section(A, I, I, 2 * I, numbers["k"], numbers["k"])
    material = lo.Material(rho, E, poisson=numbers["nu"])
    thick = lo.Rod(L, section, material, strains="planar", order=16, nodes=400)
    problem = lo.Locomotion(lo.Builder("thick", gravity=(0, 0, 0)).body("rod", flex=thick).build())
    found = lo.modes(problem).rates
    for omega in (*expected["timoshenko_cantilever_omega"], *expected["axial_cantilever_omega"]):
        assert abs(found / omega - 1).min() < given["tolerance"]["rel"]
    thin = lo.Section(A, I, I, 2 * I, mass_about_y=1e-14 * A, mass_about_z=1e-14 * A)  # sections that turn without inertia
    slender = lo.Rod(L, thin, material, strains="bending_z", order=18, nodes=1000)
    found = lo.modes(lo.Locomotion(lo.Builder("thin", gravity=(0, 0, 0)).body("rod", flex=slender).build())).rates
    assert np.allclose(found[:4], expected["euler_bernoulli_cantilever_omega"], rtol=given["tolerance"]["rel"])


def test_torsion_frequencies():
    """The file's rule, (2i - 1) pi / 2 sqrt(GJ / (rho Ip)) / L, for a section whose warping takes part of its stiffness."""
    section, material, L = lo.Section(0.02, 7e-5, 3e-5, 5e-5), lo.Material(7850.0, 2.1e11, poisson=0.3), 1.3
    rod = lo.Rod(L, section, material, strains="torsion", order=14, nodes=400)
    found = lo.modes(lo.Locomotion(lo.Builder("shaft", gravity=(0, 0, 0)).body("rod", flex=rod).build())).rates
    speed = np.sqrt(2.1e11 / 2.6 * 5e-5 / (7850.0 * 1e-4))
    tolerance = read("beam_natural_frequencies")["tolerance"]["rel"]
    assert np.allclose(found[:4], (2 * np.arange(1, 5) - 1) * np.pi / 2 * speed / L, rtol=tolerance)


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
    for b in given["expected"][ENDS[ends]]:
        assert abs(found.rates / b**2 - 1).min() < given["tolerance"]["rel"]
    assert found.stable


def test_modal_rods_have_diagonal_matrices():
    """A rod whose strains are the curvatures of the modes of a cantilever has the frequencies of these, each its own."""
    material = lo.Material(1.0, 1e14, poisson=0.0)
    rod = lo.Rod(1.0, SLENDER, material, strains="bending_z", basis=lo.rods.BeamModes(4), nodes=800)
    model = lo.Builder("modal", gravity=(0, 0, 0)).body("rod", flex=rod).build()
    M, K = lo.mass_matrix(model, np.zeros(4)), model.flexible.rods["rod"].elastic
    beta = read("beam_natural_frequencies")["expected"]["beta_L_clamped_free"][:4]
    assert np.allclose(np.diag(K) / np.diag(M), np.array(beta) ** 4, rtol=2e-9)
    assert abs(M - np.diag(np.diag(M))).max() < 1e-9 * M.max()
    assert abs(K - np.diag(np.diag(K))).max() < 1e-12 * K.max()


def test_modes_of_timoshenko():
    """Roots of the characteristic equation, and a rod on the strains of the modes, which has these frequencies."""
    from locomote.model.flexible.timoshenko import Beam

    given = read("beam_natural_frequencies")
    n, expected = given["inputs"]["timoshenko_case"], given["expected"]["timoshenko_cantilever_omega"]
    beam = Beam(n["L"], n["rho"], n["E"], n["kG"], n["A"], n["I"], "cantilever")
    assert np.allclose(beam.rates(4), expected, rtol=1e-12)
    section, material = lo.Section(n["A"], n["I"], n["I"], 2 * n["I"], n["k"], n["k"]), lo.Material(n["rho"], n["E"], n["nu"])
    rod = lo.rods.Modes.beam(n["L"], section, material, 4, strains="bending_z shear_y", nodes=600)
    found = lo.modes(lo.Locomotion(lo.Builder("thick", gravity=(0, 0, 0)).body("rod", flex=rod).build())).rates
    assert np.allclose(found[:4], expected, rtol=given["tolerance"]["rel"])


@pytest.mark.parametrize("ends", ["free", "pinned", "clamped_pinned", "cantilever"])
def test_thin_beams_of_timoshenko_are_eulers(ends):
    from locomote.model.flexible.bases import roots
    from locomote.model.flexible.timoshenko import Beam

    thin = Beam(1.0, 1.0, 1e10, 1e10, 1.0, 1e-10, ends)
    assert np.allclose(thin.rates(4), np.array(roots(ends, 4)) ** 2, rtol=1e-6)
    with pytest.raises(ValueError, match="modes below the frequency at which its sections turn by themselves"):
        Beam(1.0, 1.0, 1.0, 0.3, 1.0, 0.1, ends).rates(20)


@pytest.mark.parametrize("case", read("continuous_beam")["cases"], ids=lambda c: f"t {c['input']['t']:g}")
@pytest.mark.parametrize("way", ["coordinate", "field"])
def test_free_beam_with_imposed_curvature(case, way):
    """Twist of the head, its rate and the internal wrench of a beam that bends in space without momentum."""
    given = read("continuous_beam")["parameters"]
    now, expected = case["input"], case["expected"]
    section = lo.Section(1.0, given["rhoI"] / given["rhoA"], given["rhoI"] / given["rhoA"], 1.0)
    basis = {"bending_z": lo.rods.Points()} if way == "field" else None
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
    along, forces = lo.rods.section_forces(model, q, v, now.a, "rod")
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
        problem = lo.Locomotion(lo.rods.segments(rod, count, gravity=(0, 0, 0)))
        errors.append(abs(lo.modes(problem).rates[0] / beta**2 - 1))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.allclose(orders, 2.0, atol=0.1) and errors[-1] < 1e-3


def test_segments_refuse_stretch():
    with pytest.raises(ValueError, match="rigid links cannot stretch"):
        lo.rods.segments(lo.Rod(1.0, strains="all"), 4)
