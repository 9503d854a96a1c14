"""What a run with `method="timestep"` needs before its first step: compiled kernels, and typical inertias."""

import numpy as np
from numba import float64, int64, typeof

from locomote.compiler.indirect import address_of
from locomote.evaluation import flexible_calls
from locomote.evaluation.plan import ATTEMPT, SETTLE, SWEEP, Plan
from locomote.evaluation.work import Work
from locomote.methods.entries import fill_matrices, mass_one
from locomote.methods.state import State
from locomote.methods.timestep.attempt import timestep_attempt
from locomote.methods.timestep.pace import fast_for
from locomote.methods.timestep.settle import settle_contacts
from locomote.methods.timestep.sweep import sweep_one


def set_up_timestep(plan: Plan, work: Work, state: State) -> None:
    """Compile, or load, the step and what it calls; inertia of each coordinate with all others at zero."""
    fill_matrices(plan)
    kinds = (typeof(plan), typeof(work), typeof(state))
    if state.sweeping[0]:
        plan.calls[SWEEP] = address_of(sweep_one, (*kinds, float64, int64))
    plan.calls[SETTLE] = address_of(settle_contacts, (kinds[2], int64, int64, int64))
    plan.calls[ATTEMPT] = address_of(timestep_attempt, (*kinds, float64, float64))
    q = np.zeros(len(state.q))
    q[plan.quaternions + 3] = 1.0
    (flexible_calls.mass_one if len(plan.rods) else mass_one)(plan, work, q)
    state.typical[:] = np.diag(work.M)
    state.fast[0] = fast_for(work.M)
