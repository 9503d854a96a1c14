"""Dense factors, solves and ranks, for compiled code: no allocation, and numbers that LAPACK does not take (lanes, symbols).

Takes  arrays and scratch of the caller.
Gives  factors, solutions, independent rows. One file a factorisation; `rank` has the one answer to which rows are dependent.

    routine                        pivots         numbers        rows    used by
    lu: lu_factor, lu_solve        rows           floats         any     implicit steps, exact tangents of collocation
    lu: lu_factor_part             rows           floats         any     Rosenbrock steps: some coordinates are left out
    lu: lu_factor_positive         none           floats         any     motion without inertia: resists, is not symmetric
    lu: solve_dense                rows           floats         any     contacts: Newton, pivoting, proximal, sliding
    block_lu: solve_blocks         within blocks  floats         any     contacts of many bodies that touch few others
    cholesky, cholesky_solve       none           floats, lanes  < 30    reduced mass matrix, derivatives, subsystems
    cholesky: inverse_factor       none           floats         < 60    quadratic programs
    symmetric: factor_real ...     none           floats         padded  collocation with M + K, evaluation by mass matrix
    symmetric: factor_complex ...  none           complex        padded  collocation with M + K
    inverse, products              none           floats         padded  derivatives of forward dynamics
    orthogonal: eliminate          longest, none  floats         any     constraints, contacts of whole-body control
    orthogonal: turn_in ...        -              floats, lanes  any     what follows an elimination; derivatives
    orthogonal: reactions          none           floats         any     least reactions of dependent rows
    gram_schmidt: split, append    none           floats         any     quadratic programs, loops in steps over contacts
    rank                           longest, SVD   NumPy          any     case, reduction, connection, modes, impacts, symbols
    symbols: solved                none           symbols        few     equations of motion as symbols
    dots, rows, separate           -              floats, lanes  any     sums over rows, for these and recursions; blocks

Numbers are those of the matrix; lanes, where named, those of the right side. Pivots: the row of the longest remainder first, or
rows in the order given. Padded rows are as long as whole vectors.

What looks alike and is not one routine: `cholesky` takes any block of a matrix whose rows are not padded, `symmetric` whole
vectors of padded rows, which pays from some fifteen rows on and passes over the zeros of a tree; `orthogonal` needs all rows at
once, `gram_schmidt` has its basis at hand when rows leave. Elsewhere, since they are not dense or not apart from a recursion:
`kernels/factor.py` (M of a tree, along its topology), `kernels/flexible/forward.py` (columns of a rod, between those of its
recursion, imposed ones left out), `forces/water/spheres.py` (a law on lanes and symbols, which has no room but its wrenches).

**LAPACK** is not called. In us, least of interleaved windows, one thread, AVX-512 (benchmarks/dense_factors.py):

    rows        LU    dgetrf  LU solve    dgetrs  Cholesky symmetric    dpotrf
    4         0.04      0.07      0.04      0.05      0.03      0.08      0.07
    12        0.24      0.42      0.17      0.16      0.24      0.27      0.24
    20        0.63      1.19      0.34      0.32      0.76      0.56      0.56
    30        1.44      2.91      0.58      0.58      2.00      1.19      1.17
    60        6.27      10.7      1.63      1.69      11.9      6.33      6.43
    100       21.1      28.5      2.81      2.71      54.1      24.7      17.0
    200        111       143      6.71      6.06       551       139      86.5
    300        409       416      13.2      11.8      2252       460       247
    600       3264      2910      46.6      40.9     51550      3624      1700

LU in panels is faster up to 200 rows, equal at 300, and a tenth slower at 600. Symmetric factors would gain from 80 dense rows
on; models that large are trees, whose zeros ours leave out: the mass matrix of an octopus (102 coordinates) takes 6.2 us here,
16.8 us by dpotrf. With two threads of its own, on a busy machine, dgetrf takes 201 us and dpotrf 155 us for 200 rows.
"""
