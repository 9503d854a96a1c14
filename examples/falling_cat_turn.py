"""The loop of shapes that turns a planar cat by a wanted angle in free fall, with least effort.

Three links in a plane, momentum zero. Momentum is linear in velocities, A_g(r) eta + A_r(r) r' = 0 with A of `momentum_matrix`,
so shapes decide how the cat turns:

    eta = -A_g^-1 A_r r'                                                                                          (1)

Both joints follow Fourier series that begin and end at rest in the straight shape; IPOPT chooses the coefficients such that the
cat has turned at the end, with the least integral of squared torques. The torques come from inverse dynamics at the motion (1).
The library then runs the same drives, without (1): it finds the net motion by itself.
"""

import casadi
import common
import numpy as np

import locomote as lo

TIME, WANTED, HARMONICS = 1.0, np.radians(60.0), 3  # s, rad
LIMIT = 2.6  # rad, of each joint


def cat() -> lo.Model:
    """A middle part and two halves, as rods; seen from its falling center, there is no gravity."""
    rod = lo.Inertia(1.0, (0.15, 0, 0), (0.001, 0.0075, 0.0075))
    middle = lo.Inertia(1.0, (0, 0, 0), (0.001, 0.0075, 0.0075))
    turned = np.diag([-1.0, -1.0, 1.0, 1.0])
    turned[:3, 3] = (-0.15, 0, 0)
    return (
        lo.Builder("planar cat", base="planar", gravity=(0, 0, 0))
        .body("middle", inertia=middle)
        .body("front", parent="middle", at=(0.15, 0, 0), joint=lo.Joint("front"), inertia=rod)
        .body("rear", parent="middle", at=turned, joint=lo.Joint("rear"), inertia=rod)
        .build()
    )


def shape(p, t):
    """Angles of the two joints: terms 1 - cos(k w t), and sin(k w t) - k sin(w t), all at rest in zero at both ends."""
    w, angles = 2 * np.pi / TIME, []
    for joint in range(2):
        c = p[joint * (2 * HARMONICS - 1) :]
        angle = sum(c[k] * (1 - casadi.cos((k + 1) * w * t)) for k in range(HARMONICS))
        for k in range(2, HARMONICS + 1):
            angle += c[HARMONICS + k - 2] * (casadi.sin(k * w * t) - k * casadi.sin(w * t))
        angles.append(angle)
    return casadi.vertcat(*angles)


def drives(p) -> dict:
    """The same as drives of the library."""
    w, result = 2 * np.pi / TIME, {}
    for joint, name in enumerate(("front", "rear")):
        c = p[joint * (2 * HARMONICS - 1) :]
        terms = [lo.Sine(-c[k], (k + 1) * w, np.pi / 2, c[k]) for k in range(HARMONICS)]
        terms += [lo.Sine(c[HARMONICS + k - 2], k * w) for k in range(2, HARMONICS + 1)]
        terms += [lo.Sine(-k * c[HARMONICS + k - 2], w) for k in range(2, HARMONICS + 1)]
        result[name] = sum(terms[1:], terms[0])
    return result


def reduced(model: lo.Model) -> casadi.Function:
    """Rate of (angle, effort) for coefficients of the shape at time t."""
    symbols = lo.symbolic(model)
    x, p, t = casadi.SX.sym("x", 2), casadi.SX.sym("p", 2 * (2 * HARMONICS - 1)), casadi.SX.sym("t")
    r = shape(p, t)
    dr = casadi.jacobian(r, t)
    q = casadi.vertcat(0, 0, 0, r)  # the connection does not depend on place and direction
    A = symbols.momentum_matrix(q)[[0, 1, 5], :]
    eta = -casadi.solve(A[:, :3], A[:, 3:] @ dr)  # (1)
    v = casadi.vertcat(eta, dr)
    a = casadi.jacobian(v, t)
    torque = symbols.inverse_dynamics(q, v, a)[3:]
    return casadi.Function("rate", [x, p, t], [casadi.vertcat(eta[2], casadi.sumsqr(torque))], {"cse": True})


