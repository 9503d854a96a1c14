"""Best gaits of the catalogue: stored numbers against exact net motions and runs, and as a parameter of systems."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import locomote as lo
from locomote.systems.gaits import best_gait, stored

MAKER = Path(__file__).parents[3] / "docs" / "systems" / "make_gaits.py"
ALL = [(system, name) for system, gaits in stored().items() for name in gaits]


@pytest.fixture(scope="module")
def maker():
    spec = importlib.util.spec_from_file_location("make_gaits", MAKER)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_gait_of_the_script_is_stored_and_offered(maker):
    assert {s: set(g) for s, g in stored().items()} == {s: set(g) for s, g in maker.WANTED.items()}
    for system, gaits in stored().items():
        offered = {p.name: p for p in lo.systems.parameters(system)}["gait"].options
        assert set(offered) == {"own", *gaits}


@pytest.mark.parametrize("system, name", ALL)
def test_stored_amounts_are_those_of_the_gaits(maker, system, name):
    kept = stored()[system][name]
    gait = best_gait(system, name, kept["period"])
    np.testing.assert_allclose(maker.measured(system, kept["goal"], gait), kept["amount"], rtol=1e-6)


@pytest.mark.parametrize(
    "system, name", [("purcell_swimmer", "fast"), ("perfect_fluid_swimmer", "turn"), ("snakeboard", "fast")]
)
def test_a_system_moves_by_its_best_gait(system, name):
    kept, loaded = stored()[system][name], lo.systems.load(system, gait=name)
    problem = loaded.problem()
    period = 2 * np.pi / loaded.parameters["rate"]
    run = problem.simulate(period, samples=[0.0, period])
    q = run.q[-1, :3] - run.q[0, :3]
    found = abs(q[2]) if kept["goal"] == "turn" else np.hypot(*q[:2]) if system == "purcell_swimmer" else q[0]
    np.testing.assert_allclose(found, kept["amount"], rtol=1e-5)
    own = lo.systems.load(system).problem().simulate(period, samples=[0.0, period])
    moved = own.q[-1, :3] - own.q[0, :3]
    assert abs(found) > (abs(moved[2]) if kept["goal"] == "turn" else np.hypot(*moved[:2]))


def test_a_unicycle_gets_aside_without_a_turn():
    run = lo.systems.load("unicycle", gait="park").problem().simulate(2 * np.pi, samples=[0.0, 2 * np.pi])
    x, y, turn = run.q[-1, :3] - run.q[0, :3]
    np.testing.assert_allclose([np.hypot(x, y), turn], [stored()["unicycle"]["park"]["amount"], 0.0], atol=1e-6)
    assert run.audit.ok


def test_gaits_of_another_making_are_left_alone():
    assert lo.systems.load("turning_snake", gait="sidewinding").problem().name == "turning_snake"


def test_a_gait_that_is_not_there_is_said():
    with pytest.raises((ValueError, lo.LocomoteError), match="'fast', 'efficient', 'turn'"):
        lo.systems.load("purcell_swimmer", gait="quick")
