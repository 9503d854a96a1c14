"""What joints carry in a problem at one instant."""

from collections.abc import Mapping, Sequence

import numpy as np

from locomote.contact.spots import POINT, ROLLING, TORSION
from locomote.dynamics.joint_wrenches import joint_wrenches as carried
from locomote.dynamics.kinematics import forward_kinematics
from locomote.evaluation.external_wrenches import external_wrenches
from locomote.evaluation.protocol import Problem
from locomote.evaluation.reaction_wrenches import ReactionWrenches
from locomote.locomotion.closed import plan_with_closed
from locomote.locomotion.evaluation import Evaluation, evaluate
from locomote.locomotion.inputs import checked_time, one_state, state_near
from locomote.locomotion.touching import placed_at


def joint_wrenches(
    problem: Problem, t: float, q, v, *, closed: Sequence[str] | None = None, ignore: Sequence[str] = (),
    contacts: Mapping[str, str] | None = None, evaluation: Evaluation | None = None,
) -> np.ndarray:  # fmt: skip
    """(bodies, 6) what each joint carries at time t in state q, v: force (N) and moment (N m) that a body gets from its parent,
    in the frame of the body, about its origin, in the order of `model.body_names`.

    closed, ignore, contacts : as of `evaluate`
    evaluation : the answer of `evaluate` there, with a self-stress of one's own, say; its reactions are taken

    As lo.joint_wrenches of the accelerations, with all that acts on bodies: forces of the surroundings, reactions and contacts.
    Along the axes of a joint it is what acts within it: drive, spring, damper, friction, couplings. A run has them as
    `run.joint_wrenches`.
    """
    found = evaluate(problem, t, q, v, closed=closed, ignore=ignore, contacts=contacts) if evaluation is None else evaluation
    time, (q, v) = checked_time(t), one_state(problem.model, q, v)
    plan, _ = plan_with_closed(problem, closed, ignore, q)
    with problem.scratch(plan) as work:
        problem.evaluate_with(plan, work, time, q, v)  # imposed coordinates are set from the drives
    start = q if problem.start is None else state_near(problem.statement.model, problem.model, *problem.start)[0]
    rows = ReactionWrenches(problem, forward_kinematics(problem.model, start))
    touching = np.zeros((1, len(problem.plan.spots), 6))
    if problem.contacts:
        if found.contact_forces.any() and (problem.plan.spot_laws[:, [ROLLING, TORSION]] > 0).any():
            raise ValueError(
                f"joint wrenches of {problem.name!r} are not known where contacts with rolling or torsion touch: an evaluation "
                f"does not give their moments"
            )
        with problem.scratch(plan) as work:
            points = placed_at(problem, plan, work, time, q)[0][:, POINT : POINT + 3]
        touching[0] = np.concatenate([found.contact_forces, points], axis=1)
    wrenches = external_wrenches(problem, np.array([time]), q[None], v[None], found.reactions[None], touching, rows)[0]
    return carried(problem.model, q, v, found.a, wrenches=wrenches)
