"""What a scene file says besides its mechanism, as plain data: loops, motors, and where it starts.

`locomote.load_scene` makes a problem of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.model.description import Collision, Description, Keyframe, keep_arrays
from locomote.model.paths import Fibres, Path
from locomote.model.splines import Spline


@brief
@dataclass(frozen=True)
class Loop:
    """Two frames that stay together: "weld", or "spherical" if only their origins do.

    body, other : names, None for the world ; frame, other_frame : (4, 4) poses in them
    """

    name: str
    kind: str
    body: str | None
    other: str | None
    frame: np.ndarray
    other_frame: np.ndarray

    def __post_init__(self) -> None:
        keep_arrays(self, "frame", "other_frame")


@brief
@dataclass(frozen=True)
class Relation:
    """Coordinates that are held together: sum of ratio * q = offset + sum of coefficients[k] * x^k, with x = q_other - start.

    ratios : joint -> ratio ; other : joint, None if there is none ; coefficients : of x, x^2, ...; start : rad or m
    knots : (x, y) of points of a spline, which then stands for the sum
    """

    name: str
    ratios: Mapping[str, float]
    offset: float
    other: str | None = None
    coefficients: tuple[float, ...] = ()
    start: float = 0.0
    knots: tuple[tuple[float, ...], ...] = ()

    def curve(self) -> Callable[[Any, int], Any]:
        """The sum, or the spline, and its derivatives, as a function of x, a number or an array, and the order."""
        if self.knots:
            return Spline(*self.knots)
        power = np.polynomial.Polynomial((0.0, *self.coefficients))
        return lambda x, order=0: power.deriv(order)(x) if order else power(x)


ALWAYS = (-np.inf, np.inf)


@brief
@dataclass(frozen=True, eq=False)
class Site:
    """A frame that a motor acts on (`actuation.sites`).

    body : None for the world ; gear : along and about its axes, or those of the reference `other`, if there is `other_frame`
    rod : length of the rod of a slider crank, m, from this frame to a slider along z of the reference; 0 without
    """

    body: str | None
    frame: np.ndarray
    gear: tuple[float, ...]
    other: str | None = None
    other_frame: np.ndarray | None = None
    rod: float = 0.0

    def __post_init__(self) -> None:
        keep_arrays(self, "frame", *(("other_frame",) if self.other_frame is not None else ()))


@brief
@dataclass(frozen=True)
class Motor:
    """An actuator on joints or along a path: force = gain u + bias, with u what it is told and gain and bias linear in length
    and its rate; or a muscle.

    joints : joint -> ratio; its length is gear * sum of ratio * q, and it pulls with gear * ratio * force on each
    site : a frame, if it acts on one ; path : of a string, if it pulls along one ; pad : body that sticks to what it touches
    fibres : of a muscle, which gain and bias are not heeded for; a negative force is minus the acceleration, over that of a
        force of 1 N where the file starts, that it is to give
    stretched : fibres whose passive force acts, the same if None ; times : of a muscle, s, in which activation rises and falls,
        and the width over which one becomes the other
    gain, bias : coefficients of 1, length and rate of length; a positive last one of bias, which no damper has, is the damping
        ratio that it is to have where the file starts
    dynamics : "none", or how its activation, which then stands for u, follows what it is told: "integrator", "filter",
        "filterexact", "muscle" ; lag : time constant of a filter, s ; activation_range : where the activation stays
    place : number among the actuators of the file, -1 for a spring of a tendon
    control_range, force_range : what it is told, and its force, stay there ; tendon, tendon_range : what it pulls, and where
        the force of all motors of that together stays
    early : whether its force is that of the activation at the end of a step
    """

    name: str
    joints: Mapping[str, float]
    gear: float = 1.0
    gain: tuple[float, float, float] = (1.0, 0.0, 0.0)
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    place: int = 0
    control_range: tuple[float, float] = ALWAYS
    force_range: tuple[float, float] = ALWAYS
    dynamics: str = "none"
    lag: float = 1.0
    activation_range: tuple[float, float] = ALWAYS
    path: Path | None = None
    site: Site | None = None
    pad: str = ""
    tendon: str = ""
    tendon_range: tuple[float, float] = ALWAYS
    fibres: Fibres | None = None
    stretched: Fibres | None = None
    times: tuple[float, float, float] = (0.01, 0.04, 0.0)
    early: bool = False


@brief
@dataclass(frozen=True)
class Thruster:
    """An actuator that pushes on a body: gain u gear, force and moment along the axes of a frame of the body."""

    body: str
    frame: np.ndarray
    gear: tuple[float, ...]
    gain: float = 1.0
    name: str = ""
    place: int = 0
    control_range: tuple[float, float] = ALWAYS
    force_range: tuple[float, float] = ALWAYS

    def __post_init__(self) -> None:
        keep_arrays(self, "frame")


@brief
@dataclass(frozen=True)
class Strand:
    """An elastic tendon along a path.

    stiffness : N/m ; length : (shortest, longest) at rest, m, None for that where springs of joints have no force
    damping : N s/m ; limits : (shortest, longest), m, None without ; softness : time, s, and damping ratio with which limits
        push back
    """

    name: str
    path: Path
    stiffness: float = 0.0
    length: tuple[float, float] | None = None
    damping: float = 0.0
    limits: tuple[float, float] | None = None
    softness: tuple[float, float] = (0.02, 1.0)


@brief
@dataclass(frozen=True)
class Floor:
    """A plane of the world, z of its frame (4, 4) upwards, or heights above it; friction, group and mask as of lo.Collision.

    heights : (rows, columns) m, rows along y and columns along x of the frame, None for a plane ; half : half edges, m
    """

    placement: np.ndarray
    friction: float = 1.0
    group: int = 1
    mask: int = 1
    name: str = ""
    heights: np.ndarray | None = None
    half: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        keep_arrays(self, "placement")


@brief
@dataclass(frozen=True)
class Pair:
    """Two shapes, by the names of the file, that touch with a friction of their own, whatever else is said of them."""

    first: str
    second: str
    friction: float


@brief
@dataclass(frozen=True)
class Medium:
    """What is around the bodies: density kg/m^3, viscosity Pa s, wind m/s."""

    density: float
    viscosity: float
    wind: tuple[float, float, float] = (0.0, 0.0, 0.0)


@brief
@dataclass(frozen=True)
class Immersed:
    """An ellipsoid of a body that the medium acts on: its frame (4, 4) in the body, half axes, m, and coefficients of blunt and
    slender drag, of drag on turning, of the lift of Kutta and that of Magnus."""

    body: str
    placement: np.ndarray
    half: tuple[float, ...]
    coefficients: tuple[float, ...]

    def __post_init__(self) -> None:
        keep_arrays(self, "placement")


@brief
@dataclass(frozen=True)
class Camera:
    """A camera of a file: it looks along -z of its frame (4, 4) in a body, None for the world, with y up.

    field : angle from top to bottom that it sees, rad ; mode : how the file wants it to move, as "fixed", "track", "targetbody"
    """

    name: str
    body: str | None
    placement: np.ndarray
    field: float = 0.785
    mode: str = "fixed"

    def __post_init__(self) -> None:
        keep_arrays(self, "placement")


@brief
@dataclass(frozen=True)
class Sensor:
    """Something that a file measures; `lo.sensor_readings` says what it reads.

    kind : word of the file, as "jointpos", "framelinvel", "accelerometer", "touch"
    body, frame : frame (4, 4) in a body, None for the world ; other : body and frame that it is measured in, None for the world
    joints : joint -> ratio, of a joint or a tendon over joints ; path : of another tendon ; motor : place of an actuator
    volume : shape and sizes of a touch sensor, m ; cutoff : largest reading, 0 if there is none
    """

    name: str
    kind: str
    body: str | None = None
    frame: np.ndarray = field(default_factory=lambda: np.eye(4))
    other: tuple[str | None, np.ndarray] | None = None
    joints: Mapping[str, float] = field(default_factory=dict)
    path: Path | None = None
    motor: int = -1
    volume: tuple[str, tuple[float, ...]] = ("sphere", ())
    cutoff: float = 0.0

    def __post_init__(self) -> None:
        keep_arrays(self, "frame")


@brief
@dataclass(frozen=True)
class Scene:
    """A mechanism, and what a file says besides.

    start : joint -> coordinates of q where the file puts it ; floating : body -> share of its weight that is carried
    walls : shapes of the world that are no planes, with their placements in it
    axes : body -> (3, 3) principal axes of its inertia as the file has them, where it says them
    springs : joint -> time, s, and damping ratio that its spring and damper are to give it where the file starts
    sensors : what the file measures ; cameras : from where it is looked at ; pairs : shapes that touch by a law of their own
    immersed : ellipsoids that the medium acts on, instead of on the box that has the inertia of their body
    slippery : whether of two coefficients of friction the smaller one counts, instead of the larger
    """

    description: Description
    start: Keyframe
    loops: tuple[Loop, ...] = ()
    relations: tuple[Relation, ...] = ()
    motors: tuple[Motor, ...] = ()
    thrusters: tuple[Thruster, ...] = ()
    floating: Mapping[str, float] = field(default_factory=dict)
    timestep: float = 2e-3
    strands: tuple[Strand, ...] = ()
    medium: Medium | None = None
    axes: Mapping[str, np.ndarray] = field(default_factory=dict)
    floors: tuple[Floor, ...] = ()
    walls: tuple[Collision, ...] = ()
    springs: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    sensors: tuple[Sensor, ...] = ()
    cameras: tuple[Camera, ...] = ()
    pairs: tuple[Pair, ...] = ()
    immersed: tuple[Immersed, ...] = ()
    slippery: bool = False
