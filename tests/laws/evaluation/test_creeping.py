"""Motion without inertia: what resists must balance; closed forms, scallops, springs, constraints, and forces that are not
linear."""

import numpy as np
import pytest

import locomote as lo
from locomote.law import dot, scale, sqrt

GLYCERINE = lo.Fluid(1260.0, 1.0)


def three_links(gravity=(0, 0, -9.81)):
    rod = {"inertia": lo.Inertia(1.0, moment=(1, 1, 1))}
    builder = lo.Builder("three links", base="planar", gravity=gravity).body("middle", **rod)
    builder.body("front", parent="middle", at=(0.5, 0, 0), joint=lo.Joint("front"), **rod)
    return builder.body("rear", parent="middle", at=(-0.5, 0, 0), joint=lo.Joint("rear"), **rod).build()


def rods(fluid=GLYCERINE):
    ends = {"middle": ((-0.5, 0, 0), (0.5, 0, 0)), "front": ((0, 0, 0), (1, 0, 0)), "rear": ((0, 0, 0), (-1, 0, 0))}
    return [lo.water.Resistive(name, fluid, *points, along=1.0, across=2.0) for name, points in ends.items()]


def swimmer(drives, **more):
    return lo.Locomotion(three_links(), drives=drives, environment=rods(), inertia=False, **more)


def moved(problem, duration):
    run = problem.simulate(duration, rtol=1e-11, atol=1e-13, progress=False)
    assert run.audit.ok, str(run.audit)
    return run.q[-1, :3] - run.q[0, :3], run


def test_one_hinge_or_a_path_back_and_forth_goes_nowhere():
    scallop = swimmer({"front": lo.Sine(1.0, 2 * np.pi), "rear": 0.3})
    there, run = moved(scallop, 1.0)
    assert abs(there).max() < 1e-9 and abs(run.q[:, :3]).max() > 0.05
    back = swimmer({"front": lo.Sine(1.0, 2 * np.pi), "rear": lo.Sine(-0.7, 2 * np.pi)})
    assert abs(moved(back, 1.0)[0]).max() < 1e-9


def test_the_same_path_faster_leads_to_the_same_place():
    def gait(rate):
        return swimmer({"front": lo.Sine(0.6, rate), "rear": lo.Sine(0.6, rate, phase=np.pi / 2)})

    slow, fast = moved(gait(0.5), 4 * np.pi)[0], moved(gait(3.0), 2 * np.pi / 3.0)[0]
    np.testing.assert_allclose(slow, fast, atol=1e-9)
    assert abs(slow[0]) > 0.01


def test_the_case_is_named_and_mass_does_not_matter():
    problem = swimmer({"front": lo.Sine(0.6, 1.0), "rear": lo.Sine(0.6, 1.0, phase=1.0)})
    case = problem.classify(0.0, problem.initial()[0])
    assert case.name == "without inertia" and "from balance of forces" in str(case) and not case.inertia
    assert problem.model.mass == 0 and problem.statement.model.mass == 3
    run = problem.simulate(1.0)
    assert not run.kinetic.any() and run.audit.balance < 1e-9
    with pytest.raises(ValueError, match="'gauss' is for motion with inertia"):
        problem.simulate(1.0, method="gauss")


def test_velocities_are_those_that_inertia_leaves_when_it_fades():
    """The same swimmer with little mass, after it has forgotten its start."""
    drives = {"front": lo.Sine(0.6, 1.0), "rear": lo.Sine(0.6, 1.0, phase=1.0)}
    creeping = swimmer(drives)
    light = lo.Builder("light", base="planar")
    rod = {"inertia": lo.Inertia(1e-4, moment=(1e-4, 1e-4, 1e-4))}
    light.body("middle", **rod).body("front", parent="middle", at=(0.5, 0, 0), joint=lo.Joint("front"), **rod)
    light.body("rear", parent="middle", at=(-0.5, 0, 0), joint=lo.Joint("rear"), **rod)
    q, v = creeping.initial()
    run = lo.Locomotion(light.build(), drives=drives, environment=rods()).simulate(0.1, q=q, v=v)
    now = creeping.evaluate(0.1, run.q[-1], run.v[-1])
    expected = creeping.simulate(0.1)
    np.testing.assert_allclose(run.v[-1], expected.v[-1], atol=2e-4)
    np.testing.assert_allclose(now.a[:3], expected.a[-1, :3], atol=2e-4)
    np.testing.assert_allclose(now.tau[3:], expected.tau[-1, 3:], atol=2e-3)


