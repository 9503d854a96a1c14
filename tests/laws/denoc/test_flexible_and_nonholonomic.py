"""DeNOC of rods, modal bodies, blades and wheels against the kernels and against problems with constraints."""

import numpy as np
import pytest
from mechanisms import relative

import locomote as lo

MATERIAL = lo.Material(young=2e5, density=900.0)


def random_modes(rng):
    """A body of eight nodes and three shapes; every other one has turns of its nodes and shapes of second order."""
    points, shapes = rng.normal(size=(8, 3)), 0.3 * rng.normal(size=(3, 8, 3))
    K = rng.normal(size=(3, 3))
    options = {}
    if rng.random() < 0.5:
        Q = 0.1 * rng.normal(size=(3, 3, 8, 3))
        options = {"second": Q + Q.transpose(1, 0, 2, 3), "rotations": 0.5 * rng.normal(size=(3, 8, 3))}
    return lo.rods.Modes(0.3 * points, rng.uniform(0.05, 0.2, 8), shapes, stiffness=K @ K.T + np.eye(3), **options)


def random_tree(seed, *, rods=2, links=3, modal=0, base="free", strains="all"):
    """Rigid links, rods and modal bodies, one on the other, a section or a node carrying what comes next."""
    rng = np.random.default_rng(seed)
    builder = lo.Builder(f"tree {seed}", base=base)
    builder.body("base", inertia=lo.Inertia(1.5, tuple(0.1 * rng.normal(size=3)), (0.02, 0.03, 0.04)))
    names, kinds = ["base"], rng.permutation(["rod"] * rods + ["link"] * links + ["modes"] * modal)
    soft = {}
    for k, kind in enumerate(kinds):
        parent = names[rng.integers(len(names))]
        options = {}
        if parent in soft:
            options = {"along": float(rng.choice([0.2, 0.4])) if soft[parent] == "rod" else int(rng.integers(8))}
        at = np.eye(4)
        at[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        at[:3, :3] *= np.sign(np.linalg.det(at[:3, :3]))
        at[:3, 3] = 0.0 if parent in soft else 0.2 * rng.normal(size=3)
        name = f"body {k}"
        if kind != "link":
            rod = lo.Rod(0.4, lo.Section.circle(0.03), MATERIAL, strains=strains, order=2)
            flex = rod if kind == "rod" else random_modes(rng)
            builder.body(name, parent=parent, at=at, joint=lo.Joint(f"joint {k}", axis="y"), flex=flex, **options)
            soft[name] = kind
        else:
            inertia = lo.Inertia(0.5, tuple(0.1 * rng.normal(size=3)), (0.01, 0.02, 0.015))
            builder.body(name, parent=parent, at=at, joint=lo.Joint(f"joint {k}", axis="x"), inertia=inertia, **options)
        names.append(name)
    model = builder.build()
    q = model.integrate(model.neutral(), 0.2 * rng.normal(size=model.nv))
    return model, q, *rng.normal(size=(2, model.nv))


@pytest.mark.parametrize("seed", range(6))
def test_rods(seed):
    compare(*random_tree(seed))


@pytest.mark.parametrize(("seed", "rods"), [(seed, seed % 2) for seed in range(6)])
def test_modal_bodies(seed, rods):
    """Alone, and with a rod in the tree."""
    compare(*random_tree(20 + seed, rods=rods, links=3, modal=2))


def compare(model, q, v, tau):
    """Matrices, forces and accelerations of both forms and levels with the kernels."""
    for form in "OC":
        links = lo.denoc.at(model, q, v, form=form)
        M, m = lo.mass_matrix(model, q), lo.denoc.matrices(links)
        assert relative(m.N.T @ m.M @ m.N, M) < 1e-12
        assert relative(lo.denoc.inertia_matrix(links), M) < 1e-12
        assert relative(lo.denoc.coordinate_inertias(links), np.diag(M)) < 1e-12
        assert relative(lo.denoc.bias_force(links), lo.bias_force(model, q, v)) < 1e-12
        assert relative(lo.denoc.inverse_dynamics(links, tau), lo.inverse_dynamics(model, q, v, tau)) < 1e-12
        for level in ("link", "module"):
            f, a = lo.denoc.factor(links, level=level), lo.denoc.forward_dynamics(links, tau, level=level)
            assert relative(f.U @ f.D @ f.U.T, M) < 1e-12
            assert relative(a, lo.forward_dynamics(model, q, v, tau)) < 1e-16 * np.linalg.cond(M) + 1e-10
            assert relative(lo.inverse_dynamics(model, q, v, a), tau) < 1e-9  # accelerations of strains are large


@pytest.mark.parametrize("seed", range(8))
def test_blades_and_wheels(seed):
    """A tree on blades, a wheel and a ball, at velocities that they allow; some with a rod, some with a modal body."""
    model, q, v, tau = random_tree(seed, rods=seed % 2, links=3, modal=seed % 3 == 2, strains="bending")
    rng = np.random.default_rng(100 + seed)
    names = [name for name in model.body_names if model.body(name).body.flex is None]
    first, second = rng.choice(len(names), 2, replace=False)
    point, side, axle = rng.normal(size=(3, 3))
    held = [lo.denoc.Slide(names[first], point, side), lo.denoc.Roll(names[second], 0.3, axle=None)]
    rows = [lo.Blade(names[first], tuple(point), tuple(side)), lo.Rolling(names[second], tube=0.3)]
    if seed % 4 < 2:
        held[1] = lo.denoc.Roll(names[second], 0.25, tuple(0.1 * point), tuple(axle))
        rows[1] = lo.Rolling(names[second], 0.25, axle=tuple(axle), center=tuple(0.1 * point))
    problem = lo.Locomotion(model, constraints=rows, torques=lambda t, q, v: tau)
    q, v = problem.initial(q, v)
    links = lo.denoc.at(model, q, v)
    ours, theirs = lo.denoc.closed_forward_dynamics(links, tau + elastic(model, q), held), problem.evaluate(0.0, q, v)
    loops, M = lo.denoc.closed_loops(links, held), lo.mass_matrix(model, q)
    assert abs(loops.velocity_error).max() < 1e-13
    assert relative(ours.a, theirs.a) < 1e-16 * np.linalg.cond(M) + 1e-12  # with a rod up to 2e7, else 400
    assert relative(loops.J @ ours.a + loops.drift, np.zeros(len(loops.drift))) < 1e-10


def elastic(model, q):
    """Forces of rods on their own coordinates at rest: what a problem adds to inverse dynamics."""
    a = lo.Locomotion(model).evaluate(0.0, q, np.zeros(model.nv)).a
    return lo.inverse_dynamics(model, q, np.zeros(model.nv), a)


@pytest.mark.parametrize("seed", range(3))
def test_full_matrices(seed):
    """O(n^3): same numbers, and U and D of the recursion where each element has one coordinate."""
    model, q, v, tau = random_tree(seed, rods=seed % 2, links=6)
    links = lo.denoc.at(model, q, v)
    dense = lo.denoc.dense_forward_dynamics(links, tau)
    assert relative(dense.value, lo.forward_dynamics(model, q, v, tau)) < 1e-10
    assert relative(lo.denoc.dense_inverse_dynamics(links, tau).value, lo.inverse_dynamics(model, q, v, tau)) < 1e-12
    U, D, M, A = lo.denoc.reverse_elimination(lo.mass_matrix(model, q))
    assert relative(U @ np.diag(D) @ U.T, lo.mass_matrix(model, q)) < 1e-12
    n = model.nv
    assert M == (n - 1) * n * (n + 4) // 6 and A == (n - 1) * n * (n + 1) // 6
    arm = lo.systems.load("puma").model
    puma = lo.denoc.at(arm, arm.random(seed))
    assert relative(lo.denoc.factor(puma).U, lo.denoc.reverse_elimination(lo.mass_matrix(arm, puma.q))[0]) < 1e-12


def test_refused():
    model = lo.systems.load("snakeboard").model
    flat = [lo.denoc.Roll(model.body_names[0], 0.1, axle=(0.0, 0.0, 1.0))]
    with pytest.raises(ValueError, match="flat"):
        lo.denoc.closed_loops(lo.denoc.at(model, model.neutral()), flat)
