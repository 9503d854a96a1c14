"""What compiled code knows of a controller: its tasks, contacts and limits as tables, and room to work in.

A task has up to six components (or one a coordinate: posture); each that counts is a row with a weight and a level. A contact
is a frame of a body with points; forces are of points, in the axes of the contact: two tangents, then the normal.
"""

import numpy as np

from locomote.compiler.records import Floats, Ints, Matrix, Record, Table
from locomote.compiler.scratch_layout import Sizes, declared, shape_of
from locomote.kernels.inverse_dynamics import Newton
from locomote.kernels.mass_matrix import Composite
from locomote.kernels.motion import Motions

FRAME, CENTROIDAL, POSTURE, LOOK = range(4)  # kinds of task
KIND, CARRIER = range(2)  # columns of `task`
STIFFNESS, DAMPING = range(2)  # columns of `gain`
TASK, COMPONENT, LEVEL = range(3)  # columns of `row`
FIRST, POINTS, ROWS, OTHER = range(1, 5)  # columns of `contact`, after the carrier
MU, LEAST, MOST, WEIGHT = range(4)  # columns of `grip`
ACROSS = 100.0  # weight of tangential forces over that of normal ones: friction is used where it is needed
CLASH, CLASH_ROW, DRIFT, ASKED = range(4)  # entries of `clash`
SLACKS = 2  # torque limits, limits of motion and clearances
CUTS = 6  # planes a point that touch a round cone


class Tick(Record):
    """Tables and room of one controller."""

    topology: Table
    constants: Matrix
    # tasks
    task: Table  # (tasks, 2) kind, moving body
    frame: Matrix  # (tasks, 12) pose of the frame in that body
    gain: Matrix  # (tasks, 2)
    goal: Matrix  # (tasks, 12) place and rotation, row by row; of a look: target, then axis in the frame
    goal_rate: Matrix  # (tasks, 6)
    goal_acceleration: Matrix  # (tasks, 6)
    posture: Matrix  # (tasks, nq) ; of postures only
    posture_rate: Matrix  # (tasks, nv)
    posture_acceleration: Matrix  # (tasks, nv)
    row: Table  # (rows, 3)
    weight: Floats  # (rows,)
    # contacts
    contact: Table  # (contacts, 5) moving body, first point, points, rows, moving body that it touches: the world is the last
    contact_frame: Matrix  # (contacts, 12)
    contact_axes: Matrix  # (contacts, 9) columns are tangents and normal, in what is touched
    contact_rate: Matrix  # (contacts, 12) twist and acceleration that the contact is to have, in world axes
    ball: Floats  # (contacts,) radius of a body that rolls, or zero
    point: Matrix  # (points, 3) in the frame of the contact
    grip: Matrix  # (points, 4) friction of the pyramid, least and most normal force, weight of the force
    wish: Matrix  # (points, 3) force that is wished for
    side: Matrix  # (sides, 2) normals of the pyramid's sides
    # limits
    free: Ints  # coordinates of v that no torque drives
    limited: Ints  # coordinates with a torque limit
    torque: Floats  # (nv,) their limits
    bounded: Ints  # coordinates with limits of position or velocity
    place: Table  # (bounded, 1) their coordinate of q
    bound: Matrix  # (bounded, 3) lower, upper, greatest speed
    sprung: Table  # (n, 2) coordinates with springs, dampers or friction, and their place in q
    passive: Matrix  # (4, nv) stiffness, rest, damping, friction
    pair: Table  # (clearances, 2) moving bodies
    ends: Matrix  # (clearances, 12) ends of their segments, in those bodies
    reach: Floats  # (clearances,) radii and margin
    cut: Matrix  # (points times cuts, 2) normals of planes that touch the cones, where forces were outside
    unit: Ints  # where quaternions begin in q
    number: Floats  # what motions cost, mass, contact damping, slack weights, horizon, brake ...; see NUMBERS
    # work
    sine: Floats
    cosine: Floats
    bodies: Matrix
    newton: Matrix
    composite: Matrix
    composite_axes: Matrix
    axes: Matrix
    zero: Floats
    M: Matrix
    h: Floats
    momentum: Matrix
    momentum_drift: Floats
    center: Floats
    six: Matrix
    jacobians: Matrix  # (6 contacts, nv) of bodies against what they touch
    axes_now: Matrix  # (contacts, 9) tangents and normal in the world
    lever: Matrix  # (3 points, nv) forces of coordinates for a unit force of a point
    Jc: Matrix  # (contact rows, nv), then its factor R (`free_motions`)
    bc: Floats
    mirror: Matrix  # (nv, nv) Householder vectors
    order: Ints  # (contact rows,) independent ones first
    Z: Matrix  # (nv, nv) rows are the motions that contacts leave free
    a0: Floats
    clash: Floats  # contacts that contradict each other: by how much, row, largest drift, largest right-hand side
    T: Matrix
    b: Floats
    TZ: Matrix
    MZ: Matrix
    still: Floats  # M a0 + h
    away: Floats
    near: Matrix
    apart: Matrix
    least_apart: Floats
    vector: Matrix
    state: Ints
    held: Ints
    later: Ints
    count: Ints
    H: Matrix
    g: Floats
    A: Matrix
    lower: Floats
    upper: Floats
    JT: Matrix
    B: Matrix
    c: Floats
    y: Floats
    span: Table
    size: Floats
    basis: Matrix
    RT: Matrix
    room: Matrix
    work: Ints
    sides: Ints
    x: Floats
    multiplier: Floats
    # results
    q: Floats
    v: Floats
    a: Floats
    tau: Floats  # within limits
    wanted: Floats  # before
    force: Floats
    proof: Floats
    miss: Floats
    gap: Floats  # (clearances,)


