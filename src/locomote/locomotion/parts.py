"""Parts of a problem made ready for packing: couplings as constraints, functions of the surroundings as one callback."""

from collections.abc import Callable, Sequence

import numpy as np

from locomote.constraints.kinds import Coupled
from locomote.dynamics.wrenches import gathered
from locomote.evaluation import plan as fields
from locomote.model.base import moving_root
from locomote.model.model import Model
from locomote.model.packing import turn_to


def couplings_as_constraints(model: Model) -> tuple[Coupled, ...]:
    """Mimic joints of a model as constraints of the model without them."""
    return tuple(
        Coupled({c.joint: 1.0, **{name: -ratio for name, ratio in c.ratios}}, c.offset, name=f"coupling_{c.joint}")
        for c in model.description.couplings
    )


def flexible_parts(model: Model) -> dict[str, np.ndarray]:
    """Arrays of the flexible bodies of a model, for a plan."""
    if model._soft is None or model._strain is None:
        return fields.rigid()
    names = ("rods", "stations", "basis", "components", "hung", "elastic", "viscous")
    return {name: getattr(model._soft, name) for name in names} | {"strain": model._strain}


def wrenches_of(model: Model, functions: Sequence[Callable]):
    """Environment functions as one callback: wrenches on moving bodies, in packed frames."""

    def environment(t, q, v):
        total = np.zeros((len(model.topology) - 1, 6))
        for f in functions:
            given = f(t, q, v)
            if given:
                loads = gathered(model, given)
                total += 0.0 if loads is None else loads
        return total.ravel()

    return environment


def base_velocity(model: Model) -> np.ndarray:
    """Coordinates of v that are the velocity of the origin of the base, along axes at right angles to each other; none where
    it takes more than that to say it: a slide on a turning base, or slides askew."""
    found, axes, turns = [], [], False
    base = moving_root(model)
    for joint in base.joints if base else ():
        first, kind = model.joint(joint.name).v.start, joint.kind
        shifts = {"free": 3, "planar": 2, "x": 1, "xy": 2, "xyz": 3, "prismatic": 1}.get(kind, 0)
        if shifts and (turns or (found and kind in ("free", "planar"))):
            return np.zeros(0, np.int64)
        axes += [turn_to(joint.axis)[:, 2]] if kind == "prismatic" else [np.eye(3)[k] for k in range(shifts)]
        found += range(first, first + shifts)
        turns = turns or kind not in ("x", "xy", "xyz", "prismatic", "fixed")
    unit = np.array(axes, dtype=float).reshape(-1, 3)
    askew = np.abs(unit @ unit.T - np.eye(len(unit))).max(initial=0.0) > 1e-12
    return np.array([] if askew else found, np.int64)


def pack_limits(model: Model, q_of_v: np.ndarray, imposed: np.ndarray, enforced: bool):
    """Coordinates of v that end somewhere, with the side and place of the end, and the largest torque of each coordinate."""
    stops, laws, effort = [], [], np.full(model.nv, fields.UNLIMITED)
    if enforced:
        effort = np.minimum(model.effort_limit, fields.UNLIMITED)
        for k in np.flatnonzero((q_of_v >= 0) & ~imposed):
            for sign, end in ((1.0, model.lower[q_of_v[k]]), (-1.0, model.upper[q_of_v[k]])):
                if np.isfinite(end):
                    stops.append(int(k))
                    laws.append((sign, float(end), 0.0))
    return np.array(stops, np.int64), np.array(laws, float).reshape(-1, 3), np.array(effort, float)
