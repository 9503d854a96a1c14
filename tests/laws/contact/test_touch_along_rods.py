"""Rods that lie, slide, roll, hit and are lifted: contacts on their sections, against closed forms, a boundary-value problem of
the heavy elastica, rigid links and the balance of momentum."""

import pickle

import numpy as np
import pytest
from scipy.integrate import solve_bvp

import locomote as lo

LENGTH, RADIUS, DENSITY, YOUNG, G = 1.0, 0.02, 1000.0, 1e6, 9.81
AREA = np.pi * RADIUS**2
LOAD = DENSITY * AREA * G  # weight per length, N/m
BENDING = YOUNG * np.pi * RADIUS**4 / 4


def a_rod(strains="bending", order=4, damping=0.02, young=YOUNG, **more):
    material = lo.Material(DENSITY, young, damping=damping)
    return lo.Rod(LENGTH, lo.Section.circle(RADIUS), material, strains=strains, order=order, **more)


def free(rod, base="free"):
    return lo.Builder("rod", base=base).body("rod", flex=rod).build()


def on_ground(problem, above=0.0):
    q = problem.model.neutral()
    q[2] = RADIUS + above
    return q


def stepped(problem, T, **options):
    return problem.simulate(T, **{"step": 1e-3, "progress": False} | options)


def lying(elements=None, friction=0.0, **rod):
    touch = lo.Touch("rod", lo.Ground(friction=friction), start=0.0, elements=elements, name="belly")
    return lo.Locomotion(free(a_rod(**rod)), contacts=[touch])


# at rest and sliding


@pytest.mark.parametrize("strains, young", [("bending", 1e6), ("all", 1e6), ("all", 1e9)])
def test_a_lying_rod_is_carried_evenly(strains, young):
    off = []
    for nodes in (8, 16):
        problem = lying(strains=strains, young=young, nodes=nodes)
        run = stepped(problem, 0.3, q=on_ground(problem))
        assert run.audit.ok and run.info["method"] == "timestep"
        field = lo.rods.contact_field(run, "belly")
        assert np.allclose((field.force[1:, :, 2] * field.shares).sum(axis=1), LOAD * LENGTH, rtol=1e-6)
        assert abs(run.contact_points[-1, :, 2]).max() < 1e-9  # the skin touches, not the center line
        off.append(abs(field.force[-1, :, 2] / LOAD - 1).max())
    assert off[0] < 5e-3 and off[1] < off[0] / 10


def test_a_dropped_rod_comes_to_lie():
    problem = lying(order=6)
    run = stepped(problem, 1.0, q=on_ground(problem, 0.05))
    assert run.audit.ok and np.diff(run.total).max() < 1e-9
    assert abs(run.v[-1]).max() < 1e-6 and run.q[-1, 2] == pytest.approx(RADIUS, abs=1e-9)


@pytest.mark.parametrize("strains", ["bending", "all"])
def test_a_sliding_rod_stops_where_it_must(strains):
    problem, friction, speed = lying(friction=0.3, strains=strains, order=2), 0.3, 1.0
    v = np.zeros(problem.model.nv)
    v[0] = speed
    run = stepped(problem, 0.5, q=on_ground(problem), v=v)
    assert run.audit.ok
    assert run.q[-1, 0] - run.q[0, 0] == pytest.approx(speed**2 / (2 * friction * G), abs=2e-5)


def test_a_rolling_rod_is_held_up_by_rolling_friction():
    arm, speed = 1e-3, 0.2
    ground = lo.Ground(friction=0.8, rolling=arm)
    touch = lo.Touch("rod", ground, start=0.0)
    problem = lo.Locomotion(free(a_rod("bending torsion", order=1)), contacts=[touch])
    v = np.zeros(problem.model.nv)
    v[1], v[3] = speed, -speed / RADIUS
    slowing = arm / RADIUS * G / (1 + 0.5)  # moment of inertia m r^2 / 2
    run = stepped(problem, 0.3, q=on_ground(problem), v=v)
    path = speed * run.t - 0.5 * slowing * run.t**2
    assert slowing * run.t[-1] < speed and run.audit.ok
    assert np.allclose(run.q[:, 1], path, atol=1e-5)


# lifted


