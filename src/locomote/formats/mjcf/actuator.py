"""The actuators of an MJCF file: forces on joints, tendons and sites that follow what they are told."""

import numpy as np

from locomote.formats.faults import shown
from locomote.formats.mjcf.actuator_forms import as_general
from locomote.formats.mjcf.defaults import ACTUATORS, KEPT
from locomote.formats.mjcf.elements import Element, choice, flag
from locomote.formats.mjcf.reading import Reading
from locomote.formats.mjcf.tendon import FixedTendon, Route, range_of_motors
from locomote.formats.numbers import number, numbers
from locomote.formats.xml import Node
from locomote.model.description import Joint
from locomote.model.paths import Fibres
from locomote.model.scene import Motor, Site, Thruster

ALWAYS = (-np.inf, np.inf)
LIMITED = ("true", "false", "auto")
GAINS = ("fixed", "affine", "muscle", "user")
BIASES = ("none", "affine", "muscle", "user")
DYNAMICS = ("none", "integrator", "filter", "filterexact", "muscle", "user")
LAWS = (("gain", GAINS), ("bias", BIASES))
OTHERS = ("tendon", "site", "body", "cranksite", "jointinparent")
TRANSMISSIONS = ("joint", *OTHERS)


def read_actuators(
    root: Node, joints: dict[str, Joint], tendons: dict[str, FixedTendon | Route], reading: Reading
) -> tuple[list[Motor], list[Thruster]]:
    """The actuators of a scene, in the order of the file within each kind."""
    motors, thrusters = [], []
    if not reading.settings.on("actuation"):
        return motors, thrusters
    nodes = [node for section in root.all("actuator") for node in section.children if node.tag in ACTUATORS]
    for n, node in enumerate(nodes):
        title = node.get("name") or f"{node.tag} {n + 1}"
        actuator = general(node, reading)
        if not _known(node, actuator, reading):
            continue
        common = {
            "name": title,
            "place": n,
            "gain": _triple(actuator, "gain", GAINS, reading),
            "bias": _triple(actuator, "bias", BIASES, reading),
            "control_range": _range(actuator, "ctrl", reading),
            "force_range": _range(actuator, "force", reading),
            "dynamics": choice(actuator, "dyntype", DYNAMICS, "none", reading.faults),
            "lag": max(numbers(actuator, "dynprm", (1, 10), reading.faults, (1.0,))[0], 1e-10),
            "activation_range": _range(actuator, "act", reading),
            "early": flag(actuator, "actearly", False, reading.faults),
        }
        if number(actuator, "group", reading.faults, 0.0) in reading.settings.idle:
            common |= {"gain": (0.0, 0.0, 0.0), "bias": (0.0, 0.0, 0.0), "force_range": (0.0, 0.0)}
        if node.get("body") is not None:
            motors += _pad(node, common, reading)
            continue
        gear = (*numbers(actuator, "gear", (1, 6), reading.faults, (1.0,)), *(0.0,) * 6)[:6]
        if node.get("site") is not None or node.get("cranksite") is not None:
            acting = _on_site(node, actuator, gear, common, reading)
            thrusters += [acting] if isinstance(acting, Thruster) else []
            motors += [acting] if isinstance(acting, Motor) else []
            continue
        common |= muscle_of(actuator, reading)
        if (tendon := tendons.get(node.get("tendon") or "")) is not None:
            common |= {"tendon": node.get("tendon"), "tendon_range": range_of_motors(tendon.node, reading)}
        if isinstance(own := tendon, Route):
            _keep_rotor(node, actuator, gear[0], {}, reading)
            motors.append(Motor(joints={}, gear=gear[0], path=own.path, **common))
        elif (pulled := _pulled(node, joints, tendons, reading)) is not None:
            _keep_rotor(node, actuator, gear[0], pulled, reading)
            motors.append(Motor(joints=pulled, gear=gear[0], **_inherited(actuator, pulled, joints, common, reading)))
    return motors, thrusters


def _keep_rotor(node: Node, actuator: Element, gear: float, pulled: dict[str, float], reading: Reading) -> None:
    """Note the armature and damping that an actuator brings to its joint."""
    armature, damping = (numbers(actuator, name, (1, 3), reading.faults, (0.0,)) for name in ("armature", "damping"))
    if not any((*armature, *damping)):
        return
    if len(pulled) != 1 or any((*armature[1:], *damping[1:])):
        what = "damping that is not linear, or armature and damping of an actuator on a tendon,"
        reading.unsupported.refuse(node, what, "give them to the joints, times the square of the gear ratio")
        return
    ((joint, ratio),) = pulled.items()
    before, square = reading.besides.rotors.get(joint, (0.0, 0.0)), (gear * ratio) ** 2
    reading.besides.rotors[joint] = (before[0] + square * armature[0], before[1] + square * damping[0])


