"""Elements of MJCF one by one, in MuJoCo and here: copies, meshes in the file, shapes fitted to meshes, what acts."""

import numpy as np
import pytest
from mujoco_peer import Pair

import locomote as lo

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")

SHAPE = '<geom type="capsule" fromto="0 0 0 .3 0 .1" size=".03"/>'
MESH = '<asset><mesh name="m" vertex="0 0 0 .1 0 0 0 .2 0 0 0 .3 .1 .1 .2" {}/></asset>'
LEAF = (
    '<body name="leaf" pos="0 .1 0"><joint name="hinge" axis="0 0 1"/><geom size=".05" pos=".1 0 0"/>'
    '<site name="leaf" euler="10 0 20"/></body>'
)


def text(inner="", extra="", before=""):
    return f"""
<mujoco>{before}
  <worldbody> <site name="base" pos="0 .1 .8" euler="30 40 50"/>
    <body name="a" pos="0 0 1"> <joint name="j" axis="0 1 0"/> {SHAPE} <site name="first" pos=".1 0 0"/>
      <body name="b" pos=".3 0 .1"> <joint name="k" axis="1 1 0"/> {SHAPE} {inner} </body> </body>
  </worldbody>{extra}
</mujoco>"""


def acting(motor, before="", inner=""):
    return text(inner, extra=f"<actuator>{motor}</actuator>", before=before)


def geom(attributes, *, mesh="", before=""):
    return text(f"<geom {attributes}/>", before=before + MESH.format(mesh))


MEDIUM = '<option density="1.2" viscosity="1e-3" wind="1 .2 .1"/>'
ELEMENTS = {
    "copies": text(f'<replicate count="12" offset=".1 .2 0" euler="0 0 20" sep="_">{LEAF}</replicate>',
                   '<actuator><motor name="m" joint="hinge"/><motor name="own" joint="j"/></actuator>'),
    "copies of copies": text('<replicate count="2" offset="0 .5 0" sep="-"><replicate count="3" euler="10 0 0">'
                             f"{LEAF}</replicate></replicate>"),
    "mesh": geom('type="mesh" mesh="m"'),
    "mesh with faces": geom('type="mesh" mesh="m" density="300"', mesh='face="0 2 1 0 3 2 0 1 3 1 2 3" inertia="exact"'
                            ' scale="1 2 1.1" refpos="0 .1 0" refquat="1 1 0 0"'),
    **{f"{shape} fitted": geom(f'type="{shape}" mesh="m" pos=".1 0 0" fitscale=".9"')
       for shape in ("sphere", "capsule", "cylinder", "ellipsoid", "box")},
    **{f"{shape} around": geom(f'type="{shape}" mesh="m"', before='<compiler fitaabb="true"/>')
       for shape in ("sphere", "capsule", "cylinder", "ellipsoid", "box")},
    "ellipsoid in a medium": text('<geom type="ellipsoid" size=".1 .05 .02" fluidshape="ellipsoid" euler="10 20 30"/>',
                                  before=MEDIUM),
    "shapes in a medium": text('<geom type="box" size=".1 .05 .02" fluidshape="ellipsoid" fluidcoef="1 .5 .5 1.7 1"/>'
                               '<geom type="capsule" size=".02 .1" fluidshape="ellipsoid" fluidcoef=".3"/>', before=MEDIUM),
    "early activation": acting('<general joint="j" dyntype="filterexact" dynprm=".1" gainprm="3" actearly="true"/>'),
    "group without effect": acting('<motor joint="j" group="1"/><motor joint="k" group="2"/>',
                                   '<option actuatorgroupdisable="1 3"/>'),
    "damping and armature": acting('<motor joint="j" damping=".1" armature=".2" gear="3"/><motor joint="k"/>'),
    "pad": acting('<adhesion body="b" ctrlrange="0 1" gain="5"/><motor joint="k"/>'),
    **{f"hollow {shape}": text(f'<geom type="{shape}" size="{size}" shellinertia="true" pos=".1 .2 .3" euler="10 20 30"'
                               f" {own}/>")
       for shape, size, own in (("sphere", ".1", ""), ("capsule", ".05 .1", 'mass="2"'), ("cylinder", ".05 .1", ""),
                                ("box", ".1 .2 .05", 'density="3"'))},
    "beside a site": acting('<position site="leaf" refsite="base" gear="1 .5 -.2 .3 .1 .2" kp="5" kv=".3"/>'
                            '<motor site="leaf" refsite="first" gear="0 1 0 0 0 2"/>', '', LEAF),
    "on a site": acting('<general site="leaf" gear="0 1 0 .1 0 0" biastype="affine" biasprm="0 0 -.4"/>'
                        '<general site="leaf" gear="1 0 0" dyntype="filter" dynprm=".1" gainprm="3"/>', '', LEAF),
    "slider crank": acting('<motor cranksite="first" slidersite="base" cranklength="2.5" gear="2"/>'
                           '<position cranksite="leaf" slidersite="first" cranklength="1.5" kp="3" kv="1"/>', '', LEAF),
    "slider crank, stretched": acting('<motor cranksite="first" slidersite="base" cranklength=".01" gear="2"/>'),
    "motors of a limited tendon": text(extra="""
      <tendon> <fixed name="t" actuatorfrcrange="-.2 .1"> <joint joint="j" coef="1"/> <joint joint="k" coef="-.5"/> </fixed>
        </tendon> <actuator> <motor tendon="t" gear="5"/> <position tendon="t" kp="7"/> <motor joint="j"/> </actuator>"""),
    "pulley first": text(extra="""<tendon> <spatial name="t" stiffness="20" damping="1"> <pulley divisor="3"/>
        <site site="base"/> <site site="first"/> </spatial> </tendon> <actuator> <motor tendon="t"/> </actuator>"""),
    "cylinder": acting('<cylinder joint="j" timeconst=".2" area="3" bias="1 2 3"/>'),
}  # fmt: skip


