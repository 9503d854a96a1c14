"""A double pendulum on a cart is swung up from hanging to standing by a force on the cart alone.

Direct collocation: the state is a polynomial on each interval (Gauss-Legendre points) that meets x' = f(x, u) with f the
forward dynamics of `lo.symbolic`; the force is a cubic spline through free values at the ends of intervals; the integral of its
square is least. The force that was found is then given to the library, and its own integrator must arrive upright. Two poles
that stand on each other fall ten times as far in a quarter of a second, so the run holds them near the path by a linear
feedback, whose gains follow from `lo.linearize` along the path (Riccati). How little it has to correct is part of the check.
"""

import casadi
import common
import numpy as np
from scipy.interpolate import CubicHermiteSpline, CubicSpline
from scipy.linalg import expm

import locomote as lo

TIME, DEGREE, TRACK = 3.0, 4, 1.5  # s, of polynomials, m to either side
HANGING, STANDING = np.array([0.0, np.pi, 0.0]), np.zeros(3)


def cart() -> lo.Model:
    """A cart on a rail with two rods; all angles zero is upright."""
    rod = lo.Inertia(0.3, (0, 0, 0.25), (0.3 * 0.25 / 12, 0.3 * 0.25 / 12, 1e-4))
    return (
        lo.Builder("cart with two poles")
        .body("cart", joint=lo.Joint("slide", "prismatic", axis="x"), inertia=lo.Inertia(1.0))
        .body("lower", parent="cart", joint=lo.Joint("hip", axis="y"), inertia=rod)
        .body("upper", parent="lower", at=(0, 0, 0.5), joint=lo.Joint("waist", axis="y"), inertia=rod)
        .build()
    )


def transcribed(model: lo.Model, count: int):
    """The optimisation problem with its variables: states at ends of intervals (6, count + 1), forces there (count + 1)."""
    x, u = casadi.SX.sym("x", 6), casadi.SX.sym("u")
    acceleration = lo.symbolic(model).forward_dynamics(x[:3], x[3:], casadi.vertcat(u, 0, 0))
    f = casadi.Function("f", [x, u], [casadi.vertcat(x[3:], acceleration)])
    points = np.array(casadi.collocation_points(DEGREE, "legendre"))
    slopes, ends, weights = (np.array(m) for m in casadi.collocation_coeff(casadi.collocation_points(DEGREE, "legendre")))
    h, times = TIME / count, np.linspace(0.0, TIME, count + 1)
    inside = (times[:-1, None] + h * points).ravel()
    opti = casadi.Opti()
    states, force = opti.variable(6, count + 1), opti.variable(count + 1)
    within = opti.variable(6, count * DEGREE)
    acting = CubicSpline(times, np.eye(count + 1), bc_type="natural")(inside) @ force  # forces at the points inside
    rates = f.map(count * DEGREE)(within, acting.T)
    for k in range(count):
        part = slice(k * DEGREE, (k + 1) * DEGREE)
        line = casadi.horzcat(states[:, k], within[:, part])
        opti.subject_to(line @ slopes == h * rates[:, part])
        opti.subject_to(states[:, k + 1] == line @ ends)
    opti.subject_to(states[:, 0] == np.concatenate([HANGING, np.zeros(3)]))
    opti.subject_to(states[:, -1] == np.concatenate([STANDING, np.zeros(3)]))
    opti.subject_to(opti.bounded(-TRACK, states[0, :], TRACK))
    squares = casadi.reshape(acting**2, DEGREE, count)
    opti.minimize(h * casadi.sum1(squares.T @ weights))
    path = np.linspace(0.0, 1.0, count + 1)
    opti.set_initial(states[1, :], np.pi * (1 - path))
    opti.set_initial(within[1, :], np.pi * (1 - inside / TIME))
    return opti, states, force, times


