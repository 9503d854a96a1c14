"""One tick of control in one compiled call: from q and v in the record to torques in the record."""

import math

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import kernel, routine
from locomote.control.whole_body.clearances import clearance_rows
from locomote.control.whole_body.program import costs, outcome, reduced_products, rows_of_program, solved
from locomote.control.whole_body.tables import SLACKS
from locomote.control.whole_body.terms import contact_rows, dynamics_terms, free_motions, measure_contacts, task_rows
from locomote.linear.rows import long_sum
from locomote.model.status import UNIT_TOLERANCE
from locomote.qp.active_set import SOLVED

ODD = 4  # a state, a reference or a result that is NaN


@routine
def prepared(k):
    """All up to the program; gives (rank, nv, forces)."""
    nv = k.v.shape[0]
    mass = dynamics_terms(k)
    count = contact_rows(k, nv)
    measure_contacts(k, count, nv, k.vector[0])
    rank = free_motions(k, count, nv, k.vector[0])
    k.count[5] = count - rank
    task_rows(k, mass, nv)
    reduced_products(k, rank, nv)
    clearance_rows(k, nv)
    return rank, nv, 3 * k.point.shape[0]


@routine
def sound(k):
    """Whether the state is finite, and quaternions are unit as checks of a Model have it."""
    s = long_sum(k.q, k.q.shape[0]) + long_sum(k.v, k.v.shape[0])
    if not math.isfinite(s):
        return False
    for i in range(k.unit.shape[0]):
        j = k.unit[i]
        norm = math.sqrt(k.q[j] ** 2 + k.q[j + 1] ** 2 + k.q[j + 2] ** 2 + k.q[j + 3] ** 2)
        if abs(norm - 1.0) > UNIT_TOLERANCE:
            return False
    return True


@kernel
def tick_one(k):
    """A tick; returns the status of the program."""
    if not sound(k):
        return ODD
    rank, nv, forces = prepared(k)
    status = solved(k, rank, nv, forces, k.count[7])
    k.count[6] = status
    if status == SOLVED:
        outcome(k, rank, nv, forces)
        if not math.isfinite(long_sum(k.wanted, nv)):
            return ODD
    return status


@kernel
def tick_at(address, k):
    """`tick_one` by its address, with the record by its own: Numba takes microseconds to look at a record."""
    return call_compiled(address, (k,))


@kernel
def program_one(k):
    """Everything but the solution: the program of the first level in the record, for other solvers."""
    rank, nv, forces = prepared(k)
    m = rows_of_program(k, rank, nv, forces)
    costs(k, 0, True, nv - rank, forces)
    k.count[0], k.count[1], k.count[2] = nv - rank, nv - rank + forces + SLACKS, m
    return 0


@kernel
def outcome_one(k):
    """What follows from x in the record, after `program_one`."""
    nv = k.v.shape[0]
    outcome(k, nv - k.count[0], nv, 3 * k.point.shape[0])
    return 0
