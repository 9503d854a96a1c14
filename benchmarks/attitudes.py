"""Attitudes reached by shape alone: a falling cat lands from random attitudes, a satellite turns to any by its arm.

python benchmarks/attitudes.py [how many]
"""

import sys
import time

import numpy as np

import locomote as lo

SEEDS = 5  # searches, one after the other, until one reaches its target


def satellite() -> lo.Locomotion:
    """A body with an arm of three joints, floating."""
    forward = np.eye(4)
    forward[0, 3] = 0.5
    link = lo.Inertia.box(20.0, (1.0, 0.1, 0.1)).moved(forward)
    builder = lo.Builder("satellite with an arm", base="free", gravity=(0, 0, 0))
    builder.body("body", inertia=lo.Inertia.box(100.0, (1, 1, 1)))
    joints = [lo.Joint("yaw", axis="z"), lo.Joint("pitch", axis="y")]
    builder.body("upper", parent="body", at=(0.5, 0, 0), joint=joints, inertia=link)
    builder.body("fore", parent="upper", at=(1.0, 0, 0), joint=lo.Joint("elbow", axis="y"), inertia=link)
    return lo.Locomotion(builder.build())


def attitude(rng: np.random.Generator) -> np.ndarray:
    """(3, 3) a rotation, all alike likely: of a random unit quaternion."""
    w, x, y, z = (q := rng.normal(size=4)) / np.linalg.norm(q)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def reached(problem: lo.Locomotion, count: int, **options) -> None:
    """Reach random attitudes, and say how well; one in ten is run, too."""
    rng, found, worst, by_runs, begin = np.random.default_rng(0), 0, 0.0, 0.0, time.process_time()
    for k in range(count):
        wanted = attitude(rng)
        for seed in range(SEEDS):
            try:
                plan = lo.gaits.reach(problem, wanted, starts=1, seed=seed, **options)
            except lo.gaits.OutOfReach:
                continue
            found, worst = found + 1, max(worst, float(abs(plan.pose[:3, :3] - wanted).max()))
            if k % 10 == 0:
                run = plan.run(samples=[0.0, plan.duration])
                first, last = (lo.forward_kinematics(problem.model, q)[0][:3, :3] for q in run.q[[0, -1]])
                by_runs = max(by_runs, float(abs(first.T @ last - wanted).max()))
            break
    spent = (time.process_time() - begin) / count
    print(
        f"{problem.name}: {found} of {count}, worst entry off by {worst:.1e}, by runs {by_runs:.1e}; {spent:.1f} s each",
        flush=True,
    )


if __name__ == "__main__":
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    reached(satellite(), many, knots=13, amplitude=1.5, start=[0.3, 0.4, -0.8], metric="angles")
    reached(lo.systems.load("falling_cat").problem(), many, knots=7, amplitude=1.0)
