"""What the <compiler> and <option> of an MJCF file say about the meaning of the rest. The last word counts."""

from dataclasses import dataclass

import numpy as np

from locomote.formats.faults import Faults, shown
from locomote.formats.mjcf.elements import check_attributes, choice, flag
from locomote.formats.numbers import number, numbers
from locomote.formats.unsupported import Unsupported
from locomote.formats.xml import Node
from locomote.model.scene import Medium

SWITCHES = ("gravity", "spring", "damper", "passive", "frictionloss", "limit", "equality", "constraint", "actuation")


@dataclass
class Settings:
    """Compiler options, gravity (m/s^2) and switched-off parts, with MJCF's defaults."""

    degrees: bool = True
    eulerseq: str = "xyz"
    autolimits: bool = True
    inertiafromgeom: str = "auto"
    inertiagrouprange: tuple[float, float] = (0.0, 5.0)
    boundmass: float = 0.0
    boundinertia: float = 0.0
    balanceinertia: bool = False
    exactmeshinertia: bool = False
    settotalmass: float = -1.0
    fitaabb: bool = False
    meshdir: str = ""
    strippath: bool = False
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    off: frozenset[str] = frozenset()
    medium: Medium | None = None
    idle: frozenset[float] = frozenset()  # groups of actuators that do nothing

    def angle(self, value: float) -> float:
        """An angle of the file in rad."""
        return np.deg2rad(value) if self.degrees else value

    def on(self, *switches: str) -> bool:
        """Whether none of these parts of the simulation is switched off."""
        return not self.off & set(switches)


def read_settings(root: Node, unsupported: Unsupported, faults: Faults, scene: bool = False) -> Settings:
    """The settings of a file, faults for those that cannot be honoured."""
    settings = Settings()
    for node in root.all("compiler"):
        check_attributes(node, faults)
        _read_compiler(node, settings, faults)
    for node in root.all("option"):
        settings.gravity = numbers(node, "gravity", 3, faults, settings.gravity)
        if node.get("actuatorgroupdisable") is not None:
            settings.idle = frozenset(numbers(node, "actuatorgroupdisable", (0, 31), faults, ()))
        density, viscosity = (number(node, name, faults, 0.0, least=0.0) for name in ("density", "viscosity"))
        if density or viscosity:
            settings.medium = Medium(density, viscosity, numbers(node, "wind", 3, faults, (0.0, 0.0, 0.0)))
        for name in [
            name for name in ("density", "viscosity") if not scene and node.get(name) and number(node, name, faults, 0.0)
        ]:
            unsupported.refuse(
                node, f"the {name} of the medium", "add water or air as an environment in code, or take lo.load_scene"
            )
        for switch in node.all("flag"):
            for name in SWITCHES:
                if choice(switch, name, ("enable", "disable"), "enable", faults) == "disable":
                    settings.off |= {name}
    if not settings.on("gravity"):
        settings.gravity = (0.0, 0.0, 0.0)
    return settings


def _read_compiler(node: Node, settings: Settings, faults: Faults) -> None:
    settings.degrees = (
        choice(node, "angle", ("degree", "radian"), "degree" if settings.degrees else "radian", faults) == "degree"
    )
    settings.autolimits = flag(node, "autolimits", settings.autolimits, faults)
    settings.balanceinertia = flag(node, "balanceinertia", settings.balanceinertia, faults)
    settings.exactmeshinertia = flag(node, "exactmeshinertia", settings.exactmeshinertia, faults)
    settings.fitaabb = flag(node, "fitaabb", settings.fitaabb, faults)
    settings.strippath = flag(node, "strippath", settings.strippath, faults)
    settings.inertiafromgeom = choice(node, "inertiafromgeom", ("auto", "true", "false"), settings.inertiafromgeom, faults)
    settings.inertiagrouprange = numbers(node, "inertiagrouprange", 2, faults, settings.inertiagrouprange)
    settings.boundmass = number(node, "boundmass", faults, settings.boundmass, least=0.0)
    settings.boundinertia = number(node, "boundinertia", faults, settings.boundinertia, least=0.0)
    settings.settotalmass = number(node, "settotalmass", faults, settings.settotalmass)
    settings.meshdir = node.get("meshdir") or node.get("assetdir") or settings.meshdir
    sequence = node.get("eulerseq", settings.eulerseq)
    if len(sequence) != 3 or set(sequence) - set("xyzXYZ"):
        faults.add(node, f"eulerseq is {shown(sequence)}, expected three of the letters x y z X Y Z")
    else:
        settings.eulerseq = sequence
    if choice(node, "coordinate", ("local", "global"), "local", faults) == "global":
        faults.add(
            node, "coordinate='global' is of old MuJoCo versions; save the model with MuJoCo 2.3.3 or before to convert it"
        )
    if flag(node, "alignfree", False, faults):
        faults.warn(node, "alignfree is not followed: q of a free body is the pose of its body frame as the file gives it")
