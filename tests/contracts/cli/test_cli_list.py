"""`locomote list`: every system in one line, by what it is."""

import json

from typer.testing import CliRunner

import locomote as lo
from locomote.cli.main import app
from locomote.systems import catalogue


def run(*arguments):
    result = CliRunner().invoke(app, ["list", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_every_system_has_a_line_in_its_group():
    lines = run().splitlines()
    shown = {line.split()[0]: line.split(maxsplit=1)[1] for line in lines if line.startswith("  ")}
    assert shown == {name: lo.systems.title(name) for name in lo.systems.names()}
    assert [line for line in lines if line and not line.startswith("  ")][:-1] == list(catalogue.groups())
    assert "locomote run NAME" in lines[-1]


def test_groups_hold_every_system_once():
    listed = [name for names in catalogue.groups().values() for name in names]
    assert sorted(listed) == sorted(lo.systems.names())


def test_find():
    found = run("--find", "Bicycle")
    assert "whipple_bicycle" in found and "fish" not in found
    assert "  fish " in run("--find", "swim") and "hovering_moth" in run("--find", "fly"), "by what they do, too"
    assert set(catalogue.ALSO) <= set(catalogue.groups())
    nothing = CliRunner().invoke(app, ["list", "--find", "submarine"])
    assert nothing.exit_code != 0 and "no system has the word 'submarine'" in nothing.output


def test_lines_fit_the_screen():
    assert max(map(len, run().splitlines())) <= 125


def test_json():
    assert json.loads(run("--json")) == {name: lo.systems.title(name) for name in lo.systems.names()}
