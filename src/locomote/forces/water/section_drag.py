"""Drag across and along a chain of slender straight bodies, as one force: `SlenderDrag` over all its segments."""

from collections.abc import Sequence
from dataclasses import dataclass

from locomote.brief import brief
from locomote.forces.numbers import whole_number
from locomote.forces.terms import Term
from locomote.forces.water.drag import SlenderDrag
from locomote.forces.water.fluid import Fluid
from locomote.forces.water.lighthill import Segment
from locomote.model.model import Model


@brief
@dataclass(frozen=True)
class SectionDrag:
    """Drag on the sections of a slender body; segments : lo.water.Segment, as for lo.water.Lighthill.

    across, along : drag coefficient of the sections, and of skin friction
    elements : Gauss points on each segment; 2 if None, on a rod its mass nodes
    """

    fluid: Fluid
    segments: Sequence[Segment]
    across: float = 1.0
    along: float = 0.01
    elements: int | None = None
    name: str = "drag"

    def term(self, model: Model) -> Term:
        """All sections as one force term."""
        whole_number("number of segments", len(self.segments))
        places, numbers, kind, flow = [], [], None, self.fluid.numbers
        for s in self.segments:
            elements = 2 if self.elements is None and not s.line.on_rod else self.elements
            part = SlenderDrag(
                s.body, self.fluid, s.start, s.end, s.height, s.width, self.across, self.along, s.up, elements
            ).term(model)
            places += part.places
            numbers += part.numbers[len(flow) :]
            kind = part.kind
        assert kind is not None
        return Term(self.name, kind, tuple(places), (*flow, *numbers))
