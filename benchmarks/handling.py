"""What objects do in the scenarios of `handling`, and with half the step: `python benchmarks/handling.py`, or names of some."""

import sys
from types import SimpleNamespace

import numpy as np

import locomote as lo
from locomote.control.whole_body.on_ball import apart
from locomote.systems import handling

STEPS = (1e-3, 5e-4)


def object_of(motion: str, run: lo.Trajectory) -> np.ndarray:
    """(n, 3) where the object is."""
    name = {"drawer": "drawer", "carry": "box", "ball": "ball", "walk_on_ball": "ball"}[motion]
    return lo.forward_kinematics(run.model, run.q)[:, run.model.body(name).index, :3, 3]


def main(motions) -> None:
    """A line for each."""
    for motion in motions:
        system = lo.systems.load("handling", motion=motion)
        report = handling.scenario(SimpleNamespace(**system.parameters)).run()
        places = object_of(motion, report.run)
        print(f"{motion}: {report}; audit {'passed' if report.run.audit.ok else 'failed'}")
        far = np.linalg.norm(places - places[0], axis=1).max()
        print(f"  from {places[0].round(4)} to {places[-1].round(4)}, farthest {far:.4f} m")
        if motion.endswith("ball"):
            robot = np.array(
                [apart(report.run.model, "ball", q, v)[2] for q, v in zip(report.run.q, report.run.v, strict=True)]
            )
            print(f"  robot farthest {np.linalg.norm(robot - robot[0], axis=1).max():.4f} m, at the end {robot[-1].round(5)}")
        ends = []
        for step in STEPS:
            run = system.problem().simulate(system.duration, method="timestep", step=step, every=0.05, progress=False)
            ends.append(object_of(motion, run))
            assert run.audit.ok
        print(f"  half the step moves the object by {1e3 * abs(ends[0] - ends[1]).max():.3f} mm at most", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or tuple(handling.MOTIONS))
