"""A hose lies on the ground and is lifted at one end: how much of it hangs free, and how heavy it feels.

A rod with contacts all along it; a hook takes its end up slowly and holds no moment. Where slopes are small, a length l hangs
free and the hand carries half of it:

    l = (24 B z / w)^(1/4) ,   force = w l / 2          z the height, B the bending stiffness, w the weight per length

(a beam on a plane: no moment where it leaves the ground and at the hook). The run goes on to where slopes are large.
"""

import common
import numpy as np

import locomote as lo

LENGTH, RADIUS = 1.0, 0.02  # m
RUBBER = lo.Material(density=1000.0, young=1e6, damping=0.1)
HEIGHT, RISE = 0.25, 6.0  # m, s
GRAVITY = 9.81


def hose(order: int) -> lo.Locomotion:
    """The hook moves up and is free along x; the hose hangs on it by a hinge."""
    rod = lo.Rod(LENGTH, lo.Section.circle(RADIUS), RUBBER, strains="bending_y", order=order, nodes=2 * order)
    model = (
        lo.Builder("hose")
        .body("hook", joint=lo.Joint("up", "prismatic", axis="z"))
        .body("slide", parent="hook", joint=lo.Joint("along", "prismatic", axis="x"))
        .body("hose", parent="slide", joint=lo.Joint("hinge", axis="y"), flex=rod)
        .build()
    )
    up = lo.Spline([0.0, RISE / 2, RISE], [RADIUS, RADIUS + HEIGHT / 2, RADIUS + HEIGHT])
    ground = lo.Touch("hose", lo.Ground(friction=0.2), start=0.0, elements=2 * order, name="belly")
    return lo.Locomotion(model, drives={"up": up}, contacts=[ground])


def small_slopes(height: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Length that hangs free, m, and force, N."""
    load = RUBBER.density * np.pi * RADIUS**2 * GRAVITY
    hanging = (24 * RUBBER.young * np.pi * RADIUS**4 / 4 * height / load) ** 0.25
    return hanging, load * hanging / 2


def main(given: list[str] | None = None) -> dict:
    """Lift, compare, draw."""
    options = common.arguments(__doc__, given)
    problem = hose(8 if options.short else 12)
    run = problem.simulate(RISE, step=4e-3 if options.short else 2e-3, every=0.1, progress=False)
    height, force = run.q[:, 0] - RADIUS, run["up.force"]
    pushed = lo.rods.contact_field(run, "belly")
    load = np.linalg.norm(pushed.force, axis=2) * pushed.shares
    hanging = np.array([min(pushed.along[row > 1e-6], default=LENGTH) for row in load])
    length, weight = small_slopes(height)
    for k in np.searchsorted(height, [0.05, 0.1, 0.2]):
        print(
            f"{height[k]:.3f} m high: {hanging[k]:.3f} m hang free and weigh {force[k]:.2f} N in the hand; for small slopes "
            f"{length[k]:.3f} m, {weight[k]:.2f} N"
        )
    draw(options.out / "hose.png", problem, run)
    result = {"height": height, "hanging": hanging, "force": force}
    common.save(options.out, "hose", result | {"t": run.t})
    return result | {"motion": run}


def draw(file, problem: lo.Locomotion, run: lo.Trajectory) -> None:
    """The hose at some times, and what the ground carries along it."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (shape, load) = plt.subplots(2, 1, figsize=(9, 6), layout="constrained")
    pushed = lo.rods.contact_field(run, "belly")
    for k in np.linspace(1, len(run) - 1, 7).astype(int):
        color = plt.cm.viridis(run.t[k] / run.t[-1])
        places = lo.rods.sections(problem.model, run.q[k], "hose").poses[:, :3, 3]
        shape.plot(places[:, 0], places[:, 2], color=color)
        beyond = np.cumsum((pushed.force[k, :, 2] * pushed.shares)[::-1])[::-1]
        load.step(pushed.along, beyond, where="pre", color=color)
    shape.set(xlabel="x in m", ylabel="z in m", title="the hose while it is lifted; dark is early")
    shape.set_aspect("equal")
    load.set(xlabel="X in m", ylabel="N", title="what the ground carries from X to the far end")
    figure.savefig(file, dpi=120)


if __name__ == "__main__":
    main()