def general(node: Node, reading: Reading) -> Element:
    """An actuator with its defaults, its short form said as the general one."""
    only_class = {name: value for name, value in node.attributes.items() if name == "class"}
    inherited = reading.defaults.fill(Node(node.tag, only_class, node.line), None, "actuator")
    own = {name: value for name, value in node.attributes.items() if name in KEPT["actuator"]}
    element = Element(node, {})
    element.attributes = {**node.attributes, **as_general(node.tag, inherited.attributes, own)}
    return element


def _known(node: Node, actuator: Element, reading: Reading) -> bool:
    """Whether an actuator has no law that is not read; else it is refused, or left out and named."""
    dynamics = choice(actuator, "dyntype", DYNAMICS, "none", reading.faults)
    reasons = [f"<{node.tag}>"] if node.tag in ("plugin", "pid", "dcmotor", "orientation") else []
    reasons += [f"an actuator with activation ({dynamics})"] if dynamics == "user" else []
    gain, bias = (choice(actuator, f"{name}type", words, words[0], reading.faults) for name, words in LAWS)
    reasons += [f"{name}type user of an actuator" for name, said in (("gain", gain), ("bias", bias)) if said == "user"]
    reasons += ["an actuator with a delay"] if number(actuator, "delay", reading.faults, 0.0) else []
    if (gain == "muscle") != (bias == "muscle"):
        reasons.append("an actuator with half of a muscle (gaintype and biastype)")
    if reasons:
        reading.unsupported.refuse(node, reasons[0], "write its law as a lo.Sampled controller")
    return not reasons


def _triple(actuator: Element, which: str, words: tuple[str, ...], reading: Reading) -> tuple[float, float, float]:
    kind = choice(actuator, f"{which}type", words, words[0], reading.faults)
    values = numbers(actuator, f"{which}prm", (1, 10), reading.faults, (1.0 if which == "gain" else 0.0,))
    a, b, c = (*values, 0.0, 0.0)[:3]
    if kind in ("none", "muscle"):
        return 0.0, 0.0, 0.0
    return (a, 0.0, 0.0) if kind == "fixed" else (a, b, c)


MUSCLE = (0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2)  # range, force, scale, lmin, lmax, vmax, fpmax, fvmax


def muscle_of(actuator: Element, reading: Reading) -> dict:
    """The fibres and times of a muscle, for a Motor; nothing for other actuators."""
    own: dict = {}
    faults = reading.faults
    if choice(actuator, "dyntype", DYNAMICS, "none", faults) == "muscle":
        own["times"] = (*numbers(actuator, "dynprm", (1, 10), faults, (1.0,)), 0.0, 0.0)[:3]
    if choice(actuator, "gaintype", GAINS, "fixed", faults) != "muscle":
        return own
    lengths = numbers(actuator, "lengthrange", 2, faults, (0.0, 0.0))
    if not lengths[1] > lengths[0]:
        sentence = (
            "muscles without a lengthrange have that which limits of joints and tendons give their path; MuJoCo's is wider"
        )
        faults.warn_alike(f"{sentence} by some percent (it pulls against soft limits)", actuator)
    own["fibres"] = _fibres(actuator, "gainprm", lengths, reading)
    if actuator.get("biasprm") != actuator.get("gainprm"):
        own["stretched"] = _fibres(actuator, "biasprm", lengths, reading)
    return own


def _fibres(actuator: Element, attribute: str, lengths: tuple[float, ...], reading: Reading) -> Fibres:
    """The curves of a muscle."""
    given = numbers(actuator, attribute, (1, 10), reading.faults, MUSCLE)
    lower, upper, force, scale, shortest, longest, speed, passive, lengthening = (*given, *MUSCLE[len(given) :])[:9]
    if not upper > lower:
        reading.faults.add(actuator, f"its range {lower:g} to {upper:g} is empty")
    strength = force if force >= 0 else -scale
    return Fibres(strength, (lengths[0], lengths[1]), (lower, upper), shortest, longest, speed, passive, lengthening)


