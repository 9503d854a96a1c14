"""Scenes of MJCF in MuJoCo and here: motors of every kind, loops, relations, carried weight, keyframes."""

import numpy as np
import pytest

import locomote as lo

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
from mujoco_peer import Pair  # noqa: E402

BODIES = """
<worldbody>
  <site name="peg" pos=".1 0 .9"/>
  <body name="cart" pos="0 0 1"> <freejoint name="float"/>
    <geom size=".1 .2 .3" type="box" mass="2"/>
    <site name="rotor" pos=".1 .2 0" euler="20 30 0"/>
    <body name="upper" pos=".2 0 0" gravcomp=".7">
      <joint name="shoulder" axis="0 1 0" range="-90 90" damping=".3" ref="10"/>
      <geom type="capsule" fromto="0 0 0 .4 0 0" size=".03"/>
      <body name="lower" pos=".4 0 0">
        <joint name="elbow" axis="0 1 0" armature=".01" range="-2 2"/>
        <geom type="capsule" fromto="0 0 0 .3 0 .1" size=".02"/>
        <site name="hand" pos=".3 0 .1"/>
        <body name="slider" pos=".1 .1 0">
          <joint name="slide" type="slide" axis="1 0 0" stiffness="5"/> <geom size=".05" mass=".3"/>
        </body>
      </body>
    </body>
    <body name="ball" pos="-.2 0 0">
      <joint name="socket" type="ball"/> <geom size=".1" pos="0 0 .1"/> <site name="tip" pos="0 0 .2"/>
    </body>
  </body>
</worldbody>
<tendon> <fixed name="both"> <joint joint="elbow" coef=".5"/> <joint joint="slide" coef="-2"/> </fixed> </tendon>
"""
MOTORS = {
    "motor": '<motor joint="elbow" gear="3"/>',
    "control range": '<motor joint="elbow" ctrlrange="-.1 .2"/>',
    "force range": '<motor joint="elbow" gear="20" forcerange="-.1 .1"/>',
    "force on one side": '<motor joint="elbow" gear="20" forcerange="0 .1"/>',
    "position": '<position joint="elbow" kp="7" kv=".5" gear="2"/>',
    "damping ratio": '<position joint="shoulder" kp="7" dampratio=".6" gear="2"/>',
    "inherited range": '<position joint="shoulder" kp="2" inheritrange=".2"/>',
    "velocity": '<velocity joint="slide" kv="4"/>',
    "damper": '<damper joint="elbow" kv="3" ctrlrange="0 1"/>',
    "general": '<general joint="elbow" gaintype="affine" gainprm="2 1 .5" biastype="affine" biasprm=".3 -2 -.4" gear="1.5"/>',
    "two on a joint": '<motor joint="elbow"/><position joint="elbow" kp="3"/>',
    "tendon": '<position tendon="both" kp="3" kv="1" gear="2" ctrlrange="-.3 .3"/><motor joint="elbow"/>',
    "thruster": '<motor site="rotor" gear="1 -2 3 .1 .2 .3"/><motor site="tip" gear="0 0 1 0 0 .1" ctrlrange="0 1"/>',
}
DEFAULTS = '<default><position kp="5"/><default class="strong"><general gear="3" ctrlrange="-1 1"/></default></default>'


def scene(motors="", extra="", before=""):
    return f'<mujoco><compiler autolimits="true"/>{before}{BODIES}<actuator>{motors}</actuator>{extra}</mujoco>'


class Both(Pair):
    """A scene in both programs."""

    def __init__(self, text, controls=None, off=mujoco.mjtDisableBit.mjDSBL_CONSTRAINT, **options):
        self.theirs = mujoco.MjModel.from_xml_string(text)
        self.theirs.opt.disableflags |= off
        self.data = mujoco.MjData(self.theirs)
        self.problem = lo.load_scene(text, controls=controls, contacts=False, **options)
        self.ours = self.model = self.problem.model
        self.told = controls

    def put(self, q, v):
        """Set a state; returns T and T' v."""
        T = self.turn(q)
        self.data.qpos[:], self.data.qvel[:] = self.qpos(q), T @ v
        if self.told is not None:
            self.data.ctrl[:] = self.told
        mujoco.mj_forward(self.theirs, self.data)
        return T, self.drift(q, v)

    def acceleration(self, q, v):
        T, drift = self.put(q, v)
        return T.T @ (self.data.qacc - drift)


