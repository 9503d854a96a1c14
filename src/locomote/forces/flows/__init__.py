"""Velocity fields of a fluid that moves: uniform, shear, gusts, vortices, grids, of users."""
