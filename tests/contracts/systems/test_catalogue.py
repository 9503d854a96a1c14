"""Systems of the catalogue: parameters, symmetry, and the quadruped against published numbers.

The numbers are of an independent derivation (point masses at 50 digits) of the quadruped of Shah, Saha and Dutt (2012), in the
axes of the authors' input file; see `quadruped.json`.
"""

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest
from places import DATA

import locomote as lo
from locomote.locomotion.limit_cycle import closed_at
from locomote.locomotion.touching import TOUCHING, gaps_of
from locomote.systems import catalogue

PUBLISHED = json.loads((DATA / "quadruped.json").read_text())
# legs 1 to 4 of the reference, and its trunk axes (x lateral, y up, z forward) as rows in ours (x forward, y left, z up)
LEGS = ("rear_right", "rear_left", "front_right", "front_left")
TURN = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


@pytest.mark.parametrize("name", lo.systems.names())
def test_contract(name):
    """Everything is said and nothing is broken: parameters, model, words."""
    module, parameters = catalogue._module(name), lo.systems.parameters(name)
    assert parameters and all(p.meaning and p.fits(p.default) for p in parameters)
    assert all(p.unit or p.options or p.whole or p.name == "gain" for p in parameters)
    assert module.SOURCE and module.SEE and catalogue.title(name) and not module.SEE.endswith(".")
    system = lo.systems.load(name)
    assert list(system.parameters) == list(system.units) == [p.name for p in parameters]
    assert system.model == lo.systems.load(name).model and system.model.warnings == ()
    assert all(body.inertia is None or body.inertia.fault() is None for body in system.model.description.bodies)
    M = lo.mass_matrix(system.model, system.model.random(0, 5))
    free = ~system.problem().imposed if system.model.flexible else np.ones(system.model.nv, dtype=bool)  # points may share mass
    assert (np.linalg.eigvalsh(M[:, free][:, :, free]) > 0).all()
    assert pickle.loads(pickle.dumps(system)).parameters == system.parameters


@pytest.mark.parametrize("name", lo.systems.names())
def test_start(name):
    """The start meets drives and constraints already, but for imposed coordinates that it need not know."""
    system = lo.systems.load(name)
    q, v = system.initial
    assert q.shape == (system.model.nq,) and v.shape == (system.model.nv,) and system.duration > 0
    problem = system.problem()
    found, speed = problem.initial(q, v)
    assert np.max(abs(system.model.difference(q, found)[~problem.imposed]), initial=0.0) < 1e-9
    closed = closed_at(problem, found, speed, ()) if problem.plan.unilateral else None
    if problem.contacts and (gaps := gaps_of(problem, 0.0, found)).min() < TOUCHING:
        assert gaps.min() > -1e-9  # what stands on the ground is not in it; an instant does not know its forces
        return
    now = problem.evaluate(0.0, found, speed, closed=closed)
    assert np.isfinite(now.a).all() and now.incompatibility < 1e-9