class Both(Pair):
    """A text in both programs, without contacts."""

    def __init__(self, text, controls, activation):
        self.theirs = mujoco.MjModel.from_xml_string(text)
        self.theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        self.data = mujoco.MjData(self.theirs)
        self.data.ctrl[:], self.data.act[:] = controls, activation
        scene = lo.read_scene(text)
        named = {motor.place: motor.name for motor in scene.motors}
        lagging = {named[i]: activation for i in range(self.theirs.nu) if self.theirs.actuator_actadr[i] >= 0}
        self.problem = lo.load_scene(text, controls=controls, activations=lagging, contacts=False)


@pytest.mark.parametrize("text", ELEMENTS.values(), ids=ELEMENTS)
def test_accelerations(text):
    rng = np.random.default_rng(0)
    count = mujoco.MjModel.from_xml_string(text).nu
    for _ in range(3):
        both = Both(text, rng.uniform(0.0, 1.0, count), 0.3)
        q, v = rng.normal(size=both.theirs.nq), rng.normal(size=both.theirs.nv)
        both.data.qpos[:], both.data.qvel[:] = q, v
        mujoco.mj_forward(both.theirs, both.data)
        a = both.problem.evaluate(0.0, q, v).a
        np.testing.assert_allclose(a, both.data.qacc, atol=1e-9 * (1 + abs(both.data.qacc).max()))


def test_copies_are_called_and_ordered_as_theirs():
    inner = f'<replicate count="2" offset="0 .5 0" sep="-"><replicate count="2" offset=".1 0 0">{LEAF}</replicate></replicate>'
    extra = ('<actuator><motor name="m" joint="hinge"/><motor name="own" joint="j"/><motor name="n" joint="hinge"/></actuator>'
             '<sensor><framepos name="p" objtype="site" objname="leaf"/></sensor>'
             '<contact><exclude body1="a" body2="leaf"/></contact>')  # fmt: skip
    given = text(inner, extra)
    theirs, scene = mujoco.MjModel.from_xml_string(given), lo.read_scene(given)

    def names(kind, count):
        return [mujoco.mj_id2name(theirs, kind, k) for k in range(count)]

    assert names(mujoco.mjtObj.mjOBJ_BODY, theirs.nbody)[1:] == [body.name for body in scene.description.bodies]
    ours = [motor.name for motor in sorted(scene.motors, key=lambda motor: motor.place)]
    assert names(mujoco.mjtObj.mjOBJ_ACTUATOR, theirs.nu) == ours == [
        "own", "m0-0", "n0-0", "m1-0", "n1-0", "m0-1", "n0-1", "m1-1", "n1-1",
    ]  # fmt: skip
    assert names(mujoco.mjtObj.mjOBJ_SENSOR, theirs.nsensor) == [sensor.name for sensor in scene.sensors]
    assert len(scene.description.apart) == theirs.nexclude == 4


