"""Short ways to ask the locomotion problem for the answers that published cases give."""

import locomote as lo


def through(x, dx=0.0, ddx=0.0):
    """A drive that is at x with these rates at t = 0."""
    return lo.Polynomial((x, dx, ddx / 2))


def posed(system, drives=None, **changes):
    """The problem of a system with other drives or torques."""
    problem = system.problem()
    arguments = {"constraints": problem.constraints, "environment": problem.environment, "springs": problem.springs}
    return lo.Locomotion(system.model, drives=drives, **(arguments | changes))


def pushed(problem, q, reactions):
    """(nv,) forces that reactions exert on the coordinates."""
    return problem.rows(0.0, q)[0].T @ reactions


def run_through(problem, times, q=None, v=None, **options):
    """q and v at some times of a run, at tight tolerance."""
    options = {"rtol": 1e-11, "atol": 1e-12} | options
    run = problem.simulate(times[-1], q=q, v=v, samples=times, **options)
    return run.q, run.v, run
