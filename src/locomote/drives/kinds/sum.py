"""Several drives at once. Their terms are packed one by one."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from locomote.brief import brief
from locomote.compiler.callbacks import shortened
from locomote.drives.drive import Drive, as_drive, put, ramp_breaks, ramps, settle


@brief
@dataclass(frozen=True)
class Sum(Drive):
    """Several drives at once; what + makes."""

    terms: tuple[Drive, ...]
    ramp: float = field(default=0.0, kw_only=True)

    def __post_init__(self):
        settle(self, "ramp")
        if isinstance(self.terms, (str, bytes, Drive)) or not isinstance(self.terms, Iterable):
            raise TypeError(f"terms of a Sum must be a sequence of drives, not {shortened(self.terms)}")
        given = [as_drive(term) for term in self.terms]
        if not given:
            raise ValueError("a Sum needs at least one drive; Constant(0.0) is no motion")
        nested = [term.terms if isinstance(term, Sum) and not term.ramp else (term,) for term in given]
        put(self, terms=tuple(term for inner in nested for term in inner))

    def _terms(self):
        own = ramps(self)
        return [part._replace(ramps=own + part.ramps) for term in self.terms for part in term._terms()]

    def _breaks(self):
        return (*ramp_breaks(self), *(x for term in self.terms for x in term._breaks()))

    def _scaled(self, factor):
        return replace(self, terms=tuple(term._scaled(factor) for term in self.terms))

    def _gap(self, t):
        return next(filter(None, (term._gap(t) for term in self.terms)), "")