def elastica(height):
    """Length that hangs free, lifting force and slope at the lifted end of a heavy inextensible rod on a plane.

    s from where it leaves the plane, with a force there: theta'' = (force - load s) cos(theta) / B, no moment at either end.
    """

    def rates(s, y, p):
        theta, kappa, _ = y
        return np.array([p[0] * kappa, p[0] * (p[1] - LOAD * p[0] * s) * np.cos(theta) / BENDING, p[0] * np.sin(theta)])

    def ends(a, b, p):
        return np.array([a[0], a[1], a[2], b[1], b[2] - height])

    s = np.linspace(0, 1, 60)
    small = (24 * BENDING * height / LOAD) ** 0.25  # of small slopes
    guess = np.array([height / small * s**2, 0.2 * s * (1 - s), height * s**2])
    found = solve_bvp(rates, ends, s, guess, p=[small, LOAD * small / 2], tol=1e-8)
    assert found.success
    return found.p[0], LOAD * found.p[0] - found.p[1], found.y[0, -1], found


def lifted(height, elements=None, **rod):
    builder = lo.Builder("crane", base="fixed").body("hook", joint=lo.Joint("up", "prismatic", axis=(0, 0, 1)))
    builder.body("slide", parent="hook", joint=lo.Joint("along", "prismatic", axis=(1, 0, 0)))
    builder.body("rod", parent="slide", joint=lo.Joint("hinge", axis=(0, 1, 0)), flex=a_rod("bending_y", damping=0.1, **rod))
    rise = lo.Spline([0.0, 0.5, 1.0, 1.5], [RADIUS, RADIUS + 0.6 * height, RADIUS + height, RADIUS + height])
    touch = lo.Touch("rod", lo.Ground(friction=0.0), start=0.0, elements=elements, name="belly")
    problem = lo.Locomotion(builder.build(), drives={"up": rise}, contacts=[touch])
    return stepped(problem, 3.0, step=2e-3)


def test_a_heavy_rod_lifted_at_its_end_leaves_the_ground_where_it_must():
    height = 0.1
    hanging, force, slope, exact = elastica(height)
    off = []
    for order, elements in ((8, 17), (16, 33)):
        run = lifted(height, elements, order=order, nodes=32)
        model, field = run.problem.model, lo.rods.contact_field(run, "belly")
        lift, up = run.tau[-1, model.joint("up").v][0], field.force[-1, :, 2] * field.shares
        assert up.sum() + lift == pytest.approx(LOAD * LENGTH, rel=1e-4)
        shape = lo.rods.sections(model, run.q[-1], "rod")
        z = shape.poses[:, 2, 3] - RADIUS
        free_part = shape.along < hanging
        wanted = exact.sol((hanging - shape.along[free_part]) / hanging)[2]
        first = field.along[up > 1e-6 * lift].min()
        spacing = np.diff(field.along).max()
        assert abs(first - hanging) < spacing and run.audit.ok
        seen = np.arcsin(-shape.poses[0, 2, 0])
        off.append([abs(lift / force - 1), abs(seen / abs(slope) - 1), abs(z[free_part] - wanted).max() / height])
        assert abs(z[~free_part]).max() < 0.03 * height
    assert max(off[0]) < 2e-2 and max(off[1]) < 4e-3
    assert (np.array(off[1]) < np.array(off[0]) + 1e-3).all()


def sagging(model, contacts, T=1.0):
    """Normal force of the ground below a rod that is clamped above it, after it has come to lie."""
    problem = lo.Locomotion(model, contacts=contacts)
    run = stepped(problem, T, step=5e-4)
    assert run.audit.balance < 5e-3 and abs(run.v[-1]).max() < 1e-3
    return run.contact_forces[-1, :, 2].sum()


def test_rigid_links_on_the_ground_converge_to_the_rod():
    rod, ground = a_rod("bending_y", order=12, damping=0.1, nodes=24), lo.Ground(lo.Plane((0, 0, -0.15)), friction=0.0)
    clamped = lo.Builder("rod", base="fixed").body("rod", flex=rod).build()
    wanted = sagging(clamped, [lo.Touch("rod", ground, start=0.0, elements=25)])
    off = []
    for count in (8, 16, 32):
        touches = [lo.Touch(f"link {k}", ground, sphere=RADIUS) for k in range(1, count + 1)]
        touches.append(lo.Touch("tip", ground, sphere=RADIUS))
        off.append(abs(sagging(lo.rods.segments(rod, count), touches) / wanted - 1))
    assert off[0] < 0.1 and off[2] < 0.01 and off[2] < off[1] < off[0]


# what must hold of any motion


