"""Rods in time steps over contacts: no step is too long for their elasticity, steps are of second order, and energy is kept."""

import numpy as np
import pytest

import locomote as lo

NOWHERE = lo.Ground(lo.Plane(point=(0, 0, -50.0)))
GRAVITY = 9.81


def hanging(young, damping, ground=NOWHERE, height=0.0):
    """A rod on a hinge, bent at first, whose tip may touch the ground."""
    material = lo.Material(1000.0, young, damping=damping)
    rod = lo.Rod(0.6, lo.Section.circle(0.01), material, strains="bending_y stretch", order=2)
    model = lo.Builder("hanging").body("rod", at=(0, 0, height), joint=lo.Joint("hinge", axis="y"), flex=rod)
    model = model.body("tip", parent="rod", inertia=lo.Inertia(0.05)).build()
    q = np.zeros(model.nq)
    q[4] = 0.3  # 1/m, of bending
    return lo.Locomotion(model, contacts=[lo.Touch("tip", ground, sphere=0.02)]), q


@pytest.mark.parametrize(("young", "damping"), [(2e6, 0.0), (2e6, 0.002), (1e8, 0.05)])
def test_order(young, damping):
    """Against collocation of the same rod, which nothing touches; steps are up to hundreds of its shortest swings."""
    problem, q = hanging(young, damping)
    free = lo.Locomotion(problem.model).simulate(0.2, q=q, every=0.02, method="gauss", rtol=1e-8, atol=1e-12, progress=False)
    errors = []
    for step in (1e-3, 5e-4):
        run = problem.simulate(0.2, q=q, every=0.02, method="timestep", step=step, progress=False)
        assert run.audit.ok, str(run.audit)
        errors.append(abs(run.q[:, 0] - free.q[:, 0]).max())
    order = 2 if damping < 0.01 else 1  # what dies out within a step is taken as late as it can be
    assert errors[0] < 2e-2 and errors[1] < 1.3 * errors[0] / 2**order, errors


@pytest.mark.parametrize("young", [1e6, 1e7, 1e9])
def test_energy_is_kept_however_long_steps_are(young):
    problem, q = hanging(young, 0.0)
    run = problem.simulate(0.5, q=q, every=0.01, method="timestep", step=2e-3, progress=False)
    total = run.kinetic + run.potential + run.elastic
    assert np.ptp(total) < 2e-2 * np.ptp(run.kinetic), np.ptp(total) / np.ptp(run.kinetic)
    assert run.audit.ok, str(run.audit)


def test_a_rod_comes_to_rest_on_the_ground():
    """Without friction the ground carries what the moments about the hinge ask for."""
    problem, q = hanging(2e7, 0.1, lo.Ground(lo.Plane(), friction=0.0), height=0.1)
    q[0] = -0.2
    run = problem.simulate(6.0, q=q, every=0.05, method="timestep", step=2e-3, progress=False)
    assert run.audit.ok, str(run.audit)
    assert abs(run.v[-1]).max() < 1e-3
    model, end = problem.model, run.q[-1]
    tip = lo.forward_kinematics(model, end)[model.body("tip").index]
    assert abs(tip[2, 3] - 0.02) < 1e-6
    expected = lo.center_of_mass(model, end)[0] * model.mass * GRAVITY / tip[0, 3]
    load = run.contact_forces[-1, 0]
    assert np.isclose(load[2], expected, rtol=1e-4) and abs(load[:2]).max() < 1e-6


@pytest.mark.parametrize("place", ["tip", "link"])
def test_friction_holds_what_hangs_on_rods(place):
    """A block that a soft neck carries, set down on a slope: it stays where friction is enough, and slides where it is not."""
    neck = lo.Rod(0.2, lo.Section.circle(0.02), lo.Material(1000.0, 1e6, damping=0.01), strains="bending", order=1)
    box = lo.Inertia.box(1.0, (0.2, 0.2, 0.1))
    builder = (
        lo.Builder("block", base="free").body("block", inertia=box).body("neck", parent="block", at=(0, 0, 0.05), flex=neck)
    )
    builder.body("tip", parent="neck", inertia=lo.Inertia(0.1))
    if place == "link":
        builder.body("link", parent="tip", joint=lo.Joint("turn", axis="z"), inertia=lo.Inertia.box(0.1, (0.02, 0.02, 0.02)))
    slope, moved = np.radians(10.0), []
    normal = (np.sin(slope), 0.0, np.cos(slope))
    for friction in (0.5, 0.05):
        ground = lo.Ground(lo.Plane(normal=normal), friction=friction)
        problem = lo.Locomotion(builder.build(), contacts=[lo.Touch("block", ground, box=(0.1, 0.1, 0.05))])
        q = problem.model.neutral()
        q[:3] = 0.0501 * np.array(normal)
        q[3:7] = 0.0, np.sin(slope / 2), 0.0, np.cos(slope / 2)
        run = problem.simulate(0.5, q=q, every=0.1, method="timestep", step=1e-3, progress=False)
        assert run.audit.ok, str(run.audit)
        moved.append(np.linalg.norm(run.q[-1, :3] - run.q[0, :3]))
    slides = 0.5 * GRAVITY * (np.sin(slope) - 0.05 * np.cos(slope)) * 0.5**2
    assert moved[0] < 2e-3 and abs(moved[1] - slides) < 0.05 * slides, (moved, slides)
