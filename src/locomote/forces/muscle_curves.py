"""How hard muscle fibres pull: curves over length and speed, and how activation follows excitation, all as MuJoCo has them.

With L the length of a fibre over its best one and V its rate over speed times that, its force is F (a active(L) fading(V) +
passive(L)).
Activation a follows excitation u with a time constant that depends on both (Millard et al., J. Biomech. Eng. 135 (2013)):

    a' = (u - a) / tau ,   tau = up (1/2 + 3/2 a) if u > a, else down / (1/2 + 3/2 a)                                     (1)

made smooth over a width of u - a, if one is given, by the quintic step 6 x^5 - 15 x^4 + 10 x^3.
"""

from locomote.compiler.scalars import select
from locomote.compiler.source import helper

TINY = 1e-15


@helper
def more(x):
    """x, or a tiny number if x is less."""
    return select(x > TINY, x, TINY)


@helper
def square(x):
    return x * x


@helper
def active(length, shortest, longest):
    """Two parabolas up to 1 at L = 1, two down, zero beyond."""
    rising, falling = 0.5 * (shortest + 1.0), 0.5 * (1.0 + longest)
    low, high = (
        0.5 * square((length - shortest) / more(rising - shortest)),
        0.5 * square((longest - length) / more(longest - falling)),
    )
    before, after = (
        1.0 - 0.5 * square((1.0 - length) / more(1.0 - rising)),
        1.0 - 0.5 * square((length - 1.0) / more(falling - 1.0)),
    )
    inner = select(length <= rising, low, select(length <= 1.0, before, select(length <= falling, after, high)))
    return select(length < shortest, 0.0 * length, select(length > longest, 0.0 * length, inner))


@helper
def fading(speed, lengthening):
    """From 0 at V = -1 over 1 at rest to `lengthening`."""
    extra = lengthening - 1.0
    stretched = lengthening - square(extra - speed) / more(extra)
    outer = select(speed <= extra, stretched, lengthening + 0.0 * speed)
    return select(speed <= -1.0, 0.0 * speed, select(speed <= 0.0, square(speed + 1.0), outer))


@helper
def passive(length, longest, most):
    """Half a parabola from L = 1 on, then a line."""
    knee = 0.5 * (1.0 + longest)
    bent, straight = 0.5 * square((length - 1.0) / more(knee - 1.0)), 0.5 + (length - knee) / more(knee - 1.0)
    return most * select(length <= 1.0, 0.0 * length, select(length <= knee, bent, straight))


@helper
def pull_of_fibres(path, rate, a, force, first, last, lower, upper, shortest, longest, speed, most, lengthening):
    """Tension of a muscle along a path of a length, m, with a rate, m/s, activated by a; numbers as of lo.Fibres."""
    best = (last - first) / more(upper - lower)
    L, V = lower + (path - first) / more(best), rate / more(best * speed)
    return force * (a * active(L, shortest, longest) * fading(V, lengthening) + passive(L, longest, most))


@helper
def activation_rate(u, a, up, down, width):
    """a' of (1); u : from 0 to 1."""
    inside = select(a < 0.0, 0.0 * a, select(a > 1.0, 1.0 + 0.0 * a, a))
    fast, slow, away = up * (0.5 + 1.5 * inside), down / (0.5 + 1.5 * inside), u - a
    x = away / more(width) + 0.5
    x = select(x < 0.0, 0.0 * x, select(x > 1.0, 1.0 + 0.0 * x, x))
    step = x * x * x * (3.0 * x * (2.0 * x - 5.0) + 10.0)
    hard = select(away > 0.0, 1.0 + 0.0 * away, 0.0 * away)
    share = select(width + 0.0 * away < TINY, hard, step)
    return away / more(slow + (fast - slow) * share)
