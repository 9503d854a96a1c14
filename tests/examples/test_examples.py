"""The programs of `examples/`, in short form: what they optimised happens in a run of the library, files are there."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from places import ROOT

import locomote as lo

FOLDER = ROOT / "examples"


@pytest.fixture
def example(monkeypatch, tmp_path):
    """Run an example by name; returns what its main returns."""
    monkeypatch.syspath_prepend(str(FOLDER))

    def run(name):
        module = __import__(name)
        result = module.main(["--short", "--out", str(tmp_path)])
        assert (tmp_path / f"{name}.png").read_bytes()[:4] == b"\x89PNG"
        saved = json.loads((tmp_path / f"{name}.json").read_text())
        assert saved.keys() >= result.keys() - {"motion", "found"}
        return module, result

    yield run
    for name in ("common", *(path.stem for path in FOLDER.glob("*.py"))):
        sys.modules.pop(name, None)


def test_snakeboard_gait(example, capfd):
    """The run goes as far as was optimised, a third farther than the gait of the catalogue."""
    module, result = example("snakeboard_gait")
    assert result["reached"] == pytest.approx(result["optimised"], abs=2e-3)
    assert result["reached"] > 1.3 * result["reached_before"]
    motion = module.run([result[name] for name in module.NAMES])
    usual = module.run([0.7, 0.7, 1.0, 0.0])
    efforts = [np.trapezoid((run.tau[:, 3:] ** 2).sum(axis=1), run.t) for run in (motion, usual)]
    assert efforts[0] == pytest.approx(efforts[1], rel=0.02)  # the bound of the effort is met, and reached
    assert "iter    objective" in capfd.readouterr().out


def test_oscillators_swim(example):
    """Oscillators lock, and the run gains in its last period what geometry says of the path; a quarter turn is about best."""
    _, result = example("oscillators_swim")
    assert result["locked"] and result["motion"].audit.ok and 0.8 < result["lag"] < 2.4
    assert result["gained"] == pytest.approx(result["expected"], rel=1e-3)


def test_falling_cat_turn(example):
    """The run turns by the wanted angle, ends straight and at rest, and its torques have the effort that was least."""
    module, result = example("falling_cat_turn")
    motion = result["motion"]
    assert result["turned"] == pytest.approx(module.WANTED, abs=1e-3)
    assert np.allclose(motion.q[-1, 3:], 0.0, atol=1e-9) and np.allclose(motion.v[-1], 0.0, atol=1e-6)
    assert abs(motion.q[:, 3:]).max() < module.LIMIT + 0.02
    effort = np.trapezoid((motion.tau[:, 3:] ** 2).sum(axis=1), motion.t)
    assert effort == pytest.approx(result["effort"], rel=0.02)


def test_trapeze(example):
    """He hangs on the second bar afterwards; angular momentum about it is the same before and after the catch."""
    module, result = example("trapeze")
    motion, model = result["motion"], result["motion"].model
    caught = next(e for e in motion.events if e.kind == "close")
    pair = np.flatnonzero((np.diff(motion.t) == 0) & (motion.t[:-1] == caught.t))[0]

    def turning(k):
        """About y at the second bar: of the two parts, by hand."""
        total, bar = 0.0, np.array([module.BAR, 0, -module.DROP])
        parts = {"upper": (45.0, (0, 0, -0.75), 4.0), "legs": (25.0, (0, 0, -0.4), 1.6)}
        for pose, (name, (m, c, moment)) in zip(lo.forward_kinematics(model, motion.q[k]), parts.items(), strict=True):
            twist = lo.velocity(model, motion.q[k], motion.v[k], name)
            p = m * pose[:3, :3] @ (twist[:3] + np.cross(twist[3:], c))
            total += np.cross(pose[:3, :3] @ c + pose[:3, 3] - bar, p)[1] + moment * twist[4]
        return total

    assert turning(pair + 1) == pytest.approx(turning(pair), rel=1e-9)
    assert motion.q[-1, :2] == pytest.approx([module.BAR, -module.DROP], abs=1e-6) and result["lost"] > 0
    assert motion.audit.ok


def test_snake_grips(example):
    """Pegs would pull without a choice; with the least torque less is needed than with the least reactions."""
    module, result = example("snake_grips")
    assert result["pull"] > 0.01 and result["efforts"][2] < 0.5 * result["efforts"][1]
    assert 0.2 < result["friction"] < 0.6 and result["hold"][1] < result["hold"][0]
    tree, q, v = module.in_a_tree()
    names = [branch.title for branch in tree.constraints]
    with pytest.raises(lo.NoReactions):
        tree.reactions(0.0, q, v, unilateral=names, friction=0.99 * result["friction"])


def test_swing_up(example):
    """The run arrives upright and at rest, with a feedback that has next to nothing to correct."""
    module, result = example("swing_up")
    motion = result["motion"]
    assert np.allclose(motion.q[0], module.HANGING) and result["miss"] < 1e-2
    assert result["largest_correction"] < 0.05 * result["largest_force"]
    assert abs(motion.q[:, 0]).max() < module.TRACK + 0.05


def test_every_example_is_tested():
    programs = {path.stem for path in FOLDER.glob("*.py")} - {"common"}
    text = Path(__file__).read_text()
    assert programs and all(f'example("{name}")' in text for name in programs)


def test_purcell_gaits(example):
    """At least as good as the best published strokes, which sysplotter finds."""
    _, result = example("purcell_gaits")
    assert result["fast"] > 0.1035 and result["thrifty"] > 0.1109


def test_hose(example):
    """While slopes are small the hose leaves the ground as a beam does, and the hook carries what the ground does not."""
    module, result = example("hose")
    motion, small = result["motion"], (result["height"] > 0.02) & (result["height"] < 0.06)
    length, force = module.small_slopes(result["height"])
    spacing = np.diff(lo.rods.contact_field(motion, "belly").along).max()
    assert small.sum() > 3 and motion.audit.ok
    assert np.allclose(result["force"][small], force[small], rtol=0.08)
    assert abs(result["hanging"] - length)[small].max() < spacing
    weight = module.RUBBER.density * np.pi * module.RADIUS**2 * module.LENGTH * module.GRAVITY
    up = result["force"] + motion.contact_forces[:, :, 2].sum(axis=1)
    assert np.allclose(up[5:], weight, rtol=0.02)


def test_swing_up_by_gradient(example):
    """The pole stands at the end of steps that do not come from the gradient, and differences give the same slopes."""
    _, result = example("swing_up_by_gradient")
    assert result["miss"] < 1e-2 and result["differences_off"] < 1e-6 and result["iterations"] > 5


def test_walk_learned(example):
    """A few rounds go through; every step meets the law of contact, and the policy drives a run with an audit."""
    _, result = example("walk_learned")
    assert result["before"]["missed"] == result["after"]["missed"] == 0 and result["before"]["speed"] < 0.0
    assert np.isfinite(result["rewards"]).all() and np.isfinite(result["way"])


def test_jump_by_gradient(example):
    """The foot clears the gap and lands behind it, in steps of a rollout."""
    module, result = example("jump_by_gradient")
    assert result["clearance"] > 0.02 and abs(result["landing"] - module.WAY) < 0.03
    assert result["goal"][1] < 0.2 * result["goal"][0]


def test_parking_by_gradient(example):
    """The board stands in the other place after a rollout, and differences give the same slopes."""
    _, result = example("parking_by_gradient")
    assert result["miss"] < 0.01 and abs(result["turn"]) < 0.01 and result["differences_off"] < 1e-6


def test_balance_learned(example):
    """Poles that fall before stay up after learning, from starts that were not learned from."""
    _, result = example("balance_learned")
    assert result["upright_before"] < 0.1 and result["upright"] > 0.95
    assert result["rewards"][-5:].mean() > result["rewards"][:5].mean()


def test_identify_snakeboard(example):
    """What was measured by other steps, in other units and late, gives the true values back, and the delay of the camera."""
    module, result = example("identify_snakeboard")
    assert all(abs(x) < 4 for x in result["off"].values()) and result["unseen"] == ["rear_steer.damping"]
    assert all(x == pytest.approx(module.LATE, abs=5e-3) for x in result["delays"].values())


def test_muscle_arm(example):
    """The hand comes near its height, and the run of the muscles passes its audit."""
    module, result = example("muscle_arm")
    assert result["audit"] and abs(result["height"] - module.HEIGHT) < 0.05
    assert 0.0 <= result["triceps"] < result["biceps"] <= 1.0


def test_pendular_climber(example):
    """Climbs of several swings go up, and no motor gives less than the height needs."""
    _, result = example("pendular_climber")
    assert len(result["found"]) == 2
    for run, row in result["found"].values():
        assert run.audit.ok and np.diff(row["height"]).min() > 0.01 and row["speed"] > 0.02 and 0.1 < row["share"] < 0.9


def test_three_fingers(example):
    """The box stays where friction cannot carry it, and comes along where it can."""
    module, result = example("three_fingers")
    assert abs(result["weak"]) < 0.01 and result["firm"] == pytest.approx(module.LIFT, abs=0.01)
    assert result["motion"].audit.ok


def test_wheeled_base(example):
    """It goes as wheels that roll would take it."""
    _, result = example("wheeled_base")
    assert result["ok"] and result["speed"] == pytest.approx(result["rolled"], rel=5e-3)
    assert result["turn"] == pytest.approx(result["rolled_turn"], rel=0.02)


def test_quadrotor(example):
    """It takes off from the floor and hovers where it should."""
    module, result = example("quadrotor")
    assert result["away"] < 0.05 and result["motion"].q[0, 2] < 0.06 and result["highest"] < 1.3 * module.GOAL[2]
