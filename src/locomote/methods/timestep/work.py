"""Work of the surroundings in a step over contacts: of the impulse that acted, over the velocity that it acted along.

f is what a force term gave at the middle of the step, u the velocity of its place there, E its energy:

    work of a step  =  h f . (u + u_end) / 2  +  E(q_end) - E(q)                                                    (1)

so that what is stored and what is lost come to just what the bodies gave, whatever the step: (1) without E is the change of
their energy by h f, and the power of f at the start of a step would be off by its acceleration.
"""

from locomote.compiler.callbacks import ADDRESS
from locomote.compiler.source import helper, routine
from locomote.evaluation.evaluate import find_rows
from locomote.evaluation.plan import ENVIRONMENT, SURROUNDINGS, TERMS
from locomote.forces.acting import act, find_places
from locomote.forces.kinds import ANGULAR, ENERGY, LINEAR
from locomote.forces.terms import COUNT, FIRST, STORES
from locomote.kernels.kinematics import ORIGIN, ROTATION, TWIST
from locomote.spatial.algebra import add, angular, cross, dot, linear, unrotate
from locomote.spatial.rows import load, load6, load9

NOT_COUNTED = 1e300  # time of energies that are not needed
UNKNOWN = -1e300  # time of energies that are not there yet
START, END = range(2)  # rows of `stored`: the time, and the energy of each term then


@helper
def counted(plan, state):
    """Whether the work of surroundings is asked for, and there are any."""
    acting = plan.terms.shape[0] > 0 or plan.functions[ENVIRONMENT, ADDRESS] != 0
    return acting and state.stored[START, 0] != NOT_COUNTED


@routine
def store_energies(plan, work, state, t, q, row):
    """E of (1) at a configuration, into a row of `stored`."""
    stores = False
    for n in range(plan.terms.shape[0]):
        stores = stores or plan.terms[n, STORES] != 0
    state.stored[row, 0] = t
    if stores:
        find_rows(plan, work, t, q, work.zero, work.zero)
        act(plan, work, t, TERMS)
        for n in range(plan.terms.shape[0]):
            state.stored[row, 1 + n] = work.results[n, ENERGY]


@routine
def count_surroundings(plan, work, state, t, h, q):
    """(1) but for E, into y_end, from forces at the middle q of the step and the mean velocity in state.v_star."""
    first = 2 * state.v.shape[0]
    find_rows(plan, work, t + 0.5 * h, q, state.v_star, work.zero)
    find_places(plan, work)
    for n in range(plan.terms.shape[0]):
        power = 0.0
        for s in range(plan.terms[n, FIRST], plan.terms[n, FIRST] + plan.terms[n, COUNT]):
            power += dot(load(work.loads_of_terms, s, 0), load(work.places, s, LINEAR))
            power += dot(load(work.loads_of_terms, s, 3), load(work.places, s, ANGULAR))
        state.y_end[first + TERMS + n] += h * power
    if plan.functions[ENVIRONMENT, ADDRESS] != 0:
        power = 0.0
        for i in range(plan.topology.shape[0] - 1):
            R, V, f = load9(work.bodies, i, ROTATION), load6(work.bodies, i, TWIST), 6 * i
            speed = unrotate(R, add(linear(V), cross(angular(V), load(work.bodies, i, ORIGIN))))
            spin, given = unrotate(R, angular(V)), work.given_wrenches
            power += dot((given[f], given[f + 1], given[f + 2]), speed) + dot((given[f + 3], given[f + 4], given[f + 5]), spin)
        state.y_end[first + SURROUNDINGS] += h * power


@routine
def count_stored(plan, work, state, t, h):
    """E of (1), into y_end, at the end of the step in state.q_end."""
    store_energies(plan, work, state, t + h, state.q_end, END)
    for n in range(plan.terms.shape[0]):
        state.y_end[2 * state.v.shape[0] + TERMS + n] += state.stored[END, 1 + n] - state.stored[START, 1 + n]
