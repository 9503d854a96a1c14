"""Laws of trees with modal bodies, against point masses at all their nodes (`modal_reference`)."""

import numpy as np
import pytest
from modal_reference import ModalReference

import locomote as lo

LIMB = {"inertia": lo.Inertia(0.2, com=(0.05, 0.02, 0.01), moment=(1e-3, 2e-3, 2e-3))}


def cloud(count, nodes, *, second=False, rotations=True, seed=0):
    """Nodes, masses and shapes by chance."""
    rng = np.random.default_rng(seed)
    bend = 0.3 * rng.normal(size=(count, count, nodes, 3))
    return lo.rods.Modes(
        rng.normal(size=(nodes, 3)), rng.uniform(0.1, 1.0, nodes), rng.normal(size=(count, nodes, 3)),
        np.arange(1.0, count + 1), rayleigh=(0.1, 0.02),
        rotations=rng.normal(size=(count, nodes, 3)) if rotations else None,
        second=bend + bend.transpose(1, 0, 2, 3) if second else None,
    )  # fmt: skip


def panels():
    """A free base with a modal body that carries a limb and another modal body, and a rod with one on its tip."""
    return (
        lo.Builder("panels", base="free")
        .body("trunk", inertia=lo.Inertia(1.0, com=(0.0, 0.0, 0.1), moment=(0.1, 0.2, 0.25)))
        .body("wing", parent="trunk", joint=lo.Joint("root", axis="y"), flex=cloud(2, 30), **LIMB)
        .body("limb", parent="wing", along=7, joint=lo.Joint("ball", "spherical"), **LIMB)
        .body("flap", parent="wing", along=0, at=(0.1, 0.0, 0.2), flex=cloud(3, 9, seed=2, rotations=False))
        .body("mark", parent="flap", along=3, at=(0.0, 0.01, 0.0))
        .body("tail", parent="trunk", flex=lo.Rod(0.3, strains="bending torsion", order=1))
        .body("fluke", parent="tail", joint=lo.Joint("hinge", axis="z"), flex=cloud(2, 3, seed=5))
        .build()
    )


def bending_back():
    """Shapes of second order, on a planar base and on each other."""
    return (
        lo.Builder("back", base="planar", gravity=(1.0, 2.0, -9.0))
        .body("wing", flex=cloud(3, 20, second=True), **LIMB)
        .body("flap", parent="wing", along=4, flex=cloud(1, 5, second=True, seed=3))
        .body("end", parent="flap", along=2, joint=lo.Joint("slide", "prismatic", axis="x"), **LIMB)
        .build()
    )


@pytest.fixture(params=[panels, bending_back], scope="module")
def case(request):
    model = request.param()
    rng = np.random.default_rng(7)
    q, v, a = model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    for name in ("wing", "flap"):
        q[model.joint(name).q] = 0.3 * rng.normal(size=len(q[model.joint(name).q]))
    reference = ModalReference(model.description)
    return model, q, v, a, reference, reference.at(q, v, a)


def near(found, expected, tolerance=1e-11):
    expected = np.real(expected)
    assert np.allclose(found, expected, rtol=0, atol=tolerance * max(1e-3, abs(expected).max()))


def test_forces_masses_and_momentum(case):
    """Nodes are replaced by a few point masses: without second order, and up to it, nothing may change."""
    model, q, v, a, _, now = case
    wrenches = {name: np.arange(1.0, 7.0) * (k + 1) for k, name in enumerate(model.body_names)}
    assert model.mass == pytest.approx(float(np.real(now.mass())), rel=1e-12)
    near(lo.center_of_mass(model, q), now.center_of_mass())
    near(lo.potential_energy(model, q), now.potential_energy())
    if model.name == "back":  # products of second-order shapes with each other are not kept by the point masses
        return
    near(lo.inverse_dynamics(model, q, v, a), now.inverse_dynamics())
    near(lo.inverse_dynamics(model, q, v, a, wrenches=wrenches), now.inverse_dynamics(wrenches))
    near(lo.mass_matrix(model, q), now.mass_matrix())
    near(lo.momentum(model, q, v), now.momentum())
    near(lo.kinetic_energy(model, q, v), now.kinetic_energy())


def test_second_order_is_complete(case):
    """What is left out of the mass matrix is of fourth order in the shapes: halving the coordinates divides it by four."""
    model, q, _, _, reference, _ = case
    errors = []
    for factor in (0.02, 0.01):
        small = q.copy()
        for name in ("wing", "flap"):
            small[model.joint(name).q] *= factor
        errors.append(abs(lo.mass_matrix(model, small) - np.real(reference.at(small).mass_matrix())).max())
    assert errors[0] < 1e-2 and (errors[1] < 1e-11 or np.log2(errors[0] / errors[1]) > 1.9)


def test_laws_within(case):
    """The compressed body is a mechanical system of its own: forward undoes inverse, and its columns are the mass matrix."""
    model, q, v, a, _, _ = case
    tau = lo.inverse_dynamics(model, q, v, a)
    loose = 1e-9 * max(1.0, float(np.linalg.cond(lo.mass_matrix(model, q))) * 1e-7)
    near(lo.forward_dynamics(model, q, v, tau), a, loose)
    bias = lo.inverse_dynamics(model, q, v, np.zeros(model.nv))
    near(lo.mass_matrix(model, q) @ a, tau - bias, 1e-10)
    near(v @ lo.mass_matrix(model, q) @ v / 2, lo.kinetic_energy(model, q, v))
    mask = np.arange(model.nv) % 3 == 1
    found = lo.hybrid_dynamics(model, q, v, np.where(mask, 7.0, tau), np.where(mask, a, 5.0), mask)
    near(found.a, a, loose)
    near(found.tau, tau, 1e-9)


