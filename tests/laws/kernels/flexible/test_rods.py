"""Laws of trees with rods inside, at tips and on each other, against point masses along the rods (`rod_reference`)."""

import numpy as np
import pytest
from rod_reference import RodReference

import locomote as lo

LIMB = {"inertia": lo.Inertia(0.2, com=(0.05, 0.02, 0.01), moment=(1e-3, 2e-3, 2e-3))}


def tip_rod():
    """A clamped rod of six strains, precurved, with a varying section."""
    rod = lo.Rod(0.5, lambda x: lo.Section.ellipse(0.02 - 0.01 * x, 0.01), strains="all", order=2, rest=lambda x: (0.4, 1.0, x))
    return lo.Builder("tip", gravity=(1.0, 2.0, -9.0)).body("arm", at=(0.1, 0.2, 0.3), flex=rod).build()


def inner_rods():
    """A free base, a rod inside with children half-way and at its tip, and a rod of six strains on one of them."""
    return (
        lo.Builder("inner", base="free")
        .body("trunk", inertia=lo.Inertia(1.0, com=(0.0, 0.0, 0.1), moment=(0.1, 0.2, 0.25)))
        .body("tail", parent="trunk", at=(0.1, 0.0, 0.0), joint=lo.Joint("root", axis="y"), flex=lo.Rod(0.3, order=2))
        .body("fin", parent="tail", along=0.2, joint=lo.Joint("fin_joint", axis=(1, 2, 3), armature=0.01), **LIMB)
        .body("end", parent="tail", joint=lo.Joint("ball", "spherical"), **LIMB)
        .body("whip", parent="end", at=(0.05, 0.0, 0.0), flex=lo.Rod(0.2, strains="all", order=1, rest=(0.3, 1.0, 2.0)))
        .body("mark", parent="whip", along=0.11, at=(0.0, 0.01, 0.0))
        .build()
    )


def rods_on_rods():
    """A planar base that is a rod, with rods on its tip, its middle and its root."""
    thin = lo.Rod(0.3, lo.Section.rectangle(0.01, 0.02), strains="planar", order={"bending": 3, "stretch": 1, "shear": 0})
    return (
        lo.Builder("branched", base="planar")
        .body("spine", flex=lo.Rod(0.4, strains="bending_z torsion", order=1), **LIMB)
        .body("left", parent="spine", along=0.13, flex=thin)
        .body("right", parent="spine", joint=lo.Joint("slide", "prismatic", axis="x"), flex=thin)
        .body("knob", parent="right", **LIMB)
        .body("leg", parent="spine", along=0.0, joint=lo.Joint("hip", "helical", axis="z", pitch=0.1), flex=thin)
        .build()
    )


MODELS = {"tip": tip_rod, "inner": inner_rods, "branched": rods_on_rods}


@pytest.fixture(params=MODELS, scope="module")
def case(request):
    model = MODELS[request.param]()
    rng = np.random.default_rng(7)
    q, v, a = model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    reference = RodReference(model.description)
    assert (reference.nq, reference.nv) == (model.nq, model.nv)
    return model, q, v, a, reference, reference.at(q, v, a)


def near(found, expected, tolerance=1e-12):
    expected = np.real(expected)
    assert np.allclose(found, expected, rtol=0, atol=tolerance * max(1e-3, abs(expected).max()))


def test_inverse_dynamics(case):
    model, q, v, a, _, now = case
    near(lo.inverse_dynamics(model, q, v, a), now.inverse_dynamics())
    wrenches = {name: np.arange(1.0, 7.0) * (k + 1) for k, name in enumerate(model.body_names)}
    near(lo.inverse_dynamics(model, q, v, a, wrenches=wrenches), now.inverse_dynamics(wrenches))


def test_mass_matrix_and_momentum(case):
    model, q, v, a, _, now = case
    near(lo.mass_matrix(model, q), now.mass_matrix())
    near(lo.momentum(model, q, v), now.momentum())
    near(lo.momentum_rate(model, q, v, a), now.momentum_rate())
    near(lo.center_of_mass(model, q), now.center_of_mass())


def test_energies(case):
    model, q, v, _, _, now = case
    near(lo.kinetic_energy(model, q, v), now.kinetic_energy())
    near(lo.potential_energy(model, q), now.potential_energy())
    assert model.mass == pytest.approx(float(np.real(now.mass())), rel=1e-12)


