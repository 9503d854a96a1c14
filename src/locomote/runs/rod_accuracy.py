"""How far the rods of a run are from finer ones, by making the run again with those.

A rod is finer with two more degrees for each strain, as far as its shapes are Legendre's and nothing names its coordinates, and
twice the mass nodes. Its coordinates contain those of the rod: a state of one is a state of the other. With r the coordinates
of both runs in the finer rod, K its stiffness (that of a rod without elasticity being one) and x the tip, the figures are

    strains   max_t |r - r_fine|_K / max_t |r_fine|_K          tip   max_t |x - x_fine| / length                      (1)
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from locomote.dynamics.sections import sections
from locomote.errors import LocomoteError
from locomote.model.flexible.bases import Points
from locomote.model.flexible.cross_sections import SectionConstants
from locomote.model.flexible.rod_packing import pack_rod
from locomote.model.flexible.rods import Rod
from locomote.model.model import Model
from locomote.runs.trajectory import Trajectory

MORE_DEGREES, MORE_NODES = 2, 2
SAMPLES = 101  # at which runs are compared, at the most
CHEAP = 500_000  # evaluations times coordinates and stations up to which a summary makes the run again
UNIT = SectionConstants(1.0, 1.0, 1.0, 1.0, 1.0, 1.0)


@dataclass(frozen=True)
class RodAccuracy:
    """How far a rod of a run is from a finer one.

    strains : largest difference over the largest strains, in the norm of elastic energy ; tip : largest distance over length
    finer : what the finer rod has
    """

    body: str
    strains: float
    tip: float
    finer: str

    def __str__(self) -> str:
        return (
            f"{self.body}: on a finer rod ({self.finer}) strains differ by {100 * self.strains:.2g} %, the tip by "
            f"{100 * self.tip:.2g} % of the length"
        )


def rod_accuracy(run: Trajectory) -> tuple[RodAccuracy, ...]:
    """How far the rods of a run are from finer ones: the run is made again with two more degrees and twice the nodes.

    A ValueError says why a run cannot be made again: its problem is not known, or events, or a stop, decided how it went.
    """
    if why := obstacle(run):
        raise ValueError(f"the rods of this run cannot be compared with finer ones: {why}")
    problem, model = run.problem, run.model
    finer, words = refined(problem)
    times = np.unique(run.t[np.unique(np.linspace(0, len(run) - 1, min(SAMPLES, len(run))).astype(int))])
    rows = np.searchsorted(run.t, times, side="right") - 1
    to = Embedding(model, finer.model)
    info = run.info
    how = {name: info[name] for name in ("rtol", "atol", "max_step") if info.get(name) is not None}
    how |= {"step": info["step"]} if info.get("step") else {}
    start = {"q": to.q(run.q[0]), "v": to.v(run.v[0])}
    again = finer.simulate(
        float(run.t[-1] - run.t[0]), t=float(run.t[0]), method=info["method"], samples=times, progress=False, **start, **how
    )
    after = np.searchsorted(again.t, times, side="right") - 1
    return tuple(
        compared(model, finer.model, name, to.q(run.q[rows]), again.q[after], run.q[rows], words[name]) for name in words
    )


def compared(model: Model, finer: Model, name: str, coarse: np.ndarray, fine: np.ndarray, own: np.ndarray, words: str):
    """(1) of one rod at the same times: coordinates of both in the finer model, and those of the coarse one in its own."""
    part, packed, rod = finer.joint(name).q, finer.flexible.rods[name], finer.body(name).body.flex  # type: ignore[union-attr]
    assert isinstance(rod, Rod)
    K = packed.elastic
    if not (np.diag(K) > 0.0).all():
        K = pack_rod(replace(rod, section=UNIT, material=None), name, packed.places.tolist()).elastic
    sizes = [np.sqrt(np.maximum(np.einsum("ni,ij,nj->n", r, K, r), 0.0)).max() for r in (
        coarse[:, part] - fine[:, part], fine[:, part])]  # fmt: skip
    here, there = sections(model, own, name), sections(finer, fine, name)
    away = here.poses[:, -1, :3, 3] - there.poses[:, -1, :3, 3]  # both have a station at the tip
    return RodAccuracy(
        name, float(sizes[0] / sizes[1]) if sizes[1] > 0.0 else 0.0,
        float(np.linalg.norm(away, axis=1).max() / float(rod.length)), words,
    )  # fmt: skip


def accuracy_in_words(run: Trajectory) -> str:
    """For the summary of a run with rods; empty without."""
    if not rods_of(run.model) or not len(run):
        return ""
    info = run.info
    work = max(int(info.get("evaluations") or 0), int(info.get("steps") or 0)) * (run.model.nv + stations(run.model))
    if obstacle(run):
        return ""
    if work > CHEAP:
        return "not compared with finer rods, which takes longer than the run: lo.rods.rod_accuracy(run) does"
    try:
        return "\n".join(map(str, rod_accuracy(run)))
    except (LocomoteError, ValueError, ArithmeticError) as fault:
        return f"not compared with finer rods: {str(fault).splitlines()[0]:.120}"


def obstacle(run: Trajectory) -> str:
    """Why a run cannot be made again with finer rods; empty if it can."""
    if run.problem is None:
        return run.problem_missing or "its problem is not known"
    names = [name for name, rod in rods_of(run.model).items() if not strains_at_points(rod)]
    if not names:
        return "the strains of all its rods are coordinates at points"
    if len(run) < 2 or not run.t[-1] > run.t[0] or run.info.get("status") != "finished":
        return "it is not a whole run"
    if run.info.get("events") or run.info.get("ignore") or run.problem.controllers:
        return "events, ignored constraints or controllers decided how it went"
    return ""


def rods_of(model: Model) -> dict[str, Rod]:
    """Rods by the names of their bodies."""
    return {body.name: body.flex for body in model.description.bodies if isinstance(body.flex, Rod)}


def stations(model: Model) -> int:
    """How many stations all rods have."""
    return sum(len(rod.places) for rod in model.flexible.rods.values()) if model.flexible else 0


def strains_at_points(rod: Rod) -> bool:
    """Whether coordinates are strains at integration points: with other nodes they would be others."""
    given = rod.basis.values() if isinstance(rod.basis, Mapping) else (rod.basis,)
    return any(isinstance(basis, Points) for basis in given)


def refined(problem) -> tuple[Any, dict[str, str]]:
    """The problem with finer rods, and in words what they are, by the names of those that changed."""
    model, torques = problem.statement.model, problem.torques if isinstance(problem.torques, Mapping) else ()
    told = {key if isinstance(key, str) else key[0] for table in (problem.drives, problem.springs, torques) for key in table}
    bodies, words = [], {}
    for body in model.description.bodies:
        rod = body.flex
        if isinstance(rod, Rod) and not strains_at_points(rod):
            packed = model.unfolded.flexible.rods[body.name]
            nodes, order = MORE_NODES * int((packed.weights > 0.0).sum()), rod.order
            words[body.name] = f"nodes={nodes}"
            if rod.basis is None and body.name not in told:
                order = {name: rod.order_of(name) + MORE_DEGREES for name in rod.active}
                words[body.name] += f", order + {MORE_DEGREES}"
            body = replace(body, flex=replace(rod, nodes=nodes, order=order))
        bodies.append(body)
    finer = Model(replace(model.description, bodies=tuple(bodies)))
    return problem.replaced(model=finer, start=None, origin=None), words


class Embedding:
    """States of a model as states of the same one with finer rods."""

    def __init__(self, model: Model, finer: Model):
        self.sizes, pairs = (finer.nq, finer.nv), ([], [])
        for name in model.joint_names:
            for which, found in zip(("q", "v"), pairs, strict=True):
                own, other = getattr(model.joint(name), which), getattr(finer.joint(name), which)
                places = range(own.stop - own.start)
                if name in rods_of(model) and model.flexible and finer.flexible:
                    names = finer.flexible.rods[name].names
                    places = [names.index(x) for x in model.flexible.rods[name].names]
                found += [(own.start + k, other.start + n) for k, n in enumerate(places)]
        self.pairs = tuple(np.array(found).reshape(-1, 2).T for found in pairs)

    def q(self, q: np.ndarray) -> np.ndarray:
        """(..., nq)."""
        return self._put(q, 0)

    def v(self, v: np.ndarray) -> np.ndarray:
        """(..., nv)."""
        return self._put(v, 1)

    def _put(self, x: np.ndarray, which: int) -> np.ndarray:
        result = np.zeros((*np.shape(x)[:-1], self.sizes[which]))
        result[..., self.pairs[which][1]] = np.asarray(x)[..., self.pairs[which][0]]
        return result
