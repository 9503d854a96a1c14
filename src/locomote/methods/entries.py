"""Kernels of one evaluation of a packed problem: what Python calls, and what kernels call of each other by address."""

from numba import float64, int64

from locomote.compiler.indirect import address_of, call_compiled
from locomote.compiler.records import record_type
from locomote.compiler.scratch import scratch_of
from locomote.compiler.scratch_layout import Sizes
from locomote.compiler.source import kernel
from locomote.constraints.columns import PULL
from locomote.constraints.rows import constraint_rows, world_accelerations
from locomote.contact.meeting import meet_one
from locomote.contact.spots import FIRST_AXIS, PAIR, POINT, place_spot, sides
from locomote.drives.signals import signals_one
from locomote.dynamics import momentum
from locomote.evaluation import flexible_calls
from locomote.evaluation import plan as fields
from locomote.evaluation.actuator_forces import actuate_one
from locomote.evaluation.evaluate import evaluate, measure_rows
from locomote.evaluation.feed_forward import copy_one
from locomote.evaluation.local_elimination import local_change_one, local_motion_one
from locomote.evaluation.overdamped import balance, creep
from locomote.evaluation.projection import project_position, project_velocity
from locomote.evaluation.work import Work
from locomote.kernels.forward_dynamics import Articulated, forward_dynamics
from locomote.kernels.inverse_dynamics import Newton, inverse_dynamics
from locomote.kernels.kinematics import Places, axes_in_world, poses_in_world, world_twists
from locomote.kernels.mass_matrix import Composite, mass_matrix
from locomote.methods.sampling import record
from locomote.methods.state import FILLED, TIME, Samples, State
from locomote.methods.timestep.rows import put_row
from locomote.spatial.rows import load

SEEN = 1e-3  # m, gaps of bodies that are looked at in an instant


@kernel
def hybrid_one(topology, constants, q, v, imposed, wrenches, tau, a):
    """Hybrid dynamics: fills `a` of free coordinates and `tau` of imposed ones."""
    room = scratch_of(Articulated, Sizes(q.shape[0], v.shape[0], topology.shape[0]))
    forward_dynamics(topology, constants, q.shape[0], q, v, tau, wrenches, imposed, room, a)
    return topology.shape[0]


@kernel
def rows_one(plan, work, t, q, v, a):
    """Poses, motion axes and twists of all bodies, and all constraint rows: work.A, .drift, .speed, .error, .lengths.

    Returns how many elementary constraints there are.
    """
    if plan.rods.shape[0] > 0:
        call_compiled(plan.calls[fields.PLACE], (plan, work, q, v, a))
    else:
        poses_in_world(plan.topology, plan.constants, q.shape[0], q, Places(work.sine, work.cosine, work.bodies))
        axes_in_world(plan.topology, plan.constants, work.bodies, work.axes)
        world_twists(plan.topology, v, work.axes, work.bodies)
        if plan.integers.shape[0] > 0:
            world_accelerations(plan, work, v, a)
    if plan.integers.shape[0] > 0:
        constraint_rows(plan, work, t, q, v, a)
        if work.possible.shape[0] > 0:  # symbols have no size
            measure_rows(plan, work)
    return plan.integers.shape[0]


@kernel
def gaps_one(plan, work, placed):
    """Where all that may touch is, and its gap, after `rows_one`; returns how many spots there are."""
    if plan.pairs.shape[0] > 0:
        call_compiled(plan.calls[fields.MEET], (plan, work, placed, PAIR, placed, SEEN, 0.0))
    for c in range(plan.spots.shape[0]):
        place_spot(plan, work.place, work.shape, work.bodies, c, placed)
    return plan.spots.shape[0]


