"""A problem packed for compiled code: everything that was said of it as one Plan."""

import numpy as np

from locomote.actuation.actuators import pack_actuators
from locomote.compiler.callbacks import Callback, table_of
from locomote.constraints.packing import pack_constraints
from locomote.contact.spots import pack_spots
from locomote.drives.drives import pack_signals
from locomote.evaluation import plan as fields
from locomote.evaluation.computed_torque import COMPUTED, KIND
from locomote.evaluation.plan import Plan
from locomote.evaluation.subsystems import pays, subsystems_of
from locomote.forces.terms import ForceTerm, pack_terms
from locomote.locomotion.clocked import pack_controllers
from locomote.locomotion.followed import pack_following
from locomote.locomotion.parts import base_velocity, flexible_parts, pack_limits, wrenches_of
from locomote.locomotion.springs import joint_springs


def make_plan(problem, q: np.ndarray) -> Plan:
    """The packed problem, with targets and lengths that were left open taken at q."""
    model = problem.model
    drives = pack_signals(problem._drives, fields.OTHERS)
    torques, own = {}, [None] * fields.OTHERS
    if callable(problem.torques):
        own[fields.TORQUES] = callback_of(problem, problem.torques, model.nv, "torques")
    elif problem.torques:
        torques = problem._all_signals(problem.torques, "torques")
        clash = [k for k in torques if k in problem._drives]
        if clash:
            slot = next(s for s in model.layout().slots if s.vector == "v" and s.index == clash[0])
            raise ValueError(f"joint {slot.joint!r} has both a drive and a torque; what it is driven by is then not defined")
    torque_signals = pack_signals(torques, fields.OTHERS + len(drives.functions))
    table, points, pulls = pack_actuators(model, problem.actuators)
    tensions = pack_signals(pulls, fields.OTHERS + len(drives.functions) + len(torque_signals.functions))
    signals = [*drives.functions, *torque_signals.functions, *tensions.functions]
    packed = pack_constraints(model, problem.constraints, q, fields.OTHERS + len(signals))
    functions = [f for f in problem.environment if not isinstance(f, ForceTerm)]
    if functions:
        count = 6 * (len(model.topology) - 1)
        own[fields.ENVIRONMENT] = callback_of(problem, wrenches_of(model, functions), count, "environment")
    terms = pack_terms(model, problem.terms)
    spots = pack_spots(model, problem.contacts, fields.OTHERS + len(signals) + len(packed.callbacks))
    problem.contact_names = spots.names
    stops, stop_laws, effort = pack_limits(model, problem.q_of_v, problem.imposed, problem.limits)
    callbacks = [*own, *signals, *packed.callbacks, *spots.callbacks]
    clocks = pack_controllers(problem, len(callbacks))
    callbacks += clocks.pd_signals.functions
    following = pack_following(problem, len(callbacks))
    callbacks += following.signals.functions
    parts = subsystems_of(model, problem.imposed, packed.integers, packed.linear)
    return Plan(
        [callback for callback in callbacks if callback is not None],
        topology=model._topology, constants=model._constants, imposed=problem.imposed.astype(np.int64),
        free=np.flatnonzero(~problem.imposed), held=np.flatnonzero(problem.imposed), q_of_v=problem.q_of_v.copy(),
        base=base_velocity(model), quaternions=np.array(model.coordinates.quaternions, np.int64),
        passive=joint_springs(problem.model, problem.springs), drive_rows=drives.rows, drive_numbers=drives.numbers,
        torque_rows=torque_signals.rows, torque_numbers=torque_signals.numbers,
        integers=packed.integers, numbers=packed.numbers, linear=packed.linear, linear_q=packed.linear_q,
        holonomic=packed.holonomic, touched=packed.touched, touched_first=packed.touched_first, **parts,
        clocks=clocks.clocks, clock_kinds=clocks.clock_kinds, pd_rows=clocks.pd_rows,
        pd_numbers=clocks.pd_numbers, pd_signal_rows=clocks.pd_signals.rows, pd_signal_numbers=clocks.pd_signals.numbers,
        follow_rows=following.rows, follow_numbers=following.numbers, led=following.led, fed=following.fed,
        follow_signal_rows=following.signals.rows, follow_signal_numbers=following.signals.numbers,
        terms=terms.table, place_bodies=terms.bodies,
        placements=terms.placements, term_numbers=terms.numbers, functions=table_of(callbacks),
        calls=np.zeros(fields.CALLS, np.int64),
        options=np.array([
            problem.rank_tolerance, problem.friction_speed, problem.rank_tolerance, 0.0, not problem.inertia, 0.0,
            problem.inertia and pays(parts["subsystems"], problem.imposed, len(packed.holonomic)),
            (following.rows[:, KIND] == COMPUTED).any(), 0.0,
        ]),
        spots=spots.integers, spot_laws=spots.numbers, stops=stops, stop_laws=stop_laws, effort=effort,
        **flexible_parts(model), actuators=table, actuator_points=points,
        tension_rows=tensions.rows, tension_numbers=tensions.numbers,
        breaks=np.unique([*drives.breaks, *torque_signals.breaks, *tensions.breaks]),
    )  # fmt: skip


def callback_of(problem, function, count: int, name: str) -> Callback:
    """A function of the user, as compiled code calls it."""
    return Callback(function, (problem.model.nq, problem.model.nv, count), name=f"{name} of {problem.name!r}")
