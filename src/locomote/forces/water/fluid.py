"""A fluid: how dense and how viscous it is, and how it flows where no body is."""

from collections.abc import Callable
from dataclasses import dataclass

from locomote.brief import brief
from locomote.forces.flows.fields import Flow, Together, still
from locomote.forces.flows.grid import Grid
from locomote.forces.numbers import a_number


@brief
@dataclass(frozen=True)
class Fluid:
    """Water, air, or any fluid of one density.

    density : kg/m^3 ; viscosity : dynamic, Pa s ; flow : lo.water.Uniform, lo.water.Shear, lo.water.KarmanStreet, ...; still
    if None
    """

    density: float = 1000.0
    viscosity: float = 1e-3
    flow: Flow | None = None

    def __post_init__(self) -> None:
        a_number("density of a fluid", self.density, above=0.0)
        a_number("viscosity of a fluid", self.viscosity, least=0.0)
        if self.flow is not None and not isinstance(self.flow, Flow):
            raise TypeError(
                f"flow of a fluid is {self.flow!r:.60}, expected a flow such as lo.water.Uniform, or what @lo.water.flow makes"
            )

    @property
    def moves(self) -> bool:
        """Whether it flows by itself."""
        return self.flow is not None

    @property
    def sampled(self) -> bool:
        """Whether its flow is looked up in samples, which symbols cannot do."""
        waiting = [self.flow]
        while waiting:
            flow = waiting.pop()
            if isinstance(flow, Grid):
                return True
            if isinstance(flow, Together):
                waiting += [flow.first, flow.second]
        return False

    @property
    def law(self) -> tuple[Callable, int]:
        """Law of the flow and how many numbers it has, for a Kind."""
        return (still, 0) if self.flow is None else (self.flow.law, len(self.flow.numbers))

    @property
    def numbers(self) -> tuple[float, ...]:
        """Numbers of the flow."""
        return () if self.flow is None else self.flow.numbers
