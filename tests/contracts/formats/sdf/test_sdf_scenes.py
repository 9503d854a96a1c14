"""Worlds of SDF as problems: what stands still is the world, the rest starts where the file puts it."""

import numpy as np
import pytest

import locomote as lo

MASS = "<inertial><mass>2</mass><inertia><ixx>0.02</ixx><iyy>0.02</iyy><izz>0.02</izz></inertia></inertial>"
FLOOR = (
    "<model name='floor'><static>true</static><link name='l'><collision name='c'>"
    "<geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>"
)

JOINT = "<joint name='j' type='fixed'><parent>a::l</parent><child>b::l</child></joint>"


def box(name, pose, friction=None, more=""):
    surface = "" if friction is None else f"<surface><friction><ode><mu>{friction}</mu></ode></friction></surface>"
    geometry = "<geometry><box><size>0.2 0.2 0.2</size></box></geometry>"
    collision = f"<collision name='{name} shape'>{geometry}{surface}</collision>"
    return f"<model name='{name}'><pose>{pose}</pose>{more}<link name='l'>{MASS}{collision}</link></model>"


def world(*models, gravity="0 0 -9.81"):
    return f"<sdf version='1.9'><world name='w'><gravity>{gravity}</gravity>{''.join(models)}</world></sdf>"


def written(tmp_path, text):
    path = tmp_path / "w.sdf"
    path.write_text(text)
    return path


def test_a_box_slides_with_the_smaller_friction(tmp_path):
    """x'' = g sin a - mu g cos a, by hand; the floor's mu is 1 and would hold it."""
    g, tilt, mu = 9.81, np.deg2rad(25.0), 0.2
    text = world(FLOOR, box("a", "0 0 0.1 0 0 0", mu), gravity=f"{g * np.sin(tilt)} 0 {-g * np.cos(tilt)}")
    problem = lo.load_scene(written(tmp_path, text))
    assert problem.model.body_names == ("l",)  # of the only model that moves
    assert problem.start[0] == pytest.approx([0, 0, 0.1, 0, 0, 0, 1])
    run = problem.simulate(1.0, step=1e-3)
    assert run.audit.ok
    assert run.q[-1, 0] == pytest.approx(0.5 * g * (np.sin(tilt) - mu * np.cos(tilt)), rel=1e-6)


def test_boxes_lie_on_each_other_where_the_file_puts_them(tmp_path):
    text = world(FLOOR, box("low", "1 2 0.1 0 0 0.5"), box("high", "1 2 0.3 0 0 0.1"))
    problem = lo.load_scene(written(tmp_path, text))
    assert problem.model.body_names == ("low::l", "high::l")
    assert problem.model.joint_names == ("base of low::l", "base of high::l")
    run = problem.simulate(0.5)
    assert run.audit.ok
    moved = problem.model.difference(run.q[0], run.q[-1])
    assert abs(moved).max() < 1e-9
    assert run.contact_forces[-1].sum(axis=0) == pytest.approx([0, 0, 2 * 2 * 9.81 + 2 * 9.81], abs=1e-6)


@pytest.mark.filterwarnings("error")
def test_what_starts_inside_is_put_clear(tmp_path):
    """Boxes of one mass, the upper one 4 mm inside: the least motion that clears it moves only that one, straight up."""
    path = written(tmp_path, world(FLOOR, box("low", "0 0 0.1 0 0 0"), box("high", "0.02 0.01 0.296 0 0 0.1")))
    with pytest.warns(UserWarning, match="starts with 'bodies.*' 0.004 m inside what it touches: it is put clear"):
        problem = lo.load_scene(path)
    assert problem.start[0][:3] == pytest.approx([0, 0, 0.1], abs=1e-8)
    assert problem.start[0][7:10] == pytest.approx([0.02, 0.01, 0.3], abs=1e-8)
    assert problem.simulate(0.2).audit.ok


def test_an_audit_says_that_a_start_was_inside(tmp_path):
    problem = lo.load_scene(written(tmp_path, world(FLOOR, box("a", "0 0 0.1 0 0 0"))))
    audit = problem.simulate(0.1, q=[0, 0, 0.09, 0, 0, 0, 1]).audit
    assert not audit.ok and "starts 0.01 m inside what it touches" in str(audit)


