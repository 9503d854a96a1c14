"""Tasks and contacts of a controller as tables for compiled code, with the name of every row of its program."""

from typing import Any, NamedTuple

import numpy as np

from locomote.control.whole_body.clearances import Clearance
from locomote.control.whole_body.contacts import Contact, Pyramid
from locomote.control.whole_body.tables import CENTROIDAL, CUTS, FRAME, LOOK, POSTURE, SLACKS, Tick, tick_of
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
    driven, cone = options["driven"], Pyramid(options["sides"])
    levels = sorted({task.priority for task in tasks.values()})
    kinds, frames, gains, rows, weights = [], [], [], [], []
    where: dict[str, list[int]] = {}
    for t, task in enumerate(tasks.values()):
        kind, carrier, frame, components = _task(model, task, driven)
        kinds.append((kind, carrier))
        frames.append(frame)
        gains.append(task.gains)
        where[task.name] = list(range(len(rows), len(rows) + len(components)))
        rows += [(t, c, levels.index(task.priority)) for c in components]
        weights += [task.weight] * len(components)
    table, contact_frames, axes, points, grips, places = [], [], [], [], [], {}
    point_names, entries = [], {}
    for name, contact in contacts.items():
        first = len(points)
        whole = contact.holds_rotation
        groups = [contact.points] if whole else [point[None] for point in contact.points]
        for group in groups:
            middle = group.mean(axis=0)
            carrier, frame = frame_of(model, contact.body, middle)
            table.append((carrier, len(points), len(group), 6 if whole else 3))
            contact_frames.append(frame)
            axes.append(contact.axes.reshape(9))
            points += list(group - middle)
        count = len(points) - first
        places[name] = slice(first, first + count)
        entries[name] = slice(len(table) - len(groups), len(table))
        inside = 1.0 if options["round"] else cone.inside
        grips += [(contact.friction * inside, contact.least, contact.most, contact.force_weight)] * count
        point_names += [(name, k) for k in range(count)]
    side = cone.normals
    torque = options["torque_limits"]
    limited = np.flatnonzero(np.isfinite(torque) & driven)
    bounded, place, bound = _limits(model, options, driven)
    free = np.flatnonzero(~driven)
    moved = np.flatnonzero(options["passive"][[STIFFNESS, DAMPING, FRICTION]].any(axis=0))
    names = velocity_names(model)
    labels = [("balance", names[j], "") for j in free]
    labels += [("slack", "torque", ""), ("slack", "motion", "")]
    labels += [("torque", names[j], "lower") for j in limited] + [("torque", names[j], "upper") for j in limited]
    labels += [("motion", names[j], "lower") for j in bounded] + [("motion", names[j], "upper") for j in bounded]
    labels += [("distance", name, "") for name in clearances]
    cuts = CUTS if options["round"] else 0
    for name, k in point_names:
        labels += [("normal", name, str(k))] + [("friction", name, f"{k} side {s}") for s in range(len(side) + cuts)]
    labels += [("task", list(tasks)[t], str(c)) for t, c, level in rows if level < len(levels) - 1]
    nt, nc, np_ = len(tasks), len(table), len(points)
    mass = model.mass or 1.0
    tick, results, parts = tick_of(
        model,
        {
            "task": whole_table(kinds, nt, 2),
            "frame": table_of(frames, nt, 12),
            "gain": table_of(gains, nt, 2),
            "goal": np.zeros((nt, 12)),
            "goal_rate": np.zeros((nt, 6)),
            "goal_acceleration": np.zeros((nt, 6)),
            "posture": np.zeros((nt, model.nq)),
            "posture_rate": np.zeros((nt, model.nv)),
            "posture_acceleration": np.zeros((nt, model.nv)),
            "row": whole_table(rows, len(rows), 3),
            "weight": np.array(weights, dtype=float),
            "contact": whole_table(table, nc, 4),
            "contact_frame": table_of(contact_frames, nc, 12),
            "contact_axes": table_of(axes, nc, 9),
            "contact_rate": np.zeros((nc, 12)),
            "point": table_of(points, np_, 3),
            "grip": table_of(grips, np_, 4),
            "wish": np.zeros((np_, 3)),
            "side": side,
            "free": free.astype(np.int64),
            "limited": limited.astype(np.int64),
            "torque": torque,
            "bounded": bounded,
            "place": place,
            "bound": bound,
            "sprung": np.stack([moved, places_in_q(model)[moved]], axis=1),
            "passive": options["passive"],
            "pair": whole_table([_pair(model, c)[0] for c in clearances.values()], len(clearances), 2),
            "ends": table_of([_pair(model, c)[1] for c in clearances.values()], len(clearances), 12),
            "reach": np.array([c.radius + c.other_radius + c.margin for c in clearances.values()], dtype=float),
            "cut": np.zeros((np_ * cuts, 2)),
            "unit": np.array(model.coordinates.quaternions, dtype=np.int64),
            "number": np.array(
                [
                    options["motion_weight"], mass, options["contact_damping"], options["torque_slack"],
                    options["motion_slack"], options["horizon"], options["brake"], options["limit"], LITTLE / mass**2,
                    options["friction_speed"],
                ]
            ),
        },
        len(labels),
    )  # fmt: skip
    tick.count[7] = max(len(levels), 1)
    sure = len(free) + 2 * len(limited) + 2 * len(bounded) + len(clearances) + np_ * (1 + len(side) + cuts) + SLACKS
    assert len(labels) >= sure
    rows_of = {name: np.array(own, dtype=int) for name, own in where.items()}
    return Packed(tick, labels, places, entries, rows_of, results, parts)


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


def whole_table(rows, count: int, width: int) -> np.ndarray:
    """The same for integers."""
    return np.array(rows, dtype=np.int64).reshape(count, width)
