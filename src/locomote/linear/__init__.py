"""Dense factors, solves and ranks, for compiled code: no allocation, and numbers that LAPACK does not take (lanes, duals).

Takes  arrays and scratch of the caller.
Gives  factors, solutions, independent rows. One file a factorisation.
"""
