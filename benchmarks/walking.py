"""What one simulated second of the walking robots costs, beside the times that were published.

    python benchmarks/walking.py

Times are processor times, the least of some runs of 12 s each, divided by 12, with samples every 20 ms. Published:
S.V. Shah, S.K. Saha, J.K. Dutt (2012), table 2, O(n) form, MATLAB on a processor of 3 GHz of 2008.
"""

import time

import numpy as np

import locomote as lo

TIME, ROUNDS = 12.0, 5
PUBLISHED = {  # ms
    ("planar_biped", "computed torque"): 2241, ("planar_biped", "feed-forward"): 4312,
    ("trotting_quadruped", "computed torque"): 7031, ("trotting_quadruped", "feed-forward"): 10443,
}  # fmt: skip


def joint_errors(problem, run) -> np.ndarray:
    """(samples,) largest error of a joint, degrees."""
    targets = problem.controllers[0].targets
    drives = [d for x in targets.values() for d in (x if isinstance(x, list) else [x])]
    wanted = np.array([d(run.t)[0] for d in drives]).T
    return np.degrees(abs(run.q[:, -wanted.shape[1] :] - wanted)).max(axis=1)


def main() -> None:
    print("robot                control          ms per simulated s   of the published   steps   way, m   off by, degrees")
    for (name, control), published in PUBLISHED.items():
        system = lo.systems.load(name, control=control, duration=TIME)
        problem, (q, v) = system.problem(), system.initial
        samples, best, run = np.arange(0.0, TIME + 0.01, 0.02), np.inf, None
        for _ in range(ROUNDS):
            begin = time.process_time()
            run = problem.simulate(TIME, q=q, v=v, samples=samples, progress=False)
            best = min(best, time.process_time() - begin)
        assert run is not None
        off = joint_errors(problem, run)[run.t > 1.0].max()
        cost, way = 1e3 * best / TIME, run.q[-1, 0] - run.q[0, 0]
        share = f"{100 * cost / published:.2f} %"
        print(f"{name:20} {control:16} {cost:18.1f} {share:>18} {run.info['steps']:7d} {way:9.2f} {off:12.1e}")


if __name__ == "__main__":
    main()
