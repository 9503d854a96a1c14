"""Contacts with friction: where bodies touch, Coulomb's law, and the solvers of its impulses.

Takes  Touch and Ground; the rows of contacts at a state.
Gives  spots (`spots`), impulses that meet the contact law (`delassus`, `gauss_seidel`, `proximal`, `pivoting`),
       island by island (`islands`). The step that calls them is `methods/timestep`.
"""
