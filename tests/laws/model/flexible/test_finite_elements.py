"""Modal bodies out of finite elements: the reduction against the whole pair, beams against closed forms, files, wrong input."""

import json
import pickle

import numpy as np
import pytest
import scipy.linalg

import locomote as lo
from locomote.formats.record import description_from_record, description_to_record


def frame_of_beams(count, length=1.0, EA=1e4, EI=2.0, GJ=1.0, rhoA=3.0, consistent=True):
    """Euler-Bernoulli elements along x, six freedoms a node; textbook matrices."""
    h, n = length / count, count + 1
    K, M = np.zeros((6 * n, 6 * n)), np.zeros((6 * n, 6 * n))
    scale = np.diag([1.0, h, 1.0, h])
    bend = scale @ [[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]] @ scale * EI / h**3
    mass = scale @ [[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]] @ scale * rhoA * h / 420
    sign = np.diag([1.0, -1.0, 1.0, -1.0])  # a positive turn about y lowers z
    for e in range(count):
        at = 6 * e
        for own, k, m in (
            ([0, 6], EA / h * np.array([[1, -1], [-1, 1]]), rhoA * h / 6 * np.array([[2, 1], [1, 2]])),
            ([3, 9], GJ / h * np.array([[1, -1], [-1, 1]]), 1e-4 * h / 6 * np.array([[2, 1], [1, 2]])),
            ([1, 5, 7, 11], bend, mass if consistent else rhoA * h / 2 * np.diag([1, 0, 1, 0])),
            ([2, 4, 8, 10], sign @ bend @ sign, sign @ mass @ sign if consistent else rhoA * h / 2 * np.diag([1, 0, 1, 0])),
        ):
            K[np.ix_(at + np.array(own), at + np.array(own))] += k
            M[np.ix_(at + np.array(own), at + np.array(own))] += m
    points = np.column_stack([np.linspace(0, length, n), np.zeros(n), np.zeros(n)])
    return lo.rods.FiniteElements(points, M, K)


def lattice(size=(4, 2, 2), seed=1):
    """Nodes on a grid joined by bars to all neighbours, and a consistent mass matrix that is the same for x, y, z."""
    grid = np.array([(x, y, z) for x in range(size[0]) for y in range(size[1]) for z in range(size[2])], float) * 0.1
    n, rng = len(grid), np.random.default_rng(seed)
    K, M = np.zeros((3 * n, 3 * n)), np.zeros((n, n))
    for a in range(n):
        M[a, a] += 0.1
        for b in range(a):
            d = grid[a] - grid[b]
            if np.linalg.norm(d) < 0.18:
                u = d / np.linalg.norm(d)
                k = rng.uniform(1e4, 2e4) * np.outer(u, u)
                for i, j, s in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
                    K[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] += s * k
                M[np.ix_([a, b], [a, b])] += 0.02 * np.array([[2, 1], [1, 2]])
    return lo.rods.FiniteElements(grid, np.kron(M, np.eye(3)), K), M


HELD = [0, 1, 2, 3]


def clamped(model, held):
    each = model.each
    free = [each * k + c for k in range(len(model.points)) if k not in held for c in range(each)]
    return model.mass.toarray()[np.ix_(free, free)], model.stiffness.toarray()[np.ix_(free, free)], free


def test_frequencies_are_those_of_the_whole():
    model, _ = lattice()
    M, K, _ = clamped(model, HELD)
    whole = np.sqrt(scipy.linalg.eigh(K, M, eigvals_only=True))
    plain, bound = model.modes(5, held=HELD), model.modes(6, held=HELD, interface=[15])
    assert np.allclose(plain.rates, whole[:5], rtol=1e-10)
    assert plain.count == 5 and bound.count == 9
    assert np.allclose(bound.rates[:4], whole[:4], rtol=4e-3) and (bound.rates[:4] >= whole[:4] * (1 - 1e-12)).all()
    assert np.allclose(plain.modal_mass, np.eye(5), atol=1e-12)


def test_statics_at_the_interface_is_exact():
    model, _ = lattice()
    M, K, free = clamped(model, HELD)
    load = np.zeros(len(free))
    load[[free.index(3 * 15 + c) for c in range(3)]] = 1.0, -2.0, 3.0
    exact = np.linalg.solve(K, load)[[free.index(3 * 15 + c) for c in range(3)]]
    modes = model.modes(2, held=HELD, interface=[15])
    at = modes.shapes[:, 15]
    assert np.allclose(np.linalg.solve(modes.elastic, at @ [1.0, -2.0, 3.0]) @ at, exact, rtol=1e-10)


def test_inertia_is_that_of_the_mass_matrix():
    """The few point masses have the mass, the moments and the couplings of the consistent matrix."""
    model, scalar = lattice()
    modes = model.modes(3, held=HELD)
    built = lo.Builder("lattice", base="free", gravity=(0, 0, 0)).body("body", flex=modes).build()
    rng = np.random.default_rng(0)
    q, v = built.neutral(), rng.normal(size=built.nv)
    q[7:] = 0.1 * rng.normal(size=3)
    x = model.points + np.einsum("j,jnc->nc", q[7:], modes.shapes)
    speed = v[:3] + np.cross(v[3:6], x) + np.einsum("j,jnc->nc", v[6:], modes.shapes)
    assert lo.kinetic_energy(built, q, v) == pytest.approx(0.5 * np.einsum("ac,ab,bc->", speed, scalar, speed), rel=1e-12)
    assert built.mass == pytest.approx(scalar.sum(), rel=1e-12)


