"""Where two convex shapes touch along a normal: outlines of both that face each other, one cut to the other.

The outline of a shape along d is what of it is furthest along d, or would be if d were tilted a little: the corners of a face
in order, the ends of an edge, a corner. An outline that lies in a plane, whose normal m is that of the contact, is a reference:
what of the other lies above it touches, with gaps along m, so that they are those of the solids however the faces are turned
towards each other. Without a reference there is one place, or two where edges are parallel.

Points are rows of `outline`: a place, and its gap. Each has a slot by the direction in which it lies, in axes of the first
shape, so that a place keeps its slot from step to step.

Tested by tests/laws/geometry/test_manifold.py.
"""

import numpy as np

from locomote.compiler.scalars import sqrt
from locomote.compiler.source import helper, routine
from locomote.geometry import convex
from locomote.geometry.shapes.hull import climbed, furthest
from locomote.spatial.algebra import add, cross, dot, rotate, scale, subtract, unrotate
from locomote.spatial.rows import load, store

TILT, FACING = 5e-2, 2e-3  # rad, of outlines, and of references: how far from the normal what may touch is turned
RING, RIM = 8, 16  # tilted directions of a hull; points on the rim of a cylinder
SLOTS = 9  # by directions, and the deepest
COSINES, SINES = (tuple(float(x) for x in f(0.2 + 2 * np.pi * np.arange(8) / 8)) for f in (np.cos, np.sin))
ROUND = tuple((float(np.cos(a)), float(np.sin(a))) for a in 2 * np.pi * np.arange(RIM) / RIM)
LEVEL = 2e-6  # of its size: how far corners of a reference may be out of its plane
SLACK = 1e-9  # m, beyond a reference that is still above it
SAME = 1e-5  # m, between places that are one
PARALLEL = 2e-3  # sine of the angle between edges that touch along a piece
# parts of `outline`: outlines of both shapes, what is cut, what was cut before; then the points that were taken
FIRST, SECOND, CUT, BEFORE, TAKEN = 0, 20, 40, 90, 140
OUTLINE, COLUMNS = TAKEN + SLOTS, 4
GAP = 3  # column; the first three are the place


@helper
def beside(d):
    """A unit vector at right angles to d, made of the axis that d is least along."""
    x, y, z = abs(d[0]), abs(d[1]), abs(d[2])
    a = (1.0, 0.0, 0.0) if x <= y and x <= z else ((0.0, 1.0, 0.0) if y <= z else (0.0, 0.0, 1.0))
    c = cross(d, a)
    return scale(1.0 / sqrt(dot(c, c)), c)


@routine
def outline_of(shape, corners, edges, d, tilt, rows, first):
    """Places of a shape that are furthest along the unit vector d, or tilted ones, in its frame, counter-clockwise about d,
    from row `first` on; how many they are."""
    kind, a, b, c = int(shape[convex.KIND]), shape[convex.SIZE], shape[convex.SIZE + 1], shape[convex.SIZE + 2]
    if kind == convex.SEGMENT:
        store(rows, first, 0, (0.0, 0.0, -a))
        store(rows, first + 1, 0, (0.0, 0.0, a))
        return 2
    if kind == convex.BLOCK:
        return outline_of_block(a, b, c, d, tilt, rows, first)
    if kind == convex.ROD:
        across = sqrt(d[0] * d[0] + d[1] * d[1])
        if across < tilt:
            z = b if d[2] >= 0.0 else -b
            for k in range(RIM):
                x, y = ROUND[k]
                store(rows, first + k, 0, (a * x, a * y if d[2] >= 0.0 else -a * y, z))
            return RIM
        x, y = a * d[0] / across, a * d[1] / across
        if abs(d[2]) < tilt:
            store(rows, first, 0, (x, y, -b))
            store(rows, first + 1, 0, (x, y, b))
            return 2
        store(rows, first, 0, (x, y, b if d[2] >= 0.0 else -b))
        return 1
    if kind == convex.CORNERS:
        return outline_of_hull(shape, corners, edges, d, tilt, rows, first)
    store(rows, first, 0, convex.core_support(shape, corners, edges, d))
    return 1


