"""Expressions of mechanics made short: sums of products of sines and cosines, by monomials of velocities and accelerations.

A recorded kernel gives polynomials (or their quotients) in numbers, sines and cosines. Those are reduced by s^2 = 1 - c^2,
which decides equality, sorted by what they are linear or quadratic in, and each coefficient is then written as short as is
found in the given time.
"""

import time
from typing import Any

from locomote.runs.optional import package

SMALL = 200  # operations of a coefficient that is worth a search for a shorter form


def sympy() -> Any:
    """The package, or the sentence that says how to get it."""
    return package("sympy", "equations in symbols", "locomote[symbolic]")


def simplified(expression, motion: list, deadline: float):
    """A shorter equal expression; `motion` are the symbols to sort by, deadline is that of `time.monotonic`."""
    sp = sympy()
    numerator, denominator = sp.fraction(sp.together(expression))
    numerator, denominator = reduced(numerator), reduced(denominator)
    if denominator.is_number:
        return by_motion(numerator / denominator, motion, deadline)
    numerator, denominator = sp.fraction(sp.cancel(numerator / denominator))
    return by_motion(reduced(numerator), motion, deadline) / by_motion(reduced(denominator), motion, deadline)


def reduced(expression):
    """Expanded, with squares of sines replaced: zero if and only if the expression is zero."""
    sp = sympy()
    expression = sp.expand(expression)
    angles = sorted({f.args[0] for f in expression.atoms(sp.sin, sp.cos)}, key=str)
    for angle in angles:
        s, c = sp.Symbol("_s"), sp.Symbol("_c")
        inside = sp.expand(expression.subs({sp.sin(angle): s, sp.cos(angle): c}))
        powers = sp.Poly(inside, s).as_dict() if inside.has(s) else {(0,): inside}
        total = sum(value * (1 - c**2) ** (power // 2) * s ** (power % 2) for (power,), value in powers.items())
        expression = sp.expand(sp.expand(total).subs({s: sp.sin(angle), c: sp.cos(angle)}))
    return expression


def by_motion(expression, motion: list, deadline: float):
    """A polynomial sorted by the symbols of motion, each coefficient as short as is found."""
    sp = sympy()
    present = [x for x in motion if expression.has(x)]
    if not present:
        return shortest(expression, deadline)
    poly = sp.Poly(expression, *present)
    parts = [
        shortest(value, deadline) * sp.prod(x**k for x, k in zip(present, powers, strict=True))
        for powers, value in poly.terms()
    ]
    return sp.Add(*parts)


def shortest(expression, deadline: float):
    """The shortest of some equal forms."""
    sp = sympy()
    forms = [expression]
    for change in (sp.factor_terms, sp.trigsimp, sp.factor, lambda x: sp.factor_terms(sp.trigsimp(x))):
        if expression.count_ops() > SMALL or time.monotonic() > deadline:
            break
        forms.append(change(expression))
    return min(forms, key=lambda form: (form.count_ops(), len(str(form))))
