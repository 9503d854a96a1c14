"""Exact derivatives of whole runs, by starts, controls, final time and parameters.

Takes  a problem, a goal (`goals`) and what to differentiate by.
Gives  the value of the goal and its slopes (`gradient`): backwards over traced steps (`rollouts`), or along a run with
       events (`along`).
"""
