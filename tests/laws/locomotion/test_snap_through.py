"""Loads that turn back: equilibria followed by arc length against closed forms."""

import numpy as np
import pytest

import locomote as lo

HALF, HEIGHT, STIFFNESS = 1.0, 0.3, 1000.0


def truss(load):
    """Von Mises' truss: a mass that slides up and down between two springs which rise to it; pressed down by `load` in N."""
    model = (
        lo.Builder("truss", gravity=(0, 0, 0))
        .body("top", joint=lo.Joint("slide", kind="prismatic", axis="y"), inertia=lo.Inertia(1.0))
        .build()
    )
    length = float(np.hypot(HALF, HEIGHT))
    bars = [
        lo.Spring("top", other_point=(side * HALF, -HEIGHT, 0.0), stiffness=STIFFNESS, length=length, name=f"bar {side:+d}")
        for side in (-1, 1)
    ]
    return lo.Locomotion(model, environment=bars, torques={"slide": -50.0 * load})


def test_snap_through_of_a_truss():
    """Load over height in closed form, past both loads at which it turns, where rest is not stable between them."""
    path = lo.equilibrium_path(truss, until=1.0, step=0.05)
    height = HEIGHT + path.q[:, 0]
    length, rest = np.hypot(HALF, height), np.hypot(HALF, HEIGHT)
    assert np.allclose(50.0 * path.loads, 2 * STIFFNESS * (rest - length) * height / length, atol=1e-6)
    assert path.loads[-1] == 1.0 and path.q[-1, 0] < -2 * HEIGHT
    top = np.sqrt(np.cbrt(rest * HALF**2) ** 2 - HALF**2)  # where the load is largest
    most = 2 * STIFFNESS * (rest - np.hypot(HALF, top)) * top / np.hypot(HALF, top)
    assert len(path.turns) == 2
    assert 0.95 * most < 50.0 * path.loads[path.turns[0]] < most * (1 + 1e-9)
    between = abs(height) < top - 0.02
    beyond = abs(height) > top + 0.02
    assert between.sum() > 3 and not path.stable[between].any() and path.stable[beyond].all()


def test_a_rod_follows_its_load():
    """Where nothing turns back, the path ends where load steps end: a cantilever under a tip force."""
    rod = lo.Rod(1.0, lo.Section.circle(0.01), lo.Material(1000.0, 1e8), strains="bending_z", order=3)
    model = lo.Builder("beam", gravity=(0, 0, 0)).body("beam", flex=rod).body("tip", parent="beam").build()

    def loaded(load):
        pull = lo.Spring("tip", other_point=(1.0, -10.0, 0.0), stiffness=0.2 * load, length=0.0)
        return lo.Locomotion(model, environment=[pull])

    path = lo.equilibrium_path(loaded, step=0.3)
    steps = lo.equilibrium(loaded, load_steps=5)
    assert np.allclose(path.q[-1], steps.q, atol=1e-7) and path.stable.all() and not len(path.turns)
    assert lo.forward_kinematics(model, path.q[-1])[-1, 1, 3] < -0.3


def test_wrong_calls():
    with pytest.raises(ValueError, match="step must be positive"):
        lo.equilibrium_path(truss, step=0.0)
    with pytest.raises(TypeError, match="function of the load"):
        lo.equilibrium_path(lambda load: 3)


def test_an_equilibrium_is_found_from_itself():
    """Where it starts at rest all forces together vanish, and only their parts say how large they are."""
    soft = lo.Rod(0.3, lo.Section.circle(0.01), lo.Material(1100.0, 4e6), strains="bending", order=4)
    problem = lo.Locomotion(lo.Builder("arm").body("arm", flex=soft).build())
    q = lo.equilibrium(problem).q
    assert np.allclose(lo.equilibrium(problem, q).q, q, atol=1e-9)
