"""Whole-body control: from a state, tasks and contacts to torques, by one quadratic program a tick."""
