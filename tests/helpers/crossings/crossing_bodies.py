"""Mechanisms of the crossings: every kind of joint, base, loop, constraint and flexible body, as small as it can be.

A function with `@mechanism(title)` is a row of the table and meets the acts of `crossing_acts`. It takes limits for the joint
that others may drive, push and limit.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import locomote as lo

MECHANISMS: dict[str, Callable[..., "Mechanism"]] = {}
LINK = lo.Inertia(1.0, (0.15, 0.0, 0.0), (0.002, 0.012, 0.012))  # 0.3 m along x
BLOCK = lo.Inertia.box(2.0, (0.3, 0.2, 0.1))


@dataclass(frozen=True)
class Mechanism:
    """A model with what belongs to it.

    parts : arguments of lo.Locomotion ; q, v : where runs start near
    joint : one coordinate that a drive or a torque may move ; tip, point : where forces act and what touches
    rod : name of a flexible body that actuators act in ; events, ignore : of its runs
    """

    model: lo.Model
    tip: str
    joint: str | None = None
    point: tuple[float, float, float] = (0.3, 0.0, 0.0)
    parts: dict[str, Any] = field(default_factory=dict)
    q: Any = None
    v: Any = None
    rod: str | None = None
    how: dict[str, Any] = field(default_factory=dict)
    duration: float = 0.2  # s

    def with_parts(self, **more) -> "Mechanism":
        return replace(self, parts=self.parts | more)


def mechanism(title: str):
    """Put a function into the list under a title."""

    def put(make):
        assert title not in MECHANISMS
        MECHANISMS[title] = make
        return make

    return put


def turning(name: str, limits: dict, **more) -> lo.Joint:
    """A hinge about y, with limits if they are asked for."""
    return lo.Joint(name, axis="y", **more | limits)


# trees


@mechanism("arm")
def arm(**limits):
    builder = lo.Builder("robot")
    builder.body("upper", joint=turning("hinge", limits), inertia=LINK)
    builder.body("tip", parent="upper", at=(0.3, 0, 0), joint=lo.Joint("elbow", axis="y"), inertia=LINK)
    return Mechanism(builder.build(), "tip", "hinge", q=[0.3, -0.5], v=[0.5, -1.0])


@mechanism("tree with a slider")
def tree(**limits):
    builder = lo.Builder("robot")
    builder.body("root", joint=turning("hinge", limits), inertia=LINK)
    builder.body("left", parent="root", at=(0.3, 0.1, 0), joint=lo.Joint("left", axis="x"), inertia=LINK)
    builder.body("tip", parent="root", at=(0.3, -0.1, 0), joint=lo.Joint("slide", "prismatic", axis="x"), inertia=LINK)
    return Mechanism(builder.build(), "tip", "hinge", q=[0.3, 0.4, 0.1], v=[0.5, -1.0, 0.3])


@mechanism("free base")
def free_base(**limits):
    builder = lo.Builder("robot", base="free").body("trunk", inertia=BLOCK)
    builder.body("tip", parent="trunk", at=(0.15, 0, 0), joint=turning("hinge", limits), inertia=LINK)
    q = [0.1, 0.0, 0.5, 0.0, np.sin(0.1), 0.0, np.cos(0.1), 0.3]
    return Mechanism(builder.build(), "tip", "hinge", q=q, v=[0.3, 0.1, 0.0, 0.5, 0.2, -0.3, 1.0])


@mechanism("planar base")
def planar_base(**limits):
    builder = lo.Builder("robot", base="planar").body("trunk", inertia=BLOCK)
    builder.body("tip", parent="trunk", at=(0.15, 0, 0), joint=lo.Joint("hinge", **limits), inertia=LINK)
    return Mechanism(builder.build(), "tip", "hinge", q=[0.1, 0.0, 0.2, 0.3], v=[0.3, 0.1, 0.5, -1.0])


@mechanism("spherical joint")
def spherical(**limits):
    builder = lo.Builder("robot").body("upper", joint=lo.Joint("ball", "spherical"), inertia=LINK)
    builder.body("tip", parent="upper", at=(0.3, 0, 0), joint=turning("hinge", limits), inertia=LINK)
    return Mechanism(builder.build(), "tip", "hinge", q=[0, np.sin(0.2), 0, np.cos(0.2), 0.4], v=[0.3, 0.5, -0.4, 0.6])


@mechanism("universal joint")
def universal(**limits):
    builder = lo.Builder("robot").body("upper", joint=lo.Joint("cross", "universal", axis="y", axis2="z"), inertia=LINK)
    builder.body("tip", parent="upper", at=(0.3, 0, 0), joint=turning("hinge", limits), inertia=LINK)
    return Mechanism(builder.build(), "tip", "hinge", q=[0.3, 0.2, 0.4], v=[0.3, 0.5, -0.4])


@mechanism("helical and cylindrical joints")
def screws(**limits):
    builder = lo.Builder("robot").body(
        "upper", joint=lo.Joint("hinge", "helical", axis="y", pitch=0.05, **limits), inertia=LINK
    )
    builder.body("tip", parent="upper", at=(0.3, 0, 0), joint=lo.Joint("pipe", "cylindrical", axis="y"), inertia=LINK)
    return Mechanism(builder.build(), "tip", "hinge", q=[0.3, 0.2, 0.4], v=[0.3, 0.5, -0.4])


@mechanism("euler joint")
def euler(**limits):
    builder = lo.Builder("robot").body("upper", joint=lo.Joint("turns", "euler", sequence="yzx"), inertia=LINK)
    builder.body("tip", parent="upper", at=(0.3, 0, 0), joint=turning("hinge", limits), inertia=LINK)
    return Mechanism(builder.build(), "tip", "hinge", q=[0.3, 0.2, 0.4, 0.1], v=[0.3, 0.5, -0.4, 0.6])


@mechanism("pin in slot")
def slotted(**limits):
    builder = lo.Builder("robot").body("upper", joint=turning("hinge", limits), inertia=LINK)
    pin = lo.Joint("pin", "pin_in_slot", axis="y", axis2="x", stiffness=(40.0, 0.0))
    builder.body("tip", parent="upper", at=(0.3, 0, 0), joint=pin, inertia=LINK)
    return Mechanism(builder.build(), "tip", "hinge", q=[0.3, 0.05, 0.4], v=[0.3, 0.1, -0.4])


@mechanism("mimic joint")
def mimic(**limits):
    builder = lo.Builder("robot").body("upper", joint=turning("hinge", limits), inertia=LINK)
    builder.body("tip", parent="upper", at=(0.3, 0, 0), joint=lo.Joint("elbow", axis="y"), inertia=LINK)
    builder.couple("elbow", {"hinge": -2.0}, offset=0.1)
    return Mechanism(builder.build(), "tip", "hinge", q=[0.3], v=[0.5])


@mechanism("joint springs, dampers, armature")
def sprung(**limits):
    builder = lo.Builder("robot")
    builder.body("upper", joint=turning("hinge", limits, stiffness=5.0, rest=0.2, damping=0.1, armature=0.01), inertia=LINK)
    builder.body("tip", parent="upper", at=(0.3, 0, 0), joint=lo.Joint("elbow", axis="y", damping=0.05), inertia=LINK)
    return Mechanism(builder.build(), "tip", "hinge", q=[0.3, -0.5], v=[0.5, -1.0])


@mechanism("dry friction")
def dry(**limits):
    builder = lo.Builder("robot").body("upper", joint=turning("hinge", limits, friction=0.5), inertia=LINK)
    builder.body("tip", parent="upper", at=(0.3, 0, 0), joint=lo.Joint("elbow", axis="y"), inertia=LINK)
    return Mechanism(builder.build(), "tip", "hinge", q=[0.3, -0.5], v=[3.0, -1.0])


# constraints


@mechanism("coupling")
def coupling(**limits):
    return arm(**limits).with_parts(constraints=[lo.Coupled({"hinge": 1.0, "elbow": 0.5}, name="gear")])


@mechanism("distance")
def distance(**limits):
    tie = lo.Distance("tip", None, (0.3, 0, 0), (0.4, 0.3, -0.6), name="tie")
    return arm(**limits).with_parts(constraints=[tie])


@mechanism("four-bar")
def four_bar(base="fixed", **limits):
    builder = lo.Builder("robot", base=base).body("frame", inertia=BLOCK)
    builder.body("crank", parent="frame", joint=turning("hinge", limits), inertia=LINK)
    builder.body("tip", parent="crank", at=(0.3, 0, 0), joint=lo.Joint("knee", axis="y"), inertia=LINK)
    builder.body("rocker", parent="frame", at=(0.4, 0, 0), joint=lo.Joint("rocker", axis="y"), inertia=LINK)
    up = np.array([[1.0, 0, 0, 0.3], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])  # z of the closing frames along y
    loop = lo.LoopClosure("tip", "rocker", "revolute", frame=up, other_frame=up, name="pin")
    q, v = [-1.2, 1.1, -1.0], [1.0, 0.0, 0.0]
    if base == "free":
        q, v = [0, 0, 0.5, 0, 0, 0, 1, *q], [0.1, 0.2, 0, 0.1, 0.3, 0.2, *v]
    return Mechanism(builder.build(), "tip", "hinge", parts={"constraints": [loop]}, q=q, v=v)


@mechanism("four-bar on a free base")
def floating_four_bar(**limits):
    return four_bar("free", **limits)


def loop_of(kind):
    """A body that floats beside an arm and is joined to it by a loop of this kind."""

    def make(**limits):
        builder = lo.Builder("robot").body("upper", joint=turning("hinge", limits), inertia=LINK)
        builder.body("tip", parent="upper", at=(0.3, 0, 0), joint=lo.Joint("floats", "free"), inertia=LINK)
        loop = lo.LoopClosure("tip", "upper", kind, frame=(0, 0, 0), other_frame=(0.3, 0, 0), name="loop")
        q = [0.3, 0, 0, 0, 0, 0, 0, 1]
        return Mechanism(builder.build(), "tip", "hinge", parts={"constraints": [loop]}, q=q, v=[0.5, 0, 0, 0.3, 0.2, 0.5, 0.4])

    return make


for kind in ("weld", "revolute", "spherical", "universal", "prismatic", "cylindrical", "planar"):
    mechanism(f"{kind} loop")(loop_of(kind))


@mechanism("blade")
def blade(**limits):
    start = planar_base(**limits)
    return replace(start, parts={"constraints": [lo.Blade("trunk", (-0.15, 0, 0), name="skate")]})


@mechanism("rolling wheel")
def wheel(**limits):
    builder = lo.Builder("robot", base="free").body("wheel", inertia=lo.Inertia.cylinder(1.0, 0.1, 0.02))
    builder.body("tip", parent="wheel", joint=lo.Joint("hinge", **limits), inertia=lo.Inertia(0.5, (0.08, 0, 0)))
    side = np.sqrt(0.5)  # z of the disc along y of the world
    q = [0.0, 0.0, 0.1, side, 0.0, 0.0, side, 0.2]
    rolling = lo.Rolling("wheel", 0.1, (0, 0, 1), name="ground")
    return Mechanism(
        builder.build(), "tip", "hinge", (0.08, 0, 0), {"constraints": [rolling]}, q, [1.0, 0, 0, 0.2, 0, -8.0, 0.5]
    )


@mechanism("point contact")
def point_contact(**limits):
    foot = lo.PointContact("trunk", (-0.15, 0, 0), name="foot")
    return replace(free_base(**limits), parts={"constraints": [foot]}, v=[0, 0, 0, 0.5, 0.2, -0.3, 1.0])


@mechanism("surface contact")
def surface_contact(**limits):
    foot = lo.SurfaceContact("trunk", (-0.15, 0, 0), name="foot")
    return replace(free_base(**limits), parts={"constraints": [foot]}, v=[0, 0, 0, 0, 0, 0, 1.0])


@mechanism("unilateral contact")
def hits(**limits):
    floor = lo.PointContact("trunk", (0, 0, 0), (0, 0, 0.45), "z", unilateral=True, restitution=0.5, name="floor")
    return replace(free_base(**limits), parts={"constraints": [floor]})


def circle_rows(t, q, v):
    return [[1.0, 0.5 + 0.2 * q[1]]]


def circle_error(t, q, v):
    return [q[0] + 0.5 * q[1] + 0.1 * q[1] ** 2]


@mechanism("rows of your own")
def custom(**limits):
    rows = lo.Custom(rows=circle_rows, error=circle_error, name="curve")
    return arm(**limits).with_parts(constraints=[rows])


def time_is_half(t, q, v):
    return t - 0.1


@mechanism("constraints that switch")
def switching(**limits):
    pin = lo.PointContact("tip", (0.3, 0, 0), directions="x", name="pin")
    catch = lo.Blade("tip", (0.3, 0, 0), (0, 0, 1), name="catch")
    switch = lo.When(time_is_half, open=["pin"], close=["catch"], name="switch")
    return replace(arm(**limits).with_parts(constraints=[pin, catch]), how={"events": [switch], "ignore": ["catch"]})


# flexible bodies


def cable(strains="bending_z", order=2, damping=0.02, **more):
    return lo.Rod(
        0.4, lo.Section.circle(0.01), lo.Material(1000, 2e6, damping=damping), strains=strains, order=order, nodes=6, **more
    )


@mechanism("rod")
def rod(**limits):
    builder = lo.Builder("robot", gravity=(0, -9.81, 0))
    builder.body("rod", joint=lo.Joint("hinge", **limits), flex=cable()).body("tip", parent="rod", inertia=lo.Inertia(0.05))
    return Mechanism(builder.build(), "tip", "hinge", (0, 0, 0), q=[0.1, 0.5, 0.2, 0.0], v=[0.5, 0, 0, 0], rod="rod")


@mechanism("free rod")
def free_rod(**limits):
    builder = lo.Builder("robot", base="free").body("tip", inertia=lo.Inertia.box(0.5, (0.1, 0.1, 0.1)))
    builder.body("rod", parent="tip", joint=turning("hinge", limits), flex=cable("bending", 1))
    q = [0, 0, 0.5, 0, 0, 0, 1, 0.2, 0.3, 0.1, 0.2, 0.0]
    return Mechanism(builder.build(), "tip", "hinge", (0, 0, 0), q=q, v=[0.2, 0, 0, 0.5, 0.3, 0.1, 1.0, 0, 0, 0, 0], rod="rod")


@mechanism("rod with a keel")
def keel(**limits):
    builder = lo.Builder("robot", base="planar").body("rod", flex=cable()).body("tip", parent="rod", inertia=lo.Inertia(0.05))
    start = Mechanism(builder.build(), "tip", None, (0, 0, 0), {"constraints": [lo.Keel("rod", name="keel")]}, rod="rod")
    return replace(start, q=[0, 0, 0.1, 1.0, 0.5, 0.2], v=[0.5, 0, 0, 0, 0, 0])


@mechanism("rod with imposed strains")
def wave(**limits):
    points = lo.Rod(0.4, lo.Section.circle(0.01), strains="bending_z", basis={"bending_z": lo.rods.Points()}, nodes=6)
    builder = lo.Builder("robot", base="planar").body("rod", flex=points).body("tip", parent="rod", inertia=lo.Inertia(0.05))
    strain = {"rod": lo.StrainWave(amplitude=3.0, wavelength=0.4, frequency=2.0)}
    return Mechanism(builder.build(), "tip", None, (0, 0, 0), {"drives": strain})


@mechanism("constraint on a section of a rod")
def held_section(**limits):
    held = lo.PointContact(lo.rods.Along("rod", 0.2), target=None, name="ring")
    return rod(**limits).with_parts(constraints=[held])


@mechanism("modal body")
def modal(**limits):
    x, y = np.meshgrid(np.linspace(0, 0.4, 4), (-0.1, 0.1))
    points = np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()])
    bend, twist = np.zeros((2, 8, 3))
    bend[:, 2], twist[:, 2] = points[:, 0] ** 2, points[:, 0] * points[:, 1]
    panel = lo.rods.Modes(points, np.full(8, 0.05), [bend, twist], stiffness=[40.0, 3.0], ratio=0.02)
    builder = lo.Builder("robot").body("panel", joint=turning("hinge", limits), flex=panel)
    builder.body("tip", parent="panel", along=7, inertia=lo.Inertia(0.05))
    return Mechanism(builder.build(), "tip", "hinge", (0, 0, 0), q=[0.2, 0.3, 0.1], v=[0.5, 0, 0])


# without inertia

HONEY = lo.Fluid(density=1000.0, viscosity=1.0)


@mechanism("without inertia")
def creeping(**limits):
    builder = lo.Builder("robot", base="planar", gravity=(0, 0, 0)).body("trunk", inertia=BLOCK)
    builder.body("tip", parent="trunk", at=(0.3, 0, 0), joint=lo.Joint("hinge", stiffness=0.5, **limits), inertia=LINK)
    drag = [
        lo.water.Resistive(name, HONEY, (0, 0, 0), (0.3, 0, 0), along=1.0, across=2.0, name=f"drag {name}")
        for name in ("trunk", "tip")
    ]
    return Mechanism(builder.build(), "tip", "hinge", parts={"environment": drag, "inertia": False}, q=[0, 0, 0, 0.8])


# files

SCENE = """<mujoco model="robot"><compiler angle="radian"/><option timestep="0.002"/><worldbody>
  <site name="ceiling" pos="0.3 0.1 0.4"/>
  <body name="upper"><joint name="hinge" axis="0 1 0" {limits}/>
    <inertial pos="0.15 0 0" mass="1" diaginertia="0.002 0.012 0.012"/>
    <body name="tip" pos="0.3 0 0"><joint name="elbow" axis="0 1 0" damping="0.02"/>
      <inertial pos="0.15 0 0" mass="1" diaginertia="0.002 0.012 0.012"/><site name="hook" pos="0.2 0 0.02"/>
      <body name="finger" pos="0.3 0 0"><joint name="curl" axis="0 1 0"/>
        <inertial pos="0.05 0 0" mass="0.1" diaginertia="1e-4 2e-4 2e-4"/></body></body></body></worldbody>
  <equality><joint joint1="curl" joint2="elbow" polycoef="0.1 0.5 0.2 0 0"/></equality>
  <tendon><spatial name="string"><site site="ceiling"/><site site="hook"/></spatial></tendon>
  <actuator>
    <general name="slow" joint="hinge" dyntype="filterexact" dynprm="0.03" gainprm="0.5" ctrlrange="-1 1"/>
    <position name="hold" joint="elbow" kp="3" kv="0.1" ctrlrange="-1 1"/>
    <muscle name="pull" tendon="string" lengthrange="0.2 0.9" force="3"/>
  </actuator></mujoco>"""


@mechanism("scene of a file")
def scene(**limits):
    """A relation that is not linear, a motor with a lag, one that holds a place, a muscle."""
    said = {"range": f"{limits.get('lower', -9)} {limits.get('upper', 9)}"} if {"lower", "upper"} & set(limits) else {}
    if "effort_limit" in limits:
        said["actuatorfrcrange"] = f"{-limits['effort_limit']} {limits['effort_limit']}"
    text = SCENE.format(limits=" ".join(f'{name}="{value}"' for name, value in said.items()))
    problem = lo.load_scene(text, controls={"slow": 0.4, "hold": lo.Sine(0.2, 8.0), "pull": 0.5})
    parts = {name: list(getattr(problem, name)) for name in ("constraints", "environment")}
    return Mechanism(
        problem.model,
        "tip",
        "hinge",
        parts=parts | {"torques": list(problem.controllers)},
        q=[0.3, -0.5, -0.1],
        v=[0.5, -1.0, 0.0],
    )
