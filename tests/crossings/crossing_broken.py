"""Cells of the crossings that are broken, by cause: each must vanish."""

CAUSES = {
    "an equilibrium in gimbal lock is none": """
        euler joint | equilibrium
        euler joint + springs of the problem | equilibrium
    """,
    "targets that were left open are taken elsewhere than in a run": """
        distance | rollout
        point contact | rollout
        surface contact | evaluate
        surface contact | rollout
        surface contact + drive: function | evaluate
        surface contact + drive: function | rollout
    """,
    "the audit fails at default tolerances": """
        modal body | joint limits
        modal body | simulate
        modal body | energy
        modal body | between
        modal body | extend
        modal body | join
        modal body | stepper
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
    "evaluate does not know what touches": """
        touch: plane | evaluate
        touch: plane that rebounds | evaluate
        touch: sphere | evaluate
        touch: box | evaluate
        touch: steps | evaluate
        touch: height field | evaluate
        touch: ground that gives way | evaluate
        unilateral contact + touch: plane | evaluate
        free rod + touch: plane | evaluate
        four-bar on a free base + touch: plane | evaluate
        free base + touch: plane + servo | evaluate
        free base + touch: plane + drive: sine | evaluate
        free base + touch: plane + Python environment | evaluate
        free base + touch: plane + water: buoyancy, added mass, drag | evaluate
        revolute loop + touch: plane that rebounds | evaluate
        rolling wheel + touch: sphere | evaluate
        free rod + touch: box | evaluate
        dry friction + touch: height field | evaluate
        spherical loop + touch: ground that gives way | evaluate
    """,
    "linearize takes differences with long steps where torques are computed": """
        free base + soft ground + computed torque | linearize
    """,
}
BROKEN = {
    tuple(line.strip().split(" | ")): cause for cause, cells in CAUSES.items() for line in cells.strip().splitlines() if line
}
