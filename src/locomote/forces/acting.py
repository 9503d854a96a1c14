"""All force terms of a problem at one state: where their places are, what they give, and the wrenches on bodies.

(R_b, o_b) is the pose of a body in the world, V_b its twist about the origin of the world; (P, p) the place on it.

    R = R_b P ,   o = o_b + R_b p ,   w = R^T ang V_b ,   u = R^T (lin V_b + ang V_b x o)                            (1)
    wrench on the body, in its axes:   f_b = P f ,   n_b = P n + p x f_b                                             (2)
"""

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import helper, routine
from locomote.forces.kinds import ANGULAR, LINEAR, LOSS, ORIGIN, ROTATION
from locomote.forces.terms import ADDRESS, COUNT, FIRST, START
from locomote.kernels import kinematics as body
from locomote.spatial.algebra import add, angular, compose, cross, linear, rotate, unrotate
from locomote.spatial.rows import load, load6, load9, store

PLACED = 9  # column of placements where the displacement begins


@routine
def find_places(plan, work):
    """(1) for all places; poses and twists of bodies must be there."""
    for s in range(plan.place_bodies.shape[0]):
        b = plan.place_bodies[s]
        R_b, V_b = load9(work.bodies, b, body.ROTATION), load6(work.bodies, b, body.TWIST)
        R = compose(R_b, load9(plan.placements, s, 0))
        o = add(load(work.bodies, b, body.ORIGIN), rotate(R_b, load(plan.placements, s, PLACED)))
        for k in range(9):
            work.places[s, ROTATION + k] = R[k]
        store(work.places, s, ORIGIN, o)
        store(work.places, s, LINEAR, unrotate(R, add(linear(V_b), cross(angular(V_b), o))))
        store(work.places, s, ANGULAR, unrotate(R, angular(V_b)))


@helper
def add_wrench(work, b, P, p, f, n):
    """(2)."""
    force = rotate(P, f)
    moment = add(rotate(P, n), cross(p, force))
    for k in range(3):
        work.wrenches[b, k] += force[k]
        work.wrenches[b, 3 + k] += moment[k]


@routine
def act(plan, work, t, first_power):
    """Add the wrenches of all terms to work.wrenches; what they give and take goes to work.results and work.power."""
    find_places(plan, work)
    for n in range(plan.terms.shape[0]):
        call_compiled(
            plan.terms[n, ADDRESS],
            (
                t, work.places, plan.terms[n, FIRST], plan.terms[n, COUNT], plan.term_numbers, plan.terms[n, START],
                work.loads_of_terms, work.results, n,
            ),
        )  # fmt: skip
        work.power[first_power + n] = -work.results[n, LOSS]
    for s in range(plan.place_bodies.shape[0]):
        P, p = load9(plan.placements, s, 0), load(plan.placements, s, PLACED)
        f, m = load(work.loads_of_terms, s, 0), load(work.loads_of_terms, s, 3)
        add_wrench(work, plan.place_bodies[s], P, p, f, m)
