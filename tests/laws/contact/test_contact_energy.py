"""Hits with friction and restitution, and chains of unequal masses: energy does not grow."""

import numpy as np
import pytest
from contact_scenes import growth, scene

import locomote as lo
from locomote.errors import UnknownName


@pytest.mark.parametrize("seed", range(40))
def test_energy_does_not_grow_beyond_the_error_of_the_step(seed):
    problem, q, v = scene(seed)
    run = problem.simulate(0.8, q=q, v=v, step=1e-3, every=2e-3, progress=False)
    assert run.tracked["contact_law"][0] == 0
    assert growth(run) < 2e-4


@pytest.mark.parametrize(("seed", "step"), [(101, 1.25e-4), (221, 1.25e-4), (276, 5e-4), (38, 5e-4), (38, 1.25e-4)])
def test_short_steps_make_no_energy_where_depth_is_lifted_or_something_bounces(seed, step):
    """Chains whose light root spins 100 times as fast as the rest: joints are lifted out of the ground without a change of
    kinetic energy, and a bounce is taken in shorter steps however short they are."""
    problem, q, v = scene(seed)
    run = problem.simulate(0.8, q=q, v=v, step=step, every=2e-3, progress=False)
    assert growth(run) < 1e-4


def test_growth_falls_by_the_square_of_the_step_where_a_light_body_turns_over_the_ground():
    """Its contact stays closed while it turns about a heavy body: it was lifted out of the ground in each step, and its load
    did work."""
    found = []
    for step in (6.25e-5, 3.125e-5, 1.5625e-5):
        problem, q, v = scene(212)
        found.append(growth(problem.simulate(0.8, q=q, v=v, step=step, every=2e-3, progress=False)))
    assert found[0] < 1e-5 and found[1] < 0.26 * found[0] and found[2] < 0.26 * found[1]


@pytest.mark.parametrize(("seed", "step"), [(121, 1.25e-4), (259, 1.25e-4), (276, 6.25e-5), (289, 1.25e-4)])
def test_what_follows_a_hit_makes_no_energy(seed, step):
    """A step is as short as a hit needs, and its change of velocity says nothing of the next: that had the motion of inertia of
    another velocity, and made 1e-4 of the kinetic energy. What turns less than FAST in a short step is looked at, too."""
    problem, q, v = scene(seed)
    run = problem.simulate(0.8, q=q, v=v, step=step, every=2e-3, progress=False)
    assert growth(run) < 2e-5


@pytest.mark.parametrize("seed", [101, 135, 139, 183])
def test_growth_falls_with_the_step(seed):
    """Scenes in which it was largest: hits of light bodies that spin, and flights of chains."""
    found = []
    for step in (2e-3, 2.5e-4):
        problem, q, v = scene(seed)
        found.append(growth(problem.simulate(0.8, q=q, v=v, step=step, every=2e-3, progress=False)))
    assert found[0] < 4e-4 and found[1] < 0.6 * found[0]


def disc(seed, impact):
    """A disc that hits the ground with one edge, and spins: Newton's law makes energy of it."""
    rng = np.random.default_rng(seed)
    ground = lo.Ground(friction=0.4, restitution=1.0, impact=impact)
    model = lo.Builder("disc", base="free").body("disc", inertia=lo.Inertia.cylinder(1.0, 0.1, 0.02)).build()
    turn = rng.normal(size=4)
    q, v = np.r_[0, 0, 0.25, turn / np.linalg.norm(turn)], np.r_[3 * rng.normal(size=3), 20 * rng.normal(size=3)]
    problem = lo.Locomotion(model, contacts=[lo.Touch("disc", ground, disc=0.1)])
    return problem.simulate(0.4, q=q, v=v, step=1e-3, every=2e-3, progress=False)


def test_newtons_law_on_request_makes_energy_and_says_so():
    bounded, newton = disc(8, "bounded"), disc(8, "newton")
    assert growth(bounded) < 2e-3 and bounded.audit.ok
    assert growth(newton) > 1e-2
    check = next(check for check in newton.audit.checks if check.name == "energy that contacts give")
    assert not check.passed and "Newton" in check.note
    with pytest.raises(UnknownName, match="impact"):
        lo.Ground(impact="poisson")


def test_hits_apart_bounce_by_themselves():
    """A ball beside a disc whose hit has to be weakened bounces as high as alone."""
    ground = lo.Ground(friction=1.0, restitution=1.0)
    builder = lo.Builder("two", gravity=(0, 0, 0))
    builder.body("disc", joint=lo.Joint("a", "free"), inertia=lo.Inertia.cylinder(1.0, 0.1, 0.02))
    builder.body("ball", joint=lo.Joint("b", "free"), inertia=lo.Inertia.sphere(1.0, 0.1))
    contacts = [lo.Touch("disc", ground, points=[(0.1, 0, 0)]), lo.Touch("ball", ground, sphere=0.1)]
    problem = lo.Locomotion(builder.build(), contacts=contacts)
    q = np.r_[0, 0, 0.11, 0, np.sin(0.3), 0, np.cos(0.3), 1, 0, 0.11, 0, 0, 0, 1]
    v = np.r_[-2.0, 0, -1, 0, 30, 0, 0, 0, -1, 0, 0, 0]
    q[2] = 0.01 - (-0.1 * np.sin(0.6))
    run = problem.simulate(0.05, q=q, v=v, step=1e-4, progress=False)
    energy = run.kinetic
    assert energy.max() < energy[0] * (1 + 1e-9)
    assert run.v[-1, 8] == pytest.approx(1.0, abs=1e-9)


