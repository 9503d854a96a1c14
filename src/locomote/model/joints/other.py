"""What a row gives whose kind has no function of its own: NaN if it should have one, plain numbers if it need not."""

from locomote.model.columns import V_COUNT
from locomote.model.joints.numbers import NAN, NO_AXIS
from locomote.spatial.rows import put


def sines(constants, i, k, q, sine, cosine):
    """Nothing turns by an angle."""


def shift(constants, i, k, q):
    return NAN * q[k]


def advanced(constants, i, k, q, R, o):
    return o


def placed_by(R0, o, k, q, sine, cosine):
    return (NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN), (NAN, NAN, NAN)


def twist(constants, i, j, v):
    return (NAN, NAN, NAN, NAN, NAN, NAN)


def project(topology, constants, i, j, f, tau):
    for c in range(topology[i, V_COUNT]):
        tau[j + c] = NAN


def put_axes(topology, constants, i, j, x, y, z, o, axes):
    for c in range(topology[i, V_COUNT]):
        put(axes, 0, j + c, (NAN, NAN, NAN, NAN, NAN, NAN))


def axis(j):
    return NO_AXIS


def past_place(k):
    return k


def rate(topology, i, k, j, q, v, out):
    for c in range(topology[i, V_COUNT]):
        out[k + c] = v[j + c]


def move(topology, i, k, j, start, u, q):
    for c in range(topology[i, V_COUNT]):
        q[k + c] = start[k + c] + u[j + c]


def chart(topology, i, k, j, start, q, u):
    for c in range(topology[i, V_COUNT]):
        u[j + c] = q[k + c] - start[k + c]


def chart_rate(topology, i, k, j, q, u, v, out):
    for c in range(topology[i, V_COUNT]):
        out[j + c] = v[j + c]


def integrate(topology, i, k, j, q, dv, out):
    for c in range(topology[i, V_COUNT]):
        out[k + c] = q[k + c] + dv[j + c]


def difference(topology, i, k, j, q0, q1, out):
    for c in range(topology[i, V_COUNT]):
        out[j + c] = q1[k + c] - q0[k + c]


def pull_back(j, away, force):
    """Components of a difference change at the rate v."""


def keep_shift(k, j, q_from, q_to, v):
    """Axes do not turn with the body."""


def coast(j, v, a):
    """Nothing turns the axes."""
