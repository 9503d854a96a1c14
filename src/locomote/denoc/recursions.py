"""Inverse and forward dynamics as recursions over links, or over modules.

Outward, with s_i = v_i' (inverse) or 0 (forward), and nothing but the world before the roots:

    t_i' = A_i t_p' + A_i' t_p + P_i s_i + P_i' v_i ,   w_i = M_i t_i' + G_i t_i - wrenches on i                          (1)

Inverse, inward:   w~_i = w_i + sum over children of A_c^T w~_c ,   tau_i = P_i^T w~_i                                    (2)

Forward, with psi_i and D_i of `factor`, inward and outward:

    e~_i = sum over children of A_c^T e_c ,   phi_i = tau_i - P_i^T w~_i - P_i^T e~_i ,   e_i = psi_i phi_i + e~_i         (3)
    m~_i = A_i m_p ,   v_i' = D_i^-1 phi_i - psi_i^T m~_i ,   m_i = P_i v_i' + m~_i                                        (4)

With links as elements this is the intra-modular recursion, with modules the inter-modular one: the numbers are the same.
"""

import numpy as np

from locomote.denoc.elements import Element, elements
from locomote.denoc.factor import articulate
from locomote.denoc.links import Links, of_coordinates, transform, twice
from locomote.dynamics.wrenches import gathered


def inverse_dynamics(links: Links, a, *, level: str = "link", wrenches=None) -> np.ndarray:
    """(nv,) forces of the joints for accelerations a (nv,); `wrenches` as for `lo.inverse_dynamics`."""
    a, parts = of_coordinates(links, a, "a"), elements(links, level)
    _, needed = sweep(links, parts, a, wrenches)
    tau = links.armature * a
    for part, w in zip(parts, gather(parts, needed), strict=True):
        tau[part.columns] += part.P.T @ w  # (2)
    return tau


def forward_dynamics(links: Links, tau, *, level: str = "link", wrenches=None) -> np.ndarray:
    """(nv,) accelerations for forces tau (nv,) of the joints; `wrenches` as for `lo.forward_dynamics`."""
    tau, parts = of_coordinates(links, tau, "tau"), elements(links, level)
    _, needed = sweep(links, parts, np.zeros(links.model.nv), wrenches)
    w = gather(parts, needed)
    return solve(parts, [tau[part.columns] - part.P.T @ w[i] for i, part in enumerate(parts)], links.model.nv)


def solve(parts: list[Element], force: list[np.ndarray], nv: int) -> np.ndarray:
    """I^-1 times a force, given element by element, by (3) and (4): O(n)."""
    _, _, psi, pivot = articulate(parts)
    e = [np.zeros(len(part.M)) for part in parts]
    phi, m, a = list(force), list(e), np.zeros(nv)
    for i in range(len(parts) - 1, -1, -1):
        phi[i] = force[i] - parts[i].P.T @ e[i]
        outer = psi[i] @ phi[i] + e[i]
        if (A := parts[i].A) is not None:
            e[parts[i].parent] = e[parts[i].parent] + A.T @ outer  # (3)
    for i, part in enumerate(parts):
        carried = np.zeros(len(part.M)) if part.A is None else part.A @ m[part.parent]
        a[part.columns] = np.linalg.solve(pivot[i], phi[i]) - psi[i].T @ carried  # (4)
        m[i] = part.P @ a[part.columns] + carried
    return a


def sweep(links: Links, parts: list[Element], a: np.ndarray, wrenches=None) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """(1): rates of twists, and the wrenches that they need."""
    loads, rates, needed = on_links(links, wrenches), [], []
    for part in parts:
        t = links.t[list(part.links)].ravel()
        rate = part.P @ a[part.columns] + part.P_rate @ links.v[part.columns]
        if part.A is not None and part.A_rate is not None:
            before = links.t[list(parts[part.parent].links)].ravel()
            rate += part.A @ rates[part.parent] + part.A_rate @ before
        rates.append(rate)
        needed.append(part.M @ rate + part.G @ t - part.weight - loads[list(part.links)].ravel())
    return rates, needed


def gather(parts: list[Element], needed: list[np.ndarray]) -> list[np.ndarray]:
    """w~ of (2)."""
    result = [w.copy() for w in needed]
    for i in range(len(parts) - 1, -1, -1):
        if (A := parts[i].A) is not None:
            result[parts[i].parent] += A.T @ result[i]
    return result


def on_links(links: Links, wrenches) -> np.ndarray:
    """(n, 6) wrenches (moment about X_k, force) in axes of the world, from those that users give."""
    result = np.zeros((links.count, 6))
    if (given := None if wrenches is None else gathered(links.model, wrenches)) is None:
        return result
    if given.ndim != 2:
        raise ValueError(f"DeNOC takes one state: wrenches have shape {given.shape}, expected ({links.count}, 6)")
    for k, (fx, fy, fz, nx, ny, nz) in enumerate(given):
        at_origin = twice(links.R[k]) @ (nx, ny, nz, fx, fy, fz)
        result[k] = transform(links.X[k] - links.O[k]).T @ at_origin
    return result
