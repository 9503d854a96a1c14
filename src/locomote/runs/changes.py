"""A change of state in words."""

import numpy as np

from locomote.model.model import Model

SHOWN = 3  # coordinates in a sentence
MOVES = {"rate": "position", **{f"v{x}": x for x in "xyz"}, **{f"w{x}": f"turn about {x}" for x in "xyz"}}


def words_of(model: Model, change: np.ndarray, vector: str, order: np.ndarray | None = None) -> str:
    """The coordinates that change most, by how much: of a velocity, or of a configuration as a motion of it."""
    slots = {slot.index: slot for slot in model.layout() if slot.vector == "v"}
    order = abs(change) if order is None else order
    most = [int(k) for k in np.argsort(-order) if change[k] != 0.0]
    shown = []
    for k in most[:SHOWN]:
        unit = "rad" if model._turns[k] else "m"
        unit, name = (f"{unit}/s", slots[k].name) if vector == "v" else (unit, MOVES.get(slots[k].name, slots[k].name))
        shown.append(f"{slots[k].joint}.{name} by {change[k]:.4g} {unit}")
    return ", ".join(shown) + (f" and {len(most) - SHOWN} more" if len(most) > SHOWN else "")
