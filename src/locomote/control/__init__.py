"""Motions that legged robots are asked for, and laws that make them follow: plain data and plain functions.

A motion is a triple (position, velocity, acceleration). A reference is a function t -> (q, v, a) of the driven coordinates.
A law is a function law(t, q, v, state) -> (tau, state), with state None at the first call. Whole-body control with contacts
has files of its own here.
"""
# ruff: noqa: F401

from locomote.control.gaits import GAITS, Gait, Hold, foot_motion, gait
from locomote.control.laws import computed_torque, driven_coordinates, feed_forward, gravity_compensation, pd, pid
from locomote.control.legs import hip_knee_ankle, planar_leg, roll_pitch_knee
from locomote.control.pendulum import PendulumWalk
from locomote.control.references import biped_reference, held, legs_reference, ramped
from locomote.control.stepping import stepping
from locomote.public import attach

_OWN = [
    "GAITS", "Gait", "Hold", "PendulumWalk", "biped_reference", "computed_torque", "driven_coordinates", "feed_forward",
    "foot_motion", "gait", "gravity_compensation", "held", "hip_knee_ankle", "legs_reference", "pd", "pid", "planar_leg",
    "ramped", "roll_pitch_knee", "stepping",
]  # fmt: skip

__getattr__, __dir__, __all__ = attach("control", _OWN, finite=True)