def random_state(model, start, rng, far=0.4):
    return model.integrate(start, far * rng.normal(size=model.nv)), rng.normal(size=model.nv)


@pytest.mark.parametrize("motors", MOTORS.values(), ids=MOTORS)
def test_motors(motors):
    rng = np.random.default_rng(1)
    for _ in range(4):
        controls = rng.normal(size=motors.count("<"))
        both = Both(scene(motors), controls)
        q, v = random_state(both.model, both.problem.start[0], rng)
        np.testing.assert_allclose(both.problem.evaluate(0.0, q, v).a, both.acceleration(q, v), rtol=1e-10, atol=1e-9)


@pytest.mark.parametrize(
    "motor", ['<position joint="elbow"/>', '<velocity joint="elbow"/>', '<general joint="elbow"/>', '<motor joint="elbow"/>']
)
@pytest.mark.parametrize("own", ["", 'class="strong"'])
def test_defaults_of_motors_are_shared_by_all_kinds(motor, own):
    rng, text = np.random.default_rng(2), scene(motor.replace("/>", f" {own}/>"), before=DEFAULTS)
    both = Both(text, [1.7])
    q, v = random_state(both.model, both.problem.start[0], rng)
    np.testing.assert_allclose(both.problem.evaluate(0.0, q, v).a, both.acceleration(q, v), rtol=1e-10, atol=1e-9)


HELD = {
    "connect": '<connect body1="slider" body2="ball" anchor=".1 .2 .3"/>',
    "connect to the world": '<connect body1="lower" anchor=".3 0 .1"/>',
    "connect sites": '<connect site1="hand" site2="tip"/>',
    "weld": '<weld body1="ball"/>',
    "weld at a pose": '<weld body1="lower" relpose="-.4 .1 -1 .99 .1 0 0"/>',
    "weld sites": '<weld site1="hand" site2="peg"/>',
    "polynomial": '<joint joint1="elbow" joint2="shoulder" polycoef=".1 .5 -.3 .2 .1"/>',
    "tendon": '<tendon tendon1="both" polycoef=".1"/>',
}


@pytest.mark.parametrize("held", HELD.values(), ids=HELD)
def test_what_is_held(held):
    """Errors and rates of rows as MuJoCo's; accelerations with M, forces and rows of MuJoCo, as a linear system."""
    rng = np.random.default_rng(3)
    both = Both(
        scene(extra=f"<equality>{held}</equality>"), off=mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    )
    free = both.problem.replaced(constraints=())
    q, v = both.problem.initial(*random_state(both.model, both.problem.start[0], rng, 0.1))
    T, drift = both.put(q, v)
    rows = both.data.efc_J.reshape(-1, both.model.nv) if not mujoco.mj_isSparse(both.theirs) else None
    assert rows is not None and np.abs(both.data.efc_pos).max() < 1e-6 and np.abs(rows @ both.data.qvel).max() < 1e-6

    def rate(s):
        both.put(both.model.integrate(q, s * v), v)
        return both.data.efc_J.reshape(-1, both.model.nv) @ both.data.qvel

    J, h, M = rows @ T, 1e-4, lo.mass_matrix(both.model, q)
    bias = (8 * (rate(h) - rate(-h)) - (rate(2 * h) - rate(-2 * h))) / (12 * h)  # rate of J v with v in body axes held
    smooth = M @ free.evaluate(0.0, q, v).a
    system = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    expected = np.linalg.lstsq(system, np.concatenate([smooth, -bias]), rcond=1e-12)[0][: both.model.nv]
    np.testing.assert_allclose(both.problem.evaluate(0.0, q, v).a, expected, rtol=1e-6, atol=1e-6)


def test_a_scene_starts_where_its_file_puts_it():
    both = Both(scene())
    mujoco.mj_resetData(both.theirs, both.data)
    q = both.problem.start[0]
    both.put(q, np.zeros(both.model.nv))
    np.testing.assert_allclose(both.data.qpos, both.theirs.qpos0, atol=1e-12)


