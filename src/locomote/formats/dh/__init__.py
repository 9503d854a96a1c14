"""Denavit-Hartenberg tables, standard and modified, of chains and trees."""

from locomote.formats.dh.reader import read_dh
from locomote.formats.dh.row import DHRow

__all__ = ["DHRow", "read_dh"]
