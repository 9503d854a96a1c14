"""The answer of a problem at one instant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from locomote.brief import brief
from locomote.dynamics.function import refuse_torn
from locomote.errors import LocomoteError
from locomote.evaluation import plan as fields
from locomote.evaluation.plan import Plan
from locomote.evaluation.protocol import Problem
from locomote.evaluation.unresisted import why_no_motion
from locomote.evaluation.work import Work
from locomote.locomotion.clocked import first_input
from locomote.locomotion.closed import plan_with_closed
from locomote.locomotion.contact_forces import push_of
from locomote.locomotion.inputs import checked_time, one_state, refuse_wild_rows
from locomote.locomotion.reduction import self_stresses
from locomote.locomotion.self_stress import pushed, pushing_rows
from locomote.methods.entries import creep_one, evaluate_one
from locomote.spatial.numbers import all_finite


@brief
@dataclass(frozen=True)
class Evaluation:
    """The answer at one instant.

    a : (nv,) accelerations
    tau : (nv,) torques of drives on imposed coordinates, given torques elsewhere, N or N m
    reactions : (rows,) of all constraint rows, N or N m: of all possible ones in which unilateral contacts do not pull those of
        least norm; `problem.reactions` chooses others
    self_stress : (rows, k) basis of the reactions that move nothing; adding any of them to `reactions` changes only tau
    self_stress_torques : (nv, k) what each of them adds to tau
    self_stress_power : (k,) what each of them adds to the power of drives and takes from that of constraints that move, W
    rank : of the constraints over coordinates that are not imposed
    power : by source, W
    incompatibility : largest acceleration that the imposed motion asks for and the constraints refuse, per unit row
    contact_forces, contact_points : (spots, 3) of lo.Touch on its bodies, in world axes, N, and where, m, zero of what does not
        touch; in the order of `problem.contact_names`. Of forces that do the same those of contacts that give way alike
    contact_states : name -> "open", "stick" or "slide", which it does or starts to
    """

    a: np.ndarray
    tau: np.ndarray
    reactions: np.ndarray
    self_stress: np.ndarray
    self_stress_torques: np.ndarray
    self_stress_power: np.ndarray
    rank: int
    power: dict[str, float]
    incompatibility: float
    contact_forces: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    contact_points: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    contact_states: dict[str, str] = field(default_factory=dict)

    def with_self_stress(self, amounts) -> "Evaluation":
        """The same motion with the self-stress of the given amounts, one for each column of `self_stress`, added."""
        amounts = np.asarray(amounts, dtype=float)
        if amounts.shape != (self.self_stress.shape[1],):
            raise ValueError(f"there are {self.self_stress.shape[1]} self-stresses, give as many amounts, not {amounts.shape}")
        shift = float(self.self_stress_power @ amounts)
        shifted = {"drives": self.power["drives"] + shift, "constraints": self.power["constraints"] - shift}
        return replace(
            self,
            reactions=self.reactions + self.self_stress @ amounts,
            tau=self.tau + self.self_stress_torques @ amounts,
            power=self.power | shifted,
        )

    def least_torque(self) -> "Evaluation":
        """The same motion with the self-stress that makes the torques least (sum of squares)."""
        return self.with_self_stress(-np.linalg.pinv(self.self_stress_torques) @ self.tau)

    def equal_sharing(self, rows=None) -> "Evaluation":
        """The same motion with the self-stress that makes the reactions of the given rows (all) as equal as possible."""
        rows = np.arange(len(self.reactions)) if rows is None else np.asarray(rows)
        spread = np.eye(len(rows)) - 1.0 / len(rows)
        return self.with_self_stress(-np.linalg.pinv(spread @ self.self_stress[rows]) @ spread @ self.reactions[rows])


def evaluate(
    problem: Problem,
    t: float,
    q,
    v,
    *,
    closed: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    contacts: Mapping[str, str] | None = None,
) -> Evaluation:
    """Accelerations, torques and reactions at time t in state q, v (imposed coordinates are set from the drives).

    closed : names of the unilateral contacts that hold here, others have no reaction; all hold if None, whatever their gap
        and even if they have to pull, because one state does not tell which are in touch (a run finds that out by itself).
        None pulls where reactions exist that make the same motion and do not.
    ignore : names of constraints of any kind that do not hold here
    contacts : name of a lo.Touch, or of one of its points -> "stick", "slide" or "open", which hold whatever the signs say,
        others are open; if None Coulomb's law decides: what touches, within 1e-6 m, and does not move away, by 1e-6 m/s, pushes
        or lets go, sticks or slides. A state that no force, or more than one, would meet is said: NoContactForce, a warning

    Targets, frames and lengths that were left open are those of the start; of this state if the problem says no start, as
    of a run that has come here, with axes of frames that may turn as they are here. A lo.Touch that hits is refused: what it
    takes is an impulse (`impact`).
    """
    model, t = problem.model, checked_time(t)
    q, v = one_state(model, q, v)
    plan, present = plan_with_closed(problem, closed, ignore, q)
    given = first_input(problem, t, q, v) if problem.controllers else 0.0
    with problem.scratch(plan) as work:
        work.input[:] = given
        try:
            a, lam, rank = problem.evaluate_with(plan, work, t, q, v)
        finally:
            work.input[:] = 0.0
        rows, drift, lengths, speed = work.A.copy(), work.drift[present], work.lengths[present], work.speed[present]
        tau = np.where(problem.imposed, work.tau, work.active)
        names = [*fields.SOURCES, "path", *(term.name for term in problem.terms)]
        power = dict(zip(names, work.power.tolist(), strict=True))
    del power["path"]
    refuse_torn(model, q[None])
    refuse_wild_rows(problem, rows)
    if rank < 0 or not all_finite(a):
        raise LocomoteError(
            f"{problem.name!r} has no acceleration at t = {t:g}: "
            f"{why_no_motion(problem, t, q) or 'a drive, a torque, a force or a constraint gives a value that is not finite'}"
        )
    (forces, points), states = np.zeros((2, len(problem.contact_names), 3)), dict.fromkeys(problem.contact_names, "open")
    push = push_of(problem, plan, t, q, v, a, rows[present], lengths, contacts) if problem.contacts else None
    if push is not None:
        a, tau, states = a + push.a, tau + push.tau, push.states
        forces, points = push.forces, push.points
        lam[present] += push.reactions
        power["drives"] += float(push.tau @ v)
        power["constraints"] -= float(push.reactions @ speed)
        power["losses"] += push.losses
    if not len(drift):
        none = np.zeros((len(lam), 0)), np.zeros((model.nv, 0)), np.zeros(0)
        return Evaluation(a, tau, lam, *none, int(rank), power, 0.0, forces, points, states)
    A = rows[present][:, plan.free]
    worst = float((abs(A @ a[plan.free] + drift) / lengths).max())
    stress = np.zeros((len(lam), 0))
    if rank < len(drift):  # or all rows are independent
        own = self_stresses(A, lengths, problem.rank_tolerance)
        stress = np.zeros((len(lam), own.shape[1]))
        stress[present] = own
    torques = np.where(problem.imposed[:, None], -rows.T @ stress, 0.0)
    now = Evaluation(a, tau, lam, stress, torques, torques.T @ v, int(rank), power, worst, forces, points, states)
    return pushed(now, pushing_rows(plan))


def evaluate_with(
    problem: Problem, plan: Plan, work: Work, t: float, q: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int]:
    """Accelerations (nv,) and reactions (rows,) at q (nq,) and v (nv,), which are set where imposed; for a plan, unchecked."""
    a, lam = np.zeros(problem.model.nv), np.zeros(len(plan.holonomic))
    rank = (evaluate_one if problem.inertia else creep_one)(plan, work, float(t), q, v, a, lam)
    plan.raise_faults()
    return a, lam, int(rank)
