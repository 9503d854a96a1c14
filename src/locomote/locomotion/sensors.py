"""What the sensors of a scene file read, in a run or in one state.

With the frame g = (R, x) of a sensor in the world, its velocity V and spin w, and the frame (R_o, x_o), V_o, w_o in which it is
measured,

    framepos  R_o^T (x - x_o)     framelinvel  R_o^T (V - V_o - w_o x (x - x_o))     frameangvel  R_o^T (w - w_o)        (1)
    accelerometer  R^T (x'' - gravity)     framelinacc  x'' - gravity                                                    (2)
    force, torque : what the body of the sensor gets from its parent, at x, in axes R (`joint_wrenches`)                 (3)
    touch : sum of normal forces on the body whose points, or rays against the force from there, meet the volume        (4)
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from locomote.actuation.motors import MotorLaw
from locomote.brief import brief
from locomote.contact.bodies import BodyContacts, pairs_of
from locomote.contact.separation import separation
from locomote.contact.spots import TOUCH
from locomote.drives.drive import as_drive
from locomote.dynamics.kinematics import motion
from locomote.errors import UnknownName
from locomote.forces.paths import path_lengths
from locomote.formats.record import description_to_record
from locomote.geometry.rays import meets
from locomote.geometry.shapes.plane import Plane
from locomote.geometry.table import surface_normals
from locomote.locomotion.problem import Locomotion
from locomote.locomotion.scene import state_named
from locomote.locomotion.scene_motors import controls_of, settled, with_springs
from locomote.model.model import Model
from locomote.model.scene import Scene, Sensor
from locomote.runs.trajectory import Trajectory
from locomote.spatial.rotations_arrays import quaternion_from_matrix

POSITIVE = ("touch",)
NO_CUTOFF = ("framequat", "framexaxis", "frameyaxis", "framezaxis", "ballquat", "clock")


def sensor_readings(
    scene: Scene, of: Any, q=None, v=None, *, t: float = 0.0, controls: Any = None, keyframe: str | None = None,
    activations: Mapping[str, float] | None = None, names: Sequence[str] | None = None,
) -> dict[str, np.ndarray]:  # fmt: skip
    """What the sensors of a scene file read: name -> (samples, numbers) of a run, (numbers,) in a state.

    scene : lo.read_scene(path) ; of : a run of the problem of lo.load_scene(path), or that problem, in one state at t, s
    q : (nq,) ; v : (nv,) that state
    controls, keyframe, activations : as given to lo.load_scene, for sensors of actuators ; names : of sensors, all if None

    Units are m, rad, s, N; quaternions are x y z w. Forces and torques are those of joints with all that acts on bodies; motors
    and muscles along paths act within joints. In steps over contacts forces are means over the step that ends with a sample.
    A motor with a lag whose activation is not given reads NaN: samples do not hold it.
    """
    chosen = {sensor.name: sensor for sensor in scene.sensors}
    for name in chosen if names is None else names:
        if name not in chosen:
            raise UnknownName("sensor", name, chosen, scene.description.name)
    if isinstance(of, Trajectory):
        state = over(of)
    elif isinstance(of, Locomotion):
        if q is None or v is None:
            raise ValueError("sensors of a problem are read in a state: give q and v")
        state = at_instant(of, float(t), q, v)
    else:
        raise TypeError(f"sensors are read in a run or a problem, not in a {type(of).__name__}")
    reader = Reader(scene, state, controls, keyframe, activations or {})
    read = {name: reader.reading(chosen[name]) for name in (chosen if names is None else names)}
    return read if isinstance(of, Trajectory) else {name: values[0] for name, values in read.items()}


@brief
@dataclass(frozen=True)
class States:
    """n states of a problem: times (n,), q, v, a, and functions that give wrenches (n, bodies, 6) of joints and contacts."""

    problem: Any
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    wrenches: Callable[[], np.ndarray]
    contacts: Callable[[], np.ndarray]
    pairs: np.ndarray


def over(run: Trajectory) -> States:
    """The states of a run."""
    problem = run.problem
    if problem is None:
        raise ValueError(f"sensors need the problem of a run: {run.problem_missing or 'this one does not hold it'}")
    loads = lambda: np.concatenate([run.contact_forces, run.contact_points], axis=2)  # noqa: E731
    pairs = np.zeros((len(run), 0), int) if run.contact_pairs is None else np.asarray(run.contact_pairs)
    return States(problem, run.t, run.model.normalize(run.q), run.v, run.a, lambda: run.joint_wrenches, loads, pairs)


def at_instant(problem: Locomotion, t: float, q, v) -> States:
    """One state of a problem."""
    found = problem.evaluate(t, q, v)
    q, v = problem.model.checked_q(q), problem.model.checked_v(v)
    wrenches = lambda: problem.joint_wrenches(t, q, v, evaluation=found)[None]  # noqa: E731
    loads = lambda: np.concatenate([found.contact_forces, found.contact_points], axis=1)[None]  # noqa: E731
    none = np.zeros((1, 0), int)
    return States(problem, np.array([t]), q[None], v[None], found.a[None], wrenches, loads, none)


class Reader:
    """Readings of the sensors of a scene in some states."""

    def __init__(self, scene: Scene, states: States, controls: Any, keyframe: str | None, activations: Mapping[str, float]):
        self.scene, self.states, self.activations = with_springs(scene), states, activations
        self.said = (controls, keyframe)
        self.model = states.problem.model
        self.moved = motion(self.model, states.q, states.v, states.a, frame="aligned")

    def reading(self, sensor: Sensor) -> np.ndarray:
        """(n, numbers)"""
        kind = sensor.kind
        if sensor.motor >= 0:
            read = self.motors[kind][:, sensor.motor, None]
        elif kind == "jointactuatorfrc":
            read = self.motors["torques"][:, self.model.joint(next(iter(sensor.joints))).v]
        elif kind.startswith(("joint", "ball", "tendon")):
            read = self.lengths(sensor)
        elif kind.startswith("subtree"):
            read = self.tree(sensor)
        elif kind == "clock":
            read = self.states.t[:, None].copy()
        elif kind in ("force", "torque"):
            read = self.loads(sensor)
        elif kind == "touch":
            read = self.touch(sensor)
        else:
            read = self.framed(sensor)
        if sensor.cutoff > 0 and kind not in NO_CUTOFF:
            read = np.clip(read, 0.0 if kind in POSITIVE else -sensor.cutoff, sensor.cutoff)
        return read

    def lengths(self, sensor: Sensor) -> np.ndarray:
        """Coordinates, or lengths of tendons, and their rates."""
        q, v, rate = self.states.q, self.states.v, sensor.kind.endswith(("vel",))
        if sensor.path is not None:
            both = [path_lengths(self.model, (sensor.path,), one) for one in q]
            arms, lengths = np.array([arms[0] for _, arms in both]), np.array([length for length, _ in both])
            return (arms * v).sum(1)[:, None] if rate else lengths
        views = [(self.model.joint(name), ratio) for name, ratio in sensor.joints.items()]
        parts = [ratio * (v[:, view.v] if rate else q[:, view.q]) for view, ratio in views]
        return np.sum(parts, axis=0) if parts else np.zeros((len(q), 1))

    def frame(self, body: str | None, frame: np.ndarray) -> tuple[np.ndarray, ...]:
        """(n, 3, 3) turn and (n, 3) place, velocity, spin, acceleration and its rate of a frame, in the world."""
        n = len(self.states.t)
        if body is None:
            zero = np.zeros((n, 3))
            return np.repeat(frame[None, :3, :3], n, 0), np.repeat(frame[None, :3, 3], n, 0), zero, zero, zero, zero
        b = self.model.body_index(body)
        pose, twist, rate = self.moved.poses[:, b], self.moved.twists[:, b], self.moved.accelerations[:, b]
        arm, spin = pose[:, :3, :3] @ frame[:3, 3], twist[:, 3:]
        velocity = twist[:, :3] + np.cross(spin, arm)
        acceleration = rate[:, :3] + np.cross(rate[:, 3:], arm) + np.cross(spin, np.cross(spin, arm))
        return pose[:, :3, :3] @ frame[:3, :3], pose[:, :3, 3] + arm, velocity, spin, acceleration, rate[:, 3:]

    def framed(self, sensor: Sensor) -> np.ndarray:
        """(1) and (2)."""
        R, x, V, w, acceleration, rate = self.frame(sensor.body, sensor.frame)
        acceleration = acceleration - np.array(self.scene.description.gravity)
        own = {"accelerometer": acceleration, "velocimeter": V, "gyro": w}
        if sensor.kind in own:
            return inside(R, own[sensor.kind])
        plain = {"framelinacc": acceleration, "frameangacc": rate}
        if sensor.kind in plain:
            return plain[sensor.kind]
        Ro, xo, Vo, wo, _, _ = self.frame(*(sensor.other or (None, np.eye(4))))
        if sensor.kind == "framequat":
            return quaternion_from_matrix(np.swapaxes(Ro, 1, 2) @ R)
        if sensor.kind.endswith("axis"):
            return inside(Ro, R[:, :, "xyz".index(sensor.kind[5])])
        if sensor.kind == "framepos":
            return inside(Ro, x - xo)
        return inside(Ro, w - wo if sensor.kind == "frameangvel" else V - Vo - np.cross(wo, x - xo))

    def loads(self, sensor: Sensor) -> np.ndarray:
        """(3)"""
        if sensor.body is None:
            return np.zeros((len(self.states.t), 3))
        wrench = self.joints_carry[:, self.model.body_index(sensor.body)]
        if sensor.kind == "force":
            return wrench[:, :3] @ sensor.frame[:3, :3]
        return (wrench[:, 3:] - np.cross(sensor.frame[:3, 3], wrench[:, :3])) @ sensor.frame[:3, :3]

    @cached_property
    def joints_carry(self) -> np.ndarray:
        """(n, bodies, 6) what joints carry."""
        return self.states.wrenches()

    def tree(self, sensor: Sensor) -> np.ndarray:
        """Center of mass of a body with all that hangs on it, its velocity, or the angular momentum about it."""
        bodies, chosen = self.scene.description.bodies, {sensor.body}
        for body in bodies:  # parents first
            if sensor.body is None or body.parent in chosen:
                chosen.add(body.name)
        own = [(body.name, body.inertia) for body in bodies if body.name in chosen and body.inertia is not None]
        own = [(name, inertia) for name, inertia in own if inertia.mass > 0]
        if not own:
            return np.zeros((len(self.states.t), 3))
        frames = [self.frame(name, at(inertia.com)) for name, inertia in own]
        masses = np.array([inertia.mass for _, inertia in own])
        x, V = (np.array([frame[k] for frame in frames]) for k in (1, 2))
        center, velocity = (np.tensordot(masses, y, 1) / masses.sum() for y in (x, V))
        if sensor.kind != "subtreeangmom":
            return center if sensor.kind == "subtreecom" else velocity
        total = np.einsum("b,bnk->nk", masses, np.cross(x - center, V - velocity))
        for (_, inertia), (R, _, _, w, _, _) in zip(own, frames, strict=True):
            total += np.einsum("nij,jk,nlk,nl->ni", R, inertia.moment, R, w)
        return total

    def touch(self, sensor: Sensor) -> np.ndarray:
        """(4)"""
        problem, read = self.states.problem, np.zeros((len(self.states.t), 1))
        if sensor.body is None or not problem.contacts:
            return read
        loads = self.states.contacts()
        first = loads.shape[1] - self.states.pairs.shape[1]
        known = pairs_of(problem) if self.states.pairs.shape[1] else ()
        for n, k in np.argwhere(np.abs(loads[:, :, :3]).sum(2) > 0):
            force, point = loads[n, k, :3], loads[n, k, 3:]
            touch = problem.contacts[problem.plan.spots[k][TOUCH]]
            if isinstance(touch, BodyContacts):
                below, above = known[int(self.states.pairs[n, k - first]) - 1]
                sides = {above.body: 1.0, below.body: -1.0}
            else:
                sides = {touch.body: 1.0, touch.ground.body: -1.0}
            if sensor.body not in sides:
                continue
            if isinstance(touch, BodyContacts):
                normal = self.between(below, above, n)
            else:
                normal = surface_normals(touch.ground.surface, point[None])[0]
            push = float(force @ normal)
            b = self.model.body_index(sensor.body)
            place = self.moved.poses[n, b] @ sensor.frame
            out = -sides[sensor.body] * np.sign(push) * normal
            if meets(*sensor.volume, place[:3, :3].T @ (point - place[:3, 3]), place[:3, :3].T @ out):
                read[n, 0] += abs(push)
        return read

    def between(self, below, above, n: int) -> np.ndarray:
        """(3,) the normal of two solids in state n, from the first to the second."""
        if isinstance(below.shape, Plane):
            return surface_normals(below.shape, np.zeros((1, 3)))[0]
        poses = [np.eye(4) if x.body is None else self.moved.poses[n, self.model.body_index(x.body)] for x in (below, above)]
        return separation(below.shape, poses[0] @ below.pose, above.shape, poses[1] @ above.pose).normal

    @cached_property
    def motors(self) -> dict[str, np.ndarray]:
        """Lengths, rates and forces (n, actuators) of actuators by the words of sensors, and (n, nv) their torques."""
        scene, states, (controls, keyframe) = self.scene, self.states, self.said
        told = controls_of(scene, controls, state_named(scene, keyframe))
        motors = settled(scene, Model(scene.description))
        count = 1 + max(told)
        read = {kind: np.zeros((len(states.t), count)) for kind in ("actuatorpos", "actuatorvel", "actuatorfrc")}
        read["torques"] = np.zeros((len(states.t), self.model.nv))
        for thruster in scene.thrusters:
            push = [np.clip(thruster.gain * np.clip(as_drive(told[thruster.place])(t)[0], *thruster.control_range),
                            *thruster.force_range) for t in states.t]  # fmt: skip
            read["actuatorfrc"][:, thruster.place] = push
        if not motors:
            return read
        drives = tuple(as_drive(told[motor.place]) for motor in motors)
        law = MotorLaw(description_to_record(scene.description), tuple(motors), drives, scene.timestep)
        for n, t in enumerate(states.t):
            told_now = [np.clip(drive(t)[0], *motor.control_range) for motor, drive in zip(motors, drives, strict=True)]
            acting = [
                self.activations.get(motor.name, np.nan) if motor.dynamics != "none" else u
                for motor, u in zip(motors, told_now, strict=True)
            ]
            force, lengths, rates, arms = law.forces(acting, states.q[n], states.v[n])
            own = [motor.place for motor in motors]
            own_motors = [k for k, place in enumerate(own) if place >= 0]
            places = [own[k] for k in own_motors]
            for kind, values in (("actuatorpos", lengths), ("actuatorvel", rates), ("actuatorfrc", force)):
                read[kind][n, places] = values[own_motors]
            read["torques"][n] = arms[own_motors].T @ force[own_motors]
        return read


def inside(R: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """(n, 3) vectors in axes (n, 3, 3)."""
    return np.einsum("nji,nj->ni", R, vectors)


def at(point) -> np.ndarray:
    """(4, 4) a frame at a point."""
    frame = np.eye(4)
    frame[:3, 3] = point
    return frame
