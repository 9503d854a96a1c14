"""Fill the tables of bio-locomotion.md, on Boyer and Porez (2014): `python docs/papers/make_bio_locomotion.py`.

A test fills them again and compares. Numbers are printed with the digits that do not depend on the machine.
"""

from pathlib import Path

import numpy as np
from tables import compared, filled, table

import locomote as lo

PAGE = Path(__file__).with_name("bio-locomotion.md")
DEAD = {"body": "rod", "guide": "free", "length": 0.22, "circulation": 0.027, "core": 0.035}
DEAD_FISH = {
    "elastic, large fin": {"fin": 0.13, "stiffness": 6.0, "friction": 0.002},
    "rigid, large fin": {"fin": 0.13, "stiffness": 1000.0, "friction": 0.002},
    "elastic, large fin, more skin friction": {"fin": 0.13, "stiffness": 6.0, "friction": 0.005},
    "elastic, small fin": {"fin": 0.07, "stiffness": 6.0, "friction": 0.002},
    "elastic, large fin, no vortices": {"fin": 0.13, "stiffness": 6.0, "friction": 0.002, "flow": "uniform"},
}
STROKE = 1 / 26  # s


def run_of(name: str, duration: float, **parameters) -> lo.Trajectory:
    """A run of a system."""
    return lo.systems.load(name, **parameters).problem().simulate(duration, progress=False)


def connections() -> str:
    """Connections, and closed forms of them."""
    problem = lo.systems.load("unicycle").problem()
    J, R, d = problem.reduction(0.0, *problem.initial()).J, 0.05, 0.15
    cat = run_of("falling_cat", lo.systems.load("falling_cat").duration)
    back = lo.forward_kinematics(cat.model, cat.q[[0, -1]])[:, 0, 2, 2]
    system = lo.systems.load("satellite")
    held = system.problem()
    q, v = held.initial()
    spin = lo.momentum(system.model, q, v)[3:]
    purcell = run_of("purcell_swimmer", lo.systems.load("purcell_swimmer").duration)
    fluid = run_of("perfect_fluid_swimmer", 2 * np.pi / 3.0, rate=3.0)
    rows = [
        compared("kinematic, unicycle: V_x over the left wheel's rate, m", R / 2, J[0, 0]),
        compared("kinematic, unicycle: W over the right wheel's rate", R / (2 * d), J[2, 1]),
        compared("mechanical, falling cat: height of its back's direction, after", 1.0, float(back[1])),
        compared("mechanical, satellite: angular momentum, kg m^2/s", 0.0, float(abs(spin).max())),
        compared("Stokes, Purcell's swimmer: way along x in a stroke (independent model)", 0.44549, float(purcell.q[-1, 0])),
        compared("hydrodynamic, three links: way along x in a stroke (independent model)", 0.192045, float(fluid.q[-1, 0])),
    ]
    return table(["connection", "closed form", "ours", "difference"], rows)


def course(run: lo.Trajectory, t: float, period: float) -> np.ndarray:
    """Mean velocity of the mass center over a period, m/s."""
    com = lo.center_of_mass(run.model, run.q)
    ends = [[np.interp(x, run.t, com[:, k]) for k in range(com.shape[1])] for x in (t, t + period)]
    return np.subtract(*ends[::-1]) / period


def angle(a: np.ndarray, b: np.ndarray) -> float:
    """deg"""
    return float(np.degrees(np.arccos(a @ b / np.linalg.norm(a) / np.linalg.norm(b))))


def continuous() -> str:
    """Figure 10: snake, fish, and an eel."""
    snake, fish = run_of("turning_snake", 5.0), run_of("fish", 11.0, body="rod", turn=1.03, turn_start=6.0, turn_time=1.5)
    eel = run_of("eel", 13.0, body="rod", dive=1.0, nodes=14)
    before, after = course(snake, 0.9, 0.5), course(snake, 4.0, 1.0)
    cruise, away = course(fish, 5.0, 2 / 3), course(fish, 10.0, 2 / 3)
    depth = lo.center_of_mass(eel.model, eel.q)[-1, 2]
    speed = np.linalg.norm(after)
    rows = [
        ["snake: speed after the turn, over that of its wave", f"{speed / 0.7:.1f}"],
        ["snake: turn, deg", f"{angle(before[:2], after[:2]):.0f}"],
        ["fish: speed at 5 s, m/s", f"{np.linalg.norm(cruise):.2f}"],
        ["fish: turn, deg", f"{angle(cruise, away):.0f}"],
        ["eel: level after its dive, m", f"{depth:.1f}"],
        ["audits", "passed" if all(x.audit.ok for x in (snake, fish, eel)) else "failed"],
    ]
    return table(["imposed curvatures", "ours"], rows)


def dead_fish() -> str:
    """Figure 12, right: where a dead fish goes."""
    rows = []
    for label, given in DEAD_FISH.items():
        run = run_of("dead_fish", 20.0, **DEAD, **given)
        com = lo.center_of_mass(run.model, run.q)
        speed, side = course(run, 10.0, 10.0)[0], 100 * abs(com[:, 1]).max()
        rows.append([label, f"{speed:+.2f}", f"{side:.0f}" if side < 10 else "out of the street"])
    return table(["dead fish, free in the plane, 10 to 20 s", "speed along the stream, m/s", "farthest to the side, cm"], rows)


def moth() -> str:
    """Figure 12, left: soft wings."""
    run, free = (
        lo.systems.load("soft_moth", control=control).problem().simulate(n * STROKE, rtol=1e-6, atol=1e-9, progress=False)
        for control, n in (("strokes", 24), ("none", 6))
    )
    last = run.t >= 20 * STROKE
    motors = [run.model.joint(f"{side}_stroke").v.start for side in ("left", "right")]
    power = np.trapezoid((run.tau[last][:, motors] * run.v[last][:, motors]).sum(axis=1), run.t[last]) / (4 * STROKE)
    nod = [lo.forward_kinematics(x.model, x.q)[:, 0, 0, 2] for x in (run, free)]
    lean = np.degrees(np.arccos(lo.forward_kinematics(free.model, free.q)[:, 0, 2, 2]))
    rows = [
        ["amplitude of the strokes that carries the weight, deg", f"{np.degrees(run.q[last, 7].max()):.0f}"],
        ["mean power of the motors, over mass, W/kg", f"{power / run.model.mass:.0f}"],
        ["nodding of the body, amplitude, deg", f"{np.degrees(np.arcsin(np.ptp(nod[0][last]) / 2)):.0f}"],
        ["height lost in 24 strokes, mm", "below 10" if abs(run.q[-1, 2]) < 0.01 else "more"],
        ["without control: leans by 45 degrees after strokes", f"{free.t[lean > 45][0] / STROKE:.0f}"],
    ]
    return table(["soft wings, body free", "ours"], rows)


PARTS = {"connections": connections, "continuous": continuous, "dead_fish": dead_fish, "moth": moth}

if __name__ == "__main__":
    PAGE.write_text(filled(PAGE, PARTS), encoding="utf-8")
