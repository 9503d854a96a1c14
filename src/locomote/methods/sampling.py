"""Samples of a run: what is kept of a state, when, and the extreme values between samples.

There is a sample at every scheduled time. If the user named no times, there are more where the motion asks for them: at the end
of a step since whose last sample

    some velocity has changed by more than CHANGE of the largest it ever had, or some body has turned by more than TURNED    (1)

but never closer together than SPACING.
"""

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import helper, routine
from locomote.evaluation.chart import moved
from locomote.evaluation.evaluate import field_energy, spring_energy
from locomote.evaluation.plan import ENERGIES, EVALUATE, IMPOSED, KINETIC, POTENTIAL, TERMS, TURN
from locomote.forces.kinds import ENERGY, ROTATION
from locomote.methods import state as at
from locomote.methods.interpolation import state_within
from locomote.methods.stepping import SAMPLED, residuals
from locomote.spatial.algebra import rotate
from locomote.spatial.rows import load, load9

CHANGE = 0.2
TURNED = 0.9689124217106447  # cosine of half the angle of 0.5 rad: product of two quaternions
SLOWEST = 1e-9  # m/s or rad/s, below which a velocity is rounding


@helper
def peak(state, column, t, value):
    """Keep a value if it is the largest or the smallest of its column so far."""
    if value > state.peaks[at.MOST, column]:
        state.peaks[at.MOST, column], state.peaks[at.MOST_AT, column] = value, t
    if value < state.peaks[at.LEAST, column]:
        state.peaks[at.LEAST, column], state.peaks[at.LEAST_AT, column] = value, t


@routine
def track(plan, work, state, t, q, v):
    """Keep extreme values of the state just evaluated: of q, v, a, torques and reactions."""
    nq, nv = q.shape[0], v.shape[0]
    for k in range(nq):
        peak(state, k, t, q[k])
    for k in range(nv):
        peak(state, nq + k, t, v[k])
        peak(state, nq + nv + k, t, state.a[k])
        peak(state, nq + 2 * nv + k, t, work.tau[k] if plan.imposed[k] == IMPOSED else work.active[k])
    for r in range(state.lam.shape[0]):
        peak(state, nq + 3 * nv + r, t, state.lam[r])


@routine
def record(plan, work, state, samples, t, q, v, done):
    """Add a sample of the state q, v with all that follows from it, and the work done until then; there must be room."""
    nv, n = v.shape[0], state.counts[at.FILLED]
    state.counts[at.FILLED] += 1
    rank = call_compiled(plan.calls[EVALUATE], (plan, work, t, q, v, state.a, state.lam))
    if plan.calls[TURN] != 0:  # what follows from the state alone knows nothing of contacts
        call_compiled(plan.calls[TURN], (plan, work, state, SAMPLED))
    for c in range(state.touch_end.shape[0]):
        for k in range(6):
            samples.contacts[n, 6 * c + k] = state.touch_end[c, k]
    first = state.touch_end.shape[0] - samples.pairs.shape[1]  # slots of bodies stand last
    for k in range(samples.pairs.shape[1] if first >= 0 else 0):
        samples.pairs[n, k] = state.touch_end[first + k, at.PAIR]
    samples.t[n], samples.rank[n] = t, rank
    for k in range(q.shape[0]):
        samples.q[n, k] = q[k]
    for k in range(nv):
        samples.v[n, k], samples.a[n, k] = v[k], state.a[k]
        samples.tau[n, k] = work.tau[k] if plan.imposed[k] == IMPOSED else work.active[k]
    for r in range(state.lam.shape[0]):
        samples.reactions[n, r] = state.lam[r]
    track(plan, work, state, t, q, v)
    samples.residual[n, at.VELOCITY_RESIDUAL], samples.residual[n, at.POSITION_RESIDUAL] = residuals(plan, work, v)
    if plan.rods.shape[0] > 0:
        call_compiled(plan.calls[ENERGIES], (plan, work, q, v, state.energy))
        samples.energy[n, at.KINETIC_ENERGY], samples.energy[n, at.POTENTIAL_ENERGY] = state.energy[0], state.energy[1]
    else:
        call_compiled(plan.calls[KINETIC], (plan.topology, plan.constants, q, v, state.energy))
        samples.energy[n, at.KINETIC_ENERGY] = state.energy[0]
        call_compiled(plan.calls[POTENTIAL], (plan.topology, plan.constants, q, state.energy))
        samples.energy[n, at.POTENTIAL_ENERGY] = state.energy[0]
    samples.energy[n, at.POTENTIAL_ENERGY] += field_energy(plan, work)
    samples.energy[n, at.ELASTIC_ENERGY] = spring_energy(plan, work, q)
    for k in range(samples.work.shape[1]):
        samples.work[n, k] = done[k]
    for k in range(plan.terms.shape[0]):
        samples.term_work[n, k], samples.term_energy[n, k] = done[TERMS + k], work.results[k, ENERGY]
    for s in range(plan.place_bodies.shape[0]):
        R = load9(work.places, s, ROTATION)
        force, moment = rotate(R, load(work.loads_of_terms, s, 0)), rotate(R, load(work.loads_of_terms, s, 3))
        for k in range(3):
            samples.loads[n, 6 * s + k], samples.loads[n, 6 * s + 3 + k] = force[k], moment[k]


