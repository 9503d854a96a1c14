"""The command line: what it prints, what it says when something is wrong, how it ends."""

import json
import re
import subprocess
import sys

import pytest
from commands import call as run
from typer.testing import CliRunner

from locomote import __version__
from locomote.cli.main import app

URDF = """
<robot name="arm">
  <link name="table"/>
  <link name="upper"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="left"><inertial><mass value="0.1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="right"><inertial><mass value="0.1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="table"/><child link="upper"/><axis xyz="0 -1 0"/>
    <limit lower="-1" upper="2" effort="40" velocity="3"/></joint>
  <joint name="finger" type="prismatic"><parent link="upper"/><child link="left"/><limit lower="0" upper="0.1"/></joint>
  <joint name="thumb" type="prismatic"><parent link="upper"/><child link="right"/>
    <mimic joint="finger" multiplier="-1"/></joint>
</robot>
"""


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF)
    return path


def test_version():
    assert run("--version").stdout.strip() == f"locomote {__version__}"


@pytest.mark.parametrize("command", [[], ["list"], ["info"], ["run"], ["resume"], ["export"], ["doctor"]])
def test_help(command):
    text = run(*command, "--help").stdout
    assert "Usage" in text and "--help" in text


def test_no_command_shows_help():
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 2 and "doctor" in result.output


def test_info_of_a_file(arm):
    text = run("info", arm).stdout
    for words in ("arm", "nq = 2, nv = 2, 2.2 kg", "└── upper  2 kg  shoulder revolute -y", "q[0]", "-1      2", "40"):
        assert words in text, text
    assert "thumb prismatic x, coupled" in text
    assert "thumb = -1 finger (coupled, no slot)" in text
    assert "warning:" in text and "taken as unlimited" in text


def test_info_as_json(arm):
    found = json.loads(run("info", arm, "--base", "free", "--no-mimic", "--json").stdout)
    assert (found["nq"], found["nv"]) == (10, 9)
    assert [body["name"] for body in found["bodies"]] == ["table", "upper", "left", "right"]
    slots = {slot["slot"]: slot for slot in found["layout"]}
    assert slots["q[7]"]["joint"] == "shoulder" and slots["q[7]"]["lower"] == -1.0
    assert slots["v[6]"]["upper"] == 3.0 and slots["v[6]"]["effort"] == 40.0
    assert slots["q[0]"]["lower"] is None
    assert found["couplings"] == []


def test_info_of_a_system():
    found = json.loads(run("info", "quadruped", "--set", "trunk_mass=6", "--base", "planar", "--json").stdout)
    assert found["mass"] == 14.0 and found["nq"] == 15
    by_name = {parameter["name"]: parameter for parameter in found["parameters"]}
    assert by_name["trunk_mass"]["value"] == 6.0 and by_name["trunk_mass"]["unit"] == "kg"


def test_a_large_model_is_cut_short(tmp_path):
    path = tmp_path / "chain.csv"
    path.write_text("# convention: modified\nname,a,mass\n" + "".join(f"n{k},1,1\n" for k in range(300)))
    text = run("info", path).stdout
    assert "more bodies; --all shows them" in text and "more; --all shows them" in text and "n299" not in text
    assert "n299" in run("info", path, "--all").stdout


WRONG = {
    "missing file": (["info", "arm.urdff"], 2, "no such file"),
    "missing system": (["info", "quadrupet"], 2, "no file or system named 'quadrupet' .*did you mean 'quadruped'"),
    "parameter": (["info", "quadruped", "--set", "trunk_mas=1"], 2, "no parameter named 'trunk_mas'.*mean 'trunk_mass'"),
    "parameter without value": (["info", "quadruped", "--set", "trunk_mass"], 2, "expected NAME=VALUE"),
    "parameter of a file": (["info", "arm.urdf", "--set", "a=1"], 2, "--set is for systems"),
    "mimic of a system": (["info", "quadruped", "--no-mimic"], 2, "are for files"),
    "negative mass": (["info", "humanoid", "--set", "mass=-1"], 2, "parameter 'mass' is -1, expected .* above 0"),
    "unknown base": (["info", "humanoid", "--base", "flying"], 2, "parameter 'base' is 'flying', expected one of 'fixed'"),
    "unknown option": (["info", "humanoid", "--colour"], 2, "No such option"),
    "unknown command": (["walk"], 2, "No such command"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_user_reads(name, tmp_path, monkeypatch):
    arguments, code, sentence = WRONG[name]
    monkeypatch.chdir(tmp_path)
    result = run(*arguments, code=code)
    assert not result.stdout
    words = " ".join(result.stderr.replace("│", " ").split())
    assert re.search(sentence, words), words
    assert "Traceback" not in result.stderr


def test_all_faults_of_a_file(tmp_path):
    path = tmp_path / "bad.urdf"
    path.write_text('<robot name="r">\n<link name="a"/><link name="a"/>\n<joint name="j" type="hinge"/></robot>')
    result = run("info", path, code=1)
    assert result.stderr.count("  - line") >= 2 and "unknown joint type 'hinge'" in result.stderr


def test_debug_shows_the_traceback(tmp_path):
    result = CliRunner().invoke(app, ["--debug", "info", str(tmp_path / "no.urdf")])
    assert result.exit_code == 1 and "no such file" in str(result.exception)


def test_as_a_program(arm):
    call = [sys.executable, "-m", "locomote", "info", str(arm), "--json"]
    done = subprocess.run(call, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    assert json.loads(done.stdout)["name"] == "arm" and not done.stderr
    done = subprocess.run([*call[:4], "nowhere.urdf"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 2 and done.stderr.startswith("error: nowhere.urdf: no such file") and not done.stdout


def test_help_is_quick():
    """`--help` imports neither the compiler nor SciPy: counted, not timed."""
    code = (
        "import sys, locomote.cli.main as c\n"
        "try: c.app(['--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'numba', 'scipy', 'numpy', 'h5py'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
