"""A climber that swings its tail and goes up a wall hand over hand, each hand let go when the other one is at its highest.

After ROCR of S. Jensen-Segal, S. Virost and W.R. Provancher (2008; W.R. Provancher and others, 2011): a body with two hands
that grip in turn, and a tail as the only motor. Width, height and mass are as the University of Utah reported (31 cm, 46 cm,
0.54 kg); how the mass is spread, the motor and its law are our own. The body swings on one hand like a pendulum; where it comes
to rest all its points do, so that the other hand takes hold without an impact, higher than the first if the tail pumped enough.
"""

import common
import numpy as np

import locomote as lo

HANDS = {"left": -0.155, "right": 0.155}  # m, along x of the body
TAIL = 0.10, 0.25  # m, below the hands, and from there to its weight
SWING, QUICK = 2.1, 0.4  # rad, how far the tail goes, and s, over the speed of the body
STIFF, DAMP, MOST = 2.0, 0.06, 0.6  # N m, N m s, N m of the motor
HIGHER = 0.003  # m, by which a hand must be higher than the other one to be worth a grip


def climber() -> lo.Model:
    """In the plane of the wall, x to the right, z up."""
    plane = [lo.Joint("x", "prismatic", axis="x"), lo.Joint("z", "prismatic", axis="z"), lo.Joint("lean", axis="y")]
    body, tail = lo.Inertia(0.30, (0, 0, -0.06), (0.002, 0.003, 0.002)), lo.Inertia(0.24, (0, 0, -TAIL[1]), (0.0005,) * 3)
    builder = lo.Builder("pendular climber").body("body", joint=plane, inertia=body)
    return builder.body("tail", parent="body", at=(0, 0, -TAIL[0]), joint=lo.Joint("tail", axis="y"), inertia=tail).build()


def motor(t, q, v) -> np.ndarray:
    """(4,) the tail goes to a side as the body swings to it, N m."""
    wanted = STIFF * (SWING * np.tanh(QUICK * v[2]) - q[3]) - DAMP * v[3]
    return np.array([0.0, 0.0, 0.0, np.clip(wanted, -MOST, MOST)])


def swing(model: lo.Model, hand: str, q, v, *, rtol: float = 1e-9) -> lo.Trajectory:
    """On one hand, until the body comes to rest where the other hand is up."""
    held = lo.PointContact("body", (HANDS[hand], 0, 0), directions="xz", name=hand)
    up = 1 if hand == "left" else -1  # a positive lean takes the right hand down
    top = lo.When(lambda t, q, v: v[2], direction=up, terminal=True, after=0.15, name="top")
    problem = lo.Locomotion(model, constraints=[held], torques=motor)
    return problem.simulate(3.0, q=q, v=v, events=[top], every=0.01, rtol=rtol, atol=1e-2 * rtol, progress=False)


def heights(q) -> dict[str, float]:
    """m, of both hands."""
    return {hand: float(q[1] - x * np.sin(q[2])) for hand, x in HANDS.items()}


def climb(swings: int, **options) -> dict:
    """Swing by swing from rest on the left hand: runs, hands, heights of the hand that holds, times, work of the motor."""
    model, hand, t = climber(), "left", 0.0
    q, v = np.zeros((2, 4))
    found: dict = {"model": model, "runs": [], "hands": [], "height": [], "time": [], "work": 0.0}
    for _ in range(swings):
        run = swing(model, hand, q, v, **options)
        q, v, t = run.q[-1].copy(), run.v[-1].copy(), t + run.t[-1]
        found["runs"].append(run)
        found["hands"].append(hand)
        found["work"] += float(run.work["torques"][-1])
        other, at = "right" if hand == "left" else "left", heights(q)
        if at[other] > at[hand] + HIGHER:
            hand = other
        found["height"].append(at[hand])
        found["time"].append(t)
    return found


def main(given: list[str] | None = None) -> dict:
    """Climb, and draw."""
    options = common.arguments(__doc__, given)
    found = climb(8 if options.short else 24)
    rise = found["height"][-1] - found["height"][1]
    speed = rise / (found["time"][-1] - found["time"][1])
    weight = found["model"].mass * 9.81
    share = weight * found["height"][-1] / found["work"]
    print(f"{1e2 * rise:.0f} cm in {found['time'][-1] - found['time'][1]:.1f} s, {1e2 * speed:.1f} cm/s; work of the motor "
          f"{found['work']:.2f} J, of which {share:.0%} are height of the weight")  # fmt: skip
    draw(options.out / "pendular_climber.png", found)
    result = {"speed": speed, "share": share, "height": found["height"], "time": found["time"]}
    common.save(options.out, "pendular_climber", result)
    return result | {"found": found}


def draw(file, found: dict) -> None:
    """It at some times, and the height of the hand that holds."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 6), layout="constrained", width_ratios=(1, 1.4))
    for n, run in enumerate(found["runs"]):
        color = plt.cm.viridis(n / len(found["runs"]))
        for q in (run.q[0], run.q[len(run.q) // 2]):
            body, tail = lo.forward_kinematics(found["model"], q)
            at = [(body @ [x, 0, 0, 1])[:3] for x in HANDS.values()]
            line = np.array([at[0], tail[:3, 3], (tail @ [0, 0, -TAIL[1], 1])[:3], tail[:3, 3], at[1], at[0]])
            left.plot(line[:, 0], line[:, 2], "-", lw=0.8, color=color)
    left.set(xlabel="x in m", ylabel="z in m", title="dark is early")
    left.set_aspect("equal")
    right.step([0.0, *found["time"]], [0.0, *found["height"]], where="post")
    right.set(xlabel="t in s", ylabel="height of the hand that holds in m", title="hand over hand")
    figure.savefig(file, dpi=120)


if __name__ == "__main__":
    main()