def test_forward_and_hybrid_dynamics(case):
    model, q, v, a, reference, now = case
    tau = np.real(now.inverse_dynamics())
    M = np.real(now.mass_matrix())
    size = 1e-9 * max(1.0, abs(a).max()) * max(1.0, np.linalg.cond(M) * 1e-7)
    assert np.allclose(lo.forward_dynamics(model, q, v, tau), a, rtol=0, atol=size)
    mask = np.arange(model.nv) % 3 == 1
    found = lo.hybrid_dynamics(model, q, v, np.where(mask, 7.0, tau), np.where(mask, a, 5.0), mask)
    assert np.allclose(found.a, a, rtol=0, atol=size)
    assert np.allclose(found.tau, tau, rtol=0, atol=1e-9 * abs(tau).max())


@pytest.mark.parametrize("frame", ["local", "world", "aligned"])
def test_kinematics(case, frame):
    model, q, v, a, _, now = case
    point = (0.01, -0.02, 0.03)
    for body in model.body_names:
        near(lo.forward_kinematics(model, q)[model.body_index(body)], now.pose(body))
        J = np.real(now.jacobian(body, point, frame))
        near(lo.jacobian(model, q, body, point=point, frame=frame), J)
        near(lo.jacobian_rate(model, q, v, body, point=point, frame=frame), now.jacobian_rate(body, point, frame), 1e-11)
        near(lo.velocity(model, q, v, body, point=point, frame=frame), J @ v)
        rate = J @ a + np.real(now.jacobian_rate(body, point, frame)) @ v
        near(lo.acceleration(model, q, v, a, body, point=point, frame=frame), rate)
        moved = lo.motion(model, q, v, a, frame=frame)
        near(moved.twists[model.body_index(body)], np.real(now.jacobian(body, frame=frame)) @ v)


def test_gravity_force_is_the_gradient_of_energy(case):
    model, q, _, _, reference, _ = case
    near(lo.gravity_force(model, q), reference.derivative(lambda now: now.potential_energy(), q), 1e-11)


def test_batches_equal_single_states(case):
    """Enough of them for lanes, not a multiple of their number, and shared by two threads."""
    check_batches(case[0], (7, 3))


def check_batches(model, lead):
    """Functions of many states, on lanes, against one state at a time."""
    rng = np.random.default_rng(3)
    q = model.random(rng, lead)
    v, a, tau = (rng.normal(size=(*lead, model.nv)) for _ in range(3))
    wrenches = {model.body_names[-1]: rng.normal(size=(*lead, 6))}
    mask = np.arange(model.nv) % 3 == 1
    calls = {
        "inverse": lambda n, **more: lo.inverse_dynamics(model, q[n], v[n], a[n], wrenches=at(wrenches, n), **more),
        "forward": lambda n, **more: lo.forward_dynamics(model, q[n], v[n], tau[n], wrenches=at(wrenches, n), **more),
        "mass": lambda n, **more: lo.mass_matrix(model, q[n], **more),
        "hybrid": lambda n: np.concatenate(lo.hybrid_dynamics(model, q[n], v[n], tau[n], a[n], mask), axis=-1),
        "momentum": lambda n: lo.momentum_matrix(model, q[n]),
        "kinematics": lambda n: lo.forward_kinematics(model, q[n]),
        "derivatives": lambda n: lo.inverse_dynamics_derivatives(model, q[n], v[n], a[n]).q,
    }
    for name, call in calls.items():
        whole = call(np.s_[:])
        shared = call(np.s_[:], threads=2) if name in ("inverse", "forward", "mass") else whole
        for n in ((0, 0), tuple(k - 1 for k in lead)):
            one = call(n)
            loose = 1e-9 if name in ("forward", "hybrid") else 1e-12  # masses of strains are ill-conditioned
            assert np.allclose(whole[n], one, rtol=0, atol=loose * max(1.0, abs(one).max())), name
            assert np.allclose(shared[n], one, rtol=0, atol=loose * max(1.0, abs(one).max())), name


def at(wrenches, n):
    """Wrenches of some states."""
    return {name: values[n] for name, values in wrenches.items()}


