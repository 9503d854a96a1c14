"""Units of columns of files, turned into SI: `deg/s^2`, `N mm`, `rpm`, `km/h`."""

import math
import re

PREFIXES = {"": 1.0, "k": 1e3, "c": 1e-2, "m": 1e-3, "u": 1e-6, "µ": 1e-6, "n": 1e-9, "M": 1e6}
PREFIXED = ("m", "s", "N", "W", "J", "Pa", "g", "rad")
ATOMS = {
    "kg": (1.0, "kg"), "g": (1e-3, "kg"), "deg": (math.pi / 180, "rad"), "°": (math.pi / 180, "rad"),
    "rev": (2 * math.pi, "rad"), "rpm": (math.pi / 30, "rad/s"),
    "min": (60.0, "s"), "h": (3600.0, "s"), "Hz": (1.0, "Hz"), "-": (1.0, "-"), "1": (1.0, ""),
}  # fmt: skip
TOKEN = re.compile(r"([ */]?)([^\s*/^]+)(?:\^(-?\d))?")


def in_si(unit: str) -> tuple[float, str]:
    """What a number in this unit is multiplied by, and the unit it then has; a ValueError says what is not known.

    >>> in_si("N mm")
    (0.001, 'N m')
    """
    text, factor, words = unit.strip().split(",")[0], 1.0, ""
    for sign, name, power in TOKEN.findall(text):
        size, base = atom(name, unit)
        exponent = int(power or 1) * (-1 if sign == "/" else 1)
        factor *= size**exponent
        base = f"{base}^{power}" if power else base
        words += base if not words else f"{'/' if sign == '/' else ' '}{base}"
    return factor, words or "-"


def atom(name: str, unit: str) -> tuple[float, str]:
    """Factor and base unit of one word."""
    if name in ATOMS:
        return ATOMS[name]
    for base in PREFIXED:
        if name.endswith(base) and name.removesuffix(base) in PREFIXES:
            size = PREFIXES[name.removesuffix(base)]
            return (1e-3 * size, "kg") if base == "g" else (size, base)
    raise ValueError(
        f"unit {unit!r} is not known; write it with m, s, kg, N, rad, deg, rev, rpm and the like, as in 'N mm' or 'deg/s'"
    )
