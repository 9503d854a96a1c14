"""What a problem is given, checked; every fault in a sentence."""

import math
import warnings
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from locomote.methods.method import CONTACTS
from locomote.methods.registry import METHODS, method_named
from locomote.model.model import Model

FAR = math.pi  # rad beyond a limit


def checked_table(label: str, given: Any) -> dict[Any, Any]:
    """A table from joints to something."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(f"{label} must be a table from joints to what acts on them, such as {{'knee': ...}}, not {given!r:.60}")
    return dict(given)


def checked_list(label: str, given: Any) -> tuple[Any, ...]:
    """A sequence of parts."""
    if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable):
        raise TypeError(f"{label} must be a list, such as {label}=[...], not {given!r:.60}")
    return tuple(given)


def checked_positive(label: str, value: Any, below: float = math.inf) -> float:
    """A positive finite number."""
    good = isinstance(value, Real) and not isinstance(value, bool) and 0.0 < float(value) < below
    if not good:
        limit = "" if below == math.inf else f" less than {below:g}"
        raise ValueError(f"{label} is {value!r}, expected a positive number{limit}")
    return float(value)


def checked_tolerances(given: Any) -> tuple[float, float] | None:
    """(rtol, atol), or None."""
    if given is None:
        return None
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ValueError(f"tolerances must be a pair (rtol, atol), such as (1e-8, 1e-10), not {given!r:.60}")
    return checked_positive("rtol of tolerances", given[0], below=1.0), checked_positive("atol of tolerances", given[1])


def checked_time(t: Any) -> float:
    """A time."""
    if not isinstance(t, Real) or not math.isfinite(t):
        raise ValueError(f"t is {t!r}, expected a time in seconds")
    return float(t)


def checked_spring(key: Any, given: Any) -> tuple[float, float, float]:
    """(stiffness, rest, damping)."""
    try:
        stiffness, rest, damping = (float(x) for x in given)
    except (TypeError, ValueError):
        raise ValueError(f"springs[{key!r}] is {given!r}, expected (stiffness, rest, damping)") from None
    if not all(map(math.isfinite, (stiffness, rest, damping))):
        raise ValueError(f"springs[{key!r}] is {given!r}; all three must be finite")
    if damping < 0:
        raise ValueError(f"springs[{key!r}] has the damping {damping:g}, which must not be negative")
    return stiffness, rest, damping


def checked_name(label: str, given: Any) -> str:
    """A text."""
    if not isinstance(given, str):
        raise TypeError(f"{label} must be a text, not {given!r:.60}")
    return given


def checked_pair(label: str, given: Any) -> tuple[Any, Any]:
    """Two things."""
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ValueError(f"{label} must be a pair (q, v), not {given!r:.60}")
    return given[0], given[1]


def refuse_wild_rows(problem, *parts: np.ndarray) -> None:
    """Raise if rows of constraints, or numbers that go with them, are not finite."""
    for part in parts:
        if not np.isfinite(part).all():
            wild = np.flatnonzero(~np.isfinite(part).reshape(len(part), -1).all(axis=1))
            owner, row = problem.constraint_labels[wild[0]][:2]
            raise FloatingPointError(
                f"row {row!r} of constraint {owner!r} is not finite here: its direction does not exist in this configuration "
                f"(two points in one place, a wheel that lies flat), or values are too large for float64"
            )


def warn_of_degrees(model: Model, q: np.ndarray) -> None:
    """A warning for angles far beyond the limits of their joints that would be within them as degrees."""
    lower, upper = model.lower, model.upper
    far = np.flatnonzero((np.maximum(lower - q, q - upper) > FAR) & np.isfinite(lower) & np.isfinite(upper))
    far = [k for k in far if lower[k] <= math.radians(q[k]) <= upper[k]]
    for slot in model.layout() if far else ():
        if slot.vector == "q" and slot.unit == "rad" and slot.index in far:
            k = slot.index
            warnings.warn(
                f"joint {slot.joint!r} starts at {q[k]:.6g} rad, far beyond its limits {lower[k]:.3g} to {upper[k]:.3g} rad; "
                f"angles are in rad: for degrees give np.deg2rad({q[k]:.6g}) = {math.radians(q[k]):.3g}",
                UserWarning,
                stacklevel=4,
            )


def one_state(model: Model, q: Any, v: Any) -> tuple[np.ndarray, np.ndarray]:
    """Copies of one configuration and one velocity."""
    q, v = model.checked_q(q).copy(), model.checked_v(v).copy()
    for label, array in (("q", q), ("v", v)):
        if array.ndim != 1:
            raise ValueError(f"{label} has shape {array.shape}; a problem takes one state at a time, shape {array.shape[-1:]}")
    return q, v


def unfolded_q(model: Model, q: Any) -> Any:
    """A configuration (..., nq) of a model with mimic joints as one of the model without them; others as they are."""
    coupling = model.coupling
    return coupling.expand_q(np.asarray(q, float)) if coupling and np.shape(q)[-1:] == (model.nq,) else q


def unfolded_v(model: Model, v: Any) -> Any:
    """`unfolded_q` for a velocity (..., nv)."""
    coupling = model.coupling
    return coupling.expand_v(np.asarray(v, float)) if coupling and np.shape(v)[-1:] == (model.nv,) else v


def state_near(said: Model, model: Model, q: Any, v: Any) -> tuple[np.ndarray, np.ndarray]:
    """A state of the model that is computed, from one of the model that was said; neutral and at rest where none is given."""
    q = model.neutral() if q is None else unfolded_q(said, q)
    return one_state(model, q, np.zeros(model.nv) if v is None else unfolded_v(said, v))


def checked_method(problem, method: str) -> str:
    """The method of a run, which with contacts must be one that steps over them."""
    if CONTACTS not in method_named(method).takes and problem.contacts:
        able = next(name for name, other in METHODS.items() if CONTACTS in other.takes)
        raise ValueError(
            f"{problem.name!r} has contacts with friction, which method={able!r} steps over, not {method!r}; "
            f"lo.PointContact(..., unilateral=True) is for the others"
        )
    return method


def is_samples(given) -> bool:
    """Whether a drive is given as (times, values)."""
    return (
        isinstance(given, tuple) and len(given) == 2 and all(np.ndim(x) == 1 and len(x) > 1 for x in given if not callable(x))
    )


def slots_of(model, key) -> list[int]:
    """Coordinates of v that a joint name, or (joint name, number of its coordinate), names."""
    if isinstance(key, tuple) and not (len(key) == 2 and isinstance(key[1], int)):
        raise ValueError(f"{key!r} must be the name of a joint, or (name, number of its coordinate)")
    name, part = key if isinstance(key, tuple) else (key, None)
    joint = model.joint(name)
    slots = list(range(joint.v.start, joint.v.stop))
    if part is None:
        return slots
    if not 0 <= part < len(slots):
        raise ValueError(f"joint {name!r} has {len(slots)} coordinates, there is no number {part}")
    return [slots[part]]