@routine
def outline_of_block(a, b, c, d, tilt, rows, first):
    """The same for a box: a face, an edge or a corner, by how many axes d is nearly across."""
    x, y, z = abs(d[0]) > tilt, abs(d[1]) > tilt, abs(d[2]) > tilt
    count = 0
    for k in range(4):  # the free axes, both ways, counter-clockwise for d along the third of them
        s = 1.0 if k == 1 or k == 2 else -1.0
        t = 1.0 if k >= 2 else -1.0
        p = (convex.signed(d[0], a), convex.signed(d[1], b), convex.signed(d[2], c))
        if not x and not y:
            p = (s * a, t * b, p[2]) if d[2] >= 0.0 else (t * a, s * b, p[2])
        elif not y and not z:
            p = (p[0], s * b, t * c) if d[0] >= 0.0 else (p[0], t * b, s * c)
        elif not x and not z:
            p = (t * a, p[1], s * c) if d[1] >= 0.0 else (s * a, p[1], t * c)
        elif k >= 2 or (k == 1 and x and y and z):
            continue
        elif not x:
            p = (s * a, p[1], p[2])
        elif not y:
            p = (p[0], s * b, p[2])
        elif not z:
            p = (p[0], p[1], s * c)
        store(rows, first + count, 0, p)
        count += 1
    return count


@routine
def outline_of_hull(shape, corners, edges, d, tilt, rows, first):
    """The same for a hull: corners furthest along tilted directions, each once."""
    head, t = int(shape[convex.HEAD]), beside(d)
    s = cross(d, t)
    i, count, start, before = furthest(corners, edges, head, d), 0, -1, -1
    for k in range(RING):
        x, y = tilt * COSINES[k], tilt * SINES[k]
        e = (d[0] + x * t[0] + y * s[0], d[1] + x * t[1] + y * s[1], d[2] + x * t[2] + y * s[2])
        i = climbed(corners, edges, head, i, e)
        if i != before and i != start:
            store(rows, first + count, 0, load(corners, i, 0))
            start = i if count == 0 else start
            count += 1
        before = i
    return count


@routine
def carry(R, o, rows, first, count):
    """Take rows into another frame."""
    for k in range(first, first + count):
        store(rows, k, 0, add(o, rotate(R, load(rows, k, 0))))


@routine
def plane_of(rows, first, count, n):
    """Normal of an outline, along n, and by how much it is not flat or not turned to n: 1e300 if it is no reference."""
    if count < 3:
        return n, 1e300
    p, m = load(rows, first, 0), (0.0, 0.0, 0.0)
    size = 0.0
    for k in range(1, count - 1):
        a, b = subtract(load(rows, first + k, 0), p), subtract(load(rows, first + k + 1, 0), p)
        m = add(m, cross(a, b))
        size = max(size, dot(b, b))
    whole = sqrt(dot(m, m))
    if not whole > 1e-9 * size:
        return n, 1e300
    m = scale(1.0 / whole, m)
    for k in range(1, count):
        if abs(dot(m, subtract(load(rows, first + k, 0), p))) > LEVEL * sqrt(size):
            return n, 1e300
    off = 1.0 - dot(m, n)
    return m, off if off < 0.5 * FACING * FACING else 1e300


@routine
def cut_to(rows, m, ref, many, first, count):
    """What of an outline lies above a reference, in rows from CUT on; how many places it has. m : normal of the reference,
    about which its `many` rows from `ref` on go round"""
    for k in range(count):
        store(rows, CUT + k, 0, load(rows, first + k, 0))
    total = count
    for side in range(many):
        p = load(rows, ref + side, 0)
        inward = cross(m, subtract(load(rows, ref + (side + 1) % many, 0), p))
        length = sqrt(dot(inward, inward))
        if length == 0.0:
            continue
        inward = scale(1.0 / length, inward)
        for k in range(total):
            store(rows, BEFORE + k, 0, load(rows, CUT + k, 0))
        kept = 0
        for k in range(total):
            a = load(rows, BEFORE + k, 0)
            x = dot(inward, subtract(a, p)) + SLACK
            if x >= 0.0:
                store(rows, CUT + kept, 0, a)
                kept += 1
            if total == 1 or (total == 2 and k == 1):
                continue
            b = load(rows, BEFORE + (k + 1) % total, 0)
            y = dot(inward, subtract(b, p)) + SLACK
            if (x < 0.0 and y > 0.0) or (x > 0.0 and y < 0.0):
                store(rows, CUT + kept, 0, add(a, scale(x / (x - y), subtract(b, a))))
                kept += 1
        total = kept
        if total == 0 or total >= BEFORE - CUT - 2:
            break
    return total