def test_what_stands_still_is_the_world(tmp_path):
    wall = box("wall", "0.7 0 0.1 0 0 0", more="<static>true</static>")
    text = world(FLOOR, wall, box("a", "0 0 0.1 0 0 0", 0.0))
    scene = lo.read_scene(text)
    assert [floor.friction for floor in scene.floors] == [1.0] and [x.shape for x in scene.walls] == ["box"]
    assert scene.walls[0].placement[:3, 3] == pytest.approx([0.7, 0, 0.1])
    problem = lo.load_scene(written(tmp_path, text))
    v = np.zeros(problem.model.nv)
    v[0] = 2.0
    run = problem.simulate(0.6, v=v)
    assert run.audit.ok
    assert run.q[:, 0].max() == pytest.approx(0.5, abs=5e-3)  # where its face meets that of the wall


def test_links_of_a_model_touch_each_other_if_it_says_so(tmp_path):
    def model(more):
        links = "".join(
            f"<link name='{name}'><pose>0 0 {z} 0 0 0</pose>{MASS}<collision name='{name}'><geometry><sphere>"
            f"<radius>0.1</radius></sphere></geometry></collision></link>"
            for name, z in (("low", 0.1), ("high", 0.4))
        )
        slide = "<joint name='j' type='prismatic'><parent>low</parent><child>high</child><axis><xyz>0 0 1</xyz></axis></joint>"
        between = "<link name='mid'><pose>0 0 0.2 0 0 0</pose>" + MASS + "</link>"
        first = slide.replace("'j'", "'k'").replace("<child>high", "<child>mid")
        second = slide.replace("<parent>low", "<parent>mid")
        return f"<model name='m'>{more}{links}{between}{first}{second}</model>"

    for more, count in (("", 0), ("<self_collide>true</self_collide>", 1)):
        contacts = lo.load_scene(written(tmp_path, world(FLOOR, model(more)))).contacts
        assert sum(isinstance(contact, lo.BodyContacts) for contact in contacts) == count


def test_a_chosen_model_has_the_world_around_it(tmp_path):
    path = written(tmp_path, world(FLOOR, box("a", "0 0 0.5 0 0 0"), box("b", "1 0 0.1 0 0 0")))
    problem = lo.load_scene(path, model="b")
    assert problem.model.nv == 6 and problem.start[0][0] == 1.0 and len(problem.contacts) == 1
    with pytest.raises(lo.ModelError, match="there is no model 'c'; the file has 'floor' \\(static\\), 'a', 'b'"):
        lo.load_scene(path, model="c")


@pytest.mark.parametrize(
    "text, sentence",
    [
        (world(box("a", "0 0 1 0 0 0"), box("a", "0 0 2 0 0 0")), "the name 'a' is taken by the model in line 1"),
        (world(FLOOR), "the file has no <model> that moves"),
        (world("<include><uri>model://gone</uri></include>"), "no folder to find it in"),
        (world(JOINT, box("a", "0 0 1 0 0 0")), "a joint of the world"),
    ],
)  # fmt: skip
def test_what_is_wrong(text, sentence):
    with pytest.raises(lo.ModelError, match=sentence):
        lo.read_scene(text)


def test_shapes_that_are_to_bounce_are_named():
    bounce = "<surface><bounce><restitution_coefficient>0.5</restitution_coefficient></bounce></surface>"
    scene = lo.read_scene(world(FLOOR, box("a", "0 0 1 0 0 0").replace("</geometry>", "</geometry>" + bounce)))
    assert any("bounce (restitution_coefficient)" in sentence for sentence in scene.description.warnings)


def test_a_world_runs_from_the_command_line(tmp_path):
    from typer.testing import CliRunner

    from locomote.cli.main import app

    path = written(tmp_path, world(FLOOR, box("a", "0 0 0.3 0 0 0")))
    result = CliRunner().invoke(app, ["run", str(path), "--duration", "0.5", "--json", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
