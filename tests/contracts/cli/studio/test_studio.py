"""The studio over real sockets: who may ask, what is refused, and what a hostile file cannot reach."""

import http.client
import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest

import locomote as lo
from locomote.cli.studio import forms
from locomote.cli.studio.server import Studio
from locomote.systems import catalogue

ARM = """<robot name="arm"><link name="base"/><link name="rod">{visual}<inertial><mass value="1"/><origin xyz="0 0 -0.5"/>
<inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
<origin rpy="0 1 0"/></joint></robot>"""
SECRET = "0.123456789"
STL = "solid s\n" + "".join(
    f"facet normal 0 0 1\nouter loop\nvertex {SECRET} 0 0\nvertex 1 {k} 0\nvertex 0 1 {k}\nendloop\nendfacet\n"
    for k in range(4)
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    above = tmp_path_factory.mktemp("above")
    (above / "secret.stl").write_text(STL + "endsolid s\n")
    (above / "other.urdf").write_text(ARM.format(visual=""))
    own = above / "own"
    own.mkdir()
    (own / "arm.urdf").write_text(ARM.format(visual=""))
    (own / "link.urdf").symlink_to(above / "other.urdf")
    return own


@pytest.fixture(scope="module")
def studio(folder):
    with Studio(folder) as running:
        running.come("a test's tab")
        running.come("another tab")
        yield running


def asked(studio, path, body=None, tab="a test's tab", token=None, **headers):
    """Status and answer of a request as the page sends it, with other headers if given; None leaves one out."""
    own = {"Host": f"127.0.0.1:{studio.port}", "Origin": f"http://127.0.0.1:{studio.port}"}
    own |= {"Content-Type": "application/json"} if body is not None else {}
    own = {key: value for key, value in (own | headers).items() if value is not None}
    token = studio.gate.secret if token is None else token
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=300)
    query = "&".join([f"token={token}", f"tab={tab.replace(' ', '%20')}"])
    connection.request("GET" if body is None else "POST", f"{path}{'&' if '?' in path else '?'}{query}", headers=own,
                       body=None if body is None else json.dumps(body))  # fmt: skip
    reply = connection.getresponse()
    text = reply.read()
    connection.close()
    kind = reply.headers.get_content_type()
    return reply.status, json.loads(text) if kind == "application/json" else text


def run_of(studio, what, values=None, tab="a test's tab"):
    """The job of a run, when it has ended."""
    status, form = asked(studio, "/look", what, tab)
    assert status == 200, form
    _, job = asked(studio, "/run", {"looked": form["looked"], "values": values or {}}, tab)
    end = time.monotonic() + 300
    while job["state"] in ("waiting", "running") and time.monotonic() < end:
        time.sleep(0.05)
        job = asked(studio, f"/job?job={job['job']}", tab=tab)[1]
    return job


STRANGERS = {
    "no token": {"token": ""},
    "wrong token": {"token": "x" * 24},
    "a name that points here": {"Host": "evil.example:80"},
    "a page of another site": {"Origin": "https://evil.example"},
    "a page of another port": {"Origin": "http://127.0.0.1:9"},
    "a sandboxed page": {"Origin": "null"},
    "a script tag elsewhere": {"Origin": None, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
}


@pytest.mark.parametrize("who", STRANGERS)
def test_strangers_get_nothing(studio, who):
    for path, body in (("/", None), ("/catalogue", None), ("/picture?name=fish", None), ("/here", None), ("/run", {})):
        status, text = asked(studio, path, body, **STRANGERS[who])
        assert status == 403 and len(text) < 100, path
        assert studio.gate.secret.encode() not in text


def test_what_changes_something_needs_json_of_the_own_page(studio):
    for headers in ({"Origin": None}, {"Content-Type": "text/plain"}, {"Content-Type": "application/x-www-form-urlencoded"}):
        assert asked(studio, "/look", {"system": "snakeboard"}, **headers)[0] == 403
    assert asked(studio, "/look", {"system": "snakeboard"}, tab="nobody's tab")[0] == 400
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=300)
    head = {"Origin": f"http://127.0.0.1:{studio.port}", "Content-Type": "application/json", "Content-Length": "9" * 12}
    connection.request("POST", f"/look?token={studio.gate.secret}&tab=another%20tab", headers=head)
    assert connection.getresponse().status == 403