def test_derivatives(case):
    model, q, v, a, reference, _ = case
    found = lo.inverse_dynamics_derivatives(model, q, v, a)
    expected = reference.derivative(lambda now: now.inverse_dynamics(), q, v, a)
    near(found.q, expected)
    for k, e in enumerate(np.eye(model.nv)):  # a quadratic form of velocities: its differences are exact
        ahead, behind = (reference.at(q, v + s * e, a).inverse_dynamics() for s in (1.0, -1.0))
        near(found.v[:, k], (ahead - behind) / 2, 1e-11)
    near(found.a, reference.at(q, v, a).mass_matrix())
    wrenches = {model.body_names[-1]: np.arange(1.0, 7.0)}
    near(lo.inverse_dynamics_derivatives(model, q, v, a, wrenches=wrenches).v, found.v)  # they are constant in body frames
    loaded = lo.inverse_dynamics_derivatives(model, q, v, a, wrenches=wrenches).q - found.q
    expected = reference.derivative(lambda now: now.inverse_dynamics(wrenches) - now.inverse_dynamics(), q, v, a)
    near(loaded, expected, 1e-11)
    tau = lo.inverse_dynamics(model, q, v, a)
    forward = lo.forward_dynamics_derivatives(model, q, v, tau)
    near(found.a @ forward.q, -found.q, 1e-7)
    near(found.a @ forward.tau, np.eye(model.nv), 1e-7)


def test_coriolis_matrix(case):
    model, q, v, _, reference, now = case
    C, rate = lo.coriolis_matrix(model, q, v), reference.derivative(lambda now: now.mass_matrix(), q, along=v)
    near(C + C.T, rate, 1e-11)
    gravity, still = reference.at(q).inverse_dynamics(), reference.at(q, v).inverse_dynamics()
    near(C @ v + np.real(gravity), np.real(still), 1e-11)
    other = np.roll(v, 1)
    near(lo.coriolis_matrix(model, q, v + 2.0 * other), C + 2.0 * lo.coriolis_matrix(model, q, other), 1e-11)
    near(lo.coriolis_matrix(model, np.stack([q, q]), np.stack([other, v]))[1], C)


def test_elastic_force_is_the_gradient_of_its_energy(case):
    model, q, _, _, _, _ = case
    force = lo.passive_force(model, q, np.zeros(model.nv))
    for name in model.flexible.rods:
        part = model.joint(name)
        for j in range(part.q.start, part.q.stop):
            step = np.zeros(model.nq)
            step[j] = 1e-3
            slope = (lo.spring_energy(model, q + step) - lo.spring_energy(model, q - step)) / 2e-3
            k = part.v.start + j - part.q.start
            assert force[k] == pytest.approx(-slope, rel=1e-8, abs=1e-7 * abs(force).max())


def test_stiffness_of_legendre_polynomials():
    """K = H L / (2 k + 1), diagonal."""
    rod = lo.Rod(0.7, lo.Section.circle(0.02), lo.Material(1000.0, 2e6, poisson=0.25), strains="all", order=3)
    model = lo.Builder("one").body("rod", flex=rod).build()
    K = model.flexible.rods["rod"].elastic
    H = rod.stiffness_at(0.1)
    expected = [H[c] * 0.7 / (2 * k + 1) for c in range(6) for k in range(4)]
    assert np.allclose(K, np.diag(expected), rtol=1e-12, atol=0)
    assert H[0] == pytest.approx(2e6 * np.pi * 4e-4) and H[3] == pytest.approx(0.8e6 * np.pi / 2 * 1.6e-7)


