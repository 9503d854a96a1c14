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


def step_of_biped():
    """The model of the spatial biped, and its step t -> (q, v, a)."""
    from types import SimpleNamespace

    from locomote.systems.spatial_biped import Step

    system = lo.systems.load("spatial_biped")
    return system.model, Step(SimpleNamespace(**system.parameters))


def lost(model: lo.Model, step, *, digits: int | None = None, table: float | None = None) -> float:
    """When a joint is off by a degree, s, if the biped is moved by its torques alone.

    digits : that the start is rounded to ; table : s, torques are held from one row of a table to the next
    """

    def tau(t, q, v):
        return lo.inverse_dynamics(model, *step(t))

    q, v, _ = step(0.0)
    if digits is not None:
        q, v = q.round(digits), v.round(digits)
    problem = lo.Locomotion(model, torques=tau if table is None else lo.Sampled(tau, every=table))
    run = problem.simulate(0.45, q=q, v=v, every=1e-3, rtol=1e-9, atol=1e-11, progress=False)
    off = np.degrees(abs(run.q - [step(t)[0] for t in run.t]).max(axis=1))
    return float(run.t[off > 1.0][0]) if (off > 1.0).any() else np.inf


def growth(model: lo.Model, step, t: float) -> np.ndarray:
    """Real parts of the eigenvalues of small errors about the step under its torques, 1/s, largest first."""
    q, v, a = step(t)
    found = lo.forward_dynamics_derivatives(model, q, v, lo.inverse_dynamics(model, q, v, a))
    n = model.nv
    A = np.block([[np.zeros((n, n)), np.eye(n)], [found[0], found[1]]])
    return np.sort(np.linalg.eigvals(A).real)[::-1]


def by_tolerance(model: lo.Model, step) -> float:
    """The same as `lost` from an exact start by a stiff method of variable order, with the tolerances of the public files."""
    from scipy.integrate import solve_ivp

    def rates(t, y):
        return np.r_[y[12:], lo.forward_dynamics(model, y[:12], y[12:], lo.inverse_dynamics(model, *step(t)))]

    q, v, _ = step(0.0)
    run = solve_ivp(rates, (0.0, 0.5), np.r_[q, v], method="BDF", rtol=1e-4, atol=1e-6, t_eval=np.linspace(0.0, 0.5, 501))
    off = np.degrees(abs(run.y[:12].T - [step(t)[0] for t in run.t]).max(axis=1))
    return float(run.t[off > 1.0][0])


def biped() -> str:
    """When the forced biped is lost."""
    model, step = step_of_biped()
    rows = [["start exact, stiff method with the tolerances of the public files", f"{by_tolerance(model, step):.1f}"]]
    rows += [[f"start rounded to {n} digits after the point", f"{lost(model, step, digits=n):.2f}"] for n in (4, 3, 2)]
    rows += [
        [f"torques held from a table every {1e3 * h:.0f} ms", f"{lost(model, step, table=h):.2f}"] for h in (0.005, 0.01, 0.02)
    ]
    shown = table(["spatial biped, moved by its torques alone", "a joint is off by a degree after, s"], rows)
    worst = ", ".join(f"{x:.0f}" for x in growth(model, step, 0.1)[:2])
    return f"{shown}\nGrowth rates of errors at 0.1 s, the largest two: {worst} 1/s.\n"


PARTS = {"biped": biped, "agreement": agreement, "four_bar": four_bar, "space_robot": space_robot, "counts": counts}

if __name__ == "__main__":
    PAGE.write_text(filled(PAGE, PARTS), encoding="utf-8")
