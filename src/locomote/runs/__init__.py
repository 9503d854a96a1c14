"""A run from start to end: runner, samples, Trajectory, what is said and drawn of it.

Takes  a problem (`evaluation.protocol`), a start, a schedule.
Gives  Trajectory; its audit (`audit/`), its files (`files/`), summary, plots, exports.
"""
