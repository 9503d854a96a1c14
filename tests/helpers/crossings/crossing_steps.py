"""Columns about other ways to step, about words and pictures, and about limits."""

import contextlib
import io

import numpy as np
from crossing_cases import STEP, Case
from crossing_checks import NotApplicable, Wrong, folder, near, quiet, verb

import locomote as lo
from locomote.methods.registry import METHODS


@verb("rollout")
def rollout(case: Case) -> None:
    if case.how.get("events"):
        raise NotApplicable("rollouts watch for no events")
    start = case.start
    both = {"q": np.tile(start[0], (2, 1)), "v": np.tile(start[1], (2, 1))}
    with quiet():
        runs = lo.rollout(case.problem, **both, duration=0.1, step=STEP / 2, progress=False)
    if runs.lost.any():
        raise NotApplicable("such steps are too long for it, and the runs are marked as lost, with a warning")
    exact = case.simulate(step=STEP / 2, duration=0.1) if case.steps else case.exact
    state = exact.at(0.1)
    allowed = 1e-6 if case.steps else 2e-3 if case.rough or case.problem.model.flexible else 2e-4
    for k in (0, 1):
        near(case.problem.model.difference(state.q, runs.q[k, -1]), np.zeros(case.problem.model.nv), allowed, f"q of run {k}")
        near(runs.v[k, -1], state.v, 10 * allowed, f"v of run {k}")


@verb("gradient", slow=True)
def gradient(case: Case) -> None:
    """Of a short run with steps that it chooses, through what happens in it; over contacts, of steps as such by speeds, since
    gaps of what touches are at a corner."""
    if case.how.get("ignore"):
        raise NotApplicable("gradients ignore no constraints")
    weights = np.random.default_rng(0).normal(size=sum(x.size for x in case.start)).tolist()
    goal = lo.at_end(lambda t, q, v: sum(w * x for w, x in zip(weights, [*q, *v], strict=True)))
    start = {"q": case.start[0], "v": case.start[1], "events": case.how.get("events", ())}
    with quiet(), contextlib.redirect_stdout(io.StringIO()):
        if case.steps:
            start |= {"method": "timestep", "contacts": "discrete"}
        by = ["v"] if case.steps else ["q", "v"]
        _, slopes = lo.gradient(case.problem, goal, by, **{"duration": 0.02, "method": "adaptive", "check": True} | start)
    allowed = 0.5 if case.rough else 1e-5  # at kinks, where feet begin on the ground, differences see both sides
    if slopes.check is None or not slopes.check < allowed:
        raise Wrong(f"slopes are off by {slopes.check:.2g}")


@verb("stepper")
def stepper(case: Case) -> None:
    if case.how.get("events"):
        raise NotApplicable("steps by hand watch for no events")
    steps = case.problem.stepper(case.start[0], case.start[1], step=STEP / 2)
    steps.advance(steps=200)
    exact = case.simulate(step=STEP / 2, duration=0.1) if case.steps else case.exact
    allowed = 1e-6 if case.steps else 2e-3 if case.rough else 2e-3 if case.problem.model.flexible else 2e-5
    state = exact.at(0.1)
    near(case.problem.model.difference(state.q, steps.q), np.zeros(case.problem.model.nv), allowed, "q after 0.1 s")
    near(steps.v, state.v, 10 * allowed, "v after 0.1 s")


def by_method(method: str):
    low = METHODS[method].order < 3

    def integrated(case: Case) -> None:
        if method == case.run.info["method"] and case.steps:
            raise NotApplicable("the only method for it")
        options = {"rtol": 1e-6 if low else 1e-9, "atol": 1e-8 if low else 1e-11}
        if not METHODS[method].chooses:
            options = {"step": STEP / 5}
        run, exact = case.simulate(method=method, **options), case.exact
        if run.info["method"] != method:
            raise Wrong(f"another method was taken: {run.info['method']}")
        tolerance = 2e-3 if low or case.rough else 1e-5
        near(run.model.difference(exact.q[-1], run.q[-1]), np.zeros(run.model.nv), tolerance, "q at the end")
        near(run.v[-1], exact.v[-1], 10 * tolerance, "v at the end")
        # two stages do not feel what the work of a step is off by, which the audit then says
        if not run.audit.ok and "rtol" in options and not low and method != "gauss4":
            raise Wrong(f"the audit fails: {', '.join(f'{c.name} {c.value:.2g}' for c in run.audit.failed)}")

    return integrated


for name in METHODS:
    verb(f"method {name}")(by_method(name))


# words and pictures


@verb("summary and report")
def summary(case: Case) -> None:
    text = case.run.summary() + repr(case.run) + str(case.problem.classify(0.0, case.run.q[0])) + case.run._repr_html_()
    if "nan" in text.lower().replace("nano", "") or " inf" in text:
        raise Wrong("the summary has numbers that are none")
    if len(repr(case.problem)) > 500:
        raise Wrong("the problem says too much of itself")
    with folder() as path:
        case.run.report(path / "run.html")
        if (path / "run.html").stat().st_size < 10_000:
            raise Wrong("the report is empty")


@verb("plot", slow=True)
def plot(case: Case) -> None:
    with quiet(), folder() as path:
        case.run.plot(path=path / "run.png")
        if (path / "run.png").stat().st_size < 5_000:
            raise Wrong("the picture is empty")


@verb("film", slow=True)
def film(case: Case) -> None:
    with quiet(), folder() as path:
        case.run.film(path / "run.png", size=(160, 120))
        if (path / "run.png").stat().st_size < 1_000:
            raise Wrong("the film is empty")


# limits


@verb("joint limits")
def joint_limits(case: Case) -> None:
    joint = case.mechanism.joint
    if joint is None:
        raise NotApplicable("there is no joint with one coordinate")
    if joint in case.problem.drives:
        raise NotApplicable("the joint is driven")
    place = case.problem.model.joint(joint).q.start
    way = case.run.q[:, place]
    first, far = way[0], way[np.argmax(abs(way - way[0]))]
    if abs(far - first) < 1e-3:
        raise NotApplicable("the joint hardly moves")
    stop = first + 0.4 * (far - first)
    side = {"upper": stop} if far > first else {"lower": stop}
    run = case.simulate(case.with_limits(**side))
    beyond = (run.q[:, place] - stop) * np.sign(far - first)
    if beyond.max() > 1e-3:
        raise Wrong(f"the joint goes {beyond.max():.2g} rad beyond its limit")
    if not run.audit.ok:
        raise Wrong(f"the audit fails: {', '.join(f'{c.name} {c.value:.2g}' for c in run.audit.failed)}")


@verb("effort limits")
def effort_limits(case: Case) -> None:
    joint = case.mechanism.joint
    if joint is None:
        raise NotApplicable("there is no joint with one coordinate")
    k = case.problem.model.joint(joint).v.start
    most = abs(case.run.tau[:, k]).max()
    if most < 1e-9:
        raise NotApplicable("nothing pushes the joint")
    run = case.simulate(case.with_limits(effort_limit=0.5 * most))
    if joint in case.problem.drives:
        raise NotApplicable("a drive gives what it takes, and the summary says so")
    if abs(run.tau[:, k]).max() > 0.5 * most * (1 + 1e-9):
        raise Wrong(f"the torque is {abs(run.tau[:, k]).max():.3g} N m where the limit is {0.5 * most:.3g}")
    if not run.audit.ok:
        raise Wrong(f"the audit fails: {', '.join(f'{c.name} {c.value:.2g}' for c in run.audit.failed)}")
