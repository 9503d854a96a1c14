"""Gaits by geometry: which net motion a closed path of shapes leaves behind, and which path leaves the most.

`coordinates` says which coordinates are varied, `local_form` evaluates connection and metric over many shapes at once,
`path_ordered` multiplies motions along a path; `gait` is a closed path, `net_motion` what it leaves behind.
"""

from locomote.public import attach

__getattr__, __dir__, __all__ = attach("gaits")
