"""The net motion of a path of shapes: a problem without momentum, its shape imposed along the path, run once."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.forces.added_inertia import AddsInertia, only_adds_inertia
from locomote.model.base import base_joints

if TYPE_CHECKING:
    from locomote.locomotion.problem import Locomotion


def net_displacement(problem: "Locomotion", path: Mapping[Any, Any], duration: float, q=None) -> np.ndarray:
    """Coordinates of the base after its shape went along a path: from q (or the start), with no momentum of its own.

    path : drives of all shape coordinates, as for `drives` ; duration : s, one period for a closed path
    Where there is inertia, other forces than added mass would give the base a momentum, and are refused unless constraints
    alone decide how it moves: then run the path by `simulate`, and take the way of a late period.
    """
    acting: list[Any] = [e for e in problem.environment if not problem.inertia or isinstance(e, AddsInertia)]
    said = problem.statement
    moved = type(problem)(said.model, drives=path, constraints=said.constraints, environment=acting, inertia=problem.inertia)
    start, v = moved.initial(q, np.zeros(problem.model.nv))
    if moved.imposed[sorted(problem.external)].any() or moved.imposed.sum() != problem.model.nv - len(problem.external):
        raise ValueError("path must impose every coordinate that is not of the base, and none of the base")
    connection = moved.connection(start)
    if beside := forces_beside(problem, connection.kind):
        raise ValueError(
            f"{beside}; run it, and take the way of a late period, run.between(T - {duration:g}, T).net_motion, or leave these "
            f"forces out"
        )
    v[connection.base] = -connection.A @ v[connection.shape]
    run = moved.simulate(duration, q=start, v=v, rtol=1e-11, atol=1e-12, samples=[duration], progress=False)
    slices = [problem.model.joint(joint.name).q for joint in base_joints(problem.model)]
    return np.concatenate([run.q[-1, part] for part in slices])


def forces_beside(problem: "Locomotion", kind: str) -> str:
    """Which forces give the base a momentum beside what the shape does, in words; nothing where constraints alone decide.

    kind : of the connection
    """
    others = [e for e in problem.environment if problem.inertia and not only_adds_inertia(e, problem.model)]
    if not others or kind == "kinematic":
        return ""
    names = sorted({type(e).__name__ for e in others})
    act = "act" if len(others) > 1 else "acts"
    return f"the shape of {problem.name!r} does not decide its net motion alone: {', '.join(names)} {act} on it, with inertia"
