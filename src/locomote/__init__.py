"""Dynamics of everything that moves by changing its shape.

`import locomote as lo`; every public name is listed in `public` and loaded when first used. What a new user needs is flat:
models and files, dynamics, problems, constraints, ground, drives, controllers, runs. The rest stands in groups:

    lo.control   gaits of legs, control laws, whole-body control with contacts
    lo.denoc     the equations of motion as matrices, by links and modules
    lo.rods      bodies that bend: bases, modes, finite elements, what acts along them
    lo.systems   the catalogue
    lo.water     water, air and sand: flows, and what they do to bodies
"""

from locomote.public import attach

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = attach("", ["__version__"])
