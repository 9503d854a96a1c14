"""The links of a mechanism at an instant: where they are, how they move, what inertia they have.

A link k is a moving body behind one elementary joint; joints of several axes (universal, euler, cylindrical, xyz) are several
links, all but the last without mass. In axes of the world, angular part first (unlike elsewhere in the library):

    twist    t_k = (w_k, velocity of the link's point X_k) ,   wrench (moment about X_k, force)
    motion   t_k = A_kb t_b + P_k v_k ,   A_kb = [[1, 0], [a_kb x, 1]] ,   a_kb from X_k to X_b                          (1)
             P_k = diag(R_k, R_k) S_k ,   P_k' = W_k P_k ,   W_k = diag(w_k x, w_k x)                                    (2)
    inertia  M_k = [[I_k, m d_k x], [-m d_k x, m 1]] ,   I_k about X_k, d_k from X_k to the center of mass               (3)
    forces   w_k = M_k t_k' + W_k M_k E t_k ,   E = diag(1, 0)                                                           (4)

S_k has the unit motions of the joint in the link's frame: (e, 0) of a revolute joint, (0, e) of a prismatic one, three columns
of a ball, six of a free body. O-form: X_k is the origin O_k, a point of the joint axis. C-form: X_k is the center of mass,
so that d_k = 0 and P_k = (e, e x d) of a revolute joint. All the rest of this folder is the same in both.

Rods and modal bodies (`flexible`) are stations that share coordinates.

An added inertia H (of water) has no center and no weight; with p the linear part of H t_k it adds
H t' + (W H - H W) t + (v x p, 0) to (4).
"""

from dataclasses import dataclass

import numpy as np

from locomote.brief import brief
from locomote.denoc.flexible import coordinates_of, step
from locomote.denoc.modules import Modules, modularise
from locomote.errors import UnknownName
from locomote.model import columns as col
from locomote.model.joints import ATTACHED, FLEX, axis_number, joint_pose, joint_sines
from locomote.model.model import Model, checked_model
from locomote.spatial.inertia import skew

