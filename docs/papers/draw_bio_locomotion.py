"""Draw the figures of bio-locomotion.md again: `python docs/papers/draw_bio_locomotion.py`, or with names for some of them."""

import sys

import numpy as np
from figures import keep, plt, run_of
from make_bio_locomotion import DEAD, DEAD_FISH
from scipy.interpolate import CubicHermiteSpline

import locomote as lo

# without elasticity to speak of, so that moments are those of motion and water
TURN = {"body": "rod", "turn": 1.03, "turn_start": 6.0, "turn_time": 1.5, "young": 1e3}  # by 60 degrees
DIVE = {"body": "rod", "dive": 1.0, "young": 1e3}


def line_of(run: lo.Trajectory, body: str, t: float) -> np.ndarray:
    """(n, 3) center line of a rod at a time, smooth between its stations."""
    q = run.q[np.searchsorted(run.t, t).clip(0, len(run.t) - 1)]
    root, found = lo.forward_kinematics(run.model, q)[:1], lo.rods.sections(run.model, q, body)
    poses, along = np.concatenate([root, found.poses]), np.concatenate([[0.0], found.along])
    poses, along = poses[along >= 0.0], along[along >= 0.0]
    first = np.concatenate([[True], np.diff(along) > 1e-12])
    line = CubicHermiteSpline(along[first], poses[first, :3, 3], poses[first, :3, 0])  # x of a section is along it
    return line(np.linspace(0.0, along[-1], 60))


def moments(run: lo.Trajectory, body: str, strain: str = "bending_z") -> tuple[np.ndarray, np.ndarray]:
    """X (n,) and the moment (samples, n), N m, that imposes the curvature of a rod: the force of a coordinate over the length
    that its point stands for."""
    rod = run.model.flexible.rods[body]
    steps = np.diff(lo.rods.sections(run.model, run.q[0], body).along, prepend=0.0)
    first = run.model.joint(body).v.start + [k for k, name in enumerate(rod.names) if name.startswith(strain)][0]
    points = rod.points.ravel()
    return points, run.tau[:, first : first + len(points)] / np.repeat(steps / 2, 2)


def snake() -> None:
    """Figure 10, left: path of the head, snapshots; sidewinding and stairs beside them."""
    runs = {
        "lateral undulation with a turn": run_of("turning_snake"),
        "sidewinding": run_of("turning_snake", gait="sidewinding", lift=1.5, amplitude=5.0, along=0.4, across=0.4, turn=0.0),
    }
    figure, axes = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained")
    for axis, (title, run) in zip(axes, runs.items(), strict=False):
        for t in np.linspace(0.0, run.t[-1], 7):
            axis.plot(*line_of(run, "snake", t)[:, :2].T, color="0.3", lw=3, alpha=0.25 + 0.75 * t / run.t[-1])
        axis.plot(*run.q[:, :2].T, color="tab:red", lw=1, label="head")
        axis.set(title=title, xlabel="x, m", ylabel="y, m", aspect="equal")
        axis.legend()
    stairs = run_of("turning_snake", rise=0.01, turn=0.0)
    for t in np.linspace(0.0, stairs.t[-1], 5):
        axes[2].plot(*(line_of(stairs, "snake", t)[:, ::2].T), lw=2)
    steps = np.arange(8)
    axes[2].step([1.0, *(-0.5 - 0.3 * steps)], [0.0, *(0.01 * (steps + 1))], where="post", color="0.6")
    axes[2].set(title="stairs, from the side", xlabel="x, m", ylabel="z, m (center line)")
    keep(figure, "bio-snake")


def fish() -> None:
    """Figure 10, right: a fish that turns by 60 degrees, and the moment along its body."""
    run = run_of("fish", 12.0, **TURN)
    figure, (path, field) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    for t in np.linspace(0.0, 12.0, 13):
        path.plot(*line_of(run, "fish", t)[:, :2].T, color="0.3", lw=2.5)
    path.plot(*lo.center_of_mass(run.model, run.q)[:, :2].T, color="tab:red", lw=1, label="mass center")
    path.set(title="fish, one picture a second", xlabel="x, m", ylabel="y, m", aspect="equal")
    path.legend()
    shown(figure, field, run, "fish", (4.0, 10.0), "moment of the muscles, N m")
    keep(figure, "bio-fish")


