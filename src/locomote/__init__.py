"""Dynamics of everything that moves by changing its shape.

`import locomote as lo`; every public name is listed in PUBLIC below and loaded when first used.
"""

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"

PUBLIC = {
    "locomote.errors": ["LocomoteError", "ModelError", "UnknownName"],
    "locomote.spatial.inertia": ["Inertia"],
    "locomote.spatial.charts": ["chart"],
    "locomote.model.description": ["Body", "Coupling", "Description", "Joint", "Visual"],
    "locomote.model.model": ["Model"],
    "locomote.model.builder": ["Builder"],
    "locomote.model.edit": ["add", "lock", "remove"],
    "locomote.formats.load": ["load"],
    "locomote.formats.dh": ["read_dh"],
    "locomote.dynamics.dispatch": ["SingularMassMatrix"],
    "locomote.dynamics.forces": [
        "bias_force", "forward_dynamics", "gravity_force", "hybrid_dynamics", "inverse_dynamics", "passive_force",
    ],
    "locomote.dynamics.matrices": ["coriolis_matrix", "mass_matrix"],
    "locomote.dynamics.kinematics": ["acceleration", "forward_kinematics", "jacobian", "jacobian_rate", "velocity"],
    "locomote.dynamics.momentum": [
        "center_of_mass", "kinetic_energy", "momentum", "momentum_matrix", "momentum_rate", "potential_energy", "spring_energy",
    ],
    "locomote.dynamics.derivatives": ["forward_dynamics_derivatives", "inverse_dynamics_derivatives"],
}  # fmt: skip
_HOME = {name: module for module, names in PUBLIC.items() for name in names}

__all__ = [*sorted(_HOME), "__version__"]


def __getattr__(name: str):
    if name not in _HOME:
        raise AttributeError(f"module 'locomote' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__():
    return __all__


if TYPE_CHECKING:
    from locomote.dynamics.derivatives import forward_dynamics_derivatives as forward_dynamics_derivatives
