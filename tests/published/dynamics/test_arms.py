"""Arms and chains of the catalogue against published numbers.

Stanford arm: data/serial_arms.json. KUKA KR5: data/redysim_kuka_kr5_inverse.json. PUMA 560: constants of gravity and of inertia
printed by B. Armstrong, O. Khatib, J. Burdick (1986). Satellite: data/space_robot.json, which has one arm.
"""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from cases import close, numbers

import locomote as lo

ARMS, KUKA, SPACE = numbers("serial_arms"), numbers("redysim_kuka_kr5_inverse"), numbers("space_robot")


def test_stanford_arm():
    system, data = lo.systems.load("stanford_arm"), ARMS["stanford_inverse_trajectory"]
    rows = np.array(data["rows"])
    run = system.problem().simulate(system.duration, samples=rows[:, 0], progress=False)
    assert close(run.tau, rows[:, 1:], 1e-9)
    for case in ARMS["cases"]["stanford"]:
        given, expected = case["input"], case["expected"]
        assert close(lo.mass_matrix(system.model, given["q"]), expected["M"], 1e-11)
        a = lo.forward_dynamics(system.model, given["q"], given["qd"], np.zeros(6))
        assert close(a, expected["free_fall_qdd"], 1e-10)


def test_stanford_arm_falls_without_losing_energy():
    system = lo.systems.load("stanford_arm", motion="fall")
    run = system.problem().simulate(system.duration, progress=False)
    energy = run.kinetic + run.potential
    assert np.ptp(energy) < 1e-6 * np.ptp(run.kinetic)


def test_kuka_kr5():
    system = lo.systems.load("kuka_kr5")
    samples = KUKA["expected"]["samples"]
    run = system.problem().simulate(1.0, samples=[row["t"] for row in samples], progress=False)
    for tau, row in zip(run.tau, samples, strict=True):
        assert np.max(abs(tau - row["tau_published"])) < KUKA["tolerance"]["abs"]


def test_spatial_biped():
    """The model is the published one; the step goes where it should, and starts and ends as mirror images."""
    system = lo.systems.load("spatial_biped")
    for case in ARMS["cases"]["spatial_biped"]:
        given, expected = case["input"], case["expected"]
        assert close(lo.mass_matrix(system.model, given["q"]), expected["M"], 1e-11)
        assert close(lo.inverse_dynamics(system.model, given["q"], given["qd"], given["qdd"]), expected["inverse_tau"], 1e-11)
    run = system.problem().simulate(0.5, samples=np.linspace(0, 0.5, 11), progress=False)
    poses = lo.forward_kinematics(system.model, run.q)
    w = np.sqrt(9.81 / 0.92)
    x = -0.15 * (np.cosh(w * run.t) - np.sinh(w * run.t) / np.tanh(w * 0.25))
    assert np.allclose(poses[:, 6, :3, 3][:, :2], np.stack([np.full(11, 0.92), x], axis=1), atol=1e-6)
    assert np.allclose(poses[:, 12, :3, 3][:, 1], -0.3 * np.cos(2 * np.pi * run.t), atol=1e-6)
    assert np.allclose(poses[:, 12, :3, 3][:, 0], 0.05 * (1 - np.cos(4 * np.pi * run.t)), atol=1e-6)
    assert np.allclose(run.q[0, [0, 2, 9, 11]], run.q[-1, [11, 9, 2, 0]], atol=1e-7)


@pytest.mark.parametrize("rtol", [1e-6, 1e-9])
def test_spatial_biped_is_unstable_without_control(rtol):
    """An error of 1e-3 rad grows to 5 degrees in 0.29 s whatever the tolerance: the motion, not the integrator, loses it."""
    system = lo.systems.load("spatial_biped", motion="forced")
    run = system.problem().simulate(0.35, rtol=rtol, atol=rtol / 100, every=1e-3, progress=False)
    wanted = lo.systems.load("spatial_biped").problem().simulate(0.35, samples=run.t, progress=False)
    error = np.degrees(abs(run.q - wanted.q).max(axis=1))
    assert run.t[np.argmax(error > 5)] == pytest.approx(0.29, abs=0.002)


def test_puma_gravity():
    """g1 = -37.2, g2 = -8.44, g3 = 1.02, g4 = 0.249 N m:  tau_2 = g1 c2 + g2 s23 + g3 s2 + g4 c23, with the wrist straight."""
    model = lo.systems.load("puma").model
    for q2, q3 in [(0.0, 0.0), (0.5, -0.4), (1.2, 0.8), (-0.7, 2.0)]:
        expected = -37.2 * np.cos(q2) - 8.44 * np.sin(q2 + q3) + 1.02 * np.sin(q2) + 0.249 * np.cos(q2 + q3)
        # the printed ones round their sums, and leave out the last link's center of mass (0.028 N m)
        assert lo.gravity_force(model, [0.3, q2, q3, 0, 0, 0])[1] == pytest.approx(expected, abs=0.1)


