"""`locomote view`, `locomote report`, `locomote run --film`: what they do, and what a user reads when something is wrong."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request

import numpy as np
import pytest
from commands import call

import locomote as lo
from locomote.cli import view as page
from locomote.runs.optional import MissingPackage
from locomote.view import film as films
from locomote.view import page_server
from locomote.view import viewer as viewers


@pytest.fixture
def run_file(folder):
    system = lo.systems.load("simple_pendulum")
    system.problem().simulate(0.5, progress=False).save("swing.h5")
    return folder / "swing.h5"


def test_run_leaves_a_strip_a_report_and_a_film(folder):
    found = json.loads(call("run", "simple_pendulum", "--duration", "0.2", "--film", "--json").stdout)
    assert {"run", "picture", "report", "film"} == set(found["files"])
    starts = {"picture": b"\x89PNG", "report": b"<!doctype html>", "film": b"\x00\x00\x00"}
    for word, start in starts.items():
        assert open(found["files"][word], "rb").read(len(start)) == start
    text = call("run", "simple_pendulum", "--duration", "0.2").stdout
    assert "to see it move" in text and "locomote view runs/" in text


def test_report_of_a_file(run_file):
    text = call("report", "swing.h5", "--film", "swing.gif").stdout
    assert "swing.html" in text and (run_file.parent / "swing.gif").exists()
    assert json.loads(call("report", "swing.h5", "--out", "other.html", "--json").stdout) == {"report": "other.html"}


WRONG = {
    "no file": (["view", "missing.h5"], 2, "missing.h5: there is no such file"),
    "no report": (["report", "missing.h5"], 2, "missing.h5: there is no such file"),
    "no system": (["view", "snakebord"], 2, "did you mean 'snakeboard'"),
    "not a run": (["report", "letter.h5"], 1, "letter.h5"),
    "not a model": (["view", "letter.urdf"], 1, "letter.urdf"),
    "options of models": (["view", "letter.h5", "--set", "a=1"], 2, "is a run file"),
    "two models": (["view", "snakeboard", "x.h5"], 2, "only run files can be shown together"),
    "port": (["view", "simple_pendulum", "--port", "70000"], 2, "--port is 70000"),
    "address": (["view", "simple_pendulum", "--host", "203.0.113.7", "--no-browser"], 1, "cannot listen on address"),
    "suffix": (["report", "swing.h5", "--out", "x.pdf"], 1, "a report is an .html file"),
    "film": (["report", "swing.h5", "--film", "x.avi"], 1, "a film is .mp4, .gif"),
    "folder": (["report", "swing.h5", "--out", "no/where.html"], 1, "no/where.html"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_requests(name, run_file):
    arguments, code, words = WRONG[name]
    for letter in ("letter.h5", "letter.urdf"):
        (run_file.parent / letter).write_text("dear reader")
    result = call(*arguments, code=code)
    assert words in " ".join(result.stderr.split()) and "Traceback" not in result.output


def test_without_viser(run_file, monkeypatch):
    def missing(name, purpose, install):
        raise MissingPackage(f"{purpose} needs the package {name}: pip install {install}")

    monkeypatch.setattr(page, "package", missing)
    result = call("view", "swing.h5", code=2)
    assert "the viewer needs the package viser: pip install 'locomote[view]'" in result.stderr
    monkeypatch.setattr(films, "package", missing)
    result = call("run", "simple_pendulum", "--duration", "0.1")
    assert "picture           none: drawing films needs the package PIL: pip install 'locomote[view]'" in result.stdout


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the administrator may write everywhere")
def test_a_folder_that_cannot_be_written(run_file):
    run_file.parent.chmod(0o500)
    try:
        result = call("report", "swing.h5", code=1)
        assert "swing.html" in result.stderr and "Traceback" not in result.output
    finally:
        run_file.parent.chmod(0o700)


def test_no_browser_is_said(monkeypatch, capsys):
    monkeypatch.setattr(page_server.webbrowser, "open", lambda url: False)
    with lo.systems.load("simple_pendulum").model.view(port=0, wait=False) as viewer:
        assert f"no browser could be opened; open {viewer.url} in one" in capsys.readouterr().err


def test_ctrl_c_ends_it_and_nothing_is_left(run_file):
    """As a command of its own: the page is there, then Ctrl-C, exit code 0 or 130, no listener, no traceback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "locomote", "view", "swing.h5", "--no-browser", "--port", str(port)]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in the background of a shell ignore it
    )  # fmt: skip
    try:
        said = ""
        while "Ctrl-C ends it" not in said:
            line = running.stderr.readline()
            assert line, said
            said += line
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=300) as answer:
            assert answer.status == 200
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=300)
    finally:
        running.kill()
    assert running.returncode in (0, 130) and "Traceback" not in errors
    assert f"the viewer is at http://127.0.0.1:{port}/; closing the page or Ctrl-C ends it" in said
    with socket.socket() as free:
        assert free.connect_ex(("127.0.0.1", port)) != 0


def test_pages_look_from_cameras_of_a_scene(tmp_path, monkeypatch):
    """A camera on a body is where the body is at that time; the command offers it."""
    path = tmp_path / "scene.xml"
    path.write_text("""<mujoco><worldbody><geom type="plane" size="9 9 1"/>
      <camera name="wall" pos="3 0 1" xyaxes="0 1 0 0 0 1"/>
      <body name="cart" pos="0 0 1"><joint name="x" type="slide" axis="1 0 0"/><geom size="0.1"/>
      <camera name="eye" pos="0 0 0.2" fovy="60"/></body></worldbody></mujoco>""")
    scene = lo.read_scene(path)
    run = lo.load_scene(path).simulate(1.0, v=[2.0], every=0.1, progress=False)
    with viewers.view(run, port=0, wait=False, browser=False, cameras=scene.cameras) as viewer:
        start = viewer.server.initial_camera
        viewer.panel.look_from("wall")
        assert tuple(start.position) == (3.0, 0.0, 1.0) and abs(np.array(start.look_at) - [2.0, 0.0, 1.0]).max() < 1e-12
        viewer.panel.go(0.5)
        viewer.panel.look_from("eye")
        shift = viewer.panel.scenes[0][2].world.position  # the world goes along with the cart
        assert abs(np.array(start.position) - shift - [1.0, 0.0, 1.2]).max() < 1e-6 and abs(start.fov - np.pi / 3) < 1e-12
    given = {}
    monkeypatch.setattr(page, "view", lambda runs, **options: given.update(options))
    call("view", str(path), "--play", "0.1", "--no-browser")
    assert [camera.name for camera in given["cameras"]] == ["wall", "eye"]
