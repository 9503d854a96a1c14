"""Figures of swimmers and fliers: what the page on water and air says of them.

python benchmarks/water.py               all of them
python benchmarks/water.py dead_fish     drift over stiffness, in a street of vortices and without
"""

import sys
import time

import numpy as np

import locomote as lo


def drift(seconds: float, **settings) -> float:
    """Mean speed of a dead fish downstream over the second half of a run, m/s."""
    problem = lo.systems.load("dead_fish", **settings).problem()
    run = problem.simulate(seconds, samples=np.linspace(0, seconds, 201))
    return (run.q[-1, 0] - run.q[100, 0]) / (seconds / 2)


def dead_fish() -> None:
    """A map over stiffness and strength of the vortices."""
    stiffness, seconds = (0.1, 0.3, 0.7, 1.0, 2.0, 3.0, 5.0, 10.0, 1000.0), 30.0
    print(f"dead fish: speed downstream, mm/s; no vortices: {1e3 * drift(seconds, flow='uniform'):.0f}")
    print("circulation, m^2/s | stiffness " + " ".join(f"{s:7g}" for s in stiffness))
    for circulation in (0.015, 0.02, 0.025, 0.028, 0.03, 0.04):
        row = [1e3 * drift(seconds, stiffness=s, circulation=circulation) for s in stiffness]
        print(f"{circulation:29g} " + " ".join(f"{speed:+7.1f}" for speed in row), flush=True)


def moth() -> None:
    """Over the last four strokes of twelve, the body held, or free to go up and down."""
    print("hovering moth: lift over weight | power to the air, W/kg | pitch of root and tip, deg | ahead of mid-stroke, deg")
    kinds = ({}, {"wings": "flexible"}, {"wings": "imposed"}, {"guide": "vertical"}, {"guide": "vertical", "wings": "flexible"})
    for settings in kinds:
        settings = {"guide": "held"} | settings
        system = lo.systems.load("hovering_moth", **settings)
        run = system.problem().simulate(12 / 26, **({"rtol": 1e-7} if settings.get("wings") == "flexible" else {}))
        last, strips = run.t > 8 / 26, [n for n in system.model.joint_names if n.startswith("left") and "pitch" in n]
        pitch = np.cumsum([run.q[last, system.model.joint(n).q].ravel() for n in strips], axis=0)
        wave = np.trapezoid(pitch[-1] * np.exp(-2j * np.pi * 26 * run.t[last]), run.t[last])
        sizes = np.degrees(abs(pitch).max(axis=1))
        print(
            f"  {settings}: {run.energetics.lift:.3f} | {run.energetics.power_per_mass:.1f} | {sizes[0]:.1f}, {sizes[-1]:.1f} "
            f"| {90 + np.degrees(np.angle(wave)):.0f}"
        )


def gaits() -> None:
    """Circles in the plane of the hinges, of all amplitudes."""
    problem, count, steps = lo.systems.load("purcell_swimmer").problem(), 1000, 64
    h, amplitudes = 2 * np.pi / steps, np.linspace(0.05, 2.6, count)
    t = np.arange(steps + 1) * h
    controls = amplitudes[:, None, None] * np.diff(np.column_stack([np.cos(t), -np.sin(t)]), axis=0) / h
    q, v = np.zeros((count, 5)), np.zeros((count, 5))
    q[:, 4], v[:, 3] = amplitudes, amplitudes
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        ends = lo.rollout(problem, controls, q=q, v=v, step=h, joints=["front", "rear"]).q[:, -1]
        times.append(time.perf_counter() - begin)
    far = np.hypot(ends[:, 0], ends[:, 1])
    best = np.argmax(far)
    print(f"Purcell's swimmer: {count / min(times):.0f} gaits a second of {steps} steps")
    print(f"  furthest by a circle of {amplitudes[best]:.2f} rad: {far[best]:.3f} rods a stroke")


