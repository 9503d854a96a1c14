"""Optimizers that ask for points of the unit cube and are told in which order they are good. All draws are from their seed.

Orders are pairs (how much limits are missed, goal), smaller is better: a point that meets its limits is better than one that
does not, whatever its goal (K. Deb: An efficient constraint handling method for genetic algorithms, 2000).
"""

from typing import Protocol

import numpy as np

from locomote.runs.optional import package

Order = list[tuple[float, float]]


class Optimizer(Protocol):
    """What a search needs."""

    population: int
    reason: str

    def ask(self) -> np.ndarray:
        """(n, d) points; none when it has ended, and `reason` says why."""
        ...

    def tell(self, unit: np.ndarray, order: Order) -> None:
        """How good they are."""
        ...


class CovarianceMatrixAdaptation:
    """CMA-ES of the package `cmaes`: a normal distribution that learns where steps pay (N. Hansen: The CMA evolution strategy,
    a tutorial, arXiv 1604.00772)."""

    def __init__(self, begin: np.ndarray, population: int | None, tolerance: float, seed: int):
        self.cmaes = package("cmaes", "optimisation by CMA", "'locomote[optimize]'")
        size = len(begin)
        box = np.column_stack([np.zeros(size), np.ones(size)])
        self.population, self.tolerance, self.reason = population or 4 + int(3 * np.log(size)), tolerance, ""
        self.alone = size == 1  # the package knows no line: a second coordinate that does nothing
        if self.alone:
            begin, box = np.append(begin, 0.5), np.vstack([box, [0.0, 1.0]])
        self.own = self.cmaes.CMA(mean=begin, sigma=0.3, bounds=box, seed=seed, population_size=max(2, self.population))
        self.population, self.spread = self.own.population_size, np.inf

    def ask(self) -> np.ndarray:
        """The next generation."""
        if self.own.should_stop() or self.spread < self.tolerance:
            self.reason = "the points of a generation have come together"
            return np.zeros((0, 1))
        self.drawn = np.array([self.own.ask() for _ in range(self.population)])
        self.spread = float(np.ptp(self.drawn[:, : 1 if self.alone else None], axis=0).max())
        return self.drawn[:, :1] if self.alone else self.drawn

    def tell(self, unit: np.ndarray, order: Order) -> None:
        """Only the order counts to it, so ranks say all; equal points have equal ranks."""
        ranks = {judged: k for k, judged in enumerate(sorted(set(order)))}
        self.own.tell([(x, float(ranks[judged])) for x, judged in zip(self.drawn, order, strict=True)])


class DifferentialEvolution:
    """Each point against a child of three others (R. Storn, K. Price, 1997), scale 0.5 to 1 by generation, crossing 0.8."""

    def __init__(self, begin: np.ndarray, population: int | None, tolerance: float, seed: int):
        self.random = np.random.default_rng(seed)
        self.population = max(4, population or 8 * len(begin))
        self.points = self.random.random((self.population, len(begin)))
        self.points[0] = begin
        self.order: Order = []
        self.tolerance, self.reason = tolerance, ""

    def ask(self) -> np.ndarray:
        """All points at first, then a child of each."""
        if not self.order:
            return self.points
        if np.ptp(self.points, axis=0).max() < self.tolerance:
            self.reason = "the points of a generation have come together"
            return np.zeros((0, 1))
        count, size = self.points.shape
        scale = self.random.uniform(0.5, 1.0)
        others = np.array([self.random.choice(np.delete(np.arange(count), i), 3, replace=False) for i in range(count)])
        a, b, c = (self.points[others[:, k]] for k in range(3))
        mutant = a + scale * (b - c)
        mutant = np.where((mutant < 0) | (mutant > 1), self.random.random((count, size)), mutant)
        cross = self.random.random((count, size)) < 0.8
        cross[np.arange(count), self.random.integers(size, size=count)] = True
        return np.where(cross, mutant, self.points)

    def tell(self, unit: np.ndarray, order: Order) -> None:
        """A child takes the place of its parent if it is not worse."""
        if not self.order:
            self.order = list(order)
            return
        for i, judged in enumerate(order):
            if judged <= self.order[i]:
                self.points[i], self.order[i] = unit[i], judged


OPTIMIZERS = {"cma": CovarianceMatrixAdaptation, "de": DifferentialEvolution}
