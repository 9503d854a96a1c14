"""A robot of four legs whose joints are held by springs and dampers and moved by torques, on level ground."""

import numpy as np

import locomote as lo

LEGS = {"lf": (0.25, 0.15), "rf": (0.25, -0.15), "lh": (-0.25, 0.15), "rh": (-0.25, -0.15)}
JOINTS = {"roll": ("x", 0.0), "hip": ("y", 0.6), "knee": ("y", -1.2)}
TURN, AMPLITUDE = np.array([0, np.pi, np.pi, 0]).repeat(3), np.array([0.0, 8.0, -10.0] * 4)


def trotter(friction=0.7):
    builder = lo.Builder("trotter", base="free").body("trunk", inertia=lo.Inertia.box(8.0, (0.6, 0.3, 0.15)))
    ground, touches = lo.Ground(lo.Plane(), friction=friction), []
    parts = {"roll": ((0, 0, 0), 0.3, 0.0), "hip": ((0, 0, 0), 0.5, -0.1), "knee": ((0, 0, -0.2), 0.2, -0.1)}
    for leg, (x, y) in LEGS.items():
        parent = "trunk"
        for joint, (at, mass, down) in parts.items():
            axis, rest = JOINTS[joint]
            held = lo.Joint(f"{leg}_{joint}", axis=axis, armature=0.02, stiffness=60.0, damping=1.5, rest=rest)
            builder.body(
                f"{leg}_{joint}_link", parent=parent, at=(x, y, 0) if parent == "trunk" else at, joint=held,
                inertia=lo.Inertia(mass, (0, 0, down), moment=2e-3 * np.eye(3)),
            )  # fmt: skip
            parent = f"{leg}_{joint}_link"
        touches.append(lo.Touch(parent, ground, sphere=0.02, at=(0, 0, -0.2), name=leg))
    return lo.Locomotion(builder.build(), contacts=touches)


def trot(problem, step, duration=0.4):
    """A start above the ground, and torques (steps, 12) of a trot."""
    q, v = problem.model.neutral(), np.zeros(problem.model.nv)
    q[2], v[0] = 0.36, 0.3
    for name in problem.model.joint_names[1:]:
        q[problem.model.joint(name).q] = JOINTS[name.rpartition("_")[2]][1]
    t = step * np.arange(round(duration / step))
    return {"q": q, "v": v, "step": step, "controls": AMPLITUDE * np.sin(4 * np.pi * t[:, None] + TURN)}


def dropped_on_corners(seed, friction=0.8):
    """The robot with four points below each foot, dropped off its posture and moving: problem, q, v."""
    robot, rng, ground = trotter(friction), np.random.default_rng(seed), lo.Ground(friction=friction)
    corners = [(x, y, -0.2) for x in (-0.03, 0.03) for y in (-0.03, 0.03)]
    touches = [lo.Touch(touch.body, ground, points=corners, name=touch.name) for touch in robot.contacts]
    q = trot(robot, 2e-3)["q"].copy()
    q[2] += rng.uniform(0, 0.02) - 0.02
    q[7:] += 0.02 * rng.normal(size=12)
    return lo.Locomotion(robot.model, contacts=touches), q, 0.1 * rng.normal(size=18)


def slopes_of(robot, step):
    """(12, 2) slopes of where the robot ends, x and y, by torques that are more all the time."""
    given = trot(robot, step)
    both = [lo.gradient(robot, lo.at_end(goal), "controls", **given)[1]["controls"] for goal in ("net.x", "net.y")]
    return np.transpose([slopes.sum(axis=0) for slopes in both])


def averaged(robot, shifts, counts):
    """(counts, 12, shifts, 2) halves of the differences between where the robot ends, with torques more and less by shifts, for
    several numbers of steps: each has its touches at other places within steps."""
    found, both = [], np.concatenate([shifts, -shifts])
    for count in counts:
        given = trot(robot, 0.4 / count)
        moved = np.concatenate([given["controls"] + both[:, None, None] * row for row in np.eye(12)])
        many = lo.rollout(robot, moved, q=given["q"], v=given["v"], step=0.4 / count, keep=count)
        more, less = np.moveaxis(many.q[:, -1, :2].reshape(12, 2, len(shifts), 2), 1, 0)
        found.append((more - less) / 2.0)
    return np.array(found)


def slopes_by_curves(odd, shifts, powers=(1, 2)):
    """(12, 2) slopes at zero of curves through the odd parts (12, shifts, 2) of where it ends, which may have corners there."""
    columns = np.stack([shifts**k for k in powers], axis=1)
    return np.array([np.linalg.lstsq(columns, part, rcond=None)[0][0] for part in odd])
