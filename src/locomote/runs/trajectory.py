"""Trajectory: what a run gives. Plain arrays with one row a sample, names and units for every column, and its own audit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.brief import brief
from locomote.errors import UnknownName
from locomote.evaluation.protocol import Problem
from locomote.later import later
from locomote.methods.events.event import Event
from locomote.methods.recorded import FIELDS, TABLES, mapped
from locomote.model.model import Model
from locomote.runs.asked import asked, is_held, keep, known
from locomote.runs.channels import LABELS, Channel, Channels, Column, columns, labels_of
from locomote.runs.netmotion import NetMotion, net_motion
from locomote.runs.start_loads import loads_of
from locomote.spatial.numbers import as_numbers

if TYPE_CHECKING:
    from locomote.runs.audit.audit import Audit

HIT = 10.0  # times the velocities of both neighbours that an acceleration would add between them, if it is of a hit


@brief
@dataclass(frozen=True)
class Sample:
    """The run at one time, or at several: as in Trajectory, with the shape of t in front."""

    t: Any
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray
    reactions: np.ndarray


def _without_hits(a: np.ndarray, v0: np.ndarray, v1: np.ndarray, h: np.ndarray) -> np.ndarray:
    """Accelerations (..., nv) for the way between samples h apart: that of their velocities where a hit made it far larger."""
    fastest = np.maximum(abs(v0), abs(v1)).max(axis=-1, initial=0.0, keepdims=True)
    hit = (h > 0) & (h * abs(a).max(axis=-1, initial=0.0, keepdims=True) > HIT * fastest)
    return np.where(hit, np.divide(v1 - v0, h, out=np.zeros_like(a), where=h > 0), a)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Trajectory:
    """The motion of a model over n samples, with what it costs and how well it closes. `methods.recorded` has the table of
    all fields with one row a sample.

    t : (n,) s, never decreasing; two samples of the same time are before and after an impact
    q : (n, nq); v, a : (n, nv); tau : (n, nv) of the drives on imposed coordinates, as given on others, N or N m
    reactions : (n, rows) of the constraints, N or N m; constraint_labels has (constraint, row, unit) of each
    contacts : (n, contacts, 6) force of each contact on its body, N, and the point it acts at, m, in the world: means over the
        step that ends with a sample; contact_labels has their names
    contact_pairs : (n, slots) which pair of shapes has each of the last contacts, the slots of lo.BodyContacts, from 1; 0: none
    commands : (n, commands) what actuators inside rods are told; command_labels has (actuator, word, unit) of each
    kinetic, potential, elastic : (n,) J
    work : name of a source -> (n,) J that it gave since the start (drives, torques, losses, environment, constraints,
        actuators, and every force term by its name)
    energies : name of a force term -> (n,) its energy, J, which is part of `elastic` or of `potential`
    loads : name of a force term -> (n, places, 6) force and moment at its places, world axes, N and N m
    residual : (n,) largest velocity that a constraint forbids, m/s or rad/s; position_residual : (n,) m or rad
    events : what happened, in order of time
    info : how it was computed: method, rtol, atol, step, steps, evaluations, wall (s), versions, date, status, message
    problem : the problem that was solved; None for a file whose problem could not be stored (problem_missing says why)
    imposed : (nv,) booleans, the coordinates that drives impose
    state : arrays and numbers from which the run can go on
    tracked : what was watched at every step and not only at samples, None if nothing was: "path" (1,) of the base, m; for
        x = q, v, a, tau, reactions "x.max", "x.min" (columns,) and the times of these "x.max_at", "x.min_at", s
    """

    model: Model
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray
    kinetic: np.ndarray
    potential: np.ndarray
    elastic: Any = None
    reactions: Any = None
    contacts: Any = None
    contact_pairs: Any = None
    commands: Any = None
    work: Mapping[str, np.ndarray] = field(default_factory=dict)
    energies: Mapping[str, np.ndarray] = field(default_factory=dict)
    loads: Mapping[str, np.ndarray] = field(default_factory=dict)
    residual: Any = None
    position_residual: Any = None
    events: Sequence[Event] = ()
    info: Mapping[str, Any] = field(default_factory=dict)
    problem: Problem | None = None
    constraint_labels: Any = None
    contact_labels: Any = None
    command_labels: Any = None
    imposed: Any = None
    state: Mapping[str, Any] | None = None
    tracked: Mapping[str, np.ndarray] | None = None
    problem_record: Mapping[str, Any] | None = None
    problem_missing: str = ""

    def __post_init__(self) -> None:
        put, count, model, problem = partial(object.__setattr__, self), np.size(self.t), self.model, self.problem
        for name, labels in labels_of(self).items():
            put(name, labels)
        sizes = {"nq": model.nq, "nv": model.nv} | {size: len(getattr(self, name)) for size, (name, _, _) in LABELS.items()}
        sizes["slots"] = np.shape(self.contact_pairs)[1] if np.ndim(self.contact_pairs) == 2 else 0
        for own in FIELDS:
            values, shape = getattr(self, own.name), (count, *own.shape_for(sizes))
            if own.by:
                arrays = {str(name): frozen(x, f"{own.name}[{name!r}]", shape) for name, x in values.items()}
                put(own.name, MappingProxyType(arrays))
            else:
                put(own.name, frozen(np.zeros(shape) if values is None else values, own.name, shape))  # type: ignore[arg-type]
        if not np.isfinite(self.t).all() or (np.diff(self.t) < 0).any():
            raise ValueError("t must be finite and must not decrease")

        imposed = problem.imposed if self.imposed is None and problem is not None else self.imposed
        imposed = np.zeros(model.nv, dtype=bool) if imposed is None else np.array(imposed, dtype=bool)
        if imposed.shape != (model.nv,):
            raise ValueError(f"imposed has shape {imposed.shape}, expected ({model.nv},)")
        put("imposed", imposed)
        put("events", tuple(sorted(self.events, key=lambda event: event.t)))
        put("info", MappingProxyType(dict(self.info)))
        if self.tracked is not None:
            put("tracked", MappingProxyType({str(name): np.array(x, dtype=float) for name, x in self.tracked.items()}))

    def __reduce__(self):
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        tracked = None if self.tracked is None else dict(self.tracked)
        tables = {name: dict(getattr(self, name)) for name in (*TABLES, "info")}
        return _of_fields, (own | tables | {"tracked": tracked},)

    # what it is

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        extent = f"{self.t[0]:.6g} to {self.t[-1]:.6g} s" if len(self) else "no time"
        status = f", {self.info['status']}" if "status" in self.info else ""
        events = f", {len(self.events)} event{'s' * (len(self.events) != 1)}" if self.events else ""
        return f"<Trajectory of {self.model.name!r}: {len(self)} samples, {extent}{events}{status}>"

    def _repr_html_(self) -> str:
        from locomote.runs.summary import summary_table

        return summary_table(self)

    @property
    def contact_forces(self) -> np.ndarray:
        """(n, contacts, 3) forces of contacts on their bodies in the world, N: means over the step that ends with a sample. At
        the start, where none does, those of Coulomb's law in that state; zero if something hits there or more than 24 touch."""
        return self._loads[:, :, :3]

    @property
    def contact_points(self) -> np.ndarray:
        """(n, contacts, 3) where they act, m; `contact_labels` has their names."""
        return self._loads[:, :, 3:]

    @cached_property
    def _loads(self) -> np.ndarray:
        """`contacts` with the loads of the start."""
        started = len(self) > 0 and self.problem is not None and self.info.get("t0") == self.t[0]
        if not started or not self.contacts.shape[1] or self.contacts[0].any():
            return self.contacts
        first = loads_of(self.problem, float(self.t[0]), self.q[0], self.v[0], self.contacts[min(1, len(self) - 1)])
        if first is None or first.shape != self.contacts[0].shape:
            return self.contacts
        result = self.contacts.copy()
        result[0] = first
        result.flags.writeable = False
        return result

    @cached_property
    def joint_wrenches(self) -> np.ndarray:
        """(n, bodies, 6) what each joint carries: force (N) and moment (N m) that a body gets from its parent, in the frame of
        the body, about its origin, in the order of `model.body_names`.

        As lo.joint_wrenches, with all that acts in the run: forces, reactions, contacts. Along the axes of a joint it is what
        acts within it: drive, spring, damper, friction, stop, couplings. Over contacts it is a mean over the step that ends
        with a sample, and zero at the start; impulses of events are not in it. Computed when it is asked for, from the problem
        of the run; functions (t, q, v) of the surroundings are called for it.
        """
        return asked(self, "joint_wrenches")

    @property
    def total(self) -> np.ndarray:
        """(n,) kinetic, potential and elastic energy, J."""
        return self.kinetic + self.potential + self.elastic

    @property
    def balance(self) -> np.ndarray:
        """(n,) energy gained since the first sample that no work explains, J; zero if all is right."""
        if not len(self):
            return np.zeros(0)
        given = sum((values - values[0] for values in self.work.values()), np.zeros(len(self)))
        return self.total - self.total[0] - given

    @cached_property
    def net_motion(self) -> NetMotion | None:
        """Poses of the base over time; None if the base is fixed."""
        path = None if self.tracked is None else self.tracked.get("path")
        return net_motion(self.model, self.t, self.q, self.v, None if path is None else float(path[0]))

    @property
    def start_change(self) -> Mapping[str, np.ndarray] | None:
        """What was changed in the start that was given, so that it meets drives and constraints: "q" (nv,), as a motion, m or
        rad, and "v" (nv,), m/s or rad/s; None if nothing was."""
        found = self.info.get("start change")
        return None if found is None else MappingProxyType({name: np.array(x, dtype=float) for name, x in found.items()})

    @cached_property
    def audit(self) -> "Audit":
        """How well the run closes, and whether its numbers follow from its model; print it, or ask `audit.ok`.

        `audit.deep()` computes every sample anew.
        """
        from locomote.runs.audit.audit import audit

        return audit(self)

    # channels

    @cached_property
    def _columns(self) -> Mapping[str, Column]:
        return columns(self)

    @property
    def actuation(self) -> Mapping[str, np.ndarray]:
        """What each actuator inside rods was told, by its name: (n,) tension N, pressure Pa or activation."""
        return {name: self.commands[:, k] for k, (name, _, _) in enumerate(self.command_labels)}

    @property
    def channels(self) -> Channels:
        """(name, unit) of everything that the run holds; prints as a table. `run[name]` also gives what is computed when it is
        asked for, such as "knee.joint force x", which the run holds from then on."""
        return Channels(Channel(name, column.unit) for name, column in self._columns.items() if is_held(self, column.array))

    def _column(self, name: str) -> Column:
        if name not in self._columns:
            raise UnknownName("channel", name, self._columns, f"the run of {self.model.name!r}")
        return self._columns[name]

    def unit(self, name: str) -> str:
        """The unit of a channel."""
        return self._column(name).unit

    def __getitem__(self, name: str) -> np.ndarray:
        """(n,) the numbers of a channel, such as run["rotor.velocity"]."""
        return self._column(name).read(self)

    # parts

    def between(self, start: float, end: float) -> "Trajectory":
        """The samples from time `start` to time `end` (s), both included, as a run of its own."""
        rows = slice(np.searchsorted(self.t, start, side="left"), np.searchsorted(self.t, end, side="right"))
        if rows.start >= rows.stop:
            raise ValueError(f"no sample between t = {start:g} s and t = {end:g} s; {self._extent()}")
        return self.part(rows, [event for event in self.events if start <= event.t <= end])

    def part(self, rows: slice, events: Sequence[Event] = ()) -> "Trajectory":
        """Some samples as a run of its own: all fields that have one row a sample."""
        state = self.state if rows.stop == len(self) else None
        part = replace(self, **mapped(lambda field, x: x[rows], self), events=events, state=state, tracked=None)
        keep(part, {name: x[rows] for name, x in known(self).items()})
        return part

    def extend(self, duration: float, *, every: float | None = None, events: Sequence[Any] = (), progress: bool | None = None):
        """This run and what comes after it: a Trajectory that goes on for another `duration` (s) from its last state.

        every : distance of the new samples, s; that of the old ones if None
        events : those that the run watched for, which it does not keep ; progress : show a bar
        """
        from locomote.runs.extend import extend

        return extend(self, duration, every=every, events=events, progress=progress)

    def at(self, t) -> Sample:
        """The run at a time t (s) between samples, or at an array of times.

        q follows its velocity and acceleration from both neighbours, along the group, and the two are blended: error of third
        order in the time between samples. v is a cubic; forces are linear. Accelerations of hits do not count in q and v.
        """
        times = as_numbers(t, "t", "(...)")
        outside = ~((times >= self.t[0]) & (times <= self.t[-1])) if len(self) else np.ones(times.shape, dtype=bool)
        if outside.any():
            raise ValueError(f"t = {times[outside].flat[0]:g} s is outside the run: {self._extent()}")
        if len(self) == 1:
            rows = np.zeros(times.shape, dtype=int)
            return Sample(t, *(getattr(self, name)[rows] for name in ("q", "v", "a", "tau", "reactions")))
        k = np.clip(np.searchsorted(self.t, times, side="right") - 1, 0, len(self) - 2)
        h = (self.t[k + 1] - self.t[k])[..., None]
        after = times[..., None] - self.t[k][..., None]
        s = np.divide(after, h, out=np.ones_like(after), where=h > 0)  # at an impact: what comes after it
        v0, v1 = self.v[k], self.v[k + 1]
        a0, a1 = _without_hits(self.a[k], v0, v1, h), _without_hits(self.a[k + 1], v0, v1, h)
        early = self.model.integrate(self.q[k], after * v0 + after**2 / 2 * a0)
        late = self.model.integrate(self.q[k + 1], (after - h) * v1 + (after - h) ** 2 / 2 * a1)
        q = self.model.integrate(early, s**3 * (10 - 15 * s + 6 * s**2) * self.model.difference(early, late))
        v = (1 + 2 * s) * (1 - s) ** 2 * v0 + s**2 * (3 - 2 * s) * v1 + h * s * (1 - s) * ((1 - s) * a0 - s * a1)
        linear = ((1 - s) * x[k] + s * x[k + 1] for x in (self.a, self.tau, self.reactions))
        return Sample(t, q, v, *linear)

    def _extent(self) -> str:
        return f"it goes from {self.t[0]:g} to {self.t[-1]:g} s" if len(self) else "it has no samples"

    # what can be done with it; each in a file of its own

    @property
    def energetics(self):
        """Power to the fluid, Strouhal and swimming numbers, efficiency, cost of transport, mean lift (`runs.energetics`); None
        on dry land."""
        if self.problem is None or not self.problem.environment:
            return None
        from locomote.runs.energetics import energetics

        return energetics(self)

    def summary(self) -> str:
        """The run in a few lines of text: net motion, forces, work, audit, events, timing."""
        from locomote.runs.summary import summary

        return summary(self)

    def plot(self, channels: str | Sequence[str] | None = None, *, path=None, ax=None, label: str | None = None):
        """A matplotlib Figure: net path, shape, torques, reactions, energies and audit; or the named channels over time.

        channels : names, one or several ; "net path" is the path of the base seen from above
        path : where to write it too (.png, .pdf, .svg)
        ax : matplotlib Axes to draw one channel into, instead of a new figure; its figure is returned ; label : in its legend

        A notebook shows the picture. `lo.compare` draws several runs into one.
        """
        from locomote.runs.plots import plot

        return plot(self, channels, path=path, ax=ax, label=label)

    def view(self, *others: "Trajectory", **options):
        """Show the run, and others beside it, in the browser: play it, look at it from all sides, choose what is drawn.

        options : port, host, browser (whether to open one), wait (until the page is closed); see `lo.view`
        """
        return later("view.viewer", "view")([self, *others], **options)

    def film(
        self, path, *, fps: float | None = None, speed: float = 1.0, size: tuple[int, int] | None = None, show=(), hide=()
    ):
        """Write a film of the run (.mp4, .gif), or a strip of eight instants (.png); no display is needed.

        fps : pictures a second, 30 for .mp4 and 20 for .gif ; speed : of time, 1 for real time
        size : width and height of a picture in pixels
        show, hide : layers to draw besides, or not: shapes, joints, wheels, surfaces, ground, path, tracks, forces,
            center, ghosts
        """
        later("view.film", "film")(self, path, fps=fps, speed=speed, size=size, show=show, hide=hide)

    def report(self, path, *, sensitivity: bool = False, beside=None) -> None:
        """Write one HTML file that opens anywhere offline: what ran, its case, curves, the moving scene, the audit.

        sensitivity : with what changes results, as `sensitivity` gives it, which compiles a step of the problem once
        beside : a run, a list, or a table from names to runs, seven at most, that are compared with this one: in the same
            scene and the same curves, with a table of what was different and what came of it
        """
        later("view.report", "report")(self, path, sensitivity=sensitivity, beside=beside)

    def sensitivity(self, by: str | Sequence[str] = "*", *, step: float | None = None):
        """By how many percent net motion, work and peak torque change per percent of each parameter, with exact slopes.

        by : names or patterns of `problem.parameters`, all if left out; those that are zero have no percent
        step : s, of the fixed steps by which the run is repeated, 5 ms at most if left out
        Returns a `Sensitivity`, which prints as a table; `words()` says it in sentences, `plot()` draws bars.
        """
        return later("gradients.sensitivity", "sensitivity")(self, by, step=step)

    def save(self, path) -> None:
        """Write everything, and what is needed to repeat the run, to an HDF5 file; `open_run` reads it."""
        from locomote.runs.files.runfile import save

        save(self, path)

    def export(self, path):
        """Write the run for other programs, by the ending of the path; returns it.

        .csv, .parquet, .nc : every channel as a column, with its unit (netCDF is for xarray)
        .mcap : poses, shapes and channels for Foxglove (needs mcap) ; .rrd : the same for rerun (needs rerun-sdk)
        no ending : a new folder with a URDF and its meshes, the run file, the table and the report
        """
        return later("view.exports.registry", "export")(self, path)

    def to_dict(self) -> dict[str, np.ndarray]:
        """Every channel (n,) by name, as pandas.DataFrame takes it."""
        return {channel.name: np.array(self[channel.name]) for channel in self.channels}

    def to_csv(self, path) -> None:
        """Write every channel as a column of a table, headed `name [unit]`; numbers keep all their digits."""
        from locomote.runs.export import to_csv

        to_csv(self, path)

    def to_xarray(self):
        """An xarray.Dataset over t with every channel as a variable, its unit in attrs["units"]."""
        from locomote.runs.export import to_xarray

        return to_xarray(self)


def _of_fields(own: dict[str, Any]) -> Trajectory:
    """For pickle and copy."""
    return Trajectory(**own)


def frozen(values, name: str, shape: tuple[int | None, ...]) -> np.ndarray:
    """A float array of a shape (None: any size) that cannot be written to."""
    array = as_numbers(values, name, str(shape)).view()
    if array.ndim != len(shape) or any(n is not None and n != m for n, m in zip(shape, array.shape, strict=True)):
        raise ValueError(f"{name} has shape {array.shape}, expected {shape}")
    array.flags.writeable = False
    return array