@pytest.mark.parametrize("consistent", [True, False])
def test_beams(consistent):
    """Bending about both axes, stretch and torsion of a cantilever, and a child that turns with its tip."""
    model = frame_of_beams(24, consistent=consistent)
    modes = model.modes(6, held=[0])
    beta = np.array([1.875104068711961, 4.694091132974175])
    bending = np.repeat(beta**2 * np.sqrt(2.0 / 3.0), 2)
    assert np.allclose(modes.rates[:4], bending, rtol=4e-3)
    tip = lo.Builder("beam", gravity=(0, 0, 0)).body("beam", flex=model.modes(4, held=[0], interface=[24]))
    built = tip.body("tip", parent="beam", along=24).build()
    moment = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.02])
    still = lo.equilibrium(lo.Locomotion(built, environment=[lambda t, q, v: {"tip": moment}]))
    pose = lo.forward_kinematics(built, still.q)[1]
    assert np.arctan2(pose[1, 0], pose[0, 0]) == pytest.approx(0.02 / 2.0, rel=1e-3)  # M L / EI
    assert pose[1, 3] == pytest.approx(0.02 / 4.0, rel=1e-3)  # M L^2 / 2 EI


def test_rotations_are_fitted_where_none_are_given():
    model, _ = lattice()
    modes = model.modes(2, held=HELD)
    turned = np.cross((0.1, 0.2, 0.3), model.points - model.points[0])
    rigid = lo.rods.Modes(modes.points, modes.masses, np.array([turned]), [1.0])
    assert np.allclose(rigid.rotation_at(9), [[0.1, 0.2, 0.3]], atol=1e-12)


def test_files(tmp_path):
    model, _ = lattice()
    lo.rods.write_finite_elements(model, tmp_path / "body.txt")
    again = lo.rods.read_finite_elements(tmp_path / "body.txt")
    assert (again.points == model.points).all() and abs(again.mass - model.mass).max() == 0
    assert abs(again.stiffness - model.stiffness).max() == 0
    built = lo.Builder("b", gravity=(0, 0, 0)).body("body", flex=model.modes(2, held=HELD, ratio=0.01)).build()
    record = json.loads(json.dumps(description_to_record(built.description)))
    read, copied = lo.Model(description_from_record(record)), pickle.loads(pickle.dumps(built))
    q, v = np.array([0.01, -0.02]), np.array([0.3, 0.4])
    for other in (read, copied):
        assert (lo.inverse_dynamics(other, q, v, v) == lo.inverse_dynamics(built, q, v, v)).all()
        assert (lo.passive_force(other, q, v) == lo.passive_force(built, q, v)).all()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nodes 2\n0 0 0\n", "2 lines are announced, 1 follow"),
        ("nodes 2\n0 0 0\n1 0 x\n", "line 3: expected three numbers"),
        ("knots 2\n", "line 1: expected nodes or freedoms"),
        ("nodes 2\n0 0 0\n1 0 0\nfreedoms 4\nmass 0\nstiffness 0\n", "freedoms must be 3 or 6, not 4"),
        ("nodes 2\n0 0 0\n1 0 0\nfreedoms 3\nmass 1\n9 0 1\nstiffness 0\n", "integers from 0 to 5"),
        ("nodes 2\n0 0 0\n1 0 0\nfreedoms 3\nmass 1\n0 0 nan\nstiffness 0\n", "finite and symmetric"),
        ("nodes 2\n0 0 0\n1 0 0\n", "no freedoms and no mass and no stiffness"),
        ("nodes 99999999999999\n", "more than can be read"),
    ],
)
def test_wrong_files(tmp_path, text, words):
    path = tmp_path / "wrong.txt"
    path.write_text(text)
    with pytest.raises(lo.ModelError, match=words):
        lo.rods.read_finite_elements(path)


def test_wrong_bodies():
    model, _ = lattice()
    modes = model.modes(2, held=HELD)
    with pytest.raises(ValueError, match="can still move without deforming"):
        model.modes(2, held=[0], interface=[15])
    with pytest.raises(ValueError, match="numbers of nodes from 0 to 15"):
        model.modes(2, held=[99])
    with pytest.raises(ValueError, match="shapes of a modal body must be finite"):
        lo.rods.Modes(modes.points, modes.masses, modes.shapes[:, :3], modes.stiffness)
    with pytest.raises(ValueError, match="must differ and move mass"):
        lo.rods.Modes(modes.points, modes.masses, modes.shapes[[0, 0]], modes.stiffness)
    for along in (None, 16, -1, 0.5):
        with pytest.raises(lo.ModelError, match="number of a node, from 0 to 15"):
            lo.Builder("b").body("body", flex=modes).body("on", parent="body", along=along).build()
    with pytest.raises(KeyError, match="no rod"):
        built = lo.Builder("b").body("body", flex=modes).build()
        lo.rods.sections(built, built.neutral(), "body")
