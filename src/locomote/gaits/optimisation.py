"""The best gait for a goal: searches from one or many starts, each to the top of its hill, and what was found on the way.

Hills have other hills beside them: what a search finds is best among its neighbours, and of many starts the best is given
with all others that differ.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.errors import LocomoteError, UnknownName
from locomote.gaits.by_runs import Moving, exact_orbit, exact_run, run_search
from locomote.gaits.coordinates import coordinates_of
from locomote.gaits.curves import Basis, Curves, Series, Star
from locomote.gaits.gait import Gait
from locomote.gaits.goals import SHIFTS, goal_of, possible
from locomote.gaits.local_form import LocalForm, NoConnection, OverConstrained, local_form
from locomote.gaits.metric import metric_of
from locomote.gaits.net_motion import Displacement, displacement, refuse_other_forces
from locomote.gaits.orbits import Orbit
from locomote.gaits.path_ordered import Panels
from locomote.gaits.search import COSTS, NOTHING, SQUARED, Search
from locomote.gaits.starts import first_numbers, random_numbers, room
from locomote.gaits.torques import Forces, LimitedSearch, Timed, torque_limits
from locomote.locomotion.problem import Locomotion
from locomote.spatial.numbers import MOST_TIMES, as_numbers

SAME = 1e-4  # of the best value, within which two optima are one
OVER_LIMIT = 1e-3  # of a limit of forces, that a gait by runs may take
STRIDE_OVER_CONTACTS = 0.3  # of the first trial, that numbers may change in one round
STILL = 1e-9  # m or rad, below which no path moved anything
WAYS = ("auto", "connection", "runs")
TRIED = 4  # random paths that are looked at before a goal is said to be out of reach


@brief
@dataclass(frozen=True, eq=False)
class Best:
    """The best gait that was found.

    gait : with its period ; value : goal over cost, or the goal itself, of the exact net motion
    amount : of the goal, m or rad a period ; spent : of the cost ; displacement : its net motion, None if found by runs
    orbit : the periodic orbit that counts, of gaits found by runs; None if these were from rest
    others : (value, gait) of other optima, best first; starts : how many searches there were
    """

    goal: str
    cost: str
    gait: Gait
    value: float
    amount: float
    spent: float
    displacement: Displacement | None
    others: tuple[tuple[float, Gait], ...]
    starts: int
    orbit: Orbit | None = None

    def __str__(self) -> str:
        what = self.goal if self.cost == "none" else f"{self.goal} over {self.cost}"
        more = f"{len(self.others)} other optima, the next {self.others[0][0]:.6g}" if self.others else "no other optimum"
        found = f"{what}: {self.value:.6g}, by {self.amount:.6g} a period; best of {self.starts} starts, {more}"
        if self.displacement is not None:
            return f"{found}; {self.displacement}"
        if self.orbit is None:
            return f"{found}; by runs from rest"
        grows = abs(self.orbit.multipliers).max(initial=0.0)
        kind = "periodic orbit" if self.orbit.stable else "unstable periodic orbit, which runs do not settle to"
        return f"{found}; by runs, on a {kind} (disturbances times {grows:.2g} a period)"


def optimize(
    problem: Locomotion, goal: Any = None, *, cost: str | None = None, coordinates: Any = None, harmonics: int = 4,
    bounds: Any = None, starts: int = 1, turn: float | None = None, metric: Any = None, start: Gait | None = None,
    at: Any = None, amplitude: float | None = None, simple: bool | None = None, seed: int = 0, way: str = "auto",
    period: float = 1.0, periods: int | None = None, speed: float | None = None, torques: Any = None,
) -> Best:  # fmt: skip
    """The closed path of shapes with most net motion: a local optimum.

    goal : "x", "y", "z" (along the mean axis of the base), "distance", "turn", "roll", "pitch", "yaw", {goal: weight} or a
        function of the pose (4, 4) after a period; the first that there is if None
    cost : "length" of the path in the metric, "energy" (root of the integral of its square over a period of 1 s), or "none"; of
        problems without inertia "lighthill", whose value is Lighthill's efficiency (power to tow the straight body at the mean
        speed over mean power), or "transport", whose value is the way for the energy at a mean `speed`, m/J; "speed" with
        limits `torques`, whose value is the goal a second at the shortest period that they allow; by runs "work" of the drives
        or "none"; "length" if None, by runs "none"
    coordinates : joints, or modes as of `lo.gaits.Gait`; all of the shape if None ; at : where the others stay
    harmonics : of the Fourier series ; bounds : {name: (low, high)} or one pair, rad or m; limits of joints if None,
        and half a turn either way without cost
    turn : rad a period that the gait must have; 0 for goals of displacement, free for others, if None
    metric : "power", "kinetic", "torque", "angles", or a matrix; that of the problem if None
    starts : how many; the first is a circle (a travelling wave of more coordinates) or `start`, others are random (`seed`)
    amplitude : rad or m, of the first start ; simple : search among curves that do not cross themselves; if None, of two
        coordinates without cost, where others would run through the best loop many times
    way : "connection" where the shape alone decides the net motion, exact and fast; "runs" else, which maximises what a period
        of the periodic orbit gains that runs settle to, or the last of some `periods` from rest if that is said (the first if
        there is no such orbit: boards, stairs); "auto" takes the first that there is
    period : s, of the gait ; speed : m/s, mean, for cost="transport", which says the period
    torques : largest forces of the coordinates along the gait, N m or N: {name: limit}, or one for all; period and timing are
        those of the gait that is found
    """
    for name, value, known in (("cost", "none" if cost is None else cost, COSTS), ("way", way, WAYS)):
        if value not in known:
            raise UnknownName(name, value, known, "gaits")
    if not (np.isfinite(period) and period > 0.0):
        raise ValueError(f"period is {period!r:.40}, expected a positive time, s")
    if (cost == "transport") != (speed is not None):
        raise ValueError(f"cost='transport' needs speed=, m/s, and no other cost does; cost is {cost!r}, speed {speed!r:.40}")
    refuse_odd(speed, turn, amplitude, seed, simple)
    if cost == "speed" and torques is None:
        raise ValueError("cost='speed' needs torques=, N m or N, which say how short a period may be")
    coordinates = start.coordinates if start is not None and coordinates is None else coordinates
    try:
        if way == "runs" or way == "auto" and isinstance(problem, Locomotion) and problem.contacts:
            raise NoConnection("asked for, or the only way")
        form = local_form(problem, coordinates, at)
        refuse_other_forces(form)
    except NoConnection as error:
        if way == "connection" or isinstance(error, OverConstrained):
            raise
        moving = Moving(problem, coordinates_of(problem, coordinates, at))
        begin = starts, start, amplitude, seed
        return best_by_runs(moving, goal, cost or "none", harmonics, bounds, turn, begin, period, periods, torques)
    cost = cost or "length"
    goal = possible(form.group)[0] if goal is None else goal
    search = search_of(form, goal, cost, harmonics, bounds, turn, metric, simple)
    if torques is not None:
        search = limited(search, torques, None if cost == "speed" else period, simple)
    first = first_numbers(search, form, start, amplitude)
    rng = np.random.default_rng(seed)
    begins = [first, *(random_numbers(search, form, amplitude, rng) for _ in range(count_of("starts", starts) - 1))]
    refuse_still(search, form, goal, [first, *(random_numbers(search, form, amplitude, rng) for _ in range(TRIED))])
    found = [search.best(begin) for begin in begins]
    goes = [(own, top) for own, top in found if met(top) and (top.value > 0.0 or not isinstance(goal, str))]
    tops = sorted(goes, key=lambda pair: -pair[1].value)
    if not tops:
        raise LocomoteError(
            f"no search of {len(begins)} found a gait of {problem.name!r} that meets its conditions: "
            f"paths meet singular shapes, turn otherwise, or go nowhere; give bounds, more starts, or another amplitude"
        )
    apart = SAME * abs(tops[0][1].value)
    kept = [(own, top) for k, (own, top) in enumerate(tops) if all(abs(top.value - t.value) > apart for _, t in tops[:k])]
    gaits = [gait_of(own.curves, form, top.numbers, period_of(top, cost, period, speed)) for own, top in kept]
    exact = displacement(problem, gaits[0], metric=metric, at=at)
    amount, lasts = search.goal(exact.ordered)[0], gaits[0].period
    energy = exact.cost * lasts  # of a period of 1 s
    spent = {
        "length": exact.length, "energy": np.sqrt(energy), "transport": exact.cost, "lighthill": energy, "speed": lasts,
    }.get(cost, 1.0)  # fmt: skip
    value = search.tow * amount * abs(amount) / energy if cost == "lighthill" else amount / spent
    scale = value / tops[0][1].value if cost == "transport" else 1.0  # others at the same speed
    others = tuple((scale * top.value, gait) for (_, top), gait in zip(kept[1:], gaits[1:], strict=True))
    return Best(words(goal), cost, gaits[0], value, amount, float(spent), exact, others, len(begins))


def refuse_odd(speed: Any, turn: Any, amplitude: Any, seed: int, simple: Any) -> None:
    """Say which number of a search makes no sense."""
    for name, value, unit in (("speed", speed, "m/s"), ("amplitude", amplitude, "rad or m")):
        if value is not None and not 0.0 < value < np.inf:
            raise ValueError(f"{name} is {value!r:.40}, expected a number above 0, {unit}")
    if turn is not None and not np.isfinite(turn):
        raise ValueError(f"turn is {turn!r:.40}, expected an angle, rad")
    if seed < 0:
        raise ValueError(f"seed is {seed!r:.40}, expected an integer from 0")
    if simple is not None and not isinstance(simple, bool | np.bool_):
        raise ValueError(f"simple is {simple!r:.40}, expected True, False or None")


def period_of(top: Any, cost: str, period: float, speed: float | None) -> float:
    """s, of a gait that is found; one that has a mean speed if so told, or the shortest that limits allow."""
    return top.cost if cost == "speed" else period if speed is None else abs(top.goal) / speed


def best_by_runs(
    moving: Moving, goal, cost, harmonics, bounds, turn, begin, period: float, periods: int | None, torques: Any = None
) -> Best:
    """The best gait that searches over runs find."""
    starts, start, amplitude, seed = begin
    goal = moving.goals[0] if goal is None else goal
    moving.place(goal)
    curves = Series(Basis(Panels(np.linspace(0.0, 1.0, 9)), count_of("harmonics", harmonics)), moving.size)
    form: Any = moving
    straight = 0.0 if goal in SHIFTS and moving.heads else None
    low, high = limits(form, bounds)
    count = None if periods is None else count_of("periods", periods)
    most = None if torques is None else torque_limits(moving.coordinates.names, torques)
    how = {"period": period, "periods": count, "limits": most}
    search = run_search(moving, curves, goal, cost, straight if turn is None else turn, low, high, **how)
    how = {"iterations": 60, "accuracy": 1e-7}
    if search.touches:  # steps over contacts are no smooth function of small changes
        how = {"iterations": 12, "accuracy": 1e-4}
        search.stride = np.repeat(STRIDE_OVER_CONTACTS * room(search, form, amplitude)[1], curves.basis.values.shape[1])
    rng = np.random.default_rng(seed)
    begins = [first_numbers(search, form, start, amplitude)]
    begins += [random_numbers(search, form, amplitude, rng) for _ in range(count_of("starts", starts) - 1)]
    begins = [
        c if search.at(c).value >= 0.0 else max(c, curves.backwards(c)[1], key=lambda b: search.at(b).value) for c in begins
    ]
    going = [c for c in begins if search.at(c).value > NOTHING]
    if not going:
        raise LocomoteError(
            f"{moving.problem.name!r} does not settle to a periodic orbit with any of {len(begins)} gaits, or its drives "
            f"do no work; give periods=, of which the last counts, a smaller amplitude, or another period"
        )
    tops = sorted((search.climbed(c, **how) for c in going), key=lambda top: -top.value)
    kept = [top for top in tops if met(top) and top.value > 0.0 and search.most(top.numbers) < 1.0 + OVER_LIMIT]
    if not kept:
        raise LocomoteError(f"no search of {len(begins)} found a gait of {moving.problem.name!r} that goes; give more starts")
    gaits = [gait_of(curves, form, top.numbers, period) for top in kept]
    if search.periods:
        run, orbit = exact_run(moving, gaits[0], search.periods), None
        q, mean = np.asarray(run.q)[None, -2:], False
    else:
        (run, orbit), mean = exact_orbit(search, gaits[0], kept[0].numbers), True
        q = np.asarray(run.q)[None]
    amount = float(moving.gained(q, goal, mean)[0])
    spent = 1.0 if cost == "none" else float(run.work["drives"][-1] - run.work["drives"][-2 if search.periods else 0])
    others = tuple((top.value, gait) for top, gait in zip(kept[1:], gaits[1:], strict=True))
    return Best(words(goal), cost, gaits[0], amount / spent, amount, spent, None, others, len(begins), orbit)


def search_of(form: LocalForm, goal, cost, harmonics, bounds, turn, metric, simple) -> Search:
    """The search that is asked for."""
    count = count_of("harmonics", harmonics)
    if simple and form.size != 2:
        raise ValueError(f"curves that do not cross themselves need two coordinates, not {form.size}; leave out simple=")
    if cost == "work":
        raise ValueError(
            "cost='work' is measured by runs; say way='runs', or take 'length', 'energy', 'lighthill', 'transport'"
        )
    star = form.size == 2 and cost == "none" if simple is None else bool(simple)
    basis = Basis(Panels(np.linspace(0.0, 1.0, 8 * count + 9)), count)
    curves: Curves = Star(basis) if star else Series(basis, form.size)
    straight = goal in (*SHIFTS, "distance") if isinstance(goal, str) else False
    turns = any(a > 2 for a in form.group.axes)
    if turn is not None and (not turns or sum(a > 2 for a in form.group.axes) > 1 and turn != 0.0):
        raise ValueError(f"turn={turn:g} needs a base in a plane; {form.problem.name!r} moves in {form.group.name}")
    kept = turn if turn is not None or not straight or not turns else 0.0
    low, high = limits(form, bounds)
    if cost == "none" and low is None:  # links that go all the way round pass through each other
        high = np.array([np.pi if unit == "rad" else np.inf for unit in form.coordinates.units])
        low = -high
    tow = resistance_of(form, goal, cost, metric) if cost in SQUARED else 1.0
    return Search(form, curves, goal_of(form, goal), metric_of(form, metric), cost, kept, low, high, tow)


def limited(search: Search, torques: Any, period: float | None, simple: bool | None) -> LimitedSearch:
    """The search within limits of forces; period : s, None if it is free"""
    form, curves = search.form, search.curves
    limits = torque_limits(form.coordinates.names, torques)
    if not np.isfinite(limits).any():
        raise ValueError(f"torques is {torques!r:.60}, expected a limit of {' or '.join(form.coordinates.names)}, N m or N")
    if simple:
        raise ValueError("limits of forces are kept along series, which may cross themselves; leave out simple=, or torques=")
    series = Series(curves.basis, form.size)  # a loop run through many times is no faster
    forces = Forces(form, series, limits)
    cost = "none" if period is None else search.cost
    own: Any = Timed(series, forces.shortest) if period is None else series
    given = form, own, search.goal, search.metric, cost, search.turn, search.low, search.high, search.tow
    return LimitedSearch(*given, forces=forces, period=period)


def resistance_of(form: LocalForm, goal: Any, cost: str, metric: Any) -> float:
    """N s/m, of the body towed straight along a goal, with all coordinates zero."""
    if form.problem.inertia or metric not in (None, "power"):
        raise ValueError(
            f"cost={cost!r} needs the power that a shape takes, which problems without inertia have; for {form.problem.name!r} "
            f"take cost='length' or 'energy' in its metric, or way='runs' with cost='work'"
        )
    if not isinstance(goal, str) or goal not in (*SHIFTS, "distance"):
        raise ValueError(f"cost={cost!r} is of displacements; goal is {words(goal)!r}, expected x, y, z or distance")
    shifts = [j for j, a in enumerate(form.group.axes) if a < 3]
    axis = shifts[0] if goal == "distance" else form.group.axes.index(SHIFTS[goal])
    return float(form(np.zeros((1, form.size))).W[0, axis, axis])


def limits(form: LocalForm, bounds: Any) -> tuple[np.ndarray | None, np.ndarray | None]:
    """(k,) bounds of the coordinates; None if there are none."""
    names, model = form.coordinates.names, form.problem.model
    low, high = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    if bounds is None:
        for j, name in enumerate(names):
            if name in model.joint_names and model.joint(name).v.stop - model.joint(name).v.start == 1:
                joint = model.joint(name).joint
                low[j], high[j] = float(np.min(joint.lower)), float(np.max(joint.upper))
    else:
        given = bounds if isinstance(bounds, Mapping) else dict.fromkeys(names, bounds)
        for name, pair in given.items():
            if name not in names:
                raise UnknownName("coordinate", name, names, "bounds of a gait")
            ends = as_numbers(pair, f"bounds of {name!r}", "(2,): low, high")
            if ends.shape != (2,) or not ends[0] < ends[1]:
                raise ValueError(f"bounds of {name!r} is {pair!r:.60}, expected (low, high)")
            low[names.index(name)], high[names.index(name)] = ends
    return (low, high) if np.isfinite([low, high]).any() else (None, None)


def refuse_still(search: Search, form: LocalForm, goal: Any, tried: list[np.ndarray]) -> None:
    """Say that no path moves anything, if none of some does; or that all meet singular shapes."""
    found = [one for one in map(search.at, tried) if one.value > NOTHING]
    if not found:
        raise LocomoteError(
            f"all paths of {', '.join(form.coordinates.names)} that were tried meet singular shapes of {form.problem.name!r}, "
            f"where constraints do not decide its motion; give bounds that keep to one side of them"
        )
    if max(abs(one.goal) + abs(one.slopes).max() for one in found) < STILL:
        raise LocomoteError(
            f"no closed path of {', '.join(form.coordinates.names)} gives {form.problem.name!r} any {words(goal)!r}: the "
            f"curvature of its connection vanishes there by symmetry; take other coordinates, or another goal"
        )


def met(top: Any) -> bool:
    """Whether a curve meets its conditions."""
    return bool(np.isfinite(top.value) and top.value > NOTHING and abs(top.turns).max(initial=0.0) < 1e-6)


def gait_of(curves: Curves, form: LocalForm, numbers: np.ndarray, period: float = 1.0) -> Gait:
    """A gait with a period, s."""
    made, modes = form.coordinates, {}
    for j, name in enumerate(made.names):
        weights = {made.joints[row]: float(made.directions[row, j]) for row in np.flatnonzero(made.directions[:, j])}
        if weights != {name: 1.0}:
            modes[name] = weights
    paths = {
        name: path if period == 1.0 else replace(path, rate=2 * np.pi / period)
        for name, path in zip(made.names, curves.paths(numbers), strict=True)
    }
    return Gait(paths, period=period, modes=modes)


def count_of(name: str, value: Any) -> int:
    """An integer from 1."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 1 <= value <= MOST_TIMES:
        raise ValueError(f"{name} is {value!r:.60}, expected an integer from 1, below {MOST_TIMES:.0e}")
    return int(value)


def words(goal: Any) -> str:
    """A goal as text."""
    if isinstance(goal, Mapping):
        return " + ".join(f"{weight:g} {name}" for name, weight in goal.items())
    return goal if isinstance(goal, str) else getattr(goal, "__name__", "goal")