def test_puma_inertia():
    """Their constant parts of the diagonal: m33 is 1.16 without wrist terms, m44 0.20, m55 0.18, m66 0.19 kg m^2."""
    M = lo.mass_matrix(lo.systems.load("puma").model, np.zeros(6)).diagonal()
    assert np.allclose(M[2:], [1.16, 0.20, 0.18, 0.19], atol=0.01)


@pytest.mark.parametrize("second", ["still", "mirrored", "alike"])
def test_dual_arm_satellite_keeps_its_momentum(second):
    system = lo.systems.load("dual_arm_satellite", second=second)
    run = system.problem().simulate(system.duration, progress=False)
    assert np.max(abs(lo.momentum(system.model, run.q, run.v))) < 1e-6
    place = lo.center_of_mass(system.model, run.q)
    assert np.max(abs(place - place[0])) < 1e-8


def test_dual_arm_with_a_light_second_arm_is_the_published_one():
    """A second arm of next to no mass: the published end of the one-arm robot."""
    builder = lo.systems.load("dual_arm_satellite").model.description
    bodies = tuple(
        replace(b, inertia=lo.Inertia(1e-9, (0.5, 0, 0), [1e-9] * 3)) if b.name.startswith("second") else b
        for b in builder.bodies
    )
    system = lo.systems.load("dual_arm_satellite")
    problem = lo.Locomotion(lo.Model(replace(builder, bodies=bodies)), drives=system.problem().drives, start=system.initial)
    run = problem.simulate(20.0, progress=False)
    assert np.allclose(run.q[-1, :3], [0.071842, 0.038193, 1.036176], atol=1e-6)


@pytest.mark.parametrize("links", [10, 100])
def test_ropes_keep_their_energy(links):
    system = lo.systems.load("rope", links=links, bending=1e-4)
    run = system.problem().simulate(0.3, progress=False)
    energy = run.kinetic + run.potential + run.elastic
    assert np.ptp(energy) < 1e-6 * np.ptp(run.potential)
    by_hand = lo.kinetic_energy(system.model, run.q, run.v) + lo.potential_energy(system.model, run.q)
    assert np.allclose(by_hand + run.elastic, energy, atol=1e-12)


def test_a_rope_of_a_thousand_links_keeps_its_energy():
    """3,000 coordinates; a whole second is in benchmarks/ropes.py."""
    system = lo.systems.load("rope", links=1000)
    q, v = system.initial
    run = system.problem().simulate(0.1, q=q, v=v, samples=np.linspace(0.0, 0.1, 11), rtol=1e-6, atol=1e-6, progress=False)
    energy = lo.kinetic_energy(system.model, run.q, run.v) + lo.potential_energy(system.model, run.q)
    assert np.ptp(energy) < 1e-8 * np.ptp(run.potential)


def test_a_rope_of_stiff_links_hangs_as_a_pendulum():
    """Two links with a stiff joint swing as one rod."""
    rope = lo.systems.load("rope", links=2, bending=50.0, push=0.0, sag=0.2, radius=1e-3)
    run = rope.problem().simulate(0.5, progress=False)
    rod = lo.systems.load("rope", links=1, push=0.0, sag=0.2, radius=1e-3)
    other = rod.problem().simulate(0.5, progress=False)
    ends = [lo.center_of_mass(s.model, r.q[-1]) for s, r in ((rope, run), (rod, other))]
    assert np.allclose(*ends, atol=1e-3)


LONG = """
import resource, locomote as lo
lo.systems.load("rope", links=3).problem().simulate(1e-4, samples=[0.0, 1e-4], progress=False).audit
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
run = lo.systems.load("rope", links=3000).problem().simulate(1e-4, samples=[0.0, 1e-4], progress=False)
assert run.audit.checks and len(run.q[0]) == 12000
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="resident memory is measured as on Unix")
def test_long_chains_touch_no_dense_matrix():
    """A run of 3,000 links with its case and audit: less memory is touched than one matrix of its size takes (648 MB)."""
    done = subprocess.run([sys.executable, "-c", LONG], capture_output=True, text=True, check=True)
    kilobytes = float(done.stdout) / (1024 if sys.platform == "darwin" else 1)
    assert kilobytes < 300e3
