"""Gaits as users meet them: what is found, from which starts, what is refused in which words, pictures and the command."""

import json
import pickle

import numpy as np
import pytest
from typer.testing import CliRunner

import locomote as lo
from locomote.cli.main import app


@pytest.fixture(scope="module")
def purcell():
    return lo.systems.load("purcell_swimmer", length=1 / 3).problem()


@pytest.fixture(scope="module")
def thrifty(purcell):
    return lo.gaits.optimize(purcell, "x")


def test_purcells_swimmer_is_as_good_as_published_strokes(purcell, thrifty):
    """sysplotter's strokes, drag 1:2, three equal links: 0.1035 of the length a cycle, 0.1109 over the length of the path."""
    fast = lo.gaits.optimize(purcell, "x", cost="none", harmonics=8)
    assert 0.1035 < fast.value < 0.1037 and 0.1109 < thrifty.value < 0.1113
    for best in (fast, thrifty):
        assert abs(best.displacement.angle) < 1e-6 and np.isclose(best.displacement.distance, best.amount, rtol=1e-4)
    ran = purcell.net_displacement(thrifty.gait.drives(), 1.0)
    assert np.allclose(ran, [*thrifty.displacement.position[:2], thrifty.displacement.angle], atol=1e-8)


def test_no_gait_beside_the_best_one_is_better(purcell, thrifty):
    rng = np.random.default_rng(0)
    for _ in range(5):
        paths = {
            name: lo.Fourier(
                d.mean, np.array(d.cosines) + 0.03 * rng.normal(size=4), np.array(d.sines) + 0.03 * rng.normal(size=4), d.rate
            )
            for name, d in thrifty.gait.paths.items()
        }
        net = lo.gaits.displacement(purcell, lo.gaits.Gait(paths))
        assert net.distance / net.length < thrifty.value * (1 + 30 * abs(net.angle))


def test_bounds_are_kept_and_the_area_rule_bounds_a_turn():
    """Of a floating chain the turn of a simple loop is the integral of the curvature, at most that of its positive part."""
    system = lo.systems.load("space_robot").problem()
    names = system.model.joint_names[1:3]
    best = lo.gaits.optimize(system, "turn", coordinates=names, cost="none", bounds=(-1.0, 1.0), harmonics=5)
    x = best.gait.shapes(np.linspace(0.0, 1.0, 500))[0]
    assert abs(x).max() < 1.02
    field = system.connection_field(dict.fromkeys(names, (-1.0, 1.0, 101)))
    F = field.curvature[..., 2]
    cell = (field.x[1] - field.x[0]) ** 2
    bound = max(F.clip(0.0).sum(), (-F).clip(0.0).sum()) * cell
    assert 0.8 * bound < abs(best.amount) < 1.02 * bound


def test_families_go_on_from_their_neighbours(purcell, thrifty, tmp_path):
    family = lo.gaits.family(purcell, [0.0, 0.1], start=thrifty)
    assert np.allclose([member.displacement.angle for member in family.members], [0.0, 0.1], atol=1e-6)
    family.plot(path=tmp_path / "family.png")
    assert family.front[-1] and (tmp_path / "family.png").stat().st_size > 5000


def test_pictures_and_pickles(purcell, thrifty, tmp_path):
    field = purcell.connection_field({"front": (-1, 1, 9), "rear": (-1, 1, 9)})
    field.plot(thrifty, what="bracket", path=tmp_path / "field.png")
    assert (tmp_path / "field.png").stat().st_size > 10_000
    again = pickle.loads(pickle.dumps(field))
    assert np.array_equal(again.A, field.A)
    with pytest.raises(lo.LocomoteError, match="without its problem"):
        again.best_frame()
    assert pickle.loads(pickle.dumps(thrifty.gait)).paths == thrifty.gait.paths


