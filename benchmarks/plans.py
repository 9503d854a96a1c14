"""Checks of the plans of contacts that docs/papers/floating-base.md shows, by what shares no code with the planner:
`python benchmarks/plans.py`."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "helpers"), str(ROOT / "docs" / "papers")]

from make_floating_base import planned  # noqa: E402
from plan_checks import check  # noqa: E402


def main() -> None:
    """A line for each."""
    for label, model, supports, start, goal, plan in planned():
        found = check(model, plan, supports, start, goal)
        told = max(change.stance.torque_use for change in plan.changes)
        print(
            f"{label}: {len(plan.changes)} changes in {plan.postures} postures; points off by {found.off:.1e} m, "
            f"room of joints {found.room:.0e} rad, least share of torque limits {found.use:.3f} (planner {told:.3f})"
        )


if __name__ == "__main__":
    main()
