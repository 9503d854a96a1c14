"""Runs as files for other programs, a file a form; `registry` chooses by the ending of a path.

mcap      for Foxglove: poses, shapes and every channel
rerun     for the viewer of rerun: the same
folder    a model file, the run, a table and a report, with all that they need
"""
