"""Forces along rods: as on rigid bodies where a rod is straight, and against closed forms where it bends."""

import numpy as np
import pytest
from numpy.polynomial import legendre

import locomote as lo

LENGTH, RADIUS, DENSITY = 0.6, 0.02, 900.0
WATER = lo.Fluid(1000.0, 1e-3, lo.water.Uniform((0.3, -0.2, 0.1)) + lo.water.Shear(0.7))
HONEY = lo.Fluid(1000.0, 1.0)
ENDS = {"rod": (0.0, LENGTH), "body": ((0.0, 0.0, 0.0), (LENGTH, 0.0, 0.0))}
PART = {"rod": (0.1, 0.5), "body": ((0.1, 0.0, 0.0), (0.5, 0.0, 0.0))}
TAPER = {"height": lambda x: 0.08 - 0.05 * x, "width": lambda x: 0.03 + 0.02 * x}
FORCES = {
    "lighthill": lambda e: lo.water.Lighthill(WATER, [lo.water.Segment("arm", *e, **TAPER)]),
    "section drag": lambda e: lo.water.SectionDrag(WATER, [lo.water.Segment("arm", *e, **TAPER)], elements=6),
    "slender drag": lambda e: lo.water.SlenderDrag("arm", WATER, *e, 0.05, 0.03, elements=6),
    "resistive": lambda e: lo.water.Resistive("arm", HONEY, *e, along=0.4, across=0.7),
    "sand": lambda e: lo.water.Granular("arm", *e, 0.01, 3e4, 5e3, elements=60),
    "wing": lambda e: lo.water.Wing("arm", WATER, *e, lambda x: 0.1 - 0.03 * x, forward=(0, 1, 0), elements=10),
}


def two_models():
    """A free straight cylinder: as a rod, all of whose strains are held, and as a rigid body."""
    builder = lo.Builder("straight", base="free")
    rod = lo.Rod(LENGTH, lo.Section.circle(RADIUS), lo.Material(DENSITY, 1e6), strains="bending", order=1, nodes=12)
    mass = np.pi * RADIUS**2 * LENGTH * DENSITY
    spread = mass * (RADIUS**2 / 4 + LENGTH**2 / 12)
    solid = lo.Inertia(mass, (LENGTH / 2, 0, 0), (mass * RADIUS**2 / 2, spread, spread))
    rigid = lo.Builder("straight", base="free").body("arm", inertia=solid).build()
    return builder.body("arm", flex=rod).build(), rigid


@pytest.mark.parametrize("name", FORCES)
@pytest.mark.parametrize("stretch", [ENDS, PART], ids=["whole", "part"])
def test_a_straight_rod_feels_what_a_rigid_body_feels(name, stretch):
    flexible, rigid = two_models()
    rng = np.random.default_rng(3)
    q, v = rigid.random(rng), rng.normal(size=6)
    still = {("arm", k): 0.0 for k in range(flexible.nv - 6)}
    one = lo.Locomotion(rigid, environment=[FORCES[name](stretch["body"])])
    two = lo.Locomotion(flexible, drives=still, environment=[FORCES[name](stretch["rod"])])
    expected = one.evaluate(0.0, q, v).a
    given = two.evaluate(0.0, np.r_[q, np.zeros(flexible.nv - 6)], np.r_[v, np.zeros(flexible.nv - 6)]).a[:6]
    without = lo.Locomotion(rigid).evaluate(0.0, q, v).a
    size = abs(expected - without).max()
    assert size > 1e-2
    tolerance = {"sand": 2e-3, "resistive": 1e-9, "lighthill": 1e-9, "wing": 1e-5}.get(name, 1e-4)  # quadratures differ
    assert abs(given - expected).max() < tolerance * size


def test_water_carries_a_rod_of_its_own_density():
    rod = lo.Rod(LENGTH, lo.Section.circle(RADIUS), lo.Material(1000.0, 1e5), strains="bending", order=3)
    model = lo.Builder("rod", base="free").body("rod", flex=rod).build()
    rng = np.random.default_rng(0)
    q = model.random(rng)
    problem = lo.Locomotion(model, environment=[lo.Buoyancy("rod", HONEY)])
    energy = problem.simulate(0.2, q=model.neutral(), every=0.1, progress=False)
    assert abs(energy.q - model.neutral()).max() < 1e-12
    # bent at random: weight and buoyancy cancel node by node
    free = lo.Locomotion(lo.Builder("rod", base="free", gravity=(0, 0, 0)).body("rod", flex=rod).build())
    state = 0.0, q, np.zeros(model.nv)
    assert abs(problem.evaluate(*state).a - free.evaluate(*state).a).max() < 1e-9 * abs(free.evaluate(*state).a).max()


def filament(order: int, rigidity: float, nodes: int = 24, **more):
    section = lo.Section.circle(RADIUS)
    rod = lo.Rod(1.0, section, lo.Material(1000.0, rigidity / section.about_z), strains="bending_z", order=order, nodes=nodes)
    builder = lo.Builder("filament", gravity=(0, 0, 0))
    model = builder.body("filament", joint=lo.Joint("root"), flex=rod).body("tip", parent="filament").build()
    drag = lo.water.Resistive("filament", HONEY, 0.0, 1.0, along=1.0, across=2.0)
    return lo.Locomotion(model, environment=[drag], inertia=False, **more)


