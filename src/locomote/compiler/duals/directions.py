"""Which direction a derivative belongs to: lanes of derivatives are directions, one each."""

from locomote.compiler.duals.numbers import slope_of
from locomote.compiler.lanes import WIDTH, insert
from locomote.compiler.source import helper


@helper
def along(lane):
    """Derivatives of a number that is itself the direction of a lane; zero if there is no such lane."""
    slope = 0.0 * slope_of(1.0)
    if 0 <= lane and lane < WIDTH:
        slope = insert(slope, 1.0, lane)
    return slope
