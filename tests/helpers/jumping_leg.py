"""A leg that jumps and lands: a trunk on two rails, hip, knee and foot, springs in the joints, torques in knots over time."""

import numpy as np

import locomote as lo

LENGTH, TIME, KNOTS = 0.25, 0.8, 40
REST = np.array([0.7, -1.4])


def leg(ground=None):
    model = (
        lo.Builder("leg", gravity=(0, -9.81, 0))
        .body("slider", joint=lo.Joint("along", "prismatic", axis="x"), inertia=lo.Inertia(0.05))
        .body("trunk", parent="slider", joint=lo.Joint("up", "prismatic", axis="y"), inertia=lo.Inertia(4.0))
    )
    parts = (("thigh", "trunk", (0, 0, 0), 0.5, REST[0]), ("shank", "thigh", (0, -LENGTH, 0), 0.25, REST[1]))
    for name, parent, at, mass, rest in parts:
        joint = lo.Joint("hip" if name == "thigh" else "knee", axis="z", stiffness=60.0, damping=1.5, rest=rest, armature=0.01)
        part = lo.Inertia(mass, (0, -0.12, 0), moment=mass * 0.25**2 / 12 * np.eye(3))
        model = model.body(name, parent=parent, at=at, joint=joint, inertia=part)
    ground = ground or lo.Ground(lo.Plane((0, 0, 0), (0, 1, 0)), friction=0.8)
    return lo.Locomotion(model.build(), contacts=[lo.Touch("shank", ground, points=[(0, -LENGTH, 0)], name="foot")])


def start():
    """It stands, with its foot at the origin."""
    a, b = REST[0], REST.sum()
    return np.array([-LENGTH * (np.sin(a) + np.sin(b)), LENGTH * (np.cos(a) + np.cos(b)), *REST])


def push(step, more=0.0, joint=0):
    """Torques (steps, 2) of hip and knee that make it jump; `more` on one joint, all the time."""
    knots = np.zeros((KNOTS, 2))
    knots[2:10] = [-20.0, 30.0]
    knots[:, joint] += more
    return np.repeat(knots, round(TIME / step) // KNOTS, axis=0)


def jump(step):
    return {"q": start(), "v": np.zeros(4), "step": step, "joints": ["hip", "knee"], "controls": push(step)}
