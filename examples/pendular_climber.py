"""How fast a climber goes up a wall hand over hand, and how much of what the motor gives is height, over how far its tail
swings.

The climber is the system `pendular_climber`, after ROCR of S. Jensen-Segal, S. Virost and W.R. Provancher (2008).
"""

import common
import numpy as np

import locomote as lo
from locomote.systems import pendular_climber as climber


def climbed(run: lo.Trajectory) -> dict:
    """Times and heights of the hands that took hold, s and m; speed, and height of the weight over what the motor gave.

    The motor's work is counted where it drives the tail; what it takes back where it brakes is not kept.
    """
    grips = [event for event in run.events if event.kind == "close"]
    time = np.array([event.t for event in grips])
    height = np.array([climber.hands(event.data["q"])[:, 1].max() for event in grips])
    power = np.maximum(run.tau[:, 3] * run.v[:, 3], 0.0)
    given = np.concatenate([[0.0], np.cumsum(np.diff(run.t) * (power[1:] + power[:-1]) / 2)])
    work = np.interp(time, run.t, given)
    speed = (height[-1] - height[0]) / (time[-1] - time[0])
    share = run.model.mass * 9.81 * (height[-1] - height[0]) / (work[-1] - work[0])
    return {"time": time, "height": height, "speed": speed, "share": share}


def main(given: list[str] | None = None) -> dict:
    """Climb with several swings of the tail, and draw."""
    options = common.arguments(__doc__, given)
    swings = (1.8, 2.1) if options.short else (1.5, 1.8, 2.1, 2.4)
    runs = {swing: climber.climb(7.0 if options.short else climber.CLIMB, swing=swing) for swing in swings}
    found = {swing: climbed(run) for swing, run in runs.items()}
    for swing, row in found.items():
        print(f"tail to {swing:.1f} rad: {len(row['time'])} grips, {1e2 * row['speed']:.1f} cm/s; "
              f"{row['share']:.0%} of what the motor gives is height of the weight")  # fmt: skip
    draw(options.out / "pendular_climber.png", runs, found)
    result = {str(swing): {key: np.asarray(value).tolist() for key, value in row.items()} for swing, row in found.items()}
    common.save(options.out, "pendular_climber", result)
    return {"found": {swing: (runs[swing], found[swing]) for swing in swings}}


def draw(file, runs: dict, found: dict) -> None:
    """It at every grip of the fastest climb, and heights of the hands that hold."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 6), layout="constrained", width_ratios=(1, 1.4))
    best = max(found, key=lambda swing: found[swing]["speed"])
    run, row = runs[best], found[best]
    hinge, weight = (lo.forward_kinematics(run.model, run.q)[:, 1] @ [0, 0, z, 1] for z in (0.0, -0.25))
    for n, k in enumerate(np.searchsorted(run.t, row["time"])):
        hands = climber.hands(run.q[k])
        line = np.array([hands[0], hinge[k, [0, 2]], weight[k, [0, 2]], hinge[k, [0, 2]], hands[1], hands[0]])
        left.plot(*line.T, "-", lw=1.0, color=plt.cm.viridis(n / len(row["time"])))
    left.set(xlabel="x in m", ylabel="z in m", title=f"tail to {best:.1f} rad, at its grips; dark is early", aspect="equal")
    for swing, other in found.items():
        right.step(other["time"], other["height"], where="post", label=f"tail to {swing:.1f} rad")
    right.set(xlabel="t in s", ylabel="height of the hand that holds in m", title="hand over hand")
    right.legend()
    figure.savefig(file, dpi=120)


if __name__ == "__main__":
    main()
