"""One step along a rod: the exponential of SE(3), its tangent, the transpose and the rate of that.

Omega = (u, w). With the entire functions of x = w . w

    f_k(x) = sum over j of (-x)^j / (2j + k)! ,    f_k = 1/k! - x f_{k+2} ,    f_k' = (k f_{k+2} - f_{k+1}) / 2           (1)

    exp      R = 1 + f1 w^ + f2 w^ w^ ,   p = u + f2 w x u + f3 w x (w x u)                                               (2)
    T        exp(Omega)^-1 d exp(Omega) = T dOmega ; linear parts are derivatives of angular ones in the direction u       (3)

No trigonometry, no division and no branch: the same lines serve small and large turns (up to about pi in one step), lanes,
symbols and complex numbers.
"""

from locomote.compiler.source import helper
from locomote.spatial.algebra import add, angular, cross, dot, join, linear, scale, subtract


@helper
def entire(x):
    """f_1 to f_7 of (1)."""
    six, seven = 1.0 / 403291461126605635584000000.0, 1.0 / 10888869450418352160768000000.0  # 1 / 26!, 1 / 27!
    six = 1.0 / 620448401733239439360000.0 - x * six  # 1 / 24!
    seven = 1.0 / 15511210043330985984000000.0 - x * seven
    six = 1.0 / 1124000727777607680000.0 - x * six
    seven = 1.0 / 25852016738884976640000.0 - x * seven
    six = 1.0 / 2432902008176640000.0 - x * six
    seven = 1.0 / 51090942171709440000.0 - x * seven
    six = 1.0 / 6402373705728000.0 - x * six
    seven = 1.0 / 121645100408832000.0 - x * seven
    six = 1.0 / 20922789888000.0 - x * six
    seven = 1.0 / 355687428096000.0 - x * seven
    six = 1.0 / 87178291200.0 - x * six
    seven = 1.0 / 1307674368000.0 - x * seven
    six = 1.0 / 479001600.0 - x * six
    seven = 1.0 / 6227020800.0 - x * seven
    six = 1.0 / 3628800.0 - x * six
    seven = 1.0 / 39916800.0 - x * seven
    six = 1.0 / 40320.0 - x * six
    seven = 1.0 / 362880.0 - x * seven
    six = 1.0 / 720.0 - x * six
    seven = 1.0 / 5040.0 - x * seven
    four, five = 1.0 / 24.0 - x * six, 1.0 / 120.0 - x * seven
    two, three = 0.5 - x * four, 1.0 / 6.0 - x * five
    return 1.0 - x * three, two, three, four, five, six, seven


@helper
def exponential(u, w, f1, f2, f3):
    """(2): rotation and displacement."""
    x, y, z = w
    xx, yy, zz = f2 * x * x, f2 * y * y, f2 * z * z
    xy, xz, yz = f2 * x * y, f2 * x * z, f2 * y * z
    a, b, c = f1 * x, f1 * y, f1 * z
    R = (1.0 - yy - zz, xy - c, xz + b, xy + c, 1.0 - xx - zz, yz - a, xz - b, yz + a, 1.0 - xx - yy)
    s = cross(w, u)
    return R, add(u, add(scale(f2, s), scale(f3, cross(w, s))))


@helper
def tangent(u, w, f2, f3, g2, g3, t):
    """T t of (3); g2, g3 are the derivatives of f2, f3."""
    a, b = linear(t), angular(t)
    c = cross(w, b)
    d = cross(w, c)
    s, k = add(cross(w, a), cross(u, b)), 2.0 * dot(w, u)
    ang = add(subtract(b, scale(f2, c)), scale(f3, d))
    lin = add(subtract(a, scale(f2, s)), scale(f3, add(cross(w, s), cross(u, c))))
    return join(add(lin, scale(k, subtract(scale(g3, d), scale(g2, c)))), ang)


@helper
def tangent_transposed(u, w, f2, f3, g2, g3, f):
    """T^T f."""
    a, b = linear(f), angular(f)
    c = cross(w, a)
    d = cross(w, c)
    s, k = add(cross(w, b), cross(u, a)), 2.0 * dot(w, u)
    lin = add(add(a, scale(f2, c)), scale(f3, d))
    ang = add(add(b, scale(f2, s)), scale(f3, add(cross(w, s), cross(u, c))))
    return join(lin, add(ang, scale(k, add(scale(g3, d), scale(g2, c)))))


@helper
def tangent_rate(u, w, f3, g2, g3, h2, h3, rate):
    """T' Omega' for Omega' = rate; h2, h3 are the second derivatives of f2, f3."""
    du, dw = linear(rate), angular(rate)
    k, ku, x = dot(w, dw), dot(u, dw) + dot(w, du), 2.0 * dot(w, u)
    c, cu = cross(w, dw), add(cross(u, dw), cross(w, du))
    wc, dc = cross(w, c), cross(dw, c)
    ang = add(add(scale(-2.0 * g2 * k, c), scale(2.0 * g3 * k, wc)), scale(f3, dc))
    lin = add(scale(-2.0 * (h2 * x * k + g2 * ku), c), scale(-2.0 * g2 * k, cu))
    lin = add(lin, add(scale(2.0 * (h3 * x * k + g3 * ku), wc), scale(2.0 * g3 * k, add(cross(u, c), cross(w, cu)))))
    lin = add(lin, add(scale(g3 * x, dc), scale(f3, add(cross(du, c), cross(dw, cu)))))
    return join(lin, ang)