REFUSED = {
    "delay": (acting('<motor joint="j" delay=".1" nsample="10"/>'), "a delay is not supported"),
    "spring of a ball": (text('<body name="c"><joint type="ball" stiffness="2"/><geom size=".1"/></body>'), "ball joint"),
    "slack tendon over joints": (
        text(extra='<tendon><fixed stiffness="3" springlength="-.1 .3"><joint joint="j" coef="1"/></fixed></tendon>'),
        "slack between two lengths",
    ),
    "tendon that yields": (
        text(extra='<tendon><fixed stiffness="3" springyield=".1"><joint joint="j" coef="1"/></fixed></tendon>'),
        "a tendon with springyield",
    ),
    "tendon that pushes out": (
        text(extra='<tendon><fixed stiffness="-3"><joint joint="j" coef="1"/></fixed></tendon>'), "stiffness is -3, expected",
    ),
    "inside the floor, without mass": (
        text('<body name="c"> <joint/> <geom size=".1" mass="0"/> </body>').replace(
            "<worldbody>", '<worldbody> <geom type="plane" size="1 1 1" pos="0 0 1.05"/>'
        ),
        "some motion moves no mass",
    ),
    "no copies": (text(f'<replicate count="0">{LEAF}</replicate>'), "whole number from 1"),
    "far too many copies": (
        text('<replicate count="9999"><replicate count="9999"><geom size=".1"/></replicate></replicate>'), "not a model file",
    ),
    "a corner that is not there": (
        geom('type="mesh" mesh="m"', mesh='face="0 1 9"'), "inertia of a mesh",
    ),
    "mesh in a medium": (geom('type="mesh" mesh="m" fluidshape="ellipsoid"', before=MEDIUM), "fluidshape ellipsoid of a mesh"),
}  # fmt: skip


@pytest.mark.parametrize("given", REFUSED.values(), ids=REFUSED)
def test_what_is_refused(given):
    with pytest.raises(lo.ModelError, match=given[1]):
        lo.load_scene(given[0])


PADS = """
<mujoco> <option cone="elliptic"/>
  <worldbody> <geom type="plane" size="3 3 .1" euler="0 {tilt} 0"/>
    <body name="foot" euler="0 {tilt} 0" pos="{x} 0 {z}"> <freejoint/> <geom type="box" size=".1 .1 .1" mass="1" friction=".5"/>
      <body name="finger" pos="0 0 .1"> <joint name="turn" axis="0 1 0" damping="1"/>
      <geom size=".02" pos=".1 0 .1" mass=".01"/> </body> </body>
    <body name="ball" euler="0 {tilt} 0" pos="{x2} 0 {z2}"> <freejoint/> <geom size=".03" mass=".05"/> </body> </worldbody>
  <actuator> <adhesion name="sole" body="foot" ctrlrange="0 1" gain="30"/>
    <adhesion name="tip" body="finger" ctrlrange="0 1" gain="3" forcerange="0 2"/> </actuator>
</mujoco>"""


def with_pads(tilt):
    """A foot on a slope, whose finger has a ball on its tip."""
    s, c = np.sin(np.deg2rad(tilt)), np.cos(np.deg2rad(tilt))
    along, up = 0.1, 0.3 + 0.05 - 1e-9
    return PADS.format(tilt=tilt, x=0.1 * s, z=0.1 * c, x2=along * c + up * s, z2=-along * s + up * c)


def test_pads_pull_as_theirs():
    """At each place of contact alike, between bodies too."""
    given = with_pads(0.0)
    theirs = mujoco.MjModel.from_xml_string(given)
    data = mujoco.MjData(theirs)
    data.ctrl[:] = 0.7, 0.9
    mujoco.mj_forward(theirs, data)
    assert data.ncon == 5
    problem = lo.load_scene(given, controls=[0.7, 0.9])
    q, v = problem.start
    (pads,) = problem.controllers
    pull = pads.function(0.0, q, v)
    np.testing.assert_allclose(pull, data.qfrc_actuator, atol=1e-6)
    assert pull[2] == pytest.approx(2.0 - 21.0, abs=1e-6) and pull[6] == pytest.approx(-0.2, abs=1e-6)


