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


def supports_of_stairs(model: lo.Model, sole, steps: int, rise: float, depth: float) -> list:
    """Two feet on stairs, and the right hand on a rail."""
    found = []
    for side, y in (("left", 0.095), ("right", -0.095)):
        contact = lo.control.Contact(f"{side}_sole", sole, friction=0.6, name=f"{side} foot")
        for k in range(steps + 1):
            place = np.eye(4)
            place[:3, 3] = 0.03 + depth * k, y, rise * k
            found.append(lo.control.Support(f"{side} foot on stair {k}" if k else f"{side} foot", contact, place))
    hand = lo.control.Contact("right_palm", friction=0.5, name="hand")
    ahead = 0.1 + depth / 2 * np.arange(2 * steps + 2)
    return found + [
        lo.control.Support(f"hand on rail {k}", hand, (x, -0.33, 0.72 + rise / depth * x)) for k, x in enumerate(ahead)
    ]


def supports_on_the_floor(model: lo.Model, robot: lo.control.Humanoid) -> list:
    """Both feet where they stand, both hands on the floor before them."""
    poses, found = lo.forward_kinematics(model, robot.q), []
    for side, y in (("left", 0.21), ("right", -0.21)):
        place = np.eye(4)
        place[:3, 3] = 0.41, y, 0.0
        palm = lo.control.Contact(f"{side}_palm", robot.palm, friction=0.8, name=f"{side} hand")
        sole = lo.control.Contact(f"{side}_sole", robot.sole, friction=0.8, name=f"{side} foot")
        found += [
            lo.control.Support(f"{side} hand", palm, place),
            lo.control.Support(f"{side} foot", sole, poses[model.body(f"{side}_sole").index]),
        ]
    return found


def planned():
    """By task: its words, supports, start, goal and the plan that is found."""
    from types import SimpleNamespace

    from locomote.systems import hrp2_like

    system = lo.systems.load("hrp2_like")
    model = system.model
    robot = hrp2_like.humanoid(model, SimpleNamespace(**system.parameters))
    feet = ["left foot", "right foot"]
    tasks = {
        "two stairs of 10 cm, with a rail": (
            supports_of_stairs(model, robot.sole, 2, 0.10, 0.24), [f"{foot} on stair 2" for foot in feet], 0.02, 0.45
        ),
        "from the stand to a handstand": (supports_on_the_floor(model, robot), ["left hand", "right hand"], 0.0, 0.6),
    }  # fmt: skip
    for label, (supports, goal, margin, stride) in tasks.items():
        plan = lo.control.plan_contacts(model, supports, feet, goal, posture=robot.q, margin=margin, stride=stride)
        yield label, model, supports, feet, goal, plan


def plans() -> str:
    """Sequences of contacts that the planner finds."""
    rows = []
    for label, *_, plan in planned():
        words = [f"{'take' if change.taken else 'leave'} {change.support.name}" for change in plan.changes]
        use = max(change.stance.torque_use for change in plan.changes)
        rows.append([label, "; ".join(words), f"{use:.1f}", "below 60" if plan.postures < 60 else "more"])
    return table(["task", "changes", "greatest share of a torque limit", "postures computed"], rows)


PARTS = {"forms": forms, "principle": principle, "plans": plans}

if __name__ == "__main__":
    PAGE.write_text(filled(PAGE, PARTS), encoding="utf-8")
