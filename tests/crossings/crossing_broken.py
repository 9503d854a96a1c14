"""Cells of the crossings that are broken, by cause: each must vanish."""

CAUSES = {
    "the audit fails at default tolerances": """
        modal body | simulate
        modal body | between
        modal body | extend
        modal body | join
    """,
    "the audit of a part in which next to nothing is exchanged fails by the rounding of work before it": """
        without inertia | between
    """,
    "the audit of an opened run fails where that of the run passes": """
        force of your own | save and open
        unilateral contact + sampled controller | save and open
        rod + sampled controller | save and open
        water: buoyancy, added mass, drag + sampled controller | save and open
        force of your own + PD | save and open
    """,
}
BROKEN = {
    tuple(line.strip().split(" | ")): cause for cause, cells in CAUSES.items() for line in cells.strip().splitlines() if line
}
