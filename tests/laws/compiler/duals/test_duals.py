"""Dual numbers: every operation against complex steps, and recursions on them against the analytic derivatives, which
`test_derivatives` compares with complex steps through a second formulation."""

import math

import mechanisms
import numpy as np
import pytest
from mechanisms import relative

import locomote as lo
from locomote.compiler import scalars
from locomote.compiler.duals import callbacks, functions  # noqa: F401
from locomote.compiler.duals.arrays import Duals, slopes_of
from locomote.compiler.lanes import WIDTH
from locomote.compiler.scratch_layout import made
from locomote.compiler.source import kernel
from locomote.kernels.batch import sizes
from locomote.kernels.forward_dynamics import Articulated, forward_dynamics
from locomote.kernels.inverse_dynamics import Newton, inverse_dynamics
from locomote.kernels.mass_matrix import Composite, mass_matrix
from locomote.model.moves import integrated

STEP = 1e-30


@kernel
def all_functions(x, out):
    a, b, c, n = x[0], x[1], x[2], 0
    total = 0.0
    for k in range(x.shape[0]):
        total += 2 * x[k] - 1.0 / x[k] + 3 / x[k] - x[k] / 4
    out[0] = total
    out[1] = scalars.sqrt(a * b) + math.sin(a) / scalars.cos(b) - math.tan(c)
    out[2] = scalars.atan2(a, 2.0 * b) + scalars.exp(-b) * math.log(a) + math.atan(a * c) + scalars.atan2(1.0, c)
    out[3] = a**3 + b**0.5 + a**b + 2**a + (a * c) ** -2
    out[4] = scalars.select(a > b, a * a, b) + math.tanh(c - a) + math.hypot(a, b)
    out[5] = max(a, b) + min(a, 0.25) + abs(-b) * c + max(0.25, min(b, c))
    out[6] = a if a > b and not c == b and c != a else -b
    out[7] = c - scalars.floor(c) * b + (c // b) * a + c % b
    while a > 1.0:  # values decide
        a = a - 0.1 * c
        n += 1
    out[8] = a
    slopes_of(out)[9] = slopes_of(x)[1]
    return n


def by_hand(x):
    """The same with complex numbers."""
    a, b, c = x
    steps = 0
    while (a - steps * 0.1 * c).real > 1.0:
        steps += 1
    first = a, b, c
    return np.array([
        sum(2 * y - 1 / y + 3 / y - y / 4 for y in first),
        np.sqrt(a * b) + np.sin(a) / np.cos(b) - np.tan(c),
        np.arctan(a / (2 * b)) + np.exp(-b) * np.log(a) + np.arctan(a * c) + np.arctan(1 / c),
        a**3 + b**0.5 + a**b + 2**a + (a * c) ** -2,
        a * a + np.tanh(c - a) + np.sqrt(a * a + b * b),
        a + 0.25 + b * c + b,
        a,
        c - 2 * b + 3 * a + (c - 3 * b),
        a - steps * 0.1 * c,
    ])  # fmt: skip


def test_every_operation():
    x, out = Duals(3), Duals(10)
    x.values[:] = 1.3, 0.7, 2.1 + 1e-3
    x.slopes[:] = np.random.default_rng(0).normal(size=(3, WIDTH))
    assert all_functions(x, out) == 2
    for d in range(WIDTH):
        steps = by_hand(x.values + 1j * STEP * x.slopes[:, d])
        assert relative(out.values[:9], steps.real) < 1e-15
        assert relative(out.slopes[:9, d], steps.imag / STEP) < 1e-14
    assert (out.slopes[9] == x.slopes[1]).all() and out.values[9] == 0.0


def test_where_there_is_no_slope_it_is_not_invented():
    x, out = Duals(3), Duals(10)
    x.values[:] = 1.3, 0.0, 2.0
    x.slopes[1] = 1.0
    all_functions(x, out)
    assert not np.isfinite(out.slopes[1]).any()  # the root of zero


@kernel
def recursions(topology, constants, q, v, a, force, wrenches, dq, scratch, newton, articulated, composite, out):
    """Forces, accelerations and the mass matrix at q moved by dq: out is tau, a, then M by rows."""
    nq, nv = q.shape[0], v.shape[0]
    moved, tau, free, M = scratch
    integrated(topology, q, dq, moved)
    inverse_dynamics(topology, constants, nq, moved, v, a, wrenches, newton, tau)
    forward_dynamics(topology, constants, nq, moved, v, force, wrenches, None, articulated, free)
    mass_matrix(topology, constants, nq, moved, composite, M)
    for k in range(nv):
        out[k], out[nv + k] = tau[k], free[k]
        for j in range(nv):
            out[2 * nv + k * nv + j] = M[k, j]
    return nv


def by_duals(case):
    """(2 nv + nv nv, 2 nv) slopes by q and v of forces, accelerations and the mass matrix."""
    model, nv = case.model, case.model.nv
    topology, constants = model._topology, model._constants
    q, v, dq, out = case.q, Duals(nv), Duals(nv), Duals(2 * nv + nv * nv)
    scratch = Duals(len(q)), Duals(nv), Duals(nv), Duals((nv, nv))
    more = [made(kind, sizes(topology), Duals) for kind in (Newton, Articulated, Composite)]
    found = np.zeros((2 * nv + nv * nv, 2 * nv))
    for first in range(0, 2 * nv, WIDTH):
        v.values[:], v.slopes[:], dq.slopes[:] = case.v, 0.0, 0.0
        for d in range(min(WIDTH, 2 * nv - first)):
            k = first + d
            (dq if k < nv else v).slopes[k % nv, d] = 1.0
        recursions(topology, constants, q, v, case.a, case.tau, np.zeros((len(topology), 6)), dq, scratch, *more, out)
        found[:, first : first + WIDTH] = out.slopes[:, : 2 * nv - first]
    return found, out.values


@pytest.mark.parametrize("name", mechanisms.NAMES)
def test_recursions_have_the_analytic_derivatives(name):
    case = mechanisms.case(name, coupled=False)  # couplings are folded outside of the recursions
    model, nv = case.model, case.model.nv
    found, values = by_duals(case)
    inverse = lo.inverse_dynamics_derivatives(model, case.q, case.v, case.a)
    assert relative(values[:nv], lo.inverse_dynamics(model, case.q, case.v, case.a)) < 1e-13
    assert relative(found[:nv, :nv], inverse.q) < 1e-13
    assert relative(found[:nv, nv:], inverse.v) < 1e-13
    forward, M = lo.forward_dynamics_derivatives(model, case.q, case.v, case.tau), lo.mass_matrix(model, case.q)
    for ours, theirs in ((found[nv : 2 * nv, :nv], forward.q), (found[nv : 2 * nv, nv:], forward.v)):
        assert relative(ours, theirs) < 1e-15 * max(100.0, np.linalg.cond(M))
        assert relative(M @ ours, M @ theirs) < 1e-12
    still = lo.inverse_dynamics_derivatives(model, case.q, case.v, np.zeros(nv))
    turned = np.einsum("ijk,j->ik", found[2 * nv :, :nv].reshape(nv, nv, nv), case.a)
    assert relative(turned, inverse.q - still.q) < 1e-13
    assert (found[2 * nv :, nv:] == 0.0).all()
