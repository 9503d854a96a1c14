"""Modules and links, matrices and recursions, C-form and O-form: all equal to the kernels, for every kind of joint."""

import numpy as np
import pytest
from mechanisms import BASES, case, case_of, random_description, relative

import locomote as lo

TOLERANCE = 1e-12
SEEDS = range(28)
WAYS = [(form, level) for form in "OC" for level in ("link", "module")]


def made(seed):
    """A random mechanism without couplings, with all else."""
    return case(seed, coupled=False)


def solved(c):
    """What is left of 1e-12 after solving with this mass matrix."""
    return TOLERANCE * max(1.0, np.linalg.cond(lo.mass_matrix(c.model, c.q)) / 100)


@pytest.mark.parametrize("form, level", WAYS)
@pytest.mark.parametrize("seed", SEEDS)
def test_matrices(seed, form, level):
    c = made(seed)
    links = lo.denoc.at(c.model, c.q, c.v, form=form)
    M = lo.mass_matrix(c.model, c.q)
    m = lo.denoc.matrices(links, level=level)
    assert relative(m.N.T @ m.M @ m.N + np.diag(c.model.armature), M) < TOLERANCE
    assert relative(lo.denoc.inertia_matrix(links, level=level), M) < TOLERANCE
    assert relative(lo.denoc.gravity_force(links, level=level), lo.gravity_force(c.model, c.q)) < TOLERANCE
    assert relative(lo.denoc.bias_force(links, level=level), lo.bias_force(c.model, c.q, c.v)) < TOLERANCE
    assert relative(lo.denoc.bias_force(links, level=level), c.still.inverse_dynamics()) < 1e-11  # a second formulation


@pytest.mark.parametrize("form, level", WAYS)
@pytest.mark.parametrize("seed", SEEDS)
def test_factor_and_inverse(seed, form, level):
    c = made(seed)
    links = lo.denoc.at(c.model, c.q, c.v, form=form)
    M, f = lo.mass_matrix(c.model, c.q), lo.denoc.factor(links, level=level)
    assert relative(f.U @ f.D @ f.U.T, M) < TOLERANCE
    assert np.array_equal(np.tril(f.U, -1), np.zeros_like(M)) and np.array_equal(np.diag(f.U), np.ones(len(M)))
    inverse = lo.denoc.inverse_inertia_matrix(links, level=level)
    assert np.max(abs(inverse @ M - np.eye(len(M))), initial=0.0) < solved(c)


@pytest.mark.parametrize("form, level", WAYS)
@pytest.mark.parametrize("seed", SEEDS)
def test_recursions(seed, form, level):
    c = made(seed)
    links = lo.denoc.at(c.model, c.q, c.v, form=form)
    tau = lo.inverse_dynamics(c.model, c.q, c.v, c.a, wrenches=c.wrenches)
    assert relative(lo.denoc.inverse_dynamics(links, c.a, level=level, wrenches=c.wrenches), tau) < TOLERANCE
    a = lo.forward_dynamics(c.model, c.q, c.v, c.tau, wrenches=c.wrenches)
    assert relative(lo.denoc.forward_dynamics(links, c.tau, level=level, wrenches=c.wrenches), a) < solved(c)


@pytest.mark.parametrize("level", ["link", "module"])
@pytest.mark.parametrize("base", [base for base in BASES if base != "fixed"])
def test_floating_inverse_dynamics(base, level):
    c = case_of(random_description(3, base=base, coupled=False), 3)
    links, first = lo.denoc.at(c.model, c.q, c.v), c.model.joint_names[0]
    base_first = [[first], *(list(m.joints) for m in lo.denoc.modularise(c.model) if first not in m.joints)]
    if len(base_first) == len(lo.denoc.modularise(c.model)):
        links = lo.denoc.at(c.model, c.q, c.v, modules=lo.denoc.modularise(c.model, base_first))
    elif level == "module":
        pytest.skip("the base is the start of a longer module")
    a, tau = lo.denoc.floating_inverse_dynamics(links, c.a, level=level)
    expected = lo.hybrid_dynamics(c.model, c.q, c.v, np.zeros(c.model.nv), c.a, c.model.joint_names[1:])
    assert relative(a, expected[0]) < TOLERANCE and relative(tau, expected[1]) < TOLERANCE


@pytest.mark.parametrize("seed", SEEDS)
def test_rates_of_the_matrices(seed):
    """N' along v, by central differences of N."""
    c = made(seed)
    now = lo.denoc.matrices(lo.denoc.at(c.model, c.q, c.v))
    step = 1e-6
    ahead, back = (lo.denoc.matrices(lo.denoc.at(c.model, c.model.integrate(c.q, s * step * c.v))).N for s in (1, -1))
    assert relative(now.N_rate, (ahead - back) / (2 * step)) < 1e-7


@pytest.mark.parametrize("seed", SEEDS)
def test_a_module_is_made_of_its_links(seed):
    """The articulated-module inertia is what the elimination of its links, one by one, makes of it."""
    c = made(seed)
    links = lo.denoc.at(c.model, c.q)
    by_link, by_module = lo.denoc.factor(links), lo.denoc.factor(links, level="module")
    for part, pivot, left in zip(by_module.elements, by_module.pivots, by_module.left, strict=True):
        own = np.ix_(part.columns, part.columns)
        U, D = by_link.U[own], by_link.D[own]
        assert relative(U @ D @ U.T, pivot) < TOLERANCE
        inner = by_link.elements[part.links[0]]
        if inner.A is not None:  # and so is what it hands to its parent
            handed = part.A.T @ left @ part.A
            assert relative(handed[-6:, -6:], inner.A.T @ by_link.left[part.links[0]] @ inner.A) < 1e-10


def humanoid_like():
    return lo.systems.load("quadruped").model


