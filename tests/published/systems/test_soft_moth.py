"""Hovering with soft wings, the body free (Boyer, Porez 2014, figure 12; the paper prints no numbers)."""

import numpy as np

import locomote as lo

STROKE = 1 / 26  # s


def test_it_hovers_where_it_is():
    """After some strokes it carries its weight by the strokes of a hawkmoth, stays, and nods a little at each stroke."""
    system = lo.systems.load("soft_moth")
    run = system.problem().simulate(24 * STROKE, rtol=1e-6, atol=1e-9, progress=False)
    last = run.t >= 16 * STROKE
    x, y, z, w = run.q[last, 3:7].T
    nod = np.degrees(np.arcsin(2 * (w * y - z * x)))
    assert run.audit.ok and abs(run.q[last, :3]).max() < 0.03 and 0.5 < np.ptp(nod) / 2 < 6
    lift = sum(load[last][:, :, 2].sum(axis=1) for load in run.loads.values())  # about, as the body is level
    mean = np.trapezoid(lift, run.t[last]) / (run.t[last][-1] - run.t[last][0])
    assert abs(mean / (9.81 * system.model.mass) - 1) < 0.25
    assert 50 < np.degrees(run.q[last, 7].max()) < 62
    assert np.allclose(run.q[:, [1, 3, 5]], 0.0, atol=1e-6)  # both wings alike


def test_ribs_do_not_matter():
    ends = []
    for ribs in (4, 6):
        run = lo.systems.load("soft_moth", ribs=ribs).problem().simulate(4 * STROKE, rtol=1e-6, atol=1e-9, progress=False)
        ends.append(run.q[-1, [0, 2, 4]])
    assert np.allclose(*ends, atol=0.01)
