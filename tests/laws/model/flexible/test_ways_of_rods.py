"""Several ways to one flexible body: cut in two, rigid, modal, rigid links, imposed in part; and what free flight keeps."""

import numpy as np
import pytest
from rod_reference import RodReference

import locomote as lo

SOFT, ROUND = lo.Material(1000.0, 1e6, damping=0.005), lo.Section.circle(0.02)
LIMB = {"inertia": lo.Inertia(0.1, com=(0.02, 0.0, 0.01), moment=(1e-4, 2e-4, 2e-4))}
TIGHT = {"method": "gauss", "rtol": 1e-11, "atol": 1e-14, "progress": False}


def test_a_rod_cut_in_two_moves_as_it_did():
    """A rod of two pieces, and two rods in series: the same fall."""
    whole = lo.Rod(0.6, ROUND, SOFT, strains="bending_y bending_z", basis=lo.rods.Pieces(2, 1), nodes=16)
    half = lo.Rod(0.3, ROUND, SOFT, strains="bending_y bending_z", order=1, nodes=8)
    one = lo.Builder("one").body("rod", flex=whole).body("tip", parent="rod", **LIMB).build()
    two = lo.Builder("two").body("a", flex=half).body("b", parent="a", flex=half).body("tip", parent="b", **LIMB).build()
    places = []
    for model in (one, two):
        run = lo.Locomotion(model).simulate(0.3, every=0.05, **TIGHT)
        places.append(lo.forward_kinematics(model, run.q)[:, -1])
    assert abs(places[0][-1, 2, 3]) > 0.05
    assert np.allclose(places[0], places[1], rtol=0, atol=1e-9)


def test_rigid_limit():
    """The stiffer a pendulum, the nearer to a rigid one, in proportion to its compliance."""
    m, L = 1000.0 * np.pi * 4e-4 * 0.5, 0.5
    moment = [m * 2e-4, m * (L**2 / 12 + 1e-4), m * (L**2 / 12 + 1e-4)]
    rigid = lo.Inertia(m, com=(L / 2, 0.0, 0.0), moment=moment)
    hinge = lo.Joint("hinge", axis="y")
    hard = lo.Builder("hard").body("rod", joint=hinge, inertia=rigid).build()
    expected = lo.Locomotion(hard).simulate(0.5, rtol=1e-11, atol=1e-13, progress=False).q[-1, 0]
    away = []
    for young in (1e8, 1e9, 1e10, 1e11):
        rod = lo.Rod(L, ROUND, lo.Material(1000.0, young, damping=1e-2), strains="bending_y", order=2, nodes=8)
        soft = lo.Builder("soft").body("rod", joint=hinge, flex=rod).body("end", parent="rod").build()
        run = lo.Locomotion(soft).simulate(0.5, method="gauss", rtol=1e-9, atol=1e-12, progress=False)
        tip = lo.forward_kinematics(soft, run.q[-1])[-1, :3, 3]
        away.append(abs(np.arctan2(-tip[2], tip[0]) - expected))
    assert away[-1] < 1e-6 and np.allclose(np.log10(np.array(away[:-1]) / away[1:]), 1.0, atol=0.1)


def test_momentum_of_a_free_flying_rod():
    rod = lo.Rod(1.0, ROUND, lo.Material(1000.0, 1e6), strains="kirchhoff", order=3, nodes=10)
    model = lo.Builder("free", base="free", gravity=(0, 0, 0)).body("rod", flex=rod).body("tip", parent="rod", **LIMB).build()
    rng = np.random.default_rng(3)
    q, v = model.neutral(), rng.normal(size=model.nv)
    v[6:] *= 0.5
    for method, duration in (("gauss", 0.5), ("adaptive", 0.1)):
        run = lo.Locomotion(model).simulate(
            duration, q=q, v=v, every=duration / 5, method=method, rtol=1e-13, atol=1e-16, progress=False
        )
        kept = lo.momentum(model, run.q, run.v)
        away = abs(kept - kept[0]).max(axis=0) / abs(kept[0]).max()
        assert away.max() < 1e-12, (method, away)


