"""Cells of the crossings that are broken, as cause -> lines of "row | column": each must fail, and should vanish."""

CAUSES: dict[str, str] = {}
BROKEN = {
    tuple(line.strip().split(" | ")): cause for cause, cells in CAUSES.items() for line in cells.strip().splitlines() if line
}
