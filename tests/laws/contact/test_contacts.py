"""What must hold of any motion over contacts: friction in its cone, no energy from nowhere, rest in the end."""

import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import locomote as lo

HALF = (0.1, 0.1, 0.05)


def single(moment, mass=1.0):
    builder = lo.Builder("one", base="free")
    builder.body("body", inertia=lo.Inertia(mass, moment=moment))
    return builder.build()


def box_moment(half, mass=1.0):
    x, y, z = (4 * h * h for h in half)
    return (mass / 12 * (y + z), mass / 12 * (x + z), mass / 12 * (x + y))


def stepped(problem, T, **options):
    return problem.simulate(T, **{"method": "timestep", "step": 1e-3, "every": 0.01, "progress": False} | options)


def sound(run, friction, most=1e-8, gain=1e-5):
    """The law is met, forces push and stay in their cones (on a level ground), energy is never created."""
    assert run.tracked["contact_law"][1] < most
    force = run.contact_forces
    assert (force[..., 2] >= 0).all()
    assert (np.hypot(force[..., 0], force[..., 1]) <= friction * force[..., 2] * (1 + 1e-9) + 1e-9).all()
    energy = run.total  # with what springs of joints hold
    assert np.diff(energy).max() < gain * max(run.kinetic.max(), np.ptp(run.potential))


def stack(count):
    builder = lo.Builder("stack")
    for k in range(count):
        joint = lo.Joint(f"free{k}", kind="free")
        builder.body(f"box{k}", joint=joint, inertia=lo.Inertia(1.0, moment=box_moment(HALF)))
    model = builder.build()
    contacts = [lo.Touch("box0", lo.Ground(friction=0.5), box=HALF)]
    for k in range(1, count):
        contacts += lo.boxes(f"box{k - 1}", HALF, f"box{k}", HALF, friction=0.5)
    q = model.neutral()
    for k in range(count):
        q[model.joint(f"free{k}").q] = [0.004 * (-1) ** k, 0.003 * k % 0.01, 0.05 + 0.1 * k, 0, 0, 0, 1]
    return lo.Locomotion(model, contacts=contacts), q


def test_stack_of_ten_boxes_stands():
    problem, q = stack(10)
    run = stepped(problem, 1.0, q=q, step=2e-3)
    assert run.tracked["contact_law"][1] < 1e-8
    assert np.abs(run.q[-1] - q).max() < 1e-6 and np.abs(run.v[-1]).max() < 1e-6
    weights = [run.contact_forces[-1][[n.startswith(f"box{k}_box{k + 1}") for n in problem.contact_names]] for k in range(9)]
    for k, forces in enumerate(weights):  # those on the upper box push up, those on the lower one down
        assert np.abs(forces[:, 2]).sum() == pytest.approx((9 - k) * 9.81, rel=1e-6)


def test_coin_loses_its_energy_and_no_more():
    r = 0.1
    moment = (0.25 * r * r, 0.25 * r * r, 0.5 * r * r)
    problem = lo.Locomotion(single(moment), contacts=[lo.Touch("body", lo.Ground(friction=0.6, torsion=1e-3), disc=r)])
    tilt = Rotation.from_euler("x", 80, degrees=True)
    start = np.r_[0, 0, r * np.sin(np.radians(80)), tilt.as_quat()]
    run = stepped(problem, 3.0, q=start, v=np.r_[0, 0, 0, tilt.inv().apply([0, 0, 12.0])])
    sound(run, 0.6)
    assert run.kinetic[-1] + run.potential[-1] < 0.7 * (run.kinetic[0] + run.potential[0])


def test_tippe_top_turns_over():
    """It slides all the way; with more friction it sticks while it still leans a little, and rolls on upright."""
    r, m, lean = 0.02, 0.015, 0.3
    a, I = 0.4 * r, 0.4 * m * r * r
    start = np.r_[0, 0, r - a * np.cos(lean), Rotation.from_euler("x", lean).as_quat()]
    for friction, step, low, high in ((0.1, 1e-3, -1.0, -0.95), (0.1, 2.5e-4, -1.0, -0.95), (0.3, 1e-3, 0.98, 1.0)):
        touch = lo.Touch("body", lo.Ground(friction=friction), sphere=r, at=(0, 0, a))
        problem = lo.Locomotion(single((I, I, 1.05 * I), m), contacts=[touch])
        run = stepped(problem, 5.0, q=start, v=[0, 0, 0, 0, 0, 180.0], step=step)
        sound(run, friction)
        up = [Rotation.from_quat(np.array(q[3:])).apply([0, 0, 1])[2] for q in run.q]
        assert up[0] > 0.95 and low < up[-1] < high
        if friction == 0.1:  # the heavy side is on top
            assert run.potential[-1] > run.potential[0] + 0.5 * m * 9.81 * 2 * a


