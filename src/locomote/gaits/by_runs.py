"""Searches over runs, for problems whose net motion the shape does not decide alone: momentum, friction, drag, elasticity.

Drag, friction and springs let a driven motion settle: what counts is a period of its periodic orbit, which is found first
(`orbits`), and its slopes with it. Where there is none, or so many `periods` are asked for, the gait drives the joints for
these from rest, but for what the gait itself moves, and the last one counts. The net motion of a period is

    p . u_a ,   p how far the base gets ,   u_a the mean over the period of its axis a, made a unit; or how far it turns  (1)

(from rest along axis a of the world). Runs go side by side, and slopes are central differences of them: of mixed systems
without other forces by their reduced equations (`momentum`), of others by `lo.rollout` with parameters.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from locomote.compiled.rollout import rollout
from locomote.drives.kinds.fourier import Fourier
from locomote.errors import LocomoteError, UnknownName
from locomote.gaits.coordinates import Coordinates
from locomote.gaits.curves import Series
from locomote.gaits.local_form import NoConnection, local_form
from locomote.gaits.momentum import Drifting
from locomote.gaits.net_motion import refuse_other_forces
from locomote.gaits.orbits import Orbit, States, settled, waited
from locomote.gaits.search import Found, Search
from locomote.gaits.upright import Upright, no_upright, upright_of
from locomote.gradients.goals import integral
from locomote.locomotion.connection import base_axes
from locomote.locomotion.problem import Locomotion
from locomote.runs.channels import columns_of_v
from locomote.spatial.groups_arrays import Group

DIFFERENCE, OVER_CONTACTS = 1e-4, 1e-3  # rad or m, of slopes
STEPS, STEPS_OVER_CONTACTS = 100, 1600  # of a period
STAGES = 20  # of a period, over which axes of the base are averaged
FINER = 2  # steps of the run that is shown, over contacts, for one of the search
BEFORE = 3  # periods from rest, before an orbit is looked for
WORK = "power.drives"
COSTS = ("none", "work")  # of runs
PLACES = {"x": 0, "y": 1, "z": 2, "turn": 5, "yaw": 5}  # goals of runs, by the axis of the base


@dataclass(frozen=True)
class Moving:
    """What a search over runs knows of a problem, in the place of a local form."""

    problem: Locomotion
    coordinates: Coordinates
    kind: str = "runs"

    @property
    def size(self) -> int:
        """Number of coordinates that vary."""
        return self.coordinates.size

    @cached_property
    def group(self) -> Group:
        """Axes of the base."""
        base = np.array(sorted(self.problem.external), dtype=int)
        return Group("its base", tuple(int(np.argmax(row)) for row in base_axes(self.problem, base)))

    def place(self, goal: Any) -> int:
        """Where a goal stands in q."""
        if not isinstance(goal, str):
            raise ValueError(
                f"goals of gaits by runs are single ones, {', '.join(self.goals)}, not {goal!r:.40}; sums and functions are of "
                f"problems whose shape decides the net motion"
            )
        if goal not in PLACES:
            raise UnknownName("goal", goal, PLACES, "gaits by runs")
        if PLACES[goal] not in self.group.axes:
            raise LocomoteError(f"the base of {self.problem.name!r} has no {goal!r}; goals are {', '.join(self.goals)}")
        if not self.flat and goal not in ("x", "y", "z"):
            raise LocomoteError(f"turns of {self.problem.name!r} in space are no coordinate of its base; goals are x, y, z")
        return self._at(PLACES[goal])

    @property
    def flat(self) -> bool:
        """Whether the base turns about z at most."""
        return not any(a in (3, 4) for a in self.group.axes)

    def gained(self, q: np.ndarray, goal: str, mean: bool) -> np.ndarray:
        """(N,) what base configurations q (N, S + 1, nq) of a period gain of a goal (1); mean : along its mean axis"""
        axes, axis = self.group.axes, PLACES[goal]
        if axis > 2 or not mean or not any(a > 2 for a in axes):
            return q[:, -1, self.place(goal)] - q[:, 0, self.place(goal)]
        shifts = [a for a in (0, 1, 2) if a in axes]
        p = np.zeros((len(q), 3))
        p[:, shifts] = np.stack([q[:, -1, self._at(a)] - q[:, 0, self._at(a)] for a in shifts], axis=1)
        u = self._axis(q[:, :-1], axis).mean(axis=1)
        return (p * u).sum(axis=1) / np.linalg.norm(u, axis=1)

    def _at(self, axis: int) -> int:
        """Where an axis of the base stands in q; of a base in space a translation."""
        return self.group.axes.index(axis) if self.flat else axis

    def _axis(self, q: np.ndarray, axis: int) -> np.ndarray:
        """(..., 3) an axis of the base in the world."""
        if not self.flat:
            from scipy.spatial.transform import Rotation

            return Rotation.from_quat(q[..., 3:7].reshape(-1, 4)).as_matrix()[:, :, axis].reshape(*q.shape[:-1], 3)
        angle = q[..., self._at(5)]
        c, s, still = np.cos(angle), np.sin(angle), np.zeros_like(angle)
        return np.stack([(c, s, still), (-s, c, still), (still, still, still + 1.0)][axis], axis=-1)

    @cached_property
    def drifting(self) -> Drifting | None:
        """The reduced equations of a mixed system on which nothing else acts; None of others."""
        made = self.coordinates
        modes = {
            name: {made.joints[row]: float(made.directions[row, j]) for row in np.flatnonzero(made.directions[:, j])}
            for j, name in enumerate(made.names)
        }
        try:
            form = local_form(self.problem, modes, dict(zip(made.joints, made.at[made.places], strict=True)))
            refuse_other_forces(form, momentum=True)
        except (NoConnection, ValueError):
            return None
        return Drifting(form) if form.kind == "mixed" and self.group.size == form.group.size else None

    @cached_property
    def upright(self) -> Upright | None:
        """The state of a base that stands under gravity or on the ground."""
        return upright_of(self.problem, self.group.axes)

    @property
    def heads(self) -> bool:
        """Whether it has a turn that a gait leaves behind, and that is a number."""
        return self.flat and 5 in self.group.axes and (self.upright is None or self.upright.heading)

    @property
    def goals(self) -> list[str]:
        """Goals that the base has."""
        return [goal for goal, axis in PLACES.items() if axis in self.group.axes]


@dataclass
class RunSearch(Search):
    """A search over runs; numbers as those of a series.

    period : s ; periods : how many from rest, of which the last counts; 0 for one of the periodic orbit
    steps : of a period ; named : the goal ; limits : (k,) of forces of the coordinates, N m or N, at all steps of the
        period that counts
    """

    period: float = 1.0
    periods: int = 1
    steps: int = 100
    named: str = "x"
    limits: np.ndarray | None = None
    _used: tuple[np.ndarray, np.ndarray, np.ndarray] | None = field(default=None, repr=False)  # of numbers, with slopes
    _state: np.ndarray | None = field(default=None, repr=False)

    def at(self, numbers: np.ndarray) -> Found:
        """Value and slopes at a gait, from batches of runs."""
        if self._last is not None and np.array_equal(self._last.numbers, numbers):
            return self._last
        size = len(numbers)
        far = OVER_CONTACTS if self.touches else DIFFERENCE
        units = far * np.eye(size)
        varied = np.concatenate([numbers + units, numbers - units])

        def slopes(x: np.ndarray) -> np.ndarray:
            return ((x[:size] - x[size:]) / (2 * far)).T

        if self.periods:
            net = self.ran(np.concatenate([numbers[None], varied]))
            first, by = net[0], slopes(net[1:])
        else:
            orbit = self.orbit(numbers)
            if orbit is None:
                return self._nothing(numbers)
            after, net = self.once(varied, np.tile(orbit.y, (len(varied), 1)))
            first, by = orbit.net, orbit.slopes(slopes(after), slopes(net))
        value, spent, uphill = float(first[0]), 1.0, by[0]
        if self.cost == "work":
            spent = float(first[2])
            if not spent > 0.0:
                return self._nothing(numbers)
            value, uphill = value / spent, by[0] / spent - first[0] / spent**2 * by[2]
        self._used = np.array(numbers), first[3:], by[3:]
        turned = [1] if self.turn is not None else []
        self._last = Found(
            np.array(numbers), value, float(first[0]), spent, uphill, first[turned] - float(self.turn or 0.0), by[turned]
        )
        return self._last

    def _conditions(self, times: np.ndarray, held: Any, turning: bool = True) -> list[dict[str, Any]]:
        """With limits of forces, at all times."""
        found = super()._conditions(times, held, turning)
        if self.limits is None:
            return found

        def forces(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            """All and their slopes; those of the last gait that moved, where this one does not."""
            self.at(numbers)
            assert self._used is not None
            return self._used[1], self._used[2]

        return [
            *found,
            {"type": "ineq", "fun": lambda c: 1.0 - forces(c)[0], "jac": lambda c: -forces(c)[1]},
            {"type": "ineq", "fun": lambda c: 1.0 + forces(c)[0], "jac": lambda c: forces(c)[1]},
        ]

    def most(self, numbers: np.ndarray) -> float:
        """The largest force as a part of its limit."""
        self.at(numbers)
        return 0.0 if self._used is None else float(abs(self._used[1]).max(initial=0.0))

    def orbit(self, numbers: np.ndarray):
        """The periodic orbit of a gait, from that of the last one, or after some periods from rest."""
        begin, found = self._state, None
        if begin is not None and self.touches:
            begin = waited(self.once, numbers, begin)
        if begin is not None:
            found = settled(self.once, numbers, begin, contacts=self.touches)
        if found is None:
            y: Any = self.states.rest()
            if self.touches:
                y = waited(self.once, numbers, y)
            else:
                for _ in range(BEFORE):
                    y = self.once(numbers[None], y[None])[0][0]
            if y is not None and np.isfinite(y).all():
                found = settled(self.once, numbers, y, contacts=self.touches)
        self._state = None if found is None else found.y
        return found

    @cached_property
    def states(self) -> States:
        """What of the state has to repeat itself."""
        form: Any = self.form
        return States(self._driven(np.zeros((1, form.size * (1 + 2 * self.curves.basis.harmonics))))[0], form.upright)

    @property
    def stages(self) -> int:
        """Times of a period at which states are kept."""
        return STAGES if self.limits is None else self.steps

    @property
    def touches(self) -> bool:
        """Whether runs go over contacts."""
        return bool(self.form.problem.contacts)

    def _driven(self, trials: np.ndarray) -> tuple[Locomotion, dict[str, np.ndarray]]:
        """The problem with a gait, and the numbers of all gaits."""
        form: Any = self.form
        problem, made = form.problem, form.coordinates
        c = trials.reshape(len(trials), form.size, -1)
        joints = np.einsum("jk,nkb->njb", made.directions, c)
        moved = [j for j in range(len(made.joints)) if made.directions[j].any()]
        rate = 2 * np.pi / self.period
        driven = form.problem.model.joint_names
        if odd := [made.joints[j] for j in moved if made.joints[j] not in driven]:
            whole = odd[0].rpartition(".")[0]
            raise ValueError(
                f"gaits by runs move joints of one coordinate, and {odd[0]!r} is one of several of {whole!r}; take other "
                f"joints by coordinates=, or single ones in its place; strains of rods are driven whole, by lo.StrainField"
            )
        first = {made.joints[j]: Fourier(x[0], x[1::2], x[2::2], rate) for j, x in zip(moved, joints[0][moved], strict=True)}
        values: dict[str, np.ndarray] = {}
        for j in moved:
            name, own = made.joints[j], joints[:, j]
            values |= {f"{name}.mean": own[:, 0], f"{name}.cosines": own[:, 1::2], f"{name}.sines": own[:, 2::2]}
        return problem.replaced(drives={**problem.drives, **first}, start=None), values

    def _runs(self, trials: np.ndarray, periods: int, **begin) -> Any:
        driven, values = self._driven(trials)
        asked = [integral(WORK)] if self.cost == "work" else []
        asked += [name for name, _ in self.channels]
        return rollout(
            driven, parameters=values, duration=self.period * periods, step=self.period / self.steps,
            keep=self.steps // self.stages, progress=False, start="project", outputs=asked or None, **begin,
        )  # fmt: skip

    @cached_property
    def channels(self) -> list[tuple[str, np.ndarray]]:
        """Forces of joints by name, and how much of a coordinate's limit each is (k,): those of the coordinates are sums."""
        if self.limits is None:
            return []
        form: Any = self.form
        made, names = form.coordinates, columns_of_v(form.problem.model, "tau")
        moved = [j for j in range(len(made.joints)) if made.directions[j].any()]
        return [(names[int(made.shape[j])][0], made.directions[j] / self.limits) for j in moved]

    def once(self, trials: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """States after a period that begins with y (N, m), and net motions (N, 3): goal, turn, work."""
        q, v = self.states.starts(y)
        runs = self._runs(trials, 1, q=q, v=v)
        q, v = np.asarray(runs.q), np.asarray(runs.v)
        return self.states.states(q[:, -1], v[:, -1]), self._net(q, runs, mean=True)

    def ran(self, trials: np.ndarray) -> np.ndarray:
        """(N, 3) goals, turns and work of gaits (N, numbers), run side by side from rest."""
        form: Any = self.form
        if form.drifting is not None and self.limits is None:
            return self._drifted(trials)
        runs = self._runs(trials, self.periods, **self._carried(trials))
        return self._net(np.asarray(runs.q)[:, -1 - self.stages :], runs, mean=False)

    def _carried(self, trials: np.ndarray) -> dict[str, np.ndarray]:
        """Where gaits of a mixed system begin, with no momentum but what the gait itself makes."""
        form: Any = self.form
        if form.drifting is None:
            return {}
        made, base = form.coordinates, form.drifting.form
        rate = 2 * np.pi / self.period * np.arange(1, 1 + self.curves.basis.harmonics)
        c = trials.reshape(len(trials), form.size, -1)
        x, dx = c[:, :, 0] + c[:, :, 1::2].sum(axis=2), c[:, :, 2::2] @ rate
        v = np.zeros((len(trials), form.problem.model.nv))
        v[:, base.base], v[:, made.shape] = -np.einsum("pnk,pk->pn", base(x).A, dx), dx @ made.directions.T
        return {"q": np.stack([made.configurations(own) for own in x]), "v": v}

    def _net(self, q: np.ndarray, runs: Any, mean: bool) -> np.ndarray:
        """(N, 3) of the last period, q (N, stages + 1, nq); with limits of forces also these, as parts of them."""
        form: Any = self.form
        found = np.zeros((len(q), 3))
        found[:, 0] = form.gained(q, self.named, mean)
        if form.heads:
            found[:, 1] = q[:, -1, form.place("turn")] - q[:, 0, form.place("turn")]
        if self.cost == "work":
            work = next(value for name, value in runs.outputs.items() if WORK in name)
            found[:, 2] = work[:, -1] - work[:, -1 - self.stages]
        if not self.channels:
            return found
        used = np.asarray(sum(runs.outputs[name][:, -self.stages :, None] * part for name, part in self.channels))
        return np.concatenate([found, used.reshape(len(q), -1)], axis=1)

    def _drifted(self, trials: np.ndarray) -> np.ndarray:
        """The same from rest, by reduced equations; nothing of motions through singular shapes."""
        form: Any = self.form
        half = np.arange(2 * self.steps * self.periods + 1) * self.period / (2 * self.steps)
        n = 2 * np.pi / self.period * np.arange(1, (trials.shape[1] // form.size - 1) // 2 + 1)
        waves = np.ones((len(half), 1 + 2 * len(n)))
        slopes = np.zeros_like(waves)
        waves[:, 1::2], waves[:, 2::2] = np.cos(half[:, None] * n), np.sin(half[:, None] * n)
        slopes[:, 1::2], slopes[:, 2::2] = -n * np.sin(half[:, None] * n), n * np.cos(half[:, None] * n)
        c = trials.reshape(len(trials), form.size, -1)
        x, dx = (np.einsum("qb,tkb->tqk", part, c) for part in (waves, slopes))
        with np.errstate(all="ignore"):
            drift = form.drifting.along(x, dx, self.period / self.steps)
        ends = drift.poses[:, [-1 - self.steps, -1]]
        angle = np.arctan2(ends[:, :, 1, 0], ends[:, :, 0, 0])
        turned = (np.diff(angle, axis=1)[:, 0] + np.pi) % (2 * np.pi) - np.pi
        moved = turned if self.named in ("turn", "yaw") else np.diff(ends[:, :, PLACES[self.named], 3], axis=1)[:, 0]
        found = np.stack([moved, turned, np.zeros(len(moved))], axis=1)
        return np.where(drift.sound[:, None], found, [-1e3, 0.0, 0.0])


def run_search(
    moving: Moving,
    curves: Series,
    goal: str,
    cost: str,
    turn: float | None,
    low,
    high,
    *,
    period: float,
    periods: int | None,
    limits: np.ndarray | None = None,
) -> RunSearch:
    """A search over runs; periods : from rest, None for the periodic orbit where there is one"""
    moving.place(goal)
    if cost not in COSTS:
        raise ValueError(
            f"{moving.problem.name!r} has no connection, so that its gaits are found by runs, whose cost is 'none' or 'work' "
            f"of the drives, not {cost!r}; for most speed within limits of forces say torques= and period=, s"
        )
    if cost == "work" and moving.drifting is not None:
        raise ValueError(
            f"{moving.problem.name!r} keeps the energy that its drives give it, so that the work of a period from rest says "
            f"little; leave out cost='work', or add friction"
        )
    if periods is None:
        periods = 1 if moving.drifting is not None or no_upright(moving.problem, moving.group.axes) else 0
    form: Any = moving
    nothing: Any = None
    if limits is not None and (moving.problem.contacts or not moving.problem.inertia):
        why = "over contacts they jump within steps" if moving.problem.contacts else "it has no inertia"
        raise ValueError(
            f"forces of the joints of {moving.problem.name!r} are not known to a search over runs, since {why}; leave out "
            f"torques=, and look at run.tau of the gait that is found, at a longer period= if they are too large"
        )
    steps = STEPS_OVER_CONTACTS if moving.problem.contacts else STEPS
    return RunSearch(
        form,
        curves,
        nothing,
        nothing,
        cost,
        turn,
        low,
        high,
        period=period,
        periods=periods,
        named=goal,
        steps=steps,
        limits=limits,
    )


def exact_run(moving: Moving, gait: Any, periods: int) -> Any:
    """A run of a gait from rest with the usual method and tolerances, sampled at the ends of its periods."""
    problem = moving.problem.replaced(drives={**moving.problem.drives, **gait.drives()}, start=None)
    when: dict[str, Any] = {"samples": np.arange(periods + 1) * gait.period, "progress": False, "start": "project"}
    if moving.drifting is not None:  # no momentum but what the gait itself makes
        made, form = moving.coordinates, moving.drifting.form
        x, dx, _ = gait.shapes(0.0)
        v = np.zeros(problem.model.nv)
        v[form.base], v[made.shape] = -form(x[None]).A[0] @ dx, made.directions @ dx
        when |= {"q": made.configurations(x), "v": v}
    return problem.simulate(gait.period * periods, **when)


def exact_orbit(search: RunSearch, gait: Any, numbers: np.ndarray) -> tuple[Any, Orbit | None]:
    """A run over one period of the orbit of a gait with the usual method, and the orbit; None if it has none."""
    moving: Any = search.form
    if (found := search.orbit(numbers)) is None:
        return None, None
    problem = moving.problem.replaced(drives={**moving.problem.drives, **gait.drives()}, start=None)
    states = States(problem, moving.upright)
    q, v = (part[0] for part in states.starts(found.y[None]))
    samples = np.linspace(0.0, gait.period, STAGES + 1)
    steps: dict[str, Any] = {"step": gait.period / (FINER * search.steps)} if search.touches else {}
    run = problem.simulate(gait.period, q=q, v=v, samples=samples, progress=False, start="project", **steps)
    end = states.states(np.array(run.q[-1:]), np.array(run.v[-1:]))[0]
    values = np.linalg.eigvals(found.by_state)
    miss = float(abs(end - found.y).max(initial=0.0))
    return run, Orbit(np.array(run.q[0]), np.array(run.v[0]), miss, values[np.argsort(-abs(values))])
