"""A run over time as a scene needs it: poses, forces, the way of the base."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from locomote.constraints.keel import KeelRows
from locomote.dynamics.kinematics import forward_kinematics
from locomote.dynamics.momentum import center_of_mass
from locomote.forces.terms import ForceTerm
from locomote.model.model import Model
from locomote.runs.trajectory import Sample, Trajectory
from locomote.view.contacts import index_of, keel_arrows, reaction_arrows, unit
from locomote.view.looks import axis_of
from locomote.view.presses import SOFT, Found, at_times, press_arrows, presses_of
from locomote.view.scene import Arrows, Frames, Press, Scene, world_point, world_pose
from locomote.view.waters import flowing

WAY = 2000  # points of a net path
LENGTH = 0.8  # length of the longest usual arrow, in sizes of the scene
APART = ("spring", SOFT)  # kinds of force terms whose arrows are made elsewhere
USUAL = 98  # per cent of all forces whose arrows are at most that long


def shown(run: Trajectory) -> Trajectory:
    """The run without samples that are not finite; an error in words if nothing is left."""
    good = np.all([np.isfinite(x).all(axis=1) for x in (run.q, run.v, run.a)], axis=0)
    if not good.any():
        raise ValueError(f"the run of {run.model.name!r} has no samples to show")
    if good.all():
        return run
    last = int(np.argmin(good)) if good[0] else 0
    if not last:
        raise ValueError(f"the run of {run.model.name!r} has no samples to show: its first one is not finite")
    return run.part(slice(0, last), [event for event in run.events if event.t <= run.t[last - 1]])


def frames_of(
    scene: Scene, run: Trajectory, times: np.ndarray, *, forces: bool = False, scales=None, path: bool = True
) -> Frames:
    """The scene at times (n,), s, within the run.

    forces : compute arrows too ; scales : those to use for them; else chosen by what is largest
    path : with the way of the base
    """
    sample = run.at(np.asarray(times, dtype=float))
    model = run.model
    q = model.normalize(sample.q)
    poses = forward_kinematics(model, q)
    tubes = tuple(tube.shape(q) for tube in scene.tubes)
    arrows: tuple[Arrows, ...] = ()
    presses: tuple[Press, ...] = ()
    if forces:
        found = presses_of(run, sample, poses)
        arrows, presses = force_arrows(run, sample, q, poses, found), tuple(press for press, _ in found)
        scales = scales or arrow_scales(arrows, scene.size)
    center = center_of_mass(model, q) if model.mass > 0 else None
    way = net_path(run) if path else (None, None)
    flow = flowing(scene.stream, sample.t) if scene.stream is not None else None
    return Frames(np.asarray(times), poses, tubes, arrows, scales or {}, presses, flow, center, *way)


def still_frames(scene: Scene, model: Model, q: np.ndarray) -> Frames:
    """The scene at configurations q (n, nq), without time."""
    poses = forward_kinematics(model, q)
    center = center_of_mass(model, q) if model.mass > 0 else None
    return Frames(np.zeros(len(q)), poses, tuple(tube.shape(q) for tube in scene.tubes), center=center)


def net_path(run: Trajectory) -> tuple[np.ndarray | None, np.ndarray | None]:
    """(m, 3) the way of the base, thinned, and its times (m,); None if it is fixed or does not go anywhere."""
    net = run.net_motion
    if net is None:
        return None, None
    good = np.isfinite(net.position).all(axis=1)
    points, t = net.position[good], net.t[good]
    if len(points) < 2 or np.ptp(points, axis=0).max() < 1e-9:
        return None, None
    rows = np.unique(np.linspace(0, len(points) - 1, min(len(points), WAY)).astype(int))
    return points[rows], t[rows]


def force_arrows(
    run: Trajectory, sample: Sample, q: np.ndarray, poses: np.ndarray, found: Sequence[Found]
) -> tuple[Arrows, ...]:
    """Reactions, joint forces and forces of the environment; found : what touches with friction."""
    model, problem, arrows = run.model, run.problem, []
    if problem is not None:
        start = forward_kinematics(model, model.normalize(run.q[0]))
        first = 0
        for constraint in problem.constraints:
            count = len(constraint.labels)
            values = sample.reactions[:, first : first + count]
            first += count
            if isinstance(constraint, KeelRows) and values.shape[1] == count:
                made = keel_arrows(model, constraint, poses, values)
                arrows += [Arrows(name, "reaction", "N", *one) for name, *one in made]
                continue
            held = reaction_arrows(model, constraint, poses, values, start) if values.shape[1] == count else None
            if held is not None:
                arrows.append(Arrows(constraint.title, "reaction", "N", *held))
        arrows += environment_arrows(problem, sample, q, poses)
        arrows += term_arrows(run, sample, poses)
        arrows += press_arrows(list(found))
    arrows += joint_arrows(run, sample, poses)
    return tuple(arrow for arrow in arrows if np.any(arrow.vector))


def term_arrows(run: Trajectory, sample: Sample, poses: np.ndarray) -> list[Arrows]:
    """Forces of force terms at their places, such as those of water and air; springs have arrows along their line, and
    ground that gives way those of what touches."""
    problem: Any = run.problem
    apart = {term.name for term in problem.terms if term.kind.name in APART}
    arrows = []
    for term in problem.terms:
        given = run.loads.get(term.name)
        if term.name in apart or given is None or given.shape[1] != len(term.places):
            continue
        for k, (body, pose) in enumerate(term.places):
            at = world_point(poses, index_of(run.model, None if body is None else str(body)), pose[:3, 3])
            force = at_times(run.t, given[:, k, :3], np.ravel(sample.t))
            arrows.append(Arrows(f"{term.name} {k}", "environment", "N", at, force))
    return arrows


def joint_arrows(run: Trajectory, sample: Sample, poses: np.ndarray) -> list[Arrows]:
    """Forces and moments of joints with one coordinate, along their axes."""
    model, arrows = run.model, []
    for name in model.joint_names:
        joint = model.joint(name)
        if joint.coupled or joint.kind not in ("revolute", "prismatic") or not np.any(sample.tau[:, joint.v]):
            continue
        k = model.body_index(joint.body)
        axis = world_pose(poses, k)[:, :3, :3] @ axis_of(joint.joint)
        at = world_point(poses, k, joint.joint.anchor)
        unit_ = "N m" if joint.kind == "revolute" else "N"
        arrows.append(Arrows(name, "drive", unit_, at, sample.tau[:, joint.v] * axis))
    return arrows


def environment_arrows(problem, sample: Sample, q: np.ndarray, poses: np.ndarray) -> list[Arrows]:
    """Springs along their line, and wrenches of functions at the origins of bodies."""
    model, arrows = problem.model, []
    for n, part in enumerate(problem.environment):
        if getattr(part, "strut", False):
            x = world_point(poses, index_of(model, part.body), part.point)
            y = world_point(poses, index_of(model, part.other), part.other_point)
            stretch = np.linalg.norm(x - y, axis=1, keepdims=True) - part.length
            arrows.append(
                Arrows(part.name or f"spring {n + 1}", "environment", "N", x, -part.stiffness * stretch * unit(x - y))
            )
        elif not isinstance(part, ForceTerm) and callable(part):
            forces: dict[str, np.ndarray] = {}
            for row, (t, one, v) in enumerate(zip(np.ravel(sample.t), q, sample.v, strict=True)):
                given: Any = part(float(t), one, v)
                for body, wrench in given.items():
                    forces.setdefault(body, np.zeros((len(q), 3)))[row] = np.asarray(wrench, dtype=float)[:3]
            for body, own in forces.items():
                pose = world_pose(poses, model.body_index(body))
                world = np.einsum("nij,nj->ni", pose[:, :3, :3], own)
                arrows.append(Arrows(f"environment on {body}", "environment", "N", pose[:, :3, 3], world))
    return arrows


def arrow_scales(arrows: tuple[Arrows, ...], size: float) -> dict[str, float]:
    """For each unit, how much an arrow of 1 m is: so that usual ones are no longer than the scene is large."""
    scales = {}
    for unit_ in dict.fromkeys(arrow.unit for arrow in arrows):
        lengths = np.concatenate([np.linalg.norm(a.vector, axis=1) for a in arrows if a.unit == unit_])
        lengths = lengths[np.isfinite(lengths) & (lengths > 0)]
        if len(lengths):
            raw = float(np.percentile(lengths, USUAL)) / (LENGTH * size)
            power = 10.0 ** np.floor(np.log10(raw))
            scales[unit_] = float(next(k * power for k in (1, 2, 5, 10) if k * power >= raw * 0.999))
    return scales
