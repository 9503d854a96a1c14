"""A function as a `torch.autograd.Function`."""

from typing import Any

import numpy as np

from locomote.bridges.functions import Function
from locomote.runs.optional import package


def to_torch(function: Function) -> Any:
    """A function of tensors x (..., inputs) -> y (..., outputs), in the type and on the device of x, with exact gradients."""
    torch = package("torch", "a bridge to PyTorch", "torch")

    def rows(x) -> np.ndarray:
        return x.detach().cpu().double().numpy().reshape(-1, function.inputs)

    class Call(torch.autograd.Function):
        """x -> y"""

        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            y = np.array([function(row) for row in rows(x)]).reshape(*x.shape[:-1], function.outputs)
            return torch.as_tensor(y, dtype=x.dtype, device=x.device)

        @staticmethod
        def backward(ctx, *given):
            (x,), (g,) = ctx.saved_tensors, given
            weights = g.detach().cpu().double().numpy().reshape(-1, function.outputs)
            found = np.array([function.pull(row, weight) for row, weight in zip(rows(x), weights, strict=True)])
            return torch.as_tensor(found.reshape(tuple(x.shape)), dtype=x.dtype, device=x.device)

    return Call.apply
