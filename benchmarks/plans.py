"""Checks of the plans of contacts that docs/papers/floating-base.md shows, by what shares no code with the planner, and plans
up stairs run as motions: `python benchmarks/plans.py`, with `run` the motions alone, with `draw` a picture of one."""

import sys
from pathlib import Path
from types import SimpleNamespace

import locomote as lo
from locomote.control.whole_body.scenarios import Scenario
from locomote.systems import hrp2_like

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "helpers"), str(ROOT / "docs" / "papers")]

from make_floating_base import planned, supports_of_stairs  # noqa: E402
from plan_checks import check  # noqa: E402

RUN, RISE = 0.28, 0.10  # m, of stairs with room for soles of 0.24
PEG = 0.04, 0.012, 0.012  # m, half lengths of what the rail is where a hand takes it
FEET = ("left foot", "right foot")
TASKS = {"a stair, hand on the rail": (1, ("hand on rail 2",)), "two stairs": (2, ())}
STEPS = (1e-3, 5e-4)  # s


def followed(steps: int, holds=()) -> Scenario:
    """Up stairs of which the plant has risers and edges, with what hands hold at the end."""
    system = lo.systems.load("hrp2_like")
    robot = hrp2_like.humanoid(system.model, SimpleNamespace(**system.parameters))
    supports = supports_of_stairs(system.model, robot.sole, steps, RISE, RUN)
    goal = [*(f"{foot} on stair {steps}" for foot in FEET), *holds]
    plan = lo.control.plan_contacts(system.model, supports, FEET, goal, posture=robot.q, margin=0.02, stride=0.45)
    ground = lo.Ground(lo.Steps(RUN, RISE, steps, (0.03 + RUN / 2, 0, 0)), 0.7)
    touches = [lo.Touch(foot, ground, points=tuple(map(tuple, robot.sole))) for foot in robot.feet]
    for name in holds:
        x, y, z = next(support.middle for support in supports if support.name == name)
        rail = lo.Ground(lo.Box(PEG, (x, y, z - PEG[2])), 0.6)
        touches.append(lo.Touch("right_palm", rail, points=((0, 0, 0),)))
    first = [support for support in supports if support.name in FEET]
    return robot.follow(plan, first, touches, name="stairs", edges=True, clearance=0.08, swing=1.0)


def checks() -> None:
    """A line for each plan of the page."""
    for label, model, supports, start, goal, plan in planned():
        found = check(model, plan, supports, start, goal)
        told = max(change.stance.torque_use for change in plan.changes)
        print(
            f"{label}: {len(plan.changes)} changes in {plan.postures} postures; points off by {found.off:.1e} m, "
            f"room of joints {found.room:.0e} rad, least share of torque limits {found.use:.3f} (planner {told:.3f})"
        )


def motions() -> None:
    """A line for each plan that is run, and how far half the step moves feet and hand at any time."""
    for label, (steps, holds) in TASKS.items():
        scenario = followed(steps, holds)
        report = scenario.run()
        print(f"{label}: {report}; audit {'passed' if report.run.audit.ok else 'failed'}")
        ends = []
        for step in STEPS:
            problem = lo.Locomotion(scenario.model, **scenario.setting())
            run = problem.simulate(report.run.t[-1], q=scenario.q, method="timestep", step=step, every=0.1, progress=False)
            assert run.audit.ok
            poses = lo.forward_kinematics(scenario.model, run.q)
            limbs = [scenario.model.body(b).index for b in ("left_sole", "right_sole", "right_palm")]
            ends.append(poses[:, limbs][..., :3, 3])
        print(f"  at the end {ends[0][-1].round(4).tolist()}")
        print(f"  half the step moves them by at most {1e3 * abs(ends[0] - ends[1]).max():.2f} mm", flush=True)


def draw() -> None:
    """The film strip of the first."""
    path = ROOT / "docs" / "papers" / "floating-stairs.png"
    followed(*next(iter(TASKS.values()))).run().run.film(path, size=(240, 180))
    from PIL import Image

    picture = Image.open(path).convert("RGB").quantize(255, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    picture.save(path, optimize=True)


if __name__ == "__main__":
    if "draw" in sys.argv:
        draw()
    else:
        if "run" not in sys.argv:
            checks()
        motions()
