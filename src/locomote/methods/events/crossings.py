"""Events within a step: functions of the state that cross zero, and the first place at which one does.

Functions are those of the user, then one a unilateral contact: its push if it is closed, its gap if it is open; then the same
of stops of joints (`stops`), which are looked at within a step only where they are near. A step ends just after the first
crossing in it. A push also crosses where it leaves zero: a joint may lie on its stop without force. A function that has the
same sign at both ends of a step may have crossed zero twice: the parabola through its values at the start, in the middle and
at the end says where it would be nearest to zero.
"""

from locomote.compiler.callbacks import call
from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import helper, routine
from locomote.constraints.columns import ACTIVE, COUNT, FIRST, ROWS, UNILATERAL
from locomote.evaluation.plan import ATTEMPT, CLOSED, EVALUATE, EVENTS, LYING, SIGN, STOP_PLACE
from locomote.methods.explicit import explicit_attempt
from locomote.methods.interpolation import state_within
from locomote.methods.state import IMPULSIVE
from locomote.methods.stepping import begin, finite, land

SUNK = 1e-12  # m or rad, how far in an open contact or stop is when it hits: more than rounding
NEAR_ZERO = 0.1  # least value of a parabola, relative to both ends, at which the function itself is looked at
ROUNDS = 60
TRIES = 4  # tries of an attempt that does not converge
EARLY = 1e-3  # fraction of a step after which a function that starts on zero shows its side
LEAVES = -2  # direction of pushes and gaps: falling, also from zero itself
ON_ZERO = 1e-6  # value at the start, relative to the end, that may be rounding of the crossing before


@routine
def attempt(plan, work, state, t, h):
    """Fill y_end by a step of the chosen method; returns the lowest rank met, negative if some stage had no answer."""
    if plan.calls[ATTEMPT] != 0:
        return call_compiled(plan.calls[ATTEMPT], (plan, work, state, t, h))
    return explicit_attempt(plan, work, state, t, h)


@routine
def events(plan, work, state, t, q, v, g):
    """Values of all event functions: the user's, of unilateral contacts their push (active) or gap (open), and of stops."""
    users = g.shape[0]
    for c in range(plan.integers.shape[0]):
        if plan.integers[c, UNILATERAL] != 0:
            users -= 1
    stops = plan.stops.shape[0] if state.traits[IMPULSIVE] == 0 else 0
    users -= stops
    if users < g.shape[0] - stops or plan.options[LYING] != 0.0:
        call_compiled(plan.calls[EVALUATE], (plan, work, t, q, v, state.a, state.lam))
    for c in range(plan.integers.shape[0]):
        which = plan.integers[c, UNILATERAL]
        if which < 0:  # ignored: nothing that it could cross
            g[users - which - 1] = 1.0
        if which > 0:
            for j in range(plan.integers[c, COUNT]):
                if plan.integers[c, ROWS + j] == 2:  # along z
                    r = plan.integers[c, FIRST] + j
                    g[users + which - 1] = state.lam[r] if plan.integers[c, ACTIVE] != 0 else work.error[r] + SUNK
    for n in range(stops):
        k, sign = plan.stops[n], plan.stop_laws[n, SIGN]
        gap = sign * (q[plan.q_of_v[k]] - plan.stop_laws[n, STOP_PLACE])
        g[g.shape[0] - stops + n] = sign * work.tau[k] if plan.stop_laws[n, CLOSED] != 0.0 else gap + SUNK
    if users > 0:
        call(plan.functions, EVENTS, t, q, v, g[:users])


@helper
def crossed(before, after, direction):
    """Whether an event function changed its sign in the wanted direction (0: any; LEAVES: falling, also from zero)."""
    rising, falling = before < 0.0 and after >= 0.0, before > 0.0 and after <= 0.0
    falling = falling or (direction == LEAVES and before == 0.0 and after < 0.0)
    return (rising and direction >= 0) or (falling and direction <= 0)


@routine
def first_crossing(state):
    """Number of an event function that crossed zero in the attempt, -1 if none did."""
    which = -1
    for k in range(state.g.shape[0]):
        if which < 0 and crossed(state.g[k], state.g_end[k], state.directions[k]):
            which = k
    return which


@routine
def look_within(plan, work, state, s, t, h):
    """Values of all event functions at the fraction s of the attempt (state.g_try)."""
    state_within(plan, work, state, s, h)
    events(plan, work, state, t + s * h, state.q_try, state.v_try, state.g_try)


@helper
def away(start, here, end):
    """Whether a function that has one sign at both ends has the other one here."""
    return (start > 0.0 and here <= 0.0 and end > 0.0) or (start < 0.0 and here >= 0.0 and end < 0.0)


