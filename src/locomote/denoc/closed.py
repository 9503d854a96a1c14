"""Closed loops by cut joints, subsystem by subsystem: O(n) where loops are local.

Cut one joint of each loop, so that a tree remains. A cut holds motions of a frame on one body, seen from one on another:

    J v = 0 ,   J v' + J' v = 0 ;   I v' + C v = tau + N^T w + J^T lam                                                    (1)

The links of a loop, from the two cut ends inward to where they meet, are one element, and loops that share a link are one: a
subsystem. Its rows of J have entries for its own coordinates only, whatever carries it. So it is solved for alone:

    v_i = T_i u_i ,   v_i' = T_i u_i' + g_i ,   T_i a basis of the kernel of J_i ,   g_i = -J_i^+ (J_i' v_i)               (2)

and the tree of subsystems goes through the recursions of `recursions` with P_i T_i for P_i: the largest matrix that is
solved is that of one subsystem. Blades and wheels (`nonholonomic`) are rows of the links between their body and the world, and
are cuts like others. Then lam_i from its rows of (1), the shortest one if the loop is over-constrained.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.denoc.elements import Element, grouped
from locomote.denoc.flexible import units
from locomote.denoc.links import Links, of_coordinates, transform
from locomote.denoc.nonholonomic import Roll, Slide
from locomote.denoc.recursions import gather, inverse_dynamics, solve, sweep
from locomote.linear.rank import DEPENDENT
from locomote.model.builder import placed
from locomote.spatial.inertia import skew

LETTERS = "xyzabc"


@brief
@dataclass(frozen=True)
class Cut:
    """A joint that was cut to open a loop: motions of a frame on `body`, seen from one on `other`, that it holds.

    other : None for the world ; frame, other_frame : (4, 4) poses or three numbers (m), in the body frames
    held : letters x y z (shifts along axes of the other's frame) and a b c (turns about them)
    """

    body: str
    other: str | None = None
    frame: Any = (0.0, 0.0, 0.0)
    other_frame: Any = (0.0, 0.0, 0.0)
    held: str = "xyz"


@brief
@dataclass(frozen=True)
class Loops:
    """Subsystems of a mechanism with cut joints.

    elements : links without a loop, and subsystems, outward ; cuts : for each element the numbers of its cuts
    J : (rows, nv) ; drift : (rows,) J' v ; velocity_error : (rows,) J v, zero where the state fits ; rows : of each cut
    """

    elements: tuple[Element, ...]
    cuts: tuple[tuple[int, ...], ...]
    J: np.ndarray
    drift: np.ndarray
    velocity_error: np.ndarray
    rows: tuple[slice, ...]

    @property
    def largest(self) -> int:
        """Coordinates of the largest subsystem: the size of the largest system of equations."""
        return max((len(part.columns) for part in self.elements), default=0)


@brief
@dataclass(frozen=True)
class Closed:
    """Accelerations (nv,), forces of joints (nv,) and of the cuts: `reactions` (rows,), on `body` along the held motions."""

    a: np.ndarray
    tau: np.ndarray
    reactions: np.ndarray


def closed_loops(links: Links, cuts: Sequence[Cut | Slide | Roll]) -> Loops:
    """The subsystems that cuts make, and the rows of all cuts."""
    ends = [(_carrier(links, cut.body), _carrier(links, cut.other)) for cut in cuts]
    paths = [_loop(links, *pair) for pair in ends]
    group = units(links.model)
    for path in paths:
        low = min((group[k] for k in path), default=0)
        joined = {group[k] for k in path}
        group = [low if g in joined else g for g in group]
    members = {g: tuple(k for k in range(links.count) if group[k] == g) for g in dict.fromkeys(group)}
    chains = sorted(members.values())
    names = [" + ".join(links.names[k] for k in chain) for chain in chains]
    home = {k: i for i, chain in enumerate(chains) for k in chain}
    of: list[list[int]] = [[] for _ in chains]
    for number, path in enumerate(paths):
        if not path:
            raise ValueError(f"cut {number} joins body {cuts[number].body!r} to {cuts[number].other!r}, which move as one")
        of[home[path[0]]].append(number)
    rates, _ = sweep(links, grouped(links, [(k,) for k in range(links.count)], links.names), np.zeros(links.model.nv))
    blocks = [
        _rows(links, cut, *pair, rates) if isinstance(cut, Cut) else _held(links, cut, pair[0], rates)
        for cut, pair in zip(cuts, ends, strict=True)
    ]
    J = np.vstack([np.zeros((0, links.model.nv)), *(block[0] for block in blocks)])
    drift = np.concatenate([np.zeros(0), *(block[1] for block in blocks)])
    start = np.cumsum([0, *(len(block[1]) for block in blocks)])
    rows = tuple(slice(int(a), int(b)) for a, b in zip(start[:-1], start[1:], strict=True))
    parts = tuple(grouped(links, chains, names))
    return Loops(parts, tuple(map(tuple, of)), J, drift, J @ links.v, rows)


def closed_forward_dynamics(links: Links, tau, cuts: Sequence[Cut | Slide | Roll], *, wrenches=None) -> Closed:
    """Accelerations and forces of the cuts for forces tau (nv,) of the joints."""
    tau, loops = of_coordinates(links, tau, "tau"), closed_loops(links, cuts)
    full, parts, bases, given, count = list(loops.elements), [], [], np.zeros(links.model.nv), 0
    for part, numbers in zip(full, loops.cuts, strict=True):
        rows = _numbers(loops, numbers)
        T, given[part.columns] = _kernel(loops.J[np.ix_(rows, part.columns)], loops.drift[rows])  # (2)
        columns = np.arange(count, count + T.shape[1])
        parts.append(replace(part, P=part.P @ T, armature=T.T @ part.armature @ T, columns=columns))
        bases.append(T)
        count += T.shape[1]
    _, needed = sweep(links, full, given, wrenches)
    w, force, a = gather(full, needed), [], given
    for part, T, outer in zip(full, bases, w, strict=True):
        own = part.columns
        force.append(T.T @ (tau[own] - part.P.T @ outer - part.armature @ given[own]))
    u = solve(parts, force, count)
    for part, T, reduced in zip(full, bases, parts, strict=True):
        a[part.columns] += T @ u[reduced.columns]
    missing = inverse_dynamics(links, a, wrenches=wrenches) - tau
    return Closed(a, tau.copy(), _reactions(loops, missing, [part.columns for part in loops.elements]))


def closed_inverse_dynamics(
    links: Links, a, cuts: Sequence[Cut | Slide | Roll], driven: Sequence[str], *, wrenches=None
) -> Closed:
    """Forces of the driven joints, and of the cuts, that accelerations of these joints cost; no other joint has a force.

    a : (nv,), of which only the coordinates of the joints named in `driven` are read; loops must tell all others
    """
    a, loops = of_coordinates(links, a, "a"), closed_loops(links, cuts)
    held = np.zeros(links.model.nv, dtype=bool)
    for name in driven:
        held[links.model.joint(name).v] = True
    tau = np.zeros(links.model.nv)
    for part, numbers in zip(loops.elements, loops.cuts, strict=True):
        own, rows = held[part.columns], _numbers(loops, numbers)
        J = loops.J[np.ix_(rows, part.columns)]
        if own.all():
            continue
        if np.linalg.matrix_rank(J[:, ~own], DEPENDENT) < (~own).sum():
            raise ValueError(
                f"loops do not tell the motion of {part.name!r} from that of its driven joints; drive more of them"
            )
        a[part.columns[~own]] = np.linalg.lstsq(J[:, ~own], -loops.drift[rows] - J[:, own] @ a[part.columns[own]], rcond=None)[
            0
        ]
    needed = inverse_dynamics(links, a, wrenches=wrenches)
    reactions = _reactions(loops, needed, [part.columns[~held[part.columns]] for part in loops.elements])
    tau[held] = (needed - loops.J.T @ reactions)[held]
    return Closed(a, tau, reactions)


def _numbers(loops: Loops, numbers: tuple[int, ...]) -> np.ndarray:
    """Rows of J of some cuts."""
    rows = [np.arange(loops.rows[number].start, loops.rows[number].stop) for number in numbers]
    return np.concatenate([np.zeros(0, dtype=int), *rows])


def _kernel(J: np.ndarray, drift: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """T and g of (2)."""
    if not len(J):
        return np.eye(J.shape[1]), np.zeros(J.shape[1])
    size = np.linalg.norm(J, axis=1)
    size[size == 0] = 1.0
    left, values, right = np.linalg.svd(J / size[:, None])
    rank = int((values > DEPENDENT * values[0]).sum()) if values.size and values[0] > 0 else 0
    g = right[:rank].T @ ((left[:, :rank].T @ (-drift / size)) / values[:rank])
    return right[rank:].T, g


def _reactions(loops: Loops, missing: np.ndarray, columns: Sequence[np.ndarray]) -> np.ndarray:
    """lam of (1) from the forces that joints lack, subsystem by subsystem."""
    result = np.zeros(len(loops.drift))
    for numbers, chosen in zip(loops.cuts, columns, strict=True):
        if numbers:
            rows = _numbers(loops, numbers)
            result[rows] = np.linalg.lstsq(loops.J[np.ix_(rows, chosen)].T, missing[chosen], rcond=DEPENDENT)[0]
    return result


def _carrier(links: Links, body: str | None) -> int:
    """The link that carries a body, -1 for the world."""
    if body is None:
        return -1
    k = int(links.model.carrier[links.model.body_index(body)])
    return k if k < links.count else -1


def _path(links: Links, k: int) -> list[int]:
    """Links from k to the root."""
    path = []
    while k >= 0:
        path.append(k)
        k = links.parent[k]
    return path


def _loop(links: Links, k: int, j: int) -> list[int]:
    """Links of the loop that joins links k and j, without those that carry both."""
    one, two = _path(links, k), _path(links, j)
    return sorted(set(one) ^ set(two))


def _rows(links: Links, cut: Cut, k: int, j: int, rates) -> tuple[np.ndarray, np.ndarray]:
    """Rows of J for a cut between links k and j, and their drift, for frames b (on k) and o (on j).

    shift s = R_o^T r , r = x_b - x_o :   s' = R_o^T (r' - w_o x r) ,
    s'' = R_o^T (r'' - w_o' x r - w_o x (w_o x r) - 2 w_o x r~) ,
    with r~ = r' - w_o x r .  A turn keeps an axis of o and one of b at right angles:  u . (w_b - w_o) , u their cross product
    """
    if not cut.held or set(cut.held) - set(LETTERS) or len(set(cut.held)) != len(cut.held):
        raise ValueError(f"held={cut.held!r} of the cut at body {cut.body!r} must be some of the letters {LETTERS}, each once")
    x_b, R_b, J_b, t_b, d_b = _frame(links, cut.body, cut.frame, k, rates)
    x_o, R_o, J_o, t_o, d_o = _frame(links, cut.other, cut.other_frame, j, rates)
    r, w = x_b - x_o, t_o[:3]
    slip = t_b[3:] - t_o[3:] - np.cross(w, r)
    J = R_o.T @ (J_b[3:] - J_o[3:] + skew(r) @ J_o[:3])
    drift = R_o.T @ (d_b[3:] - d_o[3:] - np.cross(d_o[:3], r) - np.cross(w, np.cross(w, r)) - 2 * np.cross(w, slip))
    rows, ends = [], []
    turns = [LETTERS.index(letter) - 3 for letter in cut.held if letter in "abc"]
    for letter in cut.held:
        number = LETTERS.index(letter)
        if number < 3:
            rows.append(J[number])
            ends.append(drift[number])
            continue
        e, f, sign = _right_angle(number - 3, turns)
        e, f = R_o[:, e], R_b[:, f]
        u = sign * np.cross(e, f)
        u_rate = sign * (np.cross(np.cross(w, e), f) + np.cross(e, np.cross(t_b[:3], f)))
        rows.append(u @ (J_b[:3] - J_o[:3]))
        ends.append(u @ (d_b[:3] - d_o[:3]) + u_rate @ (t_b[:3] - w))
    return np.array(rows), np.array(ends)


def _held(links: Links, held: Slide | Roll, k: int, rates) -> tuple[np.ndarray, np.ndarray]:
    """Rows of J for a blade or a wheel of link k, and their drift."""
    _, R, J, t, rate = _frame(links, held.body, held.frame, k, rates)
    return held.rows(R, J, t, rate)


def _right_angle(k: int, turns: list[int]) -> tuple[int, int, float]:
    """Which axis of o and which of b a held turn about axis k keeps at right angles, and the sign of their cross product.

    If two turns are held, the axis of b is the one that is left free, common to both frames; else they follow k in turn.
    """
    free = 3 - sum(turns) if len(turns) == 2 else (k + 2) % 3
    other = 3 - free - k
    return other, free, 1.0 if (other + 1) % 3 == free else -1.0


def _frame(links: Links, body: str | None, frame, k: int, rates):
    """Place, axes, Jacobian (6, nv), twist and drift (angular first) of a frame on a body that link k carries."""
    nv, pose = links.model.nv, placed(frame)
    if body is not None:
        index = links.model.body_index(body)
        pose = links.model.placement[index] @ pose
    if k < 0:
        return pose[:3, 3], pose[:3, :3], np.zeros((6, nv)), np.zeros(6), np.zeros(6)
    x = links.O[k] + links.R[k] @ pose[:3, 3]
    J = np.zeros((6, nv))
    for j in _path(links, k):
        J[:, links.columns[j]] += transform(links.X[j] - x) @ links.P[j]
    w, away = links.t[k, :3], x - links.X[k]
    rate = transform(-away) @ rates[k]
    rate[3:] += np.cross(w, np.cross(w, away))
    return x, links.R[k] @ pose[:3, :3], J, transform(-away) @ links.t[k], rate
