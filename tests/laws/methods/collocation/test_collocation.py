"""Steps of soft bodies by Gauss collocation: with constraints and drives, what they conserve, how they go on, and what they say
when a rod is asked for too much."""

import pickle

import numpy as np
import pytest
from rod_problems import SOFT, blades, ring

import locomote as lo
from locomote.linear.symmetric import factor_complex, factor_real, solve_complex, solve_real
from locomote.locomotion.record import problem_from_record
from locomote.model.flexible.rods import natural_order


def test_symmetric_systems_against_numpy():
    rng = np.random.default_rng(0)
    for n, first in ((1, 0), (7, 0), (16, 3), (21, 5)):
        A = rng.normal(size=(n, n)) + 1j * rng.normal(size=(n, n))
        A = A + A.T + 4 * n * np.eye(n)
        A[: n // 2, n // 2 : n - 1] = A[n // 2 : n - 1, : n // 2] = 0.0  # branches that do not know each other
        b = rng.normal(size=n) + 1j * rng.normal(size=n)
        whole = np.zeros((2, n, (n + 7) // 8 * 8))
        whole[0, :, :n], whole[1, :, :n] = A.real, A.imag
        x, y = np.zeros((2, whole.shape[2]))  # as long as whole vectors take
        x[:n], y[:n] = b.real, b.imag
        factor_complex(whole[0], whole[1], first, n)
        solve_complex(whole[0], whole[1], first, n, x, y)
        expected = np.linalg.solve(A[first:, first:], b[first:])
        assert np.allclose((x + 1j * y)[first:n], expected, rtol=0, atol=1e-13)
        assert (x[:first] == b.real[:first]).all()
        real, z = np.zeros_like(whole[0]), np.zeros(whole.shape[2])
        real[:, :n], z[:n] = A.real, b.real
        assert factor_real(real, first, n)
        solve_real(real, first, n, z)
        assert np.allclose(z[first:n], np.linalg.solve(A.real[first:, first:], b.real[first:]), rtol=0, atol=1e-13)
    assert not factor_real(np.array([[1.0, 2.0], [2.0, 1.0]]).repeat(4, axis=1)[:, [0, 4, 1, 2, 3, 5, 6, 7]].copy(), 0, 2)


def driven_loop():
    """A closed loop of two rods and a link, whose first joint is driven."""
    rod = lo.Rod(0.5, lo.Section.circle(0.01), SOFT, strains="bending_z stretch", order={"bending": 2, "stretch": 1})
    model = (
        lo.Builder("loop", base="fixed", gravity=(0, -9.81, 0))
        .body("crank", joint=lo.Joint("motor", axis="z"), inertia=lo.Inertia(0.1, com=(0.05, 0, 0), moment=(1e-4, 1e-4, 1e-4)))
        .body("coupler", parent="crank", at=(0.1, 0, 0), joint=lo.Joint("knee", axis="z"), flex=rod)
        .body("end", parent="coupler", inertia=lo.Inertia(0.05))
        .body(
            "rocker", at=(0.6, -0.3, 0), joint=lo.Joint("pivot", axis="z"), inertia=lo.Inertia(0.1, moment=(1e-3, 1e-3, 1e-3))
        )
        .body("top", parent="rocker", at=(0.0, 0.3, 0))
        .build()
    )
    held = lo.LoopClosure("end", "top", kind="spherical")
    return lo.Locomotion(model, drives={"motor": lo.Sine(0.3, 12.0)}, constraints=[held])


@pytest.mark.parametrize(("make", "duration"), [(blades, 0.2), (ring, 0.03), (driven_loop, 0.1)])
def test_constraints(make, duration):
    """Collocation with constraints goes to where short explicit steps go, the faster the tighter its tolerance."""
    problem = make()
    start = {}
    if make is blades:
        q, v = problem.model.neutral(), np.zeros(problem.model.nv)
        q[-1], v[0] = 0.4, 0.3
        start = {"q": q, "v": v}
    times = {"every": duration / 5, "progress": False}
    fine = problem.simulate(duration, **start, **times, method="adaptive", rtol=1e-10, atol=1e-12)
    errors = []
    for rtol in (1e-4, 1e-8):
        run = problem.simulate(duration, **start, **times, method="gauss", rtol=rtol)
        assert run.audit.ok, str(run.audit)
        assert run.residual.max() < 1e-9 and run.position_residual.max() < 1e-9
        assert run.info["steps"] < 0.2 * fine.info["steps"]
        errors.append(abs(run.v - fine.v).max() / abs(fine.v).max())
    assert errors[0] < 2e-2 and errors[1] < 0.1 * errors[0], errors
    usual = problem.simulate(duration, **start, **times)
    assert usual.info["method"] == "gauss" and usual.audit.ok, str(usual.audit)


def test_steps_end_where_drives_are_not_smooth():
    """What it takes to move the hub of a beam is not felt by the beam: steps that end at a kink integrate its work best."""
    model, end = lo.systems.load("spin_up_beam").model, 7.3
    ramp, still = lo.Polynomial([0.0, 2.0], ramp=end), lo.Cycloid(0.0, 20.0, end)

    def gap(motion):
        problem = lo.Locomotion(model, drives={"hub": motion}, tolerances=(1e-10, 1e-13))
        return problem.simulate(20.0, samples=[0.0, 5.0, 11.0, 20.0], progress=False).audit.balance

    def as_functions(drive, **more):
        return lo.Function(*(lambda t, k=k: drive(t)[k] for k in range(3)), **more)

    assert gap(ramp) < 1e-9 and gap(still) < 1e-9
    assert gap(as_functions(ramp)) > 1e-8 and gap(as_functions(ramp, breaks=(0.0, end))) < 1e-9
    assert gap(as_functions(still)) < 1e-9  # a kink of its third derivative, which steps find by the work of the drive
    assert lo.Spline([1.0, 2.0, 4.0], [0.0, 1.0, 0.0])._breaks() == (1.0, 4.0)
    assert (lo.Sine(1.0, 2.0, ramp=3.0) + still)._breaks() == (0.0, 3.0, 0.0, end)


def test_constrained_steps_stay_as_good_without_samples():
    """Drift off the constraints is part of the error of a step: bringing it back takes energy."""
    problem = lo.systems.load("parallel_continuum").problem()
    run = problem.simulate(2.0, samples=[0.0, 2.0])
    assert run.info["rtol"] == problem.tolerances[0] == 1e-10 and run.audit.balance < 1e-8, str(run.audit)


def test_tolerances_of_a_problem_and_of_a_call():
    problem = lo.Locomotion(driven_loop().model, drives={"motor": 0.0}, tolerances=(1e-6, 1e-9))
    assert pickle.loads(pickle.dumps(problem)).tolerances == (1e-6, 1e-9)
    assert problem_from_record(problem.to_record()).tolerances == (1e-6, 1e-9)
    own, asked = (problem.simulate(1e-3, rtol=rtol, samples=[0.0]).info for rtol in (None, 1e-4))
    assert (own["rtol"], own["atol"], asked["rtol"], asked["atol"]) == (1e-6, 1e-9, 1e-4, 1e-9)


def test_a_rod_cut_in_two_moves_the_same():
    """A rod of two pieces, and two rods end to end, by different steps of different sizes of problem."""
    section, material = lo.Section.circle(0.02), lo.Material(1000.0, 5e6)
    whole = lo.Rod(1.0, section, material, strains="bending_z", basis=lo.rods.Pieces(2, 2), nodes=16, breaks=(0.5,))
    half = lo.Rod(0.5, section, material, strains="bending_z", order=2, nodes=8)
    one = lo.Builder("one", gravity=(0, -9.81, 0)).body("a", flex=whole).build()
    two = lo.Builder("two", gravity=(0, -9.81, 0)).body("a", flex=half).body("b", parent="a", flex=half).build()
    tips = []
    for model, body in ((one, "a"), (two, "b")):
        run = lo.Locomotion(model).simulate(0.5, every=0.05, rtol=1e-8, progress=False)
        assert run.info["method"] == "gauss" and run.audit.balance < 1e-8
        tips.append(lo.rods.sections(model, run.q, body).poses[:, -1, :3, 3])
    assert abs(tips[0][:, 1]).max() > 0.3
    assert np.allclose(tips[0], tips[1], rtol=0, atol=1e-7)


def test_a_stiff_rod_swings_as_a_rigid_one():
    length, density, section = 0.8, 2000.0, lo.Section.circle(0.02)
    rod = lo.Rod(length, section, lo.Material(density, 2e11), strains="all", order=1)
    hinge = lo.Joint("hinge", axis="z")
    soft = lo.Builder("soft", gravity=(0, -9.81, 0)).body("rod", joint=hinge, flex=rod).build()
    mass = density * section.area * length
    across = mass * (length**2 / 12 + section.about_y / section.area)
    inertia = lo.Inertia(mass, com=(length / 2, 0, 0), moment=(2 * density * section.about_y * length, across, across))
    rigid = lo.Builder("rigid", gravity=(0, -9.81, 0)).body("rod", joint=hinge, inertia=inertia).build()
    one = lo.Locomotion(soft).simulate(1.0, every=0.1, rtol=1e-6, progress=False)
    two = lo.Locomotion(rigid).simulate(1.0, every=0.1, progress=False)
    assert one.info["method"] == "gauss" and one.info["steps"] < 2000
    assert np.allclose(one.q[:, 0], two.q[:, 0], rtol=0, atol=2e-5)


def test_momentum_of_a_free_rod():
    rod = lo.Rod(1.0, lo.Section.rectangle(0.02, 0.04), lo.Material(1000.0, 1e7), strains="bending torsion", order=2)
    model = lo.Builder("flying", base="free", gravity=(0, 0, 0)).body("rod", flex=rod).build()
    v = np.zeros(model.nv)
    v[:6] = 0.3, -0.2, 0.5, 1.0, 2.0, -1.5
    run = lo.Locomotion(model).simulate(0.1, v=v, every=0.02, method="adaptive", rtol=1e-13, atol=1e-15, progress=False)
    momentum = lo.momentum(model, run.q, run.v)
    assert np.ptp(momentum, axis=0).max() < 1e-12 * abs(momentum).max()
    other = lo.Locomotion(model).simulate(0.1, v=v, every=0.02, rtol=1e-9, progress=False)
    assert np.ptp(lo.momentum(model, other.q, other.v), axis=0).max() < 1e-8 * abs(momentum).max()
    assert other.audit.balance < 1e-8 and other.info["steps"] < 0.5 * run.info["steps"]


def test_going_on_is_the_same_as_not_stopping(tmp_path):
    rod = lo.Rod(0.5, lo.Section.circle(0.02), lo.Material(1000.0, 1e6), strains="bending_z stretch", order=2)
    problem = lo.Locomotion(lo.Builder("arm", gravity=(0, -9.81, 0)).body("arm", flex=rod).build())
    steps = {"rtol": 1e-9, "progress": False}  # so short that they end at samples, as those of a run that ends there
    whole = problem.simulate(0.4, samples=np.linspace(0.0, 0.4, 9), **steps)
    first = problem.simulate(0.2, samples=np.linspace(0.0, 0.2, 5), checkpoint=tmp_path / "run.h5", **steps)
    longer = lo.open_run(tmp_path / "run.h5").extend(0.2, every=0.05, progress=False)
    assert (first.q == whole.q[:5]).all()
    assert np.allclose(longer.q, whole.q, rtol=0, atol=1e-12 * abs(whole.q).max())


def test_too_much_turn_in_a_run():
    rod = lo.Rod(1.0, lo.Section.circle(0.005), lo.Material(1000.0, 1e5), strains="bending_z", order=1, nodes=3)
    model = (
        lo.Builder("x", gravity=(0, 0, 0))
        .body("a", flex=rod)
        .body("tip", parent="a", inertia=lo.Inertia(0.1, moment=(1e-3, 1e-3, 1e-3)))
        .build()
    )
    with pytest.raises(lo.RunFailed, match=r"rod 'a' turns by 3\.\d+ rad between .* give it nodes=[67] or more"):
        lo.Locomotion(model).simulate(2.0, v=[30.0, 0.0], every=0.1, progress=False)


@pytest.mark.parametrize("method", ["auto", "adaptive"])
def test_pressed_through_zero_length(method):
    rod = lo.Rod(0.2, lo.Section.circle(0.01), lo.Material(1000.0, 1e3), strains="stretch", order=1)
    model = lo.Builder("x", gravity=(-9.81, 0, 0)).body("a", flex=rod).body("tip", parent="a", inertia=lo.Inertia(0.5)).build()
    with pytest.raises(lo.RunFailed, match=r"rod 'a' is pressed through zero length at X = .*too soft for this load"):
        lo.Locomotion(model).simulate(2.0, every=0.1, method=method, progress=False)


def test_orders_follow_softness():
    section = lo.Section.circle(0.02)
    orders = []
    for young in (1e6, 1e7, 1e9):
        rod = lo.Rod(1.0, section, lo.Material(1000.0, young), strains="all")
        expected = 1000.0 * 9.81 * section.area / (young * section.about_y)
        assert np.isclose(rod.softness, expected)
        orders.append([natural_order(rod.softness, name) for name in ("stretch", "torsion", "bending_z")])
        assert rod.order_of("bending_z") == orders[-1][2]
    assert orders == [[8, 5, 12], [3, 2, 6], [1, 1, 3]]
    assert natural_order(1e30, "bending_y") == 20


def test_the_default_rod_is_right_to_a_thousandth_of_its_length():
    """A cantilever let go, against one with finer strains, more nodes and much tighter steps by explicit Runge-Kutta."""
    tips = []
    for order, nodes, method, rtol in ((None, None, "auto", None), (5, 24, "adaptive", 1e-9)):
        material = lo.Material(1000.0, 3e7, damping=5e-4)
        rod = lo.Rod(1.0, lo.Section.circle(0.02), material, strains="bending_z", order=order, nodes=nodes)
        model = lo.Builder("cantilever", gravity=(0, -9.81, 0)).body("rod", flex=rod).build()
        run = lo.Locomotion(model).simulate(0.5, every=0.02, method=method, rtol=rtol, progress=False)
        tips.append(lo.rods.sections(model, run.q, "rod").poses[:, -1, :3, 3])
        assert run.audit.ok, str(run.audit)
    assert abs(tips[0] - tips[1]).max() < 1e-3


def test_an_attempt_that_fails_leaves_nothing_behind():
    """Steps of a thrown rod at loose tolerances overshoot until stages are not numbers; shorter ones go on from there."""
    system = lo.systems.load("flying_rod")
    problem, (q, v) = system.problem(), system.initial
    fine = problem.simulate(0.5, q=q, v=v, every=0.05, method="gauss", rtol=1e-8, atol=1e-11, progress=False)
    for method in ("gauss", "gauss4", "gauss8"):
        run = problem.simulate(0.5, q=q, v=v, every=0.05, method=method, rtol=1e-3, atol=1e-10, progress=False)
        assert run.info["status"] == "finished" and run.info["rejected"] > 0
        assert abs(run.q[-1, :3] - fine.q[-1, :3]).max() < 0.02
