"""Numbers that torques are linear in, from those that bodies are described by: how pi follows from mass, centre and inertia.

pi = (m, m c, I_c + m (c.c 1 - c c^T)) ,     the second part as xx, xy, yy, xz, yz, zz                                   (1)
"""

from collections.abc import Sequence

import numpy as np

from locomote.dynamics.regressor import PARAMETERS
from locomote.gradients.sampled import Number
from locomote.locomotion.parameters.names import plain
from locomote.locomotion.problem import Locomotion
from locomote.spatial.inertia import skew

INERTIAL = ("mass", "center", "inertia")
ORDER = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))  # of second moments in pi
SIX = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # of a parameter of inertia


def inertial(problem: Locomotion, name: str, index: tuple[int, ...]) -> tuple[int, np.ndarray] | None:
    """The body that a number of a parameter belongs to, and the slopes (10,) of its pi; None for what is no inertia."""
    thing, _, word = name.rpartition(".")
    bodies = [plain(body) for body in problem.model.body_names]
    if word not in INERTIAL or thing not in bodies:
        return None
    k = bodies.index(thing)
    inertia = problem.model.body(problem.model.body_names[k]).body.inertia
    if inertia is None:
        return None
    m, c = inertia.mass, inertia.com
    about = np.zeros((3, 3))
    if word == "mass":
        return k, np.array([1.0, *c, *upper(-skew(c) @ skew(c))])
    if word == "center":
        unit = np.eye(3)[index[0]]
        return k, np.array([0.0, *(m * unit), *upper(-m * (skew(unit) @ skew(c) + skew(c) @ skew(unit)))])
    row, column = SIX[index[0]]
    about[row, column] = about[column, row] = 1.0
    return k, np.array([0.0, 0.0, 0.0, 0.0, *upper(about)])


def upper(matrix: np.ndarray) -> list[float]:
    """Second moments in the order of pi."""
    return [matrix[place] for place in ORDER]


def linear_in(
    problem: Locomotion, numbers: Sequence[Number], names: Sequence[str], values: np.ndarray
) -> tuple[np.ndarray, list[str], np.ndarray, list[int]]:
    """Values and names with pi in the place of mass, centre and inertia of bodies all ten of whose numbers are given, the
    slopes (K, K) of the former by these, and an order with those of bodies first, one body after the other."""
    values, names, slopes = values.copy(), list(names), np.eye(len(values))
    found: dict[int, list[tuple[int, np.ndarray]]] = {}
    order: list[int] = []
    for k, number in enumerate(numbers):
        part = inertial(problem, *number[0]) if len(number) == 1 else None
        if part is not None:
            found.setdefault(part[0], []).append((k, part[1]))
    for body, own in sorted(found.items()):
        inertia = problem.model.body(problem.model.body_names[body]).body.inertia
        if len(own) < len(PARAMETERS) or inertia is None or inertia.mass <= 0:
            continue
        places = [k for k, _ in own]
        order += places
        slopes[np.ix_(places, places)] = np.linalg.inv(np.column_stack([slope for _, slope in own]))
        values[places] = inertia.parameters
        for k, word in zip(places, PARAMETERS, strict=True):
            names[k] = f"{word} of {problem.model.body_names[body]}"
    return values, names, slopes, order + [k for k in range(len(values)) if k not in order]
