"""Rows of four-bar linkages: time of a step over their number, with constraints eliminated in parts and as a whole.

Three rows: each linkage on a link of the one before (serial), all on one base (side by side), and with uprights that two of
them share (fence, the catalogue's n_four_bar). A step is one of rk4 with the way back onto the constraints. Both ways take
turns, and the least processor time of several rounds counts. Pinocchio's constrained dynamics, if installed, evaluates the
serial row too.

Run: python benchmarks/rows_of_loops.py
"""

import time

import numpy as np

import locomote as lo
from locomote.evaluation.plan import LOCAL
from locomote.methods.entries import evaluate_one

NUMBERS, WHOLE, PINOCCHIO = (1, 5, 10, 20, 40, 100, 300), 40, 100  # of linkages; up to how many others are timed
LENGTHS, ANGLES = (0.04, 0.12, 0.12), (0.3, 1.217, 2.0)  # m, rad: crank, output, coupler
STEP, STEPS, ROUNDS = 1e-4, 5, 30


def row(count: int, serial: bool) -> tuple[lo.Locomotion, np.ndarray, np.ndarray]:
    """A row of linkages and a state near one that it starts from."""
    builder, parent, loops = lo.Builder("row", gravity=(0, -9.81, 0)), None, []
    rods = [lo.Inertia(1.0, (x / 2, 0, 0), (1e-4, x**2 / 12, x**2 / 12)) for x in LENGTHS]
    for k in range(count):
        start = 0.0 if serial else 0.3 * k
        builder.body(f"a{k}", parent=parent, at=(start, 0, 0), joint=lo.Joint(f"turn_a{k}"), inertia=rods[0])
        builder.body(f"b{k}", parent=parent, at=(start + 0.09, 0, 0), joint=lo.Joint(f"turn_b{k}"), inertia=rods[1])
        builder.body(f"c{k}", parent=f"b{k}", at=(LENGTHS[1], 0, 0), joint=lo.Joint(f"turn_c{k}"), inertia=rods[2])
        ends = {"frame": (LENGTHS[0], 0, 0), "other_frame": (LENGTHS[2], 0, 0), "locked": "xy"}
        loops.append(lo.LoopClosure(f"a{k}", f"c{k}", **ends))
        parent = f"b{k}" if serial else parent
    problem = lo.Locomotion(builder.build(), constraints=loops)
    q, v = problem.initial(np.tile(ANGLES, count), np.zeros(3 * count))
    return problem, q, v


def fence(count: int) -> tuple[lo.Locomotion, np.ndarray, np.ndarray]:
    """The same for linkages that share their uprights."""
    from types import SimpleNamespace

    from locomote.systems import n_four_bar

    p = SimpleNamespace(cells=count, length=1.0, mass=1.0, speed=1.0, gravity=9.81)
    model = n_four_bar.build(p)
    return lo.Locomotion(model, **n_four_bar.setting(p)), *n_four_bar.initial(p, model)


def steps(problem: lo.Locomotion, q: np.ndarray, v: np.ndarray, in_parts: bool):
    """What takes some steps in one way."""
    problem.plan.options[LOCAL] = float(in_parts)
    problem.plan.calls[:] = 0
    stepper = problem.stepper(q=q, v=v, step=STEP)
    return lambda: stepper.advance(steps=STEPS)


def evaluations(problem: lo.Locomotion, q: np.ndarray, v: np.ndarray):
    """What evaluates a state once, in parts."""
    problem.plan.options[LOCAL] = 1.0
    problem.plan.calls[:] = 0
    plan, work = problem.plan, problem.work_for(problem.plan)
    a, lam = np.zeros(len(v)), np.zeros(len(plan.holonomic))
    return lambda: evaluate_one(plan, work, 0.0, q, v, a, lam)


