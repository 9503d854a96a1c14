"""Denavit-Hartenberg tables, standard and modified, of chains and trees."""

from locomote.formats.registry import Format


def reader():
    from locomote.formats.dh.reader import describe

    return describe


FORMAT = Format(name="DH table", word="dh", suffixes=(".csv", ".yaml", ".yml"), root_tag="", reader=reader)
