"""One source, several backends: compiled, on lanes, on dual numbers, on arrays, on symbols.

Takes  plain functions, marked by the decorators of `source` (helper, routine, kernel).
Gives  compiled code for one state, for lanes of states (`lanes`) and for dual numbers (`duals/`); scratch that is declared
       beside a recursion (`scratch_layout`); many arrays as one argument (`records`); calls from Python (`calls`); kernels
       kept on disk (`cache`, `disk`) and made ahead by a second process (`background`).

Numba's private parts are touched in `numba_private` only.
"""