def main(given: list[str] | None = None) -> dict:
    """Optimise, run, draw."""
    options = common.arguments(__doc__, given)
    model = cat()
    path = common.steps(reduced(model), TIME, 50 if options.short else 100)
    opti = casadi.Opti()
    p = opti.variable(2 * (2 * HARMONICS - 1))
    states = path(casadi.DM.zeros(3), p)
    opti.minimize(states[1, -1])
    opti.subject_to(states[0, -1] == WANTED)
    for t in np.linspace(0.0, TIME, 61)[1:-1]:
        opti.subject_to(opti.bounded(-LIMIT, shape(p, t), LIMIT))
    guess = np.zeros(2 * (2 * HARMONICS - 1))
    guess[0], guess[2 * HARMONICS - 1], guess[HARMONICS], guess[-2] = 0.7, 0.7, 0.3, -0.3
    rng, best, effort = np.random.default_rng(0), guess, np.inf
    for trial in range(1 if options.short else 3):  # many loops turn a cat: keep the best of some
        opti.set_initial(p, guess + (trial > 0) * 0.5 * rng.normal(size=len(guess)))
        try:
            found = common.solve(opti, quiet=options.quiet, iterations=100)
        except RuntimeError:
            print(f"trial {trial}: no loop found")
            continue
        print(f"trial {trial}: effort {found.value(opti.f):.4g} N^2 m^2 s")
        if found.value(opti.f) < effort:
            best, effort = found.value(p), float(found.value(opti.f))
    problem = lo.Locomotion(model, drives=drives(best))
    motion = problem.simulate(TIME, rtol=1e-10, atol=1e-12, progress=False)
    turned = float(motion.q[-1, 2])
    print(f"wanted {np.degrees(WANTED):.3f} degrees, the run turned {np.degrees(turned):.3f}; effort {effort:.4g} N^2 m^2 s")
    draw(options.out / "falling_cat_turn.png", model, motion)
    result = {"wanted": WANTED, "turned": turned, "effort": effort, "coefficients": best}
    common.save(options.out, "falling_cat_turn", result | {"t": motion.t, "shape": motion.q[:, 3:]})
    return result | {"motion": motion}


def draw(file, model, motion) -> None:
    """The cat over time, the loop of its shapes, the angle."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplot_mosaic(
        [["film", "film"], ["loop", "angle"]], figsize=(10, 6), layout="constrained", height_ratios=(1, 2)
    )
    film, loop, angle = axes["film"], axes["loop"], axes["angle"]
    shown = np.linspace(0, len(motion.t) - 1, 9).astype(int)
    for n, k in enumerate(shown):
        poses = lo.forward_kinematics(model, motion.q[k])
        center = lo.center_of_mass(model, motion.q[k])
        ends = np.array([(pose @ [0.3, 0, 0, 1])[:2] for pose in poses[1:]])
        joints = np.array([pose[:2, 3] for pose in poses[1:]])
        line = np.array([ends[0], joints[0], joints[1], ends[1]]) - center[:2] + [0.9 * n, 0]
        film.plot(*line[:2].T, color="C1", lw=3)
        film.plot(*line[1:3].T, color="k", lw=3)
        film.plot(*line[2:].T, color="C0", lw=3)
        film.text(0.9 * n, -0.55, f"{motion.t[k]:.2f} s", ha="center", fontsize=8)
    film.set(title="seen from its center of mass (front orange)", xticks=[], yticks=[], ylim=(-0.7, 0.6))
    film.set_aspect("equal")
    loop.plot(*np.degrees(motion.q[:, 3:]).T)
    loop.plot(0, 0, "k.")
    loop.set(xlabel="front in degrees", ylabel="rear in degrees", title="loop of shapes")
    angle.plot(motion.t, np.degrees(motion.q[:, 2]))
    angle.axhline(np.degrees(WANTED), color="0.6", ls="--")
    angle.set(xlabel="t in s", ylabel="angle in degrees", title="direction of the middle part")
    figure.savefig(file, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()
