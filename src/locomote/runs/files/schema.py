"""What the words and numbers of a run file must be, beside its arrays: header, info and events, key by key.

The same tables hold when a file is written, so that what was saved opens. A key of `info` that is not in the table may be
anything that JSON holds: users keep notes there.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any

from locomote.methods.events.event import Event


@dataclass(frozen=True)
class Kind:
    """What a value must be, in words and as a test."""

    words: str
    fits: Callable[[Any], bool]

    def __or__(self, other: "Kind") -> "Kind":
        return Kind(f"{self.words} or {other.words}", lambda value: self.fits(value) or other.fits(value))


def is_number(value: Any) -> bool:
    """Whether a value is a number, finite or not; True and False are none."""
    return type(value) is float or (type(value) is int and abs(value) < 2**63)


def all_of(kind: Kind) -> Callable[[Any], bool]:
    """A test for lists of a kind."""
    return lambda value: isinstance(value, list) and all(kind.fits(item) for item in value)


def is_schedule(value: Any) -> bool:
    """Whether this says at which times samples are taken: first, last and how many, or all of them; and how close others."""
    if not isinstance(value, dict) or not POSITIVE.fits(value.get("spacing", math.inf)):
        return False
    rest = {name: given for name, given in value.items() if name != "spacing"}
    if rest.keys() == {"times"}:
        return LIST_OF_NUMBERS.fits(rest["times"])
    return rest.keys() == {"first", "last", "count"} and all(
        (FINITE.fits(rest["first"]), FINITE.fits(rest["last"]), COUNT.fits(rest["count"]) and rest["count"] > 0)
    )


NOTHING = Kind("nothing", lambda value: value is None)
TEXT = Kind("a text", lambda value: isinstance(value, str))
FLAG = Kind("true or false", lambda value: type(value) in (bool, int) and value in (0, 1))
COUNT = Kind("an integer from 0", lambda value: type(value) is int and 0 <= value < 2**62)
NUMBER = Kind("a number", is_number)
FINITE = Kind("a finite number", lambda value: is_number(value) and math.isfinite(value))
POSITIVE = Kind("a positive number", lambda value: is_number(value) and value > 0)
TABLE = Kind("a table", lambda value: isinstance(value, dict))
LIST_OF_FLAGS = Kind("a list of true and false", all_of(FLAG))
LIST_OF_TEXTS = Kind("a list of texts", all_of(TEXT))
LIST_OF_NUMBERS = Kind("a list of numbers", all_of(FINITE))
LABELS = Kind(
    "a list of (constraint or actuator, row or word, unit)",
    lambda value: isinstance(value, list) and all(all_of(TEXT)(label) and len(label) == 3 for label in value),
)
TEXTS = Kind("a table of texts", lambda value: isinstance(value, dict) and all(isinstance(x, str) for x in value.values()))
TIMES = Kind(
    "a table of times", lambda value: isinstance(value, dict) and all((FINITE | NOTHING).fits(x) for x in value.values())
)
CHANGE = Kind(
    "lists of numbers for q and v",
    lambda value: isinstance(value, dict) and value.keys() == {"q", "v"} and all(map(all_of(FINITE), value.values())),
)
SCHEDULE = Kind("the times of samples", is_schedule)
CLOCKS = Kind(
    "a list of (period, start)",
    lambda value: isinstance(value, list) and all(all_of(FINITE)(x) and len(x) == 2 and x[0] > 0 for x in value),
)

HEADER = {
    "format": TEXT, "version": COUNT, "model": TABLE, "constraint_labels": LABELS, "contact_labels": LIST_OF_TEXTS,
    "command_labels": LABELS, "imposed": LIST_OF_FLAGS,
    "problem": TABLE | NOTHING, "not stored": TEXT,
}  # fmt: skip
INFO = {
    "method": TEXT, "rtol": NUMBER, "atol": NUMBER, "step": NUMBER | NOTHING, "max_step": NUMBER, "mean_step": NUMBER | NOTHING,
    "projection": FLAG, "singular": TEXT, "steps": COUNT, "rejected": COUNT, "evaluations": COUNT, "wall": NUMBER,
    "status": TEXT, "message": TEXT, "classification": TEXT, "samples": SCHEDULE, "t0": FINITE, "events": COUNT,
    "ignore": TIMES, "versions": TEXTS, "date": TEXT, "reason": TEXT, "said": TEXT, "clocks": CLOCKS,
    "energies of terms": TEXTS, "hard contacts": FLAG, "start change": CHANGE,
}  # fmt: skip
EVENT = {"t": FINITE, "kind": TEXT, "description": TEXT, "data": TABLE}
OF_EVENTS = {field.name: EVENT.get(field.name, LIST_OF_NUMBERS | NOTHING) for field in fields(Event)}
NEEDED = [field.name for field in fields(Event) if field.default is MISSING and field.default_factory is MISSING]


def check(where: str, values: Any, kinds: Mapping[str, Kind], needed=(), *, others: bool = False) -> None:
    """A ValueError if a table lacks what is needed, or holds something of another kind or, unless allowed, unknown."""
    if not isinstance(values, dict):
        raise ValueError(f"{where} is not a table but {values!r:.40}")
    for name in needed:
        if name not in values:
            raise ValueError(f"{where} does not say {name!r}")
    for name, value in values.items():
        if name in kinds:
            if not kinds[name].fits(value):
                raise ValueError(f"{name!r} of {where} must be {kinds[name].words}, not {value!r:.40}")
        elif not others:
            raise ValueError(f"{where} says {name!r:.40}, which is not known")


def check_all(header: Any, info: Any, events: Any) -> None:
    """A ValueError that says what is wrong with the words of a run file."""
    check("the header", header, HEADER, HEADER)
    check_more(info, events)


def check_more(info: Any, events: Any) -> None:
    """The same of what is added to a run that goes on."""
    check("info", info, INFO, others=True)
    if not isinstance(events, list):
        raise ValueError(f"events are not a list but {events!r:.40}")
    for n, event in enumerate(events):
        check(f"event {n}", event, OF_EVENTS, NEEDED)