NUMBERS = ("motion", "mass", "damping", "torque_slack", "motion_slack", "horizon", "brake", "limit", "little", "friction_speed")
COUNTS = ("freedoms", "unknowns", "rows", "iterations", "active", "dependent", "status", "levels")


def tick_of(model, tables: dict, m: int) -> tuple[Tick, np.ndarray, dict[str, slice]]:
    """A record from the tables of tasks, contacts and limits, with room for m rows of a program.

    Its results lie in one array, which is given besides, with the place of each.
    """
    nv, nq = model.nv, model.nq
    sizes = Sizes(nq, nv, len(model.topology))
    newton, motions, composite = ({x.name: shape_of(x, sizes) for x in declared(kind)} for kind in (Newton, Motions, Composite))
    rows, contacts, points = len(tables["row"]), len(tables["contact"]), len(tables["point"])
    pairs = len(tables["pair"])
    held = int(tables["contact"][:, ROWS].sum())
    n = nv + 3 * points + SLACKS
    work = {
        "sine": nq, "cosine": nq, "newton": newton["bodies"], "bodies": motions["bodies"], "axes": motions["axes"],
        "composite": composite["bodies"], "composite_axes": composite["axes"], "zero": nv, "M": (nv, nv), "h": nv,
        "momentum": (6, nv), "momentum_drift": 6, "center": 3, "six": (6, nv), "jacobians": (6 * contacts, nv),
        "axes_now": (contacts, 9),
        "lever": (3 * points, nv), "Jc": (held, nv), "bc": held,
        "mirror": (nv, nv), "Z": (nv, nv), "a0": nv, "clash": 4, "T": (rows, nv), "b": rows, "TZ": (rows, nv),
        "MZ": (nv, nv), "still": nv, "away": nv, "near": (2, 12), "apart": (pairs, nv), "least_apart": pairs,
        "vector": (6, max(n, m) + 1), "H": (n, n), "g": n, "A": (m, n), "lower": m, "upper": m,
        "JT": (n, n), "B": (m, n), "c": n, "y": n, "size": m, "basis": (n, n), "RT": (n, n), "room": (6, n + 1),
        "q": nq, "v": nv,
    }  # fmt: skip
    given = {
        "a": nv,
        "tau": nv,
        "wanted": nv,
        "x": n,
        "force": 3 * points,
        "proof": 3,
        "miss": rows,
        "multiplier": m,
        "gap": pairs,
    }
    flat, parts, first = np.zeros(sum(given.values())), {}, 0
    for name, count in given.items():
        parts[name] = slice(first, first + count)
        first += count
    whole = {"state": m, "held": m, "later": m, "count": len(COUNTS), "work": n + 1, "sides": n + 1, "span": (m, 2)}
    whole["order"] = held
    tick = Tick(
        topology=np.array(model._topology),
        constants=np.array(model._constants),
        **tables,
        **{name: np.zeros(shape) for name, shape in work.items()},
        **{name: np.zeros(shape, np.int64) for name, shape in whole.items()},
        **{name: flat[part] for name, part in parts.items()},
    )
    tick.near[:, [0, 4, 8]] = 1.0
    return tick, flat, parts
