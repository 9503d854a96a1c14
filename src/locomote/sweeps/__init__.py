"""Sweeps: many runs of one problem over its parameters, as one table, in a folder that the next command goes on from.

`axes` says which points, `job` what is done at one of them, `measures` which numbers a run gives; `processes` and `cluster`
compute chunks of points; `store` keeps finished rows; `table` is what a user gets. `sweep` brings them together.
"""

from locomote.public import attach

__getattr__, __dir__, __all__ = attach("sweeps")