def thrown(strains, step, drives=None, surface=None, **rod):
    """A rod with a spin, thrown at the ground."""
    ground = lo.Ground(surface or lo.Plane(), friction=0.4)
    touch = lo.Touch("rod", ground, start=0.0, elements=9, name="skin")
    problem = lo.Locomotion(free(a_rod(strains, **rod)), contacts=[touch], drives=drives)
    v = np.zeros(problem.model.nv)
    v[:6] = 0.5, 0.2, -0.5, 1.0, 1.0, 2.0
    return stepped(problem, 0.4, q=on_ground(problem, 0.05), v=v, every=step, step=step)


@pytest.mark.parametrize(
    "strains, order, drives, surface",
    [
        ("all", 2, None, None),
        ("kirchhoff", 2, None, lo.Sphere((0.5, 0.0, -2.0), 2.0)),
        ("bending_z", 0, {"rod": lo.Sine(1.0, 6.0)}, None),
    ],
)
def test_forces_of_contacts_are_what_changes_momentum(strains, order, drives, surface):
    off = []
    for step in (1e-3, 2.5e-4):
        run = thrown(strains, step, drives, surface, order=order)
        assert run.tracked["contact_law"][1] < 1e-8
        model = run.problem.model
        p = lo.momentum(model, run.q, run.v)[:, :3]
        force = run.contact_forces.sum(axis=1)
        assert (abs(force).max(axis=1) > 1).sum() > 20  # it did touch
        gained = np.diff(p, axis=0) - step * (force[1:] + [0, 0, -LOAD * LENGTH])
        off.append([abs(np.cumsum(gained, axis=0)).max() / abs(p).max(), run.audit.balance])
    assert off[1][0] < 0.35 * off[0][0] and max(off[1]) < 5e-3  # of first order at hits


def test_what_muscles_and_springs_do_on_the_ground_is_accounted_for():
    """A worm that arches by a tendon, with springs and dampers on coordinates of its own."""
    pull = lo.Tendon("rod", ((0, 0, 0.015), (LENGTH, 0, 0.015)), tension=lo.Sine(10.0, 10.0, phase=-np.pi / 2, offset=10.0))
    touch = lo.Touch("rod", lo.Ground(friction=0.4), start=0.0, name="belly")
    problem = lo.Locomotion(
        free(a_rod("bending_y", order=3)), contacts=[touch], actuators=[pull], springs={("rod", 0): (0.02, 0.5, 0.02)}
    )
    run = stepped(problem, 1.0, q=on_ground(problem))
    assert run.audit.ok and abs(run.q[:, 7]).max() > 0.1
    assert run.work["losses"][-1] < -1e-4 and run.elastic.max() > 1e-4


def test_drives_pay_for_the_damping_of_rods():
    rod = a_rod("bending_y", order=1, damping=0.05)
    touch = lo.Touch("rod", lo.Ground(friction=0.4), start=0.0, elements=6)
    drives = {"rod": [lo.Sine(0.5, 6.0, phase=-np.pi / 2, offset=0.5), 0.0]}
    problem = lo.Locomotion(free(rod), contacts=[touch], drives=drives)
    run = stepped(problem, 0.5, q=on_ground(problem, 0.5))  # it does not land
    v = 3.0 * np.sin(6.0 * np.linspace(0, 0.25, 5001))
    part = lo.Locomotion(problem.model, drives=drives).simulate(0.25, samples=[0.0, 0.25], q=on_ground(problem, 0.5), rtol=1e-9)
    at = int(np.argmin(abs(run.t - 0.25)))
    lost = 0.05 * BENDING * LENGTH * np.trapezoid(v**2, dx=0.25 / 5000)
    assert run.audit.ok and run.work["losses"][at] == pytest.approx(-lost, rel=1e-2)
    assert part.work["losses"][-1] == pytest.approx(-lost, rel=1e-3)


def test_elastic_swings_are_of_second_order():
    """Far above the ground the steps are those of a cantilever in the air."""
    rod = a_rod("bending_y", order=2, damping=0.0)
    touch = lo.Touch("rod", lo.Ground(lo.Plane((0, 0, -10.0))), start=0.0)
    problem = lo.Locomotion(lo.Builder("c", base="fixed").body("rod", flex=rod).build(), contacts=[touch])
    free_fall = lo.Locomotion(problem.model).simulate(0.2, method="gauss", rtol=1e-9, samples=[0.2], progress=False)
    off = []
    for step in (4e-3, 2e-3, 1e-3):
        run = stepped(problem, 0.2, step=step, samples=[0.0, 0.2])
        assert run.audit.balance < 1e-4
        off.append(abs(lo.rods.sections(problem.model, run.q[-1], "rod").poses[-1, :3, 3]
                       - lo.rods.sections(problem.model, free_fall.q[-1], "rod").poses[-1, :3, 3]).max())  # fmt: skip
    assert off[0] / off[1] > 3.0 and off[1] / off[2] > 3.0 and off[2] < 1e-3


