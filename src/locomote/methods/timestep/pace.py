"""Steps over contacts that follow what turns fast: how much energy a step makes or loses by its length, and shorter ones.

A step takes inertia at its middle q_m, and the bias of the mean velocity v*. All forces of the step together do the work
T(q_m, v_end) - T(q_m, v) + h v* . bias, so that what kinetic and potential energy change by beyond that was made by the step:

    R = T(q_end, v_end) - T(q, v) - T(q_m, v_end) + T(q_m, v) - h v* . bias(v*) + V(q_end) - V(q) - what was lifted      (1)

Light bodies between heavy ones are spun up by hits to hundreds of radians a second: bodies that turn by a part of a radian in a
step are not followed by it, and the error feeds itself. Steps with R, and what contacts give if they do, above ALLOWED T are
taken again in halves; less is allowed where bodies turn by less than TURN in a step as asked for, w its way in parts of it, or
that of SLOW if it is slower:

    ALLOWED T w max(w, that of LEAST) h / (step as asked for) ;   ALLOWED T w  in hits                              (3)

so that what a second of motion makes falls as the step that is asked for, however fast anything is.

Where nothing turns by more than FAST, or jumps, there is nothing to see, and nothing is computed, but for steps that are
shorter than asked for: they are watched (clock[SIZE] > 0 at their start) until none has to be. What steps lose does not feed
itself.

A hit leaves R at any length: velocities are v before it and v_end after it, and v* never,

    R = h/4 (v_end - v) . (bias(v_end) - bias(v)) + ...                                                              (2)

a part h |v| of the energy that it absorbs. So contacts may make a PART of what they absorb: energy does not grow by it.
"""

from math import sqrt

import numpy as np

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import helper, routine
from locomote.evaluation.evaluate import impose
from locomote.evaluation.plan import ATTEMPT, INVERSE, KINETIC, POTENTIAL
from locomote.methods.state import ABSORBED, BOUNCED, LEFT_OVER, LIFTED, SIZE, STEP
from locomote.methods.stepping import SHORTEST
from locomote.methods.timestep.kept import work_of_contacts
from locomote.methods.timestep.moves import half_move, steady
from locomote.model.columns import V_COUNT, V
from locomote.model.joints import joint_turned_back, past_place

FAST, JUMP = 0.01, 0.01  # rad, or m of a joint that slides, in a step as asked for: its way, and how much that changes
USUAL = 2e-3  # s, a step below which FAST is less
ALLOWED, PART = 1e-5, 0.1  # share of the kinetic energy, and of what contacts absorb
TURN = 0.3  # rad, or m, in a step as asked for, from which on ALLOWED is that
SLOW, LEAST = 5.0, 50.0  # rad/s, or m/s, of (3)
UNSETTLED = 1e3  # size of a step whose mean velocity did not settle
EVEN = 30.0  # how many times lighter a coordinate may be than it looks while all others are held, for FAST to do
WEIGHTLESS, SHORT = 1e6, 1e-3  # unevenness of a body without inertia; s, for which a damper acts on it
HOPELESS = 4.0  # size of a step that is not worth its last digits
LOST = 0.01  # weight of energy that steps lose, against energy that they make: a loss does not grow by itself


def fast_for(M: np.ndarray, damping: np.ndarray) -> float:
    """FAST of a model with a mass matrix: less where heavy bodies hang on light ones, whose velocities nearly cancel.

    damping : (nv,), which holds bodies that weigh next to nothing, and which steps take with the inertia
    """
    uneven = unevenness(M)
    if not 0.0 < uneven < WEIGHTLESS:
        uneven = unevenness(M + np.diag(0.5 * SHORT * damping))
    return FAST * min(1.0, EVEN / uneven) if uneven > 0.0 else FAST


def unevenness(M: np.ndarray) -> float:
    """How many times lighter a coordinate is, at most, than it looks while all others are held; 0 if that is not known."""
    try:
        return float(np.max(np.diag(M) * np.diag(np.linalg.inv(M))))
    except np.linalg.LinAlgError:
        return 0.0


@helper
def fastest_unseen(state, h):
    """rad/s, or m/s: FAST in a step h as asked for; less than that in short ones, which many more of follow each other."""
    return state.fast[0] / h * min(1.0, sqrt(h / USUAL))


@routine
def turns_fast(plan, state, h, v, v_end):
    """Whether a coordinate other than the place of a free body would go by more than FAST in h, or JUMP more than before."""
    most, jump, topology = fastest_unseen(state, h), JUMP / h, plan.topology
    for i in range(topology.shape[0] - 1):
        first = past_place(topology, i)
        for k in range(first, topology[i, V] + topology[i, V_COUNT]):
            if abs(v[k]) > most or abs(v_end[k]) > most or abs(v_end[k] - v[k]) > jump:
                return True
    return False


@routine
def way_of(plan, h, v, v_end):
    """The longest way in h of a coordinate other than the place of a free body."""
    most, topology = 0.0, plan.topology
    for i in range(topology.shape[0] - 1):
        first = past_place(topology, i)
        for k in range(first, topology[i, V] + topology[i, V_COUNT]):
            most = max(most, abs(v[k]), abs(v_end[k]))
    return h * most


@routine
def leaps(plan, h, v, v_end):
    """Whether a velocity changes as in a hit, however short the step is; h : the step that was asked for"""
    topology = plan.topology
    for i in range(topology.shape[0] - 1):
        first = past_place(topology, i)
        for k in range(first, topology[i, V] + topology[i, V_COUNT]):
            if abs(v_end[k] - v[k]) * h > JUMP:
                return True
    return False


