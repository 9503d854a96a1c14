"""What acts on the mechanisms of the crossings: forces, ground, drives, torques, controllers, actuators.

A function with `@act(title, host)` gives arguments of lo.Locomotion for a mechanism. Alone it is a row of the table on its
host; with other mechanisms it makes pairs, unless it raises CannotMeet.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from crossing_bodies import Mechanism

import locomote as lo
from locomote.law import dot, scale, subtract, unrotate

WATER, AIR = lo.Fluid(density=1000.0, viscosity=1e-3), lo.Fluid(density=1.2, viscosity=1.8e-5)


class CannotMeet(Exception):
    """Why an act has no meaning for a mechanism."""


class Act(NamedTuple):
    """An act, and the mechanism on which it is a row of its own."""

    make: Callable[[Mechanism], dict[str, Any]]
    host: str


ACTS: dict[str, Act] = {}


def act(title: str, host: str = "arm"):
    """Put a function into the list under a title."""

    def put(make):
        assert title not in ACTS
        ACTS[title] = Act(make, host)
        return make

    return put


def joint_of(m: Mechanism) -> str:
    if m.joint is None:
        raise CannotMeet("there is no joint with one coordinate")
    return m.joint


def rod_of(m: Mechanism) -> str:
    if m.rod is None:
        raise CannotMeet("there is no rod")
    return m.rod


def start_of(m: Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """Where a run of the mechanism alone begins."""
    return lo.Locomotion(m.model, **m.parts).initial(m.q, m.v, ignore=m.how.get("ignore", ()))


def value_of(m: Mechanism) -> float:
    """The coordinate of the joint at the start."""
    problem = lo.Locomotion(m.model, **m.parts)
    return float(problem.initial(m.q, m.v, ignore=m.how.get("ignore", ()))[0][problem.model.joint(joint_of(m)).q][0])


def height_of(m: Mechanism) -> float:
    """The height of the tip at the start, m."""
    problem = lo.Locomotion(m.model, **m.parts)
    pose = lo.forward_kinematics(problem.model, problem.initial(m.q, m.v)[0])[problem.model.body_index(m.tip)]
    return float((pose @ [*m.point, 1.0])[2])


def with_weight(m: Mechanism) -> None:
    if not m.parts.get("inertia", True):
        raise CannotMeet("nothing has inertia")


# forces


@act("spring between points")
def spring(m):
    return {"environment": [lo.Spring(m.tip, None, m.point, (0.3, 0.4, 0.2), 30.0, 0.2, 0.5, name="spring")]}


@act("cable round a cylinder")
def cable(m):
    return {"environment": [lo.Cable(path_of(m), 30.0, 0.2, 0.5, 0.2, name="cable")]}


@act("skeletal muscle")
def skeletal_muscle(m):
    fibres = lo.Fibres(3.0, (0.2, 0.9), (0.5, 1.5), speed=4.0)
    return {"environment": [lo.SkeletalMuscle(path_of(m), fibres, 0.4, name="muscle")]}


def path_of(m):
    wrap = lo.Wrap(None, "cylinder", 0.05, (0.2, 0.2, 0.1), (0.1, 0.2, 1.0))
    return lo.Path([lo.Via(m.tip, m.point), wrap, lo.Via(None, (0.3, 0.4, 0.2)), lo.Pulley(2), lo.Via(m.tip), lo.Via(None)])


@act("springs of the problem")
def springs(m):
    return {"springs": {joint_of(m): (20.0, 0.1, 0.3)}}


@lo.force(energy=True)
def magnet(t, R, o, u, w, strength, center):
    d = subtract(o, center)
    near = dot(d, d) + 0.01
    return unrotate(R, scale(-strength / (near * near), d)), (0.0, 0.0, 0.0), -0.5 * strength / near, 0.0


@act("force of your own")
def own_force(m):
    return {"environment": [magnet(m.tip, point=m.point, strength=0.5, center=(0.4, 0.1, 0.0))]}


class Push:
    """A function of the environment that can be copied and pickled."""

    def __init__(self, body):
        self.body = body

    def __call__(self, t, q, v):
        return {self.body: [np.sin(20 * t), 0.5, -1.0 + 0.1 * q[0], 0.05, 0.02 * v[0], 0.0]}


@act("Python environment")
def environment(m):
    return {"environment": [Push(m.tip)]}


@act("water: buoyancy, added mass, drag")
def water(m):
    with_weight(m)
    shape = lo.Ellipsoid((0.1, 0.04, 0.04))
    return {
        "environment": [
            lo.Buoyancy(m.tip, WATER, volume=5e-4, name="lift"),
            lo.AddedMass(m.tip, WATER, shape, name="added"),
            lo.Drag(m.tip, WATER, area=0.004, name="drag"),
        ]
    }


@act("flow: shear and vortex")
def flow(m):
    stream = lo.water.Shear(1.0, velocity=(0.4, 0, 0)) + lo.water.Vortex(0.3, 0.1, (0.5, 0.5, 0))
    return {"environment": [lo.water.StokesDrag(m.tip, lo.Fluid(1000.0, 1.0, flow=stream), 0.05, name="drift")]}


@act("flow on a grid")
def grid(m):
    x, z = np.meshgrid(np.linspace(-2, 2, 5), np.linspace(-2, 2, 5), indexing="ij")
    samples = np.stack([0.3 + 0.1 * z, 0 * x, 0.1 * x], axis=-1)[:, None]
    stream = lo.water.Grid(samples, (-2, 0, -2), (1, 1, 1))
    return {"environment": [lo.water.StokesDrag(m.tip, lo.Fluid(1000.0, 1.0, flow=stream), 0.05, name="drift")]}


@act("slender drag and elongated body")
def lighthill(m):
    with_weight(m)
    if m.rod == m.tip or m.point[0] < 0.2:
        raise CannotMeet("the tip is not a slender body")
    tail = lo.water.Segment(m.tip, (0, 0, 0), m.point, 0.04, 0.02)
    return {
        "environment": [
            lo.water.Lighthill(WATER, [tail], name="fish"),
            lo.water.SlenderDrag(m.tip, WATER, (0, 0, 0), m.point, 0.04, name="skin"),
        ]
    }


@act("wing")
def wing(m):
    with_weight(m)
    return {"environment": [lo.water.Wing(m.tip, AIR, (0, 0, 0), (0, 0.3, 0), 0.1, name="wing")]}


@act("sand around")
def sand(m):
    if m.point[0] < 0.2:
        raise CannotMeet("the tip is not a slender body")
    return {"environment": [lo.water.Granular(m.tip, (0, 0, 0), m.point, 0.01, 300.0, 50.0, slow=0.05, name="sand")]}


@act("spheres that feel each other", "without inertia")
def spheres(m):
    others = [name for name in m.model.body_names if name != m.tip][:1]
    if not others or m.rod:
        raise CannotMeet("there is no other rigid body")
    radii = {m.tip: 0.02, others[0]: 0.03}
    return {"environment": [lo.water.ViscousSpheres(lo.Fluid(1000.0, 1.0), radii, "oseen", name="spheres")]}


# ground

WEDGE = [(0.006, 0.0, 0.0), (-0.006, 0.005, 0.0), (-0.006, -0.005, 0.0), (0.0, 0.0, -0.006)]  # corners, m


@act("soft ground", "free base")
def soft_ground(m):
    floor = lo.Plane((0, 0, height_of(m) - 0.002))
    return {"environment": [lo.SoftGround({m.tip: [m.point]}, 3e3, 60.0, 0.5, floor, slow=0.05, name="soft")]}


def touching(surface, part=None, **more):
    """A touch of the tip, a small ball if nothing is said, on a surface that is made for a height."""

    def make(m):
        with_weight(m)
        ground = lo.Ground(surface(height_of(m) - 0.01), friction=0.4, **more)
        return {"contacts": [lo.Touch(m.tip, ground, at=m.point, name="touch", **(part or {"sphere": 0.005}))]}

    return make


def hills(x, y):
    return [0.02 * np.sin(5 * x), 0.1 * np.cos(5 * x), 0.0, -0.5 * np.sin(5 * x), 0.0, 0.0]


class Hills:
    """Waves at a height, as a function that can be pickled."""

    def __init__(self, z):
        self.z = z

    def __call__(self, x, y):
        f, *slopes = hills(x, y)
        return [self.z - 0.02 + f, *slopes]


for title, surface, more in (
    ("touch: plane", lambda z: lo.Plane((0, 0, z)), {}),
    ("touch: plane that rebounds", lambda z: lo.Plane((0, 0, z)), {"restitution": 0.5}),
    ("touch: sphere", lambda z: lo.Sphere((0.2, 0.0, z - 1.0), 1.0), {}),
    ("touch: box", lambda z: lo.Box((1.0, 1.0, 1.0), (0, 0, z - 1.0)), {}),
    ("touch: steps", lambda z: lo.Steps(0.5, 0.01, 2, (-1.0, 0, z - 0.03)), {}),
    ("touch: height field", lambda z: lo.HeightField(Hills(z)), {}),
    ("touch: ground that gives way", lambda z: lo.Plane((0, 0, z)), {"stiffness": 3e3, "damping": 30.0}),
    ("touch: static friction that fades", lambda z: lo.Plane((0, 0, z)), {"static": 0.8, "fading": 0.3}),
    ("touch: belt", lambda z: lo.Plane((0, 0, z)), {"motion": (0.3, 0.1, 0.0)}),
    ("touch: glue", lambda z: lo.Plane((0, 0, z)), {"adhesion": 2.0}),
    ("touch: skate", lambda z: lo.Plane((0, 0, z)), {"across": 0.9, "part": {"sphere": 0.005, "along": (1, 0, 0)}}),
    ("touch: rolling friction", lambda z: lo.Plane((0, 0, z)), {"rolling": 0.002, "torsion": 0.003}),
    ("touch: hull", lambda z: lo.Plane((0, 0, z)), {"part": {"shape": lo.Hull(WEDGE)}}),
):
    act(title, "free base")(touching(surface, **more))


@act("touch: between two bodies", "free base")
def between(m):
    others = [name for name in m.model.body_names if name != m.tip]
    if not others or m.rod:
        raise CannotMeet("there is no other rigid body")
    return {"contacts": lo.between(m.tip, lo.Sphere(m.point, 0.05), others[0], lo.Box((0.1, 0.3, 0.05), (0, 0, -0.2)))}


@act("shapes that touch", "free base")
def shapes(m):
    with_weight(m)
    others = [name for name in m.model.body_names if name != m.tip]
    if not others or m.rod:
        raise CannotMeet("there is no other rigid body")
    solids = (
        lo.Solid(m.tip, lo.Hull(WEDGE), at(m.point)),
        lo.Solid(None, lo.Plane((0, 0, height_of(m) - 0.02))),
        lo.Solid(others[0], lo.Box((0.05, 0.05, 0.05)), at((0, 0, -0.2))),
    )
    return {"contacts": [lo.BodyContacts(solids, ((0, 1), (0, 2)), friction=0.4)]}


def at(point) -> np.ndarray:
    """A pose without a turn."""
    pose = np.eye(4)
    pose[:3, 3] = point
    return pose


def lowest_of(m: Mechanism) -> float:
    """The height of the lowest section of a rod at the start, m."""
    problem = lo.Locomotion(m.model, **m.parts)
    return float(lo.rods.sections(problem.model, problem.initial(m.q, m.v)[0], rod_of(m)).poses[:, 2, 3].min())


@act("touch: along a rod", "free rod")
def along(m):
    ground = lo.Ground(lo.Plane((0, 0, lowest_of(m) - 0.02)), friction=0.4)
    return {"contacts": [lo.Touch(rod_of(m), ground, start=0.0, elements=3, name="belly")]}


@act("soft ground along a rod", "free rod")
def soft_along(m):
    floor = lo.Plane((0, 0, lowest_of(m) - 0.012))
    return {"environment": [lo.SoftGround({rod_of(m): (0.0, 0.4)}, 3e3, 30.0, 0.5, floor, slow=0.05, name="soft")]}


# drives


def driving(drive):
    def make(m):
        return {"drives": {joint_of(m): drive + value_of(m)}}

    return make


def wave(t):
    return 0.2 * np.sin(9.0 * t)


for title, drive in (
    ("drive: sine", lo.Sine(0.3, 12.0, ramp=0.1)),
    ("drive: spline", lo.Spline([0.0, 0.06, 0.1, 0.2], [0.0, 0.05, 0.02, 0.1], end="clamped")),
    ("drive: cycloid", lo.Cycloid(0.0, 0.3, 0.16)),
    ("drive: polynomial", lo.Polynomial([0.0, 0.5, 2.0])),
    ("drive: function", lo.Function(wave)),
):
    act(title)(driving(drive))


# torques


@act("torque over time")
def torque(m):
    return {"torques": {joint_of(m): lo.Sine(0.2, 15.0, offset=0.2)}}


class Gains:
    """A controller as a function that can be pickled."""

    def __init__(self, k, nv):
        self.k, self.nv = k, nv

    def __call__(self, t, q, v):
        tau = np.zeros(self.nv)
        tau[self.k] = 0.06 - 0.005 * v[self.k] + 0.04 * np.sin(9 * t)
        return tau


class Integral(Gains):
    """The same with a state."""

    def __call__(self, t, q, v, state):
        state = state + 0.02 * v[self.k]
        return super().__call__(t, q, v) - 0.2 * state[0] * np.eye(self.nv)[self.k], state


def gains(m, kind=Gains):
    model = lo.Locomotion(m.model, **m.parts).model
    return kind(model.joint(joint_of(m)).v.start, model.nv)


@act("torque function")
def function(m):
    return {"torques": gains(m)}


@act("sampled controller")
def sampled(m):
    return {"torques": lo.Sampled(gains(m), every=0.02)}


@act("sampled controller with a state")
def sampled_state(m):
    return {"torques": lo.Sampled(gains(m, Integral), every=0.02, state=[0.1], between="line")}


@act("PD")
def pd(m):
    return {"torques": lo.PD({joint_of(m): lo.Sine(0.2, 8.0, offset=value_of(m))}, 5.0, 0.1, every=0.02)}


@act("servo")
def servo(m):
    return {"torques": lo.Servo({joint_of(m): lo.Sine(0.2, 8.0, offset=value_of(m))}, 5.0, 0.1)}


@act("computed torque")
def computed(m):
    return {"torques": lo.ComputedTorque({joint_of(m): lo.Sine(0.2, 8.0, offset=value_of(m))}, 100.0, 20.0)}


@act("feed-forward", "free base")
def feed_forward(m):
    return {"torques": lo.FeedForward({joint_of(m): lo.Sine(0.2, 8.0, offset=value_of(m))}, 5.0, 0.1)}


@act("whole-body control")
def whole_body(m):
    control = lo.control.WholeBody(m.model, [lo.control.Posture(reference=start_of(m)[0], stiffness=50.0)])
    return {"torques": lo.Sampled(control, every=0.02)}


# inside rods


@act("tendon", "rod")
def tendon(m):
    path = ((0, 0.008, 0), (0.4, 0.008, 0))
    return {"actuators": [lo.Tendon(rod_of(m), path, tension=lo.Sine(1.0, 10.0, offset=1.0), name="tendon")]}


@act("chamber, muscle, strain law", "rod")
def muscles(m):
    path = ((0, -0.008, 0), (0.4, -0.008, 0))
    return {
        "actuators": [
            lo.Chamber(rod_of(m), 1e-4, 5e3, (0.0, 0.004), name="chamber"),
            lo.Muscle(rod_of(m), path, 1.0, lo.Sine(0.4, 10.0, offset=0.5), speed=3.0, name="muscle"),
            lo.rods.StrainLaw(rod_of(m), "bending_z", hardening, reach=(-20.0, 20.0), name="law"),
        ]
    }


def hardening(strain):
    return 1e-5 * strain**3