def test_rocking_block_comes_to_rest():
    half = (0.1, 0.3, 0.2)
    problem = lo.Locomotion(single(box_moment(half)), contacts=[lo.Touch("body", lo.Ground(friction=0.8), box=half)])
    lean = 0.2
    start = np.r_[0, 0, half[2] * np.cos(lean) + half[0] * np.sin(lean), Rotation.from_rotvec([0, lean, 0]).as_quat()]
    run = stepped(problem, 5.0, q=start)
    sound(run, 0.8, gain=1e-4)
    assert run.audit.balance < 1e-5
    assert np.abs(run.v[-1]).max() < 1e-6 and run.q[-1, 2] == pytest.approx(half[2], abs=1e-8)


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("step", [1e-3, 7e-4, 4e-4, 2e-4])
def test_a_box_slides_over_the_edge_of_the_one_below(count, step):
    """Pushed, the box on top of a stack crosses edges of the one below, flush with its face: it is not caught there, stops
    after v^2 / (2 mu g), and no other box moves."""
    system = lo.systems.load("box_stack", count=count, push=0.8)
    run = system.problem().simulate(0.2, step=step, progress=False)
    moved = (run.q[-1] - run.q[0]).reshape(count, 7)
    assert moved[-1, 0] == pytest.approx(0.8**2 / (2 * 0.5 * 9.81), abs=1e-6) and abs(moved[:-1]).max() < 1e-9
    assert np.diff(run.total).max() < 1e-9 and run.tracked["contact_law"][1] < 1e-8


def test_box_falls_down_steps():
    problem = lo.Locomotion(
        single(box_moment(HALF)), contacts=[lo.Touch("body", lo.Ground(lo.Steps(0.25, 0.1, 3), friction=0.5), box=HALF)]
    )
    start = np.r_[0.6, 0, 0.5, Rotation.from_euler("xyz", [0.4, 0.5, 0.1]).as_quat()]
    run = stepped(problem, 4.0, q=start, v=[-1.0, 0, 0, 0, 0, 0])
    energy = run.kinetic + run.potential
    assert np.diff(energy).max() < 1e-4 and np.isfinite(run.q).all()
    assert run.tracked["contact_law"][1] < 1e-8
    assert np.abs(run.v[-1]).max() < 1e-3


def test_quadruped_dropped_tilted_on_steps():
    model = lo.systems.load("quadruped").model
    ground = lo.Ground(lo.Steps(0.3, 0.1, 4), friction=0.7)
    contacts = [lo.Touch(name, ground, sphere=0.02) for name in model.body_names if name.endswith("foot")]
    contacts.append(lo.Touch("trunk", ground, box=(0.3, 0.15, 0.05)))
    springs = dict.fromkeys(model.joint_names[1:], (60.0, 0.0, 1.5))
    problem = lo.Locomotion(model, springs=springs, contacts=contacts)
    q = model.neutral()
    q[:3], q[3:7] = (0.6, 0, 1.3), Rotation.from_euler("xyz", [0.4, 0.3, 0.2]).as_quat()
    run = stepped(problem, 3.0, q=q)
    assert run.tracked["contact_law"][1] < 1e-8
    assert np.diff(run.total).max() < 1e-6 * run.total[0]
    assert run.audit.balance < 2e-3


