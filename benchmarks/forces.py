"""A force that a user wrote against the same one of the library: time of an evaluation, and of a step on lanes.

    python benchmarks/forces.py [--repeats 20]

A chain of four links, with a spring from each link to the world: `lo.Spring`, and the same law by @lo.force. Times are minima
of short slices that take turns; docs/forces.md has the figures.
"""

import argparse
import time

import numpy as np

import locomote as lo
from locomote.law import dot, rotate, scale, sqrt, subtract, unrotate

LINKS, COUNT, BATCH, STEPS = 4, 2000, 512, 20
NUMBERS = {"stiffness": 20.0, "length": 0.3, "damping": 0.1}


@lo.force(bodies=2, energy=True)
def own_spring(t, R, o, u, w, R2, o2, u2, w2, stiffness, length, damping):
    """Along the line between two points, with a damper."""
    d, rate = subtract(o2, o), subtract(rotate(R2, u2), rotate(R, u))
    now = sqrt(dot(d, d) + 1e-30)
    along = scale(1.0 / now, d)
    speed = dot(along, rate)
    pull = scale(stiffness * (now - length) + damping * speed, along)
    none = (0.0, 0.0, 0.0)
    stretched = now - length
    energy, loss = 0.5 * stiffness * stretched * stretched, damping * speed * speed
    return unrotate(R, pull), none, unrotate(R2, scale(-1.0, pull)), none, energy, loss


def chain() -> lo.Model:
    """Links that turn about two axes each."""
    builder = lo.Builder("chain")
    for k in range(LINKS):
        parent = {"parent": f"link {k - 1}", "at": (0.0, 0.0, -0.5)} if k else {}
        inertia = lo.Inertia.box(1.0, (0.1, 0.1, 0.5))
        builder.body(f"link {k}", joint=lo.Joint(f"joint {k}", "universal"), inertia=inertia, **parent)
    return builder.build()


def problems() -> dict[str, lo.Locomotion]:
    """The same problem by both springs."""
    model, end = chain(), (0.0, 0.0, -0.5)
    places = [(0.5, 0.1 * k, -0.5 * k) for k in range(LINKS)]
    built = [lo.Spring(f"link {k}", point=end, other_point=p, **NUMBERS) for k, p in enumerate(places)]
    own = [own_spring(f"link {k}", point=end, other_point=p, **NUMBERS) for k, p in enumerate(places)]
    return {"lo.Spring": lo.Locomotion(model, environment=built), "@lo.force": lo.Locomotion(model, environment=own)}


def evaluations(problem: lo.Locomotion) -> float:
    """Seconds of an evaluation in compiled code: steps of a quarter of it each, by Runge and Kutta."""
    stepper = problem.stepper(step=1e-3)
    stepper.advance()
    start = time.perf_counter()
    stepper.advance(steps=COUNT)
    return (time.perf_counter() - start) / (4 * COUNT)


def lanes(problem: lo.Locomotion) -> float:
    """Seconds of a step of one run among many."""
    q = np.random.default_rng(0).normal(size=(BATCH, problem.model.nq))
    start = time.perf_counter()
    lo.rollout(problem, q=q, v=np.zeros(problem.model.nv), duration=STEPS * 1e-3, progress=False)
    return (time.perf_counter() - start) / (BATCH * STEPS)


def measured(repeats: int) -> dict[str, dict[str, float]]:
    """Least seconds of both springs, of an evaluation and on lanes."""
    both = problems()
    a = [problem.evaluate(0.0, np.full(problem.model.nq, 0.3), np.ones(problem.model.nv)).a for problem in both.values()]
    assert np.allclose(*a, rtol=1e-12), "the two springs differ"
    for problem in both.values():
        evaluations(problem), lanes(problem)
    times: dict[str, dict[str, float]] = {name: {} for name in both}
    for _ in range(repeats):
        for name, problem in both.items():
            for what, measure in {"evaluation": evaluations, "lanes": lanes}.items():
                times[name][what] = min(times[name].get(what, np.inf), measure(problem))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20)
    times = measured(parser.parse_args().repeats)
    for what, unit, factor in (("evaluation", "us an evaluation", 1e6), ("lanes", "us a step and run", 1e6)):
        own, built = (times[name][what] * factor for name in ("@lo.force", "lo.Spring"))
        print(f"{what:<12}{built:8.3f} by lo.Spring{own:8.3f} by @lo.force  {unit}; ratio {own / built:.2f}")


if __name__ == "__main__":
    main()
