"""The arrays that an evaluation of a packed problem works in: shape of each, who fills it, what is in it afterwards.

A Work belongs to one call at a time. Sizes are those of a model, and what a plan adds to them (`WorkSizes`).
"""

from functools import cache
from typing import Annotated, NamedTuple

from locomote.compiler.callbacks import WRITES
from locomote.compiler.records import Floats, Ints, Layout, Matrix, Record, Table
from locomote.compiler.scratch_layout import NQ, NV, ROWS, Like, Size, declared, shape_of
from locomote.compiler.trigonometry import padded
from locomote.contact import separation
from locomote.contact.meeting_columns import TRAVEL
from locomote.evaluation.plan import ENVIRONMENT, OTHERS, TORQUES, Plan
from locomote.evaluation.subsystems import EDGE, OWN, PART_WIDTH
from locomote.evaluation.subsystems import ROWS as HELD
from locomote.forces.kinds import PLACE as PLACE_WIDTH
from locomote.forces.kinds import RESULTS
from locomote.geometry import epa, manifold
from locomote.geometry.epa import INTEGERS as FACE
from locomote.geometry.gjk import SIMPLEX
from locomote.geometry.manifold import COLUMNS
from locomote.kernels.flexible.columns import SIZE, STEPS
from locomote.kernels.flexible.columns import WORK as SOFT_WORK
from locomote.kernels.flexible.gather import TABLE
from locomote.kernels.forward_dynamics import DOFS
from locomote.kernels.inverse_dynamics import Newton
from locomote.kernels.kinematics import Screws
from locomote.kernels.mass_matrix import Composite
from locomote.model.columns import Q, V

HELD_ROWS, RATE_ROWS = Size("held_rows"), Size("rate_rows")  # rows of constraints; those whose rates are asked for
FREE = Size("free")  # free coordinates, or one
SOME_ROWS = Size("some_rows")  # rows of constraints, or one
WIDE = Size("wide")  # the largest of rows, coordinates and 8, as whole vectors
SOFT_ROWS, SOFT_NV, STATIONS, WIDEST = Size("soft_rows"), Size("soft_nv"), Size("stations"), Size("widest")
LED, FOLLOWED, TENSIONS = Size("led"), Size("followed"), Size("tensions")  # coordinates of PD, of followers (twice), actuators
FED_Q, FED_V = Size("fed_q"), Size("fed_v")  # configuration and velocity of the copy of feed-forward, nothing without
TERMS, TERM_PLACES, POWERS = Size("terms"), Size("term_places"), Size("powers")
PARTS, PART_BODIES = Size("parts"), Size("part_bodies")  # subsystems, and rows of bodies if there are any
SIDES, CORNERS, ACROSS, EDGES = Size("sides"), Size("corners"), Size("across"), Size("edges")  # numbers of their matrices
CARRIERS, MEETS, PAIRS = (
    Size("carriers"),
    Size("meets"),
    Size("pairs"),
)  # bodies with shapes, pairs of them, pairs of shapes
GAP, POINTS, FACES, OUTLINE = Size("gap"), Size("points"), Size("faces"), Size("outline")  # scratch for these, if there are any
GIVEN_TORQUES, GIVEN_WRENCHES, GIVEN_ROWS = Size("given_torques"), Size("given_wrenches"), Size("given_rows")


class WorkSizes(NamedTuple):
    """Sizes of a plan; those of flexible bodies are zero without any."""

    nq: int
    nv: int
    rows: int
    held_rows: int
    rate_rows: int
    some_rows: int
    free: int
    wide: int
    soft_rows: int
    soft_nv: int
    stations: int
    widest: int
    led: int
    followed: int
    tensions: int
    fed_q: int
    fed_v: int
    terms: int
    term_places: int
    powers: int
    parts: int
    part_bodies: int
    sides: int
    corners: int
    across: int
    edges: int
    given_torques: int
    given_wrenches: int
    given_rows: int
    carriers: int
    meets: int
    pairs: int
    gap: int
    points: int
    faces: int
    outline: int


