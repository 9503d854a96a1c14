"""MJCF's classes of default attributes: a class has those of the class around it, and its own before them."""

from locomote.formats.faults import Faults, shown
from locomote.formats.mjcf.actuator_forms import FORM, as_general
from locomote.formats.mjcf.elements import ATTRIBUTES, ORIENTATIONS, Element, check_attributes
from locomote.formats.xml import Node

ACTUATORS = "general motor position velocity intvelocity damper cylinder muscle adhesion plugin pid dcmotor orientation".split()
# what actuators of all kinds have in common: MuJoCo keeps one default for all of them
COMMON = (
    "ctrllimited forcelimited actlimited ctrlrange forcerange actrange lengthrange gear kp kv dampratio timeconst inheritrange"
    " gain dyntype gaintype biastype dynprm gainprm biasprm armature damping diameter area bias force scale lmin lmax vmax"
    " fpmax fvmax range tausmooth group actearly delay nsample cranklength"
)
# which attributes of which elements are kept: those that some part of this reader asks for
KEPT = {
    "joint": ATTRIBUTES["joint"] - {"name", "class", "user"},
    "geom": ATTRIBUTES["geom"] - {"name", "class", "user"},
    "mesh": {"scale", "inertia"},
    "material": {"rgba"},
    "site": {"pos", "type", "size", "fromto", *ORIENTATIONS},
    "camera": {"pos", "fovy", "mode", *ORIENTATIONS},
    "equality": {"active"},
    "pair": {"friction", "margin", "gap", "condim"},
    "tendon": set(
        "stiffness damping frictionloss armature limited range springlength springyield solreflimit actuatorfrcrange"
        " actuatorfrclimited".split()
    ),
    "actuator": {*COMMON.split(), FORM},
}
MAIN = "main"


class Defaults:
    """The default attributes of every class of a file."""

    def __init__(self, root: Node, faults: Faults):
        self.faults = faults
        self.classes: dict[str, dict[str, dict[str, str]]] = {MAIN: {}}
        for node in root.all("default"):
            own = node.get("class") or MAIN
            self._merge(self.classes[MAIN], node)
            self.classes.setdefault(own, self.classes[MAIN])  # older files name the outermost class
            waiting = [(child, self.classes[MAIN]) for child in reversed(node.all("default"))]
            while waiting:
                below, around = waiting.pop()
                merged = self._add(below, around)
                waiting.extend((child, merged) for child in reversed(below.all("default")))
        for node in root.all("attached"):
            self._add(node, {})
            waiting = [(child, self.classes[node.get("class") or ""]) for child in reversed(node.all("default"))]
            while waiting:
                below, around = waiting.pop()
                merged = self._add(below, around)
                waiting.extend((child, merged) for child in reversed(below.all("default")))

    def _add(self, node: Node, around: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
        name = node.get("class")
        if not name:
            self.faults.add(node, "a <default> inside another needs a class")
            return around
        if name in self.classes:
            self.faults.add(node, f"class {shown(name)} is there already")
            return around
        merged = dict(around)
        self._merge(merged, node)
        self.classes[name] = merged
        return merged

    def _merge(self, into: dict[str, dict[str, str]], node: Node) -> None:
        for child in node.children:
            if child.tag in ("joint", "geom"):
                check_attributes(child, self.faults)
            if (tag := "actuator" if child.tag in ACTUATORS else child.tag) in KEPT:
                kept = {name: value for name, value in child.attributes.items() if name in KEPT[tag]}
                if tag == "actuator":
                    kept = as_general(child.tag, into.get(tag, {}), kept)
                into[tag] = Element(Node(child.tag, kept, child.line), into.get(tag, {})).attributes

    def fill(self, node: Node, childclass: str | None, tag: str | None = None) -> Element:
        """The element with the defaults of its class, of the class of the body around it, or of the main class."""
        name = node.get("class") or childclass or MAIN
        if name not in self.classes:
            self.faults.add(node, f"its class {shown(name)} is not defined{self.faults.nearest(name, self.classes)}")
            name = MAIN
        return Element(node, self.classes[name].get(tag or node.tag, {}))
