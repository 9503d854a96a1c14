"""Run files: journal while running, HDF5 at the end, going on after an interruption."""