@kernel
def spot_rows_one(plan, work, placed, rows, turns):
    """Rows of velocities along t1, t2, n of all that may touch, three each, and of turns about them, added to what is there,
    after `gaps_one`; returns how many spots there are."""
    for c in range(plan.spots.shape[0]):
        x, (b, a) = load(placed, c, POINT), sides(plan, placed, c)
        for axis in range(3):
            d, r = load(placed, c, FIRST_AXIS + 3 * axis), 3 * c + axis
            put_row(plan, work, rows, r, b, x, d, 1.0, False)
            put_row(plan, work, rows, r, a, x, d, -1.0, False)
            put_row(plan, work, turns, r, b, x, d, 1.0, True)
            put_row(plan, work, turns, r, a, x, d, -1.0, True)
    return plan.spots.shape[0]


@kernel
def bias_one(plan, work, q, v, a):
    """Inverse dynamics into work.bias, with the wrenches of work; returns how many bodies there are."""
    room = Newton(work.sine, work.cosine, work.newton)
    inverse_dynamics(plan.topology, plan.constants, q.shape[0], q, v, a, work.wrenches, room, work.bias)
    return plan.topology.shape[0]


@kernel
def mass_one(plan, work, q):
    """The mass matrix into work.M; returns how many bodies there are."""
    room = Composite(work.sine, work.cosine, work.composite, work.composite_axes)
    mass_matrix(plan.topology, plan.constants, q.shape[0], q, room, work.M)
    return plan.topology.shape[0]


@kernel
def evaluate_one(plan, work, t, q, v, a, lam):
    """See `equations.evaluate`."""
    return evaluate(plan, work, t, q, v, a, lam)


@kernel
def creep_one(plan, work, t, q, v, a, lam):
    """See `overdamped.creep`."""
    return creep(plan, work, t, q, v, a, lam)


@kernel
def balance_one(plan, work, t, q, v):
    """Forces on all coordinates at a state, without inertia, into work.z; returns how many bodies there are."""
    balance(plan, work, t, q, v, work.z)
    return plan.topology.shape[0]


@kernel
def assemble_one(plan, work, t, q, v, a, start, u):
    """Bring q and v onto drives and constraints; what no motion can remove is in work.result.

    Returns how many rows there are.
    """
    work.result[fields.LEFT] = project_position(plan, work, t, q, v, a, start, u)
    work.result[fields.REST_SPEED] = project_velocity(plan, work, t, q, v, a)
    return plan.holonomic.shape[0]


@kernel
def record_one(plan, work, state, samples):
    """A sample of the state as it is; returns how many there are."""
    record(plan, work, state, samples, state.clock[TIME], state.q, state.v, state.done)
    return state.counts[FILLED]


