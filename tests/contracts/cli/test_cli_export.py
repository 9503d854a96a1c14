"""`locomote export`: files that load again, and what a user reads when there is none."""

import json
import os
import subprocess
import sys
from functools import partial

import pytest
from commands import call

import locomote as lo
from locomote.cli.export import written
from locomote.formats.registry import of_suffix

ARM = lo.Inertia(1.0, moment=(0.3, 0.4, 0.5))
pytestmark = pytest.mark.usefixtures("folder")
run = partial(call, "export")


def test_a_system_as_urdf():
    text = run("urdf", "snakeboard", "--set", "length=0.3").stdout
    assert text.startswith("snakeboard.urdf  snakeboard, 4 bodies, nq = 6, nv = 6")
    assert "the file has the model of the system, not what is imposed on it, holds it or acts on it" in text
    assert "how the root moves is not part of URDF: load it with base='planar' (--base planar)" in text
    assert lo.load("snakeboard.urdf", base="planar") == lo.systems.load("snakeboard", length=0.3).model


def test_a_file_as_mjcf_and_back():
    model = lo.systems.load("rolling_disc").model
    lo.save(model, "disc.urdf")
    first = json.loads(run("mjcf", "disc.urdf", "--base", "free", "--out", "coin.mjcf", "--json").stdout)
    assert first["file"] == "coin.mjcf" and first["left_out"] == [] and first["load_with_base"] is None
    assert (first["nq"], first["nv"], first["bodies"], first["model"], first["system"]) == (7, 6, 1, "rolling disc", False)
    assert lo.load("coin.mjcf") == model
    second = json.loads(run("urdf", "coin.mjcf", "--out", "again.urdf", "--json").stdout)
    assert second["load_with_base"] == "free"
    assert lo.load("again.urdf", base="free") == model


def test_nothing_is_replaced_unasked(folder):
    (folder / "quadruped.urdf").write_text("mine")
    result = run("urdf", "quadruped", code=2)
    assert "quadruped.urdf is there already; --force replaces it, --out FILE writes elsewhere" in result.stderr
    assert (folder / "quadruped.urdf").read_text() == "mine" and not result.stdout
    run("urdf", "quadruped", "--force")
    assert (folder / "quadruped.urdf").read_text() != "mine"


def test_what_a_format_does_not_have(folder):
    joint = lo.Joint("knee", lower=-1.0, upper=1.0, velocity_limit=3.0, effort_limit=0.0)
    lo.save(lo.Builder("leg").body("hip").body("shank", parent="hip", joint=joint, inertia=ARM).build(), "leg.urdf")
    result = run("mjcf", "leg.urdf", code=1)
    assert "joint 'knee': effort_limit 0 is not supported" in result.stderr
    assert not (folder / "leg.xml").exists() and "Traceback" not in result.stderr
    found = json.loads(run("mjcf", "leg.urdf", "--unsupported", "warn", "--json").stdout)
    assert len(found["left_out"]) == 2 and "left out: velocity_limit 3" in found["left_out"][0]
    assert lo.load("leg.xml").upper[0] == 1.0
    text = run("mjcf", "leg.urdf", "--unsupported", "warn", "--force").stdout
    assert text.startswith("warning: model 'leg' as MJCF: joint 'knee': left out: velocity_limit 3")


def test_visuals_can_be_left_out():
    look = lo.Visual("sphere", (0.1,))
    lo.save(lo.Builder("ball").body("ball", inertia=ARM, visuals=[look]).build(), "ball.urdf")
    run("mjcf", "ball.urdf")
    run("mjcf", "ball.urdf", "--no-visuals", "--out", "bare.xml")
    assert len(lo.load("ball.xml").body("ball").body.visuals) == 1 and not lo.load("bare.xml").body("ball").body.visuals


@pytest.mark.parametrize("name, file", [("../../etc/x", "etc_x.urdf"), ("", "model.urdf"), ("\u00fc b\n", "\u00fc_b.urdf")])
def test_hostile_names_stay_in_the_folder(folder, name, file):
    model = lo.Builder("m").body("b", inertia=ARM).build().edited(name=name)
    found = written(model, of_suffix(".urdf"), None, False, "warn", True)
    assert found["file"] == file and os.listdir(folder) == [file]


WRONG = {
    "suffix": (["urdf", "quadruped", "--out", "dog.xml"], "--out dog.xml: the name must end in .urdf"),
    "system": (["mjcf", "quadrupet"], "no file or system named 'quadrupet'"),
    "file": (["mjcf", "dog.urdf"], "dog.urdf: no such file"),
    "setting of a file": (["mjcf", "dog.urdf", "--set", "a=1"], "--set is for systems"),
    "meshes of a system": (["mjcf", "quadruped", "--package-dir", "."], "--package-dir and --option are for files"),
    "format": (["usd", "quadruped"], "No such command 'usd'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_user_reads(name, folder):
    arguments, sentence = WRONG[name]
    result = run(*arguments, code=2)
    assert sentence in " ".join(result.stderr.replace("\u2502", " ").split()) and not result.stdout
    assert os.listdir(folder) == []


@pytest.mark.parametrize("command", [[], ["urdf"], ["mjcf"]])
def test_help(command):
    text = run(*command, "--help").stdout
    assert "Usage" in text and ("--out" in text if command else "mjcf" in text and "urdf" in text)


def test_where_nothing_can_be_written():
    result = run("urdf", "quadruped", "--out", "nowhere/dog.urdf", code=1)
    assert "nowhere/dog.urdf: cannot be written: its folder does not exist; make it first" in result.stderr


def test_as_a_program(folder):
    call = [sys.executable, "-m", "locomote", "export", "urdf", "quadruped", "--json"]
    done = subprocess.run(call, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    assert json.loads(done.stdout)["file"] == "quadruped.urdf" and not done.stderr and (folder / "quadruped.urdf").exists()
