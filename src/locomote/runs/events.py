"""What happens in a run: events of the user, contacts that open and close, velocities that jump onto the constraints."""

import math

import numpy as np

from locomote.dynamics.matrices import mass_matrix
from locomote.evaluation import plan as fields
from locomote.evaluation.plan import SOURCES
from locomote.methods import state as at
from locomote.methods.advance import LARGE_CORRECTION
from locomote.methods.entries import assemble_one
from locomote.methods.events.switching import switch
from locomote.runs.running import Running

MOST_EVENTS = 100_000
MOST_JUMPS, NOWHERE = 20, 1e-3  # this many corrections of velocities within this share of a run are no progress


def meet_events(run: Running, t: float) -> None:
    """All that happened at one time: events of the user, then contacts."""
    if len(run.events) >= MOST_EVENTS:
        run.end("failed", f"{MOST_EVENTS} events until t = {t:.6g} s; something chatters")
        return
    state, users = run.state, len(run.watched)
    met = [int(k) for k in np.flatnonzero(state.met)]
    touched = [run.contacts.numbered[k - users] for k in met if k >= users]
    opening, hitting = ([c for c in touched if run.contacts.is_closed(c) == closed] for closed in (True, False))
    acted = any(run.watched[k].acts for k in met if k < users)
    if hitting or acted:
        run.keep_sample()  # velocities jump: a sample before, and one after
    for number in (k for k in met if k < users):
        users_event(run, t, number)
    if hitting and not acted:  # or contacts have been settled with what the event did
        run.events += run.contacts.hit(t, state.q, state.v, state.done, hitting)
    for c in opening:
        if run.contacts.is_closed(c) and not acted:
            run.events += run.contacts.release(t, state.q, state.v, c)
    if run.contacts.jam:
        run.end("failed", run.contacts.jam)
    elif touched:
        run.fresh()
    if hitting or run.status != "running" or acted:
        run.keep_sample(anew=acted)


def settle_start(run: Running) -> None:
    """Contacts that are closed, or hit, at the start."""
    state, t = run.state, float(run.state.clock[at.TIME])
    hitting = run.contacts.touch(t, state.q, state.v)
    sampled = bool(hitting) and run.times[0] <= t
    if sampled:
        run.keep_sample()  # before the impact, with those open that hit
    found = run.contacts.meet(t, state.q, state.v, state.done, hitting)
    if sampled:
        run.keep_sample()
    run.events += found
    if run.contacts.jam:
        run.end("failed", run.contacts.jam)
        return
    run.fresh()


def users_event(run: Running, t: float, number: int) -> None:
    watched, state, name = run.watched[number], run.state, run.name_of(number)
    run.events.append(run.event(t, "event", f"{name} is zero", name=name, number=number, velocity=watched.then is not None))
    if watched.open or watched.close:
        run.events += switch(run.contacts, t, state.q, state.v, state.done, watched.open, watched.close)
        run.fresh()
    if watched.then is not None:
        try:
            v = run.problem.model.checked_v(watched.then(t, state.q.copy(), state.v.copy()), f"what {name!r} gives")
        except Exception as error:
            run.fault = error
            run.end("failed", f"event {name!r} at t = {t:.6g} s: {type(error).__name__}: {error}")
            return
        change_velocity(run, t, v)
    if watched.terminal:
        run.end("stopped", f"{name} is zero at t = {t:.6g} s")


def change_velocity(run: Running, t: float, v: np.ndarray) -> None:
    """Go on with another velocity, as far as drives and constraints allow; its energy comes from the surroundings."""
    state, M = run.state, mass_matrix(run.problem.model, run.state.q)
    sources = slice(0, len(SOURCES))
    before, counted = 0.5 * state.v @ M @ state.v, state.done[sources].sum()
    state.v[run.plan.free] = v[run.plan.free]
    run.events += run.contacts.settle(t, state.q, state.v, state.done) if run.contacts else []
    asked = state.v.copy()
    assemble_one(run.plan, run.work, t, state.q, state.v, state.a, state.scratch_q, state.scratch_v)
    change, most = state.v - asked, max(asked @ M @ asked, state.v @ M @ state.v)
    part = math.sqrt(max(0.0, change @ M @ change) / most) if most > 0 else 0.0
    if part > LARGE_CORRECTION:
        text = f"the velocity that was given changes by {100 * part:.2g} % to meet drives and constraints"
        run.events.append(run.event(t, "correction", text, part=part))
    state.done[fields.SURROUNDINGS] += 0.5 * state.v @ M @ state.v - before - (state.done[sources].sum() - counted)
    run.fresh()


def corrected(run: Running, t: float, part: float, energy: float) -> None:
    """Say that velocities jump onto the constraints, once for steps in a row that do; a run that does it again and again
    while it gets nowhere ends."""
    before, run.correcting = run.correcting, int(run.state.counts[at.STEPS])
    if run.correcting - before > 1:
        went = f"{energy:.3g} J are lost" if energy >= 0 else f"{-energy:.3g} J are gained"
        text = f"velocities jump by {100 * part:.2g} % to meet the constraints again, {went}"
        run.events.append(run.event(t, "correction", text, part=part, energy=-energy))
    run.jumps = [*run.jumps, t][-MOST_JUMPS:]
    if len(run.jumps) == MOST_JUMPS and t - run.jumps[0] < NOWHERE * (run.times[-1] - run.t0):
        run.end(
            "failed",
            f"velocities jump again and again to meet the constraints at t = {t:.6g} s: no smooth motion does, as for a "
            f"wheel that lies flat; the events say when this began",
        )