def test_modules_found():
    model = humanoid_like()
    modules = lo.denoc.modularise(model)
    assert [len(m.links) for m in modules] == [1, 3, 3, 3, 3] and [m.parent for m in modules] == [-1, 0, 0, 0, 0]
    assert modules[0].joints == ("base",) and "M1" in str(modules)


def test_modules_by_hand():
    model = humanoid_like()
    names = list(model.joint_names)
    single = lo.denoc.modularise(model, [[name] for name in reversed(names)])
    assert len(single) == len(names)
    rng = np.random.default_rng(4)
    q, v = model.random(rng), rng.normal(size=model.nv)
    f = lo.denoc.factor(lo.denoc.at(model, q, v, modules=single), level="module")
    assert relative(f.U @ f.D @ f.U.T, lo.mass_matrix(model, q)) < TOLERANCE


@pytest.mark.parametrize(
    "by_hand, words",
    [
        (lambda n: [n], "no chain"),
        (lambda n: [n[:2], *[[x] for x in n[2:]]], None),
        (lambda n: [[n[0]], [n[0]], *[[x] for x in n[1:]]], "more than one"),
        (lambda n: [[n[0]]], "in no module"),
        (lambda n: [n[:3], *[[x] for x in n[3:]]], "in the middle"),
        (lambda n: [["knee"]], "no joint named"),
        (lambda n: n, "lists of names"),
        (lambda n: [[], *[[x] for x in n]], "no joint"),
    ],
)
def test_wrong_modules(by_hand, words):
    model = humanoid_like()
    if words is None:
        words = "in the middle"  # the trunk carries other legs
    with pytest.raises((ValueError, KeyError, lo.LocomoteError), match=words):
        lo.denoc.modularise(model, by_hand(list(model.joint_names)))


def gimbal():
    """A ball joint of three axes, of which the first and the last align when the second is at zero."""
    rod = lo.Inertia(1.0, (0, 0, -0.5), (0.1, 0.1, 0.01))
    return lo.Builder("gimbal").body("rod", joint=lo.Joint("ball", "euler", sequence="zxz"), inertia=rod).build()


def test_report_names_a_gimbal_lock():
    model = gimbal()
    good, locked = lo.denoc.module_report(model, [0.2, 1.0, 0.3]), lo.denoc.module_report(model)
    assert good.rows[0].verdict == "good" and locked.rows[0].verdict == "singular" and "singular" in str(locked)
    assert locked.rows[0].coordinates == 3 and locked.rows[0].mass == pytest.approx(1.0)
    with pytest.raises(lo.SingularMassMatrix, match="spherical"):
        lo.denoc.factor(lo.denoc.at(model, model.neutral()))


def test_condition_is_that_of_the_scaled_block():
    c = made(1)
    links = lo.denoc.at(c.model, c.q)
    f, report = lo.denoc.factor(links, level="module"), lo.denoc.module_report(c.model, c.q)
    for row, pivot, part in zip(report.rows, f.pivots, f.elements, strict=True):
        size = np.sqrt(np.diag(lo.mass_matrix(c.model, c.q))[part.columns])
        assert row.condition == pytest.approx(np.linalg.cond(pivot / np.outer(size, size)), rel=1e-6)


def test_wrong_calls():
    c = made(2)
    with pytest.raises(lo.UnknownName, match="form"):
        lo.denoc.at(c.model, c.q, form="X")
    with pytest.raises(lo.UnknownName, match="level"):
        lo.denoc.inertia_matrix(lo.denoc.at(c.model, c.q), level="body")
    with pytest.raises(ValueError, match="one state"):
        lo.denoc.at(c.model, np.stack([c.q, c.q]))
    with pytest.raises(ValueError, match="one state: a has shape"):
        lo.denoc.inverse_dynamics(lo.denoc.at(c.model, c.q), np.stack([c.a, c.a]))
    with pytest.raises(ValueError, match="modules are those of"):
        lo.denoc.at(c.model, c.q, modules=lo.denoc.modularise(gimbal()))
    coupled = next(m for m in (case(seed, coupled=True).model for seed in SEEDS) if m.coupling)
    with pytest.raises(ValueError, match="couplings"):
        lo.denoc.at(coupled, coupled.neutral())


def test_modules_by_hand_hold_modal_bodies():
    """Their stations hang on one root, and are one body of a chain; others may hang on any of their nodes."""
    shapes = np.zeros((1, 4, 3))
    shapes[0, :, 2] = 0.1, 0.3, 0.6, 1.0
    points = [(0.0, 0, 0), (0.3, 0, 0), (0.6, 0.1, 0), (0.9, 0, 0.1)]
    modes = lo.rods.Modes(points, [0.1] * 4, shapes, [10.0])
    builder = lo.Builder("plate").body("root", joint=lo.Joint("turn"), inertia=lo.Inertia(1.0, moment=(0.1, 0.1, 0.1)))
    builder.body("plate", parent="root", joint=lo.Joint("hinge", axis="y"), flex=modes)
    for node in (1, 3):
        arm = lo.Inertia(0.2, (0.1, 0, 0), (0.01, 0.01, 0.01))
        builder.body(f"arm {node}", parent="plate", along=node, joint=lo.Joint(f"joint {node}", axis="x"), inertia=arm)
    model = builder.build()
    modules = lo.denoc.modularise(model, [["turn"], ["hinge", "plate"], ["joint 1"], ["joint 3"]])
    q, v, a = 0.2 * np.arange(5), np.ones(5), np.arange(5.0)
    links = lo.denoc.at(model, q, v, modules=modules)
    tau = lo.inverse_dynamics(model, q, v, a)
    assert np.allclose(lo.denoc.forward_dynamics(links, tau, level="module"), a, atol=1e-10)
