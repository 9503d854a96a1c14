"""`locomote run` and `locomote resume`: what they print and leave, and how they end when something goes wrong."""

import contextlib
import errno
import json
import math
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from commands import call

import locomote as lo
from locomote.cli.settings import value_of
from locomote.methods.registry import METHODS
from locomote.runs import runner as runs
from locomote.runs.files import journal
from locomote.runs.optional import package
from locomote.view import film

# what it leaves


def test_numbers_of_a_problem_are_set(folder):
    found = json.loads(call("run", "snakeboard", "--duration", "0.2", "--no-plot", "--json", "--set", "rotor.mass=2").stdout)
    assert found["changed"] == {"rotor.mass": 2.0}
    run = lo.open_run("runs/snakeboard.h5")
    assert run.problem.parameters["rotor.mass"] == 2.0
    run.report("report.html")
    page = (folder / "report.html").read_text()
    assert "--set rotor.mass=2" in page and "All numbers" in page
    wrong = call("run", "snakeboard", "--set", "rotor.mas=2", code=2).output
    assert "did you mean 'rotor.mass'" in " ".join(wrong.split())
    assert "negative mass" in " ".join(call("run", "snakeboard", "--set", "rotor.mass=-2", code=2).output.split())


def test_a_run_in_words(folder):
    pytest.importorskip("matplotlib")
    text = call("run", "snakeboard", "--duration", "2", "--every", "0.1").stdout
    for words in (
        "snakeboard: a board on two steered axles",
        "2 s from t = 0 s, 21 samples, finished",
        "mixed: 3 unknown velocities of the base, 2 constraint rows of rank 2",
        "board moved",
        "audit passed",
        "power balance",
        "run file          runs/snakeboard.h5",
        "picture           runs/snakeboard.png",
    ):
        assert words in text, words
    assert (folder / "runs" / "snakeboard.png").stat().st_size > 10_000
    kept = lo.open_run("runs/snakeboard.h5")
    assert len(kept) == 21 and kept.info["status"] == "finished" and kept.problem is not None
    for line in kept.summary().splitlines():
        assert line in text, line


def test_a_run_as_data(folder):
    found = json.loads(call("run", "snakeboard", "--duration", "1", "--no-plot", "--json").stdout)
    kept = lo.open_run(found["files"]["run"])
    assert found["status"] == "finished" and found["audit"]["passed"] and "mixed" in found["classification"]
    assert found["samples"] == 501 and found["end"]["q"] == kept.q[-1].tolist()
    assert found["work"]["drives"] == kept.work["drives"][-1]
    assert found["parameters"]["amplitude"] == 0.7 and found["title"] == lo.systems.title("snakeboard")
    assert set(found["forces"]) >= {"rotor.torque"} and found["reactions"]["rear.side"]["unit"] == "N"
    assert found["computing"]["method"] == "adaptive" and found["events"] == []
    assert list(found["files"]) == ["run"] and not (folder / "runs" / "snakeboard.png").exists()


def test_parameters_reach_the_system(folder):
    settings = ["--set", "amplitude=0.3", "--set", "length = 0.4"]
    found = json.loads(call("run", "snakeboard", "--duration", "1", *settings, "--no-plot", "--json").stdout)
    system = lo.systems.load("snakeboard", amplitude=0.3, length=0.4)
    q, v = system.initial
    alone = system.problem().simulate(1.0, q=q, v=v)
    assert found["end"]["q"] == alone.q[-1].tolist()
    assert found["parameters"]["amplitude"] == 0.3 and found["parameters"]["length"] == 0.4


def test_words_and_whole_numbers(folder):
    arguments = ["run", "acm_snake", "--set", "links=5", "--set", "imposed=joints", "--duration", "0.5", "--no-plot", "--json"]
    found = json.loads(call(*arguments).stdout)
    assert found["parameters"]["links"] == 5 and found["parameters"]["imposed"] == "joints"


