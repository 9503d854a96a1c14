"""Damaged files for readers of scenes, robots with shapes, xacro, SRDF, SDF, OpenSim, recorded motion, USD, meshes and height
fields: an answer or a sentence each.

    python benchmarks/hostile_files.py [--count 3000] [--only PART OF A NAME]

Parts of good files are cut, doubled, swapped and replaced by hostile values; of binary files, bytes. Counted are files that
load and that are refused by ModelError (meshes, and what does not stand, by ValueError); anything else (another error, a file
opened that was not named, a program started, more than 20 s) is printed.
"""

import argparse
import re
import struct
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import locomote as lo
from locomote.geometry.shapes.hull import triangles

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "helpers"))
from file_samples import MOT, MUSCLE_ARM, SRDF, TRC, XACRO
from gait_model import gait

VALUES = [
    "", "nan", "inf", "-1", "0", "1e400", "1e30", "1 2", "x", "../../../etc/passwd", "/etc/passwd", "${1/0}", "${", "$(",
    "}", "${9**9**9}", "${__import__('os').system('true')}", "$(find ..)", "$(arg x)", "a" * 3000, "&#0;", "<", "\x00",
    "${a}", "${'a'*99999}", "1 " * 500, "true", "world", "/ground", "shoulder", "link0", "time",
]  # fmt: skip
USDA = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "World"
{
    def Xform "arm" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {
        point3f physics:centerOfMass = (0.5, 0, 0)
        float3 physics:diagonalInertia = (0.1, 0.2, 0.3)
        float physics:mass = 2
        double3 xformOp:translate = (0, 0, 2)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def PhysicsRevoluteJoint "hinge"
    {
        uniform token physics:axis = "Y"
        rel physics:body1 = </World/arm>
        point3f physics:localPos0 = (0, 0, 2)
        float physics:lowerLimit = -90
    }
}
"""
SCENE = """
<mujoco model="yard">
  <compiler angle="radian" meshdir="assets" autolimits="true"/>
  <option timestep="0.002" integrator="implicitfast" density="1.2" viscosity="1e-5" wind="1 0 0"/>
  <default>
    <joint damping="0.1" armature="0.01"/> <geom friction="0.8"/> <position kp="20" dampratio="1" inheritrange="1"/>
    <default class="leg"> <joint axis="0 1 0" range="-1.5 1.5"/> <geom type="mesh" mesh="stone"/> </default>
  </default>
  <asset>
    <mesh name="stone" file="stone.stl" scale="1 1 2" refpos="0 0 0.01"/> <mesh file="block.obj" inertia="convex"/>
    <mesh name="wedge" file="wedge.msh"/> <hfield name="hills" file="hills.bin" size="2 2 0.2 0.1"/>
    <mesh name="said" vertex="0 0 0 .1 0 0 0 .1 0 0 0 .1"/> <material name="red" rgba="1 0 0 1"/>
    <model name="arm" file="assets/arm.xml"/>
    <hfield name="steps" nrow="2" ncol="3" size="1 1 0.1 0.1" elevation="0 1 2 0 1 2"/>
  </asset>
  <worldbody>
    <geom type="plane" size="5 5 0.1"/> <geom type="hfield" hfield="hills" pos="0 0 -1"/> <geom type="hfield" hfield="steps"/>
    <camera name="look" pos="0 -3 1" xyaxes="1 0 0 0 0 1"/>
    <frame pos="0 2 1"> <attach model="arm" body="upper" prefix="left "/> </frame> <attach model="arm" prefix="right "/>
    <replicate count="3" offset="0 0.5 0" euler="0 0 0.1"> <body pos="2 0 1"> <freejoint/> <geom size="0.1"/> </body>
    </replicate>
    <body name="trunk" pos="0 0 0.6" childclass="leg">
      <freejoint name="root"/> <geom name="box" type="box" size="0.2 0.1 0.05" material="red"/> <site name="imu"/>
      <body name="thigh" pos="0.2 0 0"> <joint name="hip"/> <geom name="bone"/>
        <body name="shank" pos="0 0 -0.2"> <joint name="knee"/> <geom mesh="block"/> <geom type="box" mesh="wedge"/>
          <site name="tip" pos="0 0 -0.2" type="sphere" size="0.02"/> <geom mesh="said" gap="0.001"/> </body> </body>
    </body>
    <body name="door" pos="-1 0 0.5"> <joint name="hinge" axis="0 0 1" springdamper="0.2 1"/>
      <geom name="leaf" type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/> <body name="lid" gravcomp="1"> <joint type="ball"/>
        <geom type="ellipsoid" size="0.1 0.05 0.02" fluidshape="ellipsoid"/> </body> </body>
  </worldbody>
  <contact> <pair geom1="box" geom2="leaf" friction="0.5"/> <exclude body1="thigh" body2="shank"/> </contact>
  <equality> <connect body1="trunk" body2="door" anchor="0 0 0" active="false"/>
    <joint joint1="hip" joint2="knee" polycoef="0 1 0.2 0 0"/> </equality>
  <tendon> <fixed name="both"> <joint joint="hip" coef="1"/> <joint joint="hinge" coef="2"/> </fixed> </tendon>
  <actuator> <position name="hip" joint="hip"/> <motor name="knee" joint="knee" gear="5" ctrlrange="-1 1" forcerange="-3 3"/>
    <general tendon="both" dyntype="filter" dynprm="0.1"/> <motor site="imu" gear="0 0 1 0 0 0"/>
    <position site="tip" refsite="imu" gear="1 0 0 0 0.2 0" kp="3"/> <adhesion body="shank" ctrlrange="0 1" gain="5"/>
    <motor cranksite="tip" slidersite="imu" cranklength="0.5"/> </actuator>
  <sensor> <accelerometer site="imu"/> <framepos objtype="site" objname="tip"/> <touch site="tip"/> <subtreecom body="trunk"/>
    <actuatorfrc actuator="hip"/> <jointpos joint="hip"/> <clock/> </sensor>
  <keyframe> <key name="home" ctrl="0.1 0 0 0"/> </keyframe>
</mujoco>
"""
ARM = """
<mujoco model="arm">
  <compiler angle="radian" meshdir="."/>
  <default> <joint damping="0.2"/> <default class="thin"> <geom size="0.02"/> <position kp="3"/> </default> </default>
  <asset> <mesh name="rock" file="stone.stl"/> <material name="blue" rgba="0 0 1 1"/> </asset>
  <worldbody> <geom size="0.1" material="blue"/>
    <body name="upper" childclass="thin"> <joint name="shoulder" axis="0 1 0"/> <geom type="capsule" fromto="0 0 0 .3 0 0"/>
      <site name="end" pos="0.3 0 0"/> <body name="lower" pos="0.3 0 0"> <joint name="elbow" axis="0 1 0"/>
        <geom type="mesh" mesh="rock"/> <site name="hand" pos="0.1 0 0"/> </body> </body> </worldbody>
  <contact> <exclude body1="upper" body2="lower"/> </contact>
  <tendon> <spatial name="band" stiffness="3"> <site site="end"/> <site site="hand"/> </spatial> </tendon>
  <actuator> <position name="bend" joint="elbow" class="thin"/> <motor tendon="band"/> </actuator>
  <sensor> <framepos objtype="site" objname="hand"/> </sensor>
</mujoco>
"""
SHAPES = """
<robot name="cart">
  <link name="base"> <inertial> <mass value="2"/> <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/> </inertial>
    <collision> <origin xyz="0 0 0.1" rpy="0.1 0 0"/> <geometry> <box size="0.4 0.2 0.1"/> </geometry> </collision>
    <collision> <geometry> <mesh filename="assets/stone.stl" scale="1 1 1"/> </geometry> </collision> </link>
  <link name="arm"> <inertial> <mass value="1"/> <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/> </inertial>
    <collision> <geometry> <cylinder radius="0.1" length="0.3"/> </geometry> </collision>
    <collision> <origin xyz="0.3 0 0"/> <geometry> <sphere radius="0.1"/> </geometry> </collision> </link>
  <joint name="turn" type="revolute"> <parent link="base"/> <child link="arm"/> <origin xyz="0 0 0.4"/> <axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="5" velocity="3"/> <dynamics damping="0.1" friction="0.2"/> </joint>
</robot>
"""
WORLD = """
<sdf version="1.11">
  <world name="yard"> <gravity>0 0 -9.8</gravity>
    <model name="cart"> <pose>0 0 1 0 0 0.1</pose>
      <link name="base"> <inertial> <mass>2</mass> <inertia> <ixx>1</ixx> <iyy>1</iyy> <izz>1</izz> </inertia> </inertial>
        <collision name="c"> <geometry> <box> <size>0.4 0.2 0.1</size> </box> </geometry>
          <surface> <friction> <ode> <mu>0.5</mu> </ode> </friction> </surface> </collision>
        <collision name="m"> <geometry> <mesh> <uri>assets/block.obj</uri> <scale>1 1 1</scale> </mesh> </geometry> </collision>
      </link>
      <link name="arm"> <pose relative_to="turn"/> <inertial> <mass>1</mass> </inertial>
        <collision name="c"> <geometry> <capsule> <radius>0.1</radius> <length>0.2</length> </capsule> </geometry> </collision>
      </link>
      <joint name="turn" type="revolute"> <pose relative_to="base">0 0 0.4 0 0 0</pose> <parent>base</parent> <child>arm</child>
        <axis> <xyz>0 1 0</xyz> <limit> <lower>-1</lower> <upper>1</upper> </limit> </axis> </joint>
    </model>
  </world>
</sdf>
"""
STANDING = ("stone.stl", "block.obj", "wedge.msh", "URDF shapes", "SDF world")  # read by functions that raise ValueError
STO = "forces\nversion=1\nnRows=2\nnColumns=4\ninDegrees=no\nendheader\ntime\tfx\tfy\tfz\n0\t1\t2\t3\n0.1\t2\t3\t4\n"
opened: list = []
watching = [False]


def watch(event, arguments):
    """Note what is opened or started."""
    if watching[0] and event in ("open", "os.system", "subprocess.Popen", "socket.connect", "os.remove"):
        if not isinstance(arguments[0], int) and not str(arguments[0]).endswith((".py", ".pyc", ".so", ".json")):
            opened.append((event, str(arguments[0])))


sys.addaudithook(watch)


def expected(path: str, folder: str) -> bool:
    """Whether a file may be opened: one in the folder of the models, a cache, a picture of this process."""
    return any(part in path for part in (".cache", "site-packages", ".zip")) or path.startswith((folder, "/proc/self"))


def damaged(text: str, rng) -> str:
    """A text with some parts broken."""
    for _ in range(rng.integers(1, 4)):
        way = rng.integers(6)
        tags = [m.span() for m in re.finditer(r"<[^<>]*>", text)] or [(0, 1)]
        values = [m.span(1) for m in re.finditer(r'"([^"<>]*)"', text)] or [(0, 1)]
        numbers = [m.span() for m in re.finditer(r"-?\d+\.?\d*", text)] or [(0, 1)]
        (a, b), (c, d), (e, f) = (spans[rng.integers(len(spans))] for spans in (tags, values, numbers))
        hostile = VALUES[rng.integers(len(VALUES))]
        if way == 0:
            text = text[:a] + text[b:]
        elif way == 1:
            text = text[:b] + text[a:b] + text[b:]
        elif way == 2:
            text = text[:c] + hostile + text[d:]
        elif way == 3:
            text = text[:e] + hostile + text[f:]
        elif way == 4:
            (g, h) = tags[rng.integers(len(tags))]
            text = text[:a] + text[g:h] + text[b:]
        else:
            k = rng.integers(len(text))
            text = text[:k] + chr(rng.integers(32, 300)) + text[k + rng.integers(3) :]
    return text


def spoiled(data: bytes, rng) -> bytes:
    """Bytes with some of them changed, doubled, or cut off."""
    for _ in range(rng.integers(1, 6)):
        k, way = int(rng.integers(max(len(data), 1))), rng.integers(5)
        if way == 0:
            data = data[:k]
        elif way == 1:
            data = data[:k] + data[k // 2 : k] + data[k:]
        elif way == 2:
            data = data[:k] + rng.bytes(4) + data[k + 4 :]
        elif way == 3:
            value = [float("nan"), float("inf"), 1e38, 0.0, -1.0, 1e-40][rng.integers(6)]
            k -= k % 4
            data = data[:k] + struct.pack("<f", value) + data[k + 4 :]
        else:
            data = data[:k] + struct.pack("<i", int(rng.integers(-3, 2**31 - 1))) + data[k + 4 :]
    return data


def assets(folder: Path) -> dict[str, bytes]:
    """Meshes and a height field, by name; they are put into the folder."""
    rng = np.random.default_rng(1)
    hull = lo.Hull(0.1 * rng.normal(size=(30, 3)))
    faces = triangles(hull.corners)
    stl = b"\0" * 80 + struct.pack("<i", len(faces))
    stl += b"".join(b"\0" * 12 + corners.astype("<f4").tobytes() + b"\0\0" for corners in hull.corners[faces])
    lines = [f"v {x:g} {y:g} {z:g}" for x, y, z in hull.corners] + ["f " + " ".join(str(i + 1) for i in f) for f in faces]
    msh = struct.pack("<iiii", len(hull.corners), 0, 0, len(faces)) + hull.corners.astype("<f4").tobytes()
    found = {"stone.stl": stl, "block.obj": "\n".join(lines).encode(), "wedge.msh": msh + faces.astype("<i4").tobytes()}
    found["arm.xml"] = ARM.encode()
    found["hills.bin"] = struct.pack("<ii", 5, 4) + rng.random(20).astype("<f4").tobytes()
    (folder / "assets").mkdir(exist_ok=True)
    for name, data in found.items():
        (folder / "assets" / name).write_bytes(data)
    return found


def files(folder: Path) -> dict:
    """Name -> content of a file that is damaged, and what reads it, with others beside it that are not."""
    good, found = assets(folder), {}

    def reader(path: Path, read):
        def from_file(content):
            data = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
            path.write_bytes(data)
            return read(path)

        return from_file

    (folder / "yard.xml").write_text(SCENE)
    found["MJCF with files"] = SCENE, reader(folder / "damaged.xml", lambda path: lo.load_scene(path))
    found["URDF shapes"] = SHAPES, reader(folder / "cart.urdf", lambda path: lo.on_ground(lo.load(path, base="free")))
    found["SDF world"] = WORLD, reader(folder / "cart.sdf", lambda path: lo.on_ground(lo.load(path, base="free")))
    for name, data in good.items():
        whole = folder / "assets" / name

        def mend(path, name=name, whole=whole):
            try:
                lo.load_scene(folder / "yard.xml")
                if not name.endswith((".bin", ".xml")):
                    lo.convex_parts(whole, tolerance=0.01, parts=3)
            finally:
                whole.write_bytes(good[name])

        found[name] = data.decode() if name.endswith((".obj", ".xml")) else data, reader(whole, mend)
    return found


def readers(folder: Path) -> dict:
    """Name -> text and what reads it."""
    robot = lo.Model(lo.read_urdf(XACRO))
    found = {
        "MJCF scene": (MUSCLE_ARM, lambda text: lo.load_scene(text, contacts=False)), "xacro": (XACRO, lo.read_urdf),
        "SRDF": (SRDF, lambda text: lo.read_srdf(text, robot)), "OpenSim": (gait(), lo.load_scene),
        ".mot": (MOT, lambda text: lo.read_motion(text.encode("utf-8", "replace"))),
        ".sto": (STO, lambda text: lo.read_motion(text.encode("utf-8", "replace"))),
        ".trc": (TRC, lambda text: lo.read_motion(text.encode("utf-8", "replace"))),
    }  # fmt: skip
    found |= files(folder)
    try:
        import pxr  # noqa: F401

        def read_usd(text):
            path = folder / "stage.usda"
            path.write_text(text, encoding="utf-8", errors="replace")
            return lo.read_usd(path)

        found["USD"] = (USDA, read_usd)
    except ImportError:
        print("USD: usd-core is not installed, not tried")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="print what refused files are told")
    asked = parser.parse_args()
    count, rng = asked.count, np.random.default_rng(asked.seed)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        known, bad = readers(Path(folder)), 0
        known = {name: own for name, own in known.items() if asked.only in name}
        for name, (text, read) in known.items():
            read(text)
            loaded = refused = 0
            slowest, each = 0.0, -(-count // len(known))
            for _ in range(each):
                given, begin = (spoiled if isinstance(text, bytes) else damaged)(text, rng), time.perf_counter()
                opened.clear()
                watching[0] = name != "USD"
                try:
                    read(given)
                    loaded += 1
                except (lo.ModelError, ValueError) as error:
                    allowed = isinstance(error, lo.ModelError) or name in STANDING
                    refused += allowed
                    if asked.show:
                        print("   ", str(error).splitlines()[-1][:160])
                    assert str(error) and len(str(error)) < 100_000
                    if not allowed:
                        bad += 1
                        print(f"BAD {name}: {type(error).__name__}: {str(error)[:200]}")
                except Exception as error:
                    bad += 1
                    print(f"BAD {name}: {type(error).__name__}: {str(error)[:200]}")
                watching[0] = False
                slowest = max(slowest, time.perf_counter() - begin)
                if time.perf_counter() - begin > 20.0:
                    bad += 1
                    print(f"BAD {name}: took {time.perf_counter() - begin:.0f} s")
                if opened and (strange := [what for what in opened if not expected(what[1], folder)]):
                    bad += 1
                    print(f"BAD {name}: opened {strange[:2]}")
            print(f"{name}: {each} files, {loaded} load, {refused} refused in a sentence, slowest {slowest:.2f} s", flush=True)
    print(f"{bad} bad")


if __name__ == "__main__":
    main()
