"""A plan for dual numbers: the same arrays, with the kernels that it calls compiled for them, and the scratch of a pass."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import config, float64, int64, typeof

import locomote.compiler.duals.callbacks
import locomote.compiler.duals.functions  # noqa: F401
from locomote.compiler.callbacks import ADDRESS as CALLED
from locomote.compiler.duals.arrays import DualRecord, Duals
from locomote.compiler.duals.numbers import dual
from locomote.compiler.indirect import address_of
from locomote.constraints.columns import CUSTOM, KIND, PULL
from locomote.drives.signals import signals_one
from locomote.evaluation import flexible_calls
from locomote.evaluation import plan as fields
from locomote.evaluation.actuator_forces import actuate_one
from locomote.evaluation.computed_torque import computes_torques
from locomote.evaluation.derivatives import Seeds, chart_slopes_one
from locomote.evaluation.evaluate import needs_bodies
from locomote.evaluation.overdamped_derivatives import creep_slopes_one
from locomote.evaluation.work import Work
from locomote.forces.terms import ADDRESS, Term
from locomote.methods.collocation.tangents import Room, exact_stages, room_of
from locomote.methods.entries import bias_one, fill_matrices, rows_one
from locomote.methods.state import State

# arrays of Work that a pass fills with numbers that depend on the state
FILLED = (
    "sine", "cosine", "newton", "bodies", "axes", "rates", "wrenches", "bias", "active", "passive", "x", "dx", "ddx", "signal",
    "A", "drift", "speed", "error", "rate", "lengths", "place", "keel", "shape", "given_torques", "given_wrenches",
    "given_rows", "places", "loads_of_terms", "results", "power", "soft_rows", "soft_steps", "tension", "tension_rate",
    "follow_x", "follow_dx", "follow_ddx",
)  # fmt: skip


class Differential(NamedTuple):
    """What `slopes.slopes_one` takes beside a plan and its work."""

    plan: fields.Plan
    work: DualRecord
    seeds: DualRecord


def differential_of(plan: fields.Plan, work: Work, terms: Sequence[Term]) -> Differential:
    """Compile, or load, what derivatives of a plan need; the terms are those that the plan was packed from."""
    duals = {name: Duals(getattr(work, name).shape) for name in FILLED}
    duals["possible"] = Duals(0)  # rows are measured by the evaluation
    dual_work = DualRecord(work, duals)
    nq, nv, rows = len(work.near), len(work.bias), len(plan.holonomic)
    sizes = {"q": nq, "reaction": rows, "row": rows} | {name: max(nv, rows) for name in "yze"}
    own = Seeds(**{name: np.zeros(sizes.get(name, nv)) for name in Seeds.FIELDS})
    seeds = DualRecord(own, {name: Duals(sizes.get(name, nv)) for name in Seeds.FIELDS if name != "w"})
    fill_matrices(plan)
    table = plan.terms.copy()
    for row, term in zip(table, terms, strict=True):
        row[ADDRESS] = term.kind.address_for(dual, typeof(duals["places"]))
    changed = plan.changed(calls=np.zeros_like(plan.calls), terms=table)
    fill_dual(changed, dual_work, seeds)
    return Differential(changed, dual_work, seeds)


def fill_dual(plan: fields.Plan, work: DualRecord, seeds: DualRecord) -> None:
    """Compile, or load, what a pass calls by address."""
    vector, both = typeof(seeds.q), (typeof(plan), typeof(work))
    ints, floats = typeof(plan.topology), typeof(plan.drive_numbers)
    plan.calls[fields.SIGNALS] = address_of(signals_one, (ints, floats, ints, dual, vector, vector, vector, vector))
    inverse = flexible_calls.bias_one if len(plan.rods) else bias_one
    plan.calls[fields.INVERSE] = address_of(inverse, (*both, vector, vector, vector))
    if len(plan.rods):
        plan.calls[fields.PLACE] = address_of(flexible_calls.place_one, (*both, vector, vector, vector))
        if len(plan.integers):
            plan.calls[PULL] = address_of(flexible_calls.pull_one, (*both, typeof(work.A), int64, int64, typeof(1.0), int64))
    if len(plan.actuators):
        plan.calls[fields.ACTUATE] = address_of(actuate_one, (*both, dual, vector, vector))
    if needs_bodies(plan):
        plan.calls[fields.ROWS] = address_of(rows_one, (*both, dual, vector, vector, vector))


def has_slopes(plan: fields.Plan) -> bool:
    """Whether derivatives can be had from compiled code alone: not where a problem calls Python on the way, whose derivatives
    would be differences of more calls, nor where torques are computed from the equations themselves."""
    python = plan.functions[[fields.TORQUES, fields.ENVIRONMENT], CALLED].any() or (plan.integers[:, KIND] == CUSTOM).any()
    return not (config.DISABLE_JIT or python or computes_torques(plan))  # type: ignore[attr-defined]


def fill_slopes(plan: fields.Plan, work: Work, state: State, terms: Sequence[Term]) -> Differential | None:
    """Compile, or load, what implicit steps take their derivatives from; the plan holds the addresses of what is given.

    None, and no address, where there are none (`has_slopes`). Without inertia forces are differentiated instead of motions.
    """
    plan.calls[[fields.SLOPES, fields.DUAL_PLAN, fields.DUAL_WORK, fields.DUAL_SEEDS]] = 0
    if plan.options[fields.CREEPING] != 0.0:
        if not len(plan.holonomic):
            plan.calls[fields.SLOPES] = address_of(
                creep_slopes_one, (*map(typeof, (plan, work)), *(int64,) * 3, typeof(state), float64)
            )
        return None
    if not has_slopes(plan):
        return None
    given = differential_of(plan, work, terms)
    both = typeof(plan), typeof(work)
    kinds = (*both, *(typeof(x) for x in given), typeof(state), typeof(1.0))
    plan.calls[fields.SLOPES] = address_of(chart_slopes_one, kinds)
    plan.calls[[fields.DUAL_PLAN, fields.DUAL_WORK, fields.DUAL_SEEDS]] = [x.address for x in given]
    return given


def fill_tangents(plan: fields.Plan, work: Work, state: State, terms: Sequence[Term]) -> tuple[Differential, Room] | None:
    """The same for steps by collocation."""
    if not has_slopes(plan):
        return None
    given, room = differential_of(plan, work, terms), room_of(plan, state)
    kinds = map(typeof, (plan, work, *given, room, state, 1.0, 1.0, 1.0, 1))
    plan.calls[fields.TANGENTS] = address_of(exact_stages, tuple(kinds))
    plan.calls[[fields.DUAL_PLAN, fields.DUAL_WORK, fields.DUAL_SEEDS, fields.TANGENT_ROOM]] = [
        x.address for x in (*given, room)
    ]
    return given, room
