"""Parameters: every number that a problem was made from, by name.

`names` finds them in what was said, `units` reads their units from docstrings, `paths` says where one stands and puts another
there, `quantities` is the mapping that users see, and `change` makes a problem with other numbers: what was said with the new
number in it, and of the plan only the arrays that it enters.
"""
