"""Soft bodies: a cantilever let go, next to PyElastica and Exudyn; how cost grows; how well energy closes.

    python benchmarks/rods.py            all of it
    python benchmarks/rods.py speed      a cantilever of 1 m and 2 cm radius, 1 s, with output and audit, side by side
    python benchmarks/rods.py growth     time of one evaluation over bodies, nodes and coordinates
    python benchmarks/rods.py balance    power balance of the soft systems of the catalogue, and what it is made of

Needs PyElastica and Exudyn for `speed`; what is not installed is left out. All see 1 s of the same fall, straight at rest at
first, and give the tip at 50 times. A setting counts if the tip is right at all of them to 1e-3 of the length and 1 % of the
largest deflection, against a fine rod of ours; PyElastica, whose couples fall with the cube of the stretch, against the limit
of its own meshes where that is another (1 and 10 MPa). Of each the cheapest of a few settings counts. Times are processor time
of the one thread that works, minima of alternating repeats, without building and compiling; ours is all of `simulate` with the
audit.
"""

import sys
import time
from importlib.util import find_spec

import numpy as np
import rod_peers as peers

import locomote as lo

TIMES = np.linspace(0.0, 1.0, 51)
# by Young's modulus, Pa: orders (stretch and shear, bending), nodes, rtol and method; elements of PyElastica; elements and
# step, s, of Exudyn; what is taken for exact
OURS = {
    1e6: [((8, 12), 24, 3e-3, "gauss"), ((8, 12), 24, 1e-3, "gauss")],
    1e7: [((2, 5), 8, 2e-2, "gauss8"), ((1, 5), 6, 4e-2, "gauss8")],
    1e9: [((1, 3), 8, 1e-3, "gauss"), ((0, 3), 5, 1e-2, "gauss8")],
}
# the same without strains across
PLANAR = {1e6: ((8, 12), 24, 3e-3, "gauss"), 1e7: ((1, 5), 6, 4e-2, "gauss8"), 1e9: ((0, 3), 5, 1e-2, "gauss8")}
ELASTICA = {1e6: [130, 150, 170], 1e7: [40, 50], 1e9: [18, 25]}
EXUDYN = {1e6: [(64, 2e-3), (96, 2e-3)], 1e7: [(32, 5e-3), (40, 4e-3)], 1e9: [(12, 4e-3), (12, 2e-3)]}
FINE = {1e6: ((10, 16), 64, 1e-7), 1e7: ((8, 10), 32, 1e-7), 1e9: ((4, 8), 24, 1e-7)}
WANTED = {1e6: 5, 1e7: 40, 1e9: 200}  # times PyElastica; half of it for default settings; and 40 times Exudyn
REPEATS, THEIRS = 25, 2  # of ours, which are short, and of others


def cantilever(young, orders=None, nodes=None, strains="all"):
    order = None if orders is None else {"stretch": orders[0], "shear": orders[0], "bending": orders[1], "torsion": 1}
    rod = lo.Rod(
        peers.LENGTH,
        lo.Section.circle(peers.RADIUS),
        lo.Material(peers.DENSITY, young),
        strains=strains,
        order=order,
        nodes=nodes,
    )
    model = lo.Builder("cantilever", gravity=(0, -peers.GRAVITY, 0)).body("rod", flex=rod).build()
    return lo.Locomotion(model)


def run_of(problem, rtol=None, method="auto"):
    """(seconds, tip at all times but the first, run)."""
    tick = time.thread_time()
    run = problem.simulate(1.0, samples=TIMES, rtol=rtol, method=method, progress=False)
    run.audit  # noqa: B018
    spent = time.thread_time() - tick
    return spent, lo.rods.sections(problem.model, run.q[1:], "rod").poses[:, -1, :3, 3], run


def extrapolated(young, elements):
    """The limit of PyElastica's meshes, of second order."""
    coarse, fine = (peers.elastica(young, n, TIMES[1:], time.thread_time)[1] for n in (elements, 2 * elements))
    return (4.0 * fine - coarse) / 3.0


def speed():
    for young in OURS:
        problem = cantilever(young, *FINE[young][:2], strains="stretch shear_y bending_z")
        truth = run_of(problem, FINE[young][2])[1]
        allowed = min(1e-3 * peers.LENGTH, 0.01 * np.abs(truth[:, 1]).max())
        print(f"\nE = {young:g} Pa, deflection {np.abs(truth[:, 1]).max():.3g} m, error allowed {allowed:.2e} m")
        ours = {"default settings": (cantilever(young), None, "auto")}
        ours |= {f"orders {o}, {n} nodes, {m}, rtol {r:g}": (cantilever(young, o, n), r, m) for o, n, r, m in OURS[young]}
        o, n, r, m = PLANAR[young]
        ours[f"planar strains, orders {o}, {m}, rtol {r:g}"] = (cantilever(young, o, n, "stretch shear_y bending_z"), r, m)
        tasks = {("ours", name): (lambda given=given: run_of(*given)[:2], truth) for name, given in ours.items()}
        if find_spec("elastica"):
            limit = truth if young > 5e7 else extrapolated(young, 100 if young < 5e6 else 60)
            for n in ELASTICA[young]:
                tasks["PyElastica", f"{n} elements"] = (
                    lambda n=n, young=young: peers.elastica(young, n, TIMES[1:], time.thread_time),
                    limit,
                )
        if find_spec("exudyn"):
            for n, h in EXUDYN[young]:
                call = lambda n=n, h=h, young=young: peers.exudyn(young, n, h, TIMES[1:], time.process_time)  # noqa: E731
                tasks["Exudyn, 3-D", f"{n} elements, {1e3 * h:g} ms"] = (call, truth)
        best, errors = dict.fromkeys(tasks, np.inf), {}
        for round_ in range(REPEATS):
            for key, (call, limit) in tasks.items():
                if key[0] != "ours" and round_ >= THEIRS:
                    continue
                spent, tip = call()
                best[key], errors[key] = min(best[key], spent), np.abs(tip - limit).max()
        for key in tasks:
            good = "" if errors[key] <= allowed else "   too far off"
            print(f"  {key[0]:12s} {key[1]:44s} {1e3 * best[key]:9.2f} ms   error {errors[key]:.2e}{good}")
        good = {key: t for key, t in best.items() if errors[key] <= allowed}
        six = [t for (who, name), t in good.items() if who == "ours" and "planar" not in name]
        planar = [t for (who, name), t in good.items() if who == "ours" and "planar" in name]
        default = good.get(("ours", "default settings"), np.inf)
        for who, wanted in (("PyElastica", WANTED[young]), ("Exudyn, 3-D", 40)):
            theirs = [t for key, t in good.items() if key[0] == who]
            if theirs and six:
                best_six, best_planar, usual = (min(theirs) / t for t in (min(six), min(planar, default=np.inf), default))
                print(
                    f"  {who}: {best_six:.1f} times as fast, planar {best_planar:.1f} (wanted {wanted}), default {usual:.1f} "
                    f"(wanted {wanted / 2:g})"
                )


