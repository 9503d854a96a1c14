"""Fill the tables of reduced-locomotion.md, on Boyer and Belkhiri (2013): `python docs/papers/make_reduced_locomotion.py`.

A test fills them again and compares. Numbers are printed with the digits that do not depend on the machine; differences are
given as bounds.
"""

from pathlib import Path

import numpy as np
from tables import compared, filled, indented, table

import locomote as lo

PAGE = Path(__file__).with_name("reduced-locomotion.md")


def cases() -> str:
    """Table I, with a system in each cell."""
    cells: dict[tuple[bool, bool], list[str]] = {}
    chosen = {"unicycle": {}, "acm_snake": {"imposed": "joints"}, "snakeboard": {}, "mobile_pendulum": {}, "trikke": {},
              "roller_racer": {}, "soft_snakeboard": {}, "bicycle": {"model": "frozen", "steering": "imposed"}}  # fmt: skip
    for name, parameters in chosen.items():
        problem = lo.systems.load(name, **parameters).problem()
        case = problem.classify(0.0, problem.initial()[0])
        said = f"{name} (n + s_p = {case.external + case.passive}, m0 = {case.locked_rank}, m = {case.rank})"
        cells.setdefault((case.free == 0, case.over_constrained), []).append(said)
    rows = [
        [label, *("; ".join(cells.get((kinematic, over), ["-"])) for over in (False, True))]
        for label, kinematic in (("n + s_p = m0: H = 0", True), ("n + s_p > m0: H not 0", False))
    ]
    return table(["", "m = m0: lam_stat = 0", "m > m0: lam_stat not 0"], rows)


def pendulum() -> str:
    """(38), (40), (44) and the three ways to share."""
    system = lo.systems.load("mobile_pendulum")
    problem, t = system.problem(), 0.3
    q, v = problem.initial(*system.initial, t=t)
    now, model = problem.evaluate(t, q, v), system.model
    front, rear, swing = (model.joint(name).v.start for name in ("front", "rear", "swing"))
    r, rate = q[model.joint("swing").q.start], v[swing]
    m, length, R, Jw, total, g = 0.4, 0.6, 0.1, 0.0025, 3.4, 9.81
    fall = (-m * length * g * np.sin(r) - m * length * R * np.cos(r) * now.a[front]) / (m * length**2)
    load = total * R**2 * now.a[front] + m * R * length * (np.cos(r) * now.a[swing] - np.sin(r) * rate**2)
    wheels = now.a[problem.imposed]
    leads = [problem.reduction(t, q, v, inverse=rows).torques(wheels) for rows in ([0], [1], "minimum")]
    order = [list(problem.plan.held).index(k) for k in (front, rear)]
    rows = [compared("(40) r_3'', rad/s^2", fall, now.a[swing])]
    for label, shares, found in zip(("T = 0, front", "rear", "equal"), ((1, 0), (0, 1), (0.5, 0.5)), leads, strict=True):
        for k, name in enumerate(("tau_1", "tau_2")):
            paper = Jw * now.a[(front, rear)[k]] + shares[k] * load
            rows.append(compared(f"(44) {name}, {label} wheel{'s' * (label == 'equal')} leading, N m", paper, found[order[k]]))
    text = lo.equations(problem, form="text")
    shown = table(["mobile pendulum at t = 0.3 s", "paper", "ours", "difference"], rows)
    return f"{shown}\nPrinted by `lo.equations`:\n\n{indented(text)}"


def bicycle() -> str:
    """The corrected kinematics (49) to (54), and how fast it falls."""
    problem = lo.systems.load("bicycle", model="frozen", steering="imposed", amplitude=0.5).problem()
    t, h, wheelbase, behind, tilt = 0.35, 0.34, 1.1, 0.48, 0.31
    q, v = problem.initial(t=t)
    reduced, steer = problem.reduction(t, q, v), q[7]
    s = reduced.structured()
    held = list(problem.plan.held)
    at = {name: held.index(problem.model.joint(name).v.start) for name in ("steer", "rear")}
    psi = h * np.cos(tilt) * np.tan(steer) / wheelbase
    rows = [
        compared("(50) V_Y over r_3', m", h, s.Jext[0, at["rear"]]),
        compared("(52) psi: W_X over r_3'", psi, s.Jext[5, at["rear"]]),
        compared("(51) V_Z over r_3', m", psi * behind, s.Jext[1, at["rear"]]),
        compared("corrected: W_X over r_1'", h * np.sin(tilt) / wheelbase, s.Jext[5, at["steer"]]),
        compared("corrected (53): r_2' over r_3'", 1 / np.cos(steer), s.Jint[0, at["rear"]]),
        compared("corrected (53): r_2' over r_1'", 0.0, s.Jint[0, at["steer"]]),
    ]
    now = problem.evaluate(t, q, v)
    count = len(lo.equations(lo.systems.load("bicycle").problem()).lines())
    return table([f"bicycle, steered by {np.degrees(steer):.4g} degrees", "paper", "ours", "difference"], rows) + (
        "\nThe lean rate is the kernel, H_ee = (0, 0, 0, 0, 1, 0) in the paper's order, D is empty: r_2 is kinematic. Torques "
        f"there: tau_1 = {now.tau[6]:.4g} N m, tau_3 = {now.tau[8]:.4g} N m. On rolling discs, hands off, `lo.equations` "
        f"prints {count} lines.\n"
    )