@routine
def is_taken(rows, x):
    """Whether a place is among those that were taken."""
    for k in range(SLOTS):
        if rows[TAKEN + k, GAP] < 1e300:
            away = subtract(load(rows, TAKEN + k, 0), x)
            if dot(away, away) < SAME * SAME:
                return True
    return False


@routine
def put_in(rows, k, j):
    """Place j of those that were cut into slot k, unless it has one."""
    x = load(rows, CUT + j, 0)
    if is_taken(rows, x):
        return 0
    store(rows, TAKEN + k, 0, x)
    rows[TAKEN + k, GAP] = rows[CUT + j, GAP]
    return 1


@routine
def outermost(rows, total, reach, e):
    """Which of the places from CUT on with gaps below `reach` is furthest along e, -1 if there is none."""
    best, most = -1, -1e300
    for j in range(total):
        if rows[CUT + j, GAP] <= reach:
            far = dot(e, load(rows, CUT + j, 0))
            if far > most + SLACK:
                best, most = j, far
    return best


@routine
def take(rows, total, m, reach):
    """Of places from CUT on with gaps below `reach` all if they are few, each in the slot of the direction in which it lies
    from their middle, or the next that is free; else those that are outermost in eight directions across m; and the deepest.
    Slots that are free have a gap of 1e300. How many were taken."""
    t = beside(m)
    s = cross(m, t)
    count, deepest, near, middle = 0, -1, 0, (0.0, 0.0, 0.0)
    for k in range(SLOTS):
        rows[TAKEN + k, GAP] = 1e300
    for j in range(total):
        if deepest < 0 or rows[CUT + j, GAP] < rows[CUT + deepest, GAP]:
            deepest = j
        if rows[CUT + j, GAP] <= reach:
            near += 1
            middle = add(middle, load(rows, CUT + j, 0))
    if near == 0:
        return 0
    middle = scale(1.0 / near, middle)
    if near < SLOTS:
        for j in range(total):
            if rows[CUT + j, GAP] <= reach:
                away, slot, most = subtract(load(rows, CUT + j, 0), middle), 0, -1e300
                for k in range(SLOTS - 1):
                    far = COSINES[k] * dot(t, away) + SINES[k] * dot(s, away)
                    if far > most:
                        slot, most = k, far
                while rows[TAKEN + slot, GAP] < 1e300:
                    slot = (slot + 1) % (SLOTS - 1)
                count += put_in(rows, slot, j)
        return count
    least = 1e300
    for k in range(SLOTS - 1):
        count += put_in(rows, k, outermost(rows, total, reach, add(scale(COSINES[k], t), scale(SINES[k], s))))
        least = min(least, rows[TAKEN + k, GAP])
    return count + (put_in(rows, SLOTS - 1, deepest) if rows[CUT + deepest, GAP] < least - SLACK else 0)


