"""Fill the tables of floating-base.md, on Bouyarmane and Kheddar (2012): `python docs/papers/make_floating_base.py`.

A test fills them again and compares. Numbers are printed with the digits that do not depend on the machine; differences are
given as bounds.
"""

from pathlib import Path

import numpy as np
from tables import bound, filled, table

import locomote as lo

PAGE = Path(__file__).with_name("floating-base.md")
CHARTS = {"zyx": "Euler angles, d = 3", "quaternion": "unit quaternion, d = 4", "matrix": "rotation matrix, d = 9"}


def state():
    """A humanoid of 30 joints that moves, and some torques."""
    model, rng = lo.systems.load("hrp2_like").model, np.random.default_rng(3)
    q, v = (
        model.integrate(lo.systems.load("hrp2_like").problem().initial()[0], 0.2 * rng.normal(size=model.nv)),
        rng.normal(size=36),
    )
    return model, q, v, np.r_[np.zeros(6), rng.normal(size=30)]


def forms() -> str:
    """Ranks, multipliers and accelerations in charts, by all forms."""
    model, q, v, tau = state()
    true, rows = lo.forward_dynamics(model, q, v, tau), []
    for name, label in CHARTS.items():
        charted = lo.Charted(model, name)
        x = charted.coordinates(q)
        rates = charted.rates(x, v)
        equations = charted.equations(x, rates, tau)
        rank = np.linalg.matrix_rank(equations.mass, tol=1e-9)
        for form in ("reduced", "multiplier", "projected"):
            found = charted.accelerations(x, rates, tau, form=form)
            a = charted.acceleration(x, rates, found.second_rates)
            off, lam = abs(a - true).max() / abs(true).max(), abs(found.multiplier).max(initial=0.0)
            rows.append([label, str(charted.size), str(rank), form, bound(max(off, 0.9e-9)), bound(max(lam, 0.9e-6))])
    return table(["chart", "N", "rank of M", "form", "accelerations, relative difference", "multiplier"], rows)


def principle() -> str:
    """Gauss' principle, and the program of whole-body control in charts."""
    model, q, v, tau = state()
    least = lo.gauss(model, q, v, tau).minimum()
    true = lo.forward_dynamics(model, q, v, tau)
    rows = [["least constraint against the recursion", bound(max(abs(least.a - true).max() / abs(true).max(), 0.9e-9))]]
    system = lo.systems.load("hrp2_like")
    q, v = system.problem().initial()
    tasks = [lo.control.CenterOfMass(stiffness=100), lo.control.Frame("chest"), lo.control.Posture(reference=q)]
    sole = lo.control.rectangle(0.24, 0.14)
    soles = [lo.control.Contact(f"{side}_sole", sole, friction=0.6, force_weight=1e-3) for side in ("left", "right")]
    plain = lo.control.WholeBody(model, tasks, soles)
    now = plain.evaluate(0.0, q, v)
    for label, chart, form in (
        ("(36), (24) in Euler angles", "zyx", "multiplier"),
        ("(37), projected, quaternion", "quaternion", "projected"),
        ("(38), multiplier as an unknown, quaternion", "quaternion", "multiplier"),
    ):
        same = lo.control.in_chart(plain, 0.0, q, v, chart=chart, form=form)
        off = max(abs(same.a - now.a).max(), abs(same.tau - now.tau).max())
        rows.append([f"program {label}, against the controller", bound(max(off, 0.9e-7))])
    total = sum(force.sum(axis=0) for force in now.forces.values())
    rows.append(
        [
            "forces of the ground against weight and momentum, N",
            bound(max(abs(total[2] - 58 * (9.81 + rise(model, q, now.a))), 0.9e-4)),
        ]
    )
    return table(["humanoid of 30 joints, 58 kg", "difference"], rows)


def rise(model: lo.Model, q, a) -> float:
    """Upward acceleration of the mass center at rest, m/s^2."""
    return float((lo.momentum_matrix(model, q) @ a)[2] / model.mass)


PARTS = {"forms": forms, "principle": principle}

if __name__ == "__main__":
    PAGE.write_text(filled(PAGE, PARTS), encoding="utf-8")
