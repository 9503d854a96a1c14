"""A snakeboard is parked beside where it stands: motions of rotor and wheels by L-BFGS with exact gradients of the whole run.

The board has no motor: it is moved by turning the rotor and the wheels in turn. Rotor and wheels follow accelerations that are
constant within steps, all of them unknown. The goal is to stand still, shifted sideways by half a metre, turned
as before, with rotor and wheels where they were. Value and slopes come from `lo.gradient`, in one way forwards and one back;
differences need two runs for each unknown: `--differences` searches with them, too. What was found is run once more by
`lo.rollout`, which must arrive.

The search is over amplitudes of cosines, scaled by their rates: slow accelerations move the board much further than quick ones,
and in accelerations themselves the search wanders from valley to valley, to other places on other machines.
"""

import time

import common
import numpy as np
from scipy.fft import idct

import locomote as lo

TIME, SHIFT = 8.0, 0.5  # s, m


def parked(t, q, v):
    """Squared distance from standing still in the other place."""
    place = q[0] ** 2 + (q[1] - SHIFT) ** 2 + 0.3 * q[2] ** 2
    return place + 0.02 * sum(x**2 for x in q[3:]) + 0.3 * sum(x**2 for x in v[:3]) + 0.05 * sum(x**2 for x in v[3:])


def main(given: list[str] | None = None) -> dict:
    """Optimise, compare with differences, run, draw."""
    options = common.arguments(__doc__, given, searches=True)
    problem, step = lo.systems.load("snakeboard").problem(), 0.04 if options.short else 0.02
    steps, knots = round(TIME / step), 40
    goal, each = lo.at_end(parked), steps // knots
    known = {"q": np.zeros(problem.model.nq), "v": np.zeros(problem.model.nv), "step": step}

    waves = idct(np.eye(knots), axis=0, norm="ortho") * np.maximum(np.arange(knots), 1) * np.pi / TIME  # by rates

    def controls_of(x: np.ndarray) -> np.ndarray:
        return np.repeat(waves @ x.reshape(knots, -1), each, axis=0)

    def ask(x: np.ndarray) -> tuple[float, np.ndarray]:
        controls = controls_of(x)
        value, slopes = lo.gradient(problem, goal, "controls", controls=controls, **known)
        slope = slopes["controls"] + 2e-5 * controls / each
        return value + 1e-5 * float((controls**2).sum()) / each, (waves.T @ slope.reshape(knots, each, -1).sum(axis=1)).ravel()

    turns = 2 * np.pi * (np.arange(knots) + 0.5) / knots
    guess = np.linalg.solve(waves, np.cos(2 * turns)[:, None] * [-1.0, 1.0, 3.0]).ravel()

    def values(points: np.ndarray) -> np.ndarray:  # slopes by the duration need no way back
        controls = np.array([controls_of(x) for x in points])
        return lo.gradient(problem, goal, "duration", controls=controls, **known)[0] + 1e-5 * (controls**2).sum((1, 2)) / each

    def path(x: np.ndarray) -> tuple[np.ndarray, float]:
        q = lo.rollout(problem, controls_of(x), keep=1, **known).q[0]
        return q, float(np.hypot(q[-1, 0], q[-1, 1] - SHIFT))

    ask(guess)  # compiles
    limits = {"maxiter": 150, "maxcor": 20, "ftol": 1e-12}
    found = common.search(ask, guess, options=limits)
    took, asked = found["seconds"], found["gradients"]
    rough, by_differences = compared(ask, found["x"])
    q, miss = path(found["x"])
    result = {
        "iterations": found["iterations"], "gradients": asked, "seconds": took, "miss": miss, "turn": float(q[-1, 2]),
        "goal": [float(ask(guess)[0]), found["value"]], "differences_off": rough,
    }  # fmt: skip
    print(f"{found['iterations']} iterations, {asked} gradients by {guess.size} accelerations in {took:.1f} s")
    print(
        f"{1000 * miss:.1f} mm off; a gradient by differences takes {by_differences / (took / asked):.0f} times as long, ",
        end="",
    )
    print(f"off by {rough:.0e}")
    if options.differences:
        values(guess[None])
        other = common.search(common.with_differences(values, 1e-5), guess, common.LONGEST * took, options=limits)
        common.compare(found, other, "off by", f"{1000 * miss:.1f} mm", f"{1000 * path(other['x'])[1]:.1f} mm")
    draw(options.out / "parking_by_gradient.png", q, step)
    common.save(
        options.out, "parking_by_gradient", result | {"accelerations": controls_of(found["x"])[::each], "path": q[:, :3]}
    )
    return result


def compared(ask, x: np.ndarray) -> tuple[float, float]:
    """How far a gradient by differences is off along some directions, and how long a whole one takes, s."""
    x = x + 0.02  # where slopes are not zero
    _, exact = ask(x)
    begin, rng, off, few = time.process_time(), np.random.default_rng(0), [], 4
    for _ in range(few):
        way = rng.normal(size=len(x))
        off.append((ask(x + 1e-5 * way)[0] - ask(x - 1e-5 * way)[0]) / 2e-5 - exact @ way)
    return float(np.max(np.abs(off)) / np.linalg.norm(exact)), (time.process_time() - begin) * len(x) / few


def draw(file, q: np.ndarray, step: float) -> None:
    """The way of the board, and its joints over time."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
    left.plot(q[:, 0], q[:, 1])
    for x, y, turn in q[:: max(1, len(q) // 12), :3]:
        left.plot([x - 0.1 * np.cos(turn), x + 0.1 * np.cos(turn)], [y - 0.1 * np.sin(turn), y + 0.1 * np.sin(turn)], "k")
    left.set(xlabel="x in m", ylabel="y in m", aspect="equal")
    for k, name in enumerate(("rear wheels", "front wheels", "rotor")):
        right.plot(step * np.arange(len(q)), q[:, 3 + k], label=name)
    right.set(xlabel="t in s", ylabel="angle in rad")
    right.legend()
    figure.savefig(file, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()
