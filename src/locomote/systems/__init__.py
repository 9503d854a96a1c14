"""The catalogue: systems built in code, with parameters, units and sources. One file a system.

>>> load("quadruped", trunk_mass=6.0).model
"""

from locomote.systems.catalogue import Parameter, System, load, names, parameters, title

__all__ = ["Parameter", "System", "load", "names", "parameters", "title"]
