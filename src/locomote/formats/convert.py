"""Coordinates of other programs: q, v, accelerations, forces and matrices of Pinocchio and MuJoCo from ours, and back.

With primes for the other program, and T a permutation, which for MuJoCo also turns linear velocities into the world frame:

    v' = T v ,    a' = T a + T' v ,    tau' = T tau ,    M' = T M T^T ,    J' = J T^T                         (1)

T is orthogonal, so that it serves forces as well as velocities.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from locomote.errors import UnknownName
from locomote.formats.other_layouts import OtherLayout, other_layout
from locomote.model.model import Model, checked_model, common_lead, rigid_model
from locomote.model.status import UNIT_TOLERANCE
from locomote.spatial.algebra import of_quaternion
from locomote.spatial.numbers import as_numbers

KINDS = ("q", "v", "a", "tau", "matrix", "jacobian")
OF_ROWS = ("matrix", "jacobian")
REMEMBERED = 8  # layouts of other programs that a model keeps


def convert(
    model: Model, x, kind: str = "q", *, to: Any, back: bool = False, q=None, v=None, joints: Sequence[str] | None = None
) -> np.ndarray:
    """What another program calls x: the same configuration, velocity, force or matrix, in its order and its coordinates.

    x : (..., nq) for "q" ; (..., nv) for "v", "a" and "tau" ; (..., nv, nv) for "matrix" ; (..., rows, nv) for "jacobian"
    kind : "q", "v", "a" (accelerations), "tau" (forces), "matrix" (over v on both sides, such as the mass matrix or its
        inverse) or "jacobian" (columns over v)
    to : "pinocchio" (as `pinocchio.buildModelFromUrdf` orders joints), "mujoco", or a pinocchio.Model or mujoco.MjModel, from
        which names and places are read
    back : from the other program to us instead; x, q and v are then those of the other program
    q, v : the state that x belongs to. Needed for MuJoCo where a joint is free, whose linear velocity is in world axes
        there: q for all kinds but "q", and v for "a"
    joints : names of joints in the order of the other program, if it is another one; a name of its own for the base is fine
    Units are the same on both sides. Coupled joints, which have no slot here, have one there: their q, v and a are added,
    forces and matrices go back only. Angles of joints without limits are (cos, sin) in Pinocchio, and come back within
    (-pi, pi].
    """
    rigid_model(model, "lo.convert")
    if not isinstance(kind, str) or kind not in KINDS:
        raise UnknownName("kind", kind, KINDS, "those that lo.convert knows")
    layout = layout_of(checked_model(model), to, joints)
    if kind == "q" and layout.unsure:
        raise ValueError(f"q of model {model.name!r}: {layout.unsure}")
    return _here(model, layout, kind, x, q, v) if back else _there(model, layout, kind, x, q, v)


def _there(model: Model, layout: OtherLayout, kind: str, x, q, v) -> np.ndarray:
    """Our values in the other program's layout, (1)."""
    if model.coupling and kind not in ("q", "v", "a"):
        advice = f"load the model with mimic=False, or convert that of {layout.program} with back=True"
        raise ValueError(f"model {model.name!r} has coupled joints, which {layout.program} counts in a {kind}, too; {advice}")
    if kind == "q":
        return _q_there(layout, model._full_q(model.checked_q(x)))
    x = _matrix(model, x, kind, model.nv) if kind in OF_ROWS else model._full_v(model.checked_v(x, kind))
    if len(layout.free):
        turn = _turns(layout, model._full_q(model.checked_q(_needed(q, "q", kind))))
        if kind == "a":
            x = _shifted(layout, x, _swirls(layout, model._full_v(model.checked_v(_needed(v, "v", kind)))))
        x = _turned(layout, x, turn, kind)
    result = np.empty(x.shape)
    result[..., layout.order] = x
    if kind == "matrix":
        result[..., layout.order, :] = result.copy()
    return result


def _here(model: Model, layout: OtherLayout, kind: str, x, q, v) -> np.ndarray:
    """Theirs as ours."""
    if kind == "q":
        return model._own_q(_q_here(layout, model, x))
    x = _matrix(model, x, kind, layout.nv) if kind in OF_ROWS else _vector(model, layout, x, kind, layout.nv)
    x = x[..., layout.order]
    if kind == "matrix":
        x = x[..., layout.order, :]
    if len(layout.free):
        turn = [np.swapaxes(R, -1, -2) for R in _turns(layout, _q_here(layout, model, _needed(q, "q", kind, back=True)))]
        x = _turned(layout, x, turn, kind)
        if kind == "a":
            there = _vector(model, layout, _needed(v, "v", kind, back=True), "v", layout.nv)[..., layout.order]
            x = _shifted(layout, x, [-s for s in _swirls(layout, _turned(layout, there, turn, "v"))])
    if model.coupling is None:
        return np.array(x)
    if kind in ("v", "a"):
        return x[..., model.coupling.own_v]
    x = x @ model.coupling.v_matrix
    return model.coupling.v_matrix.T @ x if kind == "matrix" else x


def layout_of(model: Model, to: Any, joints) -> OtherLayout:
    """The layout of another program, remembered with the model."""
    names = None if joints is None or isinstance(joints, str) else tuple(joints)
    if isinstance(joints, str):
        raise ValueError(f"joints must be a list of names of joints, not {joints!r}")
    size = () if isinstance(to, str) else (getattr(to, "nq", None), getattr(to, "nv", None))
    key, known = (to if isinstance(to, str) else id(to), size, names), model._others
    if key in known and known[key][0] is to:
        return known[key][1]
    found = other_layout(model.unfolded, to, names)
    if len(known) >= REMEMBERED:
        known.clear()
    known[key] = (to, found)  # the other model is kept, too, or its number could become that of another
    return found


