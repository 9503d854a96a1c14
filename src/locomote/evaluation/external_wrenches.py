"""What acts on bodies from outside of the tree of joints: forces of the surroundings, reactions of constraints, contacts.

What acts within joints (drives, springs, dampers, friction, stops, couplings) and inside rods is not among them: it is part of
what joints carry.
"""

import numpy as np

from locomote.compiler.callbacks import ADDRESS
from locomote.contact.bodies import BodyContacts, pairs_of
from locomote.contact.spots import TOUCH
from locomote.dynamics.kinematics import forward_kinematics
from locomote.evaluation.plan import TORQUES
from locomote.evaluation.protocol import Problem
from locomote.evaluation.reaction_wrenches import ReactionWrenches, in_frame
from locomote.forces.plain import on_body
from locomote.forces.terms import FIRST, ForceTerm


def external_wrenches(
    problem: Problem, t: np.ndarray, q: np.ndarray, v: np.ndarray, reactions: np.ndarray, contacts: np.ndarray,
    rows: ReactionWrenches, pairs: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """(n, bodies, 6) in body frames, N and N m, at n states.

    t : (n,) s ; q : (n, nq) ; v : (n, nv) ; reactions : (n, rows) ; contacts : (n, contacts, 6) as of a Trajectory
    pairs : (n, slots) its contact_pairs
    """
    poses = forward_kinematics(problem.model, q)
    total = rows.on_bodies(t, poses, reactions)
    add_terms(problem, t, q, v, total)
    add_functions(problem, t, q, v, total)
    add_contacts(problem, poses, contacts, total)
    if pairs is not None:
        add_bodies(problem, poses, contacts, pairs, total)
    return total


def add_terms(problem: Problem, t: np.ndarray, q: np.ndarray, v: np.ndarray, total: np.ndarray) -> None:
    """Forces of the surroundings that are terms, on both of two bodies, as one evaluation finds them."""
    if not problem.terms:
        return
    plan = problem.plan.own()
    plan.functions[TORQUES, ADDRESS] = 0  # nobody asks for what a controller gives, and it may count its calls
    work, loads = problem.work_for(plan), np.zeros((len(t), len(plan.place_bodies), 6))
    for n in range(len(t)):
        problem.evaluate_with(plan, work, float(t[n]), q[n].copy(), v[n].copy())
        loads[n] = work.loads_of_terms
    for term, first in zip(problem.terms, plan.terms[:, FIRST], strict=True):
        for k, place in enumerate(term.places):
            if place.body is not None:
                total[:, problem.model.body_index(str(place.body))] += on_body(place, loads[:, first + k])


def add_functions(problem: Problem, t: np.ndarray, q: np.ndarray, v: np.ndarray, total: np.ndarray) -> None:
    """Forces of the surroundings that are functions of the user, which are called."""
    for function in problem.environment:
        if not isinstance(function, ForceTerm):
            for n in range(len(t)):
                for body, wrench in (function(float(t[n]), q[n].copy(), v[n].copy()) or {}).items():
                    total[n, problem.model.body_index(body)] += np.asarray(wrench, dtype=float)


def add_contacts(problem: Problem, poses: np.ndarray, contacts: np.ndarray, total: np.ndarray) -> None:
    """Forces of contacts with friction, on the body that touches and on the one that carries the ground."""
    for k, spot in enumerate(problem.plan.spots):
        if isinstance(problem.contacts[spot[TOUCH]], BodyContacts):
            continue
        touch, force, point = problem.contacts[spot[TOUCH]], contacts[:, k, :3], contacts[:, k, 3:]
        for name, sign in ((touch.body, 1.0), (touch.ground.body, -1.0)):
            if name is not None and force.any():
                b = problem.model.body_index(name)
                total[:, b] += sign * in_frame(poses[:, b], point, force)


def add_bodies(problem: Problem, poses: np.ndarray, contacts: np.ndarray, pairs: np.ndarray, total: np.ndarray) -> None:
    """Forces of shapes of bodies on each other, slot by slot."""
    known, first = pairs_of(problem), contacts.shape[1] - pairs.shape[1]
    for n, c in np.argwhere(pairs > 0):
        below, above = known[int(pairs[n, c]) - 1]
        force, point = contacts[n, first + c, :3], contacts[n, first + c, 3:]
        for name, sign in ((above.body, 1.0), (below.body, -1.0)):
            if name is not None and force.any():
                b = problem.model.body_index(name)
                total[n, b] += sign * in_frame(poses[n, b][None], point[None], force[None])[0]
