"""What recorded motion takes: forces of coordinates from their courses over time, as inverse dynamics has them.

Coordinates that others are held to (by curves, as the knee of a person) follow these: with q_d = f(q), the force of q is

    Q = tau + sum of f'(q) tau_d ,    v_d = f' v ,   a_d = f' a + f'' v^2                                                (1)
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.signal import butter, sosfiltfilt

from locomote.dynamics.forces import inverse_dynamics
from locomote.errors import UnknownName
from locomote.formats.motion import Recording
from locomote.locomotion.scene import problem_of
from locomote.model.model import Model
from locomote.model.scene import Relation, Scene


def forces_of_motion(
    scene: Scene, motion: Recording, *, cutoff: float | None = None, wrenches: Mapping[str, Any] | None = None
) -> Recording:
    """Forces (N) and torques (N m) that make the coordinates of a scene move as recorded, without muscles and motors.

    scene : of lo.read_scene ; motion : of lo.read_motion, with columns named like coordinates; those that are missing stay
        where the file starts ; cutoff : Hz, of a low-pass filter (Butterworth, forwards and backwards) before slopes are
        taken, none if None ; wrenches : body -> (times, 6) from outside, such as from force plates, as of lo.inverse_dynamics
    """
    model = Model(scene.description).unfolded
    count, start = len(motion.time), problem_of(scene, contacts=False).start
    assert start is not None
    if count < 6:
        raise ValueError(f"the recording has {count} times, expected at least 6 to take accelerations")
    q, v, a = np.tile(start[0], (count, 1)), np.zeros((count, model.nv)), np.zeros((count, model.nv))
    held = {joint: relation for relation in scene.relations for joint in relation.ratios}
    free = [
        name for name in model.joint_names if name not in held and model.joint(name).q.stop - model.joint(name).q.start == 1
    ]
    strange = [name for name in motion.columns if name in held]
    if strange:
        raise UnknownName("independent coordinate", strange[0], free, scene.description.name)
    for name in free:
        if name in motion.columns:
            joint = model.joint(name)
            course = np.asarray(motion.columns[name], dtype=float)
            course = np.deg2rad(course) if motion.degrees and joint.kind == "revolute" else course
            at = joint.q.start, joint.v.start
            q[:, at[0]], v[:, at[1]], a[:, at[1]] = slopes(motion.time, course, cutoff)
    relations = in_order(scene.relations)
    for relation in relations:
        follow(model, relation, q, v, a)
    given = {body: np.asarray(values, dtype=float) for body, values in (wrenches or {}).items()}
    tau = np.array([
        inverse_dynamics(model, q[n], v[n], a[n], wrenches={body: values[n] for body, values in given.items()} or None)
        for n in range(count)
    ])  # fmt: skip
    for relation in reversed(relations):
        (joint,) = relation.ratios
        leader = model.joint(str(relation.other))
        slope = relation.curve()(q[:, leader.q.start] - relation.start, 1)
        tau[:, leader.v.start] += slope * tau[:, model.joint(joint).v.start]  # (1)
    return Recording(motion.time, {name: tau[:, model.joint(name).v.start] for name in free})


def slopes(time: np.ndarray, course: np.ndarray, cutoff: float | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A course, its rate and its acceleration at times (n,), by a quintic spline."""
    if cutoff is not None:
        rate = (len(time) - 1) / (time[-1] - time[0])
        if not 0 < cutoff < rate / 2:
            raise ValueError(f"cutoff is {cutoff!r} Hz, expected between 0 and half the rate of the recording, {rate / 2:g} Hz")
        even = np.linspace(time[0], time[-1], len(time))
        smooth = sosfiltfilt(butter(2, cutoff, fs=rate, output="sos"), np.interp(even, time, course))
        course = np.interp(time, even, smooth)
    ends = [(3, 0.0), (4, 0.0)]
    spline = make_interp_spline(time, course, k=5, bc_type=(ends, ends))
    return spline(time), spline(time, 1), spline(time, 2)


def in_order(relations: tuple[Relation, ...]) -> list[Relation]:
    """Relations, those that others depend on first."""
    waiting, done = list(relations), []
    while waiting:
        held = {joint for relation in waiting for joint in relation.ratios}
        ready = [relation for relation in waiting if relation.other not in held]
        if not ready:
            raise ValueError(f"coordinates are held to each other in a circle: {waiting[0].name!r}")
        done += ready
        waiting = [relation for relation in waiting if relation not in ready]
    return done


def follow(model: Model, relation: Relation, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
    """Put the coordinate that a relation holds where it belongs."""
    (joint,) = relation.ratios
    ratio, own, other = relation.ratios[joint], model.joint(joint), model.joint(str(relation.other))
    x, rate = q[:, other.q.start] - relation.start, v[:, other.v.start]
    value, first, second = (relation.curve()(x, order) / ratio for order in range(3))
    q[:, own.q.start] = relation.offset / ratio + value
    v[:, own.v.start] = first * rate
    a[:, own.v.start] = first * a[:, other.v.start] + second * rate**2
