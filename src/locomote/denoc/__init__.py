"""Decoupled natural orthogonal complement (DeNOC): the equations of motion as matrices, link by link and module by module.

The formulation to read next to the papers and to check recursions with; NumPy, one state at a time. What is fast is in
`lo.mass_matrix`, `lo.forward_dynamics` and their like.

>>> state = at(model, q, v); inertia_matrix(state, level="module")
"""

from locomote.denoc.closed import Closed, Cut, Loops, closed_forward_dynamics, closed_inverse_dynamics, closed_loops
from locomote.denoc.dense import Dense, dense_forward_dynamics, dense_inverse_dynamics, reverse_elimination
from locomote.denoc.elements import Element, elements
from locomote.denoc.factor import Factor, factor, inverse_inertia_matrix
from locomote.denoc.floating import floating_inverse_dynamics
from locomote.denoc.inertia import composite_inertias, coordinate_inertias, inertia_matrix
from locomote.denoc.links import Links, at
from locomote.denoc.matrices import Matrices, bias_force, convective_matrix, gravity_force, matrices
from locomote.denoc.modules import Module, Modules, modularise
from locomote.denoc.nonholonomic import Roll, Slide
from locomote.denoc.recursions import forward_dynamics, inverse_dynamics
from locomote.denoc.report import ModuleReport, module_report
from locomote.public import attach

__all__ = [
    "Closed", "Cut", "Dense", "Element", "Factor", "Links", "Loops", "Matrices", "Module", "ModuleReport", "Modules", "Roll",
    "Slide", "at", "bias_force", "closed_forward_dynamics", "closed_inverse_dynamics", "closed_loops", "composite_inertias",
    "convective_matrix", "coordinate_inertias", "dense_forward_dynamics", "dense_inverse_dynamics", "elements", "factor",
    "floating_inverse_dynamics", "forward_dynamics", "gravity_force", "inertia_matrix", "inverse_dynamics",
    "inverse_inertia_matrix", "matrices", "modularise", "module_report", "reverse_elimination",
]  # fmt: skip

__getattr__, __dir__, _ = attach("denoc", __all__, finite=True)
