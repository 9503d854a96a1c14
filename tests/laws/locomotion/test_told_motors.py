"""Motors of scenes that are told sines: servos where these stay within what they may be told, clipped at ticks elsewhere."""

import numpy as np
import pytest

import locomote as lo

FILE = """<mujoco><option timestep="0.001"/><worldbody><body><joint name="arm" axis="0 1 0"/>
  <inertial pos="0.2 0 0" mass="1" diaginertia="0.01 0.01 0.01"/></body></worldbody>
  <actuator><motor name="turn" joint="arm" gear="2" ctrlrange="-1 1"/></actuator></mujoco>"""


def torque_of(run):
    return run["arm.torque"]


@pytest.mark.parametrize("told, alone", [(lo.Sine(0.8, 5.0, offset=0.2), True), (lo.Sine(0.8, 5.0, offset=0.3), False)])
def test_a_sine_within_the_range_is_a_servo(told, alone):
    problem = lo.load_scene(FILE, controls={"turn": told})
    assert isinstance(problem.controllers[0], lo.Servo) == alone
    run = problem.simulate(1.0, samples=np.linspace(0.0, 1.0, 201), progress=False)
    wanted = 2.0 * np.clip([told(t)[0] for t in run.t], -1.0, 1.0)
    assert abs(torque_of(run) - wanted).max() < (1e-12 if alone else 2.0 * 0.8 * 5.0 * 1.01e-3)  # held for a tick


def test_a_sine_that_begins_with_a_ramp_passes_zero():
    text = FILE.replace("-1 1", "0.1 1")
    ramped = lo.load_scene(text, controls={"turn": lo.Sine(0.1, 5.0, offset=0.5, ramp=0.5)})
    assert not isinstance(ramped.controllers[0], lo.Servo)
    assert isinstance(lo.load_scene(text, controls={"turn": lo.Sine(0.1, 5.0, offset=0.5)}).controllers[0], lo.Servo)