def test_rigid_limit():
    """A rod that does not deform is a rigid body."""
    rod = lo.Rod(0.6, lo.Section.rectangle(0.05, 0.03), lo.Material(800.0, 1e6), strains="torsion", order=0)
    soft = lo.Builder("soft", base="free").body("rod", flex=rod).build()
    m = 800.0 * 0.05 * 0.03 * 0.6
    J = m / 12 * np.diag([0.05**2 + 0.03**2, 0.6**2 + 0.03**2, 0.6**2 + 0.05**2])
    hard = lo.Builder("hard", base="free").body("rod", inertia=lo.Inertia(m, com=(0.3, 0.0, 0.0), moment=J)).build()
    rng = np.random.default_rng(0)
    q, v, a = hard.random(rng), rng.normal(size=6), rng.normal(size=6)
    expected = lo.inverse_dynamics(hard, q, v, a)
    found = lo.inverse_dynamics(soft, np.r_[q, 0.0], np.r_[v, 0.0], np.r_[a, 0.0])
    assert np.allclose(found[:6], expected, rtol=1e-12, atol=1e-12)
    assert np.allclose(lo.mass_matrix(soft, np.r_[q, 0.0])[:6, :6], lo.mass_matrix(hard, q), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("turns", [0.5, 1.0, 2.0])
def test_roll_up(turns):
    """Constant bending rolls a rod up to an arc of a circle (closed form), on eight nodes."""
    model = lo.Builder("roll").body("rod", flex=lo.Rod(1.0, strains="bending_z", order=0)).body("tip", parent="rod").build()
    k = 2 * np.pi * turns
    tip = lo.forward_kinematics(model, [k])[1]
    assert np.allclose(tip[:2, 3], [np.sin(k) / k, (1 - np.cos(k)) / k], rtol=0, atol=1e-14)


def test_magnus_is_of_order_four():
    """The tip of a rod with linear bending and torsion, against very many nodes."""

    def tip(nodes):
        rod = lo.Rod(1.0, strains="bending torsion", order=1, nodes=nodes)
        model = lo.Builder("rod").body("rod", flex=rod).body("tip", parent="rod").build()
        return lo.forward_kinematics(model, [1.0, 2.0, -1.5, 1.0, 2.0, -0.7])[1, :3, 3]

    fine = tip(160)
    errors = [np.linalg.norm(tip(n) - fine) for n in (8, 16, 32)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (orders > 3.5).all() and errors[-1] < 1e-6


def test_a_rod_cut_in_two():
    """Two rods in series, whose strains are those of the halves of a piecewise one, move as it does."""
    section, material = lo.Section.circle(0.01), lo.Material(1000.0, 1e6)
    whole = lo.Rod(1.0, section, material, basis=lo.rods.Pieces(2, 1), nodes=40)
    half = lo.Rod(0.5, section, material, order=1, nodes=20)
    one = lo.Builder("one").body("rod", flex=whole).body("tip", parent="rod", **LIMB).build()
    two = lo.Builder("two").body("a", flex=half).body("b", parent="a", flex=half).body("tip", parent="b", **LIMB).build()
    names = [s.name for s in one.layout() if s.vector == "v"]
    order = [k for piece in range(2) for c in range(3) for k in range(4 * c + 2 * piece, 4 * c + 2 * piece + 2)]
    rng = np.random.default_rng(2)
    q, v = rng.normal(size=12), rng.normal(size=12)
    assert len(names) == two.nv == 12
    tau = lo.passive_force(one, q, v)
    a = lo.forward_dynamics(one, q, v, tau)[order]
    assert np.allclose(lo.passive_force(two, q[order], v[order]), tau[order], rtol=1e-10, atol=1e-12 * abs(tau).max())
    other = lo.forward_dynamics(two, q[order], v[order], tau[order])
    assert np.allclose(a, other, rtol=0, atol=1e-6 * abs(a).max())


@pytest.mark.parametrize(
    "basis",
    [
        lo.rods.Pieces(3, 1),
        lo.rods.BSplines(5, 2),
        lo.rods.BeamModes(3),
        lo.rods.BeamModes(3, "free"),
        [np.cos, lambda x: x * x],
    ],
)
def test_other_bases(basis):
    """Forces of gravity are the gradient of energy, and elastic energy that of the strain, for other bases too."""
    rod = lo.Rod(0.8, strains="bending_y bending_z", basis=basis, nodes=16)
    model = lo.Builder("rod").body("rod", joint=lo.Joint("hinge", axis="y"), flex=rod).body("tip", parent="rod", **LIMB).build()
    q = 0.5 * model.random(1)
    force = lo.gravity_force(model, q)
    for k in range(model.nv):
        step = np.zeros(model.nv)
        step[k] = 1e-4
        slope = (lo.potential_energy(model, q + step) - lo.potential_energy(model, q - step)) / 2e-4
        assert force[k] == pytest.approx(slope, abs=1e-6)
    packed = model.flexible.rods["rod"]
    x = (np.arange(20000) + 0.5) / 20000 * 0.8
    from locomote.model.flexible.rod_packing import shapes_of, values_of

    strain = values_of(shapes_of(rod)[0], x)
    bending = strain[:, packed.components == 4] @ q[1:][packed.components == 4]
    other = strain[:, packed.components == 5] @ q[1:][packed.components == 5]
    H = rod.stiffness_at(0.0)
    energy = 0.5 * (H[4] * bending**2 + H[5] * other**2).mean() * 0.8
    assert lo.spring_energy(model, q) == pytest.approx(energy, rel=1e-3)