def snakeboard() -> str:
    """(60), its reduced inertia, and ten periods."""
    system = lo.systems.load("snakeboard")
    problem, t, half = system.problem(), 0.8, 0.2
    q, v = problem.initial(t=t)
    r = q[3]
    own = problem.reduction(t, q, v, H=[[-2 * half * np.cos(r) ** 2], [0.0], [np.sin(2 * r)]], J=np.zeros((3, 3)))
    inertia = 4 * 6.4 * half**2 * np.cos(r) ** 4 + 0.14 * np.sin(2 * r) ** 2
    start = system.initial
    run = problem.simulate(system.duration, q=start[0], v=start[1], rtol=1e-10, atol=1e-12, progress=False)
    x, y, turn = run.q[-1, :3]
    rows = [compared("(60) M_r = H^T M H, kg m^2", inertia, own.reduced_inertia[0, 0])]
    return table(["snakeboard at t = 0.8 s", "paper", "ours", "difference"], rows) + (
        f"\nAfter ten periods of {2 * np.pi:.4g} s the rigid board is at x = {x:.4f} m, y = {y:.4f} m, heading {turn:.3f} rad "
        "(an independent model: -3.9285, -0.0286, -3.130).\n"
    )


def softness(
    ratio: float, *, phase: float = 0.0, swing: float = 0.1, loss: float = 0.08, periods: int = 10
) -> tuple[float, float, float]:
    """Way (m), torque of the shaft (N m, rms) and its work over the way (J/m) of a soft snakeboard whose beams have a first
    frequency, clamped, of `ratio` times that of the shaft.

    phase : of the shaft before the steering, rad ; swing : of the shaft, rad ; loss : part of critical damping at its frequency
    """
    mass, length, first = 0.6, 0.3, 1.8751040687119611**2
    given = {"bending": (ratio / first) ** 2 * mass * length**3, "damping": 2 * loss * mass, "phase": phase}
    system = lo.systems.load("soft_snakeboard", beams="rods", modes=2, rotor_amplitude=swing, **given)
    run = system.problem().simulate(periods * 2 * np.pi, rtol=1e-7, atol=1e-9, progress=False)
    shaft = system.model.joint("rotor").v.start
    tau, power = run.tau[:, shaft], abs(run.tau[:, shaft] * run.v[:, shaft])
    way = float(np.hypot(*run.q[-1, :2]))
    return way, float(np.sqrt(np.trapezoid(tau**2, run.t) / run.t[-1])), float(np.trapezoid(power, run.t) / way)


def soft() -> str:
    """What a compliant rotor is good for, over its stiffness."""
    cases = {
        "": [(r, {}) for r in (0.5, 0.8, 1.0, 1.3, 2.0, 5.0, 50.0)],
        ", quarter ahead": [(r, {"phase": np.pi / 2}) for r in (0.8, 1.0)],
        ", swing of 0.076 rad": [(50.0, {"swing": 0.076})],
    }
    head = ["frequency of the beams over that of the shaft", "way, m", "torque, N m, rms", "work over way, J/m"]
    chosen = [(f"{r:g}{words}", softness(r, **given)) for words, many in cases.items() for r, given in many]
    return table(head, [[label, *(f"{x:.2g}" for x in found)] for label, found in chosen])


PARTS = {"soft": soft, "cases": cases, "pendulum": pendulum, "bicycle": bicycle, "snakeboard": snakeboard}

if __name__ == "__main__":
    PAGE.write_text(filled(PAGE, PARTS), encoding="utf-8")
