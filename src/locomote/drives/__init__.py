"""Imposed motions: drives, strain waves, and the packed signals that compiled code reads."""
