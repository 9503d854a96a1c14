"""MJCF elements with their defaults filled in, and which attributes they may have.

An attribute that MJCF does not know is a fault where it could change the motion (a misspelt `dampng`), a warning elsewhere.
"""

from locomote.formats.faults import Faults, shown
from locomote.formats.xml import Node

ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
PLACE = {"pos", *ORIENTATIONS}
ATTRIBUTES = {
    "worldbody": {"name"},
    "body": PLACE | set("name childclass mocap gravcomp sleep simple fuse user".split()),
    "frame": PLACE | set("name childclass scale massscale scaling".split()),
    "inertial": PLACE | {"mass", "diaginertia", "fullinertia"},
    "freejoint": {"name", "group", "align"},
    "joint": set(
        "name class type group pos axis springdamper solreflimit solimplimit solreffriction solimpfriction stiffness range"
        " limited actuatorfrcrange actuatorfrclimited actuatorgravcomp margin ref springref springyield armature damping"
        " frictionloss user".split()
    ),
    "geom": PLACE
    | set(
        "name class type contype conaffinity condim group priority size material rgba castshadow friction mass density"
        " shellinertia solmix solref solimp margin gap surfacevel adhesion fromto hfield mesh fitscale fluidshape fluidcoef"
        " user".split()
    ),
    "compiler": set(
        "autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate angle fitaabb eulerseq meshdir"
        " texturedir assetdir discardvisual convexhull usethread fusestatic inertiafromgeom alignfree inertiagrouprange"
        " exactmeshinertia saveinertial savecompiled savecanonical conflict passthrough".split()
    ),
}
LENIENT = ("geom",)
# numbers of these attributes that are not given are taken from the defaults one by one
OVERLAID = ("size", "stiffness", "damping")


class Element:
    """An element with the attributes of its defaults class filled in. Reads like a Node."""

    __slots__ = ("node", "attributes")

    def __init__(self, node: Node, defaults: dict[str, str]):
        self.node = node
        own = node.attributes
        if any(name in own for name in ORIENTATIONS):
            defaults = {name: value for name, value in defaults.items() if name not in ORIENTATIONS}
        self.attributes = {**defaults, **own}
        for name in OVERLAID:
            if name in own and name in defaults:
                given = own[name].split(None, 20)
                self.attributes[name] = " ".join([*given, *defaults[name].split(None, 20)[len(given) :]])

    def __str__(self) -> str:
        return str(self.node)

    def get(self, attribute: str, default: str | None = None) -> str | None:
        return self.attributes.get(attribute, default)


def check_attributes(node: Node, faults: Faults) -> None:
    """Note the attributes of an element that MJCF does not have."""
    known = ATTRIBUTES[node.tag]
    for name in node.attributes.keys() - known - {"xmlns:xsi"}:
        sentence = f"unknown attribute {shown(name)}{faults.nearest(name, known)}"
        if node.tag in LENIENT:
            faults.warn(node, sentence)
        else:
            faults.add(node, sentence)


def choice(element, attribute: str, options: tuple[str, ...], default: str, faults: Faults) -> str:
    """The value of an attribute that is one of a few words."""
    value = element.get(attribute)
    if value is None:
        return default
    if value.strip() not in options:
        faults.add(element, f"{attribute} is {shown(value)}, expected {' or '.join(options)}")
        return default
    return value.strip()


def flag(element, attribute: str, default: bool, faults: Faults) -> bool:
    """The value of an attribute that is true or false."""
    return choice(element, attribute, ("true", "false"), "true" if default else "false", faults) == "true"