class Work(Record):
    """Scratch of one evaluation; what a caller may read afterwards is named in `equations.evaluate`."""

    # recursions over bodies
    sine: Annotated[Floats, NQ, "of coordinates that are angles, by the last recursion"]
    cosine: Annotated[Floats, NQ, "likewise"]
    newton: Annotated[Matrix, Like(Newton, "bodies"), "by the kernel at INVERSE"]
    composite: Annotated[Matrix, Like(Composite, "bodies"), "by the kernel at MASS"]
    composite_axes: Annotated[Matrix, Like(Composite, "axes"), "by the kernel at MASS"]
    bodies: Annotated[Matrix, Like(Screws, "bodies"), "poses and twists in the world, by the kernel at ROWS"]
    axes: Annotated[Matrix, Like(Screws, "axes"), "motion axes in the world, by the kernel at ROWS"]
    rates: Annotated[Matrix, ROWS, 6, "rates of twists in the world, by the kernel at ROWS"]
    wrenches: Annotated[Matrix, ROWS, 6, "of the environment in packed frames, by `body_forces`"]
    M: Annotated[Matrix, NV, NV, "mass matrix, by the kernel at MASS; zero where coordinates are unrelated"]
    K: Annotated[Matrix, FREE, padded(FREE), "its free part, turned and factored, by `solve_free` and `dense`"]
    bias: Annotated[Floats, NV, "forces of the motion without free accelerations, by the kernel at INVERSE"]
    # inputs of controllers
    input: Annotated[Floats, NV, "torques at the time `since`, by `clocks` or by a caller that steps by hand"]
    slope: Annotated[Floats, NV, "their rates, by `clocks`"]
    since: Annotated[Floats, 1, "the time at which `input` holds, by `clocks`"]
    pd_x: Annotated[Floats, LED, "targets of PD laws, by `clocks`"]
    pd_dx: Annotated[Floats, LED, "their rates"]
    pd_ddx: Annotated[Floats, LED, "their second rates"]
    follow_x: Annotated[Floats, FOLLOWED, "targets of controllers without a clock, then torques, by `find_targets`"]
    follow_dx: Annotated[Floats, FOLLOWED, "their rates"]
    follow_ddx: Annotated[Floats, FOLLOWED, "their second rates"]
    copy_q: Annotated[Floats, FED_Q, "configuration of the copy of feed-forward, by `place_copy` and by steps"]
    copy_v: Annotated[Floats, FED_V, "its velocity, by `place_copy` and by steps"]
    copy_a: Annotated[Floats, FED_V, "its acceleration, by the kernel at COPY"]
    copy_tau: Annotated[Floats, FED_V, "what its motion costs where joints follow, by the kernel at COPY"]
    copying: Annotated[Ints, 1, "whether it has a motion of its own, by steps"]
    # forces on coordinates
    active: Annotated[Floats, NV, "given torques, by `joint_forces`"]
    passive: Annotated[Floats, NV, "springs, dampers, friction, elasticity, actuators, by `joint_forces`"]
    tau: Annotated[Floats, NV, "torques of drives where held, by `constrained` or `unconstrained`"]
    zero: Annotated[Floats, NV, "zero, always"]
    x: Annotated[Floats, NV, "imposed positions, by `impose`"]
    dx: Annotated[Floats, NV, "imposed velocities, by `impose`"]
    ddx: Annotated[Floats, NV, "imposed accelerations, by `impose`"]
    signal: Annotated[Floats, 8, "what a function of a signal gives, by the kernel at SIGNALS"]
    # constraints
    A: Annotated[Matrix, HELD_ROWS, NV, "rows, by `constraint_rows`"]
    drift: Annotated[Floats, HELD_ROWS, "velocity terms of A a + drift = 0, by `constraint_rows`"]
    speed: Annotated[Floats, HELD_ROWS, "velocity that a moving constraint asks for, by `constraint_rows`"]
    error: Annotated[Floats, HELD_ROWS, "how far positions are off, by `constraint_rows`"]
    rate: Annotated[Matrix, RATE_ROWS, NV, "rate of A, by `constraint_rows` where it is asked for"]
    rows: Annotated[Matrix, HELD_ROWS, FREE, "free part of the chosen rows, scaled, by `eliminate_rows`"]
    possible: Annotated[Floats, HELD_ROWS, "longest that a row could be, by `constraint_rows`"]
    lengths: Annotated[Floats, HELD_ROWS, "by which rows are scaled, by `measure_rows`; one to begin with"]
    scales: Annotated[Floats, HELD_ROWS, "those of the chosen rows, by `eliminate_rows`"]
    chosen: Annotated[Ints, HELD_ROWS, "rows that are eliminated, by `choose`"]
    lower: Annotated[Matrix, HELD_ROWS, FREE, "triangular factor of the rows, by `eliminate_rows`"]
    reflections: Annotated[Matrix, FREE, FREE, "orthogonal factor of the rows, by `eliminate_rows`"]
    order: Annotated[Ints, HELD_ROWS, "in which rows were taken, by `eliminate_rows`"]
    loads: Annotated[Matrix, FREE, HELD_ROWS, "how dependent rows load coordinates, by `reactions`"]
    loads_lower: Annotated[Matrix, FREE, HELD_ROWS, "triangular factor of it, by `reactions`"]
    loads_reflections: Annotated[Matrix, SOME_ROWS, SOME_ROWS, "orthogonal factor of it, by `reactions`"]
    loads_order: Annotated[Ints, FREE, "in which its columns were taken, by `reactions`"]
    # subsystems; their square matrices stand in those of the whole
    part_bodies: Annotated[Matrix, PART_BODIES, PART_WIDTH, "inertia, bias and acceleration of each body, by `local`"]
    part_ranks: Annotated[Ints, PARTS, "rank of the rows of each subsystem, by `local`"]
    part_rows: Annotated[Ints, PARTS, "how many of its rows are chosen, by `local`"]
    holding: Annotated[Ints, 1, "whether only rows that hold a position are eliminated in parts, by `projection.correct`"]
    sides: Annotated[Floats, SIDES, "own coordinates against the border, by `local`"]
    corners: Annotated[Floats, CORNERS, "inertia reduced to the border, by `local`"]
    across: Annotated[Floats, ACROSS, "what motions of the border give own coordinates by rows, by `local`"]
    edges: Annotated[Floats, EDGES, "force on the border, by `local`"]
    edge: Annotated[Floats, EDGES, "motion of a border, by `local`"]
    y: Annotated[Floats, WIDE, "scratch, free between calls"]
    z: Annotated[Floats, WIDE, "force on free coordinates, by `constrained` and by steps; else scratch"]
    e: Annotated[Floats, WIDE, "what the rows carry, by `solve_free`; else scratch"]
    place: Annotated[Floats, 8, "a place or a wrench that is handed to a surface or to the kernel at PULL"]
    keel: Annotated[Matrix, 6, 6, "wrenches of the sections of a keel so far, for each motion of its root, by `keel_rows`"]
    shape: Annotated[Floats, 8, "gap, normal, curvature that a surface of the user gives"]
    near: Annotated[Floats, NQ, "a state nearby, by `overdamped`"]
    near_v: Annotated[Floats, NV, "velocities there, by `overdamped`"]
    # what functions of the user and force terms give
    given_torques: Annotated[Floats, GIVEN_TORQUES, "by the user's torques"]
    given_wrenches: Annotated[Floats, GIVEN_WRENCHES, "by the user's environment"]
    given_rows: Annotated[Floats, GIVEN_ROWS, "by the user's constraints, drives and torque signals"]
    places: Annotated[Matrix, TERM_PLACES, PLACE_WIDTH, "pose and motion of the places of force terms, by `act`"]
    loads_of_terms: Annotated[Matrix, TERM_PLACES, 6, "force and moment there, by the terms"]
    results: Annotated[Matrix, TERMS, RESULTS, "energy and loss of each term, by the terms"]
    power: Annotated[Floats, POWERS, "by source, speed of the base, by term: by `fill_power` and `act`"]
    result: Annotated[Floats, 5, "LEFT, REST_SPEED, REMAINDER, CHANGED, TAKEN of `plan`"]
    # flexible bodies
    soft_rows: Annotated[Matrix, SOFT_ROWS, SOFT_WORK, "`work` of the recursions of flexible bodies"]
    soft_steps: Annotated[Matrix, STATIONS, STEPS, "`steps` of these recursions"]
    soft_dofs: Annotated[Matrix, SOFT_NV, DOFS, "`dofs` of these recursions"]
    soft_table: Annotated[Matrix, TABLE, padded(SOFT_NV), "`table` of these recursions"]
    soft_mass: Annotated[Matrix, SOFT_NV, WIDEST, "`m` of these recursions"]
    soft_force: Annotated[Floats, SOFT_NV, "`force` of these recursions"]
    soft_free: Annotated[Floats, SOFT_NV, "`free_a` of these recursions"]
    # shapes of bodies that meet (`contact.meeting`)
    travel: Annotated[Matrix, CARRIERS, TRAVEL, "how far bodies have gone, by `follow`"]
    wake: Annotated[Floats, MEETS, "travel of two bodies at which they may touch, by `meet_one`"]
    pair_wake: Annotated[Floats, PAIRS, "the same of two shapes, by `meet_one`"]
    blocks: Annotated[Ints, PAIRS, "the last block of two shapes, and one, by `look_at`"]
    crowded: Annotated[Floats, 1, "1 if there were more pairs than blocks, by `meet_one`"]
    gap: Annotated[Floats, GAP, "gap, normal and points of two shapes, by `separate`"]
    polytope: Annotated[Matrix, POINTS, SIMPLEX, "scratch of `geometry.gjk` and `geometry.epa`"]
    polytope_faces: Annotated[Table, FACES, FACE, "likewise"]
    polytope_planes: Annotated[Matrix, FACES, 4, "likewise"]
    polytope_lists: Annotated[Table, 2, FACES, "likewise"]
    polytope_room: Annotated[Matrix, 5, 4, "likewise"]
    outline: Annotated[Matrix, OUTLINE, COLUMNS, "scratch of `geometry.manifold`"]
    # steps
    chosen_free: Annotated[Ints, NV, "number of a coordinate among the free ones, or -1, by `collocation`"]
    gauss_x: Annotated[Floats, WIDE, "real part of what `collocation` solves for"]
    gauss_y: Annotated[Floats, WIDE, "imaginary part"]
    known: Annotated[Ints, 1, "rank + 1 if all is of the state that the next step starts from, by a sample; else 0"]
    left: Annotated[Floats, NV, "what is left of the equations at a stage, by `collocation`"]
    guess: Annotated[Floats, NV, "accelerations that a stage began with, by `collocation`"]
    tension: Annotated[Floats, TENSIONS, "of actuators, by the kernel at ACTUATE"]
    tension_rate: Annotated[Floats, TENSIONS, "their rates"]


