"""`locomote run` of several, and `locomote report` of a folder."""

import json

from commands import call

import locomote as lo


def test_several_go_on_when_one_fails(tmp_path):
    model = lo.systems.load("simple_pendulum").model
    lo.save(model, tmp_path / "good.urdf")
    (tmp_path / "bad.urdf").write_text("<robot")
    files = [str(tmp_path / name) for name in ("bad.urdf", "good.urdf")]
    done = call(
        "run", *files, "simple_pendulum", "--duration", "0.1", "--out", str(tmp_path / "runs"), "--no-plot", "--json", code=1
    )
    found = json.loads(done.stdout)["runs"]
    assert "not well-formed" in found[files[0]]["error"] and "1 of 3 runs failed" in done.stderr
    assert found[files[1]]["audit"]["passed"] and found["simple_pendulum"]["samples"] > 1
    refused = call("run", *files, "--name", "one", code=2)
    assert "is for one run" in refused.stderr


def test_a_page_about_a_folder(tmp_path):
    run = lo.systems.load("snakeboard").problem().simulate(0.5, every=0.1, progress=False)
    (tmp_path / "deep").mkdir()
    run.save(tmp_path / "deep" / "board.h5")
    (tmp_path / "none.h5").write_text("this is <b>no</b> run")
    done = call("report", str(tmp_path), "--json")
    assert json.loads(done.stdout) == {"index": str(tmp_path / "index.html")}
    page = (tmp_path / "index.html").read_text()
    assert 'href="deep/board.html"' in page and 'src="deep/board.png"' in page and "good" in page and "2 runs" in page
    assert "<b>" not in page and (tmp_path / "deep" / "board.png").read_bytes()[1:4] == b"PNG"
    before = (tmp_path / "deep" / "board.html").stat().st_mtime_ns
    call("report", tmp_path)
    assert (tmp_path / "deep" / "board.html").stat().st_mtime_ns == before


def test_wrong_folders(tmp_path):
    assert "are for a run file" in call("report", tmp_path, "--film", "a.mp4", code=2).stderr
    assert "holds no run file" in call("report", tmp_path, code=1).stderr
