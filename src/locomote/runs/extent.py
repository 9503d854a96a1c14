"""How long a swimmer is: the largest distance between tips of what it is made of and of what the fluid acts on, all joints at
zero.

Tips are origins of bodies, ends of the axes of shapes to look at and of shapes with added mass, ends of the lines and the
places that forces act along, and sections of rods.
"""

from collections.abc import Iterator

import numpy as np

from locomote.dynamics.kinematics import forward_kinematics
from locomote.dynamics.sections import sections
from locomote.forces.water.added import AddedMass
from locomote.forces.water.added_mass import EllipticCylinder
from locomote.model.description import Visual
from locomote.model.flexible.along import Along
from locomote.model.flexible.rods import Rod


def length_of(problem) -> float | None:
    """m; None if all of it is one point, or has no finite size."""
    model = problem.model
    q = model.neutral()
    pose = forward_kinematics(model, q)
    points = [pose[:, :3, 3]]
    for place, tips in (*shapes(problem), *lines(problem.environment)):
        points.append(tips @ pose[model.body_index(place), :3, :3].T + pose[model.body_index(place), :3, 3])
    for term in problem.terms:
        own = [place.named for place in term.places if place.body is not None]
        points += [(pose[model.body_index(str(place.body))] @ place.pose)[None, :3, 3] for place in own]
    points += [sections(model, q, b.name).poses[:, :3, 3] for b in model.description.bodies if isinstance(b.flex, Rod)]
    far = np.concatenate(points)
    length = float(max(np.linalg.norm(far - point, axis=1).max() for point in far))
    return length if 0.0 < length < np.inf else None


def shapes(problem) -> Iterator[tuple[str, np.ndarray]]:
    """(body, (n, 3) tips in its frame) of shapes to look at, and of those with added mass."""
    for body in problem.model.description.bodies:
        for visual in body.visuals:
            yield body.name, on(visual.placement, half_axes(visual))
    for element in problem.environment:
        if isinstance(element, AddedMass) and not isinstance(element.body, Along):
            shape = element.shape
            half = (shape.length / 2, *shape.semi_axes) if isinstance(shape, EllipticCylinder) else shape.semi_axes
            yield element.body, on(element.pose, np.asarray(half, dtype=float))


def on(pose: np.ndarray, half: np.ndarray) -> np.ndarray:
    """(6, 3) ends of three axes of these half lengths, on a pose."""
    axes = np.concatenate([np.diag(half), -np.diag(half)])
    return axes @ pose[:3, :3].T + pose[:3, 3]


def half_axes(visual: Visual) -> np.ndarray:
    """(3,) half lengths of a shape along its axes; zero of what has a size in a file only."""
    size = np.asarray(visual.size, dtype=float)
    if visual.shape == "box":
        return size / 2
    if visual.shape == "sphere":
        return np.full(3, size[0])
    if visual.shape in ("cylinder", "capsule"):
        return np.array([size[0], size[0], size[1] / 2 + (size[0] if visual.shape == "capsule" else 0.0)])
    return size if visual.shape == "ellipsoid" else np.zeros(3)


def lines(environment) -> Iterator[tuple[str, np.ndarray]]:
    """(body, (2, 3) ends in its frame) of the straight lines that forces act along; rods have their sections."""
    for element in environment:
        for part in getattr(element, "segments", (element,)):
            for names in (("start", "end"), ("root", "tip")):
                ends = [getattr(part, name, None) for name in names]
                if isinstance(getattr(part, "body", None), str) and all(
                    end is not None and np.shape(end) == (3,) for end in ends
                ):
                    yield part.body, np.array(ends, dtype=float)
