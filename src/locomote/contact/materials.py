"""Friction and restitution by pairs of materials: contacts say what their two sides are made of, one table has the laws."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from locomote.contact.touch import Ground, Touch

LAWS = ("friction", "restitution", "rebound", "rolling", "torsion", "static", "fading", "adhesion", "impact")


def pair_materials(contacts: Iterable[Touch], pairs: Mapping[Any, Any]) -> list[Touch]:
    """Contacts with the laws of their pairs of materials: that of what touches (`material` of lo.Touch) on that of its ground
    (`material` of lo.Ground). Those without a material on either side stay as they are.

    pairs : (material, other) -> coefficient of friction, or a mapping of friction, restitution, static, fading, rolling,
        torsion (m), rebound (m/s), adhesion (N) and impact, as lo.Ground takes them; in either order
    """
    if not isinstance(pairs, Mapping):
        raise TypeError(f"pairs of materials are {pairs!r:.60}, expected {{(material, other): friction}}")
    laws, touches = {}, list(contacts)
    for key, given in pairs.items():
        both = checked_key(key)
        law = checked_law(key, given)
        if both in laws:
            raise ValueError(f"the pair of materials {named(both)} stands twice in the table: say it once, in either order")
        laws[both] = law
    if wrong := [touch for touch in touches if not isinstance(touch, Touch)]:
        raise TypeError(f"contacts hold {wrong[0]!r:.60}, expected lo.Touch")
    halves = [touch.title for touch in touches if bool(touch.material) != bool(touch.ground.material)]
    if halves:
        raise ValueError(
            f"a material is said on one side only, of {', '.join(map(repr, halves[:5]))}: give lo.Touch(..., material=) and "
            f"lo.Ground(..., material=), or neither"
        )
    said = [pair_of(touch) for touch in touches if touch.material]
    if missing := sorted({named(both) for both in said if both not in laws}):
        raise ValueError(f"the table of materials has no pair {', '.join(missing[:5])}: add it, with its friction")
    known = {name for both in said for name in both}
    if strange := sorted({name for both in laws for name in both if name not in known}):
        raise ValueError(
            f"no contact is made of {', '.join(map(repr, strange[:5]))}; "
            f"contacts are of {', '.join(sorted(known)) or 'nothing'}"
        )
    made: dict[tuple[int, tuple[str, str]], Ground] = {}
    return [with_law(touch, laws, made) if touch.material else touch for touch in touches]


def pair_of(touch: Touch) -> tuple[str, str]:
    """Materials of a contact, in the order of their names."""
    one, other = sorted((touch.material, touch.ground.material))
    return one, other


def named(both: tuple[str, str]) -> str:
    return f"({both[0]!r}, {both[1]!r})"


def with_law(touch: Touch, laws: Mapping[tuple[str, str], dict], made: dict) -> Touch:
    """A contact with the law of its pair; contacts of one pair that shared a ground share it still."""
    key = (id(touch.ground), pair_of(touch))
    if key not in made:
        try:
            made[key] = replace(touch.ground, **laws[pair_of(touch)])
        except ValueError as error:
            raise ValueError(f"materials {named(pair_of(touch))} of {touch.title!r}: {error}") from None
    return replace(touch, ground=made[key])


def checked_key(key: Any) -> tuple[str, str]:
    if not (isinstance(key, tuple) and len(key) == 2 and all(isinstance(name, str) and name for name in key)):
        raise TypeError(f"the table of materials has the key {key!r:.60}, expected two names, such as ('rubber', 'ice')")
    one, other = sorted(key)
    return one, other


def checked_law(key: Any, given: Any) -> dict[str, Any]:
    """What a pair is said to have, as words of lo.Ground."""
    law: dict[str, Any]
    if isinstance(given, Mapping):
        if unknown := [name for name in given if name not in LAWS]:
            raise ValueError(f"materials {key!r:.60} have {unknown[0]!r}, expected some of {', '.join(LAWS)}")
        law = dict(given)
    elif isinstance(given, (int, float, np.number)) and not isinstance(given, bool):
        law = {"friction": float(given)}
    else:
        raise TypeError(f"materials {key!r:.60} have {given!r:.60}, expected a coefficient of friction or a mapping")
    if "friction" not in law:
        raise ValueError(f"materials {key!r:.60} have no friction: say it, with the rest")
    try:
        Ground(**law)
    except (TypeError, ValueError) as error:
        raise ValueError(f"materials {key!r:.60}: {error}") from None
    return law
