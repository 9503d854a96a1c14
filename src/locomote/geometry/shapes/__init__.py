"""Shapes, one file each. A new file is known to contacts, rolling, soft ground, run files and pictures by its `ROW`."""
