"""URDF: links and joints of a tree."""

from locomote.formats.urdf.reader import read_urdf

__all__ = ["read_urdf"]
