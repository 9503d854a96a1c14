"""Strains of the modes of a uniform beam that shears and whose sections have inertia (Timoshenko's), to rounding.

Of a mode of frequency w, deflection y, turn t, curvature k and shear s of a section are sums over the roots m of

    m^4 + (p + r) m^2 + p r - n = 0 ,   p = rho w^2 / E ,  r = rho w^2 / (kappa G) ,  n = rho A w^2 / (E I)               (1)
    y = e^(m x) ,   s = -(r / m) y ,   t = (m + r / m) y ,   k = (m^2 + r) y                                              (2)

that is, below the frequency at which sections begin to turn by themselves, e^(-a x), e^(-a (L - x)), cos b x, sin b x. In these
all numbers stay moderate, and the frequencies are the zeros of the determinant of the four conditions at the ends.
"""

import numpy as np

DEFLECTION, TURN, CURVATURE, SHEAR = range(4)
CLAMPED, FREE, PINNED = (DEFLECTION, TURN), (CURVATURE, SHEAR), (DEFLECTION, CURVATURE)
ENDS = {
    "cantilever": (CLAMPED, FREE), "free": (FREE, FREE), "pinned": (PINNED, PINNED), "clamped_pinned": (CLAMPED, PINNED),
}  # fmt: skip
STEP = 0.02  # step of the search, in the root of the frequency over that of the first mode without shear


class Beam:
    """A uniform beam: density rho, moduli e and kappa g, area and second moment of its section."""

    def __init__(self, length: float, rho: float, e: float, g: float, area: float, second: float, ends: str):
        self.length, self.rho, self.e, self.g, self.area, self.second = length, rho, e, g, area, second
        self.ends = ENDS[ends]

    @property
    def cut_off(self) -> float:
        """The frequency at which sections turn by themselves, rad/s."""
        return float(np.sqrt(self.g * self.area / (self.rho * self.second)))

    def parts(self, omega: float, x: np.ndarray) -> np.ndarray:
        """(4, 4, len(x)) deflection, turn, curvature and shear of (2) for each of the four functions."""
        p, r = self.rho * omega**2 / self.e, self.rho * omega**2 / self.g
        n = self.rho * self.area * omega**2 / (self.e * self.second)
        root = np.sqrt((p - r) ** 2 + 4.0 * n)
        b = np.sqrt(0.5 * (p + r + root))
        a = np.sqrt((n - p * r) / (0.5 * (p + r + root)))  # their product is known: no difference of near numbers
        down, up, c, s = np.exp(-a * x), np.exp(-a * (self.length - x)), np.cos(b * x), np.sin(b * x)
        found = []
        for m, y in ((-a, down), (a, up)):
            found.append([y, (m + r / m) * y, (m * m + r) * y, -r / m * y])
        bend = b - r / b
        found.append([c, -bend * s, -bend * b * c, -r / b * s])
        found.append([s, bend * c, -bend * b * s, r / b * c])
        return np.array(found)

    def conditions(self, omega: float) -> np.ndarray:
        """(4, 4) conditions at the ends, each of size one."""
        at = self.parts(omega, np.array([0.0, self.length]))
        rows = [at[:, which, end] for end, pair in enumerate(self.ends) for which in pair]
        return np.array([row / np.linalg.norm(row) for row in rows])

    def rates(self, count: int) -> list[float]:
        """The first rates, rad/s."""
        from scipy.optimize import root_scalar

        def sign(root: float) -> float:
            return float(np.linalg.det(self.conditions(root * root)))

        first = np.pi / self.length * (self.e * self.second / (self.rho * self.area)) ** 0.25
        step, root, found = STEP * first, 0.3 * first, []
        last = sign(root)
        while len(found) < count:
            ahead = root + step
            if ahead**2 >= self.cut_off:
                raise ValueError(
                    f"this beam has {len(found)} bending modes below the frequency at which its sections turn by themselves "
                    f"({self.cut_off:.3g} rad/s); take no more than these, not {count}"
                )
            value = sign(ahead)
            if last * value < 0.0:
                exact = root_scalar(sign, bracket=(root, ahead), xtol=1e-15 * ahead, rtol=1e-15, method="brentq")
                found.append(exact.root**2)
            root, last = ahead, value
        return found

    def mode(self, omega: float, x: np.ndarray) -> np.ndarray:
        """(4, len(x)) deflection, turn, curvature and shear of the mode of a frequency; the largest curvature is one."""
        weights = np.linalg.svd(self.conditions(omega))[2][-1]
        top = abs(np.einsum("f,fx->x", weights, self.parts(omega, np.linspace(0.0, self.length, 201))[:, CURVATURE])).max()
        return np.einsum("f,fpx->px", weights / top, self.parts(omega, np.asarray(x, dtype=float)))
