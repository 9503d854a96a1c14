"""Tables of collocation: where its stages are, and what steps need of that.

    A_ij = integral of the polynomial of stage j from 0 to c_i ,   b_j from 0 to 1 ,   A = P diag(lam) P^-1                (1)

Gauss points give order 2s, and neither damp nor drive what swings; Radau's points, the last of which is the end of the step,
give order 2s - 1 and damp what is too fast for the step. The error of a step, for a swing of frequency w, and the distance of
its acceleration at the start from the polynomial through the stages, times h, both relative to its speed:

    error = (w h)^p / C ,      distance = (w h)^(s+1) / D                                                                  (2)
"""

from math import factorial

import numpy as np
from numpy.polynomial import legendre, polynomial

# rows of a table, three numbers each: A from row 0 on, then these; lam is one real number, if s is odd, and a pair
NODES, WEIGHTS, REAL_IN, REAL_OUT, IN_REAL, IN_IMAGINARY, OUT_REAL, OUT_IMAGINARY, AT_START, AT_END = range(3, 13)
LAMBDA, MEASURE, CONTROL = range(13, 16)  # real lam, parts of the other; p, C, D; power by which steps follow errors
ROWS, WIDEST = 16, 3
# entries of `pace` of a state: length of the step that `stages` are of; steps since forces did not converge; factor of
# iterations; length of the step that the matrix is for, 0 if there is none, negative if it must be made again of `start_mass`;
# whether the start was evaluated, and is not merely known to `left`; whether it is at a sample
LENGTH, MODE, FACTOR, MADE_FOR, EVALUATED, SAMPLED = range(6)
PACES, FIRST_FACTOR = 6, 0.5
# distance of Radau's methods from exp(z), by the number of stages: C of (2)
RADAU = {3: 7200.0}


def lagrange(nodes: np.ndarray) -> list[np.ndarray]:
    """Coefficients of the polynomials that are 1 at one node and 0 at the others."""
    found = []
    for k, c in enumerate(nodes):
        others = np.delete(nodes, k)
        found.append(polynomial.polyfromroots(others) / np.prod(c - others))
    return found


def table_of(nodes: np.ndarray, p: int, constant: float) -> np.ndarray:
    """The table of collocation at some nodes, with the error (2)."""
    s, table = len(nodes), np.zeros((ROWS, WIDEST))
    bases = lagrange(nodes)
    sums = [polynomial.polyint(basis) for basis in bases]
    A = np.array([[polynomial.polyval(c, integral) for integral in sums] for c in nodes])
    table[:s, :s], table[NODES, :s] = A, nodes
    table[WEIGHTS, :s] = [polynomial.polyval(1.0, integral) for integral in sums]
    table[AT_START, :s] = [polynomial.polyval(0.0, basis) for basis in bases]
    table[AT_END, :s] = [polynomial.polyval(1.0, basis) for basis in bases]
    values, P = np.linalg.eig(A.astype(complex))
    back = np.linalg.inv(P)
    for k, value in enumerate(values.tolist()):
        if abs(value.imag) < 1e-12:
            turn = np.exp(-1j * float(np.angle(P[0, k])))  # an eigenvector of numbers without imaginary parts
            table[LAMBDA, 0] = value.real
            table[REAL_IN, :s], table[REAL_OUT, :s] = np.real(back[k] / turn), np.real(P[:, k] * turn)
        elif value.imag > 0:
            table[LAMBDA, 1:] = value.real, value.imag
            table[IN_REAL, :s], table[IN_IMAGINARY, :s] = np.real(back[k]), np.imag(back[k])
            table[OUT_REAL, :s], table[OUT_IMAGINARY, :s] = np.real(P[:, k]), np.imag(P[:, k])
    table[MEASURE] = p, constant, factorial(s) / np.prod(nodes)
    table[CONTROL, 0] = 1.0 / (p - 1)
    return table


def gauss(s: int) -> np.ndarray:
    """The table of s Gauss points, of order 2s."""
    nodes = (np.polynomial.legendre.leggauss(s)[0] + 1.0) / 2.0
    return table_of(nodes, 2 * s + 1, (2 * s + 1) * factorial(2 * s) ** 3 / factorial(s) ** 4)


def radau(s: int) -> np.ndarray:
    """The table of s points of Radau, of order 2s - 1."""
    zeros = legendre.legroots([0.0] * (s - 1) + [-1.0, 1.0])  # of P_s - P_(s-1), 1 among them
    nodes = (np.sort(zeros) + 1.0) / 2.0
    nodes[-1] = 1.0
    return table_of(nodes, 2 * s, RADAU[s])
