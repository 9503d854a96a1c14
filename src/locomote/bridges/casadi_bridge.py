"""A function as a `casadi.Callback` with its Jacobian, for IPOPT and the like."""

from typing import Any

import numpy as np

from locomote.bridges.functions import Function
from locomote.runs.optional import package


def to_casadi(function: Function) -> Any:
    """A casadi.Callback x (inputs, 1) -> y (outputs, 1) with an exact Jacobian. Keep it as long as what is built of it is used.

    IPOPT needs {"ipopt": {"hessian_approximation": "limited-memory"}} with it, since there are no second derivatives.
    """
    casadi = package("casadi", "a bridge to CasADi", "'locomote[symbolic]'")
    name = "".join(letter if letter.isalnum() else "_" for letter in function.name).strip("_")

    class Slopes(casadi.Callback):
        """(x, y) -> dy/dx"""

        def __init__(self, title: str):
            casadi.Callback.__init__(self)
            self.construct(title, {})

        def get_n_in(self):
            return 2

        def get_n_out(self):
            return 1

        def get_sparsity_in(self, i):
            return casadi.Sparsity.dense(function.outputs if i else function.inputs, 1)

        def get_sparsity_out(self, i):
            return casadi.Sparsity.dense(function.outputs, function.inputs)

        def eval(self, arg):
            return [casadi.DM(function.jacobian(np.array(arg[0]).ravel()))]

    class Call(casadi.Callback):
        """x -> y"""

        def __init__(self):
            casadi.Callback.__init__(self)
            self.slopes = []
            self.construct(name, {})

        def get_n_in(self):
            return 1

        def get_n_out(self):
            return 1

        def get_sparsity_in(self, i):
            return casadi.Sparsity.dense(function.inputs, 1)

        def get_sparsity_out(self, i):
            return casadi.Sparsity.dense(function.outputs, 1)

        def eval(self, arg):
            return [casadi.DM(function(np.array(arg[0]).ravel()))]

        def has_jacobian(self):
            return True

        def get_jacobian(self, title, inames, onames, opts):
            self.slopes.append(Slopes(title))
            return self.slopes[-1]

    return Call()
