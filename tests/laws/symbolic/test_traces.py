"""One source, several lives: every kernel run as plain Python on CasADi symbols, and on arrays as numbers, gives the numbers of
the compiled one."""

import casadi
import mechanisms
import numpy as np
import pytest
from mechanisms import KINDS, SEEDED, case_of, random_description, relative

import locomote as lo
from locomote.dynamics.function import all_functions
from locomote.symbolic.plain import boxed, objects, zeros
from locomote.symbolic.plain import run as run_entry

TOLERANCE = 1e-12
SOLVED = 1e-11
SEEDS = range(13)


def run(name, *arguments):
    """The entry of a function for one configuration, on arrays of objects."""
    run_entry(all_functions()[name].one.need[0], *arguments)


def small_case(seed):
    """Few bodies, every third mechanism with added inertia, no couplings (they are outside of kernels)."""
    kinds = SEEDED if seed < 12 else KINDS[12:]
    return case_of(random_description(seed, bodies=4, kinds=kinds, added=seed % 3 == 0, coupled=False), seed)


@pytest.fixture(params=SEEDS, scope="module")
def case(request):
    return small_case(request.param)


def test_every_kind_of_joint_is_traced():
    assert {joint.kind for seed in SEEDS for joint in small_case(seed).reference.joints} == set(KINDS)


class Symbols:
    """Numbers that are CasADi symbols; results are evaluated at the state of the case."""

    def __init__(self, case):
        self.values = [case.q, case.v, case.a, loads(case)]
        self.symbols = [casadi.SX.sym(name, values.size) for name, values in zip("qvaf", self.values, strict=True)]
        self.q, self.v, self.a, self.f = (boxed([s[k] for k in range(s.numel())]) for s in self.symbols)
        self.f = self.f.reshape(-1, 6)

    def numbers(self, array):
        entries = casadi.vertcat(*[casadi.SX(x) for x in array.ravel()])
        function = casadi.Function("traced", self.symbols, [entries])
        return np.array(function(*(values.ravel() for values in self.values))).reshape(array.shape)


class Arrays:
    """Numbers that are arrays of three configurations; the middle one is the state of the case."""

    def __init__(self, case):
        rng = case.rng(80)
        others = [mechanisms.random_q(case.reference, rng) for _ in range(2)]
        self.q = boxed(list(np.array([others[0], case.q, others[1]]).T.copy()))
        self.v, self.a = (boxed(list(np.array([rng.normal(size=x.size), x, x + 1.0]).T.copy())) for x in (case.v, case.a))
        f = loads(case)
        self.f = boxed(list(np.array([f.ravel(), f.ravel(), 0 * f.ravel()]).T.copy())).reshape(-1, 6)

    def numbers(self, array):
        return np.array([np.broadcast_to(x, 3)[1] for x in array.ravel()], dtype=float).reshape(array.shape)


def loads(case):
    """External wrenches on moving bodies, in packed frames."""
    return case.rng(81).normal(size=(len(case.model.topology) - 1, 6))


@pytest.fixture(params=[Symbols, Arrays], ids=["symbols", "arrays"], scope="module")
def life(request, case):
    return request.param(case)


def external(case, life, loaded):
    """The wrenches argument of a kernel: None if there are none and no body has added inertia."""
    if loaded:
        return life.f
    return None if case.model.plain else zeros((len(case.model.topology) - 1, 6))


def compiled(case, function, *arguments, loaded):
    """A compiled entry on plain floats: the packed frame of a massless body between two joints has no name to load."""
    from locomote.dynamics import forces

    entries = {
        "inverse": (forces.INVERSE.one, forces.INVERSE.loaded),
        "forward": (forces.FORWARD.one, forces.FORWARD.loaded),
    }[function]
    out = np.empty(case.model.nv)
    f = loads(case) if loaded else None if case.model.plain else np.zeros((len(case.model.topology) - 1, 6))
    status = entries[f is not None].ready()(case.model.topology.copy(), case.model.constants.copy(), *arguments, f, out)
    assert status == 0
    return out


def floats(case):
    return np.array(case.q), np.array(case.v), np.array(case.a)


@pytest.mark.parametrize("loaded", [False, True], ids=["free", "loaded"])
def test_inverse_dynamics(case, life, loaded):
    tau = objects(case.model.nv)
    state = life.q, life.v, life.a, external(case, life, loaded)
    run("inverse_dynamics", case.model.topology, case.model.constants, *state, tau)
    assert relative(life.numbers(tau), compiled(case, "inverse", *floats(case), loaded=loaded)) < TOLERANCE


@pytest.mark.parametrize("loaded", [False, True], ids=["free", "loaded"])
def test_forward_dynamics(case, life, loaded):
    a = objects(case.model.nv)
    state = life.q, life.v, life.a, external(case, life, loaded)
    run("forward_dynamics", case.model.topology, case.model.constants, *state, a)
    assert relative(life.numbers(a), compiled(case, "forward", *floats(case), loaded=loaded)) < SOLVED


