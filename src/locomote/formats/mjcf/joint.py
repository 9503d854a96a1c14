"""The joints of an MJCF body."""

from typing import Any

import numpy as np

from locomote.formats import poses
from locomote.formats.faults import Faults
from locomote.formats.mjcf.elements import Element, choice, flag
from locomote.formats.mjcf.reading import Reading
from locomote.formats.mjcf.settings import Settings
from locomote.formats.numbers import number, numbers
from locomote.formats.unsupported import Unsupported
from locomote.model.description import Joint

KINDS = {"hinge": "revolute", "slide": "prismatic", "ball": "spherical", "free": "free"}
LIMITS = ("true", "false", "auto")


def joint_type(element: Element, faults: Faults) -> str:
    """hinge, slide, ball or free."""
    if element.node.tag == "freejoint":
        return "free"
    return choice(element, "type", tuple(KINDS), "hinge", faults)


def read_joint(element: Element, name: str, frame: np.ndarray, reading: Reading) -> Joint:
    """The joint of a <joint> or <freejoint>. `frame` is the pose in the body of the <frame> elements around it."""
    settings, unsupported, faults = reading.settings, reading.unsupported, reading.faults
    kind = joint_type(element, faults)
    if element.node.tag == "freejoint":
        return Joint(name, "free")
    common: dict[str, Any] = {
        "stiffness": _linear(element, "stiffness", "spring", settings, unsupported, faults),
        "damping": _linear(element, "damping", "damper", settings, unsupported, faults),
        "friction": number(element, "frictionloss", faults, 0.0, least=0.0)
        if settings.on("frictionloss", "constraint")
        else 0.0,
        "armature": number(element, "armature", faults, 0.0, least=0.0),
    }
    time, ratio = numbers(element, "springdamper", 2, faults, (0.0, 0.0))
    if time > 0 and ratio > 0 and reading.scene:
        reading.besides.springs[name] = (time, ratio)
    elif time > 0 and ratio > 0:
        unsupported.refuse(element, "springdamper", "give stiffness and damping, or take lo.load_scene")
    if common["stiffness"] and number(element, "springyield", faults, 0.0):
        unsupported.refuse(element, "a spring that yields (springyield)")
    if kind == "free":
        return _free(element, name, common, faults)
    anchor = frame[:3, :3] @ numbers(element, "pos", 3, faults, (0.0, 0.0, 0.0)) + frame[:3, 3]
    lower, upper = _range(element, kind, settings, faults)
    if kind == "ball":
        if common["stiffness"] and reading.scene:  # models have it, problems do not
            unsupported.refuse(element, "a spring on a ball joint", "use three hinges, or an environment in code")
            common["stiffness"] = 0.0
        if upper < np.inf:
            faults.warn_alike("limits of ball joints are not kept", element)
        return Joint(name, "spherical", anchor=tuple(anchor), **common)
    scale = settings.angle if kind == "hinge" else float
    return Joint(
        name,
        KINDS[kind],
        tuple(poses.unit(frame[:3, :3] @ _axis(element, faults))),
        anchor=tuple(anchor),
        reference=scale(number(element, "ref", faults, 0.0)),
        rest=scale(number(element, "springref", faults, 0.0)),
        lower=lower if lower == -np.inf else scale(lower),
        upper=upper if upper == np.inf else scale(upper),
        effort_limit=_effort(element, settings, faults),
        **common,
    )


def _free(element: Element, name: str, common: dict, faults: Faults) -> Joint:
    if common["stiffness"]:
        faults.add(element, "a spring on a free joint is not supported; remove its stiffness")
    if common["armature"]:
        faults.warn_alike("armature of free joints is left out; give their bodies more inertia instead", element)
    if common["friction"]:
        faults.warn_alike("dry friction of free joints acts along body axes here, along world axes in MuJoCo", element)
    return Joint(name, "free", damping=common["damping"], friction=common["friction"])


def _axis(element: Element, faults: Faults) -> tuple[float, ...]:
    axis = numbers(element, "axis", 3, faults, (0.0, 0.0, 1.0))
    if not any(axis):
        faults.add(element, "its axis is zero; give the direction of motion")
        return (0.0, 0.0, 1.0)
    return axis


def _linear(
    element: Element, attribute: str, switch: str, settings: Settings, unsupported: Unsupported, faults: Faults
) -> float:
    """The linear coefficient of a spring or damper, which may be a polynomial of three."""
    values = numbers(element, attribute, (1, 3), faults, (0.0,))
    if any(values[1:]):
        unsupported.refuse(element, f"a {attribute} that is not linear ({' '.join(f'{value:g}' for value in values)})")
    if values[0] < 0:
        faults.add(element, f"{attribute} is {values[0]:g}, expected at least 0")
    return values[0] if settings.on(switch, "passive") else 0.0


def _range(element: Element, kind: str, settings: Settings, faults: Faults) -> tuple[float, float]:
    """Lower and upper limit in the units of the file."""
    limited = choice(element, "limited", LIMITS, "auto", faults)
    lower, upper = numbers(element, "range", 2, faults, (0.0, 0.0))
    if limited == "auto" and not settings.autolimits and element.get("range") is not None:
        faults.add(element, "has a range but does not say limited, and autolimits is off")
    if limited == "false" or (limited == "auto" and lower == upper) or not settings.on("limit", "constraint"):
        return -np.inf, np.inf
    if lower >= upper:
        faults.add(element, f"its range {lower:g} to {upper:g} is empty")
    return lower, upper


def _effort(element: Element, settings: Settings, faults: Faults) -> float:
    limited = choice(element, "actuatorfrclimited", LIMITS, "auto", faults)
    lower, upper = numbers(element, "actuatorfrcrange", 2, faults, (0.0, 0.0))
    if limited == "false" or lower >= upper:
        return np.inf
    if flag(element, "actuatorgravcomp", False, faults):
        faults.warn_alike("what carries weight (gravcomp) is not limited with the motors of a joint", element)
    if lower != -upper:
        faults.warn_alike("force ranges that are not symmetric are kept as their larger side", element)
    return max(abs(lower), abs(upper))
