"""The motors of a scene file: what they are told, and their numbers where these depend on where the file starts.

A motor that acts on one joint by itself is a servo; damping ratios, strengths and lengths of muscles become numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import minimize

from locomote.actuation.following import Servo
from locomote.actuation.motors import MotorLaw
from locomote.actuation.sites import Sites
from locomote.drives.drive import as_drive
from locomote.drives.kinds.constant import Constant
from locomote.drives.kinds.sine import Sine
from locomote.dynamics.matrices import mass_matrix
from locomote.errors import ModelError, UnknownName
from locomote.forces.paths import path_lengths
from locomote.formats.record import description_to_record
from locomote.model.description import Description, Keyframe
from locomote.model.model import Model, at_joints
from locomote.model.scene import Motor, Scene, Site, Thruster

TRIED = 60  # postures among which the longest and shortest way of a muscle are looked for


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


def activation_of(scene: Scene, motors: Sequence[Motor], given: Mapping[str, float]) -> np.ndarray:
    """(motors,) activations that motors start with."""
    known = {motor.name: n for n, motor in enumerate(motors) if motor.dynamics != "none"}
    state = np.zeros(len(motors))
    for name, value in given.items():
        if name not in known:
            raise UnknownName("muscle or motor with a lag", name, known, scene.description.name)
        state[known[name]] = np.clip(float(value), *motors[known[name]].activation_range)
    return state


def as_motor(thruster: Thruster) -> Motor:
    """A thruster that is told more than a number."""
    site = Site(thruster.body, thruster.frame, thruster.gear)
    return Motor(
        thruster.name, {}, gain=(thruster.gain, 0.0, 0.0), place=thruster.place, control_range=thruster.control_range,
        force_range=thruster.force_range, site=site,
    )  # fmt: skip


def is_number(value: Any) -> bool:
    """Whether a motor is told a plain number."""
    return isinstance(value, int | float | np.number)


def mobility_of(model: Model, q: np.ndarray) -> np.ndarray:
    """(nv, nv) inverse of the mass matrix where a file starts."""
    try:
        return np.linalg.inv(mass_matrix(model, q))
    except np.linalg.LinAlgError:
        raise ModelError(model.name, "some joint moves no mass where the file starts, so that what the file asks of motors and"
                         " tendons there has no meaning; give its body mass") from None  # fmt: skip


def arms_of(motor: Motor, whole: Model, q: np.ndarray) -> np.ndarray:
    """(nv,) dl/dq of a motor."""
    if motor.path is not None:
        return motor.gear * path_lengths(whole, (motor.path,), q)[1][0]
    if motor.site is not None:
        return Sites(whole, (motor.site,))(q)[1][0]
    arms = np.zeros(whole.nv)
    for name, ratio in motor.joints.items():
        arms[whole.joint(name).v] = motor.gear * ratio
    return arms


def settled(scene: Scene, model: Model) -> list[Motor]:
    """The motors, with what they are to give where the file starts turned into numbers: damping ratios, strength of muscles."""

    def open_ends(motor):
        damped = motor.bias[2] > 0 and motor.gain == (-motor.bias[1], 0.0, 0.0)  # a position servo with a damping ratio
        return damped or any(own is not None and own.force < 0 for own in (motor.fibres, motor.stretched))

    if not any(motor.fibres is not None or open_ends(motor) for motor in scene.motors):
        return list(scene.motors)
    whole, result = model.unfolded, []
    start = at_joints(whole, scene.start.q)
    known = [with_lengths(motor, whole, start, limits_of(motor, scene)) for motor in scene.motors]
    if not any(map(open_ends, known)):
        return known
    q = at_joints(whole, scene.start.q)
    inverse = mobility_of(whole, q)
    for motor in known:
        if not open_ends(motor):
            result.append(motor)
            continue
        arms = arms_of(motor, whole, q)
        if motor.fibres is not None:
            felt = max(float(np.linalg.norm(inverse @ arms)), 1e-15)
            result.append(strengthened(motor, felt))
            continue
        mass = 1.0 / max(arms @ inverse @ arms, 1e-300)  # that the motor feels
        damper = -2.0 * motor.bias[2] * np.sqrt(max(motor.gain[0], 0.0) * mass)
        result.append(replace(motor, bias=(*motor.bias[:2], float(damper))))
    return result


def strengthened(motor: Motor, felt: float) -> Motor:
    """A muscle whose strength is an acceleration over that which 1 N gives, in N."""
    parts = {name: own for name in ("fibres", "stretched") if (own := getattr(motor, name)) is not None and own.force < 0}
    return replace(motor, **{name: replace(own, force=-own.force / felt) for name, own in parts.items()})


def limits_of(motor: Motor, scene: Scene) -> tuple[float, float]:
    """Shortest and longest length of a motor that limits of its tendon leave."""
    own = (strand.limits for strand in scene.strands if strand.path == motor.path and strand.limits is not None)
    low, high = sorted(motor.gear * limit for limit in next(own, (-np.inf, np.inf)))
    return low, high


def with_lengths(motor: Motor, whole: Model, q: np.ndarray, limits: tuple[float, float]) -> Motor:
    """A muscle that does not say its range of lengths with that which the limits of its joints, and its own, give it; others as
    they are."""
    if motor.fibres is None or motor.fibres.lengths[1] > motor.fibres.lengths[0]:
        return motor
    record = description_to_record(whole.description)
    law = MotorLaw(record, (replace(motor, fibres=None, stretched=None),), (as_drive(0.0),), 1.0)
    moved = np.abs(law.lengths_and_arms(q)[1][0]) > 1e-12
    for step in np.linspace(0.1, 1.0, 7):  # arms may be zero where it starts
        moved |= np.abs(law.lengths_and_arms(whole.integrate(q, step * np.cos(np.arange(whole.nv))))[1][0]) > 1e-12
    names = [name for name in whole.joint_names if moved[whole.joint(name).v].any()]
    ends = {name: (whole.lower[whole.joint(name).q], whole.upper[whole.joint(name).q]) for name in names}
    loose = [name for name, (low, high) in ends.items() if low.size != 1 or not np.isfinite([*low, *high]).all()]
    if loose and np.isfinite(limits).all():
        return ranged(motor, limits)
    if loose:
        raise ModelError(motor.name, f"a muscle without a lengthrange moves joint {loose[0]!r}, which has no limits; give one")
    places = [whole.joint(name).q.start for name in names]
    columns = [whole.joint(name).v.start for name in names]

    def length(x, sign):
        q[places] = x
        lengths, arms = law.lengths_and_arms(q)
        return sign * lengths[0], sign * arms[0][columns]

    q, bounds = np.array(q), [(float(low[0]), float(high[0])) for low, high in ends.values()]
    low, high = np.array(bounds).T
    tried = [low + share * (high - low) for share in (0.0, 0.5, 1.0)]
    tried += list(np.random.default_rng(0).uniform(low, high, (TRIED, len(low))))  # paths may jump from side to side
    found = []
    for sign in (1.0, -1.0):
        starts = sorted(tried, key=lambda x: length(x, sign)[0])[:3]
        ends = [minimize(length, x, (sign,), jac=True, bounds=bounds, method="L-BFGS-B").fun for x in starts]
        found.append(sign * float(min(*ends, *(length(x, sign)[0] for x in starts))))
    return ranged(motor, (max(found[0], limits[0]), min(found[1], limits[1])))


def ranged(motor: Motor, lengths: tuple[float, float]) -> Motor:
    """A muscle with a range of lengths."""
    if not lengths[1] > lengths[0]:
        raise ModelError(motor.name, "limits leave a muscle without a lengthrange only one length; give one")
    stretched = motor.stretched and replace(motor.stretched, lengths=lengths)
    return replace(motor, fibres=motor.fibres and replace(motor.fibres, lengths=lengths), stretched=stretched)


def with_springs(scene: Scene) -> Scene:
    """The scene with the springs and dampers that give joints the time and damping ratio which the file asks for."""
    if not scene.springs:
        return scene
    whole = Model(scene.description).unfolded
    mobility = np.diag(mobility_of(whole, at_joints(whole, scene.start.q)))

    def changed(joint):
        if joint.name not in scene.springs:
            return joint
        time, ratio = scene.springs[joint.name]
        own = 1.0 / float(np.mean(mobility[whole.joint(joint.name).v]))  # the inertia that the joint feels
        return replace(joint, stiffness=own / (time * ratio) ** 2, damping=2.0 * own / time)

    bodies = [replace(body, joints=tuple(map(changed, body.joints))) for body in scene.description.bodies]
    return replace(scene, description=replace(scene.description, bodies=tuple(bodies)), springs={})


def acts_alone(motor: Motor, motors: Sequence[Motor], told: Any) -> bool:
    """Whether a servo says all of a motor: one joint, no other motor there, force limits alike on both sides."""
    joint = next(iter(motor.joints), None)
    lower, upper = motor.force_range
    return (
        len(motor.joints) == 1
        and motor.fibres is None
        and motor.dynamics == "none"
        and motor.tendon_range == (-np.inf, np.inf)
        and sum(joint in other.joints for other in motors) == 1
        and lower == -upper
        and (is_number(told) or (motor.gain[1:] == (0.0, 0.0) and keeps_within(told, motor.control_range)))
    )


def keeps_within(told: Any, limits: tuple[float, float]) -> bool:
    """Whether what a motor is told is known to stay in a range at all times."""
    if limits == (-np.inf, np.inf):
        return True
    lower, upper = limits
    if isinstance(told, Constant) and not told.ramp:
        return lower <= told.value <= upper
    if not isinstance(told, Sine) or (told.ramp and not lower <= 0.0 <= upper):
        return False
    return lower <= told.offset - abs(told.amplitude) and told.offset + abs(told.amplitude) <= upper


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
