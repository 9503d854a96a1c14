"""What every slot of q and v is: name, unit, index. Nothing about order is left to guess."""

from dataclasses import dataclass

from locomote.brief import brief
from locomote.model.description import Deformation, Joint
from locomote.model.joints import WORDS
from locomote.tables import escape, table

HEAD = ("slot", "joint", "kind", "coordinate", "unit")


def slots_of(joint: Joint) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """(name, unit) of each coordinate of a joint in q and in v."""
    if isinstance(joint, Deformation):
        units = ["-" if name.startswith(("stretch", "shear", "mode")) else "1/m" for name in joint.names]
        pairs = list(zip(joint.names, units, strict=True))
        return pairs, [(f"{name} rate", {"-": "1/s", "1/m": "1/(m s)"}[unit]) for name, unit in pairs]
    return WORDS[joint.kind].slots(joint)


@dataclass(frozen=True)
class Slot:
    """One entry of q or v."""

    vector: str
    index: int
    joint: str
    kind: str
    name: str
    unit: str


@brief
@dataclass(frozen=True)
class Layout:
    """All slots of a model; prints as a table."""

    slots: tuple[Slot, ...]
    notes: tuple[str, ...] = ()

    def __iter__(self):
        return iter(self.slots)

    def __len__(self) -> int:
        return len(self.slots)

    def _rows(self) -> list[tuple[str, ...]]:
        return [(f"{s.vector}[{s.index}]", s.joint, s.kind, s.name, s.unit) for s in self.slots]

    def _repr_html_(self) -> str:
        return table(self._rows(), HEAD) + "".join(f"<div>{escape(note)}</div>" for note in self.notes)

    def __str__(self) -> str:
        rows = [HEAD, *self._rows()]
        widths = [max(len(row[c]) for row in rows) for c in range(5)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:], *self.notes])
