"""Steps over contacts on lanes against the same steps one run at a time, and against closed forms."""

import numpy as np
import pytest
from numba import config

import locomote as lo
from locomote.compiler.lanes import WIDTH
from locomote.methods.state import STUCK, TOUCH
from locomote.methods.timestep.runs import SteppedRuns

G, COUNT = 9.81, WIDTH + 3  # one group of lanes, and part of another
pytestmark = pytest.mark.skipif(config.DISABLE_JIT, reason="lanes are there in compiled code only")
KINDS = ("revolute", "prismatic", "spherical", "universal", "helical", "cylindrical")


def ball_robot(seed, base, ground, *, limits=False):
    """A random tree whose bodies are balls that may touch, with springs, dry friction and, if asked, stops."""
    rng, builder, contacts = np.random.default_rng(seed), lo.Builder(f"robot{seed}", base=base), []
    for k in range(6):
        moved = {}
        if k > 0:
            kind, more = str(rng.choice(KINDS)) if k > 1 else "revolute", {"damping": 0.2}
            if kind in ("revolute", "prismatic"):
                more |= {"stiffness": 20.0, "axis": "y", "friction": 0.1 if k % 2 else 0.0}
                more |= {"lower": -0.3, "upper": 0.3, "effort_limit": 1.0} if limits else {}
            if kind == "helical":
                more["pitch"] = 0.05
            parent = f"body{rng.integers(0, k)}"
            moved = {"parent": parent, "at": tuple(rng.uniform(-0.2, 0.2, 3)), "joint": lo.Joint(f"joint{k}", kind, **more)}
        builder.body(f"body{k}", inertia=lo.Inertia.sphere(rng.uniform(0.5, 2.0), 0.1), **moved)
        contacts.append(lo.Touch(f"body{k}", ground, sphere=0.05, at=tuple(rng.uniform(-0.05, 0.05, 3))))
    return lo.Locomotion(builder.build(), contacts=contacts, limits=limits)


def starts(problem, seed, above, speed):
    """Random states some way above the ground."""
    model, rng = problem.model, np.random.default_rng(seed)
    q, v = np.tile(model.neutral(), (COUNT, 1)), rng.normal(size=(COUNT, model.nv)) * speed
    for n in range(COUNT):
        q[n] = model.integrate(q[n], 0.2 * rng.normal(size=model.nv))
        q[n, 2] += above
    return q, v


def step_by_step(problem, q, v, *, h=2e-3, steps=300, joints=(), torque=0.0):
    """Run on lanes, take every step again one run at a time, and compare; gives the runs, and how their contacts were."""
    slots = np.array([k for name in joints for k in range(*problem.model.joint(name).v.indices(problem.model.nv))], np.int64)
    controls = torque * np.sin(0.1 * np.arange(steps) + np.arange(len(q))[:, None])[..., None] * np.ones(len(slots))
    runs, alone = (SteppedRuns(problem, q, v, controls, slots, h) for _ in range(2))
    assert runs.together
    alone.together, seen, off = False, set(), []
    workers = runs.worker(), alone.worker()
    for i in range(steps):
        for name in ("q", "v", "touch", "rates"):
            getattr(alone, name)[:] = getattr(runs, name)
        for x, worker in zip((runs, alone), workers, strict=True):
            x.go(worker, 0, len(q), i, i + 1)
        off.append([np.abs(runs.q - alone.q).max(axis=1), h * np.abs(runs.v - alone.v).max(axis=1)])
        seen |= set(np.unique(runs.touch.reshape(len(q), -1, TOUCH)[:, :, STUCK]))
    off = np.array(off)
    # a run that just meets the law on lanes may just not alone, and then go the other way, which removes depths up to 1e-6 m
    assert (off < 1e-10).mean() > 0.995 and off.max() < 1e-5
    assert (runs.law[:, 0] == 0).all() and (alone.law[:, 0] == 0).all() and runs.law[:, 1].max() <= 1e-8
    return runs, seen