def test_pads_hold_on_a_slope_until_they_are_told_otherwise(tmp_path):
    """Friction 1 at most holds nothing at 60 degrees; 30 N along the normal do."""
    given = with_pads(60.0).replace('axis="0 1 0" damping', 'axis="0 1 0" stiffness="50" damping')
    loose = lo.load_scene(given).simulate(0.3, step=2e-3)
    problem = lo.load_scene(given, controls={"sole": lambda t: 1.0 if t < 0.15 else 0.0})
    run = problem.simulate(0.3, step=2e-3)
    assert run.audit.ok and loose.audit.ok
    early = run.t < 0.15
    assert np.linalg.norm(run.q[early][-1, :3] - run.q[0, :3]) < 1e-3
    down = np.array([np.cos(np.pi / 3), 0.0, -np.sin(np.pi / 3)])
    assert 0.05 < (run.q[-1, :3] - run.q[0, :3]) @ down / ((loose.q[-1, :3] - loose.q[0, :3]) @ down) < 0.5
    held = lo.load_scene(given, controls={"sole": 1.0}).simulate(0.1, step=2e-3)
    held.save(tmp_path / "run.h5")
    opened = lo.open_run(tmp_path / "run.h5")
    assert np.array_equal(opened.problem.simulate(0.1, step=2e-3).q, held.q)


def test_pads_that_are_told_by_more_are_refused():
    with pytest.raises(lo.ModelError, match="actuator on a body whose force depends on more"):
        lo.load_scene(acting('<general body="b" biastype="affine" biasprm="1"/>'))
    with pytest.raises(lo.ModelError, match="body 'c' is not in the file"):
        lo.load_scene(acting('<adhesion body="c"/>'))


def test_names_with_slashes_and_meshes_that_the_file_says_touch():
    given = geom('name="w/g" type="mesh" mesh="m"', before='<option density="1.2"/>').replace(
        'name="b"', 'name="w/b" gravcomp="1"'
    )
    problem = lo.load_scene(given.replace("<worldbody>", '<worldbody><geom type="plane" size="1 1 1" pos="0 0 -3"/>'))
    (hull,) = [shape for shape in problem.model.collisions if shape.shape == "hull"]
    assert hull.name == "w/g" and len(hull.size) == 15
    assert problem.simulate(0.1).audit.ok


def test_a_limited_tendon_gives_a_muscle_its_lengths():
    given = """
<mujoco>
  <worldbody> <site name="hook" pos="0 0 .2"/>
    <body name="load" pos="0 0 .1"> <joint type="slide" axis="0 0 1"/> <geom size=".01" mass="1"/> <site name="load"/> </body>
  </worldbody>
  <tendon> <spatial name="t" {}> <site site="hook"/> <site site="load"/> </spatial> </tendon>
  <actuator> <muscle name="muscle" tendon="t" force="50"/> </actuator>
</mujoco>"""
    limited = lo.load_scene(given.format('range="0.075 0.105"'), controls=[1.0], activations={"muscle": 0.5}, contacts=False)
    said = given.format('range="0.075 0.105"').replace('force="50"', 'force="50" lengthrange="0.075 0.105"')
    same = lo.load_scene(said, controls=[1.0], activations={"muscle": 0.5}, contacts=False)
    assert limited.evaluate(0.0, [0.0], [0.1]).a == same.evaluate(0.0, [0.0], [0.1]).a != 0.0
    with pytest.raises(lo.ModelError, match="has no limits; give one"):
        lo.load_scene(given.format(""))