def test_loading_a_model_is_cheap():
    """Neither constraints nor integrators are read for a model alone."""
    program = """
import sys, locomote as lo
for name in lo.systems.names():
    lo.systems.load(name).model
late = "locomotion", "evaluation", "methods", "constraints"
print([name for name in sys.modules if name.split(".")[1:2] and name.split(".")[1] in late and name.startswith("locomote.")])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stdout + done.stderr


def test_words_and_whole_numbers():
    assert lo.systems.load("acm_snake", links=5.0).model.nv == 9  # the command line knows only floats
    with pytest.raises(lo.ModelError, match="parameter 'links' is 5.5, expected an integer from 2 to 500"):
        lo.systems.load("acm_snake", links=5.5)
    with pytest.raises(lo.ModelError, match="parameter 'failed' is 'w', expected one of 'none', 'x', 'y', 'z'"):
        lo.systems.load("satellite", failed="w")
    with pytest.raises(lo.ModelError, match="legs of 1 m cannot make this step"):
        lo.systems.load("walker_cases", step=2.0).problem()


def test_unknown_names():
    with pytest.raises(lo.UnknownName, match="did you mean 'humanoid'"):
        lo.systems.load("humanoidd")
    with pytest.raises(lo.UnknownName, match="no parameter named 'heigth' in system 'humanoid'; did you mean 'height'"):
        lo.systems.load("humanoid", heigth=2.0)


def test_all_wrong_values_at_once():
    with pytest.raises(lo.ModelError) as error:
        lo.systems.load("quadruped", trunk_mass=-1.0, shank_length=float("nan"), leg_radius="thick")
    assert len(error.value.faults) == 3


def test_humanoid_is_symmetric():
    """The mirror image of a configuration has the mirrored mass center and the same energy."""
    model = lo.systems.load("humanoid").model
    rng = np.random.default_rng(2)
    q, v = model.random(rng), rng.normal(size=model.nv)
    q[:7], v[:6] = (0, 0, 0, 0, 0, 0, 1), 0
    mirrored_q, mirrored_v = q.copy(), v.copy()
    flips = {"pitch": [1], "roll": [-1], "yaw": [-1], "elbow": [1], "knee": [1], "wrist": [-1, 1], "ankle": [1, -1]}
    for name in model.joint_names[1:]:
        other = {"left": "right", "right": "left"}.get(name.split("_")[0])
        twin = name if other is None else name.replace(name.split("_")[0], other)
        sign = flips[name.split("_")[-1]]
        mirrored_q[model.joint(twin).q] = sign * q[model.joint(name).q]
        mirrored_v[model.joint(twin).v] = sign * v[model.joint(name).v]
    mirror = np.array([1, -1, 1])
    assert np.allclose(lo.center_of_mass(model, mirrored_q), mirror * lo.center_of_mass(model, q))
    assert np.isclose(lo.kinetic_energy(model, mirrored_q, mirrored_v), lo.kinetic_energy(model, q, v))
    lower = {name: model.lower[model.joint(name).q] for name in model.joint_names[1:]}
    upper = {name: model.upper[model.joint(name).q] for name in model.joint_names[1:]}
    for name in lower:
        if name.startswith("left_"):
            twin, sign = name.replace("left_", "right_"), np.array(flips[name.split("_")[-1]])
            low = np.where(sign > 0, lower[name], -upper[name])
            assert np.allclose(low, lower[twin]), name


def test_humanoid_stands():
    model = lo.systems.load("humanoid", height=2.0, mass=90.0).model
    poses = lo.forward_kinematics(model, model.neutral())
    height = poses[model.body("pelvis").index, 2, 3] - poses[model.body("left_sole").index, 2, 3]
    assert np.isclose(height, 0.53 * 2.0) and np.isclose(model.mass, 90.0)


def state_of(given):
    """q, v of our quadruped, and the matrix that takes our v to the reference's."""
    model = lo.systems.load("quadruped").model.edited(gravity=(0.0, -9.81, 0.0))  # their world has y up
    q, to_theirs = model.neutral(), np.zeros((18, 18))
    q[:3] = given["p"]
    q[3:7] = lo.chart("quaternion").coordinates(np.array(given["R_world_from_trunk"]) @ TURN.T)
    to_theirs[:3, :3] = to_theirs[3:6, 3:6] = TURN.T
    for k, leg in enumerate(LEGS):
        roll, pitch, knee = given["q"][3 * k : 3 * k + 3]
        hip, bend = model.joint(f"{leg}_hip"), model.joint(f"{leg}_knee")
        q[hip.q], q[bend.q] = (roll + np.pi / 2, -pitch), -knee
        rows = 6 + 3 * k
        to_theirs[rows, hip.v.start], to_theirs[rows + 1, hip.v.start + 1], to_theirs[rows + 2, bend.v.start] = 1, -1, -1
    return model, q, to_theirs


@pytest.mark.parametrize("case", PUBLISHED["cases"], ids=["first", "second"])
def test_quadruped_against_published_numbers(case):
    given, expected = case["input"], case["expected"]
    model, q, T = state_of(given)
    v = np.linalg.solve(T, given["nu"])
    assert np.allclose(T @ lo.mass_matrix(model, q) @ T.T, expected["M"], atol=1e-12)
    assert np.allclose(T @ lo.gravity_force(model, q), -np.array(expected["gravity"]), atol=1e-11)
    velocity_part = lo.bias_force(model, q, v) - lo.gravity_force(model, q)
    assert np.allclose(T @ velocity_part, expected["bias"], atol=1e-11)
    tau = np.concatenate([np.zeros(6), given["tau"]])
    a = lo.forward_dynamics(model, q, v, np.linalg.solve(T, tau))
    assert np.allclose(T @ a, expected["forward_acc"], rtol=1e-10, atol=1e-10)

    # the legs move as told, the trunk is free
    imposed = np.linalg.solve(T, np.concatenate([np.zeros(6), given["joint_qdd"]]))
    a, tau = lo.hybrid_dynamics(model, q, v, np.zeros(18), imposed, model.joint_names[1:])
    assert np.allclose((T @ a)[:6], expected["inverse_base_acc"], rtol=1e-10, atol=1e-10)
    assert np.allclose((T @ tau)[6:], expected["inverse_tau"], rtol=1e-10, atol=1e-10)
