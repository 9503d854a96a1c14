"""What the parts of the MJCF reader share while they read one file."""

from dataclasses import dataclass, field

import numpy as np

from locomote.formats.faults import Faults
from locomote.formats.mjcf.assets import Assets
from locomote.formats.mjcf.defaults import Defaults
from locomote.formats.mjcf.geom import Geom
from locomote.formats.mjcf.settings import Settings
from locomote.formats.unsupported import Unsupported
from locomote.model.description import Collision
from locomote.model.scene import Camera, Floor, Immersed


@dataclass(frozen=True)
class Besides:
    """What a scene has besides its bodies, gathered while these are read.

    sites : name -> body (None: the world) and pose in it ; starts : free joint -> pose in the world
    floating : body -> share of its weight that is carried ; axes : body -> (3, 3) principal axes that the file says
    floors, walls : planes of the world, and its other shapes
    rounds : name of a geom -> body and geom, for tendons that go round it
    springs : joint -> time and damping ratio of its springdamper
    rotors : joint -> armature and damping that its actuators bring
    immersed : ellipsoids that the medium acts on ; bodies : their names
    volumes : name of a site -> its shape and sizes ; cameras : by name ; fields : name -> heights and half edges
    """

    sites: dict[str, tuple[str | None, np.ndarray]] = field(default_factory=dict)
    starts: dict[str, np.ndarray] = field(default_factory=dict)
    floating: dict[str, float] = field(default_factory=dict)
    axes: dict[str, np.ndarray] = field(default_factory=dict)
    floors: list[Floor] = field(default_factory=list)
    walls: list[Collision] = field(default_factory=list)
    rounds: dict[str, tuple[str | None, Geom]] = field(default_factory=dict)
    springs: dict[str, tuple[float, float]] = field(default_factory=dict)
    rotors: dict[str, tuple[float, float]] = field(default_factory=dict)
    volumes: dict[str, tuple[str, tuple[float, ...]]] = field(default_factory=dict)
    cameras: dict[str, Camera] = field(default_factory=dict)
    immersed: list[Immersed] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)
    fields: dict[str, tuple[np.ndarray, tuple[float, float]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Reading:
    """The settings, classes and assets of a file, and where to note what is wrong. `policy` is that of inertias."""

    settings: Settings
    defaults: Defaults
    assets: Assets
    unsupported: Unsupported
    policy: str
    faults: Faults
    besides: Besides = field(default_factory=Besides)
    scene: bool = False  # whether what is besides will be used
    paired: frozenset[str] = frozenset()  # geoms that touch whatever their masks say
