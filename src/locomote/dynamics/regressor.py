"""Inverse dynamics as a linear function of inertial parameters, for identification."""

import numpy as np

from locomote.dynamics.dispatch import broadcast, checked_state
from locomote.dynamics.flexible_regressor import flexible_regressor, own_parameters
from locomote.dynamics.function import ModelFunction
from locomote.kernels import regressor as columns
from locomote.kernels.entries import NAMED, NV, Output, Recursion
from locomote.kernels.motion import Motions
from locomote.model.model import Model

PARAMETERS = ("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
REGRESSOR = ModelFunction(
    __name__,
    Recursion(
        "regressor", columns.regressor, Motions, ("q", "v", "a"), (Output("Y", (NV, NAMED, 10), zeros=True),),
        held=("carrier", "placement"),
    ),
    "regressor",
    formula=r"\tau = Y(q, v, a)\, \pi",
    traced=False,
    seldom=True,
)  # fmt: skip


def regressor(model: Model, q, v, a, *, armature: bool = False, elastic: bool = False) -> np.ndarray:
    """The matrix Y with inverse_dynamics(model, q, v, a) = Y @ inertial_parameters(model), for identification.

    q : (..., nq) ; v, a : (..., nv)
    armature : also columns for the armature of each coordinate of v, coupled ones included, after all others
    elastic : also columns for stiffness and damping of flexible bodies; Y @ parameters then has what these take as well
    Returns Y : (..., nv, 10 bodies): ten columns for each of `model.body_names`, in the order of `inertial_parameters`, then
    those of flexible bodies. Bodies that are fixed to the world have columns of zeros. What added inertia takes is not in Y.
    """
    if not armature and (result := REGRESSOR.one.call(model, q, v, a)) is not None:
        return result.reshape(len(result), 10 * len(model.body_names))
    arrays = checked_state(model, q, v=v, a=a)
    if model.coupling:
        c, full = model.coupling, model.unfolded
        Y = regressor(
            full, c.expand_q(arrays[0]), c.expand_v(arrays[1]), c.expand_v(arrays[2]), armature=armature, elastic=elastic
        )
        return c.v_matrix.T @ Y
    lead, rows = broadcast(arrays)
    if model.flexible:
        Y = flexible_regressor(model, rows[0], rows[1], rows[2], elastic)
    else:
        Y = REGRESSOR.checked(model, *rows).reshape(len(rows[0]), model.nv, 10 * len(model.body_names))
    if armature:
        Y = np.concatenate([Y, rows[2][:, :, None] * np.eye(model.nv)], axis=-1)
    return Y.reshape(*lead, *Y.shape[1:])


def inertial_parameters(model: Model, *, armature: bool = False, elastic: bool = False) -> np.ndarray:
    """(10 bodies,) what inverse dynamics is linear in: for each of `model.body_names`, in its own frame,

    m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz : mass (kg), first moments (kg m), second moments about the frame's origin
    (kg m^2), as `Inertia.parameters`; then for each rod mass (kg), Jy and Jz (kg m^2: integrals of rho Iy and rho Iz along it),
    for each modal body its mass
    elastic : for each strain of each rod stiffness (N or N m^2, its mean along the rod) and damping (times s) follow, for each
        modal body the means of those of its modes
    armature : that of each coordinate of v, coupled ones included, follows (kg or kg m^2)
    """
    bodies = [model.body(name).body.inertia for name in model.body_names]
    values = [np.zeros(10) if inertia is None else inertia.parameters for inertia in bodies]
    own = [x.value for x in own_parameters(model.unfolded, elastic)]
    return np.concatenate([np.zeros(0), *values, own, model.unfolded.armature if armature else np.zeros(0)])


def inertial_parameter_names(model: Model, *, armature: bool = False, elastic: bool = False) -> list[str]:
    """Names of the columns of a regressor: `m of BODY`, ..., `mass of rod BODY`, ..., `armature of JOINT`."""
    names = [f"{parameter} of {body}" for body in model.body_names for parameter in PARAMETERS]
    names += [x.name for x in own_parameters(model.unfolded, elastic)]
    if armature:
        for joint in model.joint_names:
            own = model.unfolded.joint(joint).v
            count = own.stop - own.start
            names += [f"armature of {joint}" + (f"[{k}]" if count > 1 else "") for k in range(count)]
    return names
