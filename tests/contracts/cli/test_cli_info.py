"""`locomote info` of systems and of run files."""

import json
import re
from functools import partial

import numpy as np
import pytest
from commands import call

import locomote as lo

run = partial(call, "info")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    system = lo.systems.load("snakeboard", amplitude=0.5)
    q, v = system.initial
    path = tmp_path_factory.mktemp("runs") / "board.h5"
    system.problem().simulate(1.0, q=q, v=v, every=0.1).save(path)
    return path


def test_a_system_in_words():
    text = run("snakeboard", "--set", "amplitude=0.5").stdout
    for words in (
        "snakeboard: a board on two steered axles",
        "amplitude        0.5 (default 0.7)",
        "half the distance of the axles",
        "imposed     rear_steer = Sine(amplitude=0.5, rate=1.0) rad",
        "constraint  rear: Blade rear_axle on world, rows side (N)",
        "mixed: 3 unknown velocities of the base, 2 constraint rows of rank 2",
        "q[3]  rear_steer",
        "locomote run snakeboard",
    ):
        assert words in text, words


def test_a_system_as_data():
    found = json.loads(run("four_bar", "--json").stdout)
    system = lo.systems.load("four_bar")
    assert found["name"] == "four_bar" and found["duration"] == system.duration and found["reference"] == system.source
    assert {p["name"]: p["value"] for p in found["parameters"]} == dict(system.parameters)
    assert all(p["value"] == p["default"] and p["meaning"] is not None and p["expected"] for p in found["parameters"])
    rows = sum(len(c["rows"]) for c in found["constraints"])
    assert rows == len(system.problem().constraint_labels)
    assert found["classification"]["rows"] == rows and found["classification"]["text"]
    q, v = (np.array(found["start"][name]) for name in "qv")
    assert np.abs(system.problem().rows(0.0, q, v)[3]).max() < 1e-9


def test_all_numbers_of_a_problem():
    assert "numbers     73 by name, as board.mass" in run("snakeboard").stdout
    lines = run("snakeboard", "--all", "--set", "rotor.mass=2", "--set", "rear.point=0.1,0,0").stdout.splitlines()
    assert any(line.split()[:3] == ["rotor.mass", "2", "kg"] for line in lines)
    assert any(line.startswith("rear.point") and "(0.1, 0, 0)" in line for line in lines)
    found = json.loads(run("snakeboard", "--json").stdout)["numbers"]
    assert {x["name"]: x["unit"] for x in found}["rotor.amplitude"] == "rad"


@pytest.mark.parametrize("name", lo.systems.names())
def test_every_system(name):
    found = json.loads(run(name, "--json").stdout)
    assert found["classification"]["name"] and "start_fault" not in found
    case = found["classification"]
    assert case["free"] == case["external"] + case["passive"] - case["locked_rank"]


def test_a_system_that_cannot_start(monkeypatch):
    """What is known is shown all the same."""

    def refuse(*arguments):
        raise lo.InconsistentStart("it cannot be assembled")

    monkeypatch.setattr(lo.Locomotion, "initial", refuse)
    text = run("four_bar").stdout
    assert "no start: it cannot be assembled" in text and "constraint  " in text and "q[0]" in text


def test_a_run_file(file):
    text = run(file).stdout
    for words in (
        "snakeboard",
        "1 s from t = 0 s, 11 samples, finished",
        "mixed: 3 unknown velocities of the base",
        "board moved",
        "audit passed",
    ):
        assert words in text, words
    assert "resume" not in text


def test_a_run_file_as_data(file):
    found = json.loads(run(file, "--json").stdout)
    kept = lo.open_run(file)
    assert found["samples"] == 11 and found["status"] == "finished" and found["audit"]["passed"]
    assert np.allclose(found["end"]["q"], kept.q[-1], rtol=0, atol=0)
    assert np.isclose(found["net_motion"]["distance"], kept.net_motion.distance)
    assert found["channels"]["rotor.torque"] == "N m" and found["computing"]["versions"]["locomote"]
    assert found["files"] == {"run": str(file)}


WRONG = {
    "no such run": (["missing.h5"], 2, "there is no such file"),
    "set of a run": (["{file}", "--set", "a=1"], 2, "is a run file"),
    "value of a system": (["snakeboard", "--set", "length=long"], 2, "'length' is 'long', expected a finite number above 0"),
    "word of a system": (["bicycle", "--set", "model=froze"], 2, "'model' is 'froze', expected one of 'exact', 'frozen'"),
    "base of a system": (["snakeboard", "--base", "free"], 2, "no parameter named 'base' in system 'snakeboard'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_user_reads(name, file, tmp_path, monkeypatch):
    arguments, code, sentence = WRONG[name]
    monkeypatch.chdir(tmp_path)
    result = run(*(a.format(file=file) for a in arguments), code=code)
    assert not result.stdout and re.search(sentence, " ".join(result.stderr.split())), result.stderr


def test_a_file_that_is_no_run(tmp_path):
    path = tmp_path / "letter.h5"
    path.write_text("dear reader")
    assert "this is not a run file of locomote" in run(path, code=1).stderr


def test_files_that_say_more_than_a_model_are_shown(tmp_path):
    """A loop and an elastic tendon, which only a scene has, and what motors act on."""
    path = tmp_path / "loop.xml"
    path.write_text("""
<mujoco> <worldbody> <site name="hook"/>
  <body name="a"> <joint name="j"/> <geom size=".1" pos=".1 0 0"/> <site name="s" pos=".2 0 0"/> </body>
  <body name="b"> <joint name="k"/> <geom size=".1" pos=".1 0 0"/> </body> </worldbody>
  <tendon> <spatial name="band" stiffness="3"> <site site="hook"/> <site site="s"/> </spatial> </tendon>
  <equality> <connect body1="a" body2="b" anchor=".2 0 0"/> </equality>
  <actuator> <motor name="pull" tendon="band"/> <motor name="turn" joint="k"/> <adhesion name="pad" body="b" ctrlrange="0 1"/>
    <motor name="push" site="s" refsite="hook"/> </actuator> </mujoco>""")
    shown = run(str(path)).stdout
    assert "2 bodies" in shown and "4 actuators: pull (band), turn (k), pad (b), push (a)" in " ".join(shown.split())
    assert "connect" in run(str(path), "--base", "fixed", code=1).stderr
