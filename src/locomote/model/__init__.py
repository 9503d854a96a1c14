"""Joints, bodies, the builder, and the packed immutable Model.

Takes  a Description, from Builder, a file or the catalogue.
Gives  Model: arrays `topology` and `constants` (columns in `columns`), names, coordinates. `joints/` has a file a kind,
       `flexible/` bodies that bend. No kernel has to be compiled for a model.
"""