def speed() -> None:
    """Simulated time over time, best of three, at the usual tolerance and at a looser one, with their power balances."""
    print("times faster than it is: rtol 1e-8 | rtol 1e-6 (power balance)")
    for name, settings in SWIMMERS.items():
        system, words = lo.systems.load(name, **settings), []
        problem, (q, v) = system.problem(), system.initial
        for tolerance in ({}, {"rtol": 1e-6, "atol": 1e-8}):
            problem.simulate(1e-3, q=q, v=v, **tolerance)
            times = []
            for _ in range(3):
                begin = time.process_time()
                run = problem.simulate(system.duration, q=q, v=v, **tolerance)
                times.append(time.process_time() - begin)
            words.append(f"{system.duration / min(times):.1f} ({run.audit.balance:.0e})")
        print(f"  {name} {settings or ''}: {' | '.join(words)}", flush=True)


def balance() -> None:
    """Power balance of the whole run of each system, and where its energy came from and went to: shares of all that was given.
    Terms with the same first word (one for each body) are added up."""
    print("| system | power balance | from | to |\n|---|---|---|---|")
    for name, settings in (*SWIMMERS.items(), *((name, {}) for name in OTHERS), ("fish", MUSCLES), ("eel", {"body": "rod"})):
        system = lo.systems.load(name, **settings)
        (q, v), fine = system.initial, {"rtol": 1e-8, "atol": 1e-10} if "body" in settings else {}
        run = system.problem().simulate(system.duration, q=q, v=v, **fine)
        shares: dict[str, float] = {}
        for key, work in run.work.items():
            word = "muscles" if key == "environment" else key.rstrip("0123456789 ") if key.startswith("sand") else key
            word = next((kind for kind in KINDS if word.startswith(kind)), word)
            shares[word] = shares.get(word, 0.0) + work[-1]
        for key, energy in (("motion", run.kinetic), ("height", run.potential), ("springs", run.elastic)):
            shares[key] = energy[0] - energy[-1]
        given = sum(w for w in shares.values() if w > 0)
        if given < 1e-6 * (most := run.work["drives"].max()):
            print(f"| {name} | {run.audit.balance:.0e} | drives, at most {most:.3g} J | drives: all of it back |", flush=True)
            continue
        sides = [[f"{k} {abs(w) / given:.3g}" for k, w in shares.items() if w * s > 1e-4 * given] for s in (1, -1)]
        label = f"{name} {settings['body']}" if "body" in settings else name
        print(f"| {label} | {run.audit.balance:.0e} | {', '.join(sides[0])} | {', '.join(sides[1])} |", flush=True)


def swimming() -> None:
    """Fish and eel from rest: steady speed and costs, convergence over links, and links beside a rod."""
    run = lo.systems.load("fish").problem().simulate(24.0)
    print(f"fish: {run.energetics}")
    run = lo.systems.load("fish", body="muscles").problem().simulate(6.0)
    print(f"fish with muscles: {run.energetics}")
    rod = lo.systems.load("eel", body="rod").problem().simulate(2.0, rtol=1e-9, atol=1e-11).q[-1, 0]
    print(f"place after 2 s, m: eel without links {rod:.6f}; links | fish | eel")
    for n in (8, 16, 32, 64):
        x = [lo.systems.load(s, links=n).problem().simulate(2.0, rtol=1e-9, atol=1e-11).q[-1, 0] for s in ("fish", "eel")]
        print(f"  {n:3d} | " + " | ".join(f"{place:.6f}" for place in x), flush=True)


SWIMMERS: dict[str, dict] = {"fish": {}, "eel": {}, "hovering_moth": {}, "dead_fish": {}, "tuna_robot": {}, "flapping_bird": {}}
OTHERS = (
    "perfect_fluid_swimmer", "purcell_swimmer", "scallop", "three_sphere_swimmer", "flagellum", "sandfish", "falling_plate",
    "jellyfish", "swimming_octopus",
)  # fmt: skip
MUSCLES = {"body": "muscles"}
KINDS = ("sand", "spheres", "drag along", "drag", "resistive", "wing", "plate", "added mass", "buoyancy", "lighthill")
FIGURES = {
    "dead_fish": dead_fish, "moth": moth, "gaits": gaits, "speed": speed, "balance": balance, "swimming": swimming,
}  # fmt: skip

if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        FIGURES[name]()
