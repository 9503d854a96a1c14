"""What gradients cost, in units of the forward rollout: prints the tables of docs/gradients.md."""

import time
import warnings

import numpy as np

import locomote as lo
from locomote.compiled.rollout import Controls
from locomote.gradients.contact_case import ContactCase
from locomote.gradients.fixed import Case
from locomote.gradients.forwards import rates_along, ways_of
from locomote.methods.timestep.runs import SteppedRuns

# system, method, runs, steps
CASES = (
    ("quadruped", "rk4", 512, 200), ("snakeboard", "rk4", 512, 700), ("eel", "rk4", 64, 100),
    ("andrews_squeezer", "rk4", 64, 300),
    ("elastic_pendulum", "euler", 16, 2000), ("quadruped", "rk4", 1, 2000),
    ("quadruped", "euler", 1, 2000),
    ("snakeboard", "rk4", 1, 2000),
)  # fmt: skip
REPEATS = 7
# system, runs, steps, directions
FORWARD = (
    ("quadruped", 256, 200, 1), ("quadruped", 256, 200, 4), ("snakeboard", 256, 200, 1), ("snakeboard", 256, 200, 4),
    ("eel", 64, 100, 1), ("eel", 64, 100, 4), ("quadruped", 1, 2000, 8), ("quadruped", 1, 2000, 16), ("snakeboard", 1, 2000, 6),
    ("eel", 1, 200, 8),
)  # fmt: skip


FEET = ((4, 512, 170), (16, 256, 170))  # points, runs, steps


def least(do) -> float:
    """The shortest of some times, s of this process."""
    times = []
    for _ in range(REPEATS):
        begin = time.process_time()
        do()
        times.append(time.process_time() - begin)
    return min(times)


def measured(name: str, method: str, runs: int, steps: int) -> str:
    """A row."""
    problem, rng = lo.systems.load(name).problem(), np.random.default_rng(0)
    columns, step = len(Controls.of(problem, None, True).given), 1e-5 if problem.model.flexible else 1e-3
    controls = 0.1 * rng.normal(size=(runs, steps, columns))
    goal = lo.at_end(lambda t, q, v: q[0] + v[0])

    def case(memory: float) -> Case:
        given = (controls, None, None, None, None, step, method, "check", 1, memory, (None, None), ())
        return Case.of(problem, goal, *given)

    found = {}
    for share in (1.0, 0.25):
        one = case(share * 8.0 * runs * steps * (problem.model.nq + problem.model.nv + columns) * 1.001)
        one.reverse(["controls"])
        found[share] = (
            least(lambda one=one: one.rolled.go(one.places)),
            least(lambda one=one: one.rolled.back(one.found[1], False)),
        )
    forward, back = found[1.0]
    twice = sum(found[0.25])
    return (
        f"| {name}, {method} | {runs}, {steps}, {columns * steps} | {1e6 * forward / runs / steps:.3g} | "
        f"{(forward + back) / forward:.2f} | {twice / forward:.2f} |"
    )


def forwards(name: str, runs: int, steps: int, directions: int) -> str:
    """A row of the second table: slopes along some velocities of the start, forwards."""
    problem, step = lo.systems.load(name).problem(), 1e-3
    columns = len(Controls.of(problem, None, True).given)
    controls = 0.1 * np.random.default_rng(0).normal(size=(runs, steps, columns))
    given = (controls, None, None, None, None, step, "rk4", "check", 1, 4e9, (None, None), ())
    case = Case.of(problem, lo.at_end(lambda t, q, v: q[0] + v[0]), *given)
    ways = ways_of(case, "v")[:directions]
    along = lambda: rates_along(case.rolled, ways, case.places)  # noqa: E731
    along(), case.rolled.go(case.places)
    once, all_of_it = least(lambda: case.rolled.go(case.places)), least(along)
    allowed = 2.5 * -(-directions // 8) if runs == 1 else 1 + 2 * directions
    return f"| {name}, rk4 | {runs}, {steps}, {directions} | {all_of_it / once:.2f} | {allowed:g} |"


def walker(points: int) -> lo.Locomotion:
    """The quadruped on feet of one point, or four, each."""
    model, ground = lo.systems.load("quadruped").model, lo.Ground(lo.Plane(), friction=0.7)
    corners = [(0.0, 0.0)] if points == 4 else [(x, y) for x in (-0.04, 0.04) for y in (-0.03, 0.03)]
    places = [(x, y, -0.3) for x, y in corners]
    shanks = [name for name in model.body_names if name.endswith("_shank")]
    return lo.Locomotion(model, contacts=[lo.Touch(name, ground, points=places) for name in shanks])


def on_feet(points: int, runs: int, steps: int) -> str:
    """A row, of steps over contacts: from a fall of 1 cm, joints loose but for torques."""
    problem, rng, step = walker(points), np.random.default_rng(0), 1e-3
    q, controls = problem.model.neutral(), 1.0 * rng.normal(size=(runs, steps, 12))
    q[2] = 0.61
    given = (controls, None, q, None, None, step, "timestep", "check", 1, 4e9, (None, None), ())
    case = ContactCase(**vars(Case.of(problem, lo.at_end(lambda t, q, v: q[0] + v[0]), *given)))
    slots = np.array(case.plan.given, np.int64)

    def forward() -> None:
        own = SteppedRuns(problem, *case.starts, controls, slots, step)
        own.go(own.worker(), 0, runs, 0, steps)

    def whole() -> None:
        case.rolled.go(case.places)
        case.rolled.back(case.found[1], False)

    whole()
    forward(), whole()
    once, all_of_it = least(forward), least(whole)
    return (
        f"| quadruped on {points} points, timestep | {runs}, {steps}, {12 * steps} | {1e6 * once / runs / steps:.3g} | "
        f"{all_of_it / once:.2f} | |"
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for feet in FEET:
        print(on_feet(*feet), flush=True)
    for row in CASES:
        print(measured(*row), flush=True)
    for row in FORWARD:
        print(forwards(*row), flush=True)
