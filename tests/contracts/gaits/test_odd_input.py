"""Wrong input to gaits gets a sentence that says what, and what would do."""

import numpy as np
import pytest

import locomote as lo

NAN = float("nan")
gaits = lo.gaits


def problem_of(name, **numbers):
    return lo.systems.load(name, **numbers).problem()


@pytest.fixture(scope="module")
def purcell():
    return problem_of("purcell_swimmer")


def cosine(frequency=1.0):
    return lo.Fourier(0.0, [0.5], frequency=frequency)


def sine(frequency=1.0):
    return lo.Fourier(0.0, [], [0.5], frequency=frequency)


def said(wrong) -> str:
    with pytest.raises((ValueError, TypeError, lo.LocomoteError)) as raised:
        wrong()
    return str(raised.value)


@pytest.mark.parametrize(
    "words, paths, options",
    [
        ("is at -0.154508 after the period of 0.7 s; give drives that come back", {"front": cosine()}, {"period": 0.7}),
        ("of 0.666667 s, and the gait one of 1 s, which is no multiple", {"front": cosine(), "rear": sine(1.5)}, {}),
        ("does not close: it starts at 0 and is at 2", {"front": lambda t: 2.0 * t}, {"period": 1.0}),
        ("period of a Gait is 0.0", {"front": cosine()}, {"period": 0.0}),
        ("period of a Gait is nan", {"front": cosine()}, {"period": NAN}),
        ("period of a Gait is '1'", {"front": cosine()}, {"period": "1"}),
        ("no period of their own; give period=", {"front": 0.3}, {}),
        ("'front' is not finite everywhere", {"front": lambda t: t * NAN}, {"period": 1.0}),
        ("expected {joint: drive}", [cosine()], {}),
        ("expected {joint: drive}", {}, {}),
        ("expected a drive, a number", {"front": "sine"}, {}),
        ("mode 'm' has no path", {"front": cosine()}, {"modes": {"m": {"front": 1.0}}}),
        ("corners of a Gait is (nan,)", {"front": cosine()}, {"corners": (NAN,)}),
        ("corners of a Gait must be", {"front": cosine()}, {"corners": "ab"}),
    ],
)
def test_paths(words, paths, options):
    assert words in said(lambda: gaits.Gait(paths, **options))


def test_net_motions(purcell):
    circle = gaits.Gait({"front": cosine(), "rear": sine()})
    net = gaits.displacement(purcell, circle)
    misspelled = gaits.Gait({"wave": cosine()}, modes={"wave": {"frnt": 1.0}})
    for words, wrong in (
        ("as .problem()", lambda: gaits.displacement(lo.systems.load("purcell_swimmer"), circle)),
        ("as .problem()", lambda: gaits.displacement(purcell.model, circle)),
        ("expected a lo.gaits.Gait", lambda: gaits.displacement(purcell, {"front": cosine()})),
        ("did you mean 'front'", lambda: gaits.displacement(purcell, misspelled)),
        ("tolerance is nan", lambda: gaits.displacement(purcell, circle, tolerance=NAN)),
        ("tolerance is -1", lambda: gaits.displacement(purcell, circle, tolerance=-1.0)),
        ("did you mean 'power'", lambda: gaits.displacement(purcell, circle, metric="powr")),
        ("metric is not positive definite", lambda: gaits.displacement(purcell, circle, metric=NAN * np.eye(2))),
        ("metric has shape (3, 3)", lambda: gaits.displacement(purcell, circle, metric=np.eye(3))),
        ("periods is 1.5, expected an integer", lambda: net.repeated(1.5)),
        ("gait is 'circle'", lambda: purcell.connection_field({"front": None, "rear": None}).plot("circle")),
    ):
        assert words in said(wrong), said(wrong)
    np.testing.assert_allclose(net.repeated(-2) @ net.repeated(2), np.eye(4), atol=1e-12)


@pytest.mark.parametrize(
    "words, goal, options",
    [
        ("did you mean 'x'", {"xx": 1.0}, {}),
        ("expected {goal: weight} with numbers", {"x": NAN}, {}),
        ("goal gave 'a', expected a number", lambda pose: "a", {}),
        ("bounds of 'front' is (1.0, -1.0), expected (low, high)", "x", {"bounds": (1.0, -1.0)}),
        ("bounds of 'front' is (nan, 1.0)", "x", {"bounds": (NAN, 1.0)}),
        ("no coordinate named 'frnt' in bounds of a gait; did you mean 'front'", "x", {"bounds": {"frnt": (-1, 1)}}),
        ("harmonics is 2.5, expected an integer", "x", {"harmonics": 2.5}),
        ("starts is 0", "x", {"starts": 0}),
        ("turn is nan, expected an angle", "x", {"turn": NAN}),
        ("amplitude is 0.0, expected a number above 0", "x", {"amplitude": 0.0}),
        ("amplitude is nan", "x", {"amplitude": NAN}),
        ("give bounds, more starts, or another amplitude", "x", {"amplitude": 1e6}),
        ("seed is -1", "x", {"seed": -1}),
        ("simple is 'yes'", "x", {"simple": "yes"}),
        ("period is nan", "x", {"period": NAN}),
        ("speed is -1.0, expected a number above 0", "x", {"cost": "transport", "speed": -1.0}),
        ("name one twice", "x", {"coordinates": ["front", "front"]}),
        ("in fewer ways", "x", {"coordinates": {"a": {"front": 1, "rear": 1}, "b": {"front": 2, "rear": 2}}}),
        ("take 'power'", "x", {"metric": "kinetic"}),
    ],
)
def test_searches(purcell, words, goal, options):
    assert words in said(lambda: gaits.optimize(purcell, goal, **options))


def test_problems_without_an_answer():
    board = problem_of("snakeboard")
    skater, snake, rope = problem_of("ice_skater"), problem_of("acm_snake"), problem_of("rope")
    for words, wrong in (
        ("mass centre stays where it is; goals that it can reach are turns", lambda: gaits.optimize(skater)),
        ("any 'turn': the curvature of its connection vanishes there by symmetry", lambda: gaits.optimize(skater, "turn")),
        ("lo.gaits.follow leads such a body along a curve", lambda: gaits.optimize(snake, "x")),
        ("turns any way, so that it has no coordinates to vary", lambda: gaits.optimize(rope, "x")),
        ("has no shape: all its coordinates are of the base", lambda: gaits.optimize(problem_of("chaplygin_sleigh"), "x")),
        ("scallop theorem", lambda: gaits.optimize(problem_of("scallop"))),
        ("which has no 'turn'; goals are z, distance", lambda: gaits.optimize(problem_of("three_sphere_swimmer"), "turn")),
        ("goals of gaits by runs are single ones, x, y, turn, yaw", lambda: gaits.optimize(board, {"x": 1.0})),
        ("goals of gaits by runs are single ones, x, y, turn, yaw", lambda: gaits.optimize(board, lambda pose: 1.0)),
        ("Scales act on it", lambda: gaits.reach(problem_of("ground_snake"), {"x": 0.1})),
    ):
        assert words in said(wrong), said(wrong)
