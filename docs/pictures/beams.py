"""Draw how rods converge to published beams: `python docs/pictures/beams.py` leaves docs/rods-beams.png and prints its numbers.

Errors against the numbers of `tests/published/data`: the elastica under a tip load (elliptic integrals), the bend of 45 degrees
(Bathe and Bolourchi 1979; shooting), a beam rolled up by a moment (closed form), the frequencies of a slender and of a thick
cantilever (characteristic equations), the flying rod (Simo and Vu-Quoc 1986; `tests/helpers/beam_reference.py`); by Legendre
polynomials, by pieces, by rigid links, and over the number of nodes. It takes four minutes.
"""

import json
import sys
from pathlib import Path

import matplotlib
import numpy as np

import locomote as lo

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent.parent / "tests"
sys.path.insert(0, str(TESTS / "helpers"))
import beam_reference  # noqa: E402
import flying_rod  # noqa: E402

DATA = TESTS / "published" / "data"
MANY = 400  # nodes, where their number is not what is looked at
THIN, STIFF = lo.Section(1.0, 1e-14, 1e-14, 1e-14), lo.Material(1.0, 1e14, poisson=0.0)  # EI = 1


def read(name):
    return json.loads((DATA / f"{name}.json").read_text())


def loaded(model, force, steps, moment=(0.0, 0.0, 0.0)):
    """Where the tip of a model comes to rest under a force and a moment in world axes."""

    def problem(share):
        def environment(t, q, v):
            R = lo.forward_kinematics(model, q)[model.body_index("tip"), :3, :3]
            return {"tip": np.concatenate([R.T @ (share * np.array(force)), R.T @ (share * np.array(moment))])}

        return lo.Locomotion(model, environment=[environment])

    found = lo.equilibrium(problem, load_steps=steps, tolerance=1e-11)
    return lo.forward_kinematics(model, found.q)[model.body_index("tip"), :3, 3]


def clamped(rod, **place):
    return lo.Builder("beam", gravity=(0, 0, 0)).body("rod", flex=rod, **place).body("tip", parent="rod").build()


def elastica(alpha, way, count, nodes=MANY):
    """Error of the tip of an elastica, in lengths, with so many coordinates."""
    rod = {"strains": "bending_z", "nodes": nodes}
    if way == "segments":
        model = lo.rods.segments(lo.Rod(1.0, THIN, STIFF, strains="bending_z"), count, gravity=(0, 0, 0))
    elif way == "pieces":
        model = clamped(lo.Rod(1.0, THIN, STIFF, basis=lo.rods.Pieces(count), **rod))
    else:
        model = clamped(lo.Rod(1.0, THIN, STIFF, order=count - 1, **rod))
    case = next(c for c in read("beam_elastica_tip_force")["expected"]["table"] if c["alpha"] == alpha)
    tip = loaded(model, (0.0, alpha, 0.0), 1 + int(alpha / 3))
    return np.hypot(1.0 - case["u_over_L"] - tip[0], case["w_over_L"] - tip[1])


def bend(order):
    """Error of the tip of the bend of 45 degrees under 600, and how many coordinates it has."""
    table = read("beam_bend45")["expected"]["tip_position_by_model"]
    expected = table["shear GA=5e6 (k=1), GJ=G*(I1+I2)=8.333e5"]["600"]["tip"]
    section, material = lo.Section(1.0, 1 / 12, 1 / 12, 1 / 6, 1.0, 1.0), lo.Material(1.0, 1e7, poisson=0.0)
    turn = np.eye(4)
    turn[:3, :3] = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    rod = lo.Rod(25 * np.pi, section, material, strains="all", order=order, nodes=80, rest=(0.0, 0.0, -0.01))
    tip = loaded(clamped(rod, at=turn), (0.0, 0.0, 600.0), 4)
    return 6 * (order + 1), np.linalg.norm(tip - expected) / 78.54


def roll_up(order):
    """Error of the tip of a beam rolled up twice, and how many coordinates it has."""
    case = read("beam_rollup")["expected"]["cases"][-1]
    section, material = lo.Section(1.0, 0.01, 0.01, 0.02, 1.0, 1.0), lo.Material(1.0, 1e4, poisson=0.0)
    rod = lo.Rod(10.0, section, material, strains="planar", order=order, nodes=24)
    tip = loaded(clamped(rod), (0.0, 0.0, 0.0), 8, (0.0, 0.0, case["M"]))
    return 3 * (order + 1), max(np.hypot(tip[0], tip[1]) / 10.0, 1e-16)


def thick(count):
    """Relative errors of four frequencies of Timoshenko's cantilever and of the first along it, with so many coordinates of
    each of three strains."""
    given = read("beam_natural_frequencies")
    n, expected = given["inputs"]["timoshenko_case"], given["expected"]
    section, material = lo.Section(n["A"], n["I"], n["I"], 2 * n["I"], n["k"], n["k"]), lo.Material(n["rho"], n["E"], n["nu"])
    rod = lo.Rod(n["L"], section, material, strains="planar", order=count - 1, nodes=MANY)
    found = lo.modes(lo.Locomotion(clamped(rod))).rates
    omegas = [*expected["timoshenko_cantilever_omega"], expected["axial_cantilever_omega"][0]]
    return np.array([abs(found / omega - 1).min() for omega in omegas])


