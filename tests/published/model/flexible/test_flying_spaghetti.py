"""A flexible rod thrown into free flight (Simo and Vu-Quoc 1986): places, angles, momentum and energies, to the truth.

`data/beam_flying_spaghetti_2d.json` was computed by spectral elements, 12 of order 6; its tolerance comes from what places of
the end B differ by from 8 elements of order 5. Its angles are those of that mesh: the moment at the end sets in at once and
sends a jump of bending through the rod, which no mesh follows, so that angles of the ends are off by up to 0.02 rad there, and
energies by the moment's work on that. `beam_reference.py` splits the jump off; `data/flying_spaghetti_converged.json` is what
it gives on 320 elements, where it has converged to 1e-4. Both ways are also held against Laplace's transform of the first
instants, and against each other under a moment that swells, where everything converges fast.
"""

import numpy as np
import pytest
from beam_reference import SPAGHETTI, TILT, first_turn, fly, spaghetti
from flying_rod import (
    ANGLES,
    CONVERGED,
    FILE,
    PLACES,
    STEP,
    SWELL,
    TIMES,
    apart,
    at_tilt,
    dead,
    ends,
    model,
    off,
    rows,
    swell,
    thrown,
)

import locomote as lo


def energies(model, q, v):
    return lo.kinetic_energy(model, q, v) + np.array([lo.spring_energy(model, x) for x in q])


def test_places():
    """In space, on a few polynomials: places of both ends to the file's tolerance, momentum, energy kept in free flight."""
    turn = np.eye(4)
    turn[:3, :3] = np.column_stack([(0.6, 0.0, -0.8), (0.0, 1.0, 0.0), (0.8, 0.0, 0.6)])
    rod = model("free", turn, "y", order=14, nodes=28)
    Q, V = thrown(rod, dead("tip", force=(8.0, 0.0, 0.0), moment=(0.0, 80.0, 0.0)), 1e-7)
    for q, v, x, tolerance in zip(Q, V, FILE["expected"]["trajectory"], FILE["tolerance"]["abs"], strict=True):
        for pose, end in zip(lo.forward_kinematics(rod, q), "AB", strict=True):
            assert np.allclose(pose[:3, 3], x[end], rtol=0, atol=tolerance), x["t"]
        assert np.allclose(lo.momentum(rod, q, v)[:3], [8.0 * min(x["t"], 2.5), 0.0, 0.0], rtol=0, atol=5e-4)
        assert np.allclose(lo.momentum(rod, q, v)[:3], x["linear_momentum"], rtol=0, atol=5e-4)
    kept = energies(rod, Q, V)[-5:]
    assert np.ptp(kept) < 1e-5 * kept[0]


def test_angles_and_energies():
    """Pieces of degree 6: angles to 0.005 of the truth, energies to what the loads have done along the true motion."""
    few = lo.rods.Pieces(8, 2)
    rod = model(basis={"bending_z": lo.rods.Pieces(24, 6), "shear_y": few, "stretch": few}, nodes=192)
    q, v = thrown(rod, STEP, 1e-3, q=at_tilt(rod))
    truth, file, tolerance = (
        rows(CONVERGED["trajectory"]),
        rows(FILE["expected"]["trajectory"]),
        np.array(FILE["tolerance"]["abs"]),
    )
    wrong = abs(apart(ends(rod, q), truth))
    assert wrong[:, ANGLES].max() < 0.005 and wrong[:, PLACES].max() < 0.002
    assert (abs(apart(ends(rod, q), file))[:, PLACES].max(axis=1) < tolerance).all()
    done = 8.0 * (truth[:5, 3] - 6.0) + 80.0 * (truth[:5, 5] - TILT)
    assert np.allclose(energies(rod, q, v), np.r_[done, np.full(5, done[-1])], rtol=0, atol=80 * 0.005)
    assert np.allclose(energies(rod, q, v)[4:], [x["energy"] for x in FILE["expected"]["trajectory"][4:]], rtol=1e-3)


