"""Where meshes are looked for, in which order, and what is said when they are missing."""

import pytest

import locomote as lo
from locomote.formats.urdf.reader import read_urdf

SHAPE = '<geometry><mesh filename="{}" scale="2 2 2"/></geometry>'
TEXT = f'<robot name="r"><link name="a"><visual>{SHAPE}</visual></link></robot>'


def put(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mesh")
    return str(path)


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)
    return tmp_path


def mesh_of(folder, name, **options):
    (folder / "robot.urdf").write_text(TEXT.format(name))
    description = read_urdf(folder / "robot.urdf", **options)
    (visual,) = description.bodies[0].visuals
    return visual.file, description.warnings


def test_every_place_in_its_order(place, monkeypatch):
    package = place / "ws" / "src" / "legged"
    folder = package / "urdf"
    put(package / "package.xml")
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"{place / 'nowhere'}:{place / 'ros'}")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(place / "ament"))
    # from the last place that is tried to the first: every new file must win over those before
    for path in (
        place / "ament" / "share" / "legged" / "meshes" / "a.stl",
        place / "ros" / "legged" / "meshes" / "a.stl",
        place / "ws" / "src" / "legged" / "meshes" / "a.stl",
        folder / "meshes" / "a.stl",
        place / "given" / "legged" / "meshes" / "a.stl",
    ):
        put(path)
        folder.mkdir(exist_ok=True)
        file, warnings = mesh_of(folder, "package://legged/meshes/a.stl", package_dirs=[place / "given"])
        assert (file, warnings) == (str(path), ())


def test_package_next_to_the_file(place):
    expected = put(place / "arm_description" / "meshes" / "a.stl")
    (place / "robots").mkdir()
    assert mesh_of(place / "robots", "package://arm_description/meshes/a.stl") == (expected, ())


def test_package_dir_that_is_the_package(place):
    expected = put(place / "elsewhere" / "arm" / "a.stl")
    (place / "robots").mkdir()
    assert mesh_of(place / "robots", "package://arm/a.stl", package_dirs=place / "elsewhere" / "arm")[0] == expected


def test_package_dir_inside_the_package(place):
    expected = put(place / "elsewhere" / "arm" / "a.stl")
    (place / "elsewhere" / "arm" / "robots").mkdir()
    (place / "robots").mkdir()
    given = place / "elsewhere" / "arm" / "robots"
    assert mesh_of(place / "robots", "package://arm/a.stl", package_dirs=given)[0] == expected


def test_robots_whose_packages_are_not_there_say_which(place):
    text = """
<robot name="r"> <link name="a">
  <inertial> <mass value="1"/> <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/> </inertial>
  <collision> <geometry> <mesh filename="package://arm/a.stl"/> </geometry> </collision> </link> </robot>"""
    robot = lo.Model(lo.read_urdf(text).with_base("free"))
    with pytest.raises(ValueError, match="give the folder that holds the package 'arm' by package_dirs"):
        lo.on_ground(robot)


def test_relative_absolute_and_file_urls(place):
    expected = put(place / "meshes" / "my part.stl")
    for name in ("meshes/my part.stl", expected, f"file://{expected}", "file://" + expected.replace(" ", "%20")):
        assert mesh_of(place, name) == (expected, ())


def test_missing_meshes_are_one_warning_that_names_the_places(place):
    name = "package://gone/a.stl"
    file, warnings = mesh_of(place, name, package_dirs=[place / "given"])
    assert file == name
    (warning,) = warnings
    assert "1 of 1 mesh files were not found" in warning
    assert str(place / "given" / "gone" / "a.stl") in warning and str(place / "a.stl") in warning
    assert "package_dirs" in warning


def test_nothing_is_fetched(place):
    _, (warning,) = mesh_of(place, "https://example.org/a.stl")
    assert "no folder to look in" in warning


def test_text_has_no_folder():
    description = read_urdf(TEXT.format("a.stl"))
    assert "not found" in description.warnings[0]
    assert description.bodies[0].visuals[0].file == "a.stl"
