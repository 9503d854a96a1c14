"""Scenarios of a humanoid: who it is by a few names, what it does, and what is measured while it does it."""

from dataclasses import dataclass, field

import numpy as np
from plant import Plant

import locomote as lo
from locomote.control.whole_body.machine import ContactMachine, Phase

UP = (0.0, 0.0, 1.0)


@dataclass
class Humanoid:
    """A model with the names that scenarios need, standing at q with its soles on the plane z = 0."""

    model: lo.Model
    q: np.ndarray
    torso: str
    feet: tuple[str, str]
    sole: np.ndarray
    friction: float = 0.6
    touching: dict = field(default_factory=dict)

    def place(self, name, q=None):
        pose = lo.forward_kinematics(self.model, self.q if q is None else q)[self.model.body(name).index]
        return pose[:3, :3] @ self.sole.mean(axis=0) + pose[:3, 3]

    def control(self, **options):
        tasks = [
            lo.CenterOfMass(), lo.Frame(self.torso, position=False, name="torso"),
            lo.AngularMomentum(weight=1e-3, stiffness=25.0), lo.Posture(reference=self.q, weight=1e-3),
        ]  # fmt: skip
        return lo.WholeBody(
            self.model, tasks, [lo.Contact(foot, self.sole, friction=self.friction, least=2.0) for foot in self.feet], **options
        )


@dataclass
class Report:
    """What a scenario showed."""

    machine: ContactMachine
    t: float
    unsolved: int = 0
    torque_use: float = 0.0
    friction_use: float = 0.0
    slip: float = 0.0
    quaternion: float = 0.0
    balance: float = 0.0
    residual: float = 0.0
    q: list = field(default_factory=list)
    sway: float = 0.0
    drift: float = 0.0  # m, how far the middle of a contact went along the ground while it was one


class Watch:
    """Measures a machine while it is called."""

    def __init__(self, model, machine, q):
        self.model, self.machine, self.report = model, machine, Report(machine, 0.0)
        self._start, self._began, self._ticks = lo.center_of_mass(model, q), {}, 0

    def __call__(self, t, q, v):
        machine, report, model = self.machine, self.report, self.model
        tau = machine(t, q, v)
        now = machine.now
        report.t = t
        report.unsolved += now.status != "solved"
        report.torque_use = max(report.torque_use, np.max(abs(now.tau) / machine.control.torque_limits))
        report.friction_use = max(report.friction_use, *now.friction_use.values())
        report.residual = max(report.residual, now.residual)
        report.quaternion = max(report.quaternion, abs(np.linalg.norm(q[3:7]) - 1.0))
        if self._ticks % 100 == 0:
            rate = lo.momentum_rate(model, q, v, now.a)[:3]
            force = sum(f.sum(axis=0) for f in now.forces.values()) + model.mass * model.gravity
            report.balance = max(report.balance, abs(rate - force).max())
        if self._ticks % 50 == 0:
            report.q.append(q.copy())
        self._ticks += 1
        self._drift(t, q)
        report.sway = max(report.sway, np.linalg.norm((lo.center_of_mass(model, q) - self._start)[:2]))
        return tau

    def _drift(self, t, q):
        """How far contacts went since they landed; those that leave do not count any more."""
        control, began = self.machine.control, self._began
        for name in [name for name in began if name not in control.contacts or name in control._leaving]:
            del began[name]
        poses = lo.forward_kinematics(self.model, q)
        for name, c in control.contacts.items():
            if name in control._leaving:
                continue
            pose = poses[self.model.body(c.body).index]
            place = pose[:3, :3] @ c.points.mean(axis=0) + pose[:3, 3]
            first, since = began.setdefault(name, (place, t))
            if since > 0.0 and (t - since < 0.1 or (c.normal[2] == 1.0 and first[2] > 5e-5)):  # it is landing
                began[name] = place, since
                continue
            moved = place - first
            self.report.drift = max(self.report.drift, np.linalg.norm(moved - np.array(c.normal) * (moved @ c.normal)))


