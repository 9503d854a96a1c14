"""Bodies that bend: rods, bases of their strains, modes, finite elements, and how they are packed.

Takes  Rod, Modes, FiniteElements, Tabulated.
Gives  rows and numbers that the flexible kernels read.
"""
