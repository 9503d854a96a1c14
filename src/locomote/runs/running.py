"""A run under way: what it is computed with, what it has found so far, and how it stands."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from locomote.actuation.controllers import Held, Sampled, clocked, said_by
from locomote.compiler.callbacks import Callback, table_of
from locomote.evaluation import plan as fields
from locomote.evaluation.clocks import EARLY, PERIOD, START, WEIGHT
from locomote.evaluation.plan import Plan
from locomote.evaluation.protocol import Problem
from locomote.methods import state as at
from locomote.methods.entries import fill_matrices, record_one
from locomote.methods.events.crossings import LEAVES
from locomote.methods.events.event import Event
from locomote.methods.events.ignored import checked_names, ends_of, without
from locomote.methods.events.unilateral import Contacts
from locomote.methods.events.when import When, as_when
from locomote.methods.options import Options
from locomote.methods.recorded import places_of, read_fields
from locomote.methods.registry import METHODS
from locomote.methods.state import samples_of
from locomote.runs.amounts import MOST_TICKS, checked_steps
from locomote.runs.audit.known import audited
from locomote.runs.channels import commands_of
from locomote.runs.schedule import Schedule

SPARE = 64  # samples that there is room for beyond those that are scheduled
NOT_YET = object()


class Running:
    """One run of a problem.

    start : (q, v) at time t ; anchor : the configuration that targets and lengths which were left open are taken from; start
    ignore : name of a constraint that does not hold -> time until then, or None
    """

    def __init__(
        self,
        problem: Problem,
        schedule: Schedule,
        options: Options,
        events: Sequence[When | Callable],
        start,
        t: float,
        anchor=None,
        ignore: Mapping[str, float | None] | None = None,
    ):
        self.problem, self.options, self.schedule, self.times = problem, options.checked(), schedule, schedule.times
        self.t0, self.method = t, METHODS[options.method]
        self._refuse_endless()
        self.ignore = dict(ignore or {})
        self.classification = str(problem.classify(t, start[0], ignore=list(self.ignore)))
        if not isinstance(events, Sequence):
            raise TypeError(f"events must be a list, such as events=[...], not {events!r:.60}")
        self.watched, self.users = [as_when(event) for event in events] + ends_of(self.ignore), len(events)
        named = [checked_names(problem, names, label) for w in self.watched for label, names in w.switches]
        self.switched = {*self.ignore, *(name for names in named for name in names)}  # constraints that may not hold
        self.chosen, self.reason = False, ""  # whether the method was chosen for the user, and why
        self.stiff: str | None = None  # why there are so many steps, once that was asked
        self.start_change: dict[str, list[float]] | None = None  # how far the start is from the one that was given
        self.controllers = [Held(c, problem.model.nq, problem.model.nv) for c in problem.controllers if isinstance(c, Sampled)]
        self.plan = without(problem, self._own_plan(start[0] if anchor is None else anchor), self.ignore)
        self.work = problem.work_for(self.plan)
        if self.plan.clock_kinds[:, WEIGHT].any():
            fill_matrices(self.plan)
        self.contacts = Contacts(problem, self.plan, self.work, stops=not self.method.impulsive)
        self.state = self.method.state_for(self.plan, len(self.watched))
        self.samples = samples_of(self.plan, self.times, len(self.times) + SPARE)
        self.places = places_of(self.plan, problem.terms)
        self.events: list[Event] = []
        self.correcting, self.goes_on = -2, False  # the last step that was corrected; goes_on : not from its start
        self.jumps: list[float] = []
        self.kept: Any = NOT_YET  # what the step of the method needs, once it has been made
        self.wall, self.status, self.message = 0.0, "running", ""
        self.fault: Exception | None = None
        self._begin(start, t)

    def _refuse_endless(self) -> None:
        """Refuse steps, or ticks of controllers, that would never come to an end."""
        options, length = self.options, float(self.times[-1]) - self.t0 if len(self.times) else 0.0
        checked_steps(length, options.max_step, "max_step")
        if options.step is not None and not self.method.chooses:
            checked_steps(length, options.step)
        for controller in clocked(self.problem.controllers):
            checked_steps(length, controller.every, f"every of {controller.title}", MOST_TICKS)

    def _own_plan(self, q: np.ndarray) -> Plan:
        """The plan of this run, which calls its events and controllers; open targets and lengths are taken at q."""
        plan, callbacks, held = self.problem.run_plan(q), [], [held.callback for held in self.controllers]
        if self.watched:
            sizes = self.problem.model.nq, self.problem.model.nv, len(self.watched)
            callbacks.append(Callback(self._watch, sizes, name="events"))
            plan.functions[fields.EVENTS] = callbacks[0].row
        callbacks += held
        return plan.changed(callbacks, functions=np.vstack([plan.functions, table_of(held)])) if callbacks else plan

    def _watch(self, t, q, v):
        return np.array([when(t, q, v) for when in self.watched])

    def _begin(self, start, t: float) -> None:
        """Fill the state with that of the start, and with what was chosen."""
        state, options, users = self.state, self.options, len(self.watched)
        state.q[:], state.v[:] = start
        state.clock[[at.TIME, at.END]], state.clock[at.STEP], state.clock[at.ERROR] = t, self._first_step(), 1e-4
        state.clock[at.NEAREST], state.clock[at.LIMIT] = 1.0, 1e300
        state.counts[at.RANK], state.counts[at.FRESH] = -1, 1
        reach = self.method.reach(options.rtol)
        state.settings[:] = options.rtol, options.atol, min(options.max_step, 1e300), 1e-14, self.schedule.spacing, reach
        state.choices[:] = options.projection, 1000, options.singular == "stop"
        self.plan.options[fields.DENSE] = self.method.by_mass
        if not self.method.local:  # which looks at what elimination as a whole leaves behind
            self.plan.options[fields.LOCAL] = 0.0
        state.directions[:users] = [w.direction for w in self.watched]
        state.directions[users:] = LEAVES
        period, first = self.plan.clocks[:, PERIOD], self.plan.clocks[:, START]
        state.ticks[:] = np.maximum(0, np.ceil((t - first) / period - EARLY))

    def _first_step(self) -> float:
        if self.options.step is not None:
            return self.options.step
        if not self.method.chooses:
            return 1e-3
        return min(self.method.first_step, 0.1 * (float(self.times[-1] - self.t0) or 1.0))

    # how it goes on

    def end(self, status: str, message: str) -> None:
        self.status, self.message = status, message

    def fresh(self) -> None:
        """Go on from a changed velocity or changed contacts."""
        state = self.state
        state.counts[at.FRESH], state.counts[at.RANK] = 1, -1
        self.take_plan()
        if self.contacts:
            state.clock[at.LIMIT] = min(1e300, self.contacts.longest_step(float(state.clock[at.TIME]), state.q, state.v))

    def take_plan(self) -> None:
        """Go on with other coordinates held than before, if joints came onto their stops or left them."""
        if self.contacts.plan is not self.plan:
            self.plan = self.contacts.plan
            self.method.changed(self.state)
            if self.kept is not NOT_YET:
                self.kept = self.method.fill_calls(self.plan, self.work, self.state, self.problem.terms)

    def make_room(self, more: int) -> None:
        """Room for more samples."""
        self.samples = samples_of(self.plan, self.times, len(self.samples.t) + more, self.samples)

    def keep_sample(self, *, anew: bool = False) -> None:
        """A sample of the state as it is now, unless the last one is just that; anew : also if only reactions differ."""
        state, samples, n, now = self.state, self.samples, int(self.state.counts[at.FILLED]), self.state.clock[at.TIME]
        if (
            not anew
            and n
            and samples.t[n - 1] == now
            and all(np.array_equal(getattr(samples, x)[n - 1], getattr(state, x)) for x in "qv")
        ):
            return
        if len(samples.t) - n < len(self.times) - state.counts[at.NEXT] + 2:
            self.make_room(SPARE)
        record_one(self.plan, self.work, self.state.common, self.samples)
        while state.counts[at.NEXT] < len(self.times) and self.times[state.counts[at.NEXT]] <= now:
            state.counts[at.NEXT] += 1

    # what it gives

    def event(self, t: float, kind: str, text: str, **data) -> Event:
        """Something that happens in the state as it is now."""
        return Event(t, kind, text, data | {"q": self.state.q.tolist(), "v": self.state.v.tolist()})

    def name_of(self, number: int) -> str:
        """What an event of the user is called."""
        return self.watched[number].name or getattr(self.watched[number].function, "__name__", f"event {number}")

    def arrays(self, first: int, last: int) -> dict[str, Any]:
        """Samples from first to last as the arrays of a Trajectory."""
        found = read_fields(self.samples, self.places, slice(first, last))
        return found | {"commands": commands_of(self.problem.actuators, found["t"])}

    def info(self) -> dict[str, Any]:
        """How it was computed."""
        o, counts = self.options, self.state.counts
        steps, passed = int(counts[at.STEPS]), float(self.state.clock[at.TIME]) - self.t0
        spoken = {
            "reason": self.reason,
            "stiff": self.stiff,
            "said": said_by(self.controllers),
            "start change": self.start_change,
        }
        return {
            "method": o.method, "rtol": o.rtol, "atol": o.atol, "step": o.step, "max_step": o.max_step,
            "mean_step": passed / steps if steps else None,
            "projection": o.projection, "singular": o.singular, "steps": steps,
            "rejected": int(counts[at.REJECTED]), "evaluations": int(counts[at.EVALUATIONS]), "wall": self.wall,
            "status": self.status, "message": self.message,
            "classification": self.classification, "samples": self.schedule.to_record(), "t0": self.t0,
            "events": self.users, "ignore": self.ignore,
        } | {name: text for name, text in (spoken | audited(self.problem)).items() if text}  # fmt: skip