@pytest.mark.parametrize("seed", range(3))
def test_random_robots_fall_slide_and_rest_as_they_do_alone(seed):
    problem = ball_robot(seed, "free", lo.Ground(friction=(0.2, 0.6, 1.0)[seed]))
    joints = ["joint1"]
    _, seen = step_by_step(problem, *starts(problem, seed, 0.5, 0.5), joints=joints, torque=2.0)
    assert seen == {0.0, 1.0, 2.0}  # open, sticking, sliding


def test_stops_and_limits_of_torques():
    problem = ball_robot(5, "free", lo.Ground(friction=0.5), limits=True)
    runs, _ = step_by_step(problem, *starts(problem, 5, 0.5, 2.0), joints=["joint1"], torque=20.0)
    angle = runs.q[:, problem.model.joint("joint1").q]
    assert np.abs(angle).max() < 0.3 + 1e-3


def test_restitution():
    """Balls dropped from several heights: what they rise again."""
    builder = lo.Builder("ball", base="free")
    builder.body("ball", inertia=lo.Inertia.sphere(1.0, 0.05))
    ground = lo.Ground(friction=0.3, restitution=0.5)
    problem = lo.Locomotion(builder.build(), contacts=[lo.Touch("ball", ground, sphere=0.05)])
    q, v = np.tile(problem.model.neutral(), (COUNT, 1)), np.zeros((COUNT, 6))
    heights = np.linspace(0.1, 0.4, COUNT)
    q[:, 2] = 0.05 + heights
    v[:, 3] = 1.0
    step_by_step(problem, q, v, steps=300)
    rolled = lo.rollout(problem, q=q, v=v, duration=1.0, step=5e-4, keep=1)
    for n, height in enumerate(heights):
        z = rolled.q[n, :, 2] - 0.05
        hit = np.argmax(z < 1e-3)
        again = hit + np.argmax(z[hit + 20 :] < 1e-3) + 20
        assert z[hit:again].max() == pytest.approx(0.25 * height, rel=0.03)


@pytest.mark.parametrize("surface", [lo.Sphere(radius=1.0), lo.Cylinder(axis=(0.0, 1.0, 0.0))], ids=["sphere", "cylinder"])
def test_curved_ground(surface):
    problem = ball_robot(7, "free", lo.Ground(surface, friction=0.5))
    _, seen = step_by_step(problem, *starts(problem, 7, 1.4, 0.2), steps=200)
    assert len(seen) > 1


def test_motion_in_a_plane():
    """A joint whose velocity turns with the body, down a slope."""
    builder, arm = lo.Builder("sled", base="fixed"), lo.Joint("arm", axis="y", damping=0.1)
    builder.body("rail", inertia=lo.Inertia.sphere(1.0, 0.1))
    builder.body(
        "sled", parent="rail", joint=lo.Joint("plane", "planar", axis="y"), inertia=lo.Inertia.box(2.0, (0.4, 0.1, 0.1))
    )
    builder.body("arm", parent="sled", at=(0.1, 0, 0.05), joint=arm, inertia=lo.Inertia.sphere(0.5, 0.1))
    model = builder.build()
    contacts = [lo.Touch("sled", lo.Ground(lo.Plane.slope(0.3), friction=0.2), points=[(x, 0, -0.05) for x in (-0.2, 0.2)])]
    problem = lo.Locomotion(model, contacts=contacts)
    q, v = np.tile(model.neutral(), (COUNT, 1)), 0.3 * np.random.default_rng(0).normal(size=(COUNT, model.nv))
    q[:, 0] += 0.3
    _, seen = step_by_step(problem, q, v)
    assert 2.0 in seen


