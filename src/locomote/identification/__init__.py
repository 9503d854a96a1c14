"""Parameters from measurements: what a mechanism is made of, from how it moved and which torques it took.

Takes  a problem, measurements (`measured`, read from files by `readers`) and names of what is unknown (`unknowns`).
Gives  values with confidence intervals, and what cannot be seen (`identify`): rows and their Jacobian come from runs
       (`by_run`, `by_differences`) or from inverse dynamics (`by_regressor`), the least squares are in `fit`, and `identified`
       holds the result.
"""