@pytest.mark.parametrize("method", METHODS)
def test_every_method(folder, method):
    arguments = ["--method", method, "--step", "0.001", "--rtol", "1e-7", "--atol", "1e-9", "--no-plot", "--json"]
    found = json.loads(call("run", "simple_pendulum", "--duration", "0.2", "--every", "0.1", *arguments).stdout)
    assert found["computing"]["method"] == method and found["samples"] == 3
    assert (found["computing"]["rtol"], found["computing"]["atol"], found["computing"]["step"]) == (1e-7, 1e-9, 1e-3)


def test_methods_are_in_the_help():
    text = " ".join(call("run", "--help").stdout.replace("│", " ").split())
    assert all(re.search(rf"\b{method}\b", text) for method in METHODS)


def test_quiet(folder):
    result = call("run", "simple_pendulum", "--duration", "0.1", "--out", "deep/down", "--quiet")
    assert not result.output and (folder / "deep" / "down" / "simple_pendulum.h5").exists()


def test_a_problem_with_functions_can_be_opened_again(folder):
    """Its file names the system instead of holding its parts."""
    call("run", "bicycle", "--set", "steering=feedback", "--duration", "0.1", "--no-plot", "--quiet")
    kept = lo.open_run("runs/bicycle.h5")
    assert kept.problem is not None and kept.problem.name == "bicycle" and callable(kept.problem.torques)


def test_without_what_draws(folder, monkeypatch):
    monkeypatch.setattr(film, "package", lambda name, *words: package("nothing_of_that_name", *words))
    result = call("run", "simple_pendulum", "--duration", "0.1")
    assert "picture           none: drawing films needs the package" in result.stdout
    assert "pip install 'locomote[view]'" in result.stdout and "report            runs/" in result.stdout
    found = json.loads(call("run", "simple_pendulum", "--duration", "0.1", "--json").stdout)
    assert list(found["files"]) == ["run", "report"]


def test_values_by_the_type_of_the_default():
    assert value_of("3", 1.0) == 3 and value_of("-2.5e-3", 1.0) == -0.0025 and value_of("7", 2) == 7
    assert value_of("long", 1.0) == "long" and value_of("3", "word") == "3"
    assert value_of("true", False) is True and value_of("No", True) is False and value_of("maybe", True) == "maybe"
    assert value_of("[1, 2.5,3]", (0.0, 0.0)) == [1, 2.5, 3] and value_of("a,b", ["x"]) == ["a", "b"]


# what a user reads

