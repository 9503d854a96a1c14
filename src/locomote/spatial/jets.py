"""Numbers that carry exact derivatives: x + a e + b d + c e d with e^2 = d^2 = 0.

A function run on them gives its value, its derivatives a and b along two directions and the mixed second derivative c, exact
up to rounding, whatever it does with arithmetic, powers and the functions below. The four parts may be arrays. NumPy's
functions of one number (np.sin, np.exp, ...) work on them, as those of `compiler.scalars` do.
"""

import numpy as np


class Jet:
    """A number with two first derivatives and a mixed second one."""

    __slots__ = ("a", "b", "c", "x")

    def __init__(self, x, a=0.0, b=0.0, c=0.0) -> None:
        self.x, self.a, self.b, self.c = x, a, b, c

    def through(self, f, slope, bend) -> "Jet":
        """A function of this number, from its value, first and second derivative here."""
        return Jet(f, slope * self.a, slope * self.b, slope * self.c + bend * self.a * self.b)

    def __array_ufunc__(self, ufunc, method, *given, **options):
        """NumPy's functions and array operators come here."""
        if method != "__call__" or options:
            return NotImplemented
        if len(given) == 1:
            own = getattr(Jet, ufunc.__name__, None) or {"negative": Jet.__neg__, "square": _square}.get(ufunc.__name__)
            return own(jet(given[0])) if own else NotImplemented
        own = TWO.get(ufunc.__name__)
        return own(jet(given[0]), given[1]) if own else NotImplemented

    def __add__(self, other):
        o = jet(other)
        return Jet(self.x + o.x, self.a + o.a, self.b + o.b, self.c + o.c)

    def __mul__(self, other):
        o = jet(other)
        mixed = self.x * o.c + self.a * o.b + self.b * o.a + self.c * o.x
        return Jet(self.x * o.x, self.x * o.a + self.a * o.x, self.x * o.b + self.b * o.x, mixed)

    def __neg__(self):
        return Jet(-self.x, -self.a, -self.b, -self.c)

    def __sub__(self, other):
        return self + (-jet(other))

    def __rsub__(self, other):
        return jet(other) + (-self)

    def __truediv__(self, other):
        o = jet(other)
        part = 1.0 / o.x  # products of it, since not every kind of number knows powers
        return self * o.through(part, -(part * part), 2.0 * (part * part) * part)

    def __rtruediv__(self, other):
        return jet(other) / self

    def __pow__(self, power):
        if isinstance(power, Jet):
            return (power * self.log()).exp()
        n, x = power, self.x
        slope = 0.0 * x if n == 0 else n * x ** (n - 1)
        bend = 0.0 * x if n in (0, 1) else n * (n - 1) * x ** (n - 2)
        return self.through(x**n, slope, bend)

    def __rpow__(self, base):
        return (self * np.log(base)).exp()

    def __pos__(self):
        return self

    __radd__, __rmul__ = __add__, __mul__

    def sin(self):
        return self.through(np.sin(self.x), np.cos(self.x), -np.sin(self.x))

    def cos(self):
        return self.through(np.cos(self.x), -np.sin(self.x), -np.cos(self.x))

    def tan(self):
        t = np.tan(self.x)
        return self.through(t, 1.0 + t * t, 2.0 * t * (1.0 + t * t))

    def exp(self):
        e = np.exp(self.x)
        return self.through(e, e, e)

    def log(self):
        part = 1.0 / self.x
        return self.through(np.log(self.x), part, -(part * part))

    def sqrt(self):
        r = np.sqrt(self.x)
        return self.through(r, 0.5 / r, -0.25 / (r * self.x))

    def arctan(self):
        s = 1.0 / (1.0 + self.x * self.x)
        return self.through(np.arctan(self.x), s, -2.0 * self.x * s * s)

    def arcsin(self):
        s = 1.0 / np.sqrt(1.0 - self.x * self.x)
        return self.through(np.arcsin(self.x), s, self.x * s**3)

    def arccos(self):
        return np.pi / 2 - self.arcsin()

    def sinh(self):
        return self.through(np.sinh(self.x), np.cosh(self.x), np.sinh(self.x))

    def cosh(self):
        return self.through(np.cosh(self.x), np.sinh(self.x), np.cosh(self.x))

    def tanh(self):
        t = np.tanh(self.x)
        return self.through(t, 1.0 - t * t, -2.0 * t * (1.0 - t * t))

    def __repr__(self) -> str:
        return f"Jet({self.x!r}, {self.a!r}, {self.b!r}, {self.c!r})"


def _square(x: Jet) -> Jet:
    return x * x


TWO = {
    "add": Jet.__add__, "subtract": Jet.__sub__, "multiply": Jet.__mul__, "true_divide": Jet.__truediv__,
    "divide": Jet.__truediv__, "power": Jet.__pow__,
}  # fmt: skip


def jet(x) -> Jet:
    """A number as a jet: a constant unless it is one already."""
    return x if isinstance(x, Jet) else Jet(x)
