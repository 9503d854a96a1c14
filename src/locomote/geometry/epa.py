"""How deep two convex shapes overlap: an expanding polytope within A - B (see `geometry.gjk`).

The polytope holds the origin. Its face nearest to the origin, at a distance h with the normal n, bounds the depth from below,
and the support of A - B along any n from above:

    h  <=  depth  <=  n . w ,   w the point of A - B furthest along n                                                (1)

It grows by w until both bounds meet. Faces that see w are found by flooding from the nearest, over neighbours, so that those
that are removed hang together; new faces join w to their rim.

Tested by tests/laws/contact/test_separation.py.
"""

from locomote.compiler.scalars import sqrt
from locomote.compiler.source import routine
from locomote.geometry.convex import put_difference
from locomote.spatial.algebra import cross, dot, scale, subtract
from locomote.spatial.rows import load

POINTS, FACES = 500, 3000  # room
CLOSE = 1e-13  # m, difference of the bounds of (1)
TRIES = 4  # from other tetrahedra, where rounding breaks a polytope
# columns of faces: corners, neighbours across the edge from each corner to the next, whether it is there, mark of a flood
CORNER, BESIDE, ALIVE, MARK = 0, 3, 6, 7
INTEGERS = 8
NORMAL, OFFSET = 0, 3  # columns of planes


@routine
def put_face(points, faces, planes, f, i, j, k):
    """Face f with corners i, j, k, counter-clockwise seen from outside; False if it is too thin to have a normal."""
    faces[f, CORNER], faces[f, CORNER + 1], faces[f, CORNER + 2] = i, j, k
    faces[f, ALIVE], faces[f, MARK] = 1, 0
    a = load(points, i, 0)
    ab, ac = subtract(load(points, j, 0), a), subtract(load(points, k, 0), a)
    n = cross(ab, ac)
    size = sqrt(dot(n, n))
    if not size > 1e-14 * sqrt(dot(ab, ab) * dot(ac, ac)):
        for m in range(3):
            planes[f, NORMAL + m] = 0.0
        planes[f, OFFSET] = 1e300
        return False
    n = scale(1.0 / size, n)
    for m in range(3):
        planes[f, NORMAL + m] = n[m]
    planes[f, OFFSET] = dot(n, a)
    return True


@routine
def completed(first, second, R, o, corners, edges, points, count):
    """Four points of A - B that are not in one plane, from the first `count` of points on; False if all of A - B is flat."""
    for turn in range(12):
        if count == 4:
            break
        d = (1.0 if turn % 3 == 0 else 0.0, 1.0 if turn % 3 == 1 else 0.0, 1.0 if turn % 3 == 2 else 0.0)
        a = load(points, 0, 0)
        if count >= 2:
            ab = subtract(load(points, 1, 0), a)
            d = cross(ab, d) if count == 2 else cross(ab, subtract(load(points, 2, 0), a))
        size = sqrt(dot(d, d))
        if size < 1e-300:
            continue
        d = scale((-1.0 if turn >= 6 or (count == 3 and turn % 2 == 1) else 1.0) / size, d)
        w = put_difference(first, second, R, o, corners, edges, d, points, count)
        if abs(dot(d, subtract(w, a))) > 1e-12:
            count += 1
    return count == 4


@routine
def start(points, faces, planes):
    """A tetrahedron of the first four points as a polytope."""
    a, b, c, d = load(points, 0, 0), load(points, 1, 0), load(points, 2, 0), load(points, 3, 0)
    i, j = 1, 2
    if dot(subtract(d, a), cross(subtract(b, a), subtract(c, a))) > 0.0:
        i, j = 2, 1
    put_face(points, faces, planes, 0, 0, i, j)
    put_face(points, faces, planes, 1, 0, j, 3)
    put_face(points, faces, planes, 2, j, i, 3)
    put_face(points, faces, planes, 3, i, 0, 3)
    faces[0, 3], faces[0, 4], faces[0, 5] = 3, 2, 1
    faces[1, 3], faces[1, 4], faces[1, 5] = 0, 2, 3
    faces[2, 3], faces[2, 4], faces[2, 5] = 0, 3, 1
    faces[3, 3], faces[3, 4], faces[3, 5] = 0, 1, 2


