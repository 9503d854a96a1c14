"""Problems out of scene files: the mechanism with its loops, motors, carried weights and the state it starts in.

A motor that acts on one joint by itself is a servo at every instant; others (several on a joint, over tendons, with limits of
force on one side) are a controller that is called once a time step of the file, as the file's own engine does it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import minimize

from locomote.actuation.controllers import Sampled
from locomote.actuation.following import Servo
from locomote.actuation.motors import MotorLaw
from locomote.constraints.custom import Custom
from locomote.constraints.kinds import Constraint, Coupled, LoopClosure
from locomote.contact.bodies import BodyContacts
from locomote.contact.collisions import touch_of, touching_parts
from locomote.contact.decomposed import cut_description, cut_shapes
from locomote.contact.pairs import collision_pairs, without_overlaps
from locomote.contact.self_collisions import solids_among
from locomote.contact.touch import Ground, Touch
from locomote.drives.drive import as_drive
from locomote.dynamics.matrices import mass_matrix
from locomote.errors import ModelError, UnknownName
from locomote.forces.cables import Cable
from locomote.forces.loads import Load
from locomote.forces.paths import path_lengths
from locomote.forces.water.box_drag import BoxDrag
from locomote.forces.water.ellipsoid_drag import EllipsoidDrag
from locomote.formats.load import load
from locomote.formats.record import description_to_record
from locomote.formats.scenes import scene_of
from locomote.geometry.grids import GridHeights
from locomote.geometry.shapes.height_field import HeightField
from locomote.geometry.shapes.plane import Plane
from locomote.locomotion.clearing import cleared
from locomote.locomotion.problem import Locomotion
from locomote.model.description import Description, Keyframe
from locomote.model.model import Model, at_joints
from locomote.model.scene import Floor, Motor, Relation, Scene, Thruster

TRIED = 60  # postures among which the longest and shortest way of a muscle are looked for


def load_scene(
    path, *, controls: Any = None, keyframe: str | None = None, contacts: bool = True,
    activations: Mapping[str, float] | None = None, parts: int = 1, tolerance: float = 1e-3, **options,
) -> Locomotion:  # fmt: skip
    """The problem that a scene file states; of MJCF and OpenSim with its loops, motors, muscles, carried weights and start.

    controls : what the motors are told: name -> number, drive or function of t, or numbers in the order of the file; as the
        keyframe says if None, zero otherwise. Numbers stay within the control ranges of the file
    keyframe : name of the state to start in; where the file puts the bodies if None
    contacts : whether collision shapes touch planes and shapes of the world, and each other, with the larger friction of the
        two; pairs that overlap where the file starts do not (`lo.collision_pairs`)
    activations : name -> number that a muscle, or a motor with a lag, starts with; 0 for others
    parts, tolerance : hulls that a mesh touches with at most, and how far they may be outside it, m (`lo.decomposed`)
    options : of the reader of the format, as unsupported= of lo.read_mjcf
    """
    scene = scene_of(path, **options)
    if scene is None:
        if controls is not None or keyframe is not None:
            raise ModelError(str(path)[:200], "files of this format have no motors and keyframes; state them in code")
        return Locomotion(load(path, **options))
    if contacts and parts != 1:
        walls = tuple(cut_shapes(scene.walls, tolerance, parts))
        scene = replace(scene, description=cut_description(scene.description, tolerance, parts), walls=walls)
    return problem_of(scene, controls=controls, keyframe=keyframe, contacts=contacts, activations=activations)


def problem_of(
    scene: Scene, *, controls: Any = None, keyframe: str | None = None, contacts: bool = True,
    activations: Mapping[str, float] | None = None,
) -> Locomotion:  # fmt: skip
    """The problem of a scene that was read; arguments as of `load_scene`."""
    scene = with_springs(scene)
    model = Model(scene.description)
    begin = state_named(scene, keyframe)
    told = controls_of(scene, controls, begin)
    q = np.clip(at_joints(model, begin.q), model.lower, model.upper)  # files start beyond limits, which are soft there
    v = np.zeros(model.nv)
    for name, values in begin.v:
        if name in model.joint_names:
            v[model.joint(name).v] = values
    motors = settled(scene, model)
    pads = [motor for motor in motors if motor.pulls_nothing]
    for pad in pads:
        if contacts and not (is_number(told[pad.place]) and told[pad.place] == 0.0):
            raise ValueError(
                f"adhesion {pad.name!r} is told {told[pad.place]!r:.40}, expected 0: contacts of files do not pull; give "
                "lo.Touch an adhesion in code"
            )
    motors = [motor for motor in motors if motor not in pads]
    alone = [motor for motor in motors if acts_alone(motor, motors, told[motor.place])]
    others = [motor for motor in motors if motor not in alone]
    torques: Any = [servo_of(alone, told)] if alone else []
    model = Model(with_limits(scene.description, alone))
    if others:
        record = description_to_record(scene.description)
        law = MotorLaw(record, tuple(others), tuple(as_drive(told[motor.place]) for motor in others), scene.timestep)
        state = activation_of(scene, others, activations or {})
        torques.append(Sampled(law, every=scene.timestep, state=state, name="motors"))
    pushes = [thrust(thruster, told[thruster.place]) for thruster in scene.thrusters]
    problem = Locomotion(
        model, torques=torques or None, constraints=constraints_of(scene),
        contacts=touches(scene, model, q) if contacts else (),
        environment=[*carried(scene), *strands(scene, model.unfolded), *drags(scene), *pushes], start=(q, v),
        name=scene.description.name,
    )  # fmt: skip
    return cleared(problem)


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


def activation_of(scene: Scene, motors: Sequence[Motor], given: Mapping[str, float]) -> np.ndarray:
    """(motors,) activations that motors start with."""
    known = {motor.name: n for n, motor in enumerate(motors) if motor.dynamics != "none"}
    state = np.zeros(len(motors))
    for name, value in given.items():
        if name not in known:
            raise UnknownName("muscle or motor with a lag", name, known, scene.description.name)
        state[known[name]] = np.clip(float(value), *motors[known[name]].activation_range)
    return state


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
        self.curve = relation.curve()

    def rows(self, t, q, v):
        """(1, nv)"""
        row = self.ratios.copy()
        row[self.v] -= self.curve(q[self.q] - self.start, 1)
        return row[None]

    def drift(self, t, q, v):
        """(1,) rate of the row times v"""
        return np.array([-self.curve(q[self.q] - self.start, 2) * v[self.v] ** 2])

    def error(self, t, q, v):
        """(1,) how far the relation is from holding"""
        return np.array([self.of_q @ q - self.offset - self.curve(q[self.q] - self.start, 0)])


def carried(scene: Scene) -> list[Load]:
    """Loads that carry a share of the weight of bodies."""
    bodies = {body.name: body for body in scene.description.bodies}
    gravity = np.array(scene.description.gravity)
    return [
        Load(
            name,
            tuple(-share * body.inertia.mass * gravity),
            point=tuple(body.inertia.com),
            name=force_name(f"carried weight {name}"),
        )
        for name, share in scene.floating.items()
        if (body := bodies[name]).inertia is not None
    ]


def touches(scene: Scene, model: Model, q: np.ndarray) -> list[Touch | BodyContacts]:
    """Collision shapes on the planes and heights of the world, and among each other but for those that overlap at q."""
    found: list[Touch | BodyContacts] = []
    stronger = min if scene.slippery else max
    said = {frozenset((pair.first, pair.second)): pair.friction for pair in scene.pairs}
    for n, floor in enumerate(scene.floors):
        surface = surface_of(floor)
        for part in touching_parts(model):
            own = part.collision
            friction = said.get(frozenset((own.name, floor.name)))
            if friction is not None or own.group & floor.mask or floor.group & own.mask:
                ground = Ground(surface, stronger(own.friction or 0.0, floor.friction) if friction is None else friction)
                touch = touch_of(part, ground)
                found.append(touch if n == 0 else replace(touch, name=f"{own.title} on {floor.name or f'plane {n + 1}'}"))
    pairs = collision_pairs(model, q, walls=scene.walls)
    if not said:
        return [*found, *pairs.contacts(slippery=scene.slippery)]
    kept = tuple(pair for pair in pairs.pairs if frozenset(shape.name for shape in pair) not in said)
    found += replace(pairs, pairs=kept).contacts(slippery=scene.slippery)
    shapes = {x.name: x for x in solids_among([*model.collisions, *(replace(wall, body="") for wall in scene.walls)]) if x.name}
    for pair in scene.pairs:
        both = [shapes[name] for name in (pair.first, pair.second) if name in shapes]
        if len(both) == 2 and any(x.body for x in both):
            meeting, _ = without_overlaps(model, q, [(both[0], both[1])])
            own = replace(pairs, pairs=tuple(meeting)).contacts(friction=pair.friction)
            found += [replace(contacts, name=f"{pair.first} and {pair.second}") for contacts in own]
    return found


def surface_of(floor: Floor) -> Plane | HeightField:
    """The surface of a plane or of heights of the world."""
    place = floor.placement
    if floor.heights is None:
        return Plane(tuple(map(float, place[:3, 3])), tuple(map(float, place[:3, 2])))  # type: ignore[arg-type]
    x, y, z = map(float, place[:3, 3])
    return HeightField(GridHeights(floor.heights, floor.half, (x, y, z), float(np.arctan2(place[1, 0], place[0, 0]))))


def strands(scene: Scene, model: Model) -> list[Cable]:
    """The elastic tendons of a scene; those that do not say their length have it where springs have no force."""
    if not scene.strands:
        return []
    rest = {joint.name: joint.rest for body in scene.description.bodies for joint in body.joints if joint.sizes == (1, 1)}
    slack = [(name, (float(np.ravel(rest[name])[0]),) if name in rest else values) for name, values in scene.start.q]
    begin = at_joints(model, scene.start.q)
    lengths, _ = path_lengths(model, [own.path for own in scene.strands], at_joints(model, slack))
    inverse = mobility_of(model, begin) if any(own.limits for own in scene.strands) else None
    found = []
    for own, length in zip(scene.strands, lengths.tolist(), strict=True):
        between = (length, length) if own.length is None else own.length
        cable = Cable(own.path, own.stiffness, between, own.damping, name=force_name(own.name))
        if own.limits is not None and inverse is not None:
            arms = path_lengths(model, (own.path,), begin)[1][0]
            mass = 1.0 / max(float(arms @ inverse @ arms), 1e-9)  # that the tendon feels
            time, ratio = own.softness
            cable = replace(cable, limits=own.limits, stop_stiffness=mass / (time * ratio) ** 2, stop_damping=2.0 * mass / time)
        found.append(cable)
    return found


def force_name(said: str) -> str:
    """A name for a force, in which there is no '/', as there is in names of files that were put together of others."""
    return said.replace("/", ".")


def drags(scene: Scene) -> list[BoxDrag | EllipsoidDrag]:
    """What the medium does to ellipsoids, and to other bodies that weigh something."""
    if scene.medium is None:
        return []
    of = (scene.medium.density, scene.medium.viscosity, scene.medium.wind)
    ellipsoids = [
        EllipsoidDrag(own.body, own.placement, own.half, own.coefficients, *of, name=force_name(f"medium {own.body} {n}"))
        for n, own in enumerate(scene.immersed, 1)
    ]
    shaped = {own.body for own in scene.immersed}
    return ellipsoids + [
        BoxDrag(body.name, body.inertia, *of, axes=scene.axes.get(body.name), name=force_name(f"medium {body.name}"))
        for body in scene.description.bodies
        if body.inertia is not None and body.inertia.mass > 0 and body.name not in shaped
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
        thruster.body,
        tuple(turn @ push[:3]),
        tuple(turn @ push[3:]),
        tuple(thruster.frame[:3, 3]),
        "body",
        name=force_name(thruster.name),
    )
