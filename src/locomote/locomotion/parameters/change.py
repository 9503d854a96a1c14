"""A problem with other numbers: what was said with them in it, and of its plan only the arrays that they enter.

A number of drives, torques, springs, actuators or controllers enters the piece of its field and no other. One of the model,
of constraints, forces or contacts does so too where the model that is computed is the one that was said; where it is not (rods
with something on their sections, water that moves along, mimic joints, no inertia), all is packed anew, which takes longer and
compiles nothing either. In both cases the arrays must have the shapes that they had, and the integers in them their values:
a number that would change more is refused.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.actuation.actuators import command
from locomote.drives.drive import as_drive
from locomote.evaluation import plan as fields
from locomote.evaluation.plan import Plan
from locomote.forces.terms import terms_of
from locomote.locomotion.packing import Packed, pack
from locomote.locomotion.parameters.names import Place
from locomote.locomotion.parameters.paths import at, rebuilt, tree_of
from locomote.locomotion.parts import Parts, by_coordinates
from locomote.locomotion.pieces import PIECES
from locomote.locomotion.sections import constraints_on, contacts_on
from locomote.locomotion.statement import Statement
from locomote.model.description import PER_COORDINATE
from locomote.model.renumbered import renumbered
from locomote.quantities import Parameters, Quantity
from locomote.spatial.numbers import as_numbers

if TYPE_CHECKING:
    from locomote.locomotion.problem import Locomotion

FREE = ("functions", "calls", "breaks")  # arrays that are no structure: addresses, and times
ALONE = ("drives", "torques", "springs", "actuators", "controllers")  # fields whose piece is all that depends on them
NO_PIECE = ("constants", "friction_speed")  # arrays that change without the rest of their piece
SIGNALS = ("drives", "torques", "actuators")  # fields whose signals may not be smooth at times
SPRINGS, LIMITS = ("stiffness", "rest", "damping", "friction"), ("lower", "upper", "velocity_limit", "effort_limit")


def parameters_of(problem: "Locomotion") -> Parameters:
    """Parameters as users see them."""
    known, said = problem.parameter_places, problem.statement

    def quantity(name: str) -> Quantity:
        place = known[name]
        return Quantity(name, read(said, place), place.unit, place.origin)

    return Parameters(known, quantity, f"problem {problem.name!r}")


def read(said: Statement, place: Place) -> Any:
    """The value of a parameter: a number, or a read-only array."""
    value = np.array(at(said, place.paths[0]), float)
    if value.ndim == 0:
        return float(value)
    value.flags.writeable = False
    return value


def changed(problem: "Locomotion", values: Mapping[Any, Any]) -> tuple[Statement, Packed, Mapping[str, Any]]:
    """What was said with other numbers, packed, and the places of its parameters; an error says what cannot be."""
    known, said = problem.parameter_places, problem.statement
    named = checked(problem, values)
    paths = [(path, numbers) for name, numbers in named.items() for path in known[name].paths]
    said = said_otherwise(said, tree_of(paths), named)
    try:
        packed = repacked(problem.packed, said, [path for path, _ in paths])
    except Restructured as error:
        what = ", ".join(f"{name} = {shortly(x)}" for name, x in named.items())
        raise ValueError(
            f"{what} changes the structure of problem {problem.name!r} ({error}), for which code is compiled: build a new "
            f"problem with it"
        ) from None
    return said, packed, known


class Restructured(Exception):
    """A plan would have other shapes or integers."""


def checked(problem: "Locomotion", values: Mapping[Any, Any]) -> dict[str, np.ndarray]:
    """Values by the names of single parameters: known, finite, of the right shape."""
    if not isinstance(values, Mapping):
        raise TypeError(f"parameters are given by name, as {{'board.mass': 2.0}}, not as {values!r:.60}")
    known, named = problem.parameter_places, {}
    for key, given in values.items():
        names = (key,) if isinstance(key, str) and key in known else problem.parameters.matching(key)
        for name in names:
            if name in named:
                raise ValueError(f"parameter {name!r} is given twice: {key!r} means it, too")
            named[name] = checked_value(problem, name, given)
    return named


def checked_value(problem: "Locomotion", name: str, given: Any) -> np.ndarray:
    """One value, finite and of the right shape."""
    shape = np.shape(at(problem.statement, problem.parameter_places[name].paths[0]))
    if type(given) is float and shape == () and given - given == 0.0:
        return np.array(given)
    numbers = np.array(as_numbers(given, f"parameter {name!r}", str(shape)), float)
    if numbers.shape != shape:
        expected = "one number" if shape == () else f"numbers of shape {shape}"
        raise ValueError(f"parameter {name!r} of {problem.name!r} is {expected}, not of shape {numbers.shape}")
    if not np.isfinite(numbers).all():
        raise ValueError(f"parameter {name!r} is {shortly(numbers)}; all numbers must be finite")
    return numbers


def shortly(numbers: np.ndarray) -> str:
    """Numbers in a sentence."""
    return f"{float(numbers):g}" if numbers.ndim == 0 else f"{numbers.ravel()[:6].tolist()}"[:60]


def said_otherwise(said: Statement, tree: Mapping[Any, Any], named: Mapping[str, np.ndarray]) -> Statement:
    """The statement with numbers replaced: records check their own, and all else in it was checked."""
    new = object.__new__(Statement)
    memory = new.__dict__
    memory.update(said.__dict__)
    for field, changes in tree.items():
        if field == "model":
            memory["model"] = renumbered(said.model, rebuilt(said.model.description, changes["description"]))
        else:
            memory[field] = rebuilt(getattr(said, field), changes)
    if said.controllers:
        memory["controllers"] = memory["torques"]
    if said.origin:
        before = said.origin.get("changed", {})
        numbers = {name: x.tolist() for name, x in named.items()}
        memory["origin"] = {**said.origin, "changed": {**before, **numbers}}
    return new


def repacked(packed: Packed, said: Statement, paths: Iterable[tuple]) -> Packed:
    """A problem packed for a changed statement; paths : to the numbers that changed."""
    old = packed.parts
    touched = {field for path in paths for field in pieces_of(path, old)}
    if None in touched:
        return whole(packed, said)
    parts = changed_parts(old, said, touched)
    callbacks = packed.plan.callbacks
    arrays: dict[str, Any] = own_numbers(parts, packed.plan, touched)
    for field in (field for field in touched.difference(NO_PIECE) if field is not None):
        first = packed.firsts[field]
        piece = PIECES[field](parts, packed.near, first)
        refuse_structure(packed.plan, piece.arrays)
        arrays |= piece.arrays
        if len(piece.callbacks):
            table = arrays.get("functions", packed.plan.functions).copy()
            rows = slice(first, first + len(piece.callbacks))
            gone = set(packed.plan.functions[rows, 0].tolist())
            callbacks = (*(x for x in callbacks if x.address not in gone), *piece.callbacks)
            table[rows] = [x.row for x in piece.callbacks]
            arrays["functions"] = table
    plan = packed.plan.changed(calls=packed.plan.calls.copy(), **arrays)
    plan.__dict__["callbacks"] = callbacks
    return Packed(parts, plan, packed.contact_names, packed.near, packed.firsts, packed.works)


def own_numbers(parts: Parts, plan: Plan, touched: set) -> dict[str, np.ndarray]:
    """Arrays that changed without the rest of their piece."""
    arrays: dict[str, np.ndarray] = {}
    if "constants" in touched:
        arrays["constants"] = parts.model._constants
    if "friction_speed" in touched:
        arrays["options"] = plan.options.copy()
        arrays["options"][fields.FRICTION_SPEED] = parts.said.friction_speed
    if not touched.isdisjoint(SIGNALS):
        told = [as_drive(command(x)) for x in parts.said.actuators]
        drives = (*parts.drives.values(), *parts.torques.values(), *told)
        times = [x for drive in drives for x in drive._breaks()]
        if times or len(plan.breaks):
            arrays["breaks"] = np.unique(times)
    return arrays


def pieces_of(path: tuple, parts: Parts) -> tuple[str | None, ...]:
    """Fields whose pieces a number enters, by its path; None for all of them."""
    field = path[0]
    if field == "friction_speed":
        return ("friction_speed",)
    if field == "torques" and parts.said.controllers:
        return ("controllers",)
    if field in ALONE:
        return (field,)
    if parts.model is not parts.said.model:
        return (None,)
    if field != "model":
        return (field,)
    surroundings = ("environment",) if parts.said.environment else ()
    if path[2] == "gravity" or path[4:5] == ("inertia",):
        return ("constants", *surroundings)
    if path[4:5] == ("joints",) and path[6] in (*PER_COORDINATE, *LIMITS):
        return ("springs",) if path[6] in SPRINGS else ("limits",) if path[6] in LIMITS else ("constants",)
    return (None,)


def changed_parts(old: Parts, said: Statement, touched: set) -> Parts:
    """The parts of a problem for a changed statement, as far as they changed."""
    new = object.__new__(Parts)
    memory = new.__dict__
    memory.update(old.__dict__, said=said)
    if old.model is old.said.model:
        memory["model"] = said.model
    if "drives" in touched:
        memory["drives"] = by_coordinates(new.model, old.q_of_v, said.drives, "drives")
    if "torques" in touched:
        memory["torques"] = by_coordinates(new.model, old.q_of_v, said.torques, "torques")
    if "environment" in touched:
        memory["terms"] = terms_of(new.model, said.environment, fields.SOURCES)
    if "constraints" in touched:
        memory["constraints"] = constraints_on(new.model, said.constraints, said.drives)[1]
    if "contacts" in touched:
        memory["contacts"] = contacts_on(new.model, said.contacts, said.drives)[1]
    return new


def whole(packed: Packed, said: Statement) -> Packed:
    """All packed anew, with the structure that it had."""
    new = pack(said)
    kept = [name for name in Plan.FIELDS if name != "rods" or len(new.plan.rods) != len(packed.plan.rods)]  # its bands may grow
    refuse_structure(packed.plan, {name: getattr(new.plan, name) for name in kept})
    return new


def refuse_structure(plan: Plan, arrays: Mapping[str, np.ndarray]) -> None:
    """Raise unless arrays have the shapes, integers and zeros of relations that those of a plan have."""
    for name, array in arrays.items():
        old = getattr(plan, name)
        if name in FREE:
            continue
        if np.shape(array) != old.shape:
            raise Restructured(f"{name} has the shape {np.shape(array)} instead of {old.shape}")
        if old.dtype == np.int64 and not np.array_equal(array, old):
            raise Restructured(f"other integers in {name}")
        if name == "linear" and not np.array_equal(array != 0.0, old != 0.0):
            raise Restructured(f"other coordinates in {name}")
