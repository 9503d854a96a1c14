"""What docs/conventions.md says of other programs, checked with them."""

import mujoco
import numpy as np
import pages
import pinocchio as pin
import pytest

import locomote as lo

MJCF = """
<mujoco>
  <worldbody>
    <body name="trunk">
      <freejoint name="base"/>
      <inertial pos="0.1 -0.05 0.02" mass="3" diaginertia="0.1 0.2 0.15"/>
      <body name="leg" pos="0.2 0.1 -0.1">
        <joint name="hip" axis="0 1 0"/>
        <inertial pos="0 0 -0.2" mass="1" diaginertia="0.02 0.02 0.001"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
URDF = """
<robot name="r">
  <link name="trunk">
    <inertial>
      <origin xyz="0.1 -0.05 0.02"/><mass value="3"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.15"/>
    </inertial>
  </link>
  <link name="leg">
    <inertial>
      <origin xyz="0 0 -0.2"/><mass value="1"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.001"/>
    </inertial>
  </link>
  <joint name="hip" type="continuous">
    <parent link="trunk"/><child link="leg"/><origin xyz="0.2 0.1 -0.1"/><axis xyz="0 1 0"/>
  </joint>
</robot>
"""
POINT = np.array([0.05, -0.02, -0.3])


@pytest.fixture(scope="module")
def state():
    model = lo.Model(lo.read_mjcf(MJCF))
    rng = np.random.default_rng(5)
    return model, model.random(rng), rng.normal(size=model.nv)


def test_to_mujoco(state, tmp_path_factory, monkeypatch):
    model, q, v = state
    folder = tmp_path_factory.mktemp("page")
    monkeypatch.chdir(folder)
    page = pages.run(pages.ROOT / "docs" / "conventions.md", folder)
    theirs = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(theirs)
    assert {"qpos", "qvel", "back"} <= page.keys()
    data.qpos, data.qvel = lo.convert(model, q, to="mujoco"), lo.convert(model, v, "v", to="mujoco", q=q)
    mujoco.mj_forward(theirs, data)

    leg = theirs.body("leg").id
    g = lo.forward_kinematics(model, q)[model.body("leg").index]
    assert np.allclose(g[:3, 3], data.xpos[leg]) and np.allclose(g[:3, :3].ravel(), data.xmat[leg])
    linear, angular = np.zeros((3, theirs.nv)), np.zeros((3, theirs.nv))
    mujoco.mj_jac(theirs, data, linear, angular, g[:3, :3] @ POINT + g[:3, 3], leg)
    ours = lo.velocity(model, q, v, "leg", point=POINT, frame="aligned")
    assert np.allclose(np.concatenate([linear, angular]) @ data.qvel, ours)

    # MuJoCo's accelerations are the rates of its own velocities: linear in world axes
    turn = g_of(model, q)[:3, :3]
    a = lo.forward_dynamics(model, q, v, np.zeros(model.nv))
    assert np.allclose(data.qacc[:3], turn @ (a[:3] + np.cross(v[3:6], v[:3])))
    assert np.allclose(data.qacc[3:], a[3:])


def g_of(model, q):
    return lo.forward_kinematics(model, q)[0]


def test_pinocchio(state):
    _, q, v = state
    model = lo.Model(lo.read_urdf(URDF).with_base("free"))
    theirs = pin.buildModelFromXML(URDF, pin.JointModelFreeFlyer())
    data = theirs.createData()
    q_theirs = np.concatenate([q[:7], [np.cos(q[7]), np.sin(q[7])]])  # (cos, sin) of a continuous joint
    assert np.allclose(pin.rnea(theirs, data, q_theirs, v, v), lo.inverse_dynamics(model, q, v, v))
    frames = {"local": pin.LOCAL, "aligned": pin.LOCAL_WORLD_ALIGNED, "world": pin.WORLD}
    leg = theirs.getFrameId("leg")
    for name, frame in frames.items():
        J = pin.computeFrameJacobian(theirs, data, q_theirs, leg, frame)
        assert np.allclose(J, lo.jacobian(model, q, "leg", frame=name))
