"""Surfaces and shapes: gap, normal, curvature, and where rolling bodies touch.

Takes  shapes that users describe, one file each (`shapes/`; `shape` says what such a file has).
Gives  the table of shapes and pairs, packed numbers and the routines that compiled code asks (`table`), where a rolling body
       touches (`rolling`), and triangles to look at (`meshes`).
"""
