"""Every number that a problem was made from, by name: found in the records that were said, field by field.

A name is that of a thing, a dot, and the field: "board.mass", "rotor.amplitude", "ground.friction". Things are bodies with what
they are made of, joints with the drives and torques on them, constraints, forces, contacts, actuators and controllers by
the name that they have elsewhere; grounds and fluids, which many of these share, are things of their own. What is not a
number, or not finite, or counts something, is no parameter.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from locomote.actuation.actuators import named
from locomote.brief import brief
from locomote.contact.touch import Ground, named_once
from locomote.drives.drive import Drive
from locomote.forces.terms import ForceTerm
from locomote.forces.water.fluid import Fluid
from locomote.locomotion.parameters.paths import POINT, SIX, TURN, Key, Path
from locomote.locomotion.parameters.units import unit_of
from locomote.locomotion.parts import Parts
from locomote.model.description import Joint
from locomote.model.flexible.along import Along
from locomote.model.layout import slots_of

OWN = ("locomote.model.", "locomote.spatial.")  # modules of records that bodies are made of: their numbers are the body's
SHARED = {Ground: "ground", Fluid: "fluid"}
RENAMED = {"com": "center", "moment": "inertia"}
SPRING = ("stiffness", "rest", "damping")
SKIPPED = ("joints", "visuals", "step", "state")  # fields with names of their own; how something is computed, or begins
Field = tuple[type, str]  # of a record
MOST = 4096  # numbers of one parameter: what has more is data


@brief
@dataclass(frozen=True)
class Place:
    """Where a parameter stands.

    paths : in a Statement, several if it is said more than once ; unit : in SI ; origin : what it is of, in words
    """

    paths: tuple[Path, ...]
    unit: str
    origin: str


@brief
@dataclass(frozen=True)
class Thing:
    """What a walk is in.

    name ; origin : what it is, in words ; coordinate : unit of the joint that it is about ; shared : whether several have it
    within : field of the whole that it stands in, if that is not in its name
    """

    name: str
    origin: str
    coordinate: str = ""
    shared: bool = False
    within: str = ""

    def inside(self, word: Any) -> "Thing":
        """A part of it."""
        return replace(self, name=f"{self.name}.{plain(word)}")


def places_of(parts: Parts) -> dict[str, Place]:
    """All parameters of a problem by name, in the order in which they were said."""
    found: dict[str, Place] = {}
    seen: list[Any] = []
    for whole, value, path, field in things(parts):
        for thing, inner, unit in numbers(whole, value, path, field, seen):
            keep(found, thing, inner, unit)
    return found


def keep(found: dict[str, Place], thing: Thing, path: Path, unit: str) -> None:
    """Note a place; that of a shared thing joins those that are there, else a name that is taken gets a number."""
    name, paths = thing.name, (path,)
    if name in found and thing.shared:
        paths = (*found[name].paths, path)
    elif name in found:
        owner, _, word = name.rpartition(".")
        names = [f"{owner}.{thing.within}.{word}"] if thing.within else []
        name = next(free for free in (*names, *(f"{name}_{n}" for n in range(2, len(found) + 3))) if free not in found)
    found[name] = Place(paths, unit, thing.origin)


def things(parts: Parts) -> Iterator[tuple[Thing, Any, Path, Field | None]]:
    """Everything that has numbers, with the path to it; numbers that are no field of a record with the field that they are."""
    said = parts.said
    whole = said.model.description
    yield Thing("gravity", "model"), whole.gravity, ("model", "description", "gravity"), (type(whole), "gravity")
    yield Thing("friction_speed", "problem"), said.friction_speed, ("friction_speed",), (type(said), "friction_speed")
    for n, body in enumerate(whole.bodies):
        path = ("model", "description", "bodies", n)
        yield Thing(plain(body.name), f"body {body.name!r}"), body, path, None
        for k, joint in enumerate(body.joints):
            units = {unit for _, unit in slots_of(joint)[0]}
            one = units.pop() if len(units) == 1 else ""
            yield Thing(plain(joint.name), f"joint {joint.name!r}", one), joint, (*path, "joints", k), None
    for n, coupling in enumerate(whole.couplings):
        owner = Thing(plain(coupling.joint), f"coupling of joint {coupling.joint!r}")
        path = ("model", "description", "couplings", n)
        for k, (other, ratio) in enumerate(coupling.ratios):
            yield owner.inside("ratio").inside(other), ratio, (*path, "ratios", k, 1), (type(coupling), "ratios")
        yield owner.inside("offset"), coupling.offset, (*path, "offset"), (type(coupling), "offset")
    yield from of_joints(parts)
    yield from of_lists(parts)


def of_joints(parts: Parts) -> Iterator[tuple[Thing, Any, Path, Field | None]]:
    """Drives, torques and springs, by joints."""
    said, model = parts.said, parts.said.model
    for field in ("drives", "torques", "springs"):
        table = getattr(said, field)
        for key, given in table.items() if isinstance(table, Mapping) else ():
            joint, slot = key if isinstance(key, tuple) else (key, None)
            units = {s.unit for s in model.layout() if s.joint == joint and s.vector == "q"}
            unit = units.pop() if len(units) == 1 else ""
            if field == "torques":
                unit = {"rad": "N m", "m": "N"}.get(unit, "")
            owner = Thing(plain(joint), f"{field}[{key!r}]", unit)
            owner = owner if slot is None else owner.inside(slot)
            if field == "springs":
                for k, word in enumerate(SPRING):
                    yield owner.inside("spring").inside(word), given[k], (field, Key(key), k), (Joint, word)
            elif isinstance(given, (int, float, np.number)):
                yield owner.inside("value"), given, (field, Key(key)), (Joint, "reference")
            else:
                yield owner, given, (field, Key(key)), None


def of_lists(parts: Parts) -> Iterator[tuple[Thing, Any, Path, Field | None]]:
    """Constraints, forces, contacts, actuators and controllers."""
    said = parts.said
    titles = {
        "constraints": [x.title for x in said.constraints],
        "environment": [force_name(parts, x) for x in said.environment],
        "contacts": named_once(said.contacts),
        "actuators": list(named(said.actuators)),
        "torques": [getattr(x, "title", x.name) for x in said.controllers],
    }
    for field, names in titles.items():
        used: dict[str, int] = {}
        for n, (title, value) in enumerate(zip(names, getattr(said, field) if names else (), strict=True)):
            used[title] = used.get(title, 0) + 1
            title = title if used[title] == 1 else f"{title}_{used[title]}"
            yield Thing(plain(title), f"{type(value).__name__} {title!r}"), value, (field, n), None


def force_name(parts: Parts, element: Any) -> str:
    """The name of a force: its own, or that of its term, or its kind and body."""
    name = getattr(element, "name", "")
    if not name and isinstance(element, ForceTerm):
        term = element.term(parts.model)
        name = term.name if term is not None else ""
    kind = re.sub(r"(?<!^)(?=[A-Z])", "_", type(element).__name__).lower()
    return name or " ".join(filter(None, (kind, str(getattr(element, "body", "")))))


def plain(name: Any) -> str:
    """A name without spaces."""
    return str(name).replace(" ", "_")


def numbers(thing: Thing, value: Any, path: Path, field: Field | None, seen: list[Any]) -> Iterator[tuple[Thing, Path, str]]:
    """All numbers in a value: what they are, path, unit. field : that it stands in ; seen : shared things so far"""
    unit = unit_of(*field, thing.coordinate) if field else ""
    if isinstance(value, (Along, bool, str, bytes)) or value is None:
        return
    if is_number(value):
        if np.isfinite(value):
            yield thing, path, unit
    elif is_dataclass(value) and not isinstance(value, type):
        yield from of_record(thing, value, path, seen)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from numbers(thing.inside(key), inner, (*path, Key(key)), field, seen)
    elif (array := array_of(value)) is not None:
        if array.shape == (4, 4):
            yield thing, (*path, POINT), unit
            yield replace(thing, name=f"{thing.name}_rotation"), (*path, TURN), ""
        elif array.size <= MOST:
            yield thing, path, unit
    elif isinstance(value, (tuple, list)):
        for k, inner in enumerate(value):
            yield from numbers(thing.inside(k), inner, (*path, k), field, seen)


def of_record(thing: Thing, record: Any, path: Path, seen: list[Any]) -> Iterator[tuple[Thing, Path, str]]:
    """The numbers of a record, field by field."""
    if type(record) in SHARED:
        thing = shared_thing(record, seen)
    for field in fields(record):
        value: Any = getattr(record, field.name)
        if not field.init or field.name in SKIPPED or counts(field.type):
            continue
        own = is_dataclass(value) and type(value).__module__.startswith(OWN)
        inside = replace(thing, within=field.name) if own else thing.inside(RENAMED.get(field.name, field.name))
        if isinstance(value, Drive):
            inside = replace(inside, coordinate=unit_of(type(record), field.name, thing.coordinate))
        if field.name == "moment" and np.shape(getattr(record, field.name)) == (3, 3):
            yield inside, (*path, field.name, SIX), unit_of(type(record), field.name)
            continue
        yield from numbers(inside, value, (*path, field.name), (type(record), field.name), seen)


def shared_thing(record: Any, seen: list[Any]) -> Thing:
    """A ground or fluid as a thing of its own: equal ones are one."""
    alike = [x for x in seen if type(x) is type(record)]
    number = next((n for n, x in enumerate(alike) if x is record or repr(x) == repr(record)), len(alike))
    if number == len(alike):
        seen.append(record)
    word = SHARED[type(record)]
    return Thing(word if number == 0 else f"{word}_{number + 1}", type(record).__name__, shared=True)


def counts(annotation: Any) -> bool:
    """Whether a field holds integers."""
    words = set(re.findall(r"\w+", str(annotation)))
    return "int" in words and not words & {"float", "Any"}


def is_number(value: Any) -> bool:
    """One number."""
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def array_of(value: Any) -> np.ndarray | None:
    """A sequence of finite numbers as an array; None if it is none."""
    if not isinstance(value, (tuple, list, np.ndarray)) or not len(value):
        return None
    try:
        array = np.asarray(value)
    except ValueError:
        return None
    return array if array.dtype.kind in "iuf" and array.size and np.isfinite(array).all() else None
