"""Tasks and contacts of a controller as tables for compiled code, with the name of every row of its program."""

from typing import Any, NamedTuple

import numpy as np

from locomote.control.whole_body.clearances import Clearance
from locomote.control.whole_body.contacts import Contact, Pyramid
from locomote.control.whole_body.tables import CENTROIDAL, CUTS, FRAME, LOOK, POSTURE, Tick, tick_of
from locomote.control.whole_body.tasks import AngularMomentum, CenterOfMass, Frame, LookAt, Posture, Task, axis_numbers
from locomote.dynamics.kinematics import _frame
from locomote.locomotion.springs import DAMPING, FRICTION, STIFFNESS, places_in_q
from locomote.model.joints import has_rates
from locomote.model.model import Model

LITTLE = 1e-6  # what the force costs that gives the whole mass a unit acceleration, at levels before the last


class Packed(NamedTuple):
    """A record, names of the rows of its program, and where points and tasks are.

    rows : (kind, name, detail) of each row of the program ; tasks : rows by task
    points, entries : slices of points, and of rows of the table `contact`, by contact
    results, parts : all results of a tick in one array, and where each is
    """

    tick: Tick
    rows: list[tuple[str, str, str]]
    points: dict[str, slice]
    entries: dict[str, slice]
    tasks: dict[str, np.ndarray]
    results: np.ndarray
    parts: dict[str, slice]


def frame_of(model: Model, body: str, point) -> tuple[int, np.ndarray]:
    """Moving body, and pose in it of the frame of a body, moved to a point."""
    carrier, frame, _ = _frame(model, body, tuple(float(x) for x in point), "aligned")
    return carrier, frame


def pack(
    model: Model,
    tasks: dict[str, Task],
    contacts: dict[str, Contact],
    clearances: dict[str, Clearance],
    options: dict[str, Any],
) -> Packed:
    """Everything that compiled code needs to know."""
    driven, cone, mass = options["driven"], Pyramid(options["sides"]), model.mass or 1.0
    levels = sorted({task.priority for task in tasks.values()})
    of_tasks, task_rows = _task_tables(model, tasks, levels, driven)
    of_contacts, points, entries = _contact_tables(model, contacts, 1.0 if options["round"] else cone.inside)
    of_limits = _limit_tables(model, options)
    cuts = CUTS if options["round"] else 0
    labels = [*_bound_labels(model, of_limits), *(("distance", name, "") for name in clearances)]
    labels += _point_labels(points, len(cone.normals) + cuts)
    labels += [("task", [*tasks][t], str(c)) for t, c, level in of_tasks["row"].tolist() if level < len(levels) - 1]
    numbers = [
        options["motion_weight"], mass, options["contact_damping"], options["torque_slack"], options["motion_slack"],
        options["horizon"], options["brake"], options["limit"], LITTLE / mass**2, options["friction_speed"],
    ]  # fmt: skip
    more = {
        "side": cone.normals,
        "cut": np.zeros((len(of_contacts["point"]) * cuts, 2)),
        "unit": np.array(model.coordinates.quaternions, dtype=np.int64),
        "number": np.array(numbers),
    }
    tables = {**of_tasks, **of_contacts, **of_limits, **_clearance_tables(model, clearances), **more}
    tick, results, parts = tick_of(model, tables, len(labels))
    tick.count[7] = max(len(levels), 1)
    return Packed(tick, labels, points, entries, task_rows, results, parts)


def _task_tables(model: Model, tasks: dict[str, Task], levels: list[int], driven) -> tuple[dict, dict[str, np.ndarray]]:
    """Tables of tasks and of their rows, and where the rows of each are."""
    kinds, frames, rows, where = [], [], [], {}
    for t, task in enumerate(tasks.values()):
        kind, carrier, frame, components = _task(model, task, driven)
        kinds.append((kind, carrier))
        frames.append(frame)
        where[task.name] = np.arange(len(rows), len(rows) + len(components))
        rows += [(t, c, levels.index(task.priority)) for c in components]
    count, given = len(tasks), [*tasks.values()]
    tables = {
        "task": integer_table(kinds, count, 2),
        "frame": table_of(frames, count, 12),
        "gain": table_of([task.gains for task in given], count, 2),
        "goal": np.zeros((count, 12)),
        "goal_rate": np.zeros((count, 6)),
        "goal_acceleration": np.zeros((count, 6)),
        "posture": np.zeros((count, model.nq)),
        "posture_rate": np.zeros((count, model.nv)),
        "posture_acceleration": np.zeros((count, model.nv)),
        "row": integer_table(rows, len(rows), 3),
        "weight": np.array([given[t].weight for t, _, _ in rows], dtype=float),
    }
    return tables, where