def flights():
    """Curves of the flying rod: places (m) and angles (rad) of its ends over ten instants in 7.5 s, at most."""
    truth = flying_rod.rows(flying_rod.CONVERGED["trajectory"])
    swell = beam_reference.fly(beam_reference.SPAGHETTI, 24, 6, flying_rod.TIMES, flying_rod.swell)
    few, pieces = lo.rods.Pieces(8, 2), {}
    for count in (6, 12, 24, 48):
        rod = flying_rod.model(
            basis={"bending_z": lo.rods.Pieces(count, 5), "shear_y": few, "stretch": few}, nodes=max(96, 6 * count)
        )
        pieces[rod.nv] = flying_rod.off(rod, flying_rod.STEP, 1e-4, truth)
    smooth = {}
    for order in (6, 10, 14, 20, 28, 40):
        rod = flying_rod.model(order=order, nodes=2 * order)
        smooth[rod.nv] = flying_rod.off(rod, flying_rod.SWELL, 1e-8, swell)
    cases = {"sudden moment, pieces of degree 5": pieces, "moment that swells, Legendre": smooth}
    return [
        (f"{name}: {what}", list(e), [x[k] for x in e.values()])
        for name, e in cases.items()
        for k, what in enumerate(("places", "angles"))
    ]


def frequencies(way, count, nodes=2 * MANY):
    """Relative errors of the first three frequencies of a cantilever."""
    if way == "segments":
        model = lo.rods.segments(lo.Rod(1.0, THIN, STIFF, strains="bending_z"), count, gravity=(0, 0, 0))
    else:
        model = clamped(lo.Rod(1.0, THIN, STIFF, strains="bending_z", order=count - 1, nodes=nodes))
    found = lo.modes(lo.Locomotion(model)).rates
    beta = np.array(read("beam_natural_frequencies")["expected"]["beta_L_clamped_free"])[: min(3, count)]
    return abs(found[: len(beta)] / beta**2 - 1)


def draw() -> Path:
    figure, axes = plt.subplots(2, 3, figsize=(16, 8.5), layout="constrained")
    some, links = range(1, 11), (2, 4, 8, 16, 32, 64)
    panels = {
        "elastica, tip, in lengths": [
            *((f"Legendre, load {a:g}", some, [elastica(a, "legendre", n) for n in some]) for a in (1.0, 10.0)),
            ("pieces of constant strain, load 10", links, [elastica(10.0, "pieces", n) for n in links]),
            ("rigid links, load 10", links, [elastica(10.0, "segments", n) for n in links]),
        ],
        "tips, Legendre, in lengths": [
            ("bend of 45 degrees, six strains", *zip(*(bend(n) for n in range(1, 8)), strict=True)),
            ("rolled up twice, three strains", *zip(*(roll_up(n) for n in range(4)), strict=True)),
        ],
    }
    own = {n: frequencies("legendre", n) for n in range(3, 16, 2)}
    other = {n: frequencies("segments", n) for n in links[1:]}
    panels["frequencies of a slender cantilever"] = [
        *((f"Legendre, mode {k + 1}", list(own), [e[k] for e in own.values()]) for k in range(3)),
        ("rigid links, mode 1", list(other), [e[0] for e in other.values()]),
    ]
    deep = {3 * n: thick(n) for n in range(3, 16, 2)}
    names = (*(f"mode {k + 1}" for k in range(4)), "along, mode 1")
    panels["frequencies of a thick cantilever (Timoshenko), Legendre"] = [
        (name, list(deep), [e[k] for e in deep.values()]) for k, name in enumerate(names)
    ]
    panels["flying rod, 7.5 s, m and rad"] = flights()
    nodes = (12, 24, 48, 96, 192)
    panels["over the number of nodes"] = [
        ("elastica, load 10, order 9", nodes, [elastica(10.0, "legendre", 10, n) for n in nodes]),
        ("mode 1, order 11", (*nodes, 384), [frequencies("legendre", 12, n)[0] for n in (*nodes, 384)]),
    ]
    for axis, (title, curves) in zip(axes.flat, panels.items(), strict=True):
        for name, counts, errors in curves:
            axis.loglog(counts, errors, "o-", label=name, markersize=4)
            print(f"{title}: {name}: {', '.join(f'{n} {e:.1e}' for n, e in zip(counts, errors, strict=True))}")
        axis.set(title=title, xlabel="nodes" if "nodes" in title else "coordinates", ylabel="error")
        low, high = min(min(c[1]) for c in curves), max(max(c[1]) for c in curves)
        axis.set_xticks([n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500) if 0.9 * low <= n <= 1.2 * high])
        axis.xaxis.set_major_formatter("{x:g}")
        axis.xaxis.set_minor_formatter("")
        axis.grid(alpha=0.3)
        axis.set_ylim(top=axis.get_ylim()[1] * 10 ** (0.06 * len(curves) * np.ptp(np.log10(axis.get_ylim()))))  # room for names
        axis.legend(fontsize=8, loc="upper right")
    path = HERE.parent / "rods-beams.png"
    figure.savefig(path, dpi=80)
    return path


if __name__ == "__main__":
    print(draw().name)
