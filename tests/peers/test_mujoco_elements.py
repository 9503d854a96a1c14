"""Elements of MJCF one by one, in MuJoCo and here: copies, meshes in the file, shapes fitted to meshes, what acts."""

import numpy as np
import pytest
from mujoco_peer import Pair

import locomote as lo

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")

SHAPE = '<geom type="capsule" fromto="0 0 0 .3 0 .1" size=".03"/>'
MESH = '<asset><mesh name="m" vertex="0 0 0 .1 0 0 0 .2 0 0 0 .3 .1 .1 .2" {}/></asset>'
LEAF = '<body name="leaf" pos="0 .1 0"><joint name="hinge" axis="0 0 1"/><geom size=".05" pos=".1 0 0"/><site name="s"/></body>'


def text(inner="", extra="", before=""):
    return f"""
<mujoco>{before}
  <worldbody>
    <body name="a" pos="0 0 1"> <joint name="j" axis="0 1 0"/> {SHAPE} <site name="first" pos=".1 0 0"/>
      <body name="b" pos=".3 0 .1"> <joint name="k" axis="1 1 0"/> {SHAPE} {inner} </body> </body>
  </worldbody>{extra}
</mujoco>"""


def acting(motor, before=""):
    return text(extra=f"<actuator>{motor}</actuator>", before=before)


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
             '<sensor><framepos name="p" objtype="site" objname="s"/></sensor>'
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


def test_pads_are_told_nothing_where_bodies_touch():
    given = acting('<adhesion name="pad" body="b" ctrlrange="0 1"/>')
    assert lo.load_scene(given).simulate(0.02).audit.ok
    with pytest.raises(ValueError, match=r"adhesion 'pad' is told 0\.5"):
        lo.load_scene(given, controls={"pad": 0.5})


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
