"""Sums along rows of tables. Loops begin at 0: from elsewhere, compiled code would take one term at a time."""

from locomote.compiler.source import helper, sum_helper

SHORT = 8  # a stretch of this length is not worth a loop over the whole row


@sum_helper
def long_dot(x, y, n):
    """x . y of the first n numbers."""
    s = 0.0
    for j in range(n):
        s += x[j] * y[j]
    return s


@sum_helper
def long_sum(x, n):
    """The sum of the first n numbers."""
    s = 0.0
    for j in range(n):
        s += x[j]
    return s


@sum_helper
def row_dot(table, i, x, n):
    """Row i of a table times x."""
    s = 0.0
    for j in range(n):
        s += table[i, j] * x[j]
    return s


@sum_helper
def rows_dot(table, i, other, k, n):
    """Row i of a table times row k of another."""
    s = 0.0
    for j in range(n):
        s += table[i, j] * other[k, j]
    return s


@helper
def add_row_to(w, table, i, x, n):
    """x += w times row i of a table."""
    for j in range(n):
        x[j] += w * table[i, j]


@helper
def stretch_dot(table, i, x, first, last, n):
    """The same as `row_dot` for a row that is zero outside of first .. last - 1."""
    if last - first > SHORT:
        return row_dot(table, i, x, n)
    s = 0.0
    for j in range(first, last):
        s += table[i, j] * x[j]
    return s
