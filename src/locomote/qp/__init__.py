"""Strictly convex quadratic programs, dense, small, solved exactly."""
