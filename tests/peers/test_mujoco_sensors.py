"""Sensors of scene files against MuJoCo's, at random states and controls, with contacts off; touch by weights."""

import re

import numpy as np
import pytest

import locomote as lo

mujoco = pytest.importorskip("mujoco")

SCENE = """
<mujoco model="machine">
  <worldbody>
    <camera name="eye" pos="1 0 2" xyaxes="0 1 0 -1 0 1" fovy="60"/>
    <site name="corner" pos="1 2 3" euler="10 20 30"/>
    <body name="trunk" pos="0 0 1">
      <freejoint name="free"/>
      <geom name="block" type="box" size="0.1 0.2 0.3" pos="0.05 0 0" euler="0 40 0"/>
      <site name="imu" pos="0.1 0.2 0.05" euler="30 40 50"/>
      <body name="arm" pos="0.2 0 0" euler="0 0 20">
        <joint name="shoulder" axis="0 1 1" armature="0.01"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.04"/>
        <site name="mid" pos="0.2 0.05 0"/>
        <body name="hand" pos="0.4 0 0">
          <joint name="wrist" type="ball"/>
          <geom type="ellipsoid" size="0.1 0.05 0.07" pos="0.1 0 0.02"/>
          <site name="palm" pos="0.1 0.02 0.03" euler="-20 10 70"/>
        </body>
      </body>
      <body name="plate" pos="-0.2 0 0">
        <joint name="slide" type="slide" axis="1 0 1"/>
        <geom type="box" size="0.05 0.1 0.02"/>
        <site name="end" pos="0 0.1 0"/>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="both"> <joint joint="shoulder" coef="0.7"/> <joint joint="slide" coef="-1.3"/> </fixed>
    <spatial name="string"> <site site="mid"/> <site site="end"/> <site site="corner"/> </spatial>
  </tendon>
  <actuator>
    <motor name="m" joint="shoulder" gear="3" ctrlrange="-1 1"/>
    <position name="p" joint="slide" kp="40" kv="2" forcerange="-8 8"/>
    <general name="g" tendon="both" gear="2" gainprm="3" biastype="affine" biasprm="0.1 -2 -0.3"/>
    <motor name="s" tendon="string" gear="0.5"/>
  </actuator>
  <sensor>
    SENSORS
  </sensor>
</mujoco>"""
AT_SITES = [f'<{kind} site="{site}"/>' for kind in ("accelerometer", "gyro", "velocimeter") for site in ("imu", "palm")]
LOADS = [f'<{kind} site="{site}"/>' for kind in ("force", "torque") for site in ("mid", "palm", "end")]
OBJECTS = ('objtype="site" objname="palm"', 'objtype="xbody" objname="hand"', 'objtype="geom" objname="block"')
FRAMES = [f"<frame{what} {of}/>" for what in "pos quat xaxis yaxis zaxis linvel angvel linacc angacc".split() for of in OBJECTS]
FRAMES += [f'<frame{what} objtype="body" objname="hand"/>' for what in ("pos", "linvel", "linacc")]
FRAMES += [f'<framepos objtype="camera" objname="eye" reftype="site" refname="{site}"/>' for site in ("corner", "palm")]
INSIDE = [
    f'<frame{what} {OBJECTS[0]} reftype="{ref}"/>' for what in "pos quat xaxis linvel angvel".split()
    for ref in ('site" refname="imu', 'xbody" refname="plate', 'site" refname="corner')
]  # fmt: skip
OTHERS = """
    <jointpos joint="shoulder"/> <jointvel joint="slide"/> <ballquat joint="wrist"/> <ballangvel joint="wrist"/>
    <tendonpos tendon="both"/> <tendonvel tendon="both"/> <tendonpos tendon="string"/> <tendonvel tendon="string"/>
    <subtreecom body="trunk"/> <subtreecom body="arm"/> <subtreelinvel body="arm"/> <subtreeangmom body="trunk"/>
    <subtreeangmom body="arm"/> <jointactuatorfrc joint="shoulder"/> <clock/> <gyro site="imu" cutoff="0.1"/>"""
MOTORS = [f'<actuator{what} actuator="{motor}"/>' for what in ("pos", "vel", "frc") for motor in "mpgs"]
ALL = SCENE.replace("SENSORS", "\n".join([*AT_SITES, *FRAMES, *INSIDE, OTHERS, *MOTORS]))
# a motor that pulls along a path does so within joints here, on bodies in MuJoCo: it is the same but for what joints carry
CARRIED = SCENE.replace("SENSORS", "\n".join(LOADS)).replace('<motor name="s" tendon="string" gear="0.5"/>', "")


