"""What tasks and contacts ask for at an instant, written into the record of a controller.

A reference is a value, a function of t that gives (value, velocity, acceleration), or a row in which some entries are drives.
A writer is made for each task when tables are laid out; it looks at the task's reference in every tick, so that references may
be replaced at any time.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from locomote.control.whole_body.contacts import Contact
from locomote.control.whole_body.tasks import AngularMomentum, CenterOfMass, Frame, LookAt, Posture, Task
from locomote.drives.drive import Drive, as_drive
from locomote.dynamics.kinematics import forward_kinematics
from locomote.dynamics.momentum import center_of_mass
from locomote.forces.numbers import a_vector
from locomote.model.model import Model
from locomote.spatial.charts import CHARTS
from locomote.spatial.rotations_arrays import split_rotation

Writer = Callable[[float, np.ndarray], None]


def motion_of(reference: Any, t: float) -> Any:
    """(value, velocity, acceleration) of a reference that moves, or None if it is a value."""
    if callable(reference):
        return reference(t)
    if type(reference) in (list, tuple) and any(isinstance(x, Drive) for x in reference):
        return tuple(np.array([as_drive(x)(t) for x in reference]).T)
    return None


def writer_of(model: Model, task: Task, n: int, k: Any, starts: dict[str, Any]) -> Writer:
    """What writes the goal of task n into the record k; `starts` keeps what was found at the first tick, by name."""
    goal, rate, second = k.goal[n], k.goal_rate[n], k.goal_acceleration[n]
    if isinstance(task, Posture):
        return _posture(model, task, k.posture[n], k.posture_rate[n], k.posture_acceleration[n], starts)
    if isinstance(task, CenterOfMass):

        def center(t, q) -> None:
            place = task.reference
            if place is None:
                place = starts.get(task.name)
                if place is None:
                    place = starts[task.name] = center_of_mass(model, q)
            write(place, t)

        write = _moving(task.name, goal[:3], rate[:3], second[:3])
        return center
    if isinstance(task, AngularMomentum):
        put, still = _moving(task.name, goal[3:6], rate[3:], second[3:]), (0.0, 0.0, 0.0)
        return lambda t, q: put(still if task.reference is None else task.reference, t)
    if isinstance(task, LookAt):
        axis = np.array(a_vector(f"axis of task {task.name!r}", task.axis))
        if not axis.any():
            raise ValueError(f"axis of task {task.name!r} is {task.axis!r}, expected three numbers, not all zero")
        goal[3:6] = axis / np.linalg.norm(axis)
        look = _moving(task.name, goal[:3], np.zeros(3), np.zeros(3))

        def target(t, q) -> None:
            seen = task.target
            look((seen(t), 0.0, 0.0)[0] if callable(seen) else seen, t)

        return target
    assert isinstance(task, Frame)
    return _frame(model, task, goal, rate, second, starts)


def _frame(model: Model, task: Frame, goal, rate, second, starts) -> Writer:
    place, turn = _moving(task.name, goal[:3], rate[:3], second[:3]), _turning(task.name, goal[3:12], rate[3:], second[3:])
    body, point = model.body(task.body).index, np.array(task.point)
    goal[3:12] = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0

    def write(t, q) -> None:
        position, rotation = task.position, task.rotation
        if position is None or rotation is None:
            start = starts.get(task.name)
            if start is None:
                pose = forward_kinematics(model, q)[body]
                start = starts[task.name] = pose[:3, :3] @ point + pose[:3, 3], pose[:3, :3].copy()
            position, rotation = start[0] if position is None else position, start[1] if rotation is None else rotation
        if position is not False:
            place(position, t)
        if rotation is not False:
            turn(rotation, t)

    return write


def _moving(name: str, goal, rate, second) -> Callable[[Any, float], None]:
    """Writes a row of three numbers with its derivatives; those of a value are zero."""
    moved = True

    def write(reference, t) -> None:
        nonlocal moved
        motion = motion_of(reference, t)
        try:
            if motion is None:
                goal[:] = reference
                if moved:
                    rate[:] = second[:] = 0.0
                    moved = False
            else:
                goal[:], rate[:], second[:] = motion
                moved = True
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"the reference of task {name!r} is {reference!r:.80}, expected three numbers or drives, or a function of t "
                f"that gives three rows: value, velocity, acceleration ({error})"
            ) from None

    return write


def _turning(name: str, goal, rate, second) -> Callable[[Any, float], None]:
    """The same for rotations: (3, 3) or quaternion, angular velocity and acceleration in world axes."""
    table, moved, seen = goal.reshape(3, 3), True, None

    def write(reference, t) -> None:
        nonlocal moved, seen
        was_fixed = not callable(reference)
        try:
            if callable(reference):
                motion: Any = reference(t)
                reference, rate[:], second[:] = motion
                moved = True
            elif moved:
                rate[:] = second[:] = 0.0
                moved = False
            if type(reference) is not np.ndarray or reference.shape != (3, 3):
                reference = np.asarray(reference, dtype=float)
                reference = CHARTS["quaternion"].rotation(reference) if reference.shape == (4,) else reference
            table[:] = reference
            if reference is not seen:
                split_rotation(table)
                seen = reference if was_fixed else None
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"the rotation of task {name!r} is {reference!r:.80}, expected (3, 3), a quaternion (4,), or a function of t "
                f"that gives it with its angular velocity and acceleration ({error})"
            ) from None

    return write


def _posture(model: Model, task: Posture, goal, rate, second, starts) -> Writer:
    """A configuration; joints that are drives, by name, on top of that of the start."""

    def write(t, q) -> None:
        reference: Any = task.reference
        if reference is None or isinstance(reference, Mapping):
            start = starts.get(task.name)
            if start is None:
                start = starts[task.name] = np.array(q)
            goal[:] = start
            rate[:] = second[:] = 0.0
            for joint, drives in (reference or {}).items():
                view = model.joint(joint)
                if view.q.stop - view.q.start != view.v.stop - view.v.start:
                    raise ValueError(f"joint {joint!r} ({view.kind}) of task {task.name!r} has no position a velocity")
                row = list(drives) if isinstance(drives, (list, tuple)) else [drives]
                found = np.array([as_drive(x)(t) for x in row]).T
                if found.shape[1] != view.v.stop - view.v.start:
                    size = view.v.stop - view.v.start
                    raise ValueError(f"joint {joint!r} of task {task.name!r} has {size} coordinates, got {len(row)} drives")
                goal[view.q], rate[view.v], second[view.v] = found
            return
        try:
            if callable(reference):
                given: Any = reference(t)
                goal[:], rate[:] = given[:2]
                second[:] = given[2] if len(given) > 2 else 0.0
            else:
                goal[:] = reference
                rate[:] = second[:] = 0.0
        except (TypeError, ValueError, IndexError) as error:
            raise ValueError(
                f"the reference of task {task.name!r} is {reference!r:.80}, expected q ({model.nq},), drives by joint, or a "
                f"function of t that gives (q, v) or (q, v, a) ({error})"
            ) from None

    return write


def contact_writer(contact: Contact, rates, wishes) -> Writer | None:
    """What writes a contact's own motion and the force that is wished for; None if there is neither."""
    if contact.velocity is None and contact.acceleration is None and contact.force is None:
        return None
    share = contact.axes / len(contact.points)
    for label, size in (("velocity", 6), ("acceleration", 6), ("force", 3)):
        value = getattr(contact, label)
        if value is not None and not callable(value) and np.size(value) != size:
            raise ValueError(
                f"{label} of contact {contact.name!r} is {value!r:.60}, expected {size} numbers or a function of t"
            )

    def write(t, q) -> None:
        for value, columns in ((contact.velocity, slice(0, 6)), (contact.acceleration, slice(6, 12))):
            if value is not None:
                rates[:, columns] = value(t) if callable(value) else value
        if contact.force is not None:
            moving = None if callable(contact.force) else motion_of(contact.force, t)
            force: Any = contact.force(t) if callable(contact.force) else contact.force if moving is None else moving[0]
            if np.size(force) != 3:
                raise ValueError(f"the force of contact {contact.name!r} is {force!r:.60}, expected 3 numbers, N")
            wishes[:] = np.array(force) @ share

    return write
