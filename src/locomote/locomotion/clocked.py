"""Controllers of a problem: packed for compiled code, and what they give at one instant."""

from typing import Any

import numpy as np

from locomote.actuation.controllers import Controller, PackedControllers, Sampled, as_target, clocked
from locomote.drives.packing import pack_signals
from locomote.dynamics.forces import gravity_force
from locomote.evaluation.protocol import Problem
from locomote.locomotion.inputs import slots_of
from locomote.locomotion.parts import Parts


def pack_controllers(parts: Parts, before: int) -> PackedControllers:
    """Controllers as arrays; in the table of functions those of targets stand from row `before` on, and in that of a run
    those of controllers after all others."""
    clocks, kinds, rows, numbers, targets, functions = [], [], [], [], {}, 0
    for n, controller in enumerate(clocked(parts.said.controllers)):
        clocks.append([controller.every, controller.start, float(controller.between == "line")])
        if isinstance(controller, Sampled):
            kinds.append([functions, 0])
            functions += 1
            continue
        kinds.append([-1, int(controller.gravity)])
        for key, given in controller.targets.items():
            slots, wanted = slots_of(parts.model, key), as_target(given)
            if len(slots) != len(wanted):
                raise ValueError(
                    f"targets[{key!r}] of {controller.title} has {len(wanted)} target(s), the joint {len(slots)} coordinates"
                )
            for slot, drive in zip(slots, wanted, strict=True):
                if parts.q_of_v[slot] < 0:
                    raise ValueError(
                        f"joint {key!r} moves on a group, {controller.title} cannot pull its coordinates one by one"
                    )
                targets[len(rows)] = drive
                rows.append([n, slot, int(parts.q_of_v[slot])])
                numbers.append(controller.gains(key))
    signals = pack_signals(targets, before)
    table = np.array(kinds, np.int64).reshape(-1, 2)
    first = before + len(signals.functions)
    table[:, 0] = np.where(table[:, 0] >= 0, table[:, 0] + first, -1)
    return PackedControllers(
        np.array(clocks, float).reshape(-1, 3), table, np.array(rows, np.int64).reshape(-1, 3),
        np.array(numbers, float).reshape(-1, 2), signals,
    )  # fmt: skip


def first_input(problem: Problem, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(nv,) what the controllers give when they are called for the first time."""
    total = np.zeros(problem.model.nv)
    for controller in clocked(problem.controllers):
        total += given_at(problem, controller, t, q, v, getattr(controller, "state", None))[0]
    return total


def given_at(problem: Problem, controller: Controller, t: float, q: np.ndarray, v: np.ndarray, state) -> tuple[np.ndarray, Any]:
    """(nv,) what a controller gives at a tick, zero on imposed coordinates, and its next state."""
    total = np.zeros(problem.model.nv)
    if isinstance(controller, Sampled):
        given, state = controller.called(t, q.copy(), v.copy(), state)
        total += problem.model.checked_v(given, controller.title)
        return np.where(problem.imposed, 0.0, total), state
    for key, given in controller.targets.items():
        for slot, drive in zip(slots_of(problem.model, key), as_target(given), strict=True):
            (x, dx, _), (stiffness, damping) = drive(t), controller.gains(key)
            total[slot] += stiffness * (x - q[problem.q_of_v[slot]]) + damping * (dx - v[slot])
            if controller.gravity:
                total[slot] += gravity_force(problem.model, q)[slot]
    return np.where(problem.imposed, 0.0, total), None
