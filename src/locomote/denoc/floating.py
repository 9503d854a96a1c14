"""Inverse dynamics of a mechanism whose base floats: joint accelerations in, base acceleration and joint forces out.

Nothing drives the base (element 0), so its row of the equations of motion tells its acceleration:

    outward as in `recursions` with the joints' accelerations and zero for the base, inward w~_i and M~_i                (1)
    h_0 = P_0^T w~_0 ,   I_0 = P_0^T M~_0 P_0 ,   v_0' = -I_0^-1 h_0                                                     (2)
    what it adds, outward:  x_0 = P_0 v_0' ,   x_i = A_i x_p ,   tau_i = P_i^T (w~_i + M~_i x_i)                          (3)

(3) costs O(n), where carrying the rows I_i0 inward, as is usual, costs O(n depth).
"""

import numpy as np

from locomote.denoc.elements import elements
from locomote.denoc.inertia import composites
from locomote.denoc.links import Links, of_coordinates
from locomote.denoc.recursions import gather, sweep


def floating_inverse_dynamics(links: Links, a, *, level: str = "link", wrenches=None) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations (nv,), those of the base found, and forces (nv,), those of the base zero.

    a : (nv,), of which the coordinates of the base (the first joint) are not read
    """
    parts, a = elements(links, level), of_coordinates(links, a, "a")
    if not parts or sum(part.parent < 0 for part in parts) != 1:
        raise ValueError(f"model {links.model.name!r} has no single root, so no base that could float")
    base = base_columns(links)
    if level == "module" and len(parts[0].columns) != len(base):
        raise ValueError("the base must be a module of its own; make it one with modularise(model, [[base], ...])")
    a[base] = 0.0
    _, needed = sweep(links, parts, a, wrenches)
    w, composite = gather(parts, needed), composites(parts)  # (1)
    inner = [i for i, part in enumerate(parts) if set(part.columns) <= set(base.tolist())]
    P_0 = _motion_of_base(parts, inner, len(base))
    last = inner[-1]
    I_0, h_0 = _row_of_base(parts, inner, w, composite, links.armature[base])
    a[base] = -np.linalg.solve(I_0, h_0)  # (2)
    tau, x = links.armature * a, {last: P_0 @ a[base]}
    tau[base] = 0.0
    for i, part in enumerate(parts):
        if i not in inner:
            x[i] = part.A @ x[part.parent]
            tau[part.columns] += part.P.T @ (w[i] + composite[i] @ x[i])  # (3)
    return a, tau


def base_columns(links: Links) -> np.ndarray:
    """Coordinates of v of the first joint."""
    first = links.model.joint(links.model.joint_names[0])
    return np.arange(first.v.start, first.v.stop)


def _motion_of_base(parts, inner: list[int], count: int) -> np.ndarray:
    """P_0: the twist of the base's last link by the base's coordinates; a base joint of several links is a chain of them."""
    P = np.zeros((len(parts[0].M), 0))
    for i in inner:
        P = parts[i].P if parts[i].A is None else np.hstack([parts[i].A @ P, parts[i].P])
    assert P.shape[1] == count
    return P


def _row_of_base(parts, inner: list[int], w, composite, armature) -> tuple[np.ndarray, np.ndarray]:
    """I_0 and h_0 of (2)."""
    h = np.concatenate([parts[i].P.T @ w[i] for i in inner])
    I, start = np.diag(armature), np.cumsum([0, *(parts[i].P.shape[1] for i in inner)])
    for row, i in enumerate(inner):
        A = np.eye(len(parts[i].M))
        for column in range(row, -1, -1):
            j = inner[column]
            block = parts[i].P.T @ composite[i] @ A @ parts[j].P
            rows, columns = slice(start[row], start[row + 1]), slice(start[column], start[column + 1])
            I[rows, columns] += block
            if row != column:
                I[columns, rows] += block.T
            if parts[j].A is not None:
                A = A @ parts[j].A
    return I, h