def test_accelerations_are_rates_of_velocities_and_torques_balance():
    problem = swimmer({"front": lo.Sine(0.6, 1.3), "rear": lo.Sine(0.5, 1.3, phase=1.0)})
    run = problem.simulate(2.0, samples=np.linspace(0, 2, 2001), rtol=1e-11, atol=1e-13)
    rate = (-run.v[4:] + 8 * run.v[3:-1] - 8 * run.v[1:-3] + run.v[:-4]) / (12 * 1e-3)
    np.testing.assert_allclose(run.a[2:-2], rate, atol=1e-8)
    R = problem.resistance(run.q[700])
    np.testing.assert_allclose(run.tau[700], R @ run.v[700], atol=1e-10)
    np.testing.assert_allclose(R, R.T, atol=1e-12)


def test_a_passive_joint_with_a_spring_relaxes_as_an_exponential():
    """A hinged rod on a wall: cn L^3/3 r' = -k r."""
    model = lo.Builder("rod").body("rod", joint=lo.Joint("hinge")).build()
    drag = [lo.water.Resistive("rod", GLYCERINE, (0, 0, 0), (2.0, 0, 0), along=1.0, across=3.0)]
    problem = lo.Locomotion(model, springs={"hinge": (4.0, 0.0, 0.5)}, environment=drag, inertia=False)
    run = problem.simulate(5.0, q=[0.8])
    np.testing.assert_allclose(run.q[:, 0], 0.8 * np.exp(-run.t * 4.0 / (8.0 + 0.5)), atol=1e-8)
    np.testing.assert_allclose(run.a[:, 0], run.q[:, 0] * (4.0 / 8.5) ** 2, atol=1e-7)
    assert run.audit.ok, str(run.audit)


def test_stokes_sinks_and_a_shear_turns_a_rod_as_jeffery_says():
    heavy = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia(0.5, moment=(1, 1, 1))).build()
    run = lo.Locomotion(heavy, environment=[lo.water.StokesDrag("ball", GLYCERINE, 0.1)], inertia=False).simulate(1.0)
    np.testing.assert_allclose(run.q[-1, 2], -0.5 * 9.81 / (6 * np.pi * 0.1), rtol=1e-9)
    assert run.audit.ok, str(run.audit)
    flow = lo.Fluid(1000.0, 1.0, lo.water.Shear(0.7, (1, 0, 0), (0, 1, 0)))
    rod = lo.Builder("rod", base="planar").body("rod", inertia=lo.Inertia(1.0, moment=(1, 1, 1))).build()
    drag = [lo.water.Resistive("rod", flow, (-1, 0, 0), (1, 0, 0), along=1.0, across=2.0)]
    run = lo.Locomotion(rod, environment=drag, inertia=False).simulate(4.0, q=[0.2, 0.3, 1.2])
    # a thin rod: angle' = -rate sin^2 angle
    np.testing.assert_allclose(1 / np.tan(run.q[:, 2]), 1 / np.tan(1.2) + 0.7 * run.t, atol=1e-7)


def three_sphere_speed(a, d, l=1.0, w=1.0):
    """Mean speed of three spheres of radius a on arms l that change by d sin(wt) and d cos(wt), over d^2 w."""
    builder = lo.Builder("spheres", base="x").body("middle")
    for name, side in (("left", -1), ("right", 1)):
        builder.body(name, parent="middle", at=(side * l, 0, 0), joint=lo.Joint(name, "prismatic", (side, 0, 0)))
    drives = {"left": lo.Sine(d, w), "right": lo.Sine(d, w, phase=np.pi / 2)}
    spheres = lo.water.ViscousSpheres(GLYCERINE, {"left": a, "middle": a, "right": a}, "oseen")
    problem = lo.Locomotion(builder.build(), drives=drives, environment=[spheres], inertia=False)
    run = problem.simulate(2 * np.pi / w, rtol=1e-13, atol=1e-18)
    assert run.audit.ok, str(run.audit)
    return -(run.q[-1, 0] - run.q[0, 0]) / (2 * np.pi * d**2)


