"""Every part that a problem can be made of goes into a run file and comes back: all classes, found by looking."""

import inspect
import json
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import locomote as lo
from locomote import public
from locomote.actuation.actuators import Actuator
from locomote.actuation.controllers import AnyController
from locomote.constraints.kinds import Constraint
from locomote.forces.flows.fields import Flow
from locomote.geometry.table import SHAPES
from locomote.locomotion.parts_record import back, parts, plain
from locomote.locomotion.record import problem_from_record

FLUID = lo.Fluid(1000.0, 1e-3)
SPLINE = lo.Spline([0.0, 0.5, 1.0, 1.5], [0.0, 0.1, 0.2, 0.1])
# values for fields that have no default, by name
VALUES = {
    "body": "l1",
    "fluid": FLUID,
    "rod": "r",
    "ratios": {"j0": 1.0, ("j1", 0): -0.5},
    "targets": {"j0": SPLINE, "j1": [0.1]},
    "stiffness": {"j0": 2.0},
    "damping": 0.3,
    "feet": {"l1": ((0.0, 0.0, 0.0),), lo.rods.Along("r", 0.1): ((0.0, 0.0, 0.0),)},
    "radii": {"l0": 0.1},
    "segments": (lo.water.Segment("l0", (0, 0, 0), (0.1, 0, 0), 0.06, 0.02),),
    "points": ((0.0, 0.0, 0.0),),
    "normals": ((0.0, 0.0, 1.0),),
    "areas": (1e-4,),
    "shape": lo.Ellipsoid((0.1, 0.1, 0.2)),
    "path": ((0, 0, 0.01), (0.3, 0, 0.01)),
    "tension": lo.Sine(1.0, 2.0),
    "activation": 0.5,
    "pressure": SPLINE,
    "stress": ((-1.0, -2.0), (0.0, 0.0), (0.5, 1.0), (1.0, 2.0)),
    "strain": "bending_z",
    "ground": lo.Ground(friction=0.3),
    "velocities": np.arange(24.0).reshape(2, 2, 2, 3),
    "velocity": (0.1, 0.2, 0.3),
    "stream": (0.3, 0, 0),
    "first": lo.water.Shear(0.1),
    "second": lo.water.Vortex(0.1, core=0.05, kind="rankine"),
    "load": 1.0,
    "start": (0.0, 0.0, 0.0),
    "end": (0.1, 0.0, 0.0),
    "root": (0.0, 0.0, 0.0),
    "tip": (0.0, 0.2, 0.0),
    "height": 0.1,
    "width": 0.1,
    "chord": 0.05,
    "half": (0.1, 0.2, 0.3),
    "semi_axes": (0.1, 0.2, 0.3),
    "values": (1.0, 2.0),
    "x": (0.0, 1.0),
    "origin": (0.0, 0.0, 0.0),
    "spacing": (1.0, 1.0, 1.0),
    "every": 0.01,
    "lift": (0.1, 0.2),
    "drag": (0.1, 0.2),
    "turning": (0.1, 0.2),
    "sphere": 0.1,
    "fibres": lo.Fibres(100.0, (0.1, 0.4)),
}
FUNCTIONS = {"Sampled", "Custom", "HeightField", "StrainField"}  # they hold a Python function, which no file keeps


def stands_in_a_problem(kind):
    return issubclass(kind, (Constraint, Flow, Actuator, AnyController)) or hasattr(kind, "term")


def public_parts():
    kinds = [value for value in public.everything().values() if inspect.isclass(value)]
    others = [
        lo.Touch,
        lo.Ground,
        lo.Fluid,
        lo.rods.Along,
        lo.water.Segment,
        lo.water.EllipticCylinder,
        lo.StrainWave,
        lo.StrainField,
    ]
    return {kind.__name__: kind for kind in (*filter(stands_in_a_problem, kinds), *SHAPES, *others)}


PARTS = public_parts()