def sizes_of(plan: Plan, rates: bool = False) -> WorkSizes:
    """Sizes of a plan; with those of the rates of constraint rows if asked."""
    nq, nv = (int(plan.topology[-1, k]) for k in (Q, V))
    count, rows, soft = len(plan.topology), len(plan.holonomic), len(plan.rods) > 0
    return WorkSizes(
        nq=nq, nv=nv, rows=count, held_rows=rows, rate_rows=rows if rates else 0, some_rows=max(rows, 1),
        free=max(len(plan.free), 1), wide=padded(max(rows, nv, 8)),
        soft_rows=count if soft else 0, soft_nv=nv if soft else 0, stations=len(plan.stations),
        widest=int(plan.rods[:, SIZE].max(initial=0)),
        led=len(plan.pd_rows), followed=2 * len(plan.follow_rows), tensions=len(plan.actuators),
        fed_q=nq if len(plan.fed) else 0, fed_v=len(plan.fed),
        terms=len(plan.terms), term_places=len(plan.place_bodies), powers=plan.integrals,
        **sizes_of_parts(plan),
        given_torques=writes(plan, TORQUES), given_wrenches=writes(plan, ENVIRONMENT),
        given_rows=int(plan.functions[OTHERS:, WRITES].max(initial=0)),
        **sizes_of_meeting(plan),
    )  # fmt: skip