@pytest.mark.parametrize("count, rolling", [(5, 1e-3), (12, 1e-3), (12, 0.0)])
def test_heap_of_balls_comes_to_lie(count, rolling):
    builder = lo.Builder("heap")
    for k in range(count):
        builder.body(f"ball{k}", joint=lo.Joint(f"free{k}", kind="free"), inertia=lo.Inertia.sphere(1.0, 0.05))
    bowl = lo.Ground(lo.Sphere(center=(0, 0, 0.5), radius=0.5, inside=True), friction=0.5, rolling=rolling)
    contacts = [lo.Touch(f"ball{k}", bowl, sphere=0.05) for k in range(count)]
    for i in range(count):
        for j in range(i):
            contacts += lo.balls(f"ball{j}", 0.05, f"ball{i}", 0.05, friction=0.5)
    model = builder.build()
    q = model.neutral()
    for k in range(count):
        q[model.joint(f"free{k}").q] = [0.11 * (k % 3 - 1), 0.1 * (k // 3) - 0.05 * (count // 5), 0.3 + 0.01 * k, 0, 0, 0, 1]
    run = stepped(lo.Locomotion(model, contacts=contacts), 1.0, q=q)
    assert np.diff(run.total).max() < 1e-6 and run.tracked["contact_law"][1] < 1e-8
    places = run.q[-1].reshape(count, 7)[:, :3]
    gaps = [np.linalg.norm(places[i] - places[j]) - 0.1 for i in range(count) for j in range(i)]
    assert min(gaps) > -1e-4 and np.linalg.norm(places - [0, 0, 0.5], axis=1).max() < 0.45 + 1e-4


def test_thrown_chain_is_solved_in_every_step():
    """Ten boxes on hinges with three points below each, thrown tilted: thirty points that hit, slide and lie down."""
    builder, size = lo.Builder("chain", base="free"), (0.2, 0.1, 0.06)
    for k in range(10):
        hinge = lo.Joint(f"joint{k}", axis=(0, 1, 0) if k % 2 else (0, 0, 1))
        hung = {"parent": f"box{k - 1}", "at": (0.22, 0, 0), "joint": hinge} if k else {}
        builder.body(f"box{k}", inertia=lo.Inertia.box(1.0, size), **hung)
    model, ground = builder.build(), lo.Ground(friction=0.8)
    points = [(0.1, 0.0, -0.03), (-0.1, 0.05, -0.03), (-0.1, -0.05, -0.03)]
    springs = {f"joint{k}": (5.0, 0.0, 0.1) for k in range(1, 10)}
    problem = lo.Locomotion(model, springs=springs, contacts=[lo.Touch(f"box{k}", ground, points=points) for k in range(10)])
    q, v = model.neutral(), np.zeros(model.nv)
    q[2], q[3:7] = 1.5, Rotation.from_euler("xyz", [0.3, 0.4, 0.2]).as_quat()
    v[:6] = 1.0, 0.5, 0.0, 1.0, 2.0, -1.0
    run = stepped(problem, 2.0, q=q, v=v, step=2e-3)
    sound(run, 0.8)
    assert run.tracked["contact_law"][0] == 0 and run.info["rejected"] > 50


def test_balls_hit_each_other():
    builder = lo.Builder("two", gravity=(0, 0, 0))
    for name in "ab":
        builder.body(name, joint=lo.Joint(f"free_{name}", kind="free"), inertia=lo.Inertia(1.0, moment=(4e-3,) * 3))
    problem = lo.Locomotion(builder.build(), contacts=lo.balls("a", 0.1, "b", 0.1, friction=0.0, restitution=1.0))
    start = [0, 0, 0, 0, 0, 0, 1, 0.5, 0, 0, 0, 0, 0, 1]
    run = stepped(problem, 1.0, q=start, v=[1.0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    assert np.allclose(run.v[-1][[0, 6]], [0, 1], atol=1e-6)


def test_joints_stop_and_torques_are_limited():
    builder = lo.Builder("arm", base="fixed", gravity=(0, 0, 0))
    joint = lo.Joint("hinge", upper=0.5, effort_limit=2.0)
    builder.body("link", joint=joint, inertia=lo.Inertia(1.0, moment=(1, 1, 1)))
    model = builder.build()
    problem = lo.Locomotion(model, torques={"hinge": 5.0})
    run = stepped(problem, 2.0)
    t = np.array([0.3])
    inner = np.interp(t, run.t, run.q[:, 0])
    assert inner == pytest.approx(0.5 * 2.0 * 0.3**2, rel=1e-3)  # two, not five
    assert run.q[:, 0].max() < 0.5 + 1e-9 and run.q[-1, 0] == pytest.approx(0.5, abs=1e-9)
    free = stepped(lo.Locomotion(model, torques={"hinge": 5.0}, limits=False), 2.0)
    assert free.q[-1, 0] == pytest.approx(10.0, rel=1e-6)


def test_loops_and_drives_in_the_same_step():
    builder = lo.Builder("two links", base="fixed")
    inertia = lo.Inertia(1.0, (0.5, 0, 0), (0.01, 0.1, 0.1))
    builder.body("a", joint=lo.Joint("one", axis=(0, 1, 0)), inertia=inertia)
    builder.body("b", parent="a", at=(1, 0, 0), joint=lo.Joint("two", axis=(0, 1, 0)), inertia=inertia)
    model = builder.build()
    rod = lo.Distance("b", point=(1, 0, 0), other_point=(0, 0, 3))
    for settings in ({"drives": {"one": lo.Sine(0.4, 3.0)}}, {"constraints": [rod]}):
        problem = lo.Locomotion(model, **settings)
        exact = problem.simulate(1.0, rtol=1e-11, atol=1e-12, every=0.1, progress=False)
        run = stepped(problem, 1.0, every=0.1, step=2.5e-4)
        assert np.allclose(run.q, exact.q, atol=1e-3) and run.audit.ok, run.audit


def test_a_driven_arm_on_a_box_that_stands():
    """Its drive is met exactly; the box stands still as long as friction and weight can hold it."""
    builder = lo.Builder("box with an arm", base="free").body("box", inertia=lo.Inertia.box(1.0, (0.2, 0.2, 0.1)))
    arm = lo.Inertia(0.2, (0, 0, 0.2), (1e-3, 1e-3, 1e-3))
    model = builder.body("arm", parent="box", at=(0, 0, 0.05), joint=lo.Joint("hip", axis=(0, 1, 0)), inertia=arm).build()
    ground = lo.Touch("box", lo.Ground(friction=0.6), box=(0.1, 0.1, 0.05))
    drive = lo.Sine(0.3, 5.0)
    problem = lo.Locomotion(model, drives={"hip": drive}, contacts=[ground])
    run = stepped(problem, 1.0, q=[0, 0, 0.05, 0, 0, 0, 1, 0], step=1e-3)
    assert run.audit.ok and abs(run.q[:, :3] - [0, 0, 0.05]).max() < 1e-9
    assert np.allclose(run.a[:, -1], -0.3 * 25.0 * np.sin(5.0 * run.t), atol=1e-9)


def test_runs_repeat_and_problems_can_be_copied(tmp_path):
    problem, q = stack(2)
    v = np.zeros(12)
    v[6:9] = 0.5, 0.2, 0.0
    run = stepped(problem, 0.2, q=q, v=v)
    again = stepped(pickle.loads(pickle.dumps(problem)), 0.2, q=q, v=v)
    assert np.array_equal(run.q, again.q)
    run.save(tmp_path / "run.h5")
    kept = lo.open_run(tmp_path / "run.h5")
    assert np.array_equal(kept.contact_forces, run.contact_forces)
    assert len(kept.problem.contacts) == 3
    name = problem.contact_names[0]
    assert np.array_equal(kept[f"{name}.force z"], run.contact_forces[:, 0, 2]) and kept.unit(f"{name}.point x") == "m"


def test_wrong_contacts_are_refused():
    model = single((1, 1, 1))
    with pytest.raises(ValueError, match="needs one of points"):
        lo.Touch("body")
    with pytest.raises(ValueError, match="friction"):
        lo.Ground(friction=-1.0)
    with pytest.raises(ValueError, match="sphere"):
        lo.Touch("body", sphere=float("nan"))
    with pytest.raises(lo.UnknownName):
        lo.Locomotion(model, contacts=[lo.Touch("nobody", sphere=0.1)])
    with pytest.raises(ValueError, match="does not move"):
        lo.Locomotion(model, contacts=[lo.Touch("body", lo.Ground(body="body"), sphere=0.1)])
    with pytest.raises(ValueError, match="timestep"):
        lo.Locomotion(model, contacts=[lo.Touch("body", sphere=0.1)]).simulate(1.0, method="rk4")


def test_torques_of_drives_know_what_contacts_push():
    """A driven upper part holds a foot down by a spring: it carries what the ground does not."""
    builder = lo.Builder("press", base="fixed")
    builder.body("upper", joint=lo.Joint("up", "prismatic", axis=(0, 0, 1)), inertia=lo.Inertia(2.0))
    spring = lo.Joint("spring", "prismatic", axis=(0, 0, 1), stiffness=1e3, damping=20.0)
    builder.body("foot", parent="upper", at=(0, 0, -0.3), joint=spring, inertia=lo.Inertia(1.0))
    problem = lo.Locomotion(
        builder.build(), drives={"up": 0.28}, contacts=[lo.Touch("foot", lo.Ground(friction=0.3), points=[(0, 0, 0)])]
    )
    run = stepped(problem, 1.0, q=[0.28, 0.02])
    push = run.contact_forces[-1, 0, 2]
    assert push == pytest.approx(9.81 + 1e3 * 0.02, rel=1e-6)
    assert run["up.force"][-1] == pytest.approx(3 * 9.81 - push, rel=1e-6)
    assert run.audit.ok


def test_drives_pay_for_dampers_and_friction_of_their_joints():
    """What a drive loses in its own joint is among the losses."""
    joint = lo.Joint("j", axis="y", damping=0.5, stiffness=3.0, friction=0.1)
    builder = lo.Builder("arm", base="fixed").body("upper", joint=joint, inertia=lo.Inertia(1.0, com=(0.2, 0, 0)))
    builder.body(
        "lower", parent="upper", at=(0.4, 0, 0), joint=lo.Joint("k", axis="y"), inertia=lo.Inertia(0.5, com=(0.1, 0, 0))
    )
    contacts = [lo.Touch("lower", lo.Ground(lo.Plane((0, 0, -5.0))), sphere=0.02)]
    run = stepped(lo.Locomotion(builder.build(), drives={"j": lo.Sine(0.5, 3.0)}, contacts=contacts), 1.0)
    v = 1.5 * np.cos(3.0 * np.linspace(0, 1, 20001))
    lost = np.trapezoid(0.5 * v**2 + 0.1 * v**2 / np.sqrt(v**2 + 1e-6), dx=1 / 20000)
    assert run.audit.ok and run.work["losses"][-1] == pytest.approx(-lost, rel=1e-4)
