"""The catalogue: systems built in code, with parameters, units and sources. One file a system.

>>> load("quadruped", trunk_mass=6.0).model
"""

from locomote.public import attach
from locomote.systems.catalogue import System, load, names, parameters, title
from locomote.systems.parameters import Parameter

__all__ = ["Parameter", "System", "load", "names", "parameters", "title"]

__getattr__, __dir__, _ = attach("systems", __all__)