def test_angles_of_the_file_are_those_of_its_mesh():
    """The file's own mesh, without a front, gives the file's angles; a coarser one the places that its tolerance is from."""
    count = 6  # to 3 s
    file, truth = rows(FILE["expected"]["trajectory"])[:count], rows(CONVERGED["trajectory"])[:count]
    fine, coarse = (spaghetti(*mesh, TIMES[:count], split=False) for mesh in ((12, 6), (8, 5)))
    assert abs(apart(fine, file)).max() < 2e-5
    assert np.allclose(abs(apart(coarse, file))[:, 3:5].max(axis=1), FILE["tolerance"]["estimated_error"][:count], atol=5e-5)
    assert abs(apart(coarse, file))[:, ANGLES].max() > 0.04  # what the tolerance would be if it were one of angles
    wrong = abs(apart(file, truth))
    assert wrong[:, PLACES].max() < 5e-4 and 0.015 < wrong[:, ANGLES].max() < 0.025
    done = 8.0 * (file[:5, 3] - 6.0) + 80.0 * (file[:5, 5] - TILT)
    assert np.allclose(done, [x["energy"] for x in FILE["expected"]["trajectory"][:5]], rtol=1e-5)  # its own angles' energies


def test_reference_is_reached():
    """A mesh of a few seconds is on the way to the numbers that are kept, which finer ones differ from by 1e-4 at most."""
    found = spaghetti(40, 4, TIMES[:6])
    assert abs(apart(found, rows(CONVERGED["trajectory"])[:6])).max() < 2e-3
    other = CONVERGED["differences_of_other_meshes"]
    assert max(other["160 x 4"].values()) < 2e-4 and max(other["200 x 6"].values()) < 2e-4


def test_first_instants():
    """Turn of the end while the waves run to the other end and back, under loads so small that the beam stays straight."""
    times, force, moment = [0.05, 0.1, 0.19], 6.4e-4, 8e-3
    exact = first_turn(SPAGHETTI, force, moment, times)
    start = moment / np.sqrt(SPAGHETTI.EI * SPAGHETTI.rhoI)  # rad/s: the jump of a wave that turns sections only
    assert first_turn(SPAGHETTI, force, moment, 1e-5)[0] == pytest.approx(1e-5 * start, rel=1e-4)
    split = fly(SPAGHETTI, 80, 4, times, lambda t: (0.0, force, 0.0), step=(moment, 9.0), tilt=0.0)
    assert np.allclose(split[:, 5], exact, rtol=5e-4)
    file = fly(SPAGHETTI, 12, 6, times, lambda t: (0.0, force, moment), tilt=0.0)
    assert abs(file[:, 5] / exact - 1)[0] > 0.1  # of 0.13 rad at full load
    wrong = []
    for count in (32, 64):
        rod = model(
            basis={"bending_z": lo.rods.Pieces(count, 2), "shear_y": lo.rods.Pieces(16, 2), "stretch": lo.rods.Pieces(1, 0)},
            nodes=4 * count,
        )
        on = dead("tip", force=(0.0, force, 0.0), moment=(0.0, 0.0, moment))
        run = lo.Locomotion(rod, environment=[on]).simulate(0.19, samples=times, method="gauss", rtol=1e-5, progress=False)
        wrong.append(abs(ends(rod, run.q)[:, 5] / exact - 1))
    assert wrong[0].max() < 0.1 and wrong[1].max() < 0.01


def test_smooth_load():
    """Where force and moment swell and fade, angles agree to 3e-4 and places to 2e-5, on 90 coordinates."""
    expected = fly(SPAGHETTI, 12, 6, TIMES, swell)
    coarse, fine = (off(model(order=order, nodes=2 * order), SWELL, 1e-7, expected) for order in (14, 28))
    assert (fine < (2e-5, 3e-4)).all() and (coarse > 8 * fine).all()
