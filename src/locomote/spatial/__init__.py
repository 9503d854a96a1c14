"""Rotations, SE(3), twists, wrenches and inertias.

Takes  numbers, lanes, duals or symbols (`algebra` and the files of the single source), or arrays (files that say so).
Gives  the algebra of rigid motions; charts of rotations; `Inertia`.
"""
