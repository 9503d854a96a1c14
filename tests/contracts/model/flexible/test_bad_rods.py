"""Rods that cannot be: a sentence each, which says what is wrong, where, and what to do."""

import numpy as np
import pytest

import locomote as lo


def built(**rod):
    return lo.Builder("m").body("rod", flex=lo.Rod(1.0, **rod)).build()


def hung(along):
    return lo.Builder("m").body("rod", flex=lo.Rod(1.0)).body("child", parent="rod", along=along).build()


def fallen(torques, young=1e6, strains="bending_z", **options):
    rod = lo.Rod(1.0, lo.Section.circle(0.01), lo.Material(1000.0, young), strains=strains, order=2)
    model = lo.Builder("m", gravity=(0, -9.81, 0)).body("rod", flex=rod).build()
    lo.Locomotion(model, torques=torques).simulate(1.0, progress=False, **options)


STRETCH, BEND = {"strains": "stretch", "order": 0}, {"strains": "bending_z", "order": 0}
BASES = {
    "words": ("legendre", "must be functions of X, or lists of them by name of strain, not 'legendre'"),
    "too wide": ([lambda x: np.zeros(3)], "'torsion 0' .* does not give one real number for each X"),
    "complex": ([lambda x: 1j * x], "'torsion 0' .* does not give one real number for each X"),
    "not finite": ([lambda x: np.nan], "'torsion 0' .* is not finite at X = "),
    "of another strain": ({"stretch": lo.rods.Pieces(2)}, "names 'stretch', which is not among its strains"),
    "nothing": ([], "has no functions: it could not deform"),
    "zero": ([lambda x: 0.0 * x], "'rod': the functions of the basis for torsion .* not independent, or one is zero"),
    "twice": ([lambda x: x, lambda x: 2 * x], "'rod': the functions of the basis for torsion .* not independent"),
}
CASES = {
    "no length": (lambda: lo.Rod(0.0), "length of a rod must be a positive number, not 0.0"),
    "no number": (lambda: lo.Rod("1 m"), "length of a rod must be a positive number, not '1 m'"),
    "no area": (lambda: lo.Section(0.0, 1e-8, 1e-8, 1e-8), "a section needs a positive area"),
    "no radius": (lambda: lo.Section.circle(0.0), "radius of a section must be a positive number, not 0.0"),
    "no area somewhere": (
        lambda: built(section=lo.rods.Cone(0.02, -0.01, 1.0)),
        "a Cone has radii 0.02 and -0.01",
    ),
    "no section": (lambda: built(section=lambda x: None), "must give a lo.Section; at X = 0 m it gives None"),
    "inside out": (lambda: lo.Section.tube(0.01, 0.02), "between 0 and the outer one"),
    "no stiffness": (lambda: lo.Material(1000.0, -1.0), "Young's modulus of a material must be a finite number from 0"),
    "odd ratio": (lambda: lo.Material(1000.0, 1e6, poisson=0.7), "Poisson's ratio must be above -1 and at most 0.5"),
    "odd damping": (lambda: lo.Material(1000.0, 1e6, damping="little"), "damping of a material must be a number"),
    "no strain": (lambda: lo.Rod(1.0, strains="bend"), "a rod has no strain 'bend'; known: all"),
    "odd order": (lambda: lo.Rod(1.0, order=2.5), "order of a rod must be an integer from 0"),
    "sections without end": (
        lambda: lo.Touch("rod", lo.Ground(), start=0.0, elements=10**7),
        "expected an integer from 2 to 500",
    ),
    "points without end": (
        lambda: lo.Locomotion(
            built(), environment=[lo.water.Resistive("rod", lo.Fluid(), 0.0, 1.0, radius=0.01, elements=10**7)]
        ),
        "elements is 10000000, expected 2000 at most",
    ),
    "too few nodes": (
        lambda: built(strains="bending", order=9, nodes=8),
        "10 functions for bending_y and 8 mass nodes.*nodes=14",
    ),
    "too many nodes": (lambda: lo.Rod(1.0, nodes=10**7), "nodes of a rod must be at most"),
    "break outside": (lambda: lo.Rod(1.0, breaks=(2.0,)), "a break of a rod must be inside it, between 0 and 1 m, not 2"),
    "one break": (lambda: lo.Rod(1.0, breaks=0.5), "breaks of a rod must be several numbers"),
    "odd rest": (lambda: built(rest=lambda x: "straight"), "rest of a rod must be three numbers .* not 'straight'"),
    "torn at rest": (lambda: built(rest=(-1.0, 0, 0, 0, 0, 0)), "has a stretch of -1; it must be positive"),
    "rolled at rest": (
        lambda: built(rest=(0, 0, 60.0), nodes=8, order=1),
        "turns by .* rad .* at most pi is possible: give nodes=",
    ),
    "beyond the tip": (lambda: hung(1.2), "'child': along = 1.2 m is not on rod 'rod', which is 1 m long"),
    "before the root": (lambda: hung(-0.1), "'child': along = -0.1 m is not on rod 'rod'"),
    "nowhere": (lambda: hung("tip"), "along of body 'child' must be a number, not 'tip'"),
    "turned too far": (lambda: lo.inverse_dynamics(built(**BEND), [40.0], [0.0], [0.0]), "'rod' turns by 7.34 rad .* nodes=27"),
    "placed too far": (lambda: lo.forward_kinematics(built(**BEND), [40.0]), "turns by 7.34 rad between X = 0.408 and 0.592"),
    "many too far": (lambda: lo.mass_matrix(built(**BEND), np.linspace(0.0, 40.0, 50)[:, None]), "'rod' turns by 7.34"),
    "torn": (lambda: lo.forward_dynamics(built(**STRETCH), [-1.5], [0.0], [0.0]), "pressed through zero length .*stretch -0.5"),
    "torn in an evaluation": (
        lambda: lo.Locomotion(built(**STRETCH)).evaluate(0.0, [-1.0], [0.0]),
        "rod 'rod' is pressed through zero length at X = .*stretch 0 of 1",
    ),
    "torn in a run": (
        lambda: lo.Locomotion(built(**STRETCH)).simulate(0.5, v=[-500.0], progress=False),
        "'rod' is pressed through zero length at X = .* too soft for this load, .*; at t = ",
    ),
    "turned in a run": (
        lambda: lo.Locomotion(built(**BEND)).simulate(0.5, v=[5000.0], progress=False),
        "'rod' turns by .* rad between X = .* at most pi is possible: give it nodes=.*; at t = ",
    ),
    "meant to bend so far": (
        lambda: lo.forward_kinematics(built(**BEND), [4000.0]),
        "turns by .* is it meant to bend that far\\? If so, give it nodes=",
    ),
    "diverged in too long steps": (
        lambda: fallen(lambda t, q, v: 0.05 * v, method="rk4", step=1e-3),
        r"the run has diverged: .* J of .* J came from nowhere; steps of 0.001 s are too long .*method='auto'.* possible\)$",
    ),
    "fed without bound": (
        lambda: fallen(lambda t, q, v: 0.05 * v),
        "motion grows without bound: rates of .* at most at t = .* s, .* now; .* signs of forces, or tighten rtol",
    ),
    "not finite in too long steps": (
        lambda: fallen(None, 1e11, "all", method="rk4", step=1e-3, every=0.02),
        "not finite after t = .*: the run has diverged: .* came from nowhere; steps of 0.001 s are too long",
    ),
    "torn by a drive": (
        lambda: lo.Locomotion(built(**STRETCH), drives={"rod": lo.Sine(-1.5, 1.0)}).simulate(2.0, progress=False),
        "'rod' is pressed through zero length",
    ),
} | {f"basis: {name}": (lambda basis=basis: built(basis=basis), said) for name, (basis, said) in BASES.items()}


@pytest.mark.parametrize("name", CASES)
def test_a_sentence(name):
    call, said = CASES[name]
    with pytest.raises((ValueError, lo.LocomoteError), match=said):
        call()


def test_what_is_just_possible_is_done():
    """Up to pi in a step, and nearly no length."""
    assert np.isfinite(lo.forward_kinematics(built(**BEND), [17.0])).all()
    assert np.isfinite(lo.mass_matrix(built(**STRETCH), [-0.999])).all()
