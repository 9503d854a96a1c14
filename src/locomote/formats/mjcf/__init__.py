"""MJCF, the format of MuJoCo: nested bodies with joints, inertias and geoms."""

from locomote.formats.mjcf.reader import read_mjcf

__all__ = ["read_mjcf"]