@routine
def flood(faces, planes, nearest, w, mark, stack):
    """Remove faces that see w, from the nearest on; stack : (FACES,)"""
    top = 1
    stack[0] = nearest
    faces[nearest, MARK], faces[nearest, ALIVE] = mark, 0
    while top > 0:
        top -= 1
        f = stack[top]
        for k in range(3):
            g = faces[f, BESIDE + k]
            if faces[g, MARK] == mark:
                continue
            if dot(load(planes, g, NORMAL), w) - planes[g, OFFSET] > 0.0:
                faces[g, MARK], faces[g, ALIVE] = mark, 0
                stack[top] = g
                top += 1


@routine
def depth(first, second, R, o, corners, edges, points, count, faces, planes, lists, best):
    """Depth by (1), its lower bound, and the face that was nearest; best : (3,) the n of the least upper bound.
    points : (POINTS, 9), of which the first `count` are there; faces : (FACES, INTEGERS); planes : (FACES, 4); lists :
    (2, FACES)"""
    least, below, at = 1e300, -1e300, -1
    for _ in range(TRIES):
        if not completed(first, second, R, o, corners, edges, points, count):
            return least, below, at
        start(points, faces, planes)
        many, total = 4, 4
        while many > 0 and total < POINTS:
            nearest = nearest_face(faces, planes, many)
            if nearest < 0:
                break
            n = load(planes, nearest, NORMAL)
            w = put_difference(first, second, R, o, corners, edges, n, points, total)
            above, below = dot(n, w), max(below, planes[nearest, OFFSET])
            if above < least or (above <= least + CLOSE and above - planes[nearest, OFFSET] <= CLOSE):
                least, at = min(above, least), nearest
                for m in range(3):
                    best[m] = n[m]
            if least - below <= CLOSE:
                return least, below, at
            many = grown(points, faces, planes, nearest, many, total, w, lists)
            total += 1
        count, at = 1, -1
        put_difference(first, second, R, o, corners, edges, (best[0], best[1], best[2]), points, 0)
    return least, below, at


@routine
def nearest_face(faces, planes, many):
    """The face nearest to the origin, -1 if there is none."""
    nearest = -1
    for f in range(many):
        if faces[f, ALIVE] == 1 and (nearest < 0 or planes[f, OFFSET] < planes[nearest, OFFSET]):
            nearest = f
    return nearest


@routine
def grown(points, faces, planes, nearest, many, total, w, lists):
    """Join point `total` to the polytope; how many faces there are, -1 if there is no room or the rim is no loop."""
    flood(faces, planes, nearest, w, total, lists[0])
    first, made = many, 0
    for p in range(total + 1):
        lists[1, p] = -1
    for f in range(first):
        if faces[f, ALIVE] == 1 or faces[f, MARK] != total:
            continue
        for k in range(3):
            g = faces[f, BESIDE + k]
            if faces[g, ALIVE] == 0:
                continue
            if many + made >= FACES:
                return -1
            i, j, new = faces[f, CORNER + k], faces[f, CORNER + (k + 1) % 3], many + made
            if lists[1, i] >= 0:  # two edges of the rim begin at one corner
                return -1
            put_face(points, faces, planes, new, i, j, total)
            faces[new, BESIDE] = g
            for m in range(3):
                if faces[g, BESIDE + m] == f and faces[g, CORNER + m] == j:
                    faces[g, BESIDE + m] = new
            lists[1, i] = new
            made += 1
    for new in range(first, first + made):  # from j to the new point lies the face that begins at j
        after = lists[1, faces[new, CORNER + 1]]
        if after < 0:
            return -1
        faces[new, BESIDE + 1] = after
        faces[after, BESIDE + 2] = new
    return many + made


@routine
def weights_of(points, faces, f, n, h):
    """Weights of the corners of a face of the point h n in it, nearest to the origin."""
    a, b, c = load(points, faces[f, 0], 0), load(points, faces[f, 1], 0), load(points, faces[f, 2], 0)
    p = scale(h, n)
    whole = dot(n, cross(subtract(b, a), subtract(c, a)))
    u = dot(n, cross(subtract(b, p), subtract(c, p))) / whole
    v = dot(n, cross(subtract(c, p), subtract(a, p))) / whole
    return u, v, 1.0 - u - v