def test_boxes_stop_after_the_way_of_coulomb():
    mu, speeds = 0.5, np.linspace(0.5, 2.5, COUNT)
    builder = lo.Builder("box", base="free")
    builder.body("box", inertia=lo.Inertia.box(1.0, (0.2, 0.2, 0.1)))
    problem = lo.Locomotion(builder.build(), contacts=[lo.Touch("box", lo.Ground(friction=mu), box=(0.1, 0.1, 0.05))])
    q, v = np.tile(problem.model.neutral(), (COUNT, 1)), np.zeros((COUNT, 6))
    q[:, 2], v[:, 0], v[:, 1] = 0.05, speeds * np.cos(0.5), speeds * np.sin(0.5)
    rolled = lo.rollout(problem, q=q, v=v, duration=1.0, step=1e-3)
    way = speeds**2 / (2 * mu * G)
    assert (rolled.contact_law[:, 0] == 0).all()
    assert np.allclose(rolled.q[:, -1, :2], way[:, None] * [np.cos(0.5), np.sin(0.5)], atol=1e-4)


def test_what_lanes_do_not_take_goes_alone():
    """Imposed motions and contacts between bodies need the other way of stepping in every step."""
    problem = ball_robot(1, "free", lo.Ground(friction=0.5))
    driven = lo.Locomotion(problem.model, contacts=problem.contacts, drives={"joint1": lo.Sine(0.2, 3.0)})
    q, v = starts(problem, 1, 0.5, 0.1)
    assert SteppedRuns(problem, q, v, np.zeros((COUNT, 5, 0)), np.zeros(0, np.int64), 1e-3).together
    assert not SteppedRuns(driven, q, v, np.zeros((COUNT, 5, 0)), np.zeros(0, np.int64), 1e-3).together
    assert not SteppedRuns(problem, q[:2], v[:2], np.zeros((2, 5, 0)), np.zeros(0, np.int64), 1e-3).together
    runs = lo.rollout(driven, q=q, v=v, duration=0.05, step=1e-3)
    alone = driven.simulate(0.05, q=q[2], v=v[2], method="timestep", step=1e-3, samples=[0.0, 0.05], progress=False)
    assert np.allclose(runs.q[2, -1], alone.q[-1], atol=1e-10)


def test_a_run_that_is_lost_leaves_others_alone():
    problem = ball_robot(2, "free", lo.Ground(friction=0.5))
    q, v = starts(problem, 2, 0.5, 0.1)
    good = lo.rollout(problem, q=q, v=v, duration=0.1, step=1e-3)
    v[1] = 1e200
    with pytest.warns(RuntimeWarning, match="1 of"):
        mixed = lo.rollout(problem, q=q, v=v, duration=0.1, step=1e-3)
    others = np.arange(COUNT) != 1
    assert np.allclose(mixed.q[others], good.q[others], atol=1e-9) and not good.lost.any()


@pytest.mark.parametrize("between", ["hold", "line"])
def test_controllers_with_a_clock_tick_as_in_a_run(between):
    """They remember what they gave, each run for itself, from one share of steps to the next."""
    builder = lo.Builder("hopping arm")
    builder.body("slide", joint=lo.Joint("z", "prismatic", axis="z"), inertia=lo.Inertia.box(1.0, (0.1, 0.1, 0.1)))
    builder.body(
        "arm", parent="slide", joint=lo.Joint("tilt", axis="y"), inertia=lo.Inertia(0.5, (0.2, 0, 0), (1e-3, 0.02, 0.02))
    )
    pull = lo.PD({"tilt": lo.Sine(0.3, 5.0)}, 5.0, 0.3, every=0.025, gravity=True, between=between)
    problem = lo.Locomotion(builder.build(), torques=pull, contacts=[lo.Touch("slide", sphere=0.05)])
    q = np.array([[0.5, 0.1], [0.2, 0.2]])
    rolled = lo.rollout(problem, q=q, v=np.zeros((2, 2)), duration=0.5, step=1e-3, keep=50)
    for start, found in zip(q, rolled.q, strict=True):
        run = problem.simulate(0.5, q=start, method="timestep", step=1e-3, every=0.05, progress=False)
        assert np.allclose(found, run.q, atol=1e-12)
