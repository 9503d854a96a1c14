"""What a law of force may call: functions of numbers and of tuples of three that are compiled, vectorised and traced alike."""

from locomote.compiler.scalars import atan2, cos, exp, floor, log, select, sin, sqrt
from locomote.spatial.algebra import add, compose, cross, dot, rotate, scale, subtract, unrotate

__all__ = [
    "add", "atan2", "compose", "cos", "cross", "dot", "exp", "floor", "log", "rotate", "scale", "select", "sin", "sqrt",
    "subtract", "unrotate",
]  # fmt: skip
