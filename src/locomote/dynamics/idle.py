"""Which motions move no mass, in words."""

import numpy as np

from locomote.model.model import Model

NOTHING = 1e-12  # share of the largest entry of a mass matrix
SHARE = 1e-6  # share of the largest coordinate of a motion: less is rounding
SHOWN = 6  # coordinates of one motion


def idle_motions(model: Model, mass: np.ndarray, *, share: float = SHARE) -> str:
    """The motions that a mass matrix (nv, nv) does not resist: joints that move alone, then those that must move together.

    share : of the largest coordinate of a motion, below which others are left out
    """
    size = max(abs(mass).max(initial=0.0), np.finfo(float).tiny)
    alone = np.diag(mass) <= NOTHING * size
    names = [name for name in model.joint_names if alone[model.joint(name).v].any()]
    motions = []
    if names:
        motions.append(f"joint{'s' * (len(names) > 1)} {', '.join(map(repr, names))} can move without moving mass")
    rest = np.flatnonzero(~alone)
    if len(rest):
        scale = 1.0 / np.sqrt(np.diag(mass)[rest])  # one coordinate may be a length, another an angle
        values, vectors = np.linalg.eigh(mass[np.ix_(rest, rest)] * scale * scale[:, None])
        idle = values <= max(NOTHING, values[0] if not names else 0.0)
        for motion in reduced(vectors[:, idle].T * scale):
            motions.append(f"the motion {combination(model, rest, motion, share)} moves no mass")
    return ", and ".join(motions)


def reduced(rows: np.ndarray) -> np.ndarray:
    """Rows that span the same motions, with as few coordinates in each as elimination finds; the largest of each is one."""
    rows = rows.copy()
    for n in range(len(rows)):
        left = abs(rows[n:]) / np.maximum(abs(rows[n:]).max(axis=1, keepdims=True), np.finfo(float).tiny)
        k, column = np.unravel_index(np.argmax(left), left.shape)
        rows[[n, n + k]] = rows[[n + k, n]]
        rows[n] /= rows[n, column]
        for other in range(len(rows)):
            if other != n:
                rows[other] -= rows[other, column] * rows[n]
    return rows


def combination(model: Model, coordinates: np.ndarray, motion: np.ndarray, share: float) -> str:
    """A velocity as a sum of named coordinates."""
    labels = {slot.index: f"{slot.joint}.{slot.name}" for slot in model.layout() if slot.vector == "v"}
    weights = {labels[k]: w for k, w in zip(coordinates.tolist(), motion, strict=True) if abs(w) > share * abs(motion).max()}
    terms = [f"{'-' if w < 0 else '+'} {factor(abs(w))}{name}" for name, w in weights.items()]
    return " ".join(terms[:SHOWN]).removeprefix("+ ") + (" + ..." if len(terms) > SHOWN else "")


def factor(size: float) -> str:
    """A number before a name; none if it is one."""
    return "" if f"{size:.3g}" == "1" else f"{size:.3g} "
