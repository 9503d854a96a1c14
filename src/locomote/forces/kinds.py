"""Laws of force: functions of the single source, from the motion of bodies to the wrenches on them.

A law is handed time, and of every body that it acts on R, o (rotation and place in the world), u, w (velocity of its origin
and angular velocity, in body axes), then its own numbers:

    force, moment                = law(t, R, o, u, w, ...)            in body axes, at the origin of the body
    force, moment, energy, loss  = law(t, R, o, u, w, ...)            with its potential energy, J, and the power it takes, W

Without an energy, the work of a law is the power of its wrench; with one it is -energy' - loss.
A law between two bodies takes R, o, u, w twice and gives two forces and moments. A law in a fluid is handed what the flow does
at the place as well: U, G, D (velocity, its gradient and the acceleration of the fluid, in world axes), and numbers of each
place:

    law(t, R, o, u, w, U, G, D, numbers of all places ..., numbers of this place ...)

A `Kind` makes a rule of a law: a routine that runs it over all places of a term. The rule is compiled by itself and called by
address, so that a problem compiles the kinds that it uses and no others; it also runs on symbols, as it is.
"""

import functools
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from numba import float64, int64

from locomote.compiler.fingerprint import STANDING_FOR, changed_since, kernel_stamp
from locomote.compiler.indirect import address_of, plain_address
from locomote.compiler.numba_private import NumbaError, part
from locomote.compiler.source import helper, kernel, routine
from locomote.spatial.algebra import add, dot, rotate
from locomote.spatial.rows import load, load9

# columns of places: rotation, origin, velocity of the origin and angular velocity in own axes
ROTATION, ORIGIN, LINEAR, ANGULAR = 0, 9, 12, 15
PLACE = 18
ENERGY, LOSS = range(2)  # columns of results
RESULTS = 2
_MATRIX, _VECTOR = float64[:, ::1], float64[::1]
HANDED = ("t", "R", "o", "u", "w")  # arguments of a law before its numbers


def signature_for(number, matrix) -> tuple:
    """Types that a rule takes."""
    return number, matrix, int64, int64, _VECTOR, int64, matrix, matrix, int64


@dataclass(frozen=True)
class Kind:
    """A law made ready.

    name : what it is called ; law : the function ; sizes : how many numbers each of its own arguments has, 0 for a plain number
    bodies : 1, or 2 for a law between two ; energy : whether it gives energy and loss
    own : sizes of those arguments that every place has a value of its own for; they come last
    flow : law of the flow (t, x, numbers, start) -> (U, G, dU/dt) that the law asks, and how many numbers it has; these come
    first
    whole : the law is a rule already: it sees all places of its term at once
    """

    name: str
    law: Callable = field(repr=False)
    sizes: tuple[int, ...]
    bodies: int = 1
    energy: bool = False
    own: tuple[int, ...] = ()
    flow: tuple[Callable, int] | None = field(default=None, repr=False)
    whole: bool = False

    @property
    def rule(self) -> Callable:
        """rule(t, places, first, count, numbers, start, wrenches, results, row)"""
        for law in (self.law, self.flow and self.flow[0]):
            if isinstance(law, types.FunctionType) and (name := changed_since(law)):
                raise ValueError(
                    f"force {self.name!r} reads {name!r}, which is not what it was when the force was compiled; hand it over "
                    f"as a number of the force, or define the force anew"
                )
        if self.whole:
            return _whole(self.law)
        return _rule(self.law, self.sizes, self.bodies, self.energy, self.own, self.flow)

    @property
    def entry(self) -> tuple[Any, tuple]:
        """The kernel that runs the rule, and its argument types."""
        return _kernel(self.rule), signature_for(float64, _MATRIX)

    @property
    def address(self) -> int:
        """Where the compiled rule is; a TypeError says why a law cannot be compiled."""
        return self.address_for(float64, _MATRIX)

    def address_for(self, number, matrix) -> int:
        """`address` for other types of numbers, and of matrices of them."""
        try:
            return address_of(_kernel(self.rule), signature_for(number, matrix))
        except NumbaError as fault:
            reason = next((line for line in str(fault).splitlines() if line.strip()), "")
            raise TypeError(
                f"force {self.name!r} cannot be compiled: {reason}; use numbers, tuples and the functions of locomote.law, or "
                f"give a plain function (t, q, v) -> {{body: wrench}} as environment, which is slow"
            ) from fault

    @property
    def plain_address(self) -> int:
        """A name of the rule for `call_compiled` where kernels run as plain Python, on numbers of any kind."""
        return plain_address(self.rule)

    @property
    def stamp(self) -> str:
        """A name for the code of the rule, equal in another process."""
        return kernel_stamp(self.rule)  # type: ignore[arg-type]


