"""Wheels, blades, loops, couplings, unilateral contacts: rows, drifts, position errors.

Takes  constraints that users describe (`kinds`).
Gives  packed rows and their values at a state (`rows`).
"""
