"""Bearing loads of a run: the largest force and moment that each joint carries, and when."""

from typing import Any, NamedTuple

import numpy as np

from locomote.dynamics.joint_wrenches import has_to_be_compiled
from locomote.forces.terms import ForceTerm
from locomote.runs.asked import is_held
from locomote.runs.joint_wrenches import why_not

FREE = 6  # coordinates of a joint that carries nothing


class BearingLoad(NamedTuple):
    """The largest force (N) and moment (N m), about the origin of the body, that its joint carries, each with its time (s)."""

    body: str
    force: float
    force_at: float
    moment: float
    moment_at: float


def loaded_bodies(model: Any) -> list[str]:
    """Bodies that hang by a joint which moves and holds something, and rods."""
    found = []
    for name in model.body_names:
        body = model.body(name).body
        held = sum(joint.sizes[1] for joint in body.joints)
        if 0 < held < FREE or body.flex is not None:
            found.append(name)
    return found


def unknown(run: Any) -> str:
    """Why the loads of a run are not known before somebody asks for them, in words; empty if they are. For a report nothing is
    compiled, and no function of the user is called: it may count its calls."""
    if is_held(run, "joint_wrenches"):
        return ""
    if reason := why_not(run):
        return reason
    if any(not isinstance(force, ForceTerm) for force in run.problem.environment):
        return "the environment is a Python function, which only run.joint_wrenches calls"
    if has_to_be_compiled(run.model):
        return "they may have to be compiled first; ask for run.joint_wrenches, then write the report"
    return ""


def bearing_loads(run: Any) -> list[BearingLoad]:
    """The loads of all joints of a run, those with the largest forces first."""
    found = []
    for name in loaded_bodies(run.model) if len(run) else ():
        wrenches = np.nan_to_num(run.joint_wrenches[:, run.model.body_index(name)])
        force, moment = (np.linalg.norm(part, axis=1) for part in np.split(wrenches, 2, axis=1))
        first, second = int(np.argmax(force)), int(np.argmax(moment))
        found.append(BearingLoad(name, float(force[first]), float(run.t[first]), float(moment[second]), float(run.t[second])))
    return sorted(found, key=lambda load: -load.force)
