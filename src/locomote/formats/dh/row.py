"""One row of a Denavit-Hartenberg table, and its reading from words and numbers."""

import math
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any

from locomote.formats.faults import Faults, shown
from locomote.formats.numbers import LARGEST, parse_number

KINDS = {
    "revolute": "revolute",
    "r": "revolute",
    "prismatic": "prismatic",
    "p": "prismatic",
    "fixed": "fixed",
    "base": "base",
}
ANGLES = ("alpha", "theta", "gamma")
JOINT_ANGLES = ("lower", "upper", "rest", "velocity")  # angles if the joint turns
NOT_NEGATIVE = ("mass", "damping", "friction", "armature", "stiffness", "velocity", "effort")
MAY_BE_INFINITE = ("lower", "upper", "velocity", "effort")
UNITS = ("deg", "rad")


@dataclass(frozen=True)
class DHRow:
    """A link, the joint that carries it, and the four numbers that place it on its parent.

    name : of the link and its joint; without one they are "link3" and "joint3"
    parent : name or number of the parent's row, 0 or "base" for the base; without one, the row before
    kind : revolute, prismatic, fixed; base for the base itself, which can only be the first row
    alpha, theta : angles (unit: `angles` of read_dh); theta is the joint angle at q = 0 (revolute), or the constant angle
    a, d : lengths, m; d is the joint shift at q = 0 (prismatic), or the constant shift
    gamma, b : turn about and shift along the parent's z before the rest, modified convention only: for a second branch whose
        common normal differs (Khalil and Kleinfinger)
    mass, cx, cy, cz : kg, and center of mass in the link frame, m
    ixx ... izz : moments of inertia in axes of the link frame, kg m^2, about the point that `about` of read_dh says
    damping, friction, armature, stiffness, rest, lower, upper, velocity, effort : of the joint, as in Joint
    """

    name: str = ""
    parent: str | int | None = None
    kind: str = "revolute"
    alpha: float = 0.0
    a: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    gamma: float = 0.0
    b: float = 0.0
    mass: float = 0.0
    cx: float = 0.0
    cy: float = 0.0
    cz: float = 0.0
    ixx: float = 0.0
    ixy: float = 0.0
    ixz: float = 0.0
    iyy: float = 0.0
    iyz: float = 0.0
    izz: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf


DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(DHRow)}
WORDS = ("name", "parent", "kind")


def read_row(given, angles: str | None, where, faults: Faults) -> DHRow:
    """The row of a mapping or a DHRow, with its angles in rad."""
    if isinstance(given, DHRow):
        given = {name: getattr(given, name) for name in DEFAULTS if getattr(given, name) != DEFAULTS[name]}
    columns: dict[str, tuple[object, str | None]] = {}
    for column, value in given.items():
        name, unit = _column(column, where, faults)
        if name in columns:
            faults.add(where, f"{name!r} is given twice")
        elif name is not None and not (value is None or (isinstance(value, str) and not value.strip())):
            columns[name] = (value, unit)
    kind = _kind(columns.pop("kind", ("revolute", None))[0], where, faults)
    row: dict = {"kind": kind}
    if "name" in columns:
        row["name"] = str(columns.pop("name")[0]).strip()
    if "parent" in columns:
        row["parent"] = columns.pop("parent")[0]
    for name, (value, unit) in columns.items():
        row[name] = _value(name, value, unit or angles, kind, where, faults)
    result = DHRow(**row)
    if result.lower > result.upper:
        faults.add(where, f"lower {result.lower:g} is above upper {result.upper:g}")
    return result


def _column(column, where, faults: Faults) -> tuple[str | None, str | None]:
    """The name of a column and the unit that it says: alpha_deg is alpha in degrees."""
    text = str(column).strip().lower()
    name, _, unit = text.rpartition("_")
    if unit in UNITS and name in (*ANGLES, *JOINT_ANGLES):
        return name, unit
    if text in DEFAULTS:
        return text, None
    faults.add(where, f"unknown column {shown(column)}{faults.nearest(text, DEFAULTS)}")
    return None, None


def _kind(value, where, faults: Faults) -> str:
    kind = KINDS.get(str(value).strip().lower())
    if kind is None:
        faults.add(where, f"unknown kind {shown(value)}; expected revolute, prismatic, fixed or base")
    return kind or "revolute"


def _value(name: str, value, unit: str | None, kind: str, where, faults: Faults) -> float:
    infinite = name in MAY_BE_INFINITE
    if isinstance(value, str):
        number = parse_number(value, infinite=infinite)
    elif isinstance(value, Real) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isnan(number) or (abs(number) > LARGEST and not infinite):
            number = f"{shown(value)} is not a finite number of a sane size"
    else:
        number = f"{shown(value)} is not a number"
    if isinstance(number, str):
        faults.add(where, f"{name} {number}")
        return DEFAULTS[name]
    if name in NOT_NEGATIVE and number < 0:
        faults.add(where, f"{name} is {number:g}, expected at least 0")
    if name in ANGLES or (name in JOINT_ANGLES and kind == "revolute"):
        if unit is None and number != 0 and math.isfinite(number):
            faults.add(None, f"the unit of column {name!r} is not said; give angles='deg' or 'rad', or call it {name}_deg")
        return math.radians(number) if unit == "deg" else number
    return number