def by_pinocchio(problem: lo.Locomotion, q: np.ndarray, v: np.ndarray):
    """The same by Pinocchio's constrained dynamics; None if it is not installed. Its points have three rows, of which the
    third is zero here, so that it needs its proximal iterations."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    model, closures, datas = pin.Model(), pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    model.gravity = pin.Motion(np.append(problem.model.gravity, np.zeros(3)))
    rods = [pin.Inertia(1.0, np.array([x / 2, 0, 0]), np.diag([1e-4, x**2 / 12, x**2 / 12])) for x in LENGTHS]
    carrier = 0
    for k in range(len(v) // 3):
        own = []
        for rod, x, on in zip(rods, (0.0, 0.09, LENGTHS[1]), (carrier, carrier, None), strict=True):
            place = pin.SE3(np.eye(3), np.array([x, 0, 0]))
            own.append(model.addJoint(own[1] if on is None else on, pin.JointModelRZ(), place, f"{k}{x}"))
            model.appendBodyToJoint(own[-1], rod, pin.SE3.Identity())
        carrier = own[1]
        a, b = (pin.SE3(np.eye(3), np.array([x, 0, 0])) for x in (LENGTHS[0], LENGTHS[2]))
        point, axes = pin.ContactType.CONTACT_3D, pin.ReferenceFrame.LOCAL
        closures.append(pin.RigidConstraintModel(point, model, own[0], a, own[2], b, axes))
    data = model.createData()
    datas.extend(c.createData() for c in closures)
    pin.initConstraintDynamics(model, data, closures, datas)
    settings, zero = pin.ProximalSettings(1e-12, 1e-8, 10), np.zeros(len(v))
    order = np.array([problem.model.joint(f"turn_{x}{k}").v.start for k in range(len(v) // 3) for x in "abc"])
    own_q, own_v = q[order].copy(), v[order].copy()
    return lambda: pin.constraintDynamics(model, data, own_q, own_v, zero, closures, datas, settings)


def least(*ways) -> list[float]:
    """Least processor time of each way, s, taken in turns; those that take long are called less often."""
    best = [np.inf] * len(ways)
    for way in ways:
        if way is not None:
            way()
    for _ in range(ROUNDS):
        for k, way in enumerate(ways):
            if way is not None and not (best[k] > 0.3 and np.isfinite(best[k])):
                begun = time.process_time()
                way()
                best[k] = min(best[k], time.process_time() - begun)
    return best


def exponent(times: dict[int, float], first: int) -> float:
    """Slope of time over number in logarithms, from a number on."""
    numbers = [n for n in times if n >= first and np.isfinite(times[n])]
    return float(np.polyfit(np.log(numbers), np.log([times[n] for n in numbers]), 1)[0])


def main() -> None:
    rows = {"serial": lambda n: row(n, True), "side by side": lambda n: row(n, False), "fence": fence}
    for name, make in rows.items():
        parts, whole = {}, {}
        print(f"\n{name:14}{'in parts, us a step':>21}{'a linkage':>11}{'as a whole, us':>16}{'a linkage':>11}")
        for n in NUMBERS:
            problem, q, v = make(n)
            both = least(steps(problem, q, v, True), steps(problem, q, v, False) if n <= WHOLE else None)
            parts[n], whole[n] = (1e6 * x / STEPS for x in both)
            text = f"{whole[n]:16.1f}{whole[n] / n:11.2f}" if np.isfinite(whole[n]) else f"{'-':>16}{'-':>11}"
            print(f"{n:14}{parts[n]:21.1f}{parts[n] / n:11.2f}{text}")
        print(f"exponent from 10 on{exponent(parts, 10):16.2f}{'':11}{exponent(whole, 10):16.2f}")
    print(f"\n{'one evaluation of the serial row':34}{'ours, us':>10}{'Pinocchio, us':>15}")
    for n in NUMBERS:
        problem, q, v = row(n, True)
        theirs = by_pinocchio(problem, q, v) if n <= PINOCCHIO else None
        ours, theirs = (1e6 * x for x in least(evaluations(problem, q, v), theirs))
        print(f"{n:34}{ours:10.1f}" + (f"{theirs:15.1f}" if np.isfinite(theirs) else f"{'-':>15}"), flush=True)
    problem, q, v = row(NUMBERS[-1], True)
    problem.simulate(1e-3, q=q, v=v, progress=False)
    begun = time.perf_counter()
    run = problem.simulate(0.1, q=q, v=v, progress=False)
    spent = time.perf_counter() - begun
    said = f"{spent:.1f} s for 0.1 s of {NUMBERS[-1]} linkages ({run.info['steps']} steps)"
    print(f"\nsimulate, from start to end: {said}; audit {'passed' if run.audit.ok else 'FAILED'}")


if __name__ == "__main__":
    main()
