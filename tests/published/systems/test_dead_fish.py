"""A dead fish as a passive beam, free in the plane, in a vortex street (Boyer, Porez 2014, figure 12; Beal et al. 2006): it
goes upstream if its fin keeps its heading. No numbers are published."""

import numpy as np
import pytest

import locomote as lo

FREE = {"guide": "free", "length": 0.22, "circulation": 0.027, "core": 0.035, "friction": 0.002, "fin": 0.13, "stiffness": 6.0}


def drift(duration=20.0, **changed):
    """Mean speed over the second half, m/s; largest turn, rad; farthest to the side, m."""
    system = lo.systems.load("dead_fish", **({"body": "rod"} | FREE | changed))
    run = system.problem().simulate(duration, progress=False)
    com = lo.center_of_mass(system.model, run.q)
    half = np.searchsorted(run.t, duration / 2)
    assert run.audit.ok, str(run.audit)
    return (com[-1, 0] - com[half, 0]) / (duration / 2), abs(run.q[:, 2]).max(), abs(com[:, 1]).max()


def test_it_goes_upstream_where_vortices_are():
    speed, turn, side = drift()
    assert speed < -0.1 and turn < 0.15 and side < 0.03
    assert drift(flow="uniform")[0] > 0.1
    assert speed < 1.1 * drift(stiffness=1000.0)[0] < 0  # a rigid one goes upstream too, but more slowly


def test_friction_makes_it_stay():
    speed, _, side = drift(friction=0.005)
    assert abs(speed) < 0.01 and side < 0.02  # of a stream of 0.3 m/s


def stability(fin):
    """Restoring moment of the fin over that of the slender body: (L - x_c) m(L) over the integral of m."""
    X = (np.arange(2000) + 0.5) / 2000
    shape = np.sin(np.pi * X**0.6)
    height = 0.09 * shape + fin * X**8
    area = height * np.maximum(0.05 * shape, 2e-3)
    return (1 - (area * X).sum() / area.sum()) * fin**2 / np.mean(height**2)


@pytest.mark.parametrize("fin", [0.07, 0.13])
def test_it_keeps_its_heading_as_an_arrow_does(fin):
    """Without enough of a fin it swerves out of the street, and goes with the stream."""
    speed, turn, side = drift(fin=fin)
    stable = stability(fin) > 1
    assert stable == (fin > 0.1) == (speed < 0) == (side < 0.1) == (turn < 0.2)


def test_links_and_a_rod_go_alike():
    rod, links = drift(3.0), drift(3.0, body="links", links=6)
    assert np.allclose(rod, links, atol=2e-3)
