"""Heights of the ground around a robot, as something to observe: level ground, stairs, and grounds z = f(x, y)."""

from collections.abc import Callable

import numpy as np

from locomote.compiled.copies import Copies
from locomote.contact.touch import Ground
from locomote.geometry.shape import Surface
from locomote.geometry.shapes.height_field import HeightField, height
from locomote.geometry.shapes.plane import Plane
from locomote.geometry.shapes.steps import Steps
from locomote.learning.task import TaskError
from locomote.locomotion.problem import Locomotion
from locomote.spatial.numbers import as_numbers


class Heights:
    """Heights of the ground below places around the base of each copy, as a function of copies.

    problem : whose grounds are meant ; places : (m, 2) m ahead and to the left of the base, turned with its heading

    heights(copies) gives (count, m), m, of the highest ground there, above the height of the base
    """

    def __init__(self, problem: Locomotion, places):
        if not isinstance(problem, Locomotion):
            raise TypeError(f"heights are of the grounds of a lo.Locomotion, not of {problem!r:.60}")
        self.places = as_numbers(places, "places of heights", "(m, 2)")
        if self.places.ndim != 2 or self.places.shape[1] != 2:
            raise TaskError(f"places of heights have shape {self.places.shape}, expected (m, 2): m ahead, m to the left")
        base = problem.model.joint(problem.model.joint_names[0])
        if base.q.stop - base.q.start != 7:
            raise TaskError(f"{problem.model.name!r} has no free base, around which heights are looked at")
        grounds = {id(touch.ground): touch.ground for touch in problem.contacts}.values()
        if not grounds:
            raise TaskError(f"{problem.name!r} has no contacts, and so no ground whose heights could be looked at")
        self.of = [height_of(ground) for ground in grounds]
        self.base = base.q

    def __repr__(self):
        return f"<Heights at {len(self.places)} places around a base>"

    def __call__(self, copies: Copies) -> np.ndarray:
        at, (x, y, z, w) = copies.q[:, self.base][:, :3], copies.q[:, self.base][:, 3:].T
        heading = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))[:, None]
        ahead, left = self.places.T
        px = at[:, :1] + np.cos(heading) * ahead - np.sin(heading) * left
        py = at[:, 1:2] + np.sin(heading) * ahead + np.cos(heading) * left
        return np.max([of(px, py) for of in self.of], axis=0) - at[:, 2:]


def height_of(ground: Ground) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """z of a ground at places x, y."""
    surface: Surface = ground.surface
    if ground.body is not None:
        raise TaskError(f"a ground is carried by {ground.body!r} and may move, so its heights are not known by place alone")
    if isinstance(surface, Plane) and surface.normal[2] > 0:
        (a, b, c), p = surface.normal, surface.point
        return lambda x, y: p[2] - (a * (x - p[0]) + b * (y - p[1])) / c
    if isinstance(surface, Steps):
        return lambda x, y: on_steps(surface, x, y)
    if isinstance(surface, HeightField):
        return lambda x, y: np.array([height(surface, *place)[0] for place in zip(x.flat, y.flat, strict=True)]).reshape(
            x.shape
        )
    raise TaskError(f"heights are known of planes, steps and height fields, not of {surface!r:.60}")


def on_steps(steps: Steps, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    along = (x - steps.point[0]) * np.cos(steps.heading) + (y - steps.point[1]) * np.sin(steps.heading)
    return steps.point[2] + steps.rise * np.clip(np.floor(along / steps.run) + 1, 0, steps.count)
