"""USD stages: bodies and joints, and a sentence without the package or with files that refer to others."""

import importlib.util

import numpy as np
import pytest

import locomote as lo

STAGE = """#usda 1.0
(
    metersPerUnit = 0.01
    upAxis = "Z"
{more})
def Xform "World"
{{
    def Xform "arm" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {{
        point3f physics:centerOfMass = (50, 0, 0)
        float3 physics:diagonalInertia = (1000, 2000, 3000)
        float physics:mass = 2
    }}
    def PhysicsRevoluteJoint "hinge"
    {{
        uniform token physics:axis = "Y"
        rel physics:body1 = </World/arm>
        point3f physics:localPos0 = (0, 0, 200)
        float physics:lowerLimit = -90
    }}
}}
"""


def test_a_pendulum(tmp_path):
    path = tmp_path / "arm.usda"
    path.write_text(STAGE.format(more=""))
    if importlib.util.find_spec("pxr") is None:
        with pytest.raises(lo.ModelError, match="needs the package usd-core"):
            lo.load(path)
        return
    model = lo.load(path)
    assert model.joint_names == ("hinge",) and model.lower[0] == pytest.approx(-np.pi / 2) and model.upper[0] == np.inf
    np.testing.assert_allclose(lo.mass_matrix(model, [0.0]), 0.2 + 2.0 * 0.5**2, rtol=1e-6)
    np.testing.assert_allclose(lo.forward_kinematics(model, [0.3])[0][:3, 3], [0, 0, 2.0], atol=1e-6)
    path.write_text(STAGE.format(more="    subLayers = [@/etc/other.usda@]\n"))
    with pytest.raises(lo.ModelError, match="which is not opened"):
        lo.load(path)
