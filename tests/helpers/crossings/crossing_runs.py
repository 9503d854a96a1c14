"""Columns about runs: made twice, kept in files, cut off, gone on with, copied, in threads."""

import copy
import pickle
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
from crossing_cases import Case
from crossing_checks import ARRAYS, NotApplicable, Wrong, folder, near, quiet, same, verb
from crossing_energy import own_balance

import locomote as lo
from locomote.evaluation.reaction_wrenches import rows_of_each
from locomote.methods import state as at
from locomote.runs import runner as runs_module
from locomote.runs.asked import apart
from locomote.runs.audit.states import States


@verb("simulate")
def simulate(case: Case) -> None:
    run = case.run
    if run.info["status"] != "finished" or not np.isclose(run.t[-1], case.mechanism.duration):
        raise Wrong(f"the run ends at {run.t[-1]:g} s: {run.info['status']}")
    for name in ARRAYS:
        if not np.isfinite(getattr(run, name)).all():
            raise Wrong(f"{name} is not finite")
    if not run.audit.ok:
        raise Wrong(f"the audit fails: {', '.join(f'{c.name} {c.value:.2g}' for c in run.audit.failed)}")


@verb("twice")
def twice(case: Case) -> None:
    same(case.simulate(), case.run)


@verb("energy")
def energy(case: Case) -> None:
    left, allowed = own_balance(case)
    if not left <= allowed:
        raise Wrong(f"energy of {left:.2g} of all that was exchanged is missing, allowed {allowed:.2g}")


@verb("save and open")
def save(case: Case) -> None:
    with folder() as path:
        case.run.save(path / "run.h5")
        again = lo.open_run(path / "run.h5")
    same(again, case.run, "the run and its file")
    if again.audit.ok != case.run.audit.ok:
        raise Wrong("the audit of the file says otherwise")
    if again.problem is None:
        if not again.problem_missing:
            raise Wrong("the file does not say why it has no problem")
        raise NotApplicable(f"the problem is not in the file: {again.problem_missing}")
    same(case.simulate(again.problem), case.run, "the run and that of the problem in its file")


@contextmanager
def stopped_at(t: float):
    """Ctrl-C in a run once it has passed t, after any step."""
    whole = runs_module.advance
    runs_module._interrupted[0] = -np.inf

    def advance(plan, work, state, samples):
        state.choices[at.BUDGET] = 1
        code = whole(plan, work, state, samples)
        if state.clock[at.TIME] > t:
            signal.raise_signal(signal.SIGINT)
        return code

    runs_module.advance = advance
    try:
        yield
    finally:
        runs_module.advance = whole
        runs_module._interrupted[0] = -np.inf


@verb("resume")
def resume(case: Case) -> None:
    with folder() as path, quiet():
        file = path / "run.h5"
        with stopped_at(0.43 * case.mechanism.duration):
            cut = case.simulate(checkpoint=file)
        if cut.info["status"] != "interrupted":
            raise Wrong(f"the run was not interrupted: {cut.info['status']}")
        stored = lo.open_run(file)
        more = {"problem": case.problem} if stored.problem is None else {}
        whole = lo.resume(file, events=case.how.get("events", ()), progress=False, **more)
        same(whole, case.run, "the resumed and the whole run")
        same(lo.open_run(file), case.run, "the file and the whole run")


@verb("between")
def between(case: Case) -> None:
    run = case.run
    first, last = 0.3 * run.t[-1], 0.8 * run.t[-1]
    part = run.between(first, last)
    rows = (run.t >= first) & (run.t <= last)
    for channel in run.channels:
        if channel.name.startswith("audit."):
            continue  # counted from the first sample
        if channel.name not in {c.name for c in part.channels}:
            raise Wrong(f"channel {channel.name} is gone")
        if not np.allclose(part[channel.name], run[channel.name][rows], rtol=1e-13, atol=1e-15, equal_nan=True):
            raise Wrong(f"channel {channel.name} is not that of the run")
    if not part.audit.ok:
        raise Wrong(f"the audit of the part fails: {', '.join(c.name for c in part.audit.failed)}")


@verb("at")
def at_times(case: Case) -> None:
    """Between samples, against a run of the same steps that has samples there."""
    if case.steps and case.problem.model.flexible:
        raise NotApplicable("rods that hit jump from step to step")
    smooth = {} if case.run.info["method"] == "rosenbrock" else {"rtol": 1e-9, "atol": 1e-11}
    run, fine = (case.simulate(every=every, **{"step": 5e-4} if case.steps else smooth) for every in (0.001, 0.0005))
    times = np.array([0.0305, 0.0675, 0.1505])
    rows = np.searchsorted(fine.t, times + 1e-9) - 1
    expected, found = fine.q[rows], run.at(fine.t[rows])
    loose = 20.0 if case.steps or case.rough or case.clocked or run.events else 1.0
    near(run.model.difference(expected, found.q), np.zeros((3, run.model.nv)), 1e-4 * loose, "q")
    near(found.v, fine.v[rows], 5e-3 * loose, "v")


