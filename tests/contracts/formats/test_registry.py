"""Formats are found by their folders: what each record must say, and who reads it."""

import inspect
from pathlib import Path

import pytest
from typer.testing import CliRunner

import locomote as lo
from locomote.cli.main import app
from locomote.errors import ModelError, UnknownName
from locomote.formats import registry

FORMATS = registry.formats()
ROOT = Path(__file__).parents[3]
each = pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.word)


def test_every_folder_is_a_format():
    folders = {path.parent.name for path in Path(registry.folder.__path__[0]).glob("*/__init__.py")}
    assert folders == {form.word for form in FORMATS} >= {"urdf", "mjcf", "dh"}


def test_suffixes_and_roots_are_those_of_one_format():
    for said in (registry.suffixes(), [form.root_tag for form in FORMATS if form.root_tag], [form.name for form in FORMATS]):
        assert len(set(said)) == len(said)


@each
def test_readers_and_writers_have_one_form(form):
    source, root, *options = inspect.signature(form.reader()).parameters.values()
    assert (source.name, root.name) == ("source", "root") and all(p.kind == p.KEYWORD_ONLY for p in options)
    public = inspect.signature(getattr(lo, f"read_{form.word}")).parameters
    assert [p.name for p in options] == [name for name, p in public.items() if p.kind == p.KEYWORD_ONLY]
    if form.writer is not None:
        assert list(inspect.signature(form.writer()).parameters) == ["model", "path", "unsupported", "visuals"]
        assert hasattr(lo, f"write_{form.word}") and form.users


@each
def test_load_save_help_and_docs_know_it(form):
    assert all(suffix in (lo.load.__doc__ or "") for suffix in form.suffixes)
    assert form.writer is None or all(suffix in (lo.save.__doc__ or "") for suffix in form.suffixes)
    help_text = " ".join(CliRunner().invoke(app, ["info", "--help"], env={"COLUMNS": "200"}).output.split())
    assert form.name in help_text
    commands = CliRunner().invoke(app, ["export", "--help"]).output
    assert (f" {form.word} " in commands) == (form.writer is not None)
    page = (ROOT / "docs" / "formats.md").read_text()
    assert f"read_{form.word}" in page and all(f"`{suffix}`" in page for suffix in form.suffixes)


@each
def test_readers_point_to_each_other(form):
    if not form.root_tag:
        return
    for other in FORMATS:
        if other.root_tag and other is not form:
            with pytest.raises(ModelError, match=f"this is {other.name}, not {form.name}: use read_{other.word}"):
                getattr(lo, f"read_{form.word}")(f"<{other.root_tag}/>")
    with pytest.raises(ModelError, match=f"the outermost element of {form.name} is <{form.root_tag}>"):
        getattr(lo, f"read_{form.word}")("<unheard/>")


def test_options_of_a_format_reach_its_reader(tmp_path):
    path = tmp_path / "arm.csv"
    path.write_text("name,a\nl,1\n")
    assert lo.load(path, convention="modified").name == "arm"
    with pytest.raises(UnknownName, match="no option named 'conventoin' in DH table files; did you mean 'convention'"):
        lo.load(path, conventoin="modified")
    (tmp_path / "arm.xml").write_text("<unheard/>")
    with pytest.raises(ModelError, match="the outermost element of MJCF or .*URDF is <mujoco> or .*<robot>"):
        lo.load(tmp_path / "arm.xml")


def test_options_on_the_command_line(tmp_path):
    path = tmp_path / "arm.csv"
    path.write_text("name,a,mass\nl,1,1\n")

    def command(*words):
        done = CliRunner().invoke(app, list(words))
        return done.exit_code, done.output

    assert command("info", str(path), "--option", "convention=modified")[0] == 0
    exported = str(tmp_path / "arm.urdf")
    assert command("export", "urdf", str(path), "--option", "convention=modified", "--out", exported)[0] == 0
    wrong = {"convention": "expected NAME=VALUE", "base=free": "an option of its own", "conventoin=modified": "did you mean"}
    for option, sentence in wrong.items():
        code, output = command("info", str(path), "--option", option)
        assert code == 2 and sentence in output
    assert "are for files" in command("info", "snakeboard", "--option", "model=x")[1]