def run(model, machine, plant, *, longest=20.0, delay=0, push=None) -> Report:
    """Control at 1 kHz on a compliant plant until the machine is done.

    push : (start, stop, force) on the body that the plant was told ; delay : ms
    """
    watch, late = Watch(model, machine, plant.q), []
    for k in range(int(1000 * longest)):
        t = 1e-3 * k
        late.append(watch(t, plant.q, plant.v))
        if machine.done or machine.fallen:
            break
        plant.push = np.array(push[2]) if push and push[0] <= t < push[1] else np.zeros(3)
        plant.advance(late[max(0, len(late) - 1 - delay)], 1e-3)
    watch.report.slip = max(float(s.max()) for s in plant.slid)
    return watch.report


def run_hard(model, machine, touching, q) -> tuple[Report, lo.Trajectory]:
    """The same on hard ground with Coulomb friction, by time steps of 1 ms; touching as for a Plant."""
    touches = []
    for body, (points, normal, offset) in touching.items():
        surface = lo.Plane() if normal == UP else lo.Plane(point=np.array(normal) * offset, normal=normal)
        touches.append(lo.Touch(body, lo.Ground(surface, friction=0.7), points=np.atleast_2d(points)))
    watch = Watch(model, machine, q)
    problem = lo.Locomotion(model, torques=lo.Sampled(watch, every=1e-3), contacts=touches)
    longest = sum(phase.duration for phase in machine.phases) + 0.3
    trajectory = problem.simulate(longest, q=q, method="timestep", step=1e-3, every=0.02, progress=False)
    return watch.report, trajectory


def ground_plant(robot: Humanoid, q=None, **options):
    touching = dict.fromkeys(robot.feet, (robot.sole, UP, 0.0)) | robot.touching
    size = robot.model.mass / 58.0
    options = {"stiffness": 1e5 * size, "damping": 300.0 * size, "step": 2.5e-4 if size > 0.9 else 1e-4} | options
    return Plant(robot.model, touching, robot.q if q is None else q, **options)


def single_support(robot: Humanoid):
    """Double support, one foot up, balance, down, double support."""
    left, right = robot.place(robot.feet[0]), robot.place(robot.feet[1])
    phases = [
        Phase("settle", 0.2), Phase("shift", 1.2, center=left[:2]), Phase("lift", 0.8, lift=robot.feet[1], up=True),
        Phase("balance", 0.5), Phase("put", 0.8, lift=robot.feet[1], place=right),
        Phase("back", 1.0, center=(left + right)[:2] / 2),
    ]  # fmt: skip
    return ContactMachine(robot.control(), phases)


def footholds(robot: Humanoid, holds):
    """Over given footholds: (foot 0 or 1, place); the weight is shifted over the other foot before each."""
    places = [robot.place(foot) for foot in robot.feet]
    phases = [Phase("settle", 0.2)]
    for k, (foot, place) in enumerate(holds):
        phases += [
            Phase(f"shift {k}", 1.5, center=places[1 - foot][:2]),
            Phase(f"step {k}", 0.7, lift=robot.feet[foot], place=place, clearance=0.04),
        ]
        places[foot] = np.array(place)
    phases.append(Phase("middle", 1.2, center=(places[0] + places[1])[:2] / 2))
    return ContactMachine(robot.control(), phases)


def hrp2():
    """The built-in humanoid, knees bent."""
    model = lo.systems.load("hrp2_like").model
    q = model.neutral()
    for side in ("left", "right"):
        for name, angle in (("hip_pitch", -0.35), ("knee", 0.7), ("ankle_pitch", -0.35), ("elbow", -0.5)):
            q[model.joint(f"{side}_{name}").q] = angle
    return grounded(model, q, "chest", ("left_sole", "right_sole"), lo.rectangle(0.24, 0.14))