@helper
def put(wrenches, n, force, moment):
    """Store the wrench on place n."""
    wrenches[n, 0], wrenches[n, 1], wrenches[n, 2] = force
    wrenches[n, 3], wrenches[n, 4], wrenches[n, 5] = moment


@helper
def power(u, w, force, moment):
    """What a wrench gives to its body, W."""
    return dot(force, u) + dot(moment, w)


@helper
def fluid_acceleration(U, G, rate):
    """Acceleration of the fluid that is at a place: dU/dt + G U, m/s^2."""
    return add(rate, rotate(G, U))


_NAMES = {
    "load": load, "load9": load9, "put": put, "power": power, "add": add, "fluid_acceleration": fluid_acceleration,
}  # fmt: skip


@functools.cache
def _whole(law: Callable) -> Callable:
    """A rule that is one already."""
    return routine(law)


@functools.cache
def _rule(
    law: Callable, sizes: tuple[int, ...], bodies: int, energy: bool, each: tuple[int, ...], flow: tuple[Callable, int] | None
) -> Callable:
    """Run a law over all places of a term. Its text depends on how many bodies and numbers the law takes."""
    adopt(law)
    own = range(bodies)
    handed = [f"R{b}, o{b}, u{b}, w{b}" + f", U{b}, G{b}, D{b}" * (flow is not None) for b in own]
    loads = [
        f"        R{b}, o{b} = load9(places, n + {b}, {ROTATION}), load(places, n + {b}, {ORIGIN})\n"
        f"        u{b}, w{b} = load(places, n + {b}, {LINEAR}), load(places, n + {b}, {ANGULAR})\n"
        for b in own
    ]
    if flow is not None:
        adopt(flow[0])
        loads += [
            f"        U{b}, G{b}, D{b} = flow(t, o{b}, numbers, start)\n        D{b} = fluid_acceleration(U{b}, G{b}, D{b})\n"
            for b in own
        ]
    numbers, place, begin = [], flow[1] if flow else 0, "start"
    shared = place + sum(max(size, 1) for size in sizes)
    stride = sum(max(size, 1) for size in each)
    for k, size in enumerate([*sizes, *each]):
        if k == len(sizes):
            begin, place = "mine", 0
        values = [f"numbers[{begin} + {place + k}]" for k in range(max(size, 1))]
        numbers.append(f"({', '.join(values)},)" if size else values[0])
        place += max(size, 1)
    given = ", ".join([f"f{b}, m{b}" for b in own] + (["e, l"] if energy else []))
    taken = "e, l" if energy else "0.0, -(" + " + ".join(f"power(u{b}, w{b}, f{b}, m{b})" for b in own) + ")"
    text = (
        "def rule(t, places, first, count, numbers, start, wrenches, results, row):\n"
        "    energy, loss = 0.0, 0.0\n"
        f"    for n in range(first, first + count, {bodies}):\n"
        + "".join(loads)
        + f"        mine = start + {shared} + (n - first) // {bodies} * {stride}\n" * bool(each)
        + f"        {given} = law({', '.join(['t', *handed, *numbers])})\n"
        + "".join(f"        put(wrenches, n + {b}, f{b}, m{b})\n" for b in own)
        + f"        gained, lost = {taken}\n"
        + "        energy, loss = energy + gained, loss + lost\n"
        + f"    results[row, {ENERGY}] = energy\n"
        + f"    results[row, {LOSS}] = loss\n"
    )
    names: dict[str, Any] = _NAMES | {"law": law, "flow": flow and flow[0], "__name__": __name__}
    exec(compile(text, f"<rule of {law.__name__}>", "exec"), names)
    return routine(names["rule"])


@functools.cache
def _kernel(rule: Callable) -> Any:
    """The entry into the compiled rule."""

    def force_term(t, places, first, count, numbers, start, wrenches, results, row):
        rule(t, places, first, count, numbers, start, wrenches, results, row)
        return count

    # two rules compiled in different processes must not have the same name when both are loaded into a third
    force_term.__qualname__ = f"force_term_{kernel_stamp(rule)}"  # type: ignore[arg-type]
    return kernel(force_term)


def adopt(function: Callable) -> Callable:
    """Make a plain function, and the plain functions that it calls by name, parts of the single source."""
    if function in STANDING_FOR or not isinstance(function, types.FunctionType):
        return function
    part(function, inlined=True)
    cells = dict(zip(function.__code__.co_freevars, (cell.cell_contents for cell in function.__closure__ or ()), strict=True))
    for name in (*function.__code__.co_names, *cells):
        inner = cells.get(name, function.__globals__.get(name))
        if isinstance(inner, types.FunctionType) and not inner.__module__.startswith(("numpy", "numba", "math")):
            adopt(inner)
    return function