def test_kinematics(case):
    model, q, v, a, _, now = case
    point = (0.01, -0.02, 0.03)
    for body in model.body_names:
        near(lo.forward_kinematics(model, q)[model.body_index(body)], now.pose(body))
        J = np.real(now.jacobian(body, point, "aligned"))
        near(lo.jacobian(model, q, body, point=point, frame="aligned"), J)
        rate = J @ a + np.real(now.jacobian_rate(body, point, "aligned")) @ v
        near(lo.acceleration(model, q, v, a, body, point=point, frame="aligned"), rate)


def spun_up(flex, spin=6.0, rise=15.0, **options):
    """Largest and last deflection of the tip, in the frame of the hub, of Kane's spin-up of a beam of 10 m."""
    w = 2 * np.pi / rise
    angle = lo.Function(
        lambda t: spin / rise * (min(t, rise) ** 2 / 2 + (np.cos(w * min(t, rise)) - 1) / w**2) + spin * max(t - rise, 0.0),
        lambda t: spin / rise * (min(t, rise) - np.sin(w * min(t, rise)) / w),
        lambda t: spin / rise * (1 - np.cos(w * min(t, rise))),
    )
    builder = lo.Builder("spin-up", gravity=(0, 0, 0)).body("beam", joint=lo.Joint("hub"), flex=flex)
    tip = {"along": len(flex.points) - 1} if isinstance(flex, lo.rods.Modes) else {}
    model = builder.body("tip", parent="beam", **tip).build()
    run = lo.Locomotion(model, drives={"hub": angle}).simulate(20.0, every=0.1, progress=False, method="adaptive", **options)
    place = lo.forward_kinematics(model, run.q)[:, 1, :3, 3]
    return run, np.cos(run.q[:, 0]) * place[:, 1] - np.sin(run.q[:, 0]) * place[:, 0]


def test_shortening_stiffens():
    """Kane's beam: with shapes of second order three modes follow the rod; without them the beam runs away, and it is said."""
    length, area, moment, young, density = 10.0, 4e-4, 2e-7, 7e10, 3000.0
    beam = (length, density * area * length, young * moment)
    section = lo.Section(area, moment, moment, 2 * moment)
    rod = lo.rods.Modes.beam(length, section, lo.Material(density, young, 0.3), 3, strains="bending_z", nodes=16)
    exact = spun_up(rod)[1]
    assert exact.min() == pytest.approx(-0.57, abs=0.02)  # about 0.57 m, Kane, Ryan and Banerjee (1987)
    stiff = spun_up(lo.rods.Modes.cantilever(*beam, 3))[1]
    assert abs(stiff - exact).max() < 5e-4 * length  # third order in the deflection, 0.057 of the length
    with pytest.warns(RuntimeWarning, match="more than half its first rate"):
        try:
            soft = spun_up(lo.rods.Modes.cantilever(*beam, 1, stiffening=False), rtol=1e-5)[1]
        except lo.RunFailed:
            soft = np.array([np.inf])
    assert abs(soft).max() > 3 * abs(exact).max()


def test_lines_give_the_shortening_of_a_beam():
    """`stiffened` from nodes alone approaches the integrals of slopes with the square of their distance."""
    errors = []
    for count in (20, 40):
        x = np.linspace(0.0, 1.0, count + 1)
        bend = np.stack([x**2, x**3])
        shapes = np.zeros((2, len(x), 3))
        shapes[:, :, 1] = bend
        modes = lo.rods.Modes(np.column_stack([x, 0 * x, 0 * x]), np.ones(len(x)), shapes, [1.0, 1.0])
        found = modes.stiffened([range(len(x))]).second[:, :, -1, 0]
        errors.append(abs(found + [[4 / 3, 3 / 2], [3 / 2, 9 / 5]]).max())
    assert errors[1] < 1e-3 and np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)


def test_damping():
    """Rayleigh's and modal damping, against the decay of each mode."""
    one = cloud(3, 12)
    ratio = [0.01, 0.02, 0.03]
    modes = lo.rods.Modes(one.points, one.masses, one.shapes, one.stiffness, ratio=ratio)
    A = np.block(
        [[np.zeros((3, 3)), np.eye(3)], [-np.linalg.solve(modes.modal_mass, np.hstack([modes.elastic, modes.viscous]))]]
    )
    poles = np.sort_complex(np.linalg.eigvals(A))
    found = sorted((abs(p), -p.real / abs(p)) for p in poles if p.imag > 0)
    assert np.allclose([x for x, _ in found], modes.rates) and np.allclose([z for _, z in found], ratio)
    M, K = one.modal_mass, one.elastic
    assert np.allclose(one.viscous, 0.1 * M + 0.02 * K)


def test_batches_equal_single_states(case):
    from test_rods import check_batches

    check_batches(case[0], (3, 5))
