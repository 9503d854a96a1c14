"""Exponential coordinates of a whole configuration about a start, in which integrators may add as in a vector space.

Plain coordinates are themselves; rotations are rotation vectors about where they were at the start of a step; positions of a
free body are world shifts. Held coordinates come from the drives, not from here.
"""

from locomote.compiler.source import routine
from locomote.model.joints import joint_chart_rate, joint_moved


@routine
def moved(topology, start, u, q):
    """Fill q: the configuration at chart coordinates u about `start`."""
    for i in range(topology.shape[0] - 1):
        joint_moved(topology, i, start, u, q)


@routine
def chart_rate(topology, q, u, v, rate):
    """Fill the rates of u for the velocity v, at q."""
    for i in range(topology.shape[0] - 1):
        joint_chart_rate(topology, i, q, u, v, rate)
