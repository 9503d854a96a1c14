"""The cheat sheet: its lines run, its commands are there, the PDF has one page and says the same."""

import sys

from places import DOCS

sys.path.insert(0, str(DOCS))
import make_cheat_sheet as sheet


def test_its_lines_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict = {}
    exec(compile(sheet.program(), "cheat sheet", "exec"), namespace)
    assert namespace["run"].audit.ok and (tmp_path / "run.html").exists() and len(namespace["table"]) == 2


def test_its_commands_are_there():
    from locomote.cli.main import COMMANDS

    words = [line.split()[2] for part in sheet.SHEET for line in sheet.lines(part) if line.startswith("$")]
    assert len(words) > 3 and set(words) <= set(COMMANDS)


def test_the_page_is_one_and_fresh():
    data = sheet.PATH.read_bytes()
    assert data.count(b"/Type /Page ") + data.count(b"/Type /Page\n") == 1
    assert sheet.digest().encode() in data, "python docs/make_cheat_sheet.py draws it anew"
    assert len(data) < 300_000


def test_nothing_runs_over_the_edge():
    """Two columns of so many letters and lines are what A4 has room for."""
    halves = list(sheet.SHEET)[:4], list(sheet.SHEET)[4:]
    assert all(len(line) <= 66 for part in sheet.SHEET for line in sheet.lines(part))
    assert all(sum(1.75 + len(sheet.lines(part)) for part in half) <= 42 for half in halves)
