"""MuJoCo's two fluid models beside ours, on a free body; docs/water.md says where they agree.

Ellipsoid model: they agree on what added mass does by velocity alone: (M u) x w and the moments u x M u, with the same
coefficients of Lamb. They do not on the rest of added mass: MuJoCo leaves out the force -M u' that makes a body slow to start,
which here joins the inertia. Its drag is a law of its own, of projected areas, without the usual factor of one half.

Inertia-box model: quadratic drag on the faces of the box that has the inertia of the body, and Stokes drag on a sphere of its
mean size. Both are forces that `Drag` and `StokesDrag` have, but for one thing: MuJoCo takes each axis by itself, |u_i| u_i,
while drag here is along the velocity, |u| u_i; along one axis they are the same.
"""

import mujoco
import numpy as np
import pytest

import locomote as lo
from locomote.forces.water.added_mass import added_of

AXES, MASS, MOMENT = (0.3, 0.2, 0.1), 5.0, (0.2, 0.25, 0.3)
RHO, MU = 1000.0, 0.9


def peer(density=RHO, viscosity=0.0, wind="0 0 0", coefficients="0 0 0 0 0", ellipsoid=True):
    """MuJoCo's model; its fluid force is qfrc_fluid."""
    shape = f'fluidshape="ellipsoid" fluidcoef="{coefficients}"' if ellipsoid else ""
    return mujoco.MjModel.from_xml_string(f"""
<mujoco><option density="{density}" viscosity="{viscosity}" wind="{wind}" gravity="0 0 0"/><worldbody><body><freejoint/>
<inertial pos="0 0 0" mass="{MASS}" diaginertia="{MOMENT[0]} {MOMENT[1]} {MOMENT[2]}"/>
<geom type="ellipsoid" size="{AXES[0]} {AXES[1]} {AXES[2]}" {shape}/>
</body></worldbody></mujoco>""")


def theirs(model, v):
    """Force and moment of the fluid at the neutral pose, where axes of world and body are the same."""
    data = mujoco.MjData(model)
    data.qvel[:] = v
    mujoco.mj_forward(model, data)
    return data.qfrc_fluid.copy()


def body():
    inertia = lo.Inertia(MASS, (0, 0, 0), MOMENT)
    return lo.Builder("body", base="free", gravity=(0, 0, 0)).body("body", inertia=inertia).build()


def ours(elements, v):
    """Force and moment of the fluid, with that of added mass by velocity, on the body."""
    problem = lo.Locomotion(body(), environment=elements)
    q = problem.model.neutral()
    still = lo.Locomotion(body()).evaluate(0.0, q, v).a
    M = lo.mass_matrix(problem.model, q)
    dry = lo.mass_matrix(problem.statement.model, q)
    # M a = F + bias of added mass: what acts, when the water is not slow to start
    a = problem.evaluate(0.0, q, v).a
    return M @ a - dry @ still


def test_velocity_terms_of_added_mass_agree():
    model, rng = peer(), np.random.default_rng(0)
    water = [lo.AddedMass("body", lo.Fluid(RHO), lo.Ellipsoid(AXES))]
    for _ in range(10):
        v = rng.normal(size=6)
        expected = ours(water, v)
        np.testing.assert_allclose(theirs(model, v), expected, rtol=2e-2, atol=1e-3 * abs(expected).max())


def test_only_here_is_water_slow_to_start():
    """A push at rest: theirs is the acceleration in a vacuum, ours that of Kirchhoff."""
    model = peer()
    data = mujoco.MjData(model)
    data.xfrc_applied[1, 2] = 7.0
    mujoco.mj_forward(model, data)
    assert data.qacc[2] == pytest.approx(7.0 / MASS)
    water = [lo.AddedMass("body", lo.Fluid(RHO), lo.Ellipsoid(AXES)), lambda t, q, v: {"body": [0, 0, 7.0, 0, 0, 0]}]
    push = lo.Locomotion(body(), environment=water)
    a = push.evaluate(0.0, push.model.neutral(), np.zeros(6)).a
    assert a[2] == pytest.approx(7.0 / (MASS + RHO * added_of(lo.Ellipsoid(AXES))[0][2]))


