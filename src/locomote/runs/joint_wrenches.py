"""What joints carry over a run: bearing loads.

The wrench of a joint is what the part of the tree beyond it needs, less all that acts on that part from outside:

    w_b = I_b (A_b - g) + V_b x* I_b V_b - W_b + sum over children of Ad_c^T w_c                                        (1)

with W the wrenches of `evaluation.external_wrenches`. What is left along the axes S of a joint is all that acts within it:
drive or torque, spring, damper, friction, stop, and what couplings give to its coordinate. Across them it is the load of the
bearing.

Samples of steps over contacts are means over the step of length h that ends there. The wrench is the mean, too: impulse of the
joint over h. By the equations of `methods.timestep.attempt` it is found at the middle of the step, with forces of the
surroundings as the step took them,

    q_m = q (-) h/2 v ,   v_m = v - h/2 a ,   W at q_m and the velocity v - h a of the start, seen from there           (2)

A hit lasts one step, so that its load grows as h shrinks. Before the first step nothing is known: zero. Other methods know
contacts that hit only as impulses of events, between two samples of the same time, and these have no load here.
"""

from typing import Any

import numpy as np

from locomote.constraints.kinds import LoopClosure, SurfaceContact, is_left_open
from locomote.contact.spots import ROLLING, TORSION
from locomote.dynamics.joint_wrenches import joint_wrenches as carried
from locomote.dynamics.kinematics import forward_kinematics
from locomote.evaluation.external_wrenches import external_wrenches
from locomote.evaluation.reaction_wrenches import Closing, ReactionWrenches
from locomote.methods.registry import method_of
from locomote.model.joints import AXES_OF_V, PLACES
from locomote.runs.audit.known import problem_of
from locomote.spatial.numbers import all_finite


def why_not(run: Any) -> str:
    """Why they cannot be computed, in words; empty if they can."""
    problem = problem_of(run)
    if problem is None:
        return run.problem_missing or "the run does not hold its problem, whose forces joints carry"
    framed = [c for c in problem.constraints if isinstance(c, (SurfaceContact, LoopClosure)) and is_left_open(c)]
    if framed and len(run) and run.t[0] != run.info.get("t0"):
        return f"{framed[0].title!r} is held where it was at the start, which is not in this part of the run: ask the whole run"
    if run.contacts.shape[1] != len(problem.plan.spots):
        return "forces of contacts are not in the run"
    if (problem.plan.spot_laws[:, [ROLLING, TORSION]] > 0).any():
        return "contacts have rolling or torsion, and samples do not hold moments of these"
    return ""


def joint_wrenches(run: Any) -> np.ndarray:
    """(n, bodies, 6) in body frames, N and N m; NaN where the run has no finite numbers."""
    problem, model = run.problem, run.model
    result = np.full((len(run), len(model.body_names), 6), np.nan)
    good = np.flatnonzero([all_finite(np.concatenate([*x])) for x in zip(run.q, run.v, run.a, run.reactions, strict=True)])
    if not len(good):
        return result
    t, q, v, a = run.t[good], model.normalize(run.q[good]), run.v[good], run.a[good]
    before = v
    if method_of(run.info).impulsive:
        h = float(run.info.get("mean_step") or 0.0)
        t, q, v, before = t - h / 2, model.integrate(q, -h / 2 * v), v - h / 2 * a, turned(model, v - h * a, h / 2)  # (2)
    first = forward_kinematics(model, model.normalize(run.q[good[0]]))
    rows = ReactionWrenches(problem, first, closings_of(run))
    wrenches = external_wrenches(problem, t, q, before, run.reactions[good], run.contacts[good], rows, run.contact_pairs[good])
    result[good] = carried(model, q, v, a, wrenches=wrenches)
    if method_of(run.info).impulsive:
        result[run.t <= run.info.get("t0", -np.inf)] = 0.0
    return result


def turned(model: Any, v: np.ndarray, h: float) -> np.ndarray:
    """(n, nv) velocities in axes of bodies that have turned on for the time h: of free and planar joints the shift."""
    result = v.copy()
    for kind, _, k in model.coordinates.groups:
        if places := PLACES[kind]:
            shift, spin = np.zeros((2, len(v), 3))
            shift[:, :places] = v[:, k : k + places]
            own = AXES_OF_V[kind][places:]
            spin[:, [axis - 3 for axis in own]] = v[:, k + places : k + places + len(own)]
            change = np.cross(spin, shift)
            result[:, k : k + places] = (shift - h * change + h**2 / 2 * np.cross(spin, change))[:, :places]
    return result


def closings_of(run: Any) -> list[Closing]:
    """When constraints closed, which, and where bodies were then."""
    found = []
    for event in run.events:
        if event.kind == "close" and event.q is not None:
            named = event.data.get("constraints") or [event.data.get("constraint")]
            poses = forward_kinematics(run.model, run.model.normalize(event.q))
            found.append((event.t, [name for name in named if isinstance(name, str)], poses))
    return found