WRONG = {
    "system": (["run", "snakebord"], 2, "no system named 'snakebord' in the catalogue; did you mean 'snakeboard'"),
    "no system": (["run"], 2, "which system"),
    "parameter": (["run", "snakeboard", "--set", "amplitud=1"], 2, "no parameter named 'amplitud'.*mean 'amplitude'"),
    "value": (["run", "snakeboard", "--set", "length=long"], 2, "'length' is 'long', expected a finite number above 0"),
    "two values": (["run", "snakeboard", "--set", "length=-1", "--set", "board_mass=0"], 2, "2 faults.*'length'.*'board_mass'"),
    "word": (["run", "satellite", "--set", "failed=w"], 2, "'failed' is 'w', expected one of"),
    "integer": (["run", "acm_snake", "--set", "links=2.5"], 2, "'links' is 2.5, expected an integer"),
    "not finite": (["run", "snakeboard", "--set", "length=nan"], 2, "'length' is nan, expected a finite number"),
    "no value": (["run", "snakeboard", "--set", "length"], 2, "expected NAME=VALUE; locomote info snakeboard lists"),
    "twice": (["run", "snakeboard", "--set", "length=1", "--set", "length=2"], 2, "'length' is set twice"),
    "method": (["run", "snakeboard", "--method", "rk5"], 2, "no method named 'rk5'.*did you mean 'rk4'"),
    "duration": (["run", "snakeboard", "--duration", "0"], 2, "--duration is 0, expected a number of seconds above 0"),
    "endless": (["run", "snakeboard", "--duration", "inf"], 2, "--duration is inf"),
    "step": (["run", "snakeboard", "--step", "-1"], 2, "--step is -1"),
    "every": (["run", "snakeboard", "--every", "0"], 2, "--every is 0"),
    "too many": (["run", "snakeboard", "--every", "1e-12"], 2, "GB of memory; ask for fewer samples"),
    "tolerance": (["run", "snakeboard", "--rtol", "0"], 2, "--rtol is 0, expected a number above 0"),
    "folder": (["run", "snakeboard", "--out", "taken"], 2, "taken cannot be the folder for results: it is a file; --out"),
    "below a file": (["run", "snakeboard", "--out", "taken/x"], 2, "taken/x cannot be the folder for results: .*--out"),
    "resume nothing": (["resume", "missing.h5"], 2, "missing.h5: there is no such file"),
    "resume a letter": (["resume", "taken"], 1, "this is not a run file of locomote"),
    "resume with a name": (["run", "snakeboard", "--resume", "x.h5"], 2, "leave NAME and --set out"),
    "unknown option": (["run", "snakeboard", "--fast"], 2, "No such option"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_requests(name, folder):
    arguments, code, sentence = WRONG[name]
    (folder / "taken").write_text("dear reader")
    result = call(*arguments, code=code)
    words = " ".join(result.stderr.replace("│", " ").split())
    assert re.search(sentence, words), words
    assert not result.stdout and "Traceback" not in result.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["taken"], "a wrong request leaves nothing behind"


def test_a_folder_in_place_of_the_file(folder):
    (folder / "runs" / "simple_pendulum.h5").mkdir(parents=True)
    result = call("run", "simple_pendulum", "--duration", "0.1", code=1)
    assert "simple_pendulum.h5: cannot be written: it is a folder" in result.stderr and "Traceback" not in result.stderr


ARM = """<robot name="arm"><link name="base"/><link name="upper"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="lower"><inertial>
<origin xyz="0 0 -0.5"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/>
<child link="lower"/><origin xyz="0 0 -1"/><axis xyz="0 1 0"/></joint>
</robot>"""


def test_a_model_file_runs_free_or_held(folder):
    (folder / "arm.urdf").write_text(ARM)
    result = call("run", "arm.urdf", "--duration", "0.5", "--no-plot")
    assert "free to move: no torques, no drives" in result.stdout and "audit passed" in result.stdout
    assert abs(lo.open_run("runs/arm.h5").q).max() < 1e-12  # it hangs
    call("run", "arm.urdf", "--duration", "0.5", "--no-plot", "--name", "bent", "--drive", "elbow=1.2")
    run = lo.open_run("runs/bent.h5")
    assert np.ptp(run.q[:, 1]) == 0.0 and run.q[0, 1] == 1.2 and np.ptp(run.q[:, 0]) > 0.01 and run.audit.ok
    # in the held joint acts the moment that holds the lower arm: of its weight and inertia, as rigid bodies say
    expected = lo.inverse_dynamics(run.model, run.q, run.v, run.a)[:, 1]
    assert np.allclose(run.tau[:, 1], expected, atol=1e-9)
    call("run", "arm.urdf", "--duration", "0.1", "--no-plot", "--name", "still", "--drive", "all")
    assert not lo.open_run("runs/still.h5").v.any()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--drive", "elbow"], "--drive 'elbow': expected JOINT=VALUE with a number (rad or m), or all"),
        (["--drive", "elbow=high"], "expected JOINT=VALUE with a number"),
        (["--drive", "elbw=1"], "did you mean 'elbow'"),
        (["--set", "mass=1"], "the joints of a model file are held by --drive JOINT=VALUE"),
    ],
)
def test_wrong_runs_of_a_model_file(folder, arguments, sentence):
    (folder / "arm.urdf").write_text(ARM)
    assert sentence in call("run", "arm.urdf", *arguments, code=2).stderr


def test_other_wrong_runs(folder):
    assert "leg.urdf: no such file" in call("run", "leg.urdf", code=2).stderr
    assert "locomote info snakeboard lists them" in call("run", "snakeboard", "--drive", "all", code=2).stderr


# runs that do not end well


