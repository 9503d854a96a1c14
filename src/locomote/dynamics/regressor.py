"""Inverse dynamics as a linear function of inertial parameters, for identification.

With J the Jacobian of a body's own frame, w, alpha, acc its angular velocity, angular acceleration and acceleration less
gravity, and F_c the wrench that this motion takes of a body whose c-th parameter is one and whose others are zero:

    Y[:, body, c] = J^T F_c(w, alpha, acc) ,        tau = sum over bodies and c of Y[:, body, c] pi[body, c]          (1)
"""

import numpy as np

from locomote.dynamics.dispatch import broadcast, checked_state, refuse_overflow, run_rows
from locomote.dynamics.kinematics import _JACOBIAN, _RATE, LOCAL, forward_kinematics
from locomote.model.model import Model

PARAMETERS = ("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
# entry `source` of x stands in row and column of the matrix that makes I x of the parameters of I
SECOND = ((0, 0, 4), (1, 0, 5), (0, 1, 5), (1, 1, 6), (2, 0, 7), (0, 2, 7), (2, 1, 8), (1, 2, 8), (2, 2, 9))


def regressor(model: Model, q, v, a, *, armature: bool = False) -> np.ndarray:
    """The matrix Y with inverse_dynamics(model, q, v, a) = Y @ inertial_parameters(model), for identification.

    q : (..., nq) ; v, a : (..., nv)
    armature : also columns for the armature of each coordinate of v, coupled ones included, after those of the bodies
    Returns Y : (..., nv, 10 bodies): ten columns for each of `model.body_names`, in the order of `inertial_parameters`. Bodies
    that are fixed to the world have columns of zeros. What added inertia takes is not in Y.
    """
    arrays = checked_state(model, q, v=v, a=a)
    if model.coupling:
        c, full = model.coupling, model.unfolded
        Y = regressor(full, c.expand_q(arrays[0]), c.expand_v(arrays[1]), c.expand_v(arrays[2]), armature=armature)
        return c.v_matrix.T @ Y
    lead, rows = broadcast(arrays)
    Y = np.zeros((len(rows[0]), model.nv, len(model.body_names), 10))
    moving = np.flatnonzero(model.carrier < len(model.topology) - 1)
    J, rate = jacobians(model, rows[0], rows[1], moving)
    turn = forward_kinematics(model, rows[0])[:, moving, :3, :3]
    twist = (J @ rows[1][:, None, :, None])[..., 0]
    change = (J @ rows[2][:, None, :, None] + rate @ rows[1][:, None, :, None])[..., 0]
    u, w, alpha = twist[..., :3], twist[..., 3:], change[..., 3:]
    acc = change[..., :3] + np.cross(w, u) - model.gravity @ turn
    Y[:, :, moving] = np.moveaxis(np.swapaxes(J, -1, -2) @ wrenches_of_units(w, alpha, acc), 1, 2)  # (1)
    refuse_overflow(model, [Y], "regressor")
    Y = Y.reshape(len(Y), model.nv, 10 * len(model.body_names))
    if armature:
        Y = np.concatenate([Y, rows[2][:, :, None] * np.eye(model.nv)], axis=-1)
    return Y.reshape(*lead, *Y.shape[1:])


def jacobians(model: Model, q: np.ndarray, v: np.ndarray, which) -> tuple[np.ndarray, np.ndarray]:
    """(rows, bodies, 6, nv) Jacobians of the frames of some bodies, and their rates."""
    J, rate = (np.zeros((len(q), len(which), 6, model.nv)) for _ in range(2))
    carrier, placement = model.frames
    for n, k in enumerate(which):
        fixed = (model._topology, model._constants, int(carrier[k]), placement[k], LOCAL)
        run_rows(_JACOBIAN, fixed, [q], [J[:, n]])
        run_rows(_RATE, fixed, [q, v], [rate[:, n]])
    return J, rate


def wrenches_of_units(w: np.ndarray, alpha: np.ndarray, acc: np.ndarray) -> np.ndarray:
    """(..., 6, 10) wrenches (force, moment) that a motion takes of bodies with one parameter one and all others zero."""
    F = np.zeros((*w.shape[:-1], 6, 10))
    F[..., :3, 0] = acc
    F[..., :3, 1:4] = crossing(alpha) + crossing(w) @ crossing(w)
    F[..., 3:, 1:4] = -crossing(acc)
    F[..., 3:, :] += moments(alpha) + crossing(w) @ moments(w)
    return F


def crossing(x: np.ndarray) -> np.ndarray:
    """(..., 3, 3) matrices that cross with x."""
    result = np.zeros((*x.shape, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        result[..., k, j], result[..., j, k] = x[..., i], -x[..., i]
    return result


def moments(x: np.ndarray) -> np.ndarray:
    """(..., 3, 10) products of unit second moments with x."""
    result = np.zeros((*x.shape, 10))
    for source, row, column in SECOND:
        result[..., row, column] = x[..., source]
    return result


def inertial_parameters(model: Model, *, armature: bool = False) -> np.ndarray:
    """(10 bodies,) what inverse dynamics is linear in: for each of `model.body_names`, in its own frame,

    m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz : mass (kg), first moments (kg m), second moments about the frame's origin
    (kg m^2), as `Inertia.parameters`
    armature : that of each coordinate of v, coupled ones included, follows (kg or kg m^2)
    """
    bodies = [model.body(name).body.inertia for name in model.body_names]
    values = [np.zeros(10) if inertia is None else inertia.parameters for inertia in bodies]
    return np.concatenate([np.zeros(0), *values, model.unfolded.armature if armature else np.zeros(0)])


def inertial_parameter_names(model: Model, *, armature: bool = False) -> list[str]:
    """Names of the columns of a regressor: `m of BODY`, ..., `armature of JOINT`."""
    names = [f"{parameter} of {body}" for body in model.body_names for parameter in PARAMETERS]
    if armature:
        for joint in model.joint_names:
            own = model.unfolded.joint(joint).v
            count = own.stop - own.start
            names += [f"armature of {joint}" + (f"[{k}]" if count > 1 else "") for k in range(count)]
    return names