@helper
def next_sample(state, samples):
    """The next scheduled time, infinite after the last."""
    n = state.counts[at.NEXT]
    return samples.schedule[n] if n < samples.schedule.shape[0] else 1e300


@helper
def has_room(state, samples):
    """Whether a step can record all that is scheduled, and one more."""
    return samples.t.shape[0] - state.counts[at.FILLED] > samples.schedule.shape[0] - state.counts[at.NEXT]


@routine
def has_moved(plan, state, samples, t):
    """(1), for the end of an attempt at time t."""
    last, nq = state.counts[at.FILLED] - 1, state.q.shape[0]
    if last < 0 or t - samples.t[last] < state.settings[at.SPACING]:
        return False
    changed, fastest = False, SLOWEST
    for k in range(state.v.shape[0]):
        fastest = max(fastest, 1e-6 * max(state.peaks[at.MOST, nq + k], -state.peaks[at.LEAST, nq + k]))
    for k in range(state.v.shape[0]):
        most = max(state.peaks[at.MOST, nq + k], -state.peaks[at.LEAST, nq + k])
        changed = changed or (most > fastest and abs(state.v_end[k] - samples.v[last, k]) > CHANGE * most)
    for n in range(plan.quaternions.shape[0]):
        product = 0.0
        for k in range(plan.quaternions[n], plan.quaternions[n] + 4):
            product += state.q_end[k] * samples.q[last, k]
        changed = changed or abs(product) < TURNED
    return changed


@routine
def record_end(plan, work, state, samples, t):
    """Record the end of the attempt, as the next step sees it: moved by nothing, which may round quaternions once more. So a
    step that begins from this evaluation does what one does that begins from a file."""
    nv = state.v.shape[0]
    moved(plan.topology, state.q_end, state.y, state.q_try)
    for k in range(nv):
        state.v_try[k] = state.v_end[k]
    for k in range(state.done.shape[0]):
        state.scratch_work[k] = state.y_end[2 * nv + k]
    record(plan, work, state, samples, t, state.q_try, state.v_try, state.scratch_work)
    work.known[0] = 1 + samples.rank[state.counts[at.FILLED] - 1]


@routine
def sample_step(plan, work, state, samples, t, h):
    """Record all samples that fall into the step just accepted."""
    nv, at_end = state.v.shape[0], False
    while next_sample(state, samples) <= t + h * (1.0 + 1e-12):
        when = next_sample(state, samples)
        s = (when - t) / h
        if s >= 1.0 - 1e-9:
            record_end(plan, work, state, samples, t + h)
            at_end = True
        else:
            state_within(plan, work, state, s, h)
            for k in range(state.done.shape[0]):
                state.scratch_work[k] = state.y_try[2 * nv + k]
            record(plan, work, state, samples, when, state.q_try, state.v_try, state.scratch_work)
        state.counts[at.NEXT] += 1
    if not at_end and has_moved(plan, state, samples, t + h):
        record_end(plan, work, state, samples, t + h)
