"""Force terms: what acts on bodies from outside or between them. One file a law.

Takes  a term that stands in `environment` of a problem.
Gives  its wrenches, energy and losses in compiled code (`kinds`, `terms`, `acting`). `water/` has fluids, `flows/` moving ones.
"""
