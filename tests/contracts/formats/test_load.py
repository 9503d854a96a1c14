"""Which reader a file gets, and what is said when it gets none."""

import pytest

from locomote.errors import ModelError
from locomote.formats.load import load, read

URDF = "<robot name='u'><link name='a'/></robot>"
MJCF = "<mujoco model='m'><worldbody><body name='a'><geom size='1'/></body></worldbody></mujoco>"
CSV = "# convention: modified\nname,a\nl,1\n"


@pytest.mark.parametrize(
    "name, text, expected",
    [
        ("x.urdf", URDF, "u"),
        ("x.URDF", URDF, "u"),
        ("x.xml", URDF, "u"),
        ("x.xml", MJCF, "m"),
        ("x.mjcf", MJCF, "m"),
        ("arm.csv", CSV, "arm"),
        ("arm.yaml", "convention: standard\nrows: [{a: 1}]", "arm"),
        ("arm.yml", "convention: standard\nrows: [{a: 1}]", "arm"),
    ],
)
def test_reader_by_suffix_and_root(tmp_path, name, text, expected):
    path = tmp_path / name
    path.write_text(text)
    assert read(path).name == expected
    assert read(str(path)).source == str(path)


def test_arguments_reach_the_readers(tmp_path):
    path = tmp_path / "x.xml"
    path.write_text(MJCF.replace("</body>", "<joint springdamper='1 1'/></body>"))
    with pytest.raises(ModelError, match="springdamper"):
        read(path)
    assert read(path, unsupported="warn").warnings
    with pytest.raises(ValueError, match="unsupported='ignore'"):
        read(path, unsupported="ignore")
    with pytest.raises(ValueError, match="inertia='ignore'"):
        read(path, inertia="ignore")


def test_missing_file_names_its_neighbours(tmp_path):
    (tmp_path / "anymal.urdf").write_text(URDF)
    with pytest.raises(ModelError, match="no such file; in that folder there is 'anymal.urdf'"):
        read(tmp_path / "anymall.urdf")
    with pytest.raises(ModelError, match="no such file; in that folder there is 'anymal.urdf'"):
        read(tmp_path / "anymal")
    with pytest.raises(ModelError, match="no such file; the folder .* does not exist either"):
        read(tmp_path / "gone" / "anymal.urdf")
    with pytest.raises(ModelError, match="no such file$"):
        read(tmp_path / "zzzzzzzz.csv")


def test_folder_instead_of_file(tmp_path):
    (tmp_path / "anymal.urdf").write_text(URDF)
    with pytest.raises(ModelError, match="this is a folder; give the model file itself, such as 'anymal.urdf'"):
        read(tmp_path)


@pytest.mark.parametrize(
    "name, sentence",
    [
        ("x.txt", "unknown kind of file '.txt'; expected one of .csv, .yaml, .yml, .xml, .mjcf, .*urdf"),
        ("x.usdz", "an archive of USD; unpack it"),
        ("x.srdf", "says more of a robot that a URDF file has"),
        ("x.mjb", "compiled MuJoCo model"),
        ("x.h5", "a run, not a model; open it with lo.open_run"),
        ("x", "unknown kind of file ''"),
    ],
)
def test_wrong_suffix(tmp_path, name, sentence):
    (tmp_path / name).write_text(URDF)
    with pytest.raises(ModelError, match=sentence):
        read(tmp_path / name)


@pytest.mark.parametrize(
    "path, sentence",
    [
        (URDF, "load takes the path of a file"),
        (None, "expected the path of a file, got NoneType"),
        (3, "got int"),
        ("a\0b.urdf", "cannot be read"),
        ("x" * 5000 + ".urdf", "cannot be read: File name too long"),
    ],
)
def test_not_a_path(path, sentence):
    with pytest.raises(ModelError, match=sentence):
        read(path)


def test_unreadable_file(tmp_path, monkeypatch):
    path = tmp_path / "x.urdf"
    path.write_text(URDF)

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)  # file modes do not bind the superuser, who runs tests in containers
    with pytest.raises(ModelError, match="not readable: permission denied"):
        read(path)


def test_the_base_is_chosen_when_loading(tmp_path):
    path = tmp_path / "x.urdf"
    inertial = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    path.write_text(f"<robot name='u'><link name='a'>{inertial}</link></robot>")
    assert [load(path, base=base).nv for base in (None, "fixed", "free", "planar")] == [0, 0, 6, 3]
    with pytest.raises(ModelError, match="unknown base 'floating'"):
        load(path, base="floating")


def test_a_base_that_moves_already_is_kept(tmp_path):
    path = tmp_path / "x.xml"
    path.write_text(MJCF.replace("<geom", "<freejoint/><geom"))
    assert load(path).nv == load(path, base="fixed").nv == 6
    with pytest.raises(ModelError, match="already moves by joint 'free of a'"):
        load(path, base="free")
