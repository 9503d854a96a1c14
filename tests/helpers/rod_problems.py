"""Small problems with rods under constraints, for laws of problems and for methods that step them."""

import numpy as np

import locomote as lo

SOFT = lo.Material(1000.0, 2e6, damping=0.0)


def blades():
    """A soft rod on three skates in the plane, one of them at its middle."""
    rod = lo.Rod(0.6, lo.Section.circle(0.02), SOFT, strains="bending_z", order=2)
    model = (
        lo.Builder("skater", base="planar", gravity=(0, 0, 0))
        .body("spine", flex=rod, inertia=lo.Inertia(0.3, moment=(1e-3, 1e-3, 1e-3)))
        .body("middle", parent="spine", along=0.25)
        .body("tip", parent="spine", inertia=lo.Inertia(0.2, moment=(1e-3, 1e-3, 1e-3)))
        .build()
    )
    skates = [lo.Blade(body) for body in ("spine", "middle", "tip")]
    return lo.Locomotion(model, constraints=skates)


def ring():
    """Two rods whose tips are joined: a closed soft loop that hangs on the world."""
    rod = lo.Rod(0.4, lo.Section.circle(0.01), SOFT, strains="bending stretch torsion", order=2, rest=(0.0, 0.0, 2.0))
    turn = np.diag([1.0, -1.0, -1.0, 1.0])
    model = (
        lo.Builder("ring")
        .body("left", flex=rod)
        .body("right", at=turn, joint=lo.Joint("hinge", axis="z"), flex=rod)
        .body("a", parent="left", inertia=lo.Inertia(0.1))
        .body("b", parent="right")
        .build()
    )
    return lo.Locomotion(model, constraints=[lo.LoopClosure("b", "a", kind="spherical")])
