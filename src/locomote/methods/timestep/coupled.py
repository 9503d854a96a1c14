"""Joints coupled two and two, as followers in a hand: what sweeps over contacts know of them (`kernels.coupled_joints`).

Every coupling is a row a v_k + b v_l = 0 of two joints. Joints that hang together by such rows move as one: v_k = c_k w. A
group is swept if the bodies between its joints are moved by these alone, and rows make no circle.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from locomote.compiler.source import routine
from locomote.constraints import columns as col
from locomote.evaluation.plan import Plan
from locomote.kernels.contact_sweep import ACCELERATION
from locomote.kernels.coupled_joints import GROUP, Coupled, add_pushes, push_of_coupling
from locomote.model.columns import PARENT, V_COUNT, V

FOLLOWER, LEADER = 0, 1  # columns of a row of `Groups.rows`, whose number is the third
ROW = 2


@dataclass(frozen=True)
class Groups:
    """Groups of coupled joints.

    member, group : as `Coupled` takes them ; ratios : (bodies,) c ; rows : (rows, 3) FOLLOWER, LEADER, ROW, so that no later
    row has an earlier follower; numbers : (rows, 3) a, b of the row, and what a q_k + b q_l is
    """

    member: np.ndarray
    group: np.ndarray
    ratios: np.ndarray
    rows: np.ndarray
    numbers: np.ndarray


def groups_of(plan: Plan) -> Groups | None:
    """The groups of a plan, None if there are none, or constraints that cannot be swept."""
    if not len(plan.integers) or (plan.integers[:, col.KIND] != col.LINEAR).any() or plan.integers[:, col.UNILATERAL].any():
        return None
    pairs = [np.flatnonzero(plan.linear[row]) for row in plan.integers[:, col.FUNCTION]]
    if not plan.integers[:, col.ACTIVE].all() or any(len(pair) != 2 for pair in pairs):
        return None
    ratios, order = np.zeros(plan.topology[-1, V]), []
    groups: list[list[int]] = []
    while len(order) < len(pairs):
        first = next(r for r in range(len(pairs)) if r not in [row for row, *_ in order])
        joints, ratios[pairs[first][0]] = [int(pairs[first][0])], 1.0
        for leader in joints:
            for r, pair in enumerate(pairs):
                if leader in pair and r not in [row for row, *_ in order]:
                    follower = int(pair.sum() - leader)
                    if follower in joints:
                        return None
                    a, b = plan.linear[plan.integers[r, col.FUNCTION], [follower, leader]]
                    ratios[follower] = -b / a * ratios[leader]
                    order.append((r, follower, leader, a, b))
                    joints.append(follower)
        groups.append(joints)
    return packed(plan, groups, ratios, order[::-1])


def packed(plan: Plan, groups: list[list[int]], ratios: np.ndarray, order: list[tuple]) -> Groups | None:
    """Tables of groups of coordinates; None if other joints move bodies between theirs."""
    topology = plan.topology
    body_of = {int(row[V]): i for i, row in enumerate(topology[:-1]) if row[V_COUNT] == 1}
    member, group = np.full((len(topology), 2), -1), np.full((len(groups), 2), -1)
    of_body = np.zeros(len(topology))
    for g, joints in enumerate(groups):
        bodies = {body_of.get(k, -1) for k in joints}
        if -1 in bodies:
            return None
        p = meeting(topology, [int(topology[i, PARENT]) for i in bodies])
        if any(i != p and i not in bodies for i in topology[list(bodies), PARENT]):
            return None
        for k in joints:
            member[body_of[k], 0], of_body[body_of[k]] = g, ratios[k]
        group[g], member[p, 1] = (p, member[p, 1]), g
    offsets = {r: plan.numbers[r, col.OFFSET] for r, *_ in order}
    return Groups(
        member, group, of_body, np.array([(follower, leader, r) for r, follower, leader, *_ in order]),
        np.array([(a, b, offsets[r]) for r, _, _, a, b in order]),
    )  # fmt: skip


def meeting(topology: np.ndarray, bodies: Iterable[int]) -> int:
    """The last body that is an ancestor of all, or one of them."""
    paths = []
    for i in bodies:
        path = [i]
        while path[-1] < len(topology) - 1:
            path.append(int(topology[path[-1], PARENT]))
        paths.append(path)
    return next(i for i in paths[0] if all(i in path for path in paths))


@routine
def couplings_off(state, plan, q, v):
    """By how much couplings are not met: errors of coordinates, and of velocities; none if there are no groups."""
    error, speed = 0.0, 0.0
    for n in range(state.couplings.shape[0]):
        k, leader = state.couplings[n, FOLLOWER], state.couplings[n, LEADER]
        a, b = state.coupling_numbers[n, 0], state.coupling_numbers[n, 1]
        off = a * q[plan.q_of_v[k]] + b * q[plan.q_of_v[leader]] - state.coupling_numbers[n, 2]
        error, speed = max(error, abs(off)), max(speed, abs(a * v[k] + b * v[leader]))
    return error, speed


@routine
def keep_couplings(plan, state):
    """Velocities of followers at the end of a sweep, and what couplings push."""
    topology, push = plan.topology, state.scratch_v
    groups = Coupled(state.member, state.group, state.geared, state.grouped)
    for i in range(topology.shape[0] - 1 if state.couplings.shape[0] > 0 else 0):
        if state.member[i, GROUP] >= 0:
            push[topology[i, V]] = push_of_coupling(
                topology, plan.constants, groups, i, state.diagonal, state.sweep, ACCELERATION, state.dofs,
                state.gain,
            )  # fmt: skip
    for n in range(state.couplings.shape[0]):
        k, a, b = state.couplings[n, FOLLOWER], state.coupling_numbers[n, 0], state.coupling_numbers[n, 1]
        state.step_lam[state.couplings[n, ROW]] = push[k] / a
        push[state.couplings[n, LEADER]] -= b * push[k] / a
    for n in range(state.couplings.shape[0] - 1, -1, -1):
        ratio = -state.coupling_numbers[n, 1] / state.coupling_numbers[n, 0]
        state.v_try[state.couplings[n, FOLLOWER]] = ratio * state.v_try[state.couplings[n, LEADER]]


@routine
def push_more(plan, state, which, by):
    """Of a single wrench that acts besides."""
    if state.couplings.shape[0] > 0:
        groups = Coupled(state.member, state.group, state.geared, state.grouped)
        add_pushes(plan.topology, groups, state.dofs, which, by)