FORMS = ("O", "C")
E = np.diag([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
HELICAL_UNIT = 2  # along z, what a pitch adds
ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]
UPPER = np.triu_indices(3)


@brief
@dataclass(frozen=True)
class Links:
    """All links of a model at (q, v); symbols as in this file's header.

    parent : (n,) number of the link before, -1 for the world ; columns : slices of v
    R : (n, 3, 3) axes of the link frames, O : (n, 3) their origins, X : (n, 3) points of reference, m
    P, P_rate : motions, (6, coordinates) each, and their rates
    M : (n, 6, 6) inertias ; G : (n, 6, 6) with w_k = M_k t_k' + G_k t_k
    t : (n, 6) twists ; W : (n, 6, 6) angular velocities ; weight : (n, 6) wrenches of gravity, (moment, force)
    """

    model: Model
    modules: Modules
    form: str
    q: np.ndarray
    v: np.ndarray
    names: tuple[str, ...]
    parent: tuple[int, ...]
    columns: tuple[slice, ...]
    R: np.ndarray
    O: np.ndarray
    X: np.ndarray
    P: tuple[np.ndarray, ...]
    P_rate: tuple[np.ndarray, ...]
    M: np.ndarray
    G: np.ndarray
    W: np.ndarray
    t: np.ndarray
    weight: np.ndarray
    armature: np.ndarray

    @property
    def count(self) -> int:
        """How many links there are."""
        return len(self.parent)


def of_coordinates(links: Links, x, label: str) -> np.ndarray:
    """A new array (nv,) of accelerations or forces, or the error that says what is wrong with it."""
    x = links.model.checked_v(x, label)
    if x.ndim != 1:
        raise ValueError(f"DeNOC takes one state: {label} has shape {x.shape}, not ({links.model.nv},)")
    return np.array(x)


def transform(a: np.ndarray) -> np.ndarray:
    """A of (1) for the vector a, from the point of the outer link to that of the inner one."""
    return np.block([[np.eye(3), np.zeros((3, 3))], [skew(a), np.eye(3)]])


def transform_rate(a_rate: np.ndarray) -> np.ndarray:
    """A' for the rate of a."""
    return np.block([[np.zeros((3, 6))], [skew(a_rate), np.zeros((3, 3))]])


def twice(R: np.ndarray) -> np.ndarray:
    """diag(R, R)."""
    return np.kron(np.eye(2), R)


def at(model: Model, q, v=None, *, form: str = "O", modules: Modules | None = None) -> Links:
    """The links of a model at one state.

    q : (nq,) ; v : (nv,), at rest if not given ; form : "O" (origins on the joint axes) or "C" (centers of mass)
    modules : as made by `modularise`; automatic if not given
    """
    checked_model(model)
    if model.coupling:
        raise ValueError(
            f"model {model.name!r} has couplings, which no tree of links has: take model.unfolded, and hold them as cuts"
        )
    if form not in FORMS:
        raise UnknownName("form", form, FORMS, "DeNOC")
    q = model.checked_q(q)
    v = np.zeros(model.nv) if v is None else model.checked_v(v, "v")
    if q.ndim != 1 or v.ndim != 1:
        raise ValueError(
            f"DeNOC takes one state: q and v have shapes {q.shape} and {v.shape}, not ({model.nq},), ({model.nv},)"
        )
    modules = modularise(model) if modules is None else modules
    if modules.model != model:
        raise ValueError(f"the modules are those of model {modules.model.name!r}, not of {model.name!r}")
    topology, constants = model.topology, model.constants
    n = len(topology) - 1
    steps = {k: step(model, k, q, v) for k in range(n) if topology[k, col.KIND] == ATTACHED}
    R, O = _places(topology, constants, q, steps)
    columns = tuple(coordinates_of(model, k) for k in range(n))
    parent = tuple(int(i[col.PARENT]) if i[col.PARENT] < n else -1 for i in topology[:n])
    mass, first = constants[:n, col.MASS], constants[:n, col.MOMENT_1 : col.MOMENT_1 + 3]
    center = np.divide(first, mass[:, None], out=np.zeros((n, 3)), where=mass[:, None] > 0)
    away = np.einsum("kij,kj->ki", R, center)  # from O_k to the center of mass
    X = O + away if form == "C" else O
    P, P_rate, t, W = [], [], np.zeros((n, 6)), np.zeros((n, 6, 6))
    for k in range(n):
        seen = transform(O[k] - X[k]) @ twice(R[k])  # at X_k, which keeps its place in the link
        units, unit_rates = _unit_motions(topology, constants, k), None
        if k in steps:
            units, unit_rates = (x[ANGULAR_FIRST] for x in steps[k][1:])
        P.append(seen @ units)  # (2)
        t[k] = P[k] @ v[columns[k]]
        if parent[k] >= 0:
            t[k] += transform(X[parent[k]] - X[k]) @ t[parent[k]]  # (1)
        W[k] = twice(skew(t[k, :3]))
        P_rate.append(W[k] @ P[k] if unit_rates is None else W[k] @ P[k] + seen @ unit_rates)
    M, G, weight = np.zeros((n, 6, 6)), np.zeros((n, 6, 6)), np.zeros((n, 6))
    for k in range(n):
        M[k] = _rigid(constants[k], R[k], X[k] - O[k])
        G[k] = W[k] @ M[k] @ E  # (4)
        weight[k] = M[k] @ np.concatenate([np.zeros(3), model.gravity])
        if constants.shape[1] > col.CONSTANTS_WIDTH:
            H = _added(constants[k], R[k], X[k] - O[k])
            M[k] += H
            G[k] += W[k] @ H - H @ W[k] + transform_rate(t[k, 3:]).T @ -H
    names = modules.link_names
    return Links(
        model,
        modules,
        form,
        q,
        v,
        names,
        parent,
        columns,
        R,
        O,
        X,
        tuple(P),
        tuple(P_rate),
        M,
        G,
        W,
        t,
        weight,
        np.array(model.armature),
    )


def _places(topology, constants, q, steps) -> tuple[np.ndarray, np.ndarray]:
    """Axes and origins of all links in the world; steps : those to stations, by link."""
    n = len(topology) - 1
    sine, cosine = np.zeros(len(q) + 8), np.zeros(len(q) + 8)
    joint_sines(topology, constants, len(q), q, sine, cosine)
    R, O = np.zeros((n + 1, 3, 3)), np.zeros((n + 1, 3))
    R[n] = np.eye(3)
    for k in range(n):
        b = topology[k, col.PARENT]
        if k in steps:
            turn, shift = steps[k][0][:3, :3], steps[k][0][:3, 3]
        elif topology[k, col.KIND] == FLEX:
            turn, shift = (constants[k, c : c + n] for c, n in ((col.ROTATION, 9), (col.DISPLACEMENT, 3)))
        else:
            turn, shift = joint_pose(topology, constants, k, q, sine, cosine)
        R[k], O[k] = R[b] @ np.reshape(turn, (3, 3)), O[b] + R[b] @ shift
    return R[:n], O[:n]


def _unit_motions(topology, constants, k: int) -> np.ndarray:
    """(6, coordinates) S_k, angular part first."""
    kind, count = topology[k, col.KIND], topology[k, col.V_COUNT]
    S = np.zeros((6, count))
    if kind == FLEX:  # its root is fixed; what its coordinates move are its stations
        return S
    for j in range(count):
        S[axis_number(kind, j), j] = 1.0
    if count == 1:
        S[HELICAL_UNIT, 0] += constants[k, col.PITCH]  # zero but of helical joints
    return S[ANGULAR_FIRST]


def _rigid(row: np.ndarray, R: np.ndarray, x: np.ndarray) -> np.ndarray:
    """M of (3) about the point that is x away from the origin, from the ten numbers of a row of constants."""
    m, first, second = row[col.MASS], row[col.MOMENT_1 : col.MOMENT_1 + 3], np.zeros((3, 3))
    second[UPPER] = row[col.MOMENT_2 : col.MOMENT_2 + 6]
    second = second + np.triu(second, 1).T
    first, second = R @ first, R @ second @ R.T
    second = second - np.outer(first, x) - np.outer(x, first) + m * np.outer(x, x)
    md = first - m * x
    return np.block([[np.trace(second) * np.eye(3) - second, skew(md)], [-skew(md), m * np.eye(3)]])


def _added(row: np.ndarray, R: np.ndarray, x: np.ndarray) -> np.ndarray:
    """H, in axes of the world about the point that is x away from the origin."""
    numbers, H = row[col.ADDED :], np.zeros((6, 6))
    for block, start in ((slice(3, 6), 0), (slice(0, 3), 15)):  # linear, angular
        half = np.zeros((3, 3))
        half[UPPER] = numbers[start : start + 6]
        H[block, block] = half + np.triu(half, 1).T
    H[3:, :3] = numbers[6:15].reshape(3, 3)
    H[:3, 3:] = H[3:, :3].T
    to_origin = twice(R.T) @ transform(x)
    return to_origin.T @ H @ to_origin