@pytest.mark.parametrize(("second", "order"), [(True, 3), (False, 2)])
def test_modal_bodies_are_rods_to_their_order(second, order):
    """Where one mode of a cantilever leads to: shapes of second order leave what is cubic, those of first what is square."""
    modal = lo.rods.Modes.cantilever(1.0, 1.0, 1.0, 1, stiffening=second)
    thin = lo.Section(1.0, 1e-14, 1e-14, 1e-14)
    rod = lo.Rod(1.0, thin, lo.Material(1.0, 1e14, poisson=0.0), strains="bending_z", basis=lo.rods.BeamModes(1), nodes=120)
    models = [
        lo.Builder("modal", gravity=(0, 0, 0))
        .body("b", flex=modal)
        .body("tip", parent="b", along=len(modal.points) - 1)
        .build(),
        lo.Builder("rod", gravity=(0, 0, 0)).body("b", flex=rod).body("tip", parent="b").build(),
    ]
    K = [model.flexible.rods["b"].elastic[0, 0] for model in models]  # of different scales: the same energy
    away = []
    for size in (0.2, 0.1, 0.05):
        ends = [lo.forward_kinematics(m, [size / np.sqrt(k)])[-1, :3, 3] for m, k in zip(models, K, strict=True)]
        away.append(np.linalg.norm(ends[0] - ends[1]))
    assert np.allclose(np.log2(np.array(away[:-1]) / away[1:]), order, atol=0.1)


def test_rigid_links_hang_as_the_rod_with_order_two():
    rod = lo.Rod(0.5, ROUND, SOFT, strains="bending_y", order=6, nodes=40)
    whole = lo.Builder("rod").body("rod", flex=rod).body("tip", parent="rod").build()
    exact = lo.forward_kinematics(whole, lo.equilibrium(lo.Locomotion(whole)).q)[-1, :3, 3]
    away = []
    for count in (8, 16, 32):
        links = lo.rods.segments(rod, count)
        away.append(np.linalg.norm(lo.forward_kinematics(links, lo.equilibrium(lo.Locomotion(links)).q)[-1, :3, 3] - exact))
    assert abs(exact[2]) > 0.1 and away[-1] < 1e-3
    assert np.allclose(np.log2(np.array(away[:-1]) / away[1:]), 2.0, atol=0.1)


def test_a_part_imposed_and_a_part_passive():
    """A fish whose body waves and whose tail is left to itself, in one rod: against point masses along it."""
    rod = lo.Rod(0.4, ROUND, SOFT, strains="stretch bending_y bending_z", order=3, nodes=8)
    model = (
        lo.Builder("fish", base="free")
        .body("head", inertia=lo.Inertia(0.5, com=(-0.05, 0, 0), moment=(1e-3, 1e-3, 1e-3)))
        .body("tail", parent="head", flex=rod)
        .body("fin", parent="tail", along=0.3, joint=lo.Joint("hinge", axis="z", stiffness=0.1, damping=1e-3), **LIMB)
        .build()
    )
    names = [slot.name for slot in model.layout() if slot.vector == "v"]
    waving = [k - 6 for k, name in enumerate(names) if "bending_z" in name][:2]
    problem = lo.Locomotion(
        model,
        drives={("tail", k): lo.Sine(2.0, 7.0, phase=k) for k in waving},
        actuators=[lo.Muscle("tail", ((0, 0.01, 0), (0.4, 0.005, 0)), force=1.0, activation=lo.Sine(0.5, 5.0, offset=0.5))],
    )
    assert problem.imposed.sum() == 2
    rng, t = np.random.default_rng(5), 0.3
    q, v = problem.initial(model.integrate(model.neutral(), 0.3 * rng.normal(size=model.nv)), rng.normal(size=model.nv), t)
    now = problem.evaluate(t, q, v)
    needed = np.real(RodReference(model.description).at(q, v, now.a).inverse_dynamics())
    inner = muscle_force(model, q, v, 0.5 + 0.5 * np.sin(5.0 * t))
    rest = needed - lo.passive_force(model, q, v) - inner
    free = ~problem.imposed
    assert abs(rest[free]).max() < 1e-10 * abs(needed).max()
    assert np.allclose(now.tau[problem.imposed], rest[problem.imposed], rtol=0, atol=1e-10 * abs(needed).max())
    run = problem.simulate(0.5, progress=False)
    assert run.audit.ok, str(run.audit)


def muscle_force(model, q, v, activation):
    """(nv,) force of the muscle: what it changes where nothing is imposed."""
    free = lo.Locomotion(
        model, actuators=[lo.Muscle("tail", ((0, 0.01, 0), (0.4, 0.005, 0)), force=1.0, activation=activation)]
    )
    none = lo.Locomotion(model)
    M = lo.mass_matrix(free.model, q)
    return M @ (free.evaluate(0.0, q, v).a - none.evaluate(0.0, q, v).a)
