"""The errors of the library. Each says what is wrong, where, and what to do."""

import difflib
import os
from collections.abc import Iterable, Sequence

SHOWN_FAULTS = 20


class LocomoteError(Exception):
    """Base of every error that the library raises on purpose."""


class ModelError(LocomoteError, ValueError):
    """A model or a model file is not usable. `faults` has one sentence a fault."""

    def __init__(self, source: str, faults: Sequence[str] | str):
        self.source = source
        self.faults = [faults] if isinstance(faults, str) else list(faults)
        if len(self.faults) == 1:
            message = f"{source}: {self.faults[0]}"
        else:
            shown = [f"  - {fault}" for fault in self.faults[:SHOWN_FAULTS]]
            if len(self.faults) > SHOWN_FAULTS:
                shown.append(f"  and {len(self.faults) - SHOWN_FAULTS} more, all in `faults` of this error")
            message = "\n".join([f"{source}: {len(self.faults)} faults", *shown])
        super().__init__(message)

    def __reduce__(self):
        return type(self), (self.source, self.faults)


class UnknownName(LocomoteError, KeyError, ValueError):
    """A name that the model does not have. `suggestions` has the nearest ones."""

    def __init__(self, kind: str, name: object, known: Iterable[str], where: str):
        self.kind, self.name, self.known, self.where = kind, name, list(known), where
        self.suggestions = difflib.get_close_matches(str(name), self.known, n=3, cutoff=0.6)
        if self.suggestions:
            advice = f"did you mean {' or '.join(repr(s) for s in self.suggestions)}?"
        elif self.known:
            shown = ", ".join(self.known[:8]) + (", ..." if len(self.known) > 8 else "")
            advice = f"known: {shown}"
        else:
            advice = f"there is no {kind} at all"
        self.message = f"no {kind} named {name!r:.60} in {where}; {advice}"
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message

    def __reduce__(self):
        return type(self), (self.kind, self.name, self.known, self.where)


class InconsistentStart(LocomoteError, ValueError):
    """No configuration or velocity near the given one meets the drives and constraints."""


class FileError(LocomoteError):
    """A file cannot be written or read. `path` says which, `sentence` why."""

    def __init__(self, path, sentence: str):
        self.path, self.sentence = os.fspath(path), sentence
        super().__init__(f"{self.path}: {sentence}")

    def __reduce__(self):
        return type(self), (self.path, self.sentence)
