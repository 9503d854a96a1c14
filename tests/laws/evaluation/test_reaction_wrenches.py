"""Reactions, forces and contacts as wrenches on bodies: what they do to coordinates, and that they cancel with the world's."""

import numpy as np
import pytest
from mechanisms import random_description
from random_problems import random_constraint
from rod_problems import blades

import locomote as lo
from locomote.constraints.custom import Custom
from locomote.constraints.kinds import Coupled
from locomote.evaluation.external_wrenches import external_wrenches
from locomote.evaluation.reaction_wrenches import ReactionWrenches, rows_of_each


def on_coordinates(model, q, wrenches):
    """(nv,) power of wrenches in body frames, by Jacobians."""
    return sum(lo.jacobian(model, q, name).T @ wrench for name, wrench in zip(model.body_names, wrenches, strict=True))


@pytest.mark.parametrize("seed", range(30))
def test_wrenches_of_reactions_push_coordinates_as_rows_do(seed):
    """J^T W = A^T lam for random reactions, on trees with bodies that are fixed to others; couplings push no body."""
    rng = np.random.default_rng([seed, 77])
    model = lo.Locomotion(lo.Model(random_description(seed, bodies=6))).model
    constraints = []
    while len(constraints) < 4:
        one = random_constraint(rng, model, len(constraints))
        try:
            lo.Locomotion(model, constraints=[one])
        except ValueError:  # two bodies that do not move relative to each other
            continue
        constraints.append(one)
    start, q = model.random(rng), model.random(rng)
    problem = lo.Locomotion(model, constraints=constraints, start=(start, np.zeros(model.nv)))
    wrenches = ReactionWrenches(problem, lo.forward_kinematics(model, start))
    A = problem.rows(0.3, q)[0]
    lam = rng.normal(size=len(A))
    W = wrenches.on_bodies(np.array([0.3]), lo.forward_kinematics(model, q)[None], lam[None])[0]
    for constraint, rows in rows_of_each(problem.constraints):
        if isinstance(constraint, (Coupled, Custom)):
            lam[rows] = 0.0
    expected = A.T @ lam
    assert abs(on_coordinates(model, q, W) - expected).max(initial=0.0) < 1e-11 * max(1.0, abs(W).max())
    assert abs(W).max() > 0 or not lam.any()


def test_what_holds_two_bodies_is_equal_and_opposite():
    """A loop, a distance and a wheel between two bodies: no force and no moment on both together."""
    rng = np.random.default_rng(5)
    builder = lo.Builder("pair")
    for name in "ab":
        builder.body(name, joint=lo.Joint(name, "free"), inertia=lo.Inertia.sphere(1.0, 0.1))
    model = builder.build()
    constraints = [
        lo.LoopClosure("a", "b", frame=(0.1, 0, 0), other_frame=None), lo.Distance("a", "b", (0.1, 0.2, 0), (0, 0, 0.3)),
        lo.Rolling("a", 0.2, other="b", surface=lo.Sphere(radius=1.0)),
    ]  # fmt: skip
    q = model.random(rng)
    problem = lo.Locomotion(model, constraints=constraints, start=(q, np.zeros(12)))
    poses = lo.forward_kinematics(model, q)
    lam = rng.normal(size=(1, len(problem.constraint_labels)))
    W = ReactionWrenches(problem, poses).on_bodies(np.zeros(1), poses[None], lam)[0]
    total = np.zeros(6)
    for (R, o), w in zip(((pose[:3, :3], pose[:3, 3]) for pose in poses), W, strict=True):
        total += np.concatenate([R @ w[:3], R @ w[3:] + np.cross(o, R @ w[:3])])
    assert abs(W).max() > 0.3 and abs(total).max() < 1e-13 * abs(W).max() * 10


