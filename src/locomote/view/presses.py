"""Places with friction that touch: where they are over time, the normal of what they touch, and how much they carry.

A force stays within the cone about the normal whose half width is the coefficient of friction times its height (Coulomb). As
high as the load along the normal, in the scale of arrows, the cone has the tip of the arrow in its rim where the place slides,
within it where it sticks.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from locomote.contact.bodies import BodyContacts, pairs_of
from locomote.contact.separation import separation
from locomote.contact.spots import TOUCH, TURNED
from locomote.geometry.meshes import Mesh, along, lathe
from locomote.geometry.shapes.box import Box
from locomote.geometry.shapes.plane import Plane
from locomote.geometry.table import surface_normals
from locomote.model.model import Model
from locomote.runs.trajectory import Sample, Trajectory
from locomote.view.contacts import index_of, unit
from locomote.view.scene import Arrows, Press, world_point, world_pose

SOFT = "soft ground"  # kind of the force terms of lo.SoftGround
DISC, LIFT = 0.09, 0.006  # radius of the disc of the largest load, and how far it lies over its place, in sizes of the scene
SEEN = 0.01  # share of the largest load below which a place is not drawn
FEW = 24  # pairs of shapes over time, times 100: above, normals of pairs are those of their forces

Found = tuple[Press, np.ndarray]  # a place, and the force on its body (n, 3), N


def presses_of(run: Trajectory, sample: Sample, poses: np.ndarray) -> list[Found]:
    """Every place with friction that carries something at the times of a sample; poses : (n, bodies, 4, 4) then."""
    if run.problem is None:
        return []
    found = [*hard(run, sample, poses), *soft(run, sample, poses)]
    return [(press, force) for press, force in found if np.any(force)]


def hard(run: Trajectory, sample: Sample, poses: np.ndarray) -> Iterator[Found]:
    """Contacts of lo.Touch and lo.BodyContacts: means over the step that ends with the sample before."""
    problem: Any = run.problem
    if not run.contact_forces.shape[1]:
        return
    rows = np.clip(np.searchsorted(run.t, np.ravel(sample.t), side="right") - 1, 0, len(run) - 1)
    forces, points = run.contact_forces[rows], run.contact_points[rows]
    known = len(problem.plan.spots) == forces.shape[1]
    for k, name in enumerate(run.contact_labels):
        force, at = forces[:, k], points[:, k]
        touch = problem.contacts[problem.plan.spots[k][TOUCH]] if known else None
        if touch is None:
            normal, friction, first = unit(force), (0.0, 0.0), None
        elif isinstance(touch, BodyContacts):
            slot = k - (forces.shape[1] - run.contact_pairs.shape[1])
            normal = between(problem, run.contact_pairs[rows, slot], force, poses)
            friction, first = (float(touch.friction), float(touch.friction)), None
        else:
            normal = touched(run.model, touch, bool(problem.plan.spots[k][TURNED]), at, poses)
            across = touch.ground.friction if touch.ground.across is None else touch.ground.across
            friction = float(touch.ground.friction), float(across)
            body = world_pose(poses, index_of(run.model, str(touch.body)))[:, :3, :3]
            first = None if touch.along is None else body @ np.asarray(touch.along, dtype=float)
        yield Press(name, at, axes_of(normal, first), np.einsum("ni,ni->n", force, normal), friction), force


def touched(model: Model, touch, turned: bool, at: np.ndarray, poses: np.ndarray) -> np.ndarray:
    """(n, 3) normal of what a touch touches at places (n, 3), towards the body that touches; turned : the body has the face."""
    if turned:
        pose, shape, sign = world_pose(poses, index_of(model, str(touch.body))) @ touch.frame(), touch.said_shape, -1.0
    else:
        pose, shape, sign = world_pose(poses, index_of(model, touch.ground.body)), touch.ground.surface, 1.0
    own = np.einsum("nji,nj->ni", pose[:, :3, :3], at - pose[:, :3, 3])
    normals = face_of(shape, own) if isinstance(shape, Box) else surface_normals(shape, own)
    return sign * np.einsum("nij,nj->ni", pose[:, :3, :3], normals)


def face_of(box: Box, places: np.ndarray) -> np.ndarray:
    """(n, 3) normals of the faces of a box that places (n, 3) are at, at its edges too."""
    away = places - np.asarray(box.center, dtype=float)
    face = np.argmax(abs(away) - np.asarray(box.half, dtype=float), axis=1)
    return np.eye(3)[face] * np.sign(away)


def between(problem, pairs: np.ndarray, force: np.ndarray, poses: np.ndarray) -> np.ndarray:
    """(n, 3) normals of the pairs of shapes (n,) that a slot had, towards the body that is pushed."""
    normals, solids = unit(force), pairs_of(problem)
    rows = np.flatnonzero((pairs > 0) & np.any(force, axis=1))
    for n in rows if len(rows) <= 100 * FEW else ():
        below, above = solids[int(pairs[n]) - 1]
        if isinstance(below.shape, Plane):
            normal = surface_normals(below.shape, np.zeros((1, 3)))[0]
        else:
            own = [world_pose(poses[n], index_of(problem.model, x.body)) @ x.pose for x in (below, above)]
            normal = separation(below.shape, own[0], above.shape, own[1]).normal
        normals[n] = normal if force[n] @ normal >= 0 else -normal
    return normals


def soft(run: Trajectory, sample: Sample, poses: np.ndarray) -> Iterator[Found]:
    """Points on ground that gives way."""
    problem: Any = run.problem
    grounds = {part.name: part for part in problem.environment if getattr(part, "feet", None) is not None}
    for term in problem.terms:
        ground, given = grounds.get(term.name), run.loads.get(term.name)
        if term.kind.name != SOFT or ground is None or given is None or given.shape[1] != len(term.places):
            continue
        friction = np.broadcast_to(np.asarray(ground.friction, dtype=float), (2,))
        for k, (body, pose) in enumerate(term.places):
            index = index_of(run.model, None if body is None else str(body))
            force = at_times(run.t, given[:, k, :3], np.ravel(sample.t))
            at = world_point(poses, index, pose[:3, 3])
            normal = surface_normals(ground.surface, at)
            first = (world_pose(poses, index) @ pose)[:, :3, 0]
            load = np.einsum("ni,ni->n", force, normal)
            both = float(friction[0]), float(friction[1])
            yield Press(f"{term.name} {body}.{k}", at, axes_of(normal, first), load, both), force


def at_times(t: np.ndarray, values: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Values (n, 3) at samples t, at other times."""
    return np.stack([np.interp(times, t, column) for column in values.T], axis=1)


