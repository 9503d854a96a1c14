"""Water, air and sand, beyond lo.Fluid, lo.Drag, lo.Buoyancy and lo.AddedMass.

flows   Uniform, Shear, Gust, Vortex, KarmanStreet, Grid; flow makes one of a function
slow    StokesDrag, SlenderDrag, Resistive, ViscousSpheres
fast    Lighthill with Segment, SectionDrag, EllipticCylinder; PerfectFluid with Outline: bodies that interact
wings   Wing, Plate
sand    Granular, Intrusion; Scales: skins that slide one way
"""

from locomote.public import attach

__getattr__, __dir__, __all__ = attach("water")
