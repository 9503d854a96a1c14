"""Functions of models with flexible bodies, on checked inputs: through `kernels.flexible`.

Functions of models (`dynamics.function`) come here with what they have checked. Derivatives are exact, by dual numbers;
without a compiler by differences of eighth order.
"""

import numpy as np
from numba import config

from locomote.compiler.scratch_layout import NV, declared, shape_of
from locomote.dynamics.differences import derivative
from locomote.dynamics.dispatch import INT_VECTOR, MATRIX, VECTOR, WHOLE
from locomote.dynamics.function import FlexibleFunction, over_rows, padded_loads
from locomote.kernels.entries import NAMED, Output, Recursion
from locomote.kernels.flexible import motion as recursion
from locomote.kernels.flexible import states
from locomote.kernels.flexible.scratch import STATIONS, Carried, Gathered, Placed, tree_sizes
from locomote.model.coordinates import Coordinates
from locomote.model.joints import AXES_OF_V, V_SIZE
from locomote.model.model import Model

STEP = 1e-3  # step of differences of eighth order, in units of the scale of a coordinate
Q_ONLY, MOVING, ACCELERATED = ("q",), ("q", "v"), ("q", "v", "a")
PLACE = {"body": WHOLE, "frame": VECTOR, "kind": WHOLE}
FRAMES = {"carrier": INT_VECTOR, "placement": MATRIX}


def _function(name, routine, room, inputs, outputs, what="", *, lanes=False, looked=True, **more) -> FlexibleFunction:
    own = Recursion(name, routine, room, inputs, outputs, flexible=True, **more)
    return FlexibleFunction(__name__, own, what, lanes=lanes, looked=looked)


INVERSE = _function(
    "inverse_dynamics",
    recursion.inverse_dynamics,
    Carried,
    ACCELERATED,
    (Output("tau", (NV,)),),
    "inverse dynamics",
    lanes=True,
    loaded=True,
)
HYBRID = _function(
    "hybrid_dynamics",
    states.hybrid_dynamics,
    Gathered,
    ("q", "v", "tau", "a"),
    (Output("all_a", (NV,)), Output("all_tau", (NV,))),
    lanes=True,
    fixed={"imposed": INT_VECTOR},
    loaded=True,
)
# and momentum about the world origin
MASS = _function(
    "mass_matrix",
    states.mass_and_momentum,
    Gathered,
    Q_ONLY,
    (Output("M", (NV, NV), zeros=True), Output("momentum", (6, NV))),
    "mass matrix",
    lanes=True,
)
POSES = _function(
    "forward_kinematics",
    states.forward_kinematics,
    Placed,
    Q_ONLY,
    (Output("poses", (NAMED, 4, 4), status="place_status"),),
    "forward kinematics",
    fixed=FRAMES,
)
JACOBIAN = _function(
    "jacobian", states.frame_jacobian, Placed, Q_ONLY, (Output("J", (6, NV), zeros=True),), "Jacobian", fixed=PLACE
)
MOTION = _function(
    "motion",
    states.body_motions,
    Placed,
    ACCELERATED,
    (Output("poses", (NAMED, 4, 4), status="place_status"), Output("twists", (NAMED, 6)), Output("rates", (NAMED, 6))),
    "motion",
    fixed=FRAMES | {"kind": WHOLE},
)
# kinetic and potential energy, and the center of mass, which is not finite where there is no mass
ENERGIES = _function("energies", states.energies, Placed, MOVING, (Output("energy", (5,)),), lanes=True, looked=False)
MOMENTUM_RATE = _function(
    "momentum_rate",
    states.momentum_rate,
    (Placed, states.Forces),
    ACCELERATED,
    (Output("rate", (6,)),),
    "momentum rate",
    loaded=True,
)
# forces of elasticity and damping; energy and power
ELASTIC = _function(
    "elastic",
    states.elastic,
    states.Forces,
    MOVING,
    (Output("force", (NV,)), Output("energy", (2,))),
    "elasticity",
    looked=False,
)
SECTION_FORCES = _function(
    "section_forces",
    states.section_forces,
    (Carried, states.Forces),
    ACCELERATED,
    (Output("out", (STATIONS, 6)),),
    "section forces",
    looked=False,
    loaded=True,
)
SECTIONS = _function(
    "sections", states.sections, Placed, Q_ONLY, (Output("poses", (STATIONS, 12)), Output("strains", (STATIONS, 6))),
    "sections", looked=False,
)  # fmt: skip


def forward_kinematics(model: Model, arrays, loads=None, threads: int = 1, fixed=()) -> list[np.ndarray]:
    """[(..., bodies, 4, 4)]."""
    return POSES(model, arrays, fixed=model.frames)


