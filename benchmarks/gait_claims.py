"""What is said of best frames and best gaits, measured: area estimates of random gaits in the best frame, Purcell's swimmer
from a circle and over its proportions, and the snakeboard's three gaits from random starts.

python benchmarks/gait_claims.py [frames] [proportions] [snakeboard]
"""

import sys
import time

import numpy as np

import locomote as lo

STARTS, GAITS = 8, 200
STEER = {"steer": {"rear_steer": 1.0, "front_steer": -1.0}, "rotor": {"rotor": 1.0}}
BOARD = {"bounds": {"steer": (-0.8, 0.8), "rotor": (-0.8, 0.8)}, "period": 2 * np.pi}


def frames() -> None:
    """How many random ellipses have a better area estimate in the best frame: sizes of 0.2 to 1 rad, all within the region."""
    for name in ("purcell_swimmer", "perfect_fluid_swimmer"):
        problem, rng, ratios = lo.systems.load(name).problem(), np.random.default_rng(0), []
        field = problem.connection_field({"front": (-1.5, 1.5, 5), "rear": (-1.5, 1.5, 5)})
        frame = field.best_frame(degree=12).frame
        for _ in range(GAITS):
            size = rng.uniform(0.2, 1.0, 2)
            phase, middle = rng.uniform(0.3, np.pi - 0.3), rng.uniform(-1.0, 1.0, 2) * (1.5 - size)
            front = lo.Fourier(middle[0], [size[0]], frequency=1.0)
            rear = lo.Fourier(middle[1], [size[1] * np.cos(phase)], [size[1] * np.sin(phase)], frequency=1.0)
            gait = lo.gaits.Gait({"front": front, "rear": rear})
            net = lo.gaits.displacement(problem, gait)
            ratios.append(np.linalg.norm(frame.area(field.form, gait) - frame.log(net)) / net.area_error)
        better = sum(r < 1.0 for r in ratios)
        part = f"{np.median(ratios):.3f} of what it was, at most {max(ratios):.3f}"
        print(f"{name}: {better} of {GAITS} better, error of the area rule {part}")


def swimmer(side: float) -> lo.Locomotion:
    """Purcell's of length 1, with sides so many times as long as the middle."""
    middle = 1.0 / (1.0 + 2.0 * side)
    half, arm = 0.5 * middle, side * middle
    honey, inertia = lo.Fluid(1000.0, 1.0), lo.Inertia(1.0, moment=(1, 1, 1))
    builder = lo.Builder("swimmer", base="planar", gravity=(0, 0, 0)).body("middle", inertia=inertia)
    builder.body("head", parent="middle", at=(half, 0, 0), joint=lo.Joint("front"), inertia=inertia)
    builder.body("tail", parent="middle", at=(-half, 0, 0), joint=lo.Joint("rear"), inertia=inertia)
    ends = {"middle": (-half, half), "head": (0.0, arm), "tail": (-arm, 0.0)}
    drag = [lo.water.Resistive(name, honey, (a, 0, 0), (b, 0, 0), along=1.0, across=2.0) for name, (a, b) in ends.items()]
    return lo.Locomotion(builder.build(), environment=drag, inertia=False)


def proportions() -> None:
    """The best sides of a swimmer, of the best gait of each."""
    from scipy.optimize import minimize_scalar

    begin = time.process_time()
    own = {cost: lo.gaits.optimize(swimmer(1.0), "x", cost=cost, harmonics=8) for cost in ("none", "length")}
    spent = time.process_time() - begin
    print(f"equal links: {own['none'].value:.5f} a cycle, {own['length'].value:.5f} over length; {spent:.2f} s for both")
    for cost in ("none", "length"):

        def worst(side: float, cost=cost) -> float:
            return -lo.gaits.optimize(swimmer(side), "x", cost=cost, harmonics=4).value

        found = minimize_scalar(worst, bounds=(0.5, 3.0), method="bounded", options={"xatol": 1e-3})
        print(f"best sides, {'a cycle' if cost == 'none' else 'over length'}: {found.x:.3f} of the middle, {-found.fun:.5f}")


def snakeboard() -> None:
    """Drive, rotate and park from random gaits alone."""
    board = lo.systems.load("snakeboard").problem()
    for goal, harmonics in (("x", 1), ("turn", 2), ("y", 3)):
        rng, values, begin = np.random.default_rng(1), [], time.process_time()
        for _ in range(STARTS):
            size, phase = rng.uniform(0.2, 0.7, 2), rng.uniform(0.0, 2 * np.pi, 2)
            paths = {
                name: lo.Fourier(0.0, [size[k] * np.cos(phase[k])], [size[k] * np.sin(phase[k])], rate=1.0)
                for k, name in enumerate(STEER)
            }
            start = lo.gaits.Gait(paths, modes=STEER)
            try:
                values.append(lo.gaits.optimize(board, goal, start=start, harmonics=harmonics, **BOARD).value)
            except lo.LocomoteError:
                values.append(0.0)
        top = max(values)
        spent = (time.process_time() - begin) / STARTS
        near = sum(v > 0.99 * top for v in values)
        others = ", ".join(f"{v:.3f}" for v in sorted(values, reverse=True))
        print(
            f"snakeboard {goal}: {top:.4f}, {near} of {STARTS} random starts within 1 %; all {others}; {spent:.1f} s each",
            flush=True,
        )


if __name__ == "__main__":
    asked = sys.argv[1:] or ["frames", "proportions", "snakeboard"]
    for name in asked:
        {"frames": frames, "proportions": proportions, "snakeboard": snakeboard}[name]()