def _range(actuator: Element, which: str, reading: Reading) -> tuple[float, float]:
    limited = choice(actuator, f"{which}limited", LIMITED, "auto", reading.faults)
    lower, upper = numbers(actuator, f"{which}range", 2, reading.faults, (0.0, 0.0))
    if limited == "false" or (limited == "auto" and (actuator.get(f"{which}range") is None or lower == upper)):
        return ALWAYS
    if lower > upper:
        reading.faults.add(actuator, f"its {which}range {lower:g} to {upper:g} is empty")
        return ALWAYS
    return lower, upper


def _inherited(actuator: Element, pulled: dict[str, float], joints: dict[str, Joint], common: dict, reading: Reading) -> dict:
    """`common` with the control range that is taken from the range of the joint, if the file asks for that."""
    share = number(actuator, "inheritrange", reading.faults, 0.0)
    if not share or len(pulled) != 1 or actuator.get("ctrlrange") is not None:
        return common
    joint = joints[next(iter(pulled))]
    lower, upper = float(np.ravel(joint.lower)[0]), float(np.ravel(joint.upper)[0])
    middle, half = (lower + upper) / 2, share * (upper - lower) / 2
    return common | {"control_range": (middle - half, middle + half)} if np.isfinite(half) else common


def _pulled(
    node: Node, joints: dict[str, Joint], tendons: dict[str, FixedTendon | Route], reading: Reading
) -> dict[str, float] | None:
    """Joint -> ratio of what an actuator pulls; None if it is refused."""
    said = [name for name in TRANSMISSIONS if node.get(name) is not None]
    if not said:
        reading.faults.add(node, f"pulls nothing: give one of {', '.join(TRANSMISSIONS)}")
        return None
    what, name = said[0], node.get(said[0])
    if what in ("joint", "jointinparent"):
        if name not in joints:
            reading.faults.add(node, f"{what} {shown(name)} is not in the file{reading.faults.nearest(name or '', joints)}")
        elif joints[name].sizes != (1, 1):
            reading.unsupported.refuse(node, f"an actuator on a {joints[name].kind} joint")
        else:
            return {name: 1.0}
    elif what == "tendon" and isinstance(tendon := tendons.get(name or ""), FixedTendon):
        return dict(tendon.joints)
    elif what == "tendon":
        reading.faults.add(node, f"tendon {shown(name)} is not in the file{reading.faults.nearest(name or '', tendons)}")
    else:
        reading.unsupported.refuse(node, f"an actuator on a {what}")
    return None


def _pad(node: Node, common: dict, reading: Reading) -> list[Motor]:
    """A body that sticks."""
    body, known = node.get("body") or "", reading.besides.bodies
    if body not in known:
        reading.faults.add(node, f"body {shown(body)} is not in the file{reading.faults.nearest(body, known)}")
    elif common["gain"][1:] != (0.0, 0.0) or any(common["bias"]) or common["dynamics"] != "none":
        reading.unsupported.refuse(node, "an actuator on a body whose force depends on more than what it is told")
    else:
        return [Motor(joints={}, pad=body, **common)]
    return []


def _on_site(node: Node, actuator: Element, gear: tuple[float, ...], common: dict, reading: Reading) -> Thruster | Motor | None:
    """A force and moment along the axes of a site, or of another one, and a slider crank."""
    crank = node.get("cranksite") is not None
    names = [node.get(word) for word in (("cranksite", "slidersite") if crank else ("site", "refsite"))]
    places = []
    for name in names:
        if name is not None and name not in reading.besides.sites:
            reading.faults.add(
                node, f"site {shown(name)} is not in the file{reading.faults.nearest(name, reading.besides.sites)}"
            )
            return None
        places.append((None, None) if name is None else reading.besides.sites[name])
    (body, frame), (other, other_frame) = places
    rod = number(actuator, "cranklength", reading.faults, 0.0) if crank else 0.0
    if crank and (other_frame is None or rod <= 0.0):
        reading.faults.add(node, "a slider crank needs a cranksite, a slidersite and a cranklength")
        return None
    assert frame is not None
    plain = common["gain"][1:] == (0.0, 0.0) and not any(common["bias"]) and common["dynamics"] == "none"
    if plain and other_frame is None and body is not None:
        ranges = {name: common[name] for name in ("name", "place", "control_range", "force_range")}
        return Thruster(body, frame, gear, common["gain"][0], **ranges)
    return Motor(joints={}, site=Site(body, frame, gear, other, other_frame, rod), **common)
