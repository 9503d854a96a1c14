"""A cost of transport where something travels, and one of it."""

import numpy as np
import pytest

import locomote as lo


def costs(run):
    """Lines of the summary that give one."""
    return [line for line in run.summary().splitlines() if "cost of transport" in line]


@pytest.mark.parametrize("name", ["eel", "fish", "tuna_robot"])
def test_a_swimmer_has_one_cost_of_transport(name):
    run = lo.systems.load(name).problem().simulate(2.0, every=0.01, progress=False)
    assert len(costs(run)) == 1 and "J/(kg m)" in costs(run)[0] and run.energetics.cost_of_transport > 0


@pytest.mark.parametrize("name", ["mobile_pendulum", "scallop"])
def test_what_goes_to_and_fro_has_none(name):
    system = lo.systems.load(name)
    run = system.problem().simulate(system.duration, progress=False)
    assert run.net_motion.distance < 0.1 * run.net_motion.length
    assert not costs(run)


def test_what_settles_has_none_and_what_walks_has_one():
    """A cart with a servo that holds its arm: the cart gives way by a part of a millimetre."""
    builder = lo.Builder("cart", base="x").body("cart", inertia=lo.Inertia.box(5.0, (0.4, 0.2, 0.2)))
    arm = lo.Inertia(1.0, (0, 0, 0.3), 0.01 * np.eye(3))
    builder.body("arm", parent="cart", at=(0, 0, 0.5), joint=lo.Joint("arm", axis="y"), inertia=arm)
    model = builder.build()
    held = lo.Locomotion(model, torques=lo.Servo({"arm": 0.0}, 300.0, 30.0), springs={"base": (200.0, 0.0, 40.0)})
    assert not costs(held.simulate(2.0, q=[0.0, 0.01], progress=False))
    walked = lo.systems.load("planar_biped").problem().simulate(2.0, progress=False)
    assert len(costs(walked)) == 1
