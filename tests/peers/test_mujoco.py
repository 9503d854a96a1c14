"""Mechanisms that URDF cannot say, in MuJoCo and here: balls, free bodies, several joints on a body, armature, references."""

import numpy as np
import pytest
from mujoco_peer import Pair

import locomote as lo

TOLERANCE = 1e-9

INERTIAL = '<inertial pos="0.05 -0.02 0.1" mass="{}" fullinertia="0.02 0.03 0.04 0.002 -0.003 0.004"/>'
LIGHT, HEAVY = INERTIAL.format(0.7), INERTIAL.format(3.1)

MODELS = {
    "hinges": f"""
<mujoco model="hinges"><option gravity="1 2 -9"/><compiler angle="radian"/>
<worldbody>
  <body name="a" pos="0.1 0.2 0.3" quat="0.8 0.2 -0.4 0.4">{HEAVY}
    <joint name="ja" type="hinge" axis="1 2 3" pos="0.1 -0.1 0.2" armature="0.3" ref="0.4"/>
    <body name="b" pos="0 0.3 0.1" euler="0.3 0.2 -0.5">{LIGHT}
      <joint name="jb" type="hinge" axis="0 -1 0" ref="-0.7"/>
      <body name="tip" pos="0.1 0 0"/>
    </body>
    <body name="c" pos="0.2 0 -0.4">{LIGHT}
      <joint name="jc" type="hinge" axis="1 0 0" pos="0 0 0.3" armature="0.01"/>
    </body>
  </body>
</worldbody></mujoco>""",
    "slides": f"""
<mujoco model="slides"><compiler angle="radian"/>
<worldbody>
  <body name="cart" pos="0 0 1">{HEAVY}
    <joint name="x" type="slide" axis="1 0 0" ref="0.5"/>
    <joint name="y" type="slide" axis="1 1 0" armature="2"/>
    <joint name="turn" type="hinge" axis="0 0 1" pos="0.3 0 0"/>
    <joint name="tilt" type="hinge" axis="0 1 0.2" pos="-0.2 0.1 0" ref="1.0"/>
    <body name="arm" pos="0.2 0.1 0" axisangle="1 1 0 0.7">{LIGHT}
      <joint name="lift" type="slide" axis="0.3 0 1" pos="1 1 1"/>
      <body name="hand" pos="0 0 0.5">{LIGHT}
        <joint name="wrist" type="hinge" axis="0 1 0"/>
        <joint name="grip" type="slide" axis="0 0 -2"/>
      </body>
    </body>
  </body>
</worldbody></mujoco>""",
    "balls": f"""
<mujoco model="balls"><compiler angle="radian"/>
<worldbody>
  <body name="upper" pos="0 0 2" quat="0.9 0.1 0.3 -0.2">{HEAVY}
    <joint name="shoulder" type="ball" pos="0.1 0 0.2" armature="0.2"/>
    <body name="lower" pos="0.4 0 0" euler="0 1 0.5">{LIGHT}
      <joint name="elbow" type="hinge" axis="1 1 0"/>
      <joint name="wrist" type="ball" pos="0.3 0.1 0"/>
    </body>
    <body name="other" pos="-0.4 0 0">{LIGHT}
      <joint name="hip" type="ball"/>
    </body>
  </body>
</worldbody></mujoco>""",
    "walker": f"""
<mujoco model="walker"><compiler angle="radian"/>
<worldbody>
  <body name="trunk" pos="0 0 1">{HEAVY}
    <freejoint name="root"/>
    <body name="thigh" pos="0.1 0 -0.1">{LIGHT}
      <joint name="hip" type="ball"/>
      <body name="shank" pos="0 0 -0.4">{LIGHT}
        <joint name="knee" type="hinge" axis="0 1 0" armature="0.05" ref="0.2"/>
        <body name="foot" pos="0 0 -0.4" euler="0 0.2 0">{LIGHT}</body>
      </body>
    </body>
    <body name="arm" pos="0 0.2 0.3">{LIGHT}
      <joint name="reach" type="slide" axis="0 1 1"/>
      <joint name="swing" type="hinge" axis="1 0 0" pos="0 0 0.1"/>
    </body>
  </body>
</worldbody></mujoco>""",
    "crowd": f"""
<mujoco model="crowd"><option gravity="0 0 0"/><compiler angle="radian"/>
<worldbody>
  <body name="ball" pos="1 0 1">{HEAVY}<freejoint name="fly"/></body>
  <body name="gate" pos="0 1 0">{LIGHT}<joint name="hinge" type="hinge" axis="0 0 1"/></body>
  <body name="stone" pos="0 0 3" quat="0.5 0.5 -0.5 0.5">{LIGHT}<joint name="fall" type="free"/>
    <body name="moss" pos="0.1 0 0">{LIGHT}<joint name="sway" type="hinge" axis="0 1 0"/></body>
  </body>
</worldbody></mujoco>""",
    "springs": f"""
<mujoco model="springs"><compiler angle="radian"/>
<worldbody>
  <body name="a" pos="0 0 1">{HEAVY}
    <joint name="s" type="slide" axis="0 0 1" stiffness="30" springref="0.2" damping="1.5" ref="0.1"/>
    <body name="b" pos="0.3 0 0">{LIGHT}
      <joint name="h" type="hinge" axis="0 1 0" stiffness="4" damping="0.3" springref="-0.5"/>
    </body>
  </body>
</worldbody></mujoco>""",
}


