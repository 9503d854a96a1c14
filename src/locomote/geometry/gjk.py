"""How far two convex shapes are apart: the algorithm of Gilbert, Johnson and Keerthi.

With C = A - B, the points a - b of two shapes, the distance is that of C from the origin. A simplex of up to four points of C
comes nearer to it with every point furthest along -v, v being its own point nearest to the origin:

    v . w / |v|  <=  distance  <=  |v| ,   w the point of C furthest along -v                                        (1)

It ends when both bounds of (1) meet, or when the origin is within the simplex: the shapes overlap (`geometry.epa`).

Tested by tests/laws/contact/test_separation.py.
"""

from locomote.compiler.source import routine
from locomote.geometry.convex import put_difference
from locomote.spatial.algebra import add, cross, dot, scale, subtract
from locomote.spatial.rows import load

ROUNDS = 400
CLOSE = 1e-14  # m, difference of the bounds of (1)
THIN = 1e-24  # square of the height of a triangle over its sides, below which it is a segment
SIMPLEX = 9  # columns of a row: w, a, b


@routine
def nearest_on_segment(rows, i, j, weights):
    """Point of a segment nearest to the origin; weights of its ends go into weights[i], weights[j]."""
    p, q = load(rows, i, 0), load(rows, j, 0)
    d = subtract(q, p)
    square = dot(d, d)
    t = -dot(p, d) / square if square > 0.0 else 0.0
    t = min(max(t, 0.0), 1.0)
    for k in range(4):
        weights[k] = 0.0
    weights[i], weights[j] = 1.0 - t, t
    return add(p, scale(t, d))


@routine
def nearest_on_triangle(rows, i, j, k, weights, best):
    """Point of a triangle nearest to the origin, with weights of its corners; best : (4,) scratch."""
    a, b, c = load(rows, i, 0), load(rows, j, 0), load(rows, k, 0)
    ab, ac = subtract(b, a), subtract(c, a)
    n = cross(ab, ac)
    square = dot(n, n)
    if square > THIN * dot(ab, ab) * dot(ac, ac) and square > 0.0:
        u, v, w = dot(n, cross(b, c)) / square, dot(n, cross(c, a)) / square, dot(n, cross(a, b)) / square
        if u >= 0.0 and v >= 0.0 and w >= 0.0:
            for m in range(4):
                weights[m] = 0.0
            total = u + v + w
            u, v, w = u / total, v / total, w / total
            weights[i], weights[j], weights[k] = u, v, w
            return add(scale(u, a), add(scale(v, b), scale(w, c)))
    result = nearest_on_segment(rows, i, j, weights)
    for turn in range(2):
        p = nearest_on_segment(rows, k, i if turn == 0 else j, best)
        if dot(p, p) < dot(result, result):
            result = p
            for m in range(4):
                weights[m] = best[m]
    return result


@routine
def within(rows):
    """Whether the origin lies within a tetrahedron, which is not flat."""
    a, b, c, d = load(rows, 0, 0), load(rows, 1, 0), load(rows, 2, 0), load(rows, 3, 0)
    whole = dot(subtract(b, a), cross(subtract(c, a), subtract(d, a)))
    one = dot(b, cross(c, d))
    two = -dot(a, cross(c, d))
    three = dot(a, cross(b, d))
    four = -dot(a, cross(b, c))
    if whole < 0.0:
        one, two, three, four, whole = -one, -two, -three, -four, -whole
    return whole > 0.0 and one >= 0.0 and two >= 0.0 and three >= 0.0 and four >= 0.0


@routine
def nearest_of_simplex(rows, count, weights, other, best):
    """Point of a simplex nearest to the origin, with weights of its corners; other, best : (4,) scratch."""
    if count == 1:
        for k in range(4):
            weights[k] = 1.0 if k == 0 else 0.0
        return load(rows, 0, 0)
    if count == 2:
        return nearest_on_segment(rows, 0, 1, weights)
    result = nearest_on_triangle(rows, 0, 1, 2, weights, best)
    for face in range(3 if count == 4 else 0):
        p = nearest_on_triangle(rows, 3, face, (face + 1) % 3, other, best)
        if dot(p, p) < dot(result, result):
            result = p
            for m in range(4):
                weights[m] = other[m]
    return result


@routine
def reduced(rows, count, weights):
    """Keep the corners of a simplex that have a weight; how many they are."""
    kept = 0
    for k in range(count):
        if weights[k] > 0.0:
            for i in range(SIMPLEX):
                rows[kept, i] = rows[k, i]
            weights[kept] = weights[k]
            kept += 1
    return kept


@routine
def distance(first, second, R, o, corners, edges, rows, room):
    """Points of the simplex nearest to the origin, how many they are, and v; 0 points : the origin is within four of them.
    R, o : pose of the second shape in the frame of the first; rows : (5, SIMPLEX); room : (4, 4), weights in
    its first row"""
    d = o if dot(o, o) > 0.0 else (1.0, 0.0, 0.0)
    v = put_difference(first, second, R, o, corners, edges, d, rows, 0)
    count, size = 1, dot(v, v)
    room[0, 0] = 1.0
    for _ in range(ROUNDS):
        if size <= 1e-300:
            return count, v
        w = put_difference(first, second, R, o, corners, edges, scale(-1.0, v), rows, count)
        if size - dot(v, w) <= CLOSE * size**0.5:
            return count, v
        for k in range(count):
            if rows[k, 0] == w[0] and rows[k, 1] == w[1] and rows[k, 2] == w[2]:
                return count, v
        if count == 3 and within(rows):
            return 0, (0.0, 0.0, 0.0)
        new = nearest_of_simplex(rows, count + 1, room[1], room[2], room[3])
        if dot(new, new) >= size:
            return count, v
        v, size = new, dot(new, new)
        for k in range(4):
            room[0, k] = room[1, k]
        count = reduced(rows, count + 1, room[0])
    return count, v
