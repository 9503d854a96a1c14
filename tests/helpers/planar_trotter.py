"""A robot in a plane that trots at ordinary friction: a trunk of 8 kg and four legs with hip and knee, moved by soft servos.

Diagonal legs go together. Half a period later the other legs do the same, so that its return map is a half period, after which
legs exchange their names."""

import numpy as np

import locomote as lo

PERIOD, FRICTION = 0.6, 0.6  # s
LEGS = {"fore_a": (0.25, 0.0), "hind_b": (-0.25, np.pi), "fore_b": (0.25, np.pi), "hind_a": (-0.25, 0.0)}
HIP, KNEE, LAG = (0.19, 0.23), (0.34, -0.48), 2.65  # amplitude and middle, rad; of the knee behind the hip, rad
STIFFNESS, DAMPING = 96.0, 4.9  # N m, N m s


def trotter(friction: float = FRICTION) -> lo.Locomotion:
    """The robot on level ground; y is up."""
    builder = lo.Builder("trotter", base="planar", gravity=(0, -9.81, 0)).body(
        "trunk", inertia=lo.Inertia.box(8.0, (0.6, 0.1, 0.2))
    )
    ground, rate = lo.Ground(lo.Plane((0, 0, 0), (0, 1, 0)), friction=friction), 2 * np.pi / PERIOD
    touches, targets = [], {}
    for name, (x, phase) in LEGS.items():
        for part, parent, at, mass in (("hip", "trunk", (x, 0, 0), 0.4), ("knee", f"{name}_hip_link", (0, -0.2, 0), 0.2)):
            builder.body(
                f"{name}_{part}_link", parent=parent, at=at, joint=lo.Joint(f"{name}_{part}", axis="z", armature=0.05),
                inertia=lo.Inertia(mass, (0, -0.1, 0), moment=mass * 0.04 / 12 * np.eye(3)),
            )  # fmt: skip
        targets[f"{name}_hip"] = lo.Sine(HIP[0], rate, phase, HIP[1])
        targets[f"{name}_knee"] = lo.Sine(KNEE[0], rate, phase + LAG, KNEE[1])
        touches.append(lo.Touch(f"{name}_knee_link", ground, points=[(0, -0.2, 0)], name=name))
    return lo.Locomotion(builder.build(), contacts=touches, torques=lo.Servo(targets, stiffness=STIFFNESS, damping=DAMPING))


def settled(robot: lo.Locomotion, periods: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """The state after some periods of time steps from a stand, above the origin."""
    q = robot.model.neutral()
    q[1] = 0.4
    for name in LEGS:
        q[robot.model.joint(f"{name}_hip").q], q[robot.model.joint(f"{name}_knee").q] = HIP[1], KNEE[1]
    run = robot.simulate(periods * PERIOD, q=q, step=1e-3, samples=[periods * PERIOD], progress=False)
    return np.r_[0.0, run.q[-1, 1:]], run.v[-1]


def other_legs(model: lo.Model):
    """(t, q, v) -> (q, v) of the robot set back to the origin, with the names of its left and right legs exchanged."""
    places = np.arange(model.nq)
    for name in LEGS:
        other = name[:-1] + ("b" if name.endswith("a") else "a")
        for joint in ("hip", "knee"):
            places[model.joint(f"{name}_{joint}").q] = model.joint(f"{other}_{joint}").q.start
    return lambda t, q, v: ([0 * q[0], *(q[k] for k in places[1:])], [v[k] for k in places])


def cycle_of(robot: lo.Locomotion, q, v):
    """That near a state."""
    return lo.limit_cycle(robot, lambda t, q, v: t - PERIOD / 2, q, v, then=other_legs(robot.model))
