"""Tendons along paths and muscles, in MuJoCo and here: lengths, moment arms, forces, activation."""

import numpy as np
import pytest
from file_samples import MUSCLE_ARM

import locomote as lo

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")

WRAPS = """
<mujoco> <compiler angle="radian"/>
  <worldbody> <site name="world" pos="0 .3 .1"/>
    <body name="a"> <joint name="socket" type="ball"/> <geom type="capsule" fromto="0 0 0 .5 0 0" size=".02"/>
      <site name="one" pos=".2 .1 .05"/> <site name="side" pos="{side}"/>
      <geom name="shape" type="{shape}" size=".06 .2" pos=".5 0 0" euler=".3 .4 .5" contype="0" conaffinity="0"/>
      <body name="b" pos=".5 0 0"> <joint name="bend" axis="0 1 0"/> <joint name="turn" axis="0 0 1"/>
        <geom type="capsule" fromto="0 0 0 .4 0 0" size=".02"/> <site name="two" pos=".15 .05 .02"/>
        <site name="three" pos=".3 -.05 .02"/>
      </body>
    </body>
  </worldbody>
  <tendon>
    <spatial name="path"> <site site="world"/> <site site="one"/> <geom geom="shape" {given}/> <site site="two"/>
      <pulley divisor="2"/> <site site="two"/> <site site="three"/> <pulley divisor="3"/> <site site="two"/>
      <site site="world"/>
    </spatial>
  </tendon>
  <actuator> <motor name="puller" tendon="path"/> </actuator>
</mujoco>"""
SIDES = {"shorter way": None, "on a side": ".5 .1 .02", "through a ring": ".51 .01 .01"}


@pytest.mark.parametrize("shape", ["sphere", "cylinder"])
@pytest.mark.parametrize("side", SIDES.values(), ids=SIDES)
def test_lengths_and_moment_arms_round_shapes(shape, side):
    text = WRAPS.format(shape=shape, side=side or "0 0 0", given='sidesite="side"' if side else "")
    theirs = mujoco.MjModel.from_xml_string(text)
    data, model = mujoco.MjData(theirs), lo.Model(lo.read_mjcf(text))
    (motor,) = lo.read_scene(text).motors
    rng, points, ring = np.random.default_rng(0), [], side == SIDES["through a ring"]
    for _ in range(300):
        q = model.integrate(model.neutral(), rng.normal(size=model.nv))
        data.qpos[:] = [q[3], *q[:3], *q[4:]]
        mujoco.mj_forward(theirs, data)
        (length,), (arm,) = lo.path_lengths(model, [motor.path], q)
        assert abs(length - data.ten_length[0]) < 1e-12
        # MuJoCo finds where a string touches a ring to 1e-6 only, so that arms are compared with slopes there
        np.testing.assert_allclose(arm, data.ten_J, atol=1e-6 if ring else 1e-12)
        points.append(int(data.ten_wrapnum[0]))
    assert 20 < points.count(max(points)) < 280  # it touches, and does not
    if ring:
        steps = np.eye(model.nv) * 1e-5
        ends = [lo.path_lengths(model, [motor.path], model.integrate(q, s * h))[0][0] for h in steps for s in (1, -1)]
        np.testing.assert_allclose(arm, np.diff(ends)[::2] / -2e-5, atol=1e-9)


RING = """
<mujoco>
  <worldbody> <site name="start" pos="-.2 0 .11"/> <site name="side" pos=".01 0 0"/>
    <geom name="ring" type="cylinder" size=".05 .02" zaxis="0 1 0" contype="0" conaffinity="0"/>
    <body name="arm" pos=".1 0 .1"> <joint name="hinge" axis="0 -1 0"/>
      <geom type="capsule" fromto="0 0 0 .2 0 0" size=".01"/> <site name="end" pos=".15 0 0"/> </body>
  </worldbody>
  <tendon>
    <spatial name="string"> <site site="start"/> <geom geom="ring" sidesite="side"/> <site site="end"/> </spatial>
  </tendon>
  <actuator> <motor name="puller" tendon="string"/> </actuator>
</mujoco>"""