def test_a_failed_run_keeps_what_was_computed(folder):
    arguments = ["run", "chaplygin_sleigh", "--method", "rk4", "--step", "5", "--every", "5", "--duration", "500", "--no-plot"]
    result = call(*arguments, code=1)
    grown = r"no motion meets the constraints any more at t = \S+ s \(velocities have grown to \S+: the step is too long\)"
    why = rf"a value is not finite after t = .* the motion grew without bound|{grown}"  # whichever rounding lets come first
    assert re.search(rf"error: ({why}).*; \d+ samples? (is|are) kept in runs/", result.stderr)
    assert "lies flat" not in result.stderr and "Warning" not in result.stderr
    kept = lo.open_run("runs/chaplygin_sleigh.h5")
    assert kept.info["status"] == "failed" and 0 < len(kept) < 101
    found = json.loads(call(*arguments, "--json", code=1).stdout)
    assert found["status"] == "failed" and found["message"] == kept.info["message"] and found["samples"] == len(kept)


def test_a_full_disk(folder, monkeypatch):
    """The file cannot grow: a sentence, and what was written before is safe."""

    def full(self, record):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(journal.Journal, "append", full)
        result = call("run", "simple_pendulum", "--duration", "1", "--no-plot", code=1)
    assert "the disk is full; free some space or write elsewhere" in result.stderr and "Traceback" not in result.stderr
    assert len(lo.open_run("runs/simple_pendulum.h5")) == 0


def test_a_failed_audit_is_told(folder):
    arguments = ["run", "simple_pendulum", "--duration", "2", "--every", "0.1", "--no-plot"]
    result = call(*arguments, "--method", "rk4", "--step", "0.1", code=1)
    assert "the audit failed: power balance" in result.stderr and "take a smaller --step" in result.stderr
    result = call(*arguments, "--rtol", "1e-2", "--atol", "1e-2", code=1)
    assert "tighten --rtol and --atol" in result.stderr


def pressing(at):
    """Stands in for `held_interrupts`: Ctrl-C has been pressed when the run looks for it for the `at`-th time."""
    looks = iter(range(1, 10**9))

    class Pressed:
        def __bool__(self):
            return next(looks) == at

    @contextlib.contextmanager
    def held(pause):
        yield Pressed()

    return held


LONG = ["--duration", "400", "--every", "4", "--no-plot"]


def interrupted(monkeypatch, *more):
    with monkeypatch.context() as patch:
        patch.setattr(runs, "held_interrupts", pressing(3))
        return call("run", "snakeboard", *LONG, *more, code=130)


@pytest.mark.parametrize("command", [["resume"], ["run", "--resume"]], ids=["resume", "run --resume"])
def test_interrupted_and_resumed(folder, monkeypatch, command):
    monkeypatch.setattr("locomote.runs.runner._interrupted", [-math.inf])  # the test before was a moment ago
    result = interrupted(monkeypatch)
    assert re.search(r"interrupted at t = .* samples are kept, locomote resume runs/snakeboard.h5 goes on", result.stderr)
    assert "error" not in result.stderr and "interrupted" in result.stdout
    part = lo.open_run("runs/snakeboard.h5")
    assert part.info["status"] == "interrupted" and 1 < len(part) < 101
    assert "locomote resume runs/snakeboard.h5 goes on with it" in call("info", "runs/snakeboard.h5").stdout

    text = call(*command, "runs/snakeboard.h5", "--no-plot").stdout
    assert f"going on from t = {part.t[-1]:.6g} s" in text and "101 samples, finished" in text
    whole = lo.open_run("runs/snakeboard.h5")
    call("run", "snakeboard", *LONG, "--out", "again", "--quiet")
    once = lo.open_run("again/snakeboard.h5")
    assert np.abs(whole.q - once.q).max() < 1e-12 and np.abs(whole.v - once.v).max() < 1e-12
    assert "nothing left to do" in call(*command, "runs/snakeboard.h5", "--no-plot").stdout


def test_an_interrupted_run_as_data(folder, monkeypatch):
    found = json.loads(interrupted(monkeypatch, "--json").stdout)
    assert found["status"] == "interrupted" and found["files"] == {"run": "runs/snakeboard.h5"}


