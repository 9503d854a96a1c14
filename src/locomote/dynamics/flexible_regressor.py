"""The regressor of models with flexible bodies: what their own mass, stiffness and damping take, beside the rigid bodies'.

A section at X of a rod moves as a rigid body of a mass and two second moments, so that forces are linear in

    mass, Jy, Jz   of a rod: integrals of rho A, rho Iy and rho Iz along it; their share at each X is what the model says
    mass           of a modal body; the share of each point is what the model says
    stiffness      of each strain of a rod: EA, kGA, GJ or EI, its mean along the rod; of a modal body the mean of its modes
    damping        as stiffness

A body or section whose c-th parameter is one takes the wrench F_c (`kernels.regressor`, 1 to 3) of its motion, and forces of
coordinates are J^T F_c: inverse dynamics at rest, without gravity, under the wrench -F_c.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from locomote.dynamics.dispatch import broadcast, refuse_overflow
from locomote.dynamics.flexible import INVERSE, MOTION
from locomote.dynamics.function import refuse_torn
from locomote.dynamics.wrenches import gathered
from locomote.kernels.bodies import swirl
from locomote.kernels.kinematics import LOCAL
from locomote.kernels.regressor import second_moments
from locomote.model.columns import GRAVITY
from locomote.model.flexible.cross_sections import SectionConstants
from locomote.model.flexible.packing import Flexible, Tree
from locomote.model.flexible.rod_packing import QUADRATURE, gauss, pack_rod
from locomote.model.flexible.rods import STRAINS, Rod
from locomote.model.model import Model, twelve
from locomote.spatial.algebra import add, cross

# for a section: the inertial parameters of a body that each of its own consists of, and its column in `inertias`
SECTION = (("mass", (0,), 0), ("Jy", (4, 6), 9), ("Jz", (4, 9), 7))
UNIT = SectionConstants(1.0, 1.0, 1.0, 1.0, 1.0, 1.0)


class Own(NamedTuple):
    """One parameter of a flexible body.

    share, parts : of inertia, the share of each station, and which of the ten parameters of a body it is the sum of
    matrix, rate : of elasticity, what gives forces of its coordinates, or from their rates
    """

    name: str
    body: str
    value: float
    share: np.ndarray | None = None
    parts: tuple[int, ...] = ()
    matrix: np.ndarray | None = None
    rate: bool = False


def own_parameters(model: Model, elastic: bool) -> list[Own]:
    """The parameters of all flexible bodies, in the order of their columns: inertia of all, then stiffness and damping."""
    if (flexible := model.flexible) is None:
        return []
    found = [x for name in flexible.order for x in of_mass(flexible, name)]
    if elastic:
        found += [x for name in flexible.order for x in of_strains(model, flexible, name)]
    return found


def of_mass(flexible: Flexible, name: str) -> list[Own]:
    packed, found = flexible.rods[name], []
    kind = "modes" if packed.modal else "rod"
    for word, parts, column in SECTION[:1] if packed.modal else SECTION:
        total = float(packed.inertias[:, column].sum())
        share = packed.inertias[:, column] / total if total else packed.weights / packed.weights.sum()
        found.append(Own(f"{word} of {kind} {name}", name, total, share, parts))
    return found


def of_strains(model: Model, flexible: Flexible, name: str) -> list[Own]:
    packed, flex = flexible.rods[name], model.body(name).body.flex
    if not isinstance(flex, Rod):
        mean, lost = np.trace(packed.elastic) / len(packed.elastic), np.trace(packed.viscous) / len(packed.viscous)
        return pair_of(name, f"of modes {name}", packed.elastic, mean, packed.viscous, lost)
    edges = [0.0, *sorted(float(x) for x in flex.breaks), float(flex.length)]
    x, w = gauss(list(zip(edges[:-1], edges[1:], strict=True)), QUADRATURE)
    stiff, loss = np.array([flex.stiffness_at(v) for v in x]), np.array([flex.damping_at(v) for v in x])
    found, unit = [], None
    for c in np.unique(packed.components):
        own = (packed.components == c)[:, None] & (packed.components == c)
        mean, lost = w @ stiff[:, c] / w.sum(), w @ (loss[:, c] * stiff[:, c]) / w.sum()
        K, D = (np.where(own, matrix, 0.0) for matrix in (packed.elastic, packed.viscous))
        if not mean > 0.0:  # no elasticity: what a stiffness of one would do
            unit = pack_rod(replace(flex, section=UNIT, material=None), name, packed.places.tolist()) if unit is None else unit
            found += pair_of(name, f"of rod {name}", np.where(own, unit.elastic, 0.0), 1.0, D, 0.0, f"{STRAINS[c]} ", 0.0)
            continue
        found += pair_of(name, f"of rod {name}", K, mean, D, lost, f"{STRAINS[c]} ")
    return found


def pair_of(name: str, where: str, K, mean: float, D, lost: float, which: str = "", value: float | None = None) -> list[Own]:
    """Stiffness and damping; without any damping, one like the stiffness. value : of the stiffness, if it is not `mean`."""
    stiff, damp = K / mean, D / lost if lost else K / mean
    return [
        Own(f"{which}stiffness {where}", name, mean if value is None else value, matrix=stiff),
        Own(f"{which}damping {where}", name, lost, matrix=damp, rate=True),
    ]


def flexible_regressor(model: Model, q, v, a, elastic: bool) -> np.ndarray:
    """(..., nv, columns) for checked states of a model with flexible bodies: ten of each named body, then their own."""
    flexible, soft, own = model.flexible, model._soft, own_parameters(model, elastic)
    assert flexible is not None and soft is not None
    lead, rows = broadcast([q, v, a])
    refuse_torn(model, rows[0])
    first = {name: int(row[0]) + 1 for name, row in zip(flexible.order, soft.rods, strict=True)}
    stations = np.concatenate([np.arange(first[n], first[n] + len(flexible.rods[n].places)) for n in flexible.order])
    carrier, placement = model.frames
    still = np.broadcast_to(twelve(np.eye(4)), (len(stations), 12))
    frames = np.concatenate([carrier, stations]), np.concatenate([placement, still])
    poses, twists, rates = MOTION(model, rows, fixed=(*frames, LOCAL))
    F = unit_wrenches(poses, twists, rates, model.gravity)
    weightless, bodies = soft.constants.copy(), len(carrier)
    weightless[-1, GRAVITY : GRAVITY + 3] = 0.0
    tree = Tree(**{name: getattr(soft, name) for name in Tree.FIELDS} | {"constants": weightless})
    Y = np.zeros((len(rows[0]), model.nv, 10 * bodies + len(own)))
    for n, state in enumerate(zip(*rows, strict=True)):
        loads = np.zeros((Y.shape[2], len(model.topology), 6))
        named = np.zeros((Y.shape[2], bodies, 6))
        for k in range(bodies):
            named[10 * k : 10 * k + 10, k] = -F[n, k].T
        gather = gathered(model, named)
        assert gather is not None
        loads[:, :-1] += gather
        for k, x in enumerate(own, 10 * bodies):
            part = model.joint(x.body)
            if x.share is not None:
                at = bodies + np.searchsorted(stations, first[x.body] + np.arange(len(x.share)))
                loads[k, first[x.body] : first[x.body] + len(x.share)] -= x.share[:, None] * F[n, at][:, :, x.parts].sum(axis=2)
            elif x.matrix is not None:
                Y[n, part.v, k] = x.matrix @ (state[1][part.v] if x.rate else state[0][part.q])
        rest, forces = np.zeros((len(loads), model.nv)), np.zeros((len(loads), model.nv))
        many = np.tile(state[0], (len(loads), 1))
        INVERSE.kernel(tree, model._strain, many, rest, rest, loads.reshape(len(loads), -1), forces)
        Y[n] += forces.T
    refuse_overflow(model, [Y], "regressor")
    return Y.reshape(*lead, *Y.shape[1:])


def unit_wrenches(poses: np.ndarray, twists: np.ndarray, rates: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """(..., 6, 10) F_c of frames with poses (..., 4, 4), twists and their rates (..., 6) in their own axes."""
    w, alpha = (tuple(np.moveaxis(x[..., 3:], -1, 0)) for x in (twists, rates))
    acc = rates[..., :3] + np.cross(twists[..., 3:], twists[..., :3]) - gravity @ poses[..., :3, :3]
    F = np.zeros((*twists.shape, 10))
    F[..., :3, 0] = acc
    F[..., :3, 1:4] = np.stack(swirl(w, alpha), axis=-1).reshape(*acc.shape, 3)
    F[..., 3:, 1:4] = np.cross(np.eye(3), acc[..., None, :]).swapaxes(-1, -2)
    for c, (n, turning) in enumerate(zip(second_moments(alpha), second_moments(w), strict=True)):
        F[..., 3:, 4 + c] = np.stack(np.broadcast_arrays(*add(n, cross(w, turning))), axis=-1)
    return F
