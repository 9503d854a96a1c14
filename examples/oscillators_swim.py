"""A swimmer moved by oscillators that find their wave by themselves: from which lag between neighbours does it gain most?

Two oscillators of Kuramoto, coupled to each other, move the joints of Purcell's swimmer. They begin out of step and lock to the
lag that their coupling asks for; from then on the swimmer goes through one closed path of shapes again and again,

    front = a cos(w t) ,   rear = a cos(w t - lag)                                                                   (1)

whose net motion `lo.gaits.displacement` knows exactly. The run, which knows nothing of (1), has to gain as much a period.
"""

import common
import numpy as np

import locomote as lo

AMPLITUDE, RATE, PERIODS = 0.9, 2 * np.pi, 8  # rad, rad/s


def expected(problem: lo.Locomotion, lag: float) -> float:
    """m a period, of the path (1)."""
    front = lo.Fourier(0.0, [AMPLITUDE], frequency=1.0)
    rear = lo.Fourier(0.0, [AMPLITUDE * np.cos(lag)], [AMPLITUDE * np.sin(lag)], frequency=1.0)
    return lo.gaits.displacement(problem, lo.gaits.Gait({"front": front, "rear": rear})).distance


def swum(problem: lo.Locomotion, lag: float) -> tuple:
    """A run by oscillators that begin out of step, their motion, and what the last period gained, m."""
    coupling = lo.gaits.neighbours(2, 4.0)
    pair = lo.gaits.Kuramoto([RATE] * 2, coupling, lags=[0.0, -lag], amplitudes=AMPLITUDE, start=[0.0, 2.0])
    found = lo.gaits.rhythm(pair, PERIODS)
    run = problem.replaced(drives=found.drives({"front": 0, "rear": 1}), start=None).simulate(PERIODS, every=0.02)
    before, last = (run.at(t).q[:2] for t in (PERIODS - 1.0, float(PERIODS)))
    return run, found, float(np.hypot(*(last - before)))


def main(given: list[str] | None = None) -> dict:
    """Scan the lag, run the best, draw it."""
    options = common.arguments(__doc__, given)
    problem = lo.systems.load("purcell_swimmer", length=1 / 3).problem()
    lags = np.linspace(0.1, np.pi - 0.1, 9 if options.short else 41)
    gains = np.array([expected(problem, lag) for lag in lags])
    best = float(lags[gains.argmax()])
    motion, found, gained = swum(problem, best)
    print(f"best lag {np.degrees(best):.0f} degrees: {gains.max():.5f} m a period by geometry, {gained:.5f} m by the run")
    draw(options.out / "oscillators_swim.png", lags, gains, motion, found)
    result = {"lag": best, "expected": float(gains.max()), "gained": gained, "locked": bool(found.locked)}
    common.save(options.out, "oscillators_swim", result)
    return result | {"motion": motion}


def draw(file, lags, gains, motion, found) -> None:
    """What each lag gains, the oscillators, and the way of the swimmer."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
    left.plot(np.degrees(lags), gains, ".-")
    left.set(xlabel="lag in degrees", ylabel="m a period", title="net motion, by geometry")
    middle.plot(found.t, found.outputs, label=["front", "rear"])
    middle.set(xlabel="t in s", ylabel="angle in rad", title="oscillators that lock")
    middle.legend()
    right.plot(motion.q[:, 0], motion.q[:, 1])
    right.set(xlabel="x in m", ylabel="y in m", title="way of the middle link")
    right.set_aspect("equal", adjustable="datalim")
    figure.savefig(file, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()
