"""Reports: one small file, offline, with the numbers of the run."""

import base64
import json
import re
from dataclasses import replace

import numpy as np
import pytest

import locomote as lo
from locomote.runs.asked import apart
from locomote.runs.files.files import RunFileError


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])


def numbers(text, kind="<f4"):
    return np.frombuffer(base64.b64decode(text), dtype=kind).astype(float)


@pytest.fixture(scope="module")
def run():
    system = lo.systems.load("snakeboard", amplitude=0.6)
    q, v = system.initial
    return system.problem().simulate(20.0, q=q, v=v, progress=False)


@pytest.fixture(scope="module")
def page(run, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "run.html"
    _ = apart(run).joint_wrenches  # so that nothing has to be compiled for the report
    run.report(path)
    assert path.stat().st_size < 5e6
    return path.read_text(encoding="utf-8")


def test_it_says_what_ran_and_how_to_repeat_it(run, page):
    for words in ("a board on two steered axles", "mixed: 3 unknown velocities", "board moved", "audit passed",
                  "amplitude of the steering",
                  "locomote run snakeboard --duration 20", "--set amplitude=0.6", f"locomote {lo.__version__}"):  # fmt: skip
        assert words in page, words


def test_nothing_is_fetched(page):
    assert "default-src 'none'" in page
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", page) and "https://" not in page.replace(
        "https://www.w3.org", ""
    )


def test_poses_are_those_of_the_run(run, page):
    """Places and turns of all bodies, against forward kinematics at the times of the page."""
    scene = data_of(page)["scene"]
    t = numbers(scene["t"])
    bodies = len(scene["bodies"])
    places = numbers(scene["positions"]).reshape(len(t), bodies, 3)
    x, y, z, w = np.moveaxis(numbers(scene["turns"], "<i2").reshape(len(t), bodies, 4) / 32767, 2, 0)
    row = len(t) // 3
    poses = lo.forward_kinematics(run.model, run.at(float(np.linspace(0, 20.0, len(t))[row])).q)
    assert np.allclose(places[row], poses[:, :3, 3], atol=1e-6)
    assert np.allclose(1 - 2 * (y**2 + z**2)[row], poses[:, 0, 0], atol=2e-4)
    assert np.allclose(2 * (x * y + w * z)[row], poses[:, 1, 0], atol=2e-4)


def test_curves_are_those_of_the_run(run, page):
    curves = data_of(page)["curves"]
    series = {s["name"]: s for panel in curves["panels"] for s in panel["series"]}
    assert np.allclose(numbers(curves["t"]), run.t, atol=1e-5)
    for name in ("net.x", "rotor.torque", "front.side", "energy.kinetic"):
        assert np.allclose(numbers(series[name]["y"]), run[name], rtol=1e-6, atol=1e-12), name
    assert {panel["unit"] for panel in curves["panels"]} >= {"m", "rad", "N", "N m", "J"}


def test_peaks_of_a_long_run_are_kept(tmp_path):
    problem = lo.systems.load("simple_pendulum").problem()
    run = problem.simulate(100.0, every=1e-3, method="rk4", step=1e-2, progress=False)
    tau = run.tau.copy()
    tau[54321, 0] = 77.0  # one sample among a hundred thousand
    replace(run, tau=tau).report(tmp_path / "long.html")
    found = data_of((tmp_path / "long.html").read_text())["curves"]
    series = {s["name"]: numbers(s["y"]) for panel in found["panels"] for s in panel["series"]}
    assert series["swing.torque"].max() == 77.0 and len(series["swing.torque"]) <= 2100 and found["thinned"]
    assert (tmp_path / "long.html").stat().st_size < 1e6


def test_names_cannot_leave_their_place(tmp_path):
    """A name that looks like a script stays a name."""
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    builder = lo.Builder(evil, base="planar")
    builder.body("a<b>", inertia=lo.Inertia.box(1.0, (0.1, 0.1, 0.1)))
    builder.body("c", parent="a<b>", joint=lo.Joint("<i>j"), at=(0.2, 0, 0), inertia=lo.Inertia.box(1.0, (0.1, 0.1, 0.1)))
    run = lo.Locomotion(builder.build(), drives={"<i>j": lo.Sine(0.3, 1.0)}).simulate(1.0, progress=False)
    run.report(tmp_path / "x.html")
    page = (tmp_path / "x.html").read_text()
    assert "<script>alert" not in page and "<img" not in page and page.count("</script>") == 2


def test_a_robot_of_200_bodies_stays_small(tmp_path):
    builder = lo.Builder("long")
    builder.body("b0", inertia=lo.Inertia.box(1.0, (0.1, 0.1, 0.1)))
    for k in range(1, 200):
        joint, part = lo.Joint(f"j{k}", axis="xy"[k % 2]), lo.Inertia.box(0.1, (0.02, 0.02, 0.1))
        builder.body(f"b{k}", parent=f"b{k - 1}", joint=joint, at=(0, 0, 0.1), inertia=part)
    run = lo.Locomotion(builder.build()).simulate(0.1, progress=False)
    run.report(tmp_path / "x.html")
    assert (tmp_path / "x.html").stat().st_size < 5e6