ROBOTS = {  # file, joints of a bent stand, torso, feet, sole, friction
    "talos": (
        "talos_data/robots/talos_reduced.urdf", {"leg_{}_3_joint": -0.4, "leg_{}_4_joint": 0.8, "leg_{}_5_joint": -0.4},
        ("left", "right"), "torso_2_link", "{}_sole_link", lo.rectangle(0.2, 0.12),
    ),
    "g1": (
        "g1_description/urdf/g1_29dof_rev_1_0.urdf",
        {"{}_hip_pitch_joint": -0.35, "{}_knee_joint": 0.7, "{}_ankle_pitch_joint": -0.35},
        ("left", "right"), "torso_link", "{}_ankle_roll_link", lo.rectangle(0.17, 0.06, at=(0.035, 0.0, -0.037)),
    ),
    "icub": (
        "icub_description/robots/icub.urdf", {"{}_hip_pitch": 0.35, "{}_knee": -0.7, "{}_ankle_pitch": -0.35},
        ("l", "r"), "chest", "{}_sole", lo.rectangle(0.16, 0.07, at=(0.03, 0.0, 0.0)),
    ),
}  # fmt: skip


def from_file(name, folder):
    """A humanoid of a URDF file, knees bent."""
    path, angles, sides, torso, foot, sole = ROBOTS[name]
    model = lo.load(folder / path, base="free")
    q = model.neutral()
    for side in sides:
        for joint, angle in angles.items():
            q[model.joint(joint.format(side)).q] = angle
    return grounded(model, q, torso, tuple(foot.format(side) for side in sides), sole)


def grounded(model, q, torso, feet, sole, **options):
    """A humanoid put on the ground."""
    pose = lo.forward_kinematics(model, q)[model.body(feet[0]).index]
    q = q.copy()
    q[2] -= (sole @ pose[:3, :3].T + pose[:3, 3])[:, 2].mean()
    return Humanoid(model, q, torso, feet, sole, **options)


def hand_on_wall(robot: Humanoid, hand: str, wall: float):
    """A fingertip goes to a wall at x = wall, presses, and comes back."""
    start = lo.forward_kinematics(robot.model, robot.q)[robot.model.body(hand).index][:3, 3]
    touch = lo.Contact(hand, normal=(-1.0, 0.0, 0.0), friction=0.5, force=(-20.0, 0.0, 0.0), force_weight=1e-4)
    goal = np.array([wall + 1e-4, start[1], start[2] + 0.15])
    phases = [
        Phase("settle", 0.2), Phase("reach", 1.2, lift=hand, place=goal), Phase("press", 1.0),
        Phase("let go", 0.8, lift=hand, place=start, up=True, clearance=0.0), Phase("rest", 0.3),
    ]  # fmt: skip
    return ContactMachine(robot.control(), phases, contacts=[touch])


def handstand(model, friction=0.6, palm=None):
    """(stance, control): the built-in humanoid on its hands."""
    palm = lo.rectangle(0.14, 0.10) if palm is None else palm
    q = model.neutral()
    q[3:7] = 0.0, 1.0, 0.0, 0.0
    for side in ("left", "right"):
        q[model.joint(f"{side}_shoulder_pitch").q] = -np.pi
    hands = [lo.Contact(f"{side}_palm", palm, friction=friction, least=2.0) for side in ("left", "right")]
    q[2] -= lo.forward_kinematics(model, q)[model.body("left_palm").index][2, 3]
    poses = lo.forward_kinematics(model, q)
    stance = lo.find_stance(model, hands, {c.name: poses[model.body(c.body).index] for c in hands}, posture=q)
    tasks = [
        lo.CenterOfMass(stiffness=60.0), lo.Frame("waist", position=False, weight=0.02),
        lo.AngularMomentum(weight=1e-3, stiffness=25.0), lo.Posture(reference=stance.q, weight=1e-4),
    ]  # fmt: skip
    return stance, lo.WholeBody(model, tasks, hands)
