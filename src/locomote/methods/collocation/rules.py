"""Tables of collocation: where its stages are, and what steps need of that.

    A_ij = integral of the polynomial of stage j from 0 to c_i ,   b_j from 0 to 1 ,   A = P diag(lam) P^-1                (1)

Gauss points give order 2s, and neither damp nor drive what swings; Radau's points, the last of which is the end of the step,
give order 2s - 1 and damp what is too fast for the step. The error of a step, for a swing of frequency w, and the distance of
its acceleration at the start from the polynomial through the stages, times h, both relative to its speed:

    error = (w h)^p / C ,      distance = (w h)^(s+1) / D                                                                  (2)

The state within a step (`collocation.between`) is off by (w h)^(s+2) / B, of which the tolerance allows the part FOR_SAMPLES:
steps that have samples within are shorter by as much as that asks for.                                                     (3)
"""

from math import factorial

import numpy as np
from numpy.polynomial import legendre, polynomial

from locomote.compiler.source import helper

# rows of a table, five numbers each: A from row 0 on, then these; lam is one real number, if s is odd, and pairs, for each of
# which there are four rows from IN_REAL on
NODES, WEIGHTS, REAL_IN, REAL_OUT, AT_START, AT_END = range(5, 11)
LAMBDA, MEASURE, CONTROL = range(11, 14)  # real lam, parts of others; p, C, D; power by which steps follow errors, B
IN_REAL, IN_IMAGINARY, OUT_REAL, OUT_IMAGINARY, PER_PAIR = 14, 15, 16, 17, 4
ROWS, WIDEST = 22, 5
# rows of the polynomials of a step, coefficients of rising powers: 1 at one stage and 0 at others; 1 at one end and 0 at the
# other and at all stages (0 where a stage is there); integrals of both, and those of the latter again; integrals of what is 1
# at the start, at a stage, at the end, and 0 at the others of these
BASIS, ENDS, OF_BASIS, OF_ENDS, TWICE_ENDS, FROM_RATES, BETWEEN = 0, 5, 7, 12, 14, 16, 23
POWERS = 9
# entries of `pace` of a state: length of the step that `stages` are of; steps still to come by accelerations, as forces did not
# converge; factor of iterations; length of the step that the matrix is for, 0 if there is none, negative if it must be made
# again of `start_mass`; whether the start was evaluated, and is not merely known to `left`; whether it is at a sample; whether
# `ends` are those of the attempt; attempts in a row that did not converge; velocity that counts as an error; steps
# by accelerations when forces do not converge the next time
LENGTH, MODE, FACTOR, MADE_FOR, EVALUATED, SAMPLED, ENDED, FAILS, ALLOWED, STAY = range(10)
# and, of exact tangents (`collocation.tangent_choice`): steps by them until M + K is tried again, negative those by M + K
# until they are;
# what M + K spent in vain before there were any; steps for which they rest when they have not paid; motion in seconds and what
# it took, of late, by M + K and by them; what this attempt took; whether its iterations shrank slowly
EXACT, WANTED, RESTING, MASS_GAIN, MASS_COST, EXACT_GAIN, EXACT_COST, SPENT, SLOWLY = range(10, 19)
PACES, FIRST_FACTOR = 19, 0.5
FOR_SAMPLES = 0.5  # part of the tolerance: energy is off by twice as much as velocities
# rows of `ends`: what the polynomial misses of accelerations at the start, the same of the step before, at the end; rates there
MISSED_AT_START, MISSED_BEFORE, MISSED_AT_END, RATES_AT_END = range(4)


def distance_of(above: int, below: int) -> float:
    """C of (2): steps multiply a swing by a quotient of polynomials of these degrees in i w h, as near to exp(i w h) as such a
    quotient comes."""
    return factorial(above + below) * factorial(above + below + 1) / (factorial(above) * factorial(below))


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
    pair = 0
    for k, value in enumerate(values.tolist()):
        if abs(value.imag) < 1e-12:
            turn = np.exp(-1j * float(np.angle(P[0, k])))  # an eigenvector of numbers without imaginary parts
            table[LAMBDA, 0] = value.real
            table[REAL_IN, :s], table[REAL_OUT, :s] = np.real(back[k] / turn), np.real(P[:, k] * turn)
        elif value.imag > 0:
            table[LAMBDA, 1 + 2 * pair : 3 + 2 * pair] = value.real, value.imag
            parts = np.real(back[k]), np.imag(back[k]), np.real(P[:, k]), np.imag(P[:, k])
            table[IN_REAL + PER_PAIR * pair : IN_REAL + PER_PAIR * (pair + 1), :s] = parts
            pair += 1
    table[MEASURE, :3] = p, constant, factorial(s) / np.prod(nodes)
    table[CONTROL, :2] = 1.0 / (p - 1), 1.0 / error_within(table, s)
    return table


