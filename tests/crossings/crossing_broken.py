"""Cells of the crossings that are broken, by cause: each must vanish."""

CAUSES = {
    "limits act over hard contacts only, and tau shows what was not clipped": """
        arm | joint limits
        tree with a slider | joint limits
        free base | joint limits
        planar base | joint limits
        spherical joint | joint limits
        universal joint | joint limits
        helical and cylindrical joints | joint limits
        euler joint | joint limits
        mimic joint | joint limits
        joint springs, dampers, armature | joint limits
        dry friction | joint limits
        coupling | joint limits
        distance | joint limits
        four-bar | joint limits
        four-bar on a free base | joint limits
        weld loop | joint limits
        revolute loop | joint limits
        spherical loop | joint limits
        universal loop | joint limits
        prismatic loop | joint limits
        cylindrical loop | joint limits
        planar loop | joint limits
        blade | joint limits
        rolling wheel | joint limits
        point contact | joint limits
        surface contact | joint limits
        unilateral contact | joint limits
        rows of your own | joint limits
        constraints that switch | joint limits
        rod | joint limits
        free rod | joint limits
        modal body | joint limits
        without inertia | joint limits
        spring between points | joint limits
        springs of the problem | joint limits
        force of your own | joint limits
        Python environment | joint limits
        water: buoyancy, added mass, drag | joint limits
        flow: shear and vortex | joint limits
        flow on a grid | joint limits
        slender drag and elongated body | joint limits
        wing | joint limits
        sand around | joint limits
        soft ground | joint limits
        torque over time | joint limits
        torque over time | effort limits
        torque function | joint limits
        torque function | effort limits
        sampled controller | joint limits
        sampled controller | effort limits
        sampled controller with a state | joint limits
        sampled controller with a state | effort limits
        PD | joint limits
        PD | effort limits
        servo | joint limits
        servo | effort limits
        computed torque | joint limits
        computed torque | effort limits
        feed-forward | joint limits
        feed-forward | effort limits
        whole-body control | joint limits
        tendon | joint limits
        chamber, muscle, strain law | joint limits
        unilateral contact + sampled controller | joint limits
        unilateral contact + sampled controller | effort limits
        free rod + soft ground | joint limits
        rod + sampled controller | joint limits
        rod + sampled controller | effort limits
        rod + Python environment | joint limits
        without inertia + flow: shear and vortex | joint limits
        constraints that switch + sampled controller | joint limits
        constraints that switch + sampled controller | effort limits
        free base + touch: plane + sampled controller | effort limits
        free base + touch: plane + servo | effort limits
        free base + soft ground + computed torque | joint limits
        free base + soft ground + computed torque | effort limits
        water: buoyancy, added mass, drag + sampled controller | joint limits
        water: buoyancy, added mass, drag + sampled controller | effort limits
        Python environment + torque over time | joint limits
        Python environment + torque over time | effort limits
        force of your own + PD | joint limits
        force of your own + PD | effort limits
        tree with a slider + spring between points | joint limits
        euler joint + springs of the problem | joint limits
        mimic joint + flow on a grid | joint limits
        weld loop + slender drag and elongated body | joint limits
        blade + wing | joint limits
        without inertia + sand around | joint limits
        universal joint + torque function | joint limits
        universal joint + torque function | effort limits
        prismatic loop + sampled controller with a state | joint limits
        prismatic loop + sampled controller with a state | effort limits
        arm + feed-forward | joint limits
        arm + feed-forward | effort limits
        free rod + chamber, muscle, strain law | joint limits
    """,
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
    "time steps freeze a loop with redundant rows on a free base": """
        four-bar on a free base | method timestep
    """,
    "rows that are singular at the start of the problem are a raw error": """
        rolling wheel | symbols
        rolling wheel | rollout
        rolling wheel + touch: sphere | symbols
    """,
    "resumed runs differ from whole ones": """
        unilateral contact | resume
        feed-forward | resume
        free base + soft ground + computed torque | resume
        arm + feed-forward | resume
    """,
    "the audit fails at default tolerances": """
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
    "symbols drop torques over time and know nothing without inertia": """
        without inertia | symbols
        torque over time | symbols
        without inertia + drive: sine | symbols
        without inertia + flow: shear and vortex | symbols
        without inertia + sand around | symbols
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
    "steps by hand pass through what touches": """
        touch: plane | stepper
        touch: plane that rebounds | stepper
        touch: sphere | stepper
        touch: box | stepper
        touch: steps | stepper
        touch: height field | stepper
        touch: ground that gives way | stepper
        free rod + touch: plane | stepper
        four-bar on a free base + touch: plane | stepper
        free base + touch: plane + servo | stepper
        free base + touch: plane + drive: sine | stepper
        free base + touch: plane + Python environment | stepper
        touch: plane + soft ground | stepper
        free base + touch: plane + water: buoyancy, added mass, drag | stepper
        revolute loop + touch: plane that rebounds | stepper
        rolling wheel + touch: sphere | stepper
        free rod + touch: box | stepper
        dry friction + touch: height field | stepper
        spherical loop + touch: ground that gives way | stepper
    """,
    "method adaptive silently becomes timestep": """
        touch: plane | method adaptive
        touch: plane that rebounds | method adaptive
        touch: sphere | method adaptive
        touch: box | method adaptive
        touch: steps | method adaptive
        touch: height field | method adaptive
        touch: ground that gives way | method adaptive
        touch: between two bodies | method adaptive
        unilateral contact + touch: plane | method adaptive
        free rod + touch: plane | method adaptive
        four-bar on a free base + touch: plane | method adaptive
        free base + touch: plane + sampled controller | method adaptive
        free base + touch: plane + whole-body control | method adaptive
        free base + touch: plane + servo | method adaptive
        free base + touch: plane + drive: sine | method adaptive
        free base + touch: plane + Python environment | method adaptive
        touch: plane + soft ground | method adaptive
        free base + touch: plane + water: buoyancy, added mass, drag | method adaptive
        revolute loop + touch: plane that rebounds | method adaptive
        rolling wheel + touch: sphere | method adaptive
        free rod + touch: box | method adaptive
        planar base + touch: steps | method adaptive
        dry friction + touch: height field | method adaptive
        spherical loop + touch: ground that gives way | method adaptive
        point contact + touch: between two bodies | method adaptive
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
    "rollouts over contacts with loops, unilateral contacts or controllers differ from runs": """
        unilateral contact + touch: plane | rollout
        four-bar on a free base + touch: plane | rollout
        free base + touch: plane + sampled controller | rollout
        free base + touch: plane + whole-body control | rollout
    """,
    "other: energy of 0.059 of all that was exchanged is missing, allowed 0.05": """
        four-bar on a free base + touch: plane | energy
    """,
    "other: q at the end is off by 0.00023, allowed 0.0001": """
        four-bar on a free base + touch: plane | extend
    """,
    "linearize takes differences with long steps where torques are computed": """
        free base + soft ground + computed torque | linearize
    """,
    "rollouts without inertia are wrong": """
        without inertia + sand around | rollout
    """,
}
BROKEN = {
    tuple(line.strip().split(" | ")): cause for cause, cells in CAUSES.items() for line in cells.strip().splitlines() if line
}