HAND = """
<mujoco model="hand"> <compiler angle="radian"/>
  <default> <geom density="500"/> <joint damping=".3" armature=".02"/>
    <default class="f"> <joint axis="0 1 0" stiffness="2"/> <position kp="7"/> </default> </default>
  <asset> <mesh name="m" vertex="0 0 0 .1 0 0 0 .2 0 0 0 .3"/> </asset>
  <worldbody> <geom type="box" size=".02 .02 .02"/>
    <body name="palm" pos="0 0 .1" euler=".1 .2 .3"> <joint name="w" axis="0 0 1"/> <geom type="mesh" mesh="m"/>
      <site name="s" pos="0 0 .1"/>
      <body name="f1" pos=".1 0 0" childclass="f"> <joint name="j1"/> <geom size=".05"/> <site name="t1" pos=".1 0 0"/> </body>
      <body name="f2" pos="-.1 0 0"> <joint name="j2" class="f"/> <geom size=".04" pos=".1 0 0"/> </body> </body>
    <body name="apart"> <joint name="p"/> <geom size=".1" pos=".1 0 0"/> </body> </worldbody>
  <contact> <exclude body1="palm" body2="f1"/> </contact>
  <tendon> <fixed name="c"> <joint joint="j1" coef="1"/> <joint joint="j2" coef="-.5"/> </fixed>
    <spatial name="sp" stiffness="3" damping=".1"> <site site="t1"/> <site site="s"/> </spatial> </tendon>
  <actuator> <position name="a1" joint="j1" class="f"/> <motor name="a2" tendon="c" gear="2"/> <motor name="q" joint="p"/>
    </actuator>
</mujoco>"""
TWO = """
<mujoco model="two"> <compiler angle="radian"/>
  <default> <joint damping="1"/> <geom density="2000"/> <default class="own"> <joint armature=".5"/> </default> </default>
  <asset> <model name="hand" file="parts/hand.xml"/> </asset>
  <worldbody>
    <body name="arm" pos="0 0 1"> <joint name="sh" axis="1 0 0"/> <geom size=".1" pos="0 0 .2"/>
      <frame pos="0 0 .4" euler="0 0 .5"> <attach model="hand" body="palm" prefix="L_"/> </frame>
      <attach model="hand" prefix="R_"/>
      <body name="x" pos=".3 0 0" childclass="own"> <joint name="jx"/> <geom size=".05"/> </body> </body> </worldbody>
  <actuator> <motor name="m" joint="sh"/> </actuator>
</mujoco>"""


def test_bodies_of_other_files_are_attached(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "hand.xml").write_text(HAND)
    path = tmp_path / "two.xml"
    path.write_text(TWO)
    theirs, scene = mujoco.MjModel.from_xml_path(str(path)), lo.read_scene(path)
    ours = sorted(scene.motors, key=lambda motor: motor.place)
    assert [theirs.actuator(k).name for k in range(theirs.nu)] == [motor.name for motor in ours if motor.place >= 0]
    assert theirs.nu == 6 and theirs.nexclude == len(scene.description.apart) == 2
    rng = np.random.default_rng(0)
    controls, q, v = (rng.normal(size=n) for n in (theirs.nu, theirs.nq, theirs.nv))
    problem, data = lo.load_scene(path, controls=controls, contacts=False), mujoco.MjData(theirs)
    assert problem.model.joint_names == tuple(theirs.joint(k).name for k in range(theirs.njnt))
    data.qpos[:], data.qvel[:], data.ctrl[:] = q, v, controls
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    mujoco.mj_forward(theirs, data)
    np.testing.assert_allclose(problem.evaluate(0.0, q, v).a, data.qacc, atol=1e-9 * (1 + abs(data.qacc).max()))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('file="parts/hand.xml"', 'file="../../hand.xml"', "outside the folder of the model"),
        ('file="parts/hand.xml"', 'file="parts/none.xml"', "no such file"),
        ('<attach model="hand" p', '<attach model="hant" p', "no <model> 'hant'.*'hand'"),
        ('body="palm"', 'body="palms"', "no body 'palms'"),
        ('angle="radian"', 'angle="degree"', "angle is 'radian', 'degree' in the main file"),
        ('prefix="R_"', 'prefix="L_"', "prefix 'L_' is that of another"),
        ('<attach model="hand" p', "<attach p", "attached again is not supported; write a <replicate>"),
        (
            '<attach model="hand" p',
            '<attach model="hand" frame="f" p',
            "a frame that is attached is not supported; name a body",
        ),
    ],
)
def test_attached_files_that_are_refused(tmp_path, before, after, said):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "hand.xml").write_text(HAND)
    path = tmp_path / "two.xml"
    path.write_text(TWO.replace(before, after))
    with pytest.raises(lo.ModelError, match=said):
        lo.read_scene(path)


def test_files_that_attach_each_other_end(tmp_path):
    path = tmp_path / "self.xml"
    path.write_text("""
<mujoco> <asset> <model name="self" file="self.xml"/> </asset>
  <worldbody> <body name="b"> <joint/> <geom size="1"/> <attach model="self" prefix="x"/> </body> </worldbody> </mujoco>""")
    with pytest.raises(lo.ModelError, match="one in the other"):
        lo.read_scene(path)
