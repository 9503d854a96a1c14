"""A leg jumps over a gap: torques of hip and knee by L-BFGS, with gradients of the whole run through take-off and landing.

The leg hangs on a trunk that slides on two rails and does not turn. Springs hold its joints, as a controller would; torques of
both joints are added, constant over some steps, and each is an unknown. The goal wants the trunk at rest beyond the gap, and
the foot above the ground while it is over the gap. Slopes go through every touch of the foot by `lo.gradient`. Differences need
two runs for each unknown and iteration, and see hits that jump from step to step: how far they are off, and how long they would
take, is measured, with `--differences` of a whole search.
"""

import time

import common
import numpy as np

import locomote as lo

THIGH = SHANK = 0.25  # m
GAP, WAY, TIME = 0.25, 0.4, 0.8  # m, m, s: width of the gap, how far to go, how long it may take
REST = np.array([0.7, -1.4])  # rad, of hip and knee


def leg() -> lo.Locomotion:
    """Trunk on rails, hip, knee and foot; y is up."""
    model = (
        lo.Builder("leg", gravity=(0, -9.81, 0))
        .body("slider", joint=lo.Joint("along", "prismatic", axis="x"), inertia=lo.Inertia(0.05))
        .body("trunk", parent="slider", joint=lo.Joint("up", "prismatic", axis="y"), inertia=lo.Inertia(4.0))
    )
    parts = (("thigh", "trunk", (0, 0, 0), 0.5, REST[0]), ("shank", "thigh", (0, -THIGH, 0), 0.25, REST[1]))
    for name, parent, at, mass, rest in parts:
        joint = lo.Joint("hip" if name == "thigh" else "knee", axis="z", stiffness=60.0, damping=1.5, rest=rest, armature=0.01)
        part = lo.Inertia(mass, (0, -0.12, 0), moment=mass * 0.25**2 / 12 * np.eye(3))
        model = model.body(name, parent=parent, at=at, joint=joint, inertia=part)
    ground = lo.Ground(lo.Plane((0, 0, 0), (0, 1, 0)), friction=0.8)
    return lo.Locomotion(model.build(), contacts=[lo.Touch("shank", ground, points=[(0, -SHANK, 0)], name="foot")])


def foot(q):
    """Where the foot is, m."""
    a, b = q[2], q[2] + q[3]
    return q[0] + THIGH * np.sin(a) + SHANK * np.sin(b), q[1] - THIGH * np.cos(a) - SHANK * np.cos(b)


def low(t, q, v):
    """How low the foot is over the gap: 1 on the ground in its middle, next to nothing 5 cm above and beside it."""
    x, y = foot(q)
    inside = 1.0 / (1.0 + np.exp((abs_of(x - 0.5 * WAY) - 0.5 * GAP) * 60.0))
    return inside * np.exp(y * -60.0)


def abs_of(x):
    """|x|, smooth."""
    return np.sqrt(x * x + 1e-6)


def arrived(t, q, v):
    """Squared distance from standing still beyond the gap."""
    x, _ = foot(q)
    place = (q[0] - WAY) ** 2 + (x - WAY) ** 2
    return 20.0 * place + 0.1 * (v[0] ** 2 + v[1] ** 2) + 0.01 * (v[2] ** 2 + v[3] ** 2)


def start() -> np.ndarray:
    """The leg stands before the gap."""
    q = np.array([0.0, 0.0, *REST])
    x, y = foot(q)
    q[0], q[1] = q[0] - x, -y
    return q


