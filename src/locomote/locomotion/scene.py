"""Problems out of scene files: the mechanism with its loops, motors, carried weights and the state it starts in.

A motor that acts on one joint by itself is a servo at every instant; others (several on a joint, over tendons, with limits of
force on one side) are a controller that is called once a time step of the file, as the file's own engine does it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from locomote.actuation.controllers import Sampled
from locomote.actuation.following import Servo
from locomote.constraints.custom import Custom
from locomote.constraints.kinds import Constraint, Coupled, LoopClosure
from locomote.contact.collisions import touch_of, touching_parts
from locomote.contact.touch import Ground, Touch
from locomote.drives.drive import as_drive
from locomote.dynamics.kinematics import forward_kinematics
from locomote.dynamics.matrices import mass_matrix
from locomote.errors import ModelError, UnknownName
from locomote.forces.loads import Load
from locomote.forces.springs import Spring
from locomote.forces.water.box_drag import BoxDrag
from locomote.formats import registry
from locomote.formats.load import load
from locomote.formats.mjcf.reader import read_scene
from locomote.geometry.shapes.plane import Plane
from locomote.locomotion.motors import MotorLaw
from locomote.locomotion.problem import Locomotion
from locomote.model.description import Description, Keyframe
from locomote.model.model import Model, at_joints
from locomote.model.scene import Motor, Relation, Scene, Thruster


def load_scene(path, *, controls: Any = None, keyframe: str | None = None, contacts: bool = True, **options) -> Locomotion:
    """The problem that a scene file states; of MJCF with its loops, motors, carried weights, floors and start.

    controls : what the motors are told: name -> number, drive or function of t, or numbers in the order of the file; as the
        keyframe says if None, zero otherwise. Numbers stay within the control ranges of the file
    keyframe : name of the state to start in; where the file puts the bodies if None
    contacts : whether collision shapes touch the planes of the world, with the larger friction of the two; bodies do not touch
        each other
    options : of the reader of the format, as unsupported= of lo.read_mjcf
    """
    form = registry.of_suffix(str(path)[str(path).rfind(".") :].lower()) if not str(path).lstrip().startswith("<") else None
    if form is not None and form.word != "mjcf":
        if controls is not None or keyframe is not None:
            raise ModelError(str(path), f"{form.name} files have no motors and keyframes; state them in code")
        return Locomotion(load(path, **options))
    return problem_of(read_scene(path, **options), controls=controls, keyframe=keyframe, contacts=contacts)


def problem_of(scene: Scene, *, controls: Any = None, keyframe: str | None = None, contacts: bool = True) -> Locomotion:
    """The problem of a scene that was read; arguments as of `load_scene`."""
    model = Model(scene.description)
    begin = state_named(scene, keyframe)
    told = controls_of(scene, controls, begin)
    q = np.clip(at_joints(model, begin.q), model.lower, model.upper)  # files start beyond limits, which are soft there
    v = np.zeros(model.nv)
    for name, values in begin.v:
        if name in model.joint_names:
            v[model.joint(name).v] = values
    motors = with_damping(scene, model)
    alone = [motor for motor in motors if acts_alone(motor, motors, told[motor.place])]
    others = [motor for motor in motors if motor not in alone]
    torques: Any = [servo_of(alone, told)] if alone else []
    model = Model(with_limits(scene.description, alone))
    if others:
        law = MotorLaw(model.unfolded, tuple(others), tuple(as_drive(told[motor.place]) for motor in others), scene.timestep)
        torques.append(Sampled(law, every=scene.timestep, state=np.zeros(len(others)), name="motors"))
    pushes = [thrust(thruster, told[thruster.place]) for thruster in scene.thrusters]
    return Locomotion(
        model, torques=torques or None, constraints=constraints_of(scene), contacts=touches(scene, model) if contacts else (),
        environment=[*carried(scene), *strands(scene, model.unfolded), *drags(scene), *pushes], start=(q, v),
        name=scene.description.name,
    )  # fmt: skip


def state_named(scene: Scene, keyframe: str | None) -> Keyframe:
    """The keyframe with a name, the start without one."""
    known = {own.name: own for own in scene.description.keyframes}
    if keyframe is None:
        return scene.start
    if keyframe not in known:
        raise UnknownName("keyframe", keyframe, known, scene.description.name)
    return known[keyframe]


def controls_of(scene: Scene, given: Any, begin: Keyframe) -> dict[int, Any]:
    """What each actuator is told, by its place in the file."""
    actuators: dict[str, Motor | Thruster] = {own.name: own for own in (*scene.motors, *scene.thrusters) if own.place >= 0}
    count = 1 + max((own.place for own in actuators.values()), default=-1)
    told: dict[int, Any] = dict.fromkeys(range(-1, count), 0.0)
    if given is None:
        told |= dict(enumerate(begin.controls))
    elif isinstance(given, Mapping):
        for name, value in given.items():
            if name not in actuators:
                raise UnknownName("motor", name, actuators, scene.description.name)
            told[actuators[name].place] = value
    elif isinstance(given, Sequence | np.ndarray) and not isinstance(given, str):
        if len(given) != count:
            raise ValueError(f"controls are {len(given)} numbers, {scene.description.name!r} has {count} actuators")
        told |= dict(enumerate(given))
    else:
        raise TypeError(f"controls are {given!r:.60}, expected name -> number or drive, or a sequence of numbers")
    for own in actuators.values():
        if is_number(value := told[own.place]):
            if not np.isfinite(value):
                raise ValueError(f"control of {own.name!r} is {value!r}, expected a finite number")
            told[own.place] = float(np.clip(value, *own.control_range))
    return told


def is_number(value: Any) -> bool:
    """Whether a motor is told a plain number."""
    return isinstance(value, int | float | np.number)


def with_damping(scene: Scene, model: Model) -> list[Motor]:
    """The motors, those that ask for a damping ratio with the damper that gives it where the file starts."""
    if not any(motor.bias[2] > 0 for motor in scene.motors):
        return list(scene.motors)
    whole, result = model.unfolded, []
    inverse = np.linalg.inv(mass_matrix(whole, at_joints(whole, scene.start.q)))
    for motor in scene.motors:
        if motor.bias[2] > 0:
            arms = np.zeros(whole.nv)
            for name, ratio in motor.joints.items():
                arms[whole.joint(name).v] = motor.gear * ratio
            mass = 1.0 / max(arms @ inverse @ arms, 1e-300)  # that the motor feels
            damper = -2.0 * motor.bias[2] * np.sqrt(max(motor.gain[0], 0.0) * mass)
            motor = replace(motor, bias=(*motor.bias[:2], float(damper)))
        result.append(motor)
    return result


def acts_alone(motor: Motor, motors: Sequence[Motor], told: Any) -> bool:
    """Whether a servo says all of a motor: one joint, no other motor there, force limits alike on both sides."""
    joint = next(iter(motor.joints), None)
    lower, upper = motor.force_range
    return (
        len(motor.joints) == 1
        and motor.dynamics == "none"
        and sum(joint in other.joints for other in motors) == 1
        and lower == -upper
        and (is_number(told) or (motor.gain[1:] == (0.0, 0.0) and motor.control_range == (-np.inf, np.inf)))
    )


def servo_of(motors: Sequence[Motor], told: Mapping[int, Any]) -> Servo:
    """One servo for motors that act alone: each pulls its joint to zero, and a torque does the rest."""
    stiffness, damping, torques = {}, {}, {}
    for motor in motors:
        ((joint, ratio),) = motor.joints.items()
        arm, u = motor.gear * ratio, told[motor.place]
        plain = float(u) if is_number(u) else 0.0
        stiffness[joint] = -(arm**2) * (motor.bias[1] + motor.gain[1] * plain)
        damping[joint] = -(arm**2) * (motor.bias[2] + motor.gain[2] * plain)
        torques[joint] = as_drive(u) * (arm * motor.gain[0]) + arm * motor.bias[0]
    return Servo(dict.fromkeys(stiffness, 0.0), stiffness, damping, torques=torques, name="motors on joints")


def with_limits(description: Description, motors: Sequence[Motor]) -> Description:
    """The description with limits of force, and rotors, of motors that act alone as those of their joints."""
    limits = {}
    for motor in motors:
        ((joint, ratio),) = motor.joints.items()
        limits[joint] = abs(motor.gear * ratio) * motor.force_range[1]

    def changed(joint):
        limit = min(float(np.ravel(joint.effort_limit)[0]), limits[joint.name])
        return replace(joint, effort_limit=limit)

    bodies = [
        replace(body, joints=tuple(changed(joint) if joint.name in limits else joint for joint in body.joints))
        for body in description.bodies
    ]
    return replace(description, bodies=tuple(bodies))


def constraints_of(scene: Scene) -> list[Constraint]:
    """The loops and relations of a scene."""
    found: list[Constraint] = [
        LoopClosure(str(loop.body), loop.other, loop.kind, frame=loop.frame, other_frame=loop.other_frame, name=loop.name)
        for loop in scene.loops
    ]
    model = Model(scene.description).unfolded
    for relation in scene.relations:
        if relation.other is None:
            found.append(Coupled(relation.ratios, relation.offset, name=relation.name))
        else:
            law = Curve(model, relation)
            found.append(Custom(rows=law.rows, drift=law.drift, error=law.error, name=relation.name))
    return found


class Curve:
    """A relation of coordinates that is not linear, as rows of a constraint."""

    def __init__(self, model: Model, relation: Relation):
        self.ratios = np.zeros(model.nv)
        self.of_q = np.zeros(model.nq)
        for name, ratio in relation.ratios.items():
            self.ratios[model.joint(name).v] = self.of_q[model.joint(name).q] = ratio
        other = model.joint(str(relation.other))
        self.q, self.v, self.start, self.offset = other.q.start, other.v.start, relation.start, relation.offset
        self.power = np.polynomial.Polynomial((0.0, *relation.coefficients))

    def rows(self, t, q, v):
        """(1, nv)"""
        row = self.ratios.copy()
        row[self.v] -= self.power.deriv(1)(q[self.q] - self.start)
        return row[None]

    def drift(self, t, q, v):
        """(1,) rate of the row times v"""
        return np.array([-self.power.deriv(2)(q[self.q] - self.start) * v[self.v] ** 2])

    def error(self, t, q, v):
        """(1,) how far the relation is from holding"""
        return np.array([self.of_q @ q - self.offset - self.power(q[self.q] - self.start)])


def carried(scene: Scene) -> list[Load]:
    """Loads that carry a share of the weight of bodies."""
    bodies = {body.name: body for body in scene.description.bodies}
    gravity = np.array(scene.description.gravity)
    return [
        Load(name, tuple(-share * body.inertia.mass * gravity), point=tuple(body.inertia.com), name=f"carried weight {name}")
        for name, share in scene.floating.items()
        if (body := bodies[name]).inertia is not None
    ]


def touches(scene: Scene, model: Model) -> list[Touch]:
    """Collision shapes on the planes of the world."""
    found = []
    for n, floor in enumerate(scene.floors):
        plane = Plane(tuple(map(float, floor.placement[:3, 3])), tuple(map(float, floor.placement[:3, 2])))  # type: ignore[arg-type]
        for part in touching_parts(model):
            own = part.collision
            if own.group & floor.mask or floor.group & own.mask:
                ground = Ground(plane, max(own.friction or 0.0, floor.friction))
                touch = touch_of(part, ground)
                found.append(touch if n == 0 else replace(touch, name=f"{own.title} on plane {n + 1}"))
    return found


def strands(scene: Scene, model: Model) -> list[Spring]:
    """The straight elastic tendons of a scene; those that do not say their length have it where springs have no force."""
    rest = {joint.name: joint.rest for body in scene.description.bodies for joint in body.joints if joint.sizes == (1, 1)}
    slack = [(name, (float(np.ravel(rest[name])[0]),) if name in rest else values) for name, values in scene.start.q]
    poses = forward_kinematics(model, at_joints(model, slack))
    found = []
    for own in scene.strands:
        ends = [
            np.array(point) if body is None else (poses[model.body_index(body)] @ (*point, 1.0))[:3]
            for body, point in ((own.body, own.point), (own.other, own.other_point))
        ]
        length = float(np.linalg.norm(ends[0] - ends[1])) if own.length is None else own.length
        spring = Spring(own.body, own.other, own.point, own.other_point, own.stiffness, length, own.damping, own.name)
        found.append(spring)
    return found


def drags(scene: Scene) -> list[BoxDrag]:
    """What the medium does to bodies that weigh something."""
    if scene.medium is None:
        return []
    of = (scene.medium.density, scene.medium.viscosity, scene.medium.wind)
    return [
        BoxDrag(body.name, body.inertia, *of, axes=scene.axes.get(body.name))
        for body in scene.description.bodies
        if body.inertia is not None and body.inertia.mass > 0
    ]


def thrust(thruster: Thruster, told: Any) -> Load:
    """The push of a thruster that is told a number."""
    if not is_number(told):
        raise ValueError(
            f"thruster {thruster.name!r} is told {told!r:.40}, expected a number: give thrust over time by a force of "
            f"your own, @lo.force"
        )
    push = np.clip(thruster.gain * float(told), *thruster.force_range) * np.array(thruster.gear)
    turn = thruster.frame[:3, :3]
    return Load(
        thruster.body, tuple(turn @ push[:3]), tuple(turn @ push[3:]), tuple(thruster.frame[:3, 3]), "body", name=thruster.name
    )