@pytest.mark.parametrize("other", [None, "cart"])
@pytest.mark.parametrize("motions", [None, "yc"])
def test_keels_hold_rods_section_by_section(motions, other):
    """J^T W = A^T lam of a keel at points, and of one by motions of the root, in the world and on something that moves."""
    soft = lo.Rod(0.5, lo.Section.circle(0.02), lo.Material(1000.0, 1e6), strains="bending", order=2)
    builder = lo.Builder("snake").body("rod", joint=lo.Joint("base", "planar"), flex=soft)
    model = builder.body("cart", joint=lo.Joint("cart", "free"), inertia=lo.Inertia.sphere(1.0, 0.1)).build()
    problem = lo.Locomotion(model, constraints=[lo.Keel("rod", motions=motions, other=other)])
    rng, model = np.random.default_rng(2), problem.model
    q = model.integrate(model.neutral(), 0.3 * rng.normal(size=model.nv))
    A = problem.rows(0.0, q)[0]
    lam, poses = rng.normal(size=len(A)), lo.forward_kinematics(model, q)
    W = ReactionWrenches(problem, poses).on_bodies(np.zeros(1), poses[None], lam[None])[0]
    assert abs(W).max() > 0 and abs(on_coordinates(model, q, W) - A.T @ lam).max() < 1e-12


def test_blades_on_sections_of_rods():
    problem = blades()
    rng, model = np.random.default_rng(3), problem.model
    q = model.integrate(model.neutral(), 0.2 * rng.normal(size=model.nv))
    A = problem.rows(0.0, q)[0]
    lam, poses = rng.normal(size=len(A)), lo.forward_kinematics(model, q)
    W = ReactionWrenches(problem, poses).on_bodies(np.zeros(1), poses[None], lam[None])[0]
    assert abs(W).max() > 0 and abs(on_coordinates(model, q, W) - A.T @ lam).max() < 1e-11


def test_forces_act_on_both_of_two_bodies_and_on_those_that_are_fixed_to_others():
    """A spring and a magnet between bodies, a load on a body without a joint, a function of the user: by balance."""
    builder = lo.Builder("arm").body("upper", joint=lo.Joint("shoulder", axis="y"), inertia=lo.Inertia(1.0, (0.2, 0, 0)))
    builder.body(
        "lower", parent="upper", joint=lo.Joint("elbow", axis="y"), at=(0.4, 0, 0), inertia=lo.Inertia(1.0, (0.2, 0, 0))
    )
    model = builder.body("hand", parent="lower", at=(0.4, 0, 0.1), inertia=lo.Inertia(0.2)).build()
    problem = lo.Locomotion(
        model,
        environment=[
            lo.Spring("hand", "upper", (0.1, 0, 0), (0, 0, 0.1), 30.0, 0.1, 0.5),
            lo.Load("hand", force=(1.0, 2.0, 3.0), moment=(0.1, 0, 0)),
            lambda t, q, v: {"hand": [0.0, 0.0, np.sin(t), 0.0, 0.2, 0.0], "lower": [1.0, 0, 0, 0, 0, 0]},
        ],
    )  # fmt: skip
    t, q, v = np.array([0.7]), np.array([[0.3, 0.9]]), np.array([[1.0, -2.0]])
    rows = ReactionWrenches(problem, lo.forward_kinematics(model, q[0]))
    W = external_wrenches(problem, t, q, v, np.zeros((1, 0)), np.zeros((1, 0, 6)), rows)[0]
    a = problem.evaluate(0.7, q[0], v[0]).a
    tau = lo.inverse_dynamics(model, q[0], v[0], a, wrenches=W)
    assert abs(tau).max() < 1e-12  # nothing drives the joints
    poses = lo.forward_kinematics(model, q[0])
    world = [pose[:3, :3] @ w[:3] for pose, w in zip(poses, W, strict=True)]
    given = poses[2, :3, :3] @ [0, 0, np.sin(0.7)] + poses[1, :3, :3] @ [1.0, 0, 0] + [1.0, 2.0, 3.0]
    assert sum(world) == pytest.approx(given, abs=1e-12)  # the spring pulls both
    assert abs(world[0]).max() > 0.1 and world[1] == pytest.approx(poses[1, :3, :3] @ [1.0, 0, 0])