def test_hybrid_dynamics(case, life):
    mask = case.rng(82).random(case.model.nv) < 0.5
    a, tau = objects(case.model.nv), objects(case.model.nv)
    tree, state = (case.model.topology, case.model.constants), (life.q, life.v, life.v, life.a)
    run("hybrid_dynamics", *tree, mask.astype(int), *state, external(case, life, False), a, tau)
    expected = lo.hybrid_dynamics(case.model, case.q, case.v, case.v, case.a, mask)
    assert relative(life.numbers(a), expected[0]) < SOLVED
    assert relative(life.numbers(tau), expected[1]) < SOLVED


def test_mass_matrix(case, life):
    M = zeros((case.model.nv,) * 2)
    run("mass_matrix", case.model.topology, case.model.constants, life.q, M)
    assert relative(life.numbers(M), lo.mass_matrix(case.model, case.q)) < TOLERANCE


def test_coriolis_matrix(case, life):
    C = zeros((case.model.nv,) * 2)
    run("coriolis_matrix", case.model.topology, case.model.constants, life.q, life.v, C)
    assert relative(life.numbers(C), lo.coriolis_matrix(case.model, case.q, case.v)) < TOLERANCE


def test_inverse_dynamics_derivatives(case, life):
    out = [zeros((case.model.nv,) * 2) for _ in range(3)]
    f = external(case, life, False)
    run("inverse_dynamics_derivatives", case.model.topology, case.model.constants, life.q, life.v, life.a, f, *out)
    expected = lo.inverse_dynamics_derivatives(case.model, case.q, case.v, case.a)
    for ours, theirs in zip(out, expected, strict=True):
        assert relative(life.numbers(ours), theirs) < TOLERANCE


def test_forward_dynamics_derivatives(case, life):
    """The factorisation of the mass matrix and the solutions with it are in here."""
    out = [zeros((case.model.nv,) * 2) for _ in range(3)]
    f = external(case, life, False)
    run("forward_dynamics_derivatives", case.model.topology, case.model.constants, life.q, life.v, life.a, f, *out)
    expected = lo.forward_dynamics_derivatives(case.model, case.q, case.v, case.a)
    for ours, theirs in zip(out, expected, strict=True):
        assert relative(life.numbers(ours), theirs) < SOLVED


def frame_of(case):
    """What a Jacobian kernel takes for the last body, at a point."""
    from locomote.dynamics.kinematics import _frame

    return _frame(case.model, case.model.body_names[-1], (0.1, 0.2, -0.3), "local")[:2]


def test_forward_kinematics(case, life):
    from locomote.model.model import twelve

    poses = objects((len(case.model.body_names), 4, 4))
    placement = twelve(case.model.placement)
    run("forward_kinematics", case.model.topology, case.model.constants, case.model.carrier, placement, life.q, poses)
    assert relative(life.numbers(poses), lo.forward_kinematics(case.model, case.q)) < TOLERANCE


@pytest.mark.parametrize("frame", ["local", "world", "aligned"])
def test_jacobian_and_its_rate(case, life, frame):
    from locomote.dynamics.kinematics import FRAMES

    body, options = case.model.body_names[-1], {"point": (0.1, 0.2, -0.3), "frame": frame}
    fixed = (case.model.topology, case.model.constants, *frame_of(case), FRAMES[frame])
    J, rate = zeros((6, case.model.nv)), zeros((6, case.model.nv))
    run("jacobian", *fixed, life.q, J)
    run("jacobian_rate", *fixed, life.q, life.v, rate)
    assert relative(life.numbers(J), lo.jacobian(case.model, case.q, body, **options)) < TOLERANCE
    assert relative(life.numbers(rate), lo.jacobian_rate(case.model, case.q, case.v, body, **options)) < TOLERANCE


def test_momentum_and_energies(case, life):
    fixed = (case.model.topology, case.model.constants)
    A, rate, center, kinetic, potential = zeros((6, case.model.nv)), objects(6), objects(3), objects(1), objects(1)
    run("momentum_matrix", *fixed, life.q, A)
    run("momentum_rate", *fixed, life.q, life.v, life.a, external(case, life, False), rate)
    run("center_of_mass", *fixed, life.q, center)
    run("kinetic_energy", *fixed, life.q, life.v, kinetic)
    run("potential_energy", *fixed, life.q, potential)
    assert relative(life.numbers(A), lo.momentum_matrix(case.model, case.q)) < TOLERANCE
    assert relative(life.numbers(rate), lo.momentum_rate(case.model, case.q, case.v, case.a)) < TOLERANCE
    assert relative(life.numbers(center), lo.center_of_mass(case.model, case.q)) < TOLERANCE
    assert relative(life.numbers(kinetic)[0], lo.kinetic_energy(case.model, case.q, case.v)) < TOLERANCE
    assert relative(life.numbers(potential)[0], lo.potential_energy(case.model, case.q)) < TOLERANCE


def test_every_entry_is_traced():
    """Here, or with its whole function in `test_functions`, which goes over all that are declared."""
    from locomote.symbolic.functions import FUNCTIONS

    traced = {name for name, function in all_functions().items() if function.traced}
    assert len(traced) > 15 and traced <= set(FUNCTIONS)
