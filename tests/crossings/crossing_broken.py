"""Cells of the crossings that are broken, by cause: each must vanish."""

CAUSES = {
    "the audit of a part of a run without inertia": """
        without inertia | between
    """,
    "resumed runs of rods differ in bits": """
        soft ground along a rod | resume
        free rod + soft ground | resume
        free rod + springs of the problem | resume
    """,
    "the power balance of gauss4 at kinks": """
        soft ground along a rod | method gauss4
        revolute loop + drive: cycloid | method gauss4
    """,
    "the audit of accelerations over contacts fails beside impacts, drives and soft ground": """
        unilateral contact + touch: plane | simulate
        unilateral contact + touch: plane | between
        unilateral contact + touch: plane | deep audit
        unilateral contact + touch: plane | extend
        unilateral contact + touch: plane | join
        unilateral contact + touch: plane | joint limits
        free base + touch: plane + drive: sine | simulate
        free base + touch: plane + drive: sine | between
        free base + touch: plane + drive: sine | deep audit
        free base + touch: plane + drive: sine | extend
        free base + touch: plane + drive: sine | join
        touch: plane + soft ground | simulate
        touch: plane + soft ground | deep audit
        touch: plane + soft ground | extend
        touch: plane + soft ground | join
        touch: plane + soft ground | joint limits
        unilateral contact + touch: sphere | simulate
        unilateral contact + touch: sphere | between
        unilateral contact + touch: sphere | deep audit
        unilateral contact + touch: sphere | extend
        unilateral contact + touch: sphere | join
        unilateral contact + touch: sphere | joint limits
        constraints that switch + touch: between two bodies | simulate
        constraints that switch + touch: between two bodies | between
        constraints that switch + touch: between two bodies | deep audit
        constraints that switch + touch: between two bodies | extend
        constraints that switch + touch: between two bodies | joint limits
    """,
}
BROKEN = {
    tuple(line.strip().split(" | ")): cause for cause, cells in CAUSES.items() for line in cells.strip().splitlines() if line
}
