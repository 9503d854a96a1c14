"""Joints, bodies, the builder, and the packed immutable Model."""