def test_three_spheres_swim_as_golestanian_and_ajdari_say():
    """Phys. Rev. E 77 (2008) 036308: mean speed 7 a / (24 l^2) <d1 d2' - d1' d2>, to first order in a / l and to second in the
    strokes. Its error goes with a / l when strokes are small, with the square of the strokes when spheres are, and the limit of
    both is the closed form to six digits."""
    sizes, strokes = (0.04, 0.02, 0.01, 0.005), (0.16, 0.08, 0.04)
    table = np.array([[three_sphere_speed(a, d) / (7 * a / 24) - 1 for d in strokes] for a in sizes])
    assert (table[:, 0] > table[:, -1]).all()
    small = (64 * table[:, 2] - 20 * table[:, 1] + table[:, 0]) / 45  # strokes without end: errors d^2 and d^4 taken out
    orders = np.log2(small[:-1] / small[1:])
    assert (np.diff(orders) < 0).all() and orders[-1] == pytest.approx(1.0, abs=0.01)
    by_stroke = np.diff(table[-1])  # what is left of the strokes
    assert np.log2(by_stroke[0] / by_stroke[1]) == pytest.approx(2.0, abs=0.1)
    left, power = list(small), 1
    while len(left) > 1:
        left = [(2**power * fine - coarse) / (2**power - 1) for coarse, fine in zip(left[:-1], left[1:], strict=True)]
        power += 1
    assert abs(left[0]) < 1e-6


def test_spheres_feel_each_other_as_the_mobility_says():
    rng, n = np.random.default_rng(3), 4
    builder = lo.Builder("cloud")
    for k in range(n):
        builder.body(f"b{k}", joint=lo.Joint(f"j{k}", "xyz"))
    model, radii = builder.build(), {f"b{k}": 0.1 + 0.05 * k for k in range(n)}
    for interaction in ("oseen", "rotne-prager"):
        problem = lo.Locomotion(model, environment=[lo.water.ViscousSpheres(GLYCERINE, radii, interaction)], inertia=False)
        q = rng.normal(size=3 * n)
        if interaction == "rotne-prager":
            q[3:6] = q[:3] + [0.15, 0.05, 0.0]  # overlap
        M, a = np.zeros((3 * n, 3 * n)), list(radii.values())
        for i in range(n):
            for j in range(n):
                r = q[3 * i : 3 * i + 3] - q[3 * j : 3 * j + 3]
                x = np.linalg.norm(r)
                if i == j:
                    part = np.eye(3) / (6 * np.pi * a[i])
                elif interaction == "oseen":
                    part = (np.eye(3) + np.outer(r, r) / x**2) / (8 * np.pi * x)
                elif x > a[i] + a[j]:
                    s = (a[i] ** 2 + a[j] ** 2) / x**2
                    part = ((1 + s / 3) * np.eye(3) + (1 - s) * np.outer(r, r) / x**2) / (8 * np.pi * x)
                else:
                    diff, total = (a[i] - a[j]) ** 2, a[i] + a[j]
                    part = (16 * x**3 * total - (diff + 3 * x**2) ** 2) / (32 * x**3) * np.eye(3)
                    part = (part + 3 * (diff - x**2) ** 2 / (32 * x**3) * np.outer(r, r) / x**2) / (6 * np.pi * a[i] * a[j])
                M[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] = part
        np.testing.assert_allclose(problem.resistance(q) @ M, np.eye(3 * n), atol=1e-10)


def test_constraints_hold_without_inertia():
    """A rod on a blade in a stream across it: only its part along the blade takes it along."""
    flow = lo.Fluid(1000.0, 1.0, lo.water.Uniform((1.0, 0.5, 0.0)))
    rod = lo.Builder("rod", base="planar").body("rod", inertia=lo.Inertia(1.0, moment=(1, 1, 1))).build()
    drag = [lo.water.Resistive("rod", flow, (-1, 0, 0), (1, 0, 0), along=1.0, across=2.0)]
    problem = lo.Locomotion(rod, environment=drag, constraints=[lo.Blade("rod")], inertia=False)
    q = np.array([0.0, 0.0, 0.4])
    now, along = problem.evaluate(0.0, q, np.zeros(3)), np.array([np.cos(0.4), np.sin(0.4)])
    run = problem.simulate(1.0, q=q)
    np.testing.assert_allclose(run.q[-1, :2], along * (along @ [1.0, 0.5]), atol=1e-8)
    np.testing.assert_allclose(abs(now.reactions), abs(2.0 * 2.0 * (np.array([-along[1], along[0]]) @ [1.0, 0.5])), rtol=1e-9)
    falls = (
        lo.Builder("rod", base="planar", gravity=(0, -9.81, 0)).body("rod", inertia=lo.Inertia(1.0, moment=(1, 1, 1))).build()
    )
    run = lo.Locomotion(falls, environment=drag, constraints=[lo.Blade("rod")], inertia=False).simulate(1.0, q=q)
    speed = along @ [1.0, 0.5] - 9.81 * along[1] / 2.0
    np.testing.assert_allclose(run.q[-1, :2], speed * along, atol=1e-8)
    assert run.audit.ok, str(run.audit)


