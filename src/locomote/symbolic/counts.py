"""How many operations a function of a model takes, counted on the recorded kernel: exact, and the same on every machine."""

from collections import Counter
from dataclasses import dataclass

from locomote.model.model import Model
from locomote.symbolic import trace as tr
from locomote.symbolic.record import recorded


@dataclass(frozen=True)
class OperationCount:
    """Operations of one evaluation. Subtractions count as additions; `total` leaves sign changes out, as is usual.

    others : comparisons, choices between two values, angles of points, roundings
    """

    function: str
    model: str
    multiplications: int
    additions: int
    divisions: int
    square_roots: int
    sines: int
    cosines: int
    others: int
    sign_changes: int

    @property
    def total(self) -> int:
        """All but sign changes."""
        arithmetic = self.multiplications + self.additions + self.divisions
        return arithmetic + self.square_roots + self.sines + self.cosines + self.others

    def __str__(self) -> str:
        kinds = ("multiplications", "additions", "divisions", "square_roots", "sines", "cosines", "others")
        counts = {kind.replace("_", " "): getattr(self, kind) for kind in kinds}
        shown = ", ".join(f"{count} {kind if count != 1 else kind[:-1]}" for kind, count in counts.items() if count)
        return f"{self.function} of {self.model!r}: {shown or 'nothing'}; {self.total} in all"


def operation_count(model: Model, function: str, *, wrenches: bool = False, **place) -> OperationCount:
    """Operations that a public function takes for one configuration of a model: zeros folded, nothing done twice.

    wrenches : with external wrenches on all bodies ; body, point, frame : of functions that take them
    """
    done = Counter(code for code, *_ in recorded(model, function, wrenches=wrenches, **place).operations)
    plain = (tr.MUL, tr.ADD, tr.SUB, tr.DIV, tr.SQRT, tr.SIN, tr.COS, tr.NEG)
    return OperationCount(
        function,
        model.name,
        multiplications=done[tr.MUL],
        additions=done[tr.ADD] + done[tr.SUB],
        divisions=done[tr.DIV],
        square_roots=done[tr.SQRT],
        sines=done[tr.SIN],
        cosines=done[tr.COS],
        others=sum(count for code, count in done.items() if code not in plain),
        sign_changes=done[tr.NEG],
    )
