"""Arrows are the forces that act: with the weight they change the momentum of the whole, about any point."""

import numpy as np
import pytest

import locomote as lo
from locomote.view.build import scene_of
from locomote.view.frames import frames_of

# systems whose reactions from the world are forces at places, without moments
SYSTEMS = ["snakeboard", "chaplygin_sleigh", "rolling_disc", "rattleback", "whipple_bicycle", "roller_racer", "trikke"]
LAWS = [
    {"motion": (0.3, -0.2, 0.0)}, {"static": 0.6}, {"fading": 0.2, "static": 0.6}, {"across": 0.1}, {"adhesion": 2.0},
]  # fmt: skip


@pytest.mark.parametrize("name", SYSTEMS)
def test_reactions_and_weight_change_the_momentum(name):
    system = lo.systems.load(name)
    q, v = system.initial
    run = system.problem().simulate(min(1.0, system.duration), q=q, v=v, progress=False)
    model, times = run.model, run.t[5::60]
    frames = frames_of(scene_of(model, run.problem, run.q), run, times, forces=True)
    force, moment = np.zeros((len(times), 3)), np.zeros((len(times), 3))
    for arrow in frames.arrows:
        if arrow.kind == "reaction":
            force += arrow.vector
            moment += np.cross(arrow.at - frames.center, arrow.vector)
    sample = run.at(times)
    rate = np.array([lo.momentum_rate(model, *state) for state in zip(sample.q, sample.v, sample.a, strict=True)])
    planar = model.joint(model.joint_names[0]).kind == "planar"
    axes = slice(0, 2) if planar else slice(0, 3)  # what holds a planar base on its plane is not a constraint
    weight = model.mass * np.array(model.gravity)
    assert np.allclose((force + weight)[:, axes], rate[:, :3][:, axes], atol=1e-6 * max(1, abs(force).max()))
    turns = slice(2, 3) if planar else slice(0, 3)
    assert np.allclose(moment[:, turns], rate[:, 3:][:, turns], atol=1e-6 * max(1, abs(moment).max()))


def test_arrows_have_a_round_scale_that_fits():
    system = lo.systems.load("rolling_disc")
    q, v = system.initial
    run = system.problem().simulate(1.0, q=q, v=v, progress=False)
    scene = scene_of(run.model, run.problem, run.q)
    frames = frames_of(scene, run, run.t[::20], forces=True)
    scale = frames.scales["N"]
    assert scale / 10 ** np.floor(np.log10(scale)) in (1.0, 2.0, 5.0)
    longest = max(np.linalg.norm(a.vector, axis=1).max() for a in frames.arrows) / scale
    assert 0.2 * scene.size < longest < 1.5 * scene.size


@pytest.mark.parametrize("law", LAWS, ids=lambda law: next(iter(law)))
def test_forces_of_contacts_under_every_law(law, tmp_path):
    """Of a run that was saved and opened, in films and in its report: what acts in a step changes the momentum."""
    step, touch = 1e-3, {"along": (1, 0, 0)} if "across" in law else {}
    model = lo.Builder("box", base="free").body("box", inertia=lo.Inertia.box(1.0, (0.2, 0.3, 0.2))).build()
    problem = lo.Locomotion(model, contacts=[lo.Touch("box", lo.Ground(friction=0.4, **law), box=(0.1, 0.15, 0.1), **touch)])
    made = problem.simulate(0.1, q=[0, 0, 0.1, 0, 0, 0, 1], v=[0.5, 0, 0, 0, 0, 1], step=step, every=step, progress=False)
    made.save(tmp_path / "run")
    run = lo.open_run(tmp_path / "run")
    frames = frames_of(scene_of(run.model, run.problem, run.q), run, run.t[1:], forces=True)
    force = sum(arrow.vector for arrow in frames.arrows if arrow.kind == "reaction")
    speeds = np.array([lo.momentum(model, q, v)[:3] for q, v in zip(run.q, run.v, strict=True)])
    assert np.allclose(force + model.mass * np.array(model.gravity), np.diff(speeds, axis=0) / step, atol=1e-6)
    run.report(tmp_path / "run.html")
    assert "audit passed" in (tmp_path / "run.html").read_text(encoding="utf-8")
