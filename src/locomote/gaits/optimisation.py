"""The best gait for a goal: searches from one or many starts, each to the top of its hill, and what was found on the way.

Hills have other hills beside them: what a search finds is best among its neighbours, and of many starts the best is given
with all others that differ.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.errors import LocomoteError, UnknownName
from locomote.gaits.by_runs import Moving, exact_run, run_search
from locomote.gaits.coordinates import coordinates_of
from locomote.gaits.curves import Basis, Curves, Series, Star
from locomote.gaits.gait import Gait
from locomote.gaits.goals import SHIFTS, goal_of, possible
from locomote.gaits.local_form import LocalForm, NoConnection, local_form
from locomote.gaits.metric import metric_of
from locomote.gaits.net_motion import Displacement, displacement, refuse_other_forces
from locomote.gaits.path_ordered import Panels
from locomote.gaits.search import COSTS, NOTHING, Search
from locomote.gaits.starts import first_numbers, random_numbers
from locomote.locomotion.problem import Locomotion
from locomote.spatial.numbers import MOST_TIMES

SAME = 1e-4  # of the best value, within which two optima are one
STILL = 1e-9  # m or rad, below which no path moved anything
WAYS = ("auto", "connection", "runs")
TRIED = 4  # random paths that are looked at before a goal is said to be out of reach


@brief
@dataclass(frozen=True, eq=False)
class Best:
    """The best gait that was found.

    gait : with a period of 1 s ; value : goal over cost, or the goal itself, of the exact net motion
    amount : of the goal, m or rad a period ; spent : of the cost ; displacement : its net motion, None if found by runs
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

    def __str__(self) -> str:
        what = self.goal if self.cost == "none" else f"{self.goal} over {self.cost}"
        more = f"{len(self.others)} other optima, the next {self.others[0][0]:.6g}" if self.others else "no other optimum"
        found = f"{what}: {self.value:.6g}, by {self.amount:.6g} a period; best of {self.starts} starts, {more}"
        return f"{found}; {self.displacement}" if self.displacement is not None else f"{found}; by runs"


def optimize(
    problem: Locomotion, goal: Any = None, *, cost: str = "length", coordinates: Any = None, harmonics: int = 4,
    bounds: Any = None, starts: int = 1, turn: float | None = None, metric: Any = None, start: Gait | None = None,
    at: Any = None, amplitude: float | None = None, simple: bool | None = None, seed: int = 0, way: str = "auto",
    period: float = 1.0, periods: int = 1,
) -> Best:  # fmt: skip
    """The closed path of shapes with most net motion: a local optimum.

    goal : "x", "y", "z" (along the mean axis of the base), "distance", "turn", "roll", "pitch", "yaw", {goal: weight} or a
        function of the pose (4, 4) after a period; the first that there is if None
    cost : "length" of the path in the metric, "energy" (root of the integral of its square over a period), or "none"
    coordinates : joints, or modes as of `lo.gaits.Gait`; all of the shape if None ; at : where the others stay
    harmonics : of the Fourier series ; bounds : {name: (low, high)} or one pair, rad or m; limits of joints if None,
        and half a turn either way without cost
    turn : rad a period that the gait must have; 0 for goals of displacement, free for others, if None
    metric : "power", "kinetic", "torque", "angles", or a matrix; that of the problem if None
    starts : how many; the first is a circle (a travelling wave of more coordinates) or `start`, others are random (`seed`)
    amplitude : rad or m, of the first start ; simple : search among curves that do not cross themselves; if None, of two
        coordinates without cost, where others would run through the best loop many times
    way : "connection" where the shape alone decides the net motion, exact and fast; "runs" else, which maximises what the last
        of some `periods` of `period` seconds gains, cost "none"; "auto" takes the first that there is
    """
    for name, value, known in (("cost", cost, COSTS), ("way", way, WAYS)):
        if value not in known:
            raise UnknownName(name, value, known, "gaits")
    coordinates = start.coordinates if start is not None and coordinates is None else coordinates
    try:
        if way == "runs":
            raise NoConnection("asked for")
        form = local_form(problem, coordinates, at)
        refuse_other_forces(form)
    except NoConnection:
        if way == "connection":
            raise
        moving = Moving(problem, coordinates_of(problem, coordinates, at))
        return best_by_runs(moving, goal, harmonics, bounds, turn, (starts, start, amplitude, seed), period, periods)
    goal = possible(form.group)[0] if goal is None else goal
    search = search_of(form, goal, cost, harmonics, bounds, turn, metric, simple)
    first = first_numbers(search, form, start, amplitude)
    rng = np.random.default_rng(seed)
    begins = [first, *(random_numbers(search, form, amplitude, rng) for _ in range(count_of("starts", starts) - 1))]
    refuse_still(search, form, goal, [first, *(random_numbers(search, form, amplitude, rng) for _ in range(TRIED))])
    found = [search.best(begin) for begin in begins]
    tops = sorted(((own, top) for own, top in found if met(top)), key=lambda pair: -pair[1].value)
    if not tops:
        raise LocomoteError(
            f"no search of {len(begins)} found a gait of {problem.name!r} that meets its conditions: "
            f"paths meet singular shapes, or turn; give bounds, or more starts"
        )
    apart = SAME * abs(tops[0][1].value)
    kept = [(own, top) for k, (own, top) in enumerate(tops) if all(abs(top.value - t.value) > apart for _, t in tops[:k])]
    gaits = [gait_of(own.curves, form, top.numbers) for own, top in kept]
    exact = displacement(problem, gaits[0], metric=metric, at=at)
    amount = search.goal(exact.ordered)[0]
    spent = {"length": exact.length, "energy": np.sqrt(exact.cost), "none": 1.0}[cost]
    others = tuple((top.value, gait) for (_, top), gait in zip(kept[1:], gaits[1:], strict=True))
    return Best(words(goal), cost, gaits[0], amount / spent, amount, float(spent), exact, others, len(begins))


