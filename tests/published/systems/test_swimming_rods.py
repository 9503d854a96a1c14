"""Fish and eels as Cosserat beams with imposed curvature (Boyer, Porez 2014, figure 10; the paper prints no numbers)."""

import numpy as np
import pytest

import locomote as lo


def run_of(name, duration, **parameters):
    system = lo.systems.load(name, body="rod", **parameters)
    return system.problem().simulate(duration, progress=False)


def course(run, t, period):
    """Direction of the mass center over a period, rad, from -x."""
    com = lo.center_of_mass(run.model, run.q)
    way = [np.interp(t + period, run.t, com[:, k]) - np.interp(t, run.t, com[:, k]) for k in (0, 1)]
    return np.arctan2(-way[1], -way[0])


def test_fish_turns_by_sixty_degrees():
    """It cruises, turns and goes straight on; as many nodes as one likes."""
    turned = []
    for nodes in (12, 20):
        run = run_of("fish", 11.0, turn=1.03, turn_start=6.0, turn_time=1.5, nodes=nodes)
        before, after, later = (np.degrees(course(run, t, 2 / 3)) for t in (5.2, 9.6, 10.2))
        turned.append(after - before)
        assert run.audit.ok and abs(before) < 1.0 and abs(later - after) < 0.4
    assert turned[0] == pytest.approx(-60.0, abs=1.5) and turned[0] == pytest.approx(turned[1], abs=0.3)


def test_moments_of_a_rod_are_the_torques_of_many_links():
    """Force of each coordinate over the length that its point stands for, against joints of a chain, when both swim alike."""
    rod, t, links = run_of("eel", 2.0, young=1.0, nodes=20), 1.6, 60
    system = lo.systems.load("eel", links=links)
    chain = system.problem().simulate(2.0, samples=[t, 2.0], progress=False)
    torques = chain.tau[np.searchsorted(chain.t, t), 3:]
    stations = lo.rods.sections(rod.model, rod.q[0], "eel").along
    moment = np.array([np.interp(t, rod.t, x) for x in rod.tau[:, 3:].T]) / np.repeat(np.diff(stations, prepend=0.0) / 2, 2)
    at_joints = np.interp(np.arange(1, links) / links, rod.model.flexible.rods["eel"].points.ravel(), moment)
    assert np.allclose(at_joints, torques, atol=0.03 * abs(torques).max()) and abs(torques).max() > 0.1


def test_eel_dives():
    """It goes down by a third of its length while it bends, and stays there, upright; nodes do not matter."""
    ends = []
    for nodes in (10, 14):
        run = run_of("eel", 13.0, dive=1.0, nodes=nodes)
        com, up = lo.center_of_mass(run.model, run.q), lo.forward_kinematics(run.model, run.q)[:, 0, 2, 2]
        before, down = com[run.t < 5.0][:, 2], com[run.t > 10.0][:, 2]
        assert run.audit.ok and abs(before).max() < 1e-6 and -0.36 < down.min() <= down.max() < -0.28
        assert up[run.t > 9.0].min() > 0.9 > 0.7 > up.min()
        ends.append(com[-1])
    assert np.allclose(*ends, atol=0.02)


def test_volume_above_the_mass_rights_a_rod():
    """A neutral rod that is rolled by an angle turns back by m g h sin(angle); nothing else pushes it."""
    water, rod = lo.Fluid(1000.0), lo.Rod(1.0, lo.Section.circle(0.05), lo.Material(1000.0, 1e6), strains="bending", order=1)
    model = lo.Builder("log", base="free").body("log", flex=rod).build()
    angle, height = 0.4, 0.01
    problem = lo.Locomotion(model, environment=[lo.Buoyancy("log", water, center=(0.0, 0.0, height))])
    q = model.neutral()
    q[3:7] = np.sin(angle / 2), 0.0, 0.0, np.cos(angle / 2)
    now = problem.evaluate(0.0, q, np.zeros(model.nv))
    spin = model.mass * 0.05**2 / 2
    assert now.a[3] == pytest.approx(-model.mass * 9.81 * height * np.sin(angle) / spin, rel=1e-9)
    assert np.allclose(np.delete(now.a, 3), 0.0, atol=1e-9)
