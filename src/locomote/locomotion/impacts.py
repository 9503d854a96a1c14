"""The impact map of a problem: from the velocity before contacts close to that after."""

import numpy as np

from locomote.constraints import columns as col
from locomote.dynamics.matrices import mass_matrix
from locomote.locomotion.closed import plan_with_closed
from locomote.locomotion.inputs import one_state
from locomote.methods.events.impact import Jump, jump
from locomote.methods.events.unilateral import Contacts


def impact_of(problem, q, v, closed, t: float, ignore=()) -> Jump:
    """See `Locomotion.impact`."""
    q, v = one_state(problem.model, q, v)
    plan, present = plan_with_closed(problem, list(closed) if not isinstance(closed, str) else closed, ignore)
    with problem.scratch(plan) as work:
        A, _, b, _ = problem.rows_of(plan, work, t, q, v)
        contacts = Contacts(problem, plan, work)
        A[~present], b[~present] = 0.0, 0.0
        taking = [c for c in contacts.all if contacts.is_closed(c)]
        speed = A @ v + b
        hits = [speed[contacts.rows(c)[1]] < 0.0 for c in taking]
        owners = [int(plan.integers[c, col.OWNER]) for c in taking]
        bounce = [problem.restitution_of(k) if hit else 0.0 for k, hit in zip(owners, hits, strict=True)]
        return jump(mass_matrix(problem.model, q), A, b, np.array(v), plan.free, [contacts.rows(c) for c in taking], bounce)
