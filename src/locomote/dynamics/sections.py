"""Along a rod: where its sections are, how they are strained, and what forces they pass on; where nodes of modal bodies are."""

from typing import NamedTuple

import numpy as np

from locomote.dynamics import flexible
from locomote.dynamics.beyond import summed_beyond
from locomote.dynamics.dispatch import checked_state, refuse_overflow
from locomote.dynamics.kinematics import forward_kinematics
from locomote.dynamics.wrenches import gathered
from locomote.errors import UnknownName
from locomote.model.flexible.modes import Modes
from locomote.model.model import Model


class Sections(NamedTuple):
    """Sections of a rod from root to tip.

    along : (n,) X, m ; poses : (..., n, 4, 4) in the world ; strains : (..., n, 6) in the middle of the step to each section
    """

    along: np.ndarray
    poses: np.ndarray
    strains: np.ndarray


def _rod(model: Model, body: str) -> tuple[np.ndarray, slice]:
    """X of the stations of a rod, and their places among all."""
    rods = {name: rod for name, rod in (model.flexible.rods if model.flexible else {}).items() if not rod.modal}
    if not isinstance(body, str) or body not in rods or model.flexible is None:
        raise UnknownName("rod", body, rods, f"model {model.name!r}")
    part = model.flexible.stations(body)
    return rods[body].places, slice(part.start, part.stop)


def sections(model: Model, q, body: str) -> Sections:
    """Poses and strains of all stations of a rod: its mass nodes, places where something hangs, and its tip.

    q : (..., nq) configuration
    """
    along, part = _rod(model.unfolded, body)
    (q,) = checked_state(model, q)
    own = model.coupling.expand_q(q) if model.coupling else q
    flat, strains = flexible.SECTIONS(model.unfolded, [own])
    poses = np.zeros((*flat.shape[:-1], 4, 4))
    poses[..., :3, :3], poses[..., :3, 3] = flat[..., :9].reshape(*flat.shape[:-1], 3, 3), flat[..., 9:]
    poses[..., 3, 3] = 1.0
    return Sections(along, poses[..., part, :, :], strains[..., part, :])


def section_forces(model: Model, q, v, a, body: str, *, wrenches=None) -> tuple[np.ndarray, np.ndarray]:
    """(along, forces): X (n,) and the wrench (..., n, 6) that each section passes on to what is beyond it.

    q : (..., nq) configuration ; v : (..., nv) velocity ; a : (..., nv) acceleration
    Force (N) and moment (N m) in the axes of the section: what the motion of the rest takes, less external wrenches on it, of
    the order of the mass nodes at every X. What hangs on the section itself is beyond it. Sections are the stations of
    `sections`; hang a body without mass on another, along=X, to have it among them. Wrenches on bodies that a problem hung on
    mass nodes for forces along the rod count as spread along it, others as concentrated.
    """
    if model.coupling:
        raise ValueError(f"model {model.name!r} has coupled joints; use model.unfolded and its coordinates")
    along, part = _rod(model, body)
    arrays, loads = checked_state(model, q, v=v, a=a), gathered(model, wrenches)
    (found,) = flexible.SECTION_FORCES(model, arrays, loads)
    rod, poses = (model.flexible.rods if model.flexible else {})[body], sections(model, arrays[0], body).poses
    return along, summed_beyond(model, body, rod, poses, found[..., part, :], arrays)


def deformed(model: Model, q, body: str) -> np.ndarray:
    """(..., N, 3) where the nodes of a modal body (lo.rods.Modes) are in the world, m.

    q : (..., nq) configuration
    """
    modal = {b.name: b.flex for b in model.description.bodies if isinstance(b.flex, Modes)}
    if not isinstance(body, str) or body not in modal:
        raise UnknownName("modal body", body, modal, f"model {model.name!r}")
    modes = modal[body]
    (q,) = checked_state(model, q)
    r = q[..., model.joint(body).q]
    own = np.asarray(modes.points) + np.einsum("...j,jnc->...nc", r, modes.shapes)
    if modes.second is not None:
        own = own + 0.5 * np.einsum("...j,...k,jknc->...nc", r, r, modes.second)
    pose = forward_kinematics(model, q)[..., model.body_index(body), :, :]
    nodes = np.einsum("...ab,...nb->...na", pose[..., :3, :3], own) + pose[..., None, :3, 3]
    refuse_overflow(model, [nodes], "place of nodes")
    return nodes
