"""Rods and other bodies that bend, beyond lo.Rod, lo.Section and lo.Material.

made of    Cone, SectionConstants, Tabulated; bases of strains Legendre, BSplines, Harmonics, Points, Pieces, BeamModes
others     Modes, FiniteElements with read_ and write_finite_elements; segments, a chain of rigid bodies in place of a rod
places     Along: a section of a rod, for forces, constraints and contacts
driven by  StrainLaw
results    sections, deformed, section_forces of a state; rod_fields, reaction_field, contact_field, rod_accuracy of a run
"""

from locomote.public import attach

__getattr__, __dir__, __all__ = attach("rods")
