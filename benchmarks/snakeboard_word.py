"""A snakeboard parks, and writes a word: shape motions of `lo.gaits.reach`, run one after the other, drawn as they were run.

python benchmarks/snakeboard_word.py [picture.png]
"""

import sys
import time

import numpy as np

import locomote as lo

MODES = {"steer": {"rear_steer": 1.0, "front_steer": -1.0}, "rotor": {"rotor": 1.0}}
LIMITS = {"steer": (-1.1, 1.1), "rotor": (-4.0, 4.0)}
STROKE, LENGTH = 6.0, 0.4  # s, m
# d: a stroke ahead, u: the same with the pen up, l: a quarter turn to the left in two parts, pen up
WORD = "dd l d u d l dd l d l dd"  # L, O


def planned(problem, target: dict):
    """The shape motion for a target, from rest to rest."""
    begin = time.perf_counter()
    options = {"coordinates": MODES, "knots": 11, "metric": "angles", "starts": 3, "bounds": LIMITS}
    plan = lo.gaits.reach(problem, target, duration=STROKE, **options)
    run = plan.run()
    missed = np.abs(run.q[-1, :3] - [target.get("x", 0.0), target.get("y", 0.0), target.get("turn", run.q[-1, 2])]).max()
    print(
        f"{target}: effort {plan.effort:.4g}, run misses by {missed:.1e}, ends at {np.abs(run.v[-1]).max():.1e} m/s or rad/s, "
        f"audit {'ok' if run.audit.ok else 'not ok'}; {time.perf_counter() - begin:.0f} s",
        flush=True,
    )
    return plan


def written(problem, plans: dict) -> list[tuple[bool, np.ndarray]]:
    """Places (N, 3) of the board for each stroke, with whether the pen is down, from runs that begin where others ended."""
    found, here = [], np.array([0.0, 2 * LENGTH, -np.pi / 2])
    for letter in WORD.replace(" ", "").replace("l", "ll"):
        plan = plans["turn" if letter == "l" else "ahead"]
        own = problem.replaced(drives=plan.drives(), start=None)
        q, v = own.initial()
        q = np.array(q)
        q[:3] = here
        run = own.simulate(STROKE, q=q, v=v, every=0.05)
        found.append((letter == "d", run.q[:, :3]))
        here = run.q[-1, :3]
    return found


def drawn(strokes: list, path: str) -> None:
    """The picture."""
    from locomote.runs.picture import Picture
    from locomote.runs.plots import COLORS, INK, dress
    from locomote.runs.plots import written as kept

    figure = Picture(figsize=(8.0, 4.2), layout="constrained")
    axes = figure.add_subplot(1, 1, 1)
    dress(axes)
    for down, q in strokes:
        axes.plot(q[:, 0], q[:, 1], "-" if down else ":", color=COLORS[0] if down else INK, linewidth=4.0 if down else 1.0)
    for _, q in strokes:
        x, y, angle = q[-1]
        half = 0.05 * np.array([np.cos(angle), np.sin(angle)])
        axes.plot([x - half[0], x + half[0]], [y - half[1], y + half[1]], color=COLORS[2], linewidth=2.0)
    axes.set_aspect("equal")
    axes.set(xlabel="x, m", ylabel="y, m", title="a snakeboard writes LO, from rest to rest stroke by stroke")
    kept(figure, path)


def main() -> None:
    """Park, then write."""
    problem = lo.systems.load("snakeboard").problem()
    planned(problem, {"x": 0.0, "y": 0.1, "turn": 0.0})
    ahead = planned(problem, {"x": LENGTH, "y": 0.0, "turn": 0.0})
    plans = {"ahead": ahead, "turn": planned(problem, {"x": 0.0, "y": 0.0, "turn": np.pi / 4})}
    strokes = written(problem, plans)
    end = strokes[-1][1][-1]
    meant = [2 * LENGTH, 0.0, 1.5 * np.pi]
    print(f"{len(strokes)} strokes; the last ends at {np.round(end, 5).tolist()}, meant for {meant}")
    drawn(strokes, sys.argv[1] if len(sys.argv) > 1 else "snakeboard_word.png")


if __name__ == "__main__":
    main()
