"""A problem packed for compiled code: a record of arrays, which kernels take as one argument.

A plan holds addresses, so it stays in its process, and it keeps the callbacks that its addresses belong to: whoever has a plan
may call all that is in it. The arrays that an evaluation works in are those of `work`.
"""

from collections.abc import Sequence

import numpy as np

from locomote.compiler.callbacks import Callback
from locomote.compiler.records import Floats, Ints, Matrix, Record, Table
from locomote.constraints.columns import UNILATERAL
from locomote.kernels.flexible.columns import RODS, STRAINS

# rows of `passive`
STIFFNESS, REST, DAMPING, FRICTION = range(4)
# first rows of `functions`, zero if there is none; those of drives, torque signals and constraints follow
TORQUES, ENVIRONMENT, EVENTS = range(3)
OTHERS = 3
# entries of `calls`: addresses of the kernels that others call
HYBRID, INVERSE, MASS, CORIOLIS, KINETIC, POTENTIAL = range(6)
SIGNALS, ROWS, EVALUATE, ASSEMBLE, ATTEMPT = range(6, 11)
PLACE, SOFT_HYBRID, ENERGIES = 11, 13, 14  # for models with flexible bodies, as PULL of `constraints.columns`
ACTUATE, SWEEP = 15, 16
COPY = 21  # for feed-forward
# for implicit steps: derivatives of rates, and addresses of the records that it needs beside those of the run
SLOPES, DUAL_PLAN, DUAL_WORK, DUAL_SEEDS = range(17, 21)
STAGES = 22  # for collocation: inverse dynamics of all stages
TURN, WITHIN = 23, 26  # for methods that have them: what is done between two steps; the state within a step
LOCAL_MOTION, LOCAL_CHANGE = 24, 25  # for subsystems: accelerations and reactions, and the projection onto the constraints
TANGENTS, TANGENT_ROOM = 27, 28  # for collocation: stages by exact tangents, if they are wanted, and their scratch
SETTLE = 29  # for steps over contacts: impulses of all contacts
MEET = 30  # for shapes of bodies that may touch each other (`contact.meeting`)
CALLS = 31
# entries of `options`; CREEPING: whether there is no inertia, and velocities follow from the balance of forces; DENSE: whether
# accelerations come from the mass matrix, which is wanted anyway, instead of a sweep over the bodies
RANK_TOLERANCE, FRICTION_SPEED, PROJECTION_TOLERANCE, BY_MASS, CREEPING, DENSE = range(6)
LOCAL = 6  # whether constraints are eliminated subsystem by subsystem (`local`)
COMPUTES, LYING = 7, 8  # whether there are computed torques (`computed_torque`), and whether a joint lies on a stop (`stops`)
OPTIONS = 9
# entries of `result`: what no projection could remove, of positions and of velocities; the smallest remainder of independent
# rows in the last evaluation, 1 if they are far from singular; how much of all velocities the last step changed to meet the
# constraints, and the energy that this took
LEFT, REST_SPEED, REMAINDER, CHANGED, TAKEN = range(5)
# sources of power
DRIVES, DRIVEN, LOSSES, SURROUNDINGS, MOVING, ACTUATED = range(6)
SOURCES = ("drives", "torques", "losses", "environment", "constraints", "actuators")
PATH = len(SOURCES)  # entry of `power`, after its sources: speed of the base; what is integrated is the length of its path
SINCE = 0  # entry of `since`: the time at which `input` holds
IMPOSED, STOPPED = 1, 2  # entries of `imposed`: by a drive, by a stop that the joint lies on
UNLIMITED = 1e300  # entry of `effort` of what has no limit
TERMS = PATH + 1  # first entry of `power` for force terms, one each
SIGN, STOP_PLACE, CLOSED = range(3)  # columns of stop_laws


class Plan(Record):
    """All that compiled code must know of a problem.

    imposed : (nv,) IMPOSED, STOPPED, or 0 where motion is not imposed; free, held : the coordinates of v that are not, and
        those that are
    q_of_v : (nv,) place in q of a coordinate of v that is a plain number, -1 otherwise
    drive_*, torque_* : packed signals over coordinates of v; integers, numbers : packed constraints
    touched, touched_first : coordinates that constraint rows can have entries at (`constraints.touched`); owner : (rows,)
        elementary constraint of each row
    subsystem*, own_of_v : in which parts constraints can be eliminated (`subsystems`)
    base : coordinates of v that are the velocity of the origin of the base, along axes at right angles to each other
    quaternions : places in q where one begins
    clocks, clock_kinds, pd_* : controllers, see `clocks`; functions of controllers are there in plans of runs only
    follow_*, led : controllers without a clock, see `computed_torque`; fed : (nv,) 1 where a copy of the robot moves as told,
    empty
        without feed-forward (`feed_forward`)
    terms, place_bodies, placements, term_numbers : force terms, as `forces.terms.pack_terms` packs them
    spots, spot_laws, hull_corners, hull_edges : what may touch (`contact.spots`) ; stops : coordinates of v that end
        somewhere, stop_laws : see `stops`
    solids, carriers, reaches, meets, pairs, pools : shapes of bodies that may touch each other (`contact.meeting`)
    effort : (nv,) largest torque or force that may be given, UNLIMITED if there is none
    rods, stations, basis, components, hung, elastic, viscous : flexible bodies (`kernels.flexible.columns`), empty without;
        strain : (stations, 36) strains of stations without load; actuators and what follows : see `actuators`
    breaks : times at which drives, torques or tensions are not smooth, in order
    functions : table of the user's functions (`compiler.callbacks`), whose callbacks are in `callbacks`
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
    curves: Matrix
    holonomic: Ints
    touched: Ints
    touched_first: Ints
    owner: Ints
    subsystems: Table
    subsystem_bodies: Ints
    subsystem_own: Ints
    subsystem_border: Ints
    subsystem_place: Ints
    subsystem_rows: Ints
    own_of_v: Ints
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
    fed: Ints
    terms: Table
    place_bodies: Ints
    placements: Matrix
    term_numbers: Floats
    functions: Table
    calls: Ints
    options: Floats
    spots: Table
    spot_laws: Matrix
    hull_corners: Matrix
    hull_edges: Ints
    solids: Matrix
    carriers: Table
    reaches: Floats
    meets: Table
    pairs: Table
    pools: Table
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
    breaks: Floats

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
        return int(abs(self.integers[:, UNILATERAL]).max(initial=0))

    def as_a_whole(self) -> "Plan":
        """A copy whose constraints are eliminated all at once, for code that reads the results of that elimination."""
        plan = self.changed(options=self.options.copy())
        plan.options[LOCAL] = 0.0
        return plan

    def raise_faults(self) -> None:
        """Raise what a function of the user raised when compiled code called it from this thread."""
        for callback in self.callbacks:
            callback.raise_fault()

    def __reduce__(self):
        raise TypeError("a Plan holds addresses of this process and cannot be copied or sent to another; copy its problem")


def rigid() -> dict[str, np.ndarray]:
    """The arrays of flexible bodies of a plan that has none."""
    return {
        "rods": np.zeros((0, RODS), np.int64), "stations": np.zeros((0, 2)), "basis": np.zeros(0),
        "components": np.zeros(0, np.int64), "hung": np.zeros((0, 3), np.int64), "elastic": np.zeros(0),
        "viscous": np.zeros(0), "strain": np.zeros((0, STRAINS)),
    }  # fmt: skip
