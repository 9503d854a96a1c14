"""The limit cycle of a robot that trots at ordinary friction, by Newton's method with exact derivatives.

`python benchmarks/trot_cycle.py` takes half a minute. Time steps bring the robot, tests/helpers/planar_trotter.py, near it.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "helpers"))
from planar_trotter import PERIOD, cycle_of, settled, trotter


def main():
    robot = trotter()
    start, begun = settled(robot), time.process_time()
    cycle = cycle_of(robot, *start)
    print(f"{cycle}; closes to {cycle.residual:.1g}; {time.process_time() - begun:.0f} s")
    run = robot.simulate(PERIOD, q=cycle.q, v=cycle.v, step=2.5e-4, every=2.5e-4, progress=False)
    along, down = abs(run.contact_forces[1:, :, 0]), run.contact_forces[1:, :, 1]
    print(f"{run.q[-1, 0] / PERIOD:.3f} m/s; most friction asked for {(along[down > 0.01] / down[down > 0.01]).max():.2f}")


if __name__ == "__main__":
    main()
