"""The recursions over bodies, and nothing else.

Takes  topology, constants, a state, scratch.
Gives  forces, matrices, motions, derivatives, for floats, lanes, duals and symbols. `flexible/` has those of bodies that bend.
"""