def jacobian_rate(model: Model, arrays, loads, threads: int, place) -> list[np.ndarray]:
    """[(..., 6, nv)]."""

    def call(q, v, J) -> None:
        if config.DISABLE_JIT:  # type: ignore[attr-defined]
            for one, rate, out in zip(q, v, J, strict=True):
                speed = max(1.0, float(abs(rate).max(initial=0.0)))
                moved = lambda s, q=one, u=rate / speed: model.integrate(q, s * u)  # noqa: E731
                out[:] = speed * derivative(lambda s, at=moved: JACOBIAN(model, [at(s)], fixed=place)[0], 4e-3)
            return
        kernels, room = with_slopes(model)
        for one, rate, out in zip(q, v, J, strict=True):
            kernels.jacobian_slopes(model._soft, model._strain, room, *place, one, rate, out)

    return over_rows(model, arrays, [(6, model.nv)], call, "rate of the Jacobian")


def with_slopes(model: Model):
    """The kernels on dual numbers, and scratch for them."""
    import locomote.compiler.duals.functions  # noqa: F401
    from locomote.compiler.duals.arrays import DualRecord, Duals
    from locomote.kernels.flexible import slopes

    sizes = tree_sizes(model._soft)
    shapes = {field.name: shape_of(field, sizes) for field in declared(slopes.Room)}
    own = slopes.Room(**{name: np.zeros(shape) for name, shape in shapes.items()})
    return slopes, DualRecord(own, {name: Duals(shape) for name, shape in shapes.items()})


def inverse_derivatives(model: Model, arrays, loads) -> list[np.ndarray]:
    """Derivatives of inverse dynamics by q (along moves of the configuration) and v, (..., nv, nv) each."""

    def call(q, v, a, f, dq, dv) -> None:
        kernels, room = (None, None) if config.DISABLE_JIT else with_slopes(model)  # type: ignore[attr-defined]
        for n in range(len(q)):
            load = f[n].reshape(-1, 6)
            if kernels is None:
                own = lambda *state, load=load: INVERSE(model, state, load)[0]  # noqa: E731
                dq[n], dv[n] = by_differences(own, model, q[n], v[n], a[n])
            else:
                kernels.inverse_dynamics_slopes(model._soft, model._strain, room, q[n], v[n], a[n], load, dq[n], dv[n])

    return over_rows(
        model, [*arrays, padded_loads(model, loads)], [(model.nv, model.nv)] * 2, call, "derivative of inverse dynamics"
    )


def coriolis_matrix(model: Model, arrays, *_) -> list[np.ndarray]:
    """[(..., nv, nv)] that of the connection which keeps M and has no torsion: C(v) w = B(v, w) + M [v, w] / 2.

    B is the symmetric form whose B(v, v) is the force, so that d/dv of the force is 2 B(v, .); [v, w] is the commutator of
    velocities, zero but for those of a pose.
    """
    q, v = arrays
    _, slope = inverse_derivatives(model, [q, v, np.zeros(model.nv)], None)
    return [0.5 * (slope + MASS(model, [q])[0] @ commutators(model.coordinates, v))]


def commutators(coordinates: Coordinates, v: np.ndarray) -> np.ndarray:
    """(..., nv, nv) matrix of w -> [v, w], of numbers of any kind."""
    result = np.zeros((*v.shape, coordinates.nv), v.dtype)
    for kind, _, first in coordinates.groups:
        axes, own = list(AXES_OF_V[kind]), slice(first, first + V_SIZE[kind])
        twist, both = np.zeros((*v.shape[:-1], 6), v.dtype), np.zeros((*v.shape[:-1], 6, 6), v.dtype)
        twist[..., axes] = v[..., own]
        across = np.cross(twist.reshape(*v.shape[:-1], 2, 1, 3), np.eye(3)).swapaxes(-1, -2)  # u x and w x, as matrices
        both[..., :3, :3] = both[..., 3:, 3:] = across[..., 1, :, :]
        both[..., :3, 3:] = across[..., 0, :, :]
        result[..., own, own] = both[..., axes, :][..., axes]
    return result


def by_differences(function, model: Model, q, v, x) -> tuple[np.ndarray, np.ndarray]:
    """d/dq and d/dv of function(q, v, x), along moves of the configuration, by differences of eighth order, (nv, nv) each."""
    scale = np.ones(model.nv)
    for name, rod in model.flexible.rods.items() if model.flexible else ():
        scale[model.joint(name).v] = rod.scale
    along_q, along_v = np.zeros((2, model.nv, model.nv))
    for k in range(model.nv):
        e = np.zeros(model.nv)
        e[k] = scale[k]
        along_q[:, k] = derivative(lambda s, e=e: function(model.integrate(q, s * e), v, x), 5 * STEP) / scale[k]
        along_v[:, k] = derivative(lambda s, e=e: function(q, v + s * e, x), 5 * STEP) / scale[k]
    return along_q, along_v