def same_state(theirs, problem, rng, controls):
    """A random state in both programs."""
    model, data = problem.model, mujoco.MjData(theirs)
    q = model.integrate(problem.start[0], rng.normal(size=model.nv))
    v = rng.normal(size=model.nv)
    data.qpos[:] = q
    for joint in ("free", "wrist"):
        last = model.joint(joint).q.stop
        data.qpos[last - 4 : last] = np.roll(q[last - 4 : last], 1)
    R, data.qvel[:] = np.zeros(9), v
    mujoco.mju_quat2Mat(R, data.qpos[3:7])
    data.qvel[:3] = R.reshape(3, 3) @ v[:3]
    data.ctrl[:] = controls
    mujoco.mj_forward(theirs, data)
    return q, v, data


@pytest.mark.parametrize(("text", "count"), [(ALL, 81), (CARRIED, 6)], ids=["motion", "loads"])
def test_sensors_read_what_mujoco_reads(text, count):
    scene, rng = lo.read_scene(text), np.random.default_rng(4)
    theirs = mujoco.MjModel.from_xml_string(text)
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    assert len(scene.sensors) == theirs.nsensor == count
    for _ in range(4):
        controls = rng.uniform(-1, 1, theirs.nu)
        problem = lo.load_scene(text, controls=controls, contacts=False)
        q, v, data = same_state(theirs, problem, rng, controls)
        read = lo.sensor_readings(scene, problem, q, v, controls=controls)
        for n, sensor in enumerate(scene.sensors):
            start = theirs.sensor_adr[n]
            expected, own = data.sensordata[start : start + theirs.sensor_dim[n]].copy(), read[sensor.name]
            if sensor.kind.endswith("quat"):
                expected = np.roll(expected, -1)
                expected *= np.sign(expected @ own)
            np.testing.assert_allclose(own, expected, atol=1e-8 * (1 + abs(expected).max()), err_msg=sensor.name)


def test_sensors_over_a_run_are_those_of_its_samples():
    passive = "\n".join([*AT_SITES, *FRAMES, *INSIDE, *LOADS, '<tendonvel tendon="string"/>', '<subtreeangmom body="arm"/>'])
    text = re.sub("<actuator>.*</actuator>", "", SCENE.replace("SENSORS", passive), flags=re.DOTALL)
    scene, problem = lo.read_scene(text), lo.load_scene(text, contacts=False)
    run = problem.simulate(0.1, v=np.linspace(-1, 1, problem.model.nv), every=0.02, progress=False)
    read = lo.sensor_readings(scene, run)
    for n in (0, 3):
        one = lo.sensor_readings(scene, problem, run.q[n], run.v[n], t=run.t[n])
        for name in read:
            np.testing.assert_allclose(read[name][n], one[name], atol=1e-9 * (1 + abs(one[name]).max()), err_msg=name)


def test_touch_reads_the_weight_that_stands_on_its_place():
    text = """<mujoco><worldbody> <geom type="plane" size="5 5 1"/>
      <body name="box" pos="0 0 0.1"> <freejoint/> <geom type="box" size="0.2 0.1 0.1" mass="3"/>
        <site name="left" type="box" size="0.1 0.2 0.02" pos="-0.15 0 -0.1"/>
        <site name="all" type="box" size="0.3 0.3 0.02" pos="0 0 -0.1"/> <site name="none" pos="0 0 0.3"/> </body>
      </worldbody>
      <sensor> <touch site="left"/> <touch site="all"/> <touch site="none"/> <force name="carried" site="all"/> </sensor>
    </mujoco>"""
    run = lo.load_scene(text).simulate(0.5, progress=False)
    left, whole, none, carried = (read[-1] for read in lo.sensor_readings(lo.read_scene(text), run).values())
    assert whole[0] == pytest.approx(3 * 9.81, rel=1e-6) and left[0] == pytest.approx(whole[0] / 2, rel=1e-3)
    assert none[0] == 0.0 and abs(carried).max() < 1e-6  # a free joint carries nothing


def test_what_is_left_out_or_wrong_is_said():
    text = SCENE.replace("SENSORS", '<rangefinder site="imu"/> <framequat objtype="body" objname="arm"/> <gyro site="imu"/>')
    scene = lo.read_scene(text)
    assert [sensor.kind for sensor in scene.sensors] == ["gyro"]
    assert sum("sensors that are left out" in said for said in scene.description.warnings) == 2
    wrongs = '<gyro site="imo"/>', '<gyros site="imu"/>', '<jointpos joint="wrist"/>', '<framepos objtype="box" objname="x"/>'
    for wrong in wrongs:
        with pytest.raises(lo.ModelError, match="line"):
            lo.read_scene(SCENE.replace("SENSORS", wrong))
    problem = lo.load_scene(text)
    with pytest.raises(ValueError, match="no sensor named 'nose'"):
        lo.sensor_readings(scene, problem, *problem.start, names=["nose"])
    assert scene.cameras[0].name == "eye" and scene.cameras[0].field == pytest.approx(np.pi / 3)