@routine
def leapt(plan, state, h):
    """Whether a velocity changed as in a hit in the step before, which says nothing of the next."""
    most, topology = JUMP / (h * max(h, state.clock[STEP])), plan.topology
    for i in range(topology.shape[0] - 1):
        first = past_place(topology, i)
        for k in range(first, topology[i, V] + topology[i, V_COUNT]):
            if abs(state.step_a[k]) > most:
                return True
    return False


@routine
def kinetic(plan, state, q, v):
    call_compiled(plan.calls[KINETIC], (plan.topology, plan.constants, q, v, state.energy))
    return state.energy[0]


@routine
def made_at_middle(plan, work, state, h, q, v):
    """What (1) has of the middle of the step, from v to v_end in state.v_try."""
    nv, power = v.shape[0], 0.0
    for k in range(nv):
        state.v_star[k], state.a[k] = 0.5 * (v[k] + state.v_try[k]), 0.0  # drives change v, too
    steady(plan, state.v_star, state.a)
    for i in range(plan.topology.shape[0]):  # inertia and weight alone
        for k in range(6):
            work.wrenches[i, k] = 0.0
    call_compiled(plan.calls[INVERSE], (plan, work, q, state.v_star, state.a))
    for k in range(nv):
        power += state.v_star[k] * work.bias[k]
    return kinetic(plan, state, q, v) - kinetic(plan, state, q, state.v_try) - h * power


@routine
def size_of_step(plan, state, h, made, v_end):
    """R in units of what is allowed, from the part of the middle."""
    before, after = kinetic(plan, state, state.q, state.v), kinetic(plan, state, state.q_end, v_end)
    made += after - before - state.solver[LIFTED]
    call_compiled(plan.calls[POTENTIAL], (plan.topology, plan.constants, state.q_end, state.energy))
    made += state.energy[0]
    call_compiled(plan.calls[POTENTIAL], (plan.topology, plan.constants, state.q, state.energy))
    asked = max(h, state.clock[STEP])
    part = min(1.0, max(SLOW * asked, way_of(plan, asked, state.v, v_end)) / TURN)
    most = ALLOWED * part * max(before, after)
    if state.solver[BOUNCED] == 0.0 and not leaps(plan, state.clock[STEP], state.v, v_end):
        most *= min(1.0, max(part, LEAST * asked / TURN)) * (h / asked)  # many short steps make no more than one
    made -= state.energy[0]
    made -= min(0.0, state.solver[ABSORBED])
    most += PART * max(0.0, state.solver[ABSORBED])
    return max(made, -LOST * made) / most if most > 0.0 else 0.0


@routine
def to_watch(plan, state, h, v, v_end):
    """Whether there may be energy to see in a step: something turns fast, or bounced, which leaves (2) and absorbs nothing."""
    return state.solver[BOUNCED] != 0.0 or turns_fast(plan, state, h, v, v_end)


@routine
def can_stop(plan, work, state, h, v, m, watched):
    """Whether a step with v_end as it is now in state.v_try makes so much energy that it will be taken again in halves."""
    nv, topology, v_end, asked = v.shape[0], plan.topology, state.momentum, max(h, state.clock[STEP])
    if plan.rods.shape[0] > 0 or h < 4.0 * SHORTEST * asked or not (watched or turns_fast(plan, state, asked, v, state.v_try)):
        return False
    made = made_at_middle(plan, work, state, h, state.q_middle, v)
    work_of_contacts(state, m, nv)
    for k in range(nv):
        v_end[k] = state.v_try[k]
    half_move(plan, state, state.q_try, v_end, h, state.q_end)
    for i in range(topology.shape[0] - 1):
        joint_turned_back(topology, i, state.q_try, state.q_end, v_end)
    return size_of_step(plan, state, h, made, v_end) > HOPELESS


@helper
def keep_guess(state):
    """Keep the accelerations of the step before, from which an attempt guesses its own."""
    for k in range(state.step_a.shape[0]):
        state.step_a_before[k] = state.step_a[k]


@helper
def take_guess(state):
    """Forget those of an attempt that is taken again."""
    for k in range(state.step_a.shape[0]):
        state.step_a[k] = state.step_a_before[k]


@routine
def followed_step(plan, work, state, t, h, sweeps):
    """A step of a run without events, in shorter ones where that is wanted: the ends are those of the last.

    sweeps : whether shorter ones try sweeps first
    """
    nv, now, left, part, worst = state.v.shape[0], t, h, h, 0.0
    state.clock[SIZE], state.clock[STEP] = 0.0, h
    while True:
        keep_guess(state)
        call_compiled(plan.calls[ATTEMPT], (plan, work, state, now, part))
        good = True
        for k in range(nv):
            good = good and abs(state.y_end[nv + k]) < 1e300
        if (state.clock[SIZE] > 1.0 or not good) and part > h * SHORTEST:
            part, state.clock[SIZE], state.sweeping[0] = 0.5 * part, 1.0, sweeps
            take_guess(state)
            continue
        worst, left, now = max(worst, state.solver[LEFT_OVER]), left - part, now + part
        if left <= 1e-9 * h or not good:  # what is not finite stays so
            break
        for k in range(state.q.shape[0]):
            state.q[k] = state.q_end[k]
        for k in range(nv):
            state.v[k] = state.y_end[nv + k]
        impose(plan, work, now, state.q, state.v, state.a)
        for k in range(state.done.shape[0]):
            state.done[k] = state.y_end[2 * nv + k]
        for c in range(state.touch.shape[0]):
            for k in range(state.touch.shape[1]):
                state.touch[c, k] = state.touch_end[c, k]
        part, state.clock[SIZE] = min(2.0 * part, left), 1.0
    state.solver[LEFT_OVER] = worst
