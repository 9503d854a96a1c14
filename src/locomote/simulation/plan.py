"""A problem packed for compiled code (Plan), and the scratch arrays that it works in (Work).

Both are records of arrays, which kernels take as one argument. A plan holds addresses, so it stays in its process, and it keeps
the callbacks that its addresses belong to: whoever has a plan may call all that is in it. A Work belongs to one call at a time.
"""

from collections.abc import Sequence

import numpy as np

from locomote.constraints.columns import UNILATERAL
from locomote.engine.callbacks import WRITES, Callback
from locomote.engine.records import Floats, Ints, Matrix, Record, Table
from locomote.engine.trigonometry import padded
from locomote.environment.kinds import PLACE as PLACE_WIDTH
from locomote.environment.kinds import RESULTS
from locomote.kernels.flexible.columns import RODS, SIZE, STEPS, STRAINS
from locomote.kernels.flexible.columns import WORK as SOFT_WORK
from locomote.kernels.flexible.gather import TABLE
from locomote.kernels.single import AXES_WORK, FD_DOFS, ID_WORK, KIN_WORK, MM_AXES, MM_WORK

# rows of `passive`
STIFFNESS, REST, DAMPING, FRICTION = range(4)
# first rows of `functions`, zero if there is none; those of drives, torque signals and constraints follow
TORQUES, ENVIRONMENT, EVENTS = range(3)
OTHERS = 3
# entries of `calls`: addresses of the kernels that others call
HYBRID, INVERSE, MASS, CORIOLIS, KINETIC, POTENTIAL = range(6)
SIGNALS, ROWS, EVALUATE, ASSEMBLE, ATTEMPT = range(6, 11)
PLACE, SOFT_HYBRID, ENERGIES = 11, 13, 14  # of models with flexible bodies, as PULL of `constraints.columns`
ACTUATE, SWEEP = 15, 16
# of implicit steps: derivatives of rates, and addresses of the records that it needs beside those of the run
SLOPES, DUAL_PLAN, DUAL_WORK, DUAL_SEEDS = range(17, 21)
STAGES = 21  # of collocation: inverse dynamics of all stages
CALLS = 22
# entries of `options`; CREEPING: whether there is no inertia, and velocities follow from the balance of forces; DENSE: whether
# accelerations come from the mass matrix, which is wanted anyway, instead of a sweep over the bodies
RANK_TOLERANCE, FRICTION_SPEED, PROJECTION_TOLERANCE, BY_MASS, CREEPING, DENSE = range(6)
# entries of `result`: what no projection could remove, of positions and of velocities; the smallest remainder of independent
# rows in the last evaluation, 1 if they are far from singular; how much of all velocities the last step changed to meet the
# constraints, and the energy that this took
LEFT, REST_SPEED, REMAINDER, CHANGED, TAKEN = range(5)
# sources of power
DRIVES, DRIVEN, LOSSES, SURROUNDINGS, MOVING = range(5)
SOURCES = ("drives", "torques", "losses", "environment", "constraints")
PATH = len(SOURCES)  # entry of `power`, after its sources: speed of the base; what is integrated is the length of its path
SINCE = 0  # entry of `since`: the time at which `input` holds
TERMS = PATH + 1  # first entry of `power` for force terms, one each