def _contact_tables(
    model: Model, contacts: dict[str, Contact], inside: float
) -> tuple[dict, dict[str, slice], dict[str, slice]]:
    """Tables of contacts and of their points, and where the points and the entries of each are.

    inside : by how much friction is less, so that the pyramid is in the cone
    """
    table, frames, axes, points, grips, balls = [], [], [], [], [], []
    places, entries = {}, {}
    for name, contact in contacts.items():
        first, entry, whole = len(points), len(table), contact.holds_rotation
        other, turn = _touched(model, contact)
        for group in [contact.points] if whole else [point[None] for point in contact.points]:
            middle = group.mean(axis=0)
            carrier, frame = frame_of(model, contact.body, middle)
            if carrier == len(model.topology) - 1:
                raise ValueError(
                    f"body {contact.body!r} of contact {name!r} does not move: give the moving one first, it as other="
                )
            table.append((carrier, len(points), len(group), 6 if whole else 3, other))
            frames.append(frame)
            axes.append((turn @ contact.axes).reshape(9))
            balls.append(contact.radius)
            points += list(group - middle)
        places[name], entries[name] = slice(first, len(points)), slice(entry, len(table))
        grip = (contact.friction * inside, contact.least, contact.most, contact.force_weight)
        grips += [grip] * (len(points) - first)
    tables = {
        "contact": integer_table(table, len(table), 5),
        "ball": np.array(balls, dtype=float),
        "contact_frame": table_of(frames, len(table), 12),
        "contact_axes": table_of(axes, len(table), 9),
        "contact_rate": np.zeros((len(table), 12)),
        "point": table_of(points, len(points), 3),
        "grip": table_of(grips, len(points), 4),
        "wish": np.zeros((len(points), 3)),
    }
    return tables, places, entries


def _touched(model: Model, contact: Contact) -> tuple[int, np.ndarray]:
    """The moving body that a contact touches, the last for the world, and the attitude in it of the axes of its normal."""
    if contact.other is None:
        return len(model.topology) - 1, np.eye(3)
    carrier, frame = frame_of(model, contact.other, (0.0, 0.0, 0.0))
    return carrier, frame[:9].reshape(3, 3)


def _limit_tables(model: Model, options: dict[str, Any]) -> dict[str, np.ndarray]:
    """Tables of what is not driven, of limits of torque and of motion, and of springs, dampers and friction of joints."""
    driven, torque = options["driven"], options["torque_limits"]
    bounded, place, bound = _limits(model, options, driven)
    moved = np.flatnonzero(options["passive"][[STIFFNESS, DAMPING, FRICTION]].any(axis=0))
    return {
        "free": np.flatnonzero(~driven).astype(np.int64),
        "limited": np.flatnonzero(np.isfinite(torque) & driven).astype(np.int64),
        "torque": torque,
        "bounded": bounded,
        "place": place,
        "bound": bound,
        "sprung": np.stack([moved, places_in_q(model)[moved]], axis=1),
        "passive": options["passive"],
    }


def _clearance_tables(model: Model, clearances: dict[str, Clearance]) -> dict[str, np.ndarray]:
    """Tables of distances that are kept."""
    count, given = len(clearances), [*clearances.values()]
    pairs = [_pair(model, clearance) for clearance in given]
    return {
        "pair": integer_table([bodies for bodies, _ in pairs], count, 2),
        "ends": table_of([ends for _, ends in pairs], count, 12),
        "reach": np.array([c.radius + c.other_radius + c.margin for c in given], dtype=float),
    }


