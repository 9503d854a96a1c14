"""A function as a `jax.pure_callback` with a `custom_vjp`."""

from typing import Any

import numpy as np

from locomote.bridges.functions import Function
from locomote.runs.optional import package


def to_jax(function: Function) -> Any:
    """A function of arrays x (inputs,) -> y (outputs,) with exact gradients in reverse mode; under jit and vmap, too.

    Numbers have the type of x: float32 unless jax_enable_x64 is set.
    """
    jax = package("jax", "a bridge to JAX", "jax")

    def value(x) -> np.ndarray:
        return np.asarray(function(np.asarray(x, dtype=float)), dtype=x.dtype)

    def pulled(x, g) -> np.ndarray:
        return np.asarray(function.pull(np.asarray(x, dtype=float), np.asarray(g, dtype=float)), dtype=x.dtype)

    @jax.custom_vjp
    def call(x):
        return jax.pure_callback(value, jax.ShapeDtypeStruct((function.outputs,), x.dtype), x, vmap_method="sequential")

    def ahead(x):
        return call(x), x

    def back(x, g):
        shape = jax.ShapeDtypeStruct((function.inputs,), x.dtype)
        return (jax.pure_callback(pulled, shape, x, g, vmap_method="sequential"),)

    call.defvjp(ahead, back)
    return call