def gains(model: lo.Model, grid: np.ndarray, path, force) -> np.ndarray:
    """(len(grid), 6) feedback that keeps departures from the path small, backwards in time from its end."""
    h, Q, P, found = grid[1] - grid[0], np.eye(6), 10.0 * np.eye(6), np.zeros((len(grid), 6))
    for k in range(len(grid) - 1, -1, -1):
        x, tau = path(grid[k]), np.array([force(grid[k])[0], 0.0, 0.0])
        linear = lo.linearize(model, x[:3], x[3:], tau=tau)
        assert linear.B is not None
        both = expm(h * np.block([[linear.A, linear.B[:, :1]], [np.zeros((1, 7))]]))
        A, B = both[:6, :6], both[:6, 6:]
        found[k] = (B.T @ P @ A / (0.01 + B.T @ P @ B))[0]
        P = h * Q + A.T @ P @ (A - B @ found[k : k + 1])
    return found


def run(model: lo.Model, times, states, force) -> tuple[lo.Trajectory, float]:
    """The motion by the integrator of the library, from hanging, and the largest correction of its feedback, N."""
    feed = lo.Spline(times, force)
    rates = [
        [*x[3:], *lo.forward_dynamics(model, x[:3], x[3:], np.array([f, 0.0, 0.0]))]
        for x, f in zip(states.T, force, strict=True)
    ]
    path = CubicHermiteSpline(times, states.T, np.array(rates))
    grid = np.linspace(0.0, TIME, 4 * len(times))
    K = gains(model, grid, path, feed)

    def correction(t, q, v):
        now = np.array([np.interp(t, grid, column) for column in K.T])
        return -now @ (np.concatenate([q, v]) - path(t))

    def torques(t, q, v):
        return np.array([feed(t)[0] + correction(t, q, v), 0.0, 0.0])

    problem = lo.Locomotion(model, torques=torques)
    motion = problem.simulate(TIME, q=HANGING, v=np.zeros(3), rtol=1e-8, atol=1e-10, progress=False)
    return motion, max(abs(correction(t, q, v)) for t, q, v in zip(motion.t, motion.q, motion.v, strict=True))


def main(given: list[str] | None = None) -> dict:
    """Optimise, run, draw."""
    options = common.arguments(__doc__, given)
    model = cart()
    opti, states, force, times = transcribed(model, 40 if options.short else 60)
    found = common.solve(opti, quiet=options.quiet, tolerance=1e-10, iterations=1000)
    u, x, effort = found.value(force), found.value(states), float(found.value(opti.f))
    motion, corrected = run(model, times, x, u)
    miss, largest = float(abs(np.concatenate([motion.q[-1] - STANDING, motion.v[-1]])).max()), float(abs(u).max())
    print(f"effort {effort:.4g} N^2 s, largest force {largest:.3g} N")
    print(f"the run ends {miss:.1e} off (m, rad, m/s, rad/s); its feedback corrected the force by at most {corrected:.2g} N")
    draw(options.out / "swing_up.png", model, motion, times, u)
    result = {"effort": effort, "largest_force": largest, "miss": miss, "largest_correction": corrected}
    common.save(options.out, "swing_up", result | {"t": times, "force": u, "states": x})
    return result | {"motion": motion}


def draw(file, model, motion, times, force) -> None:
    """The swing as a film strip, and the force."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (film, below) = plt.subplots(2, 1, figsize=(11, 5), layout="constrained")
    for n, t in enumerate(np.linspace(0.0, TIME, 13)):
        q = motion.q[np.argmin(abs(motion.t - t))]
        poses = lo.forward_kinematics(model, q)
        tip = (poses[2] @ [0, 0, 0.5, 1])[:3]
        line = np.array([poses[0][:3, 3], poses[2][:3, 3], tip]) + [1.5 * n, 0, 0]
        film.plot(line[0, 0], line[0, 2], "ks", ms=9)
        film.plot(line[:2, 0], line[:2, 2], color="C0", lw=3)
        film.plot(line[1:, 0], line[1:, 2], color="C1", lw=3)
        film.text(line[0, 0], -1.4, f"{t:.2f} s", ha="center", fontsize=8)
    film.axhline(0, color="0.8", zorder=0)
    film.set(
        title="one picture every quarter of a second, each moved to the right",
        xticks=[],
        ylabel="height in m",
        ylim=(-1.6, 1.2),
    )
    film.set_aspect("equal")
    fine = np.linspace(0, TIME, 400)
    below.plot(fine, lo.Spline(times, force)(fine)[0])
    below.set(xlabel="t in s", ylabel="force on the cart in N")
    figure.savefig(file, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()
