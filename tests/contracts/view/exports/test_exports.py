"""Runs for other programs, read back by readers that are not ours."""

import json
import subprocess
import sys

import numpy as np
import pytest
from commands import call

import locomote as lo


@pytest.fixture(scope="module")
def run():
    system = lo.systems.load("snakeboard")
    return system.problem().simulate(2.0, every=0.02, progress=False)


def test_parquet_and_netcdf_have_every_number_and_unit(run, tmp_path):
    parquet, xarray = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("xarray")
    table = parquet.read_table(run.export(tmp_path / "run.parquet"))
    with xarray.open_dataset(run.export(tmp_path / "run.nc"), engine="scipy") as data:
        for channel in run.channels:
            np.testing.assert_array_equal(table[channel.name].to_numpy(), run[channel.name])
            assert table.schema.field(channel.name).metadata[b"unit"].decode() == channel.unit
            np.testing.assert_array_equal(data[channel.name], run[channel.name])
    assert table.schema.metadata[b"model"] == b"snakeboard"


def matrix(turn):
    """Rotation of a quaternion by Rodrigues' formula."""
    x, y, z, w = (turn[k] for k in "xyzw")
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * K + 2 * K @ K


def test_mcap_moves_bodies_where_they_are(run, tmp_path):
    reader = pytest.importorskip("mcap.reader")
    with open(run.export(tmp_path / "run.mcap"), "rb") as stream:
        found = {"/tf": [], "/run": [], "/scene": []}
        schemas = {}
        for schema, channel, message in reader.make_reader(stream).iter_messages():
            found[channel.topic].append((message.log_time * 1e-9, json.loads(message.data)))
            schemas[channel.topic] = schema.name
    assert schemas["/tf"] == "foxglove.FrameTransforms" and schemas["/scene"] == "foxglove.SceneUpdate"
    assert len(found["/tf"]) == len(found["/run"]) == len(run)
    for k in (0, 40, len(run) - 1):
        t, tf = found["/tf"][k]
        assert abs(t - run.t[k]) < 1e-8
        poses = lo.forward_kinematics(run.model, run.q[k])
        for name, T, own in zip(run.model.body_names, poses, tf["transforms"], strict=True):
            assert own["child_frame_id"] == name and own["parent_frame_id"] == "world"
            np.testing.assert_allclose([own["translation"][x] for x in "xyz"], T[:3, 3], atol=1e-12)
            np.testing.assert_allclose(matrix(own["rotation"]), T[:3, :3], atol=1e-9)
        numbers = found["/run"][k][1]
        assert numbers["rotor.angle"] == run["rotor.angle"][k] and len(numbers) == len(run.channels)
    frames = {entity["frame_id"] for entity in found["/scene"][0][1]["entities"]}
    assert frames == set(run.model.body_names)


def landing():
    """A box that falls onto the ground."""
    box = lo.Builder("box", base="free").body("box", inertia=lo.Inertia.box(1.0, (0.2, 0.2, 0.1))).build()
    problem = lo.Locomotion(box, contacts=[lo.Touch("box", lo.Ground(), box=(0.1, 0.1, 0.05))])
    return problem.simulate(0.1, q=[0, 0, 0.06, 0, 0, 0, 1], every=0.02, progress=False)


