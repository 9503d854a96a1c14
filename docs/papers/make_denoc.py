"""Fill the tables of denoc.md, on Saha, Shah and Nandihal (2013): `python docs/papers/make_denoc.py`.

A test fills them again and compares. Numbers are printed with the digits that do not depend on the machine.
"""

from pathlib import Path

import numpy as np
from tables import compared, filled, table

import locomote as lo

PAGE = Path(__file__).with_name("denoc.md")
SIZES = (6, 12, 30)


def agreement() -> str:
    """The formulation against the recursions of the library, system by system."""
    rows, rng = [], np.random.default_rng(0)
    for name in ("stanford_arm", "kuka_kr5", "spatial_biped", "quadruped", "space_robot"):
        model = lo.systems.load(name).model
        q, v, tau = model.random(rng), *rng.normal(size=(2, model.nv))
        modules = lo.denoc.modularise(model)
        links = lo.denoc.at(model, q, v, modules=modules)
        M, f = lo.mass_matrix(model, q), lo.denoc.factor(links, level="module")
        a, own = lo.forward_dynamics(model, q, v, tau), lo.denoc.forward_dynamics(links, tau, level="module")
        force, given = lo.inverse_dynamics(model, q, v, tau), lo.denoc.inverse_dynamics(links, tau, level="module")
        off = [(lo.denoc.inertia_matrix(links) - M, M), (f.U @ f.D @ f.U.T - M, M), (given - force, force), (own - a, a)]
        small = all(abs(x).max() < 1e-9 * abs(of).max() for x, of in off)
        rows.append([name, str(model.nv), str(len(modules)), "below 1e-9" if small else "more"])
    head = ["system", "coordinates", "modules", "I = N^T M N, U D U^T, inverse and forward dynamics against the kernels"]
    return table(head, rows)


def four_bar() -> str:
    """The crank at 45 rpm: rates at the start as in the files of the authors' program, and the torque over a turn."""
    system = lo.systems.load("four_bar", motion="driven")
    problem = system.problem()
    q, v = problem.initial(*system.initial)
    turn = np.array([tau_of(problem, q, v, t) for t in np.linspace(0.0, 4 / 3, 81)])
    rows = [
        compared("theta_2 at the start, rad", 0.9844, float(q[1])),
        compared("theta_3 at the start, rad", -1.9687, float(q[2])),
        compared("rate of the output link, rad/s", 1.4045, float(v[1])),
        compared("torque at t = 0, N m (independent model)", 2.010, float(turn[0])),
        compared("least torque over a turn, N m (independent model)", -2.83, float(turn.min())),
    ]
    return table(["four-bar, crank at 45 rpm", "published", "ours", "difference"], rows)


def tau_of(problem: lo.Locomotion, q, v, t: float) -> float:
    """The torque of the crank at a time."""
    return float(problem.evaluate(t, *problem.initial(q, v, t=t)).tau[0])


def space_robot() -> str:
    """Base of the free-floating robot after its arm moved for 20 s, by the authors' simulator and by a run."""
    system = lo.systems.load("space_robot")
    q, v = system.initial
    run = system.problem().simulate(20.0, q=q, v=v, samples=[0.1, 20.0], rtol=1e-10, atol=1e-12, progress=False)
    labels = ("x, m", "y, m", "angle, rad")
    there = (0.071842, 0.038193, 1.036176)
    rows = [compared(f"base at 20 s, {n}", x, float(y)) for n, x, y in zip(labels, there, run.q[-1, :3], strict=True)]
    torques, first = (-0.0427531, -0.0234394, -0.0095753), list(run.t).index(0.1)
    for n, (x, y) in enumerate(zip(torques, run.tau[first, 3:], strict=True), 1):
        rows.append(compared(f"torque {n} at 0.1 s, N m", x, float(y)))
    return table(["space robot", "published", "ours", "difference"], rows)


def counts() -> str:
    """Operations of chains on a fixed base, against the published formulas."""
    rows = []
    for n in SIZES:
        chain, printed = general(n), {"inverse_dynamics": (94 * n - 81, 82 * n - 75)}
        for what, published in (printed | {"forward_dynamics": (209 * n - 198, 201 * n - 185)}).items():
            found = lo.operation_count(chain, what)
            ours = f"{found.multiplications + found.divisions} M {found.additions} A"
            rows.append([str(n), what.replace("_", " "), f"{published[0]} M {published[1]} A", ours])
    return table(["joints", "", "published", "ours, any geometry"], rows)


def general(n: int) -> lo.Model:
    """A chain of turning joints with inertias and placements without structure."""
    rng, builder = np.random.default_rng(1), lo.Builder(f"chain {n}")
    for k in range(n):
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        moment = turn @ np.diag([0.1, 0.12, 0.15]) @ turn.T
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = turn * np.sign(np.linalg.det(turn)), rng.normal(size=3)
        joint = lo.Joint(f"joint {k}", axis=tuple(rng.normal(size=3)))
        inertia = lo.Inertia(1.0, tuple(0.1 * rng.normal(size=3)), moment)
        builder.body(f"link {k}", parent=f"link {k - 1}" if k else None, joint=joint, at=pose, inertia=inertia)
    return builder.build()


PARTS = {"agreement": agreement, "four_bar": four_bar, "space_robot": space_robot, "counts": counts}

if __name__ == "__main__":
    PAGE.write_text(filled(PAGE, PARTS), encoding="utf-8")
