"""Names, units and values of parameters, what is refused in which sentence, and files."""

import copy
import pickle

import numpy as np
import pytest

import locomote as lo
from locomote.locomotion.parameters.units import unit_of
from locomote.model.description import Joint


def leg():
    """A body on a spring and a damper, with a foot over soft ground, in a wind."""
    box = lo.Inertia.box(2.0, (0.3, 0.2, 0.1))
    model = (
        lo.Builder("leg", base="free")
        .body("trunk", inertia=box)
        .body("shank", parent="trunk", at=(0, 0, -0.3), inertia=box, joint=lo.Joint("knee", axis="y", damping=0.1, upper=2.0))
        .build()
    )
    air = lo.Fluid(1.2, 1.8e-5, lo.water.Uniform((1.0, 0.0, 0.0)))
    feet = [lo.Touch("shank", lo.Ground(friction=0.5), points=[(x, 0, -0.3)], name=f"foot_{x}") for x in (-1, 1)]
    return lo.Locomotion(
        model, torques=lo.PD({"knee": lo.Sine(0.4, 3.0)}, {"knee": 20.0}, 1.0, every=0.01), springs={"knee": (3.0, 0.2, 0.01)},
        environment=[lo.Drag("trunk", air, 0.1), lo.Drag("shank", air, (0.1, 0.2, 0.3), name="wind")], contacts=feet,
    )  # fmt: skip


UNITS = {
    "trunk.mass": "kg", "trunk.center": "m", "trunk.inertia": "kg m^2", "shank.placement": "m", "gravity": "m/s^2",
    "knee.damping": "N m s/rad", "knee.upper": "rad", "knee.spring.stiffness": "N m/rad", "knee.spring.rest": "rad",
    "ground.friction": "", "ground.rebound": "m/s", "fluid.density": "kg/m^3", "fluid.flow.velocity": "m/s",
    "drag_trunk.area": "m^2", "wind.area": "m^2", "PD.stiffness.knee": "N m/rad", "PD.every": "s",
    "PD.targets.knee.amplitude": "rad or m", "PD.targets.knee.rate": "rad/s", "foot_1.points": "m",
}  # fmt: skip


def test_names_and_units():
    known = leg().parameters
    assert {name: known.unit(name) for name in UNITS} == UNITS
    assert known.origin("knee.damping") == "joint 'knee'" and known.shape("trunk.inertia") == (6,)
    assert "knee.lower" not in known  # there is none
    assert [name for name in known if name.startswith("ground")] == list(known["ground*"])
    assert len(known["fluid.density", "*.mass"]) == 3


def test_units_of_sliding_and_turning_joints():
    assert unit_of(Joint, "stiffness", "rad") == "N m/rad" and unit_of(Joint, "stiffness", "m") == "N/m"
    assert unit_of(lo.Sine, "amplitude", "m") == "m" and unit_of(lo.Sine, "amplitude") == "rad or m"


def test_shared_things_change_for_all():
    other = leg().with_parameters({"ground.friction": 0.9, "fluid.flow.velocity": (2.0, 0.0, 0.0)})
    assert [touch.ground.friction for touch in other.contacts] == [0.9, 0.9]
    assert [drag.fluid.flow.velocity for drag in other.environment] == [(2.0, 0.0, 0.0)] * 2


def test_a_table_to_read():
    lines = str(leg().parameters["trunk.*"]).splitlines()
    assert lines[0].split() == ["name", "value", "unit", "of"]
    assert any(line.split()[:3] == ["trunk.mass", "2", "kg"] for line in lines)
    assert "<table>" in leg().parameters._repr_html_() and "print them" in repr(leg().parameters)


