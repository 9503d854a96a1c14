"""Draw how rods converge to published beams: `python docs/pictures/beams.py` leaves docs/rods-beams.png and prints its numbers.

Errors against the numbers of `tests/published/data`: the elastica under a tip load (elliptic integrals), the bend of 45 degrees
(Bathe and Bolourchi 1979; shooting), the frequencies of a cantilever (characteristic equation); by Legendre polynomials, by
pieces of constant strain, by rigid links, and over the number of nodes.
"""

import json
from pathlib import Path

import matplotlib
import numpy as np

import locomote as lo

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
DATA = HERE.parent.parent / "tests" / "published" / "data"
MANY = 400  # nodes, where their number is not what is looked at
THIN, STIFF = lo.Section(1.0, 1e-14, 1e-14, 1e-14), lo.Material(1.0, 1e14, poisson=0.0)  # EI = 1


def read(name):
    return json.loads((DATA / f"{name}.json").read_text())


def loaded(model, force, steps):
    """Where the tip of a model comes to rest under a force in world axes."""

    def problem(share):
        def environment(t, q, v):
            R = lo.forward_kinematics(model, q)[model.body_index("tip"), :3, :3]
            return {"tip": np.concatenate([R.T @ (share * np.array(force)), np.zeros(3)])}

        return lo.Locomotion(model, environment=[environment])

    found = lo.equilibrium(problem, load_steps=steps, tolerance=1e-11)
    return lo.forward_kinematics(model, found.q)[model.body_index("tip"), :3, 3]


def clamped(rod, **place):
    return lo.Builder("beam", gravity=(0, 0, 0)).body("rod", flex=rod, **place).body("tip", parent="rod").build()


def elastica(alpha, way, count, nodes=MANY):
    """Error of the tip of an elastica, in lengths, with so many coordinates."""
    rod = {"strains": "bending_z", "nodes": nodes}
    if way == "segments":
        model = lo.segments(lo.Rod(1.0, THIN, STIFF, strains="bending_z"), count, gravity=(0, 0, 0))
    elif way == "pieces":
        model = clamped(lo.Rod(1.0, THIN, STIFF, basis=lo.Pieces(count), **rod))
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


def frequencies(way, count, nodes=2 * MANY):
    """Relative errors of the first three frequencies of a cantilever."""
    if way == "segments":
        model = lo.segments(lo.Rod(1.0, THIN, STIFF, strains="bending_z"), count, gravity=(0, 0, 0))
    else:
        model = clamped(lo.Rod(1.0, THIN, STIFF, strains="bending_z", order=count - 1, nodes=nodes))
    found = lo.modes(lo.Locomotion(model)).frequencies
    beta = np.array(read("beam_natural_frequencies")["expected"]["beta_L_clamped_free"])[: min(3, count)]
    return abs(found[: len(beta)] / beta**2 - 1)


def draw() -> Path:
    figure, axes = plt.subplots(2, 2, figsize=(11, 8), layout="constrained")
    some, links = range(1, 11), (2, 4, 8, 16, 32, 64)
    panels = {
        "elastica, tip, in lengths": [
            *((f"Legendre, load {a:g}", some, [elastica(a, "legendre", n) for n in some]) for a in (1.0, 10.0)),
            ("pieces of constant strain, load 10", links, [elastica(10.0, "pieces", n) for n in links]),
            ("rigid links, load 10", links, [elastica(10.0, "segments", n) for n in links]),
        ],
        "bend of 45 degrees, six strains, tip, in lengths": [("Legendre", *zip(*(bend(n) for n in range(1, 8)), strict=True))],
    }
    own = {n: frequencies("legendre", n) for n in range(3, 16, 2)}
    other = {n: frequencies("segments", n) for n in links[1:]}
    panels["frequencies of a cantilever"] = [
        *((f"Legendre, mode {k + 1}", list(own), [e[k] for e in own.values()]) for k in range(3)),
        ("rigid links, mode 1", list(other), [e[0] for e in other.values()]),
    ]
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
        axis.set_xticks([n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500) if min(curves[0][1]) <= n <= 1.2 * max(curves[-1][1])])
        axis.xaxis.set_major_formatter("{x:g}")
        axis.xaxis.set_minor_formatter("")
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)
    path = HERE.parent / "rods-beams.png"
    figure.savefig(path, dpi=80)
    return path


if __name__ == "__main__":
    print(draw().name)