def test_an_unfinished_run_is_not_written_over(folder, monkeypatch):
    interrupted(monkeypatch, "--quiet")
    part = lo.open_run("runs/snakeboard.h5")
    text = call("run", "snakeboard", "--duration", "1", "--no-plot").stdout
    assert "it is kept: locomote resume runs/snakeboard.unfinished.h5 goes on with it" in text
    assert np.array_equal(lo.open_run("runs/snakeboard.unfinished.h5").q, part.q)
    assert lo.open_run("runs/snakeboard.h5").t[-1] == 1.0


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent in another way there")
def test_ctrl_c(folder):
    """A real one, while a run goes on that would take hours."""
    arguments = ["run", "snakeboard", "--duration", "1e6", "--every", "10", "--no-plot"]
    program = [sys.executable, "-m", "locomote", *arguments]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # children of a job in the background would ignore it
    try:
        process = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    finally:
        signal.signal(signal.SIGINT, before)
    path, sizes = folder / "runs" / "snakeboard.h5", set()
    while len(sizes) < 2 and process.poll() is None:  # until it has been written to, however long that takes
        if path.exists():
            sizes.add(path.stat().st_size)
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=600)
    assert process.returncode == 130, errors
    assert "interrupted at t = " in errors and "Traceback" not in errors and "interrupted" in out
    kept = lo.open_run("runs/snakeboard.h5")
    assert kept.info["status"] == "interrupted" and len(kept) > 1 and kept.audit.ok


def test_ctrl_c_before_the_run(folder, monkeypatch):
    def pressed(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(lo.Locomotion, "simulate", pressed)
    result = call("run", "simple_pendulum", code=130)
    assert "interrupted" in result.stderr and "Traceback" not in result.stderr


def test_runs_of_one_system_stand_side_by_side(folder):
    short = ["run", "simple_pendulum", "--duration", "0.1", "--no-plot"]
    for _ in range(2):
        call(*short)
    first = (folder / "runs" / "simple_pendulum.h5").read_bytes()
    call(*short, "--name", "fast")
    assert sorted(path.name for path in (folder / "runs").glob("*.h5")) == [
        "fast.h5",
        "simple_pendulum-2.h5",
        "simple_pendulum.h5",
    ]
    assert "holds a finished run; choose another name" in call(*short, "--name", "fast", code=2).stderr
    assert "expected the name of a file" in call(*short, "--name", "../fast", code=2).stderr
    assert (folder / "runs" / "simple_pendulum.h5").read_bytes() == first


BALL = (
    '<robot name="ball"><link name="ball"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0"'
    ' iyz="0"/></inertial><collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>'
)


def test_a_robot_of_a_file_stands_on_a_floor(folder):
    (folder / "ball.urdf").write_text(BALL)
    short = ("--duration", "0.2", "--no-plot", "--base", "free")
    found = json.loads(call("run", "ball.urdf", *short, "--json").stdout)
    assert found["method"] == "timestep" if "method" in found else True
    run = lo.open_run(folder / "runs" / "ball.h5")
    assert np.allclose(run.q[:, 2], 0.1) and len(run.problem.contacts) == 1
    call("run", "ball.urdf", *short, "--drop", "0.3", "--name", "dropped", "--quiet")
    run = lo.open_run(folder / "runs" / "dropped.h5")
    assert np.isclose(run.q[0, 2], 0.4) and run.q[-1, 2] < 0.3
    call("run", "ball.urdf", *short, "--ground", "none", "--name", "falls", "--quiet")
    assert not lo.open_run(folder / "runs" / "falls.h5").problem.contacts
    for more, sentence in (
        (("--ground", "sea"), "sea"),
        (("--drop", "0.1", "--ground", "none"), "--posture and --drop"),
        (("--posture", "home"), "home"),
    ):
        assert sentence in call("run", "ball.urdf", *short, *more, code=2).stderr
    assert "collision shapes: 1 sphere, on 1 bodies: ball" in call("info", "ball.urdf").stdout


def test_warnings_are_sentences_without_the_place_in_the_code(folder):
    (folder / "arm.urdf").write_text(
        '<robot name="arm"><link name="base"/><link name="rod"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"'
        ' ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="turn" type="revolute"><parent link="base"/>'
        '<child link="rod"/><axis xyz="0 1 0"/></joint></robot>'
    )
    said = call("run", "arm.urdf", "--duration", "0.1", "--no-plot").stderr
    assert "warning: model 'arm': joints without lower and upper limit" in said
    assert "UserWarning" not in said and ".py:" not in said
