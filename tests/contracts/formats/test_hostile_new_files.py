"""Readers of tendons, muscles, xacro, SRDF, OpenSim and motion answer or raise ModelError, and open nothing.

`benchmarks/hostile_files.py` tries thousands.
"""

import file_samples as samples
import hostile_files as hostile
from gait_model import gait
from hypothesis import HealthCheck, given, settings

import locomote as lo
from locomote.formats.scenes import read_scene

CALM = settings(
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


@CALM
@given(hostile.broken([samples.MUSCLE_ARM]))
def test_tendons_and_muscles(text):
    hostile.check(lambda given: read_scene(given).description, text)


@CALM
@given(hostile.broken([samples.XACRO]))
def test_xacro(text):
    hostile.check(lo.read_urdf, text)


@CALM
@given(hostile.broken([samples.SRDF]))
def test_srdf(text):
    robot = lo.read_urdf(samples.XACRO)
    hostile.check(lambda given: lo.read_srdf(given, robot).applied(robot), text)


@CALM
@given(hostile.broken([gait()]))
def test_osim(text):
    hostile.check(lambda given: read_scene(given).description, text)
