"""The short forms of actuators, said as the general one: force = gain u + bias.

MuJoCo keeps one default for actuators of all kinds, which a short form in a <default> changes as it changes an actuator; the
law of one short form is not taken over by another.
"""

from collections.abc import Callable, Mapping

from locomote.formats.numbers import parse_numbers

Given = dict[str, str]
FORM = "short form"  # which form the default of actuators has; no attribute of a file has such a name
LAW = ("gaintype", "gainprm", "biastype", "biasprm", "dyntype", "dynprm")


def _first(given: Mapping[str, str], name: str, otherwise: str) -> str:
    """The first number of an attribute, as text."""
    return next(iter(given.get(name, otherwise).split(None, 1)), otherwise)


def _minus(text: str) -> str:
    values = parse_numbers(text, 1, 1)
    return text if isinstance(values, str) else repr(-values[0])  # what is no number is a fault where it is read


def _third(given: Mapping[str, str]) -> str:
    return (given.get("biasprm", "0 0 0").split(None, 3) + ["0"] * 3)[2]


def _motor(given: Given, own: Given) -> Given:
    return {"gaintype": "fixed", "gainprm": "1", "biastype": "none", "biasprm": "0", "dyntype": "none"}


def _position(given: Given, own: Given) -> Given:
    kp = own.get("kp") or _first(given, "gainprm", "1")
    kv = _minus(own["kv"]) if "kv" in own else own.get("dampratio", _third(given))
    said = {"gaintype": "fixed", "gainprm": kp, "biastype": "affine", "biasprm": f"0 {_minus(kp)} {kv}"}
    if "timeconst" in own:
        said |= {"dyntype": "filterexact", "dynprm": own["timeconst"]}
    return said


def _intvelocity(given: Given, own: Given) -> Given:
    return _position(given, own) | {"dyntype": "integrator"}


def _velocity(given: Given, own: Given) -> Given:
    kv = own.get("kv") or _first(given, "gainprm", "1")
    return {"gaintype": "fixed", "gainprm": kv, "biastype": "affine", "biasprm": f"0 0 {_minus(kv)}", "dyntype": "none"}


def _damper(given: Given, own: Given) -> Given:
    gain = f"0 0 {_minus(own.get('kv', '0'))}"
    return {"gaintype": "affine", "gainprm": gain, "biastype": "none", "biasprm": "0", "dyntype": "none"}


def _cylinder(given: Given, own: Given) -> Given:
    said = {"dyntype": "filter", "gaintype": "fixed", "biastype": "affine"}
    said |= {"dynprm": own["timeconst"]} if "timeconst" in own else {}
    said |= {"gainprm": own["area"]} if "area" in own else {}
    return said | ({"biasprm": own["bias"]} if "bias" in own else {})


MUSCLE = {"range": (0, 2), "force": (2, 1), "scale": (3, 1), "lmin": (4, 1), "lmax": (5, 1), "vmax": (6, 1), "fpmax": (7, 1),
          "fvmax": (8, 1)}  # fmt: skip
FIBRES = "0.75 1.05 -1 200 0.5 1.6 1.5 1.3 1.2"


def _muscle(given: Given, own: Given) -> Given:
    same = given.get("gaintype") == "muscle"
    numbers = (given.get("gainprm", FIBRES) if same else FIBRES).split(None, 20)
    numbers = [*numbers, *FIBRES.split()[len(numbers) :]]
    for name, (first, count) in MUSCLE.items():
        if name in own:
            values = own[name].split(None, count)
            numbers[first : first + len(values)] = values
    times = (given.get("dynprm", "0.01 0.04 0") if same else "0.01 0.04 0").split(None, 20)
    times = [*times, *"0.01 0.04 0".split()[len(times) :]]
    if "timeconst" in own:
        values = own["timeconst"].split(None, 2)
        times[: len(values)] = values
    if "tausmooth" in own:
        times[2] = own["tausmooth"]
    said = {"dyntype": "muscle", "gaintype": "muscle", "biastype": "muscle"}
    return said | {"gainprm": " ".join(numbers), "biasprm": " ".join(numbers), "dynprm": " ".join(times)}


def _adhesion(given: Given, own: Given) -> Given:
    gain = own.get("gain") or _first(given, "gainprm", "1")
    return {"gaintype": "fixed", "gainprm": gain, "biastype": "none", "biasprm": "0", "dyntype": "none"}


FORMS: dict[str, Callable[[Given, Given], Given]] = {
    "motor": _motor, "position": _position, "intvelocity": _intvelocity, "velocity": _velocity, "damper": _damper,
    "cylinder": _cylinder, "muscle": _muscle, "adhesion": _adhesion,
}  # fmt: skip


def as_general(tag: str, inherited: Mapping[str, str], own: Mapping[str, str]) -> Given:
    """The attributes of an actuator, its own over those it inherits, with the short form `tag` said as the general one."""
    inherited = dict(inherited)
    if tag in FORMS and inherited.get(FORM, "general") not in ("general", tag):
        inherited = {name: value for name, value in inherited.items() if name not in LAW}  # another short form
    law = FORMS[tag](inherited, dict(own)) if tag in FORMS else {}
    return {**inherited, **own, **law, FORM: tag}