def test_a_light_root_below_heavy_bodies():
    builder = lo.Builder("chain")
    builder.body("b0", joint=lo.Joint("j0", "free"), inertia=lo.Inertia.sphere(0.0245, 0.03))
    builder.body("b1", parent="b0", at=(0, 0, 0.16), joint=lo.Joint("j1", "universal"), inertia=lo.Inertia.sphere(10.0, 0.073))
    builder.body("b2", parent="b1", at=(0, 0, 0.41), joint=lo.Joint("j2", "spherical"), inertia=lo.Inertia.sphere(8.7, 0.19))
    model, ground = builder.build(), lo.Ground(friction=0.36)
    contacts = [lo.Touch(f"b{k}", ground, sphere=radius) for k, radius in enumerate((0.03, 0.073, 0.19))]
    rng = np.random.default_rng(2)
    q, turn = model.neutral(), rng.normal(size=4)
    q[:3], q[3:7] = (0, 0, 1.0), turn / np.linalg.norm(turn)
    v = 4 * rng.normal(size=model.nv)
    problem = lo.Locomotion(model, contacts=contacts)
    run = problem.simulate(0.8, q=q, v=v, progress=False)
    assert growth(run) < 1e-2 and run.info["steps"] > 800  # some steps were shorter than asked for
    rolled = lo.rollout(problem, q=np.tile(q, (4, 1)), v=np.tile(v, (4, 1)), duration=0.8, step=1e-3)
    energy = [
        lo.kinetic_energy(model, a, b) + lo.potential_energy(model, a) for a, b in zip(rolled.q[0], rolled.v[0], strict=True)
    ]
    assert np.max(energy - np.minimum.accumulate(energy)) < 1e-2 * run.kinetic.max()


def test_hits_that_absorb_energy_are_not_followed_by_shorter_steps():
    """A hit leaves an error in proportion to what it absorbs at any length of its step: energy falls, and steps stay as long
    as asked for, but for some in flight."""
    builder = lo.Builder("chain", base="free").body("b0", inertia=lo.Inertia.box(1.0, (0.2, 0.1, 0.06)))
    for k in (1, 2, 3):
        joint = lo.Joint(f"j{k}", axis=(0, 1, 0) if k % 2 else (0, 0, 1))
        builder.body(f"b{k}", parent=f"b{k - 1}", at=(0.22, 0, 0), joint=joint, inertia=lo.Inertia.box(1.0, (0.2, 0.1, 0.06)))
    ground = lo.Ground(friction=0.8)
    contacts = [lo.Touch(f"b{k}", ground, points=[(0.1, 0, -0.03), (-0.1, 0, -0.03)]) for k in range(4)]
    problem = lo.Locomotion(builder.build(), contacts=contacts)
    q = problem.model.neutral()
    q[2], q[3:7] = 0.5, (np.sin(0.4), 0, 0, np.cos(0.4))
    v = np.r_[1.0, 0.5, 0.0, 1.0, 8.0, -4.0, 0.0, 0.0, 0.0]
    run = problem.simulate(0.8, q=q, v=v, step=2e-3, every=2e-2, progress=False)
    assert run.info["steps"] < 530 and growth(run) < 1e-5


@pytest.mark.parametrize("mass", [1e-3, 1e-7])
def test_a_body_that_weighs_next_to_nothing_between_two_joints_about_one_axis(mass):
    """Only the sum of both angles moves what weighs something."""
    builder = lo.Builder("coaxial", base="free").body("trunk", inertia=lo.Inertia.box(1.0, (0.2, 0.2, 0.1)))
    inertia = lo.Inertia.sphere(mass, 0.01)
    builder.body("between", parent="trunk", at=(0.1, 0, 0), joint=lo.Joint("one", axis="y"), inertia=inertia)
    leg = lo.Inertia(0.3, (0, 0, -0.1), moment=(1e-3, 1e-3, 2e-4))
    builder.body("leg", parent="between", joint=lo.Joint("two", axis="y"), inertia=leg)
    ground = lo.Ground(friction=0.6)
    touches = [lo.Touch("trunk", ground, box=(0.1, 0.1, 0.05)), lo.Touch("leg", ground, sphere=0.02, at=(0, 0, -0.2))]
    problem = lo.Locomotion(builder.build(), contacts=touches)
    q = problem.model.neutral()
    q[2], v = 0.5, np.r_[0.5, 0.2, 0, 1, 2, 0.5, 3, -2]
    run = problem.simulate(1.0, q=q, v=v, step=1e-3, every=2e-2, progress=False)
    assert growth(run) < 1e-6 and run.tracked["contact_law"][0] == 0 and run.info["steps"] < 1500 and run.audit.ok


def test_drives_that_swing_fast_take_steps_as_long_as_asked_for():
    """An arm that a drive swings by 20 rad/s on a box that stands: what the drive gives is no error of the step."""
    builder = lo.Builder("swinger", base="free").body("trunk", inertia=lo.Inertia.box(5.0, (0.3, 0.2, 0.1)))
    arm = lo.Inertia(0.5, (0.1, 0, 0), moment=(1e-3, 2e-3, 2e-3))
    builder.body("arm", parent="trunk", at=(0, 0, 0.1), joint=lo.Joint("arm", axis="z"), inertia=arm)
    touch = lo.Touch("trunk", lo.Ground(friction=0.5), box=(0.15, 0.1, 0.05))
    problem = lo.Locomotion(builder.build(), contacts=[touch], drives={"arm": lo.Sine(1.0, 20.0)})
    q = problem.model.neutral()
    q[2] = 0.05
    run = problem.simulate(0.1, q=q, step=1e-3, every=1e-3, progress=False)
    assert run.info["steps"] == 100 and run.audit.ok, run.audit
