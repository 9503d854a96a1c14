"""The impact map of a problem: from the velocity before contacts close to that after."""

from collections.abc import Sequence

import numpy as np

from locomote.dynamics.matrices import mass_matrix
from locomote.evaluation.protocol import Problem
from locomote.locomotion.closed import plan_with_closed
from locomote.locomotion.inputs import checked_time, one_state
from locomote.methods.events.impact import Jump, jump
from locomote.methods.events.unilateral import Contacts


def impact(problem: Problem, q, v, *, closed: Sequence[str], t: float = 0.0, ignore: Sequence[str] = ()) -> Jump:
    """What happens to v when the named unilateral contacts hit at q, with those that are named and closed already; others
    are not there. Contacts that would have to pull let go; lasting constraints hold, but for those that `ignore` names: to
    close one is the impact with it.

    The result has .v after it, .impulses of all rows (N s or N m s), .lost energy (J, never positive).
    """
    t = checked_time(t)
    q, v = one_state(problem.model, q, v)
    plan, present = plan_with_closed(problem, list(closed) if not isinstance(closed, str) else closed, ignore)
    with problem.scratch(plan) as work:
        A, _, b, _ = problem.rows_of(plan, work, t, q, v)
        contacts = Contacts(problem, plan, work)
        A[~present], b[~present] = 0.0, 0.0
        taking = [c for c in contacts.all if contacts.is_closed(c)]
        speed = A @ v + b
        hits = [speed[contacts.rows(c)[1]] < 0.0 for c in taking]
        bounce = [contacts.restitution_of(c) if hit else 0.0 for c, hit in zip(taking, hits, strict=True)]
        return jump(mass_matrix(problem.model, q), A, b, np.array(v), plan.free, [contacts.rows(c) for c in taking], bounce)