class Plan(Record):
    """All that compiled code must know of a problem.

    imposed : (nv,) 1 where the motion is imposed; free, held : the coordinates of v that are not, and those that are
    q_of_v : (nv,) place in q of a coordinate of v that is a plain number, -1 otherwise
    drive_*, torque_* : packed signals over coordinates of v; integers, numbers : packed constraints
    base : coordinates of v that are the velocity of the origin of the base, along axes at right angles to each other
    quaternions : places in q where one begins
    clocks, clock_kinds, pd_* : controllers, see `clocks`; functions of controllers are there in plans of runs only
    follow_*, led : controllers without a clock, see `following`
    terms, place_bodies, placements, term_numbers : force terms, as `environment.terms.pack_terms` packs them
    spots, spot_laws : what may touch (`ground.spots`) ; stops : coordinates of v that end somewhere, stop_laws : sign and place
    effort : (nv,) largest torque or force that may be given
    rods, stations, basis, components, hung, elastic, viscous : flexible bodies (`kernels.flexible.columns`), empty without;
        strain : (stations, 36) theirs without load; actuators and what follows : see `actuators`
    functions : table of the user's functions (`engine.callbacks`), whose callbacks are in `callbacks`
    """

    callbacks = ()

    topology: Table
    constants: Matrix
    imposed: Ints
    free: Ints
    held: Ints
    q_of_v: Ints
    base: Ints
    quaternions: Ints
    passive: Matrix
    drive_rows: Table
    drive_numbers: Floats
    torque_rows: Table
    torque_numbers: Floats
    integers: Table
    numbers: Matrix
    linear: Matrix
    linear_q: Matrix
    holonomic: Ints
    clocks: Matrix
    clock_kinds: Table
    pd_rows: Table
    pd_numbers: Matrix
    pd_signal_rows: Table
    pd_signal_numbers: Floats
    follow_rows: Table
    follow_numbers: Matrix
    follow_signal_rows: Table
    follow_signal_numbers: Floats
    led: Ints
    terms: Table
    place_bodies: Ints
    placements: Matrix
    term_numbers: Floats
    functions: Table
    calls: Ints
    options: Floats
    spots: Table
    spot_laws: Matrix
    stops: Ints
    stop_laws: Matrix
    effort: Floats
    rods: Table
    stations: Matrix
    basis: Floats
    components: Ints
    hung: Table
    elastic: Floats
    viscous: Floats
    strain: Matrix
    actuators: Table
    actuator_points: Matrix
    tension_rows: Table
    tension_numbers: Floats

    def __init__(self, callbacks: Sequence[Callback] = (), **arrays: np.ndarray):
        super().__init__(**arrays)
        self.__dict__["callbacks"] = tuple(callbacks)

    def changed(self, callbacks: Sequence[Callback] = (), **arrays: np.ndarray) -> "Plan":
        """A plan of its own with some arrays replaced, and more callbacks; it shares all other arrays."""
        plan = self.with_arrays(**arrays)
        plan.__dict__["callbacks"] = (*self.callbacks, *callbacks)
        return plan

    def own(self) -> "Plan":
        """A copy whose contacts may open and close and whose options may change."""
        names = ("integers", "numbers", "functions", "calls", "options")
        return self.changed(**{name: getattr(self, name).copy() for name in names})

    @property
    def integrals(self) -> int:
        """How many numbers are integrated along with the motion: work by source, the path, work by term."""
        return TERMS + len(self.terms)

    @property
    def unilateral(self) -> int:
        """How many contacts may open and close."""
        return int(self.integers[:, UNILATERAL].max(initial=0))

    def raise_faults(self) -> None:
        """Raise what a function of the user raised when compiled code called it from this thread."""
        for callback in self.callbacks:
            callback.raise_fault()

    def __reduce__(self):
        raise TypeError("a Plan holds addresses of this process and cannot be copied or sent to another; copy its problem")


class Work(Record):
    """Scratch of one evaluation; what a caller may read afterwards is named in `equations.evaluate`.

    known : rank + 1 if all of it is of the state that the next step starts from, as evaluated for a sample; else 0
    """

    sine: Floats
    cosine: Floats
    newton: Matrix
    composite: Matrix
    composite_axes: Matrix
    bodies: Matrix
    axes: Matrix
    rates: Matrix
    wrenches: Matrix
    M: Matrix
    K: Matrix
    bias: Floats
    input: Floats
    slope: Floats
    since: Floats
    pd_x: Floats
    pd_dx: Floats
    pd_ddx: Floats
    follow_x: Floats
    follow_dx: Floats
    follow_ddx: Floats
    active: Floats
    passive: Floats
    tau: Floats
    zero: Floats
    x: Floats
    dx: Floats
    ddx: Floats
    signal: Floats
    A: Matrix
    drift: Floats
    speed: Floats
    error: Floats
    rate: Matrix
    rows: Matrix
    possible: Floats
    lengths: Floats
    scales: Floats
    chosen: Ints
    lower: Matrix
    reflections: Matrix
    order: Ints
    loads: Matrix
    loads_lower: Matrix
    loads_reflections: Matrix
    loads_order: Ints
    y: Floats
    z: Floats
    e: Floats
    place: Floats
    shape: Floats
    near: Floats
    near_v: Floats
    given_torques: Floats
    given_wrenches: Floats
    given_rows: Floats
    places: Matrix
    loads_of_terms: Matrix
    results: Matrix
    power: Floats
    result: Floats
    soft_rows: Matrix
    soft_steps: Matrix
    soft_dofs: Matrix
    soft_table: Matrix
    soft_mass: Matrix
    soft_force: Floats
    soft_free: Floats
    chosen_free: Ints
    gauss_x: Floats
    gauss_y: Floats
    known: Ints
    left: Floats
    guess: Floats
    tension: Floats
    tension_rate: Floats


def writes(plan: Plan, k: int) -> int:
    """How many numbers function k of a plan gives."""
    return int(plan.functions[k, WRITES])