REFUSED = [
    ({"trunk.mas": 1.0}, lo.UnknownName, "no parameter named 'trunk.mas' in problem 'leg'; did you mean 'trunk.mass'"),
    ({"*.young": 1.0}, lo.UnknownName, "no parameter named"),
    ({"trunk.mass": [1.0, 2.0]}, ValueError, "parameter 'trunk.mass' of 'leg' is one number, not of shape"),
    ({"trunk.center": 1.0}, ValueError, r"numbers of shape \(3,\), not of shape \(\)"),
    ({"trunk.mass": np.nan}, ValueError, "parameter 'trunk.mass' is nan; all numbers must be finite"),
    ({"trunk.mass": "heavy"}, ValueError, "parameter 'trunk.mass'"),
    ({"trunk.mass": -1.0}, lo.ModelError, "body 'trunk' has negative mass -1 kg"),
    ({"trunk.inertia": (1, 0, 0, 1, 0, 3)}, lo.ModelError, "which no body can"),
    ({"knee.damping": -0.1}, lo.ModelError, "damping must not be negative"),
    ({"knee.upper": -np.inf}, ValueError, "must be finite"),
    ({"trunk.placement_rotation": np.ones((3, 3))}, lo.ModelError, "not a pose"),
    ({"ground.friction": -0.1}, ValueError, "friction of a ground is -0.1"),
    ({"fluid.density": 0.0}, ValueError, "density of a fluid"),
    ({"PD.every": 0.0}, ValueError, "every of controller 'PD'"),
    ({"PD.targets.knee.ramp": 1.0}, ValueError, "PD.targets.knee.ramp = 1 changes the structure of problem 'leg'"),
    ({"trunk.mass": 1.0, "*.mass": 2.0}, ValueError, "'trunk.mass' is given twice"),
    ([("trunk.mass", 1.0)], TypeError, "given by name"),
]


@pytest.mark.parametrize(("values", "error", "sentence"), REFUSED, ids=str)
def test_refused_before_anything_runs(values, error, sentence):
    with pytest.raises(error, match=sentence):
        leg().with_parameters(values)


def test_one_after_the_other_is_all_at_once():
    changes = {"trunk.mass": 3.0, "trunk.inertia": (0.02, 0, 0, 0.03, 0, 0.03), "knee.damping": 0.3, "gravity": (0, 0, -1.6)}
    once, step_by_step = leg().with_parameters(changes), leg()
    for name, value in changes.items():
        step_by_step = step_by_step.with_parameters({name: value})
    assert once.parameters == step_by_step.parameters
    for name in ("constants", "passive", "spot_laws"):
        assert np.array_equal(getattr(once.plan, name), getattr(step_by_step.plan, name))


def test_copies_and_processes_keep_them():
    problem = leg().with_parameters({"trunk.mass": 3.0})
    for other in (copy.deepcopy(problem), pickle.loads(pickle.dumps(problem))):
        assert other.parameters == problem.parameters
    assert pickle.loads(pickle.dumps(problem.parameters)) == problem.parameters


def test_a_changed_model_is_the_model_of_its_description():
    model = leg().with_parameters({"trunk.mass": 3.0, "shank.center": (0, 0, -0.1), "knee.friction": 0.2}).model
    anew = lo.Model(model.description)
    q, v = anew.random(1), np.linspace(-1.0, 1.0, anew.nv)
    assert model.digest == anew.digest and model.mass == anew.mass
    for function in (lo.kinetic_energy, lo.bias_force, lo.momentum):
        assert np.array_equal(function(model, q, v), function(anew, q, v))
    assert np.array_equal(lo.regressor(model, q, v, v), lo.regressor(anew, q, v, v))


@pytest.mark.parametrize("system", [False, True])
def test_run_files_keep_them(tmp_path, system):
    problem = lo.systems.load("roller_racer").problem() if system else leg()
    problem = problem.with_parameters({"*.mass": 1.5, "gravity": (0.0, 0.1, -9.0)})
    duration = 0.02
    problem.simulate(duration, progress=False).save(tmp_path / "run.h5")
    again = lo.open_run(tmp_path / "run.h5").problem
    assert again.parameters == problem.parameters
    assert np.array_equal(again.simulate(duration, progress=False).q[-1], problem.simulate(duration, progress=False).q[-1])


def test_systems_take_their_own_and_numbers_of_their_problem():
    system = lo.systems.load("snakeboard")
    other = system.with_parameters({"length": 0.3, "rotor.mass": 2.0}).with_parameters({"rate": 2.0})
    assert (other.parameters["length"], other.parameters["rate"]) == (0.3, 2.0)
    assert other.model.body("rotor").mass == 2.0 and other.problem().parameters["front_axle.placement"][0] == 0.3
    assert system.parameters["length"] == 0.2 and system.with_parameters({}) is system
    with pytest.raises(lo.UnknownName, match="did you mean 'length'"):
        system.with_parameters({"lenght": 1.0})
    with pytest.raises(lo.ModelError, match="parameter 'length' is -1.0, expected"):
        system.with_parameters({"length": -1.0})
