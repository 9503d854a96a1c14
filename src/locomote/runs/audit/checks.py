"""One line of an audit."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Check:
    """One line of the audit: how far a quantity is off, at most, what is allowed, a note in words, and, if it failed, what to
    change and to which value."""

    name: str
    value: float
    allowed: float
    note: str = ""
    remedy: str = ""

    @property
    def passed(self) -> bool:
        """Whether the value is allowed."""
        return bool(self.value <= self.allowed)

    def __str__(self) -> str:
        note = f"  ({self.note})" if self.note else ""
        line = f"{self.name:<28} {self.value:9.2e}  allowed {self.allowed:.0e}  {'ok' if self.passed else 'TOO LARGE'}{note}"
        return f"{line}: {self.remedy}" if self.remedy else line


def largest(values: np.ndarray) -> float:
    """The largest magnitude; NaN if there is one."""
    return float(np.max(abs(values), initial=0.0))