def shown(figure, axis, run: lo.Trajectory, body: str, times: tuple[float, float], title: str) -> None:
    """The moment over X and time."""
    along, moment = moments(run, body)
    part = (run.t >= times[0]) & (run.t <= times[1])
    most = abs(moment[part]).max()
    drawn = axis.pcolormesh(run.t[part], along, moment[part].T, cmap="RdBu_r", vmin=-most, vmax=most, shading="nearest")
    axis.set(title=title, xlabel="t, s", ylabel="X from the head, m")
    figure.colorbar(drawn, ax=axis)


def eel() -> None:
    """An eel that dives, and its moments."""
    run = run_of("eel", 14.0, **DIVE)
    figure, (path, field) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    for t in np.arange(4.0, 14.1, 1.0):
        path.plot(*line_of(run, "eel", t)[:, ::2].T, color="0.3", lw=2.5, alpha=0.7)
    path.plot(*lo.center_of_mass(run.model, run.q)[run.t > 4.0][:, ::2].T, color="tab:red", lw=1, label="mass center")
    path.set(title="eel from the side, one picture a second", xlabel="x, m", ylabel="z, m", aspect="equal")
    path.legend()
    shown(figure, field, run, "eel", (3.0, 10.0), "moment to the side, N m")
    keep(figure, "bio-eel")


def dead_fish() -> None:
    """Figure 12, right: paths of dead fish in a vortex street, and one of them as vortices pass it."""
    figure, (way, side, shape) = plt.subplots(1, 3, figsize=(12, 4.0), layout="constrained")
    for label, given in DEAD_FISH.items():
        run = run_of("dead_fish", 30.0, **DEAD | given)
        com = lo.center_of_mass(run.model, run.q)
        way.plot(run.t, com[:, 0], label=label)
        side.plot(run.t, com[:, 1])
        if label == "elastic, large fin":
            for k, t in enumerate(np.linspace(20.0, 20.7, 8)):
                line = line_of(run, "fish", t)
                shape.plot(line[:, 0] - line[0, 0], line[:, 1] - 0.04 * k, color="0.3", lw=2.5)
    way.set(title="way along the stream, m", xlabel="t, s")
    way.legend(fontsize=7)
    side.set(title="way to the side, m", xlabel="t, s", ylim=(-0.3, 0.3))
    shape.set(title="bending, every 0.1 s", xlabel="m from the nose", ylabel="m, one below the other", aspect="equal")
    keep(figure, "bio-dead-fish")


def moth() -> None:
    """Figure 12, left: soft wings, body free, with and without control."""
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
    for label, control in (("controlled", "strokes"), ("always the same strokes", "none")):
        run = run_of("soft_moth", 30 / 26, control=control)
        x, y, z, w = run.q[:, 3:7].T
        pitch = np.degrees(np.arcsin(np.clip(2 * (w * y - z * x), -1, 1)))
        for axis, value in zip(axes, (100 * run.q[:, 2], pitch), strict=False):
            axis.plot(26 * run.t, value, label=label)
        if control == "strokes":
            rib = run.model.body_index("left_rib_4")
            poses = lo.forward_kinematics(run.model, run.q)
            part = (26 * run.t > 26) & (26 * run.t < 28)
            in_body = np.einsum("nba,nbc->nac", poses[part, 0, :3, :3], poses[part, rib, :3, :3])
            axes[2].plot(26 * run.t[part], np.degrees(run.q[part, 7]), label="stroke")
            axes[2].plot(26 * run.t[part], np.degrees(np.arctan2(in_body[:, 0, 2], in_body[:, 2, 2])), label="pitch of the tip")
    for axis, title in zip(axes, ("height, cm", "pitch of the body, nose down, deg", "wing, deg"), strict=True):
        axis.set(title=title, xlabel="strokes")
        axis.legend(fontsize=8)
    axes[0].set_ylim(-60, 10)
    keep(figure, "bio-moth")


FIGURES = {"snake": snake, "fish": fish, "eel": eel, "dead_fish": dead_fish, "moth": moth}

if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        FIGURES[name]()