def test_wrong_places(run, tmp_path):
    with pytest.raises(ValueError, match="an .html file"):
        run.report(tmp_path / "x.pdf")
    with pytest.raises(RunFileError, match="nowhere"):
        run.report(tmp_path / "nowhere" / "x.html")


def test_a_run_without_its_problem(run, tmp_path):
    alone = replace(run, problem=None, constraint_labels=run.constraint_labels)
    alone.report(tmp_path / "x.html")
    assert "lo.open_run" in (tmp_path / "x.html").read_text()


def test_bearing_loads_are_in_a_table_and_in_curves(run, page, tmp_path):
    """The largest of each joint, as the channels have them; or why they are not known; one body alone has none."""
    table = re.search(r"<h2>Bearing loads</h2>.*?</section>", page, re.S)[0]
    assert "joint_wrenches" not in vars(run)  # a report leaves the run as it is
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)][1:]
    assert [row[0] for row in rows][0] == "board" and len(rows) == 4  # on a plane, so that it carries weight
    for body, force, _, moment, _ in rows:
        w = run.joint_wrenches[:, run.model.body_index(body)]
        assert float(force) == pytest.approx(np.linalg.norm(w[:, :3], axis=1).max(), rel=1e-3)
        assert float(moment) == pytest.approx(np.linalg.norm(w[:, 3:], axis=1).max(), rel=1e-3, abs=1e-6 * float(force))
    carried = [panel for panel in data_of(page)["curves"]["panels"] if "what joints carry" in panel["title"]]
    assert {panel["unit"] for panel in carried} == {"N", "N m"}
    names = {series["name"] for panel in carried for series in panel["series"]}
    assert names and all(".joint force" in name or ".joint moment" in name for name in names)
    model = lo.Builder("arm").body("arm", joint=lo.Joint("j"), inertia=lo.Inertia(1.0, (0.1, 0, 0))).build()
    pushed = lo.Locomotion(model, environment=[lambda t, q, v: {"arm": [0, 0, 1.0, 0, 0, 0]}]).simulate(0.1, progress=False)
    pushed.report(tmp_path / "pushed.html")
    assert "Not computed: the environment is a Python function" in (tmp_path / "pushed.html").read_text()
    pushed.joint_wrenches
    pushed.report(tmp_path / "pushed.html")
    assert "<h2>Bearing loads</h2><p>Largest force" in (tmp_path / "pushed.html").read_text()
    ball = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, 0.1)).build()
    lo.Locomotion(ball).simulate(0.1, progress=False).report(tmp_path / "ball.html")
    assert "Bearing loads" not in (tmp_path / "ball.html").read_text()


def test_a_gait_is_drawn_over_the_curvature_of_its_connection(tmp_path, page):
    swimmer = lo.systems.load("purcell_swimmer", gait="efficient").problem()
    swimmer.simulate(1.0, every=0.1, progress=False).report(tmp_path / "gait.html")
    text = (tmp_path / "gait.html").read_text(encoding="utf-8")
    for name in ("vx", "vy", "wz"):
        assert f"gait over the curvature of base.{name}, up to" in text
    assert text.count('<animate attributeName="cx"') == 3 and "gait over the curvature" not in page  # three drives there


def test_zero_contours_lie_where_heights_vanish():
    from locomote.view.gait_drawings import zero_contours

    swimmer = lo.systems.load("purcell_swimmer").problem()
    field = swimmer.connection_field({"front": (-1, 1, 7), "rear": (-1, 1, 7)})
    x, y = np.meshgrid(field.x, field.y, indexing="ij")
    points = np.concatenate(zero_contours(field, x + 2 * y - 0.3))
    np.testing.assert_allclose(points @ [1.0, 2.0], 0.3, atol=1e-12)
    assert np.ptp(points[:, 0]) > 1.9


def test_the_viewer_has_a_page_of_a_gait_and_says_where_there_is_no_field():
    from locomote.view.gait_page import NOTHING, GaitPages, gait_page

    swimmer = lo.systems.load("purcell_swimmer", gait="efficient").problem().simulate(1.0, every=0.1, progress=False)
    assert gait_page(swimmer).count('class="now"') == 3 and gait_page(swimmer).count('class="arrows"') == 3
    fish = lo.systems.load("tuna_robot").problem()
    both = {name: lo.Sine(0.3, 6.0) for name in fish.model.joint_names[1:]}
    swum = fish.replaced(drives=both, start=None, springs={}).simulate(0.1, every=0.05, progress=False)
    assert NOTHING in gait_page(swum)
    board = lo.systems.load("simple_pendulum").problem().simulate(0.1, progress=False)
    assert not GaitPages().make("board", board) and "one moment" in GaitPages().page("board")[1]
