"""Short reprs: what a value is, on a line that fits on a screen, however much it holds.

`@brief` above `@dataclass` gives a record such a repr: its fields but those that have their default, as they are if that is
short, else arrays by shape, long sequences and tables by their first entries. Every public record that can hold more than a few
numbers has one; a test looks.
"""

import reprlib
from dataclasses import MISSING, Field, fields
from typing import Any, TypeVar

import numpy as np

Kind = TypeVar("Kind", bound=type)
WIDE, LONG = 60, 400  # characters of a field, and of all


class Brief(reprlib.Repr):
    """Values in few characters."""

    def __init__(self, entries: int, characters: int):
        super().__init__()
        self.maxlevel, self.maxtuple, self.maxlist, self.maxdict, self.maxset = 6, entries, entries, entries, entries
        self.maxstring = self.maxother = self.maxlong = characters

    def repr_ndarray(self, value: np.ndarray, level: int) -> str:
        """Few numbers as they are, others by their shape."""
        return str(value.tolist()) if value.size <= 6 else f"array {value.shape}"

    def repr_function(self, value: Any, level: int) -> str:
        """The name."""
        return f"<function {value.__name__}>"


_brief, _roomy = Brief(6, WIDE), Brief(LONG, LONG)


def short(value: Any, most: int = WIDE) -> str:
    """A value in a limited number of characters."""
    text = _brief.repr(value)
    return text if len(text) <= most else f"{text[: most - 3]}..."


def is_default(field: Field, value: Any) -> bool:
    """Whether a field has what it has if nothing is said."""
    default = field.default_factory() if field.default_factory is not MISSING else field.default
    return default is value or (type(default) is type(value) and not isinstance(value, np.ndarray) and default == value)


def brief_repr(self: Any) -> str:
    """The repr of a record."""
    shown = [(f.name, getattr(self, f.name)) for f in fields(self) if f.repr and not is_default(f, getattr(self, f.name))]
    name = type(self).__qualname__
    whole = f"{name}({', '.join(f'{field}={_roomy.repr(value)}' for field, value in shown)})"
    if len(whole) <= LONG and "..." not in whole:  # all of it: what Python can read stays so
        return whole
    text = f"{name}({', '.join(f'{field}={short(value)}' for field, value in shown)})"
    return text if len(text) <= LONG else f"{text[: LONG - 5]} ...)"


def brief(kind: Kind) -> Kind:
    """A record whose repr is short."""
    setattr(kind, "__repr__", brief_repr)  # noqa: B010
    return kind
