"""The impact map of a problem: from the velocity before contacts close to that after."""

from collections.abc import Sequence

import numpy as np

from locomote.dynamics.matrices import mass_matrix
from locomote.evaluation.protocol import Problem
from locomote.locomotion.closed import plan_with_closed
from locomote.locomotion.hits import hit, spots_that_hit
from locomote.locomotion.inputs import checked_time, one_state
from locomote.methods.events.impact import Jump, jump
from locomote.methods.events.unilateral import Contacts


def impact(problem: Problem, q, v, *, closed: Sequence[str] | None = None, t: float = 0.0, ignore: Sequence[str] = ()) -> Jump:
    """What happens to v when the named contacts hit at q, with those that are named and closed already; others are not there.
    Contacts that would have to pull let go; lasting constraints hold, but for those that `ignore` names: to close one is the
    impact with it.

    closed : names of unilateral contacts, which stick, or of lo.Touch, which slide where friction does not hold them; if None
        all lo.Touch that touch at q. A lo.Touch bounces by its restitution, less where that would make energy, unless its
        ground has impact="newton"

    The result has .v after it, .impulses of all rows (N s or N m s), .contact_impulses of lo.Touch (spots, 3) in world axes
    (N s), .lost energy (J, never positive but by Newton's law).
    """
    t = checked_time(t)
    q, v = one_state(problem.model, q, v)
    if problem.contacts and not isinstance(closed, str):
        spots = spots_that_hit(problem, t, q, closed)
        if spots or closed is None:
            refuse_both(problem, closed, spots)
            plan, present = plan_with_closed(problem, [] if problem.plan.unilateral else None, ignore, q)
            with problem.scratch(plan) as work:
                A, lengths = problem.rows_of(plan, work, t, q, v)[0], work.lengths[present]
            return hit(problem, plan, t, q, v, spots, A[present], lengths, present)
    if closed is None:
        raise TypeError(f"impact of {problem.name!r} needs closed, the names of the contacts that hit")
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


def refuse_both(problem, closed: Sequence[str] | None, spots: list[int]) -> None:
    """A ValueError if contacts of both kinds hit at once: one sticks whatever it takes, the other slides."""
    own = {problem.contact_names[k] for k in spots} | {problem.contact_names[k].rpartition(".")[0] for k in spots}
    others = [name for name in closed or () if name not in own]
    if spots and others:
        raise ValueError(
            f"closed names {others[0]!r} beside contacts with friction: an impact of both kinds at once is not known; "
            f"make it a lo.Touch too"
        )
