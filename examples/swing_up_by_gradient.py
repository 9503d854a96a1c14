"""A pole on a cart is swung up by forces on the cart, found by L-BFGS with exact gradients of the whole run.

The force is constant within steps, and every one of them is an unknown. Value and slopes come from `lo.gradient`: one way
forwards and one back, however many unknowns there are. Differences need two runs for each unknown and iteration; how long they
would take is measured on one gradient, and with `--differences` on the whole search, with all runs of a gradient side by side.
The force that was found is then given to steps by hand, which must arrive upright.
"""

import time

import common
import numpy as np

import locomote as lo

TIME = 2.0  # s
HANGING = np.array([0.0, np.pi])


def cart() -> lo.Locomotion:
    """A cart on a rail with a pole; the angle zero is upright."""
    pole = lo.Inertia(0.3, (0, 0, 0.25), (0.3 * 0.25 / 12, 0.3 * 0.25 / 12, 1e-4))
    model = (
        lo.Builder("cart with a pole")
        .body("cart", joint=lo.Joint("slide", "prismatic", axis="x"), inertia=lo.Inertia(1.0))
        .body("pole", parent="cart", joint=lo.Joint("hip", axis="y"), inertia=pole)
        .build()
    )
    return lo.Locomotion(model)


def upright(t, q, v):
    """Squared distance from standing still in the middle."""
    return q[0] * q[0] + 10.0 * (q[1] * q[1]) + v[0] * v[0] + v[1] * v[1]


def main(given: list[str] | None = None) -> dict:
    """Optimise, compare with differences, run, draw."""
    options = common.arguments(__doc__, given, searches=True)
    problem, count = cart(), 50 if options.short else 100
    step, goal = TIME / count, lo.at_end(upright)
    known = {"joints": ["slide"], "q": HANGING, "v": [0, 0], "step": step}

    def ask(force: np.ndarray, by: str = "controls") -> tuple[float, np.ndarray]:
        value, slopes = lo.gradient(problem, goal, by, controls=np.column_stack([force]), **known)
        return value + 1e-4 * step * float(force @ force), np.ravel(slopes[by]) + 2e-4 * step * force

    def values(forces: np.ndarray) -> np.ndarray:  # slopes by the duration need no way back
        return lo.gradient(problem, goal, "duration", controls=forces[:, :, None], **known)[0] + 1e-4 * step * (forces**2).sum(
            1
        )

    def missed(force: np.ndarray) -> float:
        q, v = run(problem, force, step)
        return float(upright(0.0, q[-1], v[-1]))

    start = 2.0 * np.sin(2 * np.pi * np.arange(count) / count)
    ask(start)  # compiles
    limits = {"maxiter": 500, "maxfun": 2000, "ftol": 1e-13, "gtol": 1e-9}
    found = common.search(ask, start, options=limits)
    took, iterations, asked = found["seconds"], found["iterations"], found["gradients"]
    exact, rough, by_differences = compared(ask, found["x"])
    q, _ = run(problem, found["x"], step)
    miss = missed(found["x"])
    print(f"{iterations} iterations, {asked} gradients by {count} forces in {took:.2f} s; the run ends {miss:.1e} off")
    print(f"one gradient by differences takes {by_differences / (took / asked):.0f} times as long, off by {rough:.0e}")
    if options.differences:
        values(start[None])
        other = common.search(common.with_differences(values, 1e-5), start, common.LONGEST * took, options=limits)
        common.compare(found, other, "off by", f"{miss:.1e}", f"{missed(other['x']):.1e}")
    draw(options.out / "swing_up_by_gradient.png", q, found["x"], step)
    result = {"iterations": iterations, "gradients": asked, "seconds": took, "miss": miss, "differences_off": rough}
    common.save(options.out, "swing_up_by_gradient", result | {"force": found["x"], "slopes": exact})
    return result


def compared(ask, force: np.ndarray) -> tuple[np.ndarray, float, float]:
    """The gradient, how far one by differences is off, and how long that takes, s."""
    _, exact = ask(force + 0.1)
    begin, rough = time.process_time(), np.zeros_like(force)
    for k, unit in enumerate(np.eye(len(force))):
        rough[k] = (ask(force + 0.1 + 1e-5 * unit)[0] - ask(force + 0.1 - 1e-5 * unit)[0]) / 2e-5
    return exact, float(abs(rough - exact).max() / abs(exact).max()), time.process_time() - begin


def run(problem: lo.Locomotion, force: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """q and v after every step, by steps of the library, from hanging."""
    steps = problem.stepper(HANGING, np.zeros(2), step=step)
    states = [(steps.q, steps.v)]
    for f in force:
        steps.advance(np.array([f, 0.0]))
        states.append((steps.q, steps.v))
    q, v = (np.array(x) for x in zip(*states, strict=True))
    return q, v


def draw(file, q: np.ndarray, force: np.ndarray, step: float) -> None:
    """Angle and place over time, and the force."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (above, below) = plt.subplots(2, 1, figsize=(9, 5), layout="constrained", sharex=True)
    t = step * np.arange(len(q))
    above.plot(t, q[:, 1], label="angle of the pole in rad")
    above.plot(t, q[:, 0], label="place of the cart in m")
    above.legend()
    below.stairs(force, t)
    below.set(xlabel="t in s", ylabel="force on the cart in N")
    figure.savefig(file, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()
