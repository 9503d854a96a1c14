"""A list of everything wrong with a file, so that the user reads all of it at once.

A fault stops the reading at its end; a warning is kept in the Description. Both say the line and the element.
"""

import difflib
from collections.abc import Iterable
from itertools import islice

from locomote.errors import ModelError

SHOWN_FAULTS = 100
SHOWN_WARNINGS = 200
SHOWN_TEXT = 60
SUGGESTIONS = 20  # nearest names cost time in proportion to all names, so a hostile file gets few of them


def shown(text) -> str:
    """`text` quoted for a message, and cut if it is long."""
    try:
        text = str(text)
    except ValueError:  # an int of thousands of digits
        return "(a huge number)"
    return repr(text if len(text) <= SHOWN_TEXT else text[: SHOWN_TEXT - 3] + "...")


class Faults:
    """Collects the faults and the warnings of one source. `where` is anything whose text says a place, or None."""

    def __init__(self, source: str):
        self.source = source
        self.faults: list[str] = []
        self.warnings: list[str] = []
        self._alike: dict[str, list[str]] = {}
        self._more_faults = 0
        self._more_warnings = 0
        self._suggested = 0

    def add(self, where, sentence: str) -> None:
        """Note a fault: the file cannot be used."""
        if len(self.faults) < SHOWN_FAULTS:
            self.faults.append(f"{where}: {sentence}" if where is not None else sentence)
        else:
            self._more_faults += 1

    def warn(self, where, sentence: str) -> None:
        """Note a warning: the file can be used, and the user should know this."""
        if len(self.warnings) < SHOWN_WARNINGS:
            self.warnings.append(f"{where}: {sentence}" if where is not None else sentence)
        else:
            self._more_warnings += 1

    def warn_alike(self, sentence: str, where) -> None:
        """Note a warning that many elements share: they are counted, and the first few named, in one sentence."""
        self._alike.setdefault(sentence, []).append(str(where))

    def nearest(self, name: str, known: Iterable[str]) -> str:
        """'; did you mean ...?' with the nearest known names, or nothing."""
        self._suggested += 1
        if self._suggested > SUGGESTIONS:
            return ""
        close = difflib.get_close_matches(name[:SHOWN_TEXT], list(islice(known, 1000)), n=2)
        return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""

    def check(self) -> None:
        """Raise ModelError with every fault noted so far, if there is one."""
        if self.faults:
            more = [f"and {self._more_faults} more"] if self._more_faults else []
            raise ModelError(self.source, self.faults + more)

    def all_warnings(self) -> tuple[str, ...]:
        """The warnings, for Description.warnings."""
        more = (f"and {self._more_warnings} more warnings",) if self._more_warnings else ()
        alike = (f"{sentence}: {_counted(places)}" for sentence, places in self._alike.items())
        return (*self.warnings, *more, *alike)


def _counted(places: list[str]) -> str:
    return "; ".join(places[:3]) + (f"; and {len(places) - 3} more" if len(places) > 3 else "")
