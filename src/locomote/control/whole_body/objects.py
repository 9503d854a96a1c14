"""A humanoid and an object in one program: it lifts a box from a table, carries it and puts it down; it pulls a drawer open.

The object is a body of the model; hands are contacts between bodies. What the object is to do is a task like any other, and the
program finds how hard hands press.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from locomote.contact.touch import Ground, Touch
from locomote.control.whole_body.contacts import Contact, rectangle
from locomote.control.whole_body.controller import WholeBody
from locomote.control.whole_body.humanoids import Humanoid
from locomote.control.whole_body.machine import ContactMachine, Phase, Way
from locomote.control.whole_body.scenarios import UP, Scenario
from locomote.control.whole_body.stances import Stance, find_stance
from locomote.control.whole_body.tasks import AngularMomentum, CenterOfMass, Frame, Posture, Task
from locomote.dynamics.kinematics import forward_kinematics
from locomote.geometry.shapes.plane import Plane

SIDES = (1.0, -1.0)  # left, right
AHEAD = 0.03  # m, of the ankles: the middle of soles
SURE = 1.15  # friction between hands and objects over what the controller counts on


@dataclass(frozen=True)
class Handled:
    """What a humanoid handles.

    body : its name ; joint : that moves it, which has no motor ; start : (nq,) near the posture in which hands are on it
    """

    body: str
    joint: str
    start: np.ndarray = field(repr=False)

    def passive(self, robot: Humanoid) -> list[str]:
        """Joints without a motor."""
        return [robot.model.joint_names[0], self.joint]


def carry(robot: Humanoid, box: Handled, half: Sequence[float], *, rise: float = 0.1, length: float = 0.1) -> Scenario:
    """A box (half lengths, m) is taken from a table between both hands, carried two steps ahead, and put down again.

    rise : m, how high it is lifted ; length : m, of a step
    """
    model, palm, hands = robot.model, robot.palm, robot.hands
    if hands is None or palm is None:
        raise ValueError(f"humanoid {model.name!r} needs hands and palm to carry a box")
    under = rectangle(2 * half[0], 2 * half[1], at=(0.0, 0.0, -half[2]))
    grips = [
        Contact(
            hand,
            palm,
            (0.0, s, 0.0),
            robot.friction / SURE,
            least=4.0,
            other=box.body,
            force=(0.0, 50.0 * s, 0.0),
            force_weight=1e-4,
        )
        for hand, s in zip(hands, SIDES, strict=True)
    ]
    table = Contact(box.body, under, friction=robot.friction, name=box.body)
    place = forward_kinematics(model, box.start)[model.body(box.body).index]
    places = {box.body: place} | {hand: place @ _side(s, half[1]) for hand, s in zip(hands, SIDES, strict=True)}
    stance = _stance(robot, box, [*grips, table], places)
    low = place[2, 3] - half[2]
    lifted, step = place[:3, 3] + [0.0, 0.0, rise - half[2]], np.array([length, 0.0, 0.0])
    left, right = (robot.place(foot) for foot in robot.feet)
    ahead = np.array([length, 0.0])
    middle = stance.center[:2]

    def over(foot) -> np.ndarray:
        return np.array([foot[0], 0.85 * foot[1]])

    def held(name: str, k: int, center) -> Phase:
        return Phase(name, 1.6, center=center, lift=box.body, place=lifted + k * step, up=True, clearance=0.0)

    phases = [
        Phase("settle", 0.2), Phase("lift", 1.2, lift=box.body, up=True, clearance=rise),
        held("to the left foot", 0, over(left)),
        Phase("right step", 0.7, lift=robot.feet[1], place=right + step, clearance=0.04),
        held("to the right foot", 1, over(right + step)),
        Phase("left step", 0.7, lift=robot.feet[0], place=left + step, clearance=0.04),
        held("to the middle", 1, middle + ahead),
        Phase("put", 1.2, lift=box.body, place=place[:3, 3] + step - [0.0, 0.0, half[2]]), Phase("stand", 0.4),
    ]  # fmt: skip

    def machine() -> ContactMachine:
        return ContactMachine(_control(robot, stance, box, [*_feet(robot), *grips, table]), phases)

    between = tuple(
        Touch(
            hand,
            Ground(Plane((0.0, s * half[1], 0.0), (0.0, s, 0.0)), robot.friction, body=box.body),
            points=tuple(map(tuple, palm)),
        )
        for hand, s in zip(hands, SIDES, strict=True)
    )
    return _scenario("carry", robot, machine, stance, {box.body: (under, UP, low)}, between)


def open_drawer(robot: Humanoid, drawer: Handled, *, bar: float = 0.03, way: float = 0.2, duration: float = 2.5) -> Scenario:
    """The right hand holds the handle of a drawer, a bar before the plane x = 0 of its body, with fingers and thumb, and pulls.

    bar : m, thickness of the handle ; way : m, how far the drawer comes out, along -x
    """
    model = robot.model
    if robot.hands is None or robot.palm is None:
        raise ValueError(f"humanoid {model.name!r} needs hands and palm to open a drawer")
    hand, back = robot.hands[1], float(robot.palm[:, 0].min())
    fingers = np.array([[back, y, z] for y in (-0.03, 0.03) for z in (0.0, 0.03)])
    faces = {"fingers": (fingers, 0.0, 1.0), "thumb": (fingers - [bar, 0.0, 0.0], -bar, -1.0)}  # points, x of the face, normal
    grips = [
        Contact(hand, points, (n, 0.0, 0.0), 0.5, name=name, other=drawer.body, force=(20.0 * n, 0.0, 0.0), force_weight=1e-4)
        for name, (points, _, n) in faces.items()
    ]
    handle = forward_kinematics(model, drawer.start)[model.body(drawer.body).index]
    place = handle.copy()
    place[0, 3] -= back
    shut = Contact(drawer.body, name=drawer.body)  # it stays where it is as the hand is put on it
    where = dict.fromkeys(faces, place) | {drawer.body: handle[:3, 3]}
    stance = _stance(robot, drawer, [*grips, shut], where)
    pull = Way(handle[:3, 3], handle[:3, 3] - [way, 0.0, 0.0], 0.3, duration)

    def machine() -> ContactMachine:
        task = Frame(drawer.body, position=pull, rotation=False, axes="x", name="drawer")
        control = _control(robot, stance, drawer, [*_feet(robot), *grips], [task])
        return ContactMachine(control, [Phase("settle", 0.3), Phase("pull", duration), Phase("stand", 0.5)])

    between = tuple(
        Touch(
            hand,
            Ground(Plane((x, 0.0, 0.0), (n, 0.0, 0.0)), 0.6, body=drawer.body),
            points=tuple(map(tuple, points)),
            name=name,
        )
        for name, (points, x, n) in faces.items()
    )
    return _scenario("open_drawer", robot, machine, stance, {}, between)


def _side(sign: float, half: float) -> np.ndarray:
    """(4, 4) pose of a palm on the side of a box, in the box: it presses inwards, forwards is up a little."""
    z, x = np.array([0.0, sign, 0.0]), np.array([np.cos(0.4), 0.0, np.sin(0.4)])
    pose = np.eye(4)
    pose[:3, :3], pose[1, 3] = np.stack([x, np.cross(z, x), z], axis=1), sign * half
    return pose


def _feet(robot: Humanoid) -> list[Contact]:
    return [Contact(foot, robot.sole, friction=robot.friction, least=2.0) for foot in robot.feet]


def _stance(robot: Humanoid, handled: Handled, contacts: list[Contact], places: dict) -> Stance:
    """Soles where they are, hands on the object, the mass center over the middle of the soles."""
    model, feet = robot.model, _feet(robot)
    poses = forward_kinematics(model, handled.start)
    soles = {foot: poses[model.body(foot).index] for foot in robot.feet}
    center = np.mean([robot.place(foot)[:2] for foot in robot.feet], axis=0)
    found = find_stance(
        model, [*feet, *contacts], soles | places, posture=handled.start, center=center, passive=handled.passive(robot)
    )
    if not found.holds or found.error > 1e-6:
        raise ValueError(f"hands of {model.name!r} do not reach {handled.body!r}: they miss it by {found.error:.2g} m")
    return found


def _control(
    robot: Humanoid, stance: Stance, handled: Handled, contacts: list[Contact], tasks: Sequence[Task] = ()
) -> WholeBody:
    """Tasks of a stand, with the object free to be moved."""
    joints = [name for name in robot.model.joint_names if name not in handled.passive(robot)]
    given = [
        CenterOfMass(), Frame(robot.torso, position=False, name="torso", weight=0.1),
        AngularMomentum(weight=1e-3, stiffness=25.0), Posture(reference=stance.q, weight=1e-3, joints=joints),
    ]  # fmt: skip
    return WholeBody(robot.model, [*given, *tasks], contacts, passive=handled.passive(robot), position_limits=True)


def _scenario(name: str, robot: Humanoid, make, stance: Stance, touching: dict, between: tuple[Touch, ...]) -> Scenario:
    ground = dict.fromkeys(robot.feet, (robot.sole, UP, 0.0))
    waist = robot.waist or robot.model.body_names[0]
    return Scenario(name, robot.model, make, stance.q, ground | touching, waist, between=between)
