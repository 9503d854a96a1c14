"""The limit cycle of a trotting robot on four points that do not slip, by Newton's method with exact derivatives.

`python benchmarks/trot_cycle.py` takes some minutes. The robot moves in a plane: a trunk of 8 kg and four legs with hip and
knee, which servos move by sines; diagonal legs go together. Time steps bring it near its cycle first.
"""

import time

import numpy as np

import locomote as lo

PERIOD = 0.6  # s
LEGS = {"fore_a": (0.25, 0.0), "hind_b": (-0.25, np.pi), "fore_b": (0.25, np.pi), "hind_a": (-0.25, 0.0)}
HIP, KNEE = (-0.1, 0.4), (0.2, -0.8)  # amplitude and middle, rad


def trotter(friction: float) -> lo.Locomotion:
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
        targets[f"{name}_knee"] = lo.Sine(KNEE[0], rate, phase + np.pi / 2, KNEE[1])
        touches.append(lo.Touch(f"{name}_knee_link", ground, points=[(0, -0.2, 0)], name=name))
    return lo.Locomotion(builder.build(), contacts=touches, torques=lo.Servo(targets, stiffness=100.0, damping=4.0))


def main():
    robot = trotter(1e4)
    q = robot.model.neutral()
    q[1] = 0.4
    for name in LEGS:
        q[robot.model.joint(f"{name}_hip").q], q[robot.model.joint(f"{name}_knee").q] = HIP[1], KNEE[1]
    run = robot.simulate(12 * PERIOD, q=q, step=1e-3, samples=[12 * PERIOD], progress=False)
    start, begun = np.r_[0.0, run.q[-1, 1:]], time.process_time()
    cycle = lo.limit_cycle(robot, lambda t, q, v: t - PERIOD, start, run.v[-1], then=lambda t, q, v: ([0 * q[0], *q[1:]], v))
    print(f"{cycle}; closes to {cycle.residual:.1g}; {time.process_time() - begun:.0f} s")


if __name__ == "__main__":
    main()
