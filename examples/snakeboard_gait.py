"""The gait that takes a snakeboard farthest in ten seconds, for the effort of the gait of the catalogue.

The shape (two axles, rotor) is imposed as sines; amplitudes, rate and phase are chosen by IPOPT. The board moves in the
plane by one speed s along H, the motion that both axles allow, which follows from the dynamics along H:

    H = A_1 x A_2 (rows of the axles)       eta = H s        H^T (M_gg H s' + f(q, v, a at s' = 0)) = 0            (1)

All of it is in symbols of `lo.symbolic`: Jacobians of the axles, mass matrix, inverse dynamics. The gait that was found is then
run by the library itself, which knows nothing of (1).
"""

import casadi
import common
import numpy as np

import locomote as lo

TIME = 10.0  # s
NAMES = ("amplitude", "rotor_amplitude", "rate", "phase")
LOWER, UPPER = (0.1, 0.1, 0.5, -np.pi), (1.0, 2.0, 4.0, np.pi)


def reduced(model: lo.Model) -> casadi.Function:
    """Rate of (x, y, angle, s, effort) for parameters of the gait at time t."""
    symbols = lo.symbolic(model)
    axles = [symbols.function("jacobian", body=name) for name in ("rear_axle", "front_axle")]
    x, p, t = casadi.SX.sym("x", 5), casadi.SX.sym("p", 4), casadi.SX.sym("t")
    steer, rotor = p[0] * casadi.sin(p[2] * t), p[1] * casadi.sin(p[2] * t + p[3])
    r = casadi.vertcat(steer, -steer, rotor)
    dr = casadi.jacobian(r, t)
    ddr = casadi.jacobian(dr, t)
    q = casadi.vertcat(x[:3], r)
    rows = [axle(q)[1, :3] for axle in axles]  # sideways, in the frame of the axle
    H = casadi.cross(rows[0], rows[1]).T
    eta, drift = H * x[3], casadi.jacobian(H, t) * x[3]
    f = symbols.inverse_dynamics(q, casadi.vertcat(eta, dr), casadi.vertcat(drift, ddr))
    M = symbols.mass_matrix(q)
    ds = -casadi.dot(H, f[:3]) / casadi.bilin(M[:3, :3], H, H)  # (1)
    torque = f[3:] + M[3:, :3] @ H * ds
    c, s = casadi.cos(x[2]), casadi.sin(x[2])
    rate = casadi.vertcat(c * eta[0] - s * eta[1], s * eta[0] + c * eta[1], eta[2], ds, casadi.sumsqr(torque))
    return casadi.Function("rate", [x, p, t], [rate], {"cse": True})


def gait(p) -> dict:
    """Parameters of the system in the catalogue."""
    return {name: float(value) for name, value in zip(NAMES, p, strict=True)}


def run(p) -> lo.Trajectory:
    """The gait, by the integrator of the library."""
    return lo.systems.load("snakeboard", **gait(p)).problem().simulate(TIME, rtol=1e-9, atol=1e-11, progress=False)


def main(given: list[str] | None = None) -> dict:
    """Optimise from several phases, keep the best, run it, draw it."""
    options = common.arguments(__doc__, given)
    system = lo.systems.load("snakeboard")
    start = np.array([system.parameters[name] for name in NAMES], dtype=float)
    path = common.steps(reduced(system.model), TIME, 100 if options.short else 200)
    before = np.array(path(np.zeros(6), start))
    limit, best = before[4, -1], None
    for phase in [0.0] if options.short else [0.0, 1.5, -1.5]:
        opti = casadi.Opti()
        p = opti.variable(4)
        end = path(casadi.DM.zeros(6), p)[:, -1]
        opti.minimize(-casadi.sqrt(end[0] ** 2 + end[1] ** 2))
        opti.subject_to(opti.bounded(casadi.DM(LOWER), p, casadi.DM(UPPER)))
        opti.subject_to(end[4] / limit <= 1.0)
        opti.set_initial(p, [*start[:3], phase])
        found = common.solve(opti, quiet=options.quiet)
        distance = -found.value(opti.f)
        print(f"from phase {phase:+.1f}: {distance:.3f} m with {gait(found.value(p))}")
        if best is None or distance > best[0]:
            best = (distance, found.value(p))
    assert best is not None
    motion, usual = run(best[1]), run(start)
    reached, reached_before = (float(np.hypot(*x.q[-1, :2])) for x in (motion, usual))
    print(f"the gait of the catalogue goes {reached_before:.3f} m, the best one {reached:.3f} m; optimised: {best[0]:.3f} m")
    draw(options.out / "snakeboard_gait.png", motion, usual)
    result = gait(best[1]) | {"optimised": best[0], "reached": reached, "reached_before": reached_before}
    common.save(options.out, "snakeboard_gait", result | {"effort": float(limit)})
    return result


def draw(file, motion, usual) -> None:
    """Paths on the ground, and the shape that drives them."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (ground, shape) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    ground.plot(usual.q[:, 0], usual.q[:, 1], color="0.6", label="catalogue")
    ground.plot(motion.q[:, 0], motion.q[:, 1], color="C0", label="optimised")
    ground.plot(0, 0, "k.")
    ground.set(xlabel="x in m", ylabel="y in m", title=f"path in {TIME:g} s")
    ground.set_aspect("equal", adjustable="datalim")
    ground.legend()
    for column, label in ((3, "rear axle"), (5, "rotor")):
        shape.plot(motion.t, np.degrees(motion.q[:, column]), label=label)
    shape.set(xlabel="t in s", ylabel="angle in degrees", title="optimised shape")
    shape.legend()
    figure.savefig(file, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()