@lo.force
def turbulent(t, R, o, u, w, push):
    """Quadratic drag, and a constant push along x."""
    return (push - 3.0 * sqrt(dot(u, u) + 1e-18) * u[0], -3.0 * sqrt(dot(u, u) + 1e-18) * u[1], 0.0), scale(-1.0, w)


def test_forces_that_are_not_proportional_to_velocities_balance_too():
    model = lo.Builder("sled", base="planar").body("sled", inertia=lo.Inertia(1.0, moment=(1, 1, 1))).build()
    problem = lo.Locomotion(model, environment=[turbulent("sled", push=12.0)], inertia=False)
    q, v = problem.initial(v=[1.0, 0.0, 0.0])
    np.testing.assert_allclose(v, [2.0, 0.0, 0.0], atol=1e-9)
    assert problem.simulate(0.5, v=[1.0, 0, 0]).q[-1, 0] == pytest.approx(1.0, rel=1e-8)


def test_what_nothing_resists_is_said():
    problem = lo.Locomotion(three_links(), environment=rods()[:1], inertia=False)
    with pytest.raises(lo.LocomoteError, match="moves no mass|not finite|resist"):
        problem.evaluate(0.0, problem.model.neutral(), np.zeros(5))


def test_the_stokes_connection_and_its_curvature_predict_a_small_loop():
    problem = swimmer({"front": lo.Sine(0.6, 1.0), "rear": lo.Sine(0.6, 1.0, phase=1.0)})
    q = np.array([0, 0, 0, 0.4, -0.7])
    connection = problem.connection(q)
    assert connection.kind == "stokes"
    R = problem.resistance(q)
    np.testing.assert_allclose(connection.A, np.linalg.solve(R[:3, :3], R[:3, 3:]), atol=1e-12)
    e = 0.01
    path = {"front": lo.Sine(e, 1.0, offset=0.4), "rear": lo.Sine(e, 1.0, phase=np.pi / 2, offset=-0.7 - e)}
    net = problem.net_displacement(path, 2 * np.pi, q)
    area = -np.pi * e * e  # front = sin, rear = cos: clockwise
    np.testing.assert_allclose(net / area, -connection.curvature[0, 1], atol=0.02 * abs(connection.curvature).max())


def test_rollouts_without_inertia_are_those_of_one_run():
    problem = swimmer({"front": lo.Sine(0.6, 1.0), "rear": lo.Sine(0.6, 1.0, phase=1.0)})
    q, v = problem.initial()
    for method in ("rk4", "euler"):
        runs = lo.rollout(problem, batch=9, q=q, v=v, duration=1.0, step=2e-3, method=method)
        run = problem.simulate(1.0, q=q, v=v, rtol=1e-10)
        np.testing.assert_allclose(runs.q[:, -1], np.tile(run.q[-1], (9, 1)), atol=1e-9 if method == "rk4" else 2e-3)
        np.testing.assert_allclose(runs.v[:, -1], np.tile(run.v[-1], (9, 1)), atol=1e-8 if method == "rk4" else 2e-3)


def test_rods_of_many_coordinates_without_inertia():
    """Resistances of high strains are small and their velocities large: what balances is measured by the sums that cancel."""
    ends = []
    for order in (7, 15):
        rod = lo.Rod(0.3, lo.Section.circle(0.004), lo.Material(1000.0, 1e6), strains="bending_z", order=order)
        model = lo.Builder("filament", gravity=(0, 0, 0)).body("rod", flex=rod).build()
        honey = lo.water.Resistive("rod", lo.Fluid(1000.0, 1.0), 0.0, 0.3, radius=0.004)
        problem = lo.Locomotion(model, environment=[honey], inertia=False)
        q = model.neutral()
        q[:4] = 0.5, -0.3, 0.2, 0.1
        run = problem.simulate(0.02, q=q, rtol=1e-5, atol=1e-7, samples=[0.0, 0.02], progress=False)
        assert run.info["steps"] + run.info["rejected"] < 300 and run.audit.ok, str(run.audit)
        ends.append(lo.rods.sections(problem.model, run.q[-1], "rod").poses[-1, :3, 3])
    assert abs(ends[0] - ends[1]).max() < 1e-5 and abs(ends[0][1]) > 1e-4