def test_keyframes():
    numbers = np.random.default_rng(4).normal(size=7 + 3 + 4)
    speeds = np.random.default_rng(5).normal(size=6 + 3 + 3)
    own = f'qpos="{" ".join(map(str, numbers))}" qvel="{" ".join(map(str, speeds))}" ctrl=".4"'
    text = scene(
        MOTORS["position"],
        extra=f'<keyframe><key name="home" {own}/></keyframe>',
    )
    both = Both(text, [0.4], keyframe="home")
    q, v = both.problem.start
    T, _ = both.put(q, v)
    mujoco.mj_resetDataKeyframe(both.theirs, both.data, 0)
    mujoco.mj_forward(both.theirs, both.data)
    np.testing.assert_allclose(T @ v, both.data.qvel, atol=1e-12)
    np.testing.assert_allclose(
        lo.load_scene(text, keyframe="home", contacts=False).evaluate(0.0, q, v).a,
        both.acceleration(q, v),
        rtol=1e-9,
        atol=1e-9,
    )
    model = lo.Model(lo.read_mjcf(text, unsupported="warn"))
    np.testing.assert_array_equal(np.clip(model.keyframes["home"], model.lower, model.upper), q)


def test_a_run_of_a_scene_keeps_its_loop():
    both = Both(scene(MOTORS["position"], extra=f"<equality>{HELD['connect']}</equality>"), [0.3])
    run = both.problem.simulate(0.3)
    assert run.audit.ok and np.abs(both.problem.rows(run.t[-1], run.q[-1], run.v[-1])[3]).max() < 1e-7


ACTING = {
    "medium": ("", '<option density="1000" viscosity=".9" wind=".3 .2 -.1"/>'),
    "air": ("", '<option viscosity=".01"/>'),
    "tendon over joints": (
        '<fixed stiffness="20" damping="3"><joint joint="elbow" coef="2"/><joint joint="slide" coef="1"/></fixed>',
        "",
    ),
    "tendon of one joint": ('<fixed stiffness="20" springlength=".3"><joint joint="shoulder" coef="2"/></fixed>', ""),
    "tendon between sites": ('<spatial stiffness="20" damping="3"><site site="hand"/><site site="tip"/></spatial>', ""),
    "tendon to the world": ('<spatial stiffness="20" springlength=".2"><site site="peg"/><site site="tip"/></spatial>', ""),
}


@pytest.mark.parametrize("tendon, before", ACTING.values(), ids=ACTING)
def test_what_acts_by_itself(tendon, before):
    rng = np.random.default_rng(6)
    both = Both(scene(extra=f"<tendon>{tendon}</tendon>", before=before))
    for _ in range(3):
        q, v = random_state(both.model, both.problem.start[0], rng)
        np.testing.assert_allclose(both.problem.evaluate(0.0, q, v).a, both.acceleration(q, v), rtol=1e-9, atol=1e-9)


def test_activation_follows_what_motors_are_told():
    """Filters and integrators, over ten ticks of controllers in both programs, at a state that does not move."""
    kinds = [
        '<general joint="elbow" dyntype="filter" dynprm=".02" gainprm="3"/>',
        '<intvelocity joint="shoulder" kp="3" actrange="-.01 .02"/>',
        '<position joint="slide" kp="3" timeconst=".03"/>', '<cylinder joint="elbow" area="2" timeconst=".1"/>',
    ]  # fmt: skip
    told = [0.7, 4.0, -0.6, 0.3]
    both = Both(scene("".join(kinds)), told)
    (controller,) = both.problem.controllers
    q, v = random_state(both.model, both.problem.start[0], np.random.default_rng(7))
    activation = controller.begin()
    for _ in range(10):
        T, _ = both.put(q, v)
        tau, following = controller.function(0.0, q, v, activation)
        np.testing.assert_allclose(tau, T.T @ both.data.qfrc_actuator, rtol=1e-10, atol=1e-10)
        mujoco.mj_step(both.theirs, both.data)
        np.testing.assert_allclose(following, both.data.act, rtol=1e-12, atol=1e-14)
        activation = following