def test_resistance_of_a_filament_converges_with_order_four():
    s, w = legendre.leggauss(40)
    X, W = (s + 1) / 2, w / 2
    shapes = [legendre.Legendre.basis(k, domain=[0, 1]).integ(2, lbnd=0)(X) for k in range(5)]
    across = np.array([X, *shapes])  # sideways, per coordinate, where the filament is straight
    expected = 2.0 * (across * W) @ across.T
    size = np.sqrt(np.diag(expected))
    errors = []
    for nodes in (16, 32):
        problem = filament(4, 0.05, nodes, drives={"root": 0.0})
        given = problem.resistance(problem.model.neutral())
        errors.append((abs(given - expected) / np.outer(size, size)).max())
    assert errors[0] < 3e-3 and errors[1] < errors[0] / 12


def test_a_filament_waved_in_honey():
    """EI y'''' + c y_t = 0, held at its root and turned to and fro (Wiggins and Goldstein, Phys. Rev. Lett. 80 (1998))."""
    rigidity, rate, angle = 0.2, 2.0, 1e-3
    k = (-1j * rate * 2.0 / rigidity) ** 0.25 * 1j ** np.arange(4)
    ends = np.array([np.ones(4), k, k**2 * np.exp(k), k**3 * np.exp(k)])
    tip = np.linalg.solve(ends, [0, angle, 0, 0]) @ np.exp(k)
    problem = filament(6, rigidity, drives={"root": lo.Sine(angle, rate)})
    run = problem.simulate(5 * np.pi, every=np.pi / 8, progress=False)
    assert run.info["method"] == "implicit" and run.audit.ok
    late = run.t > 4 * np.pi  # the start has died out by exp(-1.24 t)
    went = lo.forward_kinematics(problem.model, run.q)[late, problem.model.body_index("tip"), 1, 3]
    assert abs(went - (tip * np.exp(1j * rate * run.t[late])).imag).max() < 1e-4 * abs(tip)


def test_a_heavy_rod_sinks_without_inertia():
    section = lo.Section.circle(RADIUS)
    rod = lo.Rod(1.0, section, lo.Material(1300.0, 1e9), strains="bending_y", order=0)
    model = lo.Builder("rod", base="free").body("rod", flex=rod).build()
    forces = [lo.water.Resistive("rod", HONEY, 0.0, 1.0, along=1.0, across=2.0, radius=RADIUS), lo.Buoyancy("rod", HONEY)]
    problem = lo.Locomotion(model, environment=forces, inertia=False)
    run = problem.simulate(0.1, method="adaptive", progress=False)
    assert np.isclose(run.v[0, 2], -300.0 * section.area * 9.81 / 2.0, rtol=1e-9)
    assert run.audit.ok


def test_a_section_stands_for_a_body_that_hangs_there():
    rod = lo.Rod(LENGTH, strains="bending", order=2)
    model = lo.Builder("arm").body("arm", flex=rod).body("mark", parent="arm", along=0.21).build()
    pull = {"other_point": (0.2, 0.3, 0.4), "stiffness": 30.0, "damping": 0.2, "point": (0, 0.01, 0)}
    rng = np.random.default_rng(1)
    state = 0.0, model.random(rng), rng.normal(size=model.nv)
    one = lo.Locomotion(model, environment=[lo.Spring("mark", **pull)]).evaluate(*state)
    problem = lo.Locomotion(model, environment=[lo.Spring(lo.rods.Along("arm", 0.21), **pull)])
    assert np.allclose(problem.evaluate(*state).a, one.a, rtol=1e-12)
    assert "arm@0.21" in problem.model.body_names


@pytest.mark.parametrize(
    "force, words",
    [
        (lambda: lo.water.Resistive("arm", HONEY, 0.0, 0.7, along=1.0, across=2.0), "0.6 m long"),
        (lambda: lo.water.Resistive("hand", HONEY, 0.0, 0.5, along=1.0, across=2.0), "'hand' is not a rod"),
        (lambda: lo.water.Resistive("leg", HONEY, 0.0, 0.5, along=1.0, across=2.0), "no body named 'leg'"),
        (lambda: lo.water.Resistive("arm", HONEY, 0.2, 0.2, along=1.0, across=2.0), "not zero"),
        (lambda: lo.Spring(lo.rods.Along("arm", -0.1)), "X = -0.1 m of rod 'arm'"),
        (lambda: lo.water.SlenderDrag("arm", HONEY, 0.0, (0.1, 0, 0), 0.1), "expected"),
    ],
)
def test_what_is_not_on_a_rod_is_refused(force, words):
    hand = lo.Inertia.sphere(0.1, 0.02)
    model = lo.Builder("arm").body("arm", flex=lo.Rod(LENGTH)).body("hand", parent="arm", inertia=hand).build()
    with pytest.raises(ValueError, match=words):
        lo.Locomotion(model, environment=[force()])