@routine
def dip(plan, work, state, t, h):
    """A fraction of the attempt at which some event function has crossed zero, or left it, and from where on it crosses back;
    -1 if there is none."""
    count, stops = state.g.shape[0], plan.stops.shape[0] if state.traits[IMPULSIVE] == 0 else 0
    others, near = count - stops, plan.options[LYING] != 0.0
    for n in range(stops):  # one that is open is near if tangents at both ends of the step meet beyond it
        down, up = plan.stop_laws[n, SIGN] * state.v[plan.stops[n]], plan.stop_laws[n, SIGN] * state.v_end[plan.stops[n]]
        if down < 0.0 and up > 0.0:
            start, end = state.g[others + n], state.g_end[others + n]
            near = near or start + down * (end - up * h - start) / (down - up) < 0.0
    if others == 0 and not near:
        return -1.0
    starting = 0
    for k in range(count):
        starting += state.g[k] == 0.0
    if starting > 0:
        look_within(plan, work, state, EARLY, t, h)
        for k in range(count):
            if state.g[k] == 0.0 and state.g_try[k] * state.g_end[k] < 0.0:
                return EARLY
    look_within(plan, work, state, 0.5, t, h)
    for k in range(count):
        if away(state.g[k], state.g_try[k], state.g_end[k]):
            return 0.5
    for k in range(count):
        state.g_middle[k] = state.g_try[k]
    for k in range(count):
        start, middle, end = state.g[k], state.g_middle[k], state.g_end[k]
        slope, bend = 4.0 * middle - 3.0 * start - end, 2.0 * (start - 2.0 * middle + end)
        s = -0.5 * slope / bend if bend != 0.0 else -1.0
        if 0.0 < s and s < 1.0 and start * end > 0.0:
            least = (start + 0.5 * s * slope) / start  # relative to the start, so that it is negative beyond zero
            if least < NEAR_ZERO * min(1.0, end / start):
                look_within(plan, work, state, s, t, h)
                if away(start, state.g_try[k], end):
                    return s
    return -1.0


@routine
def arrive(plan, work, state, t, h):
    """The state after h, and event functions there. Iterations that do not converge begin again: what they start from was
    that of the end of another attempt."""
    for _ in range(TRIES):
        if attempt(plan, work, state, t, h) >= 0 and finite(state.y_end):
            break
        begin(plan, work, state)
    land(plan, work, state, t, h)
    events(plan, work, state, t + h, state.q_end, state.v_end, state.g_end)


@routine
def locate(plan, work, state, t, h, which):
    """Shorten the attempt to just after event `which` crossed zero, by regula falsi (Illinois); returns the new length."""
    low, high, side, leaves = 0.0, h, 0, state.g[which] == 0.0
    f_low, f_high = state.g[which], state.g_end[which]
    for _ in range(ROUNDS):
        middle = (low * f_high - high * f_low) / (f_high - f_low)
        if not (low < middle and middle < high) or (low == 0.0 and abs(f_low) < ON_ZERO * abs(f_high)):
            middle = 0.5 * (low + high)
        arrive(plan, work, state, t, middle)
        f = state.g_end[which]
        if (f < 0.0) == (state.g[which] < 0.0) and (leaves or f != 0.0):
            f_high = 0.5 * f_high if side < 0 else f_high
            low, f_low, side = middle, f, -1
        else:
            f_low = 0.5 * f_low if side > 0 else f_low
            high, f_high, side = middle, f, 1
        if high - low < 1e-14 * max(1.0, abs(t)) or (f == 0.0 and not leaves):
            break
    arrive(plan, work, state, t, high)
    if not crossed(state.g[which], state.g_end[which], state.directions[which]):  # by rounding: it is there
        state.g_end[which] = 0.0
    return high


@routine
def shorten(plan, work, state, t, h):
    """Shorten the attempt to just after the first of all events that crossed zero in it; mark all that have by then
    (state.met). Returns the new length.

    Each event that has crossed by the end of the attempt shortens it to its own crossing, once: what has crossed by the end
    that is left crossed at that very time.
    """
    count = state.g.shape[0]
    for k in range(count):
        state.met[k] = 0
    for _ in range(count):
        which = -1
        for k in range(count):
            if which < 0 and state.met[k] == 0 and crossed(state.g[k], state.g_end[k], state.directions[k]):
                which = k
        if which < 0:
            break
        h = locate(plan, work, state, t, h, which)
        state.met[which] = 1
    for k in range(count):
        state.met[k] = crossed(state.g[k], state.g_end[k], state.directions[k])
    return h