def axes_of(normal: np.ndarray, first: np.ndarray | None) -> np.ndarray:
    """(n, 3, 3) axes with a normal (n, 3) last, and the first one along a direction (n, 3) as a surface sees it."""
    free = along(np.zeros_like(normal), normal)
    if first is None:
        return free
    x = first - np.einsum("ni,ni->n", first, normal)[:, None] * normal
    good = np.linalg.norm(x, axis=1) > 1e-9
    x = unit(np.where(good[:, None], x, free[:, :, 0]))
    return np.stack([x, np.cross(normal, x), normal], axis=2)


def press_arrows(found: list[Found]) -> list[Arrows]:
    """Their forces."""
    return [Arrows(press.name, "reaction", "N", press.at, force) for press, force in found]


def cone() -> Mesh:
    """A cone without a bottom: its apex at the origin, one high, one wide."""
    return lathe([(0.0, 0.0), (1.0, 1.0)])


def disc() -> Mesh:
    """A flat disc, one wide."""
    return lathe([(1.0, 0.0), (0.0, 0.0)])


def largest_load(presses: tuple[Press, ...]) -> float:
    """The largest load of all over time, N."""
    return max((float(np.nanmax(press.load)) for press in presses), default=0.0)


def cone_pose(press: Press, row: int, scales: Mapping[str, float], largest: float) -> np.ndarray | None:
    """(4, 4) pose and size of a cone, as large as the load in the scale of arrows; None where it carries nothing."""
    load = float(press.load[row])
    if not load > SEEN * largest or not min(press.friction) > 0 or "N" not in scales:
        return None
    high = load / scales["N"]
    return sized(press, row, np.array([press.friction[0] * high, press.friction[1] * high, high]))


def disc_pose(press: Press, row: int, size: float, largest: float) -> np.ndarray | None:
    """(4, 4) pose and size of a disc, whose area is the load; None where it carries nothing."""
    load = float(press.load[row])
    if not load > SEEN * largest:
        return None
    radius = DISC * size * np.sqrt(load / largest)
    pose = sized(press, row, np.array([radius, radius, radius]))
    pose[:3, 3] += LIFT * size * press.axes[row][:, 2]
    return pose


def sized(press: Press, row: int, size: np.ndarray) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = press.axes[row] * size, press.at[row]
    return pose
