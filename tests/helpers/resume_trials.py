"""Runs for test_resume, long enough to be interrupted; `python resume_trials.py NAME FILE` runs one with checkpoints."""

import sys

import numpy as np

import locomote as lo

INTERVAL = 0.02  # s between checkpoints


def whip():
    """A chaotic chain of three on a planar base with a blade, one joint driven."""
    rod = lo.Inertia(0.5, (0.2, 0.01, 0), np.eye(3) * 0.01)
    builder = lo.Builder("whip", base="planar", gravity=(0, -9.81, 0)).body(
        "base", inertia=lo.Inertia.box(2.0, (0.5, 0.3, 0.2))
    )
    for k in range(3):
        builder.body(
            f"link {k}", parent="base" if k == 0 else f"link {k - 1}", joint=lo.Joint(f"joint {k}"), at=(0.3, 0, 0), inertia=rod
        )
    return lo.Locomotion(
        builder.build(),
        drives={"joint 1": lo.Sine(0.5, 7.0)},
        constraints=[lo.Blade("base"), lo.Distance("base", None, (-0.2, 0, 0), (0.0, 1.0, 0.0))],
    )


def ball():
    """A ball that bounces on a sticky slope and swings on a spring."""
    model = lo.Builder("ball", base="xyz").body("ball", inertia=lo.Inertia.sphere(1.0, 0.1)).build()
    ground = lo.PointContact("ball", target=(0, 0, 0), directions="xyz", unilateral=True, restitution=0.97)
    return lo.Locomotion(
        model, constraints=[ground], environment=[lo.Spring("ball", None, (0, 0, 0), (0.3, 0.2, 1.5), 3.0, 0.2)]
    )


def crossing(t, q, v):
    return q[-1]


def kicked(t, q, v):
    return 1.001 * v


EVENTS = [lo.When(crossing, name="crossing"), lo.When(lambda t, q, v: v[-1], 1, name="turning", then=kicked)]
RUNS = {
    "adaptive": (whip, {"duration": 60.0, "every": 0.02, "rtol": 1e-10, "atol": 1e-11}),
    "rk4": (whip, {"duration": 8.0, "every": 0.02, "method": "rk4", "step": 2e-4}),
    "implicit": (whip, {"duration": 8.0, "every": 0.02, "method": "implicit", "rtol": 1e-8}),
    "variational": (whip, {"duration": 6.0, "every": 0.02, "method": "variational", "step": 5e-4}),
    "contact": (ball, {"duration": 25.0, "every": 0.02, "q": [0, 0, 1.0], "v": [0.1, 0, 0], "max_step": 1e-3}),
    "events": (whip, {"duration": 40.0, "every": 0.02, "events": EVENTS, "rtol": 1e-10, "atol": 1e-11}),
}


def run(name, **more):
    """One of the runs."""
    make, options = RUNS[name]
    return make().simulate(**options | more)


if __name__ == "__main__":
    what, *names = sys.argv[1:]
    if what == "warm":
        run(names[0], duration=0.1)
    elif what == "run":
        run(names[0], checkpoint=names[1], checkpoint_interval=INTERVAL, progress=False)
    else:
        lo.resume(names[0], progress=False, interval=INTERVAL)