def error_within(table: np.ndarray, s: int) -> float:
    """How far velocities within a step are off at most, for a swing of w h = 1 and unit speed."""
    A, nodes, polynomials, places = table[:s, :s], table[NODES, :s], between_of(table, s), np.linspace(0.0, 1.0, 101)

    def at_places(row: int) -> np.ndarray:
        return polynomial.polyval(places, polynomials[row])

    worst = 0.0
    for q, v in ((1.0, 0.0), (0.0, 1.0)):
        a = np.linalg.solve(np.eye(s) + A @ A, -(q + nodes * v))
        end = q + v + table[WEIGHTS, :s] @ A @ a
        missed = -q - table[AT_START, :s] @ a, -end - table[AT_END, :s] @ a
        found = v + sum(a[i] * at_places(OF_BASIS + i) for i in range(s))
        found = found + missed[0] * at_places(OF_ENDS) + missed[1] * at_places(OF_ENDS + 1)
        worst = max(worst, float(abs(found - v * np.cos(places) + q * np.sin(places)).max()))
    return worst


def between_of(table: np.ndarray, s: int) -> np.ndarray:
    """Polynomials of a step, for the table of s stages."""
    nodes, result = table[NODES, :s], np.zeros((BETWEEN, POWERS))
    known = [float(x) for x in np.unique([0.0, *nodes, 1.0])]

    def put(row: int, coefficients: np.ndarray) -> None:
        result[row, : len(coefficients)] = coefficients

    for k, basis in enumerate(lagrange(nodes)):
        put(BASIS + k, basis)
        put(OF_BASIS + k, polynomial.polyint(basis))
    for x, basis in zip(known, lagrange(np.array(known)), strict=True):
        stage = next((i for i, c in enumerate(nodes) if c == x), None)
        put(FROM_RATES + (1 + stage if stage is not None else 0 if x == 0.0 else s + 1), polynomial.polyint(basis))
        if stage is None:
            end = int(x == 1.0)
            put(ENDS + end, basis)
            put(OF_ENDS + end, polynomial.polyint(basis))
            put(TWICE_ENDS + end, polynomial.polyint(basis, 2))
    return result


@helper
def reach(rule, stages, rtol):
    """Part of the step that errors of `rtol` allow which a step with samples within may have, by (3)."""
    alone, part = (rule[MEASURE, 1] * rtol) ** (1.0 / rule[MEASURE, 0]), FOR_SAMPLES ** (1.0 / rule[MEASURE, 0])
    return min(part, (rule[CONTROL, 1] * FOR_SAMPLES * rtol) ** (1.0 / (stages + 2.0)) / alone)


@helper
def size_of(rule, stages, rtol, change):
    """The error of a step, relative to the one of `rtol`, from what its polynomial misses of accelerations at one end, times h,
    relative to the velocity that `rtol` allows: (2)."""
    return (rule[MEASURE, 2] * rtol * change) ** (rule[MEASURE, 0] / (stages + 1.0)) / (rule[MEASURE, 1] * rtol)


def gauss(s: int) -> np.ndarray:
    """The table of s Gauss points, of order 2s."""
    nodes = (np.polynomial.legendre.leggauss(s)[0] + 1.0) / 2.0
    return table_of(nodes, 2 * s + 1, distance_of(s, s))


def radau(s: int) -> np.ndarray:
    """The table of s points of Radau, of order 2s - 1."""
    zeros = legendre.legroots([0.0] * (s - 1) + [-1.0, 1.0]).real  # zeros of P_s - P_(s-1), 1 among them; complex of late
    nodes = (np.sort(zeros) + 1.0) / 2.0
    nodes[-1] = 1.0
    return table_of(nodes, 2 * s, distance_of(s - 1, s))
