"""`locomote doctor`: what it finds, and that clearing the cache deletes nothing else."""

import json
import tomllib

from places import ROOT
from typer.testing import CliRunner

from locomote.cli import doctor
from locomote.cli.main import app
from locomote.compiler.cache import kernel_folder

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def run(*arguments, code=0):
    result = CliRunner().invoke(app, ["doctor", *arguments])
    assert result.exit_code == code, result.output
    return result.stdout


def package(requirement):
    return requirement.partition(">")[0].partition("[")[0]


def test_versions_and_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LOCOMOTE_CACHE_DIR", str(tmp_path / "cache"))
    found = json.loads(run("--json"))
    assert found["packages"]["numba"] and found["problems"] == []
    assert found["processor"]["lanes"] in (4, 8)
    assert found["cache"] == {
        "folder": str(tmp_path / "cache"), "writable": True, "own": True, "kernels": 0, "specialised": 0, "bytes": 0,
        "stale_bytes": 0,
    }  # fmt: skip
    assert "all that is needed is here" in run()


def test_a_missing_package_is_a_problem(monkeypatch):
    real = doctor.version
    monkeypatch.setattr(doctor, "version", lambda name: None if name in ("h5py", "matplotlib") else real(name))
    text = run(code=1)
    assert "h5py is not installed: pip install h5py" in text and "pip install 'locomote[view]'" in text


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LOCOMOTE_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert "set LOCOMOTE_CACHE_DIR to one that can" in run()


def test_clear_cache_spares_the_rest(tmp_path, monkeypatch):
    monkeypatch.setenv("LOCOMOTE_CACHE_DIR", str(tmp_path))
    ours, old, theirs = kernel_folder(), tmp_path / "0123456789abcdef", tmp_path / "photos"
    for folder in (ours, old, theirs):
        folder.mkdir()
        (folder / "k.kernel").write_bytes(b"12345")
    (old / "letter.txt").write_text("keep me")
    assert json.loads(run("--json"))["cache"]["stale_bytes"] == 5
    assert json.loads(run("--clear-cache", "--json"))["cleared_bytes"] == 10
    assert not ours.exists() and (theirs / "k.kernel").exists() and (old / "letter.txt").exists()


def test_packages_are_those_of_the_project():
    assert {package(r) for r in PROJECT["dependencies"]} <= set(doctor.CORE)
    extras = {name: tuple(package(r) for r in needed) for name, needed in PROJECT["optional-dependencies"].items()}
    assert extras == {name: needed for name, (needed, _) in doctor.EXTRAS.items()}


def test_everything_usual_is_compiled_ahead():
    """What is in the list, tests/contracts/test_needed.py looks at."""
    from locomote import needed
    from locomote.methods.registry import METHODS

    done = doctor.compile_all()
    assert done["methods"] == list(METHODS) and done["kernels"] == len(needed.usual())
    assert all(x.signature in x.kernel.overloads for x in needed.usual())