def _bound_labels(model: Model, limits: dict[str, np.ndarray]) -> list[tuple[str, str, str]]:
    """(kind, name, detail) of the first rows: the balance of what is not driven, slacks, limits of torque and of motion."""
    names = velocity_names(model)
    found = [("balance", names[j], "") for j in limits["free"]] + [("slack", "torque", ""), ("slack", "motion", "")]
    for kind, own in (("torque", limits["limited"]), ("motion", limits["bounded"])):
        found += [(kind, names[j], side) for side in ("lower", "upper") for j in own]
    return found


def _point_labels(points: dict[str, slice], sides: int) -> list[tuple[str, str, str]]:
    """(kind, name, detail) of the rows of all points: the normal force and the sides of its cone."""
    found = []
    for name, own in points.items():
        for k in range(own.stop - own.start):
            found += [("normal", name, str(k)), *(("friction", name, f"{k} side {side}") for side in range(sides))]
    return found


def _pair(model: Model, clearance: Clearance) -> tuple[tuple[int, int], np.ndarray]:
    """Moving bodies of a clearance and the ends of its segments in them; the world is the last row."""
    bodies, places = [], []
    for body, ends in ((clearance.body, clearance.ends), (clearance.other, clearance.other_ends)):
        for point in (ends[0], ends[-1]):
            if body is None:
                carrier, place = len(model.topology) - 1, point
            else:
                carrier, frame = frame_of(model, body, point)
                place = frame[9:]
            places.append(place)
        bodies.append(carrier)
    return (bodies[0], bodies[1]), np.concatenate(places)


def _task(model: Model, task: Task, driven) -> tuple[int, int, np.ndarray, list[int]]:
    """Kind, moving body, frame and components of a task."""
    nothing = np.zeros(12)
    if isinstance(task, CenterOfMass):
        return CENTROIDAL, 0, nothing, axis_numbers(task)
    if isinstance(task, AngularMomentum):
        return CENTROIDAL, 0, nothing, [3 + a for a in axis_numbers(task)]
    if isinstance(task, LookAt):
        return LOOK, *frame_of(model, task.body, task.point), [3, 4, 5]
    if isinstance(task, Frame):
        components = [] if task.position is False else axis_numbers(task)
        components += [] if task.rotation is False else [3, 4, 5]
        if not components:
            raise ValueError(f"task {task.name!r} has neither a position nor a rotation to follow")
        return FRAME, *frame_of(model, task.body, task.point), components
    if isinstance(task, Posture):
        if task.joints is None:
            return POSTURE, 0, nothing, [int(j) for j in np.flatnonzero(driven)]
        return POSTURE, 0, nothing, [j for name in task.joints for j in range(*model.joint(name).v.indices(model.nv))]
    raise TypeError(
        f"{task!r} is not a task: lo.control.CenterOfMass, lo.control.Frame, lo.control.LookAt, lo.control.Posture, "
        f"lo.control.AngularMomentum are"
    )


def _limits(model: Model, options, driven):
    """Coordinates with limits of motion, their places in q, and the limits."""
    chosen = []
    for name in model.joint_names:
        view = model.joint(name)
        if not has_rates(view.kind):
            continue
        for k in range(view.v.stop - view.v.start):
            q, v = view.q.start + k, view.v.start + k
            limits = (
                model.lower[q] if options["position_limits"] else -np.inf,
                model.upper[q] if options["position_limits"] else np.inf,
                model.velocity_limit[v] if options["velocity_limits"] else np.inf,
            )
            if driven[v] and np.isfinite(limits).any():
                chosen.append((v, q, *limits))
    table = np.array(chosen, dtype=float).reshape(-1, 5)
    return table[:, 0].astype(np.int64), table[:, 1:2].astype(np.int64), table[:, 2:].copy()


def velocity_names(model: Model) -> list[str]:
    """A name for each coordinate of v: that of the joint, with the slot where it has several."""
    names = []
    for slot in model.layout().slots:
        if slot.vector == "v":
            view = model.joint(slot.joint)
            names.append(slot.joint if view.v.stop - view.v.start == 1 else f"{slot.joint}.{slot.name}")
    return names


def table_of(rows, count: int, width: int) -> np.ndarray:
    """Rows as an array (count, width), also if there are none."""
    return np.array(rows, dtype=float).reshape(count, width)


def integer_table(rows, count: int, width: int) -> np.ndarray:
    """The same for integers."""
    return np.array(rows, dtype=np.int64).reshape(count, width)