def test_it_listens_on_the_local_address_only(folder):
    with pytest.raises(lo.LocomoteError, match="local address only"):
        Studio(folder, host="0.0.0.0")


def test_every_system_has_a_form_and_a_picture(studio):
    for name in catalogue.names():
        for p in catalogue.parameters(name):
            made = forms.field(p)
            if made["kind"] == "number":
                assert made["low"] < made["high"] and made["low"] <= p.default <= made["high"], (name, p.name)
        assert asked(studio, f"/picture?name={name}")[1][:4] == b"RIFF", name


def test_a_run_is_that_of_python(studio, folder):
    job = run_of(studio, {"system": "snakeboard"}, {"rotor_amplitude": 1.1, "duration": 3.0})
    assert job["state"] == "done" and job["share"] == 1.0
    found = asked(studio, f"/result?job={job['job']}")[1]
    assert found["audit"]["ok"] and "All " in found["verdict"] and found["scene"]["bodies"][0] == "board"
    files = {kind: asked(studio, "/save", {"job": job["job"], "kind": kind})[1]["file"] for kind in ("report", "python", "run")}
    assert (folder / files["report"]).read_text().startswith("<!doctype html>")
    kept = lo.open_run(folder / files["run"])
    own = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, folder / files["python"]], cwd=folder, env=os.environ | own, capture_output=True)
    assert done.returncode == 0, done.stderr
    again = lo.open_run(folder / "snakeboard.h5")
    np.testing.assert_array_equal(kept.q, again.q)
    assert kept.q[-1, -1] != 0 and kept.t[-1] == 3.0
    second = asked(studio, "/save", {"job": job["job"], "kind": "report"})[1]["file"]
    assert second != files["report"]  # nothing is written over
    assert asked(studio, f"/result?job={job['job']}", tab="another tab")[0] == 400  # of others


@pytest.mark.parametrize(
    "values, words",
    [
        ({"board_mass": -1}, "board_mass"),
        ({"board_mass": "heavy"}, "board_mass"),
        ({"board_mass": None}, "board_mass"),
        ({"duration": 0}, "duration"),
        ({"duration": 1e9}, "duration"),
        ({"no_such": 1}, "no_such"),
        ({"length": 1e308}, ""),
    ],
)
def test_wrong_values_are_refused_in_words(studio, values, words):
    job = run_of(studio, {"system": "snakeboard"}, values)
    assert job["state"] == "refused" and words in job["message"] and "Traceback" not in job["message"]


def test_odd_requests_are_refused_in_words(studio):
    for path, body in (
        ("/look", {"system": "no_such"}), ("/look", {}), ("/look", []), ("/look", {"file": 3}), ("/look", {"file": "a\0.urdf"}),
        ("/look", {"dropped": "a.urdf"}), ("/look", {"dropped": "a.exe", "text": ""}), ("/run", {"looked": "x"}), ("/run", {}),
        ("/save", {"job": 10**9, "kind": "report"}), ("/stop", {"job": None}), ("/nothing", {}),
    ):  # fmt: skip
        status, answer = asked(studio, path, body)
        assert status == 400 and answer["refused"], (path, body)


def test_a_run_can_be_stopped_and_goes_with_its_tab(studio):
    studio.come("a third tab")
    form = asked(studio, "/look", {"system": "chain"}, "a third tab")[1]
    ask = {"looked": form["looked"], "values": {"duration": 600.0}}
    job = asked(studio, "/run", ask, "a third tab")[1]["job"]
    assert asked(studio, "/stop", {"job": job}, "a third tab")[1]["state"] == "stopped"
    other = studio.jobs.of("a third tab", asked(studio, "/run", ask, "a third tab")[1]["job"])
    studio.go("a third tab")
    assert other.state == "stopped" and not other.place.exists()
    assert run_of(studio, {"system": "simple_pendulum"}, {"duration": 0.1})["state"] == "done"  # others go on