def test_a_section_touches_with_its_skin():
    cone = lo.Rod(LENGTH, lo.rods.Cone(0.04, 0.02, LENGTH), lo.Material(DENSITY, 1e8), strains="bending_y", order=1)
    model = lo.Builder("cantilever", base="fixed").body("rod", flex=cone).build()
    ground = lo.Ground(lo.Plane((0, 0, -0.03)), friction=0.0)
    problem = lo.Locomotion(model, contacts=[lo.Touch(lo.rods.Along("rod", 0.5), ground)])
    run = stepped(problem, 0.05)
    assert problem.contact_names == ("touch_rod@0.5",)
    assert run.contact_points[-1, 0] == pytest.approx([0.5, 0.0, -0.03], abs=1e-4)
    assert run.contact_forces[-1, 0, 2] > 0  # it is 3 cm thick there, and touches from the start


# files, copies, pictures


def test_files_copies_and_going_on(tmp_path):
    problem = lying(friction=0.5, order=3)
    q = on_ground(problem, 0.01)
    run = stepped(problem, 0.1, q=q, checkpoint=tmp_path / "part.h5")
    assert np.array_equal(lo.open_run(tmp_path / "part.h5").q, run.q)
    run.save(tmp_path / "run.h5")
    again = lo.open_run(tmp_path / "run.h5")
    assert again.problem.contact_names == problem.contact_names and again.problem.stretches == problem.stretches
    assert np.array_equal(lo.rods.contact_field(again, "belly").force, lo.rods.contact_field(run, "belly").force)
    for copy in (again.problem, pickle.loads(pickle.dumps(problem))):
        assert np.array_equal(stepped(copy, 0.1, q=q).q, stepped(problem, 0.1, q=q).q)
    longer = run.extend(0.1, progress=False)
    assert np.allclose(longer.q[-1], stepped(problem, 0.2, q=q).q[-1], rtol=0, atol=1e-10)


def test_a_picture_shows_forces_at_the_skin(tmp_path):
    from locomote.view.build import scene_of
    from locomote.view.frames import frames_of

    problem = lying(order=2)
    run = stepped(problem, 0.05, q=on_ground(problem))
    scene = scene_of(problem.model, problem, run.q)
    assert not [piece for piece in scene.pieces if piece.layer == "wheels"] and scene.ground == 0.0
    arrows = {arrow.name: arrow for arrow in frames_of(scene, run, run.t[-1:], forces=True).arrows}
    for k, name in enumerate(problem.contact_names):
        assert arrows[name].vector[0] == pytest.approx(run.contact_forces[-1, k])
        assert arrows[name].at[0] == pytest.approx([run.problem.stretches[0].sections[k], 0.0, 0.0], abs=1e-6)
    lo.rods.contact_field(run, "belly").plot(path=tmp_path / "field.png")
    assert (tmp_path / "field.png").stat().st_size > 5000


# ground that gives way


def test_stiffness_below_a_stretch_is_per_length():
    touch = lo.Touch("rod", lo.Ground(friction=0.0, stiffness=1e4, damping=200.0), start=0.0)
    problem = lo.Locomotion(free(a_rod(order=2)), contacts=[touch])
    run = stepped(problem, 1.0, q=on_ground(problem))
    assert run.q[-1, 2] == pytest.approx(RADIUS - LOAD / 1e4, abs=1e-7) and run.audit.ok


@pytest.mark.parametrize("method", ["auto", "gauss", "adaptive"])
@pytest.mark.parametrize("damping", [0.0, 0.02])
def test_a_rod_on_soft_ground(method, damping):
    ground, friction, speed = lo.SoftGround({"rod": (0.0, LENGTH)}, 1e4, 100.0, 0.5, slow=1e-3), 0.5, 1.0
    problem = lo.Locomotion(free(a_rod(damping=damping)), environment=[ground])
    v = np.zeros(problem.model.nv)
    v[0] = speed
    run = problem.simulate(0.4, q=on_ground(problem, -LOAD / 1e4), v=v, method=method, progress=False)
    assert run.audit.ok and run.info["method"] == {"auto": "radau"}.get(method, method)
    assert run.q[-1, 0] == pytest.approx(speed**2 / (2 * friction * G), rel=2e-3)
    assert run.q[-1, 2] == pytest.approx(RADIUS - LOAD / 1e4, abs=1e-5)