@pytest.fixture(params=MODELS, scope="module")
def pair(request):
    return Pair(MODELS[request.param])


def states(pair, count=5):
    rng = np.random.default_rng(3)
    for _ in range(count):
        yield pair.ours.random(rng), *rng.normal(size=(2, pair.ours.nv))


def close(x, y):
    return np.max(abs(np.asarray(x) - y)) < TOLERANCE * max(1.0, np.max(abs(np.asarray(y))))


def test_poses(pair):
    for q, v, _ in states(pair):
        pair.set(q, v)
        poses = lo.forward_kinematics(pair.ours, q)
        for name in pair.ours.body_names:
            body, pose = pair.data.body(name), poses[pair.ours.body(name).index]
            assert close(pose[:3, 3], body.xpos) and close(pose[:3, :3], body.xmat.reshape(3, 3))


def test_mass_matrix(pair):
    for q, _, _ in states(pair):
        assert close(lo.mass_matrix(pair.ours, q), pair.mass_matrix(q))


def test_bias_force(pair):
    for q, v, _ in states(pair):
        assert close(lo.bias_force(pair.ours, q, v), pair.bias_force(q, v))


def test_inverse_dynamics(pair):
    for q, v, a in states(pair):
        assert close(lo.inverse_dynamics(pair.ours, q, v, a), pair.inverse_dynamics(q, v, a))


def test_forward_dynamics(pair):
    rng = np.random.default_rng(4)
    for q, v, tau in states(pair):
        wrenches = {name: rng.normal(size=6) for name in pair.ours.body_names[:2]}
        acting = tau + lo.passive_force(pair.ours, q, v)
        ours = lo.forward_dynamics(pair.ours, q, v, acting, wrenches=wrenches)
        assert close(ours, pair.forward_dynamics(q, v, tau, wrenches))


def test_passive_force(pair):
    for q, v, _ in states(pair):
        assert close(lo.passive_force(pair.ours, q, v), pair.passive_force(q, v))
    if pair.ours.name == "springs":
        assert abs(lo.passive_force(pair.ours, q, v)).min() > 0


def test_energies(pair):
    """MuJoCo's kinetic energy, and its potential energy with that of springs, up to the same zero."""
    import mujoco

    pair.theirs.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    for q, v, _ in states(pair):
        pair.set(q, v)
        potential, kinetic = pair.data.energy
        assert close(lo.kinetic_energy(pair.ours, q, v), kinetic)
        assert close(lo.potential_energy(pair.ours, q) + lo.spring_energy(pair.ours, q), potential)


def test_angular_momentum(pair):
    """About the center of mass of everything, in world axes."""
    import mujoco

    for q, v, _ in states(pair):
        pair.set(q, v)
        mujoco.mj_subtreeVel(pair.theirs, pair.data)
        momentum = lo.momentum(pair.ours, q, v)
        assert close(momentum[3:], pair.data.subtree_angmom[0])
        assert close(momentum[:3], pair.data.subtree_linvel[0] * pair.ours.mass)
        assert close(lo.center_of_mass(pair.ours, q), pair.data.subtree_com[0])


@pytest.mark.parametrize("kind", ["jacp", "jacr"])
def test_jacobians(pair, kind):
    """Of body frames, linear and angular, in world axes."""
    import mujoco

    for q, v, _ in states(pair, 2):
        pair.set(q, v)
        for name in pair.ours.body_names:
            parts = np.zeros((3, pair.ours.nv)), np.zeros((3, pair.ours.nv))
            mujoco.mj_jacBody(pair.theirs, pair.data, *parts, pair.theirs.body(name).id)
            ours = lo.jacobian(pair.ours, q, name, frame="aligned")
            part = 0 if kind == "jacp" else 1
            assert close(ours[3 * part : 3 * part + 3], parts[part] @ pair.turn(q))