def test_sentences(purcell):
    fourier = lo.Fourier(0.0, [0.5], frequency=1.0)
    robot, board, snake = (lo.systems.load(name).problem() for name in ("space_robot", "snakeboard", "acm_snake"))
    gaits = lo.gaits
    for words, wrong in (
        ("does not close: it starts at 0 and is at 1", lambda: gaits.Gait({"front": lo.Polynomial([0.0, 1.0])}, period=1.0)),
        ("no period of their own", lambda: gaits.Gait({"front": 1.0})),
        ("no shape coordinate named 'frnt'", lambda: gaits.displacement(purcell, gaits.Gait({"frnt": fourier}))),
        ("is the base of", lambda: gaits.optimize(purcell, "x", coordinates=["base", "rear"])),
        ("scallop theorem", lambda: gaits.optimize(purcell, "x", coordinates=["front"])),
        ("has no 'z'; goals are x, y, distance, turn, yaw", lambda: gaits.optimize(purcell, "z")),
        ("mass centre stays where it is", lambda: gaits.optimize(robot, "x")),
        ("constraints leave it a momentum", lambda: gaits.displacement(board, gaits.Gait({"rotor": fourier}))),
        ("has no base that moves", lambda: gaits.optimize(lo.systems.load("puma").problem(), "x")),
        ("more conditions on the shape itself", lambda: gaits.optimize(snake, "x", way="connection")),
        (
            "not proportional to velocities",
            lambda: gaits.optimize(lo.systems.load("sandfish").problem(), "x", way="connection"),
        ),
        ("no cost named 'time'", lambda: gaits.optimize(purcell, "x", cost="time")),
        ("has inertia, so that the metric 'power'", lambda: gaits.optimize(robot, "turn", metric="power")),
    ):
        with pytest.raises((ValueError, lo.LocomoteError)) as raised:
            wrong()
        assert words in str(raised.value), str(raised.value)


def test_singular_shapes_are_said():
    snake = lo.Builder("snake", base="planar")
    link = lo.Inertia.box(1.0, (1.0, 0.1, 0.1))
    snake.body("middle", inertia=link)
    snake.body("head", parent="middle", at=(0.5, 0, 0), joint=lo.Joint("front"), inertia=link)
    snake.body("tail", parent="middle", at=(-0.5, 0, 0), joint=lo.Joint("rear"), inertia=link)
    blades = [lo.Blade("middle"), lo.Blade("head", (0.5, 0, 0)), lo.Blade("tail", (-0.5, 0, 0))]
    problem = lo.Locomotion(snake.build(), constraints=blades)
    circle = lo.gaits.Gait({"front": lo.Fourier(0.0, [1.0], frequency=1.0), "rear": lo.Fourier(0.0, [], [1.0], frequency=1.0)})
    with pytest.raises(lo.LocomoteError, match="meets a singular shape of 'snake' near t ="):
        lo.gaits.displacement(problem, circle)
    field = problem.connection_field({"front": None, "rear": None})
    assert "do not decide its motion at singular shapes" in field.missing
    with pytest.raises(lo.LocomoteError, match="no best frame over it"):
        field.best_frame()
    best = lo.gaits.optimize(problem, "x", bounds=(0.2, 1.5), metric="angles", harmonics=3)
    assert best.value > 0.2 and abs(best.displacement.angle) < 1e-6


def test_a_snakeboard_goes_by_runs():
    board = lo.systems.load("snakeboard").problem()
    modes = {"steer": {"rear_steer": 1.0, "front_steer": -1.0}, "rotor": {"rotor": 1.0}}
    start = lo.gaits.Gait(
        {"steer": lo.Fourier(0.0, [], [0.6], rate=1.0), "rotor": lo.Fourier(0.0, [], [0.6], rate=1.0)}, modes=modes
    )
    bounds = {"steer": (-0.8, 0.8), "rotor": (-0.8, 0.8)}
    from locomote.gaits.by_runs import Moving, exact_run
    from locomote.gaits.coordinates import coordinates_of

    moving = Moving(board, coordinates_of(board, start.coordinates))
    before = exact_run(moving, start, 1).q[-1, 0]
    best = lo.gaits.optimize(board, "x", start=start, harmonics=1, bounds=bounds, period=2 * np.pi)
    assert best.displacement is None and best.amount > abs(before) and "by runs" in str(best)
    assert np.isclose(exact_run(moving, best.gait, 1).q[-1, 0], best.amount)


def test_the_command(tmp_path):
    done = CliRunner().invoke(
        app, ["gait", "purcell_swimmer", "--goal", "x", "--cost", "length", "--out", str(tmp_path), "--json"]
    )
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["value"] > 0.064 and (tmp_path / "purcell_swimmer_x.png").exists()
    paths = json.loads((tmp_path / "purcell_swimmer_x.json").read_text())["paths"]
    assert set(paths) == {"front", "rear"} and lo.Fourier.from_record(paths["front"]).frequency == 1.0
    for wrong in (
        ["--goal", "up"],
        ["--cost", "speed"],
        ["--torque", "-1"],
        ["--bound", "0"],
        ["--starts", "0"],
        ["--joint", "knee"],
    ):
        assert CliRunner().invoke(app, ["gait", "purcell_swimmer", *wrong]).exit_code == 2
    speed = ["gait", "purcell_swimmer", "--cost", "speed", "--torque", "0.1", "--harmonics", "1", "--no-plot", "--json"]
    quick = json.loads(CliRunner().invoke(app, [*speed, "--out", str(tmp_path)]).stdout)
    assert quick["value"] == pytest.approx(quick["amount"] / quick["period"])