def sizes_of_meeting(plan: Plan) -> dict[str, int]:
    """Sizes of what shapes of bodies that meet are found in."""
    some = len(plan.pairs) > 0
    return {
        "carriers": len(plan.carriers), "meets": len(plan.meets), "pairs": len(plan.pairs), "gap": separation.RESULT * some,
        "points": epa.POINTS * some, "faces": epa.FACES * some, "outline": manifold.OUTLINE * some,
    }  # fmt: skip


def sizes_of_parts(plan: Plan) -> dict[str, int]:
    """Sizes of what subsystems work in."""
    table = plan.subsystems
    own, edge, held = (table[:, k] for k in (OWN, EDGE, HELD))
    return {
        "parts": len(table), "part_bodies": len(plan.topology) if len(table) else 0, "sides": int(own @ edge),
        "corners": int(edge @ edge), "across": int(held @ edge), "edges": int(edge.sum()),
    }  # fmt: skip


def writes(plan: Plan, k: int) -> int:
    """How many numbers function k of a plan gives."""
    return int(plan.functions[k, WRITES])


@cache
def layout_of(sizes: WorkSizes) -> Layout:
    """Where the arrays of such sizes lie."""
    return Layout(Work, {field.name: shape_of(field, sizes) for field in declared(Work)})


def work_of(plan: Plan, rates: bool = False) -> Work:
    """Scratch for a plan; with room for the rates of constraint rows if asked."""
    work = Work.zeros(layout_of(sizes_of(plan, rates)))
    work.lengths[:] = 1.0
    return work