@routine
def along_edges(rows, n):
    """Two outlines that are edges, nearly parallel: the ends of the piece along which both are, in rows CUT, CUT + 1, with
    gaps along n; 0 if they are not."""
    a, b = load(rows, FIRST, 0), load(rows, SECOND, 0)
    u, w = subtract(load(rows, FIRST + 1, 0), a), subtract(load(rows, SECOND + 1, 0), b)
    long, wide = sqrt(dot(u, u)), sqrt(dot(w, w))
    if long == 0.0 or wide == 0.0:
        return 0
    turned = cross(u, w)
    along = dot(u, w) / (long * long)
    if sqrt(dot(turned, turned)) > PARALLEL * long * wide or along == 0.0:
        return 0
    start = dot(u, subtract(b, a)) / (long * long)
    low, high = -start / along, (1.0 - start) / along
    if low > high:
        low, high = high, low
    low, high = max(low, 0.0), min(high, 1.0)
    if not high - low > 1e-6:
        return 0
    for k in range(2):
        x = add(b, scale(low if k == 0 else high, w))
        y = add(a, scale(dot(u, subtract(x, a)) / (long * long), u))
        store(rows, CUT + k, 0, x)
        rows[CUT + k, GAP] = dot(n, subtract(x, y))
    return 2


@routine
def places_on_plane(second, R, o, corners, edges, gap, x, reach, rows):
    """The same for a shape above the plane z = 0, with the pose R, o; gap, x : of its lowest place"""
    radius, up = second[convex.RADIUS], (0.0, 0.0, 1.0)
    total = outline_of(second, corners, edges, unrotate(R, (0.0, 0.0, -1.0)), TILT, rows, SECOND)
    carry(R, o, rows, SECOND, total)
    deepest = 1e300
    for k in range(total):
        y = load(rows, SECOND + k, 0)
        store(rows, CUT + k, 0, (y[0], y[1], y[2] - radius))
        rows[CUT + k, GAP] = y[2] - radius
        deepest = min(deepest, y[2] - radius)
    if deepest > gap + SLACK:
        store(rows, CUT + total, 0, x)
        rows[CUT + total, GAP] = gap
        total += 1
    return take(rows, total, up, reach)


@routine
def touching_places(first, second, R, o, corners, edges, n, gap, x, reach, rows):
    """Places where two shapes touch or nearly do, in the frame of the first, and the normal m from the first to the second.

    n, gap, x : normal, gap and a place of the second as `contact.separation` finds them ; reach : m, beyond which no place
    counts. Rows from TAKEN on are filled, places on the second shape; returns how many there are, and m
    """
    radius, own = first[convex.RADIUS] + second[convex.RADIUS], second[convex.RADIUS]
    away = unrotate(R, scale(-1.0, n))
    one = outline_of(first, corners, edges, n, FACING, rows, FIRST)
    two = outline_of(second, corners, edges, away, FACING, rows, SECOND)
    carry(R, o, rows, SECOND, two)
    m, off = plane_of(rows, FIRST, one, n)
    back, off_back = plane_of(rows, SECOND, two, scale(-1.0, n))
    total, below = 0, True
    if off < 1e300 and not off_back < off - 1e-8:  # the first is the reference, unless the second is clearly nearer to n
        two = outline_of(second, corners, edges, away, TILT, rows, SECOND)
        carry(R, o, rows, SECOND, two)
        total, p = cut_to(rows, m, FIRST, one, SECOND, two), load(rows, FIRST, 0)
    elif off_back < 1e300:
        one = outline_of(first, corners, edges, n, TILT, rows, FIRST)
        total, p, m, below = cut_to(rows, back, SECOND, two, FIRST, one), load(rows, SECOND, 0), scale(-1.0, back), False
    elif one == 2 and two == 2:
        total, p, m = along_edges(rows, n), n, n
    else:
        p, m = n, n
    deepest = 1e300
    for k in range(total):
        y = load(rows, CUT + k, 0)
        if off < 1e300 or off_back < 1e300:
            rows[CUT + k, GAP] = dot(m, subtract(y, p)) if below else dot(m, subtract(p, y))
        rows[CUT + k, GAP] -= radius
        if below:
            y = subtract(y, scale(own, m))
        else:
            y = add(y, scale(rows[CUT + k, GAP] + first[convex.RADIUS], m))
        store(rows, CUT + k, 0, y)
        deepest = min(deepest, rows[CUT + k, GAP])
    if deepest > gap + SLACK:  # what is nearest lies beyond the reference
        if deepest > gap + reach:
            total, m = 0, n
        store(rows, CUT + total, 0, x)
        rows[CUT + total, GAP] = gap
        total += 1
    return take(rows, total, m, reach), m