# files of others


def test_files_of_the_folder_only(studio, folder):
    listed = asked(studio, "/catalogue")[1]["files"]
    assert "arm.urdf" in listed
    for name in ("../other.urdf", "link.urdf", str(folder.parent / "other.urdf"), "no.urdf", "arm.urdf/../../other.urdf"):
        status, answer = asked(studio, "/look", {"file": name})
        assert status == 400 and "no file" in answer["refused"], name
    job = run_of(studio, {"file": "arm.urdf"}, {"rod.mass": 2.0, "duration": 0.5})
    assert job["state"] == "done"
    python = asked(studio, f"/result?job={job['job']}")[1]["python"]
    assert "lo.load('arm.urdf'" in python and "'rod.mass': 2.0" in python


def hostile(path):
    return ARM.format(visual=f'<visual><geometry><mesh filename="{path}"/></geometry></visual>')


@pytest.mark.parametrize("kind", ["file", "absolute", "above", "http", "device"])
def test_a_hostile_model_reads_nothing_outside(studio, folder, kind):
    """A mesh outside of the folder is said to be unreadable; none of its numbers reaches the page."""
    secret = (folder.parent / "secret.stl").resolve()
    path = {"file": f"file://{secret}", "absolute": str(secret), "above": "../../own/../secret.stl",
            "http": f"http://127.0.0.1:{studio.port}/secret.stl", "device": "/dev/zero"}[kind]  # fmt: skip
    job = run_of(studio, {"dropped": "bad.urdf", "text": hostile(path)}, {"duration": 0.1})
    if job["state"] == "done":
        found = asked(studio, f"/result?job={job['job']}")[1]
        assert not [p for p in found["scene"]["pieces"] if p["name"].endswith(".stl")]
        assert SECRET not in json.dumps(found) and all(len(p["v"]) != 4 * 18 for p in found["scene"]["pieces"])
        assert found["missing"]
    else:
        assert job["message"]


def test_entities_and_huge_files_are_refused(studio):
    laughs = "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'>" + "".join(
        f"<!ENTITY {x} '{f'&{y};' * 10}'>" for x, y in zip("bcdefghi", "abcdefgh", strict=True)
    )
    outside = '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><robot name="&a;"><link name="l"/></robot>'
    for text in (laughs + "]><robot name='&i;'><link name='l'/></robot>", outside, "<robot", ""):
        status, answer = asked(studio, "/look", {"dropped": "bad.urdf", "text": text})
        assert status == 400 and "root:" not in answer["refused"]


def test_the_fence_holds_where_readers_would_not():
    program = """
import os, sys, socket, subprocess
from pathlib import Path
from locomote.cli.studio.fence import fenced
inside, outside = Path(sys.argv[1]), sys.argv[2]
(inside / "a").write_text("mine")
os.symlink(outside, inside / "b")
def refused(call):
    try:
        call()
    except PermissionError:
        return
    raise SystemExit("not refused")
with fenced(inside):
    assert open(inside / "a").read() == "mine"
    for call in (lambda: open(outside), lambda: open(inside / "b"), lambda: os.system("true"), lambda: subprocess.run(["true"]),
                 lambda: open(outside + "2", "w"), lambda: socket.create_connection(("127.0.0.1", 9))):
        refused(call)
assert open(outside).read()
print("held")
"""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "own").mkdir()
        (Path(name) / "outside").write_text("secret")
        done = subprocess.run([sys.executable, "-c", program, f"{name}/own", f"{name}/outside"], capture_output=True, text=True,
                              env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})  # fmt: skip
        assert done.stdout == "held\n", done.stderr
        assert not (Path(name) / "outside2").exists()


def test_nothing_is_left_when_it_closes(folder):
    with Studio(folder) as running:
        home, processes = running.jobs.home, list(running.jobs._threads)
        assert home.exists()
    assert not home.exists() and not any(t.is_alive() for t in processes)
    with pytest.raises(OSError):
        http.client.HTTPConnection("127.0.0.1", running.port, timeout=5).request("GET", "/")