KINDS = {
    "arm": lambda: lo.systems.load("puma").problem().simulate(0.1, every=0.02, progress=False),
    "tendons": lambda: lo.systems.load("tendon_robot").problem().simulate(0.1, every=0.02, progress=False),
    "contacts": landing,
    "water": lambda: lo.systems.load("fish").problem().simulate(0.1, every=0.02, progress=False),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_run_is_read_by_others(kind, tmp_path):
    parquet, reader = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("mcap.reader")
    xarray = pytest.importorskip("xarray")
    run = KINDS[kind]()
    table = parquet.read_table(run.export(tmp_path / "run.parquet"))
    names = run.export(tmp_path / "run.csv").read_text().splitlines()[0].split(",")
    assert names == [f"{c.name} [{c.unit}]" for c in run.channels]
    with open(run.export(tmp_path / "run.mcap"), "rb") as stream:
        sent = list(reader.make_reader(stream).iter_messages())
    moved = [json.loads(m.data)["transforms"] for _, channel, m in sent if channel.topic == "/tf"]
    poses = lo.forward_kinematics(run.model, run.q)
    with xarray.open_dataset(run.export(tmp_path / "run.nc"), engine="scipy") as data:
        for channel in run.channels:
            np.testing.assert_array_equal(table[channel.name].to_numpy(), run[channel.name])
            np.testing.assert_array_equal(data[channel.name], run[channel.name])
    for k, transforms in enumerate(moved):
        places = {x["child_frame_id"]: [x["translation"][axis] for axis in "xyz"] for x in transforms}
        for name, T in zip(run.model.body_names, poses[k], strict=True):
            np.testing.assert_allclose(places[name], T[:3, 3], atol=1e-12)
    assert len(moved) == len(run)


def test_rods_bend_in_mcap(tmp_path):
    reader = pytest.importorskip("mcap.reader")
    system = lo.systems.load("elastic_pendulum")
    run = system.problem().simulate(0.1, every=0.05, progress=False)
    with open(run.export(tmp_path / "rod.mcap"), "rb") as stream:
        found = [json.loads(m.data) for _, c, m in reader.make_reader(stream).iter_messages() if c.topic == "/scene"]
    lines = [e["lines"][0]["points"] for one in found for e in one["entities"] if e["lines"]]
    assert len(lines) == len(run) and lines[0] != lines[-1]


def test_rerun_takes_its_file(run, tmp_path):
    pytest.importorskip("rerun")
    path = run.export(tmp_path / "run.rrd")
    done = subprocess.run([sys.executable, "-m", "rerun", "rrd", "verify", str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    printed = subprocess.run([sys.executable, "-m", "rerun", "rrd", "print", str(path)], capture_output=True, text=True).stdout
    assert "/world/rotor" in printed and "/channels/rotor/angle" in printed


def test_a_folder_opens_by_itself(run, tmp_path):
    folder = run.export(tmp_path / "given")
    assert {x.name for x in folder.iterdir()} == {"README.md", "model.urdf", "run.h5", "run.csv", "report.html"}
    np.testing.assert_array_equal(lo.open_run(folder / "run.h5").q, run.q)
    model = lo.load(folder / "model.urdf", base="planar")
    q = run.q[-1]
    np.testing.assert_allclose(lo.mass_matrix(model, q), lo.mass_matrix(run.model, q), atol=1e-12)
    with pytest.raises(lo.LocomoteError, match="is there already"):
        run.export(folder)
    with pytest.raises(ValueError, match="expected a name that ends in"):
        run.export(tmp_path / "run.xyz")


def test_meshes_go_with_the_folder(tmp_path):
    corners = ["0 0 0", "1 0 0", "0 1 0", "0 0 1"]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    text = "".join(
        "facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {corners[k]}\n" for k in f) + "endloop\nendfacet\n" for f in faces
    )
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "a b.stl").write_text(f"solid s\n{text}endsolid s\n")
    (tmp_path / "own" / "m.urdf").write_text(
        '<robot name="m"><link name="base"/><link name="rod"><visual><geometry><mesh filename="a b.stl"/></geometry></visual>'
        '<inertial><mass value="1"/><origin xyz="0 0 -1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        '</link><joint name="j" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>'
    )
    run = lo.Locomotion(lo.load(tmp_path / "own" / "m.urdf")).simulate(0.1, progress=False)
    folder = run.export(tmp_path / "given")
    (tmp_path / "own" / "a b.stl").unlink()
    folder.rename(tmp_path / "elsewhere")
    model = lo.load(tmp_path / "elsewhere" / "model.urdf")
    (visual,) = model.description.bodies[1].visuals
    assert visual.file.endswith("elsewhere/meshes/0_a b.stl") and not model.description.warnings


def test_the_command_writes_beside_the_run_and_replaces_nothing(run, tmp_path):
    run.save(tmp_path / "run.h5")
    done = call("export", "csv", tmp_path / "run.h5", "--json")
    assert json.loads(done.stdout)["samples"] == len(run)
    assert (tmp_path / "run.csv").read_text().startswith("t [s],")
    assert "--force" in call("export", "csv", tmp_path / "run.h5", code=2).output
    wrong = call("export", "mcap", tmp_path / "run.h5", "--out", tmp_path / "a.csv", code=2)
    assert "must end in .mcap" in wrong.output
    call("export", "csv", tmp_path / "run.csv", code=2)
