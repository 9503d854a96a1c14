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
    "resumed runs differ from whole ones": """
        unilateral contact | resume
        feed-forward | resume
        free base + soft ground + computed torque | resume
        arm + feed-forward | resume
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
    "parts of runs and joined runs drop channels of forces and contacts": """
        without inertia | between
        spring between points | between
        force of your own | between
        water: buoyancy, added mass, drag | between
        flow: shear and vortex | between
        flow on a grid | between
        slender drag and elongated body | between
        wing | between
        sand around | between
        soft ground | between
        touch: plane | between
        touch: plane | join
        touch: plane that rebounds | between
        touch: plane that rebounds | join
        touch: sphere | between
        touch: sphere | join
        touch: box | between
        touch: box | join
        touch: steps | between
        touch: steps | join
        touch: height field | between
        touch: height field | join
        touch: ground that gives way | between
        touch: ground that gives way | join
        touch: between two bodies | between
        touch: between two bodies | join
        unilateral contact + touch: plane | between
        unilateral contact + touch: plane | join
        free rod + touch: plane | between
        free rod + touch: plane | join
        free rod + soft ground | between
        four-bar on a free base + touch: plane | between
        four-bar on a free base + touch: plane | join
        without inertia + drive: sine | between
        without inertia + flow: shear and vortex | between
        free base + touch: plane + sampled controller | between
        free base + touch: plane + sampled controller | join
        free base + touch: plane + whole-body control | between
        free base + touch: plane + whole-body control | join
        free base + touch: plane + servo | between
        free base + touch: plane + servo | join
        free base + touch: plane + drive: sine | between
        free base + touch: plane + drive: sine | join
        free base + touch: plane + Python environment | between
        free base + touch: plane + Python environment | join
        touch: plane + soft ground | between
        touch: plane + soft ground | join
        free base + touch: plane + water: buoyancy, added mass, drag | between
        free base + touch: plane + water: buoyancy, added mass, drag | join
        free base + soft ground + computed torque | between
        water: buoyancy, added mass, drag + sampled controller | between
        force of your own + PD | between
        tree with a slider + spring between points | between
        mimic joint + flow on a grid | between
        weld loop + slender drag and elongated body | between
        blade + wing | between
        without inertia + sand around | between
        revolute loop + touch: plane that rebounds | between
        revolute loop + touch: plane that rebounds | join
        rolling wheel + touch: sphere | between
        rolling wheel + touch: sphere | join
        free rod + touch: box | between
        free rod + touch: box | join
        planar base + touch: steps | between
        planar base + touch: steps | join
        dry friction + touch: height field | between
        dry friction + touch: height field | join
        spherical loop + touch: ground that gives way | between
        spherical loop + touch: ground that gives way | join
        point contact + touch: between two bodies | between
        point contact + touch: between two bodies | join
    """,
    "the audit of an opened run fails where that of the run passes": """
        force of your own | save and open
        PD | save and open
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
    "files of problems with functions lose channels of contacts": """
        touch: height field | save and open
        touch: height field | resume
        four-bar on a free base + touch: plane | save and open
        four-bar on a free base + touch: plane | resume
        free base + touch: plane + sampled controller | save and open
        free base + touch: plane + sampled controller | resume
        free base + touch: plane + whole-body control | save and open
        free base + touch: plane + whole-body control | resume
        free base + touch: plane + servo | save and open
        free base + touch: plane + servo | resume
        free base + touch: plane + Python environment | save and open
        free base + touch: plane + Python environment | resume
        revolute loop + touch: plane that rebounds | save and open
        revolute loop + touch: plane that rebounds | resume
        dry friction + touch: height field | save and open
        dry friction + touch: height field | resume
        spherical loop + touch: ground that gives way | save and open
        spherical loop + touch: ground that gives way | resume
    """,
    "linearize takes differences with long steps where torques are computed": """
        free base + soft ground + computed torque | linearize
    """,
}
BROKEN = {
    tuple(line.strip().split(" | ")): cause for cause, cells in CAUSES.items() for line in cells.strip().splitlines() if line
}
