"""`locomote list`: every system in one line."""

import json

from typer.testing import CliRunner

import locomote as lo
from locomote.cli.main import app


def run(*arguments):
    result = CliRunner().invoke(app, ["list", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_every_system_has_a_line():
    lines = [line.split(maxsplit=1) for line in run().splitlines() if line]
    assert [line[0] for line in lines[:-1]] == lo.systems.names()
    assert all(line[1] == lo.systems.title(line[0]) for line in lines[:-1])
    assert "locomote run NAME" in " ".join(lines[-1])


def test_lines_fit_the_screen():
    assert max(map(len, run().splitlines())) <= 125


def test_json():
    assert json.loads(run("--json")) == {name: lo.systems.title(name) for name in lo.systems.names()}
