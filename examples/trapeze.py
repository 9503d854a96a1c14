"""An artist swings on a bar, lets go, flies and catches the next one: constraints that events open and close.

Two bodies, hands to hip and hip to feet, with a spring in the hip. The bar ahead is missed unless he lets go at the right
angle: a run that only lets go says how high his hands pass it, and a root of that is the angle. Then one run has it all.
Catching is an impact: momentum balance about the new bar, and the energy that goes is in the audit.
"""

import common
import numpy as np
from scipy.optimize import brentq

import locomote as lo

REACH, LEGS = 1.3, 0.9  # m, hands to hip and hip to feet
BAR, DROP = 2.2, 1.8  # m, how far away the next bar is, and how much lower
START = np.radians(-110.0)  # of the body, against hanging down
AFTER = 1.5  # s, that he swings on the next bar


def artist() -> lo.Locomotion:
    """He hangs along -z; his hands are the origin of the first body."""
    plane = [lo.Joint("x", "prismatic", axis="x"), lo.Joint("z", "prismatic", axis="z"), lo.Joint("swing", axis="y")]
    upper = lo.Inertia(45.0, (0, 0, -0.75), np.diag([4.0, 4.0, 0.5]))
    lower = lo.Inertia(25.0, (0, 0, -0.4), np.diag([1.6, 1.6, 0.3]))
    model = (
        lo.Builder("artist")
        .body("upper", joint=plane, inertia=upper)
        .body("legs", parent="upper", at=(0, 0, -REACH), joint=lo.Joint("hip", axis="y"), inertia=lower)
        .build()
    )
    bars = [
        lo.PointContact("upper", target=(0, 0, 0), directions="xz", name="first bar"),
        lo.PointContact("upper", target=(BAR, 0, -DROP), directions="xz", name="second bar"),
    ]
    return lo.Locomotion(model, constraints=bars, springs={"hip": (400.0, 0.0, 20.0)})


def lets_go(angle: float) -> lo.When:
    """He opens his hands when he has swung forward by this angle (turns about +y take him back)."""
    return lo.When(lambda t, q, v: q[2] + angle, -1, open=["first bar"], name="lets go")


def arrives(**what) -> lo.When:
    """His hands are as far as the next bar."""
    return lo.When(lambda t, q, v: q[0] - BAR, 1, name="arrives", **what)


def fly(problem: lo.Locomotion, *events: lo.When, time: float = 4.0) -> lo.Trajectory:
    """From rest, high up behind the first bar."""
    return problem.simulate(
        time, q=[0, 0, -START, 0], events=list(events), ignore=["second bar"], rtol=1e-10, atol=1e-12, progress=False
    )


def main(given: list[str] | None = None) -> dict:
    """Find the angle, fly, draw."""
    options, problem = common.arguments(__doc__, given), artist()

    def above(angle: float) -> float:
        """By how much his hands pass above the next bar, m."""
        run = fly(problem, lets_go(angle), arrives(terminal=True))
        return float(run.q[-1, 1]) + DROP if run.info["status"] == "stopped" else -10.0

    tried = np.radians(np.arange(20.0, 95.0, 15.0 if options.short else 5.0))
    heights = [above(angle) for angle in tried]
    first = next(k for k in range(len(tried) - 1) if heights[k] < 0.0 <= heights[k + 1])
    angle = float(brentq(above, tried[first], tried[first + 1], xtol=1e-12))
    arrival = fly(problem, lets_go(angle), arrives(terminal=True)).t[-1]
    motion = fly(problem, lets_go(angle), arrives(close=["second bar"]), time=arrival + AFTER)
    opened, caught = (next(e for e in motion.events if e.kind == kind) for kind in ("open", "close"))
    print(f"he lets go at {np.degrees(angle):.2f} degrees, flies for {caught.t - opened.t:.3f} s; {caught.description}")
    draw(options.out / "trapeze.png", problem.model, motion)
    result = {"angle": angle, "flight": caught.t - opened.t, "lost": -caught.data["energy"]}
    common.save(options.out, "trapeze", result | {"t": motion.t, "q": motion.q})
    return result | {"motion": motion}


def draw(file, model: lo.Model, motion: lo.Trajectory) -> None:
    """Him at some times, with the path of his hands."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 6), layout="constrained")
    for t in np.linspace(0, motion.t[-1], 22):
        k = int(np.searchsorted(motion.t, t))
        upper, legs = lo.forward_kinematics(model, motion.q[min(k, len(motion.t) - 1)])
        line = np.array([upper[:3, 3], legs[:3, 3], (legs @ [0, 0, -LEGS, 1])[:3]])
        axes.plot(line[:, 0], line[:, 2], "-o", ms=3, color=plt.cm.viridis(t / motion.t[-1]))
    axes.plot(motion.q[:, 0], motion.q[:, 1], "k:", lw=1)
    axes.plot([0, BAR], [0, -DROP], "s", color="C3", ms=8)
    axes.set(xlabel="x in m", ylabel="z in m", title="swing, flight and catch; dark is early")
    axes.set_aspect("equal")
    figure.savefig(file, dpi=120)


if __name__ == "__main__":
    main()
