"""Linearly implicit steps: one of them, and those of feed-forward; the record of the method is in `integrators/`."""