def box():
    """Sides of the box with the inertia of the body."""
    x, y, z = MOMENT
    return np.sqrt(np.maximum(1e-15, np.array([y + z - x, x + z - y, x + y - z])) / MASS * 6)


def test_faces_of_the_inertia_box_are_quadratic_drag():
    """Along and about one axis: Drag with the areas of the faces, and with (b^4 + c^4) a / 32 for turning."""
    a, b, c = box()
    areas = (b * c, a * c, a * b)
    spins = (a * (b**4 + c**4) / 32, b * (a**4 + c**4) / 32, c * (a**4 + b**4) / 32)
    model, water = peer(ellipsoid=False), [lo.Drag("body", lo.Fluid(RHO), areas, spins)]
    for k in range(6):
        v = np.zeros(6)
        v[k] = -1.7
        np.testing.assert_allclose(ours(water, v), theirs(model, v), rtol=1e-7, atol=1e-9)
    v = np.array([1.0, 2.0, 2.0, 0, 0, 0])  # aslant: theirs goes by each axis, ours along the way
    np.testing.assert_allclose(theirs(model, v)[:3], -0.5 * RHO * np.array(areas) * v[:3] ** 2, rtol=1e-9)
    np.testing.assert_allclose(ours(water, v)[:3], -0.5 * RHO * np.array(areas) * 3.0 * v[:3], rtol=1e-6)


def test_viscous_part_of_the_inertia_box_is_the_drag_of_a_sphere():
    """Of the mean side of the box as diameter; any direction, in a wind too."""
    radius = box().mean() / 2
    fluid = lo.Fluid(1.0, MU, lo.water.Uniform((0.3, -0.2, 0.5)))
    model, rng = peer(density=0.0, viscosity=MU, wind="0.3 -0.2 0.5", ellipsoid=False), np.random.default_rng(1)
    for _ in range(5):
        v = rng.normal(size=6)
        np.testing.assert_allclose(ours([lo.water.StokesDrag("body", fluid, radius)], v), theirs(model, v), rtol=1e-9)


def test_blunt_drag_of_their_ellipsoid_is_that_of_its_shadow():
    """Along an axis: rho C A u^2 with the area of the shadow, twice that of `Drag` with this coefficient, as is usual."""
    model = peer(coefficients="0.7 0 0 0 0")
    shadow = np.pi * np.array([AXES[1] * AXES[2], AXES[0] * AXES[2], AXES[0] * AXES[1]])
    water = [lo.Drag("body", lo.Fluid(RHO), 2 * 0.7 * shadow)]
    for k in range(3):
        v = np.zeros(6)
        v[k] = 1.3
        np.testing.assert_allclose(theirs(model, v)[k], ours(water, v)[k], rtol=1e-6)


def test_runs_side_by_side():
    """A body let go in water: with the drag of the box alone it goes as theirs; with added mass it keeps its way longer."""
    a, b, c = box()
    water, v = lo.Fluid(RHO), np.array([2.0, 0, 0, 0, 0, 0])
    drag = lo.Drag("body", water, (b * c, a * c, a * b))
    model = peer(ellipsoid=False)
    model.opt.timestep, model.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(model)
    data.qvel[:] = v
    for _ in range(2000):
        mujoco.mj_step(model, data)
    dry = lo.Locomotion(body(), environment=[drag]).simulate(0.2, v=v, rtol=1e-10)
    assert dry.q[-1, 0] == pytest.approx(data.qpos[0], rel=1e-5)
    wet = lo.Locomotion(body(), environment=[drag, lo.AddedMass("body", water, lo.Ellipsoid(AXES))]).simulate(0.2, v=v)
    assert wet.q[-1, 0] > 1.1 * dry.q[-1, 0]
