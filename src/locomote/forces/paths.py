"""Paths of strings over bodies: through points, round spheres and cylinders, over pulleys.

The length l of a path is the sum of its straight and curved parts, each over the divisor of the pulley before it. A string
with tension T pulls every point that it goes through towards its neighbours, and a shape that it lies on where it touches it.
With unit wrenches w_i on the places, of which a string of tension 1 is made, and twists V_i,

    l' = -sum of w_i . V_i ,    dl/dq = -J^T w                                                                          (1)

since the way over a shape is a shortest one, of which only the ends count.
"""

from collections.abc import Sequence

import numpy as np

from locomote.compiler.source import routine
from locomote.dynamics.kinematics import forward_kinematics, jacobian
from locomote.forces.kinds import ANGULAR, LINEAR, ORIGIN, PLACE, ROTATION, power
from locomote.forces.numbers import a_number, a_vector
from locomote.forces.terms import Place
from locomote.forces.wrapping import BESIDE, CLEAR, INSIDE, direction, wrapped
from locomote.model.model import Model, checked_model
from locomote.model.paths import Path, Pulley, Via, Wrap
from locomote.spatial.algebra import add, cross, rotate, scale, subtract, unrotate
from locomote.spatial.numbers import as_numbers
from locomote.spatial.rows import load, load9

# columns of spans, which a path is packed as: places of its ends, of the shape between (or -1), 1 / divisor, radius, whether
# the shape is a ball, which side there is, and where
START, END, SHAPE, SHARE, RADIUS, BALL, WHERE, SIDE = range(8)
SPAN = 10
SHAPES = ("cylinder", "sphere")


