"""From a Description to the packed arrays that kernels read.

Fixed bodies are merged into the moving body that carries them; every joint is split into elementary ones (massless
bodies between them), and every moving body gets a packed frame with its joint's axis along z, where `frames` puts it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from locomote.model import columns as col
from locomote.model.description import Body, Description
from locomote.model.flexible.packing import Flexible
from locomote.model.frames import ROUNDING, inverse, inverses, place_frames, turns
from locomote.model.grouping import group
from locomote.model.joints import ATTACHED, FLEX, Q_SIZE, SCREWS, V_SIZE, elementary, is_flexible, motion
from locomote.model.joints.axes import pose
from locomote.spatial.inertia import Inertia, skew

UPPER, ONE = np.triu_indices(3), np.eye(3)


@dataclass(frozen=True)
class Packed:
    """Arrays over moving bodies (first six) and over named bodies (last two)."""

    topology: np.ndarray
    constants: np.ndarray
    nq: int
    nv: int
    joint_q: dict[str, slice]
    joint_v: dict[str, slice]
    carrier: np.ndarray  # moving body that carries each named body, their count for the world
    placement: np.ndarray  # (named bodies, 4, 4) pose of each named body in the packed frame of its carrier
    flexible: Flexible | None  # None: all bodies are rigid


def per_coordinate(value, count: int) -> np.ndarray:
    """One value for each of `count` coordinates, from one or from that many."""
    return np.broadcast_to(np.asarray(value, dtype=float), (count,)).astype(float)


def depth_first(bodies: tuple[Body, ...]) -> list[Body]:
    """Bodies in tree order: parents before children, every subtree in one piece, children in the given order."""
    children: dict[str | None, list[Body]] = {}
    for body in bodies:
        children.setdefault(body.parent, []).append(body)
    order, pending = [], list(reversed(children.get(None, [])))
    while pending:
        body = pending.pop()
        order.append(body)
        pending.extend(reversed(children.get(body.name, [])))
    return order


def pack(description: Description, bodies: list[Body]) -> Packed:
    """Pack the given bodies (in tree order) of a checked description."""
    topology, fixed, pitches = [], [], []
    massive: list[tuple[int, Inertia, np.ndarray]] = []
    added: dict[int, np.ndarray] = {}
    carrier: dict[str | None, int] = {None: -1}
    placement: dict[str | None, np.ndarray] = {None: np.eye(4)}
    joint_q, joint_v = {}, {}
    nq = nv = 0
    flexible = Flexible.of(bodies)
    for body in bodies:
        at = flexible.carrier(body) if body.parent in flexible.rods else carrier[body.parent]
        reach = (np.eye(4) if body.parent in flexible.rods else placement[body.parent]) @ body.placement
        for joint in body.moving:
            start_q, start_v = nq, nv
            for kind, turn in elementary(joint):
                frame = pose(turn, joint.anchor)
                fixed.append(reach @ frame)
                if joint.reference:
                    fixed[-1] = fixed[-1] @ motion(kind, joint, [-joint.reference])
                topology.append([at, kind, nq, nv, V_SIZE[kind], len(pitches), 0, nv, 0, -1, -1])
                at, reach = len(pitches), inverse(frame)
                pitches.append(joint.pitch)
                nq, nv = nq + Q_SIZE[kind], nv + V_SIZE[kind]
            joint_q[joint.name], joint_v[joint.name] = slice(start_q, nq), slice(start_v, nv)
        if body.flex is not None:
            rod = flexible.rods[body.name]
            row, size = len(pitches), len(rod.names)
            topology.append([at, FLEX, nq, nv, size, row, 0, nv, 0, -1, flexible.add(body.name, row, nq, nv)])
            fixed.append(reach)
            pitches.append(0.0)
            for station in flexible.stations(body.name):
                on = row if rod.modal else len(pitches) - 1
                topology.append([on, ATTACHED, nq, nv, 0, len(pitches), 0, nv, 0, station, flexible.count - 1])
                fixed.append(np.eye(4))
                pitches.append(0.0)
            joint_q[body.name], joint_v[body.name] = slice(nq, nq + size), slice(nv, nv + size)
            at, reach, nq, nv = row, np.eye(4), nq + size, nv + size
        carrier[body.name], placement[body.name] = at, reach
        if at >= 0 and body.inertia is not None:
            massive.append((at, body.inertia, reach))
        if at >= 0 and body.added_inertia is not None:
            added[at] = added.get(at, 0.0) + moved_matrix(np.asarray(body.added_inertia, dtype=float), reach)
    world = len(fixed)
    places = np.array(fixed).reshape(-1, 4, 4)
    frames = place_frames(places, [row[col.PARENT] for row in topology], [row[col.KIND] for row in topology])
    back = inverses(np.concatenate([frames, np.eye(4)[None]]))  # the last is that of the world
    for i in {row[col.PARENT]: i for i, row in enumerate(topology)}.values():
        topology[i][col.YOUNGEST] = 1
    for i in range(world - 1, -1, -1):
        parent = topology[i][col.PARENT]
        if parent >= 0:
            topology[parent][col.LAST] = max(topology[parent][col.LAST], topology[i][col.LAST])
        else:
            topology[i][col.PARENT] = world
    depth = []
    for row in topology:
        depth.append(1 if row[col.PARENT] == world else depth[row[col.PARENT]] + 1)
        row[col.NEXT] = row[col.PARENT]
        if row[col.PARENT] < world:
            parent = topology[row[col.PARENT]]
            if parent[col.V] + parent[col.V_COUNT] == row[col.V]:
                row[col.RUN], row[col.NEXT] = parent[col.RUN], parent[col.NEXT]
    constants = np.zeros((world + 1, col.CONSTANTS_WIDTH))
    constants[:-1, col.PITCH] = pitches
    put_poses(constants, [row[col.KIND] for row in topology], back[[row[col.PARENT] for row in topology]], places, frames)
    if massive:
        owners, inertias, poses = zip(*massive, strict=True)
        seen = back[list(owners)] @ np.array(poses)
        np.add.at(constants[:, col.MASS : col.MASS + col.INERTIA_WIDTH], list(owners), ten_numbers(inertias, seen))
    rows = np.array([*topology, [world, -1, nq, nv, 0, world, max(depth, default=0), nv, world, -1, -1]], dtype=np.int64)
    flexible.put_inertias(rows, constants)
    group(rows, constants)
    flexible.hang(rows)
    armature = np.zeros(nv)
    for body in bodies:
        for joint in body.moving:
            armature[joint_v[joint.name]] = joint.armature
    for i, (_, kind, _, start, count, *_) in enumerate(topology):
        if is_flexible(kind):
            continue
        constants[i, col.ARMATURE : col.ARMATURE + count] = armature[start : start + count]
    constants[-1, col.GRAVITY : col.GRAVITY + 3] = description.gravity
    if any(matrix.any() for matrix in added.values()):
        constants = np.hstack([constants, np.zeros((len(constants), col.ADDED_WIDTH))])
        for i, matrix in added.items():
            constants[i, col.ADDED :] = pack_matrix(moved_matrix(matrix, back[i]))
    return Packed(
        rows,
        constants,
        nq,
        nv,
        joint_q,
        joint_v,
        np.array([carrier[body.name] % (world + 1) for body in bodies], dtype=np.int64),
        back[[carrier[body.name] for body in bodies]] @ np.array([placement[body.name] for body in bodies]).reshape(-1, 4, 4),
        flexible if flexible.rods else None,
    )


def put_poses(constants: np.ndarray, kinds: list[int], outer: np.ndarray, fixed: np.ndarray, frames: np.ndarray) -> None:
    """The constant poses outer @ fixed @ frames of bodies in their parents, into their rows of the constants."""
    poses = outer @ fixed @ frames
    size = np.maximum(abs(fixed[:, :3, 3]).max(axis=1, initial=0.0), np.maximum(abs(outer[:, 2, 3]), abs(frames[:, 2, 3])))
    o = np.where(abs(poses[:, :3, 3]) < ROUNDING * size[:, None], 0.0, poses[:, :3, 3])  # rounding only
    constants[:-1, col.DISPLACEMENT : col.DISPLACEMENT + 3] = o
    constants[:-1, col.ROTATION : col.ROTATION + 9] = poses[:, :3, :3].reshape(-1, 9)
    screws = np.flatnonzero(np.isin(kinds, SCREWS))
    constants[screws, col.SIN_FORK : col.COS_START + 1] = turns(poses[screws, :3, :3])
    constants[screws, col.COS_START + 1 : col.ROTATION + 9] = 0.0


def ten_numbers(inertias: Sequence[Inertia], poses: np.ndarray) -> np.ndarray:
    """(n, 10) mass, first and second moment (of r r^T) of bodies, each seen from a frame in which it has the given pose."""
    mass, turn = np.array([x.mass for x in inertias])[:, None], poses[:, :3, :3]
    com = (turn @ np.array([x.com for x in inertias])[:, :, None])[:, :, 0] + poses[:, :3, 3]
    moment = np.array([x.moment for x in inertias])
    half = 0.5 * (moment[:, 0, 0] + moment[:, 1, 1] + moment[:, 2, 2])
    second = turn @ (half[:, None, None] * ONE - moment) @ turn.transpose(0, 2, 1)
    second = second + mass[:, :, None] * com[:, :, None] * com[:, None, :]
    return np.concatenate([mass, mass * com, second[:, *UPPER]], axis=1)


def own_inertias(bodies: Sequence[Body], width: int) -> np.ndarray:
    """(bodies, width) inertias of named bodies in their own frames, in the columns of `constants`."""
    result = np.zeros((len(bodies), width))
    heavy = {b: body.inertia for b, body in enumerate(bodies) if body.inertia is not None}
    if heavy:
        own = np.broadcast_to(np.eye(4), (len(heavy), 4, 4))
        result[[*heavy], col.MASS : col.MASS + col.INERTIA_WIDTH] = ten_numbers([*heavy.values()], own)
    for row, body in zip(result, bodies, strict=True) if width > col.ADDED else ():
        if body.added_inertia is not None:
            row[col.ADDED :] = pack_matrix(np.asarray(body.added_inertia, dtype=float))
    return result


def moved_matrix(matrix: np.ndarray, g: np.ndarray) -> np.ndarray:
    """A (6, 6) inertia of a frame with pose g, seen from the outer frame."""
    turn = g[:3, :3].T
    to_inner = np.block([[turn, -turn @ skew(g[:3, 3])], [np.zeros((3, 3)), turn]])
    return to_inner.T @ matrix @ to_inner


def pack_matrix(matrix: np.ndarray) -> np.ndarray:
    """A symmetric (6, 6) matrix as 21 numbers: linear (6), coupling (9), angular (6)."""
    return np.concatenate([matrix[:3, :3][UPPER], matrix[:3, 3:].ravel(), matrix[3:, 3:][UPPER]])
