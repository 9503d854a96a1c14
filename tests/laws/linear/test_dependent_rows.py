"""Is this row dependent? All that ask give the same answer as an SVD: at singular configurations, next to them, in any units.

Asked are: the elimination of an evaluation, as a whole and in parts, the case and the reduction, rows chosen for symbols, the
basis of steps over contacts, and rows of contacts of a whole-body controller, which has a larger tolerance of its own.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import locomote as lo
from locomote.control.whole_body.terms import free_motions, measure_contacts
from locomote.dynamics.matrices import mass_matrix
from locomote.evaluation.plan import LOCAL
from locomote.kernels.factor import factor
from locomote.linear import rank as linear
from locomote.linear.gram_schmidt import append, split
from locomote.linear.orthogonal import eliminate
from locomote.linear.rank import DEPENDENT, NEARLY_DEPENDENT
from locomote.methods.timestep.rows import hold_constraints

ROD = lo.Inertia(0.5, (0.1, 0, 0), (0.01, 0.02, 0.02))
NONE, TINY, NEAR, CLEAR = 0.0, 1e-12, 1e-6, 0.3  # rad from a singular configuration


def dead_point(away):
    """A closed four-bar whose crank is held, with coupler and rocker in line: 2 rows over 2 joints."""
    builder = lo.Builder("four-bar", gravity=(0, 0, 0))
    builder.body("crank", joint=lo.Joint("a"), inertia=ROD)
    builder.body("coupler", parent="crank", at=(0.4, 0, 0), joint=lo.Joint("b"), inertia=ROD)
    builder.body("rocker", at=(0.6 + 0.4 * np.cos(away), 0.4 * np.sin(away), 0), joint=lo.Joint("c"), inertia=ROD)
    loop = lo.LoopClosure("coupler", "rocker", frame=(1.0, 0, 0), other_frame=(0.4, 0, 0), locked="xy")
    problem = lo.Locomotion(builder.build(), drives={"a": lo.Sine(0.0, 1.0, offset=np.pi)}, constraints=[loop])
    return problem, np.array([np.pi, -np.pi, np.pi + away]), 2


def wheels(away):
    """Two wheels side by side on one axle, of which one is steered: 2 rows."""
    builder = lo.Builder("cart", base="planar").body("cart", inertia=ROD)
    builder.body("wheel", parent="cart", at=(0, 0.3, 0), joint=lo.Joint("steer"), inertia=ROD)
    blades = [lo.Blade("cart", (0, -0.3, 0), name="left"), lo.Blade("wheel", name="right")]
    return lo.Locomotion(builder.build(), constraints=blades), np.array([0.2, -0.1, 0.7, away]), 2


def arm(away, links=2, length=1.0, kind="point", tilted=None):
    """An arm in a plane, stretched out, whose tip is held: rows out of the plane are zero, or all rounding if it is tilted."""
    root = np.eye(4)
    if tilted:
        root[:3, :3] = Rotation.from_euler("xyz", tilted).as_matrix()
    builder, parent = lo.Builder("arm"), None
    inertia = lo.Inertia(0.5, (0.5 * length, 0, 0), np.array((0.01, 0.02, 0.02)) * length**2)
    for k in range(links):
        at = (length, 0, 0) if parent else root
        builder.body(f"link{k}", parent=parent, at=at, joint=lo.Joint(f"j{k}"), inertia=inertia)
        parent = f"link{k}"
    if kind == "point":
        held = lo.PointContact(parent, (length, 0, 0))
    else:
        held = lo.LoopClosure(parent, frame=(length, 0, 0), other_frame=root, kind="weld")
    return lo.Locomotion(builder.build(), constraints=[held]), np.array([0.3, away, 0.0][:links]), links


def table(away):
    """Four points of one body: 12 rows over 6 coordinates, of rank 6 anywhere."""
    builder = lo.Builder("table", base="free").body("top", inertia=lo.Inertia.box(5.0, (1.0, 0.6, 0.1)))
    feet = [lo.PointContact("top", (x, y, -0.5), name=f"{x} {y}") for x in (-0.4, 0.4) for y in (-0.3, 0.3)]
    problem = lo.Locomotion(builder.build(), constraints=feet)
    return problem, problem.model.neutral(), 6


SCENES = {
    "dead point of a four-bar": dead_point, "parallel wheels": wheels, "stretched arm": arm,
    "stretched arm of 3, welded": lambda away: arm(away, 3, kind="weld"),
    "tilted": lambda away: arm(away, 3, kind="weld", tilted=(0.4, 1.1, -0.6)),
    "of millimetres": lambda away: arm(away, 3, 1e-3, "weld", (0.4, 1.1, -0.6)),
    "of kilometres": lambda away: arm(away, 3, 1e3, "weld"),
}  # fmt: skip


def by_svd(A, tolerance):
    """Rank of rows of unit length; those that are rounding beside the others are none. No tolerance may be in doubt."""
    size = np.linalg.norm(A, axis=1)
    A = A[size > 1e-12 * size.max()]
    values = np.linalg.svd(A / np.linalg.norm(A, axis=1)[:, None], compute_uv=False)
    assert not ((values > 0.01 * tolerance) & (values < 100 * tolerance)).any(), values
    return int((values > tolerance).sum())


def evaluated(problem, q, local):
    """The rank that an evaluation finds, as a whole or subsystem by subsystem."""
    problem.plan.options[LOCAL] = local
    problem.plan.calls[:] = 0  # kernels for that are there from the next call on
    with problem.scratch(problem.plan) as work:
        rank = problem.evaluate_with(problem.plan, work, 0.0, q.copy(), np.zeros(problem.model.nv))[2]
    return rank if rank >= 0 else -1 - rank


def held_in_steps(problem, q):
    """The rank that a step over contacts finds."""
    plan, nv = problem.plan, problem.model.nv
    rows = len(plan.holonomic)
    state = SimpleNamespace(
        basis=np.zeros((rows + 1, nv)), triangle=np.zeros((rows, rows + 1)), independent=np.zeros(rows, int),
        held=np.zeros(rows + 1), known=plan.imposed.astype(int),
    )  # fmt: skip
    with problem.scratch(plan) as work:
        problem.rows_of(plan, work, 0.0, q, np.zeros(nv))
        work.M[:nv, :nv] = mass_matrix(problem.model, q)
        for k in np.flatnonzero(plan.imposed):  # what is imposed moves no other coordinate
            work.M[k, :nv] = work.M[:nv, k] = 0.0
            work.M[k, k] = 1.0
        factor(plan.topology, work.M)
        return hold_constraints(plan, work, state, nv)


def held_by_controller(A, groups):
    """The rank that a whole-body controller finds for rows of contacts, of three each."""
    count, nv = A.shape
    k = SimpleNamespace(
        Jc=A.copy(), bc=np.zeros(count), contact=np.array([[0, 0, 0, n] for n in groups]), mirror=np.zeros((nv, nv)),
        Z=np.zeros((nv, nv)), a0=np.zeros(nv), clash=np.zeros(4), order=np.zeros(count, int),
    )  # fmt: skip
    lengths = np.zeros(count)
    measure_contacts(k, count, nv, lengths)
    rank = free_motions(k, count, nv, lengths)
    Z = k.Z[: nv - rank]
    assert np.allclose(Z @ Z.T, np.eye(nv - rank), atol=1e-12)
    assert abs(A / lengths[:, None] @ Z.T).max(initial=0.0) <= 2 * NEARLY_DEPENDENT
    return rank


def answers(problem, q):
    """Ranks by all that ask."""
    A, still = problem.scaled_rows(0.0, q), np.zeros(problem.model.nv)
    free = len(problem.plan.free)
    return {
        "as a whole": evaluated(problem, q, 0.0),
        "in parts": evaluated(problem, q, float(len(problem.plan.subsystems) > 0)),
        "case": problem.classify(0.0, q).locked_rank,
        "reduction": free - problem.reduction(0.0, q, still).H.shape[1],
        "symbols": linear.independent_rows(A, np.ones(len(A)))[1],
        "steps": held_in_steps(problem, q),
    }


@pytest.mark.parametrize("away", [NONE, TINY, NEAR, CLEAR])
@pytest.mark.parametrize("name", SCENES)
def test_all_agree_at_singular_configurations(name, away):
    problem, q, full = SCENES[name](away)
    rank = full if away >= NEAR else full - 1
    rows = problem.rows(0.0, q)[0][:, problem.plan.free]
    assert by_svd(rows, DEPENDENT) == rank
    found = answers(problem, q)
    assert set(found.values()) == {rank}, found


@pytest.mark.parametrize("away", [NONE, TINY, 1e-7, CLEAR])
@pytest.mark.parametrize("name", ["stretched arm", "tilted", "of millimetres", "of kilometres"])
def test_a_controller_leaves_rows_alone_that_are_nearly_dependent(name, away):
    problem, q, full = SCENES[name](away)
    A = problem.rows(0.0, q)[0]
    rank = full if away == CLEAR else full - 1
    assert by_svd(A, NEARLY_DEPENDENT) == rank == held_by_controller(A, [len(A)])


def test_spare_contacts():
    problem, q, rank = table(0.0)
    found = answers(problem, q)
    assert set(found.values()) == {rank}, found
    assert held_by_controller(problem.rows(0.0, q)[0], [3] * 4) == rank


@pytest.mark.parametrize("seed", range(20))
def test_random_rows_of_any_length(seed):
    """Sums of other rows, in any order, in units that differ by a million; as columns there are more or fewer than rows."""
    rng = np.random.default_rng(seed)
    rank, count, nv = (int(rng.integers(*some)) for some in ((1, 7), (7, 13), (7, 25)))
    lengths = 10.0 ** rng.uniform(-2, 2, size=count)
    A = rng.normal(size=(count, rank)) @ rng.normal(size=(rank, nv)) * lengths[:, None]
    unit = np.linalg.norm(A, axis=1)
    lower, turns, order = np.zeros((count, nv)), np.zeros((nv, nv)), np.zeros(count, int)
    for pivoting in (True, False):
        assert eliminate(A / unit[:, None], count, nv, DEPENDENT, pivoting, lower, turns, order) == rank
        back = np.eye(nv)
        for n in turns[:rank]:
            back = back @ (np.eye(nv) - np.outer(n, n))
        assert np.allclose(lower @ back.T, (A / unit[:, None])[order], atol=1e-13)
        if not pivoting:
            assert (np.diff(order[:rank]) > 0).all() and order[0] == 0
    basis, d, more, found = np.zeros((nv, nv)), np.zeros(count), np.zeros(count), 0
    for row in A:
        z = row.copy()
        rest, whole = split(z, 0, nv, basis, found, nv, d, more)
        if rest > DEPENDENT**2 * whole:
            append(basis, found, nv, z, rest)
            found += 1
    assert found == rank and np.allclose(basis[:rank] @ basis[:rank].T, np.eye(rank), atol=1e-14)
    assert linear.rank_of(A, unit) == linear.independent_rows(A, unit)[1] == rank
    assert (linear.first_independent(A, unit) == np.arange(rank)).all()
    assert held_by_controller(A, [3] * (count // 3) + [count % 3] * (count % 3 > 0)) == rank == by_svd(A, DEPENDENT)