def frame_of(wrap: Wrap) -> np.ndarray:
    """(4, 4) pose of a shape in its body."""
    z = np.array(a_vector("axis of a wrap", wrap.axis))
    size = np.linalg.norm(z)
    if not size > 0:
        raise ValueError("axis of a wrap is zero, expected a direction")
    z = z / size
    x = np.cross((0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (1.0, 0.0, 0.0), z)
    x = x / np.linalg.norm(x)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = np.column_stack([x, np.cross(z, x), z]), a_vector("center of a wrap", wrap.center)
    return pose


def places_of(path: Path) -> tuple[Place, ...]:
    """Where a path acts: a frame for each stop but pulleys."""
    spans_of(path)  # its faults
    return tuple(
        Place(stop.body, frame_of(stop)) if isinstance(stop, Wrap) else Place.at(stop.body, a_vector("a point", stop.point))
        for stop in path.stops
        if not isinstance(stop, Pulley)
    )


def spans_of(path: Path) -> list[list[float]]:
    """(spans, SPAN) numbers: what is between two neighbouring points."""
    if not isinstance(path, Path):
        raise TypeError(f"a path is {path!r:.60}, expected a lo.Path")
    spans, share, place, last, shape = [], 1.0, 0, -1, None
    for n, stop in enumerate(path.stops):
        if isinstance(stop, Pulley):
            if shape is not None or (last < 0 and n > 0):
                raise ValueError("a path has a pulley that no branch ends before; a branch ends with a lo.Via")
            share, last = 1.0 / a_number("divisor of a pulley", stop.divisor, above=0.0), -1
            continue
        if isinstance(stop, Wrap):
            if last < 0 or shape is not None:
                raise ValueError("a lo.Wrap of a path must stand between two points, lo.Via")
            shape = (place, stop)
        elif isinstance(stop, Via):
            if last >= 0:
                spans.append(_span(last, place, share, shape))
            last, shape = place, None
        else:
            raise TypeError(f"a path holds {stop!r:.60}, expected lo.Via, lo.Wrap or lo.Pulley")
        place += 1
    if shape is not None or last < 0 or not spans:
        raise ValueError("a path needs at least two points, lo.Via, and ends with one")
    return spans


def numbers_of(path: Path) -> tuple[float, ...]:
    """How many spans, and the spans, flat."""
    spans = spans_of(path)
    return (float(len(spans)), *(value for span in spans for value in span))


def _span(start: int, end: int, share: float, shape: tuple[int, Wrap] | None) -> list[float]:
    span = [float(start), float(end), -1.0, share, 0.0, 0.0, float(CLEAR), 0.0, 0.0, 0.0]
    if shape is not None:
        place, wrap = shape
        if wrap.shape not in SHAPES:
            raise ValueError(f"a path goes round a {wrap.shape!r:.40}, expected {' or '.join(SHAPES)}")
        radius = a_number("radius of a wrap", wrap.radius, above=0.0)
        span[SHAPE], span[RADIUS], span[BALL] = float(place), radius, float(wrap.shape == "sphere")
        if wrap.side is not None:
            side = (np.linalg.inv(frame_of(wrap)) @ (*a_vector("side of a wrap", wrap.side), 1.0))[:3]
            span[WHERE] = float(INSIDE if np.linalg.norm(side) < radius else BESIDE)
            span[SIDE : SIDE + 3] = side.tolist()
    return span


@routine
def put_unit_pull(places, first, count, numbers, start, wrenches):
    """Wrenches of a string of tension 1 on its places; returns length and its rate (1)."""
    for n in range(first, first + count):
        for k in range(6):
            wrenches[n, k] = 0.0
    length = 0.0 * places[first, ORIGIN]
    for span in range(int(numbers[start])):
        k = start + 1 + SPAN * span
        a, b, share = first + int(numbers[k + START]), first + int(numbers[k + END]), numbers[k + SHARE]
        o, p = load(places, a, ORIGIN), load(places, b, ORIGIN)
        far, along = direction(o, p)
        if numbers[k + SHAPE] < 0.0:
            length = length + share * far
            pull(places, wrenches, a, share, along)
            pull(places, wrenches, b, -share, along)
        else:
            c = first + int(numbers[k + SHAPE])
            R, x = load9(places, c, ROTATION), load(places, c, ORIGIN)
            u, w = unrotate(R, subtract(o, x)), unrotate(R, subtract(p, x))
            side = (numbers[k + SIDE], numbers[k + SIDE + 1], numbers[k + SIDE + 2])
            yes, s, e, curve = wrapped(u, w, numbers[k + RADIUS], numbers[k + BALL], side, numbers[k + WHERE])
            before, to_shape = direction(u, s)
            after, from_shape = direction(e, w)
            no = 1.0 - yes
            length = length + share * (no * far + yes * (before + curve + after))
            to_world, from_world = rotate(R, to_shape), rotate(R, from_shape)
            pull(places, wrenches, a, share, add(scale(yes, to_world), scale(no, along)))
            pull(places, wrenches, b, -share, add(scale(yes, from_world), scale(no, along)))
            press(wrenches, c, -share * yes, to_shape, s)
            press(wrenches, c, share * yes, from_shape, e)
    rate = 0.0 * length
    for n in range(first, first + count):
        u, w = load(places, n, LINEAR), load(places, n, ANGULAR)
        rate = rate - power(u, w, load(wrenches, n, 0), load(wrenches, n, 3))
    return length, rate


@routine
def pull(places, wrenches, n, size, along):
    """Add a force at the origin of place n; along : in world axes."""
    f = unrotate(load9(places, n, ROTATION), along)
    for k in range(3):
        wrenches[n, k] = wrenches[n, k] + size * f[k]


@routine
def press(wrenches, n, size, along, point):
    """Add a force at a point of place n; both in its axes."""
    m = cross(point, along)
    for k in range(3):
        wrenches[n, k] = wrenches[n, k] + size * along[k]
        wrenches[n, 3 + k] = wrenches[n, 3 + k] + size * m[k]


def path_lengths(model: Model, paths: Sequence[Path], q) -> tuple[np.ndarray, np.ndarray]:
    """Lengths (paths,), m, of paths over bodies at q (nq,), and their moment arms (paths, nv), dl/dq, m/rad or 1.

    A tension T along a path pulls with -T times its moment arms.
    """
    return Strings(checked_model(model), paths)(as_numbers(q, "q", f"({model.nq},)"))


class Strings:
    """Lengths and moment arms of paths over one model, made ready to be asked often."""

    def __init__(self, model: Model, paths: Sequence[Path]):
        self.model, self.count = model, len(paths)
        frames = [place for path in paths for place in places_of(path)]
        self.bodies = np.array([-1 if body is None else model.body_index(str(body)) for body, _ in frames], np.int64)
        self.own = np.array([pose for _, pose in frames]).reshape(-1, 4, 4)
        self.touched = sorted({int(body) for body in self.bodies if body >= 0})
        self.first = np.cumsum([0, *(len(places_of(path)) for path in paths)])
        packed = [numbers_of(path) for path in paths]
        self.begin = np.cumsum([0, *map(len, packed)])
        self.numbers = np.array([value for own in packed for value in own], dtype=float)

    def __call__(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(paths,) lengths and (paths, nv) dl/dq."""
        from locomote.forces.path_kernels import all_paths

        poses = forward_kinematics(self.model, q)
        whole = np.concatenate([poses, np.eye(4)[None]])[self.bodies] @ self.own
        places = np.zeros((len(whole), PLACE))
        places[:, ROTATION : ROTATION + 9] = whole[:, :3, :3].reshape(-1, 9)
        places[:, ORIGIN : ORIGIN + 3] = whole[:, :3, 3]
        lengths, on_bodies = np.zeros(self.count), np.zeros((self.count, len(poses), 6))
        all_paths(
            places, self.first, self.numbers, self.begin, self.bodies, self.own, lengths, on_bodies, np.zeros((len(whole), 6))
        )
        arms = np.zeros((self.count, self.model.nv))
        for body in self.touched:
            arms -= on_bodies[:, body] @ jacobian(self.model, q, body)
        return lengths, arms
