"""Ticks that are too much for a robot, and what must hold in each: `python tests/helpers/wild_ticks.py [how many]`.

The humanoid in random postures at speeds up to 10 rad/s, torque limits at 3 to 50 %, friction down to 0.001, contacts that must
push or may not, sometimes with its waist against a wall; pyramids and round cones, one priority and two.
A tick is solved, which NumPy shows by the optimality conditions, or there is a certificate after Farkas that no answer exists,
which NumPy shows by its definition and a linear program (HiGHS) without it.
"""

import sys
from collections import Counter
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from standing_robots import BENT, SIDES, standing
from standing_robots import HRP2 as MODEL
from standing_robots import HRP2_SOLE as SOLE

import locomote as lo

PALM, BACK = lo.control.rectangle(0.12, 0.08), lo.control.rectangle(0.1, 0.1)[:, [2, 0, 1]]
STAND = {**BENT, "shoulder_pitch": -1.0, "elbow": -0.9}
SMALL = 1e-7  # of a force, and of conditions over the sizes of their terms
LARGEST = 1e6  # N and m/s^2, that an answer may have


def wild(seed: int):
    """A controller and a state: every fourth time a crate, else a humanoid."""
    rng = np.random.default_rng(seed)
    return crate(rng) if seed % 4 == 3 else humanoid(rng)


def crate(rng):
    """A box that is held from some sides, moved along, and has a lid that weighs little: there may be no forces that do it."""
    builder = lo.Builder("crate", base="free")
    builder.body("crate", inertia=lo.Inertia(10.0, moment=(0.1, 0.1, 0.1)))
    hinge = lo.Joint("hinge", axis="y", effort_limit=5.0)
    builder.body("lid", parent="crate", joint=hinge, inertia=lo.Inertia(1e-3, moment=(1e-5, 1e-5, 1e-5)))
    model, push = builder.build(), rng.choice([0.0, 2.0, 15.0]) * rng.normal(size=6)
    contacts = []
    for k in range(int(rng.integers(1, 4))):
        normal = rng.normal(size=3)
        normal[2] = abs(normal[2]) if k == 0 else normal[2]
        least = float(rng.choice([0.0, 0.0, 5.0]))
        contacts.append(
            lo.control.Contact(
                "crate", lo.control.rectangle(0.2, 0.2, at=0.2 * rng.normal(size=3)), normal=normal,
                friction=rng.uniform(0.01, 1.0),
                least=least, most=float(rng.choice([np.inf, 40.0])), name=f"face {k}", acceleration=push,
            )
        )  # fmt: skip
    q, v = model.integrate(model.neutral(), 0.3 * rng.normal(size=7)), 0.1 * rng.normal(size=7)
    limit = {"position_limits": True, "velocity_limits": True}
    return (
        lo.control.WholeBody(
            model, [lo.control.Posture(weight=1.0)], contacts, cones=str(rng.choice(["pyramid", "round"])), **limit
        ),
        q,
        v,
    )


def humanoid(rng):
    """The humanoid of the catalogue."""
    friction = 10 ** rng.uniform(-3, np.log10(0.05)) if rng.random() < 0.5 else rng.uniform(0.05, 0.8)
    grip = {"friction": friction, "least": float(rng.choice([0.0, 0.0, 2.0, 50.0, 150.0]))}
    contacts = [lo.control.Contact(f"{side}_sole", SOLE, **grip) for side in SIDES]
    if rng.random() < 0.5:
        contacts += [lo.control.Contact(f"{side}_palm", PALM, normal=(-1, 0, 0), **grip) for side in SIDES]
    if rng.random() < 0.3:  # held by its waist it cannot sink: then somebody must bear it
        contacts.append(lo.control.Contact("waist", BACK, normal=(1, 0, 0), friction=friction, name="wall"))
        for contact in contacts[:2]:
            contact.least, contact.most = 0.0, float(rng.choice([5.0, 40.0, 200.0]))
    q = MODEL.integrate(standing(STAND), rng.choice([0.02, 0.1, 0.4]) * rng.normal(size=MODEL.nv))
    v = rng.choice([0.02, 0.5, 3.0, 10.0]) * rng.normal(size=MODEL.nv)
    center, wish = lo.center_of_mass(MODEL, q), rng.choice([0.0, 3.0, 30.0]) * rng.normal(size=3)
    tasks = [
        lo.control.CenterOfMass(reference=lambda t: (center, np.zeros(3), wish)), lo.control.Frame("chest", position=False),
        lo.control.Posture(reference=standing(STAND), priority=int(rng.choice([1, 1, 2]))),
    ]  # fmt: skip
    limits = rng.uniform(0.03, 0.5) * np.where(np.isfinite(MODEL.effort_limit), MODEL.effort_limit, 1e3)
    motion = {"position_limits": bool(rng.random() < 0.5), "velocity_limits": bool(rng.random() < 0.5)}
    cones = str(rng.choice(["pyramid", "pyramid", "round"]))
    return lo.control.WholeBody(MODEL, tasks, contacts, torque_limits=limits, cones=cones, **motion), q, v


