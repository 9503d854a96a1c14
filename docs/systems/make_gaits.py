"""Find the best gaits of systems, and write them to `src/locomote/systems/best_gaits.json`.

python docs/systems/make_gaits.py [SYSTEM ...]
"""

import json
import sys
import time

import numpy as np

import locomote as lo
from locomote.gaits.by_runs import Moving, exact_run
from locomote.gaits.coordinates import coordinates_of
from locomote.systems.gaits import FILE, best_gait

STEER = {"steer": {"rear_steer": 1.0, "front_steer": -1.0}, "rotor": {"rotor": 1.0}}
BOARD = {"coordinates": STEER, "bounds": {"steer": (-0.8, 0.8), "rotor": (-0.8, 0.8)}, "amplitude": 0.4, "period": 2 * np.pi}
TRIKKE = {"coordinates": ["sway", "steer"], "bounds": {"sway": (-0.2, 0.2), "steer": (-0.6, 0.6)}, "amplitude": 0.15}
RACER = {"bounds": (-0.6, 0.6), "amplitude": 0.4, "harmonics": 1, "starts": 3, "period": 2 * np.pi / 6}
SPHERES = {"bounds": (-0.4, 0.4), "amplitude": 0.2}
ARM = {"coordinates": ["joint1", "joint2"], "bounds": (-1.5, 1.5)}
TWO = {"coordinates": ["first_joint1", "first_joint2"], "bounds": (-1.5, 1.5)}
WHEELS = {"coordinates": ["x", "y"], "bounds": (-20 * np.pi, 20 * np.pi), "amplitude": 40.0, "harmonics": 8, "starts": 4}
CAT = {"bounds": (-1.2, 1.2), "metric": "kinetic", "harmonics": 3}
WANTED = {  # system -> gait -> goal, cost, options
    "purcell_swimmer": {
        "fast": ("x", "none", {"harmonics": 6}), "efficient": ("x", "length", {}),
        "turn": ("turn", "none", {"bounds": (-2.0, 2.0), "harmonics": 6}),
    },
    "perfect_fluid_swimmer": {
        "fast": ("x", "none", {"bounds": (-2.0, 2.0), "harmonics": 6}), "efficient": ("x", "length", {}),
        "turn": ("turn", "none", {"bounds": (-2.0, 2.0), "harmonics": 6}),
    },
    "three_sphere_swimmer": {"fast": ("distance", "none", SPHERES), "efficient": ("distance", "length", SPHERES)},
    "satellite": {"turn": ("turn", "none", WHEELS)},
    "space_robot": {"turn": ("turn", "none", {**ARM, "harmonics": 6}), "efficient": ("turn", "length", ARM)},
    "dual_arm_satellite": {"turn": ("turn", "none", {**TWO, "harmonics": 6}), "efficient": ("turn", "length", TWO)},
    "falling_cat": {"turn": ("roll", "none", CAT), "efficient": ("roll", "length", CAT)},
    "snakeboard": {
        "fast": ("x", "none", {**BOARD, "harmonics": 1, "starts": 5}),
        "turn": ("turn", "none", {**BOARD, "harmonics": 2, "starts": 5}),
        "park": ("y", "none", {**BOARD, "harmonics": 3, "starts": 5}),
    },
    "trikke": {
        "fast": ("x", "none", {**TRIKKE, "harmonics": 1, "period": 2 * np.pi / 3}),
        "turn": ("turn", "none", {**TRIKKE, "harmonics": 2, "starts": 3, "period": 2 * np.pi / 3}),
    },
    "roller_racer": {"fast": ("x", "none", RACER)},
    "unicycle": {"park": ("y", "none", {"bounds": (-3.0, 3.0), "harmonics": 6, "starts": 6, "seed": 1})},
}  # fmt: skip


def measured(system: str, goal: str, gait: lo.gaits.Gait) -> float:
    """What a gait of joints gives in a period, m or rad: along and across the mean axis of the base, or its turn."""
    problem = lo.systems.load(system).problem()
    try:
        net = lo.gaits.displacement(problem, gait)
    except lo.gaits.NoConnection:
        moving = Moving(problem, coordinates_of(problem, list(gait.names)))
        return float(exact_run(moving, gait, 1).q[-1, moving.place(goal)])
    if goal == "roll":
        return float(np.linalg.norm(net.log[-3:]))
    return float(abs(net.angle) if goal == "turn" else net.distance)


def main(systems: list[str]) -> None:
    """Find, print, write."""
    found = json.loads(FILE.read_text()) if FILE.exists() else {}
    for system in systems or list(WANTED):
        problem = lo.systems.load(system).problem()
        for name, (goal, cost, options) in WANTED[system].items():
            begin = time.perf_counter()
            best = lo.gaits.optimize(problem, goal, cost=cost, **options)
            paths = {}
            for joint, drive in best.gait.drives().items():
                parts = drive.to_record()
                paths[joint] = {key: np.round(parts[key], 9).tolist() for key in ("mean", "cosines", "sines")}
            found.setdefault(system, {})[name] = {"goal": goal, "cost": cost, "paths": paths}
            FILE.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
            from locomote.systems import gaits

            gaits.stored.cache_clear()
            gait = best_gait(system, name, best.gait.period)
            found[system][name] |= {"amount": measured(system, goal, gait), "value": best.value, "period": best.gait.period}
            FILE.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
            print(f"{system} {name}: {best}; {time.perf_counter() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
