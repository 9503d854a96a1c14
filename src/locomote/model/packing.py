"""From a Description to the packed arrays that kernels read.

Fixed bodies are merged into the moving body that carries them; every joint is split into elementary ones (massless
bodies between them), and every moving body gets a packed frame with its joint's axis along z, where `frames` puts it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from locomote.model import columns as col
from locomote.model.description import Body, Description, Joint
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


@dataclass
class Rows:
    """Rows of moving bodies, as they are found body by body, and where named bodies and joints are."""

    flexible: Flexible
    topology: list[list[int]] = field(default_factory=list)
    fixed: list[np.ndarray] = field(default_factory=list)  # poses in the frames of parents
    pitches: list[float] = field(default_factory=list)
    carrier: dict[str | None, int] = field(default_factory=lambda: {None: -1})
    placement: dict[str | None, np.ndarray] = field(default_factory=lambda: {None: np.eye(4)})
    joint_q: dict[str, slice] = field(default_factory=dict)
    joint_v: dict[str, slice] = field(default_factory=dict)
    nq: int = 0
    nv: int = 0

    def add(self, body: Body) -> None:
        """The elementary joints and the deformation that a body moves by, on what carries its parent."""
        on_rod = body.parent in self.flexible.rods
        at = self.flexible.carrier(body) if on_rod else self.carrier[body.parent]
        reach = (np.eye(4) if on_rod else self.placement[body.parent]) @ body.placement
        for joint in body.moving:
            at, reach = self._hang(joint, at, reach)
        if body.flex is not None:
            at, reach = self._bend(body, at, reach)
        self.carrier[body.name], self.placement[body.name] = at, reach

    def _row(self, parent: int, kind: int, count: int, pose: np.ndarray, pitch: float, station: int, rod: int) -> int:
        """A row with `count` coordinates of v from the next one on; returns which it is."""
        own = len(self.pitches)
        self.topology.append([parent, kind, self.nq, self.nv, count, own, 0, self.nv, 0, station, rod])
        self.fixed.append(pose)
        self.pitches.append(pitch)
        return own

    def _hang(self, joint: Joint, at: int, reach: np.ndarray) -> tuple[int, np.ndarray]:
        """A joint as its elementary ones."""
        start_q, start_v = self.nq, self.nv
        for kind, turn in elementary(joint):
            frame = pose(turn, joint.anchor)
            place = reach @ frame
            if joint.reference:
                place = place @ motion(kind, joint, [-joint.reference])
            at, reach = self._row(at, kind, V_SIZE[kind], place, joint.pitch, -1, -1), inverse(frame)
            self.nq, self.nv = self.nq + Q_SIZE[kind], self.nv + V_SIZE[kind]
        self.joint_q[joint.name], self.joint_v[joint.name] = slice(start_q, self.nq), slice(start_v, self.nv)
        return at, reach

    def _bend(self, body: Body, at: int, reach: np.ndarray) -> tuple[int, np.ndarray]:
        """The deformation of a body, and a row for each station on it where others may hang."""
        rod, own = self.flexible.rods[body.name], len(self.pitches)
        size, start = len(rod.names), (self.nq, self.nv)
        self._row(at, FLEX, size, reach, 0.0, -1, self.flexible.add(body.name, own, *start))
        for station in self.flexible.stations(body.name):
            on = own if rod.modal else len(self.pitches) - 1
            self._row(on, ATTACHED, 0, np.eye(4), 0.0, station, self.flexible.count - 1)
        self.nq, self.nv = self.nq + size, self.nv + size
        self.joint_q[body.name], self.joint_v[body.name] = slice(start[0], self.nq), slice(start[1], self.nv)
        return own, np.eye(4)


def pack(description: Description, bodies: list[Body]) -> Packed:
    """Pack the given bodies (in tree order) of a checked description."""
    tree = Rows(Flexible.of(bodies))
    for body in bodies:
        tree.add(body)
    world, topology, flexible = len(tree.fixed), tree.topology, tree.flexible
    parents, kinds = [row[col.PARENT] for row in topology], [row[col.KIND] for row in topology]
    places = np.array(tree.fixed).reshape(-1, 4, 4)
    frames = place_frames(places, parents, kinds)
    back = inverses(np.concatenate([frames, np.eye(4)[None]]))  # the last is that of the world
    deepest = put_links(topology)
    constants = np.zeros((world + 1, col.CONSTANTS_WIDTH))
    constants[:-1, col.PITCH] = tree.pitches
    put_poses(constants, kinds, back[parents], places, frames)
    put_inertias(constants, tree, bodies, back)
    rows = np.array([*topology, [world, -1, tree.nq, tree.nv, 0, world, deepest, tree.nv, world, -1, -1]], dtype=np.int64)
    flexible.put_inertias(rows, constants)
    group(rows, constants)
    flexible.hang(rows)
    put_armatures(constants, tree, bodies)
    constants[-1, col.GRAVITY : col.GRAVITY + 3] = description.gravity
    carriers = [tree.carrier[body.name] for body in bodies]
    return Packed(
        rows,
        with_added(constants, tree, bodies, back),
        tree.nq,
        tree.nv,
        tree.joint_q,
        tree.joint_v,
        np.array([carrier % (world + 1) for carrier in carriers], dtype=np.int64),
        back[carriers] @ np.array([tree.placement[body.name] for body in bodies]).reshape(-1, 4, 4),
        flexible if flexible.rods else None,
    )


def put_links(topology: list[list[int]]) -> int:
    """Into the rows: which child is the youngest, the last row of each subtree, runs of coordinates towards the root, and the
    world as the row after the last; returns how deep the tree is."""
    world = len(topology)
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
    return max(depth, default=0)


def put_inertias(constants: np.ndarray, tree: Rows, bodies: list[Body], back: np.ndarray) -> None:
    """Inertias of named bodies, summed over those that each moving body carries."""
    at, place = tree.carrier, tree.placement
    massive = [(at[x.name], x.inertia, place[x.name]) for x in bodies if at[x.name] >= 0 and x.inertia is not None]
    if massive:
        owners, inertias, poses = zip(*massive, strict=True)
        seen = back[list(owners)] @ np.array(poses)
        np.add.at(constants[:, col.MASS : col.MASS + col.INERTIA_WIDTH], list(owners), ten_numbers(inertias, seen))


def put_armatures(constants: np.ndarray, tree: Rows, bodies: list[Body]) -> None:
    """Armatures of the coordinates of each row."""
    armature = np.zeros(tree.nv)
    for body in bodies:
        for joint in body.moving:
            armature[tree.joint_v[joint.name]] = joint.armature
    for i, (_, kind, _, start, count, *_) in enumerate(tree.topology):
        if not is_flexible(kind):
            constants[i, col.ARMATURE : col.ARMATURE + count] = armature[start : start + count]


def with_added(constants: np.ndarray, tree: Rows, bodies: list[Body], back: np.ndarray) -> np.ndarray:
    """The constants, with columns for added inertia if there is any."""
    added: dict[int, np.ndarray] = {}
    for body in bodies:
        at = tree.carrier[body.name]
        if at >= 0 and body.added_inertia is not None:
            own = moved_matrix(np.asarray(body.added_inertia, dtype=float), tree.placement[body.name])
            added[at] = added.get(at, 0.0) + own
    if any(matrix.any() for matrix in added.values()):
        constants = np.hstack([constants, np.zeros((len(constants), col.ADDED_WIDTH))])
        for i, matrix in added.items():
            constants[i, col.ADDED :] = pack_matrix(moved_matrix(matrix, back[i]))
    return constants


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