def made(kind):
    """One of a class, with a value for every field that needs one."""
    given = {}
    needed = [p for p in inspect.signature(kind).parameters.values() if p.default is p.empty]
    for parameter in needed:
        given[parameter.name] = VALUES.get(parameter.name, 0.5)
    if kind is lo.water.EllipticCylinder:
        given["semi_axes"] = (0.1, 0.2)
    if kind is lo.water.KarmanStreet:
        given["spacing"] = 0.2
    if kind is lo.water.Plate:
        given |= {"chord": 0.05}
    if kind is lo.StrainWave:
        given["rate"] = 3.0
    if kind in (lo.Cable, lo.SkeletalMuscle):
        given["path"] = lo.Path([lo.Via("l0", (0.0, 0.0, 0.01)), lo.Via("l1", (0.3, 0.0, 0.01))])
    if kind is lo.Touch:
        given["sphere"] = 0.1
    return kind(**given)


def test_all_kinds_are_found():
    assert {"Vortex", "LoopClosure", "Servo", "PD", "ComputedTorque", "FeedForward", "Spring", "Tendon", "Keel"} <= set(PARTS)
    for name, kind in PARTS.items():
        assert is_dataclass(kind) and parts()[name] is kind, f"{name} cannot be stored"


def same(one, two):
    """Whether two values are the same, of the same kinds."""
    if isinstance(one, np.ndarray):
        return isinstance(two, np.ndarray) and np.array_equal(one, two) and one.dtype == two.dtype
    if is_dataclass(one) and type(one).__name__ in parts():
        return type(one) is type(two) and all(same(getattr(one, f.name), getattr(two, f.name)) for f in fields(one))
    if isinstance(one, (tuple, list)):
        return type(one) is type(two) and len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, dict):
        return list(one) == list(two) and all(same(one[key], two[key]) for key in one)
    return one == two


@pytest.mark.parametrize("name", sorted(set(PARTS) - FUNCTIONS))
def test_a_part_comes_back(name):
    part = made(PARTS[name])
    again = back(json.loads(json.dumps(plain(part))))
    assert same(again, part), (part, again)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_part_with_a_function_is_refused(name):
    kind = PARTS.get(name) or public.find(name)
    part = kind(rows=lambda *args: 0.0, count=1) if name == "Custom" else kind(lambda *args: 0.0)
    with pytest.raises(ValueError, match=rf"{name}.* cannot be stored, since its \w+ is a Python function"):
        plain(part)


@pytest.mark.parametrize(
    "options",
    [
        {"torques": lo.Servo({"j0": SPLINE, "j1": 0.1}, {"j0": 2.0, "j1": 3.0}, 0.1, torques={"j0": lo.Sine(0.1, 2.0)})},
        {"torques": [lo.PD({"j0": 0.3}, 2.0, 0.1, every=0.01), lo.PD({"j1": SPLINE}, 2.0, 0.1, every=0.02, name="second")]},
        {"torques": lo.ComputedTorque({"j0": 0.1, "j1": 0.2}, 10.0, 5.0)},
        {"torques": lo.FeedForward({"j0": 0.1, "j1": 0.2}, 10.0, 5.0)},
        {"torques": {"j0": lo.Sine(0.1, 2.0), ("j1", 0): 0.3}},
        {"springs": {"j0": (1.0, 0.1, 0.01)}, "drives": {"j1": SPLINE + lo.Sine(0.1, 3.0)}},
        {"start": ([0.1, 0.2], [0.3, 0.4]), "tolerances": (1e-6, 1e-8), "name": "own", "limits": False},
        *(
            {"constraints": [lo.LoopClosure("l1", kind=kind, other_frame=None)]}
            for kind in ("revolute", "weld", "spherical", "prismatic")
        ),
    ],
)
def test_a_problem_comes_back(options):
    builder = lo.Builder("two")
    for k in range(2):
        more = {"parent": "l0", "at": (0.3, 0, 0)} if k else {}
        builder.body(f"l{k}", joint=lo.Joint(f"j{k}"), inertia=lo.Inertia(1.0, (0.1, 0, 0), np.eye(3) * 0.1), **more)
    problem = lo.Locomotion(builder.build(), **options)
    again = problem_from_record(json.loads(json.dumps(problem.to_record())))
    q, v = problem.initial()
    assert np.array_equal(again.evaluate(0.2, q, v).a, problem.evaluate(0.2, q, v).a)
    assert again.to_record() == problem.to_record() and again.name == problem.name and again.limits == problem.limits
    assert np.array_equal(again.initial()[0], q)