@pytest.mark.parametrize("kind", ["legacy", "convex", "exact", "shell"])
@pytest.mark.parametrize("ending", ["obj", "stl"])
def test_inertia_of_meshes(tmp_path, kind, ending):
    """A prism with the outline of an L; MuJoCo keeps corners in single precision."""
    outline = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 3], [0, 3]])
    corners = np.array([[*point, z] for z in (0, 1) for point in outline]) * 0.1 + 0.03
    flat = [(0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5)]
    faces = [(a, c, b) for a, b, c in flat] + [(a + 6, b + 6, c + 6) for a, b, c in flat]
    for i in range(6):
        j = (i + 1) % 6
        faces += [(i, j, j + 6), (i, j + 6, i + 6)]
    if ending == "obj":
        lines = ["v " + " ".join(map(str, corner)) for corner in corners]
        lines += ["f " + " ".join(f"{k + 1}/1" for k in face) for face in faces]
        (tmp_path / "part.obj").write_text("\n".join(lines))
    else:
        layout = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
        data = np.zeros(len(faces), layout)
        data["corners"] = corners[np.array(faces)]
        (tmp_path / "part.stl").write_bytes(bytes(80) + len(faces).to_bytes(4, "little") + data.tobytes())
    mesh = f'<mesh name="part" file="part.{ending}" inertia="{kind}" scale="1 2 -1" refpos=".1 0 0" refquat=".6 .8 0 0"/>'
    geom = '<geom type="mesh" mesh="part" pos="0 .2 0" euler="0 30 20" density="700"/>'
    path = tmp_path / "part.xml"
    path.write_text(f"<mujoco><asset>{mesh}</asset><worldbody><body><freejoint/>{geom}</body></worldbody></mujoco>")
    theirs, ours = mujoco.MjModel.from_xml_path(str(path)), lo.load(path).description.bodies[0].inertia
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, theirs.body_iquat[1])
    turn = turn.reshape(3, 3)
    np.testing.assert_allclose(ours.mass, theirs.body_mass[1], rtol=1e-6)
    np.testing.assert_allclose(ours.com, theirs.body_ipos[1], atol=1e-7)
    np.testing.assert_allclose(
        ours.moment, turn @ np.diag(theirs.body_inertia[1]) @ turn.T, atol=1e-6 * theirs.body_inertia[1].max()
    )


FLOOR = """
<mujoco> <option timestep=".001"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1" pos="0 0 .1" friction="{floor}" contype="{group}" conaffinity="{mask}"/>
    <geom type="box" size=".1 .1 .1" pos="3 0 .2"/>
    <body name="box" pos="0 0 .35"> <freejoint/> <geom type="box" size=".1 .1 .1" mass="1" friction="{own}"/> </body>
  </worldbody>
</mujoco>"""


def test_bodies_lie_on_planes_of_the_world():
    text = FLOOR.format(floor=0.3, own=0.8, group=1, mask=1)
    problem = lo.load_scene(text)
    run = problem.simulate(1.0, method="timestep")
    assert run.audit.ok and abs(run.q[-1, 2] - 0.2) < 1e-6  # MuJoCo's box sinks in by 1e-4 m
    assert problem.contacts[0].ground.friction == 0.8  # the larger one
    assert len(lo.read_scene(text).walls) == 1 and len(problem.plan.pairs) == 1  # the other geom of the world is a wall
    assert not lo.load_scene(text, contacts=False).contacts
    apart = lo.load_scene(FLOOR.format(floor=0.3, own=0.8, group=2, mask=4)).contacts
    assert [type(x) for x in apart] == [lo.BodyContacts]  # of the wall


def test_a_scene_starts_within_the_limits_of_its_joints():
    joint = '<joint name="knee" range="30 60"/><geom size=".1"/>'
    problem = lo.load_scene(f"<mujoco><worldbody><body>{joint}</body></worldbody></mujoco>")
    assert np.isclose(problem.start[0][0], np.deg2rad(30)) and problem.simulate(0.1).audit.ok
