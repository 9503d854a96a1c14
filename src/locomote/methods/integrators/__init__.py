"""The methods that runs can have: one file each, which `registry` finds here.

A file has what is special about its method: equations, table or kernels, the room that it keeps, and its record (`Method`).
"""
