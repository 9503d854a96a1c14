"""Is this row dependent on others? The one answer, for compiled code and for matrices of NumPy.

A row a_r is divided by its length l_r, and depends on others if no more than `tolerance` of it is left beside them:

    | a_r / l_r - its part within the span of the others | <= tolerance                                              (1)

Rows are taken with the largest remainder first (`orthogonal.eliminate` with pivots, `independent_rows`), in the order given
where earlier rows have precedence (`eliminate` without pivots, `gram_schmidt`, `first_independent`), or all at once, as
singular values of the rows a_r / l_r (`decomposed`). Remainders and singular values differ by small factors, so the three agree
unless a value is that near to the tolerance. Steps over contacts measure lengths over the inverse mass matrix, in which a row
that depends on others does so as well, and one that nearly does has another remainder, by the ratio of masses at most.

**Relative to what.** l_r is not the length of the row itself: a row that vanishes where the mechanism stands (an axis along a
wheel, a loop in its plane) is all rounding, and would count as a full row of that direction. l_r is the longest of the rows
that belong together (one elementary constraint, the three translations of a contact), so that units cancel, and at least
SHORTEST of the longest row there is, so that a constraint which is rounding as a whole is none.

**How small.** Rounding leaves some 1e-16 of a row times the coordinates on its path and their levers, 1e-13 for chains of
hundreds of bodies. Remainders that mean something shrink in proportion to the distance from a singular configuration, and
forces grow with their inverse: at 1e-9 their direction still has seven digits. DEPENDENT stands between the two. It is the
default of `Locomotion(rank_tolerance=)`; what knows a problem takes its tolerance from there.

Other tolerances are arguments:

    NEARLY_DEPENDENT   projections of runs, contacts of whole-body control, the audit of constraints: an error is divided by
                       the remainder, and so near to a singular configuration the correction would exceed the motion itself
    1e-11              rows of the working set of a quadratic program: one wrongly called dependent makes a false proof that
                       there is no solution, and rows are of unit length before they are scaled
    1e-10              functions of a rod's basis: powers of X are of use up to orders at which they are nearly dependent
    1e-8               columns of a regressor: random samples, whose dependence is known to fewer digits
    1e-7               rates of rows among the rows (connection): those of custom constraints are differences
"""

import numpy as np

DEPENDENT = 1e-9  # share of the length of a row: its remainder beside others, at most, if it depends on them
NEARLY_DEPENDENT = 1e-4  # the same, for a row that nothing is to be divided by
SHORTEST = 1e-5  # least length of a row relative to the longest of all


def own_lengths(A: np.ndarray) -> np.ndarray:
    """Lengths (rows,) of rows that have no fellows to be compared with: their own, but at least SHORTEST of the longest."""
    lengths = np.linalg.norm(A, axis=1)
    most = lengths.max(initial=0.0)
    return np.maximum(lengths, SHORTEST * most) if most > 0 else np.ones(len(A))


def decomposed(A: np.ndarray, lengths: np.ndarray, tolerance: float = DEPENDENT):
    """Singular vectors (rows, rows), values, singular vectors (columns, columns), and the rank, of rows over their lengths."""
    left, values, right = np.linalg.svd(A / lengths[:, None])
    return left, values, right, int((values > tolerance).sum())


def rank_of(A: np.ndarray, lengths: np.ndarray, tolerance: float = DEPENDENT) -> int:
    """How many rows are independent."""
    return decomposed(A, lengths, tolerance)[-1] if A.size else 0


def kernels(A: np.ndarray, lengths: np.ndarray, tolerance: float = DEPENDENT) -> tuple[np.ndarray, np.ndarray]:
    """Orthonormal bases H of ker A and N of ker A^T, one column each."""
    left, _, right, rank = decomposed(A, lengths, tolerance)
    return right[rank:].T, np.linalg.qr(left[:, rank:] / lengths[:, None])[0]


def kernel_of(A: np.ndarray, lengths: np.ndarray, tolerance: float = DEPENDENT) -> np.ndarray:
    """An orthonormal basis of ker A, one column each."""
    return kernels(A, lengths, tolerance)[0] if len(A) else np.eye(A.shape[1])


def pseudo_inverse(A: np.ndarray, lengths: np.ndarray, tolerance: float = DEPENDENT) -> np.ndarray:
    """The Moore-Penrose inverse of A with its dependent rows, (columns, rows)."""
    left, values, right, rank = decomposed(A, lengths, tolerance)
    tall = lengths[:, None] * left[:, :rank] * values[:rank]  # A = tall right, and tall has full rank
    return right[:rank].T @ np.linalg.pinv(tall, rcond=1e-300)


def first_independent(A: np.ndarray, lengths: np.ndarray, tolerance: float = DEPENDENT) -> np.ndarray:
    """Numbers of the rows that do not depend on those before them."""
    basis, chosen = np.zeros((0, A.shape[1])), []
    for r, row in enumerate(A / lengths[:, None]):
        rest = row
        for _ in range(2):  # twice is enough
            rest = rest - (basis @ rest) @ basis
        if np.linalg.norm(rest) > tolerance:
            basis = np.vstack([basis, rest / np.linalg.norm(rest)])
            chosen.append(r)
    return np.array(chosen, dtype=int)


def independent_rows(A: np.ndarray, lengths: np.ndarray, tolerance: float = DEPENDENT) -> tuple[np.ndarray, int]:
    """An order of the rows, and how many of the first of them are independent: largest remainder first."""
    import scipy.linalg

    _, R, order = scipy.linalg.qr((A / lengths[:, None]).T, mode="economic", pivoting=True)
    return order, int((abs(np.diag(R)) > tolerance).sum())