def best_by_runs(moving: Moving, goal, harmonics, bounds, turn, begin, period: float, periods: int) -> Best:
    """The best gait that searches over runs find."""
    starts, start, amplitude, seed = begin
    goal = moving.goals[0] if goal is None else goal
    curves = Series(Basis(Panels(np.linspace(0.0, 1.0, 9)), count_of("harmonics", harmonics)), moving.size)
    form: Any = moving
    straight = 0.0 if goal in SHIFTS and 5 in moving.group.axes and not {3, 4} & set(moving.group.axes) else None
    low, high = limits(form, bounds)
    count = count_of("periods", periods)
    search = run_search(moving, curves, goal, straight if turn is None else turn, low, high, period=period, periods=count)
    rng = np.random.default_rng(seed)
    begins = [first_numbers(search, form, start, amplitude)]
    begins += [random_numbers(search, form, amplitude, rng) for _ in range(count_of("starts", starts) - 1)]
    tops = sorted((search.climbed(c, iterations=60, accuracy=1e-7) for c in begins), key=lambda top: -top.value)
    kept = [top for top in tops if met(top) and top.value > 0.0]
    if not kept:
        raise LocomoteError(f"no search of {len(begins)} found a gait of {moving.problem.name!r} that goes; give more starts")
    gaits = [gait_of(curves, form, top.numbers, period) for top in kept]
    q = exact_run(moving, gaits[0], count).q
    amount = float(q[-1, moving.place(goal)] - q[-2, moving.place(goal)])
    others = tuple((top.value, gait) for top, gait in zip(kept[1:], gaits[1:], strict=True))
    return Best(words(goal), "none", gaits[0], amount, amount, 1.0, None, others, len(begins))


def search_of(form: LocalForm, goal, cost, harmonics, bounds, turn, metric, simple) -> Search:
    """The search that is asked for."""
    count = count_of("harmonics", harmonics)
    if simple and form.size != 2:
        raise ValueError(f"curves that do not cross themselves need two coordinates, not {form.size}; leave out simple=")
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
    return Search(form, curves, goal_of(form, goal), metric_of(form, metric), cost, kept, low, high)


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
            if not isinstance(pair, Sequence) or len(pair) != 2 or not float(pair[0]) < float(pair[1]):
                raise ValueError(f"bounds of {name!r} is {pair!r:.60}, expected (low, high)")
            low[names.index(name)], high[names.index(name)] = map(float, pair)
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
