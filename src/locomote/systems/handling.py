"""Robot and object in one program of whole-body control: a drawer is opened, a box is carried, a quadruped stands or walks
on a ball.

The object is a body of the model as the links of the robot are, and hands or feet touch it by contacts between bodies. One
quadratic program a tick finds torques, forces on the ground and forces on the object. The plant knows nothing of the program:
bodies touch each other with Coulomb friction, in time steps.
"""

from functools import lru_cache
from types import SimpleNamespace

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems import hrp2_like, quadruped
from locomote.systems.parameters import choice, not_negative, positive
from locomote.systems.parts import at, box

SOURCE = (
    "K. Bouyarmane, A. Kheddar: On the dynamics modeling of free-floating-base articulated mechanisms and applications to "
    "humanoid whole-body dynamics and control. Humanoids (2012), whose model takes objects as parts of one system; tasks and "
    "numbers chosen"
)
SEE = (
    "the hand pulls the drawer open; by another `motion` two hands carry a box, four feet balance on a ball that is pushed, or "
    "walk on it and roll it along"
)
MOTIONS = {"drawer": 3.3, "carry": 9.3, "ball": 4.0, "walk_on_ball": None}  # and how long each takes, s; as long as its way
PARAMETERS = {
    "motion": choice("drawer", tuple(MOTIONS), "what is done"),
    "object_mass": positive(3.0, "kg", "of the drawer, the box or the ball"),
    "box_size": positive(0.2, "m", "edge of the box"),
    "drawer_friction": not_negative(8.0, "N", "of the drawer on its rail"),
    "drawer_damping": not_negative(20.0, "N s/m", "of the drawer on its rail"),
    "radius": positive(0.4, "m", "of the ball"),
    "way": positive(0.3, "m", "that the ball is rolled by walking on it"),
    "friction": positive(0.7, "1", "of the ground"),
}
ARMS = {  # rad, where arms begin to look for the object: of the right arm; of both, left
    "drawer": {"elbow": -1.0, "shoulder_pitch": -0.3, "wrist_pitch": 1.2},
    "carry": {"elbow": -1.2, "shoulder_pitch": -0.6, "shoulder_roll": 0.5, "shoulder_yaw": 0.9},
}
HANDLE, HELD = (0.40, -0.21, 0.7), (0.3, 0.0, 0.9)  # m, where the handle and the box are
SMALL = {"trunk_length": 0.24, "trunk_width": 0.16, "trunk_mass": 6.0, "thigh_length": 0.22, "shank_length": 0.22}
SMALL |= {"thigh_mass": 0.5, "shank_mass": 0.25, "leg_radius": 0.015}
CROUCH = {"ball": (0.66, 0.5), "walk_on_ball": (0.6, 0.8)}  # m, of the trunk above the middle of the ball; rad, of hips
STEPPING = ("front_left", "rear_left", "front_right", "rear_right")  # one after the other


def build(p) -> Model:
    """The robot with its object, which hangs on the world by a joint of its own."""
    if p.motion in CROUCH:
        values = {name: parameter.default for name, parameter in quadruped.PARAMETERS.items()} | SMALL
        builder = Builder.of(quadruped.build(SimpleNamespace(**values)))
        looks = (Visual("sphere", (p.radius,)),)
        ball = Inertia.sphere(p.object_mass, p.radius)
        return builder.body("ball", joint=Joint("ball_free", "free"), inertia=ball, visuals=looks).build()
    builder = Builder.of(hrp2_like.build(_humanoid_values()))
    if p.motion == "carry":
        return builder.body("box", joint=Joint("box_free", "free"), **box(p.object_mass, (p.box_size,) * 3)).build()
    rail = Joint("rail", "prismatic", axis="x", damping=p.drawer_damping, friction=p.drawer_friction)
    looks = (Visual("box", (0.03, 0.14, 0.03), at(-0.015, 0.0, 0.015)), Visual("box", (0.4, 0.4, 0.2), at(0.28, 0.0, 0.0)))
    moment = p.object_mass * 0.02
    drawer = Inertia(p.object_mass, (0.28, 0.0, 0.0), (moment,) * 3)
    return builder.body("drawer", at=HANDLE, joint=rail, inertia=drawer, visuals=looks).build()


def _humanoid_values() -> SimpleNamespace:
    return SimpleNamespace(**{name: parameter.default for name, parameter in hrp2_like.PARAMETERS.items()})


def scenario(p):
    """What is done."""
    return _scenario(tuple(sorted(vars(p).items())))


@lru_cache(maxsize=4)
def _scenario(items):
    from locomote.control.whole_body import objects, on_ball, walk_on_ball

    p = SimpleNamespace(**dict(items))
    model = build(p)
    if p.motion in CROUCH:
        q, ball = _crouched(p, model), {"radius": p.radius, "friction": p.friction}
        if p.motion == "ball":
            return on_ball.on_ball(model, [f"{leg}_foot" for leg in quadruped.LEGS], q, **ball)
        return walk_on_ball.walk_on_ball(model, [f"{leg}_foot" for leg in STEPPING], q, way=p.way, **ball)
    robot = hrp2_like.humanoid(model, _humanoid_values())
    q = robot.q.copy()
    for name, angle in ARMS[p.motion].items():
        q[model.joint(f"right_{name}").q] = -angle if p.motion == "carry" and name.endswith(("roll", "yaw")) else angle
        if p.motion == "carry":
            q[model.joint(f"left_{name}").q] = angle
    if p.motion == "drawer":
        return objects.open_drawer(robot, objects.Handled("drawer", "rail", q))
    q[model.joint("box_free").q][:3] = HELD
    return objects.carry(robot, objects.Handled("box", "box_free", q), (p.box_size / 2,) * 3)


def _crouched(p, model: Model) -> np.ndarray:
    """Above the ball, knees bent, feet nearly on it."""
    q = model.neutral()
    q[model.joint("ball_free").q][2] = p.radius
    up, hip = CROUCH[p.motion]
    q[2] = p.radius + up
    for leg in quadruped.LEGS:
        q[model.joint(f"{leg}_hip").q], q[model.joint(f"{leg}_knee").q] = (0.0, hip), -2 * hip
    return q


def setting(p) -> dict:
    """Torques of whole-body control, ground, touches between bodies, and the push on the ball."""
    return scenario(p).setting(friction=p.friction)


def initial(p, model: Model):
    """Hands or feet on the object, at rest."""
    return scenario(p).q.copy(), np.zeros(model.nv)


def duration(p) -> float:
    """s"""
    if (known := MOTIONS[p.motion]) is not None:
        return known
    from locomote.control.whole_body import walk_on_ball

    return walk_on_ball.duration(p.way)