def time_of(call, repeats=9):
    call()
    best, count = np.inf, 1
    for _ in range(repeats):
        tick = time.thread_time()
        for _ in range(count):
            call()
        spent = time.thread_time() - tick
        best = min(best, spent / count)
        count = max(1, int(0.01 / max(best, 1e-6)))
    return best


def evaluations(model, rows=64):
    """Microseconds of inverse and forward dynamics and of the mass matrix, of one state in a batch."""
    rng = np.random.default_rng(0)
    q = np.array([model.random(rng) for _ in range(rows)]) * 0.2
    v, a = 0.2 * rng.normal(size=(2, rows, model.nv))
    calls = (
        lambda: lo.inverse_dynamics(model, q, v, a),
        lambda: lo.forward_dynamics(model, q, v, a),
        lambda: lo.mass_matrix(model, q),
    )
    return [1e6 * time_of(call) / rows for call in calls]


def tree(bodies=1, order=3, nodes=8):
    rod = lo.Rod(0.3, strains="bending torsion", order=order, nodes=nodes)
    builder = lo.Builder("rods")
    for k in range(bodies):
        builder.body(f"rod {k}", parent=f"rod {k - 1}" if k else None, flex=rod)
    return builder.build()


def growth():
    for title, key, values in (
        ("rods in a row, of 12 coordinates and 8 nodes", "bodies", (2, 4, 8, 16, 32)),
        ("nodes of a rod of 12 coordinates", "nodes", (16, 32, 64, 128)),
        ("coordinates of a rod of 32 nodes", "order", (3, 7, 15, 31)),
    ):
        print(f"\n{title}: microseconds of inverse dynamics, forward dynamics, mass matrix")
        rows = []
        for value in values:
            model = tree(**({"nodes": 32} if key == "order" else {}) | {key: value})
            rows.append((3 * (value + 1) if key == "order" else value, *evaluations(model)))
            print("  " + "   ".join(f"{x:9.2f}" if k else f"{x:5d}" for k, x in enumerate(rows[-1])))
        last = np.log(np.array(rows[-1][1:]) / rows[-2][1:]) / np.log(rows[-1][0] / rows[-2][0])
        print("  exponents " + "   ".join(f"{x:.2f}" for x in last))


def balance():
    """Whole runs of all soft systems, as the catalogue runs them and by the default of the method: the largest gap of the power
    balance, and what it is made of, against a run of a tenth of the tolerance: energy, or work, that is off; all relative to
    the energy that is exchanged."""
    from locomote.methods.choice import TOLERANCES
    from locomote.systems.catalogue import names

    print("\npower balance of soft systems, whole runs: gap, energy off, work off, times real time")
    for name in names():
        system = lo.systems.load(name)
        if not getattr(system.model, "flexible", None):
            continue
        problem, T = system.problem(), system.duration
        times = np.linspace(0.0, T, 51)
        own = problem.simulate(1e-6, progress=False).info  # compiles, too
        usual = TOLERANCES.get(own["method"], (1e-8, 1e-10))
        fine = problem.simulate(T, rtol=0.1 * own["rtol"], atol=0.1 * own["atol"], samples=times, progress=False)
        line = []
        for rtol, atol in dict.fromkeys([(own["rtol"], own["atol"]), usual]):
            tick = time.thread_time()
            run = problem.simulate(T, rtol=rtol, atol=atol, samples=times, progress=False)
            spent, worst = time.thread_time() - tick, run.audit.balance
            energy, work = (abs(of(run) - of(fine)).max() / fine.audit.scale for of in (energy_gained, work_done))
            line.append(f"rtol {rtol:g}: {worst:.1e} {energy:.1e} {work:.1e} {T / spent:6.3g}")
        print(f"  {name:20s} {own['method']:9s}" + "    ".join(line), flush=True)


def energy_gained(run):
    return run.total - run.total[0]


def work_done(run):
    return sum((done - done[0] for done in run.work.values()), np.zeros(len(run)))


if __name__ == "__main__":
    asked = sys.argv[1:] or ["speed", "growth", "balance"]
    for part in (speed, growth, balance):
        if part.__name__ in asked:
            part()
