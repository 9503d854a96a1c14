"""Humanoids by a few names, and what they do: the same scenarios for the built-in one and for any of a file.

    talos = lo.control.Humanoid.standing(model, {"leg_left_4_joint": 0.8, ...}, torso="torso_2_link",
                                 feet=("left_sole_link", "right_sole_link"), sole=lo.control.rectangle(0.2, 0.12))
    print(talos.scenario("steps").run())

Feet first: x forward, y to the left, soles on the plane z = 0.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.contact.touch import Touch
from locomote.control.whole_body.contacts import Contact
from locomote.control.whole_body.controller import WholeBody
from locomote.control.whole_body.machine import ContactMachine, Phase
from locomote.control.whole_body.planner import ContactPlan, Support
from locomote.control.whole_body.scenarios import UP, Scenario
from locomote.control.whole_body.stances import Stance, find_stance
from locomote.control.whole_body.tasks import AngularMomentum, CenterOfMass, Frame, Posture
from locomote.dynamics.kinematics import forward_kinematics
from locomote.errors import UnknownName
from locomote.model.model import Model


@brief
@dataclass(frozen=True)
class Humanoid:
    """A model with the names that scenarios need.

    q : (nq,) standing, soles on the plane z = 0 ; torso : body that stays upright
    waist : body that is pushed, the first if empty
    feet, hands : bodies, left and right ; sole, palm : (n, 3) points of them that touch, m
    raised : joint -> angle, rad, by which arms are stretched for a handstand ; friction : that the controller counts on
    """

    model: Model
    q: np.ndarray
    torso: str
    feet: tuple[str, str]
    sole: np.ndarray
    hands: tuple[str, str] | None = None
    palm: np.ndarray | None = None
    raised: Mapping[str, float] | None = None
    waist: str = ""
    friction: float = 0.6

    @classmethod
    def standing(cls, model: Model, angles: Mapping[str, float], **names: Any) -> "Humanoid":
        """One that stands with given angles (rad) of joints, put on the ground."""
        for needed in ("torso", "feet", "sole"):
            if needed not in names:
                raise TypeError(f"a humanoid needs {needed}=, see lo.control.Humanoid")
        q = model.neutral()
        for joint, angle in angles.items():
            q[model.joint(joint).q] = angle
        pose = forward_kinematics(model, q)[model.body(names["feet"][0]).index]
        q[2] -= (np.asarray(names["sole"]) @ pose[:3, :3].T + pose[:3, 3])[:, 2].mean()
        return cls(model, q, **names)

    def place(self, body: str, points=None) -> np.ndarray:
        """(3,) where the middle of points of a body is in the stand, m; those of the sole if None."""
        pose = forward_kinematics(self.model, self.q)[self.model.body(body).index]
        middle = (self.sole if points is None else np.atleast_2d(points)).mean(axis=0)
        return pose[:3, :3] @ middle + pose[:3, 3]

    def control(self, contacts: Sequence[Contact] | None = None, **options) -> WholeBody:
        """A controller that stands on both feet, or on these contacts."""
        tasks = [
            CenterOfMass(), Frame(self.torso, position=False, name="torso"), AngularMomentum(weight=1e-3, stiffness=25.0),
            Posture(reference=self.q, weight=1e-3),
        ]  # fmt: skip
        if contacts is None:
            contacts = [Contact(foot, self.sole, friction=self.friction, least=2.0) for foot in self.feet]
        return WholeBody(self.model, tasks, contacts, **options)

    def scenario(self, name: str, **numbers: Any) -> Scenario:
        """A scenario by name: see SCENARIOS."""
        if name not in SCENARIOS:
            raise UnknownName("scenario", name, SCENARIOS, "scenarios of humanoids")
        return SCENARIOS[name](self, **numbers)

    def on_feet(self, name: str, phases: list[Phase], *, contacts=(), touching=None, **more) -> Scenario:
        """A scenario that starts in the stand."""
        ground = dict.fromkeys(self.feet, (self.sole, UP, 0.0))
        return Scenario(
            name, self.model, lambda: ContactMachine(self.control(), phases, contacts=contacts), self.q,
            ground | (touching or {}), self.waist or self.model.body_names[0], **more,
        )  # fmt: skip

    def follow(
        self, plan: ContactPlan, start: Sequence[Support], touches: Sequence[Touch], *, name: str = "plan", **phases: Any
    ) -> Scenario:
        """A scenario that runs a plan of contacts from the stand.

        start : supports of the plan's first stance, on which it stands ; touches : what feet and hands may touch, of the plant
        phases : options of `ContactPlan.phases`
        """
        if not plan.found:
            raise ValueError("the plan found no way, so that there is nothing to follow: see lo.control.plan_contacts")
        sequence = [Phase("settle", 0.2), *plan.phases(**phases), Phase("stand", 0.5)]
        own = {support.limb: support.contact for support in start}
        others = {c.support.limb: c.support.contact for c in plan.changes if c.support.limb not in own}

        def machine() -> ContactMachine:
            return ContactMachine(self.control(contacts=list(own.values())), sequence, contacts=list(others.values()))

        waist = self.waist or self.model.body_names[0]
        return Scenario(name, self.model, machine, self.q, {}, waist, between=tuple(touches))

    def handstand(self) -> Stance:
        """A posture on both hands."""
        if self.hands is None or self.palm is None or self.raised is None:
            raise ValueError(f"humanoid {self.model.name!r} needs hands, palm and raised for a handstand")
        model, q = self.model, self.model.neutral()
        q[3:7] = 0.0, 1.0, 0.0, 0.0
        for joint, angle in self.raised.items():
            q[model.joint(joint).q] = angle
        q[2] -= forward_kinematics(model, q)[model.body(self.hands[0]).index][2, 3]
        poses = forward_kinematics(model, q)
        return find_stance(
            model, self._palms(), {hand: poses[model.body(hand).index] for hand in self.hands}, posture=q
        )  # fmt: skip

    def _palms(self) -> list[Contact]:
        return [Contact(hand, self.palm, friction=self.friction, least=6.0) for hand in self.hands or ()]

    def on_hands(self, name: str, stance: Stance, phases: list[Phase], **more) -> Scenario:
        """A scenario that starts in a handstand."""
        waist = self.waist or self.model.body_names[0]

        def machine() -> ContactMachine:
            tasks = [
                CenterOfMass(stiffness=60.0), Frame(waist, position=False, weight=0.02),
                AngularMomentum(weight=1e-3, stiffness=25.0), Posture(reference=stance.q, weight=1e-4),
            ]  # fmt: skip
            return ContactMachine(WholeBody(self.model, tasks, self._palms()), phases)

        ground = dict.fromkeys(self.hands or (), (self.palm, UP, 0.0))
        return Scenario(name, self.model, machine, stance.q, ground, waist, **more)


def stand(robot: Humanoid, *, duration: float = 2.0, push=None) -> Scenario:
    """It stands."""
    return robot.on_feet("stand", [Phase("stand", duration)], push=push)


def single_support(robot: Humanoid, *, height: float = 0.05) -> Scenario:
    """Double support, one foot up, balance, down, double support."""
    left, right = (robot.place(foot) for foot in robot.feet)
    phases = [
        Phase("settle", 0.2), Phase("shift", 1.2, center=left[:2]),
        Phase("lift", 0.8, lift=robot.feet[1], up=True, clearance=height), Phase("balance", 0.5),
        Phase("put", 0.8, lift=robot.feet[1], place=right), Phase("back", 1.0, center=(left + right)[:2] / 2),
    ]  # fmt: skip
    return robot.on_feet("single_support", phases)


def footholds(robot: Humanoid, holds, *, name: str = "footholds", clearance: float = 0.04) -> Scenario:
    """Over given footholds: (foot 0 or 1, place (3,)); the weight is shifted over the other foot before each."""
    places = [robot.place(foot) for foot in robot.feet]
    phases = [Phase("settle", 0.2)]
    for k, (foot, place) in enumerate(holds):
        phases += [
            Phase(f"shift {k}", 1.5, center=places[1 - foot][:2]),
            Phase(f"step {k}", 0.7, lift=robot.feet[foot], place=place, clearance=clearance),
        ]
        places[foot] = np.array(place)
    phases.append(Phase("middle", 1.2, center=(places[0] + places[1])[:2] / 2))
    return robot.on_feet(name, phases)


def walk_in_place(robot: Humanoid, *, steps: int = 4) -> Scenario:
    """Feet are lifted and put down where they were, in turn."""
    left, right = (robot.place(foot) for foot in robot.feet)
    holds = [((1, right), (0, left))[k % 2] for k in range(steps)]
    return footholds(robot, holds, name="walk_in_place")


def steps(robot: Humanoid, *, length: float = 0.12, count: int = 3) -> Scenario:
    """Forward over footholds; the last step closes up."""
    places, holds = [robot.place(foot) for foot in robot.feet], []
    for k in range(count):
        foot = (k + 1) % 2
        ahead = length * (k + 1 if k + 1 < count else k)
        holds.append((foot, places[foot] + np.array([ahead, 0.0, 0.0])))
    return footholds(robot, holds, name="steps")


def hand_on_wall(robot: Humanoid, *, distance: float = 0.12, force: float = 20.0) -> Scenario:
    """The left hand goes to a wall at the left, presses, and comes back."""
    if robot.hands is None:
        raise ValueError(f"humanoid {robot.model.name!r} needs hands to touch a wall")
    hand, point, sideways = robot.hands[0], np.zeros((1, 3)), np.array([0.0, 1.0, 0.0])
    start = robot.place(hand, point)
    wall = start[1] + distance
    touch = Contact(hand, point, normal=(0.0, -1.0, 0.0), friction=0.5, force=-force * sideways, force_weight=1e-4)
    goal = np.array([start[0], wall + 1e-4, start[2] + 0.15])
    phases = [
        Phase("settle", 0.2), Phase("reach", 1.2, lift=hand, place=goal), Phase("press", 1.0),
        Phase("let go", 0.8, lift=hand, place=start, up=True, clearance=0.0), Phase("rest", 0.3),
    ]  # fmt: skip
    return robot.on_feet("hand_on_wall", phases, contacts=[touch], touching={hand: (point, -sideways, -wall)})


def handstand(robot: Humanoid, *, duration: float = 5.0, push=((20.0, 0.0, 0.0), 1.0, 1.2)) -> Scenario:
    """It stands on its hands, and is pushed."""
    return robot.on_hands("handstand", robot.handstand(), [Phase("hold", duration)], push=push)


def hand_lift(robot: Humanoid, *, height: float = 0.03) -> Scenario:
    """In a handstand, the weight goes over one hand, and the other one is lifted and put down."""
    stance = robot.handstand()
    poses = forward_kinematics(robot.model, stance.q)
    left, right = robot.hands or ("", "")
    one, two = (poses[robot.model.body(hand).index][:3, 3] for hand in (left, right))
    phases = [
        Phase("hold", 0.3), Phase("shift", 2.0, center=one[:2]), Phase("lift", 1.0, lift=right, up=True, clearance=height),
        Phase("one hand", 0.5), Phase("put", 1.0, lift=right, place=two), Phase("back", 2.0, center=stance.center[:2]),
    ]  # fmt: skip
    return robot.on_hands("hand_lift", stance, phases)


def pushed_over(robot: Humanoid, *, force: float = 300.0) -> Scenario:
    """A push to the side that no stand survives; it falls, and says so."""
    return robot.on_feet("pushed_over", [Phase("stand", 2.0)], push=((0.0, force, 0.0), 0.1, 0.6), falls=True)


SCENARIOS: dict[str, Callable[..., Scenario]] = {
    "stand": stand, "single_support": single_support, "walk_in_place": walk_in_place, "steps": steps,
    "hand_on_wall": hand_on_wall, "handstand": handstand, "hand_lift": hand_lift, "pushed_over": pushed_over,
}  # fmt: skip