@verb("tables")
def tables(case: Case) -> None:
    run, table = case.run, case.run.to_dict()
    for channel in run.channels:
        if not np.array_equal(table[channel.name], run[channel.name]) or table[channel.name].shape != run.t.shape:
            raise Wrong(f"{channel.name} of the table is not that of the run")
    with folder() as path:
        run.to_csv(path / "run.csv")
        found = np.genfromtxt(path / "run.csv", delimiter=",", skip_header=1)
    near(found[:, 0], run.t, 0.0, "time in the text")
    if found.shape != (len(run), len(run.channels) + 1) and found.shape != (len(run), len(run.channels)):
        raise Wrong(f"the text has {found.shape[1]} columns, and there are {len(run.channels)} channels")
    if set(run.to_xarray().data_vars) != {channel.name for channel in run.channels if channel.name != "t"}:
        raise Wrong("the dataset has other channels")


@verb("deep audit")
def deep(case: Case) -> None:
    found = case.run.audit.deep()
    if not found.ok:
        raise Wrong(f"the deep audit fails: {', '.join(f'{c.name} {c.value:.2g}' for c in found.failed)}")


@verb("extend")
def extend(case: Case) -> None:
    half = case.mechanism.duration / 2
    longer = case.simulate(duration=half).extend(half, events=case.how.get("events", ()), progress=False)
    near(longer.t[-1], case.run.t[-1], 1e-12, "the end")
    allowed = 1e-2 if case.rough else 1e-4
    near(longer.q[-1], case.run.q[-1], allowed, "q at the end")
    near(longer.v[-1], case.run.v[-1], 10 * allowed, "v at the end")
    if not longer.audit.ok:
        raise Wrong(f"the audit fails: {', '.join(c.name for c in longer.audit.failed)}")


@verb("join")
def join(case: Case) -> None:
    half = case.mechanism.duration / 2
    first = case.simulate(duration=half)
    if case.how.get("events"):
        raise NotApplicable("what events have switched is not in a state to start from")
    second = case.simulate(duration=half, q=first.q[-1], v=first.v[-1], t=half)
    joined = lo.join([first, second])
    near(joined.q[-1], second.q[-1], 0.0, "q at the end")
    channels = {channel.name for channel in joined.channels}
    if missing := [channel.name for channel in first.channels if channel.name not in channels]:
        raise Wrong(f"channel {missing[0]} is gone")
    if not joined.audit.ok:
        raise Wrong(f"the audit fails: {', '.join(c.name for c in joined.audit.failed)}")


@verb("copies")
def copies(case: Case) -> None:
    for kind, copied in (("pickle", pickle.loads(pickle.dumps(case.problem))), ("deepcopy", copy.deepcopy(case.problem))):
        same(case.simulate(copied), case.run, f"the problem and its {kind}")
    same(pickle.loads(pickle.dumps(case.run)), case.run, "a run and its pickle")


@verb("threads")
def threads(case: Case) -> None:
    with ThreadPoolExecutor(4) as pool:
        for run in pool.map(lambda _: case.simulate(), range(4)):
            same(run, case.run, "runs in threads")


@verb("joint wrenches")
def joint_wrenches(case: Case) -> None:
    """Along the axes S of every joint S^T w is what drives, torques, springs, dampers and couplings give, by the audit."""
    run = apart(case.run)
    w, model = run.joint_wrenches, run.model
    rows = np.unique(np.linspace(1, len(run) - 1, 5).astype(int))
    states, problem = States(run, run.problem, rows), run.problem
    expected = states.tau + states.passive() - model.armature * states.a
    for constraint, own in rows_of_each(problem.constraints):
        if isinstance(constraint, (lo.Coupled, lo.Custom)):
            expected += np.einsum("nrk,nr->nk", states.A[:, own], states.lam[:, own])
    size = max(abs(w).max(), model.mass * 9.81)
    for b, body in enumerate(model.body_names):
        joints = [joint.name for joint in model.body(body).body.joints if joint.kind != "fixed"]
        for own in (model.joint(name).v for name in joints):
            S = np.array([lo.jacobian(model, q, body)[:, own] for q in states.q])
            off = abs(np.einsum("nik,ni->nk", S, w[rows, b]) - expected[:, own]).max() / size
            if off > (5e-2 if case.steps else 1e-8):  # means over a step, beside forces at its end
                raise Wrong(f"along its axes the joint of {body!r} carries something else, by {off:.2g} of the largest load")
