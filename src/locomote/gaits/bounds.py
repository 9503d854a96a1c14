"""How much any simple loop of two shape coordinates within a box can give: bounds by the area rule.

A loop is a product of small loops, each joined to a point c of the box by a path with motion h there and back (Stokes' theorem
of connections that do not commute; F the curvature):

    g = ordered product of exp(-Ad(h) F dS)                                                                          (1)

turn, in a plane       turns commute: at most the integral of the positive, or of the negative part of F               (2)
turn, in space         |log g| <= integral of |F| , since turns h change no length                                     (3)
displacement, no turns likewise, of the part of F along the best direction                                             (4)
displacement, SE(2)    of loops that do not turn, and are stars about c: h along rays, K the integral of Ad(h) F from c to the
                       loop along each ray. Products (1) turn each K by an angle within an interval of width w, where
                       w = integral of the largest K_turn of each ray; so that, along the best direction,
                       |p| <= integral over rays of the largest part of any K along it, turned by w/2 at most          (5)

(5) holds in every frame that c is seen from, which for loops without turn changes no distance: the least of them is given. If F
has no turn at all, (4) holds of the translations Ad(h) F, for every simple loop.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.errors import LocomoteError, UnknownName
from locomote.gaits.coordinates import shape_of
from locomote.gaits.local_form import SINGULAR, LocalForm, local_form
from locomote.gaits.net_motion import curvature, refuse_other_forces
from locomote.gaits.optimisation import limits
from locomote.locomotion.problem import Locomotion

GRID = 240  # shapes along a side of the box
RAYS, ALONG = 180, 48  # from the middle, and steps along each
DIRECTIONS = 180  # that displacement may have
FLAT = 1e-9  # of all curvature: turns below are none
GOALS = ("distance", "turn")


@brief
@dataclass(frozen=True, eq=False)
class Bound:
    """What no loop exceeds.

    value : m or rad a period ; goal : "distance" or "turn" ; loops : of which it is said
    center : (2,) of the box, or the point that the loops are stars about ; box : (2, 2) from where to where coordinates go
    """

    goal: str
    value: float
    loops: str
    center: np.ndarray
    box: np.ndarray

    def __str__(self) -> str:
        return f"{self.goal}: at most {self.value:.6g} a period, of {self.loops}"


def bound(
    problem: Locomotion, goal: str = "distance", *, bounds: Any = None, coordinates: Any = None, center: Any = None,
    at: Any = None,
) -> Bound:  # fmt: skip
    """The most that a closed path of two shape coordinates within bounds, gone through once, can give, by the area rule.

    goal : "distance" without net turn, m, or "turn", rad ; bounds : {name: (low, high)} or one pair; limits of joints if None
    coordinates : two joints or modes, as of `lo.gaits.optimize` ; at : where the others stay
    center : (2,) the point that loops are stars about, for distances of bases that also turn; the middle of the box if None
    """
    if goal not in GOALS:
        raise UnknownName("goal", goal, GOALS, "bounds of gaits")
    form = local_form(problem, coordinates, at)
    refuse_other_forces(form)
    if form.size != 2:
        raise ValueError(
            f"the area rule bounds loops of two coordinates, not of {form.size}: {', '.join(form.coordinates.names)}"
        )
    low, high = limits(form, bounds)
    if low is None or high is None or not np.isfinite([low, high]).all():
        raise ValueError(f"give bounds= of both coordinates, {', '.join(form.coordinates.names)}, (low, high): none is endless")
    box = np.stack([low, high], axis=1)
    middle = shape_of("center", center, form.coordinates, box.mean(axis=1))
    if (middle <= low).any() or (middle >= high).any():
        raise ValueError(f"center is {center!r:.60}, which is not within the bounds")
    turns = [j for j, a in enumerate(form.group.axes) if a > 2]
    shifts = [j for j, a in enumerate(form.group.axes) if a < 3]
    if not (turns if goal == "turn" else shifts):
        raise LocomoteError(f"the base of {problem.name!r} moves in {form.group.name}, which has no {goal!r}")
    simple = "loops that do not cross themselves"
    if goal == "turn" or not turns:
        F, cell = over_box(form, box)
        value = most_along(F[:, turns if goal == "turn" else shifts], len(turns) > 1) * cell
        return Bound(goal, value, simple, middle, box)
    if len(turns) > 1:
        raise LocomoteError(f"{problem.name!r} turns about several axes, for which there is no bound of displacements here")
    f, share, radii = carried(form, box, middle)
    if abs(f[..., turns]).max() < FLAT * abs(f).max():
        return Bound(goal, most_along((f[..., shifts] * share[..., None]).reshape(-1, len(shifts)), False), simple, middle, box)
    from scipy.optimize import minimize

    K = np.concatenate([np.zeros((RAYS, 1, f.shape[-1])), np.cumsum(f * share[..., None], axis=1)], axis=1)
    start = np.zeros(2)
    found = minimize(lambda way: star_bound(K, shifts, turns[0], way, DIRECTIONS // 4), start, method="Nelder-Mead",
                     options={"maxiter": 80, "xatol": 1e-4, "fatol": 1e-5})  # fmt: skip
    value = star_bound(K, shifts, turns[0], found.x, DIRECTIONS)
    return Bound(goal, value, "loops without turn that are stars about the center", middle, box)


def over_box(form: LocalForm, box: np.ndarray) -> tuple[np.ndarray, float]:
    """Curvatures (N, n) in the middle of cells, and the area of one."""
    sides = [low + (np.arange(GRID) + 0.5) / GRID * (high - low) for low, high in box]
    places = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 2)
    local = form(places)
    refuse_singular(form, local)
    return curvature(form, local)[:, 0, 1], float(np.prod(box[:, 1] - box[:, 0]) / GRID**2)


def most_along(F: np.ndarray, lengths: bool) -> float:
    """The largest sum of parts of F (N, m) along one direction, of those that have any; sums of their lengths if so asked."""
    if lengths:
        return float(np.linalg.norm(F, axis=1).sum())
    if F.shape[1] == 1:
        return float(max(F.clip(0.0).sum(), (-F).clip(0.0).sum()))
    if F.shape[1] == 2:
        angle = 2 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
        ways = np.stack([np.cos(angle), np.sin(angle)])
        return float(max((F @ way).clip(0.0).sum() for way in ways.T))
    return float(np.linalg.norm(F, axis=1).sum())


def carried(form: LocalForm, box: np.ndarray, middle: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ad(h) F (RAYS, ALONG, n) in the middle of steps along rays from `middle`, the area of each, and radii of their ends."""
    angle = 2 * np.pi * (np.arange(RAYS) + 0.5) / RAYS
    way = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    with np.errstate(divide="ignore"):
        room = np.where(way > 0, (box[:, 1] - middle) / way, (box[:, 0] - middle) / way)
    longest = np.where(np.isfinite(room), room, np.inf).min(axis=1)
    s = np.arange(2 * ALONG + 1) / (2 * ALONG)
    x = middle + (longest[:, None] * s)[..., None] * way[:, None]
    local = form(x.reshape(-1, 2))
    refuse_singular(form, local)
    n = form.group.size
    xi = -np.einsum("rsnk,rk->rsn", local.A.reshape(RAYS, len(s), n, 2), way) * longest[:, None, None]  # by s
    F = curvature(form, local)[:, 0, 1].reshape(RAYS, len(s), n)[:, 1::2]
    pose, step = np.broadcast_to(np.eye(4), (RAYS, 4, 4)), 1.0 / ALONG
    poses = []
    for j in range(ALONG):
        first, half, last = xi[:, 2 * j], xi[:, 2 * j + 1], xi[:, 2 * j + 2]
        poses.append(pose @ form.group.exp(step * (5 * first + 8 * half - last) / 24.0))
        pose = pose @ form.group.exp(step * (first + 4 * half + last) / 6.0)
    h = form.group.adjoint(np.stack(poses, axis=1))
    middles = (np.arange(ALONG) + 0.5) / ALONG
    share = longest[:, None] ** 2 * middles / ALONG * (2 * np.pi / RAYS)
    return np.einsum("rsij,rsj->rsi", h, F), share, longest[:, None] * middles


def star_bound(K: np.ndarray, shifts: list[int], turn: int, way: np.ndarray, directions: int) -> float:
    """(5), with K (rays, steps, n), in a frame that is moved by `way` (2,)."""
    turned = K[..., turn]
    width = min(turned.max(axis=1).sum(), -turned.min(axis=1).sum())  # what is turned one way is turned back
    p = K[..., shifts] + turned[..., None] * np.array([way[1], -way[0]])
    size, own = np.linalg.norm(p, axis=-1), np.arctan2(p[..., 1], p[..., 0])
    best = 0.0
    for angle in 2 * np.pi * np.arange(directions) / directions:
        apart = abs((own - angle + np.pi) % (2 * np.pi) - np.pi)
        best = max(best, float((size * np.cos(np.clip(apart - width / 2, 0.0, np.pi / 2))).max(axis=1).sum()))
    return best


def refuse_singular(form: LocalForm, local) -> None:
    """Say that the box has shapes at which there is no curvature."""
    if not (local.sound > SINGULAR).all() or (local.side != local.side[0]).any():
        raise LocomoteError(
            f"the box has singular shapes of {form.problem.name!r}, near which the curvature has no bound; give bounds to one "
            f"side of them"
        )