def test_arms_of_strings_through_rings_are_those_of_fifty_digits():
    """The point of the ring where the way is shortest, sought with 50 digits: MuJoCo stops its search earlier."""
    mpmath = pytest.importorskip("mpmath")
    theirs, scene = mujoco.MjModel.from_xml_string(RING), lo.read_scene(RING)
    data, model = mujoco.MjData(theirs), lo.Model(scene.description)
    ours_off, theirs_off = [], []
    with mpmath.workdps(50):
        number = mpmath.mpf
        start = mpmath.matrix([number("-0.2"), number("0.11")])
        for q in (-0.35, -0.36, 0.05, 0.4, 0.7):
            angle = number(q)
            end = number("0.1") * mpmath.ones(2, 1) + number("0.15") * mpmath.matrix([mpmath.cos(angle), mpmath.sin(angle)])

            def point(phi):
                return number("0.05") * mpmath.matrix([mpmath.cos(phi), mpmath.sin(phi)])

            def slope(phi, end=end):
                at, along = point(phi), mpmath.matrix([-mpmath.sin(phi), mpmath.cos(phi)])
                return sum(((at - p) / mpmath.norm(at - p)).T * along for p in (start, end))[0]

            touched = point(mpmath.findroot(slope, number("1.4")))
            moved = number("0.15") * mpmath.matrix([-mpmath.sin(angle), mpmath.cos(angle)])
            arm = (((end - touched) / mpmath.norm(end - touched)).T * moved)[0]
            length = mpmath.norm(touched - start) + mpmath.norm(end - touched)
            data.qpos[:] = q
            mujoco.mj_forward(theirs, data)
            assert data.ten_wrapnum[0] == 4  # it touches the ring
            lengths, arms = lo.path_lengths(model, [scene.motors[0].path], [q])
            assert abs(lengths[0] - length) < 4e-15 and abs(data.ten_length[0] - length) < 1e-12
            ours_off.append(float(abs(arms[0, 0] - arm)))
            theirs_off.append(float(abs(data.ten_J[0] - arm)))
    assert max(ours_off) < 1e-14 and 1e-9 < max(theirs_off) < 1e-6


class Arm:
    """The arm in both programs."""

    def __init__(self, controls, activations):
        self.theirs = mujoco.MjModel.from_xml_string(MUSCLE_ARM)
        self.theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        self.data = mujoco.MjData(self.theirs)
        self.data.ctrl[:], self.data.act[:] = controls, activations
        given = dict(zip(("biceps", "triceps", "twister"), activations, strict=True))
        self.problem = lo.load_scene(MUSCLE_ARM, controls=controls, activations=given, contacts=False)


def test_accelerations_of_an_arm_with_muscles():
    rng = np.random.default_rng(1)
    for _ in range(12):
        arm = Arm(rng.uniform(0, 1, 4), rng.uniform(0, 1, 3))
        q, v = rng.uniform(-0.3, 1.5, 3), 3 * rng.normal(size=3)
        arm.data.qpos[:], arm.data.qvel[:] = q, v
        mujoco.mj_forward(arm.theirs, arm.data)
        np.testing.assert_allclose(arm.problem.evaluate(0.0, q, v).a, arm.data.qacc, rtol=1e-9, atol=1e-7)


def test_activation_of_muscles_follows_excitation():
    arm = Arm([0.9, 0.1, 0.4, 0.0], [0.2, 0.6, 0.0])
    (controller,) = (own for own in arm.problem.controllers if isinstance(own, lo.Sampled))
    q, v, state = np.array([0.2, 0.8, 0.1]), np.zeros(3), controller.begin()
    for _ in range(40):
        _, state = controller.function(0.0, q, v, state)
        arm.data.qpos[:], arm.data.qvel[:] = q, v
        mujoco.mj_step(arm.theirs, arm.data)
        np.testing.assert_allclose(state[:3], arm.data.act, rtol=1e-12)
    assert 0.5 < state[0] < 0.9 and state[1] < 0.6


def test_springs_that_are_said_by_their_time_and_damping_ratio():
    joint = '<joint name="hinge" springdamper=".1 .7"/>'
    bodies = (
        f'<body>{joint}<geom size=".1" pos=".2 0 0"/><body pos=".4 0 0"><joint/><geom size=".1" pos="0 .1 0"/></body></body>'
    )
    text = f"<mujoco><worldbody>{bodies}</worldbody></mujoco>"
    theirs, ours = mujoco.MjModel.from_xml_string(text), lo.load_scene(text).model.joint("hinge").joint
    np.testing.assert_allclose(
        [ours.stiffness, ours.damping], [np.ravel(theirs.jnt_stiffness)[0], np.ravel(theirs.dof_damping)[0]]
    )


def test_a_muscle_without_a_length_range_takes_that_of_its_joints():
    text = MUSCLE_ARM.replace('lengthrange="0.2 0.45"', "")
    motor = next(own for own in lo.load_scene(text, contacts=False).controllers[0].function.motors if own.name == "triceps")
    low, high = motor.fibres.lengths
    model, rng = lo.Model(lo.read_mjcf(text, unsupported="warn")), np.random.default_rng(2)
    lengths = [lo.path_lengths(model, [motor.path], rng.uniform(model.lower, model.upper))[0][0] for _ in range(400)]
    assert low - 1e-9 <= min(lengths) < low + 0.02 and high - 0.02 < max(lengths) <= high + 1e-9