def test_soft_ground_by_length_points_and_sections_agree():
    """Springs below points of the sections of a rule are those of the stretch."""
    model = free(a_rod(order=2, damping=0.02))
    x, share = np.polynomial.legendre.leggauss(7)
    spread = [lo.SoftGround({"rod": (0.0, LENGTH)}, 1e4, 100.0, 0.5, elements=7)]
    points = [
        lo.SoftGround(
            {lo.rods.Along("rod", (a + 1) / 2): [(0, 0, 0)]}, 5e3 * w, 50.0 * w, 0.5, radius=RADIUS, name=f"spring {k}"
        )
        for k, (a, w) in enumerate(zip(x.tolist(), share.tolist(), strict=True))
    ]
    ends = []
    for environment in (spread, points):
        problem = lo.Locomotion(model, environment=environment)
        run = problem.simulate(0.2, q=on_ground(problem, 0.01), rtol=1e-6, progress=False)
        ends.append(run.q[-1])
        assert run.audit.ok
    assert np.allclose(*ends, atol=1e-6)


def test_soft_ground_approaches_hard_ground():
    clamped = lo.Builder("rod", base="fixed").body("rod", flex=a_rod("bending_y", order=4, damping=0.1)).build()
    plane = lo.Plane((0, 0, -0.15))
    hard = sagging(clamped, [lo.Touch("rod", lo.Ground(plane, friction=0.0), start=0.0, elements=12)])
    ground = lo.SoftGround({"rod": (0.0, LENGTH)}, 1e5, 1e3, 0.0, plane, sliding="none", elements=24)
    run = lo.Locomotion(clamped, environment=[ground]).simulate(1.5, progress=False)
    assert run.audit.ok
    assert run.loads["ground"][-1, :, 2].sum() == pytest.approx(hard, rel=0.05)


# wrong input


@pytest.mark.parametrize(
    "touch, words",
    [
        ({"start": 0.0, "end": 1.5}, "1 m long"),
        ({"start": 0.6, "end": 0.5}, "expected a stretch"),
        ({"start": 0.0, "elements": 1}, "from 2"),
        ({"end": 0.5}, "say its start too"),
        ({"start": 0.0, "box": (1, 1, 1)}, "sphere or points"),
        ({}, "along a rod, say start=0.0"),
        ({"start": "0"}, "X of a section"),
    ],
)
def test_wrong_stretches_are_refused(touch, words):
    with pytest.raises(ValueError, match=words):
        lo.Locomotion(free(a_rod()), contacts=[lo.Touch("rod", lo.Ground(), **touch)])


def test_wrong_bodies_and_sections_are_refused():
    flat = lo.Rod(LENGTH, lo.Section.rectangle(0.04, 0.01), lo.Material(DENSITY, YOUNG))
    with pytest.raises(ValueError, match="not round"):
        lo.Locomotion(free(flat), contacts=[lo.Touch("rod", lo.Ground(), start=0.0)])
    edges = lo.Touch("rod", lo.Ground(), start=0.0, points=[(0, 0.02, -0.005), (0, -0.02, -0.005)])
    assert len(lo.Locomotion(free(flat), contacts=[edges]).contact_names) % 2 == 0
    box = lo.Builder("box", base="free").body("box", inertia=lo.Inertia.box(1.0, (1, 1, 1))).build()
    with pytest.raises(ValueError, match="not a rod"):
        lo.Locomotion(box, contacts=[lo.Touch("box", lo.Ground(), start=0.0)])
    with pytest.raises(ValueError, match="2 m of rod"):
        lo.Locomotion(free(a_rod()), contacts=[lo.Touch(lo.rods.Along("rod", 2.0), lo.Ground(), sphere=0.1)])
    with pytest.raises(ValueError, match="expected a stretch"):
        lo.Locomotion(free(a_rod()), environment=[lo.SoftGround({"rod": (0.0, 2.0)}, 1e4, 1.0)])
    with pytest.raises(ValueError, match="belly"):
        lo.rods.contact_field(stepped(lying(), 0.01), "bely")
