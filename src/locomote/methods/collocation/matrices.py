"""Matrices of steps by collocation, (2) and (3) of `collocation`: made, factored, and used."""

from locomote.compiler.source import routine
from locomote.evaluation.plan import DAMPING, STIFFNESS
from locomote.kernels.flexible.columns import BAND, FIRST_V, MATRIX, SIZE
from locomote.linear.orthogonal import turn_in, turn_matrix, turn_out
from locomote.linear.symmetric import factor_complex, factor_real, solve_complex, solve_real
from locomote.methods.collocation.rules import LAMBDA, MADE_FOR
from locomote.methods.collocation.start import weigh


@routine
def add_stiffness(plan, work, state, h, alpha, beta, rank, real, imaginary):
    """Add h lam D + h^2 lam^2 K to a matrix in two parts, lam = alpha + i beta."""
    a, b, c, d = alpha * h, beta * h, (alpha * alpha - beta * beta) * h * h, 2.0 * alpha * beta * h * h
    free = plan.free.shape[0]
    for k in range(plan.imposed.shape[0]):
        work.chosen_free[k] = -1
    for n in range(free):
        k = state.order[n]
        work.chosen_free[k] = n
        damping, stiffness = plan.passive[DAMPING, k], plan.passive[STIFFNESS, k]
        real[n, n] += a * damping + c * stiffness
        imaginary[n, n] += b * damping + d * stiffness
    for r in range(plan.rods.shape[0]):
        size, first, at = plan.rods[r, SIZE], plan.rods[r, FIRST_V], plan.rods[r, MATRIX]
        for i in range(size):
            n = work.chosen_free[first + i]
            if n >= 0:
                for j in range(max(0, i - plan.rods[r, BAND]), min(size, i + plan.rods[r, BAND] + 1)):
                    damping, stiffness = plan.viscous[at + i * size + j], plan.elastic[at + i * size + j]
                    m = work.chosen_free[first + j]
                    if m >= 0 and (damping != 0.0 or stiffness != 0.0):
                        real[n, m] += a * damping + c * stiffness
                        imaginary[n, m] += b * damping + d * stiffness


@routine
def stiff_matrices(plan, work, state, h, rank):
    """The matrices of (2) over free coordinates, factored: complex ones in state.jacobian and state.factors, one below the
    other, the real one in state.real_factors. With constraints, (3): turned, as M is in state.turned."""
    nv, free, other = state.v.shape[0], plan.free.shape[0], state.real_factors
    if rank > 0:
        for n in range(free):
            for m in range(free):
                state.turned[n, m] = state.start_mass[n, m]
        turn_matrix(state.reflections, rank, free, state.turned, work.gauss_x)
    for pair in range(state.stages.shape[0] // 2):
        real, imaginary = state.jacobian[pair * nv : (pair + 1) * nv], state.factors[pair * nv : (pair + 1) * nv]
        for n in range(free):
            for m in range(free):
                real[n, m], imaginary[n, m] = state.start_mass[n, m], 0.0
        alpha, beta = state.rule[LAMBDA, 1 + 2 * pair], state.rule[LAMBDA, 2 + 2 * pair]
        add_stiffness(plan, work, state, h, alpha, beta, rank, real, imaginary)
        if rank > 0:
            turn_matrix(state.reflections, rank, free, real, work.gauss_x)
            turn_matrix(state.reflections, rank, free, imaginary, work.gauss_x)
        factor_complex(real, imaginary, rank, free)
    if other.shape[0] > 0:
        for n in range(free):
            for m in range(free):
                other[n, m] = state.start_mass[n, m]
        add_stiffness(plan, work, state, h, state.rule[LAMBDA, 0], 0.0, rank, other, other)
        if rank > 0:
            turn_matrix(state.reflections, rank, free, other, work.gauss_x)
        factor_real(other, rank, free)
    state.pace[MADE_FOR] = h


@routine
def correct_complex(plan, work, state, rank, of_forces, pair):
    """Turn gauss_x + i gauss_y, which hold -(P^-1 R)_lam or the same of accelerations, into y of (2) or (3)."""
    nv, free, x, y = state.v.shape[0], plan.free.shape[0], work.gauss_x, work.gauss_y
    real, imaginary = state.jacobian[pair * nv : (pair + 1) * nv], state.factors[pair * nv : (pair + 1) * nv]
    if not of_forces:
        if rank > 0:
            turn_in(state.reflections, rank, free, x)
            turn_in(state.reflections, rank, free, y)
        weigh(plan, state, rank, x)
        weigh(plan, state, rank, y)
        for k in range(rank):
            for n in range(rank, free):
                s, i = real[k, n] - state.turned[k, n], imaginary[k, n]
                x[n] -= s * x[k] - i * y[k]
                y[n] -= s * y[k] + i * x[k]
    solve_complex(real, imaginary, rank, free, x, y)
    if rank > 0:
        turn_out(state.reflections, rank, free, x)
        turn_out(state.reflections, rank, free, y)


@routine
def correct_real(plan, work, state, rank, of_forces):
    """The same for the real lam, of gauss_x."""
    free, x = plan.free.shape[0], work.gauss_x
    if not of_forces:
        if rank > 0:
            turn_in(state.reflections, rank, free, x)
        weigh(plan, state, rank, x)
        for k in range(rank):
            for n in range(rank, free):
                x[n] -= (state.real_factors[k, n] - state.turned[k, n]) * x[k]
    solve_real(state.real_factors, rank, free, x)
    if rank > 0:
        turn_out(state.reflections, rank, free, x)
