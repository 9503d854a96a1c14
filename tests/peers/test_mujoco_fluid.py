"""MuJoCo's fluid model of ellipsoids beside ours, on a free body.

They agree on what added mass does by velocity alone: (M u) x w and the moments u x M u, with the same coefficients of Lamb.
They do not on the rest of added mass: MuJoCo leaves out the force -M u' that makes a body slow to start, which here joins the
inertia. Its drag is a law of its own, of projected areas.
"""

import mujoco
import numpy as np
import pytest

import locomote as lo

AXES, MASS, MOMENT = (0.3, 0.2, 0.1), 5.0, (0.1, 0.2, 0.3)
XML = f"""
<mujoco><option density="1000" viscosity="0" gravity="0 0 0"/><worldbody><body><freejoint/>
<inertial pos="0 0 0" mass="{MASS}" diaginertia="{MOMENT[0]} {MOMENT[1]} {MOMENT[2]}"/>
<geom type="ellipsoid" size="{AXES[0]} {AXES[1]} {AXES[2]}" fluidshape="ellipsoid" fluidcoef="0 0 0 0 0"/>
</body></worldbody></mujoco>"""


def ours():
    inertia = lo.Inertia(MASS, (0, 0, 0), MOMENT)
    model = lo.Builder("body", base="free", gravity=(0, 0, 0)).body("body", inertia=inertia).build()
    return lo.Locomotion(model, environment=[lo.AddedMass("body", lo.Fluid(1000.0), lo.Ellipsoid(AXES))])


def test_velocity_terms_of_added_mass_agree():
    model = mujoco.MjModel.from_xml_string(XML)
    problem, rng = ours(), np.random.default_rng(0)
    for _ in range(10):
        data, v = mujoco.MjData(model), rng.normal(size=6)
        data.qvel[:] = v  # at the neutral pose world axes are those of the body
        mujoco.mj_forward(model, data)
        theirs = data.qfrc_fluid.copy() if hasattr(data, "qfrc_fluid") else data.qfrc_passive.copy()
        water = lo.bias_force(problem.original, problem.original.neutral(), v) - lo.bias_force(
            problem.model, problem.model.neutral(), v
        )
        np.testing.assert_allclose(theirs, water, rtol=2e-2, atol=1e-3 * abs(water).max())


def test_only_here_is_water_slow_to_start():
    """A push at rest: theirs is the acceleration in a vacuum, ours that of Kirchhoff."""
    model = mujoco.MjModel.from_xml_string(XML)
    data = mujoco.MjData(model)
    data.xfrc_applied[1, 2] = 7.0
    mujoco.mj_forward(model, data)
    assert data.qacc[2] == pytest.approx(7.0 / MASS)
    from locomote.environment.added_mass import added_of

    push = lo.Locomotion(ours().original, environment=[*ours().environment, lambda t, q, v: {"body": [0, 0, 7.0, 0, 0, 0]}])
    a = push.evaluate(0.0, push.model.neutral(), np.zeros(6)).a
    assert a[2] == pytest.approx(7.0 / (MASS + 1000.0 * added_of(lo.Ellipsoid(AXES))[0][2]))