# kernels with their argument types, by the entry of `calls` that they stand in, in the order in which a problem needs them
VECTOR, MATRIX, INTS, INT_VECTOR = float64[::1], float64[:, ::1], int64[:, ::1], int64[::1]
PLAN, WORK, TREE = record_type(fields.Plan), record_type(Work), (INTS, MATRIX)
_STATE = (PLAN, WORK, float64, VECTOR, VECTOR, VECTOR)
SOFT = {
    fields.PLACE: (flexible_calls.place_one, (PLAN, WORK, VECTOR, VECTOR, VECTOR)),
    PULL: (flexible_calls.pull_one, (PLAN, WORK, MATRIX, int64, int64, float64, int64)),
    fields.SOFT_HYBRID: (flexible_calls.hybrid_one, (PLAN, WORK, VECTOR, VECTOR, VECTOR)),
    fields.ENERGIES: (flexible_calls.energies_one, (PLAN, WORK, VECTOR, VECTOR, VECTOR)),
}
MATRICES = {fields.INVERSE: (bias_one, (PLAN, WORK, VECTOR, VECTOR, VECTOR)), fields.MASS: (mass_one, (PLAN, WORK, VECTOR))}
SOFT_MATRICES = {
    fields.INVERSE: (flexible_calls.bias_one, (PLAN, WORK, VECTOR, VECTOR, VECTOR)),
    fields.MASS: (flexible_calls.mass_one, (PLAN, WORK, VECTOR)),
}  # fmt: skip
PARTS = {
    fields.LOCAL_MOTION: (local_motion_one, (*_STATE, VECTOR)),
    fields.LOCAL_CHANGE: (local_change_one, (PLAN, WORK, VECTOR)),
}
FREE = {fields.HYBRID: (hybrid_one, (*TREE, VECTOR, VECTOR, INT_VECTOR, MATRIX, VECTOR, VECTOR))}
ACTUATORS = {fields.ACTUATE: (actuate_one, (PLAN, WORK, float64, VECTOR, VECTOR))}
MEETING = {fields.MEET: (meet_one, (PLAN, WORK, MATRIX, int64, MATRIX, float64, float64))}
FEEDING = {fields.COPY: (copy_one, (PLAN, WORK, float64, VECTOR, VECTOR))}
INERTIA, NO_INERTIA = {fields.EVALUATE: (evaluate_one, (*_STATE, VECTOR))}, {fields.EVALUATE: (creep_one, (*_STATE, VECTOR))}
ALL = {
    fields.SIGNALS: (signals_one, (INTS, VECTOR, INTS, float64, VECTOR, VECTOR, VECTOR, VECTOR)),
    fields.ROWS: (rows_one, _STATE),
    fields.ASSEMBLE: (assemble_one, (*_STATE, VECTOR, VECTOR)),
}
# what else runs ask for: places of spots, and a sample beside those of the steps
TOUCHING = (
    (gaps_one, (PLAN, WORK, MATRIX)),
    (spot_rows_one, (PLAN, WORK, *[MATRIX] * 3)),
    (record_one, (PLAN, WORK, record_type(State), record_type(Samples))),
)
KNOWN: dict[tuple, tuple] = {}  # slot and kernel -> signature, address
BALANCE = (balance_one, (PLAN, WORK, float64, VECTOR, VECTOR))  # for reports of what moves without inertia
RIGID = {fields.KINETIC: momentum.KINETIC.one.need, fields.POTENTIAL: momentum.POTENTIAL.one.need}


def calls_of(plan: fields.Plan) -> dict[int, tuple]:
    """What the kernels of a plan call by address."""
    rods, creeping = len(plan.rods) > 0, plan.options[fields.CREEPING] != 0.0
    calls = dict(SOFT) if rods else {}
    if len(plan.holonomic) or creeping:
        calls |= SOFT_MATRICES if rods else MATRICES
    elif not rods:
        calls |= FREE
    calls |= PARTS if plan.options[fields.LOCAL] != 0.0 else {}
    calls |= ACTUATORS if len(plan.actuators) else {}
    calls |= FEEDING if len(plan.fed) else {}
    calls |= MEETING if len(plan.pairs) else {}
    return calls | ALL | (NO_INERTIA if creeping else INERTIA) | ({} if rods else RIGID)


def fill_matrices(plan: fields.Plan) -> None:
    """Compile, or load, what needs the mass matrix: constraints, and the variational method."""
    if not plan.calls[fields.MASS]:
        fill(plan, SOFT_MATRICES if len(plan.rods) else MATRICES)


def fill_addresses(plan: fields.Plan) -> None:
    """Compile, or load, what the kernels of this plan call by address."""
    fill(plan, calls_of(plan))


def prepare(plan: fields.Plan) -> None:
    """Have the kernels of a plan compiled, or loaded, unless they stand in it already."""
    if not plan.calls[fields.EVALUATE]:
        fill_addresses(plan)


def fill(plan: fields.Plan, calls: dict[int, tuple]) -> None:
    """Compile, or load, some kernels, and put their addresses into the plan."""
    for slot, (kernel_of_slot, signature) in calls.items():
        known = KNOWN.get((slot, kernel_of_slot))
        if known is None or known[0] is not signature:  # comparing types takes longer
            known = KNOWN[slot, kernel_of_slot] = signature, address_of(kernel_of_slot, signature)
        plan.calls[slot] = known[1]
