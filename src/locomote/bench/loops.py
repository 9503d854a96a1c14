"""Loops over states without Python in between: one configuration at a time, scratch reused."""

import numpy as np

from locomote.engine.source import kernel
from locomote.engine.trigonometry import padded
from locomote.kernels import single

ID_WORK, FD_WORK, FD_DOFS, MM_WORK, AXES = single.ID_WORK, single.FD_WORK, single.FD_DOFS, single.MM_WORK, single.AXES_WORK
DD_WORK, DD_AXES = single.DD_WORK, single.DD_AXES
_inverse, _forward, _mass, _mirror = single._inverse, single._forward, single._mass, single._mirror
_derivatives, _forward_derivatives, panel_width = single._derivatives, single._forward_derivatives, single.panel_width


@kernel
def inverse_dynamics(topology, constants, q, v, a, out):
    nq = q.shape[1]
    sine, cosine, work = np.empty(padded(nq)), np.empty(padded(nq)), np.empty((topology.shape[0], ID_WORK))
    for i in range(q.shape[0]):
        _inverse(topology, constants, nq, q[i], v[i], a[i], None, sine, cosine, work, out[i])


@kernel
def forward_dynamics(topology, constants, q, v, tau, out):
    nq, nv = q.shape[1], v.shape[1]
    sine, cosine, work = np.empty(padded(nq)), np.empty(padded(nq)), np.empty((topology.shape[0], FD_WORK))
    dofs = np.empty((nv, FD_DOFS))
    for i in range(q.shape[0]):
        _forward(topology, constants, nq, q[i], v[i], tau[i], None, None, sine, cosine, work, dofs, out[i])


@kernel
def mass_matrix(topology, constants, q, nv):
    nq = q.shape[1]
    sine, cosine, work = np.empty(padded(nq)), np.empty(padded(nq)), np.empty((topology.shape[0], MM_WORK))
    axes, M = np.empty((AXES, nv)), np.zeros((nv, nv))
    for i in range(q.shape[0]):
        _mass(topology, constants, nq, q[i], sine, cosine, work, axes, M)
        _mirror(topology, M)


@kernel
def inverse_dynamics_derivatives(topology, constants, q, v, a):
    nq, nv = q.shape[1], v.shape[1]
    sine, cosine, work = np.empty(padded(nq)), np.empty(padded(nq)), np.empty((topology.shape[0], DD_WORK))
    axes, tau, M, dq, dv = np.empty((DD_AXES, nv)), np.empty(nv), np.zeros((nv, nv)), np.zeros((nv, nv)), np.zeros((nv, nv))
    for i in range(q.shape[0]):
        _derivatives(topology, constants, nq, q[i], v[i], a[i], None, sine, cosine, work, axes, M, dq, 0, dv, 0, tau)


@kernel
def forward_dynamics_derivatives(topology, constants, q, v, tau):
    nq, nv = q.shape[1], v.shape[1]
    sine, cosine, work = np.empty(padded(nq)), np.empty(padded(nq)), np.empty((topology.shape[0], DD_WORK))
    axes, a, force, dofs = np.empty((DD_AXES, nv)), np.empty(nv), np.empty(nv), np.empty((nv, FD_DOFS))
    M, B = np.empty((nv, nv)), np.zeros((nv, 3 * nv))
    for i in range(q.shape[0]):
        B[:] = 0.0
        _forward(topology, constants, nq, q[i], v[i], tau[i], None, None, sine, cosine, work, dofs, a)
        _derivatives(topology, constants, nq, q[i], v[i], a, None, sine, cosine, work, axes, M, B, 0, B, nv, force)
        _forward_derivatives(topology, M, B, nv, panel_width(nv))