def main(given: list[str] | None = None) -> dict:
    """Optimise, compare with differences, run, draw."""
    options = common.arguments(__doc__, given, searches=True)
    problem, step, knots = leg(), 2e-3 if options.short else 1e-3, 40
    each = round(TIME / step) // knots
    goal, known = lo.at_end(arrived) + 5.0 * lo.integral(low), {"v": np.zeros(4), "step": step, "joints": ["hip", "knee"]}

    def ask(torques: np.ndarray) -> tuple[float, np.ndarray]:
        controls = np.repeat(torques.reshape(knots, 2), each, axis=0)
        value, slopes = lo.gradient(problem, goal, "controls", controls=controls, q=start(), **known)
        found = slopes["controls"].reshape(knots, each, 2).sum(axis=1).ravel()
        return value + 1e-5 * float(torques @ torques), found + 2e-5 * torques

    guess = np.zeros((knots, 2))
    guess[2:10] = [-20.0, 30.0]

    def values(points: np.ndarray) -> np.ndarray:  # slopes by the duration need no way back
        controls = np.repeat(points.reshape(-1, knots, 2), each, axis=1)
        found, _ = lo.gradient(problem, goal, "duration", controls=controls, q=start(), **known)
        return found + 1e-5 * (points**2).sum(axis=1)

    def run(torques: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        q = lo.rollout(problem, np.repeat(torques.reshape(knots, 2), each, axis=0), q=start(), keep=1, **known).q[0]
        x, y = np.array([foot(state) for state in q]).T
        return q, x, y, float(y[abs(x - 0.5 * WAY) < 0.5 * GAP].min(initial=np.inf))

    ask(guess.ravel())  # compiles
    limits = {"bounds": [(-60.0, 60.0)] * guess.size, "options": {"maxiter": 30 if options.short else 150}}
    found = common.search(ask, guess.ravel(), **limits)
    took, asked = found["seconds"], found["gradients"]
    q, x, y, clear = run(found["x"])
    rough, by_differences = compared(ask, found["x"])
    result = {
        "iterations": found["iterations"], "gradients": asked, "seconds": took, "clearance": clear, "landing": float(x[-1]),
        "goal": [float(ask(guess.ravel())[0]), found["value"]], "differences_off": rough,
    }  # fmt: skip
    print(
        f"{found['iterations']} iterations, {asked} gradients by {guess.size} torques in {took:.1f} s; the foot clears the gap"
    )
    print(f"by {100 * clear:.1f} cm and lands {1000 * abs(x[-1] - WAY):.1f} mm off; a gradient by differences takes")
    print(f"{by_differences / (took / asked):.0f} times as long, and is off by {rough:.0%}: hits jump from step to step")
    if options.differences:
        values(guess.reshape(1, -1))
        other = common.search(common.with_differences(values, 0.1), guess.ravel(), common.LONGEST * took, **limits)
        _, ends, _, height = run(other["x"])
        words = [
            f"{100 * c:.1f} cm, landing off by {1000 * abs(e - WAY):.1f} mm" for c, e in ((clear, x[-1]), (height, ends[-1]))
        ]
        common.compare(found, other, "clearance", *words)
    draw(options.out / "jump_by_gradient.png", q, x, y, found["x"].reshape(knots, 2))
    common.save(options.out, "jump_by_gradient", result | {"torques": found["x"]})
    return result


def compared(ask, torques: np.ndarray) -> tuple[float, float]:
    """How far a gradient by differences is off along some directions, and how long a whole one takes, s."""
    _, exact = ask(torques)
    begin, rng, off, few = time.process_time(), np.random.default_rng(0), [], 4
    for _ in range(few):
        way = rng.normal(size=len(torques))
        off.append((ask(torques + 1e-4 * way)[0] - ask(torques - 1e-4 * way)[0]) / 2e-4 - exact @ way)
    return float(np.max(np.abs(off)) / np.linalg.norm(exact)), (time.process_time() - begin) * len(torques) / few


def draw(file, q: np.ndarray, x: np.ndarray, y: np.ndarray, torques: np.ndarray) -> None:
    """The leg on its way over the gap, and its torques."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (above, below) = plt.subplots(2, 1, figsize=(9, 6), layout="constrained")
    for k in np.linspace(0, len(q) - 1, 14).astype(int):
        knee = q[k, 0] + THIGH * np.sin(q[k, 2]), q[k, 1] - THIGH * np.cos(q[k, 2])
        above.plot([q[k, 0], knee[0], x[k]], [q[k, 1], knee[1], y[k]], "o-", color="0.6", markersize=3)
    above.plot(x, y)
    for side in (-1, 1):
        edge = 0.5 * WAY + side * 0.5 * GAP
        above.plot([edge, edge + side * 0.3], [0, 0], "k", linewidth=3)
    above.set(xlabel="x in m", ylabel="y in m", aspect="equal")
    t = np.linspace(0, TIME, len(torques) + 1)
    for k, name in enumerate(("hip", "knee")):
        below.stairs(torques[:, k], t, label=name)
    below.set(xlabel="t in s", ylabel="torque in N m")
    below.legend()
    figure.savefig(file, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()