def rigid() -> dict[str, np.ndarray]:
    """The arrays of flexible bodies of a plan that has none."""
    return {
        "rods": np.zeros((0, RODS), np.int64), "stations": np.zeros((0, 2)), "basis": np.zeros(0),
        "components": np.zeros(0, np.int64), "hung": np.zeros((0, 3), np.int64), "elastic": np.zeros(0),
        "viscous": np.zeros(0), "strain": np.zeros((0, STRAINS)),
    }  # fmt: skip


def work_of(plan: Plan, rates: bool = False) -> Work:
    """Scratch for a plan; with room for the rates of constraint rows if asked."""
    count = plan.topology.shape[0]
    nq, nv = (int(n) for n in plan.topology[-1, 2:4])
    rows, free, wide = len(plan.holonomic), len(plan.free), padded(max(len(plan.holonomic), nv, 8))
    soft = int(len(plan.rods) > 0)
    return Work(
        sine=np.zeros(nq), cosine=np.zeros(nq),
        newton=np.zeros((count, ID_WORK)), composite=np.zeros((count, MM_WORK)), composite_axes=np.zeros((MM_AXES, padded(nv))),
        bodies=np.zeros((count, KIN_WORK)), axes=np.zeros((AXES_WORK, nv)), rates=np.zeros((count, 6)),
        wrenches=np.zeros((count, 6)), M=np.zeros((nv, nv)), K=np.zeros((max(free, 1), padded(max(free, 1)))),
        bias=np.zeros(nv), input=np.zeros(nv), slope=np.zeros(nv), since=np.zeros(1),
        pd_x=np.zeros(len(plan.pd_rows)), pd_dx=np.zeros(len(plan.pd_rows)), pd_ddx=np.zeros(len(plan.pd_rows)),
        follow_x=np.zeros(2 * len(plan.follow_rows)), follow_dx=np.zeros(2 * len(plan.follow_rows)),
        follow_ddx=np.zeros(2 * len(plan.follow_rows)),
        active=np.zeros(nv), passive=np.zeros(nv), tau=np.zeros(nv), zero=np.zeros(nv),
        x=np.zeros(nv), dx=np.zeros(nv), ddx=np.zeros(nv), signal=np.zeros(8),
        A=np.zeros((rows, nv)), drift=np.zeros(rows), speed=np.zeros(rows), error=np.zeros(rows),
        rate=np.zeros((rows if rates else 0, nv)),
        rows=np.zeros((rows, max(free, 1))), possible=np.zeros(rows),
        lengths=np.ones(rows), scales=np.zeros(rows), chosen=np.zeros(rows, np.int64),
        lower=np.zeros((rows, max(free, 1))), reflections=np.zeros((max(free, 1), max(free, 1))),
        order=np.zeros(rows, np.int64),
        loads=np.zeros((max(free, 1), rows)), loads_lower=np.zeros((max(free, 1), rows)),
        loads_reflections=np.zeros((max(rows, 1), max(rows, 1))), loads_order=np.zeros(max(free, 1), np.int64),
        y=np.zeros(wide), z=np.zeros(wide), e=np.zeros(wide),
        place=np.zeros(8), shape=np.zeros(8), near=np.zeros(nq), near_v=np.zeros(nv),
        given_torques=np.zeros(writes(plan, TORQUES)), given_wrenches=np.zeros(writes(plan, ENVIRONMENT)),
        given_rows=np.zeros(int(plan.functions[OTHERS:, WRITES].max(initial=0))),
        places=np.zeros((len(plan.place_bodies), PLACE_WIDTH)), loads_of_terms=np.zeros((len(plan.place_bodies), 6)),
        results=np.zeros((len(plan.terms), RESULTS)), power=np.zeros(plan.integrals), result=np.zeros(5),
        soft_rows=np.zeros((count * soft, SOFT_WORK)), soft_steps=np.zeros((len(plan.stations), STEPS)),
        soft_dofs=np.zeros((nv * soft, FD_DOFS)), soft_table=np.zeros((TABLE, padded(nv) * soft)),
        soft_mass=np.zeros((nv * soft, int(plan.rods[:, SIZE].max(initial=0)))), soft_force=np.zeros(nv * soft),
        soft_free=np.zeros(nv * soft), chosen_free=np.zeros(nv, np.int64),
        gauss_x=np.zeros(wide), gauss_y=np.zeros(wide), known=np.zeros(1, np.int64),
        left=np.zeros(nv), guess=np.zeros(nv),
        tension=np.zeros(len(plan.actuators)),
        tension_rate=np.zeros(len(plan.actuators)),
    )  # fmt: skip