def _needed(x, label: str, kind: str, back: bool = False):
    """A part of the state that must be given: ours, or that of the other program for what comes back."""
    if x is None:
        what = {"q": "world axes", "v": "world axes, whose rate depends on the velocity"}[label]
        whom = "MuJoCo has it" if back else "this model has it, or with back=True for what comes from MuJoCo as MuJoCo has it"
        raise ValueError(
            f"{label} is needed to convert {kind!r}: MuJoCo has the linear velocity of a free joint in {what}; "
            f"give {label} as {whom}"
        )
    return x


def _matrix(model: Model, x, kind: str, count: int) -> np.ndarray:
    """A finite float array (..., count, count), or (..., rows, count) for a Jacobian."""
    wanted = f"(..., {count}, {count})" if kind == "matrix" else f"(..., rows, {count})"
    x = as_numbers(x, kind, wanted)
    if x.ndim < 2 or x.shape[-1] != count or (kind == "matrix" and x.shape[-2] != count):
        raise ValueError(f"{kind} has shape {x.shape}, expected {wanted} for model {model.name!r}")
    return _finite(x, kind)


def _vector(model: Model, layout: OtherLayout, x, label: str, count: int) -> np.ndarray:
    """A finite float array (..., count) of the other program."""
    x = as_numbers(x, label, f"(..., {count})")
    if x.ndim == 0 or x.shape[-1] != count:
        where = f"model {model.name!r} has so many in {layout.program}"
        raise ValueError(f"{label} has shape {x.shape}, expected (..., {count}): {where}")
    return _finite(x, label)


def _finite(x: np.ndarray, label: str) -> np.ndarray:
    if not np.isfinite(x).all():
        place = tuple(int(k) for k in np.argwhere(~np.isfinite(x))[0])
        raise ValueError(f"{label}[{', '.join(map(str, place))}] is {x[place]}; all values must be finite")
    return x


def _q_there(layout: OtherLayout, q: np.ndarray) -> np.ndarray:
    """Their configuration."""
    result = np.empty((*q.shape[:-1], layout.nq))
    result[..., layout.plain[1]] = q[..., layout.plain[0]]
    result[..., layout.circles[1]] = np.cos(q[..., layout.circles[0]])
    result[..., layout.circles[1] + 1] = np.sin(q[..., layout.circles[0]])
    for ours, theirs in layout.quaternions.T:
        result[..., theirs] = q[..., ours + 3]
        result[..., theirs + 1 : theirs + 4] = q[..., ours : ours + 3]
    return result


def _q_here(layout: OtherLayout, model: Model, given) -> np.ndarray:
    """Our configuration, of the model without couplings, from that of the other program as the user gives it."""
    theirs, full = _vector(model, layout, given, "q", layout.nq), model.unfolded
    c, s = theirs[..., layout.circles[1]], theirs[..., layout.circles[1] + 1]
    length = np.hypot(c, s)
    if (abs(length - 1.0) > UNIT_TOLERANCE).any():
        k = np.argwhere(abs(length - 1.0) > UNIT_TOLERANCE)[0][-1]
        place, name = layout.circles[1, k], next(n for n in full.joint_names if layout.circles[0, k] in _places(full, n))
        raise ValueError(f"(cos, sin) of joint {name!r} in q[{place}:{place + 2}] has length {length.max():.6g}, expected 1")
    result = np.empty((*theirs.shape[:-1], full.nq))
    result[..., layout.plain[0]] = theirs[..., layout.plain[1]]
    result[..., layout.circles[0]] = np.arctan2(s, c)
    for here, there in layout.quaternions.T:
        result[..., here + 3] = theirs[..., there]
        result[..., here : here + 3] = theirs[..., there + 1 : there + 4]
    return full.checked_q(result)


def _places(model: Model, name: str) -> range:
    own = model.joint(name).q
    return range(own.start, own.stop)


def _turns(layout: OtherLayout, q: np.ndarray) -> list[np.ndarray]:
    """Rotations (..., 3, 3) of free joints."""
    found = [np.stack(np.broadcast_arrays(*of_quaternion(*(q[..., k + j] for j in range(4)))), axis=-1) for k, _ in layout.free]
    return [R.reshape(*R.shape[:-1], 3, 3) for R in found]


def _swirls(layout: OtherLayout, v: np.ndarray) -> list[np.ndarray]:
    """w x u of free joints: what T' v is before it is turned."""
    return [np.cross(v[..., k + 3 : k + 6], v[..., k : k + 3]) for _, k in layout.free]


def _shifted(layout: OtherLayout, x: np.ndarray, by: list[np.ndarray]) -> np.ndarray:
    """Vectors with something added to the linear parts of free joints."""
    lead = common_lead([x, *by])
    x = np.array(np.broadcast_to(x, (*lead, x.shape[-1])))
    for (_, k), more in zip(layout.free, by, strict=True):
        x[..., k : k + 3] += more
    return x


def _turned(layout: OtherLayout, x: np.ndarray, turn: list[np.ndarray], kind: str) -> np.ndarray:
    """Vectors, or matrices along v, with the linear parts of free joints turned by rotations (..., 3, 3)."""
    tail = 2 if kind in OF_ROWS else 1
    lead = common_lead([x[..., 0] if tail == 2 else x, turn[0][..., 0]])
    x = np.array(np.broadcast_to(x, (*lead, *x.shape[-tail:])))
    for (_, k), R in zip(layout.free, turn, strict=True):
        part = x[..., k : k + 3]
        x[..., k : k + 3] = part @ np.swapaxes(R, -1, -2) if tail == 2 else (R @ part[..., None])[..., 0]
        if kind == "matrix":
            x[..., k : k + 3, :] = R @ x[..., k : k + 3, :]
    return x