@dataclass
class Shown:
    """What a tick was shown to be: its status, and what is left of the conditions, relative to the sizes of their terms."""

    status: str
    stationarity: float = 0.0
    violation: float = 0.0
    complementarity: float = 0.0
    iterations: int = 0
    faults: tuple[str, ...] = ()


def shown(control, q, v) -> Shown:
    """One tick, and its proof by NumPy and SciPy."""
    now = control.evaluate(0.0, q, v)
    k = control._packed.tick
    n, m = int(k.count[1]), int(k.count[2])
    H, g, A, low, high = k.H[:n, :n], k.g[:n], k.A[:m, :n], k.lower[:m], k.upper[:m]
    y = k.multiplier[:m]
    wrong = bool(((y > 0) & (low == -np.inf)).any() or ((y < 0) & (high == np.inf)).any())
    faults = ["a multiplier points to no bound"] if wrong else []
    bounds = np.where(y > 0, low, np.where(y < 0, high, 0.0))
    if now.solved:
        x = k.x[:n]
        left, terms = H @ x + g - A.T @ y, abs(H) @ abs(x) + abs(g) + abs(A.T) @ abs(y)
        value, size = A @ x, abs(A) @ abs(x) + 1.0
        outside = np.maximum(low - value, value - high)
        slack = np.where(y != 0.0, abs(value - bounds), 0.0)
        found = [abs(left) / terms.max(), np.maximum(outside, 0.0) / size, slack / size]
        for name, f in now.forces.items():
            contact, normal = control.contacts[name], f @ np.array(control.contacts[name].normal)
            along = np.linalg.norm(f - normal[:, None] * contact.normal, axis=1)
            if (along > contact.friction * normal + SMALL * (1.0 + abs(normal))).any():
                faults.append(f"{name} leaves its cone")
        if not (abs(now.tau) <= control.torque_limits + 1e-12).all():
            faults.append("torques beyond limits")
        numbers = [float(x.max(initial=0.0)) for x in found]
        faults += [f"{max(numbers):.1e} is left of the conditions"] if max(numbers) > SMALL else []
        return Shown(now.status.split(" by ")[0], *numbers, now.iterations, tuple(faults))
    gap, left = y @ bounds, abs(A.T @ y).sum()  # an answer x would have  gap <= y.A x <= left |x|
    if not gap > LARGEST * left:
        faults.append(f"the certificate lets forces and accelerations above {gap / left:.1e} be")
    if least_violation(A, low, high) < 1e-9:
        faults.append("a linear program finds an answer")
    if not now.why or not {reason[0] for reason in now.why} & set(control.contacts):
        faults.append("no contact is named")
    return Shown(now.status, iterations=now.iterations, faults=tuple(faults))


def least_violation(A, low, high) -> float:
    """By how much rows, made of length 1, must be violated at least, by a linear program."""
    size = np.linalg.norm(A, axis=1)[:, None]
    above, below = np.isfinite(low), np.isfinite(high)
    rows = np.vstack([-(A / size)[above], (A / size)[below]])
    edges = np.concatenate([-(low / size[:, 0])[above], (high / size[:, 0])[below]])
    cost = np.zeros(A.shape[1] + 1)
    cost[-1] = 1.0
    free = [(None, None)] * A.shape[1] + [(0.0, None)]
    found = linprog(cost, A_ub=np.hstack([rows, -np.ones((len(rows), 1))]), b_ub=edges, bounds=free, method="highs")
    return float(found.fun) if found.status == 0 else 0.0


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2400
    results = []
    for seed in range(count):
        results.append(shown(*wild(seed)))
        if results[-1].faults:
            print(seed, results[-1])
    print(dict(Counter(one.status for one in results)))
    for name in ("stationarity", "violation", "complementarity", "iterations"):
        print(f"{name} at most {max(getattr(one, name) for one in results):.2g}")
    print(f"{sum(bool(one.faults) for one in results)} faults in {count} ticks")


if __name__ == "__main__":
    main()
