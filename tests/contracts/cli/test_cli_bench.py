"""`locomote bench` hands its arguments on, and says what is missing."""

import json
import sys
import types

import pytest
from typer.testing import CliRunner

from locomote.cli.main import app


@pytest.fixture
def bench(monkeypatch):
    module = types.ModuleType("locomote.bench")
    monkeypatch.setitem(sys.modules, "locomote.bench", module)
    monkeypatch.setattr("locomote.bench", module, raising=False)
    return module


def test_arguments_go_on(bench):
    got = []
    bench.main = lambda arguments: got.extend(arguments)
    result = CliRunner().invoke(app, ["bench", "--robots", "talos", "-n", "3", "--help"])
    assert result.exit_code == 0 and got == ["--robots", "talos", "-n", "3", "--help"]


def test_exit_code_goes_back(bench):
    bench.main = lambda arguments: 3
    assert CliRunner().invoke(app, ["bench"]).exit_code == 3


def test_missing_peer(bench):
    def main(arguments):
        raise ModuleNotFoundError("No module named 'pinocchio'", name="pinocchio")

    bench.main = main
    result = CliRunner().invoke(app, ["bench"])
    assert result.exit_code == 2 and "the benchmark needs pinocchio: pip install pin" in result.stderr


def test_systems_of_the_catalogue(capsys):
    """The part that needs no peer, as plain data."""
    from locomote.bench import main

    assert main(["--parts", "systems", "--systems", "simple_pendulum", "--rounds", "1", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)["systems"][0]
    assert row["system"] == "simple_pendulum" and 0.0 < row["evaluation_us"] < 1e5 and row["rk4_1ms"] > 0.0
