"""Problems out of scene files: the mechanism with its loops, motors, carried weights and the state it starts in.

A motor that acts on one joint by itself is a servo at every instant; others (several on a joint, over tendons, with limits of
force on one side) are a controller that is called once a time step of the file, as the file's own engine does it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from locomote.actuation.controllers import Sampled
from locomote.actuation.motors import MotorLaw
from locomote.constraints.kinds import Constraint, Coupled, LoopClosure
from locomote.contact.bodies import BodyContacts
from locomote.contact.collisions import touch_of, touching_parts
from locomote.contact.decomposed import cut_description, cut_shapes
from locomote.contact.pairs import collision_pairs, without_overlaps
from locomote.contact.self_collisions import solids_among
from locomote.contact.touch import Ground, Touch
from locomote.drives.drive import as_drive
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
from locomote.locomotion.scene_motors import (
    activation_of,
    acts_alone,
    as_motor,
    controls_of,
    is_number,
    mobility_of,
    servo_of,
    settled,
    with_limits,
    with_springs,
)
from locomote.locomotion.scene_pads import Pads
from locomote.model.description import Keyframe
from locomote.model.model import Model, at_joints
from locomote.model.scene import Floor, Relation, Scene, Thruster


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
    pads = [motor for motor in motors if motor.pad]
    thrusters = [as_motor(own) for own in scene.thrusters if not is_number(told[own.place])]
    motors = [motor for motor in motors if not motor.pad] + thrusters
    alone = [motor for motor in motors if acts_alone(motor, motors, told[motor.place])]
    others = [motor for motor in motors if motor not in alone]
    torques: Any = [servo_of(alone, told)] if alone else []
    model = Model(with_limits(scene.description, alone))
    if others:
        record = description_to_record(scene.description)
        law = MotorLaw(record, tuple(others), tuple(as_drive(told[motor.place]) for motor in others), scene.timestep)
        state = activation_of(scene, others, activations or {})
        torques.append(Sampled(law, every=scene.timestep, state=state, name="motors"))
    pushes = [thrust(thruster, told[thruster.place]) for thruster in scene.thrusters if is_number(told[thruster.place])]
    touching = touches(scene, model, q) if contacts else []
    if pads and touching:
        record, says = description_to_record(scene.description), tuple(as_drive(told[pad.place]) for pad in pads)
        torques.append(Sampled(Pads(record, tuple(touching), tuple(pads), says), every=scene.timestep, name="pads"))
    problem = Locomotion(
        model, torques=torques or None, constraints=constraints_of(scene), contacts=touching,
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


def constraints_of(scene: Scene) -> list[Constraint]:
    """The loops and relations of a scene."""
    found: list[Constraint] = [
        LoopClosure(str(loop.body), loop.other, loop.kind, frame=loop.frame, other_frame=loop.other_frame, name=loop.name)
        for loop in scene.loops
    ]
    return [*found, *map(coupling_of, scene.relations)]


def coupling_of(relation: Relation) -> Coupled:
    """A relation of coordinates as a constraint."""
    if not (relation.coefficients or relation.knots):
        return Coupled(relation.ratios, relation.offset, name=relation.name)
    return Coupled(
        relation.ratios, relation.offset, name=relation.name,
        other=relation.other, coefficients=relation.coefficients, knots=relation.knots, start=relation.start,
    )  # fmt: skip


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


def thrust(thruster: Thruster, told: float) -> Load:
    """The push of a thruster that is told a number."""
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
