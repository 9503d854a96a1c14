"""What ends a run, or what happens when compiled code comes back from its steps, in words.

`act` reads the code that steps come back with; what a run cannot go on from ends it, with the reason as far as it can be found.
"""

import math

import numpy as np

from locomote.constraints.kinds import Rolling
from locomote.drives.packing import pack_signals
from locomote.dynamics.idle import idle_motions
from locomote.dynamics.matrices import mass_matrix
from locomote.evaluation import plan as fields
from locomote.evaluation.bending_limits import why_too_far
from locomote.evaluation.unresisted import why_no_motion
from locomote.methods import state as at
from locomote.methods import stepping
from locomote.methods.events.event import Event
from locomote.methods.events.ignored import held_rows
from locomote.runs.diverged import grown, why_diverged, why_exploded
from locomote.runs.events import corrected, meet_events
from locomote.runs.running import SPARE, Running

BEYOND = 1e3  # times the velocities of the run until then: a motion that has blown up
NEXT_TO_NOTHING = 1e-6  # what a motion moves of the mass that its joints move one by one


def act(run: Running, code: int) -> None:
    t = float(run.state.clock[at.TIME])
    if code == stepping.DONE:
        run.end("finished", "")
    elif code == stepping.FULL:
        run.make_room(len(run.samples.t))
    elif code == stepping.EVENT_FOUND:
        meet_events(run, t)
    elif code == stepping.RANK_CHANGED:
        rank = int(run.state.counts[at.RANK])
        case = run.problem.classify(t, run.state.q, closed=run.contacts.closed(), ignore=run.contacts.ignored())
        text = f"the constraints have rank {rank} from here on: {case.name}"
        run.events.append(run.event(t, "rank", text, rank=rank))
        if run.options.singular == "stop":
            run.end("stopped", f"the rank of the constraints changed at t = {t:.6g} s")
    elif code == stepping.SINGULAR_PASSED:
        when = float(run.state.clock[at.PASSED])
        rank = int(run.state.counts[at.RANK])
        run.events.append(
            Event(when, "rank", f"the constraints, of rank {rank}, pass a singular configuration", {"rank": rank})
        )
        if run.options.singular == "stop":
            run.end("stopped", f"the constraints are singular at t = {when:.6g} s")
    elif code == stepping.CORRECTED:
        corrected(run, t, *(float(x) for x in run.work.result[[fields.CHANGED, fields.TAKEN]]))
    elif code == stepping.STEP_TOO_SMALL:
        run.end("failed", stall(run) if idle(run) else f"the step became too small at t = {t:.6g} s: {why(run)}")
    elif code == stepping.NOT_FINITE:
        run.end("failed", f"a value is not finite after t = {t:.6g} s: {why_not_finite(run)}")
    elif code == stepping.SINGULAR:
        reason = unresisted(run) or "some motion that the constraints leave free moves no mass"
        run.end("failed", f"no acceleration at t = {t:.6g} s: {reason}")
    elif code == stepping.INCOMPATIBLE:
        run.end("failed", misfit(run, t))
    elif code == stepping.TOO_FAR:
        run.end("failed", why_too_far(run.problem.model, run.state.q, t, diverged(run)))
    elif code == stepping.NO_CONVERGENCE:
        run.end("failed", f"the implicit equations did not converge at t = {t:.6g} s; use a smaller step")


def misfit(run: Running, t: float) -> str:
    work = run.work
    error = np.where(held_rows(run.plan), work.error, 0.0)
    residual = np.where(abs(error) > 1e-6, error, work.A @ run.state.v + work.speed)
    rows = run.problem.worst_rows(residual, 1e-7)
    if run.problem.imposed.any():
        return f"the imposed motion does not fit the constraints at t = {t:.6g} s: {rows}"
    return f"no motion meets the constraints any more at t = {t:.6g} s{how(run)}: {rows}"


def how(run: Running) -> str:
    """Why constraints cannot be met, if it is clear: a wheel that lies flat, or a motion that has grown without bound."""
    if not run.method.chooses and (v := grown(run.state, run.samples, BEYOND)):
        return f" (velocities have grown to {v:.2g}: the step is too long)"
    return ", such as those of a wheel that lies flat" if any(isinstance(c, Rolling) for c in run.problem.constraints) else ""


def why(run: Running) -> str:
    t = float(run.state.clock[at.TIME])
    case = run.problem.classify(t, run.state.q, closed=run.contacts.closed(), ignore=run.contacts.ignored())
    least = min(case.singular_values, default=1.0)
    if least < 1e-3:
        return f"the constraints are close to singular (smallest singular value {least:.2g})"
    return why_exploded(run.state, run.samples) or (
        "the motion is too fast for the tolerance, or jumps; loosen rtol and atol, or use method='implicit' if it is stiff"
    )


def why_not_finite(run: Running) -> str:
    for which, value in ((k, g[k]) for g in (run.state.g, run.state.g_end) for k in range(len(run.watched))):
        if not math.isfinite(value):
            return f"event {run.name_of(which)!r} gave {value}"
    t, step = float(run.state.clock[at.TIME]), float(run.state.clock[at.STEP])
    drives = pack_signals(run.problem.imposed_motions)
    gap = next(filter(None, (drives.gap(t + ahead) for ahead in (step, 1e-6, 1e-3))), None)
    return (
        (gap[1] if gap else "")
        or unresisted(run)
        or diverged(run)
        or "a drive, a torque or a function gave NaN, or the motion grew without bound"
    )


def stall(run: Running) -> str:
    t, step = float(run.state.clock[at.TIME]), float(run.state.clock[at.STEP])
    said = f"steps become shorter without end at t = {t:.6g} s, now {step:.2g} s: the motion becomes infinitely stiff"
    if not (massless := idle(run)):
        return f"{said}; use method='implicit', or loosen rtol and atol"
    return f"{said}: {massless} here, or next to none, as in the gimbal lock of angles; use other joints or no damper"


def unresisted(run: Running) -> str:
    """Words about motions that move no mass, or that nothing resists; empty if there are none."""
    q = run.state.q
    return why_no_motion(run.problem, 0.0, q.copy()) if np.isfinite(q).all() else ""


def idle(run: Running) -> str:
    """Words about motions that move next to no mass; empty if there are none, or nothing has mass."""
    if run.plan.options[fields.CREEPING] != 0.0 or not np.isfinite(run.state.q).all():
        return ""
    M = mass_matrix(run.problem.model, run.state.q)
    scale = np.sqrt(np.maximum(np.diag(M), np.finfo(float).tiny))
    heavy = np.linalg.eigvalsh(M / scale / scale[:, None])[0] > NEXT_TO_NOTHING
    return "" if heavy else idle_motions(run.problem.model, M, share=0.01)


def diverged(run: Running) -> str:
    if len(run.samples.t) == run.state.counts[at.FILLED]:
        run.make_room(SPARE)
    return why_diverged(run.plan, run.work, run.state, run.samples, run.options)
