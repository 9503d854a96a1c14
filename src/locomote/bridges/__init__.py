"""Bridges: runs, evaluations and model functions as functions of CasADi, PyTorch and JAX, with their exact derivatives.

`functions` makes a `Function` (x -> y with slopes) of a rollout, of a problem at an instant, or of a model; `to_casadi`,
`to_torch` and `to_jax` hand it to these packages, none of which is needed by anything else.
"""

from locomote.public import attach

__getattr__, __dir__, __all__ = attach("bridges")
