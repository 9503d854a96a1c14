"""Sweeps that cannot be done: a sentence each, and finished points are kept."""

import subprocess
import sys

import numpy as np
import pytest
import swept

import locomote as lo

GOOD = {"amplitude": [0.2, 0.5]}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: lo.sweep("snakebord", GOOD, measure="net.distance"), "did you mean 'snakeboard'"),
        (lambda: lo.sweep("snakeboard", {"amplitud": [1.0]}, measure="net.distance"), "did you mean 'amplitude'"),
        (lambda: lo.sweep("snakeboard", {"amplitude": []}, measure="net.distance"), "axis 'amplitude' has no values"),
        (lambda: lo.sweep("snakeboard", {}, measure="net.distance"), "at least one axis"),
        (lambda: lo.sweep("snakeboard", {"amplitude": [np.nan]}, measure="net.distance"), "holds NaN"),
        (lambda: lo.sweep("snakeboard", {"amplitude": [0.1, 0.1]}, measure="net.distance"), "are the same"),
        (lambda: lo.sweep("snakeboard", GOOD), "expected names such as"),
        (lambda: lo.sweep("snakeboard", GOOD, measure="net.distanc", duration=0.1), "did you mean 'net.distance'"),
        (lambda: lo.sweep("snakeboard", GOOD, measure=swept.shape, duration=0.1), "expected one number"),
        (lambda: lo.sweep("snakeboard", GOOD, measure=swept.failing, duration=0.1), "no measure today"),
        (lambda: lo.sweep("snakeboard", GOOD, measure="net.distance", duration=-1.0), "above 0"),
        (lambda: lo.sweep("snakeboard", GOOD, measure="net.distance", processes=0), "expected an integer from 1"),
        (lambda: lo.sweep("snakeboard", GOOD, measure="net.distance", keep="all"), "no folder to keep runs in"),
        (lambda: lo.sweep("snakeboard", GOOD, measure="net.distance", keep="some"), "expected one of"),
        (lambda: lo.sweep(lambda x: {"y": x}, {"x": [1.0]}, processes=2), "cannot be sent to other processes"),
        (lambda: lo.sweep(3, {"x": [1.0]}), "expected the name of a system"),
        (lambda: lo.sweep(swept.board, GOOD, measure="net.distance", duration=0.1, method="rk5"), "rk5"),
        (lambda: lo.span(0, 1, 0), "expected an integer from 1"),
        (lambda: lo.span(-1, 1, 3, log=True), "of one sign"),
        (lambda: lo.sweeps.latin_hypercube({"a": (1, 0)}, 5), "the lowest first"),
    ],
)  # fmt: skip
def test_wrong_calls(call, words):
    with pytest.raises((lo.LocomoteError, ValueError)) as error:
        call()
    assert words in str(error.value)


def test_another_sweep_in_the_folder_is_refused_with_what_differs(tmp_path):
    folder = tmp_path / "s"
    first = lo.sweep("snakeboard", GOOD, measure="net.distance", duration=0.1, folder=folder, progress=False)
    with pytest.raises(ValueError, match=r"duration is 0.1 there and 0.2 now"):
        lo.sweep("snakeboard", GOOD, measure="net.distance", duration=0.2, folder=folder, progress=False)
    with pytest.raises(ValueError, match="measure is"):
        lo.sweep("snakeboard", GOOD, measure="net.length", duration=0.1, folder=folder, progress=False)
    again = lo.sweep("snakeboard", GOOD, measure="net.distance", duration=0.1, folder=folder, progress=False)
    assert again.arrow.equals(first.arrow)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("x")
    with pytest.raises(ValueError, match="holds something else"):
        lo.sweep("snakeboard", GOOD, measure="net.distance", folder=tmp_path / "other")
    (tmp_path / "file").write_text("x")
    with pytest.raises(ValueError, match="it is a file"):
        lo.sweep("snakeboard", GOOD, measure="net.distance", folder=tmp_path / "file")


def test_two_processes_in_one_folder(tmp_path):
    from locomote.sweeps.store import Store

    with Store(tmp_path / "s", {"a": 1}), pytest.raises(ValueError, match="another process works on this sweep"):
        Store(tmp_path / "s", {"a": 1})
    with Store(tmp_path / "s", {"a": 1}):
        pass


def test_a_damaged_part_is_named(tmp_path):
    lo.sweep(swept.sometimes, {"x": [1.0]}, folder=tmp_path / "s", progress=False)
    part = next((tmp_path / "s" / "parts").iterdir())
    part.write_bytes(part.read_bytes()[:50])
    with pytest.raises(lo.FileError, match="is damaged; remove it"):
        lo.sweep(swept.sometimes, {"x": [1.0]}, folder=tmp_path / "s", progress=False)
    part.unlink()
    assert len(lo.sweep(swept.sometimes, {"x": [1.0]}, folder=tmp_path / "s", progress=False)) == 1


def test_the_command(tmp_path):
    def command(*words):
        return subprocess.run([sys.executable, "-m", "locomote", "sweep", *words], capture_output=True, text=True, cwd=tmp_path)

    words = ["snakeboard", "--set", "amplitude=0.2:0.6:3", "--set", "rotor_amplitude=0.4", "--measure",
    "net.distance,work.drives",
             "--duration", "0.5", "--out", "out"]  # fmt: skip
    done = command(*words)
    assert done.returncode == 0, done.stderr
    assert "sweep of 3 points" in done.stdout and "most net.distance" in done.stdout
    assert (tmp_path / "out" / "table.parquet").exists()
    assert command(*words).stdout == done.stdout
    wrong = command("snakeboard", "--set", "amplitude=0.2:0.6", "--out", "x")
    assert wrong.returncode == 2 and "FIRST:LAST:COUNT" in wrong.stderr
    script = command(*words, "--slurm", "job.sh", "--tasks", "8")
    text = (tmp_path / "job.sh").read_text()
    assert script.returncode == 0 and "--ntasks=8" in text and "locomote sweep snakeboard" in text and "--slurm" not in text
